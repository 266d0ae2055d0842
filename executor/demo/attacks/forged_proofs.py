"""The two forgeries of `ezkl_forgeries`, each against ezkl's default and against what we build.

The first half is the control: a forgery that fails everywhere would show nothing.
"""

import tempfile
from pathlib import Path

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.bn254.field import to_field
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.verifier_patch import CONTRACT
from zkagent.executor.chain.abi import Method
from zkagent.executor.demo.attacks.ezkl_forgeries import (
    STOCK_SELECTOR,
    abi_offset_calldata,
    freivalds_forgery,
)
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, AttackResult, AttackStage
from zkagent.verifier_contracts.chain.local import deploy, translated
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source

VERIFY = Method("verify", ("bytes", "uint256[]"))


def shifted_abi_head(stage: AttackStage) -> AttackResult:
    """Any outputs at all, for the real circuit, by calldata whose offsets are not canonical."""
    forged = _any_instances(stage)
    generated = _generated_verifier(stage.circuit)
    with stage.undone():
        arguments = abi_offset_calldata(
            generated, forged, lambda source, data: _evaluate(stage, source, data)
        )
        stock = _evaluate(stage, generated, STOCK_SELECTOR + arguments)
        control = int.from_bytes(stock, "big") == 1
        error = _patched_error(stage, VERIFY.selector + arguments)
    return AttackResult(
        "forged proof by shifted ABI offsets",
        "made-up outputs: ezkl's own verifier " + ("accepts" if control else "rejects") + " them",
        control and error != "",
        error or "the patched verifier accepted it",
        FALSE_PROOF if error else "",
    )


def permuted_matrix_product(stage: AttackStage) -> AttackResult:
    """Outputs of a matrix product in another order, where Freivalds' check does not bind them."""
    with tempfile.TemporaryDirectory() as folder:
        control, defended = Path(folder, "default"), Path(folder, "ours")
        control.mkdir()
        defended.mkdir()
        default = freivalds_forgery(control, disable_freivalds=False)
        ours = freivalds_forgery(defended, disable_freivalds=True)
    return AttackResult(
        "forged proof by permuted matrix product",
        f"{list(ours.claimed)} for {list(ours.honest)}: ezkl's default circuit "
        + ("accepts" if default.accepted else "rejects")
        + " it",
        default.accepted and not ours.accepted,
        "our circuit accepted it" if ours.accepted else "our circuit has no valid proof of it",
        "" if ours.accepted else FALSE_PROOF,
    )


def _any_instances(stage: AttackStage) -> list[int]:
    """The run's first input, with outputs that nothing ever computed."""
    x = stage.run.plan.decisions[0].x
    return [to_field(v) for v in x] + [1234567 + i for i in range(stage.circuit.output_count)]


def _generated_verifier(circuit: Circuit) -> str:
    """The circuit's verifier as ezkl writes it, before our patches."""
    return ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)


def _evaluate(stage: AttackStage, source: str, data: bytes) -> bytes:
    verifier = deploy(stage.web3, compile_source(CONTRACT, source), stage.chain.stranger)
    with translated(stage.web3):
        return bytes(stage.web3.eth.call({"to": verifier.address, "data": data}))


def _patched_error(stage: AttackStage, data: bytes) -> str:
    to = stage.chain.deployment.contracts.verifier
    try:
        with translated(stage.web3):
            stage.web3.eth.call({"to": to, "data": data})
    except RevertError:
        return "the patched verifier reverts: proof.offset is not 0x64"
    return ""


ATTACKS = (shifted_abi_head, permuted_matrix_product)
