"""Whoever is called in a run may emit any event, with no topics or four and with any data: what
reads events passes over those that are none of its own."""

from collections.abc import Sequence
from typing import Any

import pytest
from eth_abi.abi import encode

from zkagent.executor.chain import abi, web3_happened
from zkagent.executor.chain.agent import TokenTransfer
from zkagent.executor.chain.effects import TRANSFER, transfers_in
from zkagent.executor.chain.web3_agent import run_result
from zkagent.executor.errors import NotOnChain

AGENT, OTHER, PERSON = ("0x" + pair * 20 for pair in ("a1", "b2", "c3"))
HASH = bytes(range(32))
WORD = bytes(12) + bytes.fromhex(PERSON[2:])
RAN = encode(abi.RUN_RESULT_DATA, (PERSON, ["a step"], "an answer"))
TOPICS = (abi.RUN_RESULT.topic, abi.DECISION_VERIFIED.topic, TRANSFER)


def event(address: str, topics: Sequence[bytes], data: bytes = b"") -> dict[str, Any]:
    return {"address": address, "topics": list(topics), "data": data}


RUN = event(AGENT, [abi.RUN_RESULT.topic, bytes(32)], RAN)
VERIFIED = event(
    OTHER,
    [abi.DECISION_VERIFIED.topic, WORD, WORD],
    encode(abi.DECISION_VERIFIED_DATA, (HASH, HASH, HASH)),
)
MOVED = event(OTHER, [TRANSFER, WORD, WORD], bytes(31) + b"\x07")
#: Of every number of topics, from everybody, with data and without.
STRANGE = [
    event(address, topics, data)
    for address in (AGENT, OTHER)
    for topics in ((), *([HASH] * count for count in (1, 2, 3, 4)))
    for data in (b"", b"\xff", RAN)
]
#: Named like those that are read, in another form.
MISSHAPEN = [
    event(OTHER, [topic, *[WORD] * more], data)
    for topic in TOPICS
    for more in range(4)
    for data in (b"", b"\xff" * 31, b"\xff" * 33)
]


def receipt(logs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "transactionHash": HASH,
        "blockHash": HASH,
        "blockNumber": 7,
        "gasUsed": 1,
        "status": 1,
        "logs": logs,
    }


@pytest.mark.parametrize("before", [True, False])
def test_events_of_others_are_passed_over(before: bool) -> None:
    own, others = [VERIFIED, MOVED, RUN], [*STRANGE, *MISSHAPEN]
    logs = [*others, *own] if before else [*own, *others]
    result = run_result(receipt(logs), AGENT)
    assert (result.requester, result.answer, result.steps) == (PERSON, b"an answer", (b"a step",))
    moved = (TokenTransfer(OTHER, PERSON, PERSON, 7),)
    assert result.transfers == transfers_in(logs) == moved
    (verified,) = web3_happened._verified(logs)
    assert (verified.agent, verified.features_hash) == (PERSON, HASH)


@pytest.mark.parametrize("data", [b"", b"\xff" * 96, RAN[:-32], RAN + bytes(32)])
def test_an_agent_whose_own_event_is_no_run_has_none(data: bytes) -> None:
    with pytest.raises(NotOnChain, match=r"holds no run of .* to read"):
        run_result(receipt([{**RUN, "data": data}]), AGENT)
    with pytest.raises(NotOnChain, match="holds 0 runs"):
        run_result(receipt(STRANGE), AGENT)


def test_a_run_that_waits_is_said_to() -> None:
    topics = [abi.RUN_SUSPENDED.topic, (3).to_bytes(32, "big"), WORD, WORD]
    waits = event(AGENT, topics, (7).to_bytes(32, "big"))
    said = rf"no answer yet: run 3 of {AGENT} waits for call 7 of {PERSON}"
    with pytest.raises(NotOnChain, match=said):
        run_result(receipt([*STRANGE, waits]), AGENT)
    assert run_result(receipt([waits, RUN]), AGENT).answer == b"an answer"
    for other in ({"address": OTHER}, {"topics": topics[:3]}, {"data": b""}):
        with pytest.raises(NotOnChain, match="holds 0 runs"):
            run_result(receipt([{**waits, **other}]), AGENT)
