"""The contracts behind a recorded run: each check is needed, as in test_audit_checks.py."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import rlp
from eth_utils.crypto import keccak

from tests.support.altered_chain import AlteredReader
from tests.support.forged_storage import agent_with, forge, forged_book
from zkagent.circuits.errors import CircuitError
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.audit.wiring import (
    NOBODY,
    places,
    pool_place,
    read_wiring,
    token_place,
)
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import RunRecord
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.receipts.verify_chain import Standing
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing
from zkagent.verifier_contracts.errors import RevertError

STRANGER = "0x" + "77" * 20
FOREIGN = bytes.fromhex("5f355f55")


@dataclass
class Looked:
    """A run, its chain through a reader whose answers may be altered, and who looks."""

    run: RunRecord
    reader: AlteredReader
    look: RunContracts
    chain: EmbeddedChain

    def standing(self, **changes: Any) -> Standing:
        return self.look(self.run.model_copy(update=changes))

    def problems(self, **changes: Any) -> list[str]:
        return [str(each) for each in self.checks(**changes) if not each.held]

    def checks(self, **changes: Any) -> list[Check]:
        """With those that need circuits."""
        found = self.standing(**changes)
        return [*found.checks, *found.built()]

    @property
    def pool(self) -> str:
        return self.chain.deployment.pool.lower()

    def with_call(self, action: str, token: str, decimals: Any = ()) -> RunRecord:
        """The run, with another first call."""
        first = self.run.iterations[0]
        values = ("0x" + token[2:].rjust(64, "0"), *first.decision.values[1:])
        decision = first.decision.model_copy(update={"action": action, "values": values})
        context = first.context.model_copy(update={"token_decimals": decimals})
        changed = first.model_copy(update={"decision": decision, "context": context})
        return self.run.model_copy(update={"iterations": (changed, *self.run.iterations[1:])})


@pytest.fixture(scope="module")
def recorded(
    opened: tuple[Session, EmbeddedChain], wallet: Model
) -> Iterator[tuple[RunRecord, LocalCircuits, dict[Any, Any]]]:
    session, chain = opened
    snapshot = chain.anvil.snapshot()
    run = session.runner.run(f"send 3 USDC to {chain.friend.address}".encode())
    receipt = write_receipt(session.chain, wallet, [run], session.signer)
    yield receipt.runs[0], LocalCircuits(), {}
    chain.anvil.revert(snapshot)


@pytest.fixture
def looked(
    opened: tuple[Session, EmbeddedChain],
    recorded: tuple[RunRecord, LocalCircuits, dict[Any, Any]],
    wallet: Model,
) -> Looked:
    chain, (run, circuits, kept) = opened[1], recorded
    reader = AlteredReader(ContractReader(chain.web3), kept)
    return Looked(run, reader, RunContracts(reader, lambda name: wallet, circuits), chain)


def test_an_honest_run_stands_on_what_it_is_said_to(looked: Looked) -> None:
    found = looked.standing()
    assert looked.problems() == []
    there = looked.chain.deployment
    assert (found.wallet.lower(), found.pool) == (there.wallet.lower(), looked.pool)
    assert not found.foreign_pool
    said = {(check.subject, check.claim) for check in found.checks}
    assert ("contracts", "are the same after the run") in said
    assert "token usdc" in {check.subject for check in found.checks}
    assert "pool" not in {check.subject for check in found.checks}  # a transfer needs none


def test_every_contract_of_the_agent_is_looked_at(looked: Looked) -> None:
    block = looked.run.iterations[0].context.block
    code = Code(looked.reader, Block(block.number, block.hash))
    wiring = read_wiring(looked.reader, looked.run.agent, code.block)
    for place in list(places(wiring, code)):
        looked.reader.codes[place.address.lower()] = FOREIGN
        assert any(said.startswith(f"{place.role}: ") for said in looked.problems()), place.role
        del looked.reader.codes[place.address.lower()]


def test_code_that_is_another_after_the_run_is_found(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, after = looked.reader.code, looked.run.transaction.block.number
    before = looked.run.iterations[0].context.block.number
    assert before < after
    token = looked.chain.deployment.token("USDC").address.lower()
    for address in (looked.run.executor, looked.run.registry, token):

        def changed(at: str, block: Block, address: str = address) -> bytes:
            other = at.lower() == address and block.number == after
            return FOREIGN if other else honest(at, block)

        monkeypatch.setattr(looked.reader, "code", changed)
        (problem,) = looked.problems()
        assert f"are the same after the run: the code at {address}" in problem.lower()
        assert f"is another in block {after}" in problem


def test_what_a_call_touches_is_looked_at(looked: Looked) -> None:
    """A listed token, one that is not listed, the pool."""
    there = looked.chain.deployment
    for action in ("ViewBalance", "Deploy", "Withdraw"):
        run = looked.with_call(action, there.token("DAI").address.lower())
        subjects = {check.subject for check in looked.look(run).checks}
        assert {"pool", "token dai"} <= subjects
    looked.reader.codes[STRANGER] = FOREIGN
    found = looked.look(looked.with_call("Transfer", STRANGER))
    (token,) = [check for check in found.checks if check.subject == f"token {STRANGER}"]
    assert (token.unknown, "the owner's choice" in token.problem) == (True, True)


def test_decimals_of_a_token_are_those_in_its_code(looked: Looked) -> None:
    dai = looked.chain.deployment.token("DAI").address.lower()
    context = looked.run.iterations[0].context
    listed = next(x for x in context.symbol_book if x.token == dai)
    others = tuple(x for x in context.symbol_book if x.token != dai)
    for decimals, held in ((listed.decimals, True), (listed.decimals + 1, False)):
        run = looked.with_call("Transfer", dai)
        first = run.iterations[0]
        book = (*others, listed.model_copy(update={"decimals": decimals}))
        context = first.context.model_copy(update={"symbol_book": book})
        step = first.model_copy(update={"context": context})
        run = run.model_copy(update={"iterations": (step, *run.iterations[1:])})
        found = [c for c in looked.look(run).checks if c.subject == "token dai"]
        assert [c.held for c in found if " is DemoToken" in c.claim] == [held]
        looked.reader.codes[dai] = FOREIGN  # of others, and vouched for
        trusting = replace(looked.look, trusted={dai})
        problems = [str(c) for c in trusting(run).checks if not c.held]
        said = f"token dai: has the decimals that are listed: decimals of {dai} is "
        assert [problem.startswith(said) for problem in problems] == [True] * (not held)
        del looked.reader.codes[dai]


def test_a_pool_of_others_is_known_to_be_one(looked: Looked) -> None:
    looked.reader.codes[looked.pool] = FOREIGN
    found = looked.standing()
    assert (found.pool, found.foreign_pool) == (looked.pool, True)
    trusting = replace(looked.look, trusted={looked.pool})
    run = looked.with_call("Deploy", looked.chain.deployment.token("DAI").address.lower())
    (pool,) = [check for check in trusting(run).checks if check.subject == "pool"]
    assert pool.held
    (pool,) = [check for check in looked.look(run).checks if check.subject == "pool"]
    assert pool.unknown


def test_without_a_wallet_that_is_known_there_is_no_pool(looked: Looked) -> None:
    looked.reader.codes[looked.chain.deployment.wallet.lower()] = FOREIGN
    found = looked.standing()
    assert (found.pool, found.foreign_pool) == ("", False)

    def refused(honest: bytes, sender: str) -> bytes:
        raise RevertError("no such function", data=b"")

    looked.reader.answers[looked.run.agent, abi.WALLET.selector] = refused
    assert looked.standing().wallet == ""
    assert looked.run.agent != NOBODY


def test_what_does_not_answer_as_an_agent_is_a_problem(looked: Looked) -> None:
    looked.reader.answers[looked.run.agent, abi.TOOLS.selector] = lambda honest, sender: b"\1"
    first, second = looked.standing().checks
    assert (first.subject, first.unknown) == ("agent", True)
    assert (second.subject, second.claim, second.held) == ("agent", "answers as one", False)


def test_circuits_are_the_recorded_ones(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = "its circuits are the recorded ones"
    for error in (ValueError("another"), CircuitError("none")):

        def refuse(*arguments: Any, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(LocalCircuits, "circuit", refuse)
        assert [str(error) in said for said in looked.problems() if claim in said] == [True]


def test_only_batch_verifiers_that_were_used_are_looked_at(looked: Looked) -> None:
    """The model has none here; what the record says of its batches is asked for by size."""
    asked: list[int] = []
    honest = looked.look.circuits

    class Noting(LocalCircuits):
        def circuit(self, model: Model, digest: str, size: int, system: bytes) -> Any:
            asked.append(size)
            return honest.circuit(model, looked.run.model.circuit_digest, 1, system)

    from zkagent.executor.receipts.format import BatchRecord, ContractRecord

    contract = ContractRecord(address=STRANGER, code_hash="0x" + "00" * 32)
    batches = tuple(
        BatchRecord(size=n, circuit_digest="ab" * 32, verifier=contract) for n in (2, 4)
    )
    model = looked.run.model.model_copy(update={"batches": batches})
    both = looked.run.proofs[0].model_copy(update={"iterations": (1, 2)})
    for proofs, sizes in ((looked.run.proofs, [1]), ((both,), [1, 2])):
        asked.clear()
        run = looked.run.model_copy(update={"model": model, "proofs": proofs})
        standing = replace(looked.look, circuits=Noting())(run)
        assert standing.checks
        assert asked == []  # which take minutes to build
        assert list(standing.built())
        assert asked == sizes


def test_another_verifier_than_the_circuits_is_found(looked: Looked) -> None:
    other = looked.run.model.verifier.model_copy(update={"address": STRANGER})
    model = looked.run.model.model_copy(update={"verifier": other})
    standing = looked.look(looked.run.model_copy(update={"model": model}))
    assert [check.claim for check in standing.checks if not check.held] == []
    (problem,) = [check for check in standing.built() if not check.held]
    assert problem.claim == "the verifier is the circuit's"
    assert STRANGER in problem.problem


def test_what_the_registry_shows_of_the_model_is_not_asked(looked: Looked) -> None:
    """The executor's events say what was obeyed, whatever stands there before or after."""

    def other(found: Any) -> Any:
        return ((STRANGER, *found[1:]),)

    for method in (abi.BINDING_OF, abi.GET_BINDING):
        looked.reader.says(looked.run.registry, method, other)
    assert looked.problems() == []


def test_tools_with_two_faces_are_found(looked: Looked) -> None:
    tool = looked.chain.deployment.tool("Transfer").lower()
    decoder = looked.run.model.decoder.address

    def two_faced(honest: bytes, sender: str) -> bytes:
        return honest + b"\0" if sender == decoder else honest

    looked.reader.answers[tool, abi.NAME.selector] = two_faced
    (problem,) = looked.problems()
    assert "it has two faces: name() tells the agent 'Transfer', and the decoder" in problem


# Where the storage of what a run reads comes from


def creations_of(reader: AlteredReader, address: str, creation: bytes | None) -> Any:
    """As of `address` one transaction shows another constructor, or none shows any."""
    honest = reader.creations

    def creations(number: int) -> Iterator[tuple[str, bytes]]:
        yield from (each for each in honest(number) if each[0] != address.lower())
        if creation is not None:
            yield address.lower(), creation

    return creations


def touching_all(looked: Looked) -> tuple[RunRecord, list[Place]]:
    """A deposit, which reads pool and token, and the contracts of ours that it rests on."""
    usdc = looked.chain.deployment.token("USDC").address.lower()
    run = looked.with_call("Deploy", usdc)
    at = run.iterations[0].context.block
    code = Code(looked.reader, Block(at.number, at.hash))
    chosen = (pool_place(looked.pool), token_place(Listing("usdc", usdc, 6)))
    return run, [*places(read_wiring(looked.reader, run.agent, code.block), code), *chosen]


def test_whatever_was_made_by_another_constructor_is_found(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its storage may hold anything: refused, and unknown where no constructor shows; whoever
    vouches for it may."""
    run, resting = touching_all(looked)
    asked = [place for place in resting if not place.within and place.storage]
    kinds = ["agent", "executor", "registry", "book", "pool", "token"]
    assert [place.kind for place in asked] == kinds
    for place in asked:
        trusted = {f"{place.kind}={place.address.lower()}"}
        for creation, unknown in ((FOREIGN, False), (None, True)):
            changed = creations_of(looked.reader, place.address, creation)
            with monkeypatch.context() as patch:
                patch.setattr(looked.reader, "creations", changed)
                checks = replace(looked.look, _origins={})(run).checks
                vouched = replace(looked.look, _origins={}, trusted=trusted)(run).checks
            (found,) = [check for check in checks if not check.held]
            expected = (place.role, "was made by its constructor", unknown)
            assert (found.subject, found.claim, found.unknown) == expected
            assert all(check.held for check in vouched) == unknown


def test_no_address_that_is_read_has_a_storage_that_nobody_looked_at(looked: Looked) -> None:
    """Each was asked for its origin, was made by the agent, or reads no storage at all."""
    run, resting = touching_all(looked)
    reader = AlteredReader(ContractReader(looked.chain.web3), {})
    standing = replace(looked.look, reader=reader, _origins={})(run)
    assert all(check.held for check in (*standing.checks, *standing.built()))
    read = {key[0] for key in reader.kept if isinstance(key, tuple) and len(key) in (2, 4)}
    asked = {place.address.lower() for place in resting if not place.within}
    agent = bytes.fromhex(run.agent[2:])
    made = {"0x" + keccak(rlp.encode([agent, nonce]))[12:].hex() for nonce in range(1, 20)}
    others = read - asked - made
    model = run.model
    assert others >= {part.address for part in (model.encoder, model.decoder, model.verifier)}
    block = Block(run.transaction.block.number, "")
    touching = {a: storage_opcodes(reader.code(a, block)) for a in others}
    assert {address: found for address, found in touching.items() if found} == {}
    assert storage_opcodes(reader.code(looked.pool, block))


JUMPDEST = 0x5B
#: STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT: what stands behind runs if jumped to.
ENDS = frozenset({0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF})


def storage_opcodes(code: bytes) -> set[int]:
    """SLOAD, and what lets other code read this storage, where the code may come to; none where it
    begins with STOP, as data do. It comes to where it pushes the place of a JUMPDEST, and so not to
    what it keeps behind itself to copy."""
    found, seen, left = set[int](), set[int](), [0]
    while left:
        at = left.pop()
        while at < len(code) and at not in seen:
            seen.add(at)
            found.add(opcode := code[at])
            pushed = code[at + 1 : at + 1 + max(0, opcode - 0x5F)] if opcode <= 0x7F else b""
            target = int.from_bytes(pushed, "big")
            if pushed and target < len(code) and code[target] == JUMPDEST:
                left.append(target)
            if opcode in ENDS:
                break
            at += 1 + len(pushed)
    return found & {0x54, 0xF2, 0xF4}


def test_opcodes_are_those_that_code_comes_to() -> None:
    jump, kept = bytes.fromhex("600456fe5b5400"), bytes.fromhex("00545b54f4")
    assert storage_opcodes(jump) == {0x54}
    assert storage_opcodes(bytes.fromhex("600054fe")) == {0x54}
    assert storage_opcodes(bytes.fromhex("6054fe") + kept) == set()
    assert storage_opcodes(bytes.fromhex("5fff54")) == storage_opcodes(kept) == set()


def on_the_chain_now(looked: Looked, run: RunRecord, agent: str, decimals: int = 6) -> RunRecord:
    """The run as if another agent had made it in the latest block, with USDC of so many decimals;
    other blocks than these are forgotten."""
    looked.reader.kept = {}
    latest = looked.reader.block("latest")
    at = run.iterations[0].context.block.model_copy(
        update={"number": latest.number, "hash": latest.hash}
    )
    first = run.iterations[0]
    book = tuple(
        each.model_copy(update={"decimals": decimals}) if each.symbol == "usdc" else each
        for each in first.context.symbol_book
    )
    context = first.context.model_copy(update={"block": at, "symbol_book": book})
    steps = (first.model_copy(update={"context": context}), *run.iterations[1:])
    moved = run.transaction.model_copy(update={"block": at})
    changed = {"agent": agent.lower(), "iterations": steps, "transaction": moved}
    return run.model_copy(update=changed)


@pytest.mark.parametrize("inside", [False, True])
def test_a_forged_book_is_found_though_its_token_is_vouched_for(
    looked: Looked, embedded: EmbeddedChain, *, inside: bool
) -> None:
    """Three units of a token with six decimals, which the book has as three USDC."""
    usdc = embedded.deployment.token("USDC").address.lower()
    book = forged_book(embedded, [("usdc", 0, usdc)], inside=inside)
    run = on_the_chain_now(looked, looked.run, agent_with(embedded, book=book), decimals=0)
    looked.reader.codes[usdc] = FOREIGN
    found = replace(looked.look, trusted={usdc})(run).checks
    assert [(c.subject, c.claim, c.unknown) for c in found if not c.held] == [
        ("symbol book", "was made by its constructor", inside),
        ("token usdc", "has the decimals that are listed", False),
    ]


def test_deposits_that_nobody_made_are_found(looked: Looked, embedded: EmbeddedChain) -> None:
    usdc = embedded.deployment.token("USDC").address.lower()
    pool = forge(embedded, looked.pool, {0: 10**12})
    run = looked.with_call("ViewBalance", usdc)
    run = on_the_chain_now(looked, run, agent_with(embedded, pool=pool))
    (problem,) = [str(check) for check in looked.look(run).checks if not check.held]
    assert problem.startswith("pool: was made by its constructor: ")
    assert "by another constructor: its storage may hold anything" in problem


def test_a_tool_that_a_trusted_agent_did_not_make_is_looked_at(
    looked: Looked, embedded: EmbeddedChain
) -> None:
    """Whoever vouches for an agent does not vouch for the storage of tools that others made."""
    tool = embedded.deployment.tool("Transfer").lower()
    forged = forge(embedded, tool, {0: 1}).lower()
    run = on_the_chain_now(looked, looked.run, looked.run.agent)
    looked.reader.codes[run.agent] = FOREIGN
    trusting = replace(looked.look, trusted={f"agent={run.agent}"})
    assert all(check.held for check in trusting(run).checks)

    def other(addresses: Any, pins: Any) -> Any:
        return [forged if address.lower() == tool else address for address in addresses], pins

    looked.reader.says(run.agent, abi.TOOLS, other)
    (found,) = [check for check in trusting(run).checks if not check.held]
    assert (found.subject, found.claim) == ("tool 'Transfer'", "was made by its constructor")
    assert "by another constructor" in found.problem


def test_how_a_contract_was_made_is_asked_once_for_all_runs_of_a_receipt(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked.standing()
    monkeypatch.setattr(looked.reader, "creations", lambda number: pytest.fail("asked again"))
    assert looked.problems() == []


def test_what_somebody_can_vouch_for_is_what_trust_settles(looked: Looked) -> None:
    """All of that, and nothing else."""
    there, settled = looked.chain.deployment, set[tuple[str, str]]()
    parts = {"agent": there.agent, "wallet": there.wallet, "registry": looked.run.registry}
    for role, address in parts.items():
        looked.reader.codes[address.lower()] = FOREIGN
        before = {(c.subject, c.claim): c for c in looked.checks() if c.unknown}
        kept = looked.look
        looked.look = replace(kept, trusted={f"{role}={address.lower()}"})
        after = {(c.subject, c.claim) for c in looked.checks() if c.unknown}
        looked.look = kept
        assert {name for name, c in before.items() if not c.vouchable} == after, role
        settled |= {name for name, c in before.items() if c.vouchable}
        del looked.reader.codes[address.lower()]
    assert {subject for subject, _ in settled} >= set(parts)
