"""Calls and transactions whose failures say what the contract said.

web3 raises a dozen types, some with revert data as hex inside the message. Here they become the
ChainError family in one place (`translated`), with Solidity's errors decoded by name.
"""

import contextlib
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import requests
from eth_abi.exceptions import DecodingError
from eth_account.signers.local import LocalAccount
from eth_typing import ChecksumAddress
from web3 import Web3
from web3.exceptions import (
    BadResponseFormat,
    ContractLogicError,
    TimeExhausted,
    Web3RPCError,
    Web3ValidationError,
)
from web3.types import TxReceipt

from zkagent.verifier_contracts.chain.node import answers, new_address
from zkagent.verifier_contracts.chain.reverts import AbiEntry, parse_revert
from zkagent.verifier_contracts.chain.signing import (
    Fees,
    check_chain,
    fees_now,
    gas_limit,
    next_nonce,
    policy_of,
    sign,
)
from zkagent.verifier_contracts.errors import (
    AnswerRefused,
    ChainError,
    ChainUnreachable,
    CompileError,
    RevertError,
    ToolchainError,
)
from zkagent.verifier_contracts.toolchain.compile import Contract, error_abi
from zkagent.verifier_contracts.toolchain.own_errors import remembered_error

RECEIPT_TIMEOUT_S = 180
GAS_MARGIN_PERCENT = 10  # on estimates: state may move between estimate and inclusion
#: Of errors that commands can mend; docs/errors.md explains all.
REMEDIES = {
    "ModelCommitmentChanged": (
        "the model is registered otherwise than was accepted for the agent; see `zkagent model "
        "audit`, then `zkagent agent accept`, or for a new agent `zkagent agent "
        "deploy --arg commitment=HASH`"
    ),
    "DeploymentFailed": (
        "what a contract was to keep, such as a tool's late answer, is longer than the 24,575 "
        "bytes that another one's code holds, or gas was short: a shorter answer, or more gas"
    ),
    "ModelNotFound": "this registry has no such model; a deployment's record has its `model_id`",
}
Sender = LocalAccount | ChecksumAddress  # an address is for nodes that hold its key, such as anvil
Fields = dict[str, Any]


def send(
    web3: Web3,
    call: Any,
    sender: Sender,
    *,
    value: int = 0,
    gas: int | None = None,
    errors: Sequence[AbiEntry] = (),
) -> TxReceipt:
    """Send a transaction and wait for its receipt.

    call: a bound function or constructor of web3, or a plain {"to": ..., "data": ...}. value: wei.
    gas: limit; estimated when not given, and then a revert is found before anything is sent.
    errors: ABI entries to decode reverts with, beside the called contract's own and those of src/.
    Raises RevertError, also when the transaction was mined and reverted; ChainUnreachable;
    ChainError for what the node refuses.
    """
    with translated(web3, (*_known_errors(call), *errors)):
        check_chain(web3)
        fees = fees_now(web3)
        given = {"from": _address(sender), "value": value, "chainId": policy_of(web3).chain_id}
        transaction = _transaction(web3, call, given | _fee_fields(fees), gas)
        sent = _submit(web3, transaction, sender, fees)
        receipt = web3.eth.wait_for_transaction_receipt(sent, timeout=RECEIPT_TIMEOUT_S)
        if receipt["status"] != 1:
            replay(web3, transaction, receipt)
    return receipt


def deploy(
    web3: Web3,
    contract: Contract,
    sender: Sender,
    *args: Any,
    value: int = 0,
    gas: int | None = None,
    errors: Sequence[AbiEntry] = (),
) -> Any:
    """Deploy with the constructor arguments `args`; the web3 contract at its new address.

    Raises like `send`.
    """
    if not contract.bytecode:
        raise ChainError(f"{contract.name} is an interface or abstract: it has no code to deploy")
    factory = web3.eth.contract(abi=list(contract.abi), bytecode=contract.bytecode)
    known = (*contract.abi, *errors)
    receipt = send(web3, factory.constructor(*args), sender, value=value, gas=gas, errors=known)
    return web3.eth.contract(address=new_address(receipt), abi=list(contract.abi))


def call(
    web3: Web3,
    function: Any,
    sender: Sender | None = None,
    *,
    errors: Sequence[AbiEntry] = (),
    **fields: Any,
) -> Any:
    """Evaluate a bound function without a transaction. Raises like `send`.

    fields: more of the call, such as gas, value or block_identifier.
    """
    block = fields.pop("block_identifier", "latest")
    if sender is not None:
        fields["from"] = _address(sender)
    with translated(web3, (*_known_errors(function), *errors)):
        return function.call(fields, block_identifier=block)


#: What web3 makes of answers, and of the reasons in them, that are not what they have to be.
STUMBLES = (
    AttributeError,
    DecodingError,
    KeyError,
    IndexError,
    TypeError,
    UnicodeDecodeError,
    Web3ValidationError,
)


@contextlib.contextmanager
def translated(web3: Web3, errors: Sequence[AbiEntry] = ()) -> Iterator[None]:
    """What web3 and requests raise inside the block, as ChainError with decoded reverts."""
    try:
        yield
    except ContractLogicError as exc:
        raise revert_error(_bytes(exc.data), errors, str(exc.message)) from exc
    except Web3RPCError as exc:
        raise ChainError(f"the node refused: {_rpc_message(exc)}") from exc
    except TimeExhausted as exc:
        raise ChainError(f"no receipt after {RECEIPT_TIMEOUT_S} s: {exc}") from exc
    except requests.RequestException as exc:
        raise ChainUnreachable(_url(web3), type(exc).__name__) from exc
    except (BadResponseFormat, json.JSONDecodeError) as exc:
        raise ChainUnreachable(_url(web3), "the answer is not JSON-RPC") from exc
    except STUMBLES as exc:
        raise AnswerRefused("an answer", exc, "one of JSON-RPC") from exc


def revert_error(data: bytes, errors: Sequence[AbiEntry] = (), hint: str = "") -> RevertError:
    """The RevertError for revert data; `hint` is its message when there are no data."""
    revert = parse_revert(data, errors)
    if data and not revert.name:
        revert = parse_revert(data, (*_own_errors(), *remembered_error(data)))
    text = hint if hint and not data else str(revert)
    if remedy := REMEDIES.get(revert.name):
        text += f": {remedy}"
    return RevertError(text, name=revert.name, args=revert.arguments, data=data)


@functools.cache
def _own_errors() -> tuple[AbiEntry, ...]:
    """The errors of src/, which may surface through any call; none where solc is missing."""
    try:
        return tuple(error_abi())
    except (CompileError, ToolchainError):
        return ()


def _known_errors(call: Any) -> tuple[AbiEntry, ...]:
    return tuple(getattr(call, "contract_abi", None) or ())


def _transaction(web3: Web3, call: Any, given: Fields, gas: int | None) -> Fields:
    fields = given | {"gas": gas or 0}
    built = {**fields, **call} if isinstance(call, Mapping) else call.build_transaction(fields)
    transaction = {key: field for key, field in built.items() if key != "to" or field}
    if gas is None:
        del transaction["gas"]
        with answers("eth_estimateGas"):
            estimate = web3.eth.estimate_gas(transaction)  # type: ignore[arg-type]
        transaction["gas"] = gas_limit(web3, estimate, GAS_MARGIN_PERCENT)
    return transaction


def _fee_fields(fees: Fees) -> Fields:
    return {"maxFeePerGas": fees.max_fee_wei, "maxPriorityFeePerGas": fees.priority_wei}


def _submit(web3: Web3, transaction: Fields, sender: Sender, fees: Fees) -> Any:
    if isinstance(sender, str):
        return web3.eth.send_transaction(transaction)  # type: ignore[arg-type]
    raw = sign(
        web3,
        sender,
        transaction,
        gas=transaction["gas"],
        fees=fees,
        nonce=next_nonce(web3, sender.address),
    )
    return web3.eth.send_raw_transaction(raw)


def replay(web3: Web3, transaction: Fields, receipt: TxReceipt) -> None:
    """Always raises: receipts do not say why, so the call is evaluated again on the state before.

    Other transactions of the same block may have changed that state; then the reason is lost.
    """
    name = f"transaction 0x{receipt['transactionHash'].hex()}"
    fields = {key: transaction[key] for key in transaction.keys() & {"from", "to", "data", "value"}}
    fields["gas"] = transaction["gas"]
    try:
        web3.eth.call(fields, receipt["blockNumber"] - 1)  # type: ignore[arg-type]
    except Web3RPCError as exc:
        raise RevertError(f"{name} failed: {_rpc_message(exc)}", data=b"") from exc
    raise RevertError(f"{name} reverted, for a reason that does not show again", data=b"")


def _rpc_message(exc: Web3RPCError) -> str:
    response = exc.rpc_response or {}
    error = response.get("error")
    return str(error.get("message") if isinstance(error, dict) else exc.message)


def _bytes(data: Any) -> bytes:
    """Revert data in the shapes that nodes and web3 give it."""
    if isinstance(data, dict):
        data = data.get("data") or data.get("result")
    text = data.removeprefix("Reverted ") if isinstance(data, str) else ""
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        return b""


def _address(sender: Sender) -> ChecksumAddress:
    if isinstance(sender, str):
        return Web3.to_checksum_address(sender)
    return Web3.to_checksum_address(sender.address)


def _url(web3: Web3) -> str:
    return str(getattr(web3.provider, "endpoint_uri", web3.provider))


__all__ = ["Sender", "call", "deploy", "replay", "revert_error", "send", "translated"]
