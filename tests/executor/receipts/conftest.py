"""The receipt of a run that the agent in memory made."""

import pytest

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model


@pytest.fixture
def receipt(agent: MemoryAgent, drain: Model, completed: CompletedRun) -> Receipt:
    return write_receipt(agent, drain, [completed], REQUESTER)
