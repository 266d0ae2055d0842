"""What a deployment builds on, looked at place by place: refused, or trusted on request."""

from typing import Any, cast

import pytest

from zkagent.executor.audit import foundations
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.foundations import _places, _vouched
from zkagent.executor.chain.agent import Block
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.verifier_contracts.deployment.foundations import Foundations
from zkagent.verifier_contracts.deployment.record import Token
from zkagent.verifier_contracts.errors import UnknownCode

REGISTRY, EXECUTOR, BOOK, POOL, USDC, DAI = ("0x" + digit * 40 for digit in "123456")
ALL = Foundations(REGISTRY, EXECUTOR, BOOK, POOL, (Token("USDC", USDC, 6), Token("DAI", DAI, 18)))
CONTRACTS = {
    REGISTRY: ("registry", "ModelRegistry", False),
    EXECUTOR: ("executor", "AgentExecutor", False),
    BOOK: ("symbol book", "SymbolBook", False),
    POOL: ("pool", "LendingPool", True),
    USDC: ("token USDC", "DemoToken", True),
    DAI: ("token DAI", "DemoToken", True),
}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | Exception]:
    """What is found out of how a contract was made, by its address; nothing wrong by default."""
    said: dict[str, str | Exception] = {}

    def check(code: Code, place: Place) -> str:
        told = said.get(place.address, "")
        if isinstance(told, Exception):
            raise told
        return told

    monkeypatch.setattr(foundations, "check_origin", check)
    monkeypatch.setattr(Code, "is_ours", lambda self, place: True)
    return said


def code(*trusted: str) -> Code:
    return Code(cast(Any, None), Block(1, ""), trusted)


def test_every_contract_that_is_there_already_has_its_place() -> None:
    places = {place.address: (place.role, *place.names, place.choice) for place in _places(ALL)}
    assert places == CONTRACTS
    assert list(_places(Foundations())) == []
    assert [place.role for place in _places(Foundations(pool=POOL))] == ["pool"]


def test_what_its_own_constructor_made_needs_nobodys_word(found: dict[str, Any]) -> None:
    assert list(_vouched(code(), ALL)) == []


@pytest.mark.parametrize("address", CONTRACTS)
def test_what_another_constructor_made_is_refused_whoever_vouches_for_it(
    found: dict[str, Any], address: str
) -> None:
    role, name, _ = CONTRACTS[address]
    kind = Place(role, address, (name,)).kind
    found[address] = "made by another constructor"
    for trusted in ((), (f"{kind}={address}", address)):
        with pytest.raises(UnknownCode, match=f"{address} is no {name} to build on: made by"):
            list(_vouched(code(*trusted), ALL))


@pytest.mark.parametrize("address", CONTRACTS)
def test_what_cannot_be_told_is_refused_until_somebody_vouches_for_it(
    found: dict[str, Any], address: str
) -> None:
    role, name, _ = CONTRACTS[address]
    kind = Place(role, address, (name,)).kind
    found[address] = CannotTell("it was made inside of a call")
    said = f"made inside of a call; --trust {kind}={address} takes it nevertheless"
    with pytest.raises(UnknownCode, match=said):
        list(_vouched(code(), ALL))
    told = list(_vouched(code(f"{kind}={address}"), ALL))
    assert told == ["it was made inside of a call; trusted on request"]


@pytest.mark.parametrize("address", CONTRACTS)
def test_foreign_code_is_the_owners_to_choose_where_it_may_be(
    found: dict[str, Any], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found[address] = "made by another constructor"
    monkeypatch.setattr(Code, "is_ours", lambda self, place: place.address != address)
    if CONTRACTS[address][2]:
        assert list(_vouched(code(), ALL)) == []
    else:
        with pytest.raises(UnknownCode):
            list(_vouched(code(), ALL))
