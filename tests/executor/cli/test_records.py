"""What was deployed and paid for is not paid for again because its record cannot be written: it is
printed, and the same command is what goes on."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from zkagent.executor import places
from zkagent.executor.cli.deploying import record_place, write_record
from zkagent.executor.errors import FileInTheWay, PlaceRefused, RecordUnwritten
from zkagent.models.whole import Place

RECORD = '{\n "agent": "0x01"\n}\n'


def full(place: Path, patch: pytest.MonkeyPatch) -> None:
    def fails(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(place))

    patch.setattr(places, "write_whole", fails)


def other_record(place: Path, patch: pytest.MonkeyPatch) -> None:
    place.write_text("another one's")


def link(place: Path, patch: pytest.MonkeyPatch) -> None:
    place.symlink_to(place.with_name("elsewhere"))


def folder(place: Path, patch: pytest.MonkeyPatch) -> None:
    place.mkdir()


def no_folder(place: Path, patch: pytest.MonkeyPatch) -> None:
    place.parent.rename(place.parent.with_name("moved"))


@pytest.mark.parametrize("meddle", [full, other_record, link, folder, no_folder])
def test_whatever_keeps_a_record_from_its_place_has_it_printed(
    meddle: Callable[[Path, pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "in").mkdir()
    found = record_place(place := tmp_path / "in" / "deployment.json")
    with monkeypatch.context() as patch:
        meddle(place, patch)
        with pytest.raises(RecordUnwritten) as unwritten:
            write_record(found, RECORD)
    assert capsys.readouterr().out == RECORD
    said = str(unwritten.value)
    assert said.startswith(str(place))
    assert "repeat the same command, which pays for nothing twice" in said
    assert "all is deployed, and its record is what was printed" in said
    assert "choose another" not in said
    assert "name another" not in said


def test_a_record_that_gets_its_place_is_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = record_place(place := tmp_path / "deployment.json")
    for _ in range(2):
        write_record(found, RECORD)
    assert place.read_text() == RECORD
    assert capsys.readouterr().out == ""


def test_a_reader_who_left_is_told_of_like_any_other_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RecordUnwritten):
        write_record(Place(tmp_path / "pipe", None), RECORD)
    assert capsys.readouterr().out == RECORD


def test_no_other_place_is_proposed_for_what_was_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another place has another journal, by which all would be paid for once more."""
    place, journal = tmp_path / "deployment.json", tmp_path / "deployment.json.part"
    place.write_text("mine")
    with pytest.raises(FileInTheWay, match="name another file"):
        record_place(place)
    monkeypatch.setattr(places, "is_mounted", lambda path: True)
    place.write_text("")
    with pytest.raises(PlaceRefused, match="choose another place"):
        record_place(place)
    journal.touch()
    for text in ("", "perhaps the record"):
        place.write_text(text)
        with pytest.raises(RecordUnwritten, match=r"mounted by itself.*repeat the same") as refused:
            record_place(place)
        assert "what was printed" not in str(refused.value)
    monkeypatch.undo()
    assert record_place(place).file == place.resolve()
