"""Which contract some code is: one that this version compiles, or one that a release did.

The code of src/ is compiled here; `released-VERSION.json` beside this file has the hashes of each
release (`release.py` writes them). Immutables are masked, so that the hash is of what the sources
say, and are handed out by name: whoever asks has to compare each of them with what it ought to be.
"""

import functools
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eth_utils.crypto import keccak

from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.errors import CompileError, ToolchainError
from zkagent.verifier_contracts.toolchain.compile import Contract, compile_all

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
WORD = 32  # bytes of an immutable in code
THIS_VERSION = "this version"


@dataclass(frozen=True)
class KnownContract:
    """A contract of src/ in one version. Hashes are Keccak-256, `runtime` with zeros in the place
    of immutables; immutables: offsets by name."""

    version: str
    name: str
    runtime: bytes
    runtime_length: int
    creation: bytes
    creation_length: int
    immutables: Mapping[str, tuple[int, ...]]

    @property
    def label(self) -> str:
        """``AgentExecutor of this version``."""
        released = "release " if self.version[:1].isdigit() else ""
        return f"{self.name} of {released}{self.version}"

    @property
    def is_this_version(self) -> bool:
        return self.version == THIS_VERSION

    def recognise(self, code: bytes) -> "Recognised | None":
        """The values in `code`, if it is this contract's."""
        if len(code) != self.runtime_length or keccak(self._masked(code)) != self.runtime:
            return None
        values = {name: {_word(code, at) for at in offsets} for name, offsets in self._places()}
        if any(len(found) != 1 for found in values.values()):
            return None  # no constructor writes two values for one immutable
        return Recognised(self, {name: found.pop() for name, found in values.items()})

    def constructor_arguments(self, creation: bytes) -> bytes | None:
        """What follows this contract's creation code, if `creation` begins with it."""
        code, arguments = creation[: self.creation_length], creation[self.creation_length :]
        return arguments if keccak(code) == self.creation else None

    def _masked(self, code: bytes) -> bytes:
        masked = bytearray(code)
        for _, offsets in self._places():
            for at in offsets:
                masked[at : at + WORD] = bytes(WORD)
        return bytes(masked)

    def _places(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield from self.immutables.items()


@dataclass(frozen=True)
class Recognised:
    """Code that is known, and the 32 bytes of each immutable in it."""

    contract: KnownContract
    values: Mapping[str, bytes]

    @property
    def name(self) -> str:
        return self.contract.name

    def address(self, immutable: str) -> str:
        """0x and 40 lower-case hex digits. Raises ValueError when the value is no address."""
        value = self.values[immutable]
        if any(value[:12]):
            raise ValueError(f"{immutable} of {self.name} is 0x{value.hex()}, no address")
        return "0x" + value[12:].hex()


def recognise(code: bytes) -> Recognised | None:
    """This version first, then releases, the newest first; None for code that nobody here
    compiled."""
    found = (contract.recognise(code) for contract in known_contracts())
    return next(filter(None, found), None)


@functools.cache
def known_contracts() -> tuple[KnownContract, ...]:
    """Without a compiler, those of releases alone."""
    try:
        compiled = compile_all()
    except (CompileError, ToolchainError) as exc:
        log.warning("only released contracts are known here: %s", exc)
        compiled = {}
    here = (known(THIS_VERSION, each) for each in compiled.values() if has_functions(each))
    return (*here, *released_contracts())


@functools.cache
def released_contracts() -> tuple[KnownContract, ...]:
    files = sorted(FOLDER.glob("released-*.json"), key=_version_of, reverse=True)
    return tuple(contract for path in files for contract in _read(path))


def known(version: str, compiled: Contract) -> KnownContract:
    return KnownContract(
        version,
        compiled.name,
        keccak(compiled.deployed_bytecode),
        len(compiled.deployed_bytecode),
        keccak(compiled.bytecode),
        len(compiled.bytecode),
        compiled.immutables,
    )


def has_functions(compiled: Contract) -> bool:
    """Whether it can stand on a chain and be called: interfaces and inner libraries cannot."""
    return bool(compiled.bytecode) and any(e["type"] == "function" for e in compiled.abi)


def _read(path: Path) -> Iterator[KnownContract]:
    content: dict[str, Any] = load_json(path.read_bytes())
    for name, entry in content["contracts"].items():
        yield KnownContract(
            content["version"],
            name,
            bytes.fromhex(entry["runtime"][2:]),
            entry["runtime_length"],
            bytes.fromhex(entry["creation"][2:]),
            entry["creation_length"],
            {key: tuple(offsets) for key, offsets in entry["immutables"].items()},
        )


def _version_of(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in path.stem.removeprefix("released-").split("."))


def _word(code: bytes, at: int) -> bytes:
    return code[at : at + WORD]


__all__ = ["THIS_VERSION", "KnownContract", "Recognised", "known_contracts", "recognise"]
__all__ += ["has_functions", "known", "released_contracts"]
