"""What stands on chain where a verifier stands, for each proof system.

Deployment puts it there, the audit compares what it finds with it. BACKINGS has one entry for each
system of `circuits/systems.py`, under the same four bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import ProofSystemUnknown
from zkagent.circuits.groth16.cached import read_key
from zkagent.circuits.halo2.verifier_patch import LOCAL_CHAIN_ID
from zkagent.circuits.systems import EVALUATED, GROTH16, HALO2, system_id
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create, create_data
from zkagent.verifier_contracts.deployment.verifier import compile_small, compile_verifier
from zkagent.verifier_contracts.errors import (
    DevelopmentSetupRefused,
    EvmModelError,
    ModelCodeError,
)
from zkagent.verifier_contracts.evm import EvmModel, generate_evm_model
from zkagent.verifier_contracts.toolchain.compile import Contract


@dataclass(frozen=True)
class Constructed:
    """A contract at an address, as its constructor leaves it for these arguments."""

    address: str
    contract: Contract
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ExactCode:
    """Code at an address, byte for byte."""

    address: str
    code: bytes


class Backing(Protocol):
    """What shows that a decision is the model's, for one circuit."""

    def check(self, chain_id: int, onnx: str) -> None:
        """Refuse what could not serve a model of the ONNX file with this SHA-256 on this chain,
        before anything is sent. Raises DevelopmentSetupRefused, ModelCodeError, EvmModelError,
        CompileError."""
        ...

    def deploy(self, carrier: Carrier, step: Step) -> ExactCode:
        """What stands there then, as compiled here. step: or steps whose names begin with its.
        Raises ChainError, RevertError, CompileError."""
        ...

    def standing(self, address: str, code: bytes) -> tuple[Constructed | ExactCode, ...]:
        """All that must be on chain where `address` has `code`. Raises ValueError when the code
        alone says that it is something else."""
        ...


class ProofBacking:
    """A generated verifier: one contract without constructor arguments."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    @cached_property
    def _compiled(self) -> Contract:
        return compile_verifier(self.circuit.verifier_source.read_text())

    def check(self, chain_id: int, onnx: str) -> None:
        """The verifier's constructor would refuse a development set-up, too."""
        self.circuit.require_open("an agent")
        _check_network(self.circuit, onnx)
        if self.circuit.development_srs and chain_id != LOCAL_CHAIN_ID:
            raise DevelopmentSetupRefused(self.circuit.digest, chain_id, LOCAL_CHAIN_ID)

    def deploy(self, carrier: Carrier, step: Step) -> ExactCode:
        made = create(carrier, step, self._compiled)
        return ExactCode(str(made.address), self._compiled.deployed_bytecode)

    def standing(self, address: str, code: bytes) -> tuple[Constructed | ExactCode, ...]:
        """Without immutables its code is what was compiled, for many calls or for few; the
        constructor, which refuses to make a development set-up's on another chain, need not be
        asked."""
        expected = self._compiled.deployed_bytecode
        if code != expected:
            small = compile_small(self.circuit.verifier_source.read_text()).deployed_bytecode
            expected = small if code == small else expected
        return (ExactCode(address, expected),)


class KeyBacking:
    """The key of Groth16 proofs as a contract's code; the executor made what verifies by it."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    @cached_property
    def _code(self) -> bytes:
        return read_key(self.circuit).to_bytes()

    def check(self, chain_id: int, onnx: str) -> None:
        """Nothing would keep a development set-up's key off another chain, but its mark is part of
        the code, and the verifier refuses it there."""
        _check_network(self.circuit, onnx)
        if self.circuit.development_srs and chain_id != LOCAL_CHAIN_ID:
            raise DevelopmentSetupRefused(
                self.circuit.digest,
                chain_id,
                LOCAL_CHAIN_ID,
                "it takes a ceremony of its own, which `zkagent ceremony init` begins",
            )

    def deploy(self, carrier: Carrier, step: Step) -> ExactCode:
        return ExactCode(create_data(carrier, step, self._code), self._code)

    def standing(self, address: str, code: bytes) -> tuple[Constructed | ExactCode, ...]:
        return (ExactCode(address, self._code),)


class EvaluationBacking:
    """A contract that evaluates the network, with the parts that compute its larger layers."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    @cached_property
    def _model(self) -> EvmModel:
        return generate_evm_model(self.circuit.onnx.read_bytes())

    def check(self, chain_id: int, onnx: str) -> None:
        if self._model.digest != onnx:
            raise EvmModelError(
                f"the contract evaluates the ONNX file {self._model.digest[:16]}, the model is "
                f"{onnx[:16]}: generate it from the model's own file"
            )

    def deploy(self, carrier: Carrier, step: Step) -> ExactCode:
        """The parts first: the contract's constructor takes their addresses."""
        model, total = self._model, len(self._model.parts)
        names = [f"{step.name}, part {number} of {total}" for number in range(1, total + 1)]
        parts = [
            create_data(carrier, Step(step.part, name), code)
            for name, code in zip(names, model.parts, strict=True)
        ]
        made = create(carrier, step, model.contract, *([parts] if parts else []))
        return ExactCode(str(made.address), model.code(parts))

    def standing(self, address: str, code: bytes) -> tuple[Constructed | ExactCode, ...]:
        """The parts first: the contract cannot be constructed with others."""
        model, expected = self._model, len(self._model.contract.deployed_bytecode)
        if len(code) != expected:
            raise ValueError(f"the code at {address} has {len(code)} bytes, expected {expected}")
        parts = tuple(model.parts_of(code))
        there = (ExactCode(part, code) for part, code in zip(parts, model.parts, strict=True))
        return (*there, Constructed(address, model.contract, (list(parts),) if parts else ()))


def _check_network(circuit: Circuit, onnx: str) -> None:
    if circuit.origin.onnx != onnx:
        raise ModelCodeError(
            f"circuit {circuit.digest[:16]} is of the ONNX file {circuit.origin.onnx[:16]}, the "
            f"model's is {onnx[:16]}: build it from the model's own file"
        )


BACKINGS: dict[bytes, Callable[[Circuit], Backing]] = {
    system_id(HALO2.name): ProofBacking,
    system_id(EVALUATED.name): EvaluationBacking,
    system_id(GROTH16.name): KeyBacking,
}


def backing_of(circuit: Circuit) -> Backing:
    """Raises ProofSystemUnknown for a circuit of a system that no contract here checks."""
    found = system_id(circuit.origin.system)
    if found not in BACKINGS:
        known = ", ".join(f"0x{known.hex()}" for known in BACKINGS)
        raise ProofSystemUnknown(circuit.origin.system, f"verifiers for {known}")
    return BACKINGS[found](circuit)


__all__ = ["BACKINGS", "Backing", "Constructed", "ExactCode", "backing_of"]
