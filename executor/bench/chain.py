"""What circuits and EVM contracts cost on a chain: an anvil of the run's own, Cancun's prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from circuits.ezkl_engine import make_verifier
from circuits.verifier_patch import CONTRACT
from executor.bench.forms import STOCK
from executor.bench.proving import Entry
from verifier_contracts.chain import Anvil, send
from verifier_contracts.compile import compile_source

TRANSACTION_GAS, ZERO_BYTE_GAS, BYTE_GAS = 21_000, 4, 16  # EIP-2028


@dataclass(frozen=True)
class CallCost:
    """Of a contract that was deployed and called once with a proof."""

    deploy_gas: int
    code_bytes: int
    execution_gas: int
    calldata_bytes: int
    calldata_gas: int


def verification(chain: Anvil, entry: Entry) -> CallCost:
    """Deploy the form's verifier and verify its last proof. Raises ChainError, CompileError."""
    return call_cost(chain, entry.prepared.verifier, entry.prepared.entry, *_arguments(entry))


def stock_verification(chain: Anvil, entry: Entry) -> CallCost:
    """The same with the verifier that ezkl writes. Raises ChainError, CompileError, EngineError."""
    prepared = entry.prepared
    source = make_verifier(prepared.vk, prepared.settings, prepared.srs)
    return call_cost(chain, source, STOCK, *_arguments(entry))


def call_cost(
    chain: Anvil, source: str, entry: str, proof: bytes, instances: Sequence[int]
) -> CallCost:
    """Deploy generated Solidity and call it in a transaction, which must succeed."""
    contract, deploy_gas = deployed(chain, source)
    function = contract.functions[entry](proof, list(instances))
    data = bytes.fromhex(function._encode_transaction_data().removeprefix("0x"))
    receipt = send(chain.web3, function, chain.accounts[0])
    calldata_gas = gas_of_calldata(data)
    return CallCost(
        deploy_gas=deploy_gas,
        code_bytes=len(chain.web3.eth.get_code(contract.address)),
        execution_gas=int(receipt["gasUsed"]) - TRANSACTION_GAS - calldata_gas,
        calldata_bytes=len(data),
        calldata_gas=calldata_gas,
    )


def deployed(chain: Anvil, source: str) -> tuple[Any, int]:
    """The contract of generated Solidity, and the gas of its deployment."""
    compiled = compile_source(CONTRACT, source)
    factory = chain.web3.eth.contract(abi=list(compiled.abi), bytecode=compiled.bytecode)
    receipt = send(chain.web3, factory.constructor(), chain.accounts[0])
    contract = chain.web3.eth.contract(address=receipt["contractAddress"], abi=list(compiled.abi))
    return contract, int(receipt["gasUsed"])


def gas_of_calldata(data: bytes) -> int:
    zeros = data.count(0)
    return ZERO_BYTE_GAS * zeros + BYTE_GAS * (len(data) - zeros)


def _arguments(entry: Entry) -> tuple[bytes, tuple[int, ...]]:
    return entry.proof, entry.instances


__all__ = ["CallCost", "call_cost", "deployed", "gas_of_calldata", "verification"]
__all__ += ["stock_verification"]
