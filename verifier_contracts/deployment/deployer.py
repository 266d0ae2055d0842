"""Makes the parts of a deployment, each transaction of it a named step that a carrier carries out.

The parts are functions of their own, so that a second model can be registered beside the first, or
an agent be made for a model that is there already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import system_id
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Asset
from zkagent.verifier_contracts.chain.node import answers
from zkagent.verifier_contracts.chain.signing import policy_of
from zkagent.verifier_contracts.deployment.backing import ExactCode, backing_of
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create, create_data
from zkagent.verifier_contracts.deployment.model_code import code_of
from zkagent.verifier_contracts.deployment.model_hashes import bound_hash, model_hash
from zkagent.verifier_contracts.deployment.record import ModelContracts, Token
from zkagent.verifier_contracts.errors import AnswerRefused
from zkagent.verifier_contracts.toolchain.compile import contract

MAX_ITERATIONS = 8
#: Four calls of parts of balances, each with its view, and the answer.
MAX_INSTRUCTED_ITERATIONS = 9
Progress = Callable[[str], None]


def silent(stage: str) -> None:
    """Progress for nobody."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A model in a registry. commitment: what its agents pin, computed here; number: the node's
    word, which the constructor of an agent that pins the commitment holds against the registry."""

    number: int
    commitment: bytes


class Deployer:
    """Deploys with one account on one chain. All methods raise ChainError and RevertError."""

    def __init__(self, carrier: Carrier, progress: Progress = silent) -> None:
        self.carrier, self.web3, self.progress = carrier, carrier.web3, progress
        self.chain_id = policy_of(carrier.web3).chain_id

    def make(self, part: str, name: str, *arguments: Any) -> Any:
        """A contract of src/ with these constructor arguments."""
        return create(self.carrier, self._step(part), contract(name), *arguments)

    def address(self, part: str, name: str, *arguments: Any) -> str:
        """`make`, when only the address is of interest."""
        return str(self.make(part, name, *arguments).address)

    def send(self, part: str, what: str, function: Any) -> Any:
        return self.carrier.carry(self._step(part, what), function)

    def verifier(self, circuit: Circuit, part: str = "verifier", what: str = "") -> ExactCode:
        """The circuit's verifier, or what takes its place. Raises DevelopmentSetupRefused before
        anything is sent."""
        backing = backing_of(circuit)
        backing.check(self.chain_id, circuit.origin.onnx)
        return backing.deploy(self.carrier, self._step(part, what))

    def model(self, model: Model, circuit: Circuit) -> tuple[ModelContracts, ExactCode]:
        """Everything that executes `model`, and the verifier among it. Raises
        DevelopmentSetupRefused; ModelCodeError, EvmModelError for the circuit or contract of
        another network, too."""
        backing_of(circuit).check(self.chain_id, model.manifest.files.onnx)
        code = code_of(model)
        *chunks, data = (
            create_data(self.carrier, self._step("tables", name), content)
            for name, content in zip(code.names, code.components, strict=True)
        )
        parts = tuple(
            self.address(f"reader: {part.contract}", part.contract, *part.arguments)
            for part in code.parts(chunks, data)
        )
        code = code.beside(parts)
        encoder = self.make("encoder", code.encoder, *code.encoder_arguments(chunks, data))
        decoder = self.make("decoder", code.decoder, *code.decoder_arguments(data))
        verifier = self.verifier(circuit)
        made = ModelContracts(
            tuple(chunks), data, encoder.address, decoder.address, verifier.address, parts
        )
        return made, verifier

    def register(
        self,
        registry: Any,
        model: Model,
        circuit: Circuit,
        contracts: ModelContracts,
        verifier: ExactCode,
    ) -> Registered:
        """Register the model as bound to `contracts`, of which `verifier` is one. Raises
        AnswerRefused for a receipt of another registration, too."""
        binding = self.binding(model, contracts)
        commitment = self.commitment(model, circuit, contracts, verifier)
        function = registry.functions.registerBoundModel(commitment, binding)
        receipt = self.send("registry", f"register {model.name}", function)
        bound = bound_hash(commitment, binding)
        return Registered(_number(registry, receipt, bound), bound)

    def binding(self, model: Model, contracts: ModelContracts) -> tuple[Any, ...]:
        """`IModelRegistry.ModelBinding`."""
        return (
            contracts.verifier,
            contracts.encoder,
            contracts.decoder,
            list(contracts.components),
            bytes.fromhex(model.manifest.files.onnx),
            bytes.fromhex(model.digest),
            model.manifest.input_count,
            model.manifest.output_count,
        )

    def commitment(
        self, model: Model, circuit: Circuit, contracts: ModelContracts, verifier: ExactCode
    ) -> tuple[Any, ...]:
        """ERC-7992's ModelCommitment for contracts with the code that this version compiles to: the
        registry refuses it where they have another."""
        code = code_of(model).beside(contracts.parts)
        chunks, data = contracts.text_chunks, contracts.data
        encoder = contract(code.encoder).runtime(code.encoder_immutables(chunks, data))
        decoder = contract(code.decoder).runtime(code.decoder_immutables(data))
        parts = (
            contract(part.contract).runtime(part.immutables) for part in code.parts(chunks, data)
        )
        covered = model_hash(
            bytes.fromhex(model.manifest.files.onnx),
            bytes.fromhex(model.digest),
            keccak(encoder),
            keccak(decoder),
            [keccak(each) for each in (*code.components, *parts)],
        )
        system, uri = system_id(circuit.origin.system), f"zkagent:model/{model.name}"
        return (covered, bytes.fromhex(circuit.digest), keccak(verifier.code), system, uri)

    def tokens(self, assets: Sequence[Asset]) -> tuple[Token, ...]:
        """Demo tokens, which anybody can make more of."""
        return tuple(Token(a.symbol, self._token(a), a.decimals) for a in assets)

    def symbol_book(self, tokens: Sequence[Token]) -> str:
        """A book that lists `tokens`, owned by the sender."""
        book = self.make("symbol book", "SymbolBook", self.account)
        for token in tokens:
            function = book.functions.list(token.symbol, token.address)
            self.send("symbol book", f"list {token.symbol}", function)
        return str(book.address)

    def contact_book(self, contacts: Sequence[tuple[str, str]]) -> str:
        """A book of these names and accounts, owned by the sender."""
        book = self.make("contact book", "ContactBook", self.account)
        for name, account in contacts:
            self.send("contact book", f"list {name}", book.functions.list(name, account))
        return str(book.address)

    def instructed_agent(
        self,
        executor: str,
        model: Registered,
        registry: Any,
        pool: str,
        *,
        books: tuple[str, str],
        caution: int,
        strict: bool = False,
    ) -> Any:
        """`wallet_agent` for a model that reads whole instructions. books: of symbols, of contacts.
        caution: in hundredths of a log-odd."""
        setup = (
            executor,
            str(model.number),
            model.commitment,
            registry.address,
            self.account,
            pool,
            *books,
            caution,
            MAX_INSTRUCTED_ITERATIONS,
        )
        name = "StrictInstructedWalletAgent" if strict else "InstructedWalletAgent"
        return self.make("agent", name, setup)

    def wallet_agent(
        self,
        executor: str,
        model: Registered,
        registry: Any,
        pool: str,
        book: str,
        *,
        strict: bool = False,
    ) -> Any:
        """A wallet agent that serves the sender, of the model with this commitment: should the
        number be another one's, or its own be updated before, there will be no agent. strict: it
        has each decision proven before it acts on it."""
        return self.make(
            "agent",
            "StrictWalletAgent" if strict else "WalletAgent",
            executor,
            str(model.number),
            model.commitment,
            registry.address,
            self.account,
            pool,
            book,
            MAX_ITERATIONS,
        )

    @property
    def account(self) -> str:
        return self.carrier.account

    def _token(self, asset: Asset) -> str:
        compiled, step = contract("DemoToken"), self._step("demo tokens", asset.symbol)
        arguments = (f"{asset.name} (demo)", asset.symbol, asset.decimals)
        return str(create(self.carrier, step, compiled, *arguments).address)

    def _step(self, part: str, what: str = "") -> Step:
        """The next step, which begins now."""
        step = Step(part, f"{part}: {what}" if what else part)
        self.progress(step.name)
        return step


def at(web3: Any, name: str, address: str) -> Any:
    """The contract `name` of src/ that stands at `address`."""
    return web3.eth.contract(address=to_checksum_address(address), abi=list(contract(name).abi))


def _number(registry: Any, receipt: Any, commitment: bytes) -> int:
    """Of the one model that the transaction bound, which has this commitment. Raises
    AnswerRefused."""
    with answers("the receipt of the registration"):
        events = registry.events.ModelBound().process_receipt(receipt, errors=_discard())
        bound = [
            (bytes(each["args"]["commitmentHash"]).hex(), int(each["args"]["modelId"]))
            for each in events
            if each["address"] == registry.address
            and each["transactionHash"] == receipt["transactionHash"]
        ]
    if [told for told, _ in bound] != [commitment.hex()]:
        what = "what the registration bound, by its receipt's log,"
        raise AnswerRefused(what, [told for told, _ in bound], f"0x{commitment.hex()} alone")
    return bound[0][1]


def _discard() -> Any:
    """Logs of other contracts in the same receipt are not ours to read."""
    from web3.logs import DISCARD

    return DISCARD


__all__ = ["MAX_ITERATIONS", "Deployer", "Progress", "Registered", "at", "silent"]
