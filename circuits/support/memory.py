"""How much memory there is, and a process that may take no more: what a stranger's network comes to
ends that process then, and not whatever else runs on the machine."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
STATUS = Path("/proc/self/status")
SHARE = 0.95  # of what is available; some is left to whoever else works here


@dataclass(frozen=True)
class Budget:
    """Memory that work may take, in bytes. asked: what a user allows, and not what is free."""

    size: float
    asked: bool

    def __str__(self) -> str:
        return f"{self.size / 1e9:.1f} GB are {'allowed' if self.asked else 'available'}"


def memory_budget(most: int | None = None) -> Budget:
    """What is free now, or `most` bytes where that is less."""
    free = available_memory()
    return Budget(free, False) if most is None or most > free else Budget(most, True)


def available_memory() -> float:
    """Bytes that a new process can have: free, reclaimable and swap, within our control group."""
    if not MEMINFO.is_file():  # macOS
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    lines = (line.split() for line in MEMINFO.read_text().splitlines())
    sizes = {words[0]: 1024.0 * int(words[1]) for words in lines if len(words) > 1}
    return min(sizes["MemAvailable:"] + sizes.get("SwapFree:", 0.0), _group_memory())


def _group_memory() -> float:
    try:
        most = (CGROUP / "memory.max").read_text().strip()
        used = int((CGROUP / "memory.current").read_text()) - _cached()
    except (OSError, ValueError):  # not in a group with limits of its own
        return math.inf
    return math.inf if most == "max" else float(int(most) - used)


def _cached() -> int:
    """Bytes of files that the group has read, which it gives back before it runs out."""
    path = CGROUP / "memory.stat"
    lines = (line.split() for line in path.read_text().splitlines()) if path.exists() else ()
    sizes = {words[0]: int(words[1]) for words in lines if len(words) == 2}
    return sizes.get("inactive_file", 0) + sizes.get("active_file", 0)


def limit_memory() -> None:
    """Let this process take what is available now, beside what it has, and no more; where the
    system cannot tell, nothing is limited."""
    if not STATUS.is_file():
        return
    import resource

    lines = (line.partition(":") for line in STATUS.read_text().splitlines())
    held = next(1024 * int(words.split()[0]) for name, _, words in lines if name == "VmData")
    most = held + int(SHARE * available_memory())
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


@contextmanager
def limited_memory() -> Iterator[None]:
    """The same for the length of the block."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit_memory()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


__all__ = ["Budget", "available_memory", "limit_memory", "limited_memory", "memory_budget"]
