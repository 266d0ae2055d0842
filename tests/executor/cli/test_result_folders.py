"""Commands whose results are several files in a folder: what is there is not replaced, nor what
gets a name of theirs, or the folder's, while they work."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.bench.made_results import two_networks
from tests.executor.cli.test_overwriting import FOLDERS
from tests.support.command_line import exit_code
from zkagent.circuits.groth16.ceremony import files as ceremony
from zkagent.executor.bench.plots import PLOTS
from zkagent.executor.bench.report import is_report, report
from zkagent.executor.bench.runner import Runner
from zkagent.models import catalogue
from zkagent.models.classifier import files as classifier
from zkagent.models.folders import Folder, write_folder

NAMES = {
    "zkagent bench": ("results.json", "report.md", *PLOTS),
    "zkagent ceremony init": (ceremony.R1CS, ceremony.FIRST_KEY),
    "zkagent model train": catalogue.FILES,
    "zkagent model train-classifier": classifier.FILES,
}
#: It goes on with its own results of before: `tests/executor/bench/networks`.
ADDED_TO = {"zkagent bench networks"}
WORDS = {
    "zkagent bench": ("bench", "--no-plots"),
    "zkagent ceremony init": ("ceremony", "init", "wallet", "--ptau", "nowhere"),
    "zkagent model train": ("model", "train", "wallet"),
    "zkagent model train-classifier": ("model", "train-classifier", "--data", "data.jsonl"),
}
WORK = {
    "zkagent ceremony init": "zkagent.circuits.groth16.ceremony.files.begin",
    "zkagent model train": "zkagent.models.wallet.train.train_wallet",
    "zkagent model train-classifier": "zkagent.models.classifier.build.build_classifier",
}
CASES = [(command, name) for command, names in NAMES.items() for name in names]


class Done(BaseException):
    """The results are written."""


@pytest.fixture
def work(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, Callable[[], object]], list[object]]:
    """Has a command do something else in place of its work, and then write all its files."""
    (tmp_path / "data.jsonl").write_text(
        '{"text": "a", "intent": "b"}\n{"text": "c", "intent": "d"}\n'
    )
    monkeypatch.chdir(tmp_path)

    def given(command: str, meanwhile: Callable[[], object]) -> list[object]:
        def worked(*given: Any, **_: Any) -> Any:
            meanwhile()
            folder = next(each for each in given if isinstance(each, Folder))
            write_folder(folder, dict.fromkeys(NAMES[command], b"ours"))
            raise Done

        def measured(runner: Runner) -> None:
            meanwhile()
            write_folder(runner.out, dict.fromkeys(PLOTS, b"ours"))
            runner.results.save(runner.out)

        if command == "zkagent bench":
            monkeypatch.setattr(Runner, "run", measured)
        else:
            pytest.importorskip("torch" if "train" in command else "numpy")
            monkeypatch.setattr(WORK[command], worked)
        return [*WORDS[command], "--out", "out"]

    return given


def carried_out(words: list[object]) -> int:
    try:
        return exit_code(*words)
    except Done:
        return 0


def tree(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text(errors="replace") for each in folder.iterdir()}


def test_these_are_all_that_write_into_folders() -> None:
    assert {*NAMES, *ADDED_TO} == FOLDERS


@pytest.mark.parametrize(("command", "name"), CASES)
@pytest.mark.parametrize("lay", ["file", "dangling link", "folder"])
def test_what_is_there_is_refused_before_the_work(
    command: str,
    name: str,
    lay: str,
    work: Callable[..., list[object]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (place := Path("out", name)).parent.mkdir()
    if lay == "file":
        place.write_text("my own")
    elif lay == "folder":
        place.mkdir()
    else:
        place.symlink_to("nowhere")
    before = place.lstat()
    words = work(command, lambda: pytest.fail("it began"))
    assert carried_out(words) == 1
    assert f"{name} " in capsys.readouterr().err
    assert [each.name for each in place.parent.iterdir()] == [name]
    assert os.path.samestat(place.lstat(), before)


@pytest.mark.parametrize(("command", "name"), CASES)
@pytest.mark.parametrize("lay", ["file", "link", "hard link"])
def test_what_gets_a_name_meanwhile_stays(
    command: str, name: str, lay: str, work: Callable[..., list[object]]
) -> None:
    (key := Path("key")).write_text("the only copy")
    place = Path("out", name)

    def meanwhile() -> None:
        place.unlink(missing_ok=True)  # results of the first second
        if lay == "file":
            place.write_text("my own")
        elif lay == "link":
            place.symlink_to(key.absolute())
        else:
            place.hardlink_to(key)

    assert carried_out(work(command, meanwhile)) == 1
    assert place.read_text() == ("my own" if lay == "file" else "the only copy")
    assert place.is_symlink() == (lay == "link")
    assert key.read_text() == "the only copy"


@pytest.mark.parametrize("command", NAMES)
def test_what_gets_the_folders_name_meanwhile_is_not_written_into(
    command: str, work: Callable[..., list[object]]
) -> None:
    (other := Path("other")).mkdir()
    for name in NAMES[command]:
        (other / name).write_text("another's")
    before = tree(other)

    def meanwhile() -> None:
        Path("out").rename("moved")
        Path("out").symlink_to("other")

    assert carried_out(work(command, meanwhile)) == 0
    assert tree(other) == before
    assert set(tree(Path("moved"))) == set(NAMES[command])


@pytest.mark.parametrize("command", NAMES)
def test_of_two_at_once_the_second_leaves_the_firsts_results(
    command: str, work: Callable[..., list[object]]
) -> None:
    codes: list[int] = []

    def meanwhile() -> None:
        with pytest.MonkeyPatch.context() as patch:
            if command == "zkagent bench":  # the first begins while the second looks
                patch.setattr(Runner, "run", lambda self: None)
            else:
                patch.setattr(WORK[command], first)
            codes.append(carried_out([*WORDS[command], "--out", "out"]))

    def first(*given: Any, **_: Any) -> None:
        folder = next(each for each in given if isinstance(each, Folder))
        write_folder(folder, dict.fromkeys(NAMES[command], b"the first's"))
        raise Done

    second = carried_out(work(command, meanwhile))
    assert sorted([second, *codes]) == [0, 1]
    if command != "zkagent bench":
        assert set(tree(Path("out")).values()) == {"the first's"}


def test_who_begins_to_measure_second_writes_no_report_into_the_firsts_folder(
    work: Callable[..., list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have looked before one of them has written anything."""
    make, folder = Runner.__init__, Path("out")

    def made(runner: Runner, *given: Any) -> None:
        make(runner, *given)
        two_networks().save(folder)

    monkeypatch.setattr(Runner, "__init__", made)
    assert carried_out(work("zkagent bench", lambda: pytest.fail("it began"))) == 1
    assert tree(folder) == {"results.json": two_networks().to_json()}


@pytest.mark.parametrize("command", NAMES)
def test_a_folder_of_which_nothing_came_is_gone(
    command: str, work: Callable[..., list[object]]
) -> None:
    def meanwhile() -> None:
        for each in Path("out").iterdir():
            each.unlink()
        raise KeyboardInterrupt

    code = carried_out(work(command, meanwhile))
    assert code == 130
    assert Path("out").exists() == (command == "zkagent bench")  # whose report tells so far


def test_a_report_is_written_again_over_one_of_ours_alone(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_networks().save(tmp_path)
    for _ in range(2):
        assert exit_code("bench", "report", tmp_path) == 0
        assert is_report(tmp_path / "report.md")
    assert (tmp_path / "report.md").read_text() == report(two_networks(), list(PLOTS))
    (tmp_path / "report.md").write_text("my own\n")
    assert exit_code("bench", "report", tmp_path) == 1
    assert "report.md is there already" in capsys.readouterr().err
    assert (tmp_path / "report.md").read_text() == "my own\n"
