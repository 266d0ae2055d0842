"""What is asked before anything is signed, and what the commands say of a run on its way."""

import json
from collections.abc import Callable

import pytest

from tests.integration.journalled.world import FIVE, PROMPT, Killed, World, killing
from tests.support.command_line import exit_code
from zkagent.executor.api import agents
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs import settlement
from zkagent.executor.runs.errors import NotAgreed, NothingToDo
from zkagent.executor.runs.preview import Preview
from zkagent.executor.runs.records import RunRecord
from zkagent.executor.runs.runner import AgentRunner


def test_nothing_is_signed_that_nobody_agreed_to(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    shown: list[Preview] = []

    def refuse(preview: Preview) -> bool:
        shown.append(preview)
        return False

    with pytest.raises(NotAgreed):
        world.run(confirm=refuse)
    (preview,) = shown
    assert preview.effects is not None
    assert preview.effects[0].startswith("5 USDC (5000000 units of 0x")
    assert 0 < preview.likely_cost_wei < preview.most_wei
    assert preview.gas_limit == preview.gas * 110 // 100
    assert world.journal.records() == ()
    assert deposited() == (0, 0)


def test_an_answer_is_sent_only_when_it_shall_be_recorded(world: World) -> None:
    before = world.stage.mined_by_owner()
    with pytest.raises(NothingToDo) as caught:
        world.run("what is the weather like in Lisbon tomorrow?")
    assert caught.value.answer
    assert caught.value.hint == ""
    assert world.stage.mined_by_owner() == before
    assert world.journal.records() == ()
    world.run("what is the weather like in Lisbon tomorrow?", record_answer=True)
    assert world.stage.mined_by_owner() == before + 1


def test_where_two_instructions_are_asked_about_it_says_what_one_has(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model's answer asks for what was said, twice."""
    prompt, hint = "deposit 5 USDC, yes, 5 USDC", "an instruction has one amount, one asset"
    with pytest.raises(NothingToDo, match=hint):
        world.run(prompt)
    target = ("--rpc", world.anvil.rpc_url, "--agent", world.stage.chain.deployment.agent)
    capsys.readouterr()
    assert exit_code("run", prompt, *target, "--key-file", world.key, "--yes") == 0
    printed = capsys.readouterr()
    assert hint in printed.err
    assert hint not in printed.out
    assert world.journal.records() == ()


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_fee_that_cannot_be_met_is_refused_before_anything_is_proven(
    world: World,
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
) -> None:
    monkeypatch.setattr(AgentRunner, "proof", lambda *_: pytest.fail("it was proven"))
    assert exit_code("run", PROMPT, *target, "--yes", "--max-fee", "0", *more) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: the fee would be ")
    assert "at most 0 gwei is paid: nothing was signed" in last
    assert world.journal.records() == ()


def test_an_answer_that_is_not_sent_costs_no_fee(world: World, target: list[str]) -> None:
    prompt = "what is the weather like in Lisbon tomorrow?"
    assert exit_code("run", prompt, *target, "--yes", "--max-fee", "0") == 0


def test_the_command_asks_and_without_a_terminal_refuses(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = world.stage.mined_by_owner()
    assert exit_code("run", PROMPT, *target) == 2
    assert "there is nobody here to ask: give --yes" in capsys.readouterr().err
    assert world.stage.mined_by_owner() == before


@pytest.mark.parametrize(("answer", "code", "times"), [("n", 7, 0), ("y", 0, 1)])
def test_the_question_shows_what_will_happen(
    world: World,
    deposited: Callable[[], tuple[int, int]],
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    answer: str,
    code: int,
    times: int,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda text, **_: answer == "y")
    assert exit_code("run", PROMPT, *target) == code
    told = capsys.readouterr()
    token = "(5000000 units of 0x"
    for words in (
        "Deploy(asset=USDC, amount=5)",
        f"moves 5 USDC {token}",
        f"as the node simulates it: 5 USDC {token}",
        "gas: about",
        " gwei",
        "without a rollup's L1 data fee",
    ):
        assert words in told.err
    assert ("transaction 0x" in told.out) == bool(times)
    assert deposited() == (times, times)


def test_the_commands_say_by_exit_code_what_happened(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    world.mine_late()
    assert exit_code("run", PROMPT, *target, "--yes", "--timeout", "0.3") == 6
    told = capsys.readouterr().err
    assert f"transaction {world.record().hash} (nonce {world.record().nonce}, run " in told
    assert exit_code("runs", "pending", "--json") == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["id"], listed["state"]) == (world.record().id, "sent")
    world.mine_at_once()
    assert exit_code("runs", "resume", world.record().id, *target, "--yes") == 0
    assert world.record().hash in capsys.readouterr().out
    assert exit_code("run", PROMPT, *target, "--yes") == 5
    assert "`zkagent run --again`" in capsys.readouterr().err
    assert exit_code("runs", "pending") == 0
    assert capsys.readouterr().out == "no run is pending\n"
    assert exit_code("runs", "pending", "--all") == 0
    assert PROMPT in capsys.readouterr().out


def test_a_decline_is_shown_and_not_sent(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("run", "what is the weather like?", *target, "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out)["transaction"] is None
    assert world.journal.records() == ()


def test_ctrl_c_says_what_was_sent_and_how_to_go_on(
    world: World,
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(self: object, record: RunRecord) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(settlement.Settlement, "settle", interrupted)
    assert exit_code("run", PROMPT, *target, "--yes") == 130
    told = capsys.readouterr().err
    assert f"transaction {world.record().hash}" in told
    assert "repeat the command to go on with it" in told


def test_forgetting_asks_and_keeps_the_record(
    world: World,
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.mine_late()
    assert exit_code("run", PROMPT, *target, "--yes", "--timeout", "0.3") == 6
    record = world.record()
    assert exit_code("runs", "forget", record.id, "--yes") == 6
    assert "or give --may-still-happen" in capsys.readouterr().err
    assert exit_code("runs", "forget", record.id, "--may-still-happen") == 2
    assert world.record().unfinished
    assert exit_code("runs", "forget", record.id[:6], "--yes", "--may-still-happen") == 0
    assert world.record().state == "forgotten"
    world.journal.write(record)
    world.pass_deadline(record, monkeypatch)
    assert exit_code("runs", "forget", record.id, "--yes") == 0
    assert exit_code("runs", "forget", "nothing", "--yes") == 1
    assert "no run is 'nothing'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["resume", "replace"])
def test_a_run_of_another_chain_is_refused_before_anything_is_asked(
    world: World,
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    world.mine_late()
    assert exit_code("run", PROMPT, *target, "--yes", "--timeout", "0.3") == 6
    record, other = world.record(), "0x" + "22" * 32
    monkeypatch.setattr(Web3Sender, "first_block", lambda self: other)
    monkeypatch.setattr(Web3Sender, "mined", None)
    assert exit_code("runs", command, record.id, *target, "--yes") == 1
    told = capsys.readouterr().err
    assert f"first block {record.intent.genesis}, and not {other}" in told
    assert world.record() == record


INTERRUPTED = {
    "before it is sent": (Web3Sender, "broadcast", "was signed and may still be included: repeat"),
    "while it is confirmed": (settlement.Settlement, "_confirmed", "and has no receipt here yet"),
    "while its receipt is made": (agents, "write_receipt", "and has no receipt here yet: repeat"),
    "when its receipt is there": (agents, "Run", "its receipt /"),
}


@pytest.mark.parametrize("moment", INTERRUPTED.values(), ids=INTERRUPTED)
def test_whoever_interrupts_a_run_is_told_what_is_known_and_how_to_get_the_receipt(
    moment: tuple[object, str, str],
    world: World,
    target: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    owner, name, told = moment
    pool = world.stage.usdc().pool

    def interrupt(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, interrupt)
        assert exit_code("run", PROMPT, *target, "--yes") == 130
    *_, said, last = filter(None, capsys.readouterr().err.splitlines())
    assert (told in said, world.record().hash in said, last) == (True, True, "interrupted")
    again = exit_code("run", PROMPT, *target, "--yes")
    done = bool("its receipt" in told)
    assert (again, "[proven before]" in capsys.readouterr().out) == (
        (5, False) if done else (0, True)
    )
    assert world.stage.usdc().pool - pool == FIVE


def test_replacing_what_was_carried_out_says_that_and_of_no_other_transaction(
    world: World,
    target: list[str],
    deposited: Callable[[], tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=True)
    with pytest.raises(Killed):
        world.run()
    run = world.record().id
    assert exit_code("runs", "replace", run, *target, "--yes") == 0
    assert exit_code("runs", "replace", run, *target, "--yes") == 5
    said = capsys.readouterr().err
    assert "may still happen" not in said
    assert "was carried out in block" in said
    assert deposited() == (1, 1)
