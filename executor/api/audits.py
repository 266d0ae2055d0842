"""The verdict on an agent, or on a registered model, on a chain."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.progress import Told, silent
from zkagent.executor.api.arguments import AnyPath, file_of, model_of, setup_file
from zkagent.executor.audit.agent import audit_agent as agent_checks
from zkagent.executor.audit.agent import tell
from zkagent.executor.audit.called import called_checks, called_facts
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.guard import guard_checks, guard_facts, obeyed_checks
from zkagent.executor.audit.model import Audited, audit, registered_checks
from zkagent.executor.audit.own import OwnSource, own_source
from zkagent.executor.audit.report import Audit
from zkagent.executor.audit.sources import committed_model, own_batches, own_circuit
from zkagent.executor.audit.wiring import (
    AGENTS,
    NOBODY,
    Wiring,
    places,
    read_wiring,
    tool_place,
)
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import AgentModel
from zkagent.executor.chain.model_hashes import commitment_hash
from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import NoAgentThere, OtherModel, TooMuchAnswered
from zkagent.executor.receipts.verdicts import Check, check, difference, unread
from zkagent.executor.runs.argument_order import WALLET, swapped_arguments
from zkagent.executor.runs.derivation import text
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import connect
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.scaffold import load_project


def audit_agent(
    address: str,
    rpc: str,
    *,
    chain_id: int | None = None,
    model: Model | AnyPath | None = None,
    srs: AnyPath | None = None,
    trust: Collection[str] = (),
    own: AnyPath | None = None,
    stage: Told = silent,
) -> Audit:
    """Compare all that an agent rests on with what its sources compile to.

        >>> zkagent.audit_agent(address, "http://127.0.0.1:8545").verdict
        'sound'

    model: instead of the shipped one that is committed to. srs: the set-up of its circuit. trust:
    contracts whose code nobody here compiled, and that the caller vouches for: `address` of a
    pool or token, `role=address` of others (ROLES). own: the folder of an agent of one's own
    (`zkagent agent new`): the code has to be of its sources, the model is the folder's. Contracts
    that answer with more than is read of a stranger's have no better verdict than unknown.
    Raises ChainError, ModelError, CircuitError when there is no telling, ProjectRefused or
    CompileError for a folder that is none, ToolsRefused or ToolsSourceOld for one whose contracts
    do not say what its tools.yaml says.
    """
    code, agent, facts = _latest(rpc, chain_id, trust), address.lower(), dict[str, str]()
    source = None
    if own is not None:
        project = load_project(file_of("own", own))
        project.check_tools()
        stage("compiling")
        source = own_source(project)
        own_code = (source.contract, *source.others)
        code, model = replace(code, own=own_code), model or project.model
    found = _all_read(_agent(code, agent, _Ours(model, srs, stage), facts, source))
    return Audit(f"agent {agent}", found, facts)


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
    code, facts = _latest(rpc, chain_id, trust), dict[str, str]()
    found = _all_read(_model(code, number, registry, _Ours(model, srs, stage), facts))
    return Audit(f"model {number} of {registry}", found, facts)


def _latest(rpc: str, chain_id: int | None, trust: Collection[str]) -> Code:
    reader = ContractReader(connect(rpc, chain_id), Allowance(MOST_ANSWERED))
    return Code(reader, reader.block("latest"), {each.lower() for each in trust})


def _all_read(checks: Iterator[Check]) -> tuple[Check, ...]:
    """The checks, up to where contracts answer with more than is read: that is one, too."""
    done: list[Check] = []
    try:
        for each in checks:
            done.append(each)
    except TooMuchAnswered as exc:
        done.append(unread(exc))
    return tuple(done)


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


def _agent(
    code: Code, agent: str, ours: _Ours, facts: dict[str, str], own: OwnSource | None = None
) -> Iterator[Check]:
    """facts: is told what holds of owners."""
    standing = Place("agent", agent, AGENTS if own is None else (own.contract.name,))
    if not code.reader.code(agent, code.block):  # what answers then is the EVM itself
        yield code.check(standing)
        return
    try:
        wiring = read_wiring(code.reader, agent, code.block, own)
        bound = Web3Registry(code.reader, wiring.registry).model(wiring.model_id, code.block)
    except (NoAgentThere, RevertError) as exc:
        yield code.check(standing)
        yield Check("agent", "it answers as an agent", str(exc))
        return
    if own and wiring.own is None:
        why = f"its code is another than what {own.where} compiles to"
        yield Check("agent", f"{agent} is {own.contract.name}", why)
    yield from agent_checks(code, wiring, bound.decoder)
    yield from called_checks(code, wiring)
    yield from guard_checks(code, wiring)
    yield from obeyed_checks(code, wiring)
    yield tell("agent", "obeys the model that is there", lambda: _pinned(wiring, bound))
    yield from _model_checks(code, wiring, bound, ours)
    facts.update(_owners(code, wiring))
    facts.update(_chosen(code, wiring))
    facts.update(called_facts(code, wiring))


def _model(
    code: Code, number: int, registry: str, ours: _Ours, facts: dict[str, str]
) -> Iterator[Check]:
    """facts: is told the owner and what is committed to."""
    source = Web3Registry(code.reader, registry)
    bound = source.model(number, code.block)
    yield from audit(ours.against(code, registry, bound))
    facts["model's owner"], _ = source.owner(number, code.block)
    facts["commitment"] = "0x" + bound.commitment_hash.hex()


def _model_checks(code: Code, wiring: Wiring, bound: AgentModel, ours: _Ours) -> Iterator[Check]:
    """All but the registry's code, which is one of the agent's contracts."""
    try:
        audited = ours.against(code, wiring.registry, bound, wiring.executor)
    except (OtherModel, CircuitError) as exc:
        subject = f"model {bound.model_id}"
        yield Check(subject, "it is one that can be built here", str(exc), unknown=True)
        return
    order = partial(_order, code, audited.model, wiring)
    yield check("agent", "its model gives tools arguments in their order", order)
    yield from registered_checks(audited)


def _order(code: Code, model: Model, wiring: Wiring) -> str:
    """By what the wallet's functions take, where a tool is the wallet's, and by what each tool says
    of itself."""
    said = [(text(each.name), [text(name) for name in each.parameters]) for each in wiring.tools]
    found = swapped_arguments(model, [*_wallets(code, wiring), *said])
    if found is None:
        return ""
    return f"{found.name}({found.given}), and the tool takes {found.taken}"


def _wallets(code: Code, wiring: Wiring) -> Iterator[tuple[str, Sequence[str]]]:
    """The tools of ours that call the wallet: whatever they say, its functions have one order."""
    for tool in wiring.tools:
        name = text(tool.name)
        if wiring.wallet != NOBODY and name in WALLET and code.is_ours(tool_place(wiring, tool)):
            yield name, WALLET[name]


def _pinned(wiring: Wiring, bound: AgentModel) -> str:
    """What the agent pinned, against what the parts hash to and what the registry answers."""
    return difference(
        ("pinned commitment", wiring.commitment.hex(), commitment_hash(bound).hex()),
        ("the registry's commitment", bound.commitment_hash.hex(), wiring.commitment.hex()),
    )


def _owners(code: Code, wiring: Wiring) -> Mapping[str, str]:
    """Who can do what: the agent's owner gives instructions, the book's says what symbols mean, the
    model's can replace it, which stops the agent until its owner accepts, the contact book's says
    whom names mean. And how sure the agent has to be, and when it acts."""
    registry = Web3Registry(code.reader, wiring.registry)
    facts = {
        "agent's owner": wiring.owner,
        "served besides": wiring.also_served,
        "symbol book's owner": _asked(code, wiring.book, abi.OWNER),
        "symbol book's pending owner": _asked(code, wiring.book, PENDING_OWNER),
        "contact book's owner": _asked(code, wiring.contacts or NOBODY, abi.OWNER),
        "contact book's pending owner": _asked(code, wiring.contacts or NOBODY, PENDING_OWNER),
        "model's owner": registry.owner(wiring.model_id, code.block)[0],
    }
    if wiring.caution is not None:
        facts["caution"] = f"{wiring.caution / 100:g} log-odds"
    if wiring.strict:
        facts["acts"] = "once a decision is proven (strict)"
    facts |= guard_facts(code, wiring)
    return {name: owner for name, owner in facts.items() if owner != NOBODY}


def _chosen(code: Code, wiring: Wiring) -> Mapping[str, str]:
    """What whoever deployed an agent of one's own gave its constructor."""
    if wiring.own is None:
        return {}
    given = wiring.own.given(code, next(places(wiring, code)))
    return {f"made with {name}": value for name, value in given.items()}


def _asked(code: Code, address: str, method: abi.Method) -> str:
    try:
        return str(code.reader.view(address, method, code.block)[0])
    except (NoAgentThere, RevertError):
        return NOBODY


__all__ = ["audit_agent", "audit_model"]
