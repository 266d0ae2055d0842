"""Sets the stage: two honest runs, and a second model that differs from the first in one weight."""

import hashlib
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import HALO2, system_of
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.executor.runs.session import Session, local_circuit
from zkagent.models.catalogue import MANIFEST, ONNX, Model, load_model
from zkagent.prover.local import LocalProver
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.wallet import Deployer, at

#: Both possible on the embedded chain, before and after the demo's runs.
RUN, OTHER_RUN = b"deposit 25 DAI into the pool", b"withdraw 25 DAI from the pool"
#: The first layer, in models/networks/onnx_export.py; of other networks the largest.
PERTURBED_WEIGHTS = "trunk_w"

Tell = Callable[[str], None]


def prepare(session: Session, chain: EmbeddedChain, tell: Tell) -> AttackStage:
    """Plan and prove the honest runs, register the second model, have it prove something."""
    tell("proving the runs that are attacked")
    runner = session.runner
    run, other_run = (runner.prove(runner.plan(prompt)) for prompt in (RUN, OTHER_RUN))
    proof, model_id = _other_model(session, chain, run.plan.inputs[0], tell)
    return AttackStage(
        chain=chain,
        model=session.model,
        circuit=session.circuit,
        runner=runner,
        run=run,
        other_run=other_run,
        other_proof=proof,
        other_model_id=model_id,
    )


def perturbed_model(model: Model, folder: Path) -> Model:
    """`model` with one weight of its first layer one larger, kept in a folder of `folder`."""
    onnx = _perturbed(model.onnx_path)
    digest = hashlib.sha256(onnx).hexdigest()
    files = model.manifest.files.model_copy(update={"onnx": digest})
    changed: dict[str, object] = {"id": f"{model.name}Perturbed", "files": files, "accuracy": {}}
    manifest = model.manifest.model_copy(update=changed)
    directory = folder / digest[:32]
    directory.mkdir(parents=True, exist_ok=True)
    for table in model.directory.glob("*.bin"):
        shutil.copyfile(table, directory / table.name)
    (directory / ONNX).write_bytes(onnx)
    (directory / MANIFEST).write_text(manifest.to_json())
    return load_model(directory, Model)


def _perturbed(path: Path) -> bytes:
    import onnx
    from onnx import numpy_helper

    network = onnx.load(path)
    tensors = network.graph.initializer
    named = (tensor for tensor in tensors if tensor.name == PERTURBED_WEIGHTS)
    weights = next(named, max(tensors, key=lambda tensor: math.prod(tensor.dims)))
    values = numpy_helper.to_array(weights).copy()
    values.flat[0] += 1
    weights.CopyFrom(numpy_helper.from_array(values, weights.name))
    return bytes(network.SerializeToString(deterministic=True))


def _other_model(
    session: Session, chain: EmbeddedChain, x: tuple[int, ...], tell: Tell
) -> tuple[Proof, int]:
    """A proof of the second model for `x`, and the number that it is registered under."""
    model = perturbed_model(session.model, cache_root() / "perturbed")
    system = system_of(session.circuit)
    srs = session.circuit.srs if system is HALO2 else None  # a set-up of many circuits
    circuit = local_circuit(model, srs, lambda s: tell(f"second model: {s}"), system)
    deployer = Deployer(DirectCarrier(chain.web3, chain.owner))
    verifier = deployer.verifier(circuit)
    contracts = replace(chain.deployment.contracts, verifier=verifier.address)
    registry = at(chain.web3, "ModelRegistry", chain.deployment.registry)
    tell("second model: proving")
    with LocalProver(circuit) as prover:
        proof = prover.prove(x)
    return proof, deployer.register(registry, model, circuit, contracts, verifier).number
