"""`decide` and a run decide alike: by the agent's own book, and by the demo agent's otherwise."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.executor.api.decisions import decide
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.runs.events import Event, Planned
from zkagent.executor.runs.plan import plan_run
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import RefusedArgument
from zkagent.verifier_contracts.chain.local import deploy, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import contract

FRIEND = "0x00000000000000000000000000000000000000F1"
PROMPTS = [
    "deposit 1 WBTC",
    "deposit 0.000001 USDC",
    "deposit 0.0000001 USDC",
    "deposit 0.00000001 wbtc",
    "deposit 0.000000001 WBTC",
    "deposit 5 USDC into the pool",
    "put 2.5 WETH in the pool",
    f"send 3 DAI to {FRIEND}",
    f"transfer 1.5 usdc to {FRIEND}",
    "withdraw all my WBTC",
    "withdraw all my USDC",
    "deposit 5 PEPE",
    "how much DAI do I have?",
    "what is the weather like?",
    "send 3 DAI",
]


def planned(session: Session, model: Model, prompt: str) -> Decision | None:
    """The first decision of a run, whatever becomes of the run; None for what cannot be carried
    out."""
    told: list[Event] = []
    try:
        plan_run(session.chain, model, prompt.encode(), session.sender.account, report=told.append)
    except RefusedArgument:
        return None
    except RevertError:  # the wallet does not hold as much
        pass
    return next(event.decision for event in told if isinstance(event, Planned))


def decided(model: Model, prompt: str) -> Decision | None:
    try:
        return decide(model, prompt)
    except RefusedArgument:
        return None


def shown(decision: Decision | None) -> object:
    """Without the tokens' addresses, which are made up where there is no chain."""
    if decision is None:
        return None
    return decision.action, [a.text for a in decision.arguments], decision.answer


def test_every_prompt_is_decided_alike_without_a_chain_and_by_a_run(
    session: Session, wallet: Model
) -> None:
    alone = {prompt: shown(decided(wallet, prompt)) for prompt in PROMPTS}
    assert alone == {prompt: shown(planned(session, wallet, prompt)) for prompt in PROMPTS}
    assert alone["deposit 1 WBTC"] == ("Deploy", ["WBTC", "1"], "")
    assert alone["deposit 0.000001 USDC"] == ("Deploy", ["USDC", "0.000001"], "")
    assert alone["deposit 0.0000001 USDC"] != ("Deploy", ["USDC", "0.0000001"], "")


@pytest.fixture
def record(embedded: EmbeddedChain, tmp_path: Path) -> Path:
    path = tmp_path / "deployment.json"
    path.write_text(embedded.deployment.to_json())
    return path


def test_the_command_asks_the_agent_that_is_named(
    embedded: EmbeddedChain, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """PEPE is listed by this agent alone; WBTC is taken off its list."""
    web3, owner = embedded.web3, embedded.owner
    token = deploy(web3, contract("DemoToken"), owner, "Pepe", "PEPE", 18)
    book = at(web3, "SymbolBook", embedded.deployment.symbol_book).functions
    send(web3, book.list("PEPE", token.address), owner)
    send(web3, book.unlist("WBTC"), owner)
    rpc = embedded.anvil.rpc_url
    for where in (["--deployment", record], ["--agent", embedded.deployment.agent]):
        actions = []
        for prompt in ("deposit 5 PEPE", "deposit 1 WBTC"):
            assert exit_code("decide", "wallet", prompt, "--rpc", rpc, *where, "--json") == 0
            actions.append(json.loads(capsys.readouterr().out)["action"])
        assert actions == ["Deploy", "answer"]


def test_half_an_agent_is_refused(
    embedded: EmbeddedChain, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rpc, prompt = embedded.anvil.rpc_url, "deposit 5 USDC"
    assert exit_code("decide", "wallet", prompt, "--rpc", rpc) == 1
    assert "which agent?" in one_line_error(capsys)
    for half in (["--agent", embedded.deployment.agent], ["--deployment", record]):
        assert exit_code("decide", "wallet", prompt, *half) == 1
        assert "add --rpc URL" in one_line_error(capsys)
    where = ["--rpc", rpc, "--deployment", record]
    assert exit_code("decide", "wallet", prompt, *where, "--symbol", "PEPE") == 2
