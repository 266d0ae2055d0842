"""A proof before two contracts: the verifier as ezkl writes it, and as we patch it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hexbytes import HexBytes
from web3 import Web3

from zkagent.circuits.bn254.field import from_hex, to_field
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.settings import RunArguments, canonical, to_bytes
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.halo2.verifier_patch import CONTRACT, patch_verifier
from zkagent.executor.demo.attacks.ezkl_forgeries import STOCK_SELECTOR
from zkagent.verifier_contracts.chain.local import Anvil, deploy, translated
from zkagent.verifier_contracts.errors import ChainError, RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source

PATCHED_SELECTOR = bytes(Web3.keccak(text="verify(bytes,uint256[])")[:4])
WORD = 32
OUT_OF_GAS = "OutOfGas"


@dataclass(frozen=True)
class Statement:
    """A proof, the public values that it is of, and ezkl's verifier of its circuit."""

    generated: str
    proof: bytes
    instances: tuple[int, ...]


def prove(
    folder: Path, onnx: bytes, inputs: Sequence[int], arguments: RunArguments, logrows: int
) -> Statement:
    """A circuit of exactly 2^logrows rows, and a proof; `folder` is new. This machine's set-up, so
    that its verifiers are compiled once."""
    folder.mkdir()
    network, settings, compiled = folder / "onnx", folder / "settings", folder / "compiled"
    vk, pk, witness = folder / "vk", folder / "pk", folder / "witness.json"
    srs = development_srs(logrows).path
    network.write_bytes(onnx)
    settings.write_bytes(
        to_bytes(canonical(ezkl_engine.make_settings(network, arguments, logrows)))
    )
    ezkl_engine.compile_network(network, settings, compiled)
    ezkl_engine.make_keys(compiled, srs, vk, pk)
    ezkl_engine.evaluate(compiled, [inputs], witness)
    proof, instances = ezkl_engine.prove_witness(compiled, witness, pk, srs)
    generated = ezkl_engine.make_verifier(vk, settings, srs)
    return Statement(generated, proof, tuple(to_field(from_hex(value)) for value in instances))


@dataclass(frozen=True)
class Verifiers:
    """Both contracts for one circuit, and a true statement."""

    chain: Anvil
    true: Statement

    @cached_property
    def addresses(self) -> tuple[Any, Any]:
        patched = patch_verifier(self.true.generated, development=False).source
        stock, ours = (
            deploy(self.chain.web3, compile_source(CONTRACT, source), self.chain.accounts[0])
            for source in (self.true.generated, patched)
        )
        return stock.address, ours.address

    def verdicts(self, arguments: bytes) -> tuple[bool, bool]:
        """What ezkl's verifier and ours say to the same calldata, but for the selector."""
        stock, ours = self.addresses
        return (
            self._accepts(stock, STOCK_SELECTOR + arguments, (1).to_bytes(WORD)),
            self._accepts(ours, PATCHED_SELECTOR + arguments, b""),
        )

    def agreed(self, arguments: bytes) -> bool:
        """The verdict of both."""
        stock, ours = self.verdicts(arguments)
        assert stock == ours
        return ours

    def _accepts(self, address: Any, data: bytes, result: bytes) -> bool:
        """Anything but a revert or the agreed result is an error.

        Or the gas ran out: ezkl's code multiplies points that it did not read, and a precompile
        burns all gas over what is no point.
        """
        try:
            with translated(self.chain.web3):
                found = self.chain.web3.eth.call({"to": address, "data": HexBytes(data)})
        except ChainError as exc:
            if not isinstance(exc, RevertError) and OUT_OF_GAS not in str(exc):
                raise
            return False
        assert bytes(found) == result
        return True


def encoded(proof: bytes, instances: Sequence[int]) -> bytes:
    """Canonical arguments of `verify(bytes,uint256[])`."""
    padded = proof + bytes(-len(proof) % WORD)
    head = words(2 * WORD, 3 * WORD + len(padded), len(proof))
    return head + padded + words(len(instances), *instances)


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(WORD) for value in values)


__all__ = ["WORD", "Statement", "Verifiers", "encoded", "prove", "words"]
