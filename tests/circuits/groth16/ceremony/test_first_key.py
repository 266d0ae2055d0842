"""A key is its first key, divided: no room is left in it for a point that forges proofs."""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.ceremonies import NETWORK, Held, X, contributed_to, snarkjs
from tests.support.forging_keys import (
    Change,
    Parts,
    cut,
    forged_by_top,
    forged_by_words,
    hiding,
    key_of,
    longer,
    parts,
    points,
    raw,
    top,
)
from tests.support.integer_networks import infer, mlp
from zkagent.circuits.bn254.curve import GENERATOR, Q, add, multiply
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import CeremonyRefused
from zkagent.circuits.groth16.build import compile_network
from zkagent.circuits.groth16.ceremony.files import begin, finish, verify
from zkagent.circuits.groth16.ceremony.first_key import check_follows
from zkagent.circuits.groth16.ceremony.key_points import check_points
from zkagent.circuits.groth16.ceremony.transcript import Beacon, read_transcript
from zkagent.circuits.groth16.keys.development import make_keys
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.keys.zkey import read_verifying_key, zkey_file
from zkagent.circuits.groth16.proving.provers import Prover
from zkagent.circuits.groth16.proving.verdicts import holds
from zkagent.circuits.networks.network import read_network

NOT_THOSE = "its points are not those of circuit and powers"
PLAIN = mlp(3, 3, 5)  # its outputs are words themselves


def of_section(number: int, change: Callable[[bytes], bytes]) -> Change:
    return lambda found: found | {number: change(found[number])}


def of_point(number: int, place: int, change: Callable[[bytes], bytes]) -> Change:
    def changed(content: bytes) -> bytes:
        at = place * 64 if place >= 0 else len(content) + place * 64
        return content[:at] + change(content[at : at + 64]) + content[at + 64 :]

    return of_section(number, changed)


def negated(content: bytes) -> bytes:
    y = -int.from_bytes(content[32:], "little") % Q
    return content[:32] + y.to_bytes(32, "little")


def with_more(content: bytes) -> bytes:
    (point,) = points(content)
    return raw([add(point, GENERATOR)])


def swapped(content: bytes) -> bytes:
    return content[64:128] + content[:64] + content[128:]


def same_sum(content: bytes) -> bytes:
    one, other, *others = points(content)
    return raw([add(one, GENERATOR), add(other, (1, Q - 2)), *others])


def words_at_the_end(found: Parts) -> Mapping[int, bytes]:
    return found | {8: found[8][: -len(found[3])] + found[3]}


#: Each is of a key with contributions.
WRONG: dict[str, Change] = {
    "a hidden point": hiding,
    "more wires": longer,
    "points of the words": words_at_the_end,
    **{
        f"section {number} {words}": change
        for number in (8, 9)
        for words, change in {
            "first negated": of_point(number, 0, negated),
            "last negated": of_point(number, -1, negated),
            "one moved": of_point(number, 7, with_more),
            "first at infinity": of_point(number, 0, lambda _: bytes(64)),
            "last at infinity": of_point(number, -1, lambda _: bytes(64)),
            "at infinity": of_section(number, lambda content: bytes(len(content))),
            "swapped": of_section(number, swapped),
            "with the same sum": of_section(number, same_sum),
            "twice": of_section(number, lambda c: raw([multiply(p, 2) for p in points(c)])),
        }.items()
    },
    **{
        f"section {number} {words}": of_section(number, change)
        for number in range(1, 10)
        for words, change in {
            "shorter": lambda content: content[:-1],
            "longer": lambda content: content + bytes(128),
            "empty": lambda content: b"",
        }.items()
    },
    **{
        f"section {number} with another {place} byte": of_section(
            number, lambda c, at=at: c[:at] + bytes([c[at] ^ 1]) + c[at:][1:]
        )
        for number in (1, 3, 4, 5, 6, 7)
        for place, at in {"first": 0, "last but one": -2}.items()
    },
    **{
        f"header with another byte {at}": of_section(
            2, lambda c, at=at: c[:at] + bytes([c[at] ^ 1]) + c[at + 1 :]
        )
        for at in (0, 4, 36, 40, 72, 76, 80, 84, 150, 220, 340, 467, 660 - 1)
    },
    "without section 7": lambda found: {n: c for n, c in found.items() if n != 7},
    "with section 11": lambda found: found | {11: b""},
}


def written(path: Path, found: Mapping[int, bytes]) -> Path:
    path.write_bytes(key_of(found))
    return path


def test_the_keys_of_a_ceremony_follow_from_its_first(held: Held) -> None:
    for number in range(4):
        check_follows(held.key(0), held.key(number))


@pytest.mark.parametrize("name", WRONG)
def test_what_no_contribution_makes_does_not_follow(held: Held, tmp_path: Path, name: str) -> None:
    wrong = written(tmp_path / "wrong.zkey", WRONG[name](parts(held.key(2))))
    with pytest.raises(CeremonyRefused, match=NOT_THOSE):
        check_follows(held.key(0), wrong)


def test_a_key_with_another_ones_delta_does_not_follow(held: Held, tmp_path: Path) -> None:
    """Nor does one that begins with a delta, of which another one is no first key."""
    header = parts(held.key(3))[2]
    wrong = written(tmp_path / "wrong.zkey", parts(held.key(2)) | {2: header})
    for first, last in ((held.key(0), wrong), (held.key(1), held.key(2))):
        with pytest.raises(CeremonyRefused, match=NOT_THOSE):
            check_follows(first, last)


# What the commands do with them


def refused_by_all(held: Held, onnx: Path, key: Path, words: str) -> None:
    """By what contributes, verifies, finishes and keeps for audits; nothing changes."""
    ptau, digest, folder = held.ptau, held.ptau_digest, key.parent
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(CeremonyRefused, match=words):
        contributed_to(held, key, folder / "new.zkey", "Dan", onnx=onnx)
    with pytest.raises(CeremonyRefused, match=words):
        verify(onnx, key, ptau)
    home = folder / "home"
    for chosen, beacon in ((True, None), (True, Beacon(b"\1" * 8, 10)), (False, None)):
        with pytest.raises(CeremonyRefused, match=words):
            finish(
                onnx,
                key,
                ptau,
                ptau_digest=digest,
                beacon=beacon,
                chosen=chosen,
                prover=Prover.SNARKJS,
                cache=home,
            )
    assert not (home / "groth16").exists()
    assert not list((home / "circuits").glob("*[!k]"))
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("network", [NETWORK, PLAIN], ids=["folded", "plain"])
def test_a_point_that_snarkjs_does_not_see_forges_proofs_and_is_refused(
    held: Held, tmp_path: Path, network: bytes
) -> None:
    """Contributed to by snarkjs alone."""
    (onnx := tmp_path / "mlp.onnx").write_bytes(network)
    begin(onnx, held.ptau, tmp_path)
    first = tmp_path / "circuit_0000.zkey"
    evil = written(tmp_path / "evil_0.zkey", hiding(parts(first)))
    last = tmp_path / "evil_1.zkey"
    snarkjs("zkey", "contribute", evil, last, "--name=Bob", "-e=of no worth")
    assert "ZKey Ok!" in snarkjs("zkey", "verify", tmp_path / "circuit.r1cs", held.ptau, last)
    read_transcript(last).check()
    check_points(last)
    refused_by_all(held, onnx, last, f"{NOT_THOSE} .points of section 9")
    pytest.importorskip("groth16py")
    true, compiled = infer(network, X), compile_network(read_network(onnx, any_integers=True))
    false = [*true[:-1], true[-1] + 1000]
    code, proof = forged_by_top(last, compiled, X, false)
    assert holds(code.key, proof, code.public_words(X, false))
    assert not holds(code.key, proof, code.public_words(X, true))


def test_points_beyond_the_circuits_forge_proofs_and_are_refused(
    held: Held, tmp_path: Path
) -> None:
    """Contributed to by snarkjs alone; what was added is cut from the last key, which is sound."""
    honest = parts(held.key(0))
    evil = written(tmp_path / "evil_0.zkey", longer(honest))
    last = tmp_path / "evil_1.zkey"
    snarkjs("zkey", "contribute", evil, last, "--name=Bob", "-e=of no worth")
    for key in (evil, last):
        refused_by_all(held, held.onnx, key, "another circuit: .* wires|nobody contributed")
    found, over = cut(parts(last), honest)
    verify(held.onnx, shorter := written(tmp_path / "shorter.zkey", found), held.ptau)
    true = infer(NETWORK, X)
    code = KeyCode(len(X), len(true), False, read_verifying_key(shorter))
    words = code.public_words(X, [each + 1000 for each in true])
    assert holds(code.key, forged_by_words(code, over, words), words)


@pytest.mark.parametrize(
    "name", ["section 9 one moved", "section 8 swapped", "points of the words", "section 4 longer"]
)
def test_a_key_that_does_not_follow_is_refused_by_all(
    held: Held, tmp_path: Path, name: str
) -> None:
    wrong = written(tmp_path / "wrong.zkey", WRONG[name](parts(held.last)))
    refused_by_all(held, held.onnx, wrong, NOT_THOSE)


@pytest.mark.parametrize("number", range(1, 11))
def test_surplus_bytes_and_a_second_section_are_refused(
    held: Held, tmp_path: Path, number: int
) -> None:
    found = parts(held.last)
    content = held.last.read_bytes()
    head = content[:8] + struct.pack("<I", 11)
    again = struct.pack("<IQ", number, len(found[number])) + found[number]
    for wrong in (
        key_of(found | {number: found[number] + bytes(64)}),
        head + content[12:] + again,
        head + again + content[12:],
    ):
        (key := tmp_path / "wrong.zkey").write_bytes(wrong)
        with pytest.raises(CeremonyRefused):
            contributed_to(held, key, tmp_path / "new.zkey", "Dan")
        assert [path.name for path in tmp_path.iterdir()] == ["wrong.zkey"]


# Powers of just the size


def coefficients(section: bytes) -> list[tuple[int, int, int, bytes]]:
    """Side, row, wire and factor."""
    return [
        (*struct.unpack("<III", section[at : at + 12]), section[at + 12 : at + 44])
        for at in range(4, len(section), 44)
    ]


@pytest.mark.parametrize("network", [NETWORK, PLAIN, mlp()], ids=["folded", "plain", "larger"])
def test_one_and_each_public_word_have_a_row_in_which_b_and_c_are_zero(
    held: Held, tmp_path: Path, network: bytes
) -> None:
    """Without such a row, what powers of just the size leave in a key would be no harmless point:
    the next test, and docs/groth16.md."""
    (onnx := tmp_path / "mlp.onnx").write_bytes(network)
    compiled = compile_network(read_network(onnx, any_integers=True))
    (made := tmp_path / "made.zkey").write_bytes(zkey_file(make_keys(compiled)))
    keys = [made]
    if network == NETWORK:
        keys.append(held.last)
    rows, words = len(compiled.constraints), compiled.public
    assert rows + words + 1 == compiled.rows <= compiled.domain
    one = ((1 << 512) % R).to_bytes(32, "little")
    for key in keys:
        found = coefficients(parts(key)[4])
        beyond = sorted(each for each in found if each[1] >= rows)
        assert beyond == [(0, rows + wire, wire, one) for wire in range(words + 1)]


def test_powers_of_just_the_size_leave_one_more_point_over_delta(held: Held) -> None:
    """tau^(n - 1) / 2, where larger powers have a multiple of the polynomial of all rows."""
    n = read_transcript(held.key(0)).domain
    (power,) = points(parts(held.ptau)[2][64 * (n - 1) : 64 * n])
    assert len(parts(held.ptau)[2]) == 64 * (2 * n - 1)
    assert top(parts(held.key(0))[9]) == multiply(power, pow(2, -1, R))
