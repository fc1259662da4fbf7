"""Rules of batching of products and of linear algebra."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .declaring import Function, given, is_batched, rule

if TYPE_CHECKING:
    from .batching import Batching


@rule("matmul")
def _matmul(batching: Batching, public: Function, x1: Any, x2: Any) -> Any:
    array1, array2 = batching.array(x1), batching.array(x2)
    if not is_batched(x2) and x2.ndim <= 2:
        # One product of matrices: the rows of all examples.
        flat = xp.reshape(array1, (math.prod(array1.shape[:-1]), array1.shape[-1]))
        return xp.reshape(public(flat, array2), (*array1.shape[:-1], *x2.shape[1:]))
    if x2.ndim == 1 and x1.ndim == 2 and not is_batched(x1):
        return public(array2, xp.matrix_transpose(array1))
    if x1.ndim == 1:
        array1 = array1[..., None, :]
    if x2.ndim == 1:
        array2 = array2[..., None]
    ndim = max(x1.ndim, x2.ndim, 2)
    product = public(*[_stacked(x, array, ndim) for x, array in ((x1, array1), (x2, array2))])
    if x2.ndim == 1:
        product = product[..., 0]
    if x1.ndim == 1:
        product = product[..., 0, :] if x2.ndim > 1 else product[..., 0]
    return product


def _stacked(x: Any, array: Array, ndim: int) -> Array:
    """Return an array with axes of length 1 behind that of the batch, so that those of stacks are aligned."""
    if not x.batched or array.ndim > ndim:
        return array
    return xp.reshape(array, (array.shape[0], *(1,) * (ndim + 1 - array.ndim), *array.shape[1:]))


@rule("matvec", "vecmat")
def _matrix_and_vector(batching: Batching, public: Function, x1: Any, x2: Any) -> Any:
    matrix = public.__name__ == "matvec"
    stacks = max(x1.ndim - 1 - matrix, x2.ndim - 2 + matrix)
    array1 = batching.of_ndim(x1, stacks + 1 + matrix)
    return public(array1, batching.of_ndim(x2, stacks + 2 - matrix))


@rule("vecdot")
def _vecdot(batching: Batching, public: Function, x1: Any, x2: Any, *, axis: int = -1) -> Any:
    last = [
        batching.results(xp.moveaxis(batching.array(x), axis if axis < 0 else axis - x.ndim, -1), x.batched)
        for x in (x1, x2)
    ]
    ndim = max(x1.ndim, x2.ndim)
    return public(*[batching.of_ndim(x, ndim) for x in last])


@rule("linalg.cross")
def _along_common_axis(batching: Batching, public: Function, x1: Any, x2: Any, *, axis: int = -1) -> Any:
    ndim = max(x1.ndim, x2.ndim)
    return public(batching.of_ndim(x1, ndim), batching.of_ndim(x2, ndim), axis=axis if axis < 0 else axis - ndim)


@rule("linalg.outer")
def _outer(batching: Batching, public: Function, x1: Any, x2: Any) -> Any:
    array1, array2 = batching.array(x1)[..., :, None], batching.array(x2)[..., None, :]
    return xp.multiply(array1, array2)


@rule("linalg.solve")
def _solve(batching: Batching, public: Function, x1: Any, x2: Any) -> Any:
    array1, array2 = batching.array(x1), batching.array(x2)
    array2 = array2[..., None] if x2.ndim == 1 else array2
    ndim = max(x1.ndim, x2.ndim)
    solutions = public(_stacked(x1, array1, ndim), _stacked(x2, array2, ndim))
    return solutions[..., 0] if x2.ndim == 1 else solutions


@rule("linalg.solve_triangular")
def _solve_triangular(batching: Batching, public: Function, x1: Any, x2: Any, **options: Any) -> Any:
    array1, array2, ndim = batching.array(x1), batching.array(x2), max(x1.ndim, x2.ndim)
    if not is_batched(x1) and ndim == 2:
        # One system: the columns of all examples.
        columns = xp.moveaxis(array2, 0, 1)
        solutions = public(array1, xp.reshape(columns, (columns.shape[0], math.prod(columns.shape[1:]))), **options)
        return xp.moveaxis(xp.reshape(solutions, columns.shape), 1, 0)
    return public(_stacked(x1, array1, ndim), _stacked(x2, array2, ndim), **options)


@rule(
    *("linalg.cholesky", "linalg.qr", "linalg.svd", "linalg.svdvals", "linalg.det", "linalg.slogdet", "linalg.inv"),
    *("linalg.eig", "linalg.eigh", "linalg.eigvals", "linalg.eigvalsh", "linalg.trace", "linalg.matrix_norm"),
)
def _matrices(batching: Batching, public: Function, x: Any, **options: Any) -> Any:
    return public(batching.array(x), **given(options))


@rule("linalg.matrix_power")
def _matrix_power(batching: Batching, public: Function, x: Any, n: int) -> Any:
    return public(batching.array(x), n)


@rule("linalg.matrix_rank", "linalg.pinv")
def _with_tolerance(batching: Batching, public: Function, x: Any, *, rtol: Any = None) -> Any:
    if rtol is None:
        return public(batching.array(x))
    if not hasattr(rtol, "value"):
        return public(batching.array(x), rtol=rtol)
    stacks = max(x.ndim - 2, rtol.ndim)
    return public(batching.of_ndim(x, stacks + 2), rtol=batching.of_ndim(rtol, stacks))
