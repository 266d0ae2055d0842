"""A contract that routes tickets by a proven label, with real proofs; and attacks on it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.classifiers import LABELS, random_classifier
from tests.support.progress import quiet
from tests.support.ticket_stage import (
    TicketStage,
    another_desk,
    desk_arguments,
    desk_contract,
    ticket_stage,
)
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import HALO2
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.demo.attacks.stage import REFUSALS
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.provers import open_prover
from zkagent.executor.runs.session import local_circuit
from zkagent.models.catalogue import LabelModel
from zkagent.models.encoding.context import Context
from zkagent.prover.local import LocalProver
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.foundations import find_foundations
from zkagent.verifier_contracts.deployment.label_agent import build_label_agent
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.errors import RevertError

pytestmark = pytest.mark.chain
PEOPLE = "people"
CHECKSUM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TicketStage]:
    with ticket_stage(tmp_path_factory.mktemp("classifier")) as found:
        yield found


@pytest.fixture
def stage(opened: TicketStage) -> Iterator[TicketStage]:
    snapshot = opened.chain.anvil.snapshot()
    yield opened
    opened.chain.anvil.revert(snapshot)


def queued(stage: TicketStage) -> str:
    """A text whose label has a queue."""
    return stage.texts("music")[0]


def is_false_proof(stage: TicketStage, error: RevertError | None) -> bool:
    verifier = stage.chain.deployment.contracts.verifier.lower()
    assert error is not None
    return error.name in REFUSALS or error.arguments.get("site") == verifier


def test_a_ticket_goes_to_the_queue_of_its_label(stage: TicketStage) -> None:
    for label in ("music", "silence"):
        text = stage.texts(label)[0]
        number = stage.filed(text)
        assert stage.ticket(number) == (stage.stranger.address, "", 0)
        stage.session.runner.run(text.encode())
        assert stage.ticket(number) == (stage.stranger.address, label, stage.judged(text)[1])


def test_whoever_sends_a_text_that_nobody_filed_has_it_filed_and_routed(stage: TicketStage) -> None:
    text = queued(stage)
    assert stage.send_as(stage.proven(text), stage.stranger)
    assert stage.ticket(1) == (stage.stranger.address, "music", stage.judged(text)[1])


def test_a_label_without_a_queue_and_one_that_is_not_clear_go_to_people(stage: TicketStage) -> None:
    text = stage.texts("weather")[0]
    stage.session.runner.run(text.encode())
    assert stage.ticket(1)[1:] == (PEOPLE, stage.judged(text)[1])
    text = queued(stage)
    for least, queue in ((stage.judged(text)[1], "music"), (stage.judged(text)[1] + 1, PEOPLE)):
        with another_desk(stage, least) as cautious:
            cautious.session.runner.run(text.encode())
            assert cautious.ticket(1)[1:] == (queue, stage.judged(text)[1])


def test_tickets_with_the_same_text_are_routed_one_by_one(stage: TicketStage) -> None:
    text = queued(stage)
    numbers = [stage.filed(text) for _ in range(3)]
    send(stage.web3, stage.desk.functions.takeToPeople(numbers[0]), stage.stranger)
    run = stage.proven(text)
    for _ in numbers[1:]:
        assert stage.send_as(run, stage.owner)
    assert [stage.ticket(number)[1] for number in numbers] == [PEOPLE, "music", "music"]
    assert call(stage.web3, stage.desk.functions.count()) == 3
    assert stage.send_as(run, stage.owner)
    assert stage.ticket(4)[:2] == (stage.owner.address, "music")


def test_a_run_that_is_sent_again_by_somebody_else_changes_no_ticket(stage: TicketStage) -> None:
    text = queued(stage)
    number = stage.filed(text)
    run = stage.proven(text)
    assert stage.send_as(run, stage.owner)
    routed = stage.ticket(number)
    assert stage.send_as(run, stage.chain.friend)
    assert stage.ticket(number) == routed
    assert stage.ticket(number + 1)[0] == stage.chain.friend.address


def test_the_proof_of_another_text_does_not_count(stage: TicketStage) -> None:
    one, other = (stage.texts(label)[0] for label in ("music", "silence"))
    number = stage.filed(other)
    run = replace(stage.proven(one), prompt=other.encode())
    error = stage.error_of(run)
    assert error is not None
    assert error.name == "ClaimForOtherFeatures"
    x = stage.model.encode(Context(other.encode()))
    (claim,) = run.claims
    relabelled = replace(claim, features_hash=claim_for(claim.model_id, x, (0, 0, 0)).features_hash)
    assert is_false_proof(stage, stage.error_of(replace(run, claims=(relabelled,))))
    assert stage.ticket(number)[1] == ""


def test_another_label_or_another_margin_is_not_proven(stage: TicketStage) -> None:
    text = queued(stage)
    run, x = stage.proven(text), stage.model.encode(Context(text.encode()))
    y = stage.model.infer(x)
    (claim,) = run.claims
    for forged in ((y[0], y[1], y[0] + 1), (y[0] + 1, *y[1:]), y[::-1]):
        assert forged != y
        changed = claim_for(claim.model_id, x, forged)
        assert is_false_proof(stage, stage.error_of(replace(run, claims=(changed,))))
    short = replace(claim, output=claim.output[:-8])
    error = stage.error_of(replace(run, claims=(short,)))
    assert error is not None
    assert error.name == "MalformedOutput"
    assert stage.error_of(run) is None


def test_no_proof_no_label(stage: TicketStage) -> None:
    run = stage.proven(queued(stage))
    none = replace(run, claims=(), proofs=(), terms=replace(run.terms, calls=()))
    error = stage.error_of(none)
    assert error is not None
    assert error.name == "ClaimMissing"
    broken = bytearray(run.proofs[0])
    broken[40] ^= 1
    assert is_false_proof(stage, stage.error_of(replace(run, proofs=(bytes(broken),))))


@pytest.fixture
def other(stage: TicketStage, tmp_path: Path) -> tuple[LabelModel, Deployment, Circuit]:
    """Another classifier, registered beside the desk's, with an agent; and its circuit."""
    model = LabelModel.of(random_classifier(tmp_path / "other", seed=1))
    circuit = local_circuit(model, None, quiet)
    there = find_foundations(stage.web3, executor=stage.chain.deployment.executor)
    carrier = DirectCarrier(stage.web3, stage.chain.friend)
    return model, build_label_agent(carrier, model, circuit, there), circuit


def test_what_another_classifier_says_does_not_count(
    stage: TicketStage, other: tuple[LabelModel, Deployment, Circuit]
) -> None:
    model, registered, circuit = other
    text = queued(stage)
    run, x = stage.proven(text), model.encode(Context(text.encode()))
    with open_prover(circuit, LocalProver) as prover:
        proof = prover.prove(x)
    said = claim_for(registered.model_id, x, proof.outputs)
    foreign = replace(run, claims=(said,), proofs=(proof.proof,))
    assert _name(stage, foreign) == "ClaimForOtherModel"
    ours = claim_for(stage.chain.deployment.model_id, x, proof.outputs)
    renamed = replace(foreign, claims=(ours,))
    same_features = x == stage.model.encode(Context(text.encode()))
    if same_features:
        assert is_false_proof(stage, stage.error_of(renamed))
    else:
        assert _name(stage, renamed) == "ClaimForOtherFeatures"


def test_a_desk_is_not_made_for_another_classifier_than_was_meant(
    stage: TicketStage, other: tuple[LabelModel, Deployment, Circuit]
) -> None:
    agent, commitment, owner, queues, least = desk_arguments(stage.chain)
    others = bytes.fromhex(other[1].commitment[2:])
    for named, meant in ((agent, others), (other[1].agent, commitment), (agent, bytes(32))):
        with pytest.raises(RevertError, match="OtherClassifier"):
            deploy(stage.web3, desk_contract(), stage.owner, named, meant, owner, queues, least)
    with pytest.raises(RevertError, match="QueueWithoutName"):
        deploy(stage.web3, desk_contract(), stage.owner, agent, commitment, owner, [""], least)


def test_a_desk_stops_when_its_agent_obeys_another_classifier(
    stage: TicketStage, other: tuple[LabelModel, Deployment, Circuit]
) -> None:
    text = queued(stage)
    number, run = stage.filed(text), stage.proven(text)
    made = stage.chain.deployment
    slot = next(  # where the agent keeps its pin
        slot
        for slot in range(12)
        if bytes(stage.web3.eth.get_storage_at(made.agent, slot)).hex() == made.commitment[2:]
    )
    place = "0x" + slot.to_bytes(32, "big").hex()
    stage.chain.anvil.rpc("anvil_setStorageAt", made.agent, place, other[1].commitment)
    assert _name(stage, run) == "OtherClassifier"
    for function in (stage.desk.functions.file(text), stage.route(number, text, run)):
        with pytest.raises(RevertError, match="OtherClassifier"):
            send(stage.web3, function, stage.owner)
    send(stage.web3, stage.desk.functions.takeToPeople(number), stage.stranger)
    assert stage.ticket(number)[1] == PEOPLE


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("caf\u00e9 closed", "PromptNotAscii"),
        ("two\nlines", "PromptNotAscii"),
        ("x" * 513, "PromptTooLong"),
        ("stop " * 65, "TooManyTokens"),
        ("", "EmptyPrompt"),
        (" ... - ", None),  # a break is a token
        (f"pay {CHECKSUM}", "AddressChecksum"),
        ('music, ahead by 5"', None),
    ],
)
def test_a_hostile_text_goes_to_people_and_is_never_stuck(
    stage: TicketStage, text: str, refusal: str | None
) -> None:
    number = stage.filed(text)
    assert stage.ticket(number) == (stage.stranger.address, PEOPLE if refusal else "", 0)
    if not refusal:
        stage.session.runner.run(text.encode())
        expected = stage.judged(text)[0]
        assert stage.ticket(number)[1] == (expected if expected != "weather" else PEOPLE)
        return
    run = replace(stage.proven(queued(stage)), prompt=text.encode())
    assert _name(stage, run) == refusal
    with pytest.raises(RevertError, match="TicketDoesNotWait"):
        send(stage.web3, stage.desk.functions.takeToPeople(number), stage.stranger)


def test_whoever_files_with_too_little_gas_does_not_send_it_to_people(stage: TicketStage) -> None:
    function, outcomes = stage.desk.functions.file(queued(stage)), set()
    enough = function.estimate_gas({"from": stage.stranger.address})
    for percent in range(20, 121, 5):
        fields = {"from": stage.stranger.address, "gas": enough * percent // 100}
        before = call(stage.web3, stage.desk.functions.count())
        hashed = function.transact(fields)
        done = stage.web3.eth.wait_for_transaction_receipt(hashed, 60, 0.05)["status"]
        outcomes.add(done)
        if done:
            assert stage.ticket(before + 1)[1] == ""
    assert outcomes == {0, 1}


def test_only_who_filed_a_ticket_or_the_owner_takes_it_to_people(stage: TicketStage) -> None:
    one, other = stage.filed(queued(stage)), stage.filed(queued(stage))
    take = stage.desk.functions.takeToPeople
    with pytest.raises(RevertError, match="NotYourTicket"):
        send(stage.web3, take(one), stage.chain.friend)
    send(stage.web3, take(one), stage.stranger)
    send(stage.web3, take(other), stage.owner)
    assert {stage.ticket(number)[1] for number in (one, other)} == {PEOPLE}
    for number, error in ((one, "TicketDoesNotWait"), (99, "TicketDoesNotWait")):
        with pytest.raises(RevertError, match=error):
            send(stage.web3, take(number), stage.owner)


def test_one_ticket_is_routed_by_its_number_and_once(stage: TicketStage) -> None:
    one, other = (stage.texts(label)[0] for label in ("music", "silence"))
    numbers = [stage.filed(one), stage.filed(one), stage.filed(other)]
    run = stage.proven(one)
    send(stage.web3, stage.route(numbers[1], one, run), stage.chain.friend)
    assert [stage.ticket(number)[1] for number in numbers] == ["", "music", ""]
    for number, text, error in (
        (numbers[1], one, "TicketDoesNotWait"),
        (numbers[2], one, "NotTheText"),
        (numbers[2], other, "ClaimForOtherFeatures"),
        (0, one, "NotTheText"),
        (99, one, "NotTheText"),
    ):
        with pytest.raises(RevertError, match=error):
            send(stage.web3, stage.route(number, text, run), stage.chain.friend)
    assert stage.ticket(numbers[2])[1] == ""
    assert stage.send_as(run, stage.owner)
    assert stage.ticket(numbers[0])[1] == "music"


def test_a_receipt_of_it_verifies_and_one_with_another_answer_does_not(stage: TicketStage) -> None:
    completed = stage.session.runner.run(queued(stage).encode())
    chain, model = stage.session.chain, stage.model
    receipt = write_receipt(chain, model, [completed], stage.owner)
    sources = Sources(lambda name: model, LocalCircuits(), lambda agent: chain)
    report = verify_receipt(receipt, sources)
    assert [c for c in report.checks if not (c.held or c.unknown)] == []
    (run,) = receipt.runs
    forged = run.model_copy(update={"answer": "silence, ahead by 1"})
    changed = receipt.model_copy(update={"runs": (forged,)})
    assert not verify_receipt(changed, sources).accepted


def test_groth16_proves_labels_as_well(tmp_path: Path) -> None:
    pytest.importorskip("groth16py")
    with ticket_stage(tmp_path / "classifier", "groth16") as stage:
        text = queued(stage)
        run, x = stage.proven(text), stage.model.encode(Context(text.encode()))
        (claim,), y = run.claims, stage.model.infer(x)
        forged = claim_for(claim.model_id, x, (y[0], y[1], y[0] + 1))
        assert is_false_proof(stage, stage.error_of(replace(run, claims=(forged,))))
        assert stage.send_as(run, stage.stranger)
        assert stage.ticket(1) == (stage.stranger.address, "music", stage.judged(text)[1])


def test_halo2_is_the_usual_system(stage: TicketStage) -> None:
    assert stage.session.circuit.origin.system == HALO2.name
    assert stage.model.output_count == len(LABELS)


def _name(stage: TicketStage, run: RunCall) -> str:
    error = stage.error_of(run)
    assert error is not None
    return error.name
