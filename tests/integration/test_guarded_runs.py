"""The wallet agent behind a guard that its owner set by commands: runs with a real proof, and what
the guard keeps from being planned at all."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.errors import NoAnswerYet
from zkagent.executor.runs.session import Session
from zkagent.verifier_contracts.chain.local import call
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError

pytestmark = [pytest.mark.chain, pytest.mark.slow]


class Guarded:
    """The session's agent with a guard before it, and its owner's commands."""

    def __init__(self, session: Session, chain: EmbeddedChain, key: Path) -> None:
        self.session, self.chain = session, chain
        agent = ["--agent", chain.deployment.agent, "--rpc", chain.anvil.rpc_url]
        self.options = [*agent, "--key-file", str(key), "--yes"]
        self.usdc = at(chain.web3, "DemoToken", chain.deployment.token("USDC").address)

    def does(self, *words: object) -> None:
        assert exit_code("guard", *words, *self.options) == 0, words

    def asks(self) -> bytes:
        return b"transfer 5 USDC to " + self.chain.friend.address.encode()

    def moved(self) -> int:
        return int(call(self.chain.web3, self.usdc.functions.balanceOf(self.chain.friend.address)))

    def plans(self) -> bytes:
        return self.session.runner.plan(self.asks()).answer


@pytest.fixture
def guarded(session: Session, embedded: EmbeddedChain, tmp_path: Path) -> Guarded:
    key = tmp_path / "owner.key"
    key.write_text(bytes(embedded.owner.key).hex())
    key.chmod(0o600)
    it = Guarded(session, embedded, key)
    it.does("deploy")
    it.does("set", "--mode", "autonomous", "--budget", f"{it.usdc.address}=6000000,5000000")
    return it


def test_what_the_guard_allows_is_run_and_counted_and_the_rest_is_not_planned(
    guarded: Guarded, capsys: pytest.CaptureFixture[str]
) -> None:
    before = guarded.moved()
    guarded.session.runner.run(guarded.asks())
    assert guarded.moved() - before == 5_000_000
    capsys.readouterr()
    assert exit_code("guard", "show", *guarded.options[:4]) == 0
    assert "5000000 spent, 1000000 left, 5000000 in a call" in capsys.readouterr().out
    with pytest.raises(RevertError, match="BudgetExceeded"):
        guarded.plans()


def test_a_paused_agent_is_not_planned_until_it_is_resumed(guarded: Guarded) -> None:
    guarded.does("pause", "risk threshold exceeded")
    with pytest.raises(RevertError, match="risk threshold exceeded"):
        guarded.plans()
    guarded.does("resume")
    assert guarded.plans()


def test_on_paper_the_answer_is_what_it_would_have_been(guarded: Guarded) -> None:
    real = guarded.plans()
    guarded.does("set", "--mode", "paper")
    assert guarded.plans() == real
    guarded.does("set", "--budget", f"{guarded.usdc.address}=4999999")
    with pytest.raises(RevertError, match="BudgetExceeded"):
        guarded.plans()


def test_a_run_says_whether_it_was_on_paper(
    guarded: Guarded, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("run", guarded.asks().decode(), *guarded.options)
    guarded.does("set", "--mode", "paper")
    assert exit_code(*command, "--dry-run") == 0
    assert capsys.readouterr().out.count("\non paper: a guard in paper mode has") == 1
    assert exit_code(*command) == 0
    assert capsys.readouterr().out.count("\non paper: a guard in paper mode") == 1
    for mode, on_paper in (("paper", True), ("autonomous", False)):
        guarded.does("set", "--mode", mode)
        before = guarded.moved()
        capsys.readouterr()
        assert exit_code(*command, "--again", "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["on_paper"] is on_paper
        transfer, answer = shown["iterations"]
        assert transfer["on_paper"] is on_paper
        assert "on_paper" not in answer
        assert guarded.moved() - before == (0 if on_paper else 5_000_000)


def test_a_supervised_transfer_is_made_once_its_owner_approves(guarded: Guarded) -> None:
    guarded.does("set", "--mode", "supervised")
    before = guarded.moved()
    with pytest.raises(NoAnswerYet, match=r"run 1 of .* waits for call 1"):
        guarded.session.runner.run(guarded.asks())
    assert guarded.moved() == before
    guarded.does("approve", 1)
    assert guarded.moved() - before == 5_000_000


def test_a_second_guard_is_refused(guarded: Guarded, capsys: pytest.CaptureFixture[str]) -> None:
    web3, owner = guarded.chain.web3, guarded.chain.owner.address
    before = web3.eth.get_transaction_count(owner)
    assert exit_code("guard", "deploy", *guarded.options) == 1
    assert "GuardAlreadySet" in capsys.readouterr().err
    assert web3.eth.get_transaction_count(owner) == before
