"""Calls, errors and events of the agent contracts, encoded and decoded without a compiler.

Types are written by hand, so that `run` and `verify-run` work where no solc is installed; a test
holds them against the compiled ABI. A `string` is read as `bytes`: both are encoded alike, and what
a contract calls a string need not be UTF-8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

INPUT = "((uint8,bytes)[],bytes)"
CLAIMS = "(uint256,bytes32,bytes)[]"
COMMITMENT = "(bytes32,bytes32,bytes32,bytes4,string)"
BINDING = "(address,address,address,address[],bytes32,bytes32,uint16,uint16)"
BATCHES = "(uint16,address,bytes32,bytes32)[]"
INPUT_DESCRIPTION = "((uint8,string,string)[])"
STRING_PARAMETER = 0  # IERCAgentTool.ParamType.STRING
NO_HANDLER = "0x" + "00" * 20


@dataclass(frozen=True)
class Method:
    """A function, error or event payload by its signature, such as ``find(bytes32)``."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        return f"{self.name}({','.join(self.inputs)})"

    @property
    def topic(self) -> bytes:
        return keccak(text=self.signature)

    @property
    def selector(self) -> bytes:
        return self.topic[:4]

    def call(self, *arguments: Any) -> bytes:
        """Calldata."""
        return self.selector + encode(_as_bytes(self.inputs), arguments)

    def arguments(self, data: bytes) -> tuple[Any, ...]:
        """Arguments out of calldata or revert data. Raises ValueError unless it is canonical."""
        if data[:4] != self.selector:
            raise ValueError(f"not a {self.name}: it begins with 0x{data[:4].hex()}")
        return decode_canonical(self.inputs, data[4:])

    def results(self, data: bytes) -> tuple[Any, ...]:
        """Return values. Raises ValueError when `data` does not fit."""
        try:
            return tuple(decode(_as_bytes(self.outputs), data))
        except (DecodingError, OverflowError) as exc:
            raise ValueError(f"{self.name} returned 0x{data.hex()[:80]}: {exc}") from exc


RUN = Method("run", (INPUT, "address"), ("int256", "string"))
RUN_WITH_PROOFS = Method("runWithProofs", (INPUT, "address", CLAIMS, "bytes[]"), RUN.outputs)
SIMULATE = Method("simulate", (INPUT, CLAIMS))
RUN_NEXT_ITERATION = Method(
    "runNextIteration", ("string", "string", "address[]", "string[]", "string")
)
MISSING_DECISION = Method("MissingDecision", ("uint256", "address", "uint256", "bytes", "bytes"))
SIMULATION_RESULT = Method("SimulationResult", ("string", "string[]"))
CONTEXT = ("string", "address[]", "string[]", "string")
RUN_RESULT = Method("AgentRunResult", ("int256", "address", "string[]", "string"))
RUN_RESULT_DATA = RUN_RESULT.inputs[1:]  # the run's number is an indexed topic

EXECUTOR = Method("agentExecutor", (), ("address",))
REGISTRY = Method("registry", (), ("address",))
MODEL_ID = Method("modelId", (), ("string",))
BASE_PROMPT = Method("basePrompt", (), ("string",))
TOOLS = Method("tools", (), ("address[]", "bytes32[]"))
SYMBOL_BOOK = Method("symbolBook", (), ("address",))
ENTRIES = Method("entries", (), ("bytes32[]", "address[]", "uint8[]"))
DECIMALS = Method("decimals", (), ("uint8",))
NAME = Method("name", (), ("string",))
DESCRIPTION = Method("description", (), ("string",))
DESCRIBE_INPUT = Method("inputDescription", (), (INPUT_DESCRIPTION,))
GET_MODEL = Method("getModel", ("uint256",), (COMMITMENT, "bool", "address"))
GET_BINDING = Method("getBinding", ("uint256",), (BINDING,))
BATCH_VERIFIERS = Method("batchVerifiers", ("uint256",), (BATCHES,))
COMMITMENT_HASH = Method("commitmentHash", ("uint256",), ("bytes32",))


def prompt_input(prompt: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The ERC's Input with one STRING parameter."""
    encoded = encode(["bytes"], [prompt])
    return [(STRING_PARAMETER, encoded)], encoded


def prompt_of(value: tuple[Sequence[tuple[int, bytes]], bytes]) -> bytes:
    """The prompt in an Input. Raises ValueError unless it is exactly `prompt_input` of one."""
    prompt: bytes = decode_canonical(("string",), value[1])[0]
    if (list(value[0]), value[1]) != prompt_input(prompt):
        raise ValueError("the input is not one prompt")
    return prompt


def metadata_hash(
    name: bytes, description: bytes, parameters: Sequence[tuple[int, bytes, bytes]]
) -> bytes:
    """What an agent pins of a tool: a hash over what name(), description() and inputDescription()
    return."""
    returned = (
        encode(["bytes"], [name]),
        encode(["bytes"], [description]),
        encode(_as_bytes([INPUT_DESCRIPTION]), [(list(parameters),)]),
    )
    return keccak(b"".join(map(keccak, returned)))


def decode_canonical(types: Sequence[str], data: bytes) -> tuple[Any, ...]:
    """`data` decoded. Raises ValueError when it does not fit or has another encoding."""
    plain = _as_bytes(types)
    try:
        values = decode(plain, data)
    except (DecodingError, OverflowError) as exc:
        raise ValueError(f"bad ABI encoding: {exc}") from exc
    if encode(plain, values) != data:
        raise ValueError("the ABI encoding is not canonical")
    return tuple(values)


def _as_bytes(types: Sequence[str]) -> list[str]:
    return [text.replace("string", "bytes") for text in types]
