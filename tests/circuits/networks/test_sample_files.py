"""The files that samples come in, and their rejected neighbours."""

import json
from pathlib import Path

import numpy as np
import pytest

from zkagent.circuits.errors import SamplesRefused
from zkagent.circuits.networks.sample_files import Found, read_arrays

ONE = [("x", (1, 3))]
TWO = [("a", (1, 2)), ("b", (1,))]


def read(folder: Path, name: str, content: str | bytes, faces: list = ONE) -> Found:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_arrays(path, faces)


def test_npy_is_the_one_input(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(2, 3))
    assert read_arrays(tmp_path / "x.npy", ONE).arrays[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(SamplesRefused, match="has the arrays a, expected one named 'b'"):
        read_arrays(tmp_path / "x.npy", TWO)


@pytest.mark.parametrize("name", ["y", "labels", "target"])
def test_npz_may_have_labels(tmp_path: Path, name: str) -> None:
    path = tmp_path / "samples.npz"
    np.savez(path, x=np.zeros((2, 3)), **{name: np.array([4, 5])})
    labels = read_arrays(path, ONE).labels
    assert labels is not None
    assert labels.tolist() == [4, 5]
    np.savez(path, x=np.zeros((2, 3)), other=np.array([4, 5]))
    assert read_arrays(path, ONE).labels is None


def test_an_input_that_is_called_like_labels_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    np.savez(path, y=np.zeros((2, 3)))
    found = read_arrays(path, [("y", (1, 3))])
    assert (found.arrays[0].shape, found.labels) == ((2, 3), None)


def test_several_inputs_go_by_name(tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    np.savez(path, b=np.zeros((4, 1)), a=np.ones((4, 2)))
    assert [each.shape for each in read_arrays(path, TWO).arrays] == [(4, 2), (4, 1)]
    np.savez(path, a=np.ones((4, 2)), c=np.zeros((4, 1)))
    with pytest.raises(SamplesRefused, match="expected one named 'b'"):
        read_arrays(path, TWO)


def test_csv_has_a_header_and_perhaps_labels(tmp_path: Path) -> None:
    found = read(tmp_path, "x.csv", "p,q,class,r\n1,2.5,0,3\n-4,5,1,6\n")
    assert found.arrays[0].tolist() == [[1, 2.5, 3], [-4, 5, 6]]
    assert found.labels is not None
    assert found.labels.tolist() == [0, 1]
    assert found.labels.dtype == np.int64
    plain = read(tmp_path, "x.csv", "\ufeffp,q,y\n1,2,3\n")  # y is the third of three inputs
    assert (plain.arrays[0].tolist(), plain.labels) == ([[1, 2, 3]], None)
    assert plain.arrays[0].dtype == np.int64
    both = read(tmp_path, "x.csv", "p,q,r\n1,2,3\n4,5,6\n", TWO)
    assert [each.tolist() for each in both.arrays] == [[[1, 2], [4, 5]], [[3], [6]]]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("1,2,3\n4,5,6\n", "expected a header"),
        ("p,q\n1,2\n", "has 2 columns of inputs, the network takes 3 numbers"),
        ("p,q,r,s\n1,2,3,4\n", "has 4 columns of inputs"),
        ("p,q,r\n1,2\n", "line 2 has 2 values, its header 3"),
        ("p,q,r\n1,2,three\n", "line 2 has 'three' under 'r', expected a number"),
        ("", "no table with a header"),
        (b"\xff\xfe", "no table with a header"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    with pytest.raises(SamplesRefused, match=reason):
        read(tmp_path, "x.csv", content)


def test_json_is_a_list_of_samples_or_one_for_each_input(tmp_path: Path) -> None:
    assert read(tmp_path, "x.json", "[[1, 2, 3], [4, 5, 6]]").arrays[0].shape == (2, 3)
    named = json.dumps({"b": [[1], [2]], "a": [[1, 2], [3, 4]], "labels": [0, 1]})
    found = read(tmp_path, "x.json", named, TWO)
    assert [each.shape for each in found.arrays] == [(2, 2), (2, 1)]
    assert found.labels is not None


def test_ezkl_s_json_has_a_flat_list_for_each_input(tmp_path: Path) -> None:
    one = read(tmp_path, "input.json", '{"input_data": [[1, 2, 3, 4, 5, 6]]}')
    assert one.arrays[0].shape == (2, 1, 3)
    two = read(tmp_path, "input.json", '{"input_data": [[1.0, 2.5], [true]]}', TWO)
    assert [each.shape for each in two.arrays] == [(1, 1, 2), (1, 1)]
    for content, reason in (
        ('{"input_data": [[1, 2, 3, 4]]}', "has 4 numbers for 'x', which takes 3"),
        ('{"input_data": [[]]}', "has 0 numbers"),
        ('{"input_data": [[1, 2, 3], [4]]}', "has 2 lists, the network 1 inputs"),
        ('{"input_data": 3}', "has int lists"),
    ):
        with pytest.raises(SamplesRefused, match=reason):
            read(tmp_path, "input.json", content)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.json", "[[1, 2], [3]]", "not of one length"),
        ("x.json", "{", "it is not JSON"),
        ("x.json", "3", "holds int, expected a list of samples"),
        ("x.npy", b"\x93NUMPY", "it is damaged"),
        ("x.txt", "1 2 3", "ends with none of .npz, .npy, .csv and .json"),
    ],
)
def test_files_that_hold_no_samples_are_refused(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(SamplesRefused, match=reason):
        read(tmp_path, name, content)


def test_python_objects_of_a_npy_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(SamplesRefused, match="holds Python objects"):
        read_arrays(tmp_path / "x.npy", ONE)
