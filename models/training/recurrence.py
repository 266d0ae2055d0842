"""The states of a gated network and their gradient, in one step of autograd.

Torch would record some ten small operations at each token. Here a step is one product of matrices
and three lines, and what does not hang on the state before is computed for all tokens at once.
"""

import torch
from torch import Tensor


class Recurrence(torch.autograd.Function):
    """States [D, N, L, U] of D directions, each read in its own order, over bits of -1 and 1.

        z = given + state fed
        state = sign(z_k) where z_f > 0 and there is a token, else the state before

    given [D, N, L, 2 U]: the sums but for the state's part, those that say whether before those
    that say to what. fed [D, U, 2 U]. unit [D, 1, 2 U]: by what sums are multiplied to be logits;
    it gets no gradient. there [D, N, L, 1]: 1 where there is a token. A bit has the gradient of a
    sigmoid.
    """

    @staticmethod
    def forward(  # type: ignore[no-untyped-def]
        ctx, given: Tensor, fed: Tensor, unit: Tensor, there: Tensor
    ) -> Tensor:
        by_token, there = given.transpose(1, 2).contiguous(), there.transpose(1, 2).contiguous()
        directions, length, texts, twice = by_token.shape
        units = twice // 2
        sums, change = torch.empty_like(by_token), by_token.new_empty(*by_token.shape[:3], units)
        value = torch.empty_like(change)
        states = by_token.new_full((directions, length + 1, texts, units), -1.0)
        for at in range(length):
            sums[:, at] = torch.baddbmm(by_token[:, at], states[:, at], fed)
            bits = (sums[:, at] * unit > 0).to(sums.dtype)
            change[:, at] = bits[..., :units] * there[:, at]
            value[:, at] = 2 * bits[..., units:] - 1
            states[:, at + 1] = torch.lerp(states[:, at], value[:, at], change[:, at])
        ctx.save_for_backward(sums, states, change, value, fed, unit, there)
        return states[:, 1:].transpose(1, 2)

    @staticmethod
    def backward(  # type: ignore[no-untyped-def]
        ctx, gradient: Tensor
    ) -> tuple[Tensor, Tensor, None, None]:
        sums, states, change, value, fed, unit, there = ctx.saved_tensors
        by_token, before = gradient.transpose(1, 2), states[:, :-1]
        units = before.shape[-1]
        bit = torch.sigmoid(sums * unit.unsqueeze(1))
        slope = (bit * (1 - bit)).mul_(unit.unsqueeze(1))
        slope[..., :units].mul_((value - before) * there)
        slope[..., units:].mul_(2 * change)
        kept, back = 1 - change, fed.transpose(1, 2)
        of_sums, of_state = torch.empty_like(sums), torch.zeros_like(before[:, 0])
        for at in reversed(range(sums.shape[1])):
            of_state = of_state + by_token[:, at]
            of_sums[:, at] = of_state.repeat(1, 1, 2) * slope[:, at]
            of_state = torch.baddbmm(of_state * kept[:, at], of_sums[:, at], back)
        flat = (before.flatten(1, 2).transpose(1, 2), of_sums.flatten(1, 2))
        return of_sums.transpose(1, 2), torch.bmm(*flat), None, None


def states(given: Tensor, fed: Tensor, unit: Tensor, there: Tensor) -> Tensor:
    """As `Recurrence` has it."""
    return Recurrence.apply(given, fed, unit, there)  # type: ignore[no-untyped-call,no-any-return]


__all__ = ["Recurrence", "states"]
