"""A guard as it answers: who has the last word, what may be called and spent, what waits.

Called by `zkagent guard ...`. Its calls are encoded by hand, as those of abi.py.
"""

from dataclasses import dataclass
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from zkagent.executor.chain.abi import INPUT, Method
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import NoAgentThere, NotOnChain
from zkagent.verifier_contracts.chain.local import translated

RULE = "(address,bytes4,bool,bool,uint8,uint8,uint8,uint32,uint32,bool)"
MANIFEST = "(address,address,address[],address[],uint64,uint64,uint256)"
WAITING = "(bytes32,address,uint40,uint40,uint8)"
MODES = ("autonomous", "supervised", "paper")
STATUSES = ("none", "waiting", "approved", "declined", "made", "void")
NO_WORD, NO_RUN_LIMIT = (1 << 8) - 1, (1 << 32) - 1
NO_TOTAL, NO_CALL_LIMIT = (1 << 128) - 1, (1 << 96) - 1
#: What is read of what anybody's contract may answer.
MOST_TOOLS, MOST_BUDGETS, MOST_TICKETS = 64, 8, 64
MOST_BLOCKS = 1_000  # whose events are asked for at once

GUARD = Method("guard", (), ("address",))
AGENT = Method("agent", (), ("address",))
WALLET = Method("wallet", (), ("address",))
OWNER = Method("owner", (), ("address",))
MODE = Method("mode", (), ("uint8",))
PAUSED = Method("paused", (), ("bool", "string"))
RATE = Method("rate", (), ("uint256", "uint256"))
DELAY = Method("delay", (), ("uint32",))
LISTED_TOOLS = Method("listedTools", (), ("address[]",))
RULE_OF = Method("ruleOf", ("address",), ("bool", RULE))
RUNS_OF = Method("runsOf", ("address",), ("uint256", "uint256"))
BUDGETED_ASSETS = Method("budgetedAssets", (), ("address[]",))
BUDGET_OF = Method("budgetOf", ("address",), ("uint256", "uint256", "uint256", "uint256"))
MANIFEST_IN_FORCE = Method(
    "manifestInForce", (), ("bool", "address", "uint256", "uint64", "bytes32")
)
COVERS = Method("covers", ("address", "address"), ("bool", "bool"))
ISSUER = Method("issuer", ("address",), ("bool", "uint256"))
TICKETS = Method("tickets", (), ("uint256",))
WAITING_CALL = Method("waiting", ("uint256",), (WAITING,))
CALL_WAITS = Method("CallWaits", ("uint256", "address", "bytes32", INPUT))
CALL_MADE = Method("CallMade", ("address",))
METHODS = (
    *(GUARD, AGENT, WALLET, OWNER, MODE, PAUSED, RATE, DELAY, LISTED_TOOLS, RULE_OF, RUNS_OF),
    *(BUDGETED_ASSETS, BUDGET_OF, MANIFEST_IN_FORCE, COVERS, ISSUER, TICKETS, WAITING_CALL),
    CALL_WAITS,
    CALL_MADE,
)


@dataclass(frozen=True, slots=True)
class Budget:
    """In the asset's smallest unit; None for no limit. asset: zero for the native one."""

    asset: str
    total: int | None
    spent: int
    per_call: int | None

    @property
    def remaining(self) -> int | None:
        return None if self.total is None else max(0, self.total - self.spent)

    @property
    def words(self) -> str:
        asset = self.asset if int(self.asset, 16) else "native"
        left = "any amount" if self.remaining is None else str(self.remaining)
        limit = "" if self.per_call is None else f", {self.per_call} in a call"
        return f"{asset}: {self.spent} spent, {left} left{limit}"


@dataclass(frozen=True, slots=True)
class AllowedTool:
    """A tool with its rule. words: of asset, amount and target, None where the rule names none.
    max_runs: None for no limit. vouched: target and selector are the owner's word, both zero of a
    tool that grants nothing by it. covered: by the manifest in force."""

    tool: str
    target: str
    selector: bytes
    wrapped: bool
    unattended: bool
    words: tuple[int | None, int | None, int | None]
    cooldown_s: int
    max_runs: int | None
    vouched: bool
    runs: int
    last_run: int
    covered: bool


@dataclass(frozen=True, slots=True)
class ManifestReads:
    """expires: in seconds since 1970, 0 of none or a revoked one."""

    required: bool
    issuer: str
    nonce: int
    expires: int


@dataclass(frozen=True, slots=True)
class Ticket:
    """A call that had to wait. until: the approval's last second."""

    number: int
    call_hash: bytes
    tool: str
    since: int
    until: int
    status: str


@dataclass(frozen=True, slots=True)
class GuardReads:
    """All that a guard tells. pause: its reason, None of one that is not paused. tickets: the
    latest ones, of `tickets_ever`."""

    guard: str
    agent: str
    wallet: str
    owner: str
    mode: str
    pause: str | None
    per_hour: int
    counted: int
    delay_s: int
    budgets: tuple[Budget, ...]
    tools: tuple[AllowedTool, ...]
    manifest: ManifestReads
    tickets: tuple[Ticket, ...]
    tickets_ever: int


def guard_of(reader: ContractReader, agent: str, block: Block) -> str:
    """The guard that an agent has. Raises NoAgentThere for an agent without one."""
    (guard,) = reader.view(agent, GUARD, block)
    if not int(guard, 16):
        raise NoAgentThere(agent, "it has no guard: `zkagent guard deploy`")
    return str(guard)


def read_guard(reader: ContractReader, guard: str, block: Block) -> GuardReads:
    """Raises NoAgentThere for what does not answer as a guard."""

    def told(method: Method, *arguments: Any) -> Any:
        results = reader.view(guard, method, block, *arguments)
        return results[0] if len(results) == 1 else results

    paused, reason = told(PAUSED)
    per_hour, counted = told(RATE)
    required, issuer, nonce, expires, _ = told(MANIFEST_IN_FORCE)
    ever = told(TICKETS)
    assets = told(BUDGETED_ASSETS)[:MOST_BUDGETS]
    tools = told(LISTED_TOOLS)[:MOST_TOOLS]
    numbers = range(max(1, ever - MOST_TICKETS + 1), ever + 1)
    found = (_tool(tool, told) for tool in tools)
    return GuardReads(
        guard=guard,
        agent=told(AGENT),
        wallet=told(WALLET),
        owner=told(OWNER),
        mode=_named(MODES, told(MODE), guard),
        pause=reason.decode(errors="backslashreplace") if paused else None,
        per_hour=per_hour,
        counted=counted,
        delay_s=told(DELAY),
        budgets=tuple(_budget(asset, told(BUDGET_OF, asset)) for asset in assets),
        tools=tuple(tool for tool in found if tool),
        manifest=ManifestReads(required, issuer, nonce, expires),
        tickets=tuple(_ticket(number, told(WAITING_CALL, number), guard) for number in numbers),
        tickets_ever=ever,
    )


def read_ticket(reader: ContractReader, guard: str, number: int, block: Block) -> Ticket:
    """One call, however many there were since. Raises NoAgentThere, as `read_guard`."""
    (told,) = reader.view(guard, WAITING_CALL, block, number)
    return _ticket(number, told, guard)


def _tool(tool: str, told: Any) -> AllowedTool | None:
    """None of a tool that is not allowed any longer."""
    allowed, rule = told(RULE_OF, tool)
    if not allowed:
        return None
    target, selector, wrapped, unattended, *words, cooldown_s, max_runs, vouched = rule
    runs, last_run = told(RUNS_OF, tool)
    asset, amount, for_whom = (None if word == NO_WORD else word for word in words)
    return AllowedTool(
        tool=tool,
        target=target,
        selector=selector,
        wrapped=wrapped,
        unattended=unattended,
        words=(asset, amount, for_whom),
        cooldown_s=cooldown_s,
        max_runs=None if max_runs == NO_RUN_LIMIT else max_runs,
        vouched=vouched,
        runs=runs,
        last_run=last_run,
        covered=told(COVERS, tool, tool)[0],
    )


def _budget(asset: str, told: tuple[int, int, int, int]) -> Budget:
    total, spent, _, per_call = told
    return Budget(
        asset,
        None if total == NO_TOTAL else total,
        spent,
        None if per_call == NO_CALL_LIMIT else per_call,
    )


def _ticket(number: int, told: Any, guard: str) -> Ticket:
    call_hash, tool, since, until, status = told
    return Ticket(number, call_hash, tool, since, until, _named(STATUSES, status, guard))


def _named(names: tuple[str, ...], number: int, guard: str) -> str:
    if number >= len(names):
        raise NoAgentThere(guard, f"{number} is none of {', '.join(names)}")
    return names[number]


def waiting_input(reader: ContractReader, guard: str, ticket: Ticket) -> tuple[Any, ...]:
    """The input of a call that had to wait, out of its event: parameters, then all of them encoded.

    Looked for in the blocks of the second in which it was asked for, since nodes refuse to look
    through all. What a node tells is held against the ticket's hash. Raises NotOnChain when none
    fits.
    """
    head = reader.block("latest").number
    first = _first_at(reader, ticket.since, head)
    last = min(_first_at(reader, ticket.since + 1, head) - 1, first + MOST_BLOCKS - 1)
    wanted: Any = {
        "address": reader.web3.to_checksum_address(guard),
        "fromBlock": first,
        "toBlock": last,
        "topics": ["0x" + CALL_WAITS.topic.hex(), f"0x{ticket.number:064x}"],
    }
    logs: Any = ()
    if first <= last:
        with translated(reader.web3):
            logs = reader.web3.eth.get_logs(wanted)
    for log in logs:
        _, given = Method("", (), ("bytes32", INPUT)).results(bytes(log["data"]))
        if call_hash_of(ticket.tool, given) == ticket.call_hash:
            return tuple(given)
    raise NotOnChain(
        f"no event of blocks {first} to {last} has the input of call {ticket.number} of {guard}, "
        f"which was asked for at second {ticket.since}: a node that kept those blocks shows it"
    )


def _first_at(reader: ContractReader, second: int, head: int) -> int:
    """The first block of this second or later, head + 1 for none."""
    before, found = -1, head + 1
    while found - before > 1:
        middle = (before + found) // 2
        if int(reader.header(middle)["timestamp"]) >= second:
            found = middle
        else:
            before = middle
    return found


def call_hash_of(tool: str, given: Any) -> bytes:
    """What the owner approves of: keccak256(abi.encode(tool, input))."""
    return keccak(encode(["address", INPUT], [tool, given]))


__all__ = [
    "AllowedTool",
    "Budget",
    "GuardReads",
    "ManifestReads",
    "Ticket",
    "call_hash_of",
    "guard_of",
    "read_guard",
    "read_ticket",
    "waiting_input",
]
