"""Puts a model and a wallet agent on a chain: data contracts, encoder, decoder, verifier, registry,
executor, symbol book, agent. Called by the demo, by `run` without an RPC address, and by tests.

The parts are functions of their own, so that a second model can be registered beside the first, or
an agent be made for a model that is there already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import system_id
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Sender, call, deploy, send
from zkagent.verifier_contracts.deployment.backing import backing_of
from zkagent.verifier_contracts.deployment.model_code import build_model_code
from zkagent.verifier_contracts.deployment.record import Deployment, ModelContracts, Token
from zkagent.verifier_contracts.toolchain.compile import contract

MAX_ITERATIONS = 8
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TokenPlan:
    """A demo token to be made."""

    symbol: str
    name: str
    decimals: int


DEMO_TOKENS = (
    TokenPlan("USDC", "USD Coin (demo)", 6),
    TokenPlan("DAI", "Dai Stablecoin (demo)", 18),
    TokenPlan("WETH", "Wrapped Ether (demo)", 18),
    TokenPlan("WBTC", "Wrapped Bitcoin (demo)", 8),
)


def silent(stage: str) -> None:
    """Progress for nobody."""


class Deployer:
    """Deploys with one account on one chain. All methods raise ChainError and RevertError."""

    def __init__(self, web3: Any, sender: Sender, progress: Progress = silent) -> None:
        self.web3, self.sender, self.progress = web3, sender, progress
        self.chain_id = int(web3.eth.chain_id)

    def make(self, name: str, *arguments: Any) -> Any:
        """A contract of src/ with these constructor arguments."""
        return deploy(self.web3, contract(name), self.sender, *arguments)

    def send(self, function: Any) -> Any:
        return send(self.web3, function, self.sender)

    def raw(self, runtime: bytes) -> str:
        """A contract whose code is `runtime`."""
        code = {"data": "0x" + creation_code(runtime).hex()}
        return str(send(self.web3, code, self.sender)["contractAddress"])

    def verifier(self, circuit: Circuit) -> str:
        """The circuit's verifier, or what takes its place. Raises DevelopmentSetupRefused before
        anything is sent."""
        backing = backing_of(circuit)
        backing.check(self.chain_id, circuit.origin.onnx)
        return backing.deploy(self.web3, self.sender)

    def model(self, model: Model, circuit: Circuit) -> ModelContracts:
        """Everything that executes `model`. Raises DevelopmentSetupRefused, ModelCodeError, and
        EvmModelError for a contract that evaluates another one."""
        backing_of(circuit).check(self.chain_id, model.manifest.files.onnx)
        code = build_model_code(model.manifest, model.tables)
        self.progress("tables")
        chunks = tuple(self.raw(chunk) for chunk in code.text_chunks)
        data = self.raw(code.data)
        self.progress("encoder, decoder, verifier")
        return ModelContracts(
            text_chunks=chunks,
            data=data,
            encoder=self.make("TextEncoder", *code.encoder_arguments(chunks, data)).address,
            decoder=self.make("ToolDecoder", *code.decoder_arguments(data)).address,
            verifier=self.verifier(circuit),
        )

    def register(
        self, registry: Any, model: Model, circuit: Circuit, contracts: ModelContracts
    ) -> int:
        """Register the model as bound to `contracts`; its number."""
        binding = self.binding(model, contracts)
        commitment = self.commitment(registry, circuit, binding, f"zkagent:model/{model.name}")
        receipt = self.send(registry.functions.registerBoundModel(commitment, binding))
        (event,) = registry.events.ModelBound().process_receipt(receipt, errors=_discard())
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

    def tokens(self, plans: Sequence[TokenPlan]) -> tuple[Token, ...]:
        made = (self.make("DemoToken", p.name, p.symbol, p.decimals).address for p in plans)
        return tuple(
            Token(p.symbol, address, p.decimals) for p, address in zip(plans, made, strict=True)
        )

    def symbol_book(self, tokens: Sequence[Token]) -> str:
        """A book that lists `tokens`, owned by the sender."""
        book = self.make("SymbolBook", self.account)
        for token in tokens:
            self.send(book.functions.list(token.symbol, token.address))
        return str(book.address)

    def wallet_agent(
        self, executor: Any, model_id: int, registry: Any, pool: Any, book: str
    ) -> Any:
        """A wallet agent that serves the sender."""
        return self.make(
            "WalletAgent",
            executor.address,
            str(model_id),
            registry.address,
            self.account,
            pool.address,
            book,
            MAX_ITERATIONS,
        )

    @property
    def account(self) -> str:
        return self.sender if isinstance(self.sender, str) else str(self.sender.address)


def deploy_wallet(
    web3: Any,
    model: Model,
    circuit: Circuit,
    owner: Sender,
    *,
    tokens: Sequence[TokenPlan] = DEMO_TOKENS,
    progress: Progress = silent,
) -> Deployment:
    """The whole of it, for the account `owner`, who deploys and whom the agent then serves.

    Raises DevelopmentSetupRefused outside a local chain for a circuit of a development set-up;
    ModelCodeError, EvmModelError, CompileError, ChainError.
    """
    deployer = Deployer(web3, owner, progress)
    contracts = deployer.model(model, circuit)
    progress("registry, executor")
    registry = deployer.make("ModelRegistry")
    model_id = deployer.register(registry, model, circuit, contracts)
    executor = deployer.make("AgentExecutor", registry.address)
    progress("pool, tokens, symbol book")
    pool = deployer.make("LendingPool")
    made = deployer.tokens(tokens)
    book = deployer.symbol_book(made)
    progress("agent")
    agent = deployer.wallet_agent(executor, model_id, registry, pool, book)
    return Deployment(
        chain_id=deployer.chain_id,
        block=int(web3.eth.block_number),
        model=model.name,
        manifest_digest=model.digest,
        circuit=circuit.digest,
        development_srs=circuit.development_srs,
        owner=deployer.account,
        contracts=contracts,
        registry=registry.address,
        model_id=model_id,
        executor=executor.address,
        pool=pool.address,
        symbol_book=book,
        tokens=made,
        agent=agent.address,
        wallet=str(call(web3, agent.functions.wallet())),
        tools=_named_tools(web3, agent),
    )


def at(web3: Any, name: str, address: str) -> Any:
    """The contract `name` of src/ that stands at `address`."""
    return web3.eth.contract(address=address, abi=list(contract(name).abi))


def _named_tools(web3: Any, agent: Any) -> tuple[tuple[str, str], ...]:
    addresses, _ = call(web3, agent.functions.tools())
    tools = [at(web3, "IERCAgentTool", address) for address in addresses]
    return tuple((str(call(web3, tool.functions.name())), tool.address) for tool in tools)


def _discard() -> Any:
    """Logs of other contracts in the same receipt are not ours to read."""
    from web3.logs import DISCARD

    return DISCARD


__all__ = ["DEMO_TOKENS", "Deployer", "TokenPlan", "at", "deploy_wallet"]
