"""EVM models on a chain: deployment, and what evaluation costs there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zkagent.circuits.bn254.field import to_field
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.gas import call_gas
from zkagent.verifier_contracts.chain.local import Sender, call, send
from zkagent.verifier_contracts.evm.model import EvmModel


@dataclass(frozen=True)
class DeployedEvmModel:
    """A web3 contract with `verify` and `evaluate`; gas: of its deployment, parts included."""

    contract: Any
    gas: int


def deploy_evm_model(web3: Any, model: EvmModel, sender: Sender) -> DeployedEvmModel:
    """Deploy the parts, then the contract that calls them. Raises ChainError."""
    receipts = [send(web3, {"data": creation_code(code)}, sender) for code in model.parts]
    addresses = [receipt["contractAddress"] for receipt in receipts]
    arguments = [addresses] if addresses else []
    abi = list(model.contract.abi)
    factory = web3.eth.contract(abi=abi, bytecode=model.contract.bytecode)
    receipts.append(send(web3, factory.constructor(*arguments), sender, errors=abi))
    contract = web3.eth.contract(address=receipts[-1]["contractAddress"], abi=abi)
    return DeployedEvmModel(contract, sum(receipt["gasUsed"] for receipt in receipts))


def evaluation_gas(web3: Any, deployed: DeployedEvmModel, sender: Sender, x: Sequence[int]) -> int:
    """Gas of `verify` for x and f(x), measured by a transaction, without the transaction's own.

    To compare with a proof's: `gas.call_gas` of its verifier. Raises ChainError, RevertError.
    """
    functions = deployed.contract.functions
    y = call(web3, functions.evaluate(list(x)))
    return call_gas(web3, functions.verify(b"", [to_field(v) for v in (*x, *y)]), sender)


__all__ = ["DeployedEvmModel", "deploy_evm_model", "evaluation_gas"]
