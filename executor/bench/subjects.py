"""The networks that are measured: each with samples, and labels where accuracy means something."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.networks.network import Network as OnnxNetwork
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.executor.bench.results import Network, Share
from zkagent.models.encoding.decoder import argmax

Array = npt.NDArray[Any]
Say = Callable[[str], None]
Numbers = tuple[float, ...]
TEST_SEED = 20_000  # apart from the seeds that training draws from
LABELLED = 500


def chosen(values: Numbers) -> Numbers:
    """The decision of a plain classifier."""
    return (argmax(values),)


@dataclass(frozen=True)
class Subject:
    """One network and what it is asked.

    samples [n, *input shape] in the network's type, n >= 1: proofs are made for the first ones.
    labels [n]: the right arg-max for each; None where arg-max is not how it decides. accuracy: the
    network's own where labels cannot say it. input_bits: that hold every x, with its sign.
    decide: what a circuit that rounds must have in common with onnxruntime. short: among others of
    its family, in plots. refused: texts that never became samples, and count as wrong.
    """

    name: str
    title: str
    family: str
    network: OnnxNetwork
    samples: Array
    labels: npt.NDArray[np.int64] | None = None
    accuracy: Share | None = None
    accuracy_of: str = ""
    input_bits: int = 16
    decide: Callable[[Numbers], Numbers] = chosen
    short: str = ""
    refused: int = 0

    @property
    def onnx(self) -> Path:
        return self.network.path

    def describe(self) -> Network:
        """For the results, with its accuracy by onnxruntime."""
        return Network(
            name=self.name,
            title=self.title,
            family=self.family,
            onnx=hashlib.sha256(self.network.content).hexdigest(),
            inputs=self.network.input_count,
            outputs=self.network.output_count,
            exact=self.network.integer,
            short=self.short,
            accuracy=self.accuracy or self.accuracy_by(self.reference()),
            accuracy_of=self.accuracy_of,
        )

    def reference(self, count: int | None = None) -> list[Numbers]:
        """onnxruntime's outputs for the first samples, by default all, each as one row."""
        engine = Reference(self.network)
        return [flat(engine.outputs((sample,))) for sample in self.samples[:count]]

    def accuracy_by(self, outputs: Sequence[Numbers | None]) -> Share | None:
        """The share of samples whose arg-max is the label, given the outputs for all of them.

        None decides nothing. No figure for outputs of a part, which is another test set.
        """
        if self.labels is None or len(outputs) != len(self.samples):
            return None
        pairs = zip(outputs, self.labels, strict=True)
        hits = sum(y is not None and argmax(y) == label for y, label in pairs)
        return Share(hits=hits, total=len(outputs) + self.refused)


def flat(outputs: list[Array]) -> Numbers:
    """Every number of every output; integers stay integers."""
    return tuple(value for output in outputs for value in output.reshape(-1).tolist())


def saved(content: bytes, folder: Path, name: str, *, any_integers: bool = False) -> OnnxNetwork:
    """An ONNX file of that name in `folder`, read back. any_integers: as `read_network` has it."""
    path = folder / f"{name}.onnx"
    path.write_bytes(content)
    return read_network(path, any_integers=any_integers)


def square_mlp(folder: Path, say: Say) -> Subject:
    """64-32-8 with squares, all integers: what a network looks like that was made to be proven."""
    from zkagent.models.examples.squares import (
        export_square_network,
        synthetic_task,
        train_square_network,
    )

    x, labels = synthetic_task(LABELLED, TEST_SEED)
    return Subject(
        name="mlp-square",
        title="64-32-8 MLP, integer squares",
        family="64-32-8 MLP",
        network=saved(export_square_network(train_square_network()), folder, "mlp-square"),
        samples=x[:, None, :],
        labels=labels,
        accuracy_of=f"{LABELLED} points of its made-up task",
        input_bits=8,
    )


def wide_square(hidden: int, folder: Path, say: Say) -> Subject:
    """64-hidden-8 with squares and random weights: to see how cost grows, not what it decides."""
    from zkagent.models.examples.squares import (
        INPUTS,
        OUTPUTS,
        SquareNetwork,
        export_square_network,
        synthetic_task,
    )

    rng = np.random.default_rng(hidden)
    network = SquareNetwork(
        w1=rng.integers(-127, 128, (INPUTS, hidden)),
        b1=rng.integers(-999, 1000, hidden),
        w2=rng.integers(-127, 128, (hidden, OUTPUTS)),
        b2=rng.integers(-999, 1000, OUTPUTS),
    )
    name = f"square-{hidden}"
    return Subject(
        name=name,
        title=f"64-{hidden}-8, random weights",
        family="width",
        network=saved(export_square_network(network), folder, name),
        samples=synthetic_task(8, TEST_SEED)[0][:, None, :],
        input_bits=8,
    )


def random_square(layers: tuple[int, int, int], bits: int, folder: Path, say: Say) -> Subject:
    """Inputs, squares and outputs, random weights and x of so many bits: what more weights cost
    than a chain could evaluate. Weights are as small as keeps every number within 64 bits."""
    from zkagent.models.networks.integer_graph import IntegerGraph

    inputs, hidden, outputs = layers
    rng = np.random.default_rng(hidden)
    name = f"square-{inputs}-{hidden}-{outputs}"
    graph = IntegerGraph(name, inputs)
    h = graph.square(graph.matmul("x", rng.integers(-15, 16, (inputs, hidden))))
    y = graph.matmul(h, rng.integers(-15, 16, (hidden, outputs)))
    high = 1 << (bits - 1)
    return Subject(
        name=name,
        title=f"{inputs}-{hidden}-{outputs}, random weights",
        family="weights",
        network=saved(graph.finish(y, outputs), folder, name),
        samples=rng.integers(-high, high, (8, 1, inputs)),
        input_bits=bits,
    )


def text_reader(folder: Path, say: Say) -> Subject:
    """Look-ups, convolutions, arg-max and pointers, which neither ezkl nor the EVM's contract
    takes; random weights."""
    from zkagent.models.examples.text import INPUT_BITS, text_network, text_samples

    return Subject(
        name="text-64",
        title="reads 64 tokens, random weights",
        family="text",
        network=saved(text_network(), folder, "text-64", any_integers=True),
        samples=text_samples(8),
        input_bits=INPUT_BITS,
    )


def instruction_reader(folder: Path, say: Say) -> Subject:
    """A gated network of single bits, which neither ezkl nor the EVM's contract takes; random
    weights, of the sizes of one that reads instructions."""
    from zkagent.models.examples.gated import gated_network, gated_samples

    return Subject(
        name="gated-30",
        title="reads 30 tokens in bits, random weights",
        family="text",
        network=saved(gated_network(), folder, "gated-30", any_integers=True),
        samples=gated_samples(8),
    )


def deep_square(width: int, folder: Path, say: Say) -> Subject:
    """64-512-width-8 with random weights, as small as keeps every number within 64 bits: one hidden
    layer cannot be much wider than 512 in the EVM, where each output is one contract's sum."""
    from zkagent.models.examples.squares import INPUTS, OUTPUTS, synthetic_task
    from zkagent.models.networks.integer_graph import IntegerGraph

    rng = np.random.default_rng(width)
    name = f"deep-{width}"
    graph = IntegerGraph(name, INPUTS)
    h = graph.square(graph.matmul("x", rng.integers(-127, 128, (INPUTS, 512))))
    g = graph.matmul(h, rng.integers(-15, 16, (512, width)))
    y = graph.matmul(g, rng.integers(-3, 4, (width, OUTPUTS)))
    return Subject(
        name=name,
        title=f"64-512-{width}-8, random weights",
        family="width",
        network=saved(graph.finish(y, OUTPUTS), folder, name),
        samples=synthetic_task(8, TEST_SEED)[0][:, None, :],
        input_bits=8,
    )


def wallet(folder: Path, say: Say) -> Subject:
    """The shipped wallet model, on the first decisions of its held-out instructions."""
    from zkagent.models.catalogue import load_model
    from zkagent.models.encoding.book import plain_book
    from zkagent.models.encoding.context import Context
    from zkagent.models.errors import RefusedText
    from zkagent.models.wallet.evaluate import evaluate_model
    from zkagent.models.wallet.evaluation.dataset import EVALUATION_SYMBOLS, load_cases

    model, book = load_model("wallet"), plain_book(EVALUATION_SYMBOLS)
    found = []
    for case in load_cases(checksummed=False):
        try:
            found.append(model.encode(Context(case.prompt.encode(), (), book)))
        except RefusedText:
            continue
    report = evaluate_model(model, None, say)
    return Subject(
        name="wallet",
        title="wallet agent",
        family="wallet",
        network=read_network(model.onnx_path),
        samples=np.array(found, dtype=np.int64)[:, None, :],
        accuracy=Share(hits=report.decisions.hits, total=report.decisions.total),
        accuracy_of="held-out decisions, with every argument",
        decide=wallet_decision,
    )


def wallet_decision(y: Numbers) -> Numbers:
    """The best action, amount source, and candidate for each slot (models/encoding/decoder.py)."""
    actions, sources, candidates = y[:7], y[7:10], y[10:]
    slots = (argmax(candidates[slot::3]) for slot in range(3))
    return (argmax(actions), argmax(sources), *slots)


__all__ = ["Array", "Numbers", "Say", "Subject", "deep_square", "flat", "instruction_reader"]
__all__ += [
    "random_square",
    "saved",
    "square_mlp",
    "text_reader",
    "wallet",
    "wallet_decision",
    "wide_square",
]
