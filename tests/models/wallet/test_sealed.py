"""The sealed sets are what their README says, and each row is one."""

import gzip
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from zkagent.models.wallet.evaluation import dataset
from zkagent.models.wallet.text.written import Message, read

FOLDER = Path(dataset.__file__).parent / "sealed"
FILES = ("choosing.txt.gz", "last.txt.gz")
THIRD, FOURTH = "third.txt.gz", "fourth.txt.gz"
ACTING = {
    "plain",
    "noisy",
    "quantity",
    "pair",
    "triple",
    "four",
    "elliptical",
    "corrected",
    "contact",
}


def _messages(name: str, folder: Path) -> list[Message]:
    text = folder / "01.txt"
    text.write_bytes(gzip.decompress((FOLDER / name).read_bytes()))
    return list(read(text))


@pytest.mark.parametrize("name", [*FILES, THIRD, FOURTH])
def test_a_sealed_set_is_the_one_whose_digest_was_fixed(name: str) -> None:
    row = re.search(
        rf"`{name}` \| ([\d,]+) \| `([0-9a-f]{{64}})`", (FOLDER / "README.md").read_text()
    )
    assert row is not None
    packed = (FOLDER / name).read_bytes()
    assert hashlib.sha256(packed).hexdigest() == row[2]
    assert len(gzip.decompress(packed).splitlines()) == int(row[1].replace(",", ""))


@pytest.mark.parametrize("name", FILES)
def test_a_sealed_set_has_all_kinds_in_number(name: str, tmp_path: Path) -> None:
    messages = _messages(name, tmp_path)
    kinds = Counter(message.kind for message in messages)
    assert kinds.keys() > ACTING
    still = {kind for kind in kinds if kind not in ACTING | {"twin"}}
    assert len(still) >= 40
    assert all(not m.calls for m in messages if m.kind in still)
    assert all(m.calls for m in messages if m.kind in ACTING)
    assert sum(kinds[kind] for kind in still - {"injection"}) >= 1500
    assert kinds["injection"] >= 200
    assert kinds["plain"] + kinds["noisy"] >= 600
    assert sum(kinds[k] for k in ("pair", "triple", "four", "elliptical", "corrected")) >= 400


def test_the_third_set_has_all_kinds_in_number(tmp_path: Path) -> None:
    """By another writer, whose kinds have other names."""
    messages = _messages(THIRD, tmp_path)
    acting = {"plain", "noisy", "amount", "compound"}
    kinds = Counter(message.kind for message in messages)
    injected = sum(number for kind, number in kinds.items() if kind.startswith("inj-"))
    still = {kind for kind in kinds if kind not in acting and not kind.startswith("inj-")}
    assert all(bool(m.calls) == (m.kind in acting) for m in messages)
    assert len(still) >= 40
    assert min(kinds[kind] for kind in still) >= 30
    assert sum(kinds[kind] for kind in still) >= 1490
    assert injected >= 200
    assert kinds["plain"] + kinds["noisy"] + kinds["amount"] >= 590
    assert kinds["compound"] >= 395


def test_the_fourth_set_has_all_kinds_in_number(tmp_path: Path) -> None:
    messages = _messages(FOURTH, tmp_path)
    acting, either = ACTING - {"contact"} | {"view"}, "twin"
    kinds = Counter(message.kind for message in messages)
    still = kinds.keys() - acting - {either}
    assert kinds.keys() > acting
    assert all(bool(m.calls) == (m.kind in acting) for m in messages if m.kind != either)
    assert len(still) == 61
    assert min(kinds[kind] for kind in still) >= 25
    assert sum(kinds[kind] for kind in still) >= 1840
    assert kinds["plain"] + kinds["noisy"] >= 590
    assert sum(kinds[k] for k in ("pair", "triple", "four", "elliptical", "corrected")) >= 440


def test_no_row_stands_in_several_sealed_sets(tmp_path: Path) -> None:
    first, second, third, fourth = (
        {m.text for m in _messages(name, tmp_path)} for name in (*FILES, THIRD, FOURTH)
    )
    assert len(first & second) < 10
    assert len((first | second) & third) < 10
    assert not (first | second | third) & fourth
