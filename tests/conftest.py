"""Shared vocabulary of the tests: one local chain per session, rolled back after each test.

Shared circuits and a running proof service come from tests/support, which holds what more than one
package's tests need. Nothing here uses a fixed port, and the session fails when a process that a
test started outlives it. ZKAGENT_HOME decides where the toolchain and other caches live, as it does
for users.
"""

import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.alone import room
from tests.support.named_tests import not_passed
from tests.support.processes import marked
from zkagent.executor.config.settings import SETTINGS
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.anvil import IN_MEMORY
from zkagent.verifier_contracts.toolchain.install import Toolchain
from zkagent.verifier_contracts.toolchain.install import toolchain as find_toolchain

pytest_plugins = ["tests.support.ceremonies", "tests.support.circuits", "tests.support.service"]

MARK = "ZKAGENT_TEST_SESSION"
#: Tests that ran and passed, as pytest names them.
PASSED: set[str] = set()
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


class SharedAnvil(Anvil):
    """The chain that all tests of a session share."""

    def rpc(self, method: str, *params: Any) -> Any:
        """From a block every two seconds on, anvil keeps the states of 1,500 blocks at most, for
        good: tests that come later would miss older ones."""
        if method == "evm_setIntervalMining":
            raise ValueError(f"{method} on the session's chain; start an Anvil for this test alone")
        return super().rpc(method, *params)


@pytest.fixture(scope="session")
def anvil(toolchain: Toolchain) -> Iterator[Anvil]:
    """The session's chain, for fixtures that deploy once; tests want `chain`."""
    with SharedAnvil(states=IN_MEMORY) as running:
        yield running


@pytest.fixture
def chain(anvil: Anvil) -> Iterator[Anvil]:
    """The session's chain; whatever the test does to it is undone."""
    snapshot = anvil.snapshot()
    yield anvil
    anvil.revert(snapshot)


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Tests that use the toolchain carry the marker `chain`, to leave them out with -m. Where
    processes share the files, those with slow tests come first: so they end at about one time."""
    for item in items:
        if {"toolchain", "anvil", "chain"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("chain")
    if is_worker(session):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Every process started from here on inherits a mark that is ours alone (or of the session that
    we are a worker of), and no settings of whoever runs the tests."""
    if not is_worker(session):
        os.environ[MARK] = uuid.uuid4().hex
    config = session_folder() / "zkagent.toml"
    config.touch()
    os.environ["ZKAGENT_CONFIG"] = str(config)
    for setting in SETTINGS.values():
        os.environ.pop(setting.variable, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tests that measure time have the machine to themselves."""
    if not is_worker(item.session):
        return (yield)
    with room(session_folder(), alone=item.get_closest_marker("alone") is not None):
        return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Of workers, too, where the session that started them hears of it."""
    if report.when == "call" and report.passed:
        PASSED.add(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session when a marked process is left behind, and a whole one when a test that
    docs/seeds.md names did not run and pass. Workers leave it to the session that started them: it
    would not hear of their verdict."""
    if is_worker(session):
        return
    if exitstatus == 0 and is_whole(session.config) and (missing := list(not_passed(PASSED))):
        print("\ntests that docs/seeds.md names and that did not pass:", *missing, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    shutil.rmtree(session_folder(), True)
    left = _survivors(f"{MARK}={os.environ[MARK]}", patience_s=60)
    if left:
        print("\nprocesses left behind by the tests:", *left, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def session_folder() -> Path:
    """What the session's processes share; made if needed."""
    folder = Path(tempfile.gettempdir()) / f"zkagent-tests-{os.environ[MARK]}"
    folder.mkdir(exist_ok=True)
    return folder


def is_whole(config: pytest.Config) -> bool:
    """Whether all tests are run: none named, none left out."""
    asked = config.option
    chosen = (asked.keyword, asked.markexpr, asked.collectonly, getattr(asked, "lf", False))
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not any(chosen)


def is_worker(session: pytest.Session) -> bool:
    """Whether another pytest hands out the tests (xdist)."""
    return hasattr(session.config, "workerinput")


def _survivors(mark: str, patience_s: float) -> list[str]:
    """Other processes whose environment carries `mark`, by id and command line."""
    deadline = time.monotonic() + patience_s
    while (left := list(_others(mark))) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _others(mark: str) -> Iterator[str]:
    for number, command in marked(mark):
        if number != os.getpid() and not any(name in command for name in ENDS_WITH_US):
            yield f"{number}: {command}"
