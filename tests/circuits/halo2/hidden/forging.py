"""A modified prover: the keys of one network, the wiring of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zkagent.circuits.errors import EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.settings import RunArguments, canonical, to_bytes
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.hashes import Hashes


@dataclass(frozen=True)
class Outcome:
    """accepted: the other network's witness under the honest key. Of both the true outputs and what
    their witnesses hash."""

    accepted: bool
    honest: tuple[int, ...]
    claimed: tuple[int, ...]
    honest_hashes: Hashes
    claimed_hashes: Hashes


def forge(
    folder: Path,
    honest: bytes,
    other: bytes,
    inputs: Sequence[Sequence[int]],
    arguments: RunArguments,
    *,
    unchecked: bool = False,
    logrows: int = 10,
) -> Outcome:
    """inputs: one list for the honest network, and one for the other. unchecked: the other prover's
    ezkl leaves out its own look at the range of inputs. folder: a new one."""
    srs = development_srs(logrows).path
    for name, onnx in (("honest", honest), ("other", other)):
        made = folder / name
        made.mkdir(parents=True)
        (made / "onnx").write_bytes(onnx)
        settings = ezkl_engine.make_settings(made / "onnx", arguments, logrows)
        if unchecked and name == "other":
            settings["run_args"]["ignore_range_check_inputs_outputs"] = True
        (made / "settings").write_bytes(to_bytes(canonical(settings)))
        ezkl_engine.compile_network(made / "onnx", made / "settings", made / "compiled")
    ours, theirs = folder / "honest", folder / "other"
    ezkl_engine.make_keys(ours / "compiled", srs, ours / "vk", ours / "pk")
    honest_y, claimed_y = (
        ezkl_engine.evaluate(made / "compiled", [x], made / "witness")
        for made, x in zip((ours, theirs), inputs, strict=True)
    )
    hashes = [ezkl_engine.read_hashes(made / "witness") for made in (ours, theirs)]
    try:
        proof, shown = ezkl_engine.prove_witness(
            theirs / "compiled", theirs / "witness", ours / "pk", srs
        )
        valid = ezkl_engine.verify_instances(proof, shown, ours / "settings", ours / "vk", srs)
    except EngineError:
        valid = False
    return Outcome(valid, honest_y, claimed_y, *hashes)


__all__ = ["Outcome", "forge"]
