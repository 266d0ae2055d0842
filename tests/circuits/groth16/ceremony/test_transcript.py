"""Contributions follow from one another, or the first that does not is named."""

import hashlib
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.ceremonies import NAMES, Held, with_factor, with_name, with_section
from zkagent.circuits.bn254.curve import GENERATOR, Q, add
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import GENERATOR_G2, PointG1, PointG2, multiply_g2
from zkagent.circuits.errors import CeremonyRefused, EngineError
from zkagent.circuits.groth16.ceremony.files import _check_longer
from zkagent.circuits.groth16.ceremony.transcript import (
    Beacon,
    Transcript,
    _drawn,
    read_transcript,
)

Change = Callable[[bytes], bytes]
HEAD = 68
SIZE = 3 * 64 + 128 + 64 + 8 + 5  # with a name of three letters
#: Where each part of a contribution begins.
DELTA, S, SX, SPX, HASHED, KIND, PARAMETERS = 0, 64, 128, 192, 320, 384, 392


@pytest.fixture(scope="module")
def last(held: Held) -> Transcript:
    return read_transcript(held.last)


def changed(held: Held, tmp_path: Path, change: Change, section: int = 10) -> Path:
    (path := tmp_path / "changed.zkey").write_bytes(with_section(held.last, section, change))
    return path


def refused(path: Path, words: str) -> None:
    with pytest.raises(CeremonyRefused, match=words):
        read_transcript(path).check()


def test_contributions_are_listed_with_the_hashes_that_snarkjs_prints(
    held: Held, last: Transcript
) -> None:
    last.check()
    assert tuple(each.name for each in last.contributions) == NAMES
    assert [each.number for each in last.contributions] == [1, 2, 3]
    printed = held.printed.partition("Contribution Hash")[2]
    assert "".join(re.findall(r"\b[0-9a-f]{8}\b", printed)) == last.contributions[1].hash.hex()
    assert last.people == 3


def test_its_digest_is_that_of_what_a_further_contribution_would_hash(
    held: Held, last: Transcript, tmp_path: Path
) -> None:
    hasher = hashlib.sha256(last.circuit)
    for each in last.contributions:
        hasher.update(each.public)
    assert last.digest == hasher.hexdigest()
    assert len({read_transcript(held.key(number)).digest for number in range(4)}) == 4
    renamed = changed(held, tmp_path, lambda content: content.replace(b"Bob", b"Eve"))
    other = read_transcript(renamed)
    other.check()
    assert other.contributions[1].name == "Eve"
    assert other.digest == last.digest


def test_no_name_is_as_long_as_another_ones_hash(held: Held, tmp_path: Path) -> None:
    """`verify` lists both."""
    hashed = read_transcript(held.key(1)).contributions[0].hash.hex().encode()
    path = changed(held, tmp_path, with_name(b"x') " + hashed))
    refused(path, "contribution 1: its name has 132 characters, up to 64 are read")
    path = changed(held, tmp_path, with_name("é".encode() * 64))
    read_transcript(path).check()


def test_beacons_that_would_take_hours_are_refused(held: Held, tmp_path: Path) -> None:
    def beacons(content: bytes) -> bytes:
        at = HEAD + DELTA
        points = content[at : at + KIND]
        told = bytes([2, 24, 3, 1, 9])
        each = points + struct.pack("<II", 1, len(told)) + told
        return content[:64] + struct.pack("<I", 5) + each * 5

    path = changed(held, tmp_path, beacons)
    refused(path, "its beacons take more than 67108864 hashes")


def test_each_key_on_the_way_is_sound(held: Held) -> None:
    for count in range(3):
        found = read_transcript(held.key(count))
        found.check()
        assert len(found.contributions) == count


def at(place: int, change: Change, size: int) -> Change:
    return lambda content: content[:place] + change(content[place : place + size]) + content[
        place + size :
    ]  # fmt: skip


def negated(point: bytes) -> bytes:
    """As a key has it; of G2 as well."""
    half = len(point) // 2
    parts = [point[half:][i : i + 32] for i in range(0, half, 32)]
    turned = [(-int.from_bytes(part, "little") % Q).to_bytes(32, "little") for part in parts]
    return point[:half] + b"".join(turned)


def flipped(content: bytes) -> bytes:
    return bytes([content[0] ^ 1]) + content[1:]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("part", [DELTA, S, SX])
def test_another_point_of_a_contribution_is_named(
    held: Held, tmp_path: Path, number: int, part: int
) -> None:
    place = HEAD + SIZE * (number - 1) + part
    path = changed(held, tmp_path, at(place, negated, 64))
    refused(path, rf"contribution {number} \('{NAMES[number - 1]}'\) does not follow from ")


def test_another_proof_of_knowledge_is_named(held: Held, tmp_path: Path) -> None:
    path = changed(held, tmp_path, at(HEAD + SIZE + SPX, negated, 128))
    refused(path, r"contribution 2 \('Bob'\) .* nothing shows that its maker knew its factor")


def test_another_hash_is_named(held: Held, tmp_path: Path) -> None:
    path = changed(held, tmp_path, at(HEAD + 2 * SIZE + HASHED, flipped, 64))
    refused(path, r"contribution 3 \('Cy'\) .* from contribution 2, it does not hash those before")


@pytest.mark.parametrize("part", [DELTA, S, SX, SPX, KIND, PARAMETERS])
def test_a_changed_bit_is_named(held: Held, tmp_path: Path, part: int) -> None:
    path = changed(held, tmp_path, at(HEAD + SIZE + part, flipped, 1))
    refused(path, "contribution 2")


def test_another_beginning_is_named(held: Held, tmp_path: Path) -> None:
    refused(changed(held, tmp_path, flipped), "contribution 1 .* from the first key")


def swapped(content: bytes) -> bytes:
    one, two, three = (content[HEAD + SIZE * i :][:SIZE] for i in range(3))
    del two, three
    return content[:HEAD] + content[HEAD + SIZE :][:SIZE] + one + content[HEAD + 2 * SIZE :]


def last_two_swapped(content: bytes) -> bytes:
    middle = HEAD + SIZE
    last = content[middle + SIZE - 1 :]  # Cy's name is a letter shorter
    return content[:middle] + last + content[middle : middle + SIZE]


def without(number: int) -> Change:
    def change(content: bytes) -> bytes:
        begin = HEAD + SIZE * (number - 1)
        end = begin + (SIZE if number < 3 else SIZE - 1)
        return content[:64] + struct.pack("<I", 2) + content[68:begin] + content[end:]

    return change


def doubled(content: bytes) -> bytes:
    begin = HEAD + 2 * SIZE
    return content[:64] + struct.pack("<I", 4) + content[68:] + content[begin:]


ORDERS: dict[str, tuple[Change, str]] = {
    "the first two swapped": (swapped, r"contribution 1 \('Bob'\) does not follow"),
    "without the first": (without(1), r"contribution 1 \('Bob'\) does not follow"),
    "without the second": (without(2), r"contribution 2 \('Cy'\) does not follow"),
    "without the last": (without(3), r"delta is not that of contribution 2 \('Bob'\)"),
    "the last twice": (doubled, r"contribution 4 \('Cy'\) does not follow"),
    "one too many": (lambda c: c[:64] + struct.pack("<I", 4) + c[68:], "contribution 4: "),
    "one too few": (lambda c: c[:64] + struct.pack("<I", 2) + c[68:], "bytes follow its"),
    "very many": (lambda c: c[:64] + b"\xff" * 4 + c[68:], "4294967295 contributions"),
    "bytes at the end": (lambda c: c + b"\0", "1 bytes follow its contributions"),
    "cut": (lambda c: c[:-1], "contribution 3: it was cut off"),
    "nothing": (lambda c: b"", "no whole Groth16 key"),
}


@pytest.mark.parametrize(("change", "words"), ORDERS.values(), ids=ORDERS)
def test_another_order_is_named(held: Held, tmp_path: Path, change: Change, words: str) -> None:
    refused(changed(held, tmp_path, change), words)


def test_a_key_of_the_contribution_before_is_no_key_of_the_last(held: Held, tmp_path: Path) -> None:
    """The header of one with the contributions of the other."""
    header: list[bytes] = []
    with_section(held.key(2), 2, lambda content: header.append(content) or content)
    refused(changed(held, tmp_path, lambda _: header[0], section=2), "delta is not that of contr")


@pytest.mark.parametrize(
    ("place", "size", "words"),
    [
        (84 + 2 * 64 + 128, 128, "its gamma is not the generator"),
        (84 + 2 * 64 + 2 * 128, 64, r"its delta is not that of contribution 3 \('Cy'\)"),
        (84 + 3 * 64 + 2 * 128, 128, "its two deltas are of different numbers"),
    ],
)
def test_another_header_is_refused(
    held: Held, tmp_path: Path, place: int, size: int, words: str
) -> None:
    refused(changed(held, tmp_path, at(place, negated, size), section=2), words)


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.99, 1])
def test_a_file_that_was_cut_is_refused(held: Held, tmp_path: Path, share: float) -> None:
    content = held.last.read_bytes()
    (path := tmp_path / "cut.zkey").write_bytes(content[: int(share * (len(content) - 1))])
    refused(path, r"cut\.zkey is refused: it is no whole Groth16 key")


def test_a_file_that_goes_on_is_refused(held: Held, tmp_path: Path) -> None:
    (path := tmp_path / "long.zkey").write_bytes(held.last.read_bytes() + b"\0")
    refused(path, "1 bytes follow its last section")


def test_a_section_that_stands_twice_is_refused(held: Held, tmp_path: Path) -> None:
    content = bytearray(held.last.read_bytes())
    content[8:12] = struct.pack("<I", 11)
    (path := tmp_path / "twice.zkey").write_bytes(content + struct.pack("<IQ", 10, 0))
    refused(path, "it has section 10 twice")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "missing.zkey", r"it cannot be read \(No such file")


def test_infinity_is_no_contribution(last: Transcript) -> None:
    """Infinity pairs with anything."""
    nothing: PointG1 = (0, 0)
    wrong = replace(last.contributions[0], delta=nothing, s=nothing, sx=nothing)
    with pytest.raises(CeremonyRefused, match="contribution 1"):
        replace(last, contributions=(wrong, *last.contributions[1:])).check()


def rehashed(last: Transcript, s: PointG1, sx: PointG1) -> bytes:
    return hashlib.blake2b(
        last.circuit + b"".join(n.to_bytes(32, "big") for n in (*s, *sx))
    ).digest()


def test_whoever_does_not_know_a_factor_shows_nothing(last: Transcript) -> None:
    """A delta that takes back all before it: delta itself is chosen, and no factor is known."""
    chosen = add(GENERATOR, GENERATOR)
    base: PointG2 = multiply_g2(GENERATOR_G2, 2)
    for s, sx in ((GENERATOR, chosen), (chosen, chosen), (GENERATOR, GENERATOR)):
        wrong = replace(
            last.contributions[0],
            delta=chosen,
            s=s,
            sx=sx,
            spx=base,
            hashed=rehashed(last, s, sx),
        )
        with pytest.raises(CeremonyRefused, match="nothing shows that its maker knew"):
            replace(last, contributions=(wrong,), delta=chosen).check()


@pytest.mark.parametrize("factor", [2, R - 1])
def test_any_factor_but_one_is_somebodys(last: Transcript, factor: int) -> None:
    with_factor(last, factor).check()
    with pytest.raises(CeremonyRefused, match=r"contribution 4 .* its factor is 1"):
        with_factor(last, 1).check()
    with pytest.raises(CeremonyRefused, match=r"contribution 4 .* its factor is 1"):
        with_factor(with_factor(last, 1), factor).check()


def test_contributions_that_cancel_are_nobodys(held: Held, last: Transcript) -> None:
    """With beacons between them, and after, which everybody knows."""
    first, beacon = read_transcript(held.key(0)), Beacon(b"known", 10)
    assert first.open_to_all == "nobody contributed to it"
    assert with_factor(first, beacon).open_to_all == "nobody contributed to it"
    inverse, drawn = pow(7, -1, R), pow(_drawn(beacon)[0], -1, R)
    other = Beacon(b"other", 10)
    both = drawn * pow(_drawn(other)[0], -1, R) % R
    for made in (
        with_factor(with_factor(first, beacon), drawn),
        with_factor(with_factor(with_factor(first, beacon), drawn), other),
        with_factor(with_factor(with_factor(first, beacon), other), both),
        with_factor(with_factor(with_factor(with_factor(first, 7), beacon), drawn), inverse),
        with_factor(with_factor(first, 7), inverse),
        with_factor(with_factor(with_factor(first, 7), inverse), beacon),
        with_factor(with_factor(with_factor(first, 7), beacon), inverse),
        with_factor(with_factor(with_factor(first, R - 1), R - 1), beacon),
    ):
        made.check()
        assert made.open_to_all == "its contributions cancel"
    for honest in (
        with_factor(first, 7),
        with_factor(with_factor(first, 7), beacon),
        with_factor(with_factor(with_factor(first, beacon), 7), drawn),
        with_factor(with_factor(last, 7), inverse),
        last,
    ):
        honest.check()
        assert honest.open_to_all == ""


def test_one_more_contribution_is_all_that_is_new_but_for_others_names(
    held: Held, last: Transcript
) -> None:
    before, made = read_transcript(held.key(2)), last.contributions[-1].hash.hex()

    def check(after: Transcript, name: str = "Cy") -> None:
        _check_longer(before, after, name, made)

    def with_other(number: int, **changed: object) -> Transcript:
        there = list(last.contributions)
        there[number - 1] = replace(there[number - 1], **changed)  # type: ignore[arg-type]
        return replace(last, contributions=tuple(there))

    check(last)
    check(with_other(1, name="A"))
    point, nothing = GENERATOR, Beacon(b"known", 10)
    changes = [{"delta": point}, {"s": point}, {"sx": point}, {"hashed": bytes(64)}]
    for number in (1, 2, 3):
        for changed in (*changes, {"spx": GENERATOR_G2}):
            with pytest.raises(EngineError, match="other contributions than there were"):
                check(with_other(number, **changed))
    for wrong in (
        with_other(1, beacon=nothing),
        with_other(3, name="A"),
        before,
        replace(last, circuit=bytes(64)),
        replace(last, contributions=last.contributions[1:]),
        replace(last, contributions=()),
        with_factor(last, 7),
    ):
        with pytest.raises(EngineError, match="other contributions than there were"):
            check(wrong)
