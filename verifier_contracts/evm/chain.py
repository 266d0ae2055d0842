"""EVM models on a chain: deployment, and what evaluation costs there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from circuits.field import to_field
from verifier_contracts.chain import Sender, call, send
from verifier_contracts.evm.model import EvmModel
from verifier_contracts.model_code import creation_code

TRANSACTION_GAS, ZERO_BYTE_GAS, BYTE_GAS = 21_000, 4, 16  # EIP-2028


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

    To compare with a proof's: `call_gas` of its verifier. Raises ChainError, RevertError.
    """
    functions = deployed.contract.functions
    y = call(web3, functions.evaluate(list(x)))
    return call_gas(web3, functions.verify(b"", [to_field(v) for v in (*x, *y)]), sender)


def call_gas(web3: Any, function: Any, sender: Sender) -> int:
    """Gas that a contract's function uses, measured by a transaction: what the receipt says less
    what every transaction pays for itself and its calldata. Raises like `send`."""
    receipt = send(web3, function, sender)
    data = bytes.fromhex(function._encode_transaction_data().removeprefix("0x"))
    zeros = data.count(0)
    own = TRANSACTION_GAS + ZERO_BYTE_GAS * zeros + BYTE_GAS * (len(data) - zeros)
    return int(receipt["gasUsed"]) - own


__all__ = ["DeployedEvmModel", "call_gas", "deploy_evm_model", "evaluation_gas"]
