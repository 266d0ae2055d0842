"""What building a circuit will take, said before the keys are made, and what it took."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.durations import Pace, keys_work, measure_pace, proof_work, setup_work
from zkagent.circuits.halo2.footprint import estimate_memory
from zkagent.circuits.halo2.settings import Settings
from zkagent.circuits.support.child_process import peak_rss_bytes
from zkagent.circuits.support.memory import Budget


@dataclass(frozen=True)
class Forecast:
    """Estimates. peak_bytes: of the process that makes the keys and a first proof. key_bytes: of
    the proving key. setup_s: to make a development set-up, 0 where there is one. Seconds are those
    that pass, on a machine as busy as it was.
    """

    peak_bytes: int
    key_bytes: int
    setup_s: float
    keys_s: float
    proof_s: float

    @property
    def seconds(self) -> float:
        """From here to the end of the build."""
        return self.setup_s + self.keys_s + self.proof_s

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Forecast":
        """Raises TypeError for others."""
        return cls(**fields)

    def __str__(self) -> str:
        return f"about {memory_in_words(self.peak_bytes)} and {time_in_words(self.seconds)}"


Foretold = Callable[[Forecast], None]


@dataclass(frozen=True)
class Means:
    """What a build may take, and who is told what it will."""

    budget: Budget
    foretold: Foretold


class Making:
    """One build: its forecast, and then what it took."""

    TOPIC = "making"  # of the note in a circuit's manifest

    def __init__(self, settings: Settings, means: Means, *, has_setup: bool) -> None:
        self._settings, self._means, self._has_setup = settings, means, has_setup
        self._forecast: Forecast | None = None
        self._taken: dict[str, float] = {}

    def foretell(self) -> None:
        """Make the forecast and tell it, once. Raises EngineError."""
        if self._forecast is None:
            self._forecast = foretell(self._settings, measure_pace(), has_setup=self._has_setup)
            self._means.foretold(self._forecast)

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """The block makes the `keys` or the first `proof`."""
        begun, worked = time.perf_counter(), time.process_time()
        yield
        self._taken[f"{name}_s"] = round(time.perf_counter() - begun, 3)
        self._taken[f"{name}_core_s"] = round(time.process_time() - worked, 3)

    def to_json(self) -> dict[str, Any]:
        """Beside the forecast: seconds, those of one core, and the most memory of this process."""
        predicted = self._forecast.to_json() if self._forecast else None
        return {"predicted": predicted, "taken": {**self._taken, "peak_bytes": peak_rss_bytes()}}


def foretell(settings: Settings, pace: Pace, *, has_setup: bool) -> Forecast:
    """What a circuit of these settings will take at this pace."""
    columns, memory = count_columns(settings), estimate_memory(settings)
    return Forecast(
        peak_bytes=round(memory.peak),
        key_bytes=round(memory.key),
        setup_s=0.0 if has_setup else round(pace.wall_s * setup_work(columns.logrows), 3),
        keys_s=round(pace.wall_s * keys_work(columns), 3),
        proof_s=round(pace.wall_s * proof_work(columns), 3),
    )


def memory_in_words(count: float) -> str:
    """Bytes: ``0.3 GB``, ``14 GB``."""
    size = count / 1e9
    return f"{size:.1f} GB" if size < 9.95 else f"{size:.0f} GB"


def time_in_words(seconds: float) -> str:
    """``0.4 s``, ``40 s``, ``12 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds / 60:.0f} min"


__all__ = [
    "Forecast",
    "Foretold",
    "Making",
    "Means",
    "foretell",
    "memory_in_words",
    "time_in_words",
]
