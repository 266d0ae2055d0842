"""Options that several commands take."""

import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from zkagent.executor.api.limits import MOST_SECONDS
from zkagent.executor.cli import output
from zkagent.executor.config.settings import NONE, SETTINGS, Form

if TYPE_CHECKING:
    from zkagent.circuits.systems import ProofSystem
    from zkagent.models.catalogue import Model, Reader


class FiniteRange(click.FloatRange):
    """A number within bounds. click's own lets NaN pass, and infinity where there is no bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with suppress(ValueError):  # which click words
            if not math.isfinite(float(value)):
                self.fail(f"{value} is not a finite number", param, ctx)
        return super().convert(value, param, ctx)


class Nearness(click.ParamType[tuple[float | None, float | None]]):
    """How near numbers have to be: T in the network's units, or P% of the largest one. As a pair,
    of which one is None."""

    name = "T|P%"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float | None, float | None]:
        if isinstance(value, tuple):
            return value
        text = str(value)
        number = FiniteRange(0).convert(text.removesuffix("%"), param, ctx)
        return (None, number / 100) if text.endswith("%") else (number, None)


class Sizes(click.ParamType[tuple[str, int]]):
    """NAME=N, each once."""

    name = "NAME=N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        name, _, size = str(value).rpartition("=")
        if not name or not size.isascii() or not size.isdigit() or not 1 <= int(size) <= MOST_SIZE:
            self.fail(f"{value!r} is no NAME=N with N from 1 to {MOST_SIZE:,}", param, ctx)
        return name, int(size)


SECONDS = FiniteRange(0, MOST_SECONDS, min_open=True)
MOST_SIZE = 1 << 24  # of an axis


def _sizes(
    ctx: click.Context, param: click.Parameter, given: tuple[tuple[str, int], ...]
) -> dict[str, int]:
    names = [name for name, _ in given]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise click.BadParameter(f"{repeated[0]!r} is given twice", ctx, param)
    return dict(given)


DIM_OPTION = click.option(
    "--dim",
    "dims",
    type=Sizes(),
    multiple=True,
    callback=_sizes,
    metavar="NAME=N",
    help="Size of an open axis of an ONNX file by its name, or INPUT.AXIS where it has none; "
    "1 where not given.",
)


CONFIG = f"{__name__}.config"  # the files, read once for a command
#: Of no use without a chain to talk to.
ABOUT_THE_CHAIN = ("chain_id", "deployment", "key_file")


class SettingOption(click.Option):
    """An option that is a setting as well (docs/cli.md): not given, it comes from the environment,
    the project's file or the user's. `none`, from wherever, is as if nobody had given it.

    What only says whom to talk to is left alone where the command has an --rpc that is none.
    """

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        if SETTINGS[str(self.name).replace("_", "-")].form is Form.URL:
            self.callback = checked_url
        self.setting = SETTINGS[str(self.name).replace("_", "-")]
        self.envvar, self.show_envvar = self.setting.variable, True
        self.is_eager = self.name == "rpc"  # the others ask whether there is one

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        value, source = super().consume_value(ctx, opts)
        if source is not ParameterSource.COMMANDLINE and self._idle(ctx):
            return None, ParameterSource.DEFAULT
        if source is ParameterSource.DEFAULT:
            value, source = self._from_files(ctx)
        return (value, source) if value != NONE else (None, ParameterSource.DEFAULT)

    def value_is_missing(self, value: Any) -> bool:
        return value is None or super().value_is_missing(value)

    def _idle(self, ctx: click.Context) -> bool:
        without_rpc = "rpc" in ctx.params and ctx.params["rpc"] is None
        return ctx.resilient_parsing or (self.name in ABOUT_THE_CHAIN and without_rpc)

    def _from_files(self, ctx: click.Context) -> tuple[Any, ParameterSource]:
        """Raises ConfigError."""
        from zkagent.executor.config.sources import Config

        config: Config = ctx.meta.get(CONFIG) or Config()
        ctx.meta[CONFIG] = config
        found = config.usable(self.setting.name)
        if found is None:
            return None, ParameterSource.DEFAULT
        if found.origin == "project" and found.value != NONE:
            shown = self.setting.shown(found.value)
            output.show(f"{self.setting.option} {shown}  (from {found.source})", err=True)
        return found.value, ParameterSource.DEFAULT_MAP


def checked_srs(ctx: click.Context, option: click.Parameter, given: Path | None) -> Path | None:
    """The callback of every --srs; a setting comes as what is usual. Raises SrsUnreadable."""
    if given is None:
        return None
    from zkagent.circuits.groth16.keys.setups import UsualSrs
    from zkagent.executor.api.arguments import setup_file

    path = setup_file(given)
    is_named = ctx.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    return path if path is None or is_named else UsualSrs(path)


def checked_url(ctx: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """The callback of every option that takes an address: what nobody can be called at is refused
    before any work."""
    from zkagent.circuits.support.urls import shown_url, url_problem

    if given is not None and (problem := url_problem(given)):
        raise click.BadParameter(f"{shown_url(given)!r}: {problem}", ctx, option)
    return given


def hundredths(model: "Model", caution: float | None) -> int | None:
    """What --caution asks of the model, as contracts count it. Raises click.UsageError."""
    if caution is None:
        return None
    if model.caution is None:
        raise click.UsageError(f"--caution says nothing to {model.name}, which is not told any")
    return round(100 * caution)


SRS_OPTION = click.option(
    "--srs",
    cls=SettingOption,
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=checked_srs,
    help="KZG set-up; without one, a development set-up that is good on local chains only.",
)


#: As `circuits.systems.PROVING` has them, which takes its time to load.
PROOF_SYSTEMS = ("ezkl", "groth16")
PROOF_SYSTEM_OPTION = click.option(
    "--proof-system",
    "proof_system",
    type=click.Choice(PROOF_SYSTEMS),
    default=PROOF_SYSTEMS[0],
    show_default=True,
    help="ezkl takes any network; groth16 those over integers, many times faster.",
)
#: The same where a model, if it is one, decides it.
USUAL_PROOF_SYSTEM_OPTION = click.option(
    "--proof-system",
    "proof_system",
    type=click.Choice(PROOF_SYSTEMS),
    help="ezkl takes any network; groth16 those over integers, many times faster. By default ezkl, "
    "and groth16 for models that only it can prove: wallet-text, reader.",
)


#: As `circuits.systems.PROVERS` has them.
PROVERS = ("groth16py", "snarkjs")
PROVER_OPTION = click.option(
    "--prover",
    type=click.Choice(PROVERS),
    help="Who makes Groth16 proofs, by default groth16py; snarkjs comes from npm when first asked "
    "for, and takes longer.",
)


#: The same where an agent's model decides it.
AGENT_PROOF_SYSTEM_OPTION = click.option(
    "--proof-system",
    "proof_system",
    type=click.Choice(PROOF_SYSTEMS),
    help="ezkl takes any network; groth16 those over integers, many times faster. By default the "
    "one that the model is usually proven by: ezkl for wallet, groth16 for wallet-text.",
)


#: No proofs: the chain evaluates the network. As `circuits.systems.EVALUATED`.
EVM = "evm"
#: The same where it is chosen what an agent's decisions are shown by.
DEPLOYED_PROOF_SYSTEM_OPTION = click.option(
    "--proof-system",
    "proof_system",
    type=click.Choice((*PROOF_SYSTEMS, EVM)),
    help="ezkl takes any network; groth16 those over integers, many times faster; evm is no proof, "
    "the chain evaluates an integer network itself, which costs less gas if it is small. By "
    "default the one that the model is usually proven by: ezkl for wallet, groth16 for "
    "wallet-text and reader.",
)


def proof_system_for(model: "Model | Reader", given: str | None) -> str:
    """What --proof-system names, or what is usual for the model. Raises click.UsageError."""
    if given is not None and given not in (*model.proof_systems, EVM):
        raise click.UsageError(
            f"{model.name} cannot be proven by {given}: leave out --proof-system, or give "
            f"{' or '.join(model.proof_systems)}"
        )
    return given or model.proof_systems[0]


def usual_proof_system(model: str, given: str | None) -> str:
    """The same of what MODEL may be: the name or the folder of an agent's model, or anything else,
    which ezkl takes."""
    from zkagent.models.catalogue import Model, Reader, load_model
    from zkagent.models.errors import ModelError

    try:
        found = load_model(model)
    except ModelError:  # an ONNX file, a digest, or what the command itself refuses
        return given or PROOF_SYSTEMS[0]
    if isinstance(found, (Model, Reader)):
        return proof_system_for(found, given)
    return given or PROOF_SYSTEMS[0]


def proof_system_of(name: str, prover: str | None = None) -> "ProofSystem":
    """What --proof-system names, with --prover. Raises click.UsageError."""
    from zkagent.circuits.systems import EVALUATED, PROVERS, PROVING

    system = EVALUATED if name == EVM else PROVING[name]
    if prover is None:
        return system
    if (chosen := PROVERS[prover]).name != system.name:
        raise click.UsageError("--prover is for --proof-system groth16")
    return chosen


def without_batches(proof_system: str, wanted: object) -> None:
    """Raises click.UsageError where batch circuits are wanted of a system that needs none."""
    if wanted and proof_system != PROOF_SYSTEMS[0]:
        raise click.UsageError(
            f"--batch is for circuits of {PROOF_SYSTEMS[0]}: "
            + (
                "where the chain evaluates, there are no proofs"
                if proof_system == EVM
                else f"proofs of {proof_system} are verified together without"
            )
        )


def checked_address(given: str) -> str:
    """Raises click.BadParameter."""
    from zkagent.verifier_contracts.chain.addresses import is_address

    if not is_address(given):
        raise click.BadParameter(f"{given} is not an address, or its checksum is wrong")
    return given


def given_address(ctx: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """The callback of options and arguments that take an address: with its checksum."""
    return None if given is None else checksummed(given)


def checksummed(given: str) -> str:
    """Raises click.BadParameter for what is no address."""
    from eth_utils.address import to_checksum_address

    return str(to_checksum_address(checked_address(given)))


def vouched(given: str) -> str:
    """`ADDRESS` or `ROLE=ADDRESS`, checked. Raises click.BadParameter."""
    from zkagent.executor.audit.code import ROLES

    role, is_of, address = given.rpartition("=")
    if is_of and role not in ROLES:
        raise click.BadParameter(f"{role!r} is no role: use one of {', '.join(ROLES)}")
    return f"{role}{is_of}{checked_address(address)}"


TRUST_OPTION = click.option(
    "--trust",
    multiple=True,
    metavar="[ROLE=]ADDRESS",
    callback=lambda ctx, option, given: tuple(map(vouched, given)),
    help="A contract that you vouch for though nobody here compiled it: ADDRESS for a pool or a "
    "token, registry=ADDRESS and the like for another role; repeat it for each.",
)
#: How commands end that give a verdict; see docs/errors.md.
VERDICT_CODES = {"sound": 0, "accepted": 0, "unsound": 1, "rejected": 1, "unknown": 3}

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

__all__ = ["JSON_OPTION", "SECONDS", "SRS_OPTION", "FiniteRange", "Nearness", "SettingOption"]
__all__ += ["TRUST_OPTION", "VERDICT_CODES", "checked_address"]
__all__ += ["PROOF_SYSTEMS", "PROOF_SYSTEM_OPTION", "PROVER_OPTION", "checked_srs", "checked_url"]
__all__ += [
    "AGENT_PROOF_SYSTEM_OPTION",
    "DEPLOYED_PROOF_SYSTEM_OPTION",
    "EVM",
    "USUAL_PROOF_SYSTEM_OPTION",
    "hundredths",
    "proof_system_for",
]
__all__ += ["proof_system_of", "usual_proof_system", "vouched", "without_batches"]
