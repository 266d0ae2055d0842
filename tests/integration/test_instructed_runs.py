"""Whole instructions, proven and carried out: calls of one prompt in one transaction, contacts, the
owner's caution, and what bounces.

The network is written by hand, so that what it makes of each prompt is known.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import exit_code
from tests.support.progress import quiet
from tests.support.scripted_reader import CAUTION, scripted_model
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import GROTH16
from zkagent.executor.api.audits import audit_agent
from zkagent.executor.api.receipts import verify_receipt
from zkagent.executor.chain.agent import InstructedReads, RunCall
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.demo.story import attack, play
from zkagent.executor.errors import MalformedReceipt, WordRefused
from zkagent.executor.receipts.format import Receipt, parse_receipt, signed_text
from zkagent.executor.receipts.story import told
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import claim_for, derive_decision, features_hash
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.runner import ProvenRun
from zkagent.executor.runs.session import Session, open_embedded
from zkagent.models.catalogue import InstructionModel
from zkagent.models.errors import DuplicateTool
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError

pytestmark = [pytest.mark.chain, pytest.mark.slow]

PAYS_BOB = b"send 3 DAI to bob"
Opened = tuple[Session, EmbeddedChain]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstructionModel:
    return scripted_model(tmp_path_factory.mktemp("models") / "scripted")


@pytest.fixture(scope="module")
def circuit(model: InstructionModel) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(model.onnx_path)


@pytest.fixture(scope="module")
def module_chain(model: InstructionModel, circuit: Circuit) -> Iterator[Opened]:
    with open_embedded(model, circuit, quiet) as both:
        yield both


@pytest.fixture
def opened_chain(module_chain: Opened) -> Iterator[Opened]:
    chain = module_chain[1]
    snapshot = chain.anvil.snapshot()
    yield module_chain
    chain.anvil.revert(snapshot)


@pytest.fixture
def agents(opened_chain: Opened) -> Session:
    return opened_chain[0]


@pytest.fixture
def chain(opened_chain: Opened) -> EmbeddedChain:
    return opened_chain[1]


def held(chain: EmbeddedChain, symbol: str, account: str) -> int:
    token = at(chain.web3, "DemoToken", chain.deployment.token(symbol).address)
    return int(call(chain.web3, token.functions.balanceOf(account)))


def owners(chain: EmbeddedChain, function: Any) -> None:
    send(chain.web3, function, chain.owner)


def book(chain: EmbeddedChain) -> Any:
    return at(chain.web3, "ContactBook", chain.deployment.contact_book).functions


def agent(chain: EmbeddedChain) -> Any:
    return at(chain.web3, "InstructedWalletAgent", chain.deployment.agent).functions


def actions(run: Any) -> list[str]:
    return [each.decision.action for each in run.proven.plan.decisions]


def refusal(agents: Session, made: RunCall) -> str | None:
    with pytest.raises(RevertError) as error:
        agents.runner.sender.estimate_gas(made)
    return error.value.name


@pytest.fixture
def proven(agents: Session) -> ProvenRun:
    return agents.runner.prove(agents.runner.plan(PAYS_BOB))


# What is done


def test_a_deposit_is_made(agents: Session, chain: EmbeddedChain) -> None:
    pool = held(chain, "USDC", chain.deployment.pool)
    assert actions(agents.runner.run(b"deposit 5.5 USDC")) == ["Deploy", "answer"]
    assert held(chain, "USDC", chain.deployment.pool) - pool == 5_500_000


def test_a_contact_is_paid_by_name(agents: Session, chain: EmbeddedChain) -> None:
    before = held(chain, "DAI", chain.friend.address)
    run = agents.runner.run(PAYS_BOB)
    assert actions(run) == ["Transfer", "answer"]
    assert held(chain, "DAI", chain.friend.address) - before == 3 * 10**18


def test_me_is_the_owner(agents: Session, chain: EmbeddedChain) -> None:
    before = held(chain, "USDC", chain.owner.address)
    agents.runner.run(b"send 1 USDC to me")
    assert held(chain, "USDC", chain.owner.address) - before == 1_000_000


def test_calls_of_one_prompt_are_one_run_with_the_amounts_that_each_leaves(
    agents: Session, chain: EmbeddedChain
) -> None:
    """500 USDC are in the wallet: half of them are deposited, and what is left is sent."""
    before = held(chain, "USDC", chain.friend.address)
    run = agents.runner.run(b"deposit half USDC, then send all USDC to bob")
    assert actions(run) == ["ViewBalance", "Deploy", "ViewBalance", "Transfer", "answer"]
    assert held(chain, "USDC", chain.friend.address) - before == 250_000_000
    answer = run.proven.plan.answer.decode()
    assert answer.startswith('Done: Deploy {"asset":"USDC","amount":"250"}; Transfer {')


def test_half_that_is_withdrawn_and_sent_on_is_asked_about(agents: Session) -> None:
    """Half of the wallet would be sent, of which the withdrawal was not meant to be a part."""
    for prompt in (b"withdraw half USDC, send to bob", b"withdraw all USDC, send half USDC to bob"):
        assert [each.decision.kind for each in agents.runner.plan(prompt).decisions] == ["ask"]


def test_somebody_who_is_no_contact_is_not_paid(agents: Session) -> None:
    plan = agents.runner.plan(b"send 3 DAI to carol")
    assert [each.decision.kind for each in plan.decisions] == ["ask"]


def test_all_inputs_of_a_run_are_the_same_and_its_claims_name_them(agents: Session) -> None:
    plan = agents.runner.plan(b"deposit half USDC, then send all USDC to bob")
    assert len(set(plan.inputs)) == 1
    assert {claim.features_hash for claim in plan.claims} == {features_hash(plan.inputs[0])}


# What bounces


def test_a_call_of_one_of_two_tools_of_its_name_is_not_planned(
    agents: Session, proven: ProvenRun, model: InstructionModel
) -> None:
    """The contract takes the one at the action's place; terms and receipts name tools by name."""
    context = proven.plan.decisions[0].context
    twice = replace(context.reads, tools=(*context.reads.tools, context.reads.tools[-1]))
    y = proven.plan.decisions[0].y
    assert derive_decision(model, context, y).action == "Transfer"
    with pytest.raises(DuplicateTool, match="Transfer"):
        derive_decision(model, replace(context, reads=twice), y)


#: The last one: two claims that differ are not one, and the proof is of one.
REFUSED = {"ProofsFalse", "CallNotAgreed", "MissingDecision", "NoBatchVerifier"}


def test_a_changed_output_has_no_proof(agents: Session, proven: ProvenRun) -> None:
    """Of more margin, of another tag: whatever it says, it was not the network that said it."""
    first, second = proven.call.claims
    planned = proven.plan.decisions[0]
    margin, tags, rest = planned.y
    for y in ((margin + 1, tags, rest), (margin, tags + 8, rest), (margin, tags, rest + 1)):
        claim = claim_for(first.model_id, planned.x, y)
        for claims in ((claim, second), (first, claim), (claim, claim)):
            changed = replace(proven.call, claims=claims)
            assert refusal(agents, changed) in REFUSED
    claim = claim_for(first.model_id, planned.x, (margin + 1, tags, rest))
    assert refusal(agents, replace(proven.call, claims=(claim, claim))) == "ProofsFalse"


def test_another_prompts_proof_is_none_of_this_one(agents: Session, proven: ProvenRun) -> None:
    other = agents.runner.prove(agents.runner.plan(b"deposit 3 DAI"))
    assert other.plan.inputs != proven.plan.inputs
    assert refusal(agents, replace(proven.call, proofs=other.call.proofs)) == "ProofsFalse"
    swapped = replace(proven.call, claims=other.call.claims, proofs=other.call.proofs)
    assert refusal(agents, swapped) is not None


def test_a_contact_of_another_account_reverts_what_was_signed(
    agents: Session, chain: EmbeddedChain, proven: ProvenRun
) -> None:
    """The book's owner can be somebody else: a run is of what its sender was shown."""
    agents.runner.sender.estimate_gas(proven.call)
    owners(chain, book(chain).unlist("bob"))
    owners(chain, book(chain).list("bob", chain.stranger.address))
    assert refusal(agents, proven.call) == "FactChanged"
    without = replace(proven.call, terms=replace(proven.call.terms, facts=()))
    assert refusal(agents, without) == "CallNotAgreed"
    with pytest.raises(RunReverted, match="FactChanged"):
        agents.runner.plan_anew(proven.plan, _reverted(agents, proven.call))


def _reverted(agents: Session, made: RunCall) -> RevertError:
    with pytest.raises(RevertError) as error:
        agents.runner.sender.estimate_gas(made)
    return error.value


def test_a_book_that_lists_one_more_leads_to_a_new_plan(
    agents: Session, chain: EmbeddedChain, proven: ProvenRun
) -> None:
    owners(chain, book(chain).list("carol", chain.stranger.address))
    error = _reverted(agents, proven.call)
    assert error.name == "FactChanged"
    fresh = agents.runner.plan_anew(proven.plan, error)
    assert fresh.inputs == proven.plan.inputs
    agents.runner.sender.estimate_gas(agents.runner.prove(fresh).call)


def test_another_caution_reverts_what_was_signed(
    agents: Session, chain: EmbeddedChain, proven: ProvenRun
) -> None:
    owners(chain, agent(chain).setCaution(CAUTION + 1))
    assert refusal(agents, proven.call) == "FactChanged"


def test_beyond_its_margin_nothing_is_done(agents: Session, chain: EmbeddedChain) -> None:
    """One call is worth 3.125 log-odds."""
    owners(chain, agent(chain).setCaution(312))
    assert actions(agents.runner.run(PAYS_BOB)) == ["Transfer", "answer"]
    owners(chain, agent(chain).setCaution(313))
    assert [each.decision.kind for each in agents.runner.plan(PAYS_BOB).decisions] == ["decline"]


def test_strangers_neither_run_it_nor_change_it(
    agents: Session, chain: EmbeddedChain, proven: ProvenRun
) -> None:
    for function in (agent(chain).setCaution(0), book(chain).list("eve", chain.stranger.address)):
        with pytest.raises(RevertError, match=r"CallerIsNotTheOwner|OwnableUnauthorizedAccount"):
            send(chain.web3, function, chain.stranger)
    from zkagent.executor.chain.web3_sender import Web3Sender

    other = Web3Sender(chain.web3, chain.deployment.agent, chain.stranger)
    with pytest.raises(RevertError, match="CallerIsNotTheOwner"):
        other.estimate_gas(proven.call)


# Receipts


@pytest.fixture
def receipt(agents: Session, model: InstructionModel) -> Receipt:
    return write_receipt(agents.chain, model, [agents.runner.run(PAYS_BOB)], agents.signer)


def test_a_receipt_is_accepted_offline_and_with_its_chain(
    receipt: Receipt, chain: EmbeddedChain, model: InstructionModel
) -> None:
    for rpc in (None, chain.anvil.rpc_url):
        report = verify_receipt(receipt, rpc=rpc, model=model)
        assert report.verdict == "accepted", [c for c in report.checks if not c.held]
    assert parse_receipt(receipt.to_json()) == receipt
    (run,) = told(receipt)
    assert run["calls"][0]["names"].endswith(f" for bob, who is {chain.friend.address.lower()}")


def altered(receipt: Receipt, signer: Any, **changes: Any) -> Receipt:
    """As its requester could write and sign it: every iteration's context says something else."""
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        step["context"]["instructed"] |= changes
    document["signature"] = sign_receipt(signer, signed_text(document))
    return parse_receipt(json.dumps(document))


@pytest.mark.parametrize(
    "changes",
    [
        {"caution": CAUTION - 1},
        {"caution": 0},
        {"owner": "0x" + "0e" * 20},
        {"contacts": []},
        {"contacts": [{"name": "bob", "account": "0x" + "0e" * 20}]},
        {"contact_book": "0x" + "0e" * 20},
        {"contact_data": "0x" + "0e" * 20},
        {"contact_book": "0x" + "00" * 20, "contact_data": "0x" + "00" * 20, "contacts": []},
    ],
)
def test_a_receipt_of_other_contacts_caution_or_owner_is_rejected(
    receipt: Receipt, agents: Session, model: InstructionModel, changes: dict[str, Any]
) -> None:
    changed = altered(receipt, agents.signer, **changes)
    report = verify_receipt(changed, model=model)
    assert report.verdict == "rejected"
    broken = {check.claim for check in report.checks if not check.held}
    assert "the signed facts are what these rest on" in broken


def test_a_receipt_with_contacts_and_no_book_is_malformed(receipt: Receipt) -> None:
    """Of an agent without a book no fact would say who is listed."""
    document = json.loads(receipt.to_json())
    told = document["runs"][0]["iterations"][0]["context"]["instructed"]
    told["contact_book"] = "0x" + "00" * 20
    with pytest.raises(MalformedReceipt, match="no contact book"):
        parse_receipt(json.dumps(document))


def test_a_receipt_that_tells_nothing_of_them_is_rejected(
    receipt: Receipt, agents: Session, model: InstructionModel
) -> None:
    document = json.loads(receipt.to_json())
    for step in document["runs"][0]["iterations"]:
        del step["context"]["instructed"]
    document["signature"] = sign_receipt(agents.signer, signed_text(document))
    report = verify_receipt(parse_receipt(json.dumps(document)), model=model)
    assert report.verdict == "rejected"
    broken = {check.claim for check in report.checks if not check.held}
    assert "the features follow from the context" in broken


# Audits


def verdicts(chain: EmbeddedChain, model: InstructionModel) -> dict[str, str]:
    """Subject and claim of what does not hold, and why."""
    audit = audit_agent(chain.deployment.agent, chain.anvil.rpc_url, model=model)
    assert (audit.verdict == "sound") is (not audit.problems)
    return {f"{check.subject}: {check.claim}": check.problem for check in audit.problems}


def test_an_agent_is_sound_and_its_caution_is_told(
    agents: Session, chain: EmbeddedChain, model: InstructionModel
) -> None:
    owners(chain, agent(chain).setCaution(450))
    audit = audit_agent(chain.deployment.agent, chain.anvil.rpc_url, model=model)
    assert audit.verdict == "sound", audit.problems
    assert audit.facts["caution"] == "4.5 log-odds"
    assert audit.facts["contact book's owner"] == chain.owner.address.lower()
    subjects = {check.subject for check in audit.checks}
    assert {"contact book", "encoder", "decoder"} <= subjects


@pytest.mark.parametrize("part", ["encoder", "decoder"])
def test_an_audit_finds_another_encoder_or_decoder(
    agents: Session, chain: EmbeddedChain, model: InstructionModel, part: str
) -> None:
    """A single byte of its code."""
    address = getattr(chain.deployment.contracts, part)
    code = bytearray(chain.web3.eth.get_code(address))
    code[len(code) // 2] ^= 1
    chain.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
    assert any(claim.startswith(f"{part}: ") for claim in verdicts(chain, model))


def test_an_audit_finds_a_word_that_means_another(
    agents: Session, chain: EmbeddedChain, model: InstructionModel
) -> None:
    table = chain.deployment.contracts.text_chunks[0]
    code = bytearray(chain.web3.eth.get_code(table))
    code[next(at for at in range(1, len(code)) if code[at])] ^= 1
    chain.anvil.rpc("anvil_setCode", table, "0x" + code.hex())
    found = verdicts(chain, model)
    assert any("the tables are the model's" in claim for claim in found), found


def test_an_audit_finds_a_contact_list_of_others_making(
    agents: Session, chain: EmbeddedChain, model: InstructionModel
) -> None:
    """Genuine code of a book over another list than its owner made."""
    told = agents.chain.reads(agents.chain.head()).instructed
    assert isinstance(told, InstructedReads)
    code = bytearray(chain.web3.eth.get_code(chain.web3.to_checksum_address(told.contact_data)))
    code[1:4] = b"\0\0\0"
    address = chain.web3.to_checksum_address(told.contact_data)
    chain.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
    found = verdicts(chain, model)
    assert "contact book: its list is what it says" in found, found


def test_a_contact_by_a_word_that_no_book_lists_is_neither_sound_nor_run(
    agents: Session, chain: EmbeddedChain, model: InstructionModel
) -> None:
    """A list of somebody else's making calls the stranger "to"."""
    told = agents.chain.reads(agents.chain.head()).instructed
    assert isinstance(told, InstructedReads)
    address = chain.web3.to_checksum_address(told.contact_data)
    code = b"\0" + b"to".ljust(12, b"\0") + bytes.fromhex(chain.stranger.address[2:])
    chain.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
    with pytest.raises(WordRefused, match="no contact can go by 'to'"):
        agents.runner.plan(PAYS_BOB)
    found = verdicts(chain, model)
    assert "contact book: its list is what it says" in found, found


# Commands


@pytest.fixture
def signing(
    chain: EmbeddedChain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[object, ...]:
    """The chain and its owner's key, as options; in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    key = tmp_path / "owner.key"
    key.write_text(bytes(chain.owner.key).hex())
    key.chmod(0o600)
    return ("--rpc", chain.anvil.rpc_url, "--key-file", key)


def test_the_owner_changes_contacts_and_caution_by_commands(
    agents: Session,
    chain: EmbeddedChain,
    tmp_path: Path,
    signing: tuple[object, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = tmp_path / "deployment.json"
    record.write_text(chain.deployment.to_json())
    where = ["--rpc", chain.anvil.rpc_url, "--deployment", str(record)]
    signed = [*signing, "--deployment", str(record), "--yes"]
    carol = chain.stranger.address
    assert (
        exit_code("agent", "contacts", *signed, "--add", f"Carol={carol}", "--remove", "bob") == 0
    )
    capsys.readouterr()
    assert exit_code("agent", "contacts", *where) == 0
    assert capsys.readouterr().out == f"carol  {carol.lower()}\n"
    assert exit_code("agent", "caution", *signed, "1.25") == 0
    capsys.readouterr()
    assert exit_code("agent", "caution", *where) == 0
    assert capsys.readouterr().out == "1.25\n"
    told = agents.chain.reads(agents.chain.head()).instructed
    assert told is not None
    assert (told.caution, told.contacts) == (125, (("carol", carol.lower()),))


def test_the_owner_alone_says_whom_the_agent_serves_besides(
    chain: EmbeddedChain,
    tmp_path: Path,
    signing: tuple[object, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    def serves(*words: object) -> tuple[int, str, str]:
        code = exit_code("agent", "serves", "--agent", chain.deployment.agent, *words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    rpc = ("--rpc", chain.anvil.rpc_url)
    desk = chain.stranger.address
    assert serves(*rpc)[:2] == (0, "nobody\n")
    assert serves(*signing, desk)[0] == 2  # nobody to ask
    assert serves(*rpc)[:2] == (0, "nobody\n")
    assert serves(*signing, desk, "--yes")[0] == 0
    assert serves(*rpc)[:2] == (0, f"{desk.lower()}\n")
    stranger = tmp_path / "stranger.key"
    stranger.write_text(bytes(chain.stranger.key).hex())
    stranger.chmod(0o600)
    code, _, err = serves(*rpc, "--key-file", stranger, "--nobody", "--yes")
    assert (code, "CallerIsNotTheOwner" in err) == (1, True)
    assert serves(*signing, desk, "--nobody", "--yes")[0] == 2
    assert serves(*rpc)[:2] == (0, f"{desk.lower()}\n")
    assert serves(*signing, "--nobody", "--yes")[0] == 0
    assert serves(*rpc)[:2] == (0, "nobody\n")


def test_ezkl_is_refused_in_one_line(
    model: InstructionModel, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--model", model.directory, "--proof-system", "ezkl")
    assert exit_code("run", "deposit 5 USDC", *options) == 2
    assert "scripted-text cannot be proven by ezkl: leave out" in capsys.readouterr().err


def test_run_makes_a_demo_agent_of_it_by_groth16(
    circuit: Circuit, model: InstructionModel, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = ("--model", model.directory, "--json", "--receipt", tmp_path / "receipt.json")
    assert exit_code("run", "deposit 5 USDC, then send 3 DAI to bob", *options) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["answer"].startswith("Done: Deploy ")
    verify = ("verify-run", tmp_path / "receipt.json", "--model", model.directory)
    assert exit_code(*verify) == 0


def test_what_it_asks_is_said_without_the_other_models_rule(
    circuit: Circuit, model: InstructionModel, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("run", "send 3 DAI", "--model", model.directory) == 0
    shown = capsys.readouterr()
    assert "answer: Please say what to do with how much" in shown.out
    assert "one amount, one asset" not in shown.out + shown.err


def test_deploy_makes_an_agent_with_contacts_and_a_caution(
    circuit: Circuit,
    chain: EmbeddedChain,
    signing: tuple[object, ...],
    model: InstructionModel,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = "deployment.json"
    chosen = ("--contact", f"Eve={chain.stranger.address}", "--caution", "0.5")
    options = (*signing, "--model", model.directory, "--out", out, "--yes")
    assert exit_code("deploy", *options, *chosen) == 0
    capsys.readouterr()
    named = ("--rpc", chain.anvil.rpc_url, "--deployment", out)
    assert exit_code("agent", "contacts", *named) == 0
    assert exit_code("agent", "caution", *named) == 0
    told = f"eve  {chain.stranger.address.lower()}\n0.5\n"
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        (("--contact", "me=0x" + "0e" * 20), "no contact can go by 'me'"),
        (("--contact", "bob"), "is not NAME=ADDRESS"),
        (("--contact", "bob=0x12"), "is not an address"),
        (("--contact", f"bob={'0x' + '0e' * 20}", "--contact", f"Bob={'0x' + '0e' * 20}"), "twice"),
        (("--caution", "101"), "101.0 is not in the range"),
        (("--model", "wallet", "--contact", "bob=0x" + "0e" * 20), "which knows no contacts"),
        (("--model", "wallet", "--caution", "1"), "says nothing to wallet"),
    ],
)
def test_deploy_refuses_what_no_agent_can_be_told(
    chosen: tuple[str, ...],
    why: str,
    signing: tuple[object, ...],
    model: InstructionModel,
    capsys: pytest.CaptureFixture[str],
) -> None:
    where = (*signing, "--out", "deployment.json")
    assert exit_code("deploy", *where, "--model", model.directory, "--yes", *chosen) == 2
    assert why in capsys.readouterr().err


# The demo


def test_every_scene_and_every_attack_of_the_demo_ends_as_it_should(opened_chain: Opened) -> None:
    shown = [run.scene.title for run in play(*opened_chain)]
    assert {"a transfer to a contact", "two instructions in one"} <= set(shown)
    results = list(attack(*opened_chain, quiet))
    assert [result.name for result in results if not result.bounced] == []
    assert {"relisted contact", "lowered caution", "changed output"} <= {r.name for r in results}
