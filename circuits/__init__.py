"""From an ONNX file and its manifest to a circuit: settings, keys and a patched verifier.

Artifacts are content-addressed, so building the same thing twice is a look-up. This is the only
package that imports ezkl, in one file.
"""

__all__: list[str] = []
