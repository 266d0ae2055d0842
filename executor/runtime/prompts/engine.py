"""Renders templates: Jinja in its immutable sandbox, held to language.py, and to time and size.

A template is somebody else's program. It sees the parameters, which are JSON, and nothing of this
process; it has no calls; what it loops over, what it writes, and how long it takes are bounded:
loops, filters and pieces of output each look at the clock, and none of them is long by itself.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, TemplateError, Undefined, nodes
from jinja2.exceptions import UndefinedError
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from zkagent.executor.runtime.core.errors import PromptFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.prompts.filters import (
    MOST_CHARACTERS,
    Redactor,
    bounded,
    filters,
    hide,
)
from zkagent.executor.runtime.prompts.language import TESTS, parse, variables

MOST_ROUNDS = 10_000  # of all loops of one rendering together
TIME_S = 2.0
LOOP_FIELDS = {"index", "index0", "revindex", "revindex0", "first", "last", "length", "depth"}
#: Around what a loop goes over, put there when a template is compiled: no name that one can write.
COUNTED = "~counted"


class _Budget:
    """What is left of rounds and time to one rendering."""

    def __init__(self, time_s: float) -> None:
        self.rounds = MOST_ROUNDS
        self._end = time.monotonic() + time_s
        self._time_s = time_s

    def look(self) -> None:
        """Raises PromptFault."""
        if time.monotonic() > self._end:
            raise PromptFault(f"the template takes longer than {self._time_s} s: simplify it")

    def count(self, values: Any) -> Iterator[Any]:
        """The values, one after another. Raises PromptFault."""
        for value in values:
            self.rounds -= 1
            if self.rounds < 0:
                raise PromptFault(f"the template's loops go round more than {MOST_ROUNDS:,} times")
            self.look()
            yield value


class _Environment(ImmutableSandboxedEnvironment):
    """Of one rendering. Fields are those of objects and lists, never those of Python's values."""

    intercepted_binops = frozenset({"+", "-"})

    def __init__(self, budget: _Budget, redactor: Redactor, undefined: type[Undefined]) -> None:
        super().__init__(
            undefined=undefined,
            autoescape=False,
            keep_trailing_newline=True,
            cache_size=0,
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
        )
        self._budget = budget
        self.globals.clear()
        self.tests = {name: test for name, test in self.tests.items() if name in TESTS}
        self.filters.clear()
        named = filters(redactor)
        self.filters.update({name: self._watched(name, one) for name, one in named.items()})

    def _watched(self, name: str, one: Callable[..., Any]) -> Callable[..., Any]:
        def watched(value: Any, *rest: Any) -> Any:
            self._budget.look()
            if isinstance(value, Undefined) and name != "default":
                str(value)  # raises, where it is strict
            return bounded(one(value, *rest))

        return watched

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, LoopContext) and attribute in LOOP_FIELDS:
            return getattr(obj, attribute)
        return self._field(obj, attribute, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """The argument may be a parameter's value, which no message shows."""
        return self._field(obj, argument, "that was asked for")

    def _field(self, obj: Any, argument: Any, shown: str) -> Any:
        if isinstance(obj, Undefined):
            return obj[argument]  # raises, where it is strict
        if isinstance(obj, dict) and isinstance(argument, str) and argument in obj:
            return obj[argument]
        if isinstance(obj, list | tuple | str) and isinstance(argument, int | slice):
            try:
                return obj[argument]
            except IndexError:
                return self.undefined(name=f"an entry of a {type(obj).__name__}")
        return self.undefined(name=f"a {type(obj).__name__}'s field {shown}")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        for side in (left, right):
            if isinstance(side, bool) or not isinstance(side, int | float):
                raise PromptFault(f"{operator} is for numbers, not for a {type(side).__name__}")
        return super().call_binop(context, operator, left, right)


@dataclass(frozen=True, slots=True)
class Checked:
    """errors: one line each; needed, optional: variables that the template takes."""

    errors: tuple[str, ...] = ()
    needed: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()


class Engine:
    """redactor: of the filter `redact`; without one it hides the whole value."""

    def __init__(self, redactor: Redactor = hide, time_s: float = TIME_S) -> None:
        self._redactor = redactor
        self._time_s = time_s

    def check(self, source: str) -> Checked:
        """What is wrong with a template, and what it takes."""
        try:
            tree, wrong = parse(self._environment(_Budget(self._time_s)), source)
            if not wrong:
                self._compiled(source, _Budget(self._time_s), StrictUndefined)
        except PromptFault as exc:
            return Checked((str(exc),))
        if wrong:
            return Checked(tuple(wrong))
        taken, optional = variables(tree)
        return Checked((), taken - optional, optional)

    def render(self, source: str, params: Mapping[str, Json], *, strict: bool = True) -> str:
        """params: JSON. strict: what is missing is a fault, not an empty text. Raises PromptFault,
        which quotes the template, and nothing of the parameters."""
        budget = _Budget(self._time_s)
        template = self._compiled(source, budget, StrictUndefined if strict else Undefined)
        pieces, size = [], 0
        try:
            for piece in template.generate(**dict(params)):
                budget.look()
                size += len(piece)
                if size > MOST_CHARACTERS:
                    raise PromptFault(f"the prompt has more than {MOST_CHARACTERS:,} characters")
                pieces.append(piece)
        except UndefinedError as exc:
            raise PromptFault(f"a variable is missing: {exc.message}") from None
        except (TemplateError, TypeError, ValueError, OverflowError, RecursionError) as exc:
            raise PromptFault(f"the template fails on what it was given: {_kind(exc)}") from None
        return "".join(pieces)

    def _compiled(self, source: str, budget: _Budget, undefined: type[Undefined]) -> Any:
        environment = self._environment(budget, undefined)
        tree, wrong = parse(environment, source)
        if wrong:
            raise PromptFault(f"not of the language of prompts: {wrong[0]}")
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, COUNTED, [], [], None, None)
        environment.filters[COUNTED] = budget.count
        try:
            code = environment.compile(tree)
        except (SyntaxError, RecursionError, MemoryError, TemplateError) as exc:
            raise PromptFault(f"the template cannot be compiled: {type(exc).__name__}") from None
        return environment.template_class.from_code(environment, code, {})

    def _environment(
        self, budget: _Budget, undefined: type[Undefined] = StrictUndefined
    ) -> _Environment:
        return _Environment(budget, self._redactor, undefined)


def _kind(exc: Exception) -> str:
    """Python's own words for types; texts of other errors may quote values."""
    return f"{exc!s:.200}" if isinstance(exc, TypeError) else type(exc).__name__


__all__ = ["MOST_ROUNDS", "TIME_S", "Checked", "Engine"]
