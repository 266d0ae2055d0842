"""Set-up files: which are real, which are for development, which are none."""

import hashlib
import os
import shutil
import struct
from pathlib import Path

import pytest

from zkagent.circuits.bn254 import curve as bn254
from zkagent.circuits.bn254 import srs_file
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import SrsTooSmall, SrsUnreadable
from zkagent.circuits.halo2 import srs
from zkagent.circuits.halo2.srs import cut_srs, development_srs, find_srs, import_srs, stored_srs

LOGROWS = 6
# The ceremony's file as developers keep it; everything that needs it also runs on a stand-in.
CEREMONY = os.environ.get("ZKAGENT_CEREMONY_SRS")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set-up that ezkl made, outside of any cache."""
    return development_srs(LOGROWS, tmp_path_factory.mktemp("maker")).path


@pytest.fixture
def ceremony(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`made`, taken for the public ceremony's file, and its true smaller versions."""
    content = made.read_bytes()
    for logrows in range(1, LOGROWS + 1):
        smaller = content if logrows == LOGROWS else srs_file.cut(content, logrows)
        digest = hashlib.sha256(smaller).hexdigest()
        monkeypatch.setitem(srs.PUBLIC_CEREMONY, logrows, digest)
    return made


def damaged(source: Path, position: int, folder: Path) -> Path:
    content = bytearray(source.read_bytes())
    content[position] ^= 1
    path = folder / "damaged.srs"
    path.write_bytes(content)
    return path


def test_a_development_set_up_is_made_once_and_marked(tmp_path: Path) -> None:
    first = development_srs(LOGROWS, tmp_path)
    assert first.development
    assert development_srs(LOGROWS, tmp_path) == first
    assert development_srs(LOGROWS, tmp_path / "elsewhere").sha256 != first.sha256


def test_a_damaged_development_set_up_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = development_srs(LOGROWS, tmp_path)
    first.path.write_bytes(first.path.read_bytes()[:-1] + b"!")
    second = development_srs(LOGROWS, tmp_path)
    assert second.sha256 != first.sha256
    assert stored_srs(second.sha256, tmp_path) == second
    assert "its digest is not its name" in caplog.text


def test_a_file_of_the_ceremony_is_recognised_by_its_digest(ceremony: Path, tmp_path: Path) -> None:
    found = find_srs(ceremony, LOGROWS, tmp_path)
    assert not found.development
    assert found.path.read_bytes() == ceremony.read_bytes()


def test_an_unknown_file_is_for_development_only(made: Path, tmp_path: Path) -> None:
    assert find_srs(made, LOGROWS, tmp_path).development


def test_the_public_ceremony_is_the_one_that_ezkl_names() -> None:
    expected = "28b151069f41abc121baa6d2eaa8f9e4c4d8326ddbefee2bd9c0776b80ac6fad"
    assert srs.PUBLIC_CEREMONY[12] == expected
    assert sorted(srs.PUBLIC_CEREMONY) == list(range(1, 27))


@pytest.mark.skipif(not CEREMONY, reason="ZKAGENT_CEREMONY_SRS names no file")
def test_the_real_ceremony_file_is_recognised_and_cut_to_its_published_versions(
    tmp_path: Path,
) -> None:
    for logrows in (12, 7):
        assert not find_srs(Path(CEREMONY or ""), logrows, tmp_path).development


def test_a_larger_file_is_cut_once(
    ceremony: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find_srs(ceremony, 3, tmp_path)
    assert (first.logrows, first.development) == (3, False)
    monkeypatch.setattr(srs_file, "cut", lambda *_: pytest.fail("cut twice"))
    assert find_srs(ceremony, 3, tmp_path) == first


def test_a_cut_set_up_is_the_same_powers_with_their_own_lagrange_basis(made: Path) -> None:
    content, count = made.read_bytes(), 4
    smaller = srs_file.cut(content, 2)
    assert smaller[4 : 4 + 64 * count] == content[4 : 4 + 64 * count]
    assert smaller[-256:] == content[-256:]
    # sum_i w^i L_i is the polynomial X: at tau it is the second power.
    root = pow(7, (R - 1) // count, R)
    weighted = [bn254.multiply(point_at(smaller, count + i), pow(root, i, R)) for i in range(count)]
    assert bn254.total(weighted) == point_at(smaller, 1)


def point_at(content: bytes, index: int) -> bn254.Point:
    at = 4 + 64 * index
    inverse = pow(1 << 256, -1, bn254.Q)
    x, y = (int.from_bytes(content[i : i + 32], "little") for i in (at, at + 32))
    return x * inverse % bn254.Q, y * inverse % bn254.Q


def test_a_ceremony_whose_smaller_file_differs_is_refused(
    ceremony: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(srs.PUBLIC_CEREMONY, 3, "0" * 64)
    whole = import_srs(ceremony, tmp_path)
    with pytest.raises(SrsUnreadable, match="cut to k = 3 it is not the ceremony's file"):
        cut_srs(whole, 3, tmp_path)


def test_a_set_up_that_is_too_small_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(SrsTooSmall, match=r"for 2\^6 rows, the circuit needs 2\^7"):
        find_srs(made, 7, tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "0 bytes are less than its header"),
        (b"\x06\0\0\0", "4 bytes, expected 8452 for k = 6"),
        (b"\xff" * 100, "k = 4294967295 in its header"),
        (struct.pack("<I", 1) + bytes(srs_file.file_size(1) - 4), "not the generator"),
    ],
)
def test_a_file_that_is_no_set_up_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "no.srs"
    path.write_bytes(content)
    with pytest.raises(SrsUnreadable, match=reason):
        find_srs(path, 1, tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SrsUnreadable, match=r"nowhere\.srs .* \(No such file"):
        find_srs(tmp_path / "nowhere.srs", 6, tmp_path)


@pytest.mark.parametrize("point", [0, 1, 37, 63, 64, 100, 127])
def test_a_damaged_point_is_found(made: Path, tmp_path: Path, point: int) -> None:
    broken = damaged(made, 4 + 64 * point + 5, tmp_path)
    with pytest.raises(SrsUnreadable, match=r"generator|not on the curve"):
        find_srs(broken, LOGROWS, tmp_path)


def test_a_foreign_lagrange_basis_is_found(made: Path, tmp_path: Path) -> None:
    """Every point is on the curve, but the halves belong to two set-ups."""
    other = development_srs(LOGROWS, tmp_path).path.read_bytes()
    half = 4 + 64 * (1 << LOGROWS)
    mixed = tmp_path / "mixed.srs"
    mixed.write_bytes(made.read_bytes()[: half + 64] + other[half + 64 :])
    with pytest.raises(SrsUnreadable, match="do not sum to the generator"):
        find_srs(mixed, LOGROWS, tmp_path)


def test_of_a_file_that_begins_with_another_point_no_more_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes on disk may say that they are eight gigabytes."""
    path = tmp_path / "sparse.srs"
    with path.open("wb") as file:
        file.write(struct.pack("<I", 26))
        file.truncate(srs_file.file_size(26))
    monkeypatch.setattr(srs, "file_digest", lambda path: pytest.fail("it was read"))
    with pytest.raises(SrsUnreadable, match="not the generator"):
        srs.import_srs(path, tmp_path / "cache")


@pytest.mark.parametrize("part", [1, 2, 4, 1 << 20])
def test_points_are_checked_part_by_part(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(srs_file, "PART", part)
    content = made.read_bytes()
    assert srs_file.check_points(made) == hashlib.sha256(content).hexdigest()
    damaged = tmp_path / "damaged.srs"
    for point in (1, (1 << LOGROWS) - 1, 1 << LOGROWS, (2 << LOGROWS) - 1):
        at = srs_file.HEADER + srs_file.G1_BYTES * point
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(SrsUnreadable, match=f"point {point} of "):
            srs_file.check_points(damaged)
    at = srs_file.HEADER + srs_file.G1_BYTES * (1 << LOGROWS)
    swapped = content[:at] + content[at + srs_file.G1_BYTES :][: srs_file.G1_BYTES] * 2
    damaged.write_bytes(swapped + content[len(swapped) :])
    with pytest.raises(SrsUnreadable, match="do not sum"):
        srs_file.check_points(damaged)


@pytest.mark.parametrize("step", ["copyfile", "check_points"])
def test_a_file_that_another_one_stands_in_for_meanwhile_is_not_kept(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whoever may rename files in its folder can show another one to each look at it."""
    given, other, cache = tmp_path / "given.srs", made.read_bytes(), tmp_path / "cache"
    bad = bytearray(other)
    bad[-1] ^= 1
    given.write_bytes(other)
    place = shutil if step == "copyfile" else srs_file
    real = getattr(place, step)

    def toggled(path: Path, *more: Path) -> object:
        given.write_bytes(bad)
        try:
            return real(path, *more)
        except SrsUnreadable:
            return "ab" * 32  # the digest of whatever stood there
        finally:
            given.write_bytes(other)

    monkeypatch.setattr(place, step, toggled)
    monkeypatch.setattr(srs, "_sound", set())
    with pytest.raises(SrsUnreadable, match="another one each time"):
        find_srs(given, LOGROWS, cache)
    monkeypatch.undo()
    kept = [path for path in cache.rglob("*.srs") if path.is_file()]
    assert kept == []
    assert find_srs(given, LOGROWS, cache).path.read_bytes() == other
