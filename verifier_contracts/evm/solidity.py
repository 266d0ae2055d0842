"""The Solidity around an EVM model's statements: the verifier's interface and its checks."""

from collections.abc import Iterable, Iterator, Sequence

from eth_utils.crypto import keccak

from zkagent.verifier_contracts.evm.single import any_of
from zkagent.verifier_contracts.evm.statements import Body

NAME = "EvmModel"
TURN = 8  # instances handled in one turn of a loop

TEMPLATE = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {{IEvmModel}} from "src/interfaces/IEvmModel.sol";
import {{IProofVerifier}} from "src/interfaces/IProofVerifier.sol";

/// @title A model that is evaluated here instead of proven elsewhere
/// @notice Generated from the ONNX file with SHA-256 {digest}: {products} products,
///   {inputs} inputs of {bits} bits, {outputs} outputs.
contract {name} is IEvmModel {{
    uint256 private constant P =
        21_888_242_871_839_275_222_246_405_745_257_275_088_548_364_400_416_034_343_698_204_186_575_808_495_617;
    int256 private constant MOST = {most:#x};
{immutables}{constructor}
    /// @inheritdoc IProofVerifier
    function verify(bytes calldata proof, uint256[] calldata instances) external view {{
        if (proof.length != 0) revert ProofNotEmpty(proof.length);
        if (instances.length != {count}) revert WrongCount({count}, instances.length);
        if (!_readInstances(instances)) _refuseInput(instances);
        _evaluate();
        if (!_sameOutputs(instances)) _refuseOutput(instances);
    }}

    /// @inheritdoc IEvmModel
    function evaluate(int256[] calldata x) external view returns (int256[] memory y) {{
        if (x.length != {inputs}) revert WrongCount({inputs}, x.length);
        for (uint256 i = 0; i < {inputs}; ++i) {{
            int256 value = x[i];
            if (value > MOST || value < ~MOST) revert InputOutOfRange(i, value);
            assembly ("memory-safe") {{
                mstore(add({input_address:#x}, shl(5, i)), value)
            }}
        }}
        _evaluate();
        assembly ("memory-safe") {{
            y := {end:#x}
            mstore(y, {outputs})
            mcopy(add(y, 32), {output_address:#x}, {output_bytes:#x})
            mstore(0x40, add(y, {y_bytes:#x}))
        }}
    }}

    /// @dev Writes the inputs as signed integers from memory {input_address:#x} on.
    function _readInstances(uint256[] calldata instances) private pure returns (bool inRange) {{
        assembly ("memory-safe") {{
            let source := instances.offset
            let bad := 0
{read}
            inRange := iszero(bad)
        }}
    }}

    /// @dev From the inputs in memory to the outputs, {outputs} words from {output_address:#x} on.
    ///   Takes memory up to {end:#x}; nothing was allocated before.
    function _evaluate() private view {{
        assembly ("memory-safe") {{
            mstore(0x40, {end:#x})
        }}
{load}        assembly ("memory-safe") {{
{body}
        }}
    }}

    function _sameOutputs(uint256[] calldata instances) private pure returns (bool same) {{
        assembly ("memory-safe") {{
            let source := add(instances.offset, {output_offset:#x})
            let bad := 0
{compare}
            same := iszero(bad)
        }}
    }}

    /// @dev Always reverts.
    function _refuseInput(uint256[] calldata instances) private pure {{
        for (uint256 i = 0; i < {inputs}; ++i) {{
            uint256 value = instances[i];
            if (value >= P) revert NotCanonical(i, value);
            int256 x = value > P / 2 ? int256(value) - int256(P) : int256(value);
            if (x > MOST || x < ~MOST) revert InputOutOfRange(i, x);
        }}
        assert(false);
    }}

    /// @dev Always reverts.
    function _refuseOutput(uint256[] calldata instances) private pure {{
        for (uint256 i = 0; i < {outputs}; ++i) {{
            uint256 value = instances[{inputs} + i];
            if (value >= P) revert NotCanonical({inputs} + i, value);
            int256 expected;
            assembly ("memory-safe") {{
                expected := mload(add({output_address:#x}, shl(5, i)))
            }}
            uint256 element = expected < 0 ? P - uint256(-expected) : uint256(expected);
            if (value != element) revert OutputMismatch(i, expected, value);
        }}
        assert(false);
    }}
}}
"""

CONSTRUCTOR = """\

    constructor(address[{count}] memory parts) {{
{checks}
    }}
"""


def contract_source(body: Body, digest: str) -> str:
    """The contract for a written body. digest: of the ONNX file, SHA-256 hex."""
    program, parts = body.program, body.parts
    inputs, outputs, bits = program.inputs, program.outputs.size, program.input_bits
    return TEMPLATE.format(
        name=NAME,
        digest=digest,
        products=program.multiply_adds,
        inputs=inputs,
        outputs=outputs,
        bits=bits,
        most=(1 << (bits - 1)) - 1,
        count=inputs + outputs,
        end=body.end,
        input_address=body.input_address,
        output_address=body.output_address,
        output_offset=32 * inputs,
        output_bytes=32 * outputs,
        y_bytes=32 * outputs + 32,
        immutables="".join(f"    address private immutable _part{i};\n" for i in range(len(parts))),
        constructor=_constructor(parts) if parts else "",
        load=_load(body.part_addresses, parts),
        read=_indented(
            _turns(_read_apart(bits), inputs, body.input_address, skipped=True)
            if body.fused
            else _turns(_read(bits), inputs, body.input_address)
        ),
        body=_indented(body.lines),
        compare=_indented(_turns(_COMPARE, outputs, body.output_address)),
    )


def _load(addresses: int, parts: Sequence[bytes]) -> str:
    """Puts the parts' addresses where the code expects them. Whoever made a part may have had its
    constructor destroy it, and made other code there since: it is compared every time."""
    return "".join(
        f"        {{ address a = _part{i};\n{_check(i, code, 'a')}\n"
        f'        assembly ("memory-safe") {{ mstore({addresses + 32 * i:#x}, a) }} }}\n'
        for i, code in enumerate(parts)
    )


def _constructor(parts: Sequence[bytes]) -> str:
    checks = "\n".join(
        f"{_check(i, code, f'parts[{i}]')}\n        _part{i} = parts[{i}];"
        for i, code in enumerate(parts)
    )
    return CONSTRUCTOR.format(count=len(parts), checks=checks)


def _check(index: int, code: bytes, part: str) -> str:
    expected = f"0x{keccak(code).hex()}"
    return (
        f"        if ({part}.codehash != {expected}) {{\n"
        f"            revert WrongPart({index}, {expected}, {part}.codehash);\n"
        "        }"
    )


def _read(bits: int) -> str:
    """One instance, at {source}, to {to}; `m` is all ones if v is negative."""
    most = (1 << (bits - 1)) - 1
    return (
        f"{{{{ let v := calldataload({{source}}) let m := sub(0, gt(v, {most:#x})) "
        "v := sub(v, and(P, m)) "
        f"bad := or(bad, xor(sar({bits - 1}, v), m)) mstore({{to}}, v) }}}}"
    )


def _read_apart(bits: int) -> str:
    """The same, with a case for negative numbers: most are zeros or small."""
    most = (1 << (bits - 1)) - 1
    return (
        f"{{{{ let v := calldataload({{source}}) if gt(v, {most:#x}) {{{{ v := sub(v, P) "
        f"bad := or(bad, not(sar({bits - 1}, v))) }}}} mstore({{to}}, v) }}}}"
    )


# The word at {to} must be the instance at {source}.
_COMPARE = (
    "{{ let v := mload({to}) "
    "bad := or(bad, xor(calldataload({source}), add(v, and(P, sar(255, v))))) }}"
)


def _turns(statement: str, count: int, address: int, *, skipped: bool = False) -> Iterator[str]:
    """`statement` for `count` instances: what does not fill a turn first, then a loop. skipped: a
    turn of zeros writes nothing, since memory was nothing else before."""
    first = count % TURN
    for i in range(first):
        yield statement.format(source=f"add(source, {32 * i:#x})", to=f"{address + 32 * i:#x}")
    if count < TURN:
        return
    yield f"source := add(source, {32 * first:#x})"
    yield (
        f"for {{ let to := {address + 32 * first:#x} }} lt(to, {address + 32 * count:#x}) "
        f"{{ to := add(to, {32 * TURN:#x}) source := add(source, {32 * TURN:#x}) }} {{"
    )
    places = [f"add(source, {32 * i:#x})" for i in range(TURN)]
    if skipped:
        yield f"if {any_of([f'calldataload({at})' for at in places])} {{"
    for i, source in enumerate(places):
        yield statement.format(source=source, to=f"add(to, {32 * i:#x})")
    yield "}" * (1 + skipped)


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"            {line}" for line in lines)


__all__ = ["NAME", "contract_source"]
