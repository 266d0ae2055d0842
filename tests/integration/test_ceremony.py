"""A ceremony's key on a chain that is no local one: deployed, obeyed, and told by audits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.support.ceremonies import Held, X
from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.groth16.ceremony.files import finish
from zkagent.circuits.groth16.ceremony.transcript import read_transcript
from zkagent.circuits.groth16.proving.provers import Prover
from zkagent.circuits.systems import PROVERS
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import Audited, model_contract_checks
from zkagent.executor.chain.model_hashes import commitment_hash
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import CannotVerify
from zkagent.executor.receipts.circuits import find_circuit
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment import backing
from zkagent.verifier_contracts.deployment.backing import KeyBacking
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import deploy_wallet
from zkagent.verifier_contracts.errors import DevelopmentSetupRefused, ModelCodeError, RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_all

SOMEWHERE = 7001  # no local chain


@pytest.fixture(scope="module")
def somewhere() -> Iterator[Anvil]:
    with Anvil(chain_id=SOMEWHERE) as running:
        yield running


@pytest.fixture(scope="module")
def circuit(held: Held, tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    return finish(
        held.onnx,
        held.last,
        held.ptau,
        ptau_digest=held.ptau_digest,
        prover=Prover.SNARKJS,
        cache=tmp_path_factory.mktemp("home"),
    )


@pytest.fixture(scope="module")
def development(held: Held, tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    return PROVERS["snarkjs"].build(held.onnx, cache=tmp_path_factory.mktemp("development"))


def row(key: str, proof: Proof) -> tuple[str, bytes, bytes, bytes]:
    features = b"".join(number.to_bytes(2, "big", signed=True) for number in proof.inputs)
    output = b"".join(number.to_bytes(8, "big", signed=True) for number in proof.outputs)
    return key, proof.proof, features, output


def verifier_on(chain: Anvil) -> Any:
    contract = compile_all()["Groth16Verifier"]
    factory = chain.web3.eth.contract(abi=list(contract.abi), bytecode=contract.bytecode)
    address = send(chain.web3, factory.constructor(), chain.accounts[0])["contractAddress"]
    return chain.web3.eth.contract(address=address, abi=list(contract.abi))


def key_on(chain: Anvil, circuit: Circuit) -> str:
    data = creation_code(circuit.vk.read_bytes())
    return str(send(chain.web3, {"data": data}, chain.accounts[0])["contractAddress"])


def test_proofs_of_both_provers_hold_where_development_keys_do_not(
    somewhere: Anvil, circuit: Circuit, development: Circuit
) -> None:
    pytest.importorskip("groth16py")
    verifier, key = verifier_on(somewhere), key_on(somewhere, circuit)

    def verify(*rows: Sequence[Any]) -> None:
        call(somewhere.web3, verifier.functions.verify(list(rows)), gas=1_500_000)

    one, other = (systems.prove(circuit, X, prover) for prover in ("groth16py", "snarkjs"))
    verify(row(key, one))
    verify(row(key, other))
    verify(row(key, one), row(key, other))
    y = (one.outputs[0] + 1, *one.outputs[1:])
    for wrong in (
        replace(other, outputs=y),
        replace(other, inputs=(*other.inputs[:-1], 32766)),
        replace(other, proof=other.proof[192:] + other.proof[64:192] + other.proof[:64]),
        replace(systems.prove(development, X), circuit=circuit.digest),
    ):
        with pytest.raises(RevertError, match="ProofsFalse"):
            verify(row(key, wrong))
        with pytest.raises(RevertError, match="ProofsFalse"):
            verify(row(key, one), row(key, wrong))
    with pytest.raises(RevertError, match="DevelopmentKey"):
        verify(row(key_on(somewhere, development), systems.prove(development, X)))


def test_deploying_takes_a_ceremonys_key_where_it_refuses_a_development_one(
    circuit: Circuit, development: Circuit
) -> None:
    KeyBacking(circuit).check(1, circuit.origin.onnx)
    with pytest.raises(DevelopmentSetupRefused, match="which `zkagent ceremony init` begins"):
        KeyBacking(development).check(1, development.origin.onnx)


@pytest.fixture(scope="module")
def deployed(somewhere: Anvil, wallet: Model, circuit: Circuit) -> Deployment:
    """Whole but for the network, which is smaller than the wallet's, so that its powers of tau are
    made in seconds: nothing runs on it. Another network's circuit is refused otherwise."""
    owner = somewhere.accounts[0]
    with pytest.raises(ModelCodeError, match="is of the ONNX file"):
        deploy_wallet(somewhere.web3, wallet, circuit, owner)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backing, "_check_network", lambda *_: None)
        return deploy_wallet(somewhere.web3, wallet, circuit, owner)


def audited(somewhere: Anvil, deployed: Deployment, model: Model, circuit: Circuit) -> Audited:
    reader = ContractReader(somewhere.web3)
    code = Code(reader, reader.block("latest"))
    bound = Web3Registry(reader, deployed.registry).model(deployed.model_id, code.block)
    return Audited(code, deployed.registry, bound, model, circuit)


def test_the_transcript_is_in_the_commitment_and_told_by_audits(
    somewhere: Anvil, deployed: Deployment, wallet: Model, circuit: Circuit, held: Held
) -> None:
    found = audited(somewhere, deployed, wallet, circuit)
    checks = {check.claim: check for check in model_contract_checks(found)}
    assert checks["the verifier is the circuit's"].held
    setup = checks["its set-up suits the chain"]
    assert setup.held
    transcript = read_transcript(held.last).digest
    assert setup.note == f"a ceremony's, of the transcript {transcript}"
    assert not deployed.development_srs
    # circuitHash is the circuit's name, which covers the transcript, and the commitment covers it
    assert found.bound.circuit_hash.hex() == circuit.digest
    assert found.bound.commitment_hash == commitment_hash(found.bound)
    told = dict(circuit.origin.versions) | {"groth16_transcript": "0" * 64}
    other = replace(circuit.origin, versions=tuple(told.items())).digest
    changed = replace(found.bound, circuit_hash=bytes.fromhex(other))
    assert commitment_hash(changed) != found.bound.commitment_hash


def test_another_key_than_the_ceremonys_is_found(
    somewhere: Anvil,
    deployed: Deployment,
    wallet: Model,
    circuit: Circuit,
    development: Circuit,
) -> None:
    found = audited(somewhere, deployed, wallet, development)
    checks = {check.claim: check for check in model_contract_checks(found)}
    assert not checks["the verifier is the circuit's"].held
    assert "only a ceremony's is sound" in checks["its set-up suits the chain"].problem


def test_a_copied_ceremony_is_nothing_to_a_receipt_until_it_was_verified(
    circuit: Circuit, wallet: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """Whoever copies the folder has the maker's word alone."""
    import shutil

    shutil.copytree(circuit.directory, tmp_path / "circuits" / circuit.digest)
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    with pytest.raises(CannotVerify, match="with `zkagent ceremony verify --for-audits`"):
        find_circuit(wallet, circuit.digest, systems.GROTH16)
