"""Builds a circuit in a process of its own, so that progress shows and Ctrl-C works.

`build_isolated` is what commands call; `python -m` on this module is its other half.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.build import Progress, Stage, build_circuit, silent
from zkagent.circuits.halo2.cached import load_circuit
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.forecast import Forecast, Foretold
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.support.isolation import Report, answer_call, call_module
from zkagent.circuits.visibility import Visibility


def build_isolated(
    onnx: Path,
    *,
    srs: Path | None = None,
    cache: Path | None = None,
    arguments: RunArguments | None = None,
    data: Data | None = None,
    dims: Mapping[str, int] | None = None,
    visibility: Visibility | None = None,
    max_memory: int | None = None,
    progress: Progress = silent,
    foretold: Foretold = silent,
) -> Circuit:
    """Like `build_circuit`; raises the same errors, and EngineCrashed when the process dies."""
    paths = {"onnx": onnx, "srs": srs, "cache": cache}
    request = {
        **{name: str(path) if path else None for name, path in paths.items()},
        "arguments": asdict(arguments) if arguments else None,
        "data": _sent(data),
        "dims": dict(dims or {}),
        "visibility": asdict(visibility) if visibility else None,
        "max_memory": max_memory,
    }

    def heed(report: Any) -> None:
        if isinstance(report, dict):
            foretold(Forecast.from_json(report))
        else:
            progress(Stage(report))

    return load_circuit(call_module("zkagent.circuits.halo2.build_process", request, heed), cache)


def _sent(data: Data | None) -> dict[str, Any] | None:
    return {**asdict(data), "samples": str(data.samples)} if data else None


def _received(fields: dict[str, Any] | None) -> Data | None:
    return Data(**{**fields, "samples": Path(fields["samples"])}) if fields else None


def _build(request: dict[str, Any], report: Report) -> str:
    """The digest of what was asked for."""
    onnx, srs, cache = (
        Path(request[name]) if request[name] else None for name in ("onnx", "srs", "cache")
    )
    assert onnx
    given, seen = request["arguments"], request["visibility"]
    circuit = build_circuit(
        onnx,
        srs=srs,
        cache=cache,
        arguments=RunArguments.from_json(given) if given else None,
        data=_received(request["data"]),
        dims=request["dims"],
        visibility=Visibility(**seen) if seen else None,
        max_memory=request["max_memory"],
        progress=lambda stage: report(stage.value),
        foretold=lambda forecast: report(forecast.to_json()),
    )
    return circuit.digest


if __name__ == "__main__":
    answer_call(_build)


__all__ = ["build_isolated"]
