"""Ten models of scikit-learn, XGBoost and LightGBM, from training to a proof: `make learned`.

Each is trained on three quarters of a data set that scikit-learn ships, imported, and built with
samples of that part. Then the circuit's witness decides on the whole of the other part, and its
labels are held against those of the library that trained the model; one proof is made and verified.
Prints a table in Markdown, as docs/own-models.md has it.
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import OutsideRange
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.fidelity import circuit_outputs, quantised
from zkagent.circuits.networks.imports.imported import import_model
from zkagent.circuits.networks.network import Network, read_network

Array = npt.NDArray[Any]

SEED = 0
SAMPLES = 256  # of the training part at most, to calibrate with
RELATIVE = 0.01  # of a regression's largest number


@dataclass(frozen=True)
class Case:
    """name: in the table. data: of sklearn.datasets, without `load_`. make: the estimator. save:
    writes the trained one into a file of this end, by default as a pickle."""

    name: str
    data: str
    make: Callable[[], Any]
    save: Callable[[Any, Path], None] | None = None
    end: str = ".joblib"
    labels_only: bool = False


@dataclass(frozen=True)
class Result:
    """same: on how many of `count` inputs of the test part the circuit has the library's label, or
    a number within RELATIVE of the largest. rows: and 2^logrows with all that does not fit them."""

    same: int
    count: int
    bits: int
    rows: int
    logrows: int
    prove_s: float
    verified: bool


def cases() -> Iterator[Case]:
    """In the order of the table."""
    import lightgbm
    import xgboost
    from sklearn.ensemble import (
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    def logistic(**more: Any) -> Any:
        return LogisticRegression(max_iter=5000, **more)

    def booster(model: Any, path: Path) -> None:
        model.save_model(path)

    def lightgbm_booster(model: Any, path: Path) -> None:
        model.booster_.save_model(path)

    yield Case("linear regression", "diabetes", LinearRegression)
    yield Case("logistic regression", "iris", logistic)
    yield Case(
        "scaler, logistic regression", "wine", lambda: make_pipeline(StandardScaler(), logistic())
    )
    yield Case(
        "normaliser, logistic regression",
        "digits",
        lambda: make_pipeline(Normalizer(), logistic(C=100)),
    )
    yield Case(
        "MLP of 32, labels only",
        "digits",
        lambda: MLPClassifier((32,), max_iter=500, random_state=SEED),
        labels_only=True,
    )
    yield Case("decision tree", "breast_cancer", lambda: DecisionTreeClassifier(random_state=SEED))
    yield Case(
        "random forest of 30",
        "digits",
        lambda: RandomForestClassifier(30, max_depth=8, random_state=SEED),
    )
    yield Case(
        "gradient boosting, 20 trees, labels only",
        "breast_cancer",
        lambda: GradientBoostingClassifier(n_estimators=20, random_state=SEED),
        labels_only=True,
    )
    yield Case(
        "histogram gradient boosting, 3 x 20 trees",
        "wine",
        lambda: HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=15, random_state=SEED),
    )
    yield Case(
        "XGBoost, 10 x 20 trees",
        "digits",
        lambda: xgboost.XGBClassifier(n_estimators=20, max_depth=4, random_state=SEED),
        booster,
        ".json",
    )
    yield Case(
        "LightGBM, 20 trees, labels only",
        "breast_cancer",
        lambda: lightgbm.LGBMClassifier(
            n_estimators=20, num_leaves=15, verbose=-1, random_state=SEED
        ),
        lightgbm_booster,
        ".txt",
        labels_only=True,
    )


def parts(name: str) -> tuple[Array, Array, Array]:
    """Inputs to train on, with their targets, and to test on."""
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    found = getattr(datasets, f"load_{name}")()
    train, test, targets, _ = train_test_split(
        found.data.astype(np.float32), found.target, test_size=0.25, random_state=SEED
    )
    return train, targets, test


def run(case: Case, folder: Path, cache: Path | None) -> Result:
    """folder: for its files. cache: for circuits. Raises CircuitError."""
    train, targets, test = parts(case.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that did not end
        model = case.make().fit(train, targets)
    file, onnx, samples = (folder / f"model{end}" for end in (case.end, ".onnx", ".npz"))
    if case.save is None:
        import joblib

        joblib.dump(model, file)
    else:
        case.save(model, file)
    made = import_model(file, trusted=case.save is None, labels_only=case.labels_only)
    onnx.write_bytes(made.content)
    np.savez(samples, x=train[:SAMPLES])
    circuit = build_circuit(onnx, cache=cache, data=Data(samples))
    network, expected = read_network(onnx), np.asarray(model.predict(test)).reshape(-1)
    found = [_first(circuit, network, row) for row in test]
    same = _same(expected, found)
    began = time.monotonic()
    settings = _settings(circuit)
    x = quantised((test[:1],), settings["model_input_scales"])[0]
    proof = ezkl_engine.prove(circuit, x)
    took = time.monotonic() - began
    return Result(
        same,
        len(test),
        settings["model_input_scales"][0],
        settings["num_rows"],
        settings["run_args"]["logrows"],
        took,
        ezkl_engine.verify(circuit, proof),
    )


def _settings(circuit: Circuit) -> Mapping[str, Any]:
    import json

    found: Mapping[str, Any] = json.loads(circuit.settings.read_text())
    return found


def _first(circuit: Circuit, network: Network, row: Array) -> float | None:
    """The first number of the first output, by the witness; None where that has no room for it."""
    settings = _settings(circuit)
    try:
        outputs = circuit_outputs(circuit.compiled, dict(settings), network, (row[None],))
    except OutsideRange:
        return None
    return float(outputs[0].reshape(-1)[0] / 2 ** settings["model_output_scales"][0])


def _same(expected: Array, found: list[float | None]) -> int:
    if expected.dtype.kind == "f":
        near = RELATIVE * float(np.abs(expected).max())
        pairs = zip(expected.tolist(), found, strict=True)
        return sum(ours is not None and abs(ours - theirs) <= near for theirs, ours in pairs)
    return sum(ours == theirs for theirs, ours in zip(expected.tolist(), found, strict=True))


def main() -> int:
    """Exit code 1 where a label differs or a proof does not verify."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="cases whose name contains this")
    asked, well = parser.parse_args(), True
    print("| model | data | same labels | bits | rows | proof |")
    print("|---|---|---:|---:|---:|---:|")
    for case in cases():
        if asked.only and asked.only not in case.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = run(case, Path(folder), None)
        well &= found.verified and found.same == found.count
        print(
            f"| {case.name} | {case.data} | {found.same} of {found.count} | {found.bits} | "
            f"{found.rows:,} of 2^{found.logrows} | {found.prove_s:.1f} s"
            f"{'' if found.verified else ', FALSE'} |",
            flush=True,
        )
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
