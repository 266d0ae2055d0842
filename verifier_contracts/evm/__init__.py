"""Integer models as contracts that evaluate them, for the least gas: the baseline of proofs.

A tiny model is cheaper to evaluate in the EVM than to prove. `generate_evm_model` writes such a
contract, which takes a verifier's place; benchmarks and the registry's proof system `evm-int-v1`
use it.

    ONNX --circuits/program--> program --statements--> Solidity --solc--> contracts
"""

from zkagent.verifier_contracts.evm.chain import (
    DeployedEvmModel,
    deploy_evm_model,
    evaluation_gas,
)
from zkagent.verifier_contracts.evm.model import (
    EvmModel,
    generate_evm_model,
)

__all__ = [
    "DeployedEvmModel",
    "EvmModel",
    "deploy_evm_model",
    "evaluation_gas",
    "generate_evm_model",
]
