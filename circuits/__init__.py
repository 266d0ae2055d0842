"""From an ONNX file and its manifest to a circuit: settings, keys and a patched verifier.

Artifacts are content-addressed, so building the same thing twice is a look-up. This is the only
package that imports ezkl and groth16py, in one file each.
"""

__all__: list[str] = []
