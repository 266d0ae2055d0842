"""An on-chain agents' tool (IERCAgentTool of the ERC) as a tool here: its name, description and
parameters are what the contract says of itself.

Its words are data: cut, and without what acts on a terminal. They are read once; what a contract
says of itself later changes nothing here. A tool that answers at once is asked in a call of the
latest state, which changes nothing; one that acts is sent a transaction, and its answer is what it
would have said at the block before: the same, however often a call is gone on with.
"""

import re
from collections.abc import Mapping
from typing import Any

from eth_abi.abi import encode
from eth_abi.exceptions import EncodingError

from zkagent.errors import in_line
from zkagent.executor.chain import abi
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolInputRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.abi_types import names_of, object_of, to_abi
from zkagent.executor.runtime.tools.contract import ContractAccount, ContractTools
from zkagent.executor.runtime.tools.threads import in_thread

#: In the order of IERCAgentTool.ParamType.
PLAIN = ("string", "address", "bool", "int256", "uint256")
KINDS = (*PLAIN, *(f"{kind}[]" for kind in PLAIN))
MOST_PARAMETERS = 32
MOST_TEXT = 1_000
AT_ONCE = -1  # the run's number of a tool that answered
RUN_ENTRY = {
    "type": "function",
    "name": "run",
    "stateMutability": "nonpayable",
    "inputs": [
        {
            "type": "tuple",
            "name": "input",
            "components": [
                {
                    "type": "tuple[]",
                    "name": "params",
                    "components": [
                        {"type": "uint8", "name": "paramType"},
                        {"type": "bytes", "name": "value"},
                    ],
                },
                {"type": "bytes", "name": "abiEncodedParams"},
            ],
        },
        {"type": "address", "name": "resultHandler"},
    ],
    "outputs": [{"type": "int256", "name": "runId"}, {"type": "string", "name": "result"}],
}

READ_ENTRY = {**RUN_ENTRY, "stateMutability": "view"}


def erc_tool(
    rpc: str,
    address: str,
    account: ContractAccount | None = None,
    *,
    id: str | None = None,
    chain_id: int | None = None,
) -> ToolDefinition:
    """account: for a tool that acts; None to ask only. id: by default its own name, in letters that
    ids have. Raises ChainError; AgentConfigRefused for a contract that does not answer as one."""
    contract = ContractTools(rpc, address, [RUN_ENTRY], account, chain_id=chain_id)
    try:
        said = _Said.of(contract)
    except (ToolFault, ValueError) as exc:
        raise AgentConfigRefused(f"{address} is no agent's tool: {exc}") from exc
    name = id or f"erc_{re.sub(r'[^A-Za-z0-9_]+', '_', said.name).strip('_')[:40] or 'tool'}"
    return ToolDefinition(
        id=name,
        description=in_line(f"{said.description} (tool {contract.address})", MOST_TEXT),
        schema=said.schema(),
        run=_Runner(contract, said).run,
        safe_by_default=account is None,
        destructive=account is not None,
        honours_keys=True,
        timeout_s=account.timeout_s if account else 30.0,
    )


class _Said:
    """What a tool says of itself. entries: of an ABI, its parameters."""

    def __init__(self, name: str, description: str, entries: list[dict[str, str]]) -> None:
        self.name, self.description, self.entries = name, description, entries

    @classmethod
    def of(cls, contract: ContractTools) -> "_Said":
        name, description = (
            bytes(_view(contract, method)[0]).decode("utf-8", "replace")
            for method in (abi.NAME, abi.DESCRIPTION)
        )
        ((parameters,),) = _view(contract, abi.DESCRIBE_INPUT)
        if len(parameters) > MOST_PARAMETERS:
            raise ValueError(f"it takes {len(parameters)} parameters")
        entries = list[dict[str, str]]()
        for kind, title, text in parameters:
            if kind >= len(KINDS):
                raise ValueError(f"a parameter is of kind {kind}, and there are {len(KINDS)}")
            shown = {"name": bytes(title).decode("utf-8", "replace")[:64]}
            shown["description"] = in_line(bytes(text).decode("utf-8", "replace"), MOST_TEXT)
            entries.append({"type": KINDS[kind], **shown})
        return cls(in_line(name, 80), in_line(description, MOST_TEXT), entries)

    def schema(self) -> dict[str, Json]:
        found = object_of(self.entries)
        properties: Any = found["properties"]
        for name, entry in zip(names_of(self.entries), self.entries, strict=True):
            properties[name] = {**properties[name], "description": entry["description"]}
        return found

    def input(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The ERC's Input, as JSON. Raises ToolInputRefused."""
        named = zip(names_of(self.entries), self.entries, strict=True)
        values = [to_abi(entry, given[name], name) for name, entry in named]
        kinds = [entry["type"] for entry in self.entries]
        try:
            each = [encode([kind], [value]) for kind, value in zip(kinds, values, strict=True)]
            together = encode(kinds, values)
        except (EncodingError, UnicodeEncodeError) as exc:
            raise ToolInputRefused(f"{self.name} does not take that: {exc}") from exc
        params = [
            {"paramType": KINDS.index(kind), "value": "0x" + value.hex()}
            for kind, value in zip(kinds, each, strict=True)
        ]
        return {"params": params, "abiEncodedParams": "0x" + together.hex()}


class _Runner:
    def __init__(self, contract: ContractTools, said: _Said) -> None:
        self._contract, self._said = contract, said
        self._ask = contract.tool_of("erc", READ_ENTRY)
        self._send = contract.tool_of("erc", RUN_ENTRY)

    async def run(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        """Raises ToolInputRefused, ToolFault."""
        call = {"input": self._said.input(given), "resultHandler": abi.NO_HANDLER}
        if self._contract.account is None:
            asked: Any = (await self._ask.run(dict(call), context)).output
            if _answers_later(asked):
                raise ToolFault(f"{self._said.name} answers later: it has to be sent a transaction")
            return ToolOutput(True, asked["result"])
        sent = await self._send.run(dict(call), context)
        if not sent.ok:
            return sent
        found: Any = sent.output
        answer = await in_thread(self._answer, call, found["block"])
        return ToolOutput(True, {**found, **answer})

    def _answer(self, call: Mapping[str, Any], block: int) -> dict[str, Json]:
        """Of what was sent and happened, so that nothing that is asked can make it a failure."""
        try:
            asked: Any = self._contract.result_at(READ_ENTRY, call, block - 1)
        except ToolFault as fault:
            return {"result": None, "unanswered": str(fault)}
        later = _answers_later(asked)
        return {"result": None if later else asked["result"], "answers_later": later}


def _answers_later(asked: Mapping[str, Any]) -> bool:
    return int(asked["runId"]) != AT_ONCE


def _view(contract: ContractTools, method: abi.Method) -> tuple[Any, ...]:
    """Raises ToolFault, ValueError."""
    return method.results(contract.view(method.call()))


__all__ = ["erc_tool"]
