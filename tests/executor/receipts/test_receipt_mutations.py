"""No field of a receipt can be changed without notice, not even by who recomputes all digests.

Three forgers of growing power. Someone else cannot sign for the requester, so any change shows. The
requester can: then what follows from something else in the file still shows. What is left are facts
that only the chain knows, and with a chain those show as well.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.drain import AGENT, CHAIN_ID, CIRCUIT, PROMPT, REQUESTER
from tests.support.fakes.memory_agent import (
    SYSTEM_ID,
    MemoryAgent,
    batch_circuit,
    memory_contracts,
    memory_identity,
)
from tests.support.fakes.memory_prover import MemoryBatches, check_memory_proof
from tests.support.receipt_mutations import Document, accepted, mutations, recompute_digests
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.receipts.format import signed_text
from zkagent.executor.receipts.verify_run import Sources
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model

#: What the requester could state wrongly and only a chain can deny. docs/receipt.md lists them.
CHAIN_FACTS = re.compile(
    r"runs\.0\.("
    r"executor|registry|transaction\.block\.hash"
    r"|model\.(id|uri|(verifier|encoder|decoder|components\.\d+)\.(address|code_hash))"
    r"|model\.(components|batches)"
    r"|model\.batches\.0\.verifier\.(address|code_hash)"
    r"|iterations\.\d\.context\.(block\.hash|base_prompt|tools\S*|symbol_book\S*|token_decimals)"
    r"): .*"
)


#: Ways to change a leaf where each takes a signature and the whole verification.
FEW = 3


@pytest.fixture
def document(agent: MemoryAgent, drain: Model, runner: AgentRunner) -> Document:
    """Of a run whose first two decisions share a proof."""
    agent.identity_now = memory_identity(drain, AGENT, CHAIN_ID, CIRCUIT, (2,))
    runner.batches = MemoryBatches(drain.infer)
    receipt = write_receipt(agent, drain, [runner.run(PROMPT)], REQUESTER)
    found: Document = json.loads(receipt.to_json())
    return found


@pytest.fixture
def offline(drain: Model) -> Sources:
    def models(name: str) -> Model:
        if name != drain.name:
            raise ValueError(f"unknown model {name}")
        return drain

    def circuits(model: Model, digest: str, size: int, system: bytes) -> Callable[..., bool]:
        named = "c1" * 32 if size == 1 else batch_circuit(size)
        if (digest, system) != (named, SYSTEM_ID):
            raise ValueError("another circuit")
        return check_memory_proof

    return Sources(models, circuits)


def survivors(
    document: Document,
    sources: Sources,
    forge: Callable[[Document], None],
    ways: int | None = None,
) -> list[str]:
    """Descriptions of the mutations that are not noticed after `forge` did its best (which may be
    to undo them, when it was a digest that was changed)."""
    found = []
    for description, changed in mutations(document, ways):
        forge(changed)
        if changed != document and accepted(changed, sources):
            found.append(description)
    return found


def test_the_receipt_itself_is_accepted(document: Document, offline: Sources) -> None:
    assert accepted(document, offline)
    recompute_digests(document)
    assert accepted(document, offline)


@pytest.mark.slow
def test_nobody_can_change_a_field(document: Document, offline: Sources) -> None:
    left = survivors(document, offline, recompute_digests)
    assert [x for x in left if not x.startswith("informational.")] == []
    assert left  # the informational ones: the walk does find what is not checked


def sign_again(document: Document) -> None:
    recompute_digests(document)
    document["signature"] = sign_receipt(REQUESTER, signed_text(document))


@pytest.mark.slow
def test_the_requester_can_only_misstate_what_the_chain_knows(
    document: Document, offline: Sources
) -> None:
    left = survivors(without_notes(document), offline, sign_again, FEW)
    assert [x for x in left if not CHAIN_FACTS.fullmatch(x) and not is_note(x)] == []


@pytest.mark.slow
def test_the_chain_denies_the_rest(
    document: Document, offline: Sources, agent: MemoryAgent
) -> None:
    online = replace(offline, chain=lambda address: agent, contracts=memory_contracts)
    left = survivors(without_notes(document), online, sign_again, FEW)
    assert [x for x in left if not is_note(x)] == []


def is_note(description: str) -> bool:
    return description.startswith(("informational", "signature"))


def without_notes(document: Document) -> Document:
    """The signature is made anew each time, the notes are not checked: nothing to learn there."""
    notes: dict[str, Any] = {"created": "", "zkagent": "", "runs": []}
    return {**document, "informational": notes}
