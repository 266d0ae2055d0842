"""Gas per iteration out of a call trace, on a trace written by hand."""

from typing import Any

from tests.executor.drain import AGENT, CIRCUIT
from tests.support.fakes.memory_agent import memory_identity
from zkagent.executor.chain.abi import RUN, RUN_NEXT_ITERATION, RUN_WITH_PROOFS, VERIFY_TOGETHER
from zkagent.executor.chain.gas_report import IterationGas, from_trace
from zkagent.models.catalogue import Model

TOOL, BOOK = "0x" + "70" * 20, "0x" + "b0" * 20


def frame(sender: str, to: str, data: bytes, gas: int, *calls: dict[str, Any]) -> dict[str, Any]:
    return {
        "from": sender,
        "to": to.upper().replace("X", "x"),  # as nodes that checksum would
        "input": "0x" + data.hex(),
        "gasUsed": hex(gas),
        "calls": list(calls),
    }


def test_gas_is_given_to_the_iteration_that_used_it(drain: Model) -> None:
    identity = memory_identity(drain, AGENT, 31337, CIRCUIT)
    executor, verifier = identity.executor, identity.model.verifier
    asking = frame(identity.model.encoder, AGENT, b"book", 3, frame(AGENT, BOOK, b"", 1))
    encoding = frame(executor, identity.model.encoder, b"encode", 20, asking)
    deciding = [frame(AGENT, executor, RUN_NEXT_ITERATION.selector, g, encoding) for g in (50, 40)]
    acting = frame(AGENT, TOOL, RUN.selector + bytes(64), 30)
    inner = frame(executor, AGENT, b"onFrame", 200, deciding[0], acting, deciding[1])
    verifying = [frame(executor, verifier, b"proof", gas) for gas in (400, 401)]
    framed = frame(AGENT, executor, b"runInFrame", 900, inner, *verifying)
    trace = frame("0x" + "11" * 20, AGENT, RUN_WITH_PROOFS.selector, 1000, framed)
    assert from_trace(trace, identity) == (IterationGas(50, 400, 30), IterationGas(40, 401, 0))


def test_the_gas_of_proofs_that_are_verified_together_is_shared_out(drain: Model) -> None:
    """Among a frame's three claims two are of this agent's key."""
    identity = memory_identity(drain, AGENT, 31337, CIRCUIT)
    executor, key = identity.executor, identity.model.verifier
    deciding = [frame(AGENT, executor, RUN_NEXT_ITERATION.selector, g) for g in (50, 40)]
    claims = [(each, b"proof", b"features", b"output") for each in (key, TOOL, key)]
    data = VERIFY_TOGETHER.call(claims)
    verifying = frame(executor, "0x" + "16" * 20, data, 600)
    trace = frame("0x" + "11" * 20, AGENT, RUN_WITH_PROOFS.selector, 1000, *deciding, verifying)
    assert from_trace(trace, identity) == (IterationGas(50, 200, 0), IterationGas(40, 200, 0))


def test_recorded_decisions_are_verified_by_nobody(drain: Model) -> None:
    identity = memory_identity(drain, AGENT, 31337, CIRCUIT)
    deciding = [frame(AGENT, identity.executor, RUN_NEXT_ITERATION.selector, g) for g in (50, 40)]
    trace = frame("0x" + "11" * 20, AGENT, RUN.selector, 1000, *deciding)
    assert from_trace(trace, identity) == (IterationGas(50, 0, 0), IterationGas(40, 0, 0))


def test_what_a_decision_costs_leaves_the_tool_out() -> None:
    assert IterationGas(decide=50, verify=400, act=30).proven_decision == 450


def test_the_gas_of_a_shared_proof_is_divided(drain: Model) -> None:
    identity = memory_identity(drain, AGENT, 31337, CIRCUIT, (4,))
    executor, batch = identity.executor, identity.model.batch(4).verifier
    deciding = [frame(AGENT, executor, RUN_NEXT_ITERATION.selector, g) for g in (50, 40, 30)]
    verifying = [
        frame(executor, batch, b"proof", 600),
        frame(executor, identity.model.verifier, b"proof", 400),
    ]
    trace = frame("0x" + "11" * 20, AGENT, RUN_WITH_PROOFS.selector, 1000, *deciding, *verifying)
    gas = from_trace(trace, identity, ((0, 1), (2,)))
    assert [iteration.verify for iteration in gas] == [300, 300, 400]
