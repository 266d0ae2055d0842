"""How large a contract of one's own may be, on chain and while it is made, said before anything is
built or paid for. An agent that makes its tools carries what they say in the code that makes it."""

from collections.abc import Sequence
from typing import Any

from eth_abi.abi import encode
from eth_abi.grammar import parse
from eth_utils.abi import collapse_if_tuple

from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.errors import ContractTooLarge
from zkagent.verifier_contracts.toolchain.compile import Contract

MAX_CREATION_BYTES = 2 * MAX_CODE_BYTES  # EIP-3860
WORD = 32


def creation_bytes(compiled: Contract, arguments: Sequence[Any] | None = None) -> int:
    """Of the code that makes it, constructor arguments included. Of arguments that nobody gave yet
    the least: a text counts as up to 32 bytes (a model's number), a list as empty."""
    inputs = [each["inputs"] for each in compiled.abi if each["type"] == "constructor"]
    kinds = [collapse_if_tuple(dict(each)) for parameters in inputs for each in parameters]
    if arguments is None:
        return len(compiled.bytecode) + sum(map(_least_bytes, kinds))
    return len(compiled.bytecode) + len(encode(kinds, list(arguments)))


def check_sizes(
    compiled: Contract, arguments: Sequence[Any] | None = None, *, has_examples: bool = False
) -> None:
    """Raises ContractTooLarge for what no chain makes. arguments: as in `creation_bytes`;
    has_examples: whether it makes tools that say examples."""
    remedy = (
        "write fewer or shorter prompts under `means` in tools.yaml, of which each tool carries up "
        "to eight, or shorter descriptions"
        if has_examples
        else "move code or texts into a contract of their own"
    )
    code, making = len(compiled.deployed_bytecode), creation_bytes(compiled, arguments)
    if making > MAX_CREATION_BYTES:
        what = "code that makes it, constructor arguments included"
        raise ContractTooLarge(
            compiled.name, what, making, MAX_CREATION_BYTES, source="EIP-3860", remedy=remedy
        )
    if code > MAX_CODE_BYTES:
        remedy = "move code into a contract of its own, which it calls"
        raise ContractTooLarge(
            compiled.name, "code", code, MAX_CODE_BYTES, source="EIP-170", remedy=remedy
        )


def _least_bytes(kind: str) -> int:
    """Of a value of this type in the ABI's encoding."""
    parsed = parse(kind)
    if not parsed.is_dynamic:
        return len(encode([kind], [_zero(parsed)]))
    return 3 * WORD if kind in {"string", "bytes"} else 2 * WORD


def _zero(kind: Any) -> Any:
    """A value of a type of fixed size."""
    if kind.is_array:
        return [_zero(kind.item_type)] * kind.arrlist[-1][0]
    if hasattr(kind, "components"):
        return tuple(map(_zero, kind.components))
    return {"address": "0x" + "00" * 20, "bool": False, "bytes": b"", "function": b""}.get(
        kind.base, 0
    )


__all__ = ["MAX_CREATION_BYTES", "check_sizes", "creation_bytes"]
