"""A network's circuit before it has keys: settings that keep the soundness rules, and witnesses.

Every build takes its settings from here. Calibration and tuning also compile, one set of settings
after the other, and find by the witness of real samples which ranges those need; witnesses need no
keys, which cost most.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from zkagent.circuits.errors import (
    EngineError,
    MemoryTooSmall,
    NetworkRefused,
    OutsideRange,
    SettingsRefused,
)
from zkagent.circuits.halo2.fidelity import quantised
from zkagent.circuits.halo2.footprint import check_memory
from zkagent.circuits.halo2.hidden import check_tied
from zkagent.circuits.halo2.layouts import layouts, peak
from zkagent.circuits.halo2.products import largest_product
from zkagent.circuits.halo2.settings import (
    LEARNING_LOGROWS,
    MOST_LOGROWS,
    RunArguments,
    Settings,
    canonical,
    check_arguments,
    check_settings,
    default_arguments,
    laid_out,
    least_arguments,
    least_logrows,
    to_bytes,
)
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Sample
from zkagent.circuits.support.memory import Budget
from zkagent.circuits.visibility import HASHED


class KeylessCircuit:
    """The circuit as it was compiled last. Its files lie in `folder`."""

    def __init__(self, network: Network, folder: Path) -> None:
        self._network, self._folder = network, folder
        self._onnx, self.compiled = folder / "network.onnx", folder / "network.ezkl"
        self._onnx.write_bytes(network.content)

    def settings(self, arguments: RunArguments, logrows: int = LEARNING_LOGROWS) -> Settings:
        """What ezkl makes of the arguments, in the canonical form; by default with rows enough for
        everything. Raises SettingsRefused for what breaks a soundness rule, NetworkRefused for
        weights that cannot be hashed, EngineError."""
        from zkagent.circuits.halo2.ezkl_engine import constant_uses, make_settings

        network, arguments = self._network, arguments.showing(self._network.visibility)
        check_arguments(arguments)
        settings = canonical(make_settings(self._onnx, arguments, logrows))
        check_settings(settings, network.integer, network.visibility)
        if network.visibility.weights == HASHED:
            uses = constant_uses(self._onnx, arguments, logrows)
            check_tied(network, settings["module_sizes"]["poseidon"][0], uses)
        return settings

    def compile(self, arguments: RunArguments) -> Settings:
        """Compile for witnesses and return the settings. Raises like `settings`."""
        from zkagent.circuits.halo2.ezkl_engine import compile_network

        settings, written = self.settings(arguments), self._folder / "settings.json"
        written.write_bytes(to_bytes(settings))
        compile_network(self._onnx, written, self.compiled)
        return settings

    def holds(self, settings: Settings, samples: Iterable[Sample]) -> bool:
        """Whether decompositions reach as far as the samples lead; tables are left aside.

        settings: as compiled last. Raises EngineError.
        """
        try:
            for _ in self._looked_up(settings, samples):
                pass
        except OutsideRange:
            return False
        return True

    def looked_up(self, settings: Settings, samples: Iterable[Sample]) -> tuple[int, int] | None:
        """The least and the largest number that the samples look up in tables, whatever these
        hold; None without tables.

        settings: as compiled last. Raises OutsideRange when a decomposition is too small, or no
        table could be as large, EngineError.
        """
        if not settings["required_lookups"]:
            return None
        found = list(self._looked_up(settings, samples))
        least, most = min(low for low, _ in found), max(high for _, high in found)
        if most - least >= 1 << MOST_LOGROWS:
            raise OutsideRange(f"numbers from {least} to {most} are looked up in a table")
        return least, most

    def _looked_up(
        self, settings: Settings, samples: Iterable[Sample]
    ) -> Iterator[tuple[int, int]]:
        from zkagent.circuits.halo2 import ezkl_engine

        scales, witness = settings["model_input_scales"], self._folder / "witness.json"
        for sample in samples:
            yield ezkl_engine.looked_up(self.compiled, quantised(sample, scales), witness)


def check_read(network: Network) -> None:
    """Refuse weights that ezkl takes as constants alone, before any work. Raises NetworkRefused."""
    if network.visibility.weights != HASHED:
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            KeylessCircuit(network, Path(folder)).settings(default_arguments(network.integer))
        except EngineError as exc:
            raise NetworkRefused(
                network.path, f"with hidden weights {exc}: leave --weights fixed"
            ) from exc


def check_least_memory(network: Network, budget: Budget | None = None) -> None:
    """Refuse a network that is hopeless here, before long work on its samples.

    The estimate is that of the cheapest settings that samples could lead to, in the smallest of all
    layouts. Raises MemoryTooSmall, SettingsRefused.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            settings = KeylessCircuit(network, Path(folder)).settings(
                least_arguments(network.integer)
            )
        except EngineError:  # ezkl panics at some settings that others do well with
            return
    try:
        check_memory(min(_every_layout(settings), key=peak), budget)
    except MemoryTooSmall as exc:
        raise exc.naming(largest_product(network)) from None


def _every_layout(settings: Settings) -> Iterator[Settings]:
    with suppress(SettingsRefused):  # there are others
        yield laid_out(settings, least_logrows(settings), 1)
    yield from layouts(settings)


__all__ = ["KeylessCircuit", "check_least_memory", "check_read"]
