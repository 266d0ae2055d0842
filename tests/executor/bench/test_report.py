"""The Markdown report, on results made by hand."""

from pathlib import Path

from tests.executor.bench.made_results import network, proven, results, two_networks
from zkagent.executor.bench.report import headline, report
from zkagent.executor.bench.results import Results


def row(text: str, *cells: str) -> list[str]:
    """The one table row that begins with these cells."""
    (found,) = [line for line in text.splitlines() if line.startswith(f"| {' | '.join(cells)} |")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def test_the_summary_compares_each_form_with_ezkl_s_defaults() -> None:
    found = row(headline(two_networks()), "the mlp-square network", "zkagent", "1")
    assert found[3:] == ["400 ms ±5 %", "10.0x faster", "320k", "+0 %", "–", "–"]


def test_the_summary_gives_a_batch_s_costs_per_decision() -> None:
    found = row(headline(two_networks()), "the mlp-square network", "zkagent", "16")
    assert found[3:7] == ["6.40 s ±5 %", "10.0x faster", "38,750", "-88 %"]


def test_the_baseline_s_own_losses_are_shown() -> None:
    found = row(headline(two_networks()), "the mlp-square network", "ezkl-defaults", "1")
    assert found[4:] == ["–", "320k", "–", "99.00 %", "98.50 %"]


def test_every_measured_figure_has_a_place() -> None:
    text = report(two_networks())
    assert row(section(text, "Time and memory"), "mlp-square", "zkagent", "1")[3:] == [
        "250 ms ±20 %",
        "4.00 ms ±0 %",
        "400 ms ±5 %",
        "5.00 ms ±0 %",
        "60.0 MB",
        "70.0 MB",
    ]
    assert row(section(text, "Sizes"), "mlp-square", "zkagent", "1")[3:] == [
        "2,000 of 2^12",
        "1",
        "2,000",
        "72",
        "7.60 MB",
        "5.40 kB",
        "1.86 kB",
        "4.29 kB",
    ]
    assert row(section(text, "Gas"), "mlp-square", "evm", "1")[3:] == [
        "20,000",
        "20,000",
        "–",
        "–",
        "1.00M",
        "–",
    ]


def test_the_break_even_is_said_in_words() -> None:
    text = section(report(two_networks()), "Evaluate or verify?")
    assert "320k gas per decision) is cheaper than evaluating in the EVM from about 32,000" in text
    assert (
        "Deployment: contracts that evaluate 2,000 multiply-adds take 1.00M gas, a verifier 2.08M"
        in text
    )
    assert "38,750 gas per decision) is cheaper than evaluating in the EVM from about 3,900" in text


def test_iterations_machine_versions_and_notes_are_recorded() -> None:
    text = report(two_networks(), ["break-even.png"])
    assert row(text, "8 characters", "zkagent", "2")[3:] == ["210,000", "350,000", "40,000", ""]
    assert "1,300,000" in row(text, "8 characters", "zkagent", "all")
    assert "Some processor, 2 cores, 8.00 GB, Linux x86_64; load average 0.2 before, 1.1" in text
    assert "python 3.11.7, ezkl 23.0.5" in text
    assert "- the forest was not measured: ezkl lacks an operator" in text
    assert "(break-even.png)" in text


def test_an_interrupted_run_says_so_first() -> None:
    text = report(results([network("a")], [proven("a")], complete=False))
    assert "Incomplete" in text.split("##")[0]
    assert "Incomplete" not in report(two_networks())


def test_results_without_any_case_still_make_a_report(tmp_path: Path) -> None:
    results(complete=False).save(tmp_path)
    assert "What a proof costs" in report(Results.load(tmp_path))
