"""The reader as a torch module: word vectors of others become a table, and scores of tools.

A row of the table is a given vector, projected, times what the word counts for; both are learned,
while the given vectors stay, so that words of tools that training never saw lie as right as others.
Texts are sums of rows (as in Arora et al. 2017, where the weights follow from frequencies); a tool
is scored by the cosine of its text and the prompt's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from zkagent.models.networks.reading import ReadingWeights

Floats = npt.NDArray[np.float32]
#: Rows of the table that stand for no word of their own: padding, unknown words, numbers.
SPECIAL = 3
HIDDEN = 16
#: Of integers: what scores are multiplied by, and weights behind prompts.
GAIN, FINER = 256, 64
#: How rare a word is before it counts in full, as a share of all words (Arora et al.: 10^-3).
RARE = 1e-3


@dataclass(frozen=True)
class ToolBatch:
    """Words of M tools, as numbers of rows, 0 where there is none: name, description, parameters
    [M, L] each, and examples [M, 8, L]."""

    name: Tensor
    description: Tensor
    parameters: Tensor
    examples: Tensor

    def parts(self) -> tuple[Tensor, ...]:
        return self.name, self.description, self.parameters, self.examples


def direction(x: Tensor) -> Tensor:
    return functional.normalize(x, dim=-1, eps=1e-4)


def principal(vectors: Floats, weights: Floats, size: int) -> Floats:
    """[k, size]: the directions in which weighted vectors [n, k] differ most."""
    weighted = vectors * weights[:, None]
    _, places = np.linalg.eigh(weighted.T @ weighted)
    return np.ascontiguousarray(places[:, ::-1][:, :size], dtype=np.float32)


class ReadingNet(nn.Module):
    """vectors [n, k]: given, of n words. frequencies [n]: shares, that need only be rough. own:
    places of words to whose rows something is added that is learned."""

    vectors: Tensor
    own_at: Tensor

    def __init__(
        self, vectors: Floats, frequencies: Floats, own: Sequence[int], size: int, seed: int
    ) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        weights = (RARE / (RARE + frequencies)).astype(np.float32)
        self.register_buffer("vectors", torch.from_numpy(vectors), persistent=False)
        own_at = torch.zeros(len(vectors), dtype=torch.int64)
        own_at[list(own)] = torch.arange(1, len(own) + 1)
        self.register_buffer("own_at", own_at, persistent=False)
        self.own = nn.Parameter(torch.zeros(len(own), size))
        self.project = nn.Parameter(torch.from_numpy(principal(vectors, weights, size)))
        self.weight = nn.Parameter(torch.from_numpy(np.log(weights)))
        self.special = nn.Parameter(torch.zeros(SPECIAL - 1, size))
        self.parts = nn.Parameter(torch.tensor([1.0, 1.0, 0.3, 1.0]))
        self.scale = nn.Parameter(torch.tensor(2.5))
        self.none_in = nn.Parameter(torch.randn(HIDDEN, size, generator=generator) * 0.3)
        self.none_bias = nn.Parameter(torch.zeros(HIDDEN))
        self.none_out = nn.Parameter(torch.zeros(HIDDEN))
        self.none = nn.Parameter(torch.tensor(6.0))

    def rows(self, words: Tensor | None = None) -> Tensor:
        """[3 + n, size], the first one 0; or those at the numbers `words` [m] alone, which begin
        with the special ones."""
        places = slice(None) if words is None else words[SPECIAL:] - SPECIAL
        rows = self.vectors[places] @ self.project * self.weight[places].exp().unsqueeze(-1)
        own = torch.cat([torch.zeros(1, rows.shape[1]), self.own])
        rows = rows + functional.embedding(self.own_at[places], own)
        return torch.cat([torch.zeros(1, rows.shape[1]), self.special, rows])

    def table(self) -> npt.NDArray[np.float64]:
        """[3 + n, size]."""
        with torch.no_grad():
            return self.rows().double().numpy()

    def prompts(self, rows: Tensor, words: Tensor) -> Tensor:
        """[B, size] of length 1."""
        return direction(summed(rows, words))

    def tools(self, rows: Tensor, tools: ToolBatch) -> Tensor:
        """[M, size] of length 1."""
        texts = (tools.name, tools.description, tools.parameters)
        found = [direction(summed(rows, text)) for text in texts]
        each = direction(summed(rows, tools.examples.flatten(0, 1)))
        found.append(direction(each.reshape(*tools.examples.shape[:2], -1).sum(1)))
        weighted = [part * share for part, share in zip(found, self.parts, strict=True)]
        return direction(torch.stack(weighted).sum(0))

    def scores(self, prompts: Tensor, tools: Tensor) -> Tensor:
        """[B, M], in log-odds."""
        return self.scale.exp() * prompts @ tools.T

    def fitting(self, prompts: Tensor) -> Tensor:
        """[B]: what a tool must score for the prompt to be about it rather than about none."""
        hidden = torch.relu(prompts @ self.none_in.T + self.none_bias)
        return hidden @ self.none_out + self.none

    def integers(self, length: int) -> tuple[ReadingWeights, int]:
        """Of prompts and tools in this length; and what one of log-odds is in their scores."""
        unit = round(GAIN * length * length / self.scale.exp().item())
        given = {name: value.detach().double().numpy() for name, value in self.named_parameters()}
        whole = np.rint(given["none_in"] * FINER).astype(np.int64)
        bias = np.rint(given["none_bias"] * FINER * length).astype(np.int64)
        out = np.rint(given["none_out"] * unit / (FINER * length)).astype(np.int64)
        return ReadingWeights(GAIN, whole, bias, out, round(self.none.item() * unit)), unit

    def shares(self) -> tuple[int, ...]:
        """What name, description, parameters and examples count for, in hundredths."""
        return tuple(max(0, round(100 * part)) for part in self.parts.tolist())


def summed(rows: Tensor, words: Tensor) -> Tensor:
    """[N, size] of words [N, L]."""
    return functional.embedding_bag(words, rows, mode="sum", padding_idx=0)


__all__ = ["HIDDEN", "SPECIAL", "ReadingNet", "ToolBatch", "direction", "summed"]
