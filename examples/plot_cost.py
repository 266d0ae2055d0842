"""Plots what a proof costs against the size of the network: cost.png.

    python plot_cost.py

measures networks of squares with 4 to 32 hidden units on this machine, within a minute; needs
matplotlib. `zkagent bench` measures much more, gas included.
"""

from pathlib import Path

import numpy as np

import zkagent
from zkagent.models.examples.squares import SquareNetwork, export_square_network
from zkagent.prover.local import LocalProver

try:
    from matplotlib.figure import Figure
except ImportError:
    raise SystemExit("error: matplotlib is missing: pip install matplotlib") from None

HIDDEN, INPUTS, OUTPUTS, PROOFS = (4, 8, 16, 32), 64, 8, 3


def network(hidden: int) -> zkagent.Circuit:
    """The circuit of y = (x W1 + b1)^2 W2 + b2 with any weights, since none of them costs more."""
    shapes = ((INPUTS, hidden), (hidden,), (hidden, OUTPUTS), (OUTPUTS,))
    weights = [np.random.default_rng(1).integers(-127, 128, shape) for shape in shapes]
    path = Path(f"squares-{hidden}.onnx")
    path.write_bytes(export_square_network(SquareNetwork(*weights)))
    return zkagent.build_circuit(path)


def seconds(circuit: zkagent.Circuit) -> float:
    """Of the fastest of a few proofs by one warm prover."""
    with LocalProver(circuit) as prover:
        measured = [(prover.prove([1] * INPUTS), prover.last)[1] for _ in range(PROOFS)]
    return min(each.prove_s for each in measured if each)


def main() -> None:
    circuits = [network(hidden) for hidden in HIDDEN]
    costs = [seconds(circuit) for circuit in circuits]
    for circuit, cost in zip(circuits, costs, strict=True):
        print(f"{circuit.rows:6,} rows  {cost:.2f} s  {circuit.facts.proof_bytes:,} bytes")
    figure = Figure()
    axes = figure.add_subplot(xlabel="rows of the circuit", ylabel="seconds for a proof")
    axes.plot([circuit.rows for circuit in circuits], costs, marker="o")
    figure.savefig("cost.png")
    print("cost.png")


if __name__ == "__main__":
    main()
