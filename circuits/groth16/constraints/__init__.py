"""Integer networks as constraints over BN254's scalar field (R1CS).

A product with a constant costs nothing there, so weights are free: a network takes a constraint for
each square or product, and some for each feature and each comparison.

    program --compiler--> wires --r1cs--> files that provers read
                            └--solver, witness--> values of all wires for an x
"""

__all__: list[str] = []
