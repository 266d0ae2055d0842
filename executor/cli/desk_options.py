"""Options of commands about desks: `operate`, `request`, `estimate`."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION
from zkagent.executor.cli.options import SettingOption, given_address
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION
from zkagent.executor.cli.sending import Command

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.cli.progress import Work
    from zkagent.executor.operating.session import DeskSession
    from zkagent.executor.runs.terms import RunLimits
    from zkagent.verifier_contracts.chain.signing import FeeCaps

ETHER = 10**18
MOST_ETHER = 10**9
MOST_BLOCK = 1 << 62
ADDRESS = click.STRING


class Ether(click.ParamType[int]):
    """An amount in ether, as wei."""

    name = "ETH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            wei = Decimal(str(value)) * ETHER
        except InvalidOperation:
            wei = Decimal(-1)
        if not wei.is_finite() or not 0 <= wei <= MOST_ETHER * ETHER or wei != int(wei):
            self.fail(f"{value!r} is no amount of ether with at most 18 places", param, ctx)
        return int(wei)


DESK_OPTION = click.option(
    "--desk", required=True, callback=given_address, help="The desk's address."
)
KEY_OPTION = click.option(
    "--key-file", cls=SettingOption, type=FILE, help="Hex key or encrypted keystore that pays."
)
BATCH_OPTION = click.option(
    "--batch", is_flag=True, help="Prove a run's decisions together, by a batch verifier."
)
SERVICE_OPTION = click.option(
    "--service",
    cls=SettingOption,
    metavar="URL",
    help="Let a prover service prove: `zkagent serve`.",
)
FROM_BLOCK_OPTION = click.option(
    "--from-block",
    type=click.IntRange(0, MOST_BLOCK),
    default=0,
    show_default=True,
    help="Look for requests from this block on.",
)
WHERE_OPTIONS = (DESK_OPTION, RPC_OPTION, KEY_OPTION, CHAIN_ID_OPTION)
PROVING_OPTIONS = (MODEL_OPTION, SRS_OPTION, BATCH_OPTION, SERVICE_OPTION)


def where_options(command: Command) -> Command:
    """--desk, --rpc, --key-file, --chain-id."""
    for option in reversed(WHERE_OPTIONS):
        command = option(command)
    return command


def proving_options(command: Command) -> Command:
    """--model, --srs, --batch, --service."""
    for option in reversed(PROVING_OPTIONS):
        command = option(command)
    return command


@contextmanager
def desk_opened(
    tell: "Work",
    signer: "LocalAccount",
    options: dict[str, Any],
    *,
    fee_caps: "FeeCaps",
    limits: "RunLimits | None" = None,
) -> "Iterator[DeskSession]":
    """The desk that a command's options name, with a prover for its agent."""
    from zkagent.executor.operating.session import open_desk
    from zkagent.executor.runs.target import Proving
    from zkagent.executor.runs.terms import DEFAULT_LIMITS
    from zkagent.models.catalogue import load_decider
    from zkagent.verifier_contracts.chain.local import connect

    model = load_decider(options["model_name"])
    web3 = connect(options["rpc"], options["chain_id"], caps=fee_caps)
    with open_desk(
        web3,
        options["desk"],
        signer,
        model,
        Proving(options["srs"], options["batch"], options["service"]),
        stage=tell.stage,
        limits=limits or DEFAULT_LIMITS,
    ) as session:
        yield session


def ether(wei: int) -> str:
    """``0.0125``, all of it."""
    return f"{Decimal(wei) / ETHER:f}"


__all__ = ["DESK_OPTION", "FROM_BLOCK_OPTION", "Ether", "desk_opened", "ether"]
__all__ += ["proving_options", "where_options"]
