"""A node that tells of other decimals or tokens, alike wherever it is asked, until a transaction is
sent: what was signed on that does not happen.

The chain itself is what it tells before, and what it is afterwards.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from eth_utils.address import to_checksum_address

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import LyingNode, lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.api.decisions import decide_at
from zkagent.executor.chain.calls import run_of
from zkagent.executor.chain.reader import Allowance, ContractReader
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.errors import CannotVerify, DecimalsRefused, TokenContradicted
from zkagent.executor.receipts.format import parse_receipt, signed_text
from zkagent.executor.runs import settlement
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.preview import Preview
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import contract

POINTER_SLOT = 2  # of a SymbolBook: behind its owner and who is to become it
DECIMALS = 1 + 11  # of the first entry in a list's code
HELD = 100_000_000


@dataclass
class World:
    """A chain with a token that no book lists, and a node before it. undo: makes it true again."""

    stage: Stage
    node: LyingNode
    unlisted: str
    key_file: Path
    undo: list[Callable[[], Any]] = field(default_factory=list)
    shown: list[Preview] = field(default_factory=list)

    @property
    def book(self) -> str:
        return self.stage.chain.deployment.symbol_book

    @property
    def data(self) -> str:
        book = at(self.stage.chain.web3, "SymbolBook", self.book)
        return str(call(self.stage.chain.web3, book.functions.pointer()))

    def code(self, address: str) -> bytearray:
        return bytearray(self.stage.chain.web3.eth.get_code(address))

    def set_code(self, address: str, code: bytes) -> None:
        before = self.code(address)
        self.stage.chain.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
        self.undo.append(
            lambda: self.stage.chain.anvil.rpc("anvil_setCode", address, "0x" + before.hex())
        )

    def made(self, decimals: int) -> str:
        """Another token."""
        web3, owner = self.stage.chain.web3, self.stage.chain.owner
        return str(deploy(web3, contract("DemoToken"), owner, "Coin", "COIN", decimals).address)

    def truth(self, honest: Callable[[], Any]) -> Any:
        """Once a transaction comes, the chain is what it is."""
        while self.undo:
            self.undo.pop()()
        return honest()

    def held(self, token: str) -> int:
        """By the wallet."""
        web3, wallet = self.stage.chain.web3, self.stage.chain.deployment.wallet
        return int(call(web3, at(web3, "DemoToken", token).functions.balanceOf(wallet)))

    def run(self, prompt: str, **whom: Any) -> zkagent.Run:
        def confirm(preview: Preview) -> bool:
            self.shown.append(preview)
            return True

        with zkagent.agent(self.node.url, key_file=self.key_file, **whom) as agent:
            return agent.run(prompt, confirm=confirm)


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def world(opened: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    chain = opened.chain
    snapshot = chain.anvil.snapshot()
    (tmp_path / "key").write_text(bytes(chain.owner.key).hex())
    with lying_node(chain.anvil.rpc_url) as node:
        made = World(opened, node, "", tmp_path / "key")
        made.unlisted = made.made(6)
        token = at(chain.web3, "DemoToken", made.unlisted)
        send(chain.web3, token.functions.mint(chain.deployment.wallet, HELD), chain.owner)
        node.lies["eth_sendRawTransaction"] = made.truth
        yield made
    chain.anvil.revert(snapshot)


def listed_with(world: World, decimals: int) -> None:
    """The first token of the book."""
    code = world.code(world.data)
    code[DECIMALS] = decimals
    world.set_code(world.data, bytes(code))


def another_list(world: World) -> None:
    """Another contract whose code is a list, such as the owner's book had once."""
    code, elsewhere = world.code(world.data), to_checksum_address("0x" + "7e" * 20)
    code[DECIMALS] = 18
    world.set_code(elsewhere, bytes(code))
    slot, before = hex(POINTER_SLOT), "0x" + "00" * 12 + world.data[2:]
    rpc = world.stage.chain.anvil.rpc
    rpc("anvil_setStorageAt", world.book, slot, "0x" + "00" * 12 + elsewhere[2:])
    world.undo.append(lambda: rpc("anvil_setStorageAt", world.book, slot, before))


def of_the_token(world: World) -> None:
    world.set_code(world.unlisted, bytes(world.code(world.made(18))))


LIES: dict[str, tuple[Callable[[World], None], str]] = {
    "more decimals in the book": (lambda world: listed_with(world, 18), "USDC"),
    "fewer decimals in the book": (lambda world: listed_with(world, 4), "USDC"),
    "another list": (another_list, "USDC"),
    "more decimals of a token": (of_the_token, "token"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_was_signed_on_a_lie_does_not_happen(world: World, lie: str) -> None:
    """The amount is one that a tool tells, so that the lie cancels in the units."""
    tell, asset = LIES[lie]
    token = world.unlisted if asset == "token" else world.stage.chain.deployment.tokens[0].address
    before = world.held(token)
    tell(world)
    prompt = f"deposit all of {world.unlisted if asset == 'token' else asset}"
    with pytest.raises(RunReverted) as caught:
        world.run(prompt, address=world.stage.chain.deployment.agent)
    assert caught.value.name == "FactChanged"
    assert len(world.node.sent) == 1
    assert world.held(token) == before > 0
    (preview,) = world.shown
    moved = preview.amounts[1]
    assert f"({before} units of {token.lower()})" in moved
    assert not moved.startswith(("100 ", "500 "))  # which is what would have moved


@pytest.mark.parametrize("asset", ["USDC", "token"])
def test_the_same_happens_without_a_lie(world: World, asset: str) -> None:
    named = world.unlisted if asset == "token" else asset
    token = world.unlisted if asset == "token" else world.stage.chain.deployment.tokens[0].address
    units = world.held(token)
    run = world.run(f"deposit all of {named}", address=world.stage.chain.deployment.agent)
    assert world.held(token) == 0
    assert f"({units} units of {token.lower()})" in world.shown[0].amounts[1]
    targets = {fact.target for fact in run_of(bytes.fromhex(world.node.sent[0][2:])).terms.facts}
    assert targets == {
        world.stage.chain.deployment.agent.lower(),
        world.book.lower(),
        world.data.lower(),
        *([token.lower()] if asset == "token" else []),
    }
    assert run.receipt.runs[0].iterations[0].context.book_data == world.data.lower()


@pytest.mark.parametrize("lie", ["more decimals in the book", "another list"])
def test_who_has_the_deployments_record_signs_nothing(world: World, runs: Path, lie: str) -> None:
    LIES[lie][0](world)
    with pytest.raises(TokenContradicted) as caught:
        world.run("deposit all of USDC", deployment=world.stage.chain.deployment)
    assert "\n" not in str(caught.value)
    assert (world.node.sent, world.shown, Journal(runs).records()) == ([], [], ())
    world.truth(lambda: None)


def test_a_record_that_names_another_token_is_not_gone_against(world: World, runs: Path) -> None:
    record = world.stage.chain.deployment
    usdc = replace(record.tokens[0], address=world.unlisted)
    with pytest.raises(TokenContradicted, match=world.unlisted.lower()):
        world.run("deposit all of USDC", deployment=replace(record, tokens=(usdc,)))
    assert (world.node.sent, Journal(runs).records()) == ([], ())


def answering(places: int, length: int) -> bytes:
    """Code that answers whatever it is asked with so many bytes, the first word being `places`."""
    # PUSH1 places, PUSH0, MSTORE, PUSH1 length, PUSH0, RETURN
    return bytes([0x60, places, 0x5F, 0x52, 0x60, length, 0x5F, 0xF3])


@pytest.mark.parametrize("length", [33, 64])
def test_a_token_whose_decimals_no_run_can_rest_on_is_refused_before_anything_is_proven(
    world: World, length: int
) -> None:
    world.set_code(world.unlisted, answering(6, length))
    told = rf"{world.unlisted.lower()} answers decimals\(\) with {length} bytes"
    with pytest.raises(DecimalsRefused, match=told):
        world.run(
            f"deposit 1 {world.unlisted}",
            address=world.stage.chain.deployment.agent,
        )
    assert (world.shown, world.node.sent) == ([], [])


@pytest.mark.parametrize(("places", "length"), [(6, 31), (6, 0), (200, 64)])
def test_what_tells_no_decimals_may_be_a_recipient(world: World, places: int, length: int) -> None:
    world.set_code(world.unlisted, answering(places, length))
    prompt = f"send 1 USDC to {world.unlisted}"
    agent = world.stage.chain.deployment.agent
    assert world.run(prompt, address=agent).decisions[0].action == "Transfer"


def gas_left(divisor: int) -> bytes:
    """Code that answers with the gas that it was called with, in units of `divisor`."""
    # PUSH3 divisor, GAS, DIV, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    return bytes([0x62, *divisor.to_bytes(3, "big"), 0x5A, 0x04, 0x5F, 0x52, 0x60, 32, 0x5F, 0xF3])


@pytest.mark.parametrize(
    "payee", [answering(6, 64), gas_left(1_000_000)], ids=["two words", "the gas it has"]
)
def test_who_is_paid_is_not_asked_for_decimals(world: World, payee: bytes) -> None:
    """Whatever it would answer, and when."""
    address = to_checksum_address("0x" + "bb" * 20)
    world.set_code(address, payee)
    world.undo.clear()  # it stays what it is
    deployment = world.stage.chain.deployment
    run = world.run(f"send 1 USDC to {address}", address=deployment.agent)
    contexts = [step.context for step in run.receipt.runs[0].iterations]
    assert [context.token_decimals for context in contexts] == [()] * len(contexts)
    report = zkagent.verify_receipt(run.receipt, rpc=world.stage.chain.anvil.rpc_url)
    assert [str(check) for check in report.checks if not check.held] == []


def test_a_decision_asks_its_asset_alone(world: World) -> None:
    payee = to_checksum_address("0x" + "bb" * 20)
    world.set_code(payee, answering(6, 64))
    agent = Web3Agent(world.stage.chain.web3, world.stage.chain.deployment.agent)
    model = load_model("wallet")
    decision = decide_at(model, f"deposit 1.5 {world.unlisted}", (), agent, agent.head())
    assert decision.values == (int(world.unlisted, 16), 1_500_000)
    decision = decide_at(model, f"send 1.5 USDC to {payee}", (), agent, agent.head())
    usdc = world.stage.chain.deployment.tokens[0].address
    assert decision.values == (int(usdc, 16), 1_500_000, int(payee, 16))
    with pytest.raises(DecimalsRefused, match=payee.lower()):
        decide_at(model, f"deposit 1.5 {payee}", (), agent, agent.head())


def test_of_two_addresses_none_is_asked_for_decimals(world: World) -> None:
    """Which one would be the asset is never decided."""
    payee = to_checksum_address("0x" + "bb" * 20)
    world.set_code(payee, answering(6, 64))
    agent = Web3Agent(world.stage.chain.web3, world.stage.chain.deployment.agent)
    for prompt in (f"send 1.5 {world.unlisted} to {payee}", f"send 1.5 {payee} to {payee}"):
        decision = decide_at(load_model("wallet"), prompt, (), agent, agent.head())
        assert decision.kind == "ask"


def returning(length: int) -> bytes:
    """Code that answers whatever it is asked with so many zeros."""
    # PUSH3 length, PUSH0, RETURN
    return bytes([0x62, *length.to_bytes(3, "big"), 0x5F, 0xF3])


def test_a_strangers_receipt_has_nobody_read_megabytes(
    world: World, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He signs it himself, and whom it names as tokens is up to him."""
    stage, hostile = world.stage, to_checksum_address("0x" + "ab" * 20)
    world.set_code(hostile, returning(3_000_000))
    world.undo.clear()
    address = stage.chain.deployment.agent
    honest = world.run(f"send 5 USDC to {stage.chain.stranger.address}", address=address).receipt
    document = json.loads(honest.to_json())
    named = [{"token": hostile.lower(), "decimals": 6}] * 64
    for step in document["runs"][0]["iterations"]:
        step["context"]["token_decimals"] = named
    document["signature"] = "0x" + "00" * 65
    unsigned = parse_receipt(json.dumps(document))
    document["signature"] = sign_receipt(stage.chain.owner, signed_text(unsigned.document))
    asked, seen = list[str](), ContractReader.seen

    def listen(reader: ContractReader, to: str, *arguments: Any, **limits: Any) -> bytes:
        asked.append(to.lower())
        return seen(reader, to, *arguments, **limits)

    monkeypatch.setattr(ContractReader, "seen", listen)
    report = zkagent.verify_receipt(parse_receipt(json.dumps(document)), rpc=world.node.url)
    assert report.verdict == "rejected"
    assert hostile.lower() not in asked


def test_what_contracts_answer_has_a_maximum_all_in_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = to_checksum_address("0x" + "ab" * 20)
    world.set_code(hostile, returning(100_000))
    reader = ContractReader(world.stage.chain.web3, Allowance(250_000))
    block = reader.block("latest")
    for _ in range(2):
        assert len(reader.seen(hostile, b"", block)) == 100_000
    for _ in range(2):
        with pytest.raises(CannotVerify, match="more than 250,000 bytes"):
            reader.seen(hostile, b"", block)
    monkeypatch.setattr(reader, "web3", None)
    with pytest.raises(CannotVerify, match="more than 250,000 bytes"):  # and nobody is asked
        reader.seen(hostile, b"", block)


def test_the_reasons_of_reverts_count_as_answers(world: World) -> None:
    hostile = to_checksum_address("0x" + "ab" * 20)
    world.set_code(hostile, returning(100_000)[:-1] + b"\xfd")  # REVERT
    reader = ContractReader(world.stage.chain.web3, Allowance(250_000))
    block = reader.block("latest")
    for _ in range(2):
        with pytest.raises(RevertError):
            reader.seen(hostile, b"", block)
    with pytest.raises(CannotVerify, match="more than 250,000 bytes"):
        reader.seen(hostile, b"", block)


def test_a_view_has_little_gas(world: World) -> None:
    hostile = to_checksum_address("0x" + "ab" * 20)
    world.set_code(hostile, bytes.fromhex("5b5f56"))  # JUMPDEST, PUSH0, JUMP: for ever
    reader = ContractReader(world.stage.chain.web3)
    with pytest.raises(RevertError):
        reader.seen(hostile, b"", reader.block("latest"))
