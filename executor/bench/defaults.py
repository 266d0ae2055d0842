"""The baseline of proofs: what ezkl makes of a network when nobody tells it how.

Its settings are its own (Freivalds' check, its calibration's scales and rows), its verifier is the
one that it writes. Proofs of such a circuit can be forged: it is for comparison only, and lies in a
folder that is thrown away. An integer network is given in units, as floats: see unit_form.py.

Runs in a process of its own (`python -m`), because ezkl holds the interpreter lock.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from zkagent.circuits.errors import CircuitError, EngineError, NetworkRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.networks.network import Network
from zkagent.circuits.support.child_process import ChildProcess, ParentLink
from zkagent.executor.bench.forms import STOCK, Prepared
from zkagent.executor.bench.subjects import Say, Subject, saved
from zkagent.executor.bench.unit_form import unit_form

MODULE = "zkagent.executor.bench.defaults"
CALIBRATED_SAMPLES = 10
PATIENCE_S = 1800.0
SETTINGS, COMPILED, VK, PK, VERIFIER = "settings.json", "network.ezkl", "vk", "pk", "verifier.sol"


def ezkl_defaults(subject: Subject, batch: int, folder: Path, say: Say) -> Prepared:
    """ezkl's own circuit, calibrated on the first samples. Raises CircuitError."""
    if batch != 1:
        raise NetworkRefused(subject.onnx, "ezkl's defaults are measured for single decisions")
    made = folder / f"{subject.name}-defaults"
    made.mkdir()
    network, unit = float_network(subject, made)
    samples = subject.samples[:CALIBRATED_SAMPLES].reshape(-1, network.input_count) / unit
    say("ezkl calibrates")
    request = {"onnx": str(network.path), "folder": str(made), "samples": samples.tolist()}
    reply = _asked(request)
    return Prepared(
        network=network,
        compiled=made / COMPILED,
        settings=made / SETTINGS,
        vk=made / VK,
        pk=made / PK,
        srs=Path(reply["srs"]),
        verifier=(made / VERIFIER).read_text(),
        entry=STOCK,
        input_unit=unit,
    )


def float_network(subject: Subject, folder: Path) -> tuple[Network, float]:
    """What ezkl is given, and what it takes the samples divided by."""
    if not subject.network.integer:
        return subject.network, 1.0
    unit = float(np.abs(subject.samples).max()) or 1.0
    content = unit_form(subject.onnx, subject.network.content, unit)
    return saved(content, folder, f"{subject.name}-units"), unit


def _asked(request: dict[str, Any]) -> dict[str, Any]:
    child = ChildProcess(MODULE, [])
    try:
        child.send(request)
        reply = child.receive(PATIENCE_S)
    except TimeoutError as exc:
        raise EngineError("calibrate by itself", f"no end after {PATIENCE_S:g} s") from exc
    finally:
        child.kill()
    if "failed" in reply:
        raise EngineError("make a circuit by its defaults", reply["failed"])
    return reply


def make(onnx: Path, samples: list[list[float]], folder: Path) -> Path:
    """Write the circuit's files into `folder`; where its set-up lies. Raises CircuitError."""
    ezkl_engine.write_default_settings(onnx, samples, folder / SETTINGS)
    return finish(onnx, folder)


def finish(onnx: Path, folder: Path) -> Path:
    """All but the settings, which lie there. Raises CircuitError."""
    settings, compiled, vk, pk = (folder / name for name in (SETTINGS, COMPILED, VK, PK))
    srs = development_srs(json.loads(settings.read_text())["run_args"]["logrows"])
    ezkl_engine.compile_network(onnx, settings, compiled)
    ezkl_engine.make_keys(compiled, srs.path, vk, pk)
    (folder / VERIFIER).write_text(ezkl_engine.make_verifier(vk, settings, srs.path))
    return srs.path


def main() -> None:
    link = ParentLink(int(sys.argv[1]))
    request = next(link.requests())
    try:
        srs = make(Path(request["onnx"]), request["samples"], Path(request["folder"]))
    except CircuitError as exc:
        link.send({"failed": str(exc)})
    else:
        link.send({"srs": str(srs)})


if __name__ == "__main__":
    main()
