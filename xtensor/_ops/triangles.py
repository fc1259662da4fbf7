"""Triangles of matrices, and indices of diagonals and triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, call
from .._core.checks import LARGEST, check_dtype, check_integer, check_shape
from .._core.compositions import composed
from .._core.device import Device
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_argument
from .._core.operations import Operation, declare, operation
from ._casts import supported
from ._conversions import creation_device
from .creation import clamped, rows_and_columns

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
]

BROADCAST_TO = operation("broadcast_to")


def _compose_tril(xp: Any, x: Native, *, k: int) -> Native:
    row, column = rows_and_columns(xp, *x.shape[-2:])
    below = xp.less_equal(column, xp.add(row, clamped(k, *x.shape[-2:])))
    return xp.where(below, x, False if x.dtype.kind == "b" else 0)


TRIL = declare("tril", "manipulation", shape="same", numpy="tril", composition=_compose_tril)


@keywords_only
def tril(x: AnyArray, /, *positional: Never, k: int = 0) -> Array:
    r"""Return the lower triangle, :math:`a_{ij}` for :math:`j \le i + k` and 0 elsewhere, of a matrix or stack of them.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        Diagonal above which elements are set to 0: 0 for the main diagonal, positive above it, negative below it.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has no dimension; on the device ``strict`` fewer than two. Of one dimension, it is every row of a
        matrix.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``tril``.
    """
    if positional:
        raise by_position(tril, positional)
    return _triangle(TRIL, x, k)


def _compose_triu(xp: Any, x: Native, *, k: int) -> Native:
    row, column = rows_and_columns(xp, *x.shape[-2:])
    above = xp.less_equal(xp.add(row, clamped(k, *x.shape[-2:])), column)
    return xp.where(above, x, False if x.dtype.kind == "b" else 0)


TRIU = declare("triu", "manipulation", shape="same", numpy="triu", composition=_compose_triu)


@keywords_only
def triu(x: AnyArray, /, *positional: Never, k: int = 0) -> Array:
    r"""Return the upper triangle, :math:`a_{ij}` for :math:`j \ge i + k` and 0 elsewhere, of a matrix or stack of them.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        Diagonal below which elements are set to 0: 0 for the main diagonal, positive above it, negative below it.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has no dimension; on the device ``strict`` fewer than two. Of one dimension, it is every row of a
        matrix.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``triu``.
    """
    if positional:
        raise by_position(triu, positional)
    return _triangle(TRIU, x, k)


def _triangle(operation: Operation, x: AnyArray, k: int) -> Array:
    name = operation.label
    x = array_argument(x, name)
    device = x._device
    native = x._native
    if x.ndim == 1 and not device._library.defined_only:  # a matrix of equal rows, as in NumPy
        native = call(BROADCAST_TO, device, native, (x.shape[0], x.shape[0]))
    elif x.ndim < 2:
        raise ValueError(
            f"{name}() takes an array of two or more dimensions, not shape {x.shape}; add axes with xtensor.expand_dims"
        )
    return apply(operation, device, native, k=check_integer(k, name, "k"))


@composed
def diag_indices(n: int, ndim: int = 2, *, device: str | Device | None = None) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of an array whose axes have equal lengths.

    Parameters
    ----------
    n
        The length of each axis.
    ndim
        The number of axes.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    tuple of Array
        ``ndim`` times the indices from 0 to ``n - 1``.

    Raises
    ------
    TypeError
        If ``n`` or ``ndim`` is not an integer.

    Notes
    -----
    NumPy, ``diag_indices``.
    """
    target = creation_device("diag_indices", device)
    length, count = check_integer(n, "diag_indices", "n"), check_integer(ndim, "diag_indices", "ndim")
    check_shape((max(count, 0),), "diag_indices", 8)  # a tuple of pointers
    return (xp.arange(length, device=target),) * count


@composed
def diag_indices_from(arr: AnyArray) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of an array.

    Parameters
    ----------
    arr
        Array of two or more dimensions of equal length.

    Returns
    -------
    tuple of Array
        The indices along each axis.

    Raises
    ------
    ValueError
        If ``arr`` has fewer than two dimensions, or their lengths differ.

    Notes
    -----
    NumPy, ``diag_indices_from``.
    """
    arr = array_argument(arr, "diag_indices_from")
    device = arr._device
    if arr.ndim < 2:
        raise ValueError(f"input array must be at least 2-d; diag_indices_from() received shape {arr.shape}")
    if len(set(arr.shape)) > 1:
        raise ValueError(f"All dimensions of input must be of equal length; diag_indices_from() received {arr.shape}")
    return diag_indices(arr.shape[0], arr.ndim, device=device)


@composed
def tri(
    N: int,  # noqa: N803 - NumPy's name
    M: int | None = None,  # noqa: N803 - NumPy's name
    k: int = 0,
    dtype: Any = float,
    *,
    like: AnyArray | None = None,
    device: str | Device | None = None,
) -> Array:
    r"""Return the matrix with ones at and below a diagonal, :math:`a_{ij} = 1` for :math:`j \le i + k`.

    Its other elements are zero.

    Parameters
    ----------
    N
        The number of rows.
    M
        The number of columns. Default: ``N``.
    k
        The diagonal: 0 for the main one, positive for those above it, negative for those below.
    dtype
        Dtype of the result; ``float`` stands for the default real floating-point dtype.
    like
        An Array whose device is the default one for the result.
    device
        Device of the result.

    Returns
    -------
    Array
        Matrix of shape ``(N, M)``.

    Raises
    ------
    ValueError
        If a number of rows or columns is negative.
    TypeError
        If a number is not an integer, or ``like`` is not an xtensor Array.

    Notes
    -----
    NumPy, ``tri``.
    """
    target = creation_device("tri", device, like)
    wanted = target.default_dtypes["real floating"] if dtype is float else check_dtype(dtype, target, "tri")
    return xp.astype(_lower("tri", N, M, k, target), wanted, copy=False)


@composed
def tril_indices(
    n: int, k: int = 0, m: int | None = None, *, device: str | Device | None = None
) -> tuple[Array, Array]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    n
        The number of rows.
    k
        The diagonal above which the triangle ends: 0 for the main one, positive above it, negative below it.
    m
        The number of columns. Default: ``n``.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    tuple of Array
        The row and the column of each element, in row-major order.

    Raises
    ------
    ValueError
        If a number of rows or columns is negative.
    TypeError
        If a number is not an integer.

    Notes
    -----
    NumPy, ``tril_indices``.
    """
    return _positions(_lower("tril_indices", n, m, k, creation_device("tril_indices", device)))


@composed
def tril_indices_from(arr: AnyArray, k: int = 0) -> tuple[Array, Array]:
    """Return the indices of the lower triangle of a matrix of the shape of another.

    Parameters
    ----------
    arr
        Array of two dimensions.
    k
        The diagonal above which the triangle ends; see :func:`tril_indices`.

    Returns
    -------
    tuple of Array
        The row and the column of each element, in row-major order.

    Raises
    ------
    ValueError
        If ``arr`` does not have two dimensions.
    TypeError
        If ``k`` is not an integer.

    Notes
    -----
    NumPy, ``tril_indices_from``.
    """
    rows, columns, device = _shape(arr, "tril_indices_from")
    return tril_indices(rows, k, columns, device=device)


@composed
def triu_indices(
    n: int, k: int = 0, m: int | None = None, *, device: str | Device | None = None
) -> tuple[Array, Array]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    n
        The number of rows.
    k
        The diagonal below which the triangle ends: 0 for the main one, positive above it, negative below it.
    m
        The number of columns. Default: ``n``.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    tuple of Array
        The row and the column of each element, in row-major order.

    Raises
    ------
    ValueError
        If a number of rows or columns is negative.
    TypeError
        If a number is not an integer.

    Notes
    -----
    NumPy, ``triu_indices``.
    """
    below = check_integer(k, "triu_indices", "k") - 1
    target = creation_device("triu_indices", device)
    return _positions(xp.logical_not(_lower("triu_indices", n, m, below, target)))


@composed
def triu_indices_from(arr: AnyArray, k: int = 0) -> tuple[Array, Array]:
    """Return the indices of the upper triangle of a matrix of the shape of another.

    Parameters
    ----------
    arr
        Array of two dimensions.
    k
        The diagonal below which the triangle ends; see :func:`triu_indices`.

    Returns
    -------
    tuple of Array
        The row and the column of each element, in row-major order.

    Raises
    ------
    ValueError
        If ``arr`` does not have two dimensions.
    TypeError
        If ``k`` is not an integer.

    Notes
    -----
    NumPy, ``triu_indices_from``.
    """
    rows, columns, device = _shape(arr, "triu_indices_from")
    return triu_indices(rows, k, columns, device=device)


def _lower(name: str, n: Any, m: Any, k: Any, device: Device) -> Array:
    """Return whether each element of a matrix is at or below a diagonal."""
    rows = check_integer(n, name, "the number of rows")
    columns = rows if m is None else check_integer(m, name, "the number of columns")
    if rows < 0 or columns < 0:
        raise ValueError(f"negative dimensions are not allowed; {name}() received {rows} rows and {columns} columns")
    # Every diagonal outside the matrix is the same as the nearest one.
    shift = max(-rows, min(columns, check_integer(k, name, "k")))
    if rows * columns > LARGEST:
        raise ValueError(f"{name}(): a matrix of shape {(rows, columns)} has more elements than memory has addresses")
    # Small integers are compared in less time.
    index = supported(np.dtype(np.int16 if rows + columns <= np.iinfo(np.int16).max else np.int64), device)
    lower: Array = xp.arange(columns, dtype=index, device=device)[None, :] <= (
        xp.arange(rows, dtype=index, device=device)[:, None] + shift
    )
    return lower


def _positions(mask: Array) -> tuple[Array, Array]:
    """Return the rows and the columns of the true elements of a matrix, in row-major order."""
    if mask.device.native_type is not np.ndarray:
        rows, columns = xp.nonzero(mask)
        return rows, columns
    # NumPy's nonzero takes three times as long.
    rows, columns = (xp.arange(length, device=mask.device) for length in mask.shape)
    return xp.broadcast_to(rows[:, None], mask.shape)[mask], xp.broadcast_to(columns, mask.shape)[mask]


def _shape(arr: AnyArray, name: str) -> tuple[int, int, Device]:
    """Return the numbers of rows and columns of a matrix, and its device."""
    arr = array_argument(arr, name)
    device = arr._device
    if arr.ndim != 2:
        raise ValueError(f"input array must be 2-d; {name}() received shape {arr.shape}")
    return *arr.shape, device  # type: ignore[return-value]
