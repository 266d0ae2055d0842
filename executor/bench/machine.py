"""What a figure depends on besides our code: the machine, its load, and versions."""

import contextlib
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from zkagent.circuits.halo2.verifier_patch import PATCH_VERSION
from zkagent.executor.bench.results import Machine

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ezkl", "onnx", "onnxruntime", "numpy")


def describe_machine() -> Machine:
    """This machine, with its load at the moment as `load_before`."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        memory_bytes=_memory_bytes(),
        system=f"{platform.system()} {platform.machine()}",
        load_before=load_average(),
    )


def load_average() -> float | None:
    """Processes that wanted to run in the last minute; on a quiet machine, ours alone."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def versions() -> dict[str, str]:
    """Of Python, of the packages that decide a figure, of our patch, and the commit if known."""
    found = {"python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in PACKAGES}
    found["verifier patch"] = PATCH_VERSION
    if commit := _commit():
        found["commit"] = commit
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # a checkout, not installed
        found["zkagent"] = importlib.metadata.version("zkagent")
    return found


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    for line in information.read_text().splitlines() if information.is_file() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown"


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _commit() -> str:
    """Of the checkout that this file lies in, with a + when its files differ; "" elsewhere: an
    installed copy may lie in a checkout of something else."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


__all__ = ["describe_machine", "load_average", "versions"]
