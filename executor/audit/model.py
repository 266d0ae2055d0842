"""Audits a registered model: everything behind its number is rebuilt from the model's files and
compared with what lies on chain.

    files      manifest and ONNX digests of the binding
    registry   its code and origin, and that what executors obey is what it shows to readers
    tables     the code of the data contracts, byte for byte
    encoder, decoder   their code with every value that a constructor wrote, and that they decide
               as this version does; likewise of what they ask, where a model has such parts
    verifier   the circuit built from the ONNX file, compiled, byte for byte; likewise the verifiers
               for several decisions, whose network is derived from the same file; or the contract
               that evaluates the ONNX file, generated, compiled, with its parts
    hashes     modelHash, vkHash, circuitHash, the commitment that agents pin
    set-up     one of a ceremony, but on a local chain

A single different byte in any of them is found; that is why no check trusts a hash of another.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import system_id
from zkagent.executor.audit.agent import origin_checks, tell
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import AgentModel, BatchVerifier
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.receipts.verdicts import CannotTell, Check, check, difference
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import LOCAL_CHAIN_ID
from zkagent.verifier_contracts.deployment.backing import ExactCode, backing_of
from zkagent.verifier_contracts.deployment.known_code import recognise
from zkagent.verifier_contracts.deployment.model_code import ModelCode, code_of
from zkagent.verifier_contracts.toolchain.compile import Contract


@dataclass(frozen=True)
class Audited:
    """What is audited against what. registry: its address. batches: circuits by how many decisions
    they prove. executor: who asks the registry when it counts, as far as that is known."""

    code: Code
    registry: str
    bound: AgentModel
    model: Model
    circuit: Circuit
    batches: Mapping[int, Circuit] = field(default_factory=dict)
    executor: str = abi.NO_HANDLER

    @property
    def subject(self) -> str:
        return f"model {self.bound.model_id}"


def audit(audited: Audited) -> Iterator[Check]:
    """All checks, one by one."""
    registry = Place("registry", audited.registry, ("ModelRegistry",))
    yield audited.code.check(registry)
    yield from origin_checks(audited.code, registry)
    yield from registered_checks(audited)


def registered_checks(audited: Audited) -> Iterator[Check]:
    """All but those of the registry's own code."""
    bound, model, subject = audited.bound, audited.model, audited.subject
    yield check(subject, "the files are the model's", lambda: _files(bound, model))
    yield obeyed_check(audited)
    yield from model_contract_checks(audited)
    yield check(subject, "the hashes cover all of it", lambda: _hashes(audited))


def obeyed_check(audited: Audited) -> Check:
    """Whether executors are told of nothing else than what is shown."""
    claim = "what executors obey is what is bound"
    return tell(audited.subject, claim, lambda: _obeyed(audited))


def model_contract_checks(
    audited: Audited, sizes: Collection[int] | None = None
) -> Iterator[Check]:
    """What executes the model. sizes: of the batch verifiers that matter, by default all."""
    subject, bound = audited.subject, audited.bound
    code = code_of(audited.model)
    yield check(subject, "the tables are the model's", lambda: _tables(audited, code))
    yield from map(audited.code.check, _deciding(audited, code))
    yield tell(subject, "the verifier is the circuit's", lambda: _verifier(audited))
    wanted = bound.batch_sizes if sizes is None else sizes
    for batch in filter(lambda batch: batch.size in wanted, bound.batches):
        claim = f"the verifier for {batch.size} decisions is the circuit's"
        yield tell(subject, claim, partial(_batch, audited, batch))
    yield _setup(audited)


def _files(bound: AgentModel, model: Model) -> str:
    return difference(
        ("manifest digest", bound.manifest_digest.hex(), model.digest),
        ("ONNX digest", bound.onnx_digest.hex(), model.manifest.files.onnx),
        ("number of inputs", bound.inputs, model.manifest.input_count),
        ("number of outputs", bound.outputs, model.manifest.output_count),
    )


def _obeyed(audited: Audited) -> str:
    """`bindingOf` and `batchVerifierFor`, asked as the executor asks, beside what is shown."""
    bound, block, executor = audited.bound, audited.code.block, audited.executor
    registry = Web3Registry(audited.code.reader, audited.registry)
    verifier, inputs, outputs, encoder, decoder, commitment = registry.executable(
        bound.model_id, block, executor
    )
    differing = difference(
        ("the verifier that executors obey", verifier, bound.verifier),
        ("the encoder that executors obey", encoder, bound.encoder),
        ("the decoder that executors obey", decoder, bound.decoder),
        ("number of inputs", inputs, bound.inputs),
        ("number of outputs", outputs, bound.outputs),
        ("commitment hash", commitment.hex(), bound.commitment_hash.hex()),
        ("withdrawn", registry.owner(bound.model_id, block)[1], False),
    )
    return differing or _obeyed_batches(audited, registry)


def _obeyed_batches(audited: Audited, registry: Web3Registry) -> str:
    bound = audited.bound
    for decisions in range(2, min(max(bound.batch_sizes, default=1), MOST_BATCH) + 1):
        batch = next(each for each in bound.batches if each.size >= decisions)
        found = registry.batch_for(bound.model_id, decisions, audited.code.block, audited.executor)
        expected = (batch.verifier, batch.size, bound.commitment_hash)
        if problem := difference((f"verifier for {decisions} decisions", found, expected)):
            return problem
    return ""


def _tables(audited: Audited, code: ModelCode) -> str:
    listed, expected = audited.bound.components, code.components
    if len(listed) != code.component_count:
        return f"{len(listed)} components, expected {code.component_count}"
    addresses = listed[: len(expected)]
    return difference(
        *(
            (f"code at {address}", _digest(audited, address), keccak(data).hex())
            for address, data in zip(addresses, expected, strict=True)
        )
    )


def _deciding(audited: Audited, code: ModelCode) -> Iterator[Place]:
    """Encoder, decoder and what they ask, made with the data that are listed."""
    bound, laid = audited.bound, code.laid(audited.bound.components)
    code = code.beside(laid.parts)
    parts = code.parts(laid.chunks, laid.data)
    for part, address in zip(parts, laid.parts, strict=True):
        yield Place(f"reader {part.contract}", address, (part.contract,), part.immutables)
    encoder = code.encoder_immutables(laid.chunks, laid.data)
    yield Place("encoder", bound.encoder, (code.encoder,), encoder)
    yield Place("decoder", bound.decoder, (code.decoder,), code.decoder_immutables(laid.data))


def _verifier(audited: Audited) -> str:
    return _backed(audited, audited.circuit, audited.bound.verifier)


def _backed(audited: Audited, circuit: Circuit, address: str) -> str:
    """What stands at `address` for the circuit, and all that it calls."""
    code = audited.code.reader.code(address, audited.code.block)
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
    return difference((f"the code at {expected.address}", found, keccak(expected.code).hex()))


def batch_problem(code: Code, bound: AgentModel, batch: BatchVerifier) -> str:
    """What is wrong with a batch verifier without a circuit to compare it with: circuits take
    minutes to build, and whoever owns a model may register anything. Raises CannotTell."""
    if batch.size > MOST_BATCH:
        raise CannotTell(f"circuits for more than {MOST_BATCH} decisions are not built")
    found = code.reader.code(batch.verifier, code.block)
    if problem := difference(("code hash", batch.code_hash.hex(), keccak(found).hex())):
        return problem
    if known := recognise(found):
        return f"it is {known.contract.label}, expected a verifier"
    single = len(code.reader.code(bound.verifier, code.block))
    if 2 * len(found) < single:  # generated ones are of one length, but for a few constants
        return f"it has {len(found)} bytes, the verifier for one decision {single}"
    return ""


def _batch(audited: Audited, batch: BatchVerifier) -> str:
    if problem := batch_problem(audited.code, audited.bound, batch):
        return problem
    circuit = audited.batches.get(batch.size)
    if circuit is None:
        return f"there is no circuit for {batch.size} decisions to compare it with"
    return _backed(audited, circuit, batch.verifier) or difference(
        ("circuit hash", batch.circuit_hash.hex(), circuit.digest)
    )


def _same_code(
    audited: Audited, compiled: Contract, address: str, arguments: tuple[Any, ...]
) -> str:
    """Compare with what the constructor returns for these arguments in this very state."""
    reader, block = audited.code.reader, audited.code.block
    expected = reader.constructed(compiled, arguments, block)
    found = reader.code(address, block)
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
    digests = (audited.model.manifest.files.onnx, audited.model.digest)
    network, manifest = (bytes.fromhex(digest) for digest in digests)
    covered = model_hash((network, manifest), encoder, decoder, components)
    system = system_id(audited.circuit.origin.system)
    return difference(
        ("model hash", bound.model_hash.hex(), covered.hex()),
        ("circuit hash", bound.circuit_hash.hex(), audited.circuit.digest),
        ("verifying key hash", bound.vk_hash.hex(), _digest(audited, bound.verifier)),
        ("proof system", bound.proof_system_id.hex(), system.hex()),
        ("commitment hash", bound.commitment_hash.hex(), commitment_hash(bound).hex()),
    )


def _setup(audited: Audited) -> Check:
    """A development set-up's maker can forge proofs. The verifier's constructor refuses other
    chains, but code gets onto a chain without it."""
    claim, chain_id = "its set-up suits the chain", audited.code.reader.chain_id
    circuits = (audited.circuit, *audited.batches.values())
    if not any(circuit.development_srs for circuit in circuits):
        told = [f"a ceremony's, of the transcript {c.transcript}" for c in circuits if c.transcript]
        return Check(audited.subject, claim, "", note="; ".join(dict.fromkeys(told)))
    if chain_id == LOCAL_CHAIN_ID:
        note = "a development set-up, whose maker can forge proofs: for local chains alone"
        return Check(audited.subject, claim, "", note=note)
    problem = (
        f"a development set-up on chain {chain_id}: whoever made it can forge proofs; only a "
        "ceremony's is sound outside of local chains"
    )
    return Check(audited.subject, claim, problem)


def _digest(audited: Audited, address: str) -> str:
    return keccak(audited.code.reader.code(address, audited.code.block)).hex()


__all__ = ["Audited", "audit", "batch_problem", "model_contract_checks"]
__all__ += ["obeyed_check", "registered_checks"]
