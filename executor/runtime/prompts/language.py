"""What a template may say: a small part of Jinja, each piece of which is harmless by itself.

Jinja's sandbox hides attributes that lead to Python. This goes further, since whoever edits a
template is not who runs it: there are no calls, no assignments, no macros and no imports, so no
`lipsum`, no `cycler`, no `"".format`, no `range`; and nothing that makes much out of little, such
as `*`, `**`, `%` and `~`. Left are texts, variables and their fields, conditions, loops over what
was given, and the filters of filters.py.
"""

from collections.abc import Iterator

from jinja2 import Environment, TemplateError, meta, nodes

from zkagent.executor.runtime.core.errors import PromptFault

MOST_SOURCE = 64 * 1024  # characters
MOST_NESTED = 40  # of expressions and blocks within each other
MOST_WORDS = 500  # words and signs within one pair of {{ }} or {% %}
TESTS = {"defined", "undefined", "none", "string", "number", "integer", "boolean", "mapping"}
TESTS |= {"sequence", "true", "false", "even", "odd", "eq", "ne", "lt", "le", "gt", "ge", "in"}
STATEMENTS = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If)
EXPRESSIONS = (
    nodes.Name,
    nodes.Const,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Slice,
    nodes.Filter,
    nodes.Test,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Neg,
    nodes.Add,
    nodes.Sub,
    nodes.Keyword,
)
#: As constants, for `x in ["a", "b"]`: with variables in them they could grow.
LITERALS = (nodes.List, nodes.Tuple)
OPTIONAL = {"default", "defined", "undefined"}
#: What Jinja itself gives a meaning to; of `loop` there are fields, such as loop.index.
RESERVED = {"self", "super", "caller", "loop", "varargs", "kwargs"}
INSTEAD = {
    "Call": "give what it would answer as a variable, or use a filter",
    "Concat": "write one after the other",
    "Assign": "give the value as a variable",
    "AssignBlock": "give the value as a variable",
}


def parse(environment: Environment, source: str) -> tuple[nodes.Template, list[str]]:
    """The tree, and what in it is not of this language; one line each. Raises PromptFault: cannot
    be read at all."""
    if len(source) > MOST_SOURCE:
        raise PromptFault(f"a template has {len(source):,} characters, at most {MOST_SOURCE:,}")
    try:
        _check_shape(environment, source)
        tree = environment.parse(source)
        wrong = list(_wrong(environment, tree, 0))
    except TemplateError as exc:
        line = getattr(exc, "lineno", None)
        raise PromptFault(f"the template cannot be read, line {line}: {exc.message}") from exc
    except (RecursionError, MemoryError):
        raise PromptFault(f"the template is nested deeper than {MOST_NESTED} levels") from None
    except ValueError as exc:  # a number that Python converts from no text
        raise PromptFault(f"the template cannot be read: {exc}") from exc
    return tree, wrong


def variables(tree: nodes.Template) -> tuple[frozenset[str], frozenset[str]]:
    """Those that a template takes; and of them those that it can do without, since it asks whether
    they are defined, or has a default."""
    taken = frozenset(meta.find_undeclared_variables(tree))
    asked = [one for one in tree.find_all((nodes.Test, nodes.Filter)) if one.name in OPTIONAL]
    optional = {one.node.name for one in asked if isinstance(one.node, nodes.Name)}
    return taken, taken & optional


def _check_shape(environment: Environment, source: str) -> None:
    """Before it is parsed, which recurs: libraries raise Python's limit of that beyond what the
    stack holds. Raises PromptFault."""
    depth = words = 0
    in_block = False
    for line, kind, word in environment.lex(source):
        if kind in {"variable_begin", "block_begin"}:
            words, in_block = 0, kind == "block_begin"
        elif kind not in {"whitespace", "data"}:
            words += 1
        if kind == "name" and words == 1 and in_block:
            depth += -1 if word.startswith("end") else int(word not in {"else", "elif"})
        if words > MOST_WORDS:
            raise PromptFault(f"line {line}: more than {MOST_WORDS} words and signs in one piece")
        if depth > MOST_NESTED:
            raise PromptFault(f"line {line}: nested deeper than {MOST_NESTED} levels")


def _wrong(environment: Environment, node: nodes.Node, level: int) -> Iterator[str]:
    if level > MOST_NESTED:
        yield f"line {node.lineno}: nested deeper than {MOST_NESTED} levels"
        return
    if problem := _problem(environment, node):
        yield f"line {node.lineno}: {problem}"
        return
    for child in node.iter_child_nodes():
        if not (isinstance(node, nodes.Getattr) and _is_loop(child)):
            yield from _wrong(environment, child, level + 1)


def _problem(environment: Environment, node: nodes.Node) -> str:
    """Of a node by itself; empty when there is none."""
    name = type(node).__name__
    if isinstance(node, LITERALS):
        plain = all(isinstance(child, nodes.Const) for child in node.iter_child_nodes())
        targets = isinstance(node, nodes.Tuple) and node.ctx == "store"
        return "" if plain or targets else "a list in a template is made of constants"
    if not isinstance(node, STATEMENTS + EXPRESSIONS):
        remedy = INSTEAD.get(name, "leave it out")
        return f"{name.lower()} is not of the language of prompts: {remedy}"
    return _special(environment, node)


def _special(environment: Environment, node: nodes.Node) -> str:
    if isinstance(node, nodes.Filter) and node.name not in environment.filters:
        return f"there is no filter {node.name!r}; there are {', '.join(environment.filters)}"
    if isinstance(node, nodes.Filter) and (node.dyn_args or node.dyn_kwargs):
        return "a filter's arguments are written out"
    if isinstance(node, nodes.Test) and node.name not in TESTS:
        return f"there is no test {node.name!r}; there are {', '.join(sorted(TESTS))}"
    if isinstance(node, nodes.For) and node.recursive:
        return "a loop is not recursive: write it out"
    if isinstance(node, nodes.Name) and (node.name.startswith("_") or node.name in RESERVED):
        return f"{node.name!r} is reserved: call the variable otherwise"
    return ""


def _is_loop(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "loop"


__all__ = ["MOST_NESTED", "MOST_SOURCE", "TESTS", "parse", "variables"]
