"""Code is recognised by what its sources say, released versions for ever, and nothing else."""

import hashlib
import json
from pathlib import Path

import pytest

from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.deployment import known_code
from zkagent.verifier_contracts.deployment.known_code import (
    FOLDER,
    THIS_VERSION,
    Recognised,
    known_contracts,
    recognise,
    released_contracts,
)
from zkagent.verifier_contracts.deployment.release import (
    compiler,
    read_archive,
    released_text,
    tree_sources,
)
from zkagent.verifier_contracts.errors import CompileError, ToolchainError
from zkagent.verifier_contracts.toolchain.compile import compile_sources, contract
from zkagent.verifier_contracts.toolchain.install import Toolchain

#: SHA-256 of each release's file. What was released does not change: a line is added, never edited.
RELEASED = {"0.1.0": "c19238d3159b9cd764587582a3bb91a16a9d2ba0d67492b39030806b1b5ff7b3"}
ARCHIVES = Path(__file__).parent / "released"
IDENTITY = bytes.fromhex("5f355f55")  # a contract that is none of ours


def path_of(version: str) -> Path:
    return FOLDER / f"released-{version}.json"


def test_every_release_is_listed_and_none_was_edited() -> None:
    digests = {
        path.stem.removeprefix("released-"): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.glob("released-*.json")
    }
    assert digests == RELEASED


@pytest.mark.parametrize("version", RELEASED)
def test_the_sources_of_a_release_compile_to_what_its_file_says(
    version: str, toolchain: Toolchain
) -> None:
    content = json.loads(path_of(version).read_text())
    sources = read_archive(ARCHIVES / f"{version}.zip")
    if content["compiled_with"] == compiler():  # another compiler has other code to show
        assert json.loads(released_text(version, sources)) == content
    else:
        assert set(content["contracts"]) <= {Path(name).stem for name in sources}


@pytest.mark.parametrize("name", ["AgentExecutor", "WalletAgent", "SimpleSmartContractTool"])
def test_what_is_compiled_here_is_of_this_version(name: str, toolchain: Toolchain) -> None:
    code = bytearray(contract(name).deployed_bytecode)
    for number, offsets in enumerate(contract(name).immutables.values()):
        for at in offsets:
            code[at + 31] = number
    found = recognise(bytes(code))
    assert found is not None
    assert (found.name, found.contract.version) == (name, THIS_VERSION)
    assert [value[-1] for value in found.values.values()] == list(range(len(found.values)))


def test_every_deployable_contract_is_known(toolchain: Toolchain) -> None:
    names = {known.name for known in known_contracts() if known.is_this_version}
    assert {"AgentExecutor", "AgentWallet", "ModelRegistry", "SymbolBook", "WalletAgent"} <= names
    assert not {"IAgentExecutor", "WalletTools", "ToolPins"} & names  # no code of their own


def test_released_code_is_named_as_such(
    toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_code, "known_contracts", released_contracts)
    executor = next(known for known in released_contracts() if known.name == "AgentExecutor")
    old = compile_sources(read_archive(ARCHIVES / f"{executor.version}.zip"))["AgentExecutor"]
    found = recognise(old.deployed_bytecode)
    assert found is not None
    assert found.contract.label == f"AgentExecutor of release {executor.version}"


@pytest.mark.parametrize("change", [b"", IDENTITY])
def test_other_code_is_nobodys(change: bytes, toolchain: Toolchain) -> None:
    assert recognise(change) is None


def test_one_changed_byte_outside_of_immutables_is_nobodys(toolchain: Toolchain) -> None:
    registry = contract("ModelRegistry").deployed_bytecode
    for at in range(0, len(registry), 997):
        changed = registry[:at] + bytes([registry[at] ^ 1]) + registry[at + 1 :]
        assert recognise(changed) is None


def test_an_immutable_with_two_values_is_nobodys(toolchain: Toolchain) -> None:
    """No constructor writes such code, so that its first value says nothing about the others."""
    executor = contract("AgentExecutor")
    code = bytearray(executor.deployed_bytecode)
    first, *others = executor.immutables["_registry"]
    assert others
    code[first + 31] = 1
    assert recognise(bytes(code)) is None


def test_creation_code_gives_up_its_arguments(chain: Anvil) -> None:
    """As a transaction has them: what a constructor was given, and that it was this one."""
    registry = deploy(chain.web3, contract("ModelRegistry"), chain.accounts[0])
    executor = deploy(chain.web3, contract("AgentExecutor"), chain.accounts[0], registry.address)
    (transaction,) = chain.web3.eth.get_block("latest", full_transactions=True)["transactions"]
    creation = bytes(transaction["input"])
    known = next(each for each in known_contracts() if each.name == "AgentExecutor")
    argument = bytes(12) + bytes.fromhex(registry.address[2:])
    assert known.constructor_arguments(creation) == argument
    assert known.constructor_arguments(b"\0" + creation) is None
    found = recognise(bytes(chain.web3.eth.get_code(executor.address)))
    assert found is not None
    assert found.address("_registry") == registry.address.lower()


@pytest.mark.parametrize("at", range(12))
def test_an_immutable_that_is_wider_than_an_address_is_none(at: int) -> None:
    known = released_contracts()[0]
    address = bytes.fromhex("a1" * 20)
    assert Recognised(known, {"_book": bytes(12) + address}).address("_book") == "0x" + "a1" * 20
    wide = bytes(at) + b"\1" + bytes(11 - at) + address
    with pytest.raises(ValueError, match=f"_book of {known.name} is 0x{wide.hex()}, no address"):
        Recognised(known, {"_book": wide}).address("_book")


@pytest.mark.parametrize("version", RELEASED)
def test_what_is_known_of_a_release_is_what_its_file_says(version: str) -> None:
    written = json.loads(path_of(version).read_text())["contracts"]
    read = [each for each in released_contracts.__wrapped__() if each.version == version]
    assert [each.name for each in read] == list(written)
    for each in read:
        entry = written[each.name]
        assert "0x" + each.runtime.hex() == entry["runtime"]
        assert "0x" + each.creation.hex() == entry["creation"]
        assert each.runtime_length == entry["runtime_length"]
        assert each.creation_length == entry["creation_length"]
        assert {name: list(at) for name, at in each.immutables.items()} == entry["immutables"]


@pytest.mark.parametrize("error", [ToolchainError("no Node.js"), CompileError("no compiler")])
def test_without_a_compiler_releases_are_known_still(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def missing() -> None:
        raise error

    known_contracts.cache_clear()
    monkeypatch.setattr(known_code, "compile_all", missing)
    try:
        assert known_contracts() == released_contracts() != ()
    finally:
        known_contracts.cache_clear()


def test_the_generator_agrees_with_what_is_compiled_live(toolchain: Toolchain) -> None:
    written = json.loads(released_text("9.9.9", tree_sources()))["contracts"]
    live = {known.name: known for known in known_contracts() if known.is_this_version}
    assert set(written) == set(live)
    assert {n: e["runtime"] for n, e in written.items()} == {
        name: "0x" + known.runtime.hex() for name, known in live.items()
    }
