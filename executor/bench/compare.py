"""What changed between two runs: only what is more than noise, and only what can be compared.

Gas (but for calldata's), sizes and shares are exact, so any difference is a change. Seconds differ
by themselves: a difference counts from three times the spread of both runs on, and never below a
floor; seconds of two machines are not compared at all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zkagent.executor.bench.figures import seconds, size
from zkagent.executor.bench.results import Case, Results, Share, Timing

Text = Callable[[float], str]
TIMES = ("setup_s", "witness_s", "prove_s", "verify_s")
SIZES = ("pk_bytes", "vk_bytes", "proof_bytes", "calldata_bytes", "code_bytes")
GAS = ("verify_gas", "stock_verify_gas", "deploy_gas")
COUNTS = ("logrows", "cells", "instances")
SHARES = ("agreement", "accuracy")
PEAKS = ("setup_peak_bytes", "prove_peak_bytes")

#: The least change of a time that counts, and what a spread is worth: medians of few repetitions
#: on a shared machine wobble by a multiple of their spread.
TIME_FLOOR, SPREADS = 0.10, 3.0
PEAK_FLOOR = 0.05  # allocators round
CALLDATA_FLOOR = 0.05  # proofs are random, and so is how many of their bytes are zero


@dataclass(frozen=True)
class Change:
    """One figure that differs. relative: (new - old) / old; None from zero. better: None when a
    change is neither."""

    what: str
    figure: str
    old: str
    new: str
    relative: float | None
    better: bool | None


@dataclass(frozen=True)
class Comparison:
    """changes, from the largest on. gone, fresh: what only the old or only the new run measured.

    remarks: what keeps figures from being compared.
    """

    changes: tuple[Change, ...]
    gone: tuple[str, ...]
    fresh: tuple[str, ...]
    remarks: tuple[str, ...]
    compared: int


def compare(old: Results, new: Results) -> Comparison:
    """The changes of `new` against `old`."""
    olds, news = ({case.key: case for case in results.cases} for results in (old, new))
    same_machine = old.machine.identity == new.machine.identity
    shared = [key for key in news if key in olds]
    changes = [c for key in shared for c in _case_changes(olds[key], news[key], same_machine)]
    changes += _run_changes(old, new)
    return Comparison(
        changes=tuple(sorted(changes, key=_size, reverse=True)),
        gone=tuple(_label(key) for key in olds if key not in news),
        fresh=tuple(_label(key) for key in news if key not in olds),
        remarks=tuple(_remarks(old, new)),
        compared=len(shared),
    )


def threshold(old: Timing, new: Timing) -> float:
    """The relative change of a median from which on it is more than noise."""
    return max(TIME_FLOOR, SPREADS * (old.spread + new.spread))


def _case_changes(old: Case, new: Case, same_machine: bool) -> Iterator[Change]:
    label = _label(new.key)
    for name in TIMES if same_machine else ():
        before, after = getattr(old, name), getattr(new, name)
        if before and after and _differs(before.median, after.median, threshold(before, after)):
            yield _change(label, name, before.median, after.median, seconds)
    for name in PEAKS if same_machine else ():
        yield from _number(label, name, _pair(old, new, name), size, PEAK_FLOOR)
    for name in SIZES:
        yield from _number(label, name, _pair(old, new, name), size)
    for name in GAS:
        yield from _number(label, name, _pair(old, new, name), _exact)
    pair = _pair(old, new, "calldata_gas")
    yield from _number(label, "calldata_gas", pair, _exact, CALLDATA_FLOOR)
    for name in COUNTS:
        yield from _number(label, name, _pair(old, new, name), _exact)
    for name in SHARES:
        yield from _share(label, name, getattr(old, name), getattr(new, name))


def _run_changes(old: Results, new: Results) -> Iterator[Change]:
    olds = {(run.network, run.form, run.prompt): run for run in old.runs}
    for run in new.runs:
        before = olds.get((run.network, run.form, run.prompt))
        if before:
            label = f"run of {run.network} ({run.form}), {len(run.prompt)} characters"
            gases = before.transaction_gas, run.transaction_gas
            yield from _number(label, "transaction_gas", gases, _exact)


def _number(
    label: str,
    name: str,
    pair: tuple[int | None, int | None],
    text: Text,
    floor: float = 0.0,
) -> Iterator[Change]:
    old, new = pair
    if old is not None and new is not None and _differs(old, new, floor):
        yield _change(label, name, old, new, text)


def _pair(old: Case, new: Case, name: str) -> tuple[int | None, int | None]:
    return getattr(old, name), getattr(new, name)


def _share(label: str, name: str, old: Share | None, new: Share | None) -> Iterator[Change]:
    """More is better; another number of samples is another measurement, and shown as such."""
    if old is None or new is None or old == new:
        return
    before, after = (f"{s.hits:,} of {s.total:,}" for s in (old, new))
    relative = (new.value - old.value) / old.value if old.value else None
    better = None if new.value == old.value else new.value > old.value
    yield Change(label, _words(name), before, after, relative, better)


def _differs(old: float, new: float, floor: float) -> bool:
    return old != new and (not old or abs(new - old) / old > floor)


def _change(label: str, name: str, old: float, new: float, text: Text) -> Change:
    relative = (new - old) / old if old else None
    return Change(label, _words(name), text(old), text(new), relative, new < old)


def _remarks(old: Results, new: Results) -> Iterator[str]:
    if old.machine.identity != new.machine.identity:
        yield (
            f"times and memory are not compared: {old.machine.processor}, {old.machine.cores} "
            f"cores, against {new.machine.processor}, {new.machine.cores} cores"
        )
    elif old.threads != new.threads:
        yield f"proven with {old.threads or 'all'} threads, then with {new.threads or 'all'}"
    for name, results in (("old", old), ("new", new)):
        if not results.complete:
            yield f"the {name} run is incomplete: it was interrupted"
        load = results.machine.load_before
        if load is not None and load > 0.5 * results.machine.cores:
            yield f"the {name} run began on a busy machine (load average {load:g})"
    for name in sorted(old.versions.keys() | new.versions.keys()):
        before, after = old.versions.get(name, "none"), new.versions.get(name, "none")
        if before != after:
            yield f"{name}: {before} before, {after} now"


def _size(change: Change) -> float:
    return abs(change.relative) if change.relative is not None else float("inf")


def _label(key: tuple[str, str, int]) -> str:
    network, form, batch = key
    return f"{network} ({form})" + (f" x{batch}" if batch > 1 else "")


def _words(name: str) -> str:
    """A field's name as a phrase: `prove_s` is `prove`, `verify_gas` is `verify gas`."""
    return name.removesuffix("_s").removesuffix("_bytes").replace("_", " ")


def _exact(value: float) -> str:
    return f"{value:,.0f}"


__all__ = ["Change", "Comparison", "compare", "threshold"]
