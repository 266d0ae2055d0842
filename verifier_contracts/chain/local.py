"""Where our contracts meet chains: a local one, and any other by its RPC address.

Called by deployment, the executor and the tests. Transactions live in transactions.py and are named
here, too, so that callers need one import.
"""

from collections.abc import Sequence
from typing import Any, Self

from eth_account import Account
from eth_account.signers.local import LocalAccount
from web3 import Web3
from web3._utils.abi import build_strict_registry

from zkagent.circuits.support.urls import url_problem
from zkagent.verifier_contracts.chain.decoding import Codec
from zkagent.verifier_contracts.chain.node import quantity
from zkagent.verifier_contracts.chain.provider import REQUEST_TIMEOUT_S, BoundedProvider
from zkagent.verifier_contracts.chain.reverts import decode_revert
from zkagent.verifier_contracts.chain.signing import USUAL_CAPS, FeeCaps, SigningPolicy, set_policy
from zkagent.verifier_contracts.chain.transactions import (
    Sender,
    call,
    deploy,
    revert_error,
    send,
    translated,
)
from zkagent.verifier_contracts.errors import AnvilError, ChainError, ChainUnreachable, WrongChain
from zkagent.verifier_contracts.toolchain.anvil import ON_DISK, AnvilProcess
from zkagent.verifier_contracts.toolchain.install import toolchain

LOCAL_CHAIN_ID = 31337


class Anvil:
    """A local chain for the length of a `with` block.

    Once started: rpc_url, web3, accounts (ten funded dev accounts, in anvil's usual order). The
    limit on code size is mainnet's, on purpose: what does not fit there shall not fit here.
    """

    rpc_url: str
    web3: Web3
    accounts: tuple[LocalAccount, ...]

    def __init__(
        self,
        *,
        gas_limit: int = 1_000_000_000,
        hardfork: str = "cancun",
        chain_id: int = LOCAL_CHAIN_ID,
        states: Sequence[str] = ON_DISK,
        options: Sequence[str] = (),
        timeout_s: float = 60,
    ) -> None:
        """gas_limit: per block. states: where those of older blocks are, ON_DISK or IN_MEMORY of
        `toolchain.anvil`. options: more of anvil's own command line."""
        self._options = ["--gas-limit", str(gas_limit), "--hardfork", hardfork]
        self._options += ["--chain-id", str(chain_id), "--host", "127.0.0.1", *states, *options]
        self._timeout_s = timeout_s
        self._process: AnvilProcess | None = None

    def start(self) -> Self:
        """Start the process and connect. Raises AnvilError, ToolchainError."""
        process = AnvilProcess(toolchain().anvil, self._options, self._timeout_s)
        self._process = process
        self.rpc_url = f"http://127.0.0.1:{process.port}"
        try:
            self.web3 = connect(self.rpc_url)
        except ChainError as exc:
            log = process.log_tail()
            self.stop()
            raise AnvilError(f"anvil does not answer: {exc}; its log: {log}") from exc
        self.accounts = tuple(Account.from_key(key) for key in process.config["private_keys"])
        return self

    def stop(self) -> None:
        """End the process; harmless when it has ended already."""
        if self._process:
            self._process.close()

    @property
    def process(self) -> AnvilProcess:
        """The running process, for its log and id."""
        if self._process is None:
            raise AnvilError("anvil is not started: use it in a `with` block")
        return self._process

    def snapshot(self) -> str:
        """Remember the chain's state; the id is good for one `revert`."""
        return str(self.rpc("evm_snapshot"))

    def revert(self, snapshot: str) -> None:
        """Go back to a snapshot; what waits for a block is dropped. A block that anvil makes
        meanwhile would stay, without its state: so one is made first, which waits for any other."""
        self.rpc("anvil_dropAllTransactions")
        self.rpc("evm_mine")
        if not self.rpc("evm_revert", snapshot):
            raise AnvilError(f"anvil knows no snapshot {snapshot}; each can be reverted to once")

    def rpc(self, method: str, *params: Any) -> Any:
        """One of anvil's own methods, such as evm_increaseTime or anvil_setBalance."""
        with translated(self.web3):
            return self.web3.manager.request_blocking(method, list(params))  # type: ignore[arg-type]

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()


def connect(
    rpc_url: str,
    chain_id: int | None = None,
    timeout_s: float = REQUEST_TIMEOUT_S,
    caps: FeeCaps = USUAL_CAPS,
) -> Web3:
    """A Web3 whose node has answered, and for whose chain alone is signed from now on.

    chain_id: what it must be. timeout_s: of each request from now on, which then raises
    ChainTimedOut. caps: of the fees of all that is signed. Raises ChainUnreachable, WrongChain,
    AnswerRefused.
    """
    if problem := url_problem(rpc_url):
        raise ChainUnreachable(rpc_url, problem)
    web3 = Web3(BoundedProvider(rpc_url, timeout_s))
    web3.codec = Codec(build_strict_registry())
    # It asks for the chain's id twice with every call; what is signed has its own check (signing).
    web3.middleware_onion.remove("validation")
    with translated(web3):
        found = quantity(web3, "eth_chainId")
    if chain_id is not None and found != chain_id:
        raise WrongChain(rpc_url, chain_id, found)
    set_policy(web3, SigningPolicy(found, caps))
    return web3


__all__ = [
    "LOCAL_CHAIN_ID",
    "Anvil",
    "FeeCaps",
    "Sender",
    "call",
    "connect",
    "decode_revert",
    "deploy",
    "revert_error",
    "send",
    "translated",
]
