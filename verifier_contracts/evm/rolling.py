"""Statements that repeat with other addresses, as loops: less code for a little more gas.

An address in memory stands between angle brackets, `mstore(<0x80>, mload(<0x200>))`, until all are
known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PLACE = re.compile(r"<(0x[0-9a-f]+)>")
#: Statements that may be one turn of what repeats; turns from which on it becomes a loop; how many
#: characters a turn of the loop may have, of one repetition or several.
PERIODS, FEWEST, TURN = range(1, 5), 8, 1_000


def place(address: int) -> str:
    return f"<{address:#x}>"


def straight(lines: Sequence[str]) -> list[str]:
    """As they are, with the addresses."""
    return [PLACE.sub(lambda found: found.group(1), line) for line in lines]


def rolled(lines: Sequence[str], spared: int) -> list[str]:
    """With loops for what repeats, where one spares so many characters."""
    statements, at = [_Statement.of(line) for line in lines], 0
    found: list[str] = []
    while at < len(statements):
        spares, times, period = max(_spares(statements, at, period) for period in PERIODS)
        end = at + period * times
        if times >= FEWEST and spares >= spared:
            found += _loop(statements[at : at + 2 * period], period, times)
        else:
            found += straight(lines[at:end])
        at = end
    return found


def _spares(statements: "Sequence[_Statement]", at: int, period: int) -> tuple[int, int, int]:
    """How many characters, by a loop of how many times so many statements."""
    times = _repeated(statements, at, period)
    size = sum(len(each.form) for each in statements[at : at + period])
    return (times - 1) * size, times, period if times > 1 else 1


@dataclass(frozen=True)
class _Statement:
    """A line without its addresses, and these."""

    form: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, line: str) -> "_Statement":
        places = tuple(int(found, 16) for found in PLACE.findall(line))
        return cls(PLACE.sub("<>", line), places)

    def steps_to(self, other: "_Statement") -> tuple[int, ...] | None:
        """How far its addresses are from another's of its form."""
        if self.form != other.form:
            return None
        return tuple(b - a for a, b in zip(self.places, other.places, strict=True))

    def written(self, places: Sequence[str]) -> str:
        parts = self.form.split("<>")
        return "".join(a + b for a, b in zip(parts, [*places, ""], strict=True))


def _repeated(statements: Sequence[_Statement], at: int, period: int) -> int:
    """How often the `period` statements from `at` on stand there, each time as far on."""
    steps = _steps(statements, at, period)
    moving = [distance for step in steps for distance in step or ()]
    if len(steps) < period or None in steps or min(moving, default=0) < 0 or not any(moving):
        return 1
    times = 2
    while _steps(statements, at + (times - 1) * period, period) == steps:
        times += 1
    return times


def _steps(
    statements: "Sequence[_Statement]", at: int, period: int
) -> list[tuple[int, ...] | None]:
    """From each of so many statements to the one that is as many further on."""
    some = statements[at : at + 2 * period]
    return [a.steps_to(b) for a, b in zip(some, some[period:], strict=False)]


def _loop(two: Sequence[_Statement], period: int, times: int) -> Iterator[str]:
    """two: the first two repetitions."""
    first = two[:period]
    steps = [a.steps_to(b) or () for a, b in zip(first, two[period:], strict=True)]
    distances = sorted({distance for step in steps for distance in step} - {0})
    size = sum(len(statement.form) for statement in first)
    turn = max(n for n in range(1, times + 1) if n == 1 or (times % n == 0 and n * size <= TURN))
    names = {distance: f"p{which}" for which, distance in enumerate(distances)}
    lead = distances[0]
    begun = " ".join(f"let {name} := 0" for name in names.values())
    moved = " ".join(f"{name} := add({name}, {d * turn:#x})" for d, name in names.items())
    yield f"for {{ {begun} }} lt({names[lead]}, {lead * times:#x}) {{ {moved} }} {{"
    for each in range(turn):
        for statement, step in zip(first, steps, strict=True):
            yield statement.written(
                [
                    f"add({names[d]}, {at + each * d:#x})" if d else f"{at:#x}"
                    for at, d in zip(statement.places, step, strict=True)
                ]
            )
    yield "}"


__all__ = ["place", "rolled", "straight"]
