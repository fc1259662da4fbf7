"""Connections of operations that are not linear, or mix elements with coefficients of any sign.

A mask is pulled back as an Array that is 0 at the elements that are not connected with a variable, and positive at
others.
"""

from __future__ import annotations

from typing import Any

from ... import _standard as xp
from ..._core.array import Array
from .._table import TABLE, connection
from . import products as products
from . import special as special
from .fourier import resized
from .reductions import Axis, expanded

__all__: list[str] = []


def total(g: Array, axis: int) -> Array:
    return xp.sum(g, axis=axis, keepdims=True, dtype=g.dtype)


TABLE["max"].connection = TABLE["max"].pullback
TABLE["min"].connection = TABLE["min"].pullback
TABLE["cumulative_prod"].connection = TABLE["cumulative_sum"].pullback


@connection("var", "std", "prod", "linalg.vector_norm")
def _reduced(g: Array, out: Any, x: Any, *, axis: Axis = None, keepdims: bool = False, **options: Any) -> Array:
    return expanded(g, x.shape, axis, keepdims)


@connection("nn.softmax", "nn.log_softmax")
def _along_axis(g: Array, out: Any, x: Any, *, axis: int) -> Array:
    return total(g, axis)


@connection("nn.logsumexp", "sign")
def _same(g: Array, out: Any, x: Any) -> Array:
    return g


@connection("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft")
def _transformed(g: Array, out: Any, x: Any, *, n: int, axis: int, norm: Any) -> Array:
    """The transform reads as many elements as it has frequencies, half of them where the result is real."""
    used = min(n if out.dtype.kind == "c" else n // 2 + 1, x.shape[axis])
    shape = list(g.shape)
    shape[axis] = used
    return resized(xp.broadcast_to(total(g, axis), tuple(shape)), x.shape[axis], axis)


@connection("matmul")
def _matmul(g: Array, out: Any, x: Any, y: Any) -> tuple[Array, Array]:
    if x.ndim == 1 and y.ndim == 1:
        return g, g
    if x.ndim == 1:
        return total(g, -1), g[..., None, :]
    if y.ndim == 1:
        return g[..., :, None], total(g, -1)
    return total(g, -1), total(g, -2)


@connection("vecdot")
def _vecdot(g: Array, out: Any, x: Any, y: Any, *, axis: int = -1) -> tuple[Array, Array]:
    g = xp.expand_dims(g, axis=axis if axis < 0 else axis - max(x.ndim, y.ndim))
    return g, g


@connection("linalg.outer")
def _outer(g: Array, out: Any, x: Any, y: Any) -> tuple[Array, Array]:
    return total(g, 1)[:, 0], total(g, 0)[0, :]
