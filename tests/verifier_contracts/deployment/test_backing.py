"""Generated verifiers are in no release's file, and known by what their source compiles to."""

from pathlib import Path
from typing import cast

import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.verifier_patch import CONTRACT
from zkagent.verifier_contracts.deployment.backing import ExactCode, ProofBacking
from zkagent.verifier_contracts.deployment.known_code import released_settings
from zkagent.verifier_contracts.toolchain.compile import (
    Settings,
    compile_source,
    default_settings,
)
from zkagent.verifier_contracts.toolchain.install import Toolchain

ADDRESS = "0x" + "12" * 20


class Generated:
    """A circuit by its verifier's source: any contract that settings tell apart."""

    def __init__(self, folder: Path) -> None:
        self.verifier_source = folder / "verifier.sol"
        self.verifier_source.write_text(
            'import {ModelRegistry} from "src/registry/ModelRegistry.sol";\n'
            f"contract {CONTRACT} is ModelRegistry {{}}\n"
        )

    def code(self, settings: Settings | None = None) -> bytes:
        return compile_source(
            CONTRACT, self.verifier_source.read_text(), settings
        ).deployed_bytecode


@pytest.fixture
def generated(tmp_path: Path, toolchain: Toolchain) -> Generated:
    return Generated(tmp_path)


def test_what_a_release_s_settings_made_of_the_source_is_that_verifier(
    generated: Generated,
) -> None:
    backing = ProofBacking(cast(Circuit, generated))
    here = generated.code()
    assert backing.standing(ADDRESS, here) == (ExactCode(ADDRESS, here),)
    assert released_settings()
    for settings in released_settings():
        released = generated.code(settings)
        assert released != here
        assert backing.standing(ADDRESS, released) == (ExactCode(ADDRESS, released),)


def test_what_other_settings_made_of_it_or_a_changed_byte_is_not(generated: Generated) -> None:
    backing = ProofBacking(cast(Circuit, generated))
    here, defaults = generated.code(), default_settings()
    (released,) = (generated.code(settings) for settings in released_settings())
    others = [
        generated.code(Settings(1, via_ir=False, evm_version=defaults.evm_version)),
        *(code[:-1] + bytes([code[-1] ^ 1]) for code in (here, released)),
        released + b"\0",
        b"",
    ]
    for other in others:
        assert other not in (here, released)
        assert backing.standing(ADDRESS, other) == (ExactCode(ADDRESS, here),)
