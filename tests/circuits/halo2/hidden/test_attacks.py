"""Attacks on hidden numbers: against what ezkl does with them they work, against ours not."""

from pathlib import Path

import onnx
import pytest

from tests.circuits.halo2.hidden.forging import forge
from tests.support.small_networks import network, node, read_back
from zkagent.circuits.bn254.field import R, from_field
from zkagent.circuits.errors import OutsideRange
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.hidden import tied
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.settings import RunArguments, default_arguments
from zkagent.circuits.visibility import Visibility

X = [3, -1, 4, 1]
FIRST, SECOND = [[1, 2, 3, 4]], [[10, 20, 30, 40]]
TRUE, SWAPPED = (13, 18, 42, 44), (31, -18, 123, 44)  # x FIRST + SECOND, x SECOND + FIRST
HASHED_WEIGHTS = RunArguments(parameter_visibility="hashed")


def weighted() -> bytes:
    """y = x FIRST + SECOND."""
    nodes = [node("Mul", ["x", "first"], "a"), node("Add", ["a", "second"], "y")]
    return network(nodes, {"first": FIRST, "second": SECOND}, outputs=4)


def swapped() -> bytes:
    """y = x SECOND + FIRST with the same cells, and the weights read in the same order."""
    nodes = [
        node("Concat", ["x", "first"], "both", axis=1),
        node("Gather", ["both", "left"], "g", axis=1),
        node("Gather", ["both", "right"], "h", axis=1),
        node("Mul", ["g", "second"], "a"),
        node("Add", ["a", "h"], "y"),
    ]
    weights = {"first": FIRST, "second": SECOND}
    places = {"left": [0, 1, 2, 3], "right": [4, 5, 6, 7]}
    return network(nodes, weights | places, outputs=4)


def test_hashed_weights_of_ezkl_alone_are_not_those_that_compute(tmp_path: Path) -> None:
    """Why weights are tied: the proof shows the hash of the true ones, and what others give."""
    found = forge(tmp_path, weighted(), swapped(), [X, X], HASHED_WEIGHTS)
    assert (found.honest, found.claimed) == (TRUE, SWAPPED)
    assert found.honest_hashes == found.claimed_hashes
    assert found.accepted


def rewired(content: bytes, swap: tuple[int, int]) -> bytes:
    """What `tied` made, with the places exchanged from which two weights are gathered."""
    model = onnx.load_from_string(content)
    (whole,) = (each.output[0] for each in model.graph.node if each.op_type == "Concat")
    gathers = [each for each in model.graph.node if each.input[0] == whole]
    one, other = (gathers[at] for at in swap)
    one.input[1], other.input[1] = other.input[1], one.input[1]
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(("swap", "claimed"), [((0, 0), TRUE), ((0, 1), SWAPPED)])
def test_other_weights_than_the_hashed_ones_prove_nothing(
    tmp_path: Path, swap: tuple[int, int], claimed: tuple[int, ...]
) -> None:
    """The same attack on what `tied` makes; with nothing exchanged it is an honest proof."""
    honest = tied(read_back(tmp_path, weighted()), Visibility(weights="hashed")).content
    inputs = [X, X]
    found = forge(tmp_path / "keys", honest, rewired(honest, swap), inputs, HASHED_WEIGHTS)
    assert (found.honest, found.claimed) == (TRUE, claimed)
    assert found.honest_hashes == found.claimed_hashes
    assert found.accepted == (claimed == TRUE)


def bounded(places: list[int]) -> bytes:
    """y = the sum of x, in which each x is (x + |z|) - |z| for z the inputs at these places."""
    nodes = [
        node("Gather", ["x", "places"], "z", axis=1),
        node("Abs", ["z"], "size"),
        node("Add", ["x", "size"], "both"),
        node("Sub", ["both", "size"], "same"),
        node("MatMul", ["same", "ones"], "y"),
    ]
    return network(nodes, {"places": places, "ones": [[1]] * 4}, outputs=1)


WILD = 1 << 60  # beyond the three legs of 128


@pytest.mark.parametrize("visibility", ["hashed", "private"])
def test_the_range_is_of_the_hidden_inputs_themselves(tmp_path: Path, visibility: str) -> None:
    """A prover who decomposes other inputs than those that compute is not believed."""
    arguments = RunArguments(input_visibility=visibility)
    x = [WILD, 2, 3, 4]
    honest, other = bounded([0, 1, 3, 2]), bounded([1, 1, 3, 2])
    with pytest.raises(OutsideRange):
        forge(tmp_path / "honest", honest, honest, [x, x], arguments)
    found = forge(tmp_path / "other", honest, other, [X, x], arguments)
    assert found.claimed == (WILD + 9,)
    assert not found.accepted


def test_hashed_inputs_of_ezkl_alone_have_no_range(tmp_path: Path) -> None:
    """Why inputs are bounded: whatever y is wanted, some element of the field leads to it, though
    ezkl was asked to check the range."""
    sevenfold = network([node("MatMul", ["x", "w"], "y")], {"w": [[7]] * 4}, outputs=1)
    checked = RunArguments(
        input_visibility="hashed",
        output_visibility="hashed",
        ignore_range_check_of_inputs_and_outputs=False,
    )
    seventh = from_field(pow(7, -1, R))  # no integer, and yet 7 of it are 1
    inputs = [X, [seventh, 0, 0, 0]]
    with pytest.raises(OutsideRange):  # an honest prover's ezkl checks, the circuit does not
        forge(tmp_path / "honest", sevenfold, sevenfold, inputs, checked)
    found = forge(tmp_path / "other", sevenfold, sevenfold, inputs, checked, unchecked=True)
    assert found.claimed == (1,)
    assert found.accepted


@pytest.mark.parametrize("side", ["input_visibility", "output_visibility"])
def test_hashed_values_stay_tied_to_the_network(tmp_path: Path, side: str) -> None:
    def halves(order: list[int]) -> bytes:
        nodes = [node("MatMul", ["x", "w"], "m"), node("Gather", ["m", "order"], "y", axis=1)]
        return network(nodes, {"w": [[1, 1], [1, 2], [1, 3], [1, 4]], "order": order}, outputs=2)

    arguments = RunArguments(**{side: "hashed"})
    honest = forge(tmp_path / "same", halves([0, 1]), halves([0, 1]), [X, X], arguments)
    assert honest.accepted
    assert honest.honest == honest.claimed == (7, 17)
    other = forge(tmp_path / "other", halves([0, 1]), halves([1, 0]), [X, X], arguments)
    assert other.claimed == (17, 7)
    assert not other.accepted


def test_inputs_beyond_the_range_are_refused_before_a_proof(tmp_path: Path) -> None:
    seen = Visibility(inputs="private")
    hidden = tied(read_back(tmp_path, weighted()), seen)
    circuit = KeylessCircuit(hidden, tmp_path)
    circuit.compile(default_arguments(True, seen))
    most = 128**9 - 1  # of nine legs: 63 bits
    y = ezkl_engine.evaluate(circuit.compiled, [[most, -most, 0, 0]], tmp_path / "w")
    assert y == (most + 10, 20 - 2 * most, 30, 40)
    with pytest.raises(OutsideRange):
        ezkl_engine.evaluate(circuit.compiled, [[most + 1, 0, 0, 0]], tmp_path / "w")
