"""Which sample files are taken, and what the refusals say."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_networks import read_back, relu_network, square_network
from zkagent.circuits.errors import SamplesRefused
from zkagent.circuits.faces import Face
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.samples import Samples, load_samples


@pytest.fixture
def network(tmp_path: Path) -> Network:
    """Takes float32 [1, 4], named x."""
    return read_back(tmp_path, relu_network())


@pytest.fixture
def integers(square_onnx: Path) -> Network:
    """Takes int64 [1, 4]."""
    return read_network(square_onnx)


def loaded(folder: Path, network: Network, /, **arrays: object) -> Samples:
    path = folder / "samples.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return load_samples(path, network)


def test_the_only_array_or_the_one_named_like_the_input_is_taken(
    network: Network, tmp_path: Path
) -> None:
    values = np.arange(8.0).reshape(2, 1, 4)
    for arrays in ({"anything": values}, {"x": values, "labels": np.zeros(2)}):
        samples = loaded(tmp_path, network, **arrays)
        assert len(samples) == 2
        assert [sample.tolist() for (sample,) in samples] == values.tolist()
        assert samples.values[0].dtype == np.float32
    assert len(samples.first(1)) == 1


def test_the_leading_one_of_the_shape_may_be_left_out(network: Network, tmp_path: Path) -> None:
    assert loaded(tmp_path, network, x=np.zeros((3, 4))).values[0].shape == (3, 1, 4)


def test_integers_stay_exact(integers: Network, tmp_path: Path) -> None:
    samples = loaded(tmp_path, integers, x=np.array([[2**53 + 1, -(2**63), 0, 1]]))
    assert samples.values[0].tolist() == [[[2**53 + 1, -(2**63), 0, 1]]]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.zeros((2, 5)), r"has shape \[2, 5\], expected \[n, 1, 4\]"),
        (np.zeros((4,)), r"has shape \[4\], expected"),
        (np.float64(3.0), r"has shape \[\], expected"),
        (np.zeros((2, 2, 4)), r"has shape \[2, 2, 4\]"),
        (np.zeros((0, 4)), "is empty"),
        (np.array([[0, 1, np.nan, 2]]), r"holds nan at \[0, 2\], expected finite"),
        (np.array([[0, 1, 2, -np.inf]]), r"holds -inf at \[0, 3\]"),
        (np.array([[0, 1, 2, 1e30]]), r"holds 1e\+30 at \[0, 3\], expected at most 2\^24"),
        (np.array([["a", "b", "c", "d"]]), "its array is <U1, expected float32"),
        (np.zeros((1, 4), dtype=complex), "its array is complex128"),
        (np.zeros((1, 4), dtype=bool), "its array is bool"),
    ],
)
def test_values_that_are_no_inputs_are_refused(
    network: Network, tmp_path: Path, values: object, reason: str
) -> None:
    with pytest.raises(SamplesRefused, match=reason):
        loaded(tmp_path, network, x=values)


def test_fractions_and_too_wide_integers_are_refused_by_an_integer_network(
    integers: Network, tmp_path: Path
) -> None:
    with pytest.raises(SamplesRefused, match="its array is float64, the network takes int64"):
        loaded(tmp_path, integers, x=np.zeros((1, 4)))
    with pytest.raises(SamplesRefused, match="holds 18446744073709551615"):
        loaded(tmp_path, integers, x=np.full((1, 4), 2**64 - 1, dtype=np.uint64))


def test_python_objects_are_refused_and_never_unpickled(network: Network, tmp_path: Path) -> None:
    marker = tmp_path / "run"
    with pytest.raises(SamplesRefused, match="holds Python objects"):
        loaded(tmp_path, network, x=np.array([Touch(marker)], dtype=object))
    assert not marker.exists()


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


def test_several_arrays_need_one_of_the_input_s_name(network: Network, tmp_path: Path) -> None:
    with pytest.raises(SamplesRefused, match="has the arrays a, b, expected one named 'x'"):
        loaded(tmp_path, network, a=np.zeros((1, 4)), b=np.zeros((1, 4)))


def test_a_file_that_is_no_npz_is_refused(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    with pytest.raises(SamplesRefused, match=r"cannot be read \(No such file"):
        load_samples(path, network)
    for content in (b"", b"1,2,3,4\n", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(SamplesRefused, match=r"not an \.npz file: write it with numpy\.savez"):
            load_samples(path, network)


def test_a_damaged_npz_is_refused(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00garbage")
    with pytest.raises(SamplesRefused, match="it is damaged"):
        load_samples(path, network)
    np.savez(path, x=np.zeros((100, 4)))
    content = bytearray(path.read_bytes())
    content[400] ^= 1
    path.write_bytes(content)
    with pytest.raises(SamplesRefused, match="it is damaged"):
        load_samples(path, network)


def test_the_network_of_these_tests_is_what_they_say(integers: Network) -> None:
    assert integers.content == square_network()
    assert integers.inputs == (Face("x", "int64", (1, 4)),)
