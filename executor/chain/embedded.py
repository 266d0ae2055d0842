"""A chain of our own with all contracts on it: for the demo, tests and `run` without --rpc."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import LabelModel, Model
from zkagent.models.encoding.book import DEMO_CONTACT
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment.carrier import Carrier, DirectCarrier, Step
from zkagent.verifier_contracts.deployment.label_agent import build_agent, check_has_agent
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import WalletPlan, at
from zkagent.verifier_contracts.toolchain.compile import contract

#: What the wallet holds at first, and what it has in the pool.
HELD: Mapping[str, str] = {"USDC": "500", "DAI": "250", "WETH": "2.5", "WBTC": "0.1"}
POOLED: Mapping[str, str] = {"USDC": "100", "DAI": "40"}


@dataclass(frozen=True)
class EmbeddedChain:
    """A running anvil, the deployment on it, and who is who. friend: somebody to send tokens to;
    stranger: somebody to keep out."""

    anvil: Anvil
    deployment: Deployment
    owner: LocalAccount
    friend: LocalAccount
    stranger: LocalAccount

    @property
    def web3(self) -> Any:
        return self.anvil.web3


@dataclass(frozen=True, slots=True)
class Balance:
    """Of one token, in its smallest units: in the pool, in the wallet, with somebody else."""

    symbol: str
    decimals: int
    pool: int
    wallet: int
    friend: int


@contextmanager
def embedded_chain(
    model: Model,
    circuit: Circuit,
    progress: Callable[[str], None],
    batches: Mapping[int, Circuit] | None = None,
    *,
    strict: bool = False,
) -> Iterator[EmbeddedChain]:
    """Start anvil, deploy, fund. batches: circuits for several decisions in a proof, by their
    number. strict: of an agent that has decisions proven before it acts. Raises ContractsError."""
    check_has_agent(model)
    progress("compiling the contracts")
    contract("SymbolBook")  # and with it all others
    progress("starting a chain")
    with Anvil() as anvil:
        owner, friend, stranger = anvil.accounts[:3]
        deployment = build_agent(
            DirectCarrier(anvil.web3, owner),
            model,
            circuit,
            WalletPlan(batches or {}, contacts=_contacts(model, friend), strict=strict),
            lambda s: progress(f"deploying: {s}"),
        )
        chain = EmbeddedChain(anvil, deployment, owner, friend, stranger)
        if not isinstance(model, LabelModel):
            progress("funding the wallet")
            fund(chain)
        yield chain


def _contacts(model: Model, friend: LocalAccount) -> tuple[tuple[str, str], ...]:
    """What a demo agent's contact book lists, where its model knows any."""
    return () if model.caution is None else ((DEMO_CONTACT, str(friend.address)),)


def fund(chain: EmbeddedChain) -> None:
    """Give the wallet its first tokens, some of them in the pool already."""
    mint(DirectCarrier(chain.web3, chain.owner), chain.deployment)
    for token in chain.deployment.tokens:
        if pooled := _units(POOLED.get(token.symbol, "0"), token.decimals):
            demo = at(chain.web3, "DemoToken", token.address)
            send(chain.web3, demo.functions.mint(chain.deployment.wallet, pooled), chain.owner)
            _deposit(chain, token.address, pooled)


def mint(carrier: Carrier, deployment: Deployment) -> None:
    """Give the wallet demo tokens, which anybody can make. Raises ChainError, RevertError."""
    for token in deployment.tokens:
        units = _units(HELD[token.symbol], token.decimals)
        function = at(carrier.web3, "DemoToken", token.address).functions.mint
        carrier.carry(
            Step("demo tokens", f"demo tokens: {token.symbol} for the wallet"),
            function(deployment.wallet, units),
        )


def balances(chain: EmbeddedChain) -> tuple[Balance, ...]:
    """Where the tokens are now."""
    return tuple(balance(chain, token.symbol) for token in chain.deployment.tokens)


def balance(chain: EmbeddedChain, symbol: str) -> Balance:
    """Where one of the deployment's tokens is now."""
    listed, web3, wallet = chain.deployment.token(symbol), chain.web3, chain.deployment.wallet
    token = at(web3, "DemoToken", listed.address).functions
    pool = at(web3, "LendingPool", chain.deployment.pool).functions
    return Balance(
        symbol,
        listed.decimals,
        pool=int(call(web3, pool.depositOf(wallet, listed.address))),
        wallet=int(call(web3, token.balanceOf(wallet))),
        friend=int(call(web3, token.balanceOf(chain.friend.address))),
    )


def _deposit(chain: EmbeddedChain, token: str, units: int) -> None:
    """In the wallet's name, which only a chain of our own allows."""
    wallet, web3 = to_checksum_address(chain.deployment.wallet), chain.web3
    pool = at(web3, "LendingPool", chain.deployment.pool)
    chain.anvil.rpc("anvil_impersonateAccount", wallet)
    chain.anvil.rpc("anvil_setBalance", wallet, hex(10**18))
    approve = at(web3, "DemoToken", token).functions.approve(pool.address, units)
    send(web3, approve, wallet)
    send(web3, pool.functions.deposit(token, units), wallet)
    chain.anvil.rpc("anvil_setBalance", wallet, "0x0")
    chain.anvil.rpc("anvil_stopImpersonatingAccount", wallet)


def _units(amount: str, decimals: int) -> int:
    return int(Decimal(amount).scaleb(decimals))
