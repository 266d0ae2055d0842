"""What a command writes replaces an earlier result of its own, and nothing else."""

import json
from pathlib import Path

import pytest

from tests.executor.drain import drain_model
from tests.support.classifiers import random_classifier
from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from zkagent.circuits.artifacts import Proof
from zkagent.executor.cli.agent_sources import _is_build as is_build
from zkagent.executor.cli.proof_files import is_proof
from zkagent.executor.errors import FileInTheWay
from zkagent.executor.places import results_folder
from zkagent.models import catalogue
from zkagent.models.catalogue import is_model
from zkagent.models.classifier import files as classifier_files
from zkagent.verifier_contracts.evm.standalone import is_standalone

PROOF = Proof("ab" * 32, (1, 2), (3,), b"x").to_json()
EVM = "// SPDX-License-Identifier: MIT\n\n/// @notice Generated from the ONNX file with SHA-256 0\n"
BUILD = json.dumps({"A": {"abi": [], "bytecode": "0x", "deployedBytecode": "0x"}})
MINE = {
    "key": "11" * 32 + "\n",
    "receipt": '{"format": "zkagent-receipt-3", "runs": []}',
    "deployment": '{"registry": "0x00", "executor": "0x00"}',
    "input": "[1, 2, 3]",
    "contract": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.30;\ncontract Mine {}\n",
    "other bytes": "\udcff",
    "blanks": " \n",
    "null": "null",
    "nothing in braces": "{}",
    "words": "Generated from the ONNX file with SHA-256",
}
#: Commands whose result can be made again, as they are given; {} is a place.
WRITERS = {
    "zkagent prove": (("prove", "ab" * 32, "--input", "{}/x.json"), PROOF),
    "zkagent model evm": (("model", "evm", "wallet"), EVM),
    "zkagent agent build": (("agent", "build", "{}/A.sol"), BUILD),
}
#: Whose result cannot be made again: whatever is there is in the way.
NEVER = {"zkagent agent deploy", "zkagent ceremony contribute", "zkagent deploy"} | {
    "zkagent model import"
}
#: They take a folder, in which files of theirs have names that are documented.
FOLDERS = {
    "zkagent bench",
    "zkagent bench networks",
    "zkagent ceremony init",
    "zkagent model train",
    "zkagent model train-classifier",
}


def test_these_are_all_that_write_where_they_are_told() -> None:
    asked = {
        name
        for name, found in TREE.items()
        if any("--out" in option.opts for option in found.params)
    }
    assert asked == {*WRITERS, *NEVER, *FOLDERS}


@pytest.mark.parametrize("what", MINE)
@pytest.mark.parametrize("command", WRITERS)
def test_nothing_else_is_overwritten(
    command: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("[1, 2]")
    (tmp_path / "A.sol").write_text("contract A {}")
    place = tmp_path / "mine"
    place.write_text(MINE[what], errors="surrogateescape")
    before = place.read_bytes()
    words = [word.format(tmp_path) for word in WRITERS[command][0]]
    assert exit_code(*words, "--out", place) == 1
    assert "mine is there already: name another file" in one_line_error(capsys)
    assert place.read_bytes() == before


@pytest.mark.parametrize("is_own", [is_proof, is_standalone, is_build])
def test_each_command_knows_its_own(is_own: object) -> None:
    assert callable(is_own)
    own = [is_own(text) for _, text in WRITERS.values()]
    assert own == [each is is_own for each in (is_proof, is_standalone, is_build)]


def test_the_evm_models_source_is_known_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "Model.sol"
    assert exit_code("model", "evm", "wallet", "--out", place) == 0
    made = place.read_bytes()
    place.write_bytes(made + b"// longer\n")
    assert exit_code("model", "evm", "wallet", "--out", place) == 0
    assert place.read_bytes() == made


def trained(folder: Path, *, classifier: bool) -> list[object]:
    """The command that trains into `folder`."""
    data = folder.with_name("data.jsonl")
    data.write_text('{"text": "a", "label": "b"}')
    given = ["--data", data] if classifier else ["wallet"]
    return ["model", "train-classifier" if classifier else "train", *given, "--out", folder]


@pytest.mark.parametrize("classifier", [True, False])
def test_only_models_are_trained_anew_where_they_lie(
    classifier: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = classifier_files.FILES if classifier else catalogue.FILES
    kinds = random_classifier(tmp_path / "theirs"), drain_model(tmp_path / "agents")
    own, other = kinds if classifier else reversed(kinds)
    for name in names:
        folder = tmp_path / f"a folder with {name}"
        folder.mkdir()
        (folder / name).write_text("my own")
        assert exit_code(*trained(folder, classifier=classifier)) == 1
        assert f"{name} is there already" in one_line_error(capsys)
        assert (folder / name).read_text() == "my own"
    before = (other.directory / "model.onnx").read_bytes()
    assert exit_code(*trained(other.directory, classifier=classifier)) == 1
    assert "is there already" in one_line_error(capsys)
    assert (other.directory / "model.onnx").read_bytes() == before
    for _ in range(2):
        with results_folder(
            own.directory, names, lambda folder: is_model(folder, type(own))
        ) as out:
            out.put({"model.onnx": (own.directory / "model.onnx").read_bytes()})
    with results_folder(tmp_path, names, lambda folder: False):  # none of them is there
        pass
    (own.directory / "model.onnx").write_bytes(b"my own")
    with (
        pytest.raises(FileInTheWay),
        results_folder(own.directory, names, lambda folder: is_model(folder, type(own))),
    ):
        pytest.fail("it was opened")
