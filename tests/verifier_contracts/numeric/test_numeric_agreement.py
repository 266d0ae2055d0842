"""The numeric encoder and decoder on chain do as Python does, for any numbers, any output, and any
history."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.encoding_chain import CONTEXT
from zkagent.models.agents.numeric import (
    READINGS,
    NumericAmounts,
    NumericDirection,
    NumericManifest,
    NumericModel,
    NumericModelFiles,
    Reading,
)
from zkagent.models.encoding.context import Context, View
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.errors import ModelError
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.numeric_code import numeric_bytes, numeric_code
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source, contract

INT = 1 << 255
RESULT = "(bool,string,address,((uint8,bytes)[],bytes),string)"
SAYS = """
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Says {
    bytes private _told;
    string public name;
    uint8 private immutable _type;
    uint256 private immutable _count;
    struct P { uint8 t; string n; string d; }
    struct D { P[] p; }
    constructor(string memory name_, uint8 t, uint256 count) {
        name = name_;
        _type = t;
        _count = count;
    }
    function tell(bytes calldata told) external { _told = told; }
    function readings() external view { bytes memory t = _told; assembly {
        return(add(t, 32), mload(t))
    } }
    function inputDescription() external view returns (D memory d) {
        d.p = new P[](_count);
        for (uint256 i = 0; i < _count; ++i) d.p[i].t = _type;
    }
}
"""
UINT, ADDRESS = 4, 1


def manifest() -> NumericManifest:
    return NumericManifest(
        format="zkagent-numeric-1",
        id="test",
        description="A test.",
        readings=(
            Reading(name="a", zero=0, step=1, least=-32768, most=32767),
            Reading(name="b", zero=-(1 << 127), step=(1 << 64) - 1, least=-7, most=9),
            Reading(name="c", zero=(1 << 127) - 1, step=3, least=2, most=2),
            Reading(name="d", zero=100, step=10, least=-5, most=-2),
        ),
        directions=(
            NumericDirection(tool="Up"),
            NumericDirection(answer="Nothing: it is right as it is."),
            NumericDirection(tool="Down"),
            NumericDirection(tool="Gone"),
            NumericDirection(tool="Odd"),
        ),
        amounts=NumericAmounts(parameter="by", unit=1000, least=2, most=(1 << 53) - 1),
        files=NumericModelFiles(onnx="0" * 64),
        training={},
        accuracy={},
    )


class Both:
    """A model, and the contracts that do the same; what an agent says is set."""

    def __init__(self, anvil: Anvil, tmp: Any) -> None:
        self.anvil, self.web3, self.owner = anvil, anvil.web3, anvil.accounts[0]
        self.model = NumericModel(tmp, manifest())
        data = send(
            self.web3,
            {"data": "0x" + creation_code(numeric_code(self.model).data).hex()},
            self.owner,
        )["contractAddress"]
        self.encoder = deploy(self.web3, contract("NumericEncoder"), self.owner, data)
        self.decoder = deploy(self.web3, contract("NumericDecoder"), self.owner, data)
        says = compile_source("Says", SAYS)
        held = (("Up", UINT, 1), ("Down", UINT, 1), ("Odd", ADDRESS, 1))
        self.agent, *self.tools = (
            deploy(self.web3, says, self.owner, *each) for each in (("", 0, 0), *held)
        )
        self.signatures = [
            ToolSignature(name, ("uint" if kind == UINT else "address",)) for name, kind, _ in held
        ]

    def context(self, reasoning: tuple[bytes, ...], told: bytes) -> Context:
        agent = self.agent.address.lower()
        return Context(b"", reasoning, agent=agent, answers={View(agent, READINGS): told})

    def tell(self, told: bytes) -> None:
        send(self.web3, self.agent.functions.tell(told), self.owner)

    def encoded(self, reasoning: tuple[bytes, ...]) -> Any:
        """Features, or the name of the error."""
        found = self._asked(self.encoder, "encode", [CONTEXT], [self._raw(reasoning)])
        if isinstance(found, str):
            return found
        features, parse = decode(["bytes", "bytes"], found)
        assert features == parse
        return numbers(features, 2)

    def decoded(self, reasoning: tuple[bytes, ...], x: Any, y: Any) -> Any:
        parse = b"".join(v.to_bytes(2, "big", signed=True) for v in x)
        output = b"".join(v.to_bytes(8, "big", signed=True) for v in y)
        values = [self._raw(reasoning), parse, output]
        found = self._asked(self.decoder, "decode", [CONTEXT, "bytes", "bytes"], values)
        if isinstance(found, str):
            return found
        (made,) = decode([RESULT.replace("string", "bytes")], found)
        return made

    def _raw(self, reasoning: tuple[bytes, ...]) -> Any:
        tools = [tool.address for tool in self.tools]
        return (self.agent.address, b"", tools, list(reasoning), b"")

    def _asked(self, to: Any, name: str, types: list[str], values: list[Any]) -> Any:
        context = "(address,string,address[],string[],string)"
        shown = ",".join([context, *types[1:]])
        data = keccak(text=f"{name}({shown})")[:4] + encode(types, values)
        call = {"to": to.address, "data": "0x" + data.hex()}
        answered = self.web3.provider.make_request("eth_call", [call, "latest"])
        if "error" in answered:
            errors = [*contract("NumericEncoder").abi, *contract("NumericDecoder").abi]
            raw = answered["error"].get("data")
            data = bytes.fromhex(raw[2:]) if isinstance(raw, str) else b""
            return parse_revert(data, errors).name or "no reason"
        return bytes.fromhex(answered["result"][2:])


def numbers(data: bytes, width: int) -> tuple[int, ...]:
    return tuple(
        int.from_bytes(data[i : i + width], "big", signed=True) for i in range(0, len(data), width)
    )


@pytest.fixture(scope="module")
def both(anvil: Anvil, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    snapshot = anvil.snapshot()
    yield Both(anvil, tmp_path_factory.mktemp("model"))
    anvil.revert(snapshot)


def in_python(make: Callable[[], Any]) -> Any:
    """None where it is refused."""
    try:
        return make()
    except ModelError:
        return None


EDGES = (0, 1, -1, 32767, 32768, -32768, -32769, INT - 1, -INT, 1 << 127, -(1 << 127), 105, 80, 70)


def test_any_numbers_become_the_same_features(both: Both) -> None:
    chosen = random.Random(1)
    scales = both.model.manifest.readings
    for case in range(120):
        told = [chosen.choice(EDGES) for _ in scales]
        if case % 3 == 0:
            told = [chosen.randrange(-INT, INT) for _ in scales]
        if case % 3 == 1:  # around where the scale begins and ends
            ends = [s.zero + s.step * chosen.choice((s.least, s.most)) for s in scales]
            told = [end + chosen.randint(-2, 2) for end in ends]
        data = encode(["int256[]"], [told])
        both.tell(data)
        expected = both.model.encode(both.context((), data))
        assert both.encoded(()) == expected, told


@pytest.mark.parametrize(
    "told",
    [
        encode(["int256[]"], [[1, 2, 3]]),
        encode(["int256[]"], [[1, 2, 3, 4, 5]]),
        encode(["int256[]"], [[]]),
        b"",
        bytes(32),
        encode(["int256"], [4]),
        encode(["int256[]"], [[1, 2, 3, 4]])[:-32],
        (32).to_bytes(32, "big") + (2**255).to_bytes(32, "big"),
    ],
    ids=("three", "five", "none", "nothing", "no offset", "a number", "cut off", "too long"),
)
def test_what_is_no_list_of_so_many_numbers_is_refused_by_both(both: Both, told: bytes) -> None:
    both.tell(told)
    assert isinstance(both.encoded(()), str)
    assert in_python(lambda: both.model.encode(both.context((), told))) is None


def outputs(chosen: random.Random, count: int) -> tuple[int, ...]:
    edges = (0, 1, -1, 999, 1000, 1999, 2000, (1 << 63) - 1, -(1 << 63), 1 << 62)
    return tuple(
        chosen.choice(edges) if chosen.random() < 0.5 else chosen.randrange(-(1 << 63), 1 << 63)
        for _ in range(count)
    )


def test_any_output_is_the_same_decision_and_the_same_answer_after_it(both: Both) -> None:
    chosen, kinds = random.Random(2), set()
    x = (5, -7, 2, -3)
    told = encode(["int256[]"], [[5, -(1 << 127) - 7 * ((1 << 64) - 1), 0, 70]])
    context = both.context((), told)
    assert both.model.encode(context) == x
    for _ in range(150):
        y = outputs(chosen, both.model.output_count)
        expected = both.model.decode(context, y, both.signatures)
        final, answer, tool, (params, packed), reasoning = both.decoded((), x, y)
        kinds.add((expected.kind, expected.action))
        assert (final, answer.decode()) == (expected.kind != "call", expected.answer)
        if final:
            assert (packed, reasoning) == (b"", b"")
            continue
        named = {
            t.address.lower(): s.name for t, s in zip(both.tools, both.signatures, strict=True)
        }
        assert named[tool] == expected.action
        assert packed == encode(["uint256"], list(expected.values))
        assert params == ((UINT, packed),)
        assert reasoning.decode() == expected.reasoning
        entry = reasoning + b"Observation: It is \xc3\xa9.\n"
        again = both.context((entry,), b"")
        assert both.encoded((entry,)) == both.model.encode(again) == x
        after = both.model.decode(again, y, both.signatures)
        told_after = both.decoded((entry,), x, y)
        assert (told_after[0], told_after[1].decode()) == (True, after.answer) == (True, "It is é.")
    assert {kind for kind, _ in kinds} == {"call", "report", "no_tool"}


ENTRY = b'Thought: The numbers are 5, -7, 2, -3.\nAction: Up\nAction Input: {"by":"2"}\n'
WHOLE = ENTRY + b"Observation: done\n"
Y = (9, 0, 0, 0, 0, 2000, 0, 0, 0)


def test_the_history_of_this_very_decision_is_read(both: Both) -> None:
    assert both.encoded((WHOLE,)) == (5, -7, 2, -3)
    assert both.decoded((WHOLE,), (5, -7, 2, -3), Y)[1] == b"done"


@pytest.mark.parametrize(
    "reasoning",
    [
        (WHOLE, WHOLE),
        (b"",),
        (WHOLE.replace(b"are 5", b"are 05"),),
        (WHOLE.replace(b"are 5", b"are +5"),),
        (WHOLE.replace(b"are 5,", b"are 5;"),),
        (WHOLE.replace(b", 2,", b", -0,"),),
        (WHOLE.replace(b", 2,", b", 32768,"),),
        (WHOLE.replace(b", 2,", b", 200000,"),),
        (WHOLE.replace(b", -3.", b"."),),
        (WHOLE.replace(b", -3.", b", -3, 4."),),
        (WHOLE.replace(b", -3.", b", -3"),),
        (WHOLE.replace(b"Thought", b"thought"),),
        (b" " + WHOLE,),
        (WHOLE[:30],),
    ],
    ids=range(14),
)
def test_a_foreign_history_has_no_features(both: Both, reasoning: tuple[bytes, ...]) -> None:
    assert both.encoded(reasoning) == "ForeignHistory"
    assert in_python(lambda: both.model.encode(both.context(reasoning, b""))) is None


@pytest.mark.parametrize(
    ("entry", "y"),
    [
        (WHOLE.replace(b"Action: Up", b"Action: Down"), Y),
        (WHOLE.replace(b'"2"', b'"3"'), Y),
        (WHOLE.replace(b"Observation", b"Thought"), Y),
        (ENTRY, Y),
        (ENTRY + b"Observation: ", Y),
        (WHOLE[:-1], Y),
        (WHOLE, (0, 9, 0, 0, 0, 2000, 0, 0, 0)),
        (WHOLE, (9, 0, 0, 0, 0, 3000, 0, 0, 0)),
    ],
    ids=range(8),
)
def test_a_history_that_the_output_does_not_lead_to_has_no_answer(
    both: Both, entry: bytes, y: tuple[int, ...]
) -> None:
    assert both.decoded((entry,), (5, -7, 2, -3), y) == "ForeignHistory"
    again = both.context((entry,), b"")
    assert in_python(lambda: both.model.decode(again, y, both.signatures)) is None


def test_an_output_of_another_length_is_refused(both: Both) -> None:
    assert both.decoded((), (5, -7, 2, -3), Y[:-1]) == "OutputLength"
    assert both.decoded((), (5, -7, 2, -3), (*Y, 0)) == "OutputLength"


def test_data_that_are_no_manifest_s_make_no_contracts(both: Both) -> None:
    whole = numeric_bytes(manifest())
    spoilt = [whole[:-1], whole + b"\0", b"\0", b"\0\0", b"\0\x21" + whole[2:], whole[:40]]
    spoilt.append(whole[:18] + bytes(12) + whole[30:])  # a step of zero
    for data in spoilt:
        made = send(both.web3, {"data": "0x" + creation_code(data).hex()}, both.owner)
        refused = 0
        for name in ("NumericEncoder", "NumericDecoder"):
            try:
                deploy(both.web3, contract(name), both.owner, made["contractAddress"])
            except RevertError:
                refused += 1
        assert refused, data.hex()
