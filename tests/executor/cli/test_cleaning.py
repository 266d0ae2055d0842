"""`zkagent circuit list|rm|prune`: sizes are shown, and nothing goes without a yes."""

import io
import json
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.command_line import exit_code, one_line_error, without_progress
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.store import list_circuits
from zkagent.executor.cli.circuits_shown import sized


@pytest.fixture
def damaged(zkagent_home: Path, circuit: Circuit) -> str:
    """The digest of a circuit that `prune` removes."""
    (zkagent_home / "circuits" / circuit.digest / "circuit.vk").write_bytes(b"")
    return circuit.digest


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A terminal whose user types `text`."""
    typed = io.StringIO(text)
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", typed)


def run(*arguments: str) -> int:
    return exit_code("circuit", *arguments)


SIZES = {
    0: "0 bytes",
    999: "999 bytes",
    1000: "1.0 kB",
    999_600: "1.0 MB",
    7_607_971: "7.6 MB",
    214_000_000: "214 MB",
    2_040_000_000: "2.0 GB",
}


@pytest.mark.parametrize(("count", "words"), SIZES.items())
def test_sizes_in_words(count: int, words: str) -> None:
    assert sized(count) == words


def test_circuits_are_listed_with_their_sizes(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    size = sum(path.stat().st_size for path in circuit.directory.iterdir())
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if line.startswith(circuit.digest[:16]))
    assert f", {sized(size)}, 20" in line
    assert "; set-ups, " in lines[-1]
    assert run("list", "--json") == 0
    (fields,) = (c for c in json.loads(capsys.readouterr().out) if c["digest"] == circuit.digest)
    assert fields["bytes"] == size
    assert run("show", circuit.digest, "--json") == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == size


def test_rm_asks_and_takes_a_no(
    zkagent_home: Path,
    circuit: Circuit,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(monkeypatch, "n\n")
    assert run("rm", circuit.digest[:12]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert circuit.digest[:16] in printed.err
    assert printed.err.endswith("nothing was removed\n")
    answer(monkeypatch, "y\n")
    assert run("rm", circuit.digest[:12]) == 0
    assert capsys.readouterr().out.startswith(f"removed {circuit.digest[:16]}")
    assert circuit.digest not in list_circuits()


@pytest.mark.parametrize("arguments", [("rm", "DIGEST"), ("prune",)])
def test_without_a_terminal_nothing_goes_without_yes(
    arguments: tuple[str, ...], damaged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [damaged if argument == "DIGEST" else argument for argument in arguments]
    assert run(*given) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.splitlines()[-1]) == (
        "",
        "Error: there is nobody here to ask: give --yes",
    )
    assert damaged in list_circuits()
    assert run(*given, "--yes", "--json") == 0
    (gone,) = json.loads(capsys.readouterr().out)["removed"]
    assert gone["name"] == damaged
    assert damaged not in list_circuits()


def test_rm_of_an_unknown_digest_is_one_line(
    zkagent_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rm", "ffffffffff", "--yes") == 1
    assert "no circuit ffffffffff" in one_line_error(capsys)


def test_rm_leaves_what_is_being_built(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    with FileLock(zkagent_home / "circuits" / f".{circuit.digest}.lock"):
        assert run("rm", circuit.digest, "--yes") == 1
    assert "stays: it is being built" in capsys.readouterr().err
    assert circuit.digest in list_circuits()


def test_prune_shows_what_it_would_remove_and_then_removes_that(
    damaged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(list_circuits())
    assert run("prune", "--dry-run") == 0
    first, last = without_progress(capsys.readouterr().out).splitlines()
    assert first.startswith(f"would remove {damaged[:16]}  damaged, ")
    assert last.endswith(" in all")
    assert set(list_circuits()) == before
    assert run("prune", "--yes") == 0
    assert capsys.readouterr().out.startswith(f"removed {damaged[:16]}  damaged, ")
    assert set(list_circuits()) == before - {damaged}
    assert run("prune") == 0
    assert capsys.readouterr().out == "nothing to remove\n"


def test_prune_goes_by_age_and_keeps_what_it_is_told_to(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("prune", "--older-than", "1", "--yes") == 0
    assert capsys.readouterr().out == "nothing to remove\n"
    assert run("prune", "--older-than", "0", "--keep", circuit.digest[:12], "--yes") == 0
    assert list_circuits() == [circuit.digest]
