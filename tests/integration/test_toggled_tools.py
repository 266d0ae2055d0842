"""Foreign tools and tokens that are something else when the blocks around a run are over: what
happened has its receipt, by pins and signed facts, and that holds with the chain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import lying_node
from tests.support.surrounding import surround
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.errors import DecisionMismatch
from zkagent.executor.receipts.format import Receipt
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.toolchain.compile import Contract, compile_sources, contract

TOGGLED = Path(__file__).parent / "hostile" / "Toggled.sol"
MAX_ITERATIONS = 8
Handed = Callable[[Callable[[], Any]], Any]


@cache
def toggled() -> dict[str, Contract]:
    return compile_sources({"generated/Toggled.sol": TOGGLED.read_text()})


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@dataclass
class Scene:
    """An agent of the owner, and contracts of a stranger's."""

    stage: Stage
    key_file: Path
    agent: str
    trust: list[str] = field(default_factory=list)

    @property
    def friend(self) -> str:
        return str(self.stage.chain.friend.address)

    def make(self, name: str, *arguments: Any) -> Any:
        chain = self.stage.chain
        return deploy(chain.web3, toggled()[name], chain.stranger, *arguments)

    def by_stranger(self, change: Any) -> None:
        send(self.stage.chain.web3, change, self.stage.chain.stranger)

    def run(
        self, prompt: str, hand_in: Handed | None = None, *, interrupted: bool = False
    ) -> Receipt:
        """interrupted: what is recorded is made of the transaction."""
        with lying_node(self.stage.chain.anvil.rpc_url) as node:
            if hand_in:
                node.lies["eth_sendRawTransaction"] = hand_in
            with zkagent.agent(node.url, self.agent, key_file=self.key_file) as agent:
                if interrupted:
                    agent.carrier._remember = lambda record, preview: None  # type: ignore[method-assign]
                run = agent.run(prompt, record_answer=True)
        return run.receipt

    def around(self, away: Any, back: Any, *, behind: bool) -> Handed:
        stranger = self.stage.chain.stranger
        return surround(self.stage, stranger, [away], [back], [away] * behind)

    def report(self, receipt: Receipt) -> Any:
        rpc = self.stage.chain.anvil.rpc_url
        return zkagent.verify_receipt(receipt, rpc=rpc, trust=self.trust)

    def check(self, receipt: Receipt) -> None:
        """It holds, with the chain and without."""
        assert zkagent.verify_receipt(receipt).problems == ()
        report = self.report(receipt)
        assert [str(each) for each in report.checks if not each.held] == []


@pytest.fixture
def scene(opened: Stage, tmp_path: Path, runs: Path) -> Iterator[Scene]:
    chain = opened.chain
    snapshot = chain.anvil.snapshot()
    key_file = tmp_path / "key"
    key_file.write_text(bytes(chain.owner.key).hex())
    yield Scene(opened, key_file, chain.deployment.agent)
    chain.anvil.rpc("evm_setAutomine", True)
    chain.anvil.revert(snapshot)


def with_tool(scene: Scene, spare: int = 0) -> Any:
    """The scene's agent has a tool of the stranger's, whom its owner trusts."""
    chain, there = scene.stage.chain, scene.stage.chain.deployment
    tool = scene.make("ToggledTool", spare)
    registry = at(chain.web3, "ModelRegistry", there.registry)
    agent = deploy(
        chain.web3,
        toggled()["OwnAgent"],
        chain.owner,
        there.executor,
        str(there.model_id),
        call(chain.web3, registry.functions.commitmentHash(there.model_id)),
        chain.owner.address,
        there.pool,
        there.symbol_book,
        tool.address,
        MAX_ITERATIONS,
    )
    purse = call(chain.web3, agent.functions.wallet())
    for token in there.tokens:
        minted = at(chain.web3, "DemoToken", token.address).functions.mint(purse, 10**20)
        send(chain.web3, minted, chain.owner)
    scene.agent = agent.address
    scene.trust = [f"agent={agent.address.lower()}", f"tool={tool.address.lower()}"]
    return tool.functions


def with_token(scene: Scene) -> Any:
    """The scene's wallet has such a token, which no book lists."""
    token = scene.make("ToggledToken")
    scene.by_stranger(token.functions.mint(scene.stage.chain.deployment.wallet, 10**10))
    scene.trust = [token.address.lower()]
    return token


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_token_that_was_another_one_around_the_run(
    scene: Scene, interrupted: bool, behind: bool
) -> None:
    """The decimals that count are in the signed facts, which the executor looked at."""
    token = with_token(scene)
    six, eighteen = token.functions.set(6), token.functions.set(18)
    hand_in = scene.around(eighteen, six, behind=behind)
    prompt = f"deposit 1.5 {token.address}"
    receipt = scene.run(prompt, hand_in, interrupted=interrupted)
    number = receipt.runs[0].transaction.block.number
    found = [token.functions.decimals().call(block_identifier=number - back) for back in (1, 0)]
    assert found == [18, 18 if behind else 6]
    pool = scene.stage.chain.deployment.pool
    assert token.functions.balanceOf(pool).call() == 1_500_000
    scene.check(receipt)


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("how", ["other words", "silent"])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_tool_that_was_another_one_around_the_run(
    scene: Scene, interrupted: bool, how: str, behind: bool
) -> None:
    """The agent looked at its pins in the run."""
    tool = with_tool(scene)
    scene.check(scene.run(f"send 2 USDC to {scene.friend}"))
    words = "See the balance of a token in the pool and in the wallet"
    away, back = {
        "other words": (tool.describe("other"), tool.describe(words)),
        "silent": (tool.fallSilent(True), tool.fallSilent(False)),
    }[how]
    hand_in = scene.around(away, back, behind=behind)
    receipt = scene.run(f"send 3 USDC to {scene.friend}", hand_in, interrupted=interrupted)
    if behind:
        scene.by_stranger(back)
    scene.check(receipt)


def test_nobody_who_did_not_vouch_for_such_a_tool_is_told_that_all_holds(scene: Scene) -> None:
    tool = with_tool(scene)
    scene.trust = scene.trust[:1]
    away, back = tool.fallSilent(True), tool.fallSilent(False)
    receipt = scene.run(f"send 3 USDC to {scene.friend}", scene.around(away, back, behind=True))
    assert scene.report(receipt).verdict == "unknown"


def test_a_tool_that_is_read_in_two_ways_is_found_before_a_run(scene: Scene) -> None:
    """What we read of it is not what was pinned, so no receipt of the run would hold."""
    with_tool(scene, spare=32)
    rpc = scene.stage.chain.anvil.rpc_url
    report = zkagent.audit_agent(scene.agent, rpc, trust=scene.trust)
    assert report.verdict != "sound"
    assert any("more than the texts that are read in it" in str(each) for each in report.problems)
    with pytest.raises(DecisionMismatch, match="pin of the tool"):
        scene.run(f"send 2 USDC to {scene.friend}")


@pytest.mark.parametrize("words", ["withdraw 0 {token}", "deposit 0.0000000 {token}"])
@pytest.mark.parametrize("interrupted", [False, True])
def test_an_answer_about_a_token_that_no_book_lists_has_its_receipt(
    scene: Scene, words: str, interrupted: bool
) -> None:
    """That it is nothing to move depends on the token's decimals."""
    token = with_token(scene)
    prompt = words.format(token=token.address)
    scene.check(scene.run(prompt, interrupted=interrupted))


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_answer_by_a_book_that_was_another_one_around_the_run(
    scene: Scene, interrupted: bool
) -> None:
    """A book's list is never at the same place again, so the run is refused."""
    chain, there = scene.stage.chain, scene.stage.chain.deployment
    usdc, dai = (there.token(name).address for name in ("USDC", "DAI"))
    book = deploy(chain.web3, contract("SymbolBook"), chain.stranger, chain.stranger.address)
    for listed in (book.functions.list("USDC", usdc), book.functions.list("DAI", dai)):
        scene.by_stranger(listed)
    registry = at(chain.web3, "ModelRegistry", there.registry)
    agent = deploy(
        chain.web3,
        contract("WalletAgent"),
        chain.owner,
        there.executor,
        str(there.model_id),
        call(chain.web3, registry.functions.commitmentHash(there.model_id)),
        there.registry,
        chain.owner.address,
        there.pool,
        book.address,
        MAX_ITERATIONS,
    )
    scene.agent = agent.address
    scene.check(scene.run("deposit USDC", interrupted=interrupted))
    away, back = book.functions.unlist("USDC"), book.functions.list("USDC", usdc)
    hand_in = scene.around(away, back, behind=True)
    with pytest.raises(zkagent.ZkagentError, match="FactChanged"):
        scene.run("deposit DAI", hand_in, interrupted=interrupted)
