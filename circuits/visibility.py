"""What of a proof is public: its inputs, its outputs and the network's weights, as the user chose.

A circuit is built for one choice, which its manifest keeps. A proof shows what is public; of what
is hashed it shows the Poseidon hash, by which whoever knows the numbers recognises them; of what is
private it shows nothing. docs/own-models.md says what a verifier then knows.
"""

from dataclasses import dataclass

PUBLIC, FIXED, HASHED, PRIVATE = "public", "fixed", "hashed", "private"
OF_INPUTS = (PUBLIC, HASHED, PRIVATE)
OF_OUTPUTS = (PUBLIC, HASHED)
OF_WEIGHTS = (FIXED, HASHED, PRIVATE)
CHOICES = {"inputs": OF_INPUTS, "outputs": OF_OUTPUTS, "weights": OF_WEIGHTS}

KNOWN = {
    ("inputs", HASHED): "the inputs are hidden: known of them is a hash, and that no one is beyond "
    "the circuit's range; numbers of few possible values can be found by trying them all",
    ("inputs", PRIVATE): "the inputs are hidden: known of them is that some within the circuit's "
    "range give these outputs",
    ("outputs", HASHED): "the outputs are hidden: known of them is a hash; numbers of few possible "
    "values can be found by trying them all",
    ("weights", HASHED): "the weights are hidden: known of them is a hash, the same in every proof",
    ("weights", PRIVATE): "the weights are hidden and bound to nothing: that some weights of this "
    "architecture give these outputs, which weights made for them may do, too",
}


@dataclass(frozen=True)
class Visibility:
    """inputs: of OF_INPUTS, outputs: of OF_OUTPUTS, weights: of OF_WEIGHTS."""

    inputs: str = PUBLIC
    outputs: str = PUBLIC
    weights: str = FIXED

    def __post_init__(self) -> None:
        """Raises ValueError."""
        for name, choices in CHOICES.items():
            if (found := getattr(self, name)) not in choices:
                raise ValueError(f"{name} are {found!r}, expected {' or '.join(choices)}")

    @property
    def open(self) -> bool:
        """Whether nothing is hidden: the only choice for whatever decides on a chain."""
        return self == Visibility()

    @property
    def hides_values(self) -> bool:
        """Whether inputs or outputs must not be told."""
        return (self.inputs, self.outputs) != (PUBLIC, PUBLIC)

    @property
    def words(self) -> str:
        """What was chosen, in a line: ``inputs hashed, outputs public, weights fixed``."""
        return f"inputs {self.inputs}, outputs {self.outputs}, weights {self.weights}"

    @property
    def known(self) -> tuple[str, ...]:
        """What a verifier knows of what is hidden, in lines; none where nothing is."""
        parts = (("inputs", self.inputs), ("outputs", self.outputs), ("weights", self.weights))
        return tuple(KNOWN[part] for part in parts if part in KNOWN)


OPEN = Visibility()

__all__ = ["CHOICES", "FIXED", "HASHED", "KNOWN", "OF_INPUTS", "OF_OUTPUTS", "OF_WEIGHTS", "OPEN"]
__all__ += ["PRIVATE", "PUBLIC", "Visibility"]
