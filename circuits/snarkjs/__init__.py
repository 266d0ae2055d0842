"""snarkjs, as a process of its own: the other prover of Groth16 proofs, and the standard tool of
ceremonies. From npm, under GPL-3, and installed when it is first asked for; who calls it passes
files, and believes nothing but what was checked here."""

__all__: list[str] = []
