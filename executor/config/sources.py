"""Where a setting comes from when its option is not given: environment, project, user, nobody."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.executor.config.files import ConfigFile, Owner, Value, find_files
from zkagent.executor.config.settings import SETTINGS, Setting
from zkagent.executor.config.trust import is_trusted
from zkagent.executor.errors import ProjectUntrusted


@dataclass(frozen=True)
class Found:
    """A setting's value. origin: environment, project, user or default; source: the variable or the
    file's path; trusted: whether a command would use it."""

    setting: Setting
    value: Value | None
    origin: str
    source: str | None = None
    trusted: bool = True


class Config:
    """The files as they are now. Raises ConfigError when made."""

    def __init__(self, files: Sequence[ConfigFile] | None = None) -> None:
        self.files = find_files() if files is None else files

    def usable(self, name: str) -> Found | None:
        """What the files say, for a command that would use it. Raises ProjectUntrusted."""
        found = self._in_files(SETTINGS[name])
        if found and not found.trusted:
            raise ProjectUntrusted(str(found.source), name)
        return found

    def everything(self) -> list[Found]:
        """Every setting with its value, also what nobody trusts."""
        return [
            self._in_environment(setting)
            or self._in_files(setting)
            or Found(setting, None, "default")
            for setting in SETTINGS.values()
        ]

    def of(self, owner: Owner) -> ConfigFile | None:
        return next((file for file in self.files if file.owner is owner), None)

    def _in_environment(self, setting: Setting) -> Found | None:
        value = os.environ.get(setting.variable)
        return Found(setting, value, "environment", setting.variable) if value else None

    def _in_files(self, setting: Setting) -> Found | None:
        for file in self.files:
            if setting.name in file.values:
                value = file.values[setting.name]
                return Found(setting, value, file.owner.value, str(file.path), is_trusted(file))
        return None


__all__ = ["Config", "Found"]
