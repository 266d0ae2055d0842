"""Runs that wait for their owner's approval, and go on by a transaction of their own: once,
whatever happens in between."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.journalled.test_interruptions import killing_at_state
from tests.integration.journalled.world import FIVE, PROMPT, Killed, World, killing
from tests.support.command_line import exit_code
from zkagent.executor.chain.agent import (
    Block,
    Claim,
    Finished,
    Inclusion,
    MissingDecision,
)
from zkagent.executor.chain.resumed_run import SuspendedRun
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.errors import (
    DoneBefore,
    NotAgreed,
    RunElsewhere,
    RunRecordDamaged,
    RunReverted,
    RunUnsettled,
    RunWaits,
)
from zkagent.executor.runs.records import ENDED_LATER, Intent, RunRecord, understood
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.deployer import at

pytestmark = pytest.mark.chain


class Supervised:
    """An agent whose every transfer waits for its owner, and the owner's commands."""

    def __init__(self, world: World) -> None:
        self.world, self.web3 = world, world.anvil.web3
        there = world.stage.chain.deployment
        self.target = ["--agent", there.agent, "--rpc", world.anvil.rpc_url]
        self.target += ["--key-file", str(world.key)]
        self.guards("deploy")
        self.guards("set", "--budget", f"{there.token('USDC').address}=any", "--mode", "supervised")

    def guards(self, *words: object) -> None:
        assert exit_code("guard", *words, *self.target, "--yes") == 0, words

    def begun(self, prompt: str = PROMPT) -> RunRecord:
        with pytest.raises(RunWaits):
            self.world.run(prompt)
        return self.world.record()

    def goes_on(self, record: RunRecord, **how: object) -> Inclusion:
        with self.world.agent() as agent:
            return agent.go_on(self.world.journal.find(record.id), **how)

    def asks_before_looking(self) -> None:
        web3, chain = self.web3, self.world.stage.chain
        agent = at(web3, "WalletAgent", chain.deployment.agent).functions
        guard = at(web3, "Guard", call(web3, agent.guard())).functions
        looks = call(web3, agent.tools())[0][0]
        _, (target, selector, wrapped, _, *rest) = call(web3, guard.ruleOf(looks))
        send(web3, guard.allow(looks, (target, selector, wrapped, False, *rest)), chain.owner)

    def pool(self) -> int:
        return self.world.stage.usdc().pool


@pytest.fixture
def supervised(world: World) -> Supervised:
    return Supervised(world)


def test_a_run_that_waits_is_begun_approved_and_gone_on_with_by_command(
    supervised: Supervised, capsys: pytest.CaptureFixture[str]
) -> None:
    before = supervised.pool()
    run = ["run", PROMPT, *supervised.target, "--yes"]
    assert exit_code(*run) == 6
    record = supervised.world.record()
    assert record.state == "waiting"
    said = capsys.readouterr().err
    assert "waits for call 1 of 0x" in said
    assert f"`zkagent runs resume {record.id}`" in said
    resume = ["runs", "resume", record.id, *supervised.target[2:], "--yes", "--json"]
    assert exit_code(*resume) == 6
    assert supervised.pool() == before
    supervised.guards("approve", 1)
    assert "`zkagent runs resume" in capsys.readouterr().out
    assert exit_code(*resume) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["answer"], shown["receipt"]) == ("Successfully deployed", None)
    assert shown["on_paper"] is False
    assert supervised.pool() - before == FIVE
    first, rest = supervised.world.journal.records()
    assert (first.state, first.note, rest.state) == ("done", ENDED_LATER, "done")
    assert exit_code(*resume) == 5
    assert "was carried out" in capsys.readouterr().err
    assert exit_code("runs", "pending") == 0
    assert "no run is pending" in capsys.readouterr().out


def test_a_declined_call_is_told_to_the_run_which_goes_on_with_that(supervised: Supervised) -> None:
    before, record = supervised.pool(), supervised.begun()
    supervised.guards("decline", 1, "not now")
    rest = supervised.goes_on(record)
    assert b"The owner declined this call." in rest.result.steps[0]
    assert supervised.pool() == before


def test_a_run_may_wait_more_than_once(supervised: Supervised) -> None:
    """The tool that tells balances is asked about, too."""
    supervised.asks_before_looking()
    before = supervised.world.stage.usdc()
    first = supervised.begun("deposit all my USDC")
    supervised.guards("approve", 1)
    with pytest.raises(RunWaits, match="call 2"):
        supervised.goes_on(first)
    with pytest.raises(RunWaits, match="call 2"):
        supervised.goes_on(first)
    second = supervised.world.record()
    assert (second.state, second.intent.after) == ("waiting", 1)
    assert second.intent.resumes > 0
    supervised.guards("approve", 2)
    rest = supervised.goes_on(second)
    assert len(rest.result.steps) == 2
    assert supervised.pool() - before.pool == before.wallet
    states = {record.state for record in supervised.world.journal.records()}
    with pytest.raises(DoneBefore):
        supervised.goes_on(first)
    assert states == {"waiting", "done"}
    assert {record.state for record in supervised.world.journal.records()} == {"done"}


MOMENTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "after signing": lambda m: killing(m, Web3Sender, "sign", after=True),
    "after the journal": lambda m: killing_at_state(m, "signed", after=True),
    "after broadcasting": lambda m: killing(m, Web3Sender, "broadcast", after=True),
    "before it is known to be done": lambda m: killing_at_state(m, "done", after=False),
    "after it is known to be done": lambda m: killing_at_state(m, "done", after=True),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_whoever_is_killed_while_going_on_ends_it_by_a_repeat(
    supervised: Supervised, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    before, record = supervised.pool(), supervised.begun()
    supervised.guards("approve", 1)
    mined = supervised.world.stage.mined_by_owner()
    MOMENTS[moment](monkeypatch)
    with pytest.raises(Killed):
        supervised.goes_on(record)
    if moment.startswith("after it is"):
        with pytest.raises(DoneBefore):
            supervised.goes_on(record)
    else:
        assert supervised.goes_on(record).result.answer == b"Successfully deployed"
    assert supervised.world.stage.mined_by_owner() - mined == 1
    assert supervised.pool() - before == FIVE
    assert {each.state for each in supervised.world.journal.records()} == {"done"}


def test_what_a_reorganisation_takes_back_is_sent_again(supervised: Supervised) -> None:
    snapshot = supervised.world.anvil.snapshot()
    before, record = supervised.pool(), supervised.begun()
    supervised.world.anvil.revert(snapshot)
    with pytest.raises(RunWaits):
        supervised.goes_on(record)
    assert len(supervised.world.journal.records()) == 1
    supervised.guards("approve", 1)
    approved = supervised.world.anvil.snapshot()
    slow = supervised.world.agent(confirmations=2, timeout_s=0.5)
    with slow as agent, pytest.raises(RunUnsettled, match="fewer than 1 others"):
        agent.go_on(supervised.world.record())
    supervised.world.anvil.revert(approved)
    supervised.goes_on(supervised.world.journal.find(record.id))
    assert supervised.pool() - before == FIVE
    assert len(supervised.world.journal.records()) == 2


def test_an_approval_that_is_taken_back_leaves_the_run_waiting(supervised: Supervised) -> None:
    record = supervised.begun()
    snapshot = supervised.world.anvil.snapshot()
    supervised.guards("approve", 1)
    supervised.world.anvil.revert(snapshot)
    with pytest.raises(RunWaits):
        supervised.goes_on(record)
    assert supervised.world.record().id == record.id


def test_whoever_has_another_key_or_takes_it_for_a_run_of_its_own_is_refused(
    supervised: Supervised, tmp_path: Path
) -> None:
    record = supervised.begun()
    supervised.guards("approve", 1)
    stranger = tmp_path / "stranger"
    stranger.write_text(bytes(supervised.world.anvil.accounts[2].key).hex())
    theirs = replace(supervised.world, key=stranger)
    with theirs.agent() as agent, pytest.raises(RunElsewhere, match="account"):
        agent.go_on(record)
    supervised.goes_on(record)
    with supervised.world.agent() as agent, pytest.raises(RunElsewhere, match="goes on with run"):
        agent.resume(supervised.world.record())


def test_nothing_goes_on_that_nobody_agreed_to(supervised: Supervised) -> None:
    record = supervised.begun()
    supervised.guards("approve", 1)
    with pytest.raises(NotAgreed):
        supervised.goes_on(record, confirm=lambda preview: False)
    assert len(supervised.world.journal.records()) == 1


def test_a_node_that_tells_of_another_answer_has_nothing_sent(
    supervised: Supervised, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would have the owner agree to a deposit of nine, and not of all that the wallet has. The
    agent goes by what the tool said, and refuses what was agreed to."""
    supervised.asks_before_looking()
    record = supervised.begun("deposit all my USDC")
    supervised.guards("approve", 1)
    mined, real = supervised.world.stage.mined_by_owner(), SuspendedRun.simulate
    lies = []

    def lying(
        self: SuspendedRun, prompt: bytes, claims: Sequence[Claim], sender: str, block: Block
    ) -> MissingDecision | Finished:
        step = real(self, prompt, claims, sender, block)
        if not isinstance(step, MissingDecision):
            return step
        last = step.reasoning[-1]
        lies.append(re.sub(rb"[0-9.]+ USDC in the wallet", b"9 USDC in the wallet", last))
        assert lies[-1] != last
        return replace(step, reasoning=(lies[-1],))

    monkeypatch.setattr(SuspendedRun, "simulate", lying)
    with pytest.raises(RunReverted, match="CallNotAgreed"):
        supervised.goes_on(record)
    assert lies
    assert supervised.world.stage.mined_by_owner() == mined
    assert [each.state for each in supervised.world.journal.records()] == ["waiting"]


@pytest.mark.parametrize("told", [{"resumes": 99}, {"resumes": 0}, {"after": -1}, {"resumes": "1"}])
def test_a_record_that_says_otherwise_than_its_transaction_is_refused(
    supervised: Supervised, told: dict[str, object]
) -> None:
    """Another run than what was signed goes on with, or none."""
    record = supervised.begun()
    supervised.guards("approve", 1)
    supervised.goes_on(record)
    rest = supervised.world.record()
    content = json.loads((supervised.world.folder / f"{rest.id}.json").read_text())
    content["intent"] |= told
    with suppress(TypeError):  # named as such a record would be
        content["id"] = f"{Intent(**content['intent']).key}-1"
    path = supervised.world.folder / f"{content['id']}.json"
    with pytest.raises(RunRecordDamaged):
        understood(json.dumps(content), path)
