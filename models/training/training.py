"""Training of a policy and its tables, to integers that evaluate exactly as they were trained.

The data set hides words at random (word dropout: Iyyer et al. 2015): see `training_data.Hiding`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from zkagent.models.encoding.encoder import Table
from zkagent.models.networks.policy import PolicyWeights
from zkagent.models.training.architectures import PolicySizes, QuantisedPolicy
from zkagent.models.training.training_data import Dataset


@dataclass(frozen=True)
class Recipe:
    """How to train. `dropout` is the share of n-grams that each step leaves out, so that no rare
    one decides (Srivastava et al. 2014), `local_dropout` that of the rows around a candidate;
    `margin` is how much a state-changing action must fall short of the right one."""

    epochs: int = 16
    batch: int = 768
    learning_rate: float = 0.01
    weight_decay: float = 0.01
    dropout: float = 0.3
    local_dropout: float = 0.2
    margin: float = 1.5
    state_changing: tuple[int, ...] = (1, 2, 3)


@dataclass(frozen=True)
class TrainedPolicy:
    """Integer tables and weights, and figures of the last epoch."""

    text_table: Table
    local_table: Table
    weights: PolicyWeights
    metrics: dict[str, float]


def train(
    dataset: Dataset,
    sizes: PolicySizes,
    seed: int,
    progress: Callable[[str], None],
    recipe: Recipe | None = None,
) -> TrainedPolicy:
    """Train from `seed`: the same bytes each time on the same machine. One progress line an epoch.

    One thread: as fast as two on tables this small, much faster on a busy machine, and sums are
    always added in the same order.
    """
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    return _Trainer(dataset, sizes, seed, recipe or Recipe()).run(progress)


@dataclass(frozen=True)
class _Batch:
    rows: Tensor
    offsets: Tensor
    counts: Tensor
    local_rows: Tensor
    allowed: Tensor
    source: Tensor
    slot_active: Tensor
    slot_fits: Tensor
    slot_right: Tensor


class _Trainer:
    def __init__(self, data: Dataset, sizes: PolicySizes, seed: int, recipe: Recipe) -> None:
        self.data, self.recipe, self.sizes = data, recipe, sizes
        self.rng = np.random.default_rng(seed)
        self.model = QuantisedPolicy(sizes, torch.Generator().manual_seed(seed))
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        steps = recipe.epochs * -(-len(data.prompt) // recipe.batch)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, recipe.learning_rate, steps, pct_start=0.1
        )

    def run(self, progress: Callable[[str], None]) -> TrainedPolicy:
        metrics: dict[str, float] = {}
        for epoch in range(1, self.recipe.epochs + 1):
            metrics = self.epoch()
            figures = ", ".join(f"{name} {value:.4f}" for name, value in metrics.items())
            progress(f"epoch {epoch} of {self.recipe.epochs}: {figures}")
        text_table, local_table = self.model.tables()
        weights = self.model.integer_weights()
        return TrainedPolicy(text_table, local_table, weights, metrics)

    def epoch(self) -> dict[str, float]:
        totals = np.zeros(3)
        seen = 0
        for batch in self.batches():
            losses, hits = self.step(batch)
            totals += (*losses, hits)
            seen += len(batch.counts)
        return dict(zip(("action loss", "slot loss", "accuracy"), totals / seen, strict=True))

    def step(self, b: _Batch) -> tuple[tuple[float, float], float]:
        kept = (
            self.kept(b.rows, self.recipe.dropout),
            self.kept(b.local_rows, self.recipe.local_dropout),
        )
        actions, sources, slots = self.model(b.rows, b.offsets, b.counts, b.local_rows, kept)
        action_loss = self.action_loss(actions, b.allowed)
        known = b.source >= 0
        source_loss = cross_entropy(sources[known], b.source[known], reduction="sum")
        slot = slot_loss(slots, b.slot_active, b.slot_fits, b.slot_right)
        loss = (action_loss + source_loss + slot) / len(b.counts)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        hits = b.allowed.gather(1, actions.argmax(1, keepdim=True)).sum().item()
        return ((action_loss + source_loss).item(), slot.item()), hits

    def kept(self, rows: Tensor, dropout: float) -> Tensor:
        """Zero for the rows left out, and more for the others, so that sums stay alike."""
        keep = 1.0 - dropout
        return torch.from_numpy(((self.rng.random(rows.shape) < keep) / keep).astype(np.float32))

    def action_loss(self, scores: Tensor, allowed: Tensor) -> Tensor:
        """Negative log-probability of the allowed actions, state-changing others with a margin."""
        margin = torch.zeros(scores.shape[1])
        margin[list(self.recipe.state_changing)] = self.recipe.margin
        handicapped = torch.where(allowed, scores, scores + margin)
        right = handicapped.masked_fill(~allowed, -torch.inf).logsumexp(1)
        return (handicapped.logsumexp(1) - right).sum()

    def batches(self) -> Iterator[_Batch]:
        order = self.rng.permutation(len(self.data.prompt))
        for at in range(0, len(order), self.recipe.batch):
            yield self.batch(order[at : at + self.recipe.batch])

    def batch(self, picked: np.ndarray) -> _Batch:
        d = self.data
        prompts = d.prompt[picked]
        starts, ends = d.offsets[prompts], d.offsets[prompts + 1]
        lengths = ends - starts
        offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        flat = np.arange(lengths.sum()) + np.repeat(starts - offsets, lengths)
        arrays = (
            d.rows[flat].astype(np.int64), offsets, d.counts[picked],
            d.local_rows[prompts].astype(np.int64), d.allowed[picked],
            d.source[picked].astype(np.int64), d.slot_active[prompts],
            d.slot_fits[prompts], d.slot_right[prompts],
        )  # fmt: skip
        return _Batch(*(torch.from_numpy(a) for a in arrays))


def slot_loss(scores: Tensor, active: Tensor, fits: Tensor, right: Tensor) -> Tensor:
    """Cross-entropy over the fitting candidates and "none of them", which scores zero.

    That is the decoder's rule: the best positive candidate, or nothing. Shapes: scores, fits, right
    [B, 6, S], active [B, S]; the sum over active slots.
    """
    nothing = torch.zeros_like(scores[:, :1])
    among = torch.cat([nothing, scores.masked_fill(~fits, -torch.inf)], 1)
    chosen = fits & right
    target = torch.cat([~chosen.any(1, keepdim=True), chosen], 1)
    right_score = among.masked_fill(~target, -torch.inf).logsumexp(1)
    return ((among.logsumexp(1) - right_score) * active).sum()
