"""Training: deterministic, and its integers compute what it trained."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zkagent.models.encoding.vocabulary import build_vocabulary  # noqa: E402
from zkagent.models.networks.bounds import check_bounds  # noqa: E402
from zkagent.models.networks.policy import Weights, evaluate  # noqa: E402
from zkagent.models.training.architectures import (  # noqa: E402
    SCORE_UNIT,
    TABLE_SCALE,
    PolicySizes,
    QuantisedPolicy,
    with_caution,
)
from zkagent.models.training.training import Recipe, TrainedPolicy, slot_loss, train  # noqa: E402
from zkagent.models.training.training_data import Dataset, Hiding  # noqa: E402
from zkagent.models.wallet.dataset import build_dataset, common_words  # noqa: E402
from zkagent.models.wallet.text.prompts import draw_prompts  # noqa: E402

SIZES = PolicySizes(text_rows=256, local_rows=64)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    samples = list(draw_prompts(300, 5))
    vocabulary = build_vocabulary(common_words(samples, 2))
    return build_dataset(samples, (256, 64), vocabulary, Hiding(0.1, 0.5), seed=5)


def trained(dataset: Dataset, seed: int) -> TrainedPolicy:
    return train(dataset, SIZES, seed, lambda _: None, Recipe(epochs=1, batch=64))


def test_training_twice_from_a_seed_gives_the_same_bytes(dataset: Dataset) -> None:
    one, same, other = (trained(dataset, seed) for seed in (1, 1, 2))
    assert one.text_table.tobytes() == same.text_table.tobytes() != other.text_table.tobytes()
    assert one.weights.w1.tobytes() == same.weights.w1.tobytes()
    assert one.weights.c2.tobytes() == same.weights.c2.tobytes()


def test_trained_weights_stay_within_64_bits(dataset: Dataset) -> None:
    policy = trained(dataset, 1)
    assert check_bounds(policy.weights, policy.text_table, policy.local_table).output < 1 << 63


def test_integers_score_what_the_fake_quantised_policy_scores() -> None:
    """In real units the integer scores are divided by one constant per network."""
    policy = QuantisedPolicy(SIZES, torch.Generator().manual_seed(0))
    rng = np.random.default_rng(0)
    rows, local = rng.integers(0, 256, 20), rng.integers(0, 65, (1, 6, 11))
    counts = np.array([[1, 0, 0, 0, 1, 1, 2, 1, 0]])
    with torch.no_grad():
        actions, sources, slots = policy(torch.tensor(rows), torch.tensor([0]),
                                         torch.tensor(counts, dtype=torch.float32),
                                         torch.tensor(local))  # fmt: skip
    y = evaluate(policy.integer_weights(), features(policy, rows, counts, local))
    scores = torch.cat([actions, sources], 1).numpy()[0]
    np.testing.assert_allclose(y[:10] / ((TABLE_SCALE * 31) ** 2 * 127), scores, atol=1e-3)
    expected = slots.numpy()[0].flatten()
    np.testing.assert_allclose(y[10:] / ((TABLE_SCALE * 127) ** 2 * 127), expected, atol=1e-3)


def test_caution_takes_log_odds_from_the_scores_of_some_actions_and_changes_nothing_else() -> None:
    weights = QuantisedPolicy(SIZES, torch.Generator().manual_seed(0)).integer_weights()
    x = np.random.default_rng(0).integers(-500, 500, (20, weights.input_count))
    cautious = with_caution(weights, (1, 3), 1.5)
    taken = evaluate(weights, x) - evaluate(cautious, x)
    assert {tuple(row) for row in np.delete(taken, [1, 3], axis=1)} == {(0,) * (taken.shape[1] - 2)}
    np.testing.assert_allclose(taken[:, [1, 3]] / SCORE_UNIT, 1.5, rtol=1e-4)
    assert cautious.b1.shape[0] == cautious.w1.shape[1] == SIZES.hidden + 1


def features(policy: QuantisedPolicy, rows: Weights, counts: Weights, local: Weights) -> Weights:
    text_table, local_table = (table.astype(np.int64) for table in policy.tables())
    around = np.vstack([local_table, np.zeros((1, 16), dtype=np.int64)])[local[0]].sum(axis=1)
    return np.concatenate([text_table[rows].sum(axis=0), 32 * counts[0], around.flatten()])


def test_the_slot_loss_prefers_the_right_candidate_and_none_when_there_is_none() -> None:
    scores = torch.zeros(1, 6, 3)
    scores[0, 0, 0], scores[0, 1, 0] = 5.0, -5.0
    fits = torch.zeros(1, 6, 3, dtype=torch.bool)
    fits[0, :2, 0] = True
    active = torch.tensor([[True, False, False]])

    def loss(candidate: int | None) -> float:
        right = torch.zeros_like(fits)
        if candidate is not None:
            right[0, candidate, 0] = True
        return float(slot_loss(scores, active, fits, right))

    assert loss(0) < loss(None) < loss(1)
