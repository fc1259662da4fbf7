"""Position embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.operands import array_arguments
from .._core.operations import declare
from ._checks import broadcasts_to, check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["rotary_embedding"]


ROTARY_EMBEDDING = declare(
    "nn.rotary_embedding", "network", operands=3, accepts="real floating", shape="same", primitive=False
)


@composed
def rotary_embedding(x: AnyArray, cos: AnyArray, sin: AnyArray, /, *, interleaved: bool = False) -> Array:
    r"""Rotary position embedding :math:`(a \cos\theta - b \sin\theta,\; b \cos\theta + a \sin\theta)` of pairs (a, b).

    Each pair of elements of the last axis is rotated by the angle :math:`\theta` of its position and frequency.

    Parameters
    ----------
    x
        Array of shape (…, n, d) with even d, and a real floating-point dtype.
    cos, sin
        Arrays of :math:`\cos\theta` and :math:`\sin\theta`, in most cases of shape (n, d / 2); they broadcast to
        (…, n, d / 2), and their last axis has that length.
    interleaved
        Whether elements 2i and 2i + 1 are a pair, as in the paper; otherwise elements i and i + d / 2 are.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype, or ``interleaved`` is not a bool.
    ValueError
        If the length of the last axis is odd, or the shapes do not match.

    Notes
    -----
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
    """
    x, cos, sin = array_arguments("rotary_embedding", x, cos, sin)
    check_real_floating(x, "rotary_embedding", "x")
    if x.ndim < 1 or x.shape[-1] % 2:
        raise ValueError(
            f"rotary_embedding(): x has shape {x.shape}, expected a last axis of even length; pad it with "
            "xtensor.concat"
        )
    pairs = (*x.shape[:-1], x.shape[-1] // 2)
    _check_angles(cos, pairs, x, "cos")
    _check_angles(sin, pairs, x, "sin")
    interleaved = check_flag(interleaved, "rotary_embedding", "interleaved")
    return compute(ROTARY_EMBEDDING, _rotary_embedding, x, cos, sin, interleaved=interleaved)


def _check_angles(values: Array, pairs: tuple[int, ...], x: Array, name: str) -> None:
    """Raise an error unless there is a sine or cosine for each pair of ``x``."""
    check_real_floating(values, "rotary_embedding", name)
    if values.shape[-1:] != pairs[-1:] or not broadcasts_to(values.shape, pairs):
        raise ValueError(
            f"rotary_embedding(): {name} has shape {values.shape}, expected a shape that ends in {pairs[-1]} and "
            f"broadcasts to {pairs}, the shape of the pairs in x of shape {x.shape}"
        )


def _rotary_embedding(x: Array, cos: Array, sin: Array, *, interleaved: bool) -> Array:
    if 0 in x.shape:
        return xp.zeros_like(x)  # slices of an axis without elements may start beyond its end
    half = x.shape[-1] // 2
    first, second = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    rotated = (first * cos - second * sin, second * cos + first * sin)
    if not interleaved:
        return xp.concat(rotated, axis=-1)
    return xp.reshape(xp.stack(rotated, axis=-1), x.shape)
