"""Generated verifiers are compiled for many calls where that fits a chain, and known either way."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import NumbersHidden
from zkagent.circuits.halo2.verifier_patch import CONTRACT, LOCAL_CHAIN_ID
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.deployment import verifier
from zkagent.verifier_contracts.deployment.backing import BACKINGS, ExactCode, ProofBacking
from zkagent.verifier_contracts.deployment.verifier import (
    compile_fast,
    compile_small,
    compile_verifier,
)
from zkagent.verifier_contracts.errors import EvmModelError, ModelCodeError
from zkagent.verifier_contracts.toolchain.compile import Settings, compile_source, default_settings
from zkagent.verifier_contracts.toolchain.install import Toolchain

ADDRESS = "0x" + "12" * 20
#: Any contract that the settings tell apart.
SOURCE = f"""import {{ModelRegistry}} from "src/registry/ModelRegistry.sol";
contract {CONTRACT} is ModelRegistry {{}}
"""


class Generated:
    """A circuit by its verifier's source."""

    def __init__(self, folder: Path) -> None:
        self.verifier_source = folder / "verifier.sol"
        self.verifier_source.write_text(SOURCE)


@pytest.fixture
def backing(tmp_path: Path, toolchain: Toolchain) -> ProofBacking:
    return ProofBacking(cast(Circuit, Generated(tmp_path)))


def test_a_circuit_that_hides_something_serves_no_agent(hiding: Callable[..., Circuit]) -> None:
    shown = hiding()
    ProofBacking(shown).check(LOCAL_CHAIN_ID, shown.origin.onnx)
    for hidden in (hiding(inputs="private"), hiding(outputs="hashed"), hiding(weights="private")):
        with pytest.raises(NumbersHidden, match="an agent takes circuits of public inputs"):
            ProofBacking(hidden).check(LOCAL_CHAIN_ID, hidden.origin.onnx)


def test_code_that_fits_no_chain_is_compiled_smaller(
    toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, small = compile_fast(SOURCE), compile_small(SOURCE)
    size = len(fast.deployed_bytecode)
    assert len(small.deployed_bytecode) < size <= MAX_CODE_BYTES
    for most, expected in ((MAX_CODE_BYTES, fast), (size, fast), (size - 1, small)):
        monkeypatch.setattr(verifier, "MAX_CODE_BYTES", most)
        assert compile_verifier(SOURCE) == expected


def test_what_was_compiled_for_few_calls_is_the_verifier_too(backing: ProofBacking) -> None:
    fast, small = (c(SOURCE).deployed_bytecode for c in (compile_fast, compile_small))
    for code in (fast, small):
        assert backing.standing(ADDRESS, code) == (ExactCode(ADDRESS, code),)
    few = Settings(1, via_ir=False, evm_version=default_settings().evm_version)
    others = [
        compile_source(CONTRACT, SOURCE, few).deployed_bytecode,
        *(code[:-1] + bytes([code[-1] ^ 1]) for code in (fast, small)),
        small + b"\0",
        b"",
    ]
    for other in others:
        assert other not in (fast, small)
        assert backing.standing(ADDRESS, other) == (ExactCode(ADDRESS, fast),)


@pytest.mark.parametrize("kind", BACKINGS.values())
def test_a_circuit_of_another_network_backs_no_model(kind: Any) -> None:
    """The model's file was swapped after the model had been read."""
    circuit = SimpleNamespace(
        origin=SimpleNamespace(onnx="a" * 64),
        digest="b" * 64,
        development_srs=False,
        require_open=lambda where: None,
    )
    backing = kind(circuit)
    backing.__dict__["_model"] = SimpleNamespace(digest="a" * 64)  # of what evaluates it
    backing.check(1, "a" * 64)
    with pytest.raises((ModelCodeError, EvmModelError), match=r"ONNX file aaaa.* is cccc"):
        backing.check(1, "c" * 64)
