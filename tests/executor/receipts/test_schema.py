"""receipt.schema.json is what the models of a receipt say, and receipts fit it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.executor.drain import REQUESTER
from tests.support.checkout import ROOT
from tests.support.fakes.memory_agent import MemoryAgent
from tests.support.schemas import Schema, accepted_neighbours, problems, shipped
from zkagent.executor.receipts.format import schema_text
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model

FILE = Path(ROOT, "executor/receipts/receipt.schema.json")


@pytest.fixture
def schema() -> Schema:
    return shipped("zkagent.executor.receipts", FILE.name)


@pytest.fixture
def document(agent: MemoryAgent, drain: Model, completed: CompletedRun) -> Any:
    """Of one iteration, so that there are not too many neighbours."""
    found = json.loads(write_receipt(agent, drain, [completed], REQUESTER).to_json())
    found["runs"][0]["iterations"] = found["runs"][0]["iterations"][:1]
    return found


def test_the_shipped_schema_is_the_one_of_the_models() -> None:
    hint = "write zkagent.executor.receipts.format.schema_text() to it"
    assert FILE.read_text() == schema_text(), hint


def test_a_receipt_fits_its_schema_and_its_neighbours_do_not(document: Any, schema: Schema) -> None:
    assert problems(document, schema) == []
    assert accepted_neighbours(document, schema) == []


def test_other_spellings_of_bytes_do_not_fit(document: Any, schema: Schema) -> None:
    for wrong in ("0x" + "AB" * 20, "0x" + "ab" * 19, "ab" * 20):
        assert problems(document | {"requester": wrong}, schema)
    assert problems(document | {"format": "zkagent-receipt-1"}, schema)
