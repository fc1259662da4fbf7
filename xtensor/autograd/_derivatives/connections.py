"""Connections of operations that are not linear, or mix elements with coefficients of any sign.

A mask is pulled back as an Array that is 0 at the elements that are not connected with a variable, and positive at
others.
"""

from __future__ import annotations

from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from .._table import TABLE, connection
from . import decompositions as decompositions
from . import products as products
from . import special as special
from .fourier import resized
from .products import is_joined
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
    by_x = total(g, -1)
    if is_joined(g, x, y):
        g = xp.reshape(g, (-1, g.shape[-1]))
    return by_x, total(g, -2)


@connection("vecdot")
def _vecdot(g: Array, out: Any, x: Any, y: Any, *, axis: int = -1) -> tuple[Array, Array]:
    g = xp.expand_dims(g, axis=axis if axis < 0 else axis - max(x.ndim, y.ndim))
    return g, g


@connection("linalg.outer")
def _outer(g: Array, out: Any, x: Any, y: Any) -> tuple[Array, Array]:
    return total(g, 1)[:, 0], total(g, 0)[0, :]


@connection("tensordot")
def _tensordot(g: Array, out: Any, x: Any, y: Any, *, axes: Any = 2) -> tuple[Array, Array]:
    x, y = (xp.ones(operand.shape, dtype=g.dtype, device=g.device) for operand in (x, y))
    pull: Any = TABLE["tensordot"].pullback
    return pull(g, out, x, y, axes=axes)  # type: ignore[no-any-return]


@connection(
    *("linalg.inv", "linalg.det", "linalg.slogdet", "linalg.pinv", "linalg.cholesky"),
    *("linalg.qr", "linalg.svd", "linalg.eigh", "linalg.eig"),
)
def _of_matrices(g: Any, out: Any, x: Any, *args: Any, **options: Any) -> Array:
    """Each element of a matrix is connected with each of its results."""
    terms = [
        _any_of_matrix(part, len(x.shape) - 2) for part in (g if isinstance(g, tuple) else (g,)) if part is not None
    ]
    return sum(terms[1:], terms[0])


@connection("linalg.solve")
def _solve(g: Array, out: Any, x: Any, y: Any) -> tuple[Array, Array]:
    """A solution is connected with the whole matrix and with its own right-hand side."""
    return _any_of_matrix(g, g.ndim - (1 if len(y.shape) == 1 else 2)), total(g, -1 if len(y.shape) == 1 else -2)


def _any_of_matrix(g: Array, stack: int) -> Array:
    """Return the sums over the axes after those of a stack, with two axes of length 1."""
    return xp.reshape(xp.sum(g, axis=tuple(range(stack, g.ndim))), (*g.shape[:stack], 1, 1))
