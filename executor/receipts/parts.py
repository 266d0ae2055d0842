"""The parts of a recorded run: one for each agent that decided in it, the outermost first.

A part is a record of a run by itself, of its agent alone, so that whatever is checked of a run of
one agent is checked of each. How the parts lie in each other is checked here, by the order in which
decisions were made: inside a call, an agent begins, and it ends with its answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from zkagent.executor.chain.abi import parameters, prompt_input
from zkagent.executor.receipts.format import (
    IterationRecord,
    ModelRecord,
    NestedRecord,
    ProofRecord,
    RunRecord,
)
from zkagent.executor.receipts.verdicts import difference
from zkagent.executor.runs.derivation import raw_bytes, text
from zkagent.models.encoding.context import escape_observation


def parts_of(run: RunRecord) -> tuple[RunRecord, ...]:
    """The outermost agent's, then those of `nested` in order. Numbers of iterations that there are
    none of are left out; `tree_problem` tells of them."""
    if not run.nested:
        return (run,)
    inside = {number for nested in run.nested for number in nested.iterations}
    own = tuple(n for n in range(1, len(run.iterations) + 1) if n not in inside)
    return (_part(run, own, {}), *(_nested_part(run, each) for each in run.nested))


def own_numbers(run: RunRecord) -> tuple[int, ...]:
    """The outermost agent's iterations, counted from 1."""
    inside = {number for nested in run.nested for number in nested.iterations}
    return tuple(n for n in range(1, len(run.iterations) + 1) if n not in inside)


def agents_of(run: RunRecord) -> tuple[str, ...]:
    """Whose decision each iteration is."""
    owners = _owners(run)
    return tuple(owners[n].agent if n in owners else run.agent for n in _numbers(run))


def models_of(run: RunRecord) -> tuple[ModelRecord, ...]:
    """Which model each iteration's output is of."""
    owners = _owners(run)
    return tuple(owners[n].model if n in owners else run.model for n in _numbers(run))


def tree_problem(run: RunRecord) -> str:
    """Why the nested runs do not lie in each other as runs do; empty if they do, or there are none:
    then each iteration is checked for itself."""
    if not run.nested:
        return ""
    owners = _owners(run)
    if sum(len(each.iterations) for each in run.nested) != len(owners):
        return "an iteration is of two nested runs"
    if owners and not owners.keys() <= set(_numbers(run)):
        return f"there is no iteration {max(owners)}"
    if problem := _replayed(run, owners):
        return problem
    return next(filter(None, (_called(run, each) for each in run.nested)), "")


def _replayed(run: RunRecord, owners: dict[int, NestedRecord]) -> str:
    """Decision by decision: which runs are open."""
    open_runs: list[_Open] = [_Open(None)]
    begun: list[NestedRecord] = []
    for number in _numbers(run):
        owner = owners.get(number)
        while len(open_runs) > 1 and owner is not open_runs[-1].nested and open_runs[-1].ended:
            open_runs.pop()
        if owner is not open_runs[-1].nested:
            if owner is None or any(owner is each for each in begun):
                return f"iteration {number} is of a run that is not open then"
            if open_runs[-1].ended or owner.parent != open_runs[-1].last:
                return f"iteration {number} begins a run outside of iteration {owner.parent}"
            open_runs.append(_Open(owner))
            begun.append(owner)
        elif open_runs[-1].ended:
            return f"iteration {number} comes behind its run's answer"
        now = open_runs[-1]
        now.last, now.ended = number, run.iterations[number - 1].decision.kind != "call"
    if owners.get(len(run.iterations)) is not None or tuple(begun) != run.nested:
        return "nested runs are not in the order in which they begin, inside the outermost one"
    return ""


@dataclass
class _Open:
    """A run that is gone through. last: its last iteration so far, 0 before the first; ended:
    whether that is an answer."""

    nested: NestedRecord | None
    last: int = 0
    ended: bool = False


def _called(run: RunRecord, nested: NestedRecord) -> str:
    """Where the tool is the agent itself, it was asked by the call, and observed is its answer."""
    step = run.iterations[nested.parent - 1]
    if nested.answer != run.iterations[nested.iterations[-1] - 1].decision.answer:
        return f"{nested.agent} answers otherwise than its last decision"
    if step.decision.tool != nested.agent:
        return ""
    given = parameters([int(value, 16) for value in step.decision.values])
    return difference(
        (f"prompt of {nested.agent}", given, prompt_input(raw_bytes(nested.prompt))[1]),
        (
            f"observation of {nested.agent}",
            step.observation,
            text(escape_observation(raw_bytes(nested.answer))),
        ),
    )


def _numbers(run: RunRecord) -> range:
    return range(1, len(run.iterations) + 1)


def _owners(run: RunRecord) -> dict[int, NestedRecord]:
    return {number: each for each in run.nested for number in each.iterations}


def _nested_part(run: RunRecord, nested: NestedRecord) -> RunRecord:
    of_agent = {
        "agent": nested.agent,
        "prompt": nested.prompt,
        "answer": nested.answer,
        "model": nested.model,
    }
    return _part(run, nested.iterations, of_agent)


def _part(run: RunRecord, numbers: tuple[int, ...], of_agent: dict[str, object]) -> RunRecord:
    found = {
        **of_agent,
        "nested": (),
        "iterations": tuple(_iterations(run, numbers)),
        "proofs": tuple(_proofs(run, numbers)),
    }
    return run.model_copy(update=found)


def _iterations(run: RunRecord, numbers: tuple[int, ...]) -> Iterator[IterationRecord]:
    yield from (run.iterations[n - 1] for n in numbers if 1 <= n <= len(run.iterations))


def _proofs(run: RunRecord, numbers: tuple[int, ...]) -> Iterator[ProofRecord]:
    """Those that cover iterations of the part, which are counted anew."""
    place = {number: index for index, number in enumerate(numbers, start=1)}
    for each in run.proofs:
        if covered := tuple(place[n] for n in each.iterations if n in place):
            yield each.model_copy(update={"iterations": covered})


__all__ = ["agents_of", "models_of", "own_numbers", "parts_of", "tree_problem"]
