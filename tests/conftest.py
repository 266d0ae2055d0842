"""Shared vocabulary of the tests: one local chain per session, rolled back after each test.

Nothing here uses a fixed port, and the session fails when a process that a test started outlives
it. ZKAGENT_HOME decides where the toolchain and other caches live, as it does for users.
"""

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from zkagent.executor.config.settings import SETTINGS
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.install import Toolchain
from zkagent.verifier_contracts.toolchain.install import toolchain as find_toolchain

MARK = "ZKAGENT_TEST_SESSION"
# Python's own helper ends with the interpreter, not before.
ENDS_WITH_US = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.register_profile("long", deadline=None, max_examples=1000)  # of `make fuzz`
settings.load_profile(
    os.environ.get("ZKAGENT_HYPOTHESIS", "ci" if os.environ.get("CI") else "local")
)


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """anvil, forge, solc; installed if needed."""
    return find_toolchain()


@pytest.fixture(scope="session")
def anvil(toolchain: Toolchain) -> Iterator[Anvil]:
    """The session's chain, for fixtures that deploy once; tests want `chain`."""
    with Anvil() as running:
        yield running


@pytest.fixture
def chain(anvil: Anvil) -> Iterator[Anvil]:
    """The session's chain; whatever the test does to it is undone."""
    snapshot = anvil.snapshot()
    yield anvil
    anvil.revert(snapshot)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use the toolchain carry the marker `chain`, to leave them out with -m."""
    for item in items:
        if {"toolchain", "anvil", "chain"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("chain")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Every process started from here on inherits a mark that is ours alone, and no settings of
    whoever runs the tests."""
    os.environ[MARK] = uuid.uuid4().hex
    os.environ["ZKAGENT_CONFIG"] = f"/nowhere/{os.environ[MARK]}/zkagent.toml"
    for setting in SETTINGS.values():
        os.environ.pop(setting.variable, None)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session when a marked process is left behind."""
    left = _survivors(f"{MARK}={os.environ[MARK]}".encode(), patience_s=5)
    if left:
        print("\nprocesses left behind by the tests:", *left, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _survivors(mark: bytes, patience_s: float) -> list[str]:
    """Command lines of other processes whose environment carries `mark`; [] without /proc."""
    deadline = time.monotonic() + patience_s
    while (left := list(_marked(mark))) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _marked(mark: bytes) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            continue
        ours = int(folder.name) == os.getpid() or any(name in command for name in ENDS_WITH_US)
        if mark in environment and command and not ours:
            yield f"{folder.name}: {command}"
