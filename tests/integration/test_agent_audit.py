"""`zkagent agent audit`: what makes an agent sound, what an owner vouches for, what no code shows.

Contracts that lie are in test_hostile_contracts.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth_utils.crypto import keccak

from tests.support.forged_storage import agent_with, forge, forged_book, storage
from zkagent.executor.api.audits import audit_agent, audit_model
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.report import Audit
from zkagent.executor.audit.wiring import places, read_wiring
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import read_book
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import LOCAL_CHAIN_ID, deploy, send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.release import read_archive
from zkagent.verifier_contracts.toolchain.compile import compile_sources, contract

ARCHIVES = Path(__file__).parents[1] / "verifier_contracts" / "deployment" / "released"
FOREIGN = bytes.fromhex("5f355f55")  # a contract that nobody here compiled


@pytest.fixture
def audited(embedded: EmbeddedChain) -> Any:
    def audit(agent: str | None = None, **options: Any) -> Audit:
        return audit_agent(agent or embedded.deployment.agent, embedded.anvil.rpc_url, **options)

    return audit


@pytest.fixture
def other_chain(embedded: EmbeddedChain) -> Iterator[None]:
    """The same chain under another number, as if its code had been copied there."""
    embedded.anvil.rpc("anvil_setChainId", 5)
    yield
    embedded.anvil.rpc("anvil_setChainId", LOCAL_CHAIN_ID)


def raw(chain: EmbeddedChain, code: bytes) -> str:
    made = {"data": "0x" + creation_code(code).hex()}
    return str(send(chain.web3, made, chain.owner)["contractAddress"])


def test_what_deploy_makes_is_sound_and_its_owners_are_named(
    embedded: EmbeddedChain, audited: Any
) -> None:
    found = audited()
    assert found.verdict == "sound", found.problems
    owner = embedded.owner.address.lower()
    assert set(found.facts.items()) >= {
        ("agent's owner", owner),
        ("symbol book's owner", owner),
        ("model's owner", owner),
    }
    assert "development set-up" in found.conclusion


def test_an_address_without_an_agent_is_unsound(embedded: EmbeddedChain, audited: Any) -> None:
    for address in (embedded.stranger.address, embedded.deployment.registry):
        assert audited(address).verdict == "unsound"


@pytest.mark.parametrize("number", [*range(1, 11), 0x11, 0x100])
def test_a_precompile_is_said_to_be_one(audited: Any, number: int) -> None:
    """Some answer like a contract, some fail the whole call."""
    address = f"0x{number:040x}"
    found = audited(address)
    assert found.verdict == "unsound"
    (problem,) = found.problems
    assert problem.problem.startswith(f"{address} is an address of the EVM's precompiles, and no")


def test_genuine_code_that_another_constructor_made_is_unsound(
    embedded: EmbeddedChain, audited: Any
) -> None:
    """Its storage may hold a record of an output that nobody proved."""
    code = bytes(embedded.web3.eth.get_code(embedded.deployment.executor))
    found = audited(agent_with(embedded, executor=raw(embedded, code)))
    assert found.verdict == "unsound"
    assert [check.subject for check in found.problems] == ["executor", "executor"]
    made, constructor = found.problems
    assert "it was made with _groth16 = " in made.problem  # the genuine executor's own
    assert "by another constructor" in constructor.problem


def test_genuine_code_of_book_and_token_over_a_forged_storage_is_unsound(
    embedded: EmbeddedChain, audited: Any
) -> None:
    """An allowance that nobody gave, an owner that nobody chose."""
    there = embedded.deployment
    token = forge(embedded, there.token("USDC").address, {0: 1})
    book = at(embedded.web3, "SymbolBook", there.symbol_book)
    send(embedded.web3, book.functions.list("EVL", token), embedded.owner)
    found = audited()
    assert found.verdict == "unsound"
    assert [check.subject for check in found.problems] == ["token evl"]
    assert "by another constructor" in found.problems[0].problem
    slots = {slot: storage(embedded, there.symbol_book, slot) for slot in range(3)}
    found = audited(agent_with(embedded, book=forge(embedded, there.symbol_book, slots)))
    assert "symbol book: was made by its constructor" in str(found.problems[0])


LISTS: dict[str, list[tuple[str, int, int]]] = {
    "a symbol twice": [("usdc", 6, 0), ("usdc", 18, 1)],
    "a token twice": [("usdc", 6, 0), ("dai", 6, 0)],
    "a reserved word": [("all", 6, 0)],
    "a number": [("e18", 6, 0)],
    "what acts on a terminal": [("\x1b[8m\nsound", 6, 0)],
    "capitals": [("USDC", 6, 0)],
    "nothing": [("", 6, 0)],
    "decimals that no amount has": [("usdc", 78, 0)],
}


#: Books of a release may have them.
WORDS = ("a reserved word", "a number")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_no_book_comes_to_is_read_by_nobody(embedded: EmbeddedChain, name: str) -> None:
    """Neither an audit nor a run; beside it one that a book may have."""
    tokens = [token.address for token in embedded.deployment.tokens]
    reader = ContractReader(embedded.web3)

    def listed(rows: list[tuple[str, int, int]]) -> object:
        book = forged_book(embedded, [(s, places, tokens[i]) for s, places, i in rows])
        return read_book(reader, book.lower(), reader.block("latest"))[1]

    said = "lists what books of this version refuse" if name in WORDS else "that none of ours is"
    with pytest.raises(NoAgentThere, match=said) as caught:
        listed(LISTS[name])
    assert str(caught.value).isprintable()
    assert listed([("usdc", 6, 0), ("dai", 18, 1)])


def test_everything_that_no_other_check_says_the_making_of_is_asked_for_its_origin(
    embedded: EmbeddedChain, audited: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the agent made itself has the agent's origin; model contracts have no storage."""
    asked: list[str] = []
    monkeypatch.setattr(
        "zkagent.executor.audit.agent.check_origin",
        lambda code, place: asked.append(place.address) or "",
    )
    there = embedded.deployment
    audited()
    known = {there.agent, there.executor, there.registry, there.symbol_book, there.pool}
    expected = known | {token.address for token in there.tokens}
    assert set(asked) == {address.lower() for address in expected}
    assert len(asked) == len(expected)
    asked.clear()
    audit_model(1, there.registry, embedded.anvil.rpc_url)
    assert [address.lower() for address in asked] == [there.registry.lower()]


def test_what_is_said_to_have_the_agents_origin_was_made_by_it(embedded: EmbeddedChain) -> None:
    reader, agent = ContractReader(embedded.web3), embedded.deployment.agent.lower()
    code = Code(reader, reader.block("latest"))
    made = {
        "0x" + keccak(rlp.encode([bytes.fromhex(agent[2:]), nonce]))[12:].hex()
        for nonce in range(1, 20)
    }
    within = {p.address for p in places(read_wiring(reader, agent, code.block), code) if p.within}
    assert len(within) == 6  # a wallet, four tools, a converter
    assert within <= made


def test_what_was_made_inside_of_a_call_is_unknown(embedded: EmbeddedChain, audited: Any) -> None:
    source = """
pragma solidity ^0.8.30;
contract Maker {
    address public made;
    function make(bytes memory code) external {
        address account;
        assembly { account := create(0, add(code, 32), mload(code)) }
        require(account != address(0));
        made = account;
    }
}
"""
    maker = deploy(
        embedded.web3, compile_sources({"generated/Maker.sol": source})["Maker"], embedded.owner
    )
    registry = bytes.fromhex(embedded.deployment.registry[2:]).rjust(32, b"\0")
    code = contract("AgentExecutor").bytecode + registry
    send(embedded.web3, maker.functions.make(code), embedded.owner)
    found = audited(agent_with(embedded, executor=maker.functions.made().call()))
    assert found.verdict == "unknown"
    assert "its constructor does not show" in found.problems[0].problem


def test_a_foreign_pool_is_unknown_until_its_owner_vouches_for_it(
    embedded: EmbeddedChain, audited: Any
) -> None:
    pool = raw(embedded, FOREIGN)
    agent = agent_with(embedded, pool=pool)
    assert audited(agent).verdict == "unknown"
    assert audited(agent).conclusion == f"unknown: agent {agent.lower()}: pool"
    trusting = audited(agent, trust=[pool])
    assert trusting.verdict == "sound"
    assert "trusted on request" in trusting.conclusion
    assert audited(agent, trust=[embedded.stranger.address]).verdict == "unknown"


def test_trust_does_not_help_contracts_of_ours_in_the_wrong_place(
    embedded: EmbeddedChain, audited: Any
) -> None:
    token = embedded.deployment.token("DAI").address
    assert audited(agent_with(embedded, pool=token), trust=[token]).verdict == "unsound"


def test_one_changed_byte_anywhere_below_the_agent_is_noticed(
    embedded: EmbeddedChain, audited: Any
) -> None:
    there = embedded.deployment
    places = [there.agent, there.executor, there.wallet, there.symbol_book, there.tool("Deploy")]
    for address in places:
        snapshot = embedded.anvil.snapshot()
        code = bytearray(embedded.web3.eth.get_code(address))
        code[len(code) // 2] ^= 1
        embedded.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
        assert audited(address if address == there.agent else None).verdict != "sound", address
        embedded.anvil.revert(snapshot)


def test_a_development_setup_on_another_chain_is_unsound_and_no_error(
    embedded: EmbeddedChain, other_chain: None
) -> None:
    there, rpc = embedded.deployment, embedded.anvil.rpc_url
    for found in (audit_agent(there.agent, rpc), audit_model(1, there.registry, rpc)):
        assert found.verdict == "unsound"
        problems = [check.problem for check in found.problems]
        assert any("a development set-up on chain 5" in problem for problem in problems)


def test_an_agent_of_a_released_version_is_sound_and_named(
    embedded: EmbeddedChain, audited: Any
) -> None:
    """Its code is known though the sources have moved on."""
    old, there = compile_sources(read_archive(ARCHIVES / "0.1.0.zip")), embedded.deployment
    executor = deploy(embedded.web3, old["AgentExecutor"], embedded.owner, there.registry)
    arguments = (executor.address, "1", there.registry, there.owner, there.pool)
    agent = deploy(
        embedded.web3, old["WalletAgent"], embedded.owner, *arguments, there.symbol_book, 8
    )
    found = audited(str(agent.address))
    assert found.verdict == "sound", found.problems
    assert "agent: an older version: WalletAgent of release 0.1.0" in found.conclusion
    assert "executor: an older version: AgentExecutor of release 0.1.0" in found.conclusion


def test_every_immutable_of_every_audited_contract_is_checked(embedded: EmbeddedChain) -> None:
    """None is let pass because nobody says what it has to be."""
    reader = ContractReader(embedded.web3)
    code = Code(reader, reader.block("latest"))
    wiring = read_wiring(reader, embedded.deployment.agent.lower(), code.block)
    seen = {}
    for place in places(wiring, code):
        seen[place.names[0]] = set(contract(place.names[0]).immutables)
        assert seen[place.names[0]] <= set(place.expected), place.role
    assert sum(map(len, seen.values())) > 20
