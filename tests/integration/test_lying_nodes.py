"""A node that lies to `zkagent run`: no signature; or, where it only loses things, one run."""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import Garbage, LyingNode, Refusal, lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.errors import ZkagentError
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.errors import RunUnsettled
from zkagent.executor.runs import settlement
from zkagent.executor.runs.journal import Journal
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil

PROMPT = "deposit 5 USDC"


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def liar(opened: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[LyingNode]:
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    snapshot = opened.chain.anvil.snapshot()
    with lying_node(opened.chain.anvil.rpc_url) as node:
        yield node
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def run(opened: Stage, liar: LyingNode, tmp_path: Path) -> Callable[..., zkagent.Run]:
    (tmp_path / "key").write_text(bytes(opened.chain.owner.key).hex())

    def run(begin_to_lie: Callable[[], None] = lambda: None, **how: Any) -> zkagent.Run:
        record = opened.chain.deployment
        with zkagent.agent(liar.url, deployment=record, key_file=tmp_path / "key", **how) as agent:
            begin_to_lie()
            return agent.run(PROMPT)

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
