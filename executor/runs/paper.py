"""Whether what a run decided was done: a guard in paper mode has a call made and rolled back.

What a guard logs of a call is rolled back with it. So a call that its guard logged was made, and
one that it did not log, while it was on paper before the run's block and after it, was not. What
shows neither is unknown. Our guards are so (`verifier_contracts/src/guards/`); of one of others
this is its word, and an audit says which it is. Called for `zkagent run` before and after.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from zkagent.executor.chain import guards
from zkagent.executor.chain.abi import NO_DATA, Method
from zkagent.executor.chain.agent import Block, Inclusion
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.errors import NoAgentThere, ReceiptError
from zkagent.executor.runs.planned import PlannedDecision
from zkagent.verifier_contracts.errors import ChainError, RevertError

GUARDED_TOOL = Method("guardedTool", (), ("address",))
PAPER = guards.MODES.index("paper")
#: Whether a call was made and rolled back; None where that cannot be told.
OnPaper = bool | None


def calls_on_paper(
    reader: ContractReader, decisions: Sequence[PlannedDecision], inclusion: Inclusion
) -> tuple[OnPaper, ...]:
    """For each decision of a run that happened; False of one that calls nothing. What the node does
    not tell is None: the run happened all the same."""
    try:
        seen = _Seen(reader, inclusion)
        asked = [seen.guards_of(each) for each in decisions]
        calls = Counter(call for each in asked for call in each)
        found = [any_of([seen.verdict(*call, calls[call]) for call in each]) for each in asked]
    except (ChainError, NoAgentThere, ReceiptError):
        return tuple(None if each.called else False for each in decisions)
    if inclusion.result.transfers and all(found[i] for i, d in enumerate(decisions) if d.called):
        return tuple(None if each else each for each in found)  # tokens moved all the same
    return tuple(found)


def rest_on_paper(chain: Web3Agent, rest: Inclusion) -> OnPaper:
    """Whether a call was rolled back of what was left of a run that waited: which decisions these
    were is known to nobody here, but how many; the last of them is the answer."""
    agent, block = chain.agent, rest.result.block
    try:
        seen = _Seen(chain.reader, rest)
        verified = chain.happened(rest.hash).verified
        if not (calls := sum(each.agent == agent for each in verified) - 1):
            return False
        own = seen.told(agent, guards.GUARD)
        behind = {guard for tool in chain.names(block).tools for guard in seen.guards_behind(tool)}
        found = [seen.verdict(guard, "", calls) for guard in own]
        found += [None if PAPER in seen.modes(guard) else False for guard in behind - own]
    except (ChainError, NoAgentThere, ReceiptError):
        return None
    return None if any_of(found) and rest.result.transfers else any_of(found)


def planned_on_paper(
    reader: ContractReader, decisions: Sequence[PlannedDecision], block: Block
) -> tuple[OnPaper, ...]:
    """For each decision of a plan whether its call would be rolled back, as guards are at `block`;
    None where the node does not tell."""
    try:
        now = _States(reader, block)
        asked = [now.guards_of(each) for each in decisions]
        return tuple(any(PAPER in now.modes(guard) for guard, _ in each) for each in asked)
    except (ChainError, NoAgentThere, ReceiptError):
        return tuple(None if each.called else False for each in decisions)


def any_of(each: Sequence[OnPaper]) -> OnPaper:
    """Of several: True for one that was rolled back, else None for one of which it is unknown."""
    return True if any(each) else None if None in each else False


class _States:
    """What the states of some blocks say of guards. Decisions have agents and tools in common: each
    is asked once."""

    def __init__(self, reader: ContractReader, *states: Block) -> None:
        self.reader, self.states = reader, states
        self._told: dict[tuple[str, str], set[str]] = {}
        self._modes: dict[str, set[int]] = {}

    def guards_of(self, decision: PlannedDecision) -> list[tuple[str, str]]:
        """Each guard that is asked about a decision's call, and the tool that it knows it by: the
        agent's own, and that of a tool that stands before another one."""
        if (tool := decision.called) is None:
            return []
        asked = self.told(decision.context.reads.agent, guards.GUARD) | self.guards_behind(tool)
        return [(guard, tool) for guard in sorted(asked)]

    def guards_behind(self, tool: str) -> set[str]:
        """The guard of a tool that stands before another one: an agent's own is none of these."""
        return self.told(tool, guards.GUARD) if self.told(tool, GUARDED_TOOL) else set()

    def told(self, address: str, method: Method) -> set[str]:
        """The addresses that a contract names in any of the states; none of one that is not asked
        such a thing."""
        key = address, method.name
        if key not in self._told:
            self._told[key] = set(self._named(address, method)) - {NO_DATA}
        return self._told[key]

    def _named(self, address: str, method: Method) -> Iterator[str]:
        for state in self.states:
            with suppress(NoAgentThere, RevertError):
                (each,) = self.reader.view(address, method, state)
                yield str(each).lower()

    def modes(self, guard: str) -> set[int]:
        """In each of the states."""
        if guard not in self._modes:
            views = (self.reader.view(guard, guards.MODE, state) for state in self.states)
            self._modes[guard] = {mode for (mode,) in views}
        return self._modes[guard]


class _Seen(_States):
    """What a transaction and the states around its block show."""

    def __init__(self, reader: ContractReader, inclusion: Inclusion) -> None:
        block = inclusion.result.block
        super().__init__(reader, Block(block.number - 1, ""), block)
        self.logged: Counter[tuple[str, str]] = Counter()
        for log in reader.receipt(inclusion.hash)["logs"]:
            guard, topics = str(log["address"]).lower(), [bytes(topic) for topic in log["topics"]]
            if topics[:1] == [guards.CALL_MADE.topic] and len(topics) == 2:
                tool = "0x" + topics[1][12:].hex()
                self.logged.update([(guard, tool), (guard, "")])  # "" for any

    def verdict(self, guard: str, tool: str, calls: int) -> OnPaper:
        """Of `calls` calls of a tool that the guard is asked about."""
        logged = self.logged[guard, tool]
        if logged >= calls:
            return False
        return True if not logged and self.modes(guard) == {PAPER} else None


__all__ = ["OnPaper", "any_of", "calls_on_paper", "planned_on_paper", "rest_on_paper"]
