"""Solidity to bytecode through py-solc-x, once per content.

Called by deployment, by the circuits' verifier step and by tests. The settings are those of
foundry.toml, which has a few contracts compiled by way of Yul. Compiling takes seconds to a minute
with the JavaScript solc, so outputs are kept in the cache under the digest of everything that goes
in: sources, settings, compiler.
"""

import functools
import hashlib
import json
import logging
import posixpath
import re
import time
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock

from zkagent.circuits.support.cache import cache_folder
from zkagent.errors import in_line
from zkagent.models.strict_json import load_json
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.toolchain.install import Toolchain, toolchain

log = logging.getLogger(__name__)

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = PACKAGE / "src"
FOUNDRY_TOML = PACKAGE / "foundry.toml"
MOST_LEVELS = 256  # of a compiler's output
WORD = 32  # bytes of an immutable in code
OUTPUTS = ("abi", "evm.bytecode.object", "evm.deployedBytecode.object")
IMMUTABLES = "evm.deployedBytecode.immutableReferences"
IMPORT = re.compile(r"""^\s*import\b[^;"']*["']([^"']+)["'][^;]*;""", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Settings:
    """What of solc's settings may vary; the defaults come from foundry.toml."""

    optimizer_runs: int
    via_ir: bool
    evm_version: str

    def standard_json(
        self, wanted: Collection[str] = ("*",), *, trees: bool = True
    ) -> dict[str, Any]:
        """solc's `settings`, reproducible: no metadata at the end of the code. wanted: units whose
        contracts are compiled, by default all. trees: with the syntax trees of all units, for which
        solc makes Yul of all contracts, where it makes any."""
        outputs = {unit: {"*": [*OUTPUTS, IMMUTABLES]} for unit in sorted(wanted)}
        if trees:
            outputs["*"] = {**outputs.get("*", {}), "": ["ast"]}
        return {
            "optimizer": {"enabled": True, "runs": self.optimizer_runs},
            "viaIR": self.via_ir,
            "evmVersion": self.evm_version,
            "metadata": {"bytecodeHash": "none", "appendCBOR": False},
            "outputSelection": outputs,
        }


@dataclass(frozen=True)
class Contract:
    """One compiled contract.

    bytecode is creation code, deployed_bytecode what lies on chain with zeros where the constructor
    will fill in immutables. immutables: by name the offsets of each, 32 bytes long.
    """

    name: str
    source: str
    abi: tuple[Mapping[str, Any], ...]
    bytecode: bytes
    deployed_bytecode: bytes
    immutables: Mapping[str, tuple[int, ...]]

    def runtime(self, values: Mapping[str, int]) -> bytes:
        """What lies on chain when the constructor wrote these immutables. Raises KeyError for one
        without a value."""
        code = bytearray(self.deployed_bytecode)
        for name, places in self.immutables.items():
            for at in places:
                code[at : at + WORD] = values[name].to_bytes(WORD, "big")
        return bytes(code)


def default_settings() -> Settings:
    """The settings that forge uses, too."""
    profile = _profile()
    return Settings(profile["optimizer_runs"], profile["via_ir"], profile["evm_version"])


def units_apart() -> dict[str, Settings]:
    """Those whose contracts foundry.toml has compiled otherwise than the others."""
    chosen = default_settings()
    return {
        each["paths"]: replace(
            chosen,
            via_ir=each["via_ir"],
            optimizer_runs=each.get("optimizer_runs", chosen.optimizer_runs),
        )
        for each in _profile()["compilation_restrictions"]
    }


def _profile() -> dict[str, Any]:
    profile: dict[str, Any] = tomllib.loads(FOUNDRY_TOML.read_text())["profile"]["default"]
    return profile


def compile_all(settings: Settings | None = None) -> dict[str, Contract]:
    """Every contract, interface and library under src/, by name. Raises CompileError."""
    paths = sorted(SOURCES.rglob("*.sol"))
    sources = {f"src/{path.relative_to(SOURCES).as_posix()}": path.read_text() for path in paths}
    return compile_sources(sources, settings)


def compile_source(name: str, text: str, settings: Settings | None = None) -> Contract:
    """The contract `name` of a generated source; imports of src/... and libraries work."""
    compiled = compile_sources({f"generated/{name}.sol": text}, settings)
    if name not in compiled:
        raise CompileError(f"no contract {name} in the source; it has {', '.join(compiled)}")
    return compiled[name]


def compile_sources(
    sources: Mapping[str, str],
    settings: Settings | None = None,
    *,
    folders: Mapping[str, Path] | None = None,
) -> dict[str, Contract]:
    """The contracts of `sources` (unit name -> text), by contract name, without those of imports.

    folders: where imports with a prefix are, besides src/ and the libraries. Raises CompileError
    with solc's messages, for an import that is not found, and when two contracts share a name.
    """
    if not sources:
        return {}
    tools = toolchain()
    units = with_imports(sources, tools, folders or {})
    compiled: dict[str, Any] = {"contracts": {}, "immutables": {}}
    for each, wanted, trees in _jobs(sources.keys(), settings):
        job = {
            "language": "Solidity",
            "sources": {unit: {"content": text} for unit, text in sorted(units.items())},
            "settings": each.standard_json(wanted, trees=trees),
        }
        output = _cached_output(job, tools)
        compiled["immutables"] |= output["immutables"]  # numbered alike: the units are the same
        compiled["contracts"] |= output["contracts"]
    return _contracts(compiled, wanted=sources.keys())


def _jobs(
    units: Collection[str], settings: Settings | None
) -> Iterator[tuple[Settings, Collection[str], bool]]:
    """With which settings which of these units are compiled, and whether with syntax trees, which
    one of them has: the units are the same, and numbered alike."""
    chosen = settings or default_settings()
    apart = {} if settings else units_apart()
    groups: dict[Settings, set[str]] = {}
    for unit in units:
        groups.setdefault(apart.get(unit, chosen), set()).add(unit)
    if groups.keys() <= {chosen}:
        yield chosen, ("*",), True
        return
    # trees cost least where nothing goes by way of Yul: last
    jobs = sorted(groups.items(), key=lambda group: (not group[0].via_ir, min(group[1])))
    for at, (each, wanted) in enumerate(jobs, start=1):
        yield each, wanted, at == len(jobs)


def error_abi(contracts: Mapping[str, Contract] | None = None) -> list[Mapping[str, Any]]:
    """The custom errors of `contracts`, by default of all of src/, each once."""
    if contracts is None:
        contracts = compile_all()
    entries = {
        json.dumps(entry, sort_keys=True): entry
        for contract in contracts.values()
        for entry in contract.abi
        if entry["type"] == "error"
    }
    return list(entries.values())


def with_imports(
    sources: Mapping[str, str], tools: Toolchain, more: Mapping[str, Path] = MappingProxyType({})
) -> dict[str, str]:
    """`sources` and, transitively, what they import from each other, src/, the libraries and the
    folders of `more`, which replace none of these."""
    ours = {"src/": SOURCES, **tools.remappings}
    folders = {**ours, **more, **ours}
    units = dict(sources)
    todo = list(sources)
    while todo:
        unit = todo.pop()
        for imported in imports_of(units[unit]):
            name = resolve(unit, imported)
            if name not in units:
                units[name] = _read_unit(name, unit, folders)
                todo.append(name)
    return units


def imports_of(text: str) -> list[str]:
    """The import paths of a Solidity source, as written."""
    return IMPORT.findall(COMMENT.sub("", text))


def resolve(unit: str, imported: str) -> str:
    """solc's name for `imported` when it stands in `unit`."""
    if not imported.startswith("."):
        return imported
    return posixpath.normpath(posixpath.join(posixpath.dirname(unit), imported))


def _read_unit(name: str, importer: str, folders: Mapping[str, Path]) -> str:
    for prefix, folder in folders.items():
        path = folder / name.removeprefix(prefix)
        if name.startswith(prefix) and path.is_file():
            return source_text(path)
    raise CompileError(f"{importer}: import {name!r} not found in {', '.join(folders)}")


def source_text(path: Path) -> str:
    """Of a file that somebody else wrote. Raises CompileError."""
    try:
        return path.read_text("utf-8")
    except OSError as exc:
        raise CompileError(f"{path} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        said = f"it is no text in UTF-8 (byte {exc.start}): save it as such"
        raise CompileError(f"{path} cannot be read: {said}") from exc


def _cached_output(job: Mapping[str, Any], tools: Toolchain) -> dict[str, Any]:
    key = _digest({"job": job, "solc": tools.solc_version})
    path = cache_folder("solc") / f"{key}.json"
    with FileLock(path.with_suffix(".lock")):
        if (output := _read_output(path)) is None:
            output = _run_solc(job, tools)
            kept = json.dumps({"digest": _digest(output), "output": output})
            write_file(path, kept.encode())
    return output


def _read_output(path: Path) -> dict[str, Any] | None:
    """None when there is no entry or when it is not what was written."""
    try:
        entry = load_json(path.read_bytes(), most_levels=MOST_LEVELS)
        output: dict[str, Any] = entry["output"]
        if _digest(output) == entry["digest"]:
            return output
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        pass
    log.warning("compiler cache entry %s is damaged; compiling again", path)
    return None


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _run_solc(job: Mapping[str, Any], tools: Toolchain) -> dict[str, Any]:
    import solcx
    from solcx.exceptions import SolcError

    started, count = time.monotonic(), len(job["sources"])
    log.info("compiling %d Solidity sources (once: what comes of it is kept)", count)
    try:
        output: dict[str, Any] = solcx.compile_standard(dict(job), solc_binary=tools.solc)
    except SolcError as exc:
        raise CompileError(_said(exc.message, exc.return_code, exc.stderr_data)) from exc
    except (OSError, ValueError) as exc:
        raise CompileError(f"solc gave no output: {exc}") from exc
    log.debug("compiled in %.1f s", time.monotonic() - started)
    trees = [source["ast"] for source in output.get("sources", {}).values() if "ast" in source]
    return {
        "contracts": output.get("contracts", {}),
        "immutables": dict(_immutable_names(trees)),
    }


def _said(message: str, code: int | None, stderr: str | None) -> str:
    """The errors of the sources; or how the compiler itself ended."""
    if not code:
        return message.strip()
    return f"solc ended with {code}: {in_line((stderr or message).strip()[-500:])}"


def _immutable_names(node: Any) -> Iterator[tuple[str, str]]:
    """Number (as solc's references have it) and name of each immutable in syntax trees."""
    if isinstance(node, Mapping):
        if node.get("mutability") == "immutable" and node["nodeType"] == "VariableDeclaration":
            yield str(node["id"]), str(node["name"])
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from _immutable_names(child)


def _contracts(output: Mapping[str, Any], wanted: Any) -> dict[str, Contract]:
    found: dict[str, Contract] = {}
    for unit, contracts in output["contracts"].items():
        for name, compiled in contracts.items() if unit in wanted else ():
            if name in found:
                raise CompileError(
                    f"two contracts are named {name}: {found[name].source} and {unit}"
                )
            found[name] = _contract(name, unit, compiled, output["immutables"])
    return found


def _contract(
    name: str, unit: str, compiled: Mapping[str, Any], names: Mapping[str, str]
) -> Contract:
    evm = compiled["evm"]
    deployed = evm["deployedBytecode"]
    return Contract(
        name=name,
        source=unit,
        abi=tuple(compiled["abi"]),
        bytecode=_code(name, evm["bytecode"]["object"]),
        deployed_bytecode=_code(name, deployed["object"]),
        immutables=_immutables(deployed.get("immutableReferences", {}), names),
    )


def _immutables(
    references: Mapping[str, Sequence[Mapping[str, int]]], names: Mapping[str, str]
) -> dict[str, tuple[int, ...]]:
    """Offsets by name, in the order of declaration; a second one of a name gets a prime."""
    found: dict[str, tuple[int, ...]] = {}
    for number, places in sorted(references.items(), key=lambda item: int(item[0])):
        name = names[number]
        while name in found:
            name += "'"
        found[name] = tuple(sorted(place["start"] for place in places))
    return found


def _code(name: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as exc:
        raise CompileError(
            f"{name} needs a linked library; make the library's functions internal"
        ) from exc


@functools.cache
def contract(name: str) -> Contract:
    """One contract of src/ by name, with the default settings. Raises CompileError."""
    compiled = compile_all()
    if name not in compiled:
        raise CompileError(f"no contract {name} in {SOURCES}; it has {', '.join(sorted(compiled))}")
    return compiled[name]


__all__ = [
    "Contract",
    "Settings",
    "compile_all",
    "compile_source",
    "compile_sources",
    "contract",
    "default_settings",
    "error_abi",
    "units_apart",
]
