"""For each parameter of each command values that it cannot take, made from the command tree.

A new command is covered when it comes. What a parameter wants is told by its type, else by its
name; a text that may be anything has no bad values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from zkagent.executor.cli.options import SettingOption, checked_url
from zkagent.executor.config.settings import Form

NOBODY = "http://127.0.0.1:9"  # answers there
SOMEBODY = "0x" + "ab" * 20
#: What makes a call complete but for the parameter in question: by its name in the code.
GOOD = {
    "tool": SOMEBODY,
    "bound": SOMEBODY,
    "actions": SOMEBODY,
    "number": "1",
    "nonce": "1",
    "model": "wallet",
    "model_id": "1",
    "prompt": "deposit 5 USDC",
    "name": "rpc",
    "value": NOBODY,
    "shell": "bash",
    "rpc": NOBODY,
    "desk": SOMEBODY,
}
#: What a parameter needs beside it, where another of the same command stands in its way.
BESIDE: dict[tuple[str, str], dict[str, str]] = {
    ("zkagent model train", "out"): {"model": "wallet"},
    ("zkagent model train", "data"): {"model": "reader"},
    ("zkagent model train", "vectors"): {"model": "reader"},
}
#: Files that commands write; all others are read.
WRITTEN = {"out", "receipt_path", "folder"}
MODELS = {"model", "model_name"}
DIGESTS = {"digest", "digests", "proof", "proofs", "key_id", "keep"}
ADDRESSES = {"address", "agent", "book", "bound", "desk", "executor", "pool", "registry", "tool"}
NUMBERS = ("nan", "1e400", "many", "9" * 5000, "0x10", "")
URLS = ("foo", "localhost:8642", "ftp://host", "http://", "http://[", "http://h:99999", "")


@dataclass(frozen=True)
class Bad:
    """A call with one value that cannot be."""

    arguments: tuple[str, ...]
    parameter: click.Parameter
    value: str


def bad_calls(path: str, found: click.Command, files: "Files") -> Iterator[Bad]:
    for parameter in found.params:
        for value in bad_values(parameter, files):
            name = str(parameter.name)
            beside = BESIDE.get((path, name), {})
            arguments = call(path, found, files, {**beside, name: value})
            yield Bad(tuple(arguments), parameter, value)


def call(
    path: str, found: click.Command, files: "Files", given: dict[str, str] | None = None
) -> list[str]:
    """The command with `given` and what else it needs."""
    values = {**files.more(path), **(given or {})}
    if "input_path" in values:
        values.pop("prompt", None)
    words, tail = path.split()[1:], []
    for parameter in found.params:
        name = str(parameter.name)
        if name not in values and not parameter.required:
            continue
        value = values.get(name, GOOD.get(name, str(files.text)))
        if not isinstance(parameter, click.Option):
            tail.append(value)
        elif parameter.is_flag:
            words.append(parameter.opts[0])
        else:
            words += [parameter.opts[0], *[value] * parameter.nargs]
    return [*words, "--", *tail] if tail else words


def bad_values(parameter: click.Parameter, files: "Files") -> tuple[str, ...]:
    if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.hidden):
        return ()
    kind, name = parameter.type, str(parameter.name)
    typed = _of_type(kind)
    if typed or is_url(parameter):
        return typed or URLS
    if isinstance(kind, click.Path):
        return files.unwritable if name in WRITTEN else files.unreadable
    by_name = {
        **dict.fromkeys(MODELS, ("nonsense", "", *files.unreadable, files.onnx)),
        **dict.fromkeys(DIGESTS, ("nonsense", "../..")),
        **dict.fromkeys(ADDRESSES, ("0x12", "nonsense", "")),
    }
    return by_name.get(name, ())


def _of_type(kind: click.ParamType) -> tuple[str, ...]:
    if isinstance(kind, click.Choice):
        return ("nonsense", "")
    if isinstance(kind, click.IntRange | click.FloatRange):
        beyond = [str(kind.min - 1)] if kind.min is not None else []
        beyond += [str(kind.max + 1)] if kind.max is not None else []
        return (*NUMBERS, *beyond)
    return NUMBERS if kind in (click.INT, click.FLOAT) else ()


def is_url(parameter: click.Parameter) -> bool:
    if isinstance(parameter, SettingOption):
        return parameter.setting.form is Form.URL
    return parameter.callback is checked_url


class Files:
    """Files that are not what anybody asks for, and places where nothing can be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, content in (
            ("text", b"nothing in particular\n"),
            ("empty", b""),
            ("binary", bytes(range(256)) * 20),
            ("deep", b"[" * 100_000),
            ("object", b'{"format": "something-else-1", "rpc": [1, {}]}'),
            ("junk.onnx", bytes(range(256)) * 20),
        ):
            (folder / name).write_bytes(content)
        (folder / "folder").mkdir()
        self.contract = folder / "Empty.sol"
        self.contract.write_text("pragma solidity ^0.8.0; contract Empty {}\n")
        self.key = folder / "key"
        self.key.write_text("11" * 32 + "\n")
        self.text, self.onnx = folder / "text", str(folder / "junk.onnx")

    def more(self, path: str) -> dict[str, str]:
        """What a command wants besides what it requires, by the parameters' names in the code."""
        chain = {"rpc": NOBODY, "key_file": str(self.key), "yes": ""}
        asked = {"rpc": NOBODY, "key_file": str(self.key)}
        return {
            "zkagent prove": {"prompt": "deposit 5 USDC"},
            "zkagent run": {**chain, "agent": SOMEBODY},
            "zkagent mcp": {**chain, "agent": SOMEBODY, "runs": ""},
            "zkagent decide": {"rpc": NOBODY, "agent": SOMEBODY},
            "zkagent deploy": chain,
            "zkagent model audit": {"registry": SOMEBODY},
            "zkagent model register-batch": {**chain, "registry": SOMEBODY},
            "zkagent agent accept": {**chain, "agent": SOMEBODY},
            "zkagent decisions record": {**chain, "agent": SOMEBODY, "prompt": "deposit 5 USDC"},
            "zkagent agent deploy": {**chain, "file": str(self.contract)},
            "zkagent agent build": {"file": str(self.contract)},
            "zkagent agent audit": {"agent": SOMEBODY},
            "zkagent guard set": {"rate": "10"},
            "zkagent operate": asked,
            "zkagent request": {**asked, "prompt": "deposit 5 USDC"},
        }.get(path, {})

    @property
    def unreadable(self) -> tuple[str, ...]:
        names = ("nowhere", "folder", "empty", "binary", "deep", "object")
        return tuple(str(self.folder / name) for name in names)

    @property
    def unwritable(self) -> tuple[str, ...]:
        return (str(self.folder / "text" / "below"), "/proc/zkagent/x")

    def snapshot(self) -> dict[str, bytes | None]:
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for path in sorted(self.folder.rglob("*"))
        }


__all__ = ["NOBODY", "Bad", "Files", "bad_calls", "bad_values", "call"]
