"""The choice of arguments as a torch module: from numbers of pairs to scores, in floats that become
the integers of `models/networks/filling.py` and the rows that a reader's pairs are made with."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from zkagent.models.networks.filling import (
    BEFORE,
    DIRECTION,
    MOST,
    NUMBERS,
    ROLE_SHIFT,
    ROLES,
    SIZE,
    WEIGHT_BITS,
    WORD_SHIFT,
    FillingWeights,
)

HIDDEN = 8
#: A feature of this is one in floats; so are weights, and those of the competition.
UNIT, FINER, RIVAL_BITS = 64, 64, 4
_ROLE = UNIT * 2**ROLE_SHIFT / DIRECTION
#: Of log-odds: of what is no candidate.
OUT = -1e4


@dataclass(frozen=True)
class FillingBatch:
    """B prompts, P parameters, C candidates. likes [B, P, C, 7]: products of a parameter with the
    words inside, before and behind each candidate, in whole numbers; wanted [B, P, 64]: directions
    of parameters; kinds [B, P, C], links [B, P, C, 3]: numbers of rows of roles; pieces [B, P, C];
    there [B, P, C]; same [B, P, P]: whether two have the same candidates."""

    likes: Tensor
    wanted: Tensor
    kinds: Tensor
    links: Tensor
    pieces: Tensor
    there: Tensor
    same: Tensor


class FillingNet(nn.Module):
    def __init__(self, seed: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)

        def drawn(*size: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*size, generator=generator) * size[-1] ** -0.5)

        self.roles = nn.Parameter(torch.zeros(ROLES, SIZE))
        self.weights = nn.Parameter(torch.tensor([0.8, 0.5, 0.3, 0.2, 0.6, 0.3]))
        self.hidden, self.hidden_bias = drawn(hidden, NUMBERS), nn.Parameter(torch.zeros(hidden))
        self.out, self.straight = drawn(hidden), nn.Parameter(torch.zeros(NUMBERS))
        self.bias = nn.Parameter(torch.zeros(()))
        self.rival, self.rival_bias = nn.Parameter(torch.tensor(0.3)), nn.Parameter(torch.zeros(()))

    def numbers(self, batch: FillingBatch) -> Tensor:
        """[B, P, C, 6]: what the contract makes, over 64 and before it is rounded."""
        likes = batch.likes / (1 << WORD_SHIFT)
        before = (likes[..., 1 : 1 + BEFORE] * self.weights[:BEFORE]).sum(-1)
        behind = (likes[..., 1 + BEFORE :] * self.weights[BEFORE:]).sum(-1)
        meant = batch.wanted / DIRECTION @ self.roles.T * UNIT
        of_roles = meant.unsqueeze(2).expand(*batch.kinds.shape, ROLES)
        kinds = of_roles.gather(3, batch.kinds.unsqueeze(3)).squeeze(3)
        links = of_roles.gather(3, batch.links).sum(3)
        found = torch.stack([likes[..., 0], before, behind, kinds, links, batch.pieces], dim=3)
        return found.clamp(-MOST, MOST) / UNIT

    def forward(self, batch: FillingBatch) -> Tensor:
        """[B, P, C], in log-odds against none of the candidates."""
        numbers = self.numbers(batch)
        hidden = torch.relu(numbers @ self.hidden.T + self.hidden_bias)
        alone = hidden @ self.out + numbers @ self.straight + self.bias
        rivals = torch.relu(alone + self.rival_bias) * batch.there
        found = alone - self.rival * torch.einsum("bpq,bqc->bpc", batch.same, rivals)
        return found.masked_fill(~batch.there, OUT)

    def keep_in_range(self) -> None:
        """What the integers can hold."""
        with torch.no_grad():
            self.roles.clamp_(-MOST / _ROLE, MOST / _ROLE)
            self.weights.clamp_(-MOST / 2**WEIGHT_BITS, MOST / 2**WEIGHT_BITS)
            self.rival.clamp_(0.0, MOST / 2**RIVAL_BITS)

    def integers(self) -> tuple[FillingWeights, bytes, int]:
        """With the content of roles.bin, and what one of log-odds is in scores."""
        given = {name: value.detach().double().numpy() for name, value in self.named_parameters()}
        alone = UNIT * FINER * FINER
        weights = FillingWeights(
            hidden=_whole(given["hidden"] * FINER),
            hidden_bias=_whole(given["hidden_bias"] * FINER * UNIT),
            out=_whole(given["out"] * FINER),
            straight=_whole(given["straight"] * FINER * FINER),
            bias=round(float(given["bias"]) * alone),
            rival=round(float(given["rival"]) * 2**RIVAL_BITS),
            rival_bias=round(float(given["rival_bias"]) * alone),
            gain=1 << RIVAL_BITS,
        )
        rows = _whole(given["roles"] * _ROLE), _whole(given["weights"] * 2**WEIGHT_BITS)
        content = np.concatenate([rows[1].ravel(), rows[0].ravel()]).astype(np.int8).tobytes()
        return weights, content, alone << RIVAL_BITS


def _whole(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return np.asarray(np.rint(values), dtype=np.int64)


__all__ = ["HIDDEN", "OUT", "FillingBatch", "FillingNet"]
