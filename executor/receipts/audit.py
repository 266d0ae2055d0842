"""Audits a registered model: everything behind its number is rebuilt from the model's files and
compared with what lies on chain.

    files      manifest and ONNX digests of the binding
    tables     the code of the data contracts, byte for byte
    encoder, decoder   the compiled code with its constructor's values in place
    verifier   the circuit built from the ONNX file, compiled, byte for byte; likewise the verifiers
               for several decisions, whose network is derived from the same file; or the contract
               that evaluates the ONNX file, generated, compiled, with its parts
    hashes     modelHash, vkHash, circuitHash, the commitment that agents pin

A single different byte in any of them is found; that is why no check trusts a hash of another.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import system_id
from zkagent.executor.chain.agent import AgentModel, BatchVerifier, Block
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.receipts.verdicts import Check, check, difference
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.backing import ExactCode, backing_of
from zkagent.verifier_contracts.deployment.model_code import ModelCode, build_model_code
from zkagent.verifier_contracts.toolchain.compile import Contract, contract


@dataclass(frozen=True)
class Audited:
    """What is audited against what. batches: circuits by how many decisions they prove."""

    reader: ContractReader
    bound: AgentModel
    block: Block
    model: Model
    circuit: Circuit
    batches: Mapping[int, Circuit] = field(default_factory=dict)


def audit(audited: Audited) -> Iterator[Check]:
    """All checks, one by one."""
    bound, model = audited.bound, audited.model
    code = build_model_code(model.manifest, model.tables)
    subject = f"model {bound.model_id}"
    yield check(subject, "the files are the model's", lambda: _files(bound, model))
    yield check(subject, "the tables are the model's", lambda: _tables(audited, code))
    yield check(subject, "the encoder is this version's", lambda: _encoder(audited, code))
    yield check(subject, "the decoder is this version's", lambda: _decoder(audited, code))
    yield check(subject, "the verifier is the circuit's", lambda: _verifier(audited))
    for batch in bound.batches:
        claim = f"the verifier for {batch.size} decisions is the circuit's"
        yield check(subject, claim, partial(_batch, audited, batch))
    yield check(subject, "the hashes cover all of it", lambda: _hashes(audited))


def _files(bound: AgentModel, model: Model) -> str:
    return difference(
        ("manifest digest", bound.manifest_digest.hex(), model.digest),
        ("ONNX digest", bound.onnx_digest.hex(), model.manifest.files.onnx),
        ("number of inputs", bound.inputs, model.manifest.input_count),
        ("number of outputs", bound.outputs, model.manifest.output_count),
    )


def _tables(audited: Audited, code: ModelCode) -> str:
    expected = (*code.text_chunks, code.data)
    addresses = audited.bound.components
    if len(addresses) != len(expected):
        return f"{len(addresses)} components, expected {len(expected)}"
    return difference(
        *(
            (f"code at {address}", _digest(audited, address), keccak(data).hex())
            for address, data in zip(addresses, expected, strict=True)
        )
    )


def _encoder(audited: Audited, code: ModelCode) -> str:
    *chunks, data = audited.bound.components
    arguments = code.encoder_arguments(chunks, data)
    return _same_code(audited, contract("TextEncoder"), audited.bound.encoder, arguments)


def _decoder(audited: Audited, code: ModelCode) -> str:
    arguments = code.decoder_arguments(audited.bound.components[-1])
    return _same_code(audited, contract("ToolDecoder"), audited.bound.decoder, arguments)


def _verifier(audited: Audited) -> str:
    return _backed(audited, audited.circuit, audited.bound.verifier)


def _backed(audited: Audited, circuit: Circuit, address: str) -> str:
    """What stands at `address` for the circuit, and all that it calls."""
    code = audited.reader.code(address, audited.block)
    for expected in backing_of(circuit).standing(address, code):
        if isinstance(expected, ExactCode):
            problem = _same_bytes(audited, expected)
        else:
            problem = _same_code(audited, expected.contract, expected.address, expected.arguments)
        if problem:
            return problem
    return ""


def _same_bytes(audited: Audited, expected: ExactCode) -> str:
    found = _digest(audited, expected.address)
    return difference(
        (f"code of the part at {expected.address}", found, keccak(expected.code).hex())
    )


def _batch(audited: Audited, batch: BatchVerifier) -> str:
    circuit = audited.batches.get(batch.size)
    if circuit is None:
        return f"there is no circuit for {batch.size} decisions to compare it with"
    return _backed(audited, circuit, batch.verifier) or difference(
        ("circuit hash", batch.circuit_hash.hex(), circuit.digest),
        ("code hash", batch.code_hash.hex(), _digest(audited, batch.verifier)),
    )


def _same_code(
    audited: Audited, compiled: Contract, address: str, arguments: tuple[Any, ...]
) -> str:
    """Compare with what the constructor returns for these arguments in this very state."""
    expected = audited.reader.constructed(compiled, arguments, audited.block)
    found = audited.reader.code(address, audited.block)
    if found == expected:
        return ""
    at = next(
        (i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b),
        min(len(found), len(expected)),
    )
    return (
        f"the code at {address} ({len(found)} bytes) differs from {compiled.name} as built here "
        f"({len(expected)} bytes), first at byte {at}"
    )


def _hashes(audited: Audited) -> str:
    bound = audited.bound
    components = [bytes.fromhex(_digest(audited, a)) for a in bound.components]
    encoder, decoder = (bytes.fromhex(_digest(audited, a)) for a in (bound.encoder, bound.decoder))
    covered = model_hash(
        bytes.fromhex(audited.model.manifest.files.onnx),
        bytes.fromhex(audited.model.digest),
        encoder,
        decoder,
        components,
    )
    system = system_id(audited.circuit.origin.system)
    return difference(
        ("model hash", bound.model_hash.hex(), covered.hex()),
        ("circuit hash", bound.circuit_hash.hex(), audited.circuit.digest),
        ("verifying key hash", bound.vk_hash.hex(), _digest(audited, bound.verifier)),
        ("proof system", bound.proof_system_id.hex(), system.hex()),
        ("commitment hash", bound.commitment_hash.hex(), commitment_hash(bound).hex()),
    )


def _digest(audited: Audited, address: str) -> str:
    return keccak(audited.reader.code(address, audited.block)).hex()
