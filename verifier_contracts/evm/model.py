"""The baseline that proofs are measured against: a contract that evaluates the model itself.

Takes the place of a generated verifier (`IEvmModel`), with an empty proof: the instances hold if
the outputs among them are what the contract computes from the inputs. Registered under proof system
`evm-int-v1`. For tiny models this is cheaper than any proof; benchmarks show where it ends.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from eth_utils.address import to_checksum_address

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.program import MOST_INPUT_BITS, Layer, Program
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm.fusing import Fused, fused
from zkagent.verifier_contracts.evm.solidity import NAME, contract_source
from zkagent.verifier_contracts.evm.statements import Body
from zkagent.verifier_contracts.toolchain.compile import (
    Contract,
    Settings,
    compile_source,
    default_settings,
)


@dataclass(frozen=True)
class AsWritten(Settings):
    """Compiler settings that leave assembly alone: the Yul optimizer would keep every input on the
    stack, which is not deep enough, and looking for shorter forms of weights finds none."""

    def standard_json(
        self, wanted: Collection[str] = ("*",), *, trees: bool = True
    ) -> dict[str, Any]:
        settings = super().standard_json(wanted, trees=trees)
        settings["optimizer"]["details"] = {"yul": False, "constantOptimizer": False}
        return settings


@dataclass(frozen=True)
class EvmModel:
    """A generated contract.

    digest: of the ONNX file, SHA-256 hex. parts: runtime code of the contracts that compute large
    layers, whose addresses the constructor takes in this order; empty when all fits into one.
    """

    digest: str
    program: Program
    source: str
    contract: Contract
    parts: tuple[bytes, ...]

    @property
    def code_bytes(self) -> int:
        """Of all contracts together."""
        return len(self.contract.deployed_bytecode) + sum(map(len, self.parts))

    def code(self, parts: Sequence[str]) -> bytes:
        """What lies on chain, of parts at these addresses."""
        return self.contract.runtime({f"_part{i}": int(at, 16) for i, at in enumerate(parts)})

    def parts_of(self, code: bytes) -> list[str]:
        """The addresses of the parts that `code`, deployed from this source, calls."""
        places = sorted(at for offsets in self.contract.immutables.values() for at in offsets)
        return [to_checksum_address(code[at + 12 : at + 32]) for at in places]


def generate_evm_model(onnx: bytes, *, input_bits: int = MOST_INPUT_BITS) -> EvmModel:
    """The contract for an integer ONNX file, of as few parts as a chain takes.

    input_bits: width of each x in two's complement; the contract refuses wider ones. Raises
    EvmModelError for what cannot be computed exactly, or would not fit; CompileError.
    """
    program = _read(onnx, input_bits)
    outside: frozenset[int] = frozenset()
    if sum(step.outputs.size for step in program.steps) > MOST_NUMBERS:
        raise EvmModelError(TOO_LARGE)
    steps = fused(program)
    spared = LOOPS if steps is not program.steps else (None,)
    if spared[-1] is not None and _too_long(program, len(steps), spared[-1]):
        raise EvmModelError(TOO_LARGE)
    for least in spared[:-1]:
        if model := place(onnx, program, outside, loops=least):
            return model
    for step in (*_by_size(steps), None):
        model = place(onnx, program, outside, loops=spared[-1])
        if model is not None:
            return model
        outside |= {step} if step is not None else set()
    raise EvmModelError(TOO_LARGE)


def _too_long(program: Program, steps: int, loops: int) -> bool:
    """Whether nothing helps: trying each layer in turn would take minutes."""
    body = Body(program, frozenset(range(steps)), loops=loops)
    return sum(map(len, body.lines)) > CHARACTERS_PER_BYTE * MAX_CODE_BYTES


def _read(onnx: bytes, input_bits: int) -> Program:
    from zkagent.circuits.program.reader import read_program

    try:
        return read_program(onnx, input_bits)
    except ProgramRefused as exc:
        raise EvmModelError(str(exc)) from exc


def place(
    onnx: bytes, program: Program, outside: frozenset[int], *, loops: int | None = None
) -> EvmModel | None:
    """The contract with the fused steps `outside` in parts; None if the rest does not fit a chain.

    loops: for what repeats, where one spares so many characters.

    Raises EvmModelError for a step that does not fit parts.
    """
    body = Body(program, outside, loops=loops)
    digest = hashlib.sha256(onnx).hexdigest()
    source = contract_source(body, digest)
    if len(source) > CHARACTERS_PER_BYTE * MAX_CODE_BYTES:
        return None  # compiling would take long, for nothing
    contract = compile_source(NAME, source, AS_WRITTEN)
    if len(contract.deployed_bytecode) > MAX_CODE_BYTES:
        return None
    return EvmModel(digest, program, source, contract, tuple(body.parts))


def _by_size(steps: Sequence[Fused]) -> list[int]:
    """The numbers of the layers, those with the most weights first."""
    layers = [n for n, step in enumerate(steps) if isinstance(step, Layer)]
    return sorted(layers, key=lambda n: -_weights(steps[n]))


def _weights(step: Fused) -> int:
    return step.weights.size if isinstance(step, Layer) else 0


#: How much a loop has to spare: first all is written as it comes, at last everything is a loop.
LOOPS = (None, 8_000, 0)
#: That no statement is written for more: of the shipped models the largest has 32,000.
MOST_NUMBERS = 1 << 17
TOO_LARGE = (
    f"what it computes outside of layers would need more than {MAX_CODE_BYTES} bytes of code, "
    "the most that a chain allows: verify a proof instead"
)
CHARACTERS_PER_BYTE = 4  # of source and code; measured: 2.3 to 3.2
AS_WRITTEN = AsWritten(**asdict(default_settings()))

__all__ = ["EvmModel", "generate_evm_model", "place"]
