"""What a benchmark run leaves behind: results.json, as data.

Seconds, bytes and gas are in the names. A field is None when it was not measured: the form has no
such thing (an EVM contract proves nothing), or the run was interrupted before.
"""

import json
from pathlib import Path
from statistics import median
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from zkagent.executor.errors import BenchResultsUnreadable
from zkagent.models.files import read_limited
from zkagent.models.folders import Folder, write_folder
from zkagent.models.strict_json import load_json

RESULTS = "results.json"

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Timing(_Record):
    """Seconds, one for each repetition, in the order in which they were taken."""

    values: Annotated[tuple[Seconds, ...], Field(min_length=1)]

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)

    @property
    def spread(self) -> float:
        """Median distance from the median, as a share of the median: one outlier does not move
        it."""
        return median(abs(value - self.median) for value in self.values) / self.median


class Share(_Record):
    """`hits` of `total`."""

    hits: Count
    total: Annotated[int, Field(gt=0)]

    @property
    def value(self) -> float:
        return self.hits / self.total


class Network(_Record):
    """A model as it is given to every form.

    multiply_adds: products with weights; None where they are not counted (float networks).
    accuracy: of the network itself by onnxruntime, on `accuracy_of`; None without labels.
    family: models of one family are compared with each other in plots, where they are called by
    their `short` names.
    """

    name: str
    title: str
    family: str
    short: str = ""
    onnx: Sha256
    inputs: Count
    outputs: Count
    exact: bool
    multiply_adds: Count | None = None
    accuracy: Share | None = None
    accuracy_of: str = ""


class Case(_Record):
    """One form of one network at one batch size.

    form: `zkagent`, `tuned-...`, `ezkl-defaults` or `evm`. circuit: its digest, of our circuits.
    cells: assignments, rows times inner columns. instances: public values. agreement: samples on
    which the circuit decides as onnxruntime does. accuracy: like the network's, by the circuit.
    verify_gas: of the call alone, without the transaction's own 21,000 and its calldata, which is
    calldata_gas for calldata_bytes. stock_verify_gas: the same circuit by the verifier that ezkl
    writes. deploy_gas: of the whole deployment, data contracts included. code_bytes: on chain.
    """

    network: str
    form: str
    batch: Annotated[int, Field(ge=1)] = 1
    circuit: Sha256 | None = None
    logrows: Count | None = None
    columns: Count | None = None
    rows: Count | None = None
    cells: Count | None = None
    instances: Count | None = None
    setup_s: Timing | None = None
    witness_s: Timing | None = None
    prove_s: Timing | None = None
    verify_s: Timing | None = None
    setup_peak_bytes: Count | None = None
    prove_peak_bytes: Count | None = None
    pk_bytes: Count | None = None
    vk_bytes: Count | None = None
    proof_bytes: Count | None = None
    calldata_bytes: Count | None = None
    calldata_gas: Count | None = None
    verify_gas: Count | None = None
    stock_verify_gas: Count | None = None
    deploy_gas: Count | None = None
    code_bytes: Count | None = None
    agreement: Share | None = None
    accuracy: Share | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        return self.network, self.form, self.batch

    @property
    def gas_per_decision(self) -> float | None:
        return None if self.verify_gas is None else self.verify_gas / self.batch

    @property
    def prove_s_per_decision(self) -> float | None:
        return None if self.prove_s is None else self.prove_s.median / self.batch


class IterationCost(_Record):
    """Gas of one iteration of an agent's run: to decide, to verify, to act."""

    decide: Count
    verify: Count
    act: Count


class Run(_Record):
    """An agent's run on a chain, all in one transaction; shared_gas belongs to no iteration alone
    (calldata, frame, base cost)."""

    network: str
    form: str
    prompt: str
    transaction_gas: Count
    shared_gas: Count
    iterations: tuple[IterationCost, ...]


class Machine(_Record):
    """Where it was measured. load_before, load_after: 1-minute averages; None where unknown."""

    processor: str
    cores: Count
    memory_bytes: Count | None
    system: str
    load_before: float | None = None
    load_after: float | None = None

    @property
    def identity(self) -> tuple[str, int, str]:
        """What must be equal for seconds to be compared."""
        return self.processor, self.cores, self.system


class Results(_Record):
    """A run. complete: False when it was interrupted; then only what was measured is there.

    rounds: how often each proof was made. versions: of what can change a figure. notes: what was
    left out, and why.
    """

    format: Literal["zkagent-bench-1"] = "zkagent-bench-1"
    suite: str
    started: str
    duration_s: float
    complete: bool
    rounds: Count
    threads: Count | None
    machine: Machine
    versions: dict[str, str]
    networks: tuple[Network, ...] = ()
    cases: tuple[Case, ...] = ()
    runs: tuple[Run, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _networks_are_known(self) -> Self:
        known = {network.name for network in self.networks}
        for name in (case.network for case in self.cases):
            if name not in known:
                raise ValueError(f"a case is of {name!r}, which is not among the networks")
        return self

    def network(self, name: str) -> Network:
        return next(network for network in self.networks if network.name == name)

    def case(self, network: str, form: str, batch: int = 1) -> Case | None:
        """None when it was not measured."""
        wanted = (network, form, batch)
        return next((case for case in self.cases if case.key == wanted), None)

    def of_form(self, form: str, batch: int | None = None) -> tuple[Case, ...]:
        return tuple(c for c in self.cases if c.form == form and batch in (None, c.batch))

    def to_json(self) -> str:
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"

    def save(self, folder: Path | Folder) -> Path:
        """Write results.json at once or not at all."""
        return write_folder(folder, {RESULTS: self.to_json().encode()}) / RESULTS

    @classmethod
    def load(cls, path: Path) -> Self:
        """From results.json or its folder. Raises BenchResultsUnreadable."""
        file = path / RESULTS if path.is_dir() else path
        try:
            content = read_limited(file)
            load_json(content)
            return cls.model_validate_json(content)
        except OSError as exc:
            raise BenchResultsUnreadable(file, f"it cannot be read ({exc.strerror})") from exc
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise BenchResultsUnreadable(file, f"{where}: {first['msg']}") from exc
        except ValueError as exc:
            raise BenchResultsUnreadable(file, f"it is no JSON of ours: {exc}") from exc


__all__ = ["RESULTS", "Case", "IterationCost", "Machine", "Network", "Results", "Run", "Share"]
__all__ += ["Timing"]
