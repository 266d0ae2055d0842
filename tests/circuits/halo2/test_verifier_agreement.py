"""Our verifier says what ezkl's does, proof by proof, for circuits of every kind.

Stricter it is in one thing only: where the proof's bytes begin in the calldata.
"""

import random
from pathlib import Path

import numpy as np
import pytest

from tests.circuits.halo2.verifiers import WORD, Statement, Verifiers, encoded, prove, words
from tests.support.small_networks import (
    activation_network,
    network,
    node,
    relu_network,
    square_network,
)
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.verifier_contracts.chain.local import Anvil

SEED = 20_231_120
FLOATS = RunArguments(input_scale_bits=7, parameter_scale_bits=7, decomposition_legs=4)
TWO_COLUMNS = RunArguments(
    input_scale_bits=7, parameter_scale_bits=7, decomposition_legs=4, inner_columns=2
)
TABLE = RunArguments(input_scale_bits=7, parameter_scale_bits=7, lookup_range=(-400, 400))
X = (3, -1, 4, 1)


def linear_network(inputs: int, outputs: int) -> bytes:
    weights = np.arange(inputs * outputs).reshape(inputs, outputs) % 7 - 3
    nodes = [node("MatMul", ["x", "w"], "y")]
    return network(nodes, {"w": weights}, inputs=inputs, outputs=outputs)


# name -> network, inputs, arguments, k
CIRCUITS = {
    "six values": (square_network(), X, RunArguments(), 6),
    "seven values": (linear_network(4, 3), X, RunArguments(), 6),
    "several blocks": (linear_network(40, 10), range(-20, 20), RunArguments(), 7),
    "relu by lookups, two columns": (relu_network(), X, TWO_COLUMNS, 8),
    "sigmoid by table": (activation_network("Sigmoid"), X, TABLE, 10),
}


@pytest.fixture(scope="module", params=CIRCUITS)
def verifiers(
    request: pytest.FixtureRequest, anvil: Anvil, tmp_path_factory: pytest.TempPathFactory
) -> Verifiers:
    folder = tmp_path_factory.mktemp("circuit")
    onnx, inputs, arguments, logrows = CIRCUITS[request.param]
    return Verifiers(anvil, prove(folder / "circuit", onnx, list(inputs), arguments, logrows))


@pytest.fixture
def generator() -> random.Random:
    return random.Random(SEED)


def test_the_true_statement_is_accepted(verifiers: Verifiers) -> None:
    assert verifiers.agreed(encoded(verifiers.true.proof, verifiers.true.instances))


def test_a_proof_changed_in_any_region_is_rejected(
    verifiers: Verifiers, generator: random.Random
) -> None:
    """Points of every phase, evaluations and openings: a byte in every second word."""
    proof, instances = verifiers.true.proof, verifiers.true.instances
    for word in range(generator.randrange(2), len(proof) // WORD, 2):
        changed = bytearray(proof)
        changed[word * WORD + generator.randrange(WORD)] ^= generator.randrange(1, 256)
        assert not verifiers.agreed(encoded(bytes(changed), instances))


def test_numbers_of_a_proof_are_canonical(verifiers: Verifiers) -> None:
    """The last evaluation, written as itself + r."""
    proof, instances = verifiers.true.proof, verifiers.true.instances
    at = len(proof) - 5 * WORD  # before the two opening points
    above = words(int.from_bytes(proof[at : at + WORD]) + R)
    assert not verifiers.agreed(encoded(proof[:at] + above + proof[at + WORD :], instances))


def test_other_public_values_are_rejected(verifiers: Verifiers, generator: random.Random) -> None:
    proof, instances = verifiers.true.proof, verifiers.true.instances
    for place in some_places(len(instances), generator):
        for value in ((instances[place] + 1) % R, instances[place] + R, 0, R, 2**256 - 1):
            changed = [*instances[:place], value, *instances[place + 1 :]]
            if tuple(changed) != instances:
                assert not verifiers.agreed(encoded(proof, changed))


def test_swapped_missing_and_extra_public_values_are_rejected(
    verifiers: Verifiers, generator: random.Random
) -> None:
    proof, (one, two, *rest) = verifiers.true.proof, verifiers.true.instances
    assert one != two
    shuffled = generator.sample([one, two, *rest], 2 + len(rest))
    assert shuffled != [one, two, *rest]
    for changed in ([two, one, *rest], shuffled, [two, *rest], [one, two, *rest[:-1]], [], [one]):
        assert not verifiers.agreed(encoded(proof, changed))
    for extra in (0, 1, R):
        assert not verifiers.agreed(encoded(proof, [one, two, *rest, extra]))
        assert not verifiers.agreed(encoded(proof, [extra, one, two, *rest]))


def test_proofs_of_another_length_are_rejected(verifiers: Verifiers) -> None:
    proof, instances = verifiers.true.proof, verifiers.true.instances
    for wrong in (b"", proof[:-1], proof[:-WORD], proof + b"\0", proof + bytes(WORD), proof * 2):
        assert not verifiers.agreed(encoded(wrong, instances))


def test_zeros_or_generators_are_no_proof(verifiers: Verifiers) -> None:
    instances = verifiers.true.instances
    size = len(verifiers.true.proof)
    for nothing in (bytes(size), words(1, 2) * (size // (2 * WORD)) + bytes(size % (2 * WORD))):
        assert not verifiers.agreed(encoded(nothing, instances))
        assert not verifiers.agreed(encoded(nothing, [0] * len(instances)))


def test_public_values_may_lie_anywhere_behind_the_proof(verifiers: Verifiers) -> None:
    """With trailing bytes, or a gap before them; but not before the proof."""
    proof, instances = verifiers.true.proof, verifiers.true.instances
    arguments = encoded(proof, instances)
    for trailing in (b"\1", words(1), words(R), bytes(100), b"\xff" * 100):
        assert verifiers.agreed(arguments + trailing)
    values = words(len(instances), *instances)
    begin = len(arguments) - len(values)
    gap = words(0x40, begin + WORD) + arguments[2 * WORD : begin] + words(7) + values
    assert verifiers.agreed(gap)
    first = words(0x60 + len(values), 0x40 + WORD) + words(7) + values
    assert not verifiers.agreed(first + arguments[2 * WORD : begin])


def test_cut_off_calldata_are_rejected(verifiers: Verifiers) -> None:
    arguments = encoded(verifiers.true.proof, verifiers.true.instances)
    for length in (0, 1, 63, 64, 96, 200, len(arguments) // 2, len(arguments) - WORD):
        assert not verifiers.agreed(arguments[:length])
    assert not verifiers.agreed(arguments[:-1])


def test_fuzzed_calldata_get_the_same_verdict_or_a_stricter_one(
    verifiers: Verifiers, generator: random.Random
) -> None:
    """One to three bytes anywhere; the head's twice as often as chance would have it."""
    arguments = encoded(verifiers.true.proof, verifiers.true.instances)
    for _ in range(40):
        fuzzed = bytearray(arguments)
        for _ in range(generator.randint(1, 3)):
            end = generator.choice((3 * WORD, len(arguments)))
            fuzzed[generator.randrange(end)] ^= 1 << generator.randrange(8)
        stock, ours = verifiers.verdicts(bytes(fuzzed))
        moved = int.from_bytes(fuzzed[:WORD]) != 2 * WORD
        assert stock == ours or (stock and moved)
        assert not ours


def test_proofs_of_other_statements_are_rejected(
    anvil: Anvil, circuit: Circuit, other_circuit: Circuit
) -> None:
    """Of the same circuit for other inputs, and of a circuit of the same shape and set-up."""
    generated = ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)
    first, second = ezkl_engine.prove(circuit, X), ezkl_engine.prove(circuit, (3, -1, 4, 2))
    foreign = ezkl_engine.prove(other_circuit, X)
    verifiers = Verifiers(anvil, Statement(generated, first.proof, tuple(first.instances)))
    assert circuit.srs == other_circuit.srs
    for other in (second, foreign):
        assert len(other.proof) == len(first.proof)
        assert not verifiers.agreed(encoded(other.proof, first.instances))
        assert not verifiers.agreed(encoded(first.proof, other.instances))
    assert not verifiers.agreed(encoded(foreign.proof, foreign.instances))
    for true in (first, second):
        assert verifiers.agreed(encoded(true.proof, true.instances))


@pytest.mark.slow
def test_a_batch_s_thousands_of_public_values(anvil: Anvil, tmp_path: Path) -> None:
    squares = network([node("Mul", ["x", "x"], "y")], {}, inputs=1320, outputs=1320)
    inputs = range(-660, 660)
    true = prove(tmp_path / "circuit", squares, inputs, RunArguments(), 12)
    verifiers = Verifiers(anvil, true)
    assert list(true.instances) == [x % R for x in inputs] + [x * x for x in inputs]
    assert verifiers.agreed(encoded(true.proof, true.instances))
    for place in (0, 1319, 1320, 2639):
        for value in (true.instances[place] + 1, true.instances[place] + R):
            changed = [*true.instances[:place], value, *true.instances[place + 1 :]]
            assert not verifiers.agreed(encoded(true.proof, changed))
    assert not verifiers.agreed(encoded(true.proof, true.instances[:-1]))
    assert not verifiers.agreed(encoded(true.proof, [*true.instances, 0]))


def some_places(count: int, generator: random.Random) -> list[int]:
    """Both ends and a few between."""
    return sorted({0, 1, count - 2, count - 1, *generator.sample(range(count), 4)})
