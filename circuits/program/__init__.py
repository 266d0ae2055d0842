"""What an integer network computes: an ONNX graph read as steps over numbers with bounds.

What takes it from here writes it down: as Solidity, which the EVM evaluates
(`verifier_contracts/evm`), or as constraints, which a proof is about.

    ONNX --reader--> program: layers and elementwise steps, each number with its largest magnitude
"""

__all__: list[str] = []
