"""What circuits cost on a chain: an anvil of the run's own, Cancun's prices."""

from zkagent.circuits.halo2.ezkl_engine import make_verifier
from zkagent.executor.bench.forms import KEYED, STOCK
from zkagent.executor.bench.keyed import together
from zkagent.executor.bench.proving import Entry
from zkagent.executor.bench.verification_gas import CallCost, call_cost
from zkagent.verifier_contracts.chain.local import Anvil


def verification(chain: Anvil, entry: Entry) -> CallCost:
    """Deploy the form's verifier and verify its last proof. Raises ChainError, CompileError."""
    prepared = entry.prepared
    if prepared.entry == KEYED:
        return together(chain, entry)
    return call_cost(chain, prepared.verifier, prepared.entry, entry.proof, entry.instances)


def stock_verification(chain: Anvil, entry: Entry) -> CallCost:
    """The same with the verifier that ezkl writes. Raises ChainError, CompileError, EngineError."""
    prepared = entry.prepared
    source = make_verifier(prepared.vk, prepared.settings, prepared.srs)
    return call_cost(chain, source, STOCK, entry.proof, entry.instances)


__all__ = ["stock_verification", "verification"]
