"""Trains the choice of arguments: of each parameter, which of its candidates, or none."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from zkagent.models.networks.filling import CANDIDATES, DIRECTION
from zkagent.models.training.filling import FillingBatch, FillingNet

Numbers = npt.NDArray[np.int64]
#: Labels that are no candidate's place: no candidate is right; nobody knows.
NONE, UNKNOWN = CANDIDATES, -1
#: The reading as numbers.
AS_NUMBER = 1


@dataclass(frozen=True)
class Lessons:
    """N prompts of L words, each read in R ways (as texts, as numbers), with C candidates and P
    parameters. rows [1 + V, 64]: of words, the first one zeros; words [N, L]: numbers of those.
    inside [N, R, C, 2]: places of the first word within and of the one behind the last. near
    [N, R, C, 6]: places, from 1 on, of the words before and behind, 0 where there is none. kinds,
    pieces, there [N, R, C]; links [N, R, C, 3].

    which [N, P]: the parameter, -1 where there is none; reading [N, P]: how it is read; numbers
    [N, P]: whether it may be a number instead; labels [N, R, P]. wanted [U, 24, 64]: directions of
    U parameters in several wordings, the first one its own. services [N]. written [N]:
    whether a prompt was written for this."""

    rows: npt.NDArray[np.int16]
    words: Numbers
    inside: Numbers
    near: Numbers
    kinds: Numbers
    links: Numbers
    pieces: Numbers
    there: npt.NDArray[np.bool_]
    which: Numbers
    reading: Numbers
    numbers: npt.NDArray[np.bool_]
    labels: Numbers
    wanted: npt.NDArray[np.int16]
    services: npt.NDArray[np.str_]
    written: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class FillingPlan:
    """steps of `batch` prompts. noise: on directions, of their length. hidden: how often a word is
    hidden. as_number: how often a parameter that may be a number is one. written: how much more
    often than by their number prompts that were written for this are drawn."""

    steps: int = 900
    batch: int = 256
    rate: float = 5e-3
    decay: float = 1e-3
    noise: float = 0.8
    hidden: float = 0.15
    as_number: float = 0.5
    written: float = 4.0
    seed: int = 1


def train_filling(lessons: Lessons, plan: FillingPlan, say: Callable[[str], None]) -> FillingNet:
    """The same on the same machine for the same seed."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(plan.seed)
    net = FillingNet(plan.seed)
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay)
    drawing = _Drawing(lessons, plan, generator)
    for step in range(plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * min(1.0, step / 50) * (1 - step / plan.steps)
        batch, labels = drawing.batch()
        loss = _loss(net(batch), labels)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        net.keep_in_range()
        if step % 100 == 0:
            say(f"arguments, step {step} of {plan.steps}: loss {loss.item():.3f}")
    return net


def _loss(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy of each parameter's candidates, and none, which scores 0."""
    known = labels != UNKNOWN
    with_none = torch.cat([scores, torch.zeros(*scores.shape[:2], 1)], dim=2)
    return functional.cross_entropy(with_none[known], labels[known])


class _Drawing:
    def __init__(self, lessons: Lessons, plan: FillingPlan, generator: torch.Generator) -> None:
        self.lessons, self.plan, self.generator = lessons, plan, generator
        counts = Counter(lessons.services.tolist())
        answered = ((lessons.labels != NONE) & (lessons.labels != UNKNOWN)).any((1, 2))
        each = [counts[service] ** -0.5 for service in lessons.services.tolist()]
        shares = np.array(each) * np.where(lessons.written, plan.written, 1.0)
        self.chances = torch.tensor(shares * np.where(answered, 1.0, 0.5))

    def batch(self) -> tuple[FillingBatch, Tensor]:
        drawn = torch.multinomial(self.chances, self.plan.batch, True, generator=self.generator)
        return batch_of(self.lessons, drawn.numpy(), self.plan, self.generator)


def batch_of(
    lessons: Lessons, drawn: Numbers, plan: FillingPlan | None, generator: torch.Generator | None
) -> tuple[FillingBatch, Tensor]:
    """And the labels [B, P]. plan: None of what is only asked, in its own words."""
    which = torch.from_numpy(lessons.which[drawn])
    exists = which >= 0
    reading = torch.from_numpy(lessons.reading[drawn])
    version = torch.zeros_like(which)
    words = torch.from_numpy(lessons.words[drawn])
    if plan is not None:
        asks = torch.rand(which.shape, generator=generator) < plan.as_number
        reading = torch.where(asks & torch.from_numpy(lessons.numbers[drawn]), AS_NUMBER, reading)
        version = torch.randint(lessons.wanted.shape[1], which.shape, generator=generator)
        hidden = torch.rand(words.shape, generator=generator) < plan.hidden
        words = words.masked_fill(hidden, 0)
    wanted = torch.from_numpy(lessons.wanted)[which.clamp_min(0), version].float()
    if plan is not None:
        noise = torch.randn(wanted.shape, generator=generator) * plan.noise * DIRECTION / 8
        noisy = wanted + noise
        wanted = noisy * DIRECTION / noisy.norm(dim=-1, keepdim=True).clamp_min(1.0)
    likes = torch.from_numpy(lessons.rows)[words].float() @ wanted.transpose(1, 2)
    prompts, places = torch.arange(len(drawn)).unsqueeze(1), reading

    def read(values: npt.NDArray[np.generic]) -> Tensor:
        """[B, P, C, ...], as each parameter is read."""
        return torch.from_numpy(values[drawn])[prompts, places]

    batch = FillingBatch(
        likes=_likes(likes.transpose(1, 2), read(lessons.inside), read(lessons.near)),
        wanted=wanted,
        kinds=read(lessons.kinds),
        links=read(lessons.links),
        pieces=read(lessons.pieces).float(),
        there=read(lessons.there) & exists.unsqueeze(2),
        same=_same(reading, exists),
    )
    labels = torch.from_numpy(lessons.labels[drawn]).transpose(1, 2)
    chosen = labels.gather(2, reading.unsqueeze(2)).squeeze(2)
    return batch, torch.where(exists, chosen, UNKNOWN)


def _likes(likes: Tensor, inside: Tensor, near: Tensor) -> Tensor:
    """[B, P, C, 7] of likes [B, P, L]."""
    padded = functional.pad(likes, (1, 0))
    sums = padded.cumsum(2)
    ends = [sums.gather(2, inside[..., end]) for end in range(2)]
    flat = near.flatten(2)
    beside = padded.gather(2, flat).reshape(near.shape)
    return torch.cat([(ends[1] - ends[0]).unsqueeze(3), beside], dim=3)


def _same(reading: Tensor, exists: Tensor) -> Tensor:
    alike = reading.unsqueeze(1) == reading.unsqueeze(2)
    both = exists.unsqueeze(1) & exists.unsqueeze(2)
    others = ~torch.eye(reading.shape[1], dtype=torch.bool)
    return (alike & both & others).float()


__all__ = ["AS_NUMBER", "NONE", "UNKNOWN", "FillingPlan", "Lessons", "batch_of", "train_filling"]
