"""The results as Markdown: what matters first, then every figure, then where it was measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from zkagent.executor.bench.breakeven import Crossing, crossings
from zkagent.executor.bench.figures import ABSENT, gas, percent, size, three, timed, whole
from zkagent.executor.bench.plots import PLOTS
from zkagent.executor.bench.results import Case, Machine, Results, Run
from zkagent.executor.bench.series import GROTH16, accuracy_of
from zkagent.models.files import open_regular

REPORT, TITLE = "report.md", "# What a proof costs"
BASELINE = "ezkl-defaults"
WIDTH = "width"  # the family of networks that are measured for the break-even only


def report(results: Results, plots: Sequence[str] = ()) -> str:
    """Markdown; `plots`: the names of the PNG files beside it."""
    parts = [
        _head(results),
        _summary(results),
        *(f"![{PLOTS[name].title}]({name})" for name in plots),
        _break_even(results),
        _timings(results),
        _sizes(results),
        _gas(results),
        _runs(results),
        _networks(results),
        _notes(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def is_report(path: Path) -> bool:
    """Whether what lies there begins like one. Raises OSError."""
    with open_regular(path) as file:
        return file.read(len(TITLE)) == TITLE.encode()


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 2) -> str:
    """Markdown; the first `texts` columns to the left, the numbers to the right. Empty without
    rows."""
    if not rows:
        return ""
    align = ["---"] * texts + ["---:"] * (len(head) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, align, *rows))


def machine_line(machine: Machine) -> str:
    memory = size(machine.memory_bytes)
    load = [ABSENT if v is None else f"{v:.1f}" for v in (machine.load_before, machine.load_after)]
    return (
        f"{machine.processor}, {machine.cores} cores, {memory}, {machine.system}; "
        f"load average {load[0]} before, {load[1]} after"
    )


def headline(results: Results) -> str:
    """The table of the summary: one row for each form of each network worth naming."""
    rows = [_summary_row(results, case) for case in results.cases if _worth_naming(results, case)]
    head = ["network", "form", "batch", "prove", "a decision, against ezkl's defaults"]
    head += ["gas per decision", "against ezkl's defaults", "same decisions", "accuracy"]
    return table(head, rows)


def _head(results: Results) -> str:
    command = "zkagent bench" + (" --full" if results.suite == "full" else "")
    lines = [
        TITLE,
        "",
        f"`{command}`, {results.started}, {results.duration_s:,.0f} s.",
        f"Measured on {machine_line(results.machine)}.",
        f"Versions: {', '.join(f'{n} {v}' for n, v in results.versions.items())}.",
    ]
    if not results.complete:
        lines += ["", "**Incomplete: the run was interrupted; what follows was measured before.**"]
    return "\n".join(lines)


def _summary(results: Results) -> str:
    found = headline(results)
    text = (
        "Seconds are medians of proofs made in turns, ± the median distance from them. Gas is that "
        "of the verifying call alone, without the transaction's 21,000 and its calldata."
    )
    return f"## In short\n\n{text}\n\n{found}" if found else ""


def _worth_naming(results: Results, case: Case) -> bool:
    return results.network(case.network).family != WIDTH


def _summary_row(results: Results, case: Case) -> list[str]:
    network, baseline = results.network(case.network), results.case(case.network, BASELINE)
    return [
        network.title,
        case.form,
        str(case.batch),
        timed(case.prove_s),
        _speed(case, baseline),
        gas(case.gas_per_decision),
        _gas_change(case, baseline),
        percent(case.agreement),
        percent(accuracy_of(network, case)),
    ]


def _speed(case: Case, baseline: Case | None) -> str:
    """How many times faster a decision is proven."""
    if baseline is None or case is baseline:
        return ABSENT
    ours, theirs = case.prove_s_per_decision, baseline.prove_s_per_decision
    return f"{three(theirs / ours)}x faster" if ours and theirs else ABSENT


def _gas_change(case: Case, baseline: Case | None) -> str:
    """How much less gas it takes to verify a decision, or more."""
    if baseline is None or case is baseline:
        return ABSENT
    ours, theirs = case.gas_per_decision, baseline.gas_per_decision
    return f"{100 * (ours / theirs - 1):+.0f} %" if ours and theirs else ABSENT


def _break_even(results: Results) -> str:
    lines = [_sentence(crossing) for crossing in crossings(results)]
    lines += [_deployment(results)] if lines else []
    return "## Evaluate or verify?\n\n" + "\n".join(lines) if lines else ""


def _sentence(crossing: Crossing) -> str:
    one = "one decision for each proof" if crossing.batch == 1 else f"{crossing.batch} per proof"
    if crossing.form == GROTH16:
        together = f"{crossing.batch} Groth16 proofs verified together"
        one = "a Groth16 proof alone" if crossing.batch == 1 else together
    around = round(crossing.multiply_adds / 100) * 100
    beyond = "" if crossing.measured else " (no proof of that size was measured)"
    return (
        f"- With {one}, verifying ({gas(crossing.gas)} gas per decision) is cheaper than "
        f"evaluating in the EVM from about {around:,} multiply-adds on{beyond}; below, evaluate."
    )


def _deployment(results: Results) -> str:
    """What the largest contract takes that evaluates, beside a verifier."""
    largest = max(results.of_form("evm"), key=lambda case: case.deploy_gas or 0)
    verifiers = [case.deploy_gas for case in results.of_form("zkagent", 1) if case.deploy_gas]
    adds = results.network(largest.network).multiply_adds
    return (
        f"- Deployment: contracts that evaluate {whole(adds)} multiply-adds take "
        f"{gas(largest.deploy_gas)} gas, a verifier {gas(max(verifiers, default=None))} at most."
    )


def _timings(results: Results) -> str:
    head = ["network", "form", "batch", "setup", "witness", "prove", "verify"]
    head += ["peak memory: setup", "prove"]
    rows = [
        [
            *_name(case),
            timed(case.setup_s),
            timed(case.witness_s),
            timed(case.prove_s),
            timed(case.verify_s),
            size(case.setup_peak_bytes),
            size(case.prove_peak_bytes),
        ]
        for case in results.cases
        if case.prove_s or case.setup_s
    ]
    return "## Time and memory\n\n" + table(head, rows) if rows else ""


def _sizes(results: Results) -> str:
    head = ["network", "form", "batch", "rows", "columns", "cells", "instances"]
    head += ["proving key", "verifying key", "proof", "calldata"]
    rows = [
        [
            *_name(case),
            f"{whole(case.rows)} of 2^{case.logrows}",
            whole(case.columns),
            whole(case.cells),
            whole(case.instances),
            size(case.pk_bytes),
            size(case.vk_bytes),
            size(case.proof_bytes),
            size(case.calldata_bytes),
        ]
        for case in results.cases
        if case.cells is not None
    ]
    return "## Sizes\n\n" + table(head, rows) if rows else ""


def _gas(results: Results) -> str:
    head = ["network", "form", "batch", "verify", "per decision", "ezkl's own verifier"]
    head += ["calldata", "deploy", "code"]
    rows = [
        [
            *_name(case),
            whole(case.verify_gas),
            gas(case.gas_per_decision),
            whole(case.stock_verify_gas),
            whole(case.calldata_gas),
            gas(case.deploy_gas),
            size(case.code_bytes),
        ]
        for case in results.cases
        if case.verify_gas is not None
    ]
    text = (
        "Calldata is that of a call of the verifier itself, proof and all public values; an "
        "agent's contract makes the inputs itself and takes the outputs in 8 bytes each."
    )
    return f"## Gas\n\n{text}\n\n{table(head, rows)}" if rows else ""


def _runs(results: Results) -> str:
    head = ["prompt", "form", "iteration", "decide", "verify", "act", "transaction"]
    rows = [row for run in results.runs for row in _run_rows(run)]
    text = "Whole runs of the wallet agent, each in one transaction; act is the tool's own work."
    return f"## Whole iterations\n\n{text}\n\n{table(head, rows)}" if rows else ""


def _run_rows(run: Run) -> Iterator[list[str]]:
    prompt = f"{len(run.prompt)} characters"
    for number, cost in enumerate(run.iterations, start=1):
        costs = [whole(cost.decide), whole(cost.verify), whole(cost.act)]
        yield [prompt, run.form, str(number), *costs, ""]
    yield [prompt, run.form, "all", "", "", "", whole(run.transaction_gas)]


def _networks(results: Results) -> str:
    head = ["name", "network", "inputs", "outputs", "multiply-adds", "accuracy", "of", "ONNX"]
    rows = [
        [
            network.name,
            network.title,
            whole(network.inputs),
            whole(network.outputs),
            whole(network.multiply_adds),
            percent(network.accuracy),
            network.accuracy_of or ABSENT,
            f"`{network.onnx[:12]}`",
        ]
        for network in results.networks
    ]
    return "## Networks\n\n" + table(head, rows, len(head)) if rows else ""


def _notes(results: Results) -> str:
    lines = [f"- {note}" for note in results.notes]
    return "## Left out\n\n" + "\n".join(lines) if lines else ""


def _name(case: Case) -> list[str]:
    return [case.network, case.form, str(case.batch)]


__all__ = ["BASELINE", "REPORT", "headline", "machine_line", "report", "table"]
