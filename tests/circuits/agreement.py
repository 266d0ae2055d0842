"""One function, four ways: onnxruntime, ezkl's witness, our R1CS witness and the EVM's contract.

On random inputs, on both ends of every feature's range beside random others, and where all are at
ends. `make agreement` is the long form; a test does a short one. R1CS witnesses must also satisfy
every constraint and show the words that a contract would make.
"""

import argparse
import random
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.classifiers import random_weights
from tests.support.constraints import broken, read_r1cs, read_witness
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.r1cs import r1cs_file, witness_file
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import make_plan
from zkagent.circuits.halo2.settings import default_arguments
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import infer
from zkagent.circuits.program.reader import read_program
from zkagent.models.catalogue import load_model
from zkagent.models.classifier.export import export_classifier
from zkagent.models.examples.squares import export_square_network, train_square_network
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.evm import deploy_evm_model, generate_evm_model

Inputs = list[int]
Way = Callable[[Inputs], list[int]]
AT_ONCE = 100  # witnesses that are checked together


@dataclass(frozen=True)
class Asked:
    """A network, for inputs of so many bits."""

    onnx: Callable[[], bytes]
    bits: int


def wallet() -> bytes:
    return load_model("wallet").onnx_path.read_bytes()


def classifier() -> bytes:
    """Of size S and seven intents, with random weights: none is shipped."""
    return export_classifier(random_weights(labels=7, seed=6))


def squares() -> bytes:
    return export_square_network(train_square_network())


NETWORKS = {
    "wallet": Asked(wallet, 16),
    "classifier S": Asked(classifier, 16),
    "64-32-8 squares": Asked(squares, 8),
}


def drawn(inputs: int, bits: int, cases: int, seed: int) -> list[Inputs]:
    """So many random inputs, and then the edges."""
    rng, half = random.Random(seed), 1 << (bits - 1)
    ends = low, high = -half, half - 1

    def row() -> Inputs:
        return [rng.randint(low, high) for _ in range(inputs)]

    found = [row() for _ in range(cases)]
    for place in range(inputs):
        for end in ends:
            other = row()
            found.append([*other[:place], end, *other[place + 1 :]])
    found += [[end] * inputs for end in (*ends, 0)]
    return found + [rng.choices(ends, k=inputs) for _ in range(10)]


def ways(asked: Asked, compiled: Compiled, chain: Anvil, folder: Path) -> dict[str, Way]:
    """Each computes y of x."""
    path, settings, circuit = (folder / name for name in ("net.onnx", "settings", "compiled"))
    path.write_bytes(asked.onnx())
    network = read_network(path)
    settings.write_bytes(make_plan(network, default_arguments(integer=True)).settings_bytes)
    ezkl_engine.compile_network(path, settings, circuit)
    model = generate_evm_model(network.content, input_bits=asked.bits)
    contract = deploy_evm_model(chain.web3, model, chain.accounts[0]).contract
    return {
        "onnxruntime": lambda x: list(infer(network, x)),
        "ezkl": lambda x: list(ezkl_engine.evaluate(circuit, [x], folder / "witness.json")),
        "R1CS": lambda x: compiled.outputs_of(compiled.witness(x)),
        "EVM": lambda x: list(call(chain.web3, contract.functions.evaluate(x))),
    }


def compare(found: Mapping[str, Way], rows: Sequence[Inputs]) -> None:
    """Raises AssertionError with the first x for which not all ways have one y."""
    for x in rows:
        y = {name: tuple(way(x)) for name, way in found.items()}
        assert len(set(y.values())) == 1, f"x = {x} gives {y}"


def check_witnesses(compiled: Compiled, rows: Sequence[Inputs], folder: Path) -> None:
    """By a solver that was stored and read back."""
    stored = folder / "solver.npz"
    stored.write_bytes(compiled.solver.to_bytes())
    solver = Solver.read(stored)
    file = read_r1cs(r1cs_file(compiled.constraints, compiled.wires, compiled.public))
    for at in range(0, len(rows), AT_ONCE):
        witnesses = []
        for x in rows[at : at + AT_ONCE]:
            witness = solver.witness(x)
            words = solver.words(x, solver.outputs_of(witness))
            values = read_witness(witness_file(witness.elements()))
            assert values[1 : 1 + compiled.public] == words, f"x = {x} has other words"
            witnesses.append(values)
        assert broken(file, witnesses) == [], f"a witness from row {at} on is none"


def agree(asked: Asked, rows: int, seed: int, chain: Anvil, *, sample: int | None = None) -> int:
    """For how many inputs all agree. sample: of them, so many at random. Raises AssertionError."""
    compiled = compile_program(read_program(asked.onnx(), asked.bits))
    inputs = drawn(compiled.inputs, asked.bits, rows, seed)
    if sample is not None:
        inputs = random.Random(seed).sample(inputs, sample)
    with tempfile.TemporaryDirectory() as name:
        compare(ways(asked, compiled, chain, Path(name)), inputs)
        check_witnesses(compiled, inputs, Path(name))
    return len(inputs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1_000, help="random ones, beside the edges")
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    with Anvil() as chain:
        for name, asked in NETWORKS.items():
            count = agree(asked, given.cases, seed, chain)
            print(f"{name}: {count} inputs, computed alike in four ways", flush=True)


if __name__ == "__main__":
    main()
