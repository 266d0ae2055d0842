"""On-chain agents whose every decision is proven.

    import zkagent

    with zkagent.agent() as agent:  # a demo agent; or agent(rpc, address, key_file=...)
        run = agent.run("deposit 5 USDC")
    assert zkagent.verify_receipt(run.receipt)

This is the library's face; docs/python.md is its reference. Each name is loaded when it is first
used, so that importing zkagent costs nothing. What else there is stands in the rooms behind it:
zkagent.models, zkagent.circuits, zkagent.prover, zkagent.verifier_contracts, zkagent.executor.
"""

import sys

from zkagent.errors import ZkagentError

#: Earlier editable installations put a name there that is none in any folder but that of somebody
#: who lays plugins of our libraries into it.
sys.path[:] = [path for path in sys.path if not path.startswith("__editable__.zkagent-")]

TYPE_CHECKING = False  # to type checkers it is true; typing's takes a fifth of a command's start
if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit, Proof
    from zkagent.circuits.halo2.scales import read_outputs
    from zkagent.executor.api.agents import Run, agent
    from zkagent.executor.api.audits import audit_agent
    from zkagent.executor.api.circuits import build_circuit, prove, tune
    from zkagent.executor.api.decisions import decide, encode
    from zkagent.executor.api.receipts import verify_receipt
    from zkagent.executor.receipts.format import Receipt
    from zkagent.models.catalogue import Model, load_model
    from zkagent.models.encoding.decoder import Decision
    from zkagent.prover.client import AsyncServiceClient, ServiceClient
    from zkagent.prover.verification import verify
else:
    _MODULES = {
        "AsyncServiceClient": "zkagent.prover.client",
        "Circuit": "zkagent.circuits.artifacts",
        "Decision": "zkagent.models.encoding.decoder",
        "Model": "zkagent.models.catalogue",
        "Proof": "zkagent.circuits.artifacts",
        "Receipt": "zkagent.executor.receipts.format",
        "Run": "zkagent.executor.api.agents",
        "ServiceClient": "zkagent.prover.client",
        "agent": "zkagent.executor.api.agents",
        "audit_agent": "zkagent.executor.api.audits",
        "build_circuit": "zkagent.executor.api.circuits",
        "decide": "zkagent.executor.api.decisions",
        "encode": "zkagent.executor.api.decisions",
        "load_model": "zkagent.models.catalogue",
        "prove": "zkagent.executor.api.circuits",
        "read_outputs": "zkagent.circuits.halo2.scales",
        "tune": "zkagent.executor.api.circuits",
        "verify": "zkagent.prover.verification",
        "verify_receipt": "zkagent.executor.api.receipts",
    }

    def __getattr__(name):
        """The names of `__all__` when they are first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        found = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *_MODULES})


__all__ = [
    "AsyncServiceClient",
    "Circuit",
    "Decision",
    "Model",
    "Proof",
    "Receipt",
    "Run",
    "ServiceClient",
    "ZkagentError",
    "agent",
    "audit_agent",
    "build_circuit",
    "decide",
    "encode",
    "load_model",
    "prove",
    "read_outputs",
    "tune",
    "verify",
    "verify_receipt",
]
