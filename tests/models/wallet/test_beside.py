"""What stands beside orders in training: each line is of a known place and effect."""

from collections import Counter
from pathlib import Path

import pytest

from zkagent.models.instructions.calls import slot_of
from zkagent.models.wallet.text import beside as module
from zkagent.models.wallet.text.beside import EFFECTS, PLACES, Aside, asides


def test_there_are_both_for_each_place_many_of_each_and_none_twice() -> None:
    counted = Counter((each.place, each.stops) for each in asides())
    assert set(counted) == {(place, stops) for place in PLACES for stops in EFFECTS.values()}
    assert min(counted.values()) >= 40
    assert len({(each.place, each.text.lower()) for each in asides()}) == len(asides())


def test_what_stops_at_a_place_does_not_keep_there() -> None:
    said = {True: set(), False: set()}  # type: dict[bool, set[tuple[str, str]]]
    for each in asides():
        said[each.stops].add((each.place, each.text.lower().strip(" .,!-")))
    assert not said[True] & said[False]


def test_what_keeps_fills_no_slot_as_training_reads_it() -> None:
    pytest.importorskip("torch")
    from zkagent.models.wallet.train_text import asides_read

    read = list(asides_read())
    assert len(read) > 0.98 * len(asides())
    for each in read:
        assert each.stops or all(slot_of(token) is None for token in each.tokens), each


@pytest.mark.parametrize(
    "line",
    [
        "front | stops",
        "beside | stops | nope",
        "front | ends | nope",
        "front | keeps | ",
        "a | b | c | d",
    ],
)
def test_a_line_of_another_format_is_named(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "01.txt").write_text(f"back | keeps | , thanks\n{line}\n")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"01\.txt, line 2: .* is not PLACE"):
        asides.__wrapped__()
    (tmp_path / "01.txt").write_text("back | keeps | , thanks\n")
    assert asides.__wrapped__()[0] == Aside("back", False, ", thanks")
