"""A third proof system needs one folder, one entry and one backing, and everything works with it:
deployment, runs, receipts, audit. The folder is `tests/support/fakes/third_system/`.

On chain the registry has its own list of the systems that it takes, for agents' owners to rely on;
it is a registry with another list that takes this one.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from eth_utils.crypto import keccak

from tests.support.fakes.third_system.backing import HashBacking
from tests.support.fakes.third_system.system import HashSystem
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import ProofSystemUnknown
from zkagent.circuits.systems import EVALUATED, HALO2, SYSTEMS, find_system, load_circuit, system_id
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.cli.main import main
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import parse_receipt
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.session import Session, open_embedded
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment import deployer as deployment
from zkagent.verifier_contracts.deployment.backing import BACKINGS
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import (
    SOURCES,
    Contract,
    compile_sources,
    contract,
)

HASH = HashSystem()
ID = system_id(HASH.name)


def quiet(stage: str) -> None:
    """Progress for nobody."""


def with_other_registry(name: str) -> Contract:
    """A contract of src/, the registry with the third system's name in its list."""
    if name != "ModelRegistry":
        return contract(name)
    unit = "src/registry/ModelRegistry.sol"
    source = (SOURCES.parent / unit).read_text()
    assert source.count(EVALUATED.name) == 1
    return compile_sources({unit: source.replace(EVALUATED.name, HASH.name)})[name]


@pytest.fixture(scope="module")
def circuit(wallet: Model) -> Iterator[Circuit]:
    """Of the third system: this entry and this backing are all that the code is told of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SYSTEMS, ID, HASH)
        patch.setitem(BACKINGS, ID, HashBacking)
        patch.setattr(deployment, "contract", with_other_registry)
        yield HASH.build(wallet.onnx_path)


@pytest.fixture(scope="module")
def third(wallet: Model, circuit: Circuit) -> Iterator[tuple[Session, EmbeddedChain]]:
    with open_embedded(wallet, circuit, quiet) as both:
        yield both


def test_a_run_is_proven_by_the_third_system(third: tuple[Session, EmbeddedChain]) -> None:
    completed = third[0].runner.run(b"withdraw 5 USDC from the pool")
    identity = completed.proven.plan.identity
    assert identity.model.proof_system_id == ID
    assert {len(proof.proof) for proof in completed.proven.proofs} == {32}
    assert completed.inclusion.result.answer


def test_a_false_proof_reverts(third: tuple[Session, EmbeddedChain]) -> None:
    runner = third[0].runner
    proven = runner.prove(runner.plan(b"withdraw 5 USDC from the pool"))
    proofs = (b"\0" * 32, *proven.call.proofs[1:])
    with pytest.raises(RevertError, match=keccak(text="NotTheHash(bytes32)")[:4].hex()):
        runner.sender.estimate_gas(replace(proven.call, proofs=proofs))


def test_its_receipt_is_verified_and_one_that_names_another_system_is_not(
    third: tuple[Session, EmbeddedChain], wallet: Model
) -> None:
    session, chain = third
    run = session.runner.run(b"withdraw 5 USDC from the pool")
    receipt = write_receipt(session.chain, wallet, [run], session.signer)
    circuits = LocalCircuits()
    trusted = {f"registry={chain.deployment.registry.lower()}"}  # of which nothing here knows
    contracts = RunContracts(session.chain.reader, lambda name: wallet, circuits, trusted)
    sources = Sources(lambda name: wallet, circuits, lambda agent: session.chain, contracts)
    assert verify_receipt(receipt, sources).problems == ()
    document = json.loads(receipt.to_json())
    document["runs"][0]["model"]["proof_system_id"] = f"0x{system_id(HALO2.name).hex()}"
    assert not verify_receipt(parse_receipt(json.dumps(document)), sources).accepted


def test_the_audit_rebuilds_what_stands_where_a_verifier_stands(
    third: tuple[Session, EmbeddedChain], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, chain = third
    path = tmp_path / "deployment.json"
    path.write_text(chain.deployment.to_json())
    trusted = [
        "--trust",
        f"registry={chain.deployment.registry}",
    ]  # which knows the system, and is nobody's here
    words = ["model", "audit", str(chain.deployment.model_id), "--deployment", str(path), "--json"]
    words += trusted
    main([*words, "--rpc", chain.anvil.rpc_url])
    assert json.loads(capsys.readouterr().out)["held"]
    chain.anvil.rpc("anvil_setCode", chain.deployment.contracts.verifier, "0x00")
    with pytest.raises(SystemExit):
        main([*words, "--rpc", chain.anvil.rpc_url])
    problems = [check["problem"] for check in json.loads(capsys.readouterr().out)["checks"]]
    assert any("differs from HashVerifier" in problem for problem in problems)


def test_its_circuits_lie_in_the_same_store(circuit: Circuit) -> None:
    assert load_circuit(circuit.digest) == circuit


def test_a_system_that_is_not_listed_is_unknown() -> None:
    with pytest.raises(ProofSystemUnknown, match="no proof system 0x00000000 in this version"):
        find_system(bytes(4))


def test_no_two_systems_name_the_same_versions(wallet: Model, wallet_circuit: Circuit) -> None:
    """Otherwise a circuit of one could have the name of one of the other."""
    made = (wallet_circuit, *(system.build(wallet.onnx_path) for system in SYSTEMS.values()))
    by_system = {circuit.origin.system: set(circuit.origin.made_by) for circuit in made}
    names = [name for found in by_system.values() for name in found]
    assert len(names) == len(set(names))
