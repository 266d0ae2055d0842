"""Weights that are integers for training, too: rounded forwards, and as they were backwards
(straight-through estimator: Bengio et al. 2013)."""

import torch
from torch import Tensor

LEAST = 1e-6


def per_row(weights: Tensor, bias: Tensor, most: int) -> Tensor:
    """Integers per unit for which the magnitudes of each row come to `most`."""
    return most / (weights.abs().sum(-1) + bias.abs() + LEAST)


def per_unit(weights: Tensor, most: int) -> Tensor:
    """Integers per unit for which the largest weight is `most`."""
    return most / (weights.abs().max() + LEAST)


def whole(values: Tensor, scale: Tensor) -> Tensor:
    """Integers, exactly, of so many to a unit; the gradient passes unchanged."""
    scaled = values * scale
    return scaled + (torch.round(scaled) - scaled).detach()


__all__ = ["per_row", "per_unit", "whole"]
