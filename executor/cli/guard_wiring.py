"""What a tool says that it wraps, or its owner: for `zkagent guard allow`, `deploy` and `wrap`."""

import re
from typing import Any

import click

from zkagent.executor.cli.options import checksummed

#: A type with another name would make another selector, of which nothing is known.
BASIC_TYPE = re.compile(r"address|bool|string|bytes[0-9]*|u?int[0-9]+")


def wiring_of(web3: Any, tool: str) -> tuple[str, bytes]:
    """Contract and selector; zeros of one that tells nothing. Raises NoAgentThere, ChainError."""
    return told_wiring(web3, tool)[1:]


def checked_wraps(
    ctx: click.Context, option: click.Parameter, given: str | None
) -> tuple[str, bytes] | None:
    """The callback of --wraps CONTRACT:FUNCTION. Raises click.BadParameter."""
    if given is None:
        return None
    contract, colon, function = given.partition(":")
    if not colon:
        raise click.BadParameter(f"{given!r} is not CONTRACT:FUNCTION")
    return checksummed(contract), _selector(function)


def said_wiring(
    tool: str, told: tuple[str, bytes], vouched_for: tuple[str, bytes] | None, *, no_grants: bool
) -> tuple[str, bytes, bool]:
    """Contract, selector, and whether they are the owner's word: of a tool that tells, what it
    tells; of another, what its owner says. Raises click.UsageError where those do not agree."""
    nothing = not int(told[0], 16) and not any(told[1])
    if vouched_for is not None and no_grants:
        raise click.UsageError("--wraps says what it grants, --trust-no-grants that it grants none")
    if nothing and vouched_for is None and not no_grants:
        raise click.UsageError(
            f"{tool} does not tell what it wraps: say it with --wraps CONTRACT:FUNCTION, so that"
            " what it grants is counted, or vouch by --trust-no-grants that it grants nothing"
        )
    if nothing:
        return (*(vouched_for or told), True)
    if no_grants or vouched_for not in (None, (checksummed(told[0]), told[1])):
        raise click.UsageError(
            f"{tool} tells that it wraps 0x{told[1].hex()} of {checksummed(told[0])}:"
            " leave out --wraps and --trust-no-grants"
        )
    return (*told, False)


def _selector(function: str) -> bytes:
    """Of `approve(address,uint256)` or, in hex, of its selector. Raises click.BadParameter."""
    from eth_utils.crypto import keccak

    if re.fullmatch(r"0x[0-9a-fA-F]{8}", function):
        selector = bytes.fromhex(function[2:])
    else:
        name, paren, types = function.partition("(")
        arguments = _canonical(paren + types)
        if arguments is None or not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name):
            raise click.BadParameter(
                f"{function!r} is no function such as approve(address,uint256), nor a selector"
            )
        selector = keccak(text=name + arguments)[:4]
    if not any(selector):
        raise click.BadParameter(f"{function!r} is no function: its selector is zero")
    return selector


def _canonical(types: str) -> str | None:
    """Types of parameters as selectors have them, `uint` written out; None of what are none."""
    from eth_abi.exceptions import ABITypeError, ParseError
    from eth_abi.grammar import normalize, parse

    if types == "()":
        return types
    try:
        found = parse(normalize(types))  # type: ignore[no-untyped-call]
        found.validate()
    except (ABITypeError, ParseError, ValueError):
        return None
    written = str(found.to_type_str())
    known = all(map(BASIC_TYPE.fullmatch, re.findall(r"[A-Za-z_]\w*", written)))
    # A tuple alone: with an array behind it, it is no list of parameters.
    return written if known and types.startswith("(") and not found.is_array else None


def told_wiring(web3: Any, tool: str) -> tuple[str, str, bytes]:
    """The same, and before it whom the tool obeys."""
    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.errors import RevertError

    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    block = reader.block("latest")
    if not reader.code(tool, block):
        raise NoAgentThere(tool, "no code is there")
    try:
        obeys, wrapped, selector = reader.view(tool, abi.WIRING, block)
    except (NoAgentThere, RevertError):
        return abi.NO_TOOL, abi.NO_TOOL, b"\0" * 4
    return str(obeys), str(wrapped), bytes(selector)


__all__ = ["checked_wraps", "said_wiring", "told_wiring", "wiring_of"]
