"""Trained models from their files to networks of tensors: with the libraries that trained them,
where these are installed."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import ModelProto

from tests.support.learned_models import FLOAT, INT64, Trees, model, node
from zkagent.circuits.errors import EngineCrashed, EngineMissing, NetworkRefused
from zkagent.circuits.networks.imports import loading
from zkagent.circuits.networks.imports.imported import Imported, import_model
from zkagent.circuits.networks.imports.isolated import import_isolated
from zkagent.circuits.networks.imports.trial import outputs
from zkagent.circuits.networks.network import read_network

Array = npt.NDArray[Any]
TOUCHED = "touched"


class Touching:
    """Whoever unpickles it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.fixture
def iris() -> tuple[Array, Array]:
    found = pytest.importorskip("sklearn.datasets").load_iris()
    return found.data.astype(np.float32), found.target


def assert_decides_alike(made: Imported, expected: Array, x: Array) -> None:
    found = outputs(made.content, x)
    if expected.dtype.kind in "OU":
        expected = np.array([made.names.index(each) for each in expected])
    assert np.array_equal(found[0].reshape(-1), expected)
    assert made.by_file.same == made.by_library.same == made.by_file.count


def kept(folder: Path, trained: Any) -> Path:
    joblib = pytest.importorskip("joblib")
    path = folder / "model.joblib"
    joblib.dump(trained, path)
    return path


@pytest.mark.parametrize("name", ["logistic", "pipeline", "mlp", "forest", "boosted", "histogram"])
def test_scikit_learn_s_classifiers(name: str, iris: tuple[Array, Array], tmp_path: Path) -> None:
    pytest.importorskip("skl2onnx")
    from sklearn import ensemble, linear_model, neural_network, pipeline, preprocessing

    logistic = linear_model.LogisticRegression(max_iter=500)
    made = {
        "logistic": logistic,
        "pipeline": pipeline.make_pipeline(preprocessing.StandardScaler(), logistic),
        "mlp": neural_network.MLPClassifier((4,), max_iter=50, random_state=0),
        "forest": ensemble.RandomForestClassifier(5, max_depth=3, random_state=0),
        "boosted": ensemble.GradientBoostingClassifier(n_estimators=3, random_state=0),
        "histogram": ensemble.HistGradientBoostingClassifier(max_iter=3, random_state=0),
    }[name]
    x, y = iris
    named = np.array(["setosa", "versicolor", "virginica"])[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.fit(x, named)
    found = import_model(kept(tmp_path, made), trusted=True)
    assert found.names == ("setosa", "versicolor", "virginica")
    assert [each.shape for each in found.outputs] == [(1,), (1, 3)]
    assert_decides_alike(found, made.predict(x), x)
    alone = import_model(kept(tmp_path, made), trusted=True, labels_only=True)
    assert [each.shape for each in alone.outputs] == [(1,)]
    assert_decides_alike(alone, made.predict(x), x)


@pytest.mark.parametrize("end", [".json", ".ubj"])
def test_xgboost_s_own_files_take_no_trust(
    end: str, iris: tuple[Array, Array], tmp_path: Path
) -> None:
    xgboost = pytest.importorskip("xgboost")
    pytest.importorskip("onnxmltools")
    x, y = iris
    trained = xgboost.XGBClassifier(n_estimators=3, max_depth=2).fit(x, y)
    path = tmp_path / f"booster{end}"
    trained.save_model(path)
    assert_decides_alike(import_model(path), trained.predict(x), x)
    regression = xgboost.XGBRegressor(n_estimators=3, max_depth=2).fit(x[:, :3], x[:, 3])
    regression.save_model(path)
    found = import_model(path)
    assert found.by_library.same == found.by_library.count
    assert np.allclose(
        outputs(found.content, x[:, :3])[0].reshape(-1), regression.predict(x[:, :3]), atol=1e-5
    )
    ranking = xgboost.XGBRanker(n_estimators=1).fit(x, y, qid=np.zeros(len(x), dtype=int))
    ranking.save_model(path)
    with pytest.raises(NetworkRefused, match="its objective is rank:"):
        import_model(path)


def test_lightgbm_s_own_files_take_no_trust(iris: tuple[Array, Array], tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    pytest.importorskip("onnxmltools")
    x, y = iris
    path = tmp_path / "booster.txt"
    for targets in (y, (y == 1).astype(int)):
        trained = lightgbm.LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trained.fit(x, targets)
            expected = np.asarray(trained.predict(x))
        trained.booster_.save_model(path)
        assert_decides_alike(import_model(path), expected, x)


def test_a_booster_within_a_pipeline(iris: tuple[Array, Array], tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    pytest.importorskip("onnxmltools")
    from sklearn import pipeline, preprocessing

    x, y = iris
    made = pipeline.make_pipeline(
        preprocessing.MinMaxScaler(), xgboost.XGBClassifier(n_estimators=3, max_depth=2)
    ).fit(x, y)
    found = outputs(import_model(kept(tmp_path, made), trusted=True).content, x)
    assert np.array_equal(found[0].reshape(-1), made.predict(x))


@pytest.mark.parametrize("end", [".pkl", ".pickle", ".joblib"])
def test_a_pickle_is_not_opened_without_trust(end: str, tmp_path: Path) -> None:
    path, touched = tmp_path / f"model{end}", tmp_path / TOUCHED
    path.write_bytes(pickle.dumps(Touching(touched)))
    with pytest.raises(NetworkRefused, match=r"a pickle runs the code .* say --trust"):
        import_model(path)
    assert not touched.exists()
    with pytest.raises(NetworkRefused, match="a pickle runs the code"):
        import_model(tmp_path / f"none{end}")  # nor looked for


def test_what_is_trusted_runs(tmp_path: Path) -> None:
    """And what comes of it is no model."""
    pytest.importorskip("joblib")
    pytest.importorskip("skl2onnx")
    path, touched = tmp_path / "model.pkl", tmp_path / TOUCHED
    path.write_bytes(pickle.dumps(Touching(touched)))
    with pytest.raises(NetworkRefused, match="how many features it takes: say --features N"):
        import_model(path, trusted=True)
    assert touched.exists()
    with pytest.raises(NetworkRefused, match="no ONNX file comes of its NoneType"):
        import_model(path, trusted=True, features=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["broken.pkl", "broken.json", "broken.ubj", "broken.txt"])
def test_damaged_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    """Also by libraries that end their process over them."""
    for package in ("joblib", "xgboost", "lightgbm"):
        pytest.importorskip(package)
    path = tmp_path / name
    for content in (b"", b"tree\nnothing\n", b'{"learner": {}}', bytes(range(256))):
        path.write_bytes(content)
        with pytest.raises((NetworkRefused, EngineCrashed)) as caught:
            import_isolated(path, trusted=True)
        assert "\n" not in str(caught.value)


def test_in_a_process_of_its_own_the_same_comes_out(tmp_path: Path) -> None:
    path, _ = forest(tmp_path)
    assert import_isolated(path) == import_model(path)
    with pytest.raises(NetworkRefused, match="is not known: give a pickle"):
        import_isolated(tmp_path / "model.h5")
    (tmp_path / "none.onnx").write_bytes(b"none")
    with pytest.raises(NetworkRefused, match=r"none\.onnx"):
        import_isolated(tmp_path / "none.onnx")


@pytest.mark.parametrize("name", ["model", "model.h5", "model.pt", ".pkl"])
def test_other_ends_of_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkRefused, match="is not known: give a pickle"):
        import_model(tmp_path / name, trusted=True)


@pytest.mark.parametrize(
    ("name", "package"), [("m.pkl", "scikit-learn"), ("m.json", "xgboost"), ("m.txt", "lightgbm")]
)
def test_what_is_not_installed_is_said(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(loading.importlib, "import_module", missing)
    (tmp_path / name).write_bytes(b"tree\n")
    with pytest.raises(EngineMissing, match=rf"^{package} is not .* -e '\.\[import\]' "):
        import_model(tmp_path / name, trusted=True)


def forest(tmp_path: Path) -> tuple[Path, ModelProto]:
    """An ONNX file of a forest of three classes."""
    trees = Trees("class", 3).grow(np.random.default_rng(1), [2, 2])
    made = node(
        "TreeEnsembleClassifier",
        "x",
        "label scores",
        **trees.attributes(),
        classlabels_int64s=[0, 1, 2],
    )
    found = model([made], {"label": INT64, "scores": FLOAT}, features=4, shapes=[["n"], ["n", 3]])
    path = tmp_path / "forest.onnx"
    path.write_bytes(found.SerializeToString())
    return path, found


def test_an_onnx_file_is_rewritten_without_any_of_these_libraries(tmp_path: Path) -> None:
    path, found = forest(tmp_path)
    made = import_model(path)
    assert (made.by_file.same, made.by_library.same) == (made.by_file.count, None)
    assert any("TreeEnsembleClassifier" in line for line in made.changes)
    x = np.random.default_rng(2).integers(-3, 4, (20, 4)).astype(np.float32)
    for one, other in zip(
        outputs(found.SerializeToString(), x), outputs(made.content, x), strict=True
    ):
        assert np.allclose(one, other, atol=1e-6)


def test_such_a_file_becomes_a_circuit_as_it_is(tmp_path: Path) -> None:
    path, _ = forest(tmp_path)
    network = read_network(path)
    assert [each.shape for each in network.outputs] == [(1,), (1, 3)]
    assert any("TreeEnsembleClassifier" in line for line in network.changes)


def test_a_converter_that_is_wrong_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zkagent.circuits.networks.imports import imported

    path, _ = forest(tmp_path)
    right = imported.outputs

    def wrong(content: bytes, inputs: Array) -> list[Array]:
        found = right(content, inputs)
        is_given = content != path.read_bytes()
        return [each + 1 for each in found] if is_given else found

    monkeypatch.setattr(imported, "outputs", wrong)
    with pytest.raises(NetworkRefused, match="on 0 of 256 random inputs only"):
        import_model(path)
