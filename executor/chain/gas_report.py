"""Where a run's gas went: per iteration to decide, to verify, to act. Nodes that trace can tell.

decide   runNextIteration: reading the tools, encoding, decoding
verify   the proof; proofs that are verified together have equal shares. 0 in runs on recorded
         decisions
act      the tool's own work
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web3 import Web3
from web3.types import RPCEndpoint

from zkagent.executor.chain.abi import RUN, RUN_NEXT_ITERATION, VERIFY_TOGETHER, Method
from zkagent.executor.chain.agent import AgentIdentity
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.errors import ChainError

Frame = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class IterationGas:
    """Gas units of one iteration; act is 0 for an answer."""

    decide: int
    verify: int
    act: int

    @property
    def proven_decision(self) -> int:
        """What the decision itself costs, without the tool's own work."""
        return self.decide + self.verify


def iteration_gas(
    web3: Web3,
    transaction: str,
    identity: AgentIdentity,
    groups: Sequence[Sequence[int]] | None = None,
) -> tuple[IterationGas, ...] | None:
    """The iterations of the agent's run in `transaction`; None when the node does not trace.

    groups: the iterations that each proof covers, which share its gas; by default each has its own.
    """
    try:
        with translated(web3):
            trace = web3.manager.request_blocking(
                RPCEndpoint("debug_traceTransaction"), [transaction, {"tracer": "callTracer"}]
            )
    except ChainError:
        return None
    return from_trace(trace, identity, groups)


def from_trace(
    trace: Frame, identity: AgentIdentity, groups: Sequence[Sequence[int]] | None = None
) -> tuple[IterationGas, ...]:
    """Reads geth's callTracer format: nested frames with from, to, input and gasUsed."""
    decide, act, verify = [], [], []
    verifiers = {identity.model.verifier, *(batch.verifier for batch in identity.model.batches)}
    for frame in _frames(trace):
        caller, callee = frame["from"].lower(), str(frame.get("to", "")).lower()
        used = int(frame["gasUsed"], 16)
        if caller == identity.agent and _calls(frame, RUN_NEXT_ITERATION):
            decide.append(used)
        elif caller == identity.agent and _calls(frame, RUN):
            act.append(used)
        elif caller == identity.executor and callee in verifiers:
            verify.append(used)
        elif caller == identity.executor and _calls(frame, VERIFY_TOGETHER):
            verify += _together(frame, verifiers)
    act += [0] * (len(decide) - len(act))
    verify = verify or [0] * len(decide)
    shared = verify if groups is None else _shared(verify, groups)
    return tuple(IterationGas(*gas) for gas in zip(decide, shared, act, strict=False))


def _together(frame: Frame, keys: set[str]) -> list[int]:
    """A call's gas shared out among its claims: the shares of those of these keys."""
    (claims,) = VERIFY_TOGETHER.arguments(bytes.fromhex(frame["input"].removeprefix("0x")))
    share = int(frame["gasUsed"], 16) // len(claims)
    return [share for key, *_ in claims if key.lower() in keys]


def _shared(verify: Sequence[int], groups: Sequence[Sequence[int]]) -> list[int]:
    """Each proof's gas divided among its iterations, in their order."""
    found = {
        i: gas // len(group) for gas, group in zip(verify, groups, strict=False) for i in group
    }
    return [found[index] for index in sorted(found)]


def _calls(frame: Frame, method: Method) -> bool:
    return str(frame["input"]).startswith("0x" + method.selector.hex())


def _frames(frame: Frame) -> Iterator[Frame]:
    yield frame
    for inner in frame.get("calls", ()):
        yield from _frames(inner)
