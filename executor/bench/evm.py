"""The baseline without a proof: a contract that computes the same integers itself."""

from zkagent.circuits.bn254.field import to_field
from zkagent.executor.bench.results import Case
from zkagent.executor.bench.subjects import Subject
from zkagent.executor.errors import BenchMeasurementFailed
from zkagent.verifier_contracts.chain.gas import calldata_gas, calldata_of
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.evm import (
    DeployedEvmModel,
    EvmModel,
    deploy_evm_model,
    evaluation_gas,
    generate_evm_model,
)

FORM = "evm"
SAMPLES = 3


def evm_case(chain: Anvil, subject: Subject) -> tuple[Case, int]:
    """Its cost, and the network's multiply-adds. The dearest of the samples counts.

    Raises EvmModelError for a network that has no such contract, BenchMeasurementFailed when the
    contract computes other integers than onnxruntime, ChainError.
    """
    model = generate_evm_model(subject.network.content, input_bits=subject.input_bits)
    deployed = deploy_evm_model(chain.web3, model, chain.accounts[0])
    samples = [tuple(int(v) for v in x.reshape(-1)) for x in subject.samples[:SAMPLES]]
    for x, expected in zip(samples, subject.reference(SAMPLES), strict=True):
        found = tuple(call(chain.web3, deployed.contract.functions.evaluate(list(x))))
        if found != expected:
            raise BenchMeasurementFailed(
                f"the EVM contract of {subject.name} computes {found[:4]}... where onnxruntime "
                f"computes {expected[:4]}..."
            )
    return _case(chain, subject, model, deployed, samples), model.program.multiply_adds


def _case(
    chain: Anvil,
    subject: Subject,
    model: EvmModel,
    deployed: DeployedEvmModel,
    samples: list[tuple[int, ...]],
) -> Case:
    gas = max(evaluation_gas(chain.web3, deployed, chain.accounts[0], x) for x in samples)
    y = call(chain.web3, deployed.contract.functions.evaluate(list(samples[0])))
    instances = [to_field(v) for v in (*samples[0], *y)]
    function = deployed.contract.functions.verify(b"", instances)
    data = calldata_of(function)
    return Case(
        network=subject.name,
        form=FORM,
        instances=len(instances),
        proof_bytes=0,
        calldata_bytes=len(data),
        calldata_gas=calldata_gas(data),
        verify_gas=gas,
        deploy_gas=deployed.gas,
        code_bytes=model.code_bytes,
    )


__all__ = ["FORM", "evm_case"]
