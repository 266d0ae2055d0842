"""The number of an agent's model is read alike by everybody: as the contracts read it."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.checkout import ROOT
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.model_ids import model_number
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.cli import agent_accept
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.chain import local
from zkagent.verifier_contracts.deployment import wallet

AGENT = "0x" + "a9" * 20
SOURCE = Path(ROOT, "verifier_contracts/src/libraries/ModelIds.sol")
ODD = [
    *("", "0", "01", "abc", "9" * 29, "9" * 5000, "\u0661", "\u00b2", " 1 ", "1\n", "\n1", "1_0"),
    *("+1", "-1", "1.0", "1e3", "0x1", "1\0", "\U0001d7d9"),
]


@pytest.mark.parametrize("number", [1, 7, 10, 42, 10**27, 10**28 - 1])
def test_a_number_of_the_registry_is_read(number: int) -> None:
    assert model_number(AGENT, str(number).encode()) == number


@pytest.mark.parametrize("told", ODD)
def test_anything_else_is_refused_in_a_short_line(told: str) -> None:
    with pytest.raises(NoAgentThere, match="its model id is b") as caught:
        model_number(AGENT, told.encode())
    assert len(str(caught.value)) < 400


def test_the_contract_has_the_same_rule() -> None:
    """28 digits, none of them leading zeros: what changes there has to change here."""
    source = SOURCE.read_text()
    assert re.search(r"MAX_DIGITS = 28;", source)
    assert 'b.length == 0 || b.length > MAX_DIGITS || b[0] == "0"' in source
    assert "if (!_isDigit(b[i])) revert IAgentExecutor.MalformedModelId(text);" in source
    assert 'return b >= "0" && b <= "9";' in source


def test_whoever_reads_a_model_id_reads_it_so() -> None:
    readers = [
        path
        for path in Path(ROOT, "executor").rglob("*.py")
        if re.search(r"abi\.MODEL_ID|modelId\(\)\)", path.read_text())
    ]
    assert len(readers) == 4
    assert [path.name for path in readers if "model_number(" not in path.read_text()] == []


@pytest.mark.parametrize("told", ["abc", "9" * 5000, "\u0661", " 1 ", "1_0"])
def test_accepting_refuses_an_agent_of_an_odd_model(
    told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    class Functions:
        """Every method returns its name."""

        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: (name, *arguments)

    def call(web3: Any, method: tuple[Any, ...]) -> Any:
        asked.append(method)
        return told if method[0] == "modelId" else bytes(32)

    monkeypatch.setattr(local, "call", call)
    monkeypatch.setattr(ContractReader, "block", lambda *_: Block(1, "0x" + "01" * 32))
    monkeypatch.setattr(ContractReader, "code", lambda *_: b"\x01")
    monkeypatch.setattr(wallet, "at", lambda *where: SimpleNamespace(functions=Functions()))
    with pytest.raises(NoAgentThere, match="its model id is"):
        agent_accept._hashes(None, AGENT, Functions())
    assert "commitmentHash" not in [name for name, *_ in asked]
