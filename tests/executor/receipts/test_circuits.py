"""Which circuit a receipt's name is of: the model's own, as it was built here, or none."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.drain import drain_model
from zkagent.circuits.errors import NumbersHidden, SetupDiffers
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.errors import CannotVerify
from zkagent.executor.receipts import circuits
from zkagent.executor.receipts.circuits import LocalCircuits, find_circuit
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.models.catalogue import Model

OURS, THEIRS = "c1" * 32, "d2" * 32
SETUP = Path("k12.srs")


class System:
    """Builds a circuit of one name, and remembers what it was asked."""

    name, repeatable = "proofs-v1", True

    def __init__(self, built: str, srs: str | None) -> None:
        self.circuit = SimpleNamespace(
            digest=built, development_srs=True, origin=SimpleNamespace(srs=srs)
        )
        self.asked: list[dict[str, Any]] = []

    def build(self, onnx: Path, **options: Any) -> Any:
        self.asked.append({"onnx": onnx.read_bytes()} | options)
        return self.circuit


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return drain_model(tmp_path / "drain")


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Circuits in the cache, by their names."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(circuits, "cached_circuit", found.get)
    return found


def kept(onnx: str) -> Any:
    return SimpleNamespace(
        digest=OURS,
        srs=SETUP,
        claims_ceremony=False,
        origin=SimpleNamespace(onnx=onnx, system="proofs-v1"),
        require_open=lambda where: None,
    )


def test_what_is_cached_is_the_models_when_building_it_again_has_its_name(
    model: Model, cache: dict[str, Any]
) -> None:
    cache[OURS] = kept(model.manifest.files.onnx)
    system = System(OURS, "hash")
    assert find_circuit(model, OURS, system) is system.circuit  # type: ignore[arg-type]
    (asked,) = system.asked
    assert asked["onnx"] == model.onnx_path.read_bytes()
    assert asked["srs"] == SETUP  # the set-up that it was made with


def test_what_is_cached_has_the_set_up_that_was_named(
    model: Model, cache: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it has is `circuits/halo2/srs.py`'s to say; with files, `test_prove.py` asks."""

    def check(circuit: Any, given: Path | None) -> None:
        if given != circuit.srs:
            raise SetupDiffers(OURS, given or Path())

    monkeypatch.setattr(circuits, "check_setup", check)
    cache[OURS], system = kept(model.manifest.files.onnx), System(OURS, "hash")
    with pytest.raises(SetupDiffers, match=r"other\.srs"):
        find_circuit(model, OURS, system, Path("other.srs"))  # type: ignore[arg-type]
    assert not system.asked
    assert find_circuit(model, OURS, system, SETUP) is system.circuit  # type: ignore[arg-type]


def test_what_is_not_cached_is_built_with_the_given_set_up(
    model: Model, cache: dict[str, Any]
) -> None:
    system = System(OURS, "hash")
    assert find_circuit(model, OURS, system, SETUP) is system.circuit  # type: ignore[arg-type]
    assert system.asked[0]["srs"] == SETUP


REFUSED = {
    "of another file": (
        "ab" * 32, OURS, "hash", ValueError, f"circuit {OURS[:16]} was built from another ONNX file"
    ),
    "of other settings": (
        None, THEIRS, "hash", ValueError,
        f"circuit {OURS[:16]} was built with other settings than this version's: "
        f"{THEIRS[:16]} is the model's",
    ),
    "nobody's, of a system without a set-up": (
        "", THEIRS, None, ValueError,
        f"circuit {OURS[:16]} is not the model's, which is {THEIRS[:16]}",
    ),
    "of a set-up that is not here": (
        "", THEIRS, "hash", CannotVerify,
        f"circuit {OURS[:16]} is not in the cache, and building it from drain gives "
        f"{THEIRS[:16]}: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_every_other_circuit_is_refused_by_name(
    model: Model, cache: dict[str, Any], name: str
) -> None:
    onnx, built, srs, error, said = REFUSED[name]
    if onnx != "":
        cache[OURS] = kept(onnx or model.manifest.files.onnx)
    with pytest.raises(error) as caught:  # type: ignore[call-overload]
        find_circuit(model, OURS, System(built, srs))  # type: ignore[arg-type]
    if error is ValueError:
        assert str(caught.value) == said
    else:
        assert said in str(caught.value)


def test_circuits_are_looked_for_once_each_and_none_beyond_the_largest_batch(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    def found(*given: Any) -> Any:
        asked.append(given)
        return SimpleNamespace(development_srs=given[1] == THEIRS)

    monkeypatch.setattr(circuits, "find_circuit", found)
    monkeypatch.setattr(circuits, "find_system", lambda system: f"system {system!r}")
    source = LocalCircuits(SETUP)
    for _ in range(2):
        source.circuit(model, OURS, 1, b"s")
        source.circuit(model, OURS, MOST_BATCH, b"s")
    assert asked == [(model, OURS, "system b's'", SETUP, size) for size in (1, MOST_BATCH)]
    assert not source.development
    with pytest.raises(CannotTell, match=f"circuits for more than {MOST_BATCH} are not built"):
        source.circuit(model, OURS, MOST_BATCH + 1, b"s")
    assert len(asked) == 2
    source.circuit(model, THEIRS, 1, b"s")
    assert source.development


def test_a_circuit_whose_set_up_is_its_own_is_not_built_in_vain(
    model: Model, cache: dict[str, Any]
) -> None:
    system = System(OURS, "hash")
    system.repeatable = False
    with pytest.raises(CannotVerify, match="copy its folder from where it was built"):
        find_circuit(model, OURS, system)  # type: ignore[arg-type]
    assert system.asked == []
    cache[OURS] = kept(model.manifest.files.onnx)
    assert find_circuit(model, OURS, system) is cache[OURS]  # type: ignore[arg-type]
    assert system.asked == []  # what is found for its key may be another
    cache[OURS] = kept("ab" * 32)
    with pytest.raises(ValueError, match="was built from another ONNX file"):
        find_circuit(model, OURS, system)  # type: ignore[arg-type]
    cache[OURS] = kept(model.manifest.files.onnx)
    cache[OURS].origin.system = "other-v1"
    with pytest.raises(ValueError, match="is of other-v1, expected proofs-v1"):
        find_circuit(model, OURS, system)  # type: ignore[arg-type]


@pytest.mark.parametrize("repeatable", [True, False])
def test_a_circuit_that_is_named_under_another_system_is_not_the_models(
    repeatable: bool, model: Model, cache: dict[str, Any]
) -> None:
    """Whatever else could be said of it, and with any set-up: its files are not read as that
    system's."""
    system = System(OURS, "hash")
    system.repeatable = repeatable
    for claims in (False, True):
        for srs in (None, Path("other.srs")):
            cache[OURS] = kept(model.manifest.files.onnx)
            cache[OURS].origin.system, cache[OURS].claims_ceremony = "other-v1", claims
            said = f"circuit {OURS[:16]} is of other-v1, expected proofs-v1"
            with pytest.raises(ValueError, match=f"^{said}$"):
                find_circuit(model, OURS, system, srs)  # type: ignore[arg-type]
    assert system.asked == []


def test_a_set_up_is_a_ceremonys_where_this_machine_knows_that(
    model: Model, cache: dict[str, Any]
) -> None:
    cache[OURS], system = kept(model.manifest.files.onnx), System(OURS, "hash")
    cache[OURS].claims_ceremony = True
    with pytest.raises(CannotVerify, match="is said to have a ceremony's set-up"):
        find_circuit(model, OURS, system)  # type: ignore[arg-type]
    assert not system.asked
    cache[OURS].claims_ceremony = False
    assert find_circuit(model, OURS, system) is system.circuit  # type: ignore[arg-type]


def test_a_circuit_that_hides_something_is_no_receipts(model: Model, cache: dict[str, Any]) -> None:
    def hides(where: str) -> None:
        raise NumbersHidden(OURS, "inputs hashed", where)

    cache[OURS] = kept(model.manifest.files.onnx)
    cache[OURS].require_open = hides
    with pytest.raises(NumbersHidden, match="a receipt"):
        circuits.find_circuit(model, OURS, System(OURS, "hash"))
