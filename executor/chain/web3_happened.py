"""A transaction as a node has it, with the events that a run leaves.

A node may lie about all of it, but not in contradiction to itself: transaction, receipt, events and
block have to name each other. Whoever asks compares the rest with what the sender signed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block, Happened, VerifiedDecision
from zkagent.executor.chain.effects import TRANSFER, transfers_in
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import CannotVerify, NotOnChain
from zkagent.verifier_contracts.chain.node import answers

#: Data by topic: executors of earlier versions name no commitment.
VERIFIED = {
    method.topic: method.inputs[2:] for method in (abi.DECISION_VERIFIED, abi.VERIFIED_EARLIER)
}
WITHDRAWAL = keccak(text="Withdrawal(address,uint256)")  # WETH9


def read_happened(reader: ContractReader, transaction: str) -> Happened:
    """Raises NotOnChain, CannotVerify, AnswerRefused."""
    receipt, sent = reader.receipt(transaction), reader.transaction(transaction)
    with answers("eth_getTransactionReceipt"):
        if receipt["status"] != 1:
            raise NotOnChain(f"transaction {transaction} was reverted")
        header = reader.header(receipt["blockNumber"])
        _check_consistent(transaction, receipt, sent, header)
        return Happened(
            block=Block(int(receipt["blockNumber"]), _hex(receipt["blockHash"])),
            parent=_hex(header["parentHash"]),
            sender=str(sent["from"]).lower(),
            receiver=str(sent["to"]).lower(),
            value_wei=int(sent["value"]),
            nonce=int(sent["nonce"]),
            chain_id=int(sent["chainId"]) if "chainId" in sent else None,
            data=bytes(sent["input"]),
            place=int(receipt["transactionIndex"]),
            verified=tuple(_verified(receipt["logs"])),
            transfers=transfers_in(receipt["logs"]),
        )


def token_movement(
    reader: ContractReader, token: str, account: str, block: Block
) -> tuple[int, int]:
    """By the token's events in `block`, and by its balances before and after.

    What is unwrapped (WETH9) is told by `Withdrawal` alone, or by a transfer as well, so it is only
    asked for where something is missing.
    """
    before = Block(block.number - 1, "")
    old, new = (int(reader.view(token, abi.BALANCE_OF, at, account)[0]) for at in (before, block))
    said = 0
    for transfer in transfers_in(reader.logs(block, token, TRANSFER)):
        said += transfer.units * (transfer.recipient == account)
        said -= transfer.units * (transfer.sender == account)
    grew = new - old
    if grew < said:
        said = max(grew, said - _unwrapped(reader, token, account, block))
    return said, grew


def _unwrapped(reader: ContractReader, token: str, account: str, block: Block) -> int:
    """Units that `account` turned into coins, as wrapped coins say it."""
    units = 0
    for log in reader.logs(block, token, WITHDRAWAL):
        topics, data = [bytes(topic) for topic in log["topics"]], bytes(log["data"])
        if len(topics) == 2 and len(data) == 32 and topics[1][12:] == bytes.fromhex(account[2:]):
            units += int.from_bytes(data, "big")
    return units


def _check_consistent(
    transaction: str,
    receipt: Mapping[str, Any],
    sent: Mapping[str, Any],
    header: Mapping[str, Any],
) -> None:
    """Raises CannotVerify for answers that do not name each other."""
    block, number = _hex(receipt["blockHash"]), int(receipt["blockNumber"])
    same = [
        ("the receipt's transaction", _hex(receipt["transactionHash"]), transaction),
        ("the transaction's hash", _hex(sent["hash"]), transaction),
        ("the transaction's block", _hex(sent["blockHash"]), block),
        ("the block's hash", _hex(header["hash"]), block),
        ("the block's number", int(header["number"]), number),
        ("the receipt's sender", str(receipt["from"]).lower(), str(sent["from"]).lower()),
        ("the receipt's receiver", str(receipt["to"]).lower(), str(sent["to"]).lower()),
    ]
    for log in receipt["logs"]:
        same += [
            ("an event's transaction", _hex(log["transactionHash"]), transaction),
            ("an event's block", _hex(log["blockHash"]), block),
        ]
    for what, found, expected in same:
        if found != expected:
            raise _contradiction(f"{what} is {found}, elsewhere {expected}")
    places = [int(log["logIndex"]) for log in receipt["logs"]]
    if places != sorted(set(places)):
        raise _contradiction(f"events are in the order {places}")
    if transaction not in [_hex(each) for each in header["transactions"]]:
        raise _contradiction(f"block {number} does not list transaction {transaction}")


def _contradiction(what: str) -> CannotVerify:
    return CannotVerify(f"the node contradicts itself ({what}): ask another node")


def _verified(logs: Sequence[Mapping[str, Any]]) -> Iterator[VerifiedDecision]:
    for log in logs:
        topics = [bytes(topic) for topic in log["topics"]]
        if len(topics) != 3 or topics[0] not in VERIFIED:
            continue
        try:
            *before, features, output = abi.decode_canonical(
                VERIFIED[topics[0]], bytes(log["data"])
            )
        except ValueError:
            continue  # anybody may emit anything
        yield VerifiedDecision(
            executor=str(log["address"]).lower(),
            model_id=int.from_bytes(topics[1], "big"),
            agent="0x" + topics[2][12:].hex(),
            commitment_hash=before[0] if before else b"",
            features_hash=features,
            output_hash=output,
        )


def _hex(value: Any) -> str:
    return "0x" + bytes(value).hex()


__all__ = ["read_happened", "token_movement"]
