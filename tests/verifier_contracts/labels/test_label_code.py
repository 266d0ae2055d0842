"""Which classifiers contracts can hold, and what is said of the others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.classifiers import LABELS, TEXTS, random_classifier, random_weights
from tests.support.command_line import exit_code, one_line_error
from zkagent.models.classifier.files import TextClassifier, save_classifier
from zkagent.models.classifier.text import learn_words
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.deployment.label_code import label_bytes, label_code
from zkagent.verifier_contracts.errors import ModelCodeError


def of_size(folder: Path, size: str) -> TextClassifier:
    facts = {"size": size, "labels": LABELS, "seed": 0, "accuracy": None}
    counts = {"training_texts": len(TEXTS), "refused_training_texts": 0}
    weights = random_weights(size=size)
    return save_classifier(folder, weights, learn_words(TEXTS), {**facts, **counts})


@pytest.mark.parametrize(("size", "chunks"), [("S", 11), ("M", 22)])
def test_sizes_s_and_m_fit(tmp_path: Path, size: str, chunks: int) -> None:
    code = label_code(of_size(tmp_path / size, size))
    assert len(code.text_chunks) == chunks
    assert len(code.names) == len(code.components) == chunks + 1
    assert all(part[:1] == b"\0" and len(part) <= MAX_CODE_BYTES for part in code.components)
    whole = sum(len(part) - 1 for part in code.text_chunks)
    assert whole == code.rows * 64


@pytest.mark.parametrize("command", ["chain", "deploy"])
def test_larger_ones_are_refused_before_anything_is_built(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    folder = of_size(tmp_path / "large", "L").directory
    monkeypatch.chdir(tmp_path)
    Path("key").write_text("11" * 32)
    there = ("--rpc", "http://127.0.0.1:1", "--key-file", "key") if command == "deploy" else ()
    assert exit_code(command, "--model", folder, *there) == 1
    error = one_line_error(capsys)
    assert "a classifier of size L has a table of 8192 x 96" in error
    assert "train one of size S or M" in error


def test_a_row_lies_as_the_contract_reads_it(tmp_path: Path) -> None:
    classifier = random_classifier(tmp_path / "classifier")
    code, row = label_code(classifier), 384  # the second one of the second contract
    lies = code.text_chunks[1][1 + 64 : 1 + 128]
    values = np.frombuffer(lies, np.uint8).astype(int) - 128
    assert values[0::2].tolist() == classifier.table[row][:32].tolist()
    assert values[1::2].tolist() == classifier.table[row][32:].tolist()


def test_labels_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    classifier = random_classifier(tmp_path / "classifier")
    for labels, why in (
        (("a", "b" * 8200), "shorten the labels"),
        (("a", "b" * (1 << 16)), "shorten it"),
        (("a", "\ud800"), "is no text"),
    ):
        manifest = classifier.manifest.model_copy(update={"labels": labels})
        with pytest.raises(ModelCodeError, match=why):
            label_code(replace(classifier, manifest=manifest))
    assert label_bytes(("\u00e9", "")) == b"\0\x02\0\x02\xc3\xa9\0\0"
