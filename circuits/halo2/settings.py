"""What ezkl is asked for, and the refusal of whatever would make a proof worthless.

The rules come from attacks that work against ezkl's defaults; tests/circuits mounts them:

- Freivalds' check of matrix products (`disable_freivalds`, ezkl's default is to use it) never ties
  the checked columns to the values of the next layer: outputs can be permuted.
- Private parameters are bound to nothing: any weights prove. Fixed ones are in the verifying key,
  hashed ones in a hash that each proof shows; a circuit is what the user asked for, or refused.
- Rescaling and division accept floor or ceiling at the prover's choice; a network that claims to be
  exact integer arithmetic must contain neither.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.visibility import (
    FIXED,
    HASHED,
    OF_INPUTS,
    OF_OUTPUTS,
    OF_WEIGHTS,
    OPEN,
    PRIVATE,
    PUBLIC,
    Visibility,
)

Settings = dict[str, Any]

LEAST_LOGROWS = 6  # ezkl's own minimum
MOST_LOGROWS = 26  # the largest public ceremony
MOST_FRACTION_BITS = 24  # as many as float32 has
LEARNING_LOGROWS = 17  # large enough for ezkl to count rows without splitting columns
# Measured: 2^k - 9 rows fit one block of columns at k = 12, 2^k - 7 spill into a second.
RESERVED_ROWS = 9
HIDDEN_LEGS = 9  # of 128: 2^63
# How ezkl writes visibilities.
WRITTEN: Mapping[str, Any] = {
    PUBLIC: "Public",
    FIXED: "Fixed",
    PRIVATE: "Private",
    HASHED: {"Hashed": {"hash_is_public": True, "outlets": []}},
}


@dataclass(frozen=True)
class RunArguments:
    """ezkl's run arguments, with the sound choice as default.

    input_scale_bits, parameter_scale_bits: a number v stands for v / 2^bits; 0 for integers.
    inner_columns: more of them halve rows and proving time and add gas per proof.
    logrows: None for the least k whose rows hold everything in one block of columns; a smaller one
    (at least `fewest_logrows`) spreads the cells over more blocks.
    decomposition_base, decomposition_legs: a ReLU's input must stay below base^legs.
    """

    input_scale_bits: int = 0
    parameter_scale_bits: int = 0
    inner_columns: int = 1
    logrows: int | None = None
    decomposition_base: int = 128
    decomposition_legs: int = 3
    scale_rebase_multiplier: int = 1
    lookup_range: tuple[int, int] = (-32768, 32768)
    input_visibility: str = PUBLIC
    output_visibility: str = PUBLIC
    parameter_visibility: str = FIXED
    # The contract makes the inputs itself and bounds the outputs; nodes of ours bound hidden inputs
    # (`halo2/hidden`), because ezkl's check skips those that are hashed.
    ignore_range_check_of_inputs_and_outputs: bool = True
    disable_freivalds: bool = True

    @property
    def visibility(self) -> Visibility:
        """What its circuits show. Raises SettingsRefused."""
        asked = {
            "input_visibility": (self.input_visibility, OF_INPUTS),
            "output_visibility": (self.output_visibility, OF_OUTPUTS),
            "parameter_visibility": (self.parameter_visibility, OF_WEIGHTS),
        }
        for name, (found, choices) in asked.items():
            if found not in choices:
                raise SettingsRefused(name, found, " or ".join(choices))
        return Visibility(*(found for found, _ in asked.values()))

    def showing(self, visibility: Visibility) -> "RunArguments":
        """The same for a circuit that shows what this says. Raises SettingsRefused where something
        else was asked for, which is more than to show everything."""
        if not self.visibility.open and self.visibility != visibility:
            raise SettingsRefused("visibility", self.visibility.words, visibility.words)
        return replace(
            self,
            input_visibility=visibility.inputs,
            output_visibility=visibility.outputs,
            parameter_visibility=visibility.weights,
        )

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "RunArguments":
        """What `dataclasses.asdict` made of them, through JSON. Raises TypeError for others."""
        low, high = fields["lookup_range"]
        return cls(**{**fields, "lookup_range": (low, high)})


def default_arguments(integer: bool, visibility: Visibility = OPEN) -> RunArguments:
    """Exact for integer networks; 7 bits of fraction and ReLUs up to 2^28 for float ones. What is
    hidden is decomposed, so that integers need legs for 63 bits."""
    if integer and (visibility.inputs != PUBLIC or visibility.weights == HASHED):
        return RunArguments(decomposition_legs=HIDDEN_LEGS)
    if integer:
        return RunArguments()
    return RunArguments(input_scale_bits=7, parameter_scale_bits=7, decomposition_legs=4)


def least_arguments(integer: bool) -> RunArguments:
    """What costs least, of all that samples could lead to: one leg and the smallest table."""
    return replace(default_arguments(integer), decomposition_legs=1, lookup_range=(-2, 2))


def check_arguments(arguments: RunArguments) -> None:
    """Refuse what is known to be unsound before ezkl runs. Raises SettingsRefused."""
    _require("disable_freivalds", arguments.disable_freivalds, True)


def check_settings(settings: Settings, integer: bool, visibility: Visibility = OPEN) -> None:
    """Refuse settings, as ezkl wrote them, that break a soundness rule, or show and hide something
    else than was asked for. Raises SettingsRefused."""
    run = settings["run_args"]
    _require("run_args.input_visibility", run["input_visibility"], WRITTEN[visibility.inputs])
    _require("run_args.output_visibility", run["output_visibility"], WRITTEN[visibility.outputs])
    _require("run_args.param_visibility", run["param_visibility"], WRITTEN[visibility.weights])
    _require("run_args.disable_freivalds", run["disable_freivalds"], True)
    columns = settings["einsum_params"]["total_einsum_col_size"]
    _require("einsum_params.total_einsum_col_size", columns, 0)
    if integer:
        scales = [*settings["model_input_scales"], *settings["model_output_scales"]]
        _require("scales of inputs and outputs", scales, [0] * len(scales))
        _require("required_lookups", settings["required_lookups"], [])


def canonical(settings: Settings) -> Settings:
    """The same circuit's settings, in the one order that makes keys reproducible.

    ezkl writes hash-map order and the time of day; keys and Solidity depend on the former.
    """
    fixed = {key: value for key, value in settings.items() if key != "timestamp"}
    for key in ("required_range_checks", "required_lookups"):
        fixed[key] = sorted(fixed[key], key=_order)
    einsums = dict(fixed["einsum_params"])
    einsums["equations"] = sorted(einsums["equations"], key=_order)
    fixed["einsum_params"] = einsums
    return fixed


def to_bytes(settings: Settings) -> bytes:
    """The file form, byte-identical for equal settings."""
    return (json.dumps(settings, sort_keys=True, indent=1) + "\n").encode()


def least_logrows(settings: Settings) -> int:
    """The smallest k for which one block of columns is enough. Raises SettingsRefused."""
    counts = [settings["num_rows"], settings["total_const_size"], *_indivisible(settings)]
    return _logrows(max(counts))


def fewest_logrows(settings: Settings) -> int:
    """The smallest k at all: tables and public values must fit. Raises SettingsRefused."""
    return _logrows(max(_indivisible(settings)))


def choose_logrows(settings: Settings, wanted: int | None) -> int:
    """The k to build with; `wanted` is RunArguments.logrows. Raises SettingsRefused."""
    if wanted is None:
        return least_logrows(settings)
    if wanted < (fewest := fewest_logrows(settings)):
        raise SettingsRefused("logrows", wanted, f"at least {fewest} for tables and public values")
    return wanted


def instance_count(settings: Settings) -> int:
    """How many public values a proof has: numbers that are shown, and hashes."""
    shown: int = sum(math.prod(shape) for shape in settings["model_instance_shapes"])
    hashes: int = sum(settings["module_sizes"]["poseidon"][1])
    return shown + hashes


def laid_out(settings: Settings, logrows: int, inner_columns: int) -> Settings:
    """The same in other rows and columns, for estimates: ezkl would count the cells again."""
    changed = {"logrows": logrows, "num_inner_cols": inner_columns}
    return {**settings, "run_args": {**settings["run_args"], **changed}}


def lookup_table(settings: Settings) -> tuple[int, int] | None:
    """The least and the largest value that the circuit's tables hold; None when it has none."""
    if not settings["required_lookups"]:
        return None
    low, high = settings["run_args"]["lookup_range"]
    return low, high


def _logrows(rows: int) -> int:
    logrows = max(LEAST_LOGROWS, math.ceil(math.log2(rows + RESERVED_ROWS)))
    if logrows > MOST_LOGROWS:
        raise SettingsRefused("logrows", logrows, f"at most {MOST_LOGROWS}: make the model smaller")
    return logrows


def _indivisible(settings: Settings) -> Iterator[int]:
    """Rows of what ezkl cannot, or should not, spread over several columns."""
    yield settings["total_dynamic_col_size"]
    yield settings["total_shuffle_col_size"]
    yield instance_count(settings)
    yield settings["module_sizes"]["poseidon"][0]  # hashing has columns of its own
    for low, high in settings["required_range_checks"]:
        yield high - low
    if settings["required_lookups"]:
        low, high = settings["run_args"]["lookup_range"]
        yield high - low


def _require(rule: str, found: object, expected: object) -> None:
    if found != expected:
        raise SettingsRefused(rule, found, expected)


def _order(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


__all__ = [
    "MOST_FRACTION_BITS",
    "RunArguments",
    "Settings",
    "canonical",
    "check_arguments",
    "check_settings",
    "choose_logrows",
    "default_arguments",
    "fewest_logrows",
    "instance_count",
    "laid_out",
    "least_arguments",
    "least_logrows",
    "lookup_table",
    "to_bytes",
]
