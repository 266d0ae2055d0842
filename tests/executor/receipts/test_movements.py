"""What a transaction did is what was decided: its events, its transfers, the balances after it."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.drain import DAI, USDC
from tests.support.fakes.memory_agent import POOL, WALLET, MemoryAgent
from tests.support.fakes.memory_prover import check_memory_proof
from zkagent.executor.chain.agent import AgentReads, Block, Happened, TokenTransfer
from zkagent.executor.errors import DecimalsRefused, NotOnChain
from zkagent.executor.receipts import verify_chain
from zkagent.executor.receipts.format import ArgumentRecord, Receipt, RunRecord
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.receipts.verify_chain import MOVED, Standing, check_effects
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import RevertError

STRANGER = "0x" + "77" * 20
POOLED = 120_500_000
WITHDRAWN = TokenTransfer(USDC, POOL, WALLET, POOLED)
#: What anybody may do to a wallet whose payment calls his code.
NOTHING_OUT = TokenTransfer(USDC, WALLET, STRANGER, 0)
NOTHING_IN = TokenTransfer(STRANGER, STRANGER, WALLET, 0)
DUST = TokenTransfer(USDC, STRANGER, WALLET, 7)
#: What his own contract may say of anybody.
FALSE_OUT = TokenTransfer(STRANGER, WALLET, STRANGER, 1)
FALSE_IN = TokenTransfer(STRANGER, POOL, WALLET, 1)
FALSE_TWIN = TokenTransfer(STRANGER, POOL, WALLET, POOLED)
RETURNED = TokenTransfer(USDC, STRANGER, WALLET, POOLED)
Problems = Callable[..., list[Check]]


@pytest.fixture
def problems(receipt: Receipt, agent: MemoryAgent, drain: Model) -> Problems:
    """Of a receipt whose only movement is a withdrawal of all USDC, on the agent's chain, standing
    on these addresses."""

    def found(standing: Standing | None = None, run: RunRecord | None = None) -> list[Check]:
        stands = Standing((), WALLET, POOL) if standing is None else standing
        sources = Sources(
            lambda name: drain,
            lambda *circuit: check_memory_proof,
            lambda address: agent,
            lambda record: stands,
        )
        verified = receipt.model_copy(update={"runs": (run,)}) if run else receipt
        checks = verify_receipt(verified, sources).problems
        return [check for check in checks if check.subject == "run 1, chain"]

    return found


def happens(agent: MemoryAgent, **changes: Any) -> None:
    (name,) = agent.happenings
    agent.happenings[name] = replace(agent.happenings[name], **changes)


def test_the_withdrawal_that_was_decided_is_the_one_that_happened(
    agent: MemoryAgent, problems: Problems
) -> None:
    (happened,) = agent.happenings.values()
    assert happened.transfers == (WITHDRAWN,)
    assert problems() == []


@pytest.mark.parametrize(
    ("transfers", "said"),
    [
        ((), "was decided, and no such transfer is in the transaction"),
        ((replace(WITHDRAWN, units=POOLED - 1),), "the transfer 120499999 units"),
        ((replace(WITHDRAWN, token=STRANGER),), "no such transfer is in the transaction"),
        ((replace(WITHDRAWN, token=DAI),), f"units of {DAI}"),
        ((replace(WITHDRAWN, sender=STRANGER),), "no such transfer is in the transaction"),
        ((replace(WITHDRAWN, sender=STRANGER, token=STRANGER),), "no such transfer"),
        ((NOTHING_OUT, NOTHING_IN, DUST), "was decided, and no such transfer"),
        ((WITHDRAWN, WITHDRAWN), "which nobody decided"),
        ((DUST, WITHDRAWN, WITHDRAWN), "which nobody decided"),
        ((WITHDRAWN, replace(WITHDRAWN, units=1)), "which nobody decided"),
        ((WITHDRAWN, TokenTransfer(USDC, WALLET, STRANGER, 1)), "which nobody decided"),
        ((TokenTransfer(USDC, WALLET, STRANGER, 1), WITHDRAWN), "the transfer 1 units"),
        ((TokenTransfer(USDC, WALLET, WALLET, 1), WITHDRAWN), "the transfer 1 units"),
        ((WITHDRAWN, TokenTransfer(USDC, POOL, WALLET, 1)), "which nobody decided"),
        ((WITHDRAWN, TokenTransfer(DAI, WALLET, STRANGER, 1)), "which nobody decided"),
        ((WITHDRAWN, TokenTransfer(DAI, POOL, WALLET, 1)), "which nobody decided"),
        ((FALSE_OUT, FALSE_IN), "no such transfer is in the transaction"),
        ((FALSE_OUT, WITHDRAWN, WITHDRAWN), "which nobody decided"),
    ],
)
def test_transfers_that_were_not_decided_are_found(
    agent: MemoryAgent, problems: Problems, transfers: tuple[TokenTransfer, ...], said: str
) -> None:
    happens(agent, transfers=transfers)
    (found,) = [check for check in problems() if check.claim == "tokens moved as decided"]
    assert said in found.problem
    assert not found.unknown


@pytest.mark.parametrize(
    "transfers",
    [
        (NOTHING_OUT, WITHDRAWN, NOTHING_IN),
        (replace(WITHDRAWN, units=0), WITHDRAWN),
        (DUST, WITHDRAWN),
        (replace(DUST, units=1), WITHDRAWN),
        (WITHDRAWN, RETURNED),
        (RETURNED, WITHDRAWN, *[DUST] * 4),
        (WITHDRAWN, FALSE_OUT),
        (FALSE_OUT, WITHDRAWN),
        (FALSE_IN, WITHDRAWN, FALSE_IN),
        (FALSE_TWIN, WITHDRAWN, FALSE_TWIN, DUST),
        (WITHDRAWN, *[FALSE_OUT] * 4, replace(FALSE_IN, units=0)),
    ],
)
def test_nobody_can_have_an_honest_run_rejected_by_sending_to_its_wallet(
    receipt: Receipt,
    agent: MemoryAgent,
    drain: Model,
    transfers: tuple[TokenTransfer, ...],
) -> None:
    """What came is told; of what is nothing nothing is said."""
    happens(agent, transfers=transfers)
    sources = Sources(
        lambda name: drain,
        lambda *circuit: check_memory_proof,
        lambda address: agent,
        lambda record: Standing((), WALLET, POOL),
    )
    report = verify_receipt(receipt, sources)
    assert "tokens moved as decided" not in {check.claim for check in report.problems}
    besides = [each for each in transfers if each != WITHDRAWN and each.units]
    came = [each for each in besides if each.token == USDC]
    said = [each for each in besides if each.token != USDC]
    notes = [note.note for note in report.notes if note.claim == "tokens moved as decided"]
    assert len(notes) == bool(besides)
    for note in notes:
        assert ("came besides, which nobody decided: " in note) == bool(came)
        assert ("said by contracts that are no tokens of this run" in note) == bool(said)
        assert note.count(" units of ") == min(len(came), 3) + min(len(said), 3)
        for many in (came, said):
            assert len(many) <= 3 or f"and {len(many) - 3} more" in note


def test_no_two_orders_of_the_same_transfers_are_taken_for_one(
    agent: MemoryAgent, problems: Problems, receipt: Receipt
) -> None:
    """Two payments that were decided one after the other, with strangers' transfers between."""
    (run,) = receipt.runs
    first = run.iterations[1]
    assert first.decision.action == "Withdraw"
    half = f"0x{POOLED // 2:064x}"
    values = (first.decision.values[0], half)
    other = first.model_copy(
        update={"decision": first.decision.model_copy(update={"values": values})}
    )
    twice = run.model_copy(update={"iterations": (first, other)})
    standing = Standing((), WALLET, POOL)
    halved = replace(WITHDRAWN, units=POOLED // 2)
    held = (WITHDRAWN, DUST, halved)
    for transfers in itertools.permutations(held):
        happens(agent, transfers=transfers)
        found = verify_chain._moved(twice, agent, standing, lambda transfer: None)
        assert (found == "") == (transfers.index(WITHDRAWN) < transfers.index(halved))


def test_transfers_of_others_in_the_same_transaction_do_not_matter(
    agent: MemoryAgent, problems: Problems
) -> None:
    happens(agent, transfers=(TokenTransfer(USDC, STRANGER, POOL, 5), WITHDRAWN))
    assert [check.claim for check in problems()] in ([], ["balances changed as tokens say"])


def test_a_foreign_pool_may_keep_tokens_with_somebody_else(
    agent: MemoryAgent, problems: Problems
) -> None:
    happens(agent, transfers=(replace(WITHDRAWN, sender=STRANGER),))
    foreign = Standing((), WALLET, POOL, foreign_pool=True)
    assert problems(foreign) == []
    twice, other_token = (replace(WITHDRAWN, sender=STRANGER),) * 2, replace(RETURNED, token=POOL)
    for others in (
        (replace(WITHDRAWN, units=1),),
        (replace(WITHDRAWN, token=STRANGER),),
        twice,
        (other_token,),
    ):
        happens(agent, transfers=others)
        assert [check.claim for check in problems(foreign)] == ["tokens moved as decided"]


@pytest.mark.parametrize("standing", [Standing((), "", POOL), Standing((), WALLET, "")])
def test_without_knowing_where_tokens_lie_there_is_no_telling(
    problems: Problems, standing: Standing
) -> None:
    found = problems(standing)
    assert {check.unknown for check in found} == {True}
    assert {"tokens moved as decided", "balances changed as tokens say"} <= {
        check.claim for check in found
    }
    assert all("nothing here tells where the" in check.problem for check in found)


def test_of_a_reader_s_tools_whatever_they_are_called_no_transfer_is_expected(
    problems: Problems, agent: MemoryAgent
) -> None:
    """A tool `Withdraw` of its own may move nothing, or something of somebody's."""
    doubt = Check("agent", MOVED, "its author's word", unknown=True, vouchable=True)
    for moved in ((), (WITHDRAWN, WITHDRAWN)):
        happens(agent, transfers=moved)
        assert problems(Standing((), unnamed=replace(doubt, problem=""))) == []
        (found,) = problems(Standing((), unnamed=doubt))
        assert (found.claim, found.unknown, found.vouchable) == (MOVED, True, True)
    assert problems(Standing((), WALLET, POOL)) != []


def test_nobody_who_looks_into_the_code_is_unknown(
    receipt: Receipt, agent: MemoryAgent, drain: Model
) -> None:
    sources = Sources(
        lambda name: drain, lambda *circuit: check_memory_proof, lambda address: agent
    )
    report = verify_receipt(receipt, sources)
    assert report.verdict == "unknown"
    assert report.problems[0].problem == "nobody looked into their code"


@pytest.mark.parametrize("account", [WALLET, POOL])
def test_a_token_whose_balances_do_not_follow_is_found(
    agent: MemoryAgent, problems: Problems, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = agent.movement

    def lying(token: str, who: str, block: Block) -> tuple[int, int]:
        said, grew = honest(token, who, block)
        return said, grew - (who == account)

    monkeypatch.setattr(agent, "movement", lying)
    (found,) = problems()
    assert found.claim == "balances changed as tokens say"
    assert f"came to {account} in block" in found.problem
    foreign = Standing((), WALLET, POOL, foreign_pool=True)
    assert [check.problem for check in problems(foreign)] == [found.problem] * (account == WALLET)


def test_a_token_that_tells_no_decimals_any_more_is_no_problem_of_the_receipt(
    agent: MemoryAgent, problems: Problems, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        raise DecimalsRefused(USDC, 64)

    monkeypatch.setattr(agent, "reads", refusing)
    assert not list(problems())


@pytest.mark.parametrize("account", [WALLET, POOL])
def test_somebody_who_has_more_than_a_token_says_is_noted_and_refutes_nothing(
    receipt: Receipt,
    agent: MemoryAgent,
    drain: Model,
    account: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As who wraps his own coins in the same block, which no event tells."""
    honest = agent.movement

    def wrapped(token: str, who: str, block: Block) -> tuple[int, int]:
        said, grew = honest(token, who, block)
        return said, grew + (who == account)

    monkeypatch.setattr(agent, "movement", wrapped)
    sources = Sources(
        lambda name: drain,
        lambda *circuit: check_memory_proof,
        lambda address: agent,
        lambda record: Standing((), WALLET, POOL),
    )
    report = verify_receipt(receipt, sources)
    assert report.accepted
    (note,) = [each.note for each in report.notes if each.claim == "balances changed as tokens say"]
    assert note.startswith(f"the token {USDC} says that ")
    assert f"units came to {account} in block" in note
    assert ";" not in note


def test_events_of_the_executor_are_one_for_each_iteration_in_order(
    agent: MemoryAgent, problems: Problems
) -> None:
    (happened,) = agent.happenings.values()
    first, second, third = happened.verified
    foreign = replace(first, executor=STRANGER)
    for verified, said in (
        ((first, second), "2 decisions were verified, the receipt has 3"),
        ((first, second, third, third), "4 decisions were verified"),
        ((second, first, third), "event 1 is"),
        ((first, second, replace(third, agent=STRANGER)), "event 3 is"),
        ((first, second, replace(third, model_id=2)), "event 3 is"),
        ((first, second, foreign), "2 decisions were verified"),
    ):
        happens(agent, verified=verified)
        (found,) = problems()
        assert found.claim == "every decision was verified"
        assert said in found.problem
    happens(agent, verified=(foreign, first, second, third))
    assert problems() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sender", STRANGER),
        ("receiver", STRANGER),
        ("value_wei", 1),
        ("nonce", 7),
        ("chain_id", 1),
        ("data", b"other"),
        ("block", Block(101, "0x" + "00" * 32)),
        ("parent", "0x" + "00" * 32),
    ],
)
def test_the_transaction_is_the_signed_one(
    agent: MemoryAgent, problems: Problems, field: str, value: Any
) -> None:
    assert field in Happened.__dataclass_fields__
    happens(agent, **{field: value})
    claims = [check.claim for check in problems()]
    assert claims == ["the transaction is the signed one"] or field == "block"
    assert "the transaction is the signed one" in claims


@pytest.mark.parametrize("method", ["names", "code_hashes", "run_result", "happened", "movement"])
@pytest.mark.parametrize(
    "error", [NotOnChain("not there"), RevertError("it reverts", data=b"")], ids=["none", "revert"]
)
def test_what_the_chain_refuses_to_answer_is_a_problem_of_the_receipt(
    problems: Problems,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    error: Exception,
) -> None:
    def refuse(*arguments: Any) -> Any:
        raise error

    monkeypatch.setattr(MemoryAgent, method, refuse)
    found = problems()
    assert {check.problem for check in found} == {str(error)}
    assert not any(check.unknown for check in found)


def test_nothing_is_asked_about_blocks_that_are_not_there(
    agent: MemoryAgent, problems: Problems
) -> None:
    agent.height -= 1
    (found,) = problems()
    assert found.claim == "the blocks are on the chain"


def units(number: int) -> str:
    return "0x" + number.to_bytes(32, "big").hex()


def padded(address: str) -> str:
    return "0x" + address[2:].rjust(64, "0")


SLOTS = ("asset", "amount", "recipient")


def problems_of(
    receipt: Receipt,
    agent: MemoryAgent,
    action: str,
    slots: Sequence[str],
    words: Sequence[str],
) -> Callable[[tuple[TokenTransfer, ...]], str]:
    """What is wrong with transfers, where the withdrawal is another call."""
    (run,) = receipt.runs
    steps = list(run.iterations)
    (index,) = (i for i, step in enumerate(steps) if step.decision.action == "Withdraw")
    named = tuple(ArgumentRecord(slot=slot, text=slot, source="prompt") for slot in slots)
    changes = {"action": action, "values": tuple(words), "arguments": named}
    decision = steps[index].decision.model_copy(update=changes)
    steps[index] = steps[index].model_copy(update={"decision": decision})
    decided = run.model_copy(update={"iterations": tuple(steps)})

    def problem(transfers: tuple[TokenTransfer, ...]) -> str:
        happens(agent, transfers=transfers)
        stands = Standing((), WALLET, POOL)
        checks = check_effects("run 1", decided, agent, lambda record: stands, lambda later: None)
        (found,) = [each for each in checks if each.claim == "tokens moved as decided"]
        return found.problem

    return problem


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_what_was_decided_is_by_what_each_argument_is_for(
    receipt: Receipt, agent: MemoryAgent, order: tuple[int, ...]
) -> None:
    """A model may have a tool's arguments in another order than the wallet takes them."""
    words = (padded(USDC), units(7), padded(STRANGER))
    moved = (TokenTransfer(USDC, WALLET, STRANGER, 7),)
    slots, sorted_words = [SLOTS[i] for i in order], [words[i] for i in order]
    assert problems_of(receipt, agent, "Transfer", slots, sorted_words)(moved) == ""
    if order != (0, 1, 2):  # the wallet moves by place what is named otherwise
        assert problems_of(receipt, agent, "Transfer", slots, words)(moved) != ""


@pytest.mark.parametrize(
    "slots", [("asset", "asset", "amount"), ("asset", "amount", "payee"), ("amount", "recipient")]
)
def test_a_call_that_does_not_name_what_moves_is_none(
    receipt: Receipt, agent: MemoryAgent, slots: tuple[str, ...]
) -> None:
    words = (padded(USDC), units(7), padded(STRANGER))
    moved = (TokenTransfer(USDC, WALLET, STRANGER, 7),)
    assert problems_of(receipt, agent, "Transfer", slots, words)(moved) != ""


@pytest.mark.parametrize(
    ("action", "values", "moved"),
    [
        ("Transfer", (USDC, STRANGER), TokenTransfer(USDC, WALLET, STRANGER, 7)),
        ("Deploy", (USDC,), TokenTransfer(USDC, WALLET, POOL, 7)),
        ("Withdraw", (USDC,), TokenTransfer(USDC, POOL, WALLET, 7)),
    ],
)
def test_each_action_moves_its_own_way(
    receipt: Receipt,
    agent: MemoryAgent,
    action: str,
    values: tuple[str, ...],
    moved: TokenTransfer,
) -> None:
    words = (padded(values[0]), units(7), *map(padded, values[1:]))
    problem = problems_of(receipt, agent, action, SLOTS[: len(words)], words)
    assert problem((moved,)) == ""
    back = replace(moved, sender=moved.recipient, recipient=moved.sender)
    for wrong in (back, replace(moved, units=8), replace(moved, token=STRANGER)):
        assert problem((wrong,)) != ""
    for elsewhere in ("0x" + "88" * 20, "0x" + "00" * 20):
        assert problem((replace(moved, recipient=elsewhere),)) != ""
