"""Models of scikit-learn's kind, as scikit-learn's, XGBoost's and LightGBM's are exported with the
operators of ONNX's domain ai.onnx.ml, as tensors.

These operators come first and for themselves: onnx infers no shapes of what most of them make, so
nothing of their network can be measured before they are gone. Each is rewritten by what stands in
its own attributes, whose length is that of the file.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from zkagent.circuits.networks.rewrites import features, linear, trees
from zkagent.circuits.networks.rewrites.building import Around, Array
from zkagent.circuits.networks.rewrites.engine import drop_unused
from zkagent.circuits.networks.rewrites.kinds import constants

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

DOMAIN = "ai.onnx.ml"
OPSET = 17  # the least that is written, where all that is there means the same in it
#: Operators that have meant the same since opset 7, for all that converters give them.
ALIKE = frozenset("Add ArgMax Cast Concat Div Gather Identity MatMul Mul Neg Sub".split())
FIRST_ALIKE = 7
LEARNED: Mapping[str, "Callable[[NodeProto, Around], list[NodeProto] | None]"] = {
    "ArrayFeatureExtractor": features.extractor,
    "Binarizer": features.binarizer,
    "FeatureVectorizer": features.vectorizer,
    "Imputer": features.imputer,
    "LabelEncoder": features.label_encoder,
    "LinearClassifier": linear.classifier,
    "LinearRegressor": linear.regressor,
    "Normalizer": features.normalizer,
    "SVMRegressor": linear.support_vector_regressor,
    "Scaler": features.scaler,
    "TreeEnsemble": trees.ensemble,
    "TreeEnsembleClassifier": trees.classifier,
    "TreeEnsembleRegressor": trees.regressor,
}
LEARNED_RULES = frozenset((DOMAIN, name) for name in LEARNED)
#: What to do about the others, and about forms of these that no rule knows.
INSTEAD = {
    "SVMClassifier": "use a linear model or trees",
    "ZipMap": "`zkagent model import FILE` takes it away",
}


class Unwritten(ValueError):
    """A node of ai.onnx.ml that no rule takes; the message names it and what to do."""


def to_tensors(model: "ModelProto") -> tuple[str, ...]:
    """Change the model in place; a line for each node that was rewritten.

    Raises Unwritten for one that no rule takes.
    """
    graph = model.graph
    if not any(node.domain == DOMAIN for node in graph.node):
        return ()
    around, nodes, said = _Around(model), list[Any](), list[str]()
    for node in graph.node:
        made = _rewritten(node, around) if node.domain == DOMAIN else _plain(node, around)
        if made[0] is not node:
            name = node.name or next(iter(filter(None, node.output)))
            said.append(f"{node.op_type} {name!r} became {len(made)} operators on tensors")
        nodes += made
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.initializer.extend(around.added)
    drop_unused(model)
    _set_opsets(model, around.opset)
    return tuple(said)


def _rewritten(node: "NodeProto", around: "_Around") -> "list[NodeProto]":
    rule = LEARNED.get(node.op_type)
    try:
        made = rule(node, around) if rule else None
    except (IndexError, KeyError, TypeError, ValueError) as exc:  # of a stranger's attributes
        raise Unwritten(f"{_named(node)} is not what ONNX says of it ({exc})") from exc
    if made:
        return made
    remedy = INSTEAD.get(node.op_type, "export the model without it")
    form = "in a form that" if rule else "of ai.onnx.ml, which"
    raise Unwritten(f"{_named(node)} is {form} no circuit computes: {remedy}")


def _plain(node: "NodeProto", around: "_Around") -> "list[NodeProto]":
    made = features.product(node, around) if node.op_type == "Mul" else None
    return made or [node]


def _named(node: "NodeProto") -> str:
    return f"{node.op_type[:80]} (node {(node.name or next(iter(node.output), ''))[:80]!r})"


def _set_opsets(model: "ModelProto", opset: int) -> None:
    from onnx import helper

    kept = [each for each in model.opset_import if each.domain not in (DOMAIN, "", "ai.onnx")]
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", opset), *kept])


class _Around:
    """What is known of a graph without inferring anything: of its inputs and constants, and of
    what its nodes are."""

    def __init__(self, model: "ModelProto") -> None:
        graph = model.graph
        plain = {node.op_type for node in graph.node if node.domain != DOMAIN}
        said = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
        self.opset = said[0] if said else OPSET
        if self.opset >= FIRST_ALIKE and plain <= ALIKE:
            self.opset = max(OPSET, self.opset)
        self.constants: dict[str, Array] = dict(constants(graph))
        self.shapes = {name: values.shape for name, values in self.constants.items()}
        self.types = {tensor.name: int(tensor.data_type) for tensor in graph.initializer}
        for value in graph.input:
            kind = value.type.tensor_type
            self.types[value.name] = kind.elem_type
            self.shapes[value.name] = tuple(each.dim_value for each in kind.shape.dim)
        self.makers = {name: node for node in graph.node for name in node.output}
        self.users: dict[str, list[NodeProto]] = {}
        for node in graph.node:
            for name in dict.fromkeys(node.input):
                self.users.setdefault(name, []).append(node)
        self.outputs = frozenset(value.name for value in graph.output)
        self.added: list[TensorProto] = []
        self._taken = {*self.types, *self.users, *self.makers}

    def fresh(self, hint: str) -> str:
        name, number = hint, 0
        while name in self._taken:
            name, number = f"{hint}_{number}", number + 1
        self._taken.add(name)
        return name

    def constant(self, array: Array, hint: str) -> str:
        import numpy as np
        from onnx import numpy_helper

        name = self.fresh(f"{hint}_constant")
        self.added.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name


__all__ = ["DOMAIN", "LEARNED", "LEARNED_RULES", "Unwritten", "to_tensors"]
