"""Clocks that a test sets under processes that it starts: see clock/sitecustomize.py."""

import os
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("clock")


@dataclass(frozen=True)
class SetClock:
    """A file with the seconds that the processes with this environment are ahead."""

    file: Path

    def set(self, ahead_s: float) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(str(ahead_s))
        new.replace(self.file)

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))
        return {"PYTHONPATH": path, "ZKAGENT_TEST_CLOCK": str(self.file)}


def set_clock(folder: Path, name: str, ahead_s: float = 0.0) -> SetClock:
    clock = SetClock(folder / f"{name}.clock")
    clock.set(ahead_s)
    return clock


__all__ = ["SetClock", "set_clock"]
