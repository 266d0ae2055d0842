"""Which batch verifiers a registration leaves in place: what this version builds, or was named."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError
from zkagent.executor.audit import kept
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.kept import Listing, kept_batches
from zkagent.executor.chain.agent import AgentModel, BatchVerifier, Block
from zkagent.executor.errors import KeptRefused
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.backing import Constructed, ExactCode

FOUR, EIGHT, SINGLE = ("0x" + digit * 40 for digit in "481")
OURS, EVIL = b"\xfe" * 100, b"\xfe" * 99 + b"\0"  # as long as each other
DIGEST = bytes(range(32))


class World:
    """A node's list and code, and what is built here."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.codes = {SINGLE: OURS, FOUR: OURS, EIGHT: OURS}
        self.listed = [
            BatchVerifier(4, FOUR, DIGEST, keccak(OURS)),
            BatchVerifier(8, EIGHT, DIGEST, keccak(OURS)),
        ]
        self.built: list[int] = []
        self.checked: list[int] = []
        self.expected: tuple[Any, ...] | None = None
        self.trouble: Exception | None = None
        monkeypatch.setattr(kept, "own_circuit", self.circuit)
        monkeypatch.setattr(kept, "backing_of", lambda circuit: self)

    def circuit(self, *given: Any) -> Circuit:
        if self.trouble:
            raise self.trouble
        self.built.append(given[-1])
        return cast(Circuit, SimpleNamespace(digest=DIGEST.hex(), origin=SimpleNamespace(onnx="")))

    def check(self, chain_id: int, onnx: str) -> None:
        self.checked.append(chain_id)

    def standing(self, address: str, code: bytes) -> tuple[Any, ...]:
        return self.expected or (ExactCode(address, OURS),)

    def kept(
        self, replaced: tuple[int, ...] = (), named: dict[int, str] | None = None
    ) -> list[int]:
        reader = SimpleNamespace(code=lambda address, block: self.codes[address], chain_id=31337)
        code = Code(cast(Any, reader), Block(1, ""))
        bound = cast(AgentModel, SimpleNamespace(verifier=SINGLE, batches=tuple(self.listed)))
        listing = Listing(code, bound, cast(Model, None), None, lambda stage: None)
        return [batch.size for batch in kept_batches(listing, replaced, named or {})]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_what_this_version_builds_is_kept_and_what_is_replaced_is_not_even_built(
    world: World,
) -> None:
    assert world.kept() == [4, 8]
    assert (world.built, world.checked) == ([4, 8], [31337, 31337])
    assert world.kept((8,)) == [4]
    assert world.built == [4, 8, 4]


def test_what_its_owner_named_is_kept_unbuilt(world: World) -> None:
    world.codes[EIGHT] = EVIL
    world.listed[1] = BatchVerifier(8, EIGHT, bytes(32), keccak(EVIL))
    assert world.kept(named={8: EIGHT.upper().replace("X", "x")}) == [4, 8]
    assert world.built == [4]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({8: FOUR}, f"the registry has {EIGHT} for so many"),
        ({9: FOUR}, "the registry has none for so many"),
        ({4: FOUR}, "--batch replaces it"),
    ],
)
def test_a_name_for_another_is_refused(world: World, named: dict[int, str], said: str) -> None:
    with pytest.raises(KeptRefused, match=said):
        world.kept((4,), named)


def foreign_code(world: World) -> None:
    """The list and the code agree, and nobody here built it."""
    world.codes[EIGHT] = EVIL
    world.listed[1] = BatchVerifier(8, EIGHT, DIGEST, keccak(EVIL))


def lied_hash(world: World) -> None:
    world.listed[1] = BatchVerifier(8, EIGHT, DIGEST, keccak(EVIL))


def other_circuit(world: World) -> None:
    world.listed[1] = BatchVerifier(8, EIGHT, bytes(32), keccak(OURS))


def short_code(world: World) -> None:
    world.codes[EIGHT] = EVIL[:40]
    world.listed[1] = BatchVerifier(8, EIGHT, DIGEST, keccak(EVIL[:40]))


def beyond_the_largest(world: World) -> None:
    world.listed[1] = BatchVerifier(9999, EIGHT, DIGEST, keccak(OURS))


def no_set_up(world: World) -> None:
    world.trouble = CircuitError("no set-up of this size")


def parts_elsewhere(world: World) -> None:
    world.expected = (ExactCode(FOUR, OURS), Constructed(EIGHT, cast(Any, None)))


CHANGES = {
    foreign_code: "code hash",
    lied_hash: "code hash",
    other_circuit: "circuit hash",
    short_code: "40 bytes",
    beyond_the_largest: "are not built",
    no_set_up: "no set-up of this size",
    parts_elsewhere: "nothing here compiles",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_nobody_vouches_for_and_this_version_does_not_build_is_refused(
    world: World, change: Any
) -> None:
    change(world)
    with pytest.raises(KeptRefused) as caught:
        world.kept(() if change is no_set_up or change is parts_elsewhere else (4,))
    assert CHANGES[change] in str(caught.value)
    assert f"--keep {caught.value.size}={caught.value.verifier}" in str(caught.value)
