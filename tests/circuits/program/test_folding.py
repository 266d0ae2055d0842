"""Programs of random graphs: whatever became part of a layer, the numbers are onnxruntime's."""

from collections.abc import Callable

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.integer_networks import infer, samples
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.program import Activation, Layer, Operand, Operator, Program
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.integer_graph import IntegerGraph

INPUTS, BITS = 6, 5
KINDS = ("matmul", "pick", "some", "add", "square", "max", "two", "rows", "minus", "concat")
ACTIVATIONS: dict[Activation, Callable[[int], int]] = {
    Activation.NONE: lambda t: t,
    Activation.SQUARE: lambda t: t * t,
    Activation.RELU: lambda t: max(t, 0),
}
OPERATIONS: dict[Operator, Callable[[int, int], int]] = {
    Operator.ADD: lambda a, b: a + b,
    Operator.SUB: lambda a, b: a - b,
    Operator.MUL: lambda a, b: a * b,
    Operator.MAX: max,
}


def evaluate(program: Program, x: list[int]) -> list[int]:
    """The program by its definition, in Python integers; no number may leave its bound."""
    numbers = dict(enumerate(x))

    def value(operand: Operand, i: int) -> int:
        return int(operand.values[i] if operand.constant else numbers[operand.values[i]])

    for step in program.steps:
        if isinstance(step, Layer):
            for (group, row, column), output in np.ndenumerate(step.outputs):
                weights = step.weights[group, :, column]
                terms = zip(step.inputs[group, row], weights, strict=True)
                total = sum(numbers[i] * w for i, w in terms) + step.bias[group, column]
                assert abs(total) <= step.bound
                numbers[output] = ACTIVATIONS[step.activation](total)
        else:
            for i, output in enumerate(step.outputs):
                apply = OPERATIONS[step.operator]
                numbers[output] = apply(value(step.left, i), value(step.right, i))
    assert all(abs(number) <= program.bounds[i] for i, number in numbers.items())
    return [int(numbers[i]) for i in program.outputs]


@st.composite
def graphs(draw: st.DrawFn) -> bytes:
    """Tensors [1, n] of earlier ones, by up to eight nodes; the last ones are the output."""
    graph, rng = IntegerGraph("random", INPUTS), np.random.default_rng(draw(st.integers(0, 99)))
    tensors = [("x", INPUTS)]
    for _ in range(draw(st.integers(1, 8))):
        name, size = draw(st.sampled_from(tensors[-3:]))
        other = draw(st.sampled_from([name for name, width in tensors if width == size]))
        match draw(st.sampled_from(KINDS)):
            case "matmul":
                made = (graph.matmul(name, rng.integers(-3, 4, (size, 4))), 4)
            case "pick":
                made = (graph.pick(name, rng.integers(0, size, size)), size)
            case "some":
                kept = rng.permutation(size)[: max(size - 1, 1)]
                made = (graph.pick(name, kept), len(kept))
            case "add":
                made = (graph.add(name, rng.integers(-9, 10, size)), size)
            case "square":
                made = (graph.square(name), size)
            case "max":
                made = (graph.node("Max", [name, graph.constant([[0]])]), size)
            case "two":
                operator = draw(st.sampled_from(["Add", "Sub", "Mul", "Max"]))
                made = (graph.node(operator, [name, other]), size)
            case "rows":
                rows = graph.matmul(graph.reshape(name, [size, 1]), rng.integers(-3, 4, (1, 2)))
                biased = graph.node("Add", [rows, graph.constant(rng.integers(-9, 10, (1, 2)))])
                made = (graph.reshape(biased, [1, 2 * size]), 2 * size)
            case "minus":
                made = (graph.node("Sub", [graph.constant([[5]]), name]), size)
            case _:
                made = (graph.concat([name, other]), 2 * size)
        assume(made[1] <= 64)
        tensors.append(made)
    shown = tensors[-2:]
    return graph.finish(graph.concat([name for name, _ in shown]), sum(n for _, n in shown))


@settings(max_examples=80)
@given(graphs())
def test_a_program_computes_what_its_graph_does(onnx: bytes) -> None:
    try:
        program = read_program(onnx, BITS)
    except ProgramRefused as exc:
        if "bits with the sign" not in str(exc):
            raise
        assume(False)
    for x in samples(INPUTS, count=2, bits=BITS):
        assert evaluate(program, x) == infer(onnx, x)
