"""From a network for one decision to the network for B of them: row by row the same function.

One proof then covers up to B decisions of a model. The input's leading axis of 1 becomes B, so the
public values are x_1 .. x_B and then y_1 .. y_B. All rows share each weight as the constant of one
node, so the circuit has exactly B times the rows of the single one. Copies of the network side by
side would be simpler, but ezkl merges equal constants and range-checks what two nodes share: at
B = 2 that took seven times the rows.

A proof for fewer than B decisions repeats the last one. The contract builds the public values by
the same rule (`BatchRows.sol`), so that nobody chooses what fills a proof up.
"""

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks import reference
from zkagent.circuits.networks.batch_axis import put_batch_first
from zkagent.circuits.networks.network import Network, read_network

MOST_ROWS = 256


@contextmanager
def batch_file(onnx: Path, size: int) -> Iterator[Path]:
    """The network of `size` rows as a file that exists inside the block; `onnx` itself for one.

    Byte-identical for the same `onnx` and size, so its digest says whose batch form it is.
    Raises NetworkRefused.
    """
    if size == 1:
        yield onnx
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{onnx.stem}-batch-{size}.onnx")
        path.write_bytes(batch_network(onnx, size).content)
        yield path


def batch_network(onnx: Path, size: int) -> Network:
    """The network of `size` rows, compared with the single one by onnxruntime.

    Raises NetworkRefused, which names the node, when a row would not be the network's own function
    or there is no telling.
    """
    single = read_network(onnx)
    if not 1 <= size <= MOST_ROWS:
        raise NetworkRefused(onnx, f"a batch of {size} was asked for, expected 1 to {MOST_ROWS}")
    if not single.integer:
        raise NetworkRefused(onnx, "only integer networks have batch forms: make its input int64")
    if len(single.inputs) != 1:
        raise NetworkRefused(onnx, "only networks of one input have batch forms: concatenate them")
    if size == 1:
        return single
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, onnx.name)
        path.write_bytes(put_batch_first(onnx, single.content, size))
        batch = read_network(path)
    _compare(single, batch, size)
    return batch


def fill(rows: Sequence[Sequence[int]], size: int) -> tuple[int, ...]:
    """1 to `size` rows one after another, the last one repeated up to `size`.

    The same for inputs and for outputs. Raises ValueError for none or too many.
    """
    if not 1 <= len(rows) <= size:
        raise ValueError(f"{len(rows)} rows for a batch of {size}, expected 1 to {size}")
    filled = [*rows, *[rows[-1]] * (size - len(rows))]
    return tuple(value for row in filled for value in row)


def rows_of(values: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """The `size` rows of a batch's inputs or outputs. Raises ValueError when they are uneven."""
    width, rest = divmod(len(values), size)
    if rest:
        raise ValueError(f"{len(values)} values are not {size} rows")
    return tuple(tuple(values[i * width : (i + 1) * width]) for i in range(size))


def _compare(single: Network, batch: Network, size: int) -> None:
    """Each row must give what the single network gives: exactly, so floats are refused before."""
    generator = random.Random(single.sha256)
    rows = [[generator.randint(-100, 100) for _ in range(single.input_count)] for _ in range(size)]
    expected = tuple(reference.infer(single, row) for row in rows)
    found = rows_of(reference.infer(batch, fill(rows, size)), size)
    if found != expected:
        raise NetworkRefused(
            single.path, f"the rows of its form for {size} rows are not the network's own function"
        )


def own_row(proof: Proof, inputs: Sequence[int], position: int) -> tuple[int, ...]:
    """The outputs of one request in a proof that it may share. Raises ValueError when the proof
    is not about these inputs at this position."""
    width = len(inputs)
    rows = len(proof.inputs) // width
    start = position * width
    if proof.inputs[start : start + width] != tuple(inputs) or rows * width != len(proof.inputs):
        raise ValueError(f"the proof has other inputs in row {position}")
    size = len(proof.outputs) // rows
    return proof.outputs[position * size : (position + 1) * size]


__all__ = [
    "MOST_ROWS",
    "batch_file",
    "batch_network",
    "fill",
    "own_row",
    "rows_of",
]
