"""Each sentence with which a check of a receipt refuses, though its requester has signed it again
and every digest matches; and what a chain says instead of what is recorded."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from eth_utils.crypto import keccak

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from tests.support.receipt_mutations import Document, as_text, recompute_digests
from zkagent.circuits.errors import CircuitError
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import CannotVerify, MalformedReceipt, TooMuchAnswered
from zkagent.executor.receipts.format import parse_receipt, signed_text
from zkagent.executor.receipts.verdicts import Check, Report
from zkagent.executor.receipts.verify_run import MODEL, Sources, verify_receipt
from zkagent.models.catalogue import Model
from zkagent.models.errors import UnknownModel
from zkagent.verifier_contracts.errors import ChainUnreachable

Edit = Callable[[Any], None]  # of the only run of a receipt
UNSIGNED_FORM = "it is not a signed EIP-1559 transaction"


def verified(document: Document, sources: Sources) -> Report:
    recompute_digests(document)
    document["signature"] = sign_receipt(REQUESTER, signed_text(document))
    return verify_receipt(parse_receipt(as_text(document)), sources)


def problems(report: Report) -> dict[str, set[str]]:
    """What each claim's checks found wrong."""
    found: dict[str, set[str]] = {}
    for checked in report.problems:
        found.setdefault(checked.claim, set()).add(checked.problem)
    return found


def another_form(run: Any) -> None:
    """A transaction of the form before EIP-1559, which any chain would take."""
    raw = REQUESTER.sign_transaction(
        {
            "nonce": 0,
            "gasPrice": 1,
            "gas": 21_000,
            "to": REQUESTER.address,
            "value": 0,
            "chainId": 31337,
        }
    ).raw_transaction
    run["transaction"] |= {"raw": "0x" + raw.hex(), "hash": "0x" + keccak(raw).hex()}


@pytest.mark.parametrize(
    "claim",
    [
        "the transaction is the requester's call",
        "the call holds these claims and proofs",
        "the signed terms are these decisions",
    ],
)
def test_a_transaction_of_another_form_is_nobodys_call(
    document: Document, sources: Sources, claim: str
) -> None:
    another_form(document["runs"][0])
    found = problems(verified(document, sources))
    assert any(UNSIGNED_FORM in problem for problem in found[claim])


def ends_with_a_call(run: Any) -> None:
    run["iterations"].pop()
    run["proofs"].pop()


def answers_twice(run: Any) -> None:
    run["iterations"].append(run["iterations"][-1])
    run["proofs"].append(run["proofs"][-1] | {"iterations": [4]})


def unobserved(run: Any) -> None:
    run["iterations"][0]["observation"] = None


def observed_answer(run: Any) -> None:
    run["iterations"][-1]["observation"] = "x"


def escape_in_an_observation(run: Any) -> None:
    run["iterations"][0]["observation"] += "\x1b"


def another_reasoning(run: Any) -> None:
    run["iterations"][0]["decision"]["reasoning"] += "and more\n"


def another_claim(run: Any) -> None:
    output = run["iterations"][0]["y"]
    run["iterations"][0]["y"] = output[:-1] + ("0" if output[-1] != "0" else "1")


def proofs_of_each_other(run: Any) -> None:
    first, second = run["proofs"][:2]
    first["iterations"], second["iterations"] = second["iterations"], first["iterations"]


def another_network(run: Any) -> None:
    run["model"]["onnx_digest"] = "ab" * 32


ENDS = "the observation ends the iteration"
FOLLOWS = "the decision follows from the output"
CALL = "the call holds these claims and proofs"
REFUSALS: list[tuple[Edit, str, str]] = [
    (ends_with_a_call, ENDS, "a call ends the run"),
    (answers_twice, ENDS, "an answer stands in the middle of the run"),
    (unobserved, ENDS, "it is missing"),
    (observed_answer, ENDS, "an answer has one"),
    (escape_in_an_observation, ENDS, "holds a control character"),
    (another_reasoning, FOLLOWS, "history entry is"),
    (another_claim, CALL, "claims"),
    (proofs_of_each_other, CALL, "iterations that each proof covers"),
    (another_network, "the model is the one named", "ONNX digest"),
]


@pytest.mark.parametrize(("edit", "claim", "said"), REFUSALS)
def test_it_is_said_what_is_wrong(
    document: Document, sources: Sources, edit: Edit, claim: str, said: str
) -> None:
    edit(document["runs"][0])
    found = problems(verified(document, sources))
    assert any(said in problem for problem in found.get(claim, ())), found


def test_the_wording_of_observations_is_of_each_iteration(
    document: Document, sources: Sources
) -> None:
    unobserved(document["runs"][0])
    observed_answer(document["runs"][0])
    told = {
        checked.subject: checked.problem
        for checked in verified(document, sources).problems
        if checked.claim == ENDS
    }
    assert told == {
        "run 1, iteration 1": "it is missing",
        "run 1, iteration 3": "an answer has one",
    }


def test_another_spelling_of_a_value_is_refused(document: Document) -> None:
    seconds = document["informational"]["runs"][0]["prove_seconds"]
    document["informational"]["runs"][0]["prove_seconds"] = [round(value) for value in seconds]
    with pytest.raises(MalformedReceipt, match="a value is not written in its one form"):
        parse_receipt(as_text(document))


def test_another_agent_on_the_chain_is_found(
    document: Document, sources: Sources, agent: MemoryAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = agent.names
    monkeypatch.setattr(
        agent, "names", lambda block: replace(honest(block), registry="0x" + "77" * 20)
    )
    found = [
        checked for checked in verified(document, sources).problems if "registry" in checked.problem
    ]
    assert [checked.subject for checked in found] == ["run 1, chain"]


def test_a_node_that_knows_fewer_codes_than_contracts_says_nothing(
    document: Document, sources: Sources, agent: MemoryAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = agent.code_hashes
    monkeypatch.setattr(agent, "code_hashes", lambda *where: honest(*where)[:-1])
    assert "the code is the recorded one" in problems(verified(document, sources))


def test_a_circuit_that_is_not_the_models_proves_nothing(
    document: Document, sources: Sources
) -> None:
    def another(*circuit: object) -> Any:
        raise ValueError("circuit c1c1 was built from another ONNX file")

    report = verified(document, replace(sources, circuits=another))
    said = Check(
        "run 1", "the circuit is the model's", "circuit c1c1 was built from another ONNX file"
    )
    assert report.problems == (said,)
    assert report.verdict == "rejected"


def missing_model(name: str) -> Model:
    raise UnknownModel(name, ())


@pytest.mark.parametrize("error", [CannotVerify("no set-up"), CircuitError("no circuit")])
def test_what_is_missing_is_an_error_only_while_nothing_is_broken(
    document: Document, sources: Sources, error: Exception
) -> None:
    def raises(*given: object) -> Any:
        raise error

    with pytest.raises(type(error)):
        verified(document, replace(sources, circuits=raises))
    report = verified(document, replace(sources, circuits=raises, contracts=None))
    assert report.verdict == "unknown"  # nobody looked into the contracts, which stands anyway


def test_answers_too_long_to_be_read_leave_a_receipt_unknown_or_what_it_is(
    document: Document, sources: Sources
) -> None:
    def raises(*given: object) -> Any:
        raise TooMuchAnswered(1_000)

    said = "its contracts answer with more than 1,000 bytes: no agent's do"
    for part in ({"contracts": raises}, {"chain": raises}):
        report = verified(document, replace(sources, **part))
        (problem,) = report.problems
        assert (report.verdict, problem.problem, report.left_out) == ("unknown", said, "")
    document["runs"][0]["answer"] += "!"
    report = verified(document, replace(sources, chain=raises))
    assert report.verdict == "rejected"
    assert report.problems[-1].problem == said
    assert report.left_out == "circuits, proofs, the code of contracts, and what moved"


def test_a_node_that_is_silent_leaves_a_broken_receipt_broken(
    document: Document, sources: Sources
) -> None:
    """What it would have been asked, and all behind that, is left out, and is said to be."""

    def raises(*given: object) -> Any:
        raise ChainUnreachable("http://node", "refused")

    silent = replace(sources, chain=raises)
    with pytest.raises(ChainUnreachable):
        verified(document, silent)
    document["runs"][0]["answer"] += "!"
    report = verified(document, silent)
    assert report.verdict == "rejected"
    assert report.left_out == "circuits, proofs, the code of contracts, and what moved"


def test_a_model_that_cannot_be_read_is_a_problem_of_the_receipt(
    document: Document, sources: Sources
) -> None:
    def raises(name: str) -> Any:
        raise ValueError(f"{name} is no model's name")

    report = verified(document, replace(sources, models=raises))
    assert report.verdict == "rejected"
    (found,) = (each for each in report.problems if each.claim == MODEL)
    assert found.problem == "drain is no model's name"


def test_a_receipt_that_somebody_else_signed_needs_no_model(
    document: Document, sources: Sources
) -> None:
    absent = replace(sources, models=missing_model)
    with pytest.raises(CannotVerify, match="name its folder with --model"):
        verify_receipt(parse_receipt(as_text(document)), absent)
    document["requester"] = "0x" + "77" * 20
    report = verify_receipt(parse_receipt(as_text(document)), absent)
    assert report.verdict == "rejected"
    assert report.left_out


HASHES = {
    "model_hash": "model hash",
    "vk_hash": "verifying key hash",
    "circuit_hash": "circuit hash",
    "commitment_hash": "commitment hash",
}


@pytest.mark.parametrize("name", HASHES)
def test_each_hash_of_a_model_covers_it(document: Document, sources: Sources, name: str) -> None:
    model = document["runs"][0]["model"]
    recompute_digests(document)
    last = model[name][-1]
    model[name] = model[name][:-1] + ("0" if last != "0" else "1")
    document["signature"] = sign_receipt(REQUESTER, signed_text(document))
    found = problems(verify_receipt(parse_receipt(as_text(document)), sources))
    (said,) = found["the hashes cover the model"]
    assert HASHES[name] in said


@pytest.mark.parametrize(
    ("system", "said"),
    [("0xdeadbeef", "there is no proof system 0xdeadbeef"), ("0x00000000", "no proof system")],
)
def test_a_proof_system_that_nobody_knows_has_no_hashes(
    document: Document, sources: Sources, system: str, said: str
) -> None:
    document["runs"][0]["model"]["proof_system_id"] = system
    found = problems(verified(document, sources))
    assert any(said in problem for problem in found["the hashes cover the model"])
