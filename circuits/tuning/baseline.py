"""What ezkl makes of a network by itself: its default settings, calibrated by its own routine.

ezkl cannot calibrate networks over int64 (its reference, tract, lacks integer squares), so those
are given to it over float32: the same numbers, as a user of ezkl would have exported them.

For comparison only. The default settings use Freivalds' check, so false proofs verify, and nothing
patches the verifier. Hence these files lie in a folder that the caller gives, never in the cache,
and there is no `Circuit` of them: nothing that deploys or trusts circuits takes a `Baseline`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from circuits.network import Network
from circuits.samples import Samples
from circuits.settings import Settings
from circuits.srs import development_srs

CALIBRATED_SAMPLES = 10  # ezkl's examples give it one batch of a few
# Operators whose further inputs are indices, axes and shapes.
STRUCTURAL = frozenset({"Gather", "Reshape", "ReduceSum", "Slice", "Split", "Squeeze", "Unsqueeze"})


@dataclass(frozen=True)
class Baseline:
    """An unsound circuit's files. verifier: ezkl's own Solidity, function `verifyProof`."""

    network: Network
    settings: Settings
    settings_path: Path
    compiled: Path
    vk: Path
    pk: Path
    srs: Path
    verifier: str


def unsound_baseline(
    network: Network,
    samples: Samples | Sequence[Sequence[float]],
    folder: Path,
    cache: Path | None = None,
) -> Baseline:
    """Calibrate, compile and make keys with ezkl's defaults, in `folder`.

    samples: what ezkl calibrates on; its first CALIBRATED_SAMPLES are. Raises EngineError.
    """
    from circuits import ezkl_engine

    onnx, settings_path = folder / "network.onnx", folder / "unsound-settings.json"
    compiled, vk, pk = folder / "unsound.ezkl", folder / "unsound.vk", folder / "unsound.pk"
    onnx.write_bytes(float_form(network.content) if network.integer else network.content)
    ezkl_engine.write_default_settings(onnx, calibration_data(samples), settings_path)
    settings: Settings = json.loads(settings_path.read_text())
    ezkl_engine.compile_network(onnx, settings_path, compiled)
    srs = development_srs(settings["run_args"]["logrows"], cache).path
    ezkl_engine.make_keys(compiled, srs, vk, pk)
    verifier = ezkl_engine.make_verifier(vk, settings_path, srs)
    return Baseline(network, settings, settings_path, compiled, vk, pk, srs, verifier)


def float_form(content: bytes) -> bytes:
    """An integer network over float32; indices and shapes stay integers."""
    import onnx
    from onnx import TensorProto, numpy_helper

    model = onnx.load_model_from_string(content)
    graph = model.graph
    kept = {name for node in graph.node if node.op_type in STRUCTURAL for name in node.input[1:]}
    for value in (*graph.input, *graph.output):
        value.type.tensor_type.elem_type = TensorProto.FLOAT
    del graph.value_info[:]
    for tensor in graph.initializer:
        if tensor.name not in kept:
            values = numpy_helper.to_array(tensor).astype("float32")
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString(deterministic=True))


def calibration_data(samples: Samples | Sequence[Sequence[float]]) -> list[list[float]]:
    """The first few samples, each as a flat list of numbers."""
    if isinstance(samples, Samples):
        return [sample.reshape(-1).tolist() for sample in samples.first(CALIBRATED_SAMPLES)]
    return [list(sample) for sample in samples[:CALIBRATED_SAMPLES]]


__all__ = ["Baseline", "float_form", "unsound_baseline"]
