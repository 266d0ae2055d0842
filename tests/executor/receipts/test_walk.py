"""Who follows the verifying of a receipt opens at most thirteen files: those that
docs/architecture.md lists. What the model does behind `models/agents/` is a walk of its own,
the same as a prompt's; behind `executor/chain/abi.py` is what stands for eth_abi, and
behind `executor/chain/model_hashes.py` the hashes that deployments sign, too.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.executor.drain import REQUESTER
from tests.support.checkout import DOCS, ROOT
from tests.support.fakes.memory_agent import MemoryAgent, memory_contracts
from tests.support.fakes.memory_prover import check_memory_proof
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model

MOST_FILES = 14
#: Of every agent's model, and of one that decides step by step.
MODEL = ("models/agents/model.py", "models/agents/steps.py")
DOORS = (*MODEL, "executor/chain/abi.py", "executor/chain/model_hashes.py")
ONLY_WITH_A_CHAIN = "executor/receipts/verify_chain.py"
Walk = Callable[[bool], set[str]]
PACKAGES = ("models/", "circuits/", "prover/", "verifier_contracts/", "executor/")


@pytest.fixture
def entered(
    agent: MemoryAgent, drain: Model, completed: CompletedRun
) -> Callable[[bool], set[str]]:
    """The files that verifying the receipt of a run enters, with its chain or offline."""
    receipt = write_receipt(agent, drain, [completed], REQUESTER)

    def verified(with_chain: bool) -> set[str]:
        chain = (lambda address: agent) if with_chain else None
        sources = Sources(
            lambda name: drain, lambda *circuit: check_memory_proof, chain, memory_contracts
        )
        report, files = traced(lambda: verify_receipt(receipt, sources))
        assert report.accepted
        return files

    return verified


def traced(work: Callable[[], Any]) -> tuple[Any, set[str]]:
    """What `work` returns, and the files of this project whose functions ran, but for those that
    ran below the model's, or below the decoder of calls."""
    files: set[str] = set()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and (path := project_file(frame)) and not behind_the_door(frame):
            files.add(path)

    sys.setprofile(profile)
    try:
        return work(), files
    finally:
        sys.setprofile(None)


def project_file(frame: FrameType) -> str | None:
    """The file that a function stands in, as the repository names it; None for code that stands
    in no file, for modules being imported and for files of others."""
    return None if frame.f_code.co_name == "<module>" else named(frame.f_code.co_filename)


@cache
def named(file: str) -> str | None:
    path = Path(file).resolve()
    inside = path.is_file() and path.is_relative_to(ROOT)
    name = path.relative_to(ROOT).as_posix() if inside else ""
    return name if name.startswith(PACKAGES) else None


def behind_the_door(frame: FrameType) -> bool:
    """Whether the model called it, directly or not, or the decoder of calls."""
    caller = frame.f_back
    while caller is not None:
        if (door := project_file(caller)) in DOORS:
            return project_file(frame) != door
        caller = caller.f_back
    return False


def listed() -> list[str]:
    """The files of the walk in docs/architecture.md."""
    text = (DOCS / "architecture.md").read_text()
    section = text.split("## The journey of a receipt")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section, re.MULTILINE)


def test_a_receipt_is_verified_in_the_files_that_the_architecture_lists(
    entered: Walk,
) -> None:
    assert entered(True) == set(listed())
    assert len(listed()) <= MOST_FILES


def test_a_receipt_is_verified_offline_without_the_chains_file(
    entered: Walk,
) -> None:
    assert entered(False) == set(listed()) - {ONLY_WITH_A_CHAIN}


def test_the_walk_enters_the_model_by_its_doors_alone(entered: Walk) -> None:
    assert {path for path in entered(True) if path.startswith("models/")} == set(MODEL)
