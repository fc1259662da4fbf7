"""The shapes of weights, which averages and quantiles share."""

from __future__ import annotations

from typing import Any

from .. import _ops as xp
from .._core.array import Array
from .._core.errors import describe

__all__ = ["fit_weights"]


def fit_weights(weights: Array, a: Array, axes: tuple[int, ...] | None, name: str, given: Any) -> Array:
    """Return weights that broadcast against ``a``, from weights of its shape or of the shape of its reduced axes.

    ``given`` are the weights of the caller, for messages.
    """
    if weights.shape == a.shape:
        return weights
    if axes is None:
        raise TypeError(
            f"Axis must be specified when shapes of a and weights differ.; {name}() got shapes {a.shape} and "
            f"{weights.shape} of {describe(given)}"
        )
    if weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError(
            f"Shape of weights must be consistent with shape of a along specified axis.; {name}() got weights of shape "
            f"{weights.shape}, {describe(given)}, for axes {axes} of shape {a.shape}"
        )
    weights = xp.permute_dims(weights, tuple(sorted(range(len(axes)), key=lambda i: axes[i])))
    return xp.reshape(weights, tuple(length if i in axes else 1 for i, length in enumerate(a.shape)))
