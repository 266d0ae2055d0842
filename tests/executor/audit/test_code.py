"""What an audit says of the code at an address, whatever stands there."""

from typing import Any, cast

import pytest

from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.origin import check_origin
from zkagent.executor.chain.agent import Block
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.verifier_contracts.toolchain.compile import contract
from zkagent.verifier_contracts.toolchain.install import Toolchain

REGISTRY, BOOK, FOREIGN, DELEGATED, EMPTY = ("0x" + digit * 40 for digit in "12345")
PRECOMPILE = f"0x{9:040x}"
LATEST = 40


class Node:
    """Code by address, and how it came there."""

    def __init__(self) -> None:
        self.codes = {
            REGISTRY: contract("ModelRegistry").deployed_bytecode,
            BOOK: contract("SymbolBook").deployed_bytecode,
            FOREIGN: bytes.fromhex("5f355f55"),
            DELEGATED: bytes.fromhex("ef0100" + "ab" * 20),
        }
        self.born = 17
        self.made_by: dict[str, bytes] = {REGISTRY: contract("ModelRegistry").bytecode}
        self.asked: list[str] = []

    def code(self, address: str, block: Block) -> bytes:
        self.asked.append(address)
        return self.codes.get(address, b"") if block.number >= self.born else b""

    def has_code(self, address: str, number: int) -> bool:
        return number >= self.born and address in self.codes

    def creations(self, number: int) -> list[tuple[str, bytes]]:
        return list(self.made_by.items()) if number == self.born else []


@pytest.fixture
def node(toolchain: Toolchain) -> Node:
    return Node()


def code_of(node: Node, *trusted: str) -> Code:
    return Code(cast(Any, node), Block(LATEST, ""), trusted)


def place(address: str, name: str = "ModelRegistry", *, choice: bool = False) -> Place:
    return Place("registry", address, (name,), choice=choice)


@pytest.mark.parametrize(
    ("address", "name", "ours"),
    [
        (REGISTRY, "ModelRegistry", True),
        (BOOK, "SymbolBook", True),
        (BOOK, "ModelRegistry", False),
        (FOREIGN, "ModelRegistry", False),
        (DELEGATED, "ModelRegistry", False),
        (EMPTY, "ModelRegistry", False),
        (PRECOMPILE, "ModelRegistry", False),
    ],
)
def test_ours_is_the_expected_contract_alone(
    node: Node, address: str, name: str, ours: bool
) -> None:
    code = code_of(node)
    assert code.is_ours(place(address, name)) == ours
    found = code.check(place(address, name))
    assert found.held == ours
    assert found.claim == f"{address} is {name}"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (BOOK, f"{BOOK} is SymbolBook of this version, expected ModelRegistry"),
        (EMPTY, f"there is no contract at {EMPTY}"),
        (PRECOMPILE, f"{PRECOMPILE} is an address of the EVM's precompiles, and no contract"),
        (DELEGATED, f"{DELEGATED} is an account that is delegated to 0x{'ab' * 20} (EIP-7702)"),
    ],
)
def test_what_cannot_be_right_is_no_matter_of_trust(node: Node, address: str, said: str) -> None:
    for trusted in ((), (f"registry={address}", address)):
        found = code_of(node, *trusted).check(place(address, choice=True))
        assert (found.held, found.unknown, found.vouchable) == (False, False, False)
        assert found.problem.startswith(said)


def test_foreign_code_is_unknown_until_somebody_vouches_for_it_in_that_role(node: Node) -> None:
    found = code_of(node).check(place(FOREIGN))
    assert (found.held, found.unknown, found.vouchable) == (False, True, True)
    assert f"the code at {FOREIGN} is not ours: nobody here compiled it (4 bytes, " in found.problem
    assert f"--trust registry={FOREIGN} vouches for it" in found.problem
    assert code_of(node, f"registry={FOREIGN}").check(place(FOREIGN)).held
    assert not code_of(node, f"executor={FOREIGN}").check(place(FOREIGN)).held
    assert not code_of(node, FOREIGN).check(place(FOREIGN)).held
    choice = place(FOREIGN, choice=True)
    assert "not ours, the owner's choice: " in code_of(node).check(choice).problem
    assert code_of(node, FOREIGN).check(choice).held


@pytest.mark.parametrize("number", [0xFFFF, 0x10000])
def test_precompiles_end_where_eip_1352_has_them_end(node: Node, number: int) -> None:
    found = code_of(node).check(place(f"0x{number:040x}"))
    assert ("of the EVM's precompiles" in found.problem) == (number < 0x10000)


def test_code_is_read_once_for_one_block(node: Node) -> None:
    code = code_of(node)
    for _ in range(3):
        assert code.is_ours(place(REGISTRY))
        assert code.is_ours(place(REGISTRY.upper().replace("X", "x")))
    assert node.asked == [REGISTRY]


def test_a_contract_was_made_by_its_constructor_or_by_another(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "zkagent.executor.audit.origin.first_block", lambda reader, address, latest: node.born
    )
    code = code_of(node)
    assert check_origin(code, place(REGISTRY)) == ""
    node.made_by = {}
    assert check_origin(code, place(REGISTRY)) == ""  # found out once
    with pytest.raises(CannotTell, match=f"{REGISTRY} was made inside of a call in block 17"):
        check_origin(code_of(node), place(REGISTRY))
    node.made_by = {REGISTRY: contract("SymbolBook").bytecode}
    problem = check_origin(code_of(node), place(REGISTRY))
    assert "has the code of ModelRegistry of this version, and was made in block 17" in problem
    assert "by another constructor" in problem
