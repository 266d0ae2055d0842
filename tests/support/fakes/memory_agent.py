"""An agent without a chain: the in-memory fake behind the same protocols as `web3_agent`.

It follows the contracts' rules (claims in order, each for the features derived at that moment, all
of them used and proven, or nothing happens), with Python functions for tools. Transactions are
really signed, so that receipts of such runs are complete but for the chain itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from zkagent.circuits.networks.batch import fill
from zkagent.circuits.systems import HALO2, system_id
from zkagent.executor.chain.abi import (
    FEATURE_BYTES,
    NO_TOOL,
    OUTPUT_BYTES,
    covered_by,
    is_agreed,
    pack,
    parameters,
    rows_of,
    run_data,
    size_for,
    unpack,
)
from zkagent.executor.chain.agent import (
    AgentIdentity,
    AgentModel,
    AgentNames,
    AgentReads,
    BatchVerifier,
    Block,
    Claim,
    DecisionContext,
    Finished,
    Happened,
    Inclusion,
    MissingDecision,
    RunCall,
    RunResult,
    RunTerms,
    TokenTransfer,
    VerifiedDecision,
)
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.executor.errors import NotOnChain
from zkagent.executor.receipts.format import RunRecord
from zkagent.executor.receipts.verify_chain import Standing
from zkagent.executor.runs.derivation import (
    book_facts,
    decimals_fact,
    derive_decision,
    derive_features,
    features_hash,
    raw_bytes,
    reasoning_entry,
)
from zkagent.executor.runs.provers import ProofCheck
from zkagent.models.catalogue import Model
from zkagent.models.encoding.context import ToolMetadata, ToolParameter, View, escape_observation
from zkagent.models.encoding.decoder import Decision
from zkagent.verifier_contracts.errors import RevertError

State = dict[str, int]
SYSTEM_ID = system_id(HALO2.name)
ToolFunction = Callable[[State, tuple[int, ...]], str]
FIRST_BLOCK = 100
FIRST_TIME = 1_700_000_000
BLOCK_S = 12
GAS_PER_DECISION = 600_000
WALLET, POOL = "0x" + "3a" * 20, "0x" + "5b" * 20


@dataclass
class MemoryAgent:
    """Implements AgentChain and RunSender.

    tools: what each tool does to `state` and answers; it may raise RevertError. checks: the
    verdict on a proof. inside: agents that tools ask, by the tool's name, and with which prompt.
    `reads` and `state` may be changed between calls, as a chain's state may.
    """

    model: Model
    identity_now: AgentIdentity
    reads_now: AgentReads
    tools: Mapping[str, ToolFunction]
    signer: LocalAccount
    checks: ProofCheck
    state: State = field(default_factory=dict)
    max_iterations: int = 10
    height: int = FIRST_BLOCK
    clock_lead_s: int = 0
    inside: Mapping[str, tuple["MemoryAgent", bytes]] = field(default_factory=dict)
    results: dict[str, RunResult] = field(default_factory=dict)
    nested: dict[str, list[RunResult]] = field(default_factory=dict)
    happenings: dict[str, Happened] = field(default_factory=dict)

    #: As of agents of ours.
    pins = True

    def run_by(self, runner: str) -> "MemoryAgent":
        raise NotImplementedError(runner)

    def reads_of(self, step: MissingDecision, known: AgentReads) -> AgentReads:
        return known

    def about(self, agent: str) -> "MemoryAgent":
        if agent == self.identity_now.agent:
            return self
        return next(a for a in self.all_inside() if a.identity_now.agent == agent)

    def all_inside(self) -> Iterator["MemoryAgent"]:
        for agent, _ in self.inside.values():
            yield agent
            yield from agent.all_inside()

    def answer(self, view: View, block: Block) -> bytes:
        raise revert("NoSuchView", target=view.target)

    def nested_results(self, transaction: str) -> tuple[RunResult, ...]:
        return tuple(self.nested.get(transaction, ()))

    def head(self) -> Block:
        return self.block(self.height)

    def block(self, number: int) -> Block:
        if number > self.height:
            raise NotOnChain(f"no block {number} in memory, the latest is {self.height}")
        return Block(number, block_hash(number))

    def time(self, block: Block) -> int:
        return FIRST_TIME + BLOCK_S * (block.number - FIRST_BLOCK) + self.clock_lead_s

    def names(self, block: Block) -> AgentNames:
        now, reads = self.identity_now, self.reads_now
        return AgentNames(
            chain_id=now.chain_id,
            agent=now.agent,
            executor=now.executor,
            registry=now.registry,
            model_id=now.model.model_id,
            base_prompt=reads.base_prompt,
            tools=tuple(tool.address for tool in reads.tools),
            pinned=reads.pinned,
            book=reads.book_contract,
        )

    def identity(self, block: Block) -> AgentIdentity:
        return self.identity_now

    def reads(self, block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        known = tuple((t, d) for t, d in self.reads_now.decimals if t in tokens)
        return replace(self.reads_now, block=block, decimals=known)

    def simulate(
        self, prompt: bytes, claims: Sequence[Claim], sender: str, block: Block
    ) -> MissingDecision | Finished:
        return _Run(self, prompt, _Frame(self, tuple(claims)), dict(self.state)).simulate()

    def code(self, address: str, block: Block) -> bytes:
        return made_up_code(address)

    def code_hashes(self, addresses: Sequence[str], block: Block) -> tuple[bytes, ...]:
        return tuple(keccak(self.code(address, block)) for address in addresses)

    def run_result(self, transaction: str) -> RunResult:
        if transaction not in self.results:
            raise NotOnChain(f"no transaction {transaction} in memory")
        return self.results[transaction]

    def happened(self, transaction: str) -> Happened:
        if transaction not in self.happenings:
            raise NotOnChain(f"no transaction {transaction} in memory")
        return self.happenings[transaction]

    def movement(self, token: str, account: str, block: Block) -> tuple[int, int]:
        """Tokens in memory are honest."""
        moved = [t for h in self.happenings.values() if h.block == block for t in h.transfers]
        grew = sum(t.units * ((t.recipient == account) - (t.sender == account)) for t in moved)
        return grew, grew

    @property
    def account(self) -> str:
        return str(self.signer.address).lower()

    def estimate_gas(self, call: RunCall) -> int:
        self._execute(call, dict(self.state))
        return GAS_PER_DECISION * len(call.claims)

    def send(self, call: RunCall, gas: int) -> Inclusion:
        state = dict(self.state)
        run, finished = self._execute(call, state)
        self.state = state
        raw = self.sign(call, gas)
        self.height += 1
        gas_used = GAS_PER_DECISION * len(call.claims)
        digest = "0x" + keccak(raw).hex()
        transfers = tuple(run.frame.moved)
        self.results[digest] = RunResult(
            self.head(), gas_used, self.account, finished.answer, finished.steps, transfers
        )
        for agent in self.all_inside():
            agent.height, agent.happenings = self.height, self.happenings
        for agent, answer, steps in run.frame.ended:
            told = RunResult(self.head(), gas_used, self.identity_now.agent, answer, steps)
            agent.nested.setdefault(digest, []).append(told)
        self.happenings[digest] = self._happened(call, run, nonce=self.height - 1 - FIRST_BLOCK)
        return Inclusion(raw, digest, self.results[digest])

    def _happened(self, call: RunCall, run: "_Run", nonce: int) -> Happened:
        identity = self.identity_now
        return Happened(
            block=self.head(),
            parent=block_hash(self.height - 1),
            sender=self.account,
            receiver=identity.agent,
            value_wei=0,
            nonce=nonce,
            chain_id=identity.chain_id,
            data=run_data(call),
            place=0,
            verified=tuple(
                VerifiedDecision(
                    identity.executor,
                    c.model_id,
                    maker.agent,
                    maker.model.commitment_hash,
                    c.features_hash,
                    keccak(c.output),
                )
                for maker, c in zip(run.frame.makers, call.claims, strict=True)
            ),
            transfers=tuple(run.frame.moved),
        )

    def _execute(self, call: RunCall, state: State) -> tuple["_Run", Finished]:
        if len(call.proofs) != len(call.claims):
            raise revert("ProofCountMismatch", expected=len(call.claims), received=len(call.proofs))
        if (now := self.time(self.head())) > call.terms.deadline:
            raise revert("RunExpired", deadline=call.terms.deadline, blockTime=now)
        if len(call.terms.calls) != len(call.claims):
            raise revert(
                "CallCountMismatch", expected=len(call.claims), received=len(call.terms.calls)
            )
        all_reads = [each.reads_now for each in (self, *self.all_inside())]
        told = (decimals_fact(t, places) for reads in all_reads for t, places in reads.decimals)
        there = {*(fact for reads in all_reads for fact in book_facts(reads)), *told}
        for index, fact in enumerate(call.terms.facts):
            if fact not in there:
                raise revert("FactChanged", index=index, target=fact.target)
        run = _Run(self, call.prompt, _Frame(self, call.claims, call.terms), state)
        finished = run.simulate()
        if isinstance(finished, MissingDecision):
            raise revert("ClaimMissing", index=finished.index, agent=finished.agent)
        for group in covered_by([claim.said for claim in call.claims], call.proofs):
            self._verify(run, call, group)
        return run, finished

    def _verify(self, run: "_Run", call: RunCall, group: Sequence[int]) -> None:
        model = run.frame.makers[group[0]].model
        try:
            rows = rows_of(group, call.claims)
            size = size_for(len(rows), model.batch_sizes)
        except ValueError as exc:
            most = max(model.batch_sizes, default=1)
            raise revert("NoBatchVerifier", decisions=len(rows), largest=most) from exc
        x = fill([run.frame.inputs[index] for index in rows], size)
        y = fill([unpack(call.claims[index].output, OUTPUT_BYTES) for index in rows], size)
        if not self.checks(x, y, call.proofs[group[0]]):
            raise revert("ProofRejected")

    def sign(self, call: RunCall, gas_limit: int) -> bytes:
        signed = self.signer.sign_transaction(
            {
                "type": 2,
                "chainId": self.identity_now.chain_id,
                "nonce": self.height - FIRST_BLOCK,
                "to": bytes.fromhex(self.identity_now.agent[2:]),
                "value": 0,
                "gas": gas_limit,
                "maxFeePerGas": 10**9,
                "maxPriorityFeePerGas": 1,
                "data": run_data(call),
            }
        )
        return bytes(signed.raw_transaction)


class _Missing(Exception):
    """A decision without a claim, wherever in the frame."""

    def __init__(self, found: MissingDecision) -> None:
        super().__init__()
        self.found = found


@dataclass
class _Frame:
    """What all agents of a run share. makers: who made each decision; ended: nested runs with
    their answers, as they ended."""

    outermost: MemoryAgent
    claims: tuple[Claim, ...]
    terms: RunTerms | None = None
    inputs: list[tuple[int, ...]] = field(default_factory=list)
    makers: list[AgentIdentity] = field(default_factory=list)
    moved: list[TokenTransfer] = field(default_factory=list)
    ended: list[tuple[MemoryAgent, bytes, tuple[bytes, ...]]] = field(default_factory=list)


@dataclass
class _Run:
    agent: MemoryAgent
    prompt: bytes
    frame: _Frame
    state: State
    steps: list[bytes] = field(default_factory=list)

    def simulate(self) -> MissingDecision | Finished:
        try:
            answer = self.answer()
        except _Missing as exc:
            return exc.found
        if (used := len(self.frame.inputs)) < len(self.frame.claims):
            raise revert("ClaimsLeftOver", used=used, given=len(self.frame.claims))
        return Finished(answer, tuple(self.steps))

    def answer(self) -> bytes:
        for _ in range(self.agent.max_iterations):
            index = len(self.frame.inputs)
            context = DecisionContext(self.agent.reads_now, tuple(self.steps), self.prompt)
            x = derive_features(self.agent.model, context)
            if index == len(self.frame.claims):
                raise _Missing(self.missing(index, context, x))
            decision = self.decide(index, context, x)
            if decision.kind != "call":
                return raw_bytes(decision.answer)
            observation = self.observed(decision)
            if decision.action == "Withdraw":
                token, units = decision.values
                self.frame.moved.append(TokenTransfer(f"0x{token:040x}", POOL, WALLET, units))
            self.steps.append(reasoning_entry(decision, escape_observation(observation.encode())))
        raise revert("IterationLimitReached", maxIterations=self.agent.max_iterations)

    def observed(self, decision: Decision) -> str:
        if decision.action not in self.agent.inside:
            return self.agent.tools[decision.action](self.state, decision.values)
        inner, prompt = self.agent.inside[decision.action]
        run = _Run(inner, prompt, self.frame, self.state)
        answer = run.answer()
        self.frame.ended.append((inner, answer, tuple(run.steps)))
        return answer.decode()

    def missing(self, index: int, context: DecisionContext, x: tuple[int, ...]) -> MissingDecision:
        identity, reads = self.agent.identity_now, context.reads
        return MissingDecision(
            index,
            identity.agent,
            identity.model.model_id,
            pack(x, FEATURE_BYTES),
            reads.base_prompt,
            tuple(tool.address for tool in reads.tools),
            context.reasoning,
            context.prompt,
        )

    def decide(self, index: int, context: DecisionContext, x: tuple[int, ...]) -> Decision:
        claim, expected = self.frame.claims[index], self.agent.identity_now.model.model_id
        if claim.model_id != expected:
            raise revert(
                "ClaimForOtherModel", index=index, expected=expected, received=claim.model_id
            )
        if claim.features_hash != features_hash(x):
            raise revert("ClaimForOtherFeatures", index=index, agent=context.reads.agent)
        self.frame.inputs.append(x)
        self.frame.makers.append(self.agent.identity_now)
        decision = derive_decision(self.agent.model, context, unpack(claim.output, OUTPUT_BYTES))
        self.check_terms(index, decision)
        return decision

    def check_terms(self, index: int, decision: Decision) -> None:
        if (terms := self.frame.terms) is None:
            return
        reads, tool, params = self.agent.reads_now, NO_TOOL, parameters(decision.values)
        if decision.kind == "call":
            tool = next(t.address for t in reads.tools if t.name == decision.action.encode())
        if not is_agreed(terms.calls[index], reads.agent, tool, params):
            raise revert("CallNotAgreed", index=index, agent=reads.agent, tool=tool, params=params)


def memory_contracts(run: RunRecord) -> Standing:
    """What stands behind a run in memory: no contracts, whose code need not be looked into."""
    return Standing((), WALLET, POOL)


def block_hash(number: int) -> str:
    return "0x" + keccak(text=f"memory block {number}").hex()


def revert(name: str, **arguments: object) -> RevertError:
    """A contract's error as the chain client would decode it."""
    shown = ", ".join(f"{key}={value}" for key, value in arguments.items())
    return RevertError(f"{name}({shown})", name=name, args=arguments, data=b"")


def memory_identity(
    model: Model, agent: str, chain_id: int, circuit: str, batch_sizes: Sequence[int] = ()
) -> AgentIdentity:
    """An identity that commits to `model`, with made-up addresses and code hashes."""
    onnx, manifest = bytes.fromhex(model.manifest.files.onnx), bytes.fromhex(model.digest)
    encoder, decoder, table = (made_up_code_hash(made_up_address(n)) for n in (2, 3, 4))
    committed = AgentModel(
        model_id=1,
        model_hash=model_hash((onnx, manifest), encoder, decoder, [table]),
        circuit_hash=bytes.fromhex(circuit),
        vk_hash=made_up_code_hash(made_up_address(1)),
        proof_system_id=SYSTEM_ID,
        uri="",
        verifier=made_up_address(1),
        encoder=made_up_address(2),
        decoder=made_up_address(3),
        components=(made_up_address(4),),
        onnx_digest=onnx,
        manifest_digest=manifest,
        inputs=model.manifest.input_count,
        outputs=model.manifest.output_count,
        batches=tuple(map(_memory_batch, batch_sizes)),
        commitment_hash=b"",
    )
    bound = replace(committed, commitment_hash=commitment_hash(committed))
    return AgentIdentity(chain_id, agent, made_up_address(5), made_up_address(6), bound)


def _memory_batch(size: int) -> BatchVerifier:
    address, circuit = made_up_address(0x200 + size), bytes.fromhex(batch_circuit(size))
    return BatchVerifier(size, address, circuit, made_up_code_hash(address))


def batch_circuit(size: int) -> str:
    """The made-up digest of the circuit for `size` decisions."""
    return keccak(text=f"circuit for {size}").hex()


def memory_tools(model: Model) -> tuple[ToolMetadata, ...]:
    """Metadata of the tools that `model` knows, at made-up addresses."""
    return tuple(
        ToolMetadata(
            made_up_address(0x100 + i),
            action.name.encode(),
            f"{action.name} in memory".encode(),
            tuple(ToolParameter(p.type, p.name.encode(), b"") for p in action.parameters),
        )
        for i, action in enumerate(model.manifest.actions)
    )


def made_up_code(address: str) -> bytes:
    return f"code of {address}".encode()


def made_up_code_hash(address: str) -> bytes:
    return keccak(made_up_code(address))


def made_up_address(number: int) -> str:
    return f"0x{0xFA4E << 144 | number:040x}"
