"""Applies the rules to a graph until none applies, and says what each has changed."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from zkagent.circuits.networks.rewrites.rules import RULES
from zkagent.circuits.networks.rewrites.surroundings import Rule, Surroundings

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

MOST_WALKS = 32  # far more than any chain of rules is long
MOST_NAMED = 3  # operators that a line of changes names


def rewrite(
    model: "ModelProto",
    rules: Mapping[tuple[str, str], Rule] = RULES,
    settled: set[str] | None = None,
) -> "tuple[ModelProto, tuple[str, ...]]":
    """The model rewritten, and a line for each node that was, such as "Tile 'node' became Gather".

    settled: outputs that are in their last form; kept up to date for who calls it again. Raises
    ValueError for shapes that do not fit together.
    """
    settled = set() if settled is None else settled
    changes: list[str] = []
    for _ in range(MOST_WALKS):
        model = inferred(model)
        found = tuple(_walk(model, rules, settled))
        if not found:
            return model, tuple(changes)
        changes += found
    raise ValueError(f"its rewriting comes to no end after {MOST_WALKS} walks ({changes[-1]})")


def inferred(model: "ModelProto") -> "ModelProto":
    """The model with the shapes of all that lies between its nodes, and nothing that it said of
    them itself. Raises ValueError."""
    from onnx import shape_inference

    del model.graph.value_info[:]
    try:
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except (shape_inference.InferenceError, RuntimeError) as exc:
        reason = " ".join(str(exc).split())
        raise ValueError(f"its shapes do not fit together ({reason})") from exc


def _walk(
    model: "ModelProto", rules: Mapping[tuple[str, str], Rule], settled: set[str]
) -> Iterator[str]:
    graph, around = model.graph, Surroundings.of(model, settled)
    nodes: list[NodeProto] = []
    for node in graph.node:
        made = _applied(node, rules, around)
        nodes += [node] if made is None else made
        if made is not None:
            yield _said(node, made)
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(around.added)
    drop_unused(model)


def _applied(
    node: "NodeProto", rules: Mapping[tuple[str, str], Rule], around: Surroundings
) -> "list[NodeProto] | None":
    domain = "" if node.domain == "ai.onnx" else node.domain
    rule = rules.get((domain, node.op_type))
    if rule is None or not any(node.output) or around.settled.intersection(node.output):
        return None
    return rule(node, around)


def drop_unused(model: "ModelProto") -> None:
    """Take out nodes and constants that lead to no output."""
    graph = model.graph
    read, kept = {each.name for each in graph.output}, []
    for node in reversed(graph.node):
        if read.intersection(node.output):
            read.update(node.input)
            kept.append(node)
    constants = [tensor for tensor in graph.initializer if tensor.name in read]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(constants)


def _said(node: "NodeProto", made: "list[NodeProto]") -> str:
    operators = list(dict.fromkeys(each.op_type for each in made))
    shown = ", ".join(operators[:MOST_NAMED]) + (", ..." if len(operators) > MOST_NAMED else "")
    name = node.name or next(iter(filter(None, node.output)))
    return f"{node.op_type} {name!r} became {shown or 'nothing'}"


__all__ = ["drop_unused", "inferred", "rewrite"]
