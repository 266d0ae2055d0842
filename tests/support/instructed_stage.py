"""An agent that reads whole instructions on a chain, whose network says what a test has it say: its
Groth16 key has known secrets, so that any output can be proven without a circuit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eth_utils.crypto import keccak

from tests.support.instruction_prompts import table_of_writers
from tests.support.instructions import MANIFEST, numbers, read_tokens
from zkagent.circuits.bn254.curve import GENERATOR, Point, multiply, total
from zkagent.circuits.bn254.multiples import GENERATOR_G2
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.keys.zkey import VerifyingKey
from zkagent.circuits.systems import GROTH16, system_id
from zkagent.executor.chain.abi import (
    FEATURE_BYTES,
    NO_TOOL,
    OUTPUT_BYTES,
    WORD,
    call_hash,
    pack,
    unpack,
)
from zkagent.executor.chain.agent import (
    AgentReads,
    AgreedCall,
    Claim,
    MissingDecision,
    Range,
    RunCall,
    RunTerms,
)
from zkagent.executor.chain.embedded import EmbeddedChain, fund
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.derivation import book_facts
from zkagent.models.encoding.book import DEMO_ASSETS
from zkagent.models.instructions.calls import Tag
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create_data
from zkagent.verifier_contracts.deployment.deployer import Deployer
from zkagent.verifier_contracts.deployment.model_code import manifest_bytes
from zkagent.verifier_contracts.deployment.record import Deployment, ModelContracts
from zkagent.verifier_contracts.deployment.wallet import TOOL_NONCES, WALLET_NONCE

INPUTS, OUTPUTS = 90, 3
FOREVER = (1 << 64) - 1
MOST_ITERATIONS = 9
#: Secrets of the key: of alpha, and of one and each public word.
ALPHA = 7
WORDS = range(11, 19)


def known_key() -> KeyCode:
    """beta, gamma and delta are the generator of G2."""
    points = tuple(multiply(GENERATOR, secret) for secret in WORDS)
    g2 = GENERATOR_G2
    key = VerifyingKey(multiply(GENERATOR, ALPHA), g2, g2, g2, points)
    return KeyCode(INPUTS, OUTPUTS, True, key)


def proof_of(key: KeyCode, x: Sequence[int], y: Sequence[int], salt: int = 5) -> bytes:
    """B is the generator, C anything, and A the sum of alpha, the words and C."""
    c = multiply(GENERATOR, salt)
    words = (1, *key.public_words(x, y))
    parts = (multiply(point, word) for point, word in zip(key.key.ic, words, strict=True))
    a = total([key.key.alpha, *parts, c])
    (x0, x1), (y0, y1) = GENERATOR_G2
    return _words(a) + _words((x1, x0)) + _words((y1, y0)) + _words(c)


def _words(point: Point) -> bytes:
    return b"".join(number.to_bytes(WORD, "big") for number in point)


@dataclass(frozen=True)
class InstructedStage:
    """The agent's chain, and what its key proves."""

    chain: EmbeddedChain
    agent: Web3Agent
    sender: Web3Sender
    key: KeyCode

    def claims(self, prompt: bytes, y: Sequence[int]) -> tuple[tuple[Claim, ...], list[bytes]]:
        """Of the whole run in which the network always says y, and each decision's features."""
        claims: tuple[Claim, ...] = ()
        features: list[bytes] = []
        head = self.agent.head()
        while True:
            step = self.agent.simulate(prompt, claims, self.sender.account, head)
            if not isinstance(step, MissingDecision):
                return claims, features
            output = pack(y, OUTPUT_BYTES)
            claims += (Claim(step.model_id, keccak(step.features), output),)
            features.append(step.features)

    def reads(self) -> AgentReads:
        return self.agent.reads(self.agent.head())

    def agreed(self, name: str, values: Sequence[int], *ranges: Range) -> AgreedCall:
        """To this call, or an answer; values of `ranges` being 0."""
        tool = self.chain.deployment.tool(name) if name else NO_TOOL
        params = b"".join(value.to_bytes(WORD, "big") for value in values)
        return AgreedCall(call_hash(self.agent.agent, tool, params), ranges)

    def withdrawal(self, proofs: int) -> RunCall:
        """Of all USDC, with a proof for each of the first so many decisions."""
        prompt, token = b"withdraw all my USDC", self.chain.deployment.token("USDC").address
        y = said(prompt, {"all": Tag.WITHDRAW, "USDC": Tag.ARGUMENT})
        claims, features = self.claims(prompt, y)
        x = unpack(features[0], FEATURE_BYTES)
        given = [proof_of(self.key, x, y, salt) for salt in range(5, 5 + proofs)]
        calls = (
            self.agreed("ViewBalance", [int(token, 16)]),
            self.agreed("Withdraw", [int(token, 16), 0], Range(1, 0, 1 << 128)),
            self.agreed("", []),
        )
        terms = RunTerms(FOREVER, calls, book_facts(self.reads()))
        return RunCall(prompt, claims, (*given, *[b""] * (len(claims) - proofs)), terms)


def said(prompt: bytes, tags: dict[str, Tag]) -> tuple[int, int, int]:
    """y of a network that is sure to act, and gives these tokens tags."""
    texts = [prompt[token.start : token.end].decode() for token in read_tokens(prompt)]
    return numbers(500, 0, [tags.get(text, Tag.NONE) for text in texts])


@contextmanager
def instructed_stage(anvil: Anvil) -> Iterator[InstructedStage]:
    """Deployed for the length of the block; the wallet has what a demo's has."""
    snapshot = anvil.snapshot()
    yield _deployed(anvil)
    anvil.revert(snapshot)


def _deployed(anvil: Anvil) -> InstructedStage:
    owner, friend, stranger = anvil.accounts[:3]
    deployer, key = Deployer(DirectCarrier(anvil.web3, owner)), known_key()
    registry = deployer.make("registry", "ModelRegistry")
    executor = deployer.address("executor", "AgentExecutor", registry.address)
    contracts, commitment = _registered(deployer, registry, key)
    pool = deployer.address("pool", "LendingPool")
    tokens = deployer.tokens(DEMO_ASSETS)
    book = deployer.symbol_book(tokens)
    contacts = deployer.address("contacts", "ContactBook", deployer.account)
    who = (executor, "1", commitment, registry.address, deployer.account, pool, book, contacts)
    setup = (*who, MANIFEST.caution, MOST_ITERATIONS)
    agent = deployer.address("agent", "InstructedWalletAgent", setup)
    deployment = Deployment(
        chain_id=deployer.chain_id,
        block=0,
        model=MANIFEST.id,
        manifest_digest="",
        circuit="",
        development_srs=True,
        owner=deployer.account,
        contracts=contracts,
        registry=registry.address,
        model_id=1,
        executor=executor,
        pool=pool,
        symbol_book=book,
        tokens=tokens,
        agent=agent,
        wallet=created_address(agent, WALLET_NONCE),
        tools=tuple((name, created_address(agent, nonce)) for name, nonce in TOOL_NONCES.items()),
    )
    chain = EmbeddedChain(anvil, deployment, owner, friend, stranger)
    fund(chain)
    sender = Web3Sender(anvil.web3, agent, owner)
    return InstructedStage(chain, Web3Agent(anvil.web3, agent), sender, key)


#: Constructor arguments of the decoder.
MEASURES = MANIFEST.margin_unit, MANIFEST.caution


def _registered(deployer: Deployer, registry: Any, key: KeyCode) -> tuple[ModelContracts, bytes]:
    """Model 1, and its commitment. What it reads are its components, as of a deployed one."""
    table = table_of_writers(1)
    made = [b"\0" + chunk for chunk in table.chunks]
    made += [b"\0" + manifest_bytes(MANIFEST), key.to_bytes()]
    placed = [
        create_data(deployer.carrier, Step("data", str(n)), code) for n, code in enumerate(made)
    ]
    *chunks, data, verifier = placed
    encoder = deployer.address("encoder", "InstructionEncoder", chunks, list(table.kinds_words))
    decoder = deployer.address("decoder", "InstructionDecoder", data, *MEASURES)
    files = bytes(32), bytes(32)
    binding = (verifier, encoder, decoder, [*chunks, data], *files, INPUTS, OUTPUTS)
    covered = call(deployer.web3, registry.functions.modelHashOf(binding))
    system = system_id(GROTH16.name)
    commitment = (covered, bytes(32), keccak(key.to_bytes()), system, "")
    deployer.send(
        "registry", "register", registry.functions.registerBoundModel(commitment, binding)
    )
    contracts = ModelContracts(tuple(chunks), data, encoder, decoder, verifier)
    return contracts, call(deployer.web3, registry.functions.commitmentHash(1))
