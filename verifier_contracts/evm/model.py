"""The baseline that proofs are measured against: a contract that evaluates the model itself.

Takes the place of a generated verifier (`IEvmModel`), with an empty proof: the instances hold if
the outputs among them are what the contract computes from the inputs. Registered under proof system
`evm-int-v1`. For tiny models this is cheaper than any proof; benchmarks show where it ends.
"""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from eth_utils.crypto import keccak

from verifier_contracts.compile import Contract, Settings, compile_source, default_settings
from verifier_contracts.errors import EvmModelError
from verifier_contracts.evm.program import Program
from verifier_contracts.evm.reader import MOST_INPUT_BITS, read_program
from verifier_contracts.evm.solidity import NAME, contract_source
from verifier_contracts.evm.statements import Body, Placement
from verifier_contracts.model_code import MAX_CODE_BYTES

PROOF_SYSTEM = "evm-int-v1"
PROOF_SYSTEM_ID = keccak(text=PROOF_SYSTEM)[:4]


@dataclass(frozen=True)
class AsWritten(Settings):
    """Compiler settings that leave assembly alone: the Yul optimizer would keep every input on the
    stack, which is not deep enough, and looking for shorter forms of weights finds none."""

    def standard_json(self) -> dict[str, Any]:
        settings = super().standard_json()
        settings["optimizer"]["details"] = {"yul": False, "constantOptimizer": False}
        return settings


@dataclass(frozen=True)
class EvmModel:
    """A generated contract.

    digest: of the ONNX file, SHA-256 hex. data: runtime code of the contracts that hold the
    weights, whose addresses the constructor takes in this order; empty when they are in the code.
    """

    digest: str
    program: Program
    source: str
    contract: Contract
    data: tuple[bytes, ...]

    @property
    def code_bytes(self) -> int:
        """Of all contracts together."""
        return len(self.contract.deployed_bytecode) + sum(map(len, self.data))


def generate_evm_model(onnx: bytes, *, input_bits: int = MOST_INPUT_BITS) -> EvmModel:
    """The contract for an integer ONNX file, in the form of least gas that a chain takes.

    input_bits: width of each x in two's complement; the contract refuses wider ones. Raises
    EvmModelError for what cannot be computed exactly, or would not fit; CompileError.
    """
    program = read_program(onnx, input_bits)
    for placement in Placement:
        model = place(onnx, program, placement)
        if model is not None:
            return model
    raise EvmModelError(
        f"the code that reads its weights would need more than {MAX_CODE_BYTES} bytes, the most "
        "that a chain allows: verify a proof instead"
    )


def place(onnx: bytes, program: Program, placement: Placement) -> EvmModel | None:
    """The contract with its weights in one of the two places; None if it does not fit a chain."""
    body = Body(program, placement)
    body.write()
    digest = hashlib.sha256(onnx).hexdigest()
    source = contract_source(body, digest)
    if placement is Placement.CODE and len(source) > CHARACTERS_PER_BYTE * MAX_CODE_BYTES:
        return None  # compiling would take long, for nothing
    contract = compile_source(NAME, source, AS_WRITTEN)
    if len(contract.deployed_bytecode) > MAX_CODE_BYTES:
        return None
    return EvmModel(digest, program, source, contract, body.data.codes())


CHARACTERS_PER_BYTE = 4  # of source and code; measured: 2.3 to 3.2
AS_WRITTEN = AsWritten(**asdict(default_settings()))

__all__ = ["PROOF_SYSTEM", "PROOF_SYSTEM_ID", "EvmModel", "generate_evm_model", "place"]
