"""What a mutant of a Solidity file is: one change at one place, by these operators.

    boundary    < <= > >= by its neighbour                 negation    a condition by its opposite
    equality    == != swapped                              logic       && || & | swapped
    arithmetic  + - * / % << >> ++ -- += -= swapped        constant    a number by the next, a bool
    deletion    a statement, return, revert or event left out, a modifier too

In assembly the same: lt gt, and or, add sub, mul div, shl shr swapped, iszero and conditions
negated, numbers raised by one, assignments and statements left out. Places come from the compiler's
syntax tree, so that comments and names are never touched.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Node = Mapping[str, Any]

SWAPS = {
    **dict.fromkeys(["<", "<=", ">", ">="], "boundary"),
    **dict.fromkeys(["==", "!="], "equality"),
    **dict.fromkeys(["&&", "||", "&", "|", "&=", "|="], "logic"),
    **dict.fromkeys(
        ["+", "-", "*", "/", "%", "<<", ">>", "++", "--", "+=", "-=", "<<=", ">>="], "arithmetic"
    ),
}
PARTNER = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    **{"&&": "||", "||": "&&", "&": "|", "|": "&", "&=": "|=", "|=": "&="},
    **{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<"},
    **{"++": "--", "--": "++", "+=": "-=", "-=": "+=", "<<=": ">>=", ">>=": "<<="},
}
YUL_PARTNER = {
    **{"lt": "gt", "gt": "lt", "and": "or", "or": "and"},
    **{"add": "sub", "sub": "add", "mul": "div", "div": "mul", "shl": "shr", "shr": "shl"},
}
YUL_OPERATOR = {"lt": "boundary", "gt": "boundary", "and": "logic", "or": "logic"}
DELETED = {"ExpressionStatement", "RevertStatement", "EmitStatement", "Return", "Break", "Continue"}
CONDITIONAL = {"IfStatement", "WhileStatement", "ForStatement", "Conditional"}


@dataclass(frozen=True)
class Mutant:
    """`before` at byte `start` of the file becomes `after`."""

    start: int
    before: str
    after: str
    operator: str

    def apply(self, source: bytes) -> bytes:
        end = self.start + len(self.before.encode())
        assert source[self.start : end] == self.before.encode(), self
        return source[: self.start] + self.after.encode() + source[end:]

    def line(self, source: bytes) -> int:
        return source[: self.start].count(b"\n") + 1

    def told(self, source: bytes) -> str:
        """For people: the line and what becomes of it."""
        before, after = (re.sub(r"\s+", " ", text) for text in (self.before, self.after))
        return f"{self.line(source)}: {self.operator}: {before} -> {after or '(nothing)'}"


def mutants(tree: Node, source: bytes) -> list[Mutant]:
    """All mutants of a file, in order, from its syntax tree."""
    found = {mutant for node in walk(tree) for mutant in _of(node, source)}
    return sorted(found, key=lambda m: (m.start, m.operator, m.after))


def walk(node: Any) -> Iterator[Node]:
    """Every node below, those of values that are fixed when compiling left out."""
    if isinstance(node, list):
        for item in node:
            yield from walk(item)
    elif isinstance(node, Mapping):
        if node.get("nodeType") == "VariableDeclaration" and node.get("constant"):
            return
        if "nodeType" in node:
            yield node
        for key, value in node.items():
            if key not in ("typeName", "typeDescriptions"):
                yield from walk(value)


def _of(node: Node, source: bytes) -> Iterator[Mutant]:
    kind = node["nodeType"]
    if kind in ("BinaryOperation", "Assignment", "UnaryOperation"):
        yield from _swapped(node, source)
    elif kind in DELETED:
        yield from _deleted(node, source)
    elif kind == "ModifierInvocation" and node.get("kind") == "modifierInvocation":
        yield _change(node, source, "", "deletion")
    elif kind == "Literal":
        yield from _constant(node, source)
    elif kind.startswith("Yul"):
        yield from _in_assembly(kind, node, source)
    if kind in CONDITIONAL and node.get("condition"):
        condition = node["condition"]
        yield _change(condition, source, f"!({_text(condition, source)})", "negation")


def _swapped(node: Node, source: bytes) -> Iterator[Mutant]:
    operator = node["operator"]
    if operator == "!":
        text = _text(node, source)
        yield _change(node, source, text.removeprefix("!"), "negation")
    if operator not in PARTNER:
        return
    start = _start(node)
    if node["nodeType"] == "BinaryOperation":
        start = _end(node["leftExpression"])
    elif node["nodeType"] == "Assignment":
        start = _end(node["leftHandSide"])
    elif not node["prefix"]:
        start = _end(node["subExpression"])
    at = source.index(operator.encode(), start)
    yield Mutant(at, operator, PARTNER[operator], SWAPS[operator])


def _deleted(node: Node, source: bytes) -> Iterator[Mutant]:
    """With its semicolon; what stands in the head of a loop has none."""
    if node["nodeType"] == "ExpressionStatement" and node["expression"].get("operator") in (
        "++",
        "--",
    ):
        return  # loops without end; swapping is enough
    text = _text(node, source)
    behind = source[_end(node) :]
    if not text.endswith(";"):
        if not behind.lstrip().startswith(b";"):
            return
        text += behind[: behind.index(b";") + 1].decode()
    yield Mutant(_start(node), text, "{}", "deletion")


def _constant(node: Node, source: bytes) -> Iterator[Mutant]:
    if node["kind"] == "bool":
        yield _change(node, source, str(node["value"] != "true").lower(), "constant")
    elif node["kind"] == "number":
        text = _text(node, source)
        yield _change(node, source, str(int(text.replace("_", ""), 0) + 1), "constant")


def _in_assembly(kind: str, node: Node, source: bytes) -> Iterator[Mutant]:
    if kind == "YulFunctionCall":
        name = node["functionName"]["name"]
        if name in YUL_PARTNER:
            operator = YUL_OPERATOR.get(name, "arithmetic")
            yield _change(node["functionName"], source, YUL_PARTNER[name], operator)
        elif name == "iszero":
            yield _change(node, source, f"iszero({_text(node, source)})", "negation")
    elif kind in ("YulExpressionStatement", "YulAssignment"):
        yield _change(node, source, "", "deletion")
    elif kind == "YulIf":
        condition = node["condition"]
        yield _change(condition, source, f"iszero({_text(condition, source)})", "negation")
    elif kind == "YulLiteral" and node["kind"] == "number":
        text = _text(node, source)
        yield _change(node, source, str(int(text, 0) + 1), "constant")


def _change(node: Node, source: bytes, after: str, operator: str) -> Mutant:
    return Mutant(_start(node), _text(node, source), after, operator)


def _text(node: Node, source: bytes) -> str:
    return source[_start(node) : _end(node)].decode()


def _start(node: Node) -> int:
    return int(node["src"].split(":")[0])


def _end(node: Node) -> int:
    start, length, _ = node["src"].split(":")
    return int(start) + int(length)


__all__ = ["Mutant", "mutants", "walk"]
