"""Builds a circuit in a process of its own, so that progress shows and Ctrl-C works.

`build_isolated` is what commands call; `python -m circuits.build_process` is its other half.
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from circuits import errors
from circuits.artifacts import Circuit
from circuits.build import Progress, Stage, build_circuit, silent
from circuits.calibration import Data
from circuits.child_process import ChildProcess, ParentLink
from circuits.errors import CircuitError
from circuits.settings import RunArguments
from circuits.store import load_circuit


def build_isolated(
    onnx: Path,
    *,
    srs: Path | None = None,
    cache: Path | None = None,
    arguments: RunArguments | None = None,
    data: Data | None = None,
    progress: Progress = silent,
) -> Circuit:
    """Like `build_circuit`; raises the same errors, and EngineCrashed when the process dies."""
    child = ChildProcess("circuits.build_process", [])
    paths = {"onnx": onnx, "srs": srs, "cache": cache}
    try:
        request = {name: str(path) if path else None for name, path in paths.items()}
        options = {"arguments": asdict(arguments) if arguments else None, "data": _sent(data)}
        child.send({**request, **options})
        while "digest" not in (message := child.receive()):
            if "error" in message:
                raise _same_error(message["type"], message["error"])
            progress(Stage(message["stage"]))
    finally:
        child.kill()
    return load_circuit(message["digest"], cache)


def _same_error(name: str, text: str) -> CircuitError:
    """The child's error: its type and message, without its attributes."""
    kind = getattr(errors, name, CircuitError)
    error: CircuitError = kind.__new__(kind)
    error.args = (text,)
    return error


def _sent(data: Data | None) -> dict[str, Any] | None:
    return {**asdict(data), "samples": str(data.samples)} if data else None


def _received(fields: dict[str, Any] | None) -> Data | None:
    return Data(**{**fields, "samples": Path(fields["samples"])}) if fields else None


def main() -> None:
    link = ParentLink(int(sys.argv[1]))
    request = next(link.requests())
    onnx, srs, cache = (
        Path(request[name]) if request[name] else None for name in ("onnx", "srs", "cache")
    )
    assert onnx
    given = request["arguments"]
    try:
        circuit = build_circuit(
            onnx,
            srs=srs,
            cache=cache,
            arguments=RunArguments.from_json(given) if given else None,
            data=_received(request["data"]),
            progress=lambda stage: link.send({"stage": stage.value}),
        )
        link.send({"digest": circuit.digest})
    except CircuitError as exc:
        link.send({"type": type(exc).__name__, "error": str(exc)})


if __name__ == "__main__":
    main()
