"""The receipt of a run that the agent in memory made."""

import json

import pytest

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent, memory_contracts
from tests.support.fakes.memory_prover import check_memory_proof
from tests.support.receipt_mutations import Document
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.verify_run import Sources
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model


@pytest.fixture
def receipt(agent: MemoryAgent, drain: Model, completed: CompletedRun) -> Receipt:
    return write_receipt(agent, drain, [completed], REQUESTER)


@pytest.fixture
def document(receipt: Receipt) -> Document:
    found: Document = json.loads(receipt.to_json())
    return found


@pytest.fixture
def sources(drain: Model, agent: MemoryAgent) -> Sources:
    return Sources(
        lambda name: drain,
        lambda *circuit: check_memory_proof,
        lambda address: agent,
        memory_contracts,
    )
