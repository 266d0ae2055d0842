"""Changes one line of a config file and leaves the others, comments too, as they are."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from zkagent.executor.config.files import (
    FILE,
    ConfigFile,
    Owner,
    Value,
    config_of,
    expanded,
    parse,
    project_path,
    read_file,
    user_path,
)
from zkagent.executor.config.settings import NONE, SETTINGS, Form
from zkagent.executor.config.trust import is_trusted, trust
from zkagent.executor.errors import ConfigError, ConfigUnreadable
from zkagent.executor.places import write_whole
from zkagent.models.whole import place_of


def file_of(owner: Owner) -> Path:
    """Which file an owner's settings go to: the nearest project's, or a new one here."""
    return user_path() if owner is Owner.USER else project_path() or Path.cwd() / FILE


def set_value(owner: Owner, name: str, text: str) -> ConfigFile:
    """Write what a user typed. A new file is trusted, and one that was stays so. Raises
    ConfigError, FileInTheWay."""
    path = file_of(owner)
    before = read_file(path, owner) if path.is_file() else None
    value = _typed(path.parent, name, text)
    line = f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
    found = ConfigFile(path, owner, b"", {}) if before is None else before
    return _change(found, name, line, value, new=before is None)


def unset_value(owner: Owner, name: str) -> ConfigFile:
    """Take the setting's line away. Raises ConfigError, also when there is none."""
    path = file_of(owner)
    before = read_file(path, owner) if path.is_file() else None
    if before is None or name not in before.values:
        raise ConfigError(f"{path} does not set {name}: `zkagent config show` says what does")
    return _change(before, name, "", None)


def _typed(folder: Path, name: str, text: str) -> Value:
    setting = SETTINGS[name]
    value: Value = text
    if setting.form is Form.NUMBER:
        with suppress(ValueError):
            value = int(text)
    if not setting.fits(value):
        raise ConfigError(f"{name} cannot be {text[:60]!r}: expected {setting.form}")
    if value == NONE:
        return value
    return _from(folder, Path(text)) if setting.form is Form.PATH else value


def _from(folder: Path, given: Path) -> str:
    """What is typed is meant from here, what is written from the file's folder on."""
    place = expanded(given).absolute()
    return str(place.relative_to(folder) if place.is_relative_to(folder) else place)


def _change(
    before: ConfigFile, name: str, line: str, value: Value | None, *, new: bool = False
) -> ConfigFile:
    """What was read decides whether what is made of it is trusted, and nothing that somebody else
    lays there meanwhile."""
    path, ours = before.path, new or is_trusted(before)
    place = replace(place_of(path), new=new)
    if not place.file:  # it would keep nothing, and we could wait for ever for somebody who reads
        raise ConfigUnreadable(path, "it is a pipe or a device")
    wanted = {**parse(path, before.content), name: value}
    changed = _with_line(before.content.decode(), name, line)
    _check(path, name, changed, {k: v for k, v in wanted.items() if v is not None})
    after = config_of(path, before.owner, changed.encode())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, changed)
    if after.owner is Owner.PROJECT and ours:
        trust(after)
    return after


def _check(path: Path, name: str, text: str, wanted: dict[str, Value]) -> None:
    """Refuse a text in which more has changed than was asked for. Raises ConfigError."""
    with suppress(ConfigError):
        if parse(path, text.encode()) == wanted:
            return
    raise ConfigError(f"{path} writes {name} in a way that is left alone here: edit the file")


def _with_line(text: str, name: str, line: str) -> str:
    """`line` in place of the one that sets `name`, or at the end, and ending like the others."""
    end = "\r\n" if "\r\n" in text else "\n"
    line = line.replace("\n", end)
    there = re.compile(rf"^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=.*(\n|\Z)", re.MULTILINE)
    if there.search(text):
        return there.sub(lambda _: line, text, count=1)
    return text + ("" if text.endswith("\n") or not text else end) + line


__all__ = ["file_of", "set_value", "unset_value"]
