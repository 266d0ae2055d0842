"""The example networks decide something, the same each time, and are written with samples."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from zkagent.models.examples.__main__ import main
from zkagent.models.examples.networks import EXAMPLES

# The share of right answers that random guessing is far from (8, 10, 4 and 4 classes).
LEAST_ACCURACY = {"mlp": 0.6, "cnn": 0.6, "transformer": 0.9, "trees": 0.7}


def decisions(content: bytes, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape
    scores = [session.run(None, {"x": sample.reshape(shape)})[0] for sample in samples]
    return np.concatenate(scores).argmax(axis=-1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_decides_on_samples_it_was_not_fitted_on(name: str) -> None:
    example = EXAMPLES[name]()
    found = decisions(example.content, example.samples)
    assert (found == example.labels).mean() >= LEAST_ACCURACY[name]


def test_an_example_is_the_same_each_time() -> None:
    assert EXAMPLES["trees"]().content == EXAMPLES["trees"]().content


def test_an_example_is_written_with_its_samples(tmp_path: Path) -> None:
    written = main(["mlp", str(tmp_path / "new")]).splitlines()
    assert written == [str(tmp_path / "new" / name) for name in ("mlp.onnx", "mlp.npz")]
    with np.load(written[1]) as arrays:
        assert arrays["x"].shape == (256, 1, 64)
    assert Path(written[0]).read_bytes() == EXAMPLES["mlp"]().content


def test_a_wrong_name_says_which_there_are() -> None:
    with pytest.raises(SystemExit, match="mlp,cnn,transformer,trees"):
        main(["rnn", "."])
