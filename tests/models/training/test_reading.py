"""The reader's module: what is learned of words, and of which."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from zkagent.models.training.reading import SPECIAL, ReadingNet

WORDS, SIZE = 6, 4


def made(own: tuple[int, ...]) -> ReadingNet:
    vectors = np.random.default_rng(1).normal(size=(WORDS, 8)).astype(np.float32)
    return ReadingNet(vectors, np.full(WORDS, 1 / WORDS, dtype=np.float32), own, SIZE, 1)


def test_what_is_learned_of_a_word_alone_is_in_no_others_row() -> None:
    net = made((1, 4))
    before = net.table()
    with torch.no_grad():
        net.own += torch.tensor([[1.0], [2.0]])
    moved = net.table() - before
    assert np.allclose(moved[SPECIAL + 1], 1)
    assert np.allclose(moved[SPECIAL + 4], 2)
    assert not np.delete(moved, [SPECIAL + 1, SPECIAL + 4], axis=0).any()


def test_rows_of_some_words_are_those_of_all() -> None:
    net = made((0, 5))
    with torch.no_grad():
        net.own += 1
    some = torch.tensor([0, 1, 2, SPECIAL, SPECIAL + 2, SPECIAL + 5])
    assert np.allclose(net.rows(some).detach().numpy(), net.table()[some])


def test_none_need_have_any() -> None:
    assert made(()).table().shape == (SPECIAL + WORDS, SIZE)
