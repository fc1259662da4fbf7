"""Functions beyond the standard, with NumPy's names and signatures: norms, chains of products, and tensor equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_flag, check_integer
from .._core.compositions import composed
from .._core.dtypes import DType, kind_of, result_type
from .._core.errors import describe
from .._ops._arguments import as_arrays
from .._ops._casts import supported
from .._ops.products import dot, not_aligned, store_exactly
from ._decompositions import svdvals
from ._norms import MATRIX_ORDERS, matrix_norm, slogdet, vector_norm
from ._solutions import inv, solve

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["cond", "multi_dot", "norm", "tensorinv", "tensorsolve"]


@composed
def norm(
    x: AnyArray, ord: int | float | str | None = None, axis: int | tuple[int, int] | None = None, keepdims: bool = False
) -> Array:
    r"""Return the norm of vectors or matrices.

    Parameters
    ----------
    x
        Array of any dtype. Integers and booleans are cast to the default real floating-point dtype.
    ord
        The norm. For a vector, the order :math:`p` of :math:`\bigl(\sum_i |x_i|^p\bigr)^{1/p}`, by default 2;
        ``inf`` and ``-inf`` give the largest and the smallest magnitude, 0 the number of elements that are not 0. For a
        matrix, ``"fro"`` (the default), ``"nuc"``, 1, -1, 2, -2, ``inf`` or ``-inf``; see :func:`matrix_norm`.
    axis
        The axis of the vectors, or the two axes of the rows and the columns of the matrices. None takes an array of one
        dimension as a vector, one of two as a matrix, and, without ``ord``, any array as one vector.
    keepdims
        Whether these axes remain, with length 1.

    Returns
    -------
    Array
        The norms; real, in the precision of ``x``.

    Raises
    ------
    ValueError
        If ``ord`` is not an order of a norm of vectors or matrices, there are neither one nor two axes, an axis is
        named twice, or the minimum of no elements is asked for.
    TypeError
        If ``x`` is not an Array, or ``axis`` is not None, an integer or a tuple of integers.

    Notes
    -----
    NumPy, ``linalg.norm``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.norm(xp.asarray([[3.0, 0.0], [4.0, 0.0]]), axis=0)
    Array([5., 0.])
    """
    (x,) = as_arrays("norm", x)
    x = _as_floating(x)
    if ord is not None:
        _check_order(ord, "norm", "ord")
    keepdims = check_flag(keepdims, "norm", "keepdims")
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    named = tuple(range(x.ndim)) if axis is None else _axes(axis)
    if len(named) == 1 and isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors; norm() takes a number for vectors")
    if len(named) not in (1, 2):
        raise ValueError(
            f"Improper number of dimensions to norm. norm() takes one or two axes, not {len(named)} of shape "
            f"{x.shape}; pass axis"
        )
    axes = tuple([check_axis(item, x.ndim, "norm") for item in named])
    if len(axes) == 1:
        return _vector_norm(x, axes[0], 2 if ord is None else ord, keepdims)
    if axes[0] == axes[1]:
        raise ValueError(f"Duplicate axes given. norm() takes two different axes, not {describe(axis)}")
    order = "fro" if ord is None or (isinstance(ord, str) and ord == "f") else ord
    if not isinstance(order, (str, int, float, np.number)) or order not in MATRIX_ORDERS:
        raise ValueError(f"Invalid norm order for matrices. norm() takes {MATRIX_ORDERS}, not {describe(ord)}")
    result = _matrix_norm(xp.moveaxis(x, axes, (-2, -1)), order)
    if not keepdims:
        return result
    return xp.reshape(result, tuple(1 if i in axes else length for i, length in enumerate(x.shape)))


def _check_order(order: Any, name: str, parameter: str) -> None:
    """Raise TypeError unless the order of a norm is a word or a real number."""
    if not isinstance(order, (str, int, float, np.integer, np.floating)):
        raise TypeError(f"{name}(): {parameter} is a real number, 'fro', 'nuc' or None, not {describe(order)}")


def _vector_norm(x: Array, axis: int, order: Any, keepdims: bool) -> Array:
    if order == math.inf and not x.shape[axis]:
        return xp.sum(xp.abs(x), axis=axis, keepdims=keepdims)  # zeros
    return vector_norm(x, axis=axis, ord=order, keepdims=keepdims)


def _matrix_norm(x: Array, order: Any) -> Array:
    if order in (1, 2, math.inf, "nuc") and 0 in x.shape[-2:]:
        return xp.sum(xp.abs(x), axis=(-2, -1))  # zeros
    return matrix_norm(x, ord=order)


def _axes(axis: Any) -> tuple[Any, ...]:
    """Return one axis or a tuple of them as a tuple."""
    if isinstance(axis, tuple):
        return axis
    try:
        return (check_integer(axis, "norm", "axis"),)
    except TypeError:
        raise TypeError(
            f"'axis' must be None, an integer or a tuple of integers: norm() does not take {describe(axis)}"
        ) from None


@composed
def cond(x: AnyArray, p: int | float | str | None = None) -> Array:
    r"""Return the condition number :math:`\|x\| \, \|x^{-1}\|` of matrices.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and any dtype; square ones for a ``p`` other than None, 2 and -2.
    p
        The norm: 2 or None for the ratio of the largest to the smallest singular value, -2 for its reciprocal, or
        another order of :func:`norm` for matrices.

    Returns
    -------
    Array
        The condition numbers, of shape ``(...)``; real, in the precision of ``x``. Infinite for a singular matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        If ``x`` has fewer than two dimensions, the matrices are empty, or must be square and are not.
    ValueError
        If ``p`` is not an order of a norm of matrices.
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    NumPy, ``linalg.cond``. A matrix is singular if a pivot of its decomposition is exactly 0; for ``"nuc"``, NumPy
    raises an error for such a matrix.
    """
    (x,) = as_arrays("cond", x)
    x = _as_floating(_check_matrices(x, "cond"))
    if p is not None:
        _check_order(p, "cond", "p")
    if not x.size and 0 in x.shape[-2:]:
        raise np.linalg.LinAlgError(f"cond is not defined on empty arrays, of shape {x.shape}")
    if p is None or p == 2 or p == -2:
        s = svdvals(x)
        largest, smallest = s[..., 0], s[..., -1]
        numerator, denominator = (smallest, largest) if p == -2 else (largest, smallest)
        zero = denominator == 0
        result = numerator / xp.where(zero, 1.0, denominator)
        # A quotient of zeros is no number in NumPy, which is shown as infinite.
        result = xp.where(zero & ~xp.isnan(numerator), xp.inf, result)
    else:
        _check_square(x, "cond")
        result = norm(x, p, axis=(-2, -1)) * _inverse_norm(x, p)
    has_nan = xp.any(xp.isnan(x), axis=(-2, -1))
    return xp.where(xp.isnan(result) & ~has_nan, xp.inf, result)


def _inverse_norm(x: Array, p: Any) -> Array:
    """Return the norms of the inverses of matrices, infinite for a singular matrix."""
    if x.device.host:
        try:
            return norm(inv(x), p, axis=(-2, -1))
        except np.linalg.LinAlgError:
            pass  # some matrix is singular
    singular = slogdet(x).sign == 0
    identity = xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    inverse = inv(xp.where(singular[..., None, None], identity, x))
    return xp.where(singular, xp.inf, norm(inverse, p, axis=(-2, -1)))


@composed
def multi_dot(arrays: Sequence[Array], *, out: Array | None = None) -> Array:
    """Return the product of two or more matrices, multiplied in the order with the fewest multiplications.

    Parameters
    ----------
    arrays
        The matrices. The first one may be a vector, which counts as a row, and the last one, which counts as a column.
    out
        An Array of exactly the dtype and shape of the result, that the result is written into.

    Returns
    -------
    Array
        The product, of the promoted dtype; ``out`` if that is given. It lacks the axis of a vector.

    Raises
    ------
    ValueError
        If there are fewer than two matrices, lengths do not fit, or ``out`` does not have the dtype and shape.
    numpy.linalg.LinAlgError
        If an array does not have two dimensions.
    TypeError
        If no matrix is an Array.

    Notes
    -----
    NumPy, ``linalg.multi_dot``. T. H. Cormen and others, Introduction to Algorithms, 3rd edition, chapter 15.2.
    """
    if not isinstance(arrays, (list, tuple)):
        raise TypeError(f"multi_dot() takes a sequence of xtensor Arrays, not {describe(arrays)}")
    if len(arrays) < 2:
        raise ValueError(f"Expecting at least two arrays. multi_dot() got {describe(arrays)}")
    matrices = list(as_arrays("multi_dot", *arrays))
    if len(matrices) == 2:
        return dot(matrices[0], matrices[1], out)
    vectors = tuple(position for position in (0, -1) if matrices[position].ndim == 1)
    for position in vectors:
        matrices[position] = matrices[position][None, :] if position == 0 else matrices[position][:, None]
    for matrix in matrices:
        if matrix.ndim != 2:
            raise np.linalg.LinAlgError(
                f"{matrix.ndim}-dimensional array given. Array must be two-dimensional: multi_dot() takes matrices, "
                f"and vectors at the ends, not shape {matrix.shape}"
            )
    for left, right in pairwise(matrices):
        if left.shape[1] != right.shape[0]:
            raise not_aligned("multi_dot", left, right, 0, (left, right))
    splits = _splits([matrices[0].shape[0], *(matrix.shape[1] for matrix in matrices)])
    product = _product(matrices, splits, 0, len(matrices) - 1)
    shape = tuple(length for axis, length in enumerate(product.shape) if -axis not in vectors)
    return store_exactly("multi_dot", xp.reshape(product, shape), out)


def _splits(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Return, for each part of the chain from one matrix to another, the matrix after which it is best split."""
    count = len(lengths) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for span in range(1, count):
        for first in range(count - span):
            last = first + span
            choices = [
                (costs[first, k] + costs[k + 1, last] + lengths[first] * lengths[k + 1] * lengths[last + 1], k)
                for k in range(first, last)
            ]
            costs[first, last], splits[first, last] = min(choices)
    return splits


def _product(matrices: list[Array], splits: dict[tuple[int, int], int], first: int, last: int) -> Array:
    """Return the product of a part of the chain."""
    if first == last:
        return matrices[first]
    split = splits[first, last]
    return dot(_product(matrices, splits, first, split), _product(matrices, splits, split + 1, last))


@composed
def tensorinv(a: AnyArray, ind: int = 2) -> Array:
    """Return the inverse of an array as a linear map from its last axes to its first axes.

    Parameters
    ----------
    a
        Array whose first ``ind`` axes have as many elements as its other axes.
    ind
        The number of the first axes.

    Returns
    -------
    Array
        The inverse, of shape ``a.shape[ind:] + a.shape[:ind]``: ``tensordot(tensorinv(a, ind), b, ind)`` is
        ``tensorsolve(a, b)``.

    Raises
    ------
    ValueError
        If ``ind`` is not positive.
    numpy.linalg.LinAlgError
        If the numbers of elements differ, or, on devices that detect it, the map is singular.
    TypeError
        If ``a`` is not an Array, or ``ind`` is not an integer.

    Notes
    -----
    NumPy, ``linalg.tensorinv``.
    """
    (a,) = as_arrays("tensorinv", a)
    if isinstance(ind, bool) or not isinstance(ind, (int, np.integer)):
        raise TypeError(f"tensorinv(): ind is an integer, not {describe(ind)}")
    if ind <= 0:
        raise ValueError(f"Invalid ind argument. tensorinv() takes a positive number of axes, not {ind}")
    first, last = a.shape[:ind], a.shape[ind:]
    rows, columns = math.prod(last), math.prod(first)
    if rows != columns:
        raise np.linalg.LinAlgError(
            f"Last 2 dimensions of the array must be square: tensorinv() takes as many elements in the axes {first} as "
            f"in the axes {last}, not {columns} and {rows}; pass another ind than {ind}"
        )
    return xp.reshape(inv(xp.reshape(_as_floating(a), (rows, columns))), (*last, *first))


@composed
def tensorsolve(a: AnyArray, b: AnyArray, axes: Sequence[int] | None = None) -> Array:
    r"""Return the solution :math:`x` of :math:`\mathrm{tensordot}(a, x) = b`, summed over all axes of :math:`x`.

    Parameters
    ----------
    a
        Array of shape ``b.shape + S``, where ``S`` has as many elements as ``b``.
    b
        The right-hand side.
    axes
        Axes of ``a`` that are moved to the end first; by default none.

    Returns
    -------
    Array
        The solution, of shape ``S``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the numbers of elements differ, or, on devices that detect it, the system is singular.
    ValueError
        If an axis is out of bounds or named twice.
    TypeError
        If no operand is an Array.

    Notes
    -----
    NumPy, ``linalg.tensorsolve``.
    """
    a, b = as_arrays("tensorsolve", a, b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            axis = check_integer(axis, "tensorsolve", "each axis in axes")
            if axis not in order:
                raise ValueError(
                    f"tensorsolve(): axis {axis} in {describe(axes)} is not an axis of shape {a.shape}, or is named "
                    "twice; count axes from 0"
                )
            order.remove(axis)
            order.append(axis)
        a = xp.permute_dims(a, tuple(order))
    unknown = a.shape[-(a.ndim - b.ndim) :]
    count = math.prod(unknown)
    if a.size != count**2 or b.size != count:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]): tensorsolve() "
            f"got shapes {a.shape} and {b.shape}"
        )
    dtype = _floating(supported(result_type(a.dtype, b.dtype), a.device), a)
    matrix = xp.reshape(xp.astype(a, dtype, copy=False), (count, count))
    return xp.reshape(solve(matrix, xp.reshape(xp.astype(b, dtype, copy=False), (count,))), unknown)


def _floating(dtype: DType, x: Array) -> DType:
    return dtype if kind_of(dtype) in "fc" else x.device.default_dtypes["real floating"]


def _as_floating(x: Array) -> Array:
    """Return integers and booleans in the default real floating-point dtype."""
    return xp.astype(x, _floating(x.dtype, x), copy=False)


def _check_matrices(x: Array, name: str) -> Array:
    if x.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{x.ndim}-dimensional array given. Array must be at least two-dimensional: {name}() takes matrices, not "
            f"shape {x.shape}"
        )
    return x


def _check_square(x: Array, name: str) -> None:
    if x.shape[-2] != x.shape[-1]:
        raise np.linalg.LinAlgError(
            f"Last 2 dimensions of the array must be square: {name}() takes shape (..., M, M), not {x.shape}"
        )
