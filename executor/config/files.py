"""The two files that hold settings: the user's, and the project's around the working directory."""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from zkagent.executor.config.settings import NONE, SETTINGS, Form
from zkagent.executor.errors import ConfigError, ConfigRefused, ConfigUnreadable
from zkagent.models.files import read_limited

FILE = "zkagent.toml"
VARIABLE = "ZKAGENT_CONFIG"  # where the user's file is, instead of the platform's place

Value = str | int


class Owner(StrEnum):
    PROJECT = "project"
    USER = "user"


@dataclass(frozen=True)
class ConfigFile:
    """A file as it was read, or written: paths in `values` are absolute, `content` is what they
    are of, whatever lies there by now."""

    path: Path
    owner: Owner
    content: bytes
    values: Mapping[str, Value]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def user_path() -> Path:
    """Where the user's file is, or would be: $ZKAGENT_CONFIG, else in the platform's folder for
    such files; in $ZKAGENT_HOME where the account has none. Raises HomeRefused."""
    if given := os.environ.get(VARIABLE):
        return expanded(Path(given)).absolute()
    from platformdirs import user_config_dir

    from zkagent.circuits.errors import HomeUnknown
    from zkagent.circuits.support.cache import given_home, platform_folder

    try:
        return platform_folder(user_config_dir) / FILE
    except HomeUnknown:
        if home := given_home():
            return home / FILE
        raise


def project_path(start: Path | None = None) -> Path | None:
    """The file in `start` (by default the working directory) or in the nearest folder above it."""
    with suppress(OSError):  # a folder that is gone, or that is not ours to look into
        here, own = (start or Path.cwd()).absolute(), user_path()
        for folder in (here, *here.parents):
            path = folder / FILE
            if path.is_file() and not (own.is_file() and own.samefile(path)):
                return path
    return None


def find_files() -> list[ConfigFile]:
    """Those that are there, the one that wins first. Raises ConfigUnreadable, ConfigRefused, and
    ConfigError where the user names a file that is not there."""
    project, user = project_path(), user_path()
    found = [read_file(project, Owner.PROJECT)] if project else []
    if _is_there(user):
        return [*found, read_file(user, Owner.USER)]
    if os.environ.get(VARIABLE):
        raise ConfigError(
            f"there is no config file {user}, which {VARIABLE} names: `zkagent config set --user` "
            f"makes it, or unset {VARIABLE}"
        )
    return found


def _is_there(path: Path) -> bool:
    """Raises ConfigUnreadable where that cannot be told."""
    try:
        return path.exists()
    except OSError as exc:
        raise ConfigUnreadable(path, exc.strerror or str(exc)) from exc


def read_file(path: Path, owner: Owner) -> ConfigFile:
    """Raises ConfigUnreadable, ConfigRefused."""
    try:
        content = read_limited(path)
    except OSError as exc:
        raise ConfigUnreadable(path, exc.strerror or str(exc)) from exc
    return config_of(path, owner, content)


def config_of(path: Path, owner: Owner, content: bytes) -> ConfigFile:
    """What a file at `path` with this content says. Raises ConfigUnreadable, ConfigRefused."""
    values = {
        name: _placed(name, value, path.parent) for name, value in parse(path, content).items()
    }
    return ConfigFile(path, owner, content, values)


def parse(path: Path, content: bytes) -> dict[str, Value]:
    """The settings as they are written. path: for the errors."""
    import tomllib

    try:
        table = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as exc:
        raise ConfigUnreadable(path, f"it is not TOML: {exc}") from exc
    for name, value in table.items():
        setting = SETTINGS.get(name)
        if setting is None or not setting.fits(value):
            raise ConfigRefused(path, name, value, setting.form if setting else "")
    return table


def _placed(name: str, value: Value, folder: Path) -> Value:
    """Paths are meant from the file's folder on."""
    if SETTINGS[name].form is not Form.PATH or value == NONE:
        return value
    return str(folder / expanded(Path(str(value))))


def expanded(path: Path) -> Path:
    """With the home folder in place of ~ and ~user. Raises ConfigError for a user that is not."""
    try:
        return path.expanduser()
    except RuntimeError as exc:
        raise ConfigError(f"{path} is in no home folder that is known: write the path out") from exc


__all__ = ["FILE", "ConfigFile", "Owner", "Value", "config_of", "expanded", "find_files", "parse"]
__all__ += ["project_path", "read_file", "user_path"]
