"""What an audit says at its edges: where the wallet is nobody's, so that its pool is not known, of
the registry that a model stands in, of what a deployment builds on, and of code that is longer."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.altered_chain import AlteredReader
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.audit import foundations
from zkagent.executor.audit import model as model_audit
from zkagent.executor.audit.agent import audit_agent, pool_of
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import Audited, audit
from zkagent.executor.audit.wiring import read_wiring, wallet_place
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.receipts.verdicts import CannotTell, Check
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.known_code import _version_of as version_of
from zkagent.verifier_contracts.errors import UnknownCode

FOREIGN = bytes.fromhex("5f355f55")
A, B, C = ("0x" + digit * 40 for digit in "abc")


@pytest.fixture
def code(opened: tuple[Session, EmbeddedChain]) -> Code:
    reader = AlteredReader(ContractReader(opened[1].web3), {})
    return Code(reader, reader.block("latest"))


@pytest.fixture
def audited(
    code: Code,
    opened: tuple[Session, EmbeddedChain],
    wallet: Model,
    wallet_circuit: Circuit,
) -> Audited:
    wiring = read_wiring(code.reader, opened[1].deployment.agent, code.block)
    bound = Web3Registry(code.reader, wiring.registry).model(wiring.model_id, code.block)
    return Audited(code, wiring.registry, bound, wallet, wallet_circuit)


def found(checks: Iterator[Check], subject: str) -> list[Check]:
    return [check for check in checks if check.subject == subject]


def test_a_pool_is_looked_at_and_unknown_where_the_wallet_is_nobodys(
    code: Code, opened: tuple[Session, EmbeddedChain]
) -> None:
    there = opened[1].deployment
    wiring = read_wiring(code.reader, there.agent, code.block)
    pool = pool_of(code, wiring)
    honest = found(audit_agent(code, wiring, there.contracts.decoder), "pool")
    assert honest[0].claim == f"{pool} is LendingPool"
    assert all(check.held for check in honest)
    altered: Any = code.reader
    altered.codes[wallet_place(wiring).address.lower()] = FOREIGN
    (unknown,) = found(
        audit_agent(Code(altered, code.block), wiring, there.contracts.decoder), "pool"
    )
    assert (unknown.claim, unknown.unknown) == ("the wallet has one", True)
    assert "nobody here compiled it" in unknown.problem


def test_the_registry_that_a_model_stands_in_is_looked_at(audited: Audited) -> None:
    checks = list(audit(audited))
    assert [str(check) for check in checks if not check.held] == []
    assert {check.subject for check in checks} >= {"registry", f"model {audited.bound.model_id}"}
    altered: Any = audited.code.reader
    altered.codes[audited.registry.lower()] = FOREIGN
    other = Audited(
        Code(altered, audited.code.block),
        audited.registry,
        audited.bound,
        audited.model,
        audited.circuit,
    )
    assert any(check.unknown for check in found(audit(other), "registry"))


def test_how_the_registry_was_made_is_looked_at(audited: Audited) -> None:
    (honest,) = [c for c in found(audit(audited), "registry") if "constructor" in c.claim]
    assert honest.held
    (kept,) = [asked for asked in audited.code.origins if asked[0] == audited.registry.lower()]
    audited.code.origins[kept] = "by another constructor"
    problems = [check.problem for check in found(audit(audited), "registry") if not check.held]
    assert problems == ["by another constructor"]


@pytest.mark.parametrize(
    ("there", "at"), [(b"abXd", 2), (b"Xbcd", 0), (b"abc", 3), (b"abcde", 4), (b"", 0)]
)
def test_where_code_differs_is_said(audited: Audited, there: bytes, at: int) -> None:
    """Also where one is the beginning of the other."""
    compiled: Any = SimpleNamespace(name="Verifier")
    reader = SimpleNamespace(constructed=lambda *_: b"abcd", code=lambda *_: there)
    seen: Any = SimpleNamespace(code=SimpleNamespace(reader=reader, block=audited.code.block))
    problem = model_audit._same_code(seen, compiled, A, ())
    assert f"({len(there)} bytes) differs from Verifier as built here (4 bytes)" in problem
    assert problem.endswith(f", first at byte {at}")
    reader.code = lambda *_: b"abcd"
    assert model_audit._same_code(seen, compiled, A, ()) == ""


def test_releases_are_ordered_by_their_numbers() -> None:
    paths = [Path(f"released-{version}.json") for version in ("0.10.0", "0.9.1", "0.9.0")]
    assert [version_of(path) for path in paths] == [(0, 10, 0), (0, 9, 1), (0, 9, 0)]


@pytest.fixture
def origins(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """By address: a problem in words, or an error."""
    said: dict[str, Any] = {}

    def check_origin(code: object, place: Any) -> str:
        answer = said.get(place.address, "")
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    monkeypatch.setattr(foundations, "check_origin", check_origin)
    monkeypatch.setattr(foundations, "ContractReader", lambda web3: SimpleNamespace(block=str))
    return said


def test_what_a_deployment_builds_on_is_looked_at_one_by_one(origins: dict[str, Any]) -> None:
    """What is not there is left out, and consent to what cannot be told does not hide the next."""
    there: Any = SimpleNamespace(registry=A, executor=None, book=C, pool=None, tokens=())
    assert foundations.check_origins(None, there) == ()
    origins[A], origins[C] = CannotTell("nobody knows A"), CannotTell("nobody knows C")
    both = (f"registry={A}", f"book={C}")
    for trusted, refused in (((), A), (both[:1], C), (both[1:], A)):
        with pytest.raises(UnknownCode, match=f"{refused}.* takes it nevertheless"):
            foundations.check_origins(None, there, trusted)
    notes = foundations.check_origins(None, there, both)
    assert notes == tuple(f"nobody knows {name}; trusted on request" for name in "AC")
    origins[C] = "another constructor made it"
    with pytest.raises(UnknownCode, match=f"SymbolBook.*{C}|{C}.*SymbolBook"):
        foundations.check_origins(None, there, both)
