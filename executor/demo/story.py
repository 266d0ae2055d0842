"""The demo: some runs and the attacks on a chain of its own, as data. `demo_view` prints it.

Called by `zkagent demo` and by the integration tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.embedded import Balance, EmbeddedChain, balances
from zkagent.executor.chain.gas_report import IterationGas, iteration_gas
from zkagent.executor.demo.attacks.catalogue import attacks_on
from zkagent.executor.demo.attacks.preparation import prepare
from zkagent.executor.demo.attacks.stage import AttackResult
from zkagent.executor.errors import DemoError
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.file import keep
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import DEMO_CONTACT
from zkagent.models.whole import Place

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Scene:
    """A run to be shown. calls: the tools that it has to use, in order."""

    title: str
    prompt: str
    calls: tuple[str, ...]


@dataclass(frozen=True)
class ShownRun:
    """A run that happened. gas: per iteration, None when the node does not trace."""

    scene: Scene
    completed: CompletedRun
    gas: tuple[IterationGas, ...] | None
    before: tuple[Balance, ...]
    after: tuple[Balance, ...]


@dataclass(frozen=True)
class DemoReceipt:
    """Where the receipt of all runs is, and the verdict on it, offline and with the chain."""

    path: Path
    report: Report


#: What a model of whole instructions does besides.
INSTRUCTED = (
    Scene("a transfer to a contact", f"send 5 DAI to {DEMO_CONTACT}", ("Transfer",)),
    Scene(
        "two instructions in one",
        f"deposit 10 DAI and then send half of my USDC to {DEMO_CONTACT}",
        ("Deploy", "ViewBalance", "Transfer"),
    ),
)


def scenes(friend: str, model: Model) -> tuple[Scene, ...]:
    """The runs; `friend` is the address that one of them sends tokens to."""
    more = () if model.caution is None else INSTRUCTED
    return (
        Scene("a deposit", "deposit 120.5 USDC into the pool", ("Deploy",)),
        Scene("a withdrawal of everything", "withdraw all my USDC", ("ViewBalance", "Withdraw")),
        Scene("a transfer to an address", f"send 25 DAI to {friend}", ("Transfer",)),
        *more,
        Scene("not the wallet's business", "what is the weather like in Lisbon tomorrow?", ()),
    )


def play(session: Session, chain: EmbeddedChain) -> Iterator[ShownRun]:
    """The runs, one after the other. Raises DemoError when one does not use its tools."""
    for scene in scenes(chain.friend.address, session.model):
        before = balances(chain)
        completed = session.runner.run(scene.prompt.encode())
        proven = completed.proven
        decisions = proven.plan.decisions
        calls = tuple(d.decision.action for d in decisions if d.decision.kind == "call")
        if calls != scene.calls:
            raise DemoError(f"{scene.prompt!r} called {calls}, expected {scene.calls}")
        identity, covered = proven.plan.identity, proven.groups
        gas = iteration_gas(chain.web3, completed.inclusion.hash, identity, covered)
        yield ShownRun(scene, completed, gas, before, balances(chain))


def attack(session: Session, chain: EmbeddedChain, tell: Tell) -> Iterator[AttackResult]:
    """The attacks, one after the other; each is undone."""
    stage = prepare(session, chain, tell)
    for mount in attacks_on(session.circuit, session.model):
        tell(f"attack: {mount.__name__.replace('_', ' ')}")
        yield mount(stage)


def keep_receipt(session: Session, runs: list[CompletedRun], place: Place | None) -> DemoReceipt:
    """Write the receipt of all runs and verify it again, against the chain, too."""
    receipt = write_receipt(session.chain, session.model, runs, session.signer)
    chosen = keep(receipt, place, f"demo-{runs[-1].inclusion.hash[2:18]}")
    report = verify_receipt(receipt, _sources(session))
    return DemoReceipt(chosen, report)


def _sources(session: Session) -> Sources:
    def model(name: str) -> Model:
        if name != session.model.name:
            raise ValueError(f"the receipt names model {name}, the demo ran {session.model.name}")
        return session.model

    circuits = LocalCircuits()
    contracts = RunContracts(session.chain.reader, model, circuits)
    return Sources(model, circuits, lambda agent: session.chain, contracts)
