"""Folders of Groth16 circuits as strangers can write them, each with a manifest that fits."""

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from zkagent.circuits.artifacts import Circuit, Origin
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.store import write_manifest


def written(folder: Path, origin: Origin, like: Circuit, contents: Mapping[str, bytes]) -> str:
    """A circuit of anybody's, with a manifest that fits its files. Gives its digest."""
    directory = Path(shutil.copytree(like.directory, folder / "circuits" / origin.digest))
    for name, content in contents.items():
        (directory / name).write_bytes(content)
    names = [path.name for path in directory.iterdir() if path.name in like.files]
    files = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in names}
    write_manifest(
        replace(like, digest=origin.digest, origin=origin, directory=directory, files=files)
    )
    return origin.digest


def with_versions(origin: Origin, **changed: str) -> Origin:
    return replace(origin, versions=tuple(sorted((dict(origin.versions) | changed).items())))


def as_a_ceremonys(circuit: Circuit, folder: Path) -> str:
    """The key of one, by its mark and its name."""
    code = replace(KeyCode.from_bytes(circuit.vk.read_bytes()), development=False).to_bytes()
    origin = replace(circuit.origin, srs=hashlib.sha256(code).hexdigest())
    origin = with_versions(origin, groth16_setup="ceremony", groth16_transcript="ab" * 32)
    return written(folder, origin, circuit, {"circuit.vk": code})
