"""Attacks that leave the owner's signed transaction as it is and change what it comes to."""

from dataclasses import replace

from zkagent.executor.demo.attacks.stage import AttackResult, AttackStage, mount, run_transaction
from zkagent.models.encoding.book import DEMO_CONTACT
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.wallet import at


def relisted_symbol(stage: AttackStage) -> AttackResult:
    """Between signing and inclusion the book's owner lists each of two tokens as the other. To the
    model the prompt is the same, so that claims and proofs still hold."""
    deployment, owner = stage.chain.deployment, stage.chain.owner
    book = at(stage.web3, "SymbolBook", deployment.symbol_book).functions
    with stage.undone():
        for change in (
            book.unlist("USDC"),
            book.unlist("DAI"),
            book.list("USDC", deployment.token("DAI").address),
            book.list("DAI", deployment.token("USDC").address),
        ):
            send(stage.web3, change, owner)
        return mount(
            stage,
            "relisted symbol",
            "DAI is listed as USDC and USDC as DAI before the owner's transaction is included",
            run_transaction(stage, stage.run.call),
            "FactChanged",
        )


def relisted_contact(stage: AttackStage) -> AttackResult:
    """The same of a contact, who is the stranger by then."""
    book = at(stage.web3, "ContactBook", stage.chain.deployment.contact_book).functions
    runner = stage.runner
    signed = runner.prove(runner.plan(f"send 5 DAI to {DEMO_CONTACT}".encode())).call
    with stage.undone():
        stranger = stage.chain.stranger.address
        for change in (book.unlist(DEMO_CONTACT), book.list(DEMO_CONTACT, stranger)):
            send(stage.web3, change, stage.chain.owner)
        return mount(
            stage,
            "relisted contact",
            f"{DEMO_CONTACT} is listed as the stranger before the owner's transaction is included",
            run_transaction(stage, signed),
            "FactChanged",
        )


def lowered_caution(stage: AttackStage) -> AttackResult:
    """The owner signed by one caution, and the agent is to act by another."""
    agent = at(stage.web3, "InstructedWalletAgent", stage.chain.deployment.agent).functions
    with stage.undone():
        send(stage.web3, agent.setCaution(0), stage.chain.owner)
        return mount(
            stage,
            "lowered caution",
            "the agent's caution is set to nothing before the owner's transaction is included",
            run_transaction(stage, stage.run.call),
            "FactChanged",
        )


def late_inclusion(stage: AttackStage) -> AttackResult:
    """Hold the owner's transaction back until it suits somebody else."""
    chain, call = stage.runner.chain, stage.run.call
    passed = replace(call.terms, deadline=chain.time(chain.head()) - 1)
    return mount(
        stage,
        "late inclusion",
        "the owner's run, included after its deadline",
        run_transaction(stage, replace(call, terms=passed)),
        "RunExpired",
    )


ATTACKS = (relisted_symbol, late_inclusion)
#: On agents that know contacts.
INSTRUCTED = (relisted_contact, lowered_caution)
