"""Tunes in a process of its own, so that progress shows and Ctrl-C works.

`tune_isolated` is what the command and the benchmarks call; its other half is this module run as a
program. It writes nothing but set-up files into the cache; when it is killed, so are the processes
that it measures with.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from zkagent.circuits.halo2.hidden import tied
from zkagent.circuits.halo2.keyless import check_read
from zkagent.circuits.halo2.tuning.judging import Report
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.halo2.tuning.record import Tuning
from zkagent.circuits.halo2.tuning.tuner import Wish, tune
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.support.isolation import answer_call, call_module
from zkagent.circuits.visibility import Visibility


def silent(text: str) -> None:
    """Progress for nobody."""


def tune_isolated(
    onnx: Path,
    wish: Wish,
    *,
    data: Path | None = None,
    cache: Path | None = None,
    report: Report = silent,
) -> Tuning:
    """Like `tuner.tune` for the files; raises the same, and EngineCrashed when the process dies."""
    request = {
        "onnx": str(onnx.absolute()),
        "data": str(data.absolute()) if data else None,
        "cache": str(cache.absolute()) if cache else None,
        "objective": wish.objective.value,
        "min_agreement": wish.min_agreement,
        "tolerance": wish.tolerance,
        "decisions": wish.decisions,
        "measuring_s": wish.measuring_s,
        "visibility": asdict(wish.visibility),
        "max_memory": wish.max_memory,
    }
    return Tuning.from_json(
        call_module("zkagent.circuits.halo2.tuning.tuner_process", request, report)
    )


def _tune(request: dict[str, Any], report: Report) -> dict[str, Any]:
    """The tuning in its JSON form."""
    network = read_network(Path(request["onnx"]))
    samples = load_samples(Path(request["data"]), network) if request["data"] else None
    cache = Path(request["cache"]) if request["cache"] else None
    wish = Wish(
        objective=Objective(request["objective"]),
        min_agreement=request["min_agreement"],
        tolerance=request["tolerance"],
        decisions=request["decisions"],
        measuring_s=request["measuring_s"],
        visibility=Visibility(**request["visibility"]),
        max_memory=request["max_memory"],
    )
    check_read(network := tied(network, wish.visibility))
    return tune(network, samples, wish, cache, report).to_json()


if __name__ == "__main__":
    answer_call(_tune)


__all__ = ["tune_isolated"]
