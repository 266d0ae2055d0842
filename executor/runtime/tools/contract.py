"""Functions of a contract as tools, by its ABI.

Those that only read are calls of the node's latest state. All others are transactions, of one
account, for fees that are capped and with a nonce that is kept: each call of a run is signed once,
on disk before it is sent, and gone on with after a crash (executor/chain/contract_calls.py).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eth_abi.abi import encode
from eth_abi.exceptions import DecodingError, EncodingError
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from zkagent.errors import ZkagentError
from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.contract_calls import ContractCalls
from zkagent.executor.chain.web3_sender import NodeChain
from zkagent.executor.errors import CallRecordDamaged, CallTaken, CallUnsettled
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    CallUnknown,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.abi_types import (
    Entry,
    from_abi,
    names_of,
    object_of,
    schema_of,
    selector,
    signature,
    to_abi,
    type_of,
)
from zkagent.executor.runtime.tools.threads import in_thread
from zkagent.verifier_contracts.chain.decoding import decode
from zkagent.verifier_contracts.chain.local import LOCAL_CHAIN_ID, connect, translated
from zkagent.verifier_contracts.chain.node import ask
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.chain.signing import USUAL_CAPS, FeeCaps
from zkagent.verifier_contracts.errors import ChainError, RevertError

READS = ("view", "pure")
VALUE = "value_wei"
MOST_ANSWER = 1 << 16  # bytes
SETTLED = 3  # blocks, the transaction's own included, on chains that are not local
LEFT_S = 2.0  # of a call's time, for what follows on its transaction


@dataclass(frozen=True)
class ContractAccount:
    """Who signs. folder: where what is signed is kept; one for all contracts of the account.
    most_value_wei: that one call may send along. caps: of fees."""

    signer: LocalAccount
    folder: Path
    most_value_wei: int = 0
    caps: FeeCaps = USUAL_CAPS
    confirmations: int | None = None
    timeout_s: float = 180.0


class ContractTools:
    """A contract on a chain. rpc: its node's address; chain_id: what it has to be. account: None
    for reading alone. Raises ChainError, AgentConfigRefused."""

    def __init__(
        self,
        rpc: str,
        address: str,
        abi: Sequence[Entry],
        account: ContractAccount | None = None,
        *,
        chain_id: int | None = None,
    ) -> None:
        self._rpc, self._abi, self.account = rpc, list(abi), account
        caps = account.caps if account else USUAL_CAPS
        self.web3 = connect(rpc, chain_id, caps=caps)
        try:
            self.address = to_checksum_address(address)
        except ValueError:
            raise AgentConfigRefused(f"{address!r:.80} is no address") from None

    def tools(self, prefix: str, only: Sequence[str] | None = None) -> tuple[ToolDefinition, ...]:
        """A tool for each function, prefix_NAME; functions of one name by their place, too. only:
        names, or signatures such as `transfer(address,uint256)`. Those that change something are
        left out where there is no account."""
        functions = [each for each in self._abi if each.get("type") == "function"]
        if only is not None:
            known = {f["name"] for f in functions} | set(map(signature, functions))
            if unknown := set(only) - known:
                raise AgentConfigRefused(f"the ABI has no function {sorted(unknown)[0]!r:.80}")
            functions = [f for f in functions if f["name"] in only or signature(f) in only]
        found = list[ToolDefinition]()
        for function in functions:
            reads = function.get("stateMutability") in READS
            if reads or self.account:
                made = self.tool_of(prefix, function)
                taken = any(other.id == made.id for other in found)
                found.append(replace(made, id=f"{made.id}_{len(found)}") if taken else made)
        return tuple(found)

    def view(self, data: bytes) -> bytes:
        """What it answers to calldata now. Raises ToolFault."""
        with _Faults("a call", self._abi):
            return self._called(data, "latest")

    def result_at(self, function: Entry, given: Mapping[str, Any], block: int) -> Json:
        """What a function gives, called in the state after this block. Raises ToolInputRefused,
        ToolFault."""
        return self._read(function, self._calldata(function, given), hex(block)).output

    def tool_of(self, prefix: str, function: Entry) -> ToolDefinition:
        """Of one entry of an ABI."""
        reads = function.get("stateMutability") in READS
        inputs = function.get("inputs", ())
        schema = object_of(inputs)
        payable = function.get("stateMutability") == "payable"
        if payable and not reads:
            given: Any = schema["properties"]
            schema["properties"] = {**given, VALUE: schema_of({"type": "uint256"})}
        gives = ", ".join(map(type_of, function.get("outputs", ()))) or "nothing"
        what = f"Gives {gives}." if reads else "Sends a transaction."
        return ToolDefinition(
            id=f"{prefix}_{function['name']}",
            description=f"{signature(function)} of the contract {self.address}. {what}",
            schema=schema,
            run=self._reading(function) if reads else self._sending(function),
            safe_by_default=reads,
            destructive=not reads,
            honours_keys=True,
            timeout_s=30.0 if reads or not self.account else self.account.timeout_s,
        )

    def _reading(
        self, function: Entry
    ) -> Callable[[dict[str, Any], CallContext], Awaitable[ToolOutput]]:
        async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
            data = self._calldata(function, given)
            return await in_thread(self._read, function, data)

        return run

    def _read(self, function: Entry, data: bytes, block: str = "latest") -> ToolOutput:
        with self._faults(function):
            answer = self._called(data, block)
            outputs = function.get("outputs", ())
            return ToolOutput(True, _results(function, outputs, answer))

    def _sending(
        self, function: Entry
    ) -> Callable[[dict[str, Any], CallContext], Awaitable[ToolOutput]]:
        async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
            value = to_abi({"type": "uint256"}, given.pop(VALUE, 0), VALUE)
            assert self.account
            if value > self.account.most_value_wei:
                most = self.account.most_value_wei
                raise ToolInputRefused(
                    f"{value} wei are more than the {most} it may send", path=VALUE
                )
            call = ContractCall(self._calldata(function, given), value)
            return await in_thread(self._sent, function, call, context)

        return run

    def _sent(self, function: Entry, call: ContractCall, context: CallContext) -> ToolOutput:
        """A revert in its block is an answer that is not ok: gas was paid, and nothing else
        happened. Raises ToolFault, also for a revert before it is sent."""
        assert self.account
        with self._faults(function):
            local = NodeChain(self.web3).chain_id == LOCAL_CHAIN_ID
            calls = ContractCalls(
                self.web3,
                self.address,
                self.account.signer,
                self.account.folder,
                confirmations=self.account.confirmations or (1 if local else SETTLED),
            )
            patience_s = max(0.0, context.timeout_s - LEFT_S)
            receipt = calls.send_once(context.key, call, patience_s).receipt
            found: dict[str, Json] = {
                "transaction": "0x" + bytes(receipt["transactionHash"]).hex(),
                "block": int(receipt["blockNumber"]),
                "gas_used": int(receipt["gasUsed"]),
                "events": self._events(receipt["logs"]),
            }
            done = receipt["status"] == 1
            return ToolOutput(done, found if done else {**found, "error": "it was reverted"})

    def _events(self, logs: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Those of this contract that its ABI has. What is not as it says is told as it is: the
        transaction happened."""
        known = {
            keccak(text=signature(entry)): entry
            for entry in self._abi
            if entry.get("type") == "event" and not entry.get("anonymous")
        }
        found = list[Json]()
        for log in logs:
            topics = [bytes(topic) for topic in log["topics"]]
            entry = known.get(topics[0]) if topics else None
            if entry and str(log["address"]).lower() == self.address.lower():
                found.append({"name": str(entry["name"]), **_event(entry, topics, log)})
        return found

    def _called(self, data: bytes, block: str) -> bytes:
        fields = {"to": self.address, "data": "0x" + data.hex()}
        if self.account:
            fields["from"] = self.account.signer.address
        with translated(self.web3):
            answer = ask(self.web3, "eth_call", fields, block)
        found = answer if isinstance(answer, str) else bytes(answer).hex()
        if len(found) > 2 * MOST_ANSWER + 2:
            raise ToolFault(f"the contract answered with more than {MOST_ANSWER:,} bytes")
        return bytes.fromhex(found.removeprefix("0x"))

    def _calldata(self, function: Entry, given: Mapping[str, Any]) -> bytes:
        inputs = function.get("inputs", ())
        named = zip(names_of(inputs), inputs, strict=True)
        values = [to_abi(each, given[name], name) for name, each in named]
        try:
            return selector(function) + encode(list(map(type_of, inputs)), values)
        except (EncodingError, UnicodeEncodeError) as exc:
            raise ToolInputRefused(f"{function['name']} does not take that: {exc}") from exc

    def _faults(self, function: Entry) -> "_Faults":
        return _Faults(str(function["name"]), self._abi)


@dataclass(frozen=True)
class _Faults:
    """Errors of chains as those of tools."""

    name: str
    abi: Sequence[Entry]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, exc: BaseException | None, trace: object) -> None:
        if isinstance(exc, RevertError):
            why = str(parse_revert(exc.data, self.abi)) if exc.data else str(exc)
            raise ToolFault(f"{self.name} was reverted: {why}") from exc
        if isinstance(exc, CallUnsettled):
            raise ToolTimeout(str(exc), retriable=True) from exc
        if isinstance(exc, CallTaken | CallRecordDamaged):
            raise CallUnknown(f"{self.name}: {exc}") from exc
        if isinstance(exc, ChainError) and not isinstance(exc, ToolFault):
            raise ToolFault(f"{self.name}: {exc}", retriable=True) from exc
        if isinstance(exc, ZkagentError) and not isinstance(exc, ToolFault):
            raise ToolFault(f"{self.name}: {exc}") from exc


def _results(function: Entry, outputs: Sequence[Entry], answer: bytes) -> Json:
    """One value as it is, several by their names. Raises ToolFault."""
    types = [type_of(each) for each in outputs]
    try:
        values = decode([kind.replace("string", "bytes") for kind in types], answer)
    except (DecodingError, OverflowError) as exc:
        raise ToolFault(
            f"{function['name']} answered with 0x{answer.hex()[:80]}, which is not {types}: is it "
            "this contract's ABI?"
        ) from exc
    found = [from_abi(each, value) for each, value in zip(outputs, values, strict=True)]
    return found[0] if len(found) == 1 else dict(zip(names_of(outputs), found, strict=True))


def _event(entry: Entry, topics: Sequence[bytes], log: Mapping[str, Any]) -> dict[str, Json]:
    """ "values" by their names, or what is "undecoded". Indexed values of types without a fixed
    length are hashes."""
    inputs = entry.get("inputs", ())
    plain = [each for each in inputs if not each.get("indexed")]
    try:
        data = iter(
            decode([type_of(e).replace("string", "bytes") for e in plain], bytes(log["data"]))
        )
        rest = iter(topics[1:])
        found = dict[str, Json]()
        for name, each in zip(names_of(inputs), inputs, strict=True):
            if not each.get("indexed"):
                found[name] = from_abi(each, next(data))
            elif type_of(each) in ("string", "bytes") or type_of(each).endswith(("]", ")")):
                found[name] = "0x" + next(rest).hex()
            else:
                found[name] = from_abi(each, decode([type_of(each)], next(rest))[0])
    except (DecodingError, OverflowError, StopIteration, ValueError):
        return {"undecoded": "0x" + bytes(log["data"]).hex()}
    return {"values": found}


__all__ = ["ContractAccount", "ContractTools"]
