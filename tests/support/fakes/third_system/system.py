"""A proof system that proves nothing: a hash of the public values. Anyone can make it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import NETWORK, VERIFIER, Circuit, Facts, Origin, Proof
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import infer
from zkagent.circuits.store import Stored, circuits_folder, write_manifest
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.support.progress import Told, silent

CONTRACT = "HashVerifier"
SOURCE = f"""// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

contract {CONTRACT} {{
    error NotTheHash(bytes32 expected);

    function verify(bytes calldata proof, uint256[] calldata instances) external pure {{
        bytes32 expected = keccak256(abi.encodePacked(instances));
        if (proof.length != 32 || bytes32(proof) != expected) revert NotTheHash(expected);
    }}
}}
"""


class HashSystem:
    """Implements ProofSystem."""

    name = "hash-of-values-v1"
    separate = False
    repeatable = True

    def build(
        self,
        onnx: Path,
        *,
        srs: Path | None = None,
        cache: Path | None = None,
        progress: Told = silent,
    ) -> Circuit:
        network = read_network(onnx)
        source = hashlib.sha256(SOURCE.encode()).hexdigest()
        origin = Origin(self.name, network.sha256, "", "", (("hash-verifier", source),))
        directory = circuits_folder(cache) / origin.digest
        directory.mkdir(exist_ok=True)
        (directory / NETWORK).write_bytes(network.content)
        (directory / VERIFIER).write_text(SOURCE)
        files = {name: file_digest(directory / name) for name in (NETWORK, VERIFIER)}
        facts = Facts(network.input_count, network.output_count, 0, True, 0, 0, proof_bytes=32)
        circuit = Stored(directory, origin, facts, files, {}).circuit(Path(), development=False)
        write_manifest(circuit)
        return circuit

    def open(self, stored: Stored, cache: Path | None = None) -> Circuit:
        stored.check_files()
        return self.describe(stored)

    def describe(self, stored: Stored, cache: Path | None = None) -> Circuit:
        stored.check_name()
        return stored.circuit(Path(), development=False)

    def names(self, circuit: str, onnx: str) -> bool:
        return circuit != onnx

    def has_setup(self, circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
        return True  # there is none

    def prove(self, circuit: Circuit, x: Sequence[int]) -> Proof:
        y = infer(read_network(circuit.onnx), x)
        return Proof(circuit.digest, tuple(x), y, hash_of(Proof("", tuple(x), y, b"")))

    def verify(self, circuit: Circuit, proof: Proof) -> bool:
        honest = infer(read_network(circuit.onnx), proof.inputs) == proof.outputs
        return honest and proof.proof == hash_of(proof)


def hash_of(proof: Proof) -> bytes:
    return bytes(keccak(b"".join(value.to_bytes(32, "big") for value in proof.instances)))
