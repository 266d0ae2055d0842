"""A real run of one tiny network: proofs, a chain, files; and what an interruption leaves."""

import dataclasses
import signal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.executor.bench.made_results import results
from tests.support.checkout import DOCS
from tests.support.command_line import exit_code
from tests.support.operator_networks import looked_up, table
from tests.support.progress import quiet
from tests.support.small_networks import square_network, squares
from zkagent.circuits.errors import EngineError
from zkagent.executor.bench import proving
from zkagent.executor.bench.forms import Prepared, zkagent
from zkagent.executor.bench.plots import draw_all
from zkagent.executor.bench.proving import Entry
from zkagent.executor.bench.report import report
from zkagent.executor.bench.results import Results, Share
from zkagent.executor.bench.runner import Runner
from zkagent.executor.bench.subjects import Say, Subject, saved
from zkagent.executor.bench.suite import FORMS, KEYED, Job, Suite, full, quick
from zkagent.executor.cli.bench import bench_group
from zkagent.executor.errors import BenchFolderRefused, BenchMeasurementFailed, UnknownBenchModel


def tiny(folder: Path, say: Say) -> Subject:
    """y = (x W1 + B1)^2 W2 of tests.support.small_networks, right on every second sample."""
    x = np.array([[[3, -1, 4, 1]], [[-5, 9, 2, 6]]], dtype=np.int64)
    chosen = [int(np.argmax(squares(row[0].tolist()))) for row in x]
    return Subject(
        name="tiny",
        title="tiny squares",
        family="width",
        network=saved(square_network(), folder, "tiny"),
        samples=x,
        labels=np.array([chosen[0], 1 - chosen[1]]),
        accuracy_of="two points",
        input_bits=8,
    )


def tokens(folder: Path, say: Say) -> Subject:
    """Look-ups in a table of eleven rows."""
    content = looked_up(table(11, 12))
    return Subject(
        name="tokens",
        title="look-ups",
        family="text",
        network=saved(content, folder, "tokens", any_integers=True),
        samples=np.array([[[10, 0, 3]], [[1, 2, 9]]]),
        input_bits=5,
    )


def impatient(folder: Path, say: Say) -> Subject:
    """Ctrl-C."""
    raise KeyboardInterrupt


def terminated(folder: Path, say: Say) -> Subject:
    """What `timeout` does: to its child, and then to all of its group."""
    assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL, "it would end the tests"
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.raise_signal(signal.SIGTERM)
    raise AssertionError


def suite(*jobs: Job) -> Suite:
    return Suite("quick", jobs, rounds=2, setups=1, runs=False)


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    subject = tiny(tmp_path, quiet)
    return Entry("zkagent", 1, subject, zkagent(subject, 1, tmp_path, quiet))


@pytest.mark.chain
def test_a_run_measures_what_it_says_and_keeps_it_when_interrupted(tmp_path: Path) -> None:
    first = Job("tiny", tiny, (("zkagent", 1),), evm=True, agreement=2)
    runner = Runner(suite(first, Job("never", impatient, ())), tmp_path / "out", threads=1)
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    found = Results.load(tmp_path / "out")
    assert found == runner.results
    assert not found.complete
    assert "Incomplete" in report(found)
    proven, evaluated = found.cases
    assert proven.key == ("tiny", "zkagent", 1)
    assert proven.prove_s is not None
    assert len(proven.prove_s.values) == 2
    assert proven.instances == 6
    assert proven.agreement is not None
    assert (proven.agreement.hits, proven.agreement.total) == (2, 2)
    assert proven.accuracy is not None
    assert proven.accuracy.value == 0.5
    assert proven.verify_gas is not None
    assert evaluated.verify_gas is not None
    assert 100_000 < proven.verify_gas < 500_000
    assert 100 < evaluated.verify_gas < 5_000
    assert found.network("tiny").multiply_adds == 4 * 3 + 3 * 2
    assert list(draw_all(found)) == ["prove-time.png", "accuracy.png", "accuracy-gas.png"]


@pytest.mark.chain
def test_sigterm_ends_it_as_ctrl_c_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = suite(Job("none", tiny, ()), Job("never", terminated, ()))
    monkeypatch.setattr("zkagent.executor.bench.suite.quick", lambda: both)
    before = signal.getsignal(signal.SIGTERM)
    assert exit_code("bench", "--out", tmp_path, "--no-plots") == 130
    found = Results.load(tmp_path)
    assert (found.complete, [network.name for network in found.networks]) == (False, ["tiny"])
    assert "Incomplete" in (tmp_path / "report.md").read_text()
    printed = capsys.readouterr()
    assert printed.out.endswith(f"{tmp_path}/report.md (incomplete)\n")
    assert printed.err.endswith("interrupted\n")
    assert signal.getsignal(signal.SIGTERM) == before


def test_ezkl_s_refusal_leaves_one_circuit_out_and_the_others_in(entry: Entry) -> None:
    other = dataclasses.replace(entry, times={})
    missing = dataclasses.replace(entry.prepared, pk=entry.prepared.pk.with_name("missing"))
    broken = Entry("broken", 1, entry.subject, missing)
    proving.time_proofs([broken, other], 1, 1, lambda: None)
    assert broken.failed
    assert broken.timing("prove_s") is None
    assert other.timing("prove_s") is not None
    with pytest.raises(EngineError):
        proving.evaluate(Entry("broken", 1, entry.subject, without_circuit(missing)), 1)


def without_circuit(prepared: Prepared) -> Prepared:
    return dataclasses.replace(prepared, compiled=prepared.compiled.with_name("missing"))


def test_a_circuit_that_computes_something_else_stops_everything(
    entry: Entry, tmp_path: Path
) -> None:
    content = square_network().replace(np.int64(30).tobytes(), np.int64(31).tobytes())
    other = saved(content, tmp_path, "other")
    changed = dataclasses.replace(entry.prepared, network=other)
    with pytest.raises(BenchMeasurementFailed, match="where onnxruntime computes"):
        proving.time_proofs([Entry("zkagent", 1, entry.subject, changed)], 1, 1, lambda: None)


def test_a_batch_takes_different_samples_each_turn(entry: Entry) -> None:
    batch = dataclasses.replace(entry, batch=3)
    assert batch.inputs(0) == (3, -1, 4, 1, -5, 9, 2, 6, 3, -1, 4, 1)
    assert batch.inputs(1)[:4] == (-5, 9, 2, 6)


def test_the_quick_run_is_part_of_the_full_one() -> None:
    names = [job.name for job in full().jobs]
    assert [job.name for job in quick().jobs if job.name not in names] == []
    assert quick().rounds < full().rounds


def test_classifiers_of_all_sizes_are_measured_where_they_can_be(tmp_path: Path) -> None:
    jobs = {job.name: job for job in full(clinc150=tmp_path).jobs}
    sizes = [jobs[f"clinc150-{size}"] for size in ("S", "M", "L", "XL", "XXL")]
    assert [job.evm for job in sizes] == [True] * 4 + [False]
    assert [("zkagent", 1) in job.circuits for job in sizes] == [True] * 4 + [False]
    assert all(set(KEYED) <= set(job.circuits) for job in sizes)


@pytest.mark.chain
def test_a_network_that_neither_ezkl_nor_the_evm_takes_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("groth16py")
    job = Job("tokens", tokens, (("groth16", 1),), agreement=2)
    found = Runner(suite(job), tmp_path / "out", threads=1).run()
    assert found.notes == ()
    (case,) = found.cases
    assert case.instances == 3  # three numbers of 5 bits in a word; twelve outputs, folded
    assert case.agreement == Share(hits=2, total=2)
    assert case.verify_gas is not None


def test_an_unknown_model_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownBenchModel, match=r"no model 'nope': choose from mlp-square, "):
        quick().only(("nope",))


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    results().save(tmp_path)
    before = (tmp_path / "results.json").read_bytes()
    failed = CliRunner().invoke(bench_group, ["--out", str(tmp_path), "--no-plots"])
    assert isinstance(failed.exception, BenchFolderRefused)
    assert "it holds results.json already; give another folder with --out" in str(failed.exception)
    assert (tmp_path / "results.json").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_refused_before_measuring(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    given = ["--out", str(tmp_path / "file" / "inside"), "--no-plots"]
    failed = CliRunner().invoke(bench_group, given)
    assert isinstance(failed.exception, BenchFolderRefused)


def test_help_tells_of_both_sizes_and_of_comparison() -> None:
    shown = CliRunner().invoke(bench_group, ["--help"]).output
    assert "--full" in shown
    assert "compare" in shown


@pytest.mark.chain
def test_groth16_proofs_are_measured_alone_and_together(tmp_path: Path) -> None:
    pytest.importorskip("groth16py")
    job = Job("tiny", tiny, KEYED, evm=True, agreement=2)
    found = Runner(suite(job), tmp_path / "out", threads=1).run()
    assert found.notes == ()
    one, three, evaluated = found.cases
    assert [case.key for case in found.cases[:2]] == [("tiny", "groth16", n) for n in (1, 3)]
    assert evaluated.form == "evm"
    assert (one.proof_bytes, three.proof_bytes) == (256, 3 * 256)
    assert (one.instances, three.instances) == (2, 6)  # a word of 4 features, one of 2 outputs
    assert one.agreement == Share(hits=2, total=2)
    assert one.accuracy is not None
    assert one.accuracy.value == 0.5
    assert one.verify_gas is not None
    assert three.gas_per_decision is not None
    assert 190_000 < one.verify_gas < 250_000
    assert 80_000 < three.gas_per_decision < 130_000
    assert one.setup_s is not None
    assert one.prove_peak_bytes
    assert one.code_bytes == 16 + 448 + 64 * 3
    assert list(draw_all(found)) == ["accuracy.png", "accuracy-gas.png"]


def test_every_form_is_explained() -> None:
    text = (DOCS / "benchmarks.md").read_text()
    assert [form for form in (*FORMS, "evm") if f"`{form}`" not in text] == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [(["--snips", "."], "go with --full"), (["--full", "--snips", "nowhere"], "does not exist")],
)
def test_texts_that_would_not_be_measured_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(bench_group, options)
    assert (refused.exit_code, reason in refused.output) == (2, True)
    assert list(tmp_path.iterdir()) == []
