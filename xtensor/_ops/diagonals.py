"""Diagonals of arrays, identity matrices and Vandermonde matrices, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.checks import check_axis, check_flag, check_integer, check_shape
from .._core.compositions import assignment, composed
from .._core.device import Device
from .._core.dtypes import result_type
from .._core.operands import device_of
from ._arguments import as_arrays, flattened, store
from ._casts import reduction_dtype, supported
from ._conversions import as_values, creation_device, cycled
from .matrices import diag

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["diagflat", "diagonal", "fill_diagonal", "identity", "trace", "vander"]


@composed
def diagflat(v: Any, k: int = 0) -> Array:
    """Return the matrix with the flattened elements of an array on a diagonal.

    Parameters
    ----------
    v
        Array of any shape and dtype, or a sequence with an Array in it.
    k
        The diagonal: 0 for the main one, positive for those above it, negative for those below.

    Returns
    -------
    Array
        For ``N`` elements, a matrix of shape ``(N + |k|, N + |k|)`` that is zero elsewhere.

    Raises
    ------
    TypeError
        If ``k`` is not an integer.

    Notes
    -----
    NumPy, ``diagflat``.
    """
    return diag(flattened(as_arrays("diagflat", v)[0]), k)


@composed
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    r"""Return the elements :math:`a_{i,\,i+k}` of a diagonal in the plane of two axes, where :math:`k` is the offset.

    Parameters
    ----------
    a
        Array of two or more dimensions and any dtype.
    offset
        The diagonal: 0 for the main one, positive for those above it, negative for those below.
    axis1, axis2
        The axes of the rows and of the columns.

    Returns
    -------
    Array
        The diagonal as the last axis, after the other axes of ``a``.

    Raises
    ------
    ValueError
        If ``a`` has fewer than two dimensions, or the axes are equal or out of bounds.
    TypeError
        If ``offset`` or an axis is not an integer.

    Notes
    -----
    NumPy, ``diagonal``.
    """
    return linalg.diagonal(_matrices(a, axis1, axis2, "diagonal"), offset=offset)


@assignment
def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Assign to the main diagonal of an array, in place.

    Parameters
    ----------
    a
        Array of two dimensions, or of more that have equal lengths.
    val
        The elements: a scalar or an array-like, which is flattened, repeated from its beginning where it is shorter
        than the diagonal, and cast to the dtype of ``a``.
    wrap
        Whether the diagonal of a matrix with more rows than columns begins again, after a row without an element.

    Raises
    ------
    ValueError
        If ``a`` has fewer than two dimensions, the lengths of more dimensions differ, or ``val`` is empty.

    Notes
    -----
    NumPy, ``fill_diagonal``.
    """
    device = device_of(a, "fill_diagonal")
    if a.ndim < 2:
        raise ValueError(f"array must be at least 2-d; fill_diagonal() received shape {a.shape}")
    end = a.size
    if a.ndim == 2:
        step = a.shape[1] + 1
        if not check_flag(wrap, "fill_diagonal", "wrap"):
            end = min(end, a.shape[1] * a.shape[1])
    else:
        if len(set(a.shape)) > 1:
            raise ValueError(f"All dimensions of input must be of equal length; fill_diagonal() received {a.shape}")
        step = sum(a.shape[0] ** i for i in range(a.ndim))
    values = as_values("fill_diagonal", val, a.dtype, device)
    count = len(range(0, end, step))
    if not count:
        return
    if not values.size:
        raise ValueError(
            f"fill_diagonal(): val has no elements for the diagonal, only shape {values.shape}; pass a scalar or a "
            "nonempty array"
        )
    shares = device.native_type is np.ndarray and a.flags.c_contiguous
    flat = xp.reshape(a, (-1,), copy=not shares)
    flat[0:end:step] = cycled(values, count) if values.ndim else values
    if not shares:
        a[...] = xp.reshape(flat, a.shape)


@composed
def identity(
    n: int, dtype: DTypeLike | None = None, *, like: AnyArray | None = None, device: str | Device | None = None
) -> Array:
    """Return the identity matrix.

    Parameters
    ----------
    n
        The number of rows and columns.
    dtype
        Dtype of the result. Default: the default real floating-point dtype.
    like
        An Array whose device is the default one for the result.
    device
        Device of the result.

    Returns
    -------
    Array
        Matrix of shape ``(n, n)``.

    Raises
    ------
    ValueError
        If ``n`` is negative.
    TypeError
        If ``n`` is not an integer, or ``like`` is not an xtensor Array.

    Notes
    -----
    NumPy, ``identity``. The standard's function is :func:`eye`.
    """
    return xp.eye(check_integer(n, "identity", "n"), dtype=dtype, device=creation_device("identity", device, like))


@composed
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    r"""Return the sum :math:`\sum_i a_{i,\,i+k}` of a diagonal in the plane of two axes, where :math:`k` is the offset.

    Parameters
    ----------
    a
        Array of two or more dimensions.
    offset
        The diagonal: 0 for the main one, positive for those above it, negative for those below.
    axis1, axis2
        The axes of the rows and of the columns.
    dtype
        The dtype of the sum. By default that of ``a``, or the default integer dtype for booleans and narrower integers.
    out
        An Array for the result.

    Returns
    -------
    Array
        The sums, of the shape of ``a`` without the two axes.

    Raises
    ------
    ValueError
        If ``a`` has fewer than two dimensions, or the axes are equal or out of bounds.
    TypeError
        If ``offset`` or an axis is not an integer.

    Notes
    -----
    NumPy, ``trace``.
    """
    matrices = _matrices(a, axis1, axis2, "trace")
    if matrices.dtype.kind == "b":
        matrices = xp.astype(matrices, matrices.device.default_dtypes["integral"])
    return store("trace", linalg.trace(matrices, offset=offset, dtype=reduction_dtype(out, matrices, dtype)), out)


@composed
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Vandermonde matrix, whose columns are the powers :math:`x^{N-1}, \dots, x, 1`.

    Parameters
    ----------
    x
        Array of one dimension, or a sequence with an Array in it.
    N
        The number of columns; None stands for the length of ``x``.
    increasing
        Whether the powers increase from the left to the right.

    Returns
    -------
    Array
        Matrix of shape ``(len(x), N)`` and the dtype of ``x``, or the default integer dtype for booleans and narrower
        integers.

    Raises
    ------
    ValueError
        If ``x`` does not have one dimension, or ``N`` is negative.
    TypeError
        If ``N`` is not an integer.

    Notes
    -----
    NumPy, ``vander``. The powers are products of ``x``, one after another.
    """
    x = as_arrays("vander", x)[0]
    if x.ndim != 1:
        raise ValueError(f"x must be a one-dimensional array or sequence.; vander() received shape {x.shape}")
    columns = x.shape[0] if N is None else check_integer(N, "vander", "N")
    if columns < 0:
        raise ValueError(f"negative dimensions are not allowed; vander() received N={columns}")
    check_shape((x.shape[0], columns), "vander", 8)
    x = xp.astype(x, supported(result_type(x.dtype, np.dtype(np.int64)), x.device), copy=False)
    ones = xp.ones((x.shape[0], min(columns, 1)), dtype=x.dtype, device=x.device)
    factors = xp.broadcast_to(x[:, None], (x.shape[0], max(columns - 1, 0)))
    powers = xp.concat((ones, factors), axis=1)
    if powers.size:
        powers = xp.cumulative_prod(powers, axis=1, dtype=x.dtype)
    return powers if check_flag(increasing, "vander", "increasing") else xp.flip(powers, axis=1)


def _matrices(a: Any, axis1: int, axis2: int, name: str) -> Array:
    """Return an array with the two axes of its matrices as the last ones."""
    (x,) = as_arrays(name, a)
    if x.ndim < 2:
        raise ValueError(f"diag requires an array of at least two dimensions; {name}() received shape {x.shape}")
    first, second = check_axis(axis1, x.ndim, name, "axis1: "), check_axis(axis2, x.ndim, name, "axis2: ")
    if first == second:
        raise ValueError(f"axis1 and axis2 cannot be the same; {name}() received {axis1} and {axis2}")
    return x if (first, second) == (x.ndim - 2, x.ndim - 1) else xp.moveaxis(x, (first, second), (-2, -1))
