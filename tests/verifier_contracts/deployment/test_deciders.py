"""Released encoders and decoders that go by another rule than this version's Python are known, by
their code or by its hash alone."""

import json
from pathlib import Path

import pytest
from eth_utils.crypto import keccak

from tests.support.earlier_deciders import COMPONENTS, released_code, released_hash
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.deployment.deciders import (
    DECIDING,
    EARLIER,
    earlier,
    earlier_by_code,
    earlier_by_hash,
)
from zkagent.verifier_contracts.deployment.known_code import (
    FOLDER,
    known_contracts,
    released_contracts,
)
from zkagent.verifier_contracts.deployment.model_code import ModelCode, build_model_code
from zkagent.verifier_contracts.deployment.release import (
    compiler,
    deciding_text,
    read_archive,
    tree_sources,
)
from zkagent.verifier_contracts.toolchain.compile import compile_all
from zkagent.verifier_contracts.toolchain.install import Toolchain

ARCHIVES = Path(__file__).parent / "released"
OURS = b"\x01" * 32


@pytest.fixture(scope="module")
def code() -> ModelCode:
    wallet = load_model("wallet", Model)
    return build_model_code(wallet.manifest, wallet.tables)


def test_a_release_is_listed_exactly_if_it_decides_by_other_code(toolchain: Toolchain) -> None:
    """Whoever changes one of the two after a release has to say what it decides otherwise."""
    here = {each.name: each.runtime for each in known_contracts() if each.is_this_version}
    others = {
        each.version
        for each in released_contracts()
        if each.name in DECIDING and each.runtime != here[each.name]
    }
    assert others == set(EARLIER)


def test_one_contract_of_each_name_is_taken_for_what_python_follows(toolchain: Toolchain) -> None:
    ours = [each for each in known_contracts() if each.name in DECIDING and not earlier(each)]
    assert sorted(each.name for each in ours) == sorted(DECIDING)
    assert all(each.is_this_version for each in ours)


def test_other_contracts_of_a_release_decide_nothing() -> None:
    found = {each.name for each in released_contracts() if earlier(each)}
    assert found == set(DECIDING)


@pytest.mark.parametrize("version", EARLIER)
def test_the_code_that_is_kept_is_the_release_s(version: str, toolchain: Toolchain) -> None:
    text = (FOLDER / f"deciding-{version}.json").read_text()
    released = json.loads((FOLDER / f"released-{version}.json").read_text())
    for name, kept in json.loads(text)["contracts"].items():
        hashed = "0x" + keccak(bytes.fromhex(kept[2:])).hex()
        assert hashed == released["contracts"][name]["runtime"]
    if released["compiled_with"] == compiler():
        assert deciding_text(version, read_archive(ARCHIVES / f"{version}.zip")) == text


def test_what_the_next_release_keeps_is_what_is_compiled_live(toolchain: Toolchain) -> None:
    written = json.loads(deciding_text("9.9.9", tree_sources()))["contracts"]
    here = {each.name: each.runtime for each in known_contracts() if each.is_this_version}
    assert {n: keccak(bytes.fromhex(code[2:])) for n, code in written.items()} == {
        name: here[name] for name in DECIDING
    }


@pytest.mark.parametrize("released", [{"ToolDecoder"}, {"TextEncoder"}, set(DECIDING)])
def test_one_of_both_is_enough(code: ModelCode, released: set[str]) -> None:
    hashes = [
        released_hash(name, code) if name in released else OURS
        for name in ("TextEncoder", "ToolDecoder")
    ]
    found = earlier_by_hash(code, COMPONENTS, *hashes)
    assert found is not None
    assert found.contract.name in released
    assert "of release 0.1.0, which decides otherwise than this version" in str(found)
    assert found.zkagent == "zkagent 0.1.0, commit b8c246e of the repository"


def test_other_code_and_that_of_another_model_is_none(code: ModelCode) -> None:
    both = [released_hash(name, code) for name in ("TextEncoder", "ToolDecoder")]
    assert earlier_by_hash(code, COMPONENTS, OURS, OURS) is None
    assert earlier_by_hash(code, COMPONENTS, *reversed(both)) is None
    assert earlier_by_hash(code, [], *both) is None
    assert earlier_by_hash(code, [*COMPONENTS[:-1], "0x" + "ee" * 20], *both) is None


@pytest.mark.parametrize("name", DECIDING)
def test_code_is_known_with_any_data(code: ModelCode, name: str) -> None:
    for data in ("0x" + "ee" * 20, COMPONENTS[-1]):
        standing = released_code(name, code, [*COMPONENTS[:-1], data])
        found = earlier_by_code(standing)
        assert found is not None
        assert (found.contract.name, found.contract.version) == (name, "0.1.0")
        assert earlier_by_code(standing[:-1]) is None
        assert earlier_by_code(standing[:-1] + bytes([standing[-1] ^ 1])) is None
    assert earlier_by_code(b"") is None


def test_that_of_this_version_is_none(toolchain: Toolchain) -> None:
    compiled = compile_all()
    for name in DECIDING:
        assert earlier_by_code(compiled[name].deployed_bytecode) is None
