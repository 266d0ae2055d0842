"""How the demo looks: plain lines, coloured on a terminal."""

import re
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from zkagent.executor.chain.embedded import Balance, EmbeddedChain
from zkagent.executor.chain.gas_report import IterationGas
from zkagent.executor.cli.circuits_shown import setup_of
from zkagent.executor.demo.attacks.stage import AttackResult
from zkagent.executor.demo.story import DemoReceipt, ShownRun
from zkagent.executor.runs.derivation import observation_in, text
from zkagent.executor.runs.session import Session
from zkagent.models.encoding.amounts import format_amount

WIDTH = 96
HASH = re.compile(r"(0x[0-9a-f]{8})[0-9a-f]{52}([0-9a-f]{4})\b")


class DemoView:
    """Prints to `console` what the demo yields."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def opening(self, session: Session, chain: EmbeddedChain) -> None:
        circuit, deployment = session.circuit, chain.deployment
        self.heading("A wallet agent whose every decision is proven")
        self.pair("model", f"{session.model.name}, manifest {session.model.digest[:16]}")
        self.pair(
            "circuit",
            f"{circuit.digest[:16]}, {circuit.rows} rows of 2^{circuit.logrows}, "
            f"{setup_of(circuit)}",
        )
        self.pair("chain", f"{deployment.chain_id} at {chain.anvil.rpc_url}")
        self.pair("agent", f"{deployment.agent}, model {deployment.model_id} of the registry")
        self.pair("owner", chain.owner.address)

    def run(self, number: int, run: ShownRun) -> None:
        self.heading(f"Run {number}: {run.scene.title}")
        self.pair("prompt", run.scene.prompt, "bold")
        gas = run.gas or ()
        for index in range(len(run.completed.proven.plan.decisions)):
            self._iteration(run, index, gas[index] if index < len(gas) else None)
        result = run.completed.inclusion.result
        self.pair("answer", text(result.answer), "bold")
        self.pair(
            "transaction",
            f"{run.completed.inclusion.hash}, block {result.block.number}, {result.gas_used:,} gas",
        )
        self._balances(run.before, run.after)

    def attacks_begin(self) -> None:
        self.heading("Attacks: each one a real transaction or proof, each one has to bounce")

    def attack(self, number: int, result: AttackResult) -> None:
        verdict = "[green]bounced[/]" if result.bounced else "[bold red]SUCCEEDED[/]"
        self.console.print(f"{number:2}. [bold]{escape(result.name)}[/]: {verdict}")
        self.console.print(f"    {result.attempt}", markup=False)
        self.console.print(f"    {short(result.error)}", style="yellow", markup=False)

    def closing(
        self,
        results: Sequence[AttackResult],
        receipt: DemoReceipt,
        problems: Sequence[str],
        seconds: float,
    ) -> None:
        bounced = sum(result.bounced for result in results)
        held = sum(check.held for check in receipt.report.checks)
        self.heading("Result")
        self.pair("attacks", f"{bounced} of {len(results)} bounced")
        self.pair(
            "verified",
            f"{held} of {len(receipt.report.checks)} checks of the receipt hold, "
            "recomputed and compared with the chain",
        )
        for problem in (*map(str, receipt.report.problems), *problems):
            self.pair("broken", problem, "bold red")
        self.pair("took", f"{seconds:.0f} s")
        self.pair("again", f"{_called()} verify-run {receipt.path}")
        self.pair("receipt", str(receipt.path), "bold")

    def verdict(self, what: str, verdict: str, style: str) -> None:
        self.console.print(f"- {escape(what)}: [{style}]{verdict}[/]")

    def heading(self, title: str) -> None:
        self.console.print()
        self.console.print(title, style="bold cyan", markup=False)
        self.console.print("-" * min(len(title), WIDTH), style="cyan")

    def pair(self, name: str, value: str, style: str = "") -> None:
        self.console.print(f"{name:<14}{value}", style=style, markup=False)

    def _iteration(self, run: ShownRun, index: int, gas: IterationGas | None) -> None:
        planned = run.completed.proven.plan.decisions[index]
        decision, steps = planned.decision, run.completed.inclusion.result.steps
        self.console.print(f"  iteration {index + 1}", style="bold")
        if decision.kind == "call":
            thought = decision.reasoning.partition("\n")[0].removeprefix("Thought: ")
            self.pair("    thought", thought)
            self.pair("    call", decision.words, "green")
            observed = observation_in(steps[index], decision) or b""
            self.pair("    observed", text(observed))
        else:
            self.pair("    answer", f"({decision.kind}) no tool is called", "green")
        proven = run.completed.proven
        seconds = proven.seconds[proven.proof_of(index)]
        self.pair("    cost", f"proof {seconds:.2f} s{_gas(gas)}")

    def _balances(self, before: Sequence[Balance], after: Sequence[Balance]) -> None:
        changed = [(b, a) for b, a in zip(before, after, strict=True) if a != b]
        if not changed:
            self.pair("balances", "unchanged: " + "; ".join(map(_held, after)))
        for old, new in changed:
            for place in ("pool", "wallet", "friend"):
                was, now = getattr(old, place), getattr(new, place)
                if was != now:
                    self.pair("balances", f"{place:<7}{_amount(old, was)} -> {_amount(new, now)}")


def nowhere() -> Console:
    """For results that are told as JSON at the end."""
    return Console(quiet=True)


def demo_json(
    runs: Sequence[ShownRun], attacks: Sequence[AttackResult], receipt: DemoReceipt
) -> dict[str, Any]:
    """What `--json` says of runs, attacks and receipt."""
    return {
        "runs": [_run_json(run) for run in runs],
        "attacks": [
            {
                "name": attack.name,
                "attempt": attack.attempt,
                "bounced": attack.bounced,
                "error": attack.error,
            }
            for attack in attacks
        ],
        "receipt": {
            "path": str(receipt.path),
            "accepted": receipt.report.accepted,
            "checks": len(receipt.report.checks),
            "problems": [str(check) for check in receipt.report.problems],
        },
    }


def _run_json(run: ShownRun) -> dict[str, Any]:
    result = run.completed.inclusion.result
    return {
        "title": run.scene.title,
        "prompt": run.scene.prompt,
        "calls": list(run.scene.calls),
        "answer": text(result.answer),
        "transaction": run.completed.inclusion.hash,
        "gas": result.gas_used,
    }


def _gas(gas: IterationGas | None) -> str:
    if gas is None:
        return ""
    acting = f", tool {gas.act:,}" if gas.act else ""
    return f"; gas: decide {gas.decide:,}, verify {gas.verify:,}{acting}"


def _held(balance: Balance) -> str:
    return f"{_amount(balance, balance.wallet)} in the wallet"


def _amount(balance: Balance, units: int) -> str:
    return f"{format_amount(units, balance.decimals)} {balance.symbol}"


def short(error: str, limit: int = 240) -> str:
    """Hashes cut to their ends, and the whole to `limit` characters."""
    error = HASH.sub(r"\1...\2", error)
    return error if len(error) <= limit else error[: limit - 3] + "..."


def _called() -> str:
    """How this command is called here: it need not be on the PATH."""
    return "zkagent" if shutil.which("zkagent") else sys.argv[0]
