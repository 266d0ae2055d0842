"""Nobody's secret is multiplied into what is no point of a key, and nothing is taken with one."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.ceremonies import Held, contributed_to, with_section
from zkagent.circuits.bn254.curve import GENERATOR, Q, on_curve
from zkagent.circuits.bn254.multiples import (
    GENERATOR_G2,
    PointG2,
    curve_g2,
    on_curve_g2,
    square_root,
)
from zkagent.circuits.bn254.pairing import in_subgroup
from zkagent.circuits.errors import CeremonyRefused
from zkagent.circuits.groth16.ceremony import files
from zkagent.circuits.groth16.ceremony.files import finish, verify
from zkagent.circuits.groth16.ceremony.key_points import check_points
from zkagent.circuits.groth16.ceremony.transcript import read_transcript
from zkagent.circuits.groth16.proving.provers import Prover
from zkagent.circuits.snarkjs.process import Snarkjs

MONTGOMERY = (1 << 256) % Q
T = 0xC0FFEE
X2, Y2 = GENERATOR_G2
Change = Callable[[bytes], bytes]


def raw(*numbers: int) -> bytes:
    return b"".join((number * MONTGOMERY % Q).to_bytes(32, "little") for number in numbers)


def node() -> tuple[int, int]:
    """Of y^2 = x^3 + x^2, by its slope."""
    x = (T * T - 1) % Q
    return x, T * x % Q


def above(content: bytes) -> bytes:
    """The same numbers, written otherwise."""
    parts = [int.from_bytes(content[at : at + 32], "little") for at in range(0, len(content), 32)]
    return b"".join((part + Q).to_bytes(32, "little") for part in parts)


def beside_the_subgroup() -> PointG2:
    for a in range(1, 99):
        if y := square_root(curve_g2((a, 1))):
            return (a, 1), y
    raise AssertionError


NONE_G1: dict[str, Change] = {
    "cusp": lambda old: raw(T * T, T**3),
    "node": lambda old: raw(*node()),
    "another twist": lambda old: raw(5, 7),
    "order 2 of a twist": lambda old: raw(1, 0),
    "order 3 of a twist": lambda old: raw(0, 1),
    "x above": lambda old: above(raw(1)) + raw(2),
    "y above": lambda old: raw(1) + above(raw(2)),
    "zeros above": lambda old: above(bytes(64)),
    "x zero": lambda old: raw(0, 2),
    "not in the form of a key": lambda old: b"".join(n.to_bytes(32, "little") for n in GENERATOR),
}
NONE_G2: dict[str, Change] = {
    "off the curve": lambda old: raw(T * T, 0, T**3, 0),
    "order 2 of a twist": lambda old: raw(1, 0, 0, 0),
    "x above": lambda old: above(raw(*X2)) + raw(*Y2),
    "y above": lambda old: raw(*X2) + above(raw(*Y2)),
    "zeros above": lambda old: above(bytes(128)),
    "y zero": lambda old: raw(*X2, 0, 0),
}


def placed(place: int, size: int, change: Change) -> Change:
    return lambda content: (
        content[:place] + change(content[place : place + size]) + content[place + size :]
    )


def last_of(size: int, change: Change) -> Change:
    return lambda content: content[:-size] + change(content[-size:])


#: Of the header: alpha, beta, beta and gamma of G2, delta, delta of G2.
HEADER_G1 = {"alpha": 84, "beta": 148, "delta": 468}
HEADER_G2 = {"beta2": 212, "gamma2": 340, "delta2": 532}
ALTERED: dict[str, tuple[int, Change]] = {
    **{
        f"{name} in section {section}": (section, last_of(64, change))
        for name, change in NONE_G1.items()
        for section in (3, 5, 6, 8, 9)
    },
    **{f"{name} of G2": (7, last_of(128, change)) for name, change in NONE_G2.items()},
    **{
        f"{name} as {point}": (2, placed(place, 64, change))
        for name, change in {**NONE_G1, "zeros": lambda old: bytes(64)}.items()
        for point, place in HEADER_G1.items()
    },
    **{
        f"{name} as {point}": (2, placed(place, 128, change))
        for name, change in {
            **NONE_G2,
            "zeros": lambda old: bytes(128),
            "beside the subgroup": lambda old: raw(*sum(beside_the_subgroup(), ())),
        }.items()
        for point, place in HEADER_G2.items()
    },
    **{
        f"section {section} {words}": (section, change)
        for section in (3, 5, 6, 7, 8, 9)
        for words, change in {
            "shorter": lambda content: content[:-64],
            "longer": lambda content: content + bytes(128),
            "cut in a point": lambda content: content[:-1],
        }.items()
    },
}


@pytest.fixture
def no_snarkjs(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(**options: Any) -> None:
        raise AssertionError("snarkjs was started")

    monkeypatch.setattr(files, "Snarkjs", started)


def altered(held: Held, into: Path, name: str) -> Path:
    section, change = ALTERED[name]
    (path := into / "given.zkey").write_bytes(with_section(held.key(1), section, change))
    assert path.read_bytes() != held.key(1).read_bytes()
    return path


def test_what_the_tests_call_none_is_none() -> None:
    for name in ("cusp", "node", "another twist", "order 2 of a twist", "order 3 of a twist"):
        content = NONE_G1[name](b"")
        numbers = [int.from_bytes(content[at : at + 32], "little") for at in (0, 32)]
        x, y = (number * pow(MONTGOMERY, -1, Q) % Q for number in numbers)
        assert not on_curve((x, y))
    assert on_curve_g2(beside_the_subgroup())
    assert not in_subgroup(beside_the_subgroup())


@pytest.mark.parametrize("name", ALTERED)
def test_nobody_contributes_to_a_key_with_what_is_no_point(
    held: Held, tmp_path: Path, name: str, no_snarkjs: None
) -> None:
    given, out = altered(held, tmp_path, name), tmp_path / "new.zkey"
    with pytest.raises(CeremonyRefused, match=r"given\.zkey is refused: "):
        contributed_to(held, given, out, "Dan")
    assert [path.name for path in tmp_path.iterdir()] == ["given.zkey"]


@pytest.mark.parametrize("section", [3, 5, 6, 7, 8, 9])
def test_a_key_with_an_off_curve_point_is_neither_verified_nor_finished(
    held: Held, tmp_path: Path, section: int, no_snarkjs: None
) -> None:
    name = "off the curve of G2" if section == 7 else f"cusp in section {section}"
    given = altered(held, tmp_path, name)
    with pytest.raises(CeremonyRefused, match="is not on its curve"):
        verify(held.onnx, given, held.ptau)
    for beacon in (None, files.Beacon(b"\1" * 8, 10)):
        with pytest.raises(CeremonyRefused, match="is not on its curve"):
            finish(
                held.onnx,
                given,
                held.ptau,
                ptau_digest=held.ptau_digest,
                beacon=beacon,
                prover=Prover.SNARKJS,
                cache=tmp_path / "home",
            )


def test_the_refusal_names_the_point_and_says_what_it_is_for(held: Held, tmp_path: Path) -> None:
    given = altered(held, tmp_path, "cusp in section 9")
    with pytest.raises(CeremonyRefused, match=r"point 63 of its section 9 .*give away the secrets"):
        check_points(given)


def test_infinity_is_a_point_of_what_wires_do_not_use(held: Held, tmp_path: Path) -> None:
    """Wires in no constraint of a side have it in every honest key."""
    for number in range(4):
        check_points(held.key(number))
    section, size = 6, 64
    found: list[bytes] = []
    with_section(held.key(1), section, lambda content: found.append(content) or content)
    points = [found[0][at : at + size] for at in range(0, len(found[0]), size)]
    assert bytes(size) in points


class Dishonest(Snarkjs):
    """The given file has been replaced when it is asked, and its contribution is another."""

    given: Path
    answered: bytes
    read = b""

    def call(self, function: str, what: str, /, **arguments: Any) -> Any:
        self.given.write_bytes(b"other")
        if function != "contribute":
            return super().call(function, what, **arguments)
        Dishonest.read = Path(arguments["old"]).read_bytes()
        (fresh := Path(arguments["fresh"])).write_bytes(self.answered)
        return read_transcript(fresh).contributions[-1].hash.hex()


def test_what_is_multiplied_is_what_was_checked_and_so_is_the_result(
    held: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = tmp_path / "given.zkey", tmp_path / "out.zkey"
    section, change = ALTERED["cusp in section 9"]
    for answer, refused in (
        (held.key(3).read_bytes(), False),
        (with_section(held.key(3), section, change), True),
    ):
        shutil.copy(held.key(2), given)
        monkeypatch.setattr(files, "Snarkjs", Dishonest)
        monkeypatch.setattr(Dishonest, "given", given, raising=False)
        monkeypatch.setattr(Dishonest, "answered", answer, raising=False)
        if refused:
            with pytest.raises(CeremonyRefused, match="is not on its curve"):
                contributed_to(held, given, out, "Cy")
        else:
            contributed_to(held, given, out, "Cy")
            out.unlink()
        assert Dishonest.read == held.key(2).read_bytes()
        assert not out.exists()


def test_a_key_is_verified_before_anybody_contributes(held: Held, tmp_path: Path) -> None:
    """A point of section 9 that is another one, on the curve."""
    out, given = tmp_path / "out.zkey", tmp_path / "given.zkey"
    twice = with_section(held.key(2), 9, lambda content: content[64:128] + content[64:])
    given.write_bytes(twice)
    with pytest.raises(CeremonyRefused, match=r"given\.zkey is refused: its points are not those"):
        contributed_to(held, given, out, "Dan")
    assert not out.exists()
    made = contributed_to(held, held.last, out, "Dan")
    assert made.people == 4
