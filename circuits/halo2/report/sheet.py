"""What a report says, in words and figures, whatever form it is printed in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.forecast import Forecast, Making, memory_in_words, time_in_words
from zkagent.circuits.halo2.report.content import Content
from zkagent.circuits.halo2.report.deviations import Comparison, Deviations
from zkagent.circuits.halo2.report.nodes import CircuitNode
from zkagent.errors import in_line

MOST_NAME = 120  # characters of a stranger's name that are shown


@dataclass(frozen=True)
class Section:
    """A title, and a label and a figure in each line."""

    title: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Sheet:
    """A whole report. commands: with what each of them does."""

    digest: str
    sections: tuple[Section, ...]
    changes: tuple[str, ...]
    nodes: tuple[CircuitNode, ...]
    comparison: Comparison | None
    commands: tuple[tuple[str, str], ...]

    @property
    def cells(self) -> int:
        """Of all nodes together."""
        return sum(node.cells for node in self.nodes)


def sheet_of(
    circuit: Circuit, content: Content, setup: str, commands: tuple[tuple[str, str], ...]
) -> Sheet:
    """setup: what kind of set-up the circuit has, in words."""
    return Sheet(
        circuit.digest,
        (
            _network(circuit),
            _layout(content),
            _cost(circuit, content),
            Section("Set-up", (("kind", setup), ("sha256", circuit.origin.srs or "none"))),
            _sizes(circuit),
        ),
        content.changes,
        content.nodes,
        content.comparison,
        commands,
    )


def shown(text: str) -> str:
    """A stranger's text on one line, as what it is."""
    return in_line(text, MOST_NAME)


def figures(of: Deviations) -> str:
    """One line about an output's deviations."""
    if not of.numbers:
        return "no sample could be compared"
    if not of.largest:
        return f"{of.numbers:,} numbers, all equal"
    return f"{of.numbers:,} numbers, largest {of.largest:.3g}, mean {of.mean:.3g}"


def share(node: CircuitNode, cells: int) -> float:
    """Of all cells, from 0 to 1."""
    return node.cells / cells if cells else 0.0


def _network(circuit: Circuit) -> Section:
    sides = (("input", circuit.faces.inputs), ("output", circuit.faces.outputs))
    lines = [
        (side, f"{shown(each.name)}, {each.type} {list(each.shape)}")
        for side, tensors in sides
        for each in tensors
    ]
    exact = "yes" if circuit.facts.exact else "no: it rounds, and may not decide over money"
    return Section(
        "Network", (("sha256", circuit.origin.onnx), *lines, ("exact arithmetic", exact))
    )


def _layout(content: Content) -> Section:
    of = content.layout
    return Section(
        "Layout",
        (
            ("rows", f"2^{of.logrows}"),
            ("columns of gates", f"{of.inner_columns * of.blocks} ({of.inner_columns} to a block)"),
            ("columns in the key", f"{of.keyed_columns} (counted from the settings)"),
            ("cells", f"{of.cells:,}"),
            ("decompositions", f"{of.decomposition_legs} digits of base {of.decomposition_base}"),
        ),
    )


def _cost(circuit: Circuit, content: Content) -> Section:
    gas = f"about {content.gas:,} (predicted; without calldata and the base cost)"
    size = "small enough for a contract" if content.deployable else "maybe too large for a contract"
    made = _made(circuit.notes.get(Making.TOPIC))
    return Section("Cost", (*made, ("gas to verify", gas), ("verifier", f"{size} (predicted)")))


def _made(note: object) -> tuple[tuple[str, str], ...]:
    """What the build took, beside what was foretold; nothing of circuits built without a note."""
    if not isinstance(note, dict):
        return ()
    taken: Mapping[str, Any] = note["taken"]
    told = Forecast.from_json(note["predicted"]) if note["predicted"] else None
    pairs = (
        ("making the keys", taken["keys_s"], told and told.keys_s, time_in_words),
        ("the first proof", taken["proof_s"], told and told.proof_s, time_in_words),
        ("most memory", taken["peak_bytes"], told and told.peak_bytes, memory_in_words),
    )
    return tuple(
        (label, in_words(took) + (f" (foretold: {in_words(before)})" if before else ""))
        for label, took, before, in_words in pairs
    )


def _sizes(circuit: Circuit) -> Section:
    files = {
        "proving key": circuit.pk,
        "verifying key": circuit.vk,
        "verifier's source": circuit.verifier_source,
        "set-up file": circuit.srs,
    }
    sizes = [(label, f"{path.stat().st_size:,} bytes") for label, path in files.items()]
    proof = ("proof", f"{circuit.facts.proof_bytes:,} bytes")
    public = circuit.facts.input_count + circuit.facts.output_count
    return Section("Sizes", (proof, ("public values", f"{public:,}"), *sizes))


__all__ = ["Section", "Sheet", "figures", "share", "sheet_of", "shown"]
