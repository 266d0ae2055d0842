"""From the file that a user exported to the one that becomes a circuit: axes bound, types brought
to two, simplified, rewritten. Every step is said.

Whatever is exact integer arithmetic stays as it is, byte for byte where no axis is open. A file may
be a stranger's: nothing is inferred or computed before its tensors have been measured.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.axes import bind_axes
from zkagent.circuits.networks.element_types import (
    INT64,
    equal_by_order,
    shifts_as_products,
    to_circuit_types,
)
from zkagent.circuits.networks.folding import folded
from zkagent.circuits.networks.operators import check_known
from zkagent.circuits.networks.rewrites.engine import drop_unused, inferred, rewrite
from zkagent.circuits.networks.rewrites.learned import LEARNED_RULES, Unwritten, to_tensors
from zkagent.circuits.networks.rewrites.rules import LAST, RULES
from zkagent.models.networks.inference import open_session
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.sizes import CIRCUIT, INTEGER_OPERATORS, check_face, check_sizes

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, ValueInfoProto

NOTHING_SAID: Mapping[str, int] = MappingProxyType({})
MOST_ROUNDS = 8  # of rewriting and folding; two are enough for all that we know


@dataclass(frozen=True)
class Prepared:
    """content: the ONNX file that becomes the circuit. reference: what onnxruntime is to run in
    its place, with the user's own types: the file with its axes bound, or, where onnxruntime takes
    that not, a repaired one. changes: a line for everything that was done."""

    content: bytes
    reference: bytes
    changes: tuple[str, ...]


def prepare(path: Path, content: bytes, dims: Mapping[str, int] = NOTHING_SAID) -> Prepared:
    """Make the file at `path` ready to become a circuit.

    dims: lengths of open axes, by their name or as INPUT.AXIS; 1 where nothing is said. The same
    file and lengths give the same bytes. Raises NetworkRefused.
    """
    try:
        return _prepared(content, dims)
    except Unwritten as exc:
        raise NetworkRefused(path, str(exc)) from exc
    except ValueError as exc:
        _check_known(path, content)  # which says more than that its shapes, say, do not follow
        raise NetworkRefused(path, str(exc)) from exc


def graph_inputs(graph: "GraphProto") -> "list[ValueInfoProto]":
    """The inputs that a caller must give: old files list the weights among them, too."""
    weights = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def _prepared(content: bytes, dims: Mapping[str, int]) -> Prepared:
    model = _parsed(content)
    bound = bind_axes(model, dims)
    if is_exact(model.graph):
        check_sizes(model)
        made = _serialized(inferred(model)) if bound else content
        return Prepared(made, made, bound)
    original = _serialized(model)
    learned = to_tensors(model)
    typed = (*equal_by_order(model), *shifts_as_products(model), *to_circuit_types(model))
    check_sizes(model)
    repaired = _serialized(model)
    before = _operators(model)
    model, changes = _simplified(model)
    check_sizes(model)
    made = _serialized(model)
    if not (bound or learned or typed or changes) and _operators(model) == before:
        return Prepared(content, content, ())
    reference, said = _runnable(original, repaired, made)
    shrunk = _shrunk(before, _operators(model))
    return Prepared(made, reference, (*bound, *learned, *typed, *together(changes), *shrunk, *said))


def _check_known(path: Path, content: bytes) -> None:
    """Refuse operators that neither a circuit nor a rule knows. Raises NetworkRefused."""
    with suppress(ValueError):
        check_known(path, _parsed(content).graph, {*RULES, *LEARNED_RULES})


def _parsed(content: bytes) -> "ModelProto":
    import onnx

    try:
        model = parse_model(content)
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as exc:
        reason = str(exc).strip().partition("\n")[0]
        why = f"it is not a valid ONNX model ({reason}): export it again, or fetch the whole file"
        raise ValueError(why) from exc
    check_face(model)
    stored = sum(math.prod(tensor.dims) for tensor in model.graph.initializer)
    if stored > CIRCUIT.numbers:
        raise ValueError(f"it stores {stored:,} numbers, at most {CIRCUIT.numbers:,} are taken")
    if not graph_inputs(model.graph):
        raise ValueError("it has no inputs, so there is nothing to prove: export it with one")
    return model


def is_exact(graph: "GraphProto") -> bool:
    """Whether it is integer arithmetic alone, which is to be left as it is."""
    whole = all(value.type.tensor_type.elem_type == INT64 for value in graph_inputs(graph))
    return whole and all(n.op_type in INTEGER_OPERATORS and not n.domain for n in graph.node)


def _simplified(model: "ModelProto") -> "tuple[ModelProto, tuple[str, ...]]":
    """Folded and rewritten until neither changes anything."""
    settled, changes = set[str](), list[str]()
    with suppress(ValueError):  # of what a rule may make of it; the next time it counts
        model = folded(model)
    for _ in range(MOST_ROUNDS):
        model, found = rewrite(model, settled=settled)
        changes += found
        model = _closed(folded(model))
        if not found:
            model, found = rewrite(model, LAST)
            return model, (*changes, *found)
    raise ValueError(f"its rewriting comes to no end after {MOST_ROUNDS} rounds ({changes[-1]})")


def _closed(model: "ModelProto") -> "ModelProto":
    """With a node for each output, also where it is a constant or an input."""
    from onnx import helper

    drop_unused(model)
    made = {name for node in model.graph.node for name in node.output}
    for value in model.graph.output:
        if value.name not in made:
            name = f"{value.name}_given"
            for tensor in model.graph.initializer:
                if tensor.name == value.name:
                    tensor.name = name
            for node in model.graph.node:
                node.input[:] = [name if each == value.name else each for each in node.input]
            model.graph.node.append(helper.make_node("Identity", [name], [value.name]))
    return model


def _runnable(*candidates: bytes) -> "tuple[bytes, tuple[str, ...]]":
    """The first that onnxruntime takes. Raises ValueError when it takes none."""
    refused: tuple[str, ...] = ()
    for content in candidates:
        try:
            open_session(content)
        except Exception as exc:  # onnxruntime's classes share no other root
            reason = " ".join(str(exc).split())
            refused = (f"compared with its repaired form, as onnxruntime takes it not ({reason})",)
        else:
            return content, refused
    raise ValueError(f"onnxruntime cannot evaluate it: {refused[0]}")


def together(changes: Sequence[str]) -> Iterator[str]:
    """Lines that differ only in the node's name as one."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in changes:
        before, _, after = line.partition(" became ")
        found.setdefault((before.partition(" ")[0], after), []).append(line)
    for (operator, after), lines in found.items():
        name = lines[0].partition(" became ")[0].partition(" ")[2]
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        yield f"{operator} {name}{more} became {after}"


def _operators(model: "ModelProto") -> list[str]:
    return [node.op_type for node in model.graph.node]


def _shrunk(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    if len(after) < len(before):
        yield f"{len(before)} nodes became {len(after)}, as some depend on no input"


def _serialized(model: "ModelProto") -> bytes:
    return bytes(model.SerializeToString(deterministic=True))


__all__ = ["Prepared", "graph_inputs", "is_exact", "prepare", "together"]
