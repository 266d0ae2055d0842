"""What an audit says of the order of arguments: by the wallet's functions, whatever tools say."""

from types import SimpleNamespace

import pytest

from zkagent.executor.api.audits import _order
from zkagent.executor.audit.wiring import NOBODY, Metadata, Tool, Wiring
from zkagent.models.catalogue import Model
from zkagent.models.wallet.train import TOOLS

SAID = (b"recipient", b"amount", b"asset")


def wiring(wallet: str) -> Wiring:
    tool = Tool("0x" + "22" * 20, b"Transfer", Metadata.of((b"",) * 3), b"", "", SAID)
    nothing = (b"", 1, b"", (tool,), Metadata.of((b"",) * 3))
    prompt, limit, commitment, tools, metadata = nothing
    agent = "0x" + "11" * 20
    return Wiring(
        agent, agent, agent, 1, prompt, limit, commitment, tools, metadata, NOBODY, wallet, NOBODY
    )


@pytest.mark.parametrize(
    ("wallet", "ours", "found"),
    [
        ("0x" + "33" * 20, True, "Transfer(recipient, amount, asset), and the tool takes asset"),
        ("0x" + "33" * 20, False, ""),
        (NOBODY, True, ""),
    ],
)
def test_a_tool_of_the_wallets_takes_what_the_wallet_takes(
    wallet: str, ours: bool, found: str
) -> None:
    """The tool and the model agree about an order that is not that of the wallet's function."""
    action = TOOLS[-1].model_copy(update={"parameters": TOOLS[-1].parameters[::-1]})
    model: Model = SimpleNamespace(manifest=SimpleNamespace(actions=(action,)))  # type: ignore[assignment]
    code = SimpleNamespace(is_ours=lambda place: ours)
    said = _order(code, model, wiring(wallet))  # type: ignore[arg-type]
    assert said.startswith(found)
    assert bool(said) == bool(found)
