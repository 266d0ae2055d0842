"""A rewritten network computes what the user's own does, in onnxruntime and in a circuit; what a
circuit computes as it is stays as it is, byte for byte."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest

from tests.support.rewrite_cases import KINDS, REWRITTEN, UNTOUCHED, Network
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.fidelity import measure_fidelity
from zkagent.circuits.halo2.settings import canonical, default_arguments, to_bytes
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.prepare import Prepared, prepare
from zkagent.circuits.networks.rewrites.engine import rewrite
from zkagent.circuits.networks.samples import Samples

FINE = replace(
    default_arguments(False), input_scale_bits=13, parameter_scale_bits=13, decomposition_legs=7
)
TOLERANCE = 0.02
PATH = Path("network.onnx")
Array = npt.NDArray[Any]


def opened(content: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(content, options)


def differences(case: Network, made: Prepared) -> list[tuple[Array, Array]]:
    """Outputs of the user's network and of the prepared one, for three samples."""
    theirs, ours = opened(case.content()), opened(made.content)
    pairs = []
    for sample in case.samples(theirs.get_inputs(), 3):
        given = {
            each.name: sample[each.name].astype(KINDS[each.type]) for each in ours.get_inputs()
        }
        pairs += zip(theirs.run(None, sample), ours.run(None, given), strict=True)
    return pairs


@pytest.mark.parametrize("case", REWRITTEN, ids=str)
def test_a_rewritten_network_computes_the_same_numbers(case: Network) -> None:
    made = prepare(PATH, case.content())
    assert any(" became " in line for line in made.changes)
    for expected, found in differences(case, made):
        assert expected.shape == found.shape
        if case.exact:
            assert np.array_equal(expected, found)
        else:
            np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("case", UNTOUCHED, ids=str)
def test_what_a_circuit_computes_as_it_is_stays_as_it_is(case: Network) -> None:
    made = prepare(PATH, case.content())
    assert (made.changes, made.content) == ((), case.content())


@pytest.mark.parametrize("case", [*REWRITTEN, *UNTOUCHED], ids=str)
def test_a_circuit_of_it_computes_what_the_users_network_does(
    case: Network, tmp_path: Path
) -> None:
    if not case.held:
        pytest.skip("its indices would have to differ from each other")
    onnx_path, settings, compiled = (tmp_path / name for name in ("onnx", "settings", "compiled"))
    onnx_path.write_bytes(case.content())
    read = read_network(onnx_path)
    prepared = tmp_path / "prepared.onnx"
    prepared.write_bytes(read.content)
    made = canonical(ezkl_engine.make_settings(prepared, FINE, 17))
    settings.write_bytes(to_bytes(made))
    ezkl_engine.compile_network(prepared, settings, compiled)
    inputs = opened(case.content()).get_inputs()
    drawn = case.samples(inputs, 3)
    values = tuple(np.stack([sample[each.name] for sample in drawn]) for each in inputs)
    samples = Samples(PATH, "", values)
    theirs = differences(case, prepare(PATH, case.content()))
    largest = max(float(np.abs(expected).max()) for expected, _ in theirs)
    criterion = Criterion(TOLERANCE * max(1.0, largest))
    found = measure_fidelity(compiled, made, read, samples, criterion=criterion)
    assert found.agreement == 1.0


REFUSED = [
    ("w = Div(a, d)", "int64 d = {65}", "Div .node 'w'. divides integers"),
    ("w = Div(a, a)", "int64 d = {65}", "Div .node 'w'. divides integers"),
    ("w = Mod(a, d)", "int64 d = {65}", "Mod .node 'w'.: it is rewritten for integers by 1 to 64"),
    ("f = Cast<to=7>(x) w = Gather<axis=0>(d, f)", "int64[9] d = {1,2,3,4,5,6,7,8,9}", "fraction"),
    ("v, w = TopK<axis=0>(x, d)", "int64[1] d = {2}", "TopK .* is asked for places of more than"),
    (
        'r = Cast<to=1>(a) w = Resize<mode = "cubic">(x, , d)',
        "float[2] d = {2, 2}",
        "Resize .* interpolates",
    ),
    (
        'f = Cast<to=1>(d) w = ScatterElements<reduction = "add">(x, d, f)',
        "int64[1,3] d = {0,1,0}",
        "ScatterElements .* combines",
    ),
    ("b = Cast<to=1>(a) c = Cast<to=7>(b) w = ReduceMean(c)", "int64 d = {1}", "mean of integers"),
    ("w = Tile(x, a)", "int64 d = {1}", "how large Tile .node 'w'. becomes does not follow"),
]


@pytest.mark.parametrize(("body", "constant", "reason"), REFUSED, ids=lambda each: each[:24])
def test_what_no_rule_takes_is_refused_by_node_and_remedy(
    body: str, constant: str, reason: str, tmp_path: Path
) -> None:
    start = f"g (float[2,3] x) => (float y) <{constant}> {{ a = ArgMax<axis=1,keepdims=0>(x)"
    text = f"{start} {body} y = Cast<to=1>(w) }}"
    path = tmp_path / "refused.onnx"
    path.write_bytes(Network("refused", text).content())
    with pytest.raises(NetworkRefused, match=reason):
        read_network(path)


def test_rules_that_come_to_no_end_are_stopped() -> None:
    model = onnx.load_from_string(REWRITTEN[0].content())

    def again(node: Any, graph: Any) -> Any:
        steps = graph.steps(node)
        steps.end("Tile", *node.input)
        return steps.nodes

    with pytest.raises(ValueError, match="comes to no end"):
        rewrite(model, {("", "Tile"): again})


def test_a_change_names_the_node_and_what_it_became() -> None:
    model = onnx.load_from_string(REWRITTEN[0].content())
    model.graph.node[0].name = "twice"
    _, changes = rewrite(model)
    assert changes == ("Tile 'twice' became Gather, Identity",)
