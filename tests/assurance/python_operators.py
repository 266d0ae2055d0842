"""What a mutant of a Python file is; made by cosmic-ray, so it runs in .venv-tools.

    comparison  == != swapped, < <= and > >= by the neighbour, is, in and their negations
    condition   if, while, the ternary and the filter of a comprehension negated; `not` left out
    boolean     and or, True False swapped
    arithmetic  + - * // % << >> | & ^ by another
    constant    a number by its neighbours
    return      None is returned; a text where "" was
    deletion    a statement that raises, yields or calls left out
    handler     an exception is not caught
    loop        a loop that goes over nothing; break and continue swapped

Texts, docstrings, annotations, decorators and what is logged are left alone. Given a number, a seed
and files, it prints so many mutants of them, as JSON.
"""

import ast
import itertools
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

CALLS = ("atom_expr", "power", "yield_expr", "raise_stmt")
OF_COSMIC_RAY = {
    "ReplaceComparisonOperator": "Eq_NotEq NotEq_Eq Lt_LtE LtE_Lt Gt_GtE GtE_Gt Is_IsNot IsNot_Is",
    "ReplaceBinaryOperator": "Add_Sub Sub_Add Mul_FloorDiv FloorDiv_Mul Mod_Mul LShift_RShift "
    "RShift_LShift BitOr_BitAnd BitAnd_BitOr BitXor_BitAnd",
    "ReplaceUnaryOperator": "Delete_Not USub_UAdd",
}
WITHOUT_VARIANTS = (
    "AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd "
    "ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer NumberReplacer "
    "ZeroIterationForLoop"
)


class Replacing(Operator):
    """Replaces a node by text, at one place each."""

    @staticmethod
    def replacement(node: Any) -> str | None:
        """None where there is nothing to replace."""
        raise NotImplementedError

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if self.replacement(node) is not None:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        prefix = node.get_first_leaf().prefix
        return parso.parse(f"{prefix}{self.replacement(node)}")

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class Return(Replacing):
    @staticmethod
    def replacement(node: Any) -> str | None:
        if node.type != "return_stmt":
            return None
        returned = node.children[1].get_code().strip()
        if returned in ("None", '""'):
            return 'return "changed"'
        return "return None"


class Deletion(Replacing):
    @staticmethod
    def replacement(node: Any) -> str | None:
        if node.parent is None or node.parent.type != "simple_stmt":
            return None
        logged = node.get_code().strip().startswith("log.")
        return "pass" if node.type in CALLS and not logged else None


class Membership(Replacing):
    @staticmethod
    def replacement(node: Any) -> str | None:
        if node.type == "comp_op" and node.get_code().split() == ["not", "in"]:
            return "in"
        held = node.parent is not None and node.parent.type == "comparison"
        return "not in" if held and node.type == "keyword" and node.value == "in" else None


class Filter(Replacing):
    @staticmethod
    def replacement(node: Any) -> str | None:
        if node.type != "comp_if":
            return None
        return f"if not ({''.join(child.get_code() for child in node.children[1:])})"


OWN = {"Return": Return, "Deletion": Deletion, "Membership": Membership, "Filter": Filter}


def operators() -> dict[str, Operator]:
    names = [f"{n}_{v}" for n, variants in OF_COSMIC_RAY.items() for v in variants.split()]
    made = {name: get_operator(f"core/{name}")() for name in [*names, *WITHOUT_VARIANTS.split()]}
    return made | {name: operator() for name, operator in OWN.items()}


OPERATORS = operators()


def places(path: str, source: str) -> Iterator[dict[str, Any]]:
    """File, operator, occurrence and place of every mutant of a file."""
    untouched, nodes = set(left_alone(source)), list(ast_nodes(get_ast(source)))
    for name, operator in OPERATORS.items():
        found = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(found):
            if not any(first <= start < last for first, last in untouched):
                place = {"line": start[0], "column": start[1], "end": list(end)}
                yield {"file": path, "operator": name, "occurrence": occurrence, **place}


def made(place: dict[str, Any], source: str) -> str | None:
    """The text of a mutant; None when Python cannot compile it."""
    operator, occurrence = OPERATORS[place["operator"]], place["occurrence"]
    changed = mutate_code(source, operator, occurrence)
    return changed if changed not in (None, source) and compiles(changed) else None


def sampled(paths: Sequence[str], size: int, order: random.Random) -> Iterator[dict[str, Any]]:
    """So many mutants of these files, or all there are."""
    sources = {path: Path(path).read_text() for path in paths}
    candidates = [place for path, source in sources.items() for place in places(path, source)]
    order.shuffle(candidates)
    texts = ((place, made(place, sources[place["file"]])) for place in candidates)
    compiled = ({**place, "text": text} for place, text in texts if text is not None)
    return itertools.islice(compiled, size)


def left_alone(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """From where to where annotations and decorators stand."""
    for node in ast.walk(ast.parse(source)):
        for field in ("annotation", "returns"):
            if (found := getattr(node, field, None)) is not None:
                yield span(found)
        yield from (span(each) for each in getattr(node, "decorator_list", ()))


def span(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


if __name__ == "__main__":
    size, seed, *paths = sys.argv[1:]
    json.dump(list(sampled(paths, int(size), random.Random(seed))), sys.stdout)
