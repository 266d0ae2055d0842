"""An account that is an agent whose only tool is behind a guard, for tests of `zkagent guard`."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address

from tests.support.command_line import exit_code
from tests.support.lying_node import LyingNode
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.toolchain.compile import compile_all

NOBODY = "0x" + "00" * 20
ALICE = to_checksum_address("0x" + "a1" * 20)
METADATA = ("Transfer", "Send funds")
NO_INPUT: tuple[list[Any]] = ([],)


@dataclass(frozen=True)
class World:
    """The owner is the agent, too: it calls the tool behind the guard."""

    chain: Anvil
    guard: Any
    tool: Any
    token: Any
    wallet: str

    def options(self, key: str | None = "owner.key") -> list[str]:
        options = ["--guard", self.guard.address, "--rpc", self.chain.rpc_url]
        return options + (["--key-file", key, "--yes"] if key else [])

    def payment(self, amount: int) -> tuple[list[Any], bytes]:
        words = [self.token.address, amount, ALICE]
        return [], encode(["address", "uint256", "address"], words)

    def pay(self, amount: int) -> None:
        run = self.tool.functions.run(self.payment(amount), NOBODY)
        send(self.chain.web3, run, self.chain.accounts[0])

    def paid(self) -> int:
        return int(call(self.chain.web3, self.token.functions.balanceOf(ALICE)))


def guarded(chain: Anvil) -> World:
    """Whose wallet has 1,000 of a token."""
    compiled, owner, web3 = compile_all(), chain.accounts[0], chain.web3

    def made(name: str, *arguments: Any) -> Any:
        return deploy(web3, compiled[name], owner, *arguments)

    token = made("DemoToken", "USD Coin", "USDC", 6)
    registry = made("ModelRegistry")
    executor = made("AgentExecutor", registry.address)
    wallet = made("AgentWallet", owner.address, made("LendingPool").address)
    guard = made("Guard", owner.address, owner.address, wallet.address)
    behind = created_address(owner.address, web3.eth.get_transaction_count(owner.address))
    wrapper = created_address(owner.address, web3.eth.get_transaction_count(owner.address) + 1)
    transfer = wallet.functions.transfer(NOBODY, 0, NOBODY).selector
    inner = made(
        "SimpleSmartContractTool",
        *(wrapper, *METADATA, wallet.address, transfer, NO_INPUT, "Successfully transferred"),
        NOBODY,
    )
    tool = made("GuardedTool", guard.address, inner.address, executor.address, False)
    assert (behind, wrapper) == (inner.address, tool.address)
    send(web3, wallet.functions.bindTools([inner.address]), owner)
    send(web3, token.functions.mint(wallet.address, 1000), owner)
    return World(chain, guard, tool, token, wallet.address)


def allow(world: World) -> None:
    assert exit_code("guard", "allow", world.tool.address, "--wrapped", *world.options()) == 0
    budget = f"{world.token.address}=500,200"
    assert exit_code("guard", "set", "--budget", budget, *world.options()) == 0


def shown(world: World, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert exit_code("guard", "show", "--json", *world.options(None)) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def by(node: LyingNode) -> list[str]:
    return ["--rpc", node.url]
