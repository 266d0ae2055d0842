"""Which model a receipt's verdict is about: never a folder that only the receipt names."""

import shutil
from pathlib import Path

import pytest

from zkagent.executor.api import receipts
from zkagent.executor.receipts.verdicts import Check
from zkagent.models.catalogue import Model, load_model
from zkagent.models.errors import UnknownModel


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model in the working directory, as if it had come with the receipt, with other words."""
    shipped = load_model("wallet", Model).onnx_path.parent
    copied = tmp_path / "walIet"
    shutil.copytree(shipped, copied)
    monkeypatch.chdir(tmp_path)
    return copied


def test_a_folder_that_the_receipt_names_is_not_read(folder: Path) -> None:
    for name in (folder.name, f"./{folder.name}", str(folder), "../" + folder.parent.name, "", "/"):
        with pytest.raises(UnknownModel):
            receipts._models(None)(name)


def test_a_shipped_model_is_found_by_its_name_though_a_folder_has_it(folder: Path) -> None:
    shipped = load_model("wallet", Model)
    folder.rename(folder.with_name("wallet"))
    assert receipts._models(None)("wallet").onnx_path == shipped.onnx_path


def test_a_folder_is_taken_when_the_asker_names_it(folder: Path) -> None:
    assert receipts._models(folder)("whatever").digest == load_model("wallet", Model).digest


def test_a_model_that_is_not_shipped_is_said_with_its_digest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = receipts._models(folder)("")
    assert not tuple(receipts._vouched(chosen))  # the same model by another way
    monkeypatch.setattr(receipts, "shipped_deciders", lambda: [])
    (said,) = receipts._vouched(chosen)
    assert isinstance(said, Check)
    assert (said.held, chosen.digest in said.note) == (True, True)
