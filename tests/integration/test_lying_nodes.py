"""A node that lies to `zkagent run`: no signature; or, where it only loses things, one run."""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.integration.journalled.world import pass_deadline
from tests.support.command_line import exit_code
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import Garbage, LyingNode, Refusal, lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.errors import ZkagentError
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.errors import HappenedUnreceipted
from zkagent.executor.runs import settlement
from zkagent.executor.runs.errors import (
    DoneBefore,
    NonceTaken,
    RunReverted,
    RunUnsettled,
    StillPossible,
)
from zkagent.executor.runs.journal import Journal
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.forms import FORMS
from zkagent.verifier_contracts.chain.local import Anvil

PROMPT = "deposit 5 USDC"


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def liar(opened: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[LyingNode]:
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    monkeypatch.setattr(settlement, "TAKEN_S", 0.3)
    snapshot = opened.chain.anvil.snapshot()
    with lying_node(opened.chain.anvil.rpc_url) as node:
        yield node
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def run(opened: Stage, liar: LyingNode, tmp_path: Path) -> Callable[..., zkagent.Run]:
    (tmp_path / "key").write_text(bytes(opened.chain.owner.key).hex())

    def run(begin_to_lie: Callable[[], None] = lambda: None, **wishes: Any) -> zkagent.Run:
        record = opened.chain.deployment
        with zkagent.agent(liar.url, deployment=record, key_file=tmp_path / "key") as agent:
            begin_to_lie()
            return agent.run(PROMPT, **wishes)

    return run


LIES: dict[str, dict[str, Any]] = {
    "another chain": {"eth_chainId": "0x1"},
    "an absurd priority fee": {"eth_maxPriorityFeePerGas": hex(10**15)},
    "garbage for a fee": {"eth_maxPriorityFeePerGas": "lots"},
    "garbage for gas": {"eth_estimateGas": "-0x1"},
    "more gas than a block has": {"eth_estimateGas": hex(2**63)},
    "garbage for a nonce": {"eth_getTransactionCount": {}},
    "no JSON": {"eth_getTransactionCount": Garbage(b"<html>")},
    "a block that is none": {"eth_getBlockByNumber": []},
    "a refusal": {"eth_chainId": Refusal("rate limited")},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_gets_no_signature(
    run: Callable[..., zkagent.Run], liar: LyingNode, runs: Path, lie: str
) -> None:
    def begin() -> None:
        for method, answer in LIES[lie].items():
            liar.says(method, answer)

    with pytest.raises(ZkagentError) as caught:
        run(begin)
    assert "\n" not in str(caught.value)
    assert liar.sent == []
    assert Journal(runs).records() == ()


def test_another_chain_at_the_start_gets_no_signature(
    run: Callable[..., zkagent.Run], liar: LyingNode, runs: Path
) -> None:
    liar.says("eth_chainId", "0x1")
    with pytest.raises(ZkagentError, match="serves chain 1, expected chain 31337"):
        run()
    assert (liar.sent, Journal(runs).records()) == ([], ())


@pytest.mark.parametrize("first", [["0x1", "0x7a69"], ["0x7a69", "0x1"]])
def test_a_chain_id_that_alternates_is_never_signed_for(
    run: Callable[..., zkagent.Run], liar: LyingNode, first: list[str]
) -> None:
    """Where the other one comes at signing, nothing is; where our own does, that is for our own."""
    turns = itertools.cycle(first)
    with contextlib.suppress(ZkagentError):
        run(lambda: liar.lies.update(eth_chainId=lambda honest: next(turns)))
    signed = [read_transaction(bytes.fromhex(raw[2:])) for raw in liar.sent]
    assert {found[1]["chainId"] for found in signed if found} <= {31337}


def test_what_is_known_already_was_sent(
    run: Callable[..., zkagent.Run], liar: LyingNode, opened: Stage
) -> None:
    before = opened.mined_by_owner()

    def known(honest: Callable[[], Any]) -> Refusal:
        honest()
        return Refusal("already known")

    assert run(lambda: liar.lies.update(eth_sendRawTransaction=known)).answer
    assert opened.mined_by_owner() == before + 1


def test_a_broadcast_that_was_lost_is_made_again(
    run: Callable[..., zkagent.Run], liar: LyingNode, opened: Stage, runs: Path
) -> None:
    before, losses = opened.mined_by_owner(), iter(range(1))

    def lost_once(honest: Callable[[], Any]) -> Any:
        return "0x" + "00" * 32 if next(losses, None) is not None else honest()

    assert run(lambda: liar.lies.update(eth_sendRawTransaction=lost_once)).answer
    assert len(liar.sent) == 2
    assert len(set(liar.sent)) == 1
    assert opened.mined_by_owner() == before + 1


def test_a_receipt_that_is_garbage_leaves_the_run_to_be_gone_on_with(
    run: Callable[..., zkagent.Run], liar: LyingNode, opened: Stage, runs: Path
) -> None:
    before = opened.mined_by_owner()
    for garbage in (7, "receipt", {"status": "0x1"}, []):
        liar.says("eth_getTransactionReceipt", garbage)
        with pytest.raises(RunUnsettled):
            run()
    del liar.lies["eth_getTransactionReceipt"]
    assert run().answer
    assert opened.mined_by_owner() == before + 1


def withhold(liar: LyingNode) -> None:
    """Transactions are kept, and their nonces are said to be used."""

    def count(honest: Callable[[], Any]) -> str:
        return hex(int(honest(), 16) + len(set(liar.sent)))

    liar.says("eth_sendRawTransaction", Refusal("nonce too low"))
    liar.lies["eth_getTransactionCount"] = count


def release(liar: LyingNode, opened: Stage) -> None:
    liar.lies.clear()
    for raw in dict.fromkeys(liar.sent):
        with contextlib.suppress(Exception):  # such as one whose nonce is used by now
            opened.chain.web3.eth.send_raw_transaction(raw)


def test_a_node_that_keeps_a_transaction_gets_no_second_one_before_its_deadline(
    run: Callable[..., zkagent.Run], liar: LyingNode, opened: Stage, runs: Path
) -> None:
    pool = opened.usdc().pool
    for begin in (lambda: withhold(liar), lambda: None):
        with pytest.raises(RunUnsettled, match="does not show by what; repeat") as caught:
            run(begin, again=True)
        assert "--again" not in str(caught.value)
    (record,) = Journal(runs).records()
    Journal(runs).write(replace(record, state="forgotten"))
    with pytest.raises(StillPossible, match=record.hash):
        run(again=True)
    assert set(liar.sent) == {record.signed[0].raw}
    release(liar, opened)
    with pytest.raises(DoneBefore, match=record.hash):
        run()
    assert opened.usdc().pool == pool + 5 * 10**6


def test_what_a_node_kept_until_its_deadline_does_nothing_beside_the_next(
    run: Callable[..., zkagent.Run],
    liar: LyingNode,
    opened: Stage,
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = opened.usdc().pool
    with pytest.raises(RunUnsettled):
        run(lambda: withhold(liar))
    (first,) = Journal(runs).records()
    pass_deadline(opened.chain.anvil, first, monkeypatch)
    with pytest.raises(NonceTaken, match="ask another node whether it was that one"):
        run()
    assert Journal(runs).records()[0].state == "expired"
    with pytest.raises(DoneBefore, match="not seen in a block until its deadline"):
        run()
    with pytest.raises(RunUnsettled):
        run(again=True)
    assert len(set(liar.sent)) == 2
    release(liar, opened)
    run()
    assert opened.usdc().pool == pool + 5 * 10**6


def test_a_transaction_that_a_node_names_for_the_taker_is_no_certainty(
    run: Callable[..., zkagent.Run], liar: LyingNode, runs: Path
) -> None:
    def block(honest: Callable[[], Any]) -> Any:
        found = honest()
        if found and liar.parameters[1]:  # with its transactions
            owner, nonce = first_signed(liar)
            found["transactions"] = [{"from": owner, "nonce": nonce, "hash": "0x" + "33" * 32}]
        return found

    with pytest.raises(NonceTaken, match="so the node says") as caught:
        run(lambda: withhold(liar) or liar.lies.update(eth_getBlockByNumber=block))
    assert "will not" not in str(caught.value)
    assert Journal(runs).records()[0].taken_by == "0x" + "33" * 32
    with pytest.raises(StillPossible):
        run(again=True)
    assert len(set(liar.sent)) == 1


COUNTED = {
    "the receipt's block": ("eth_getTransactionReceipt", "blockNumber"),
    "the receipt's gas": ("eth_getTransactionReceipt", "gasUsed"),
    "the latest block": ("eth_blockNumber", ""),
}


@pytest.mark.parametrize("told", COUNTED.values(), ids=COUNTED)
def test_a_number_that_no_chain_has_stops_one_command_and_leaves_the_journal_whole(
    told: tuple[str, str],
    run: Callable[..., zkagent.Run],
    liar: LyingNode,
    runs: Path,
    opened: Stage,
) -> None:
    method, name = told
    pool = opened.usdc().pool

    def huge(honest: Callable[[], Any]) -> Any:
        found = honest()
        if not liar.sent or not found:
            return found
        return {**found, name: hex(1 << 64)} if name else hex(1 << 64)

    with pytest.raises((RunUnsettled, HappenedUnreceipted)):
        run(lambda: liar.lies.update({method: huge}))
    assert Journal(runs).records()[0].state in {"signed", "sent", "included"}
    liar.lies.clear()
    done = run()
    assert (Journal(runs).records()[0].state, done.path.is_file()) == ("done", True)
    assert opened.usdc().pool - pool == 5 * 10**6


def test_a_receipt_that_a_lie_was_in_the_way_of_is_made_by_another_node(
    run: Callable[..., zkagent.Run],
    liar: LyingNode,
    runs: Path,
    opened: Stage,
    tmp_path: Path,
) -> None:
    pool = opened.usdc().pool

    def empty_book(honest: Callable[[], Any]) -> Any:
        found = honest()
        return "0x00" if liar.sent and found.startswith("0x00") else found

    with pytest.raises(HappenedUnreceipted, match="zkagent runs resume"):
        run(lambda: liar.lies.update(eth_getCode=empty_book))
    (record,) = Journal(runs).records()
    assert record.unreceipted
    key, deployment = tmp_path / "key", opened.chain.deployment
    liar.lies.clear()
    with zkagent.agent(liar.url, deployment=deployment, key_file=key) as agent:
        with pytest.raises(DoneBefore, match=f"zkagent runs resume {record.id}"):
            agent.run(PROMPT)
        liar.lies["eth_getCode"] = empty_book
        with pytest.raises(HappenedUnreceipted):
            agent.resume(record)
        liar.says("eth_getTransactionReceipt", None)
        with pytest.raises(RunUnsettled, match="in no block"):
            agent.resume(record)
        told = itertools.chain([{}], itertools.repeat({"status": "0x0"}))
        liar.lies["eth_getTransactionReceipt"] = lambda honest: honest() | next(told)
        with pytest.raises(RunUnsettled, match="says otherwise now"):
            agent.resume(record)
        assert [each.state for each in Journal(runs).records()] == ["done"]
        liar.lies.clear()
        receipt = agent.resume(record).path
        assert receipt.is_file()
        with pytest.raises(DoneBefore, match=str(receipt)):
            agent.resume(record)
    (kept,) = Journal(runs).records()
    assert (kept.state, kept.receipt, kept.note) == ("done", str(receipt), "")
    assert (opened.usdc().pool - pool, len(set(liar.sent))) == (5 * 10**6, 1)


def first_signed(liar: LyingNode) -> tuple[str, str]:
    found = read_transaction(bytes.fromhex(liar.sent[0][2:]))
    assert found
    return found[0], hex(found[1]["nonce"])


def test_a_failure_that_a_node_makes_up_is_no_certainty(
    run: Callable[..., zkagent.Run], liar: LyingNode, opened: Stage, runs: Path
) -> None:
    latest = opened.chain.web3.eth.get_block("latest")
    receipt = opened.chain.anvil.rpc("eth_getTransactionReceipt", latest["transactions"][0].hex())

    def failed(honest: Callable[[], Any]) -> Any:
        forged = {"transactionHash": liar.parameters[0], "status": "0x0", "logs": []}
        return dict(receipt) | forged if liar.sent else None

    def begin() -> None:
        withhold(liar)
        liar.lies["eth_getTransactionReceipt"] = failed

    with pytest.raises(RunReverted):
        run(begin)
    assert Journal(runs).records()[0].state == "failed"
    with pytest.raises(StillPossible):
        run(again=True)
    release(liar, opened)
    with pytest.raises(DoneBefore):
        run()


ASKING: dict[str, tuple[str, ...]] = {
    "agent audit": ("agent", "audit", "--deployment", "DEPLOYMENT"),
    "model audit": ("model", "audit", "1", "--deployment", "DEPLOYMENT"),
    "run": (
        "run",
        PROMPT,
        "--dry-run",
        "--deployment",
        "DEPLOYMENT",
        "--key-file",
        "KEY",
    ),
    "deploy": ("deploy", "--key-file", "KEY", "--dry-run", "--out", "OUT"),
}
NONSENSE = (None, {}, [], "lots", 7)


@pytest.mark.parametrize("command", ASKING)
def test_nonsense_is_one_line_and_no_verdict_whatever_is_asked(
    command: str,
    opened: Stage,
    liar: LyingNode,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of every method that the command asks for; all of them have a form."""
    places = {"DEPLOYMENT": tmp_path / "there", "KEY": tmp_path / "key", "OUT": tmp_path / "out"}
    places["DEPLOYMENT"].write_text(opened.chain.deployment.to_json())
    places["KEY"].write_text(bytes(opened.chain.owner.key).hex())
    places["KEY"].chmod(0o600)
    arguments = [str(places.get(word, word)) for word in ASKING[command]]
    arguments += ["--rpc", liar.url]
    exit_code(*arguments)
    methods = set(liar.asked)
    assert methods <= FORMS.keys()
    capsys.readouterr()
    for method in sorted(methods):
        for nonsense in NONSENSE:
            liar.lies = {method: lambda honest, nonsense=nonsense: nonsense}  # type: ignore[misc]
            code, printed = exit_code(*arguments), capsys.readouterr()
            name = f"{method} {nonsense}: {printed.err}"
            assert "Traceback" not in printed.err, name
            if code == 0 and method in OPTIONAL:
                continue
            assert code in {1, 3}, name
            assert printed.err.splitlines()[-1].startswith("error: ") or printed.out, name


#: Commands go on without these.
OPTIONAL = {"eth_simulateV1", "debug_traceCall"}
