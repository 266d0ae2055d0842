"""A model's owner who registers the genuine encoder and decoder of a release, which decides
otherwise than this version: audits, commands and receipts say so, and nobody runs it unawares."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.integration.journalled.world import World
from tests.support.command_line import exit_code, one_line_error
from tests.support.earlier_deciders import decide_as_before
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.forged_storage import agent_with
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.api.audits import audit_agent, audit_model
from zkagent.executor.audit.report import Audit
from zkagent.executor.errors import DecidesOtherwise, HappenedUnreceipted
from zkagent.executor.runs import open_run, session
from zkagent.executor.runs.errors import DoneBefore
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.model_code import build_model_code
from zkagent.verifier_contracts.deployment.release import read_archive
from zkagent.verifier_contracts.toolchain.compile import Contract, compile_sources

ARCHIVES = Path(__file__).parents[1] / "verifier_contracts" / "deployment" / "released"
TWO = "deposit 5 USDC, yes, 5 USDC"  # the release deposits, this version asks
BOTH = ("encoder", "decoder")
Listed = Callable[[list[str]], list[str]]
#: What a registry takes, and no deployment makes.
ODD: dict[str, Listed] = {
    "none": lambda listed: [],
    "one": lambda listed: listed[-1:],
    "permuted": lambda listed: listed[::-1],
    "one more": lambda listed: [*listed, listed[0]],
    "many": lambda listed: listed[:1] * 40,
}


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture(scope="module")
def release() -> dict[str, Contract]:
    return compile_sources(read_archive(ARCHIVES / "0.1.0.zip"))


@dataclass
class Downgraded:
    """An agent whose owner accepted what its model's owner registered."""

    world: World
    model: Model
    release: dict[str, Contract]

    def register(self, *roles: str, listed: Listed = list) -> None:
        """With the release's contracts in these roles, made as deployments make theirs. listed:
        which data are registered beside them, of those that they read."""
        chain = self.world.stage.chain
        web3, owner, there = chain.web3, chain.owner, chain.deployment
        registry = at(web3, "ModelRegistry", there.registry)
        binding = list(call(web3, registry.functions.getBinding(there.model_id)))
        code, (*chunks, data) = build_model_code(self.model.manifest, self.model.tables), binding[3]
        arguments = {
            "encoder": ("TextEncoder", code.encoder_arguments(chunks, data)),
            "decoder": ("ToolDecoder", code.decoder_arguments(data)),
        }
        for role in roles:
            name, given = arguments[role]
            made = deploy(web3, self.release[name], owner, *given)
            binding[1 + BOTH.index(role)] = made.address
        binding[3] = listed(binding[3])
        commitment = list(call(web3, registry.functions.getModel(there.model_id))[0])
        commitment[0] = call(web3, registry.functions.modelHashOf(tuple(binding)))
        changed = (there.model_id, tuple(commitment), tuple(binding))
        send(web3, registry.functions.updateBoundModel(*changed), owner)
        fresh = call(web3, registry.functions.commitmentHash(there.model_id))
        agent = at(web3, "WalletAgent", there.agent)
        send(web3, agent.functions.acceptModel(fresh), owner)
        self.binding = binding

    def audits(self, *trust: str) -> tuple[Audit, Audit]:
        there, rpc = self.world.stage.chain.deployment, self.world.anvil.rpc_url
        of_model = audit_model(there.model_id, there.registry, rpc, trust=trust)
        return of_model, audit_agent(there.agent, rpc, trust=trust)

    @property
    def trust(self) -> tuple[str, ...]:
        return tuple(f"{role}={self.binding[1 + n]}" for n, role in enumerate(BOTH))

    def run_before(self, patch: pytest.MonkeyPatch) -> None:
        """From here on this is the version that went by the release's rule."""
        decide_as_before(patch)
        for module in (open_run, session):
            patch.setattr(module, "check_deciders", lambda *_: None)


@pytest.fixture
def downgraded(
    opened: Stage, wallet: Model, release: dict[str, Contract], runs: Path, tmp_path: Path
) -> Iterator[Downgraded]:
    (tmp_path / "key").write_text(bytes(opened.chain.owner.key).hex())
    snapshot = opened.chain.anvil.snapshot()
    yield Downgraded(World(opened, tmp_path / "key", runs), wallet, release)
    opened.chain.anvil.revert(snapshot)


@pytest.mark.parametrize("roles", [("decoder",), BOTH, ("encoder",)])
def test_no_audit_calls_it_sound_unless_somebody_vouches_for_it(
    downgraded: Downgraded, roles: tuple[str, ...]
) -> None:
    assert [found.verdict for found in downgraded.audits()] == ["sound", "sound"]
    downgraded.register(*roles)
    for found in downgraded.audits():
        assert found.verdict == "unknown"
        assert [check.subject for check in found.problems] == list(roles)
        for check in found.problems:
            assert check.vouchable
            assert "of release 0.1.0, which decides otherwise than this version" in check.problem
    for found in downgraded.audits(*downgraded.trust):
        assert found.verdict == "sound"
        assert "of release 0.1.0" in found.conclusion


@pytest.mark.parametrize("kind", ODD)
def test_data_that_are_listed_otherwise_are_unsound_and_rejected(
    downgraded: Downgraded, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Encoder and decoder are ours, and read what their constructors were given."""
    world, there = downgraded.world, downgraded.world.stage.chain.deployment
    downgraded.register(listed=ODD[kind])
    for found in downgraded.audits():
        assert found.verdict == "unsound"
        assert {"model 1", "encoder"} <= {check.subject for check in found.problems}
    run, rpc = world.run("deposit 5 USDC"), world.anvil.rpc_url
    assert zkagent.verify_receipt(run.receipt).accepted
    rejected = zkagent.verify_receipt(run.receipt, rpc=rpc)
    assert rejected.verdict == "rejected"
    assert {"run 1, model 1", "run 1, encoder"} <= {check.subject for check in rejected.problems}
    for command in (
        ("model", "audit", there.model_id, "--registry", there.registry, "--rpc", rpc),
        ("agent", "audit", there.agent, "--rpc", rpc),
        ("verify-run", run.path, "--rpc", rpc),
    ):
        assert exit_code(*command) == 1
        said = capsys.readouterr()
        assert "encoder" in said.out
        assert "it was made with" in said.out
        assert "Traceback" not in said.err


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("roles", [("decoder",), ("encoder",)])
def test_a_release_s_is_refused_whatever_data_are_listed_beside_it(
    downgraded: Downgraded, kind: str, roles: tuple[str, ...]
) -> None:
    downgraded.register(*roles, listed=ODD[kind])
    assert [found.verdict for found in downgraded.audits()] == ["unsound", "unsound"]
    with pytest.raises(DecidesOtherwise, match=r"of release 0\.1\.0"):
        downgraded.world.run("deposit 5 USDC")


def test_what_was_done_before_is_done_before(
    downgraded: Downgraded, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a receipt, too; what was not begun is refused."""
    downgraded.register("decoder")
    world = downgraded.world
    with pytest.MonkeyPatch.context() as before:
        downgraded.run_before(before)
        done = world.run("deposit 5 USDC")
    mined = world.stage.mined_by_owner()
    with pytest.raises(DoneBefore, match=str(done.path)):
        world.run("deposit 5 USDC")
    for again in (False, True):
        with pytest.raises(DecidesOtherwise):
            world.run("deposit 5 USDC" if again else "deposit 6 USDC", again=again)
    target = ("--rpc", world.anvil.rpc_url, "--agent", world.stage.chain.deployment.agent)
    command = ("run", "deposit 5 USDC", *target, "--key-file", world.key, "--yes")
    assert exit_code(*command) == 5
    assert "was carried out in block" in one_line_error(capsys)
    assert world.stage.mined_by_owner() == mined


def test_what_would_run_or_show_it_stops_before_anything_is_proven(
    downgraded: Downgraded, capsys: pytest.CaptureFixture[str]
) -> None:
    downgraded.register("decoder")
    world = downgraded.world
    with pytest.raises(DecidesOtherwise, match="Deploy the agent anew"):
        world.run("deposit 5 USDC")
    target = ("--rpc", world.anvil.rpc_url, "--agent", world.stage.chain.deployment.agent)
    key = ("--rpc", world.anvil.rpc_url, "--key-file", world.key, "--yes")
    registry = ("--registry", world.stage.chain.deployment.registry)
    for command in (
        ("decide", "wallet", "deposit 5 USDC", *target),
        ("model", "register-batch", 1, "--batch", 2, *registry, *key),
    ):
        assert exit_code(*command) == 1
        said = one_line_error(capsys)
        assert "ToolDecoder of release 0.1.0" in said
        assert "nothing was proven or sent" in said


def test_a_receipt_of_before_is_unknown_and_not_rejected(
    downgraded: Downgraded, tmp_path: Path
) -> None:
    downgraded.register(*BOTH)
    world = downgraded.world
    with pytest.MonkeyPatch.context() as before:
        downgraded.run_before(before)
        receipt = world.run(TWO).receipt
        alike = world.run("deposit 6 USDC").receipt
        assert zkagent.verify_receipt(receipt).accepted
    assert zkagent.verify_receipt(alike).accepted
    for rpc in (None, world.anvil.rpc_url):
        found = zkagent.verify_receipt(receipt, rpc=rpc)
        assert found.verdict == "unknown", found.problems
        assert any("b8c246e of the repository, says" in c.problem for c in found.problems)
    with_chain = zkagent.verify_receipt(alike, rpc=world.anvil.rpc_url)
    assert {check.subject for check in with_chain.problems} == {"run 1, encoder", "run 1, decoder"}
    assert with_chain.verdict == "unknown"
    trusted = zkagent.verify_receipt(alike, rpc=world.anvil.rpc_url, trust=downgraded.trust)
    assert trusted.accepted, trusted.problems
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt.document))
    assert exit_code("verify-run", path) == 3


def test_a_run_that_lost_its_receipt_over_the_update_says_who_makes_it(
    downgraded: Downgraded,
) -> None:
    downgraded.register(*BOTH)

    def nowhere(*_: Any, **__: Any) -> Any:
        raise OSError("no space left")

    world = downgraded.world
    with pytest.MonkeyPatch.context() as before:
        downgraded.run_before(before)
        before.setattr("zkagent.executor.api.agents.write_receipt", nowhere)
        with pytest.raises(HappenedUnreceipted):
            world.run(TWO)
    with world.agent() as agent, pytest.raises(HappenedUnreceipted) as caught:
        agent.resume(world.record())
    said = str(caught.value)
    assert "was decided by ToolDecoder of release 0.1.0" in said
    assert "`zkagent runs resume` of zkagent 0.1.0, commit b8c246e" in said
    assert "another node" not in said


def test_a_book_of_a_release_may_list_words_that_are_refused_now(
    downgraded: Downgraded, release: dict[str, Contract], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tokens are audited all the same; a run reads no prompt by it."""
    chain = downgraded.world.stage.chain
    there, web3 = chain.deployment, chain.web3
    book = deploy(web3, release["SymbolBook"], chain.owner, there.owner)
    for symbol in ("USDC", "DAI"):
        send(web3, book.functions.list(symbol, there.token(symbol).address), chain.owner)
    agent = agent_with(chain, book=book.address)
    rpc = downgraded.world.anvil.rpc_url
    assert audit_agent(agent, rpc).verdict == "sound"
    send(web3, book.functions.unlist("DAI"), chain.owner)
    send(web3, book.functions.list("ONE", there.token("DAI").address), chain.owner)
    found = audit_agent(agent, rpc)
    assert found.verdict == "unknown"
    (problem,) = found.problems
    assert (problem.subject, problem.vouchable) == ("symbol book", True)
    assert "no token can go by 'one'" in problem.problem
    assert "its owner can take it out (unlist)" in problem.problem
    assert any(check.subject == "token one" and check.held for check in found.checks)
    trusted = audit_agent(agent, rpc, trust=[f"book={book.address}"])
    assert trusted.verdict == "sound"
    target = ("--rpc", rpc, "--agent", agent)
    for command in (
        ("decide", "wallet", "deposit 5 USDC", *target),
        ("run", "deposit 5 USDC", *target, "--key-file", downgraded.world.key, "--yes"),
    ):
        assert exit_code(*command) == 1
        said = one_line_error(capsys)
        assert f"the book at {book.address.lower()} lists what books" in said.lower()
        assert "its owner can take it out (unlist)" in said
        assert "check the address" not in said
