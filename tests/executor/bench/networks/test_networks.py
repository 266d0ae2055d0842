"""A folder of networks from end to end: what is proven, what is refused, what is kept."""

import json
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.command_line import exit_code, one_line_error
from tests.support.small_networks import network, node, relu_network
from zkagent.executor.bench.networks.cases import Case, find_cases
from zkagent.executor.bench.networks.child import deviation
from zkagent.executor.bench.networks.results import (
    PROVEN,
    REFUSED,
    TIMED_OUT,
    Made,
    Outcome,
    Outcomes,
    comparison,
    medians,
    summary,
    table,
)
from zkagent.executor.bench.networks.runner import Limits, run_case
from zkagent.executor.errors import ArgumentRefused
from zkagent.verifier_contracts.chain.local import Anvil


def unknown_network() -> bytes:
    return network([node("Det", ["x"], "y")], {}, outputs=4, kind=TensorProto.FLOAT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """relu with an input.json, twin with samples of its name, and strange, which is refused."""
    made = tmp_path / "networks"
    for name, content in (("relu", relu_network()), ("strange", unknown_network())):
        (made / name).mkdir(parents=True)
        (made / name / "network.onnx").write_bytes(content)
    (made / "relu" / "input.json").write_text('{"input_data": [[0.5, -1.25, 2.0, 0.25]]}')
    (made / "twin.onnx").write_bytes(relu_network())
    np.savez(made / "twin.npz", x=np.ones((2, 4), dtype=np.float32))
    return made


def test_networks_and_samples_are_found_by_their_names(folder: Path) -> None:
    found = find_cases(folder)
    assert [case.name for case in found] == ["relu", "strange", "twin"]
    assert [case.samples and case.samples.name for case in found] == [
        "input.json",
        None,
        "twin.npz",
    ]
    assert [case.name for case in find_cases(folder, ["twin"])] == ["twin"]
    with pytest.raises(ArgumentRefused, match="network is 'other'"):
        find_cases(folder, ["other"])
    with pytest.raises(ArgumentRefused, match=r"folder is .* expected one with"):
        find_cases(folder / "relu" / "nothing")


@pytest.mark.slow
def test_a_folder_becomes_a_table_and_is_not_run_again(
    folder: Path, zkagent_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder.parent / "out"
    command = ["bench", "networks", str(folder), "--out", str(out)]
    assert exit_code(*command) == 0
    assert "of 3 networks 2 proven, 1 refused" in capsys.readouterr().out
    kept = Outcomes.load(out / "networks.jsonl").found
    assert {name: each.verdict for name, each in kept.items()} == {
        "relu": PROVEN,
        "strange": REFUSED,
        "twin": PROVEN,
    }
    assert "Det (node 'y')" in kept["strange"].reason
    made = kept["relu"].made
    assert made
    assert made.deviation is not None
    assert made.deviation < 0.01
    assert (kept["relu"].agreement, kept["relu"].kinds) == (1.0, ("numbers",))
    text = (out / "networks.md").read_text()
    assert "| relu | proven |" in text
    assert "| strange | refused |" in text
    before = (out / "networks.jsonl").read_bytes()
    assert exit_code(*command) == 0
    assert (out / "networks.jsonl").read_bytes() == before


@pytest.mark.slow
def test_beside_ezkl_s_own_pipeline(folder: Path, zkagent_home: Path, anvil: Anvil) -> None:
    case = find_cases(folder, ["relu"])[0]
    found = run_case(case, Limits(proofs=2), chain=anvil, against=True, say=lambda _: None)
    ours, theirs = found.made, found.ezkl
    assert (found.verdict, found.ezkl_reason) == (PROVEN, "")
    assert ours
    assert theirs
    for side in (ours, theirs):
        assert side.gas
        assert min(side.gas, side.key_bytes, side.rows, side.prove_s) > 0
        assert side.deviation is not None
        assert side.deviation < 0.05


def test_a_reason_names_the_samples_wherever_the_folder_lies(
    folder: Path, zkagent_home: Path
) -> None:
    (folder / "relu" / "input.json").write_text('{"input_data": [[0.5], [1.0]]}')
    found = run_case(find_cases(folder, ["relu"])[0], Limits(), say=lambda _: None)
    assert found.verdict == REFUSED
    assert found.reason.startswith("input.json is no usable samples file")
    assert str(folder) not in found.reason


def test_a_network_that_takes_too_long_is_ended(folder: Path, zkagent_home: Path) -> None:
    case = find_cases(folder, ["relu"])[0]
    found = run_case(case, Limits(seconds=0.05), say=lambda _: None)
    assert (found.verdict, found.reason) == (TIMED_OUT, "no end after 0.05 s")


def made(**changes: float) -> Made:
    figures = {"rows": 10, "logrows": 6, "seconds": 1.0, "prove_s": 1.0, "verify_s": 0.1}
    figures |= {"key_bytes": 1000, "peak_bytes": 10**6, "gas": 300_000, "deviation": 0.001}
    return Made(**{**figures, **changes})  # type: ignore[arg-type]


def outcome(name: str, ours: Made | None = None, ezkl: Made | None = None) -> Outcome:
    return Outcome(name, PROVEN, 1.0, made=ours, ezkl=ezkl)


def test_ratios_are_medians_and_name_what_is_further_off() -> None:
    both = [
        outcome("a", made(), made(prove_s=2.0, gas=400_000, key_bytes=2000)),
        outcome("b", made(deviation=0.01), made(prove_s=5.0, gas=600_000, key_bytes=3000)),
        outcome("c", made(), made(prove_s=9.0, gas=600_000, key_bytes=9000)),
    ]
    said = medians(both)
    assert "Medians of 3: 5.0 times as fast, keys 3.0 times as small, 50% less gas" in said
    assert said.endswith("further from onnxruntime than ezkl's: b.")
    assert "none further" in medians([both[0]])
    assert "| b | 1.00 s | 5.00 s | 5.0 |" in comparison(both)
    exactly = [outcome("e", made(deviation=0.5), made(deviation=0.0))]
    assert medians(exactly).endswith("further from onnxruntime than ezkl's: e.")
    assert medians([outcome("d", made())]) == "No network was proven by both."


def test_names_of_strangers_cannot_break_the_table() -> None:
    text = table([Outcome("a|b\nc", REFUSED, 0.5, "x | y")])
    assert len(text.splitlines()) == 3
    assert "a\\|b" in text
    assert "x \\| y" in text


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "networks.jsonl"
    kept = Outcomes.load(path)
    kept.add(outcome("a", made(), made()))
    kept.add(Outcome("b", REFUSED, 0.1, "why", kinds=("numbers",), changes=("this",)))
    path.write_text(kept.text)
    assert Outcomes.load(path).found == kept.found
    assert summary(list(kept.found.values())) == "of 2 networks 1 proven, 1 refused"
    assert json.loads(path.read_text().splitlines()[0])["name"] == "a"


def test_a_case_without_samples_is_a_case(folder: Path) -> None:
    assert Case("strange", folder / "strange" / "network.onnx", None) in find_cases(folder)


@pytest.mark.parametrize(
    ("name", "content"),
    [("networks.md", "mine"), ("networks.jsonl", "mine"), ("networks.jsonl", '{"name": "a"}')],
)
def test_what_others_wrote_is_in_the_way(
    folder: Path, name: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder.parent / "out"
    out.mkdir()
    (out / name).write_text(content)
    assert exit_code("bench", "networks", str(folder), "--out", str(out)) == 1
    assert f"{name} is there already" in one_line_error(capsys)
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [(name, content)]


def test_a_large_output_does_not_hide_how_far_a_small_one_is_off() -> None:
    expected = [np.array([300]), np.array([[0.25, 0.75]])]
    assert deviation(expected, [300, 0.25, 0.75]) == 0.0
    assert deviation(expected, [300, 0.25, 0.675]) == pytest.approx(0.1)
    assert deviation(expected, [303, 0.25, 0.75]) == pytest.approx(0.01)
    assert deviation([np.array([0.0])], [0.5]) == 0.5
