"""The verdict on an agent, or on a registered model, on a chain."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.progress import Told, silent
from zkagent.executor.api.arguments import AnyPath, model_of, setup_file
from zkagent.executor.audit.agent import audit_agent as agent_checks
from zkagent.executor.audit.agent import tell
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.model import Audited, audit, registered_checks
from zkagent.executor.audit.report import Audit
from zkagent.executor.audit.sources import committed_model, own_batches, own_circuit
from zkagent.executor.audit.wiring import NOBODY, Wiring, read_wiring
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import AgentModel
from zkagent.executor.chain.model_hashes import commitment_hash
from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import NoAgentThere, OtherModel
from zkagent.executor.receipts.verdicts import Check, difference
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import connect
from zkagent.verifier_contracts.errors import RevertError


def audit_agent(
    address: str,
    rpc: str,
    *,
    chain_id: int | None = None,
    model: Model | AnyPath | None = None,
    srs: AnyPath | None = None,
    trust: Collection[str] = (),
    stage: Told = silent,
) -> Audit:
    """Compare all that an agent rests on with what its sources compile to.

        >>> zkagent.audit_agent(address, "http://127.0.0.1:8545").verdict
        'sound'

    model: instead of the shipped one that is committed to. srs: the set-up of its circuit. trust:
    contracts whose code nobody here compiled, and that the caller vouches for: `address` of a
    pool or token, `role=address` of others (ROLES).
    Raises ChainError, ModelError, CircuitError when there is no telling.
    """
    reader = ContractReader(connect(rpc, chain_id), Allowance(MOST_ANSWERED))
    code = Code(reader, reader.block("latest"), {each.lower() for each in trust})
    agent = address.lower()
    standing = Place("agent", agent, ("WalletAgent",))
    if not reader.code(agent, code.block):  # what answers then is the EVM itself
        return Audit(f"agent {agent}", (code.check(standing),))
    try:
        wiring = read_wiring(reader, agent, code.block)
        registry = Web3Registry(reader, wiring.registry)
        bound = registry.model(wiring.model_id, code.block)
    except (NoAgentThere, RevertError) as exc:
        checks = (code.check(standing), Check("agent", "it answers as an agent", str(exc)))
        return Audit(f"agent {agent}", checks)
    found = (
        *agent_checks(code, wiring, bound.decoder),
        tell("agent", "obeys the model that is there", lambda: _pinned(wiring, bound)),
        *_model_checks(code, wiring, bound, _Ours(model, srs, stage)),
    )
    return Audit(f"agent {agent}", found, _owners(code, wiring))


def audit_model(
    number: int,
    registry: str,
    rpc: str,
    *,
    chain_id: int | None = None,
    model: Model | AnyPath | None = None,
    srs: AnyPath | None = None,
    trust: Collection[str] = (),
    stage: Told = silent,
) -> Audit:
    """Rebuild everything behind a registry's number and compare it with the chain.

    Arguments as of `audit_agent`. Raises OtherModel when no shipped model is committed to,
    NoAgentThere for what is no registry, RevertError for a number that it does not have.
    """
    reader = ContractReader(connect(rpc, chain_id), Allowance(MOST_ANSWERED))
    code = Code(reader, reader.block("latest"), {each.lower() for each in trust})
    source = Web3Registry(reader, registry)
    bound = source.model(number, code.block)
    checks = tuple(audit(_Ours(model, srs, stage).against(code, registry, bound)))
    owner, _ = source.owner(number, code.block)
    commitment = "0x" + bound.commitment_hash.hex()
    facts = {"model's owner": owner, "commitment": commitment}
    return Audit(f"model {number} of {registry}", checks, facts)


#: Of books whose owners change in two steps, this version's or others.
PENDING_OWNER = abi.Method("pendingOwner", (), ("address",))


@dataclass(frozen=True)
class _Ours:
    """What a registered model is compared with."""

    model: Model | AnyPath | None
    srs: AnyPath | None
    stage: Told

    def against(
        self, code: Code, registry: str, bound: AgentModel, executor: str = NOBODY
    ) -> Audited:
        """Raises OtherModel, CircuitError, ModelError."""
        model = committed_model(bound) if self.model is None else model_of(self.model)
        setup = setup_file(self.srs)
        circuit = own_circuit(bound, model, setup, self.stage)
        batches = own_batches(code, bound, model, setup, self.stage)
        self.stage("comparing")
        return Audited(code, registry, bound, model, circuit, batches, executor)


def _model_checks(code: Code, wiring: Wiring, bound: AgentModel, ours: _Ours) -> Iterator[Check]:
    """All but the registry's code, which is one of the agent's contracts."""
    try:
        audited = ours.against(code, wiring.registry, bound, wiring.executor)
    except (OtherModel, CircuitError) as exc:
        subject = f"model {bound.model_id}"
        yield Check(subject, "it is one that can be built here", str(exc), unknown=True)
        return
    yield from registered_checks(audited)


def _pinned(wiring: Wiring, bound: AgentModel) -> str:
    """What the agent pinned, against what the parts hash to and what the registry answers."""
    return difference(
        ("pinned commitment", wiring.commitment.hex(), commitment_hash(bound).hex()),
        ("the registry's commitment", bound.commitment_hash.hex(), wiring.commitment.hex()),
    )


def _owners(code: Code, wiring: Wiring) -> Mapping[str, str]:
    """Who can do what: the agent's owner gives instructions, the book's says what symbols mean, the
    model's can replace it, which stops the agent until its owner accepts."""
    registry = Web3Registry(code.reader, wiring.registry)
    facts = {
        "agent's owner": wiring.owner,
        "symbol book's owner": _asked(code, wiring.book, abi.OWNER),
        "symbol book's pending owner": _asked(code, wiring.book, PENDING_OWNER),
        "model's owner": registry.owner(wiring.model_id, code.block)[0],
    }
    return {name: owner for name, owner in facts.items() if owner != NOBODY}


def _asked(code: Code, address: str, method: abi.Method) -> str:
    try:
        return str(code.reader.view(address, method, code.block)[0])
    except (NoAgentThere, RevertError):
        return NOBODY


__all__ = ["audit_agent", "audit_model"]
