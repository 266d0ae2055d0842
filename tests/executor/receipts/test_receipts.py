"""Receipts: their strict form, and verdicts against errors."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_utils.crypto import keccak

from tests.executor.drain import PROMPT, REQUESTER, USDC
from tests.support.fakes.memory_agent import MemoryAgent, memory_contracts
from tests.support.fakes.memory_prover import check_memory_proof
from zkagent.executor.chain.abi import book_code
from zkagent.executor.chain.agent import AgentReads, AgreedCall, Block, Fact, RunTerms
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import CannotVerify, MalformedReceipt, ReceiptError, WordRefused
from zkagent.executor.receipts import verify_chain
from zkagent.executor.receipts.format import Receipt, load_receipt, parse_receipt, signed_text
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing, check_listings
from zkagent.models.encoding.context import escape_observation
from zkagent.models.errors import RefusedSymbol, UnknownModel
from zkagent.verifier_contracts.errors import ChainUnreachable


def sources(drain: Model, **changes: Any) -> Sources:
    given = Sources(lambda name: drain, lambda *circuit: check_memory_proof)
    return replace(given, **({"contracts": memory_contracts} | changes))


def signed_again(receipt: Receipt) -> Receipt:
    signature = sign_receipt(REQUESTER, signed_text(receipt.document))
    return receipt.model_copy(update={"signature": signature})


def test_a_receipt_reads_back_from_its_file(receipt: Receipt, tmp_path: Path) -> None:
    (tmp_path / "receipt.json").write_text(receipt.to_json())
    assert load_receipt(tmp_path / "receipt.json") == receipt


def test_a_receipt_is_accepted_offline_and_by_its_chain(
    receipt: Receipt, drain: Model, agent: MemoryAgent
) -> None:
    assert verify_receipt(receipt, sources(drain)).problems == ()
    online = sources(drain, chain=lambda address: agent)
    assert verify_receipt(receipt, online).problems == ()


def problems_of_another_signature(
    agent: MemoryAgent, drain: Model, run: CompletedRun, terms: RunTerms
) -> tuple[Check, ...]:
    """What is wrong with a receipt whose transaction agrees to these terms."""
    raw = agent.sign(replace(run.proven.call, terms=terms), 1_000_000)
    signed = replace(run.inclusion, raw=raw, hash="0x" + keccak(raw).hex())
    agent.results[signed.hash] = signed.result
    agent.happenings[signed.hash] = agent.happenings[run.inclusion.hash]
    receipt = write_receipt(agent, drain, [replace(run, inclusion=signed)], REQUESTER)
    return verify_receipt(receipt, sources(drain)).problems


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (lambda calls: (*calls[:1], replace(calls[1], call_hash=bytes(32)), *calls[2:]), "another"),
        (lambda calls: (calls[1], calls[0], *calls[2:]), "another call"),
        (lambda calls: (*calls[:1], replace(calls[1], ranges=()), *calls[2:]), "another call"),
        (lambda calls: calls[:-1], "calls are agreed to"),
    ],
)
def test_terms_that_are_not_the_decisions_are_noticed(
    agent: MemoryAgent,
    drain: Model,
    runner: AgentRunner,
    changed: Callable[[tuple[AgreedCall, ...]], tuple[AgreedCall, ...]],
    why: str,
) -> None:
    run = runner.run(PROMPT)
    call = run.proven.call
    terms = replace(call.terms, calls=changed(call.terms.calls))
    problems = problems_of_another_signature(agent, drain, run, terms)
    assert [check.claim for check in problems] == ["the signed terms are these decisions"]
    assert why in problems[0].problem


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (lambda facts: facts[:-1], "2 facts are relied on, expected 3"),
        (lambda facts: (), "0 facts are relied on, expected 3"),
        (lambda facts: (*facts, facts[0]), "4 facts are relied on, expected 3"),
        (lambda facts: (facts[1], facts[0], facts[2]), "fact 1 is"),
        (lambda facts: (*facts[:2], replace(facts[2], expected=bytes(32))), "fact 3 is"),
        (lambda facts: (*facts[:2], replace(facts[2], selector=b"\1234")), "fact 3 is"),
        (lambda facts: (*facts[:1], replace(facts[1], target=USDC), facts[2]), "fact 2 is"),
    ],
)
def test_facts_that_the_decisions_do_not_rest_on_are_noticed(
    agent: MemoryAgent,
    drain: Model,
    runner: AgentRunner,
    changed: Callable[[tuple[Fact, ...]], tuple[Fact, ...]],
    why: str,
) -> None:
    run = runner.run(PROMPT)
    terms = replace(run.proven.call.terms, facts=changed(run.proven.terms.facts))
    problems = problems_of_another_signature(agent, drain, run, terms)
    assert [check.claim for check in problems] == ["the signed facts are what these rest on"]
    assert why in problems[0].problem


@pytest.mark.parametrize(
    ("listing", "changes"),
    [(0, {"decimals": 18}), (0, {"token": "0x" + "cc" * 20}), (1, {"decimals": 6})],
)
def test_a_list_that_is_not_the_signed_one_is_noticed(
    receipt: Receipt, drain: Model, listing: int, changes: dict[str, Any]
) -> None:
    """Also where no decision would be another one by it."""
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        step["context"]["symbol_book"][listing].update(changes)
    forged = parse_receipt(json.dumps(document))
    claims = {check.claim for check in verify_receipt(forged, sources(drain)).problems}
    assert "the signed facts are what these rest on" in claims


@pytest.mark.parametrize(
    "symbols",
    [
        ["usdc\0", "dai"],  # the same code, if a symbol were filled up and not looked at
        ["usdc" + "\0" * 7, "dai"],
        ["usdc", "dai\0\0"],
        ["u" * 12, "dai"],  # which would push the rest of the list on
        ["u" * 32, "dai"],
        ["usdc", "usdc"],
        ["USDC", "dai"],
        ["", "dai"],
        ["to", "dai"],
    ],
)
def test_a_list_that_no_book_comes_to_is_none(
    receipt: Receipt, drain: Model, symbols: list[str]
) -> None:
    """What is signed is a hash of the list's code: it must have one reading."""
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        for listed, symbol in zip(step["context"]["symbol_book"], symbols, strict=True):
            listed["symbol"] = symbol
    forged = signed_again(parse_receipt(json.dumps(document)))
    found = {check.claim for check in verify_receipt(forged, sources(drain)).problems}
    assert "the signed facts are what these rest on" in found


@pytest.mark.parametrize("text", ["\udcc3\udca9", "caf\udcc3\udca9", "\ud800", "a\udc41"])
@pytest.mark.parametrize("place", ["base_prompt", "prompt"])
def test_a_text_has_one_spelling(receipt: Receipt, place: str, text: str) -> None:
    document = json.loads(receipt.to_json())
    document["runs"][0]["iterations"][0]["context"][place] = text
    with pytest.raises(MalformedReceipt, match="not what any bytes are written as"):
        parse_receipt(json.dumps(document))


def test_a_token_that_is_listed_twice_is_read_in_no_way(receipt: Receipt, drain: Model) -> None:
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        first, second = step["context"]["symbol_book"]
        second["token"] = first["token"]
    forged = signed_again(parse_receipt(json.dumps(document)))
    found = {check.claim for check in verify_receipt(forged, sources(drain)).problems}
    assert "the signed facts are what these rest on" in found


@pytest.mark.parametrize("symbol", ["u" * 12, "u" * 32, "usdc\0", "\0", "u\0sdc", "\u00fc" * 6])
def test_the_code_of_a_list_has_one_reading(symbol: str) -> None:
    with pytest.raises(RefusedSymbol):
        book_code([Listing(symbol, USDC, 6)])


def test_a_list_without_a_token_is_no_book_s() -> None:
    """Contract and Python would tell two assets apart in other ways."""
    listed = [Listing("dai", "0x" + "00" * 20, 18)]
    for refuses in (book_code, check_listings):
        with pytest.raises(RefusedSymbol, match="without a token"):
            refuses(listed)


def test_a_book_of_an_earlier_version_may_list_words_that_are_refused_now(
    agent: MemoryAgent, drain: Model, runner: AgentRunner
) -> None:
    """Both sides read it alike; only what may be listed anew is another question."""
    one = Listing("one", "0x" + "c3" * 20, 6)
    agent.reads_now = replace(agent.reads_now, book=(*agent.reads_now.book, one))
    receipt = write_receipt(agent, drain, [runner.run(PROMPT)], REQUESTER)
    assert [each.symbol for each in receipt.runs[0].iterations[0].context.symbol_book][-1] == "one"
    assert verify_receipt(receipt, sources(drain)).accepted
    with pytest.raises(RefusedSymbol, match="means something else"):
        check_listings(agent.reads_now.book)


def test_an_answer_by_a_book_that_this_version_does_not_read_is_no_verdict(
    receipt: Receipt, drain: Model, agent: MemoryAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions signed no facts for answers alone, so that the book itself is asked for."""

    def refused(*_: object) -> AgentReads:
        raise WordRefused(USDC, "no token can go by 'one'")

    monkeypatch.setattr(verify_chain, "signed_terms", lambda _: RunTerms(0, ()))
    online = sources(drain, chain=lambda address: agent)
    assert verify_receipt(receipt, online).accepted
    monkeypatch.setattr(agent, "reads", refused)
    found = verify_receipt(receipt, online)
    (problem,) = (each for each in found.problems if each.claim == "the context was there")
    assert problem.unknown
    assert "its owner can take it out" in problem.problem


@pytest.mark.parametrize("place", ["book_contract", "book_data"])
def test_a_book_that_stands_elsewhere_is_noticed(
    receipt: Receipt, drain: Model, agent: MemoryAgent, place: str
) -> None:
    """By the facts that the executor looked at; what never changes also by asking."""
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        step["context"][place] = USDC
    forged = signed_again(parse_receipt(json.dumps(document)))
    online = sources(drain, chain=lambda address: agent)
    claims = {check.claim for check in verify_receipt(forged, online).problems}
    expected = {"the signed facts are what these rest on"}
    if place == "book_contract":
        expected.add("the context was there")
    assert claims & {*expected, "the context was there"} == expected


def test_decimals_that_no_decision_rests_on_are_not_told(receipt: Receipt, drain: Model) -> None:
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        step["context"]["token_decimals"].append({"token": "0x" + "ab" * 20, "decimals": 3})
    forged = signed_again(parse_receipt(json.dumps(document)))
    (problem,) = verify_receipt(forged, sources(drain)).problems
    assert problem.claim == "the signed facts are what these rest on"
    assert "decimals of 0xabab" in problem.problem


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: "[]", "document"),
        (lambda text: "{", "document"),
        (lambda text: "[" * 100_000, "document"),
        (lambda text: text.replace("{", '{"extra": 1,', 1), "extra"),
        (lambda text: text.replace("{", '{"format": "zkagent-receipt-1",', 1), "stands twice"),
        (lambda text: text.replace("receipt-2", "receipt-1"), "it is zkagent-receipt-1: verify it"),
        (lambda text: text.replace('"chain_id": 31337', '"chain_id": 31337.0'), "chain_id"),
        (lambda text: text.replace('"chain_id": 31337', '"chain_id": "31337"'), "chain_id"),
        (lambda text: text.replace('"chain_id": 31337', '"chain_id": true'), "chain_id"),
        (lambda text: text.replace('"chain_id": 31337', '"chain_id": NaN'), "not a number"),
        (lambda text: text.replace('"requester": "0x', '"requester": "0X'), "requester"),
    ],
)
def test_other_forms_of_the_same_are_refused(
    receipt: Receipt, change: Callable[[str], str], why: str
) -> None:
    with pytest.raises(MalformedReceipt, match=why):
        parse_receipt(change(receipt.to_json()))


def test_members_stand_in_any_order(receipt: Receipt) -> None:
    def reversed_(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reversed_(value[key]) for key in reversed(value)}
        return [reversed_(each) for each in value] if isinstance(value, list) else value

    document = json.loads(receipt.to_json())
    turned = json.dumps(reversed_(document))
    assert turned != json.dumps(document)
    assert parse_receipt(turned) == receipt


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MalformedReceipt, match="nowhere"):
        load_receipt(tmp_path / "nowhere.json")


def test_observations_that_are_not_utf8_survive(
    agent: MemoryAgent, drain: Model, runner: AgentRunner
) -> None:
    agent.tools = {"ViewBalance": lambda state, values: "caf\u00e9 \u2603"}
    receipt = write_receipt(agent, drain, [runner.run(PROMPT)], REQUESTER)
    document = json.loads(receipt.to_json())
    assert document["runs"][0]["iterations"][0]["observation"] == "caf\u00e9 \u2603"
    assert verify_receipt(parse_receipt(receipt.to_json()), sources(drain)).accepted


def observed(receipt: Receipt, text: str) -> Receipt:
    """The receipt with another observation in its first iteration."""
    run = receipt.runs[0]
    first = run.iterations[0].model_copy(update={"observation": text})
    changed = run.model_copy(update={"iterations": (first, *run.iterations[1:])})
    return signed_again(receipt.model_copy(update={"runs": (changed,)}))


def test_observations_are_held_to_what_the_agent_can_write(receipt: Receipt, drain: Model) -> None:
    def refused(text: str) -> bool:
        report = verify_receipt(observed(receipt, text), sources(drain))
        return "the observation ends the iteration" in {c.claim for c in report.problems}

    for code in (*range(0x20), ord("a"), ord("~"), 0x7F):
        raw = bytes([code])
        assert refused(raw.decode()) == (escape_observation(raw) != raw)
    assert refused("\udcc3\udca9")  # another spelling of the letter that follows
    assert not refused("\u00e9")
    assert refused("\ud800")  # the bytes of no text


def test_a_model_that_is_not_here_is_an_error_not_a_verdict(receipt: Receipt, drain: Model) -> None:
    def unknown(name: str) -> Model:
        raise UnknownModel(name, ["wallet"])

    with pytest.raises(CannotVerify, match="name its folder with --model"):
        verify_receipt(receipt, sources(drain, models=unknown))


def test_a_receipt_that_is_broken_already_needs_nothing_more(
    receipt: Receipt, drain: Model
) -> None:
    def missing(model: Model, digest: str, size: int, system: bytes) -> Any:
        raise CannotVerify("no circuit")

    forged = receipt.model_copy(update={"requester": "0x" + "11" * 20})
    report = verify_receipt(forged, sources(drain, circuits=missing))
    assert not report.accepted
    with pytest.raises(CannotVerify):
        verify_receipt(receipt, sources(drain, circuits=missing))


def test_a_node_that_does_not_answer_is_an_error_not_a_verdict(
    receipt: Receipt, drain: Model, agent: MemoryAgent
) -> None:
    class Silent(MemoryAgent):
        def block(self, number: int) -> Block:
            raise ChainUnreachable("http://nowhere", "timeout")

    silent = Silent(**vars(agent))
    with pytest.raises(ChainUnreachable):
        verify_receipt(receipt, sources(drain, chain=lambda address: silent))


def test_a_false_proof_is_a_verdict(receipt: Receipt, drain: Model) -> None:
    def never(model: Model, digest: str, size: int, system: bytes) -> Any:
        return lambda x, y, proof: False

    report = verify_receipt(receipt, sources(drain, circuits=never))
    assert {check.claim for check in report.problems} == {"the proof is valid"}


def test_a_run_that_its_state_does_not_explain_gets_no_receipt(
    agent: MemoryAgent, drain: Model, completed: CompletedRun
) -> None:
    agent.reads_now = replace(agent.reads_now, book=agent.reads_now.book[1:])
    assert write_receipt(agent, drain, [completed], REQUESTER)  # what the plan read does
    plan = completed.proven.plan
    decisions = tuple(
        replace(made, context=replace(made.context, reads=agent.reads_now))
        for made in plan.decisions
    )
    proven = replace(completed.proven, plan=replace(plan, decisions=decisions))
    unexplained = replace(completed, proven=proven)
    with pytest.raises(ReceiptError, match="no transaction of that block came before it"):
        write_receipt(agent, drain, [unexplained], REQUESTER)
    ((name, happened),) = agent.happenings.items()
    agent.happenings[name] = replace(happened, place=1)
    with pytest.raises(ReceiptError, match="may have changed what the agent reads"):
        write_receipt(agent, drain, [unexplained], REQUESTER)


def test_notes_are_of_as_many_runs_as_there_are(receipt: Receipt) -> None:
    for notes in ([], [*receipt.document["informational"]["runs"]] * 2):
        document = json.loads(receipt.to_json())
        document["informational"]["runs"] = notes
        with pytest.raises(MalformedReceipt, match=r"notes of \d runs, expected 1"):
            parse_receipt(json.dumps(document))
