"""`zkagent config`: settings that need not be typed again, and where each comes from."""

import json
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import JSON_OPTION
from zkagent.executor.config.settings import NONE, SETTINGS

if TYPE_CHECKING:
    from zkagent.executor.config.files import ConfigFile, Owner
    from zkagent.executor.config.sources import Found

NAME = click.Choice(list(SETTINGS))
USER_OPTION = click.option("--user", is_flag=True, help="In your own file, not the project's.")


@click.group("config", cls=Group)
def config_group() -> None:
    """Settings that need not be typed again, and where each comes from.

    \b
    rpc          address of the chain's node            "http://127.0.0.1:8545"
    chain-id     the only chain to talk to              31337
    deployment   deployment.json: agent and chain       "deployment.json"
    key-file     key or keystore of the agent's owner   "~/keys/owner.json"
    service      address of a prover service            "http://127.0.0.1:8642"
    srs          KZG set-up file                        "kzg12.srs"

    A file holds lines such as: rpc = "http://127.0.0.1:8545". The first that is there wins:

    \b
    1. the option                     --rpc URL
    2. the environment                ZKAGENT_RPC, ZKAGENT_CHAIN_ID, ...
    3. the project's zkagent.toml     in this folder or the nearest above; once it is trusted
    4. your own zkagent.toml          `zkagent config path`, or $ZKAGENT_CONFIG
    5. built in                       no chain, no key, no service, a development set-up

    The value none, in any of these places, is as if nobody had given one: `run --rpc none` uses an
    embedded chain whatever the files say. Without an rpc, chain-id, deployment and key-file of
    environment and files are left alone. Paths in a file are meant from the file's folder on.
    """


@config_group.command("show")
@JSON_OPTION
def show_command(as_json: bool) -> None:
    """Show each setting, its value and where that comes from."""
    from zkagent.executor.config.sources import Config

    found = Config().everything()
    if as_json:
        output.show(json.dumps({each.setting.name: _fields(each) for each in found}))
        return
    width = max(len(_value(each)) for each in found)
    for each in found:
        output.show(f"{each.setting.name:<10}  {_value(each):<{width}}  {_whence(each)}")


@config_group.command("path")
@JSON_OPTION
def path_command(as_json: bool) -> None:
    """Show which files count here; your own need not be there yet."""
    from zkagent.executor.config.files import project_path, user_path

    project = project_path()
    paths = {"user": str(user_path()), "project": str(project) if project else None}
    if as_json:
        output.show(json.dumps(paths))
        return
    for owner, path in paths.items():
        output.show(f"{owner:<7}  {path or NONE}")


@config_group.command("set")
@click.argument("name", type=NAME, metavar="NAME")
@click.argument("value")
@USER_OPTION
def set_command(name: str, value: str, user: bool) -> None:
    """Write NAME = VALUE to the project's zkagent.toml, which is made here where there is none.

    A relative path is meant from this folder on. Comments and other lines stay.
    """
    from zkagent.executor.config.editing import set_value

    written = set_value(_owner(user), name, value)
    _tell(written, f"{name} = {written.values[name]}  in {written.path}")


@config_group.command("unset")
@click.argument("name", type=NAME, metavar="NAME")
@USER_OPTION
def unset_command(name: str, user: bool) -> None:
    """Take NAME out of the project's zkagent.toml."""
    from zkagent.executor.config.editing import unset_value

    written = unset_value(_owner(user), name)
    _tell(written, f"{name} is no longer in {written.path}")


@config_group.command("trust")
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
def trust_command(revoke: bool) -> None:
    """Accept the project's zkagent.toml as it is now; after a change it has to be trusted again.

    Whoever gives you a folder could lead your key to a chain, an agent or a service of theirs with
    such a file. Until you trust it, a command that would use a value of it stops. Values that are
    used are shown on stderr. What the files hold that it names is not covered.
    """
    from zkagent.executor.config.files import Owner
    from zkagent.executor.config.sources import Config
    from zkagent.executor.config.trust import distrust, trust
    from zkagent.executor.errors import ConfigError

    file = Config().of(Owner.PROJECT)
    if file is None:
        raise ConfigError("there is no zkagent.toml in this folder or above: nothing to trust")
    (distrust if revoke else trust)(file)
    output.show(f"{file.path} is {'not trusted' if revoke else 'trusted'}")
    for name, value in file.values.items():
        output.show(f"  {name} = {value}")


def _owner(user: bool) -> "Owner":
    from zkagent.executor.config.files import Owner

    return Owner.USER if user else Owner.PROJECT


def _tell(file: "ConfigFile", line: str) -> None:
    from zkagent.executor.config.trust import is_trusted

    output.show(line)
    if not is_trusted(file):
        output.show(f"{file.path} is not trusted: read it, then `zkagent config trust`", err=True)


def _fields(found: "Found") -> dict[str, object]:
    return {
        "value": found.value,
        "origin": found.origin,
        "source": found.source,
        "trusted": found.trusted,
    }


def _value(found: "Found") -> str:
    return NONE if found.value is None else str(found.value)


def _whence(found: "Found") -> str:
    if found.origin == "default":
        return "built in"
    if found.origin == "environment":
        return f"environment: {found.source}"
    trusted = "" if found.trusted else "  (not trusted: `zkagent config trust`)"
    return f"{found.origin}'s file: {found.source}{trusted}"


__all__ = ["config_group"]
