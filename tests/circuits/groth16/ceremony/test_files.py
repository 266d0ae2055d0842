"""A ceremony with three contributions ends in keys that prove; nothing next to it does."""

import hashlib
import os
import shutil
import stat
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import numpy_helper

from tests.support.ceremonies import (
    NETWORK,
    POWER,
    Held,
    X,
    contributed_to,
    sections,
    snarkjs,
    with_factor,
    with_name,
    with_section,
)
from tests.support.disks import small_disk
from tests.support.foreign_circuits import with_versions, written
from tests.support.forging_keys import raw
from tests.support.integer_networks import infer, mlp
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import CeremonyRefused, EngineError, NetworkRefused, PtauRefused
from zkagent.circuits.groth16.cached import read_key
from zkagent.circuits.groth16.ceremony import files
from zkagent.circuits.groth16.ceremony.files import (
    FIRST_KEY,
    begin,
    finish,
    finish_isolated,
    verify,
)
from zkagent.circuits.groth16.ceremony.ptau import PUBLIC, Powers, read_powers
from zkagent.circuits.groth16.ceremony.transcript import Beacon, Contribution, read_transcript
from zkagent.circuits.groth16.proving.provers import Prover
from zkagent.circuits.snarkjs.process import Snarkjs
from zkagent.circuits.store import list_circuits, read_stored
from zkagent.circuits.systems import GROTH16, PROVERS, has_setup, load_circuit
from zkagent.prover import verification
from zkagent.prover.local import LocalProver

BEACON = Beacon(bytes.fromhex("0123456789abcdef"), 10)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def circuit(held: Held, home: Path) -> Circuit:
    """In a home that has a development set-up of the same network, too."""
    PROVERS["snarkjs"].build(held.onnx, cache=home)
    return finish_isolated(
        held.onnx,
        held.last,
        held.ptau,
        ptau_digest=held.ptau_digest,
        prover=Prover.SNARKJS,
        cache=home,
    )


def test_it_is_a_ceremonys_in_name_facts_and_key(held: Held, circuit: Circuit) -> None:
    transcript = read_transcript(held.last)
    assert not circuit.development_srs
    assert circuit.origin.made_by["groth16_setup"] == "ceremony"
    assert circuit.transcript == transcript.digest
    code = read_key(circuit)
    assert not code.development
    assert code.key == transcript.verifying
    note = circuit.notes["ceremony"]
    assert [each["name"] for each in note["contributions"]] == ["Ann", "Bob", "Cy"]
    other = dict(circuit.origin.versions) | {"groth16_transcript": "0" * 64}
    assert replace(circuit.origin, versions=tuple(other.items())).digest != circuit.digest


@pytest.mark.parametrize("prover", ["groth16py", "snarkjs"])
def test_its_keys_prove_and_nothing_else_holds(circuit: Circuit, prover: str) -> None:
    if prover == "groth16py":
        pytest.importorskip("groth16py")
    with LocalProver(circuit, prover=prover) as local:
        proof = local.prove(X)
    assert list(proof.outputs) == infer(NETWORK, X)
    assert verification.verify(proof, circuit)
    for wrong in (
        replace(proof, outputs=(proof.outputs[0] + 1, *proof.outputs[1:])),
        replace(proof, inputs=(*proof.inputs[:-1], 32766)),
        replace(proof, proof=proof.proof[192:] + proof.proof[64:192] + proof.proof[:64]),
    ):
        assert not verification.verify(wrong, circuit)


def test_proofs_of_a_development_set_up_do_not_hold_for_it(circuit: Circuit, home: Path) -> None:
    (other,) = set(list_circuits(home)) - {circuit.digest}
    with LocalProver(load_circuit(other, home), prover="snarkjs") as local:
        proof = local.prove(X)
    assert verification.verify(proof, load_circuit(other, home))
    assert not verification.verify(replace(proof, circuit=circuit.digest), circuit)


def test_it_stands_for_its_network_before_a_development_set_up(
    held: Held, circuit: Circuit, home: Path
) -> None:
    assert GROTH16.build(held.onnx, cache=home) == circuit
    assert has_setup(circuit, None, home)


def test_the_same_files_give_the_same_circuit_elsewhere_and_a_copy_is_nobodys_word(
    held: Held, circuit: Circuit, tmp_path: Path
) -> None:
    """The copy is damaged in the end, too, and replaced."""
    directory = tmp_path / "circuits" / circuit.digest
    shutil.copytree(circuit.directory, directory)
    copied = load_circuit(circuit.digest, tmp_path)
    assert copied.claims_ceremony
    assert copied.development_srs
    assert not has_setup(copied, None, tmp_path)
    (directory / "solver.npz").write_bytes(b"damaged")
    again = finish(
        held.onnx,
        held.last,
        held.ptau,
        ptau_digest=held.ptau_digest,
        prover=Prover.SNARKJS,
        cache=tmp_path,
    )
    assert again.digest == circuit.digest
    assert load_circuit(circuit.digest, tmp_path) == again
    assert has_setup(again, None, tmp_path)
    assert not again.claims_ceremony
    assert not again.development_srs
    assert [path.name for path in (tmp_path / "circuits").glob(".*.building")] == []


def test_a_ceremony_that_is_only_checked_stands_for_nothing(
    held: Held, circuit: Circuit, home: Path, tmp_path: Path
) -> None:
    """Nor does it keep the next one that is chosen from that."""
    shutil.copytree(home, here := tmp_path / "home")
    shutil.rmtree(here / "circuits" / circuit.digest)
    (here / "groth16" / f"{circuit.digest}.made").unlink()
    (development,) = list_circuits(here)
    stranger = tmp_path / "stranger.zkey"
    contributed_to(held, held.key(0), stranger, "Mallory")

    def finished(zkey: Path, *, chosen: bool) -> Circuit:
        return finish_isolated(
            held.onnx,
            zkey,
            held.ptau,
            ptau_digest=held.ptau_digest,
            chosen=chosen,
            prover=Prover.SNARKJS,
            cache=here,
        )

    checked = finished(stranger, chosen=False)
    assert (checked.unknown_maker, checked.development_srs) == (False, False)
    assert GROTH16.build(held.onnx, cache=here).digest == development
    assert finished(held.last, chosen=True) == circuit_in(here, circuit)
    assert GROTH16.build(held.onnx, cache=here).digest == circuit.digest
    assert finished(stranger, chosen=False) == checked
    assert GROTH16.build(held.onnx, cache=here).digest == circuit.digest
    finished(stranger, chosen=True)
    assert GROTH16.build(held.onnx, cache=here).digest == checked.digest


def circuit_in(home: Path, circuit: Circuit) -> Circuit:
    return load_circuit(circuit.digest, home)


def test_a_key_with_other_names_is_the_same_circuit(
    held: Held, circuit: Circuit, home: Path, tmp_path: Path
) -> None:
    """Anybody can write other names into a key."""
    shutil.copytree(home, here := tmp_path / "home")
    renamed = changed(held.last, 10, lambda c: c.replace(b"Ann", b"000"), tmp_path / "x.zkey")
    for cache in (here, tmp_path / "other"):
        again = finish(
            held.onnx,
            renamed,
            held.ptau,
            ptau_digest=held.ptau_digest,
            prover=Prover.SNARKJS,
            cache=cache,
        )
        assert again.digest == circuit.digest
        assert load_circuit(circuit.digest, cache) == again
        assert GROTH16.build(held.onnx, cache=cache) == again
    assert (circuit_in(here, circuit).directory / "circuit.zkey").read_bytes() == (
        held.last.read_bytes()
    )


def test_another_story_of_the_same_key_is_nobodys_word(circuit: Circuit, tmp_path: Path) -> None:
    shutil.copytree(circuit.directory.parent.parent, home := tmp_path / "home")
    other = with_versions(circuit.origin, groth16_transcript="0" * 64)
    lying = load_circuit(written(home, other, circuit, {}), home)
    assert lying.origin.srs == circuit.origin.srs
    assert lying.claims_ceremony
    assert not has_setup(lying, None, home)
    assert has_setup(load_circuit(circuit.digest, home), None, home)


def test_snarkjs_itself_finds_the_ceremony_sound(held: Held) -> None:
    assert "ZKey Ok!" in snarkjs("zkey", "verify", held.r1cs, held.ptau, held.last)


# What is refused


def refused(
    held: Held, words: str, *, network: Path | None = None, zkey: Path | None = None
) -> None:
    with pytest.raises(CeremonyRefused, match=words):
        verify(network or held.onnx, zkey or held.last, held.ptau)


def changed(path: Path, number: int, change: Callable[[bytes], bytes], into: Path) -> Path:
    into.write_bytes(with_section(path, number, change))
    return into


def negated_last(content: bytes) -> bytes:
    """The last point of a section, G1's, turned."""
    y = -int.from_bytes(content[-32:], "little") % Q
    return content[:-32] + y.to_bytes(32, "little")


def test_a_key_of_another_network_is_refused(held: Held, tmp_path: Path) -> None:
    (wider := tmp_path / "wider.onnx").write_bytes(mlp(3, 4, 7))
    refused(held, r"it is of another circuit: \d+ wires, .* expected \d+ wires", network=wider)


def test_a_key_of_a_network_of_the_same_shape_is_refused(held: Held, tmp_path: Path) -> None:
    """The last bias is another."""
    model = onnx.load_from_string(NETWORK)
    bias = model.graph.initializer[-1]
    changed_bias = numpy_helper.to_array(bias) + 1
    bias.CopyFrom(numpy_helper.from_array(changed_bias, bias.name))
    (other := tmp_path / "other.onnx").write_bytes(model.SerializeToString())
    refused(held, "its contributions began with another key than this network's", network=other)


@pytest.mark.parametrize("number", [3, 8, 9])
def test_a_key_with_another_point_is_refused(held: Held, tmp_path: Path, number: int) -> None:
    """Of the public words, of the private wires, of the powers."""
    path = changed(held.last, number, negated_last, tmp_path / "changed.zkey")
    refused(held, "its points are not those of circuit and powers", zkey=path)


def test_a_changed_contribution_ends_nothing(held: Held, tmp_path: Path) -> None:
    def other_delta(content: bytes) -> bytes:
        return content[:68] + negated_last(content[68:132]) + content[132:]

    path = changed(held.last, 10, other_delta, tmp_path / "changed.zkey")
    with pytest.raises(CeremonyRefused, match=r"changed\.zkey is refused: contribution 1 \('Ann"):
        finish(
            held.onnx,
            path,
            held.ptau,
            ptau_digest=held.ptau_digest,
            prover=Prover.SNARKJS,
            cache=tmp_path,
        )
    assert not list((tmp_path / "circuits").glob("*[!k]"))
    assert not (tmp_path / "groth16").exists()


def other_powers(held: Held, number: int, into: Path) -> Path:
    """Like a file of another ceremony in one of its parts."""
    size = {4: 64, 12: 64 * 89}[number]
    return changed(
        held.ptau, number, lambda c: negated_last(c[:size]) + c[size:], into / "other.ptau"
    )


def test_other_powers_of_tau_are_refused(held: Held, tmp_path: Path) -> None:
    with pytest.raises(
        CeremonyRefused, match=r"was made from other powers of tau than .*other\.ptau"
    ):
        verify(held.onnx, held.last, other_powers(held, 4, tmp_path))


def test_the_powers_that_are_used_are_those_that_were_digested(
    held: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can write to their folder puts others in their place once they were read."""
    given, honest = tmp_path / "powers.ptau", held.ptau.read_bytes()
    other = other_powers(held, 12, tmp_path).read_bytes()

    def read_and_replaced(*words: Any, **options: Any) -> Powers:
        found = read_powers(*words, **options)
        given.write_bytes(other)
        return found

    monkeypatch.setattr(files, "read_powers", read_and_replaced)
    given.write_bytes(honest)
    verified = verify(held.onnx, held.last, given)
    assert (verified.powers.digest, verified.powers.path) == (held.ptau_digest, given)
    given.write_bytes(honest)
    begun = begin(held.onnx, given, tmp_path)
    assert begun.transcript.circuit == read_transcript(held.key(0)).circuit
    given.write_bytes(honest)
    for home in (tmp_path / "one", tmp_path / "two"):  # the second time, of the other powers
        with pytest.raises(PtauRefused) if home.name == "two" else nullcontext():
            finish(
                held.onnx,
                held.last,
                given,
                ptau_digest=held.ptau_digest,
                prover=Prover.SNARKJS,
                cache=home,
            )


def test_powers_that_differ_in_what_nobody_names_are_refused(held: Held, tmp_path: Path) -> None:
    with pytest.raises(CeremonyRefused, match="its contributions began with another key"):
        verify(held.onnx, held.last, other_powers(held, 12, tmp_path))


def test_powers_that_are_too_few_are_refused_with_both_sizes(held: Held, tmp_path: Path) -> None:
    (large := tmp_path / "large.onnx").write_bytes(mlp(inputs=20))
    with pytest.raises(PtauRefused, match=r"has 2\^6 powers of tau, the circuit takes 2\^9 rows"):
        begin(large, held.ptau, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.onnx"]


def test_powers_that_are_not_prepared_are_refused_with_a_remedy(held: Held) -> None:
    with pytest.raises(PtauRefused, match="not prepared: run `snarkjs powersoftau prepare phase2"):
        verify(held.onnx, held.last, held.unprepared)


def without_prepared(content: bytes) -> bytes:
    return content[:-64]


PTAUS: dict[str, Callable[[Held], bytes]] = {
    "cut": lambda held: held.ptau.read_bytes()[:-1],
    "longer": lambda held: held.ptau.read_bytes() + b"\0",
    "empty": lambda held: b"",
    "a key": lambda held: held.last.read_bytes(),
    "text": lambda held: b"powers of tau" * 9,
    "a short section": lambda held: with_section(held.ptau, 13, without_prepared),
    "another curve": lambda held: with_section(held.ptau, 1, lambda c: c[:4] + b"\1" + c[5:]),
}


@pytest.mark.parametrize("make", PTAUS.values(), ids=PTAUS)
def test_what_is_no_whole_file_of_powers_is_refused(
    held: Held, tmp_path: Path, make: Callable[[Held], bytes]
) -> None:
    (path := tmp_path / "x.ptau").write_bytes(make(held))
    with pytest.raises(PtauRefused, match=r"x\.ptau is refused: it is no whole file of powers"):
        read_powers(path, 1 << POWER)


def test_powers_that_nobody_vouches_for_end_nothing(held: Held, tmp_path: Path) -> None:
    """Whoever knows tau forges proofs, however many contributed to the key."""
    for given, words in (
        (None, "is of no file of the public ceremony, .* --ptau-digest"),
        ("0" * 128, "expected 0000"),
        (held.ptau_digest[:-1], "its BLAKE2b is "),
    ):
        with pytest.raises(PtauRefused, match=words):
            finish(
                held.onnx,
                held.last,
                held.ptau,
                ptau_digest=given,
                prover=Prover.SNARKJS,
                cache=tmp_path,
            )
    assert not (tmp_path / "groth16").exists()


def test_the_public_files_are_known_by_their_digests(held: Held) -> None:
    powers = read_powers(held.ptau, 1 << POWER)
    digest = hashlib.blake2b(held.ptau.read_bytes()).hexdigest()
    assert (powers.digest, powers.power, powers.is_public) == (digest, POWER, False)
    powers.check_vouched(digest.upper())
    assert sorted(PUBLIC) == [*range(8, 29)]
    assert all(len(bytes.fromhex(each)) == 64 for each in PUBLIC.values())
    replace(powers, digest=PUBLIC[12]).check_vouched(None)


def test_a_key_that_nobody_contributed_to_is_refused(held: Held, tmp_path: Path) -> None:
    """delta is 1 then, or a number that everybody can compute."""
    for beacon in (None, BEACON):
        with pytest.raises(CeremonyRefused, match="nobody contributed to it"):
            finish(
                held.onnx,
                held.key(0),
                held.ptau,
                ptau_digest=held.ptau_digest,
                beacon=beacon,
                prover=Prover.SNARKJS,
                cache=tmp_path,
            )
    alone = tmp_path / "beacon.zkey"
    snarkjs("zkey", "beacon", held.key(0), alone, BEACON.value.hex(), 10, "-n=only")
    verify(held.onnx, alone, held.ptau)
    with pytest.raises(CeremonyRefused, match="nobody contributed to it"):
        finish(
            held.onnx,
            alone,
            held.ptau,
            ptau_digest=held.ptau_digest,
            prover=Prover.SNARKJS,
            cache=tmp_path,
        )


# Beacons


@pytest.fixture(scope="module")
def with_beacon(held: Held, tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    return finish(
        held.onnx,
        held.last,
        held.ptau,
        ptau_digest=held.ptau_digest,
        beacon=BEACON,
        prover=Prover.SNARKJS,
        cache=tmp_path_factory.mktemp("beacon"),
    )


def test_a_beacon_is_the_last_contribution(
    held: Held, circuit: Circuit, with_beacon: Circuit
) -> None:
    found = read_transcript(with_beacon.directory / "circuit.zkey")
    found.check()
    assert [each.beacon for each in found.contributions] == [None, None, None, BEACON]
    assert found.people == 3
    assert with_beacon.digest != circuit.digest
    stored = read_stored(with_beacon.digest, with_beacon.directory.parent.parent)
    assert stored.notes["ceremony"]["contributions"][-1]["beacon"] == BEACON.value.hex()


def test_a_contribution_that_is_no_beacons_is_named(
    held: Held, with_beacon: Circuit, tmp_path: Path
) -> None:
    key = with_beacon.directory / "circuit.zkey"
    value = BEACON.value
    for change, words in (
        (lambda c: c.replace(value, bytes(8)), r"contribution 4 \('beacon'\) .* not the beacon's"),
        (lambda c: c.replace(b"\2\12\3", b"\2\13\3"), "not the beacon's"),
        (lambda c: c.replace(b"\2\12\3", b"\2\77\3"), r"contribution 4: a beacon is hashed 2\^63"),
    ):
        with pytest.raises(CeremonyRefused, match=words):
            read_transcript(changed(key, 10, change, tmp_path / "other.zkey")).check()


def test_contributions_that_cancel_end_nothing(held: Held, tmp_path: Path) -> None:
    """The points are those of the first key again, so it follows from that."""
    first = read_transcript(held.key(0))
    twice = with_factor(with_factor(first, 7), pow(7, -1, R)).contributions
    told = struct.pack("<I", 2) + b"".join(map(in_key, twice))
    path = changed(held.key(0), 10, lambda c: c[:64] + told, tmp_path / "twice.zkey")
    assert verify(held.onnx, path, held.ptau).transcript.contributions == twice
    alone = tmp_path / "alone.zkey"
    snarkjs("zkey", "beacon", path, alone, BEACON.value.hex(), 10, "-n=only")
    for key, beacon in ((path, None), (path, BEACON), (alone, None)):
        with pytest.raises(CeremonyRefused, match="its contributions cancel, so everybody could"):
            finish(
                held.onnx,
                key,
                held.ptau,
                ptau_digest=held.ptau_digest,
                beacon=beacon,
                prover=Prover.SNARKJS,
                cache=tmp_path / "home",
            )
    assert not (tmp_path / "home" / "groth16").exists()


def in_key(contribution: Contribution) -> bytes:
    """As a key has it, without a name."""
    x, y = contribution.spx
    points = [contribution.delta, contribution.s, contribution.sx, x, y]
    return raw(points) + contribution.hashed + bytes(8)


KEY = "\U0001f511"


@pytest.mark.parametrize("name", ["x" + KEY * 60, "\ufeffAnn"], ids=["long", "marked"])
def test_a_name_that_snarkjs_writes_otherwise_stops_nobody(
    held: Held, tmp_path: Path, name: str
) -> None:
    """It keeps 64 UTF-16 units, and no mark of byte order at the beginning."""
    key, new = tmp_path / "key.zkey", tmp_path / "new.zkey"
    key.write_bytes(with_section(held.last, 10, with_name(name.encode())))
    made = contributed_to(held, key, new, "Dan")
    assert read_transcript(key).contributions[0].name == name
    assert [each.name for each in made.contributions[1:]] == ["Bob", "Cy", "Dan"]
    done = finish(
        held.onnx,
        key,
        held.ptau,
        ptau_digest=held.ptau_digest,
        beacon=BEACON,
        prover=Prover.SNARKJS,
        cache=tmp_path / "home",
    )
    assert read_transcript(done.directory / "circuit.zkey").contributions[-1].beacon == BEACON


# Files


@pytest.fixture
def folder(held: Held, tmp_path: Path) -> Iterator[Path]:
    """Nothing but what a test says is left in it."""
    before = {path: path.read_bytes() for path in held.folder.iterdir()}
    yield tmp_path
    assert {path: path.read_bytes() for path in held.folder.iterdir()} == before


def test_nothing_is_contributed_to_a_key_that_is_not_sound(held: Held, folder: Path) -> None:
    bad = changed(held.last, 10, lambda c: c[:-1], folder / "bad.zkey")
    with pytest.raises(CeremonyRefused, match="cut off"):
        contributed_to(held, bad, folder / "new.zkey", "Dan")
    assert [path.name for path in folder.iterdir()] == ["bad.zkey"]


def test_what_snarkjs_cannot_do_leaves_nothing(
    held: Held, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its copy of the key is another one than was read."""
    from zkagent.circuits.groth16.ceremony import files

    call = files.Snarkjs.call

    def other(snarkjs: files.Snarkjs, function: str, what: str, /, **given: Any) -> Any:
        if function != "contribute":
            return call(snarkjs, function, what, **given)
        return shutil.copy(held.key(2), given["fresh"])

    monkeypatch.setattr(files.Snarkjs, "call", other)
    with pytest.raises(EngineError, match="it wrote other contributions than there were"):
        contributed_to(held, held.last, folder / "new.zkey", "Dan")
    assert list(folder.iterdir()) == []


class Meddled(Snarkjs):
    """snarkjs, and somebody who comes after a key was written and before that is read."""

    meddle: Callable[[str, Path], object]

    def call(self, function: str, what: str, /, **arguments: Any) -> Any:
        result = super().call(function, what, **arguments)
        self.meddle(function, Path(arguments.get("fresh") or arguments["zkey"]))
        return result


@pytest.fixture
def meddle(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str, Path], object]], None]:
    def begin(how: Callable[[str, Path], object]) -> None:
        monkeypatch.setattr(files, "Snarkjs", Meddled)
        monkeypatch.setattr(Meddled, "meddle", staticmethod(how), raising=False)

    return begin


Meddle = Callable[[Callable[[str, Path], object]], None]


def laid(content: bytes, wanted: str) -> Callable[[str, Path], object]:
    """This one's content, for a key that snarkjs wrote for such a request."""
    return lambda function, path: function == wanted and path.write_bytes(content)


def test_anothers_contribution_of_the_same_name_is_not_told_as_ones_own(
    held: Held, folder: Path, tmp_path_factory: pytest.TempPathFactory, meddle: Meddle
) -> None:
    """Sound, to the same key, and in the place where the own one was written; what was written is
    told apart by the hash that snarkjs made."""
    theirs = tmp_path_factory.mktemp("theirs") / "theirs.zkey"
    contributed_to(held, held.last, theirs, "Dan")
    meddle(laid(theirs.read_bytes(), "contribute"))
    with pytest.raises(EngineError, match="it wrote other contributions than there were"):
        contributed_to(held, held.last, folder / "new.zkey", "Dan")
    assert list(folder.iterdir()) == []


def test_nothing_is_worked_on_where_others_may_write(
    held: Held, folder: Path, meddle: Meddle
) -> None:
    """They may rename in the folder of `--out`, and so lay keys of theirs under names of ours."""
    folder.chmod(0o777)

    def seen(function: str, fresh: Path) -> None:
        assert folder not in fresh.parents
        assert stat.S_IMODE(fresh.parent.stat().st_mode) == 0o700
        assert list(folder.iterdir()) == []
        worked.append(fresh.name)

    worked: list[str] = []
    meddle(seen)
    made = contributed_to(held, held.last, folder / "new.zkey", "Dan")
    assert worked == [FIRST_KEY, "fresh.zkey"]
    assert made == read_transcript(folder / "new.zkey")
    (folder / "new.zkey").unlink()
    begun = begin(held.onnx, held.ptau, folder).transcript
    assert worked[2:] == [FIRST_KEY]
    assert sorted(path.name for path in folder.iterdir()) == ["circuit.r1cs", FIRST_KEY]
    assert begun == read_transcript(folder / FIRST_KEY)


def test_another_first_key_than_was_made_is_not_handed_out(
    held: Held, folder: Path, meddle: Meddle
) -> None:
    other = with_section(held.key(0), 10, lambda content: bytes(64) + content[64:])
    meddle(laid(other, "initial"))
    with pytest.raises(EngineError, match="it wrote another key than it made"):
        begin(held.onnx, held.ptau, folder)
    assert list(folder.iterdir()) == []


def test_another_beacons_contribution_is_not_taken(
    held: Held, tmp_path: Path, meddle: Meddle
) -> None:
    theirs = tmp_path / "theirs.zkey"
    snarkjs("zkey", "beacon", held.last, theirs, "abcd", 10, "-n=beacon")
    meddle(laid(theirs.read_bytes(), "beacon"))
    with pytest.raises(EngineError, match="it wrote other contributions than there were"):
        finish(
            held.onnx,
            held.last,
            held.ptau,
            ptau_digest=held.ptau_digest,
            beacon=BEACON,
            prover=Prover.SNARKJS,
            cache=tmp_path / "home",
        )
    assert list_circuits(tmp_path / "home") == []


@pytest.mark.parametrize("linked", [False, True])
def test_a_contribution_goes_into_a_pipe_that_is_named_and_past_a_link(
    held: Held, folder: Path, linked: bool
) -> None:
    place = folder / "place"
    if linked:
        place.symlink_to(folder / "file")
        made = contributed_to(held, held.last, place, "Dan")
        content = (folder / "file").read_bytes()
    else:
        os.mkfifo(place)
        with ThreadPoolExecutor() as pool:
            reading = pool.submit(place.read_bytes)
            made = contributed_to(held, held.last, place, "Dan")
            content = reading.result()
    assert (place.is_fifo(), place.is_symlink()) == (not linked, linked)
    (folder / "key").write_bytes(content)
    assert read_transcript(folder / "key").contributions == made.contributions


@pytest.mark.parametrize("laid_there", ["a link", "another contribution"])
def test_a_contribution_takes_no_place_that_somebody_took_meanwhile(
    held: Held,
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    *,
    meddle: Meddle,
    laid_there: str,
) -> None:
    """Who may make names in the folder of `--out` chooses no other file of ours by that, and of two
    who contribute into one place none is lost."""
    place, key = folder / "new.zkey", tmp_path_factory.mktemp("own") / "key"
    key.write_bytes(b"the only copy")

    def lay(function: str, fresh: Path) -> None:
        if function == "contribute" and laid_there == "a link":
            place.symlink_to(key)
        elif function == "contribute":
            place.write_bytes(b"theirs")

    meddle(lay)
    with pytest.raises(FileExistsError, match=r"new\.zkey"):
        contributed_to(held, held.last, place, "Dan")
    assert key.read_bytes() == b"the only copy"
    assert place.is_symlink() or place.read_bytes() == b"theirs"
    assert list(folder.iterdir()) == [place]


def test_snarkjs_ends_when_it_cannot_write(held: Held, tmp_path: Path) -> None:
    """Its own files go on for hours."""
    with small_disk(tmp_path / "disk", "32k") as disk:
        fresh, full = str(disk / "fresh.zkey"), "no space left on device"
        requests: dict[str, dict[str, Any]] = {
            "contribute": {"old": str(held.last), "name": "Dan", "entropy": "ab"},
            "beacon": {"old": str(held.last), "name": "b", "beacon": "abcd", "iterations": 10},
            "initial": {"r1cs": str(held.r1cs), "ptau": str(held.ptau), "zkey": fresh},
        }
        for function, given in requests.items():
            with Snarkjs(timeout_s=600) as ours, pytest.raises(EngineError, match=full):
                ours.call(function, function, fresh=fresh, **given)
            Path(fresh).unlink()


def test_a_full_disk_is_told_and_leaves_nothing(held: Held, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "32k") as disk:
        with pytest.raises(OSError, match=r"No space left on device: '.*/disk/new\.zkey'"):
            contributed_to(held, held.last, disk / "new.zkey", "Dan")
        with pytest.raises(OSError, match=r"No space left on device: '.*/disk"):
            begin(held.onnx, held.ptau, disk)
        assert list(disk.iterdir()) == []


def test_a_network_over_fractions_has_no_ceremony(held: Held, folder: Path) -> None:
    from tests.support.small_networks import relu_network

    (path := folder / "relu.onnx").write_bytes(relu_network())
    with pytest.raises(NetworkRefused, match="over integers only"):
        begin(path, held.ptau, folder)


def test_sections_are_as_the_tests_read_them(held: Held) -> None:
    found = [number for number, _, _ in sections(held.last.read_bytes())]
    assert sorted(found) == list(range(1, 11))
    assert struct.unpack("<I", held.last.read_bytes()[8:12]) == (10,)
