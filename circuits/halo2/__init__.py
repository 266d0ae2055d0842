"""Circuits of ezkl (Halo2 with KZG commitments): settings, calibration, keys, patched verifiers.

Soundness lives here: what ezkl's defaults leave open is closed in `settings` and `verifier_patch`.
Only `ezkl_engine` imports ezkl.
"""

__all__: list[str] = []
