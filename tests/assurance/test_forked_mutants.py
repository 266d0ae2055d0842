"""A loaded module becomes its mutant, for whoever holds its functions; forks tell what came out."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.assurance.forked_mutants import FAILED, PASSED, Forks, Mutant, apply, inside_function

SOURCE = """import functools
from dataclasses import dataclass

LIMIT = 3


@functools.cache
def small(n: int = 1) -> bool:
    return n < LIMIT


@dataclass(frozen=True)
class Box:
    size: int = 7

    @property
    def full(self) -> bool:
        return any(part == 7 for part in [self.size])
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "mutable.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("mutable")
    del sys.modules["mutable"]


def mutant(before: str, after: str) -> Mutant:
    line = SOURCE[: SOURCE.index(before)].count("\n") + 1
    return Mutant("mutable.py", "mutable", "", line, line, SOURCE.replace(before, after), SOURCE)


def test_functions_that_others_hold_are_changed(module: ModuleType) -> None:
    held, box = module.small, module.Box()
    assert (held(3), box.full) == (False, True)
    apply(mutant("n < LIMIT", "n <= LIMIT"))
    apply(mutant("part == 7", "part != 7"))
    held.cache_clear()
    assert (held(3), held(4), box.full) == (True, False, False)


def test_what_is_outside_of_functions_is_made_again(module: ModuleType) -> None:
    assert inside_function(mutant("n < LIMIT", "n <= LIMIT"))
    changed = mutant("LIMIT = 3", "LIMIT = 4")
    assert not inside_function(changed)
    apply(changed)
    assert module.small(3)
    apply(mutant("size: int = 7", "size: int = 8"))
    assert module.Box().size == 8


def test_a_fork_says_what_came_out_and_changes_nothing_here() -> None:
    seen: list[int] = []
    forks = Forks((), ())

    def fail() -> int:
        seen.append(1)
        raise AssertionError

    assert [forks.run(work, 300) for work in (lambda: PASSED, fail)] == [PASSED, FAILED]
    assert forks.run(pause, 0.2) not in (PASSED, FAILED)
    assert seen == []


def pause() -> int:
    import time

    time.sleep(600)
    return PASSED
