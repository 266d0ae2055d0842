"""Export, bounds and the catalogue: exact integers, refused corruption, refused overflow."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.policies import DRAFT, random_model, random_tables, random_weights
from zkagent.models.catalogue import load_model, save_model
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.errors import (
    BoundExceeded,
    CorruptModel,
    ManifestError,
    OutputOutOfRange,
    UnknownModel,
)
from zkagent.models.networks.bounds import check_bounds
from zkagent.models.networks.onnx_export import export_policy
from zkagent.models.networks.policy import PolicyWeights, evaluate


def test_onnxruntime_computes_the_same_integers_as_plain_int64(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    weights = random_weights(rng)
    model = save_model(tmp_path, DRAFT, random_tables(rng), weights)
    for x in rng.integers(-32768, 32768, (50, 137)):
        assert model.infer(x.tolist()) == tuple(evaluate(weights, x).tolist())


def test_an_output_is_what_the_two_networks_give_by_hand() -> None:
    x = np.zeros(137, dtype=np.int64)
    x[0], x[41 + 16] = 3, 5  # one trunk feature, one feature of the second candidate
    rng = np.random.default_rng(2)
    w = random_weights(rng)
    y = evaluate(w, x)
    h = [3 * int(w.w1[0, j]) + int(w.b1[j]) for j in range(40)]
    assert y[2] == sum(h[j] ** 2 * int(w.w2[j, 2]) for j in range(40)) + int(w.b2[2])
    g = [5 * int(w.c1[0, j]) + int(w.d1[j]) for j in range(14)]
    assert y[10 + 3 + 1] == sum(g[j] ** 2 * int(w.c2[j, 1]) for j in range(14)) + int(w.d2[1])


def test_export_is_byte_identical() -> None:
    weights = random_weights(np.random.default_rng(3))
    assert export_policy(weights) == export_policy(weights)


def test_a_model_that_could_leave_64_bits_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(4)
    tables, w = random_tables(rng), random_weights(rng)
    heavy = PolicyWeights(w.w1 * 10000, w.b1, w.w2 * 1000, w.b2, w.c1, w.d1, w.c2, w.d2)
    with pytest.raises(BoundExceeded):
        save_model(tmp_path / "new", DRAFT, tables, heavy)
    assert not (tmp_path / "new").exists()


def test_the_bound_holds_for_the_worst_input_that_exists() -> None:
    rng = np.random.default_rng(5)
    tables, w = random_tables(rng), random_weights(rng)
    bounds = check_bounds(w, tables.text, tables.local)
    worst = np.sign(w.w1[:, 0]) * np.concatenate(
        [256 * np.abs(tables.text.astype(np.int64)).max(axis=0), np.full(9, 7 * 32)]
    )
    x = np.concatenate([worst, np.zeros(96, dtype=np.int64)])
    assert abs(int((worst @ w.w1)[0] + w.b1[0])) <= bounds.hidden
    assert np.abs(evaluate(w, x)).max() <= bounds.output


@pytest.mark.parametrize("name", ["model.onnx", "text.bin", "local.bin", "words.bin"])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    random_model(tmp_path)
    data = bytearray((tmp_path / name).read_bytes())
    data[100] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CorruptModel, match=name):
        load_model(tmp_path)


def test_unknown_models_and_broken_manifests_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="nonsense"):
        load_model("nonsense")
    (tmp_path / "model.json").write_text('{"format": "zkagent-model-1"}')
    with pytest.raises(ManifestError, match="id"):
        Manifest.load(tmp_path / "model.json")


def test_an_input_of_another_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputOutOfRange, match="137"):
        random_model(tmp_path).infer([0] * 136)


def test_the_features_do_not_depend_on_digits_or_on_which_symbol(tmp_path: Path) -> None:
    model = random_model(tmp_path)
    book = plain_book(["USDC", "DAI"])
    one = Context(b"send 5 USDC to 0x" + b"1" * 40, (), book)
    other = Context(b"SEND 99.25 dai to 0x" + b"f" * 40, (), book)
    assert model.encode(one) == model.encode(other)
    assert model.encode(one) != model.encode(Context(b"send 5 USDC at 0x" + b"1" * 40, (), book))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"uint"', '"address"'),
        ('"slot": "asset"', '"slot": "recipient"'),
        ('"name": "Deploy"', '"name": "Withdraw"'),
        ('"balance_action": "ViewBalance"', '"balance_action": "Nothing"'),
        ('"text_rows": 4096', '"text_rows": 4095'),
        ('"max_tokens": 64', '"max_tokens": 65'),
        ('"output_bits": 64', '"output_bits": 256'),
        ('"id"', '"surprise"'),
    ],
)
def test_a_manifest_that_contradicts_itself_or_the_code_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    text = DRAFT.to_json()
    assert old in text
    path = tmp_path / "model.json"
    path.write_text(text)
    assert Manifest.load(path) == DRAFT
    path.write_text(text.replace(old, new))
    with pytest.raises(ManifestError):
        Manifest.load(path)


def test_words_outside_the_vocabulary_are_one_word_but_for_their_endings(tmp_path: Path) -> None:
    model = random_model(tmp_path)
    book = plain_book(["USDC"])

    def x(prompt: str) -> tuple[int, ...]:
        return model.encode(Context(prompt.encode(), (), book))

    assert x("zorble 5 USDC to my pool") == x("fremble 5 USDC to my pool")
    assert x("zorble 5 USDC to my pool") != x("zorbled 5 USDC to my pool")
    assert x("withdraw 5 USDC to my pool") != x("zorbdraw 5 USDC to my pool")
