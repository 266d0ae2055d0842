"""A node that lies while a deployment is made: nothing of its own gets signed, recorded or printed.

The model is one that the EVM evaluates, so that nothing has to be proven.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import LyingNode, lie_to, lying_node
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import EVALUATED
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, call, connect, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer
from zkagent.verifier_contracts.deployment.foundations import find_foundations
from zkagent.verifier_contracts.deployment.model_hashes import BATCHES
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import (
    Foundations,
    WalletPlan,
    at,
    deploy_wallet,
)
from zkagent.verifier_contracts.errors import AnswerRefused, RevertError, UnknownCode

EVIL = "0x" + "e1" * 20
YES = bytes.fromhex("600160005260206000f3")  # to every proof


@pytest.fixture(scope="module")
def circuit(wallet: Model) -> Circuit:
    return EVALUATED.build(wallet.onnx_path)


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model, circuit: Circuit) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, circuit) as made:
        yield made


@pytest.fixture
def liar(opened: Stage) -> Iterator[LyingNode]:
    """Before a chain where a contract of a stranger takes every proof."""
    chain = opened.chain
    snapshot = chain.anvil.snapshot()
    chain.anvil.rpc("anvil_setCode", EVIL, "0x" + YES.hex())
    with lying_node(chain.anvil.rpc_url) as node:
        yield node
    chain.anvil.revert(snapshot)


def foundations(opened: Stage) -> Foundations:
    """All that is there."""
    there = opened.chain.deployment
    return find_foundations(
        opened.chain.web3, executor=there.executor, book=there.symbol_book, pool=there.pool
    )


@pytest.fixture
def deployed(
    opened: Stage, liar: LyingNode, wallet: Model, circuit: Circuit
) -> Callable[[], Deployment]:
    """Another agent, of the parts that are there, by way of the node that lies; with a verifier for
    four decisions."""
    used = foundations(opened)

    def deploy() -> Deployment:
        plan = WalletPlan({4: circuit}, used)
        return deploy_wallet(connect(liar.url), wallet, circuit, opened.chain.owner, plan=plan)

    return deploy


def test_a_new_model_has_no_verifier_that_only_a_node_lists(
    opened: Stage, liar: LyingNode, deployed: Callable[[], Deployment]
) -> None:
    listed = [(2, EVIL, bytes(32), keccak(YES))]
    lie_to(liar, "batchVerifiers(uint256)", encode([BATCHES], [listed]))
    made, web3 = deployed(), opened.chain.web3
    registry = at(web3, "ModelRegistry", made.registry)
    found = call(web3, registry.functions.batchVerifiers(made.model_id))
    assert [size for size, *_ in found] == [4]
    agent = at(web3, "WalletAgent", made.agent)
    pinned = bytes(call(web3, agent.functions.pinnedCommitment()))
    assert pinned == bytes(call(web3, registry.functions.commitmentHash(made.model_id)))
    assert made.commitment == "0x" + pinned.hex()


def renumbered(liar: LyingNode, opened: Stage, topic: int, told: bytes) -> None:
    """Of each model that the registry binds."""
    bound = keccak(
        text="ModelBound(uint256,bytes32,(address,address,address,address[],bytes32,bytes32,"
        "uint16,uint16))"
    ).hex()

    def lie(honest: Callable[[], Any]) -> Any:
        receipt = honest()
        for log in (receipt or {}).get("logs", ()):
            if log["topics"][0] == "0x" + bound:
                log["topics"][topic] = "0x" + told.hex()
        return receipt

    liar.lies["eth_getTransactionReceipt"] = lie


def register_evil(opened: Stage) -> int:
    """A stranger's model, whose verifier takes everything."""
    chain, there = opened.chain, opened.chain.deployment
    registry = at(chain.web3, "ModelRegistry", there.registry)
    binding = list(call(chain.web3, registry.functions.getBinding(there.model_id)))
    commitment = list(call(chain.web3, registry.functions.getModel(there.model_id))[0])
    binding[0], commitment[2] = chain.web3.to_checksum_address(EVIL), keccak(YES)
    function = registry.functions.registerBoundModel(tuple(commitment), tuple(binding))
    send(chain.web3, function, chain.stranger)
    return there.model_id + 1


def test_a_number_that_is_a_stranger_s_model_makes_no_agent(
    opened: Stage,
    liar: LyingNode,
    deployed: Callable[[], Deployment],
    wallet: Model,
    circuit: Circuit,
) -> None:
    """Neither with verifiers for several decisions, which only its owner registers, nor without."""
    number = register_evil(opened)
    renumbered(liar, opened, 1, number.to_bytes(32, "big"))
    with pytest.raises(RevertError, match="NotModelOwner"):
        deployed()
    used, sent = foundations(opened), len(liar.sent)
    with pytest.raises(RevertError, match="ModelCommitmentChanged"):
        deploy_wallet(
            connect(liar.url), wallet, circuit, opened.chain.owner, plan=WalletPlan(there=used)
        )
    assert len(liar.sent) > sent


def test_a_receipt_of_another_registration_is_refused(
    opened: Stage, liar: LyingNode, deployed: Callable[[], Deployment]
) -> None:
    renumbered(liar, opened, 2, keccak(b"another"))
    with pytest.raises(AnswerRefused, match="what the registration bound"):
        deployed()


def test_a_book_that_lists_something_else_than_was_shown_is_refused_before_anything_is_sent(
    opened: Stage, liar: LyingNode, wallet: Model, circuit: Circuit
) -> None:
    """The list would be the record's, by which later runs know tokens."""
    shown = foundations(opened)
    assert [each.symbol for each in shown.listed] == [
        each.symbol.lower() for each in opened.chain.deployment.tokens
    ]
    less = [column[:1] for column in entries(shown)]
    lie_to(liar, "entries()", encode(["bytes32[]", "address[]", "uint8[]"], less))
    plan, sent = WalletPlan(there=shown), len(liar.sent)
    with pytest.raises(UnknownCode, match="it lists other tokens than it did just before"):
        deploy_wallet(connect(liar.url), wallet, circuit, opened.chain.owner, plan=plan)
    assert len(liar.sent) == sent


def entries(there: Foundations) -> list[list[Any]]:
    """As the book answers."""
    columns = zip(
        *((each.symbol.encode(), each.address, each.decimals) for each in there.listed),
        strict=True,
    )
    return [list(column) for column in columns]


def test_what_was_shown_of_a_book_is_recorded(
    opened: Stage, liar: LyingNode, wallet: Model, circuit: Circuit
) -> None:
    """A node that tells the truth until the end, and of the list only as often as it is needed."""
    shown, asked = foundations(opened), 0

    def late(honest: Callable[[], Any]) -> Any:
        nonlocal asked
        data = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
        if not data.startswith("0x" + keccak(text="entries()")[:4].hex()):
            return honest()
        asked += 1
        return honest() if asked == 1 else "0x"

    liar.lies["eth_call"] = late
    plan = WalletPlan(there=shown)
    made = deploy_wallet(connect(liar.url), wallet, circuit, opened.chain.owner, plan=plan)
    assert made.tokens == shown.listed


@pytest.mark.parametrize("lie", ["address", "transactionHash"])
def test_a_log_of_another_registry_or_transaction_is_refused(
    opened: Stage, liar: LyingNode, deployed: Callable[[], Deployment], lie: str
) -> None:
    told = {"address": EVIL, "transactionHash": "0x" + "11" * 32}[lie]
    registry = opened.chain.deployment.registry.lower()

    def elsewhere(honest: Callable[[], Any]) -> Any:
        receipt = honest()
        for log in (receipt or {}).get("logs", ()):
            if log["address"].lower() == registry:
                log[lie] = told
        return receipt

    liar.lies["eth_getTransactionReceipt"] = elsewhere
    with pytest.raises(AnswerRefused, match="what the registration bound"):
        deployed()


def test_wallet_and_tools_follow_from_the_agent_s_address(
    opened: Stage, liar: LyingNode, deployed: Callable[[], Deployment]
) -> None:
    """And the constructor makes them in the order that this counts on."""
    word = bytes(12) + bytes.fromhex(EVIL[2:])
    lie_to(liar, "wallet()", word)
    lie_to(liar, "tools()", encode(["address[]", "bytes32[]"], [[EVIL], [bytes(32)]]))
    made, web3 = deployed(), opened.chain.web3
    agent = at(web3, "WalletAgent", made.agent).functions
    assert made.wallet == call(web3, agent.wallet())
    tools = [at(web3, "IERCAgentTool", each) for each in call(web3, agent.tools())[0]]
    assert made.tools == tuple((call(web3, t.functions.name()), t.address) for t in tools)


def test_hashes_are_computed_here_whatever_the_node_says_of_them(
    opened: Stage, liar: LyingNode, wallet: Model, circuit: Circuit
) -> None:
    """The registry takes them, which compares them with the code that is there."""
    binding = "(address,address,address,address[],bytes32,bytes32,uint16,uint16)"
    lie_to(liar, f"modelHashOf({binding})", bytes(32))
    lie_to(liar, "commitmentHash(uint256)", bytes(32))
    liar.says("eth_getCode", "0x" + YES.hex())
    web3, owner = opened.chain.web3, opened.chain.owner
    deployer = Deployer(DirectCarrier(connect(liar.url), owner))
    contracts, verifier = deployer.model(wallet, circuit)
    registry = at(deployer.web3, "ModelRegistry", opened.chain.deployment.registry)
    made = deployer.register(registry, wallet, circuit, contracts, verifier)
    honest = at(web3, "ModelRegistry", registry.address).functions
    assert made.commitment == bytes(call(web3, honest.commitmentHash(made.number)))
    assert keccak(verifier.code) == keccak(bytes(web3.eth.get_code(verifier.address)))
    assert verifier.address == contracts.verifier
