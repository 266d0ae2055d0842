"""Groth16 proofs of integer networks: a proof system of `circuits/systems.py`.

ONNX --circuits/program--> program --constraints/--> R1CS --keys/, ceremony/--> circuit (build)
                                                      └--proving/--> its proofs, for each x
"""

__all__: list[str] = []
