"""Makes the parts of a deployment, each transaction of it a named step that a carrier carries out.

The parts are functions of their own, so that a second model can be registered beside the first, or
an agent be made for a model that is there already.
"""

from collections.abc import Callable, Sequence
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import system_id
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Asset
from zkagent.verifier_contracts.chain.local import call
from zkagent.verifier_contracts.deployment.backing import backing_of
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create, create_data
from zkagent.verifier_contracts.deployment.model_code import build_model_code
from zkagent.verifier_contracts.deployment.record import ModelContracts, Token
from zkagent.verifier_contracts.toolchain.compile import contract

MAX_ITERATIONS = 8
Progress = Callable[[str], None]


def silent(stage: str) -> None:
    """Progress for nobody."""


class Deployer:
    """Deploys with one account on one chain. All methods raise ChainError and RevertError."""

    def __init__(self, carrier: Carrier, progress: Progress = silent) -> None:
        self.carrier, self.web3, self.progress = carrier, carrier.web3, progress
        self.chain_id = int(carrier.web3.eth.chain_id)

    def make(self, part: str, name: str, *arguments: Any) -> Any:
        """A contract of src/ with these constructor arguments."""
        return create(self.carrier, self._step(part), contract(name), *arguments)

    def address(self, part: str, name: str, *arguments: Any) -> str:
        """`make`, when only the address is of interest."""
        return str(self.make(part, name, *arguments).address)

    def send(self, part: str, what: str, function: Any) -> Any:
        return self.carrier.carry(self._step(part, what), function)

    def verifier(self, circuit: Circuit, part: str = "verifier", what: str = "") -> str:
        """The circuit's verifier, or what takes its place. Raises DevelopmentSetupRefused before
        anything is sent."""
        backing = backing_of(circuit)
        backing.check(self.chain_id, circuit.origin.onnx)
        return backing.deploy(self.carrier, self._step(part, what))

    def model(self, model: Model, circuit: Circuit) -> ModelContracts:
        """Everything that executes `model`. Raises DevelopmentSetupRefused, ModelCodeError, and
        EvmModelError for a contract that evaluates another one."""
        backing_of(circuit).check(self.chain_id, model.manifest.files.onnx)
        code = build_model_code(model.manifest, model.tables)
        total = len(code.text_chunks)
        chunks = tuple(
            create_data(self.carrier, self._step("tables", f"text {number} of {total}"), chunk)
            for number, chunk in enumerate(code.text_chunks, start=1)
        )
        data = create_data(self.carrier, self._step("tables", "local, words, manifest"), code.data)
        encoder = self.make("encoder", "TextEncoder", *code.encoder_arguments(chunks, data))
        decoder = self.make("decoder", "ToolDecoder", *code.decoder_arguments(data))
        verifier = self.verifier(circuit)
        return ModelContracts(chunks, data, encoder.address, decoder.address, verifier)

    def register(
        self, registry: Any, model: Model, circuit: Circuit, contracts: ModelContracts
    ) -> int:
        """Register the model as bound to `contracts`; its number."""
        binding = self.binding(model, contracts)
        commitment = self.commitment(registry, circuit, binding, f"zkagent:model/{model.name}")
        function = registry.functions.registerBoundModel(commitment, binding)
        receipt = self.send("registry", f"register {model.name}", function)
        events = registry.events.ModelBound().process_receipt(receipt, errors=_discard())
        (event,) = (each for each in events if each["address"] == registry.address)
        return int(event["args"]["modelId"])

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
        self, registry: Any, circuit: Circuit, binding: tuple[Any, ...], uri: str
    ) -> tuple[Any, ...]:
        """ERC-7992's ModelCommitment for contracts that are there."""
        model_hash = call(self.web3, registry.functions.modelHashOf(binding))
        verifier_code = keccak(bytes(self.web3.eth.get_code(binding[0])))
        system = system_id(circuit.origin.system)
        return (model_hash, bytes.fromhex(circuit.digest), verifier_code, system, uri)

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

    def wallet_agent(
        self, executor: str, model_id: int, registry: Any, pool: str, book: str
    ) -> Any:
        """A wallet agent that serves the sender, of the model as it is registered now: should it be
        updated before the agent is there, there will be no agent."""
        commitment = call(self.web3, registry.functions.commitmentHash(model_id))
        return self.make(
            "agent",
            "WalletAgent",
            executor,
            str(model_id),
            commitment,
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
    return web3.eth.contract(address=address, abi=list(contract(name).abi))


def _discard() -> Any:
    """Logs of other contracts in the same receipt are not ours to read."""
    from web3.logs import DISCARD

    return DISCARD


__all__ = ["MAX_ITERATIONS", "Deployer", "Progress", "at", "silent"]
