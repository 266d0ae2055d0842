"""Where a receipt is kept: never in another's place, whole or not at all."""

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from zkagent.executor.errors import FileInTheWay
from zkagent.executor.receipts import file as receipt_file
from zkagent.executor.receipts.file import check_place, is_receipt, keep
from zkagent.executor.receipts.format import Receipt, load_receipt
from zkagent.models.whole import place_of


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of the cache's."""
    folder = tmp_path / "receipts"
    folder.mkdir()
    monkeypatch.setattr(receipt_file, "cache_folder", lambda name: tmp_path / name)
    return folder


def of_another_run(receipt: Receipt) -> Receipt:
    run = receipt.runs[0]
    sent = run.transaction.model_copy(update={"hash": "0x" + "77" * 32})
    other = run.model_copy(update={"transaction": sent})
    return receipt.model_copy(update={"runs": (other,)})


def test_without_a_place_it_goes_to_the_folder_under_its_name(
    receipt: Receipt, folder: Path
) -> None:
    assert keep(receipt, None, "one") == folder / "one.json"
    assert load_receipt(folder / "one.json") == receipt
    assert [path.name for path in folder.iterdir()] == ["one.json"]
    keep(of_another_run(receipt), None, "one")
    assert load_receipt(folder / "one.json") != receipt


def test_a_place_that_was_asked_for_is_taken(receipt: Receipt, tmp_path: Path) -> None:
    place = tmp_path / "mine.json"
    assert keep(receipt, place_of(place), "one") == place
    assert place.read_text() == receipt.to_json()


def test_a_receipt_of_the_same_run_stays_and_another_is_in_the_way(
    receipt: Receipt, tmp_path: Path
) -> None:
    place = tmp_path / "mine.json"
    place.write_text(receipt.to_json() + "\n")
    before = place.read_text()
    assert keep(receipt, place_of(place), "one") == place
    with pytest.raises(FileInTheWay):
        keep(of_another_run(receipt), place_of(place), "one")
    assert place.read_text() == before


def with_another_answer(receipt: Receipt) -> Receipt:
    run = receipt.runs[0].model_copy(update={"answer": "something else"})
    return receipt.model_copy(update={"runs": (run,)})


@pytest.mark.parametrize(
    "forge",
    [
        with_another_answer,
        lambda receipt: receipt.model_copy(update={"signature": "0x" + "00" * 65}),
        lambda receipt: receipt.model_copy(update={"requester": "0x" + "11" * 20}),
        lambda receipt: receipt.model_copy(update={"runs": receipt.runs * 2}),
    ],
)
def test_what_only_names_the_runs_transaction_is_not_its_receipt(
    receipt: Receipt, tmp_path: Path, forge: Callable[[Receipt], Receipt]
) -> None:
    place = tmp_path / "mine.json"
    forged = forge(receipt)
    notes = receipt.informational.model_copy(
        update={"runs": receipt.informational.runs * len(forged.runs)}
    )
    place.write_text(forged.model_copy(update={"informational": notes}).to_json())
    check_place(place, resumed=True)
    before = place.read_text()
    with pytest.raises(FileInTheWay):
        keep(receipt, place_of(place), "one")
    assert place.read_text() == before


def test_other_notes_do_not_make_it_another_receipt(receipt: Receipt, tmp_path: Path) -> None:
    place = tmp_path / "mine.json"
    (noted,) = receipt.informational.runs
    noted = noted.model_copy(update={"plans": noted.plans + 1})
    notes = receipt.informational.model_copy(update={"runs": (noted,)})
    place.write_text(receipt.model_copy(update={"informational": notes}).to_json())
    assert keep(receipt, place_of(place), "one") == place


def test_what_is_no_file_is_written_to_and_not_replaced(receipt: Receipt, tmp_path: Path) -> None:
    """A pipe, not /dev/null: root would replace that for the whole machine, where this fails."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writing = threading.Thread(target=keep, args=(receipt, place_of(pipe), "one"))
    writing.start()
    read, alive = b"", True
    while alive:
        writing.join(0.01)
        alive = writing.is_alive()
        with contextlib.suppress(BlockingIOError):
            while more := os.read(reader, 1 << 16):
                read += more
    os.close(reader)
    assert read.decode() == receipt.to_json()
    assert pipe.is_fifo()


def test_what_fails_leaves_nothing(
    receipt: Receipt, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        keep(receipt, None, "one")
    assert list(folder.iterdir()) == []


def test_only_whole_receipts_count_as_some(receipt: Receipt, tmp_path: Path) -> None:
    place = tmp_path / "mine.json"
    assert is_receipt(place) is False
    assert is_receipt(tmp_path) is False
    place.write_text(receipt.to_json()[:-9])
    assert is_receipt(place) is False
    place.write_text(receipt.to_json())
    assert is_receipt(place) is True


def test_a_place_that_is_taken_is_refused_before_but_for_a_resumed_runs_own(
    receipt: Receipt, tmp_path: Path
) -> None:
    place = tmp_path / "mine.json"
    check_place(None)
    check_place(place)
    place.write_text(receipt.to_json())
    check_place(place, resumed=True)
    with pytest.raises(FileInTheWay):
        check_place(place)
    place.write_text("something else")
    with pytest.raises(FileInTheWay):
        check_place(place, resumed=True)
