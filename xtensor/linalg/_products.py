"""Products of vectors and powers of matrices. ``matmul`` and its kin are in ``_ops.linear_algebra``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_axis, check_integer
from .._core.dtypes import is_narrow
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_arguments
from .._core.operations import declare
from .._ops._composing import identity
from .._ops.linear_algebra import _pair
from ._checks import check_broadcast, check_square_matrices

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["cross", "matrix_power", "outer"]


def _compose_cross(xp: Any, x1: Native, x2: Native, *, axis: int) -> Native:
    a, b = (xp.moveaxis(x, axis % x.ndim, x.ndim - 1) for x in (x1, x2))
    components = [
        xp.subtract(xp.multiply(a[..., i], b[..., j]), xp.multiply(a[..., j], b[..., i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    ndim = components[0].ndim
    return xp.moveaxis(xp.stack(components, axis=ndim), ndim, axis % (ndim + 1))


CROSS = declare(
    "linalg.cross",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="linalg.cross",
    composition=_compose_cross,
)


@keywords_only
def cross(x1: AnyArray, x2: AnyArray, /, *positional: Never, axis: int = -1) -> Array:
    r"""Return the cross product :math:`x_1 \times x_2` of vectors of three elements.

    Parameters
    ----------
    x1, x2
        Arrays of a numeric dtype, of length 3 along ``axis``. Their other axes broadcast.
    axis
        The axis that holds the vectors, counted from the end: in ``[-N, -1]``, where ``N`` is the smaller number of
        dimensions. For arrays with the same number of dimensions, it may also be counted from the front.

    Returns
    -------
    Array
        The products, of the broadcast shape and the promoted dtype.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, an array does not have length 3 along it, or the shapes do not broadcast.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``cross``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.cross(xp.asarray([1.0, 0.0, 0.0]), xp.asarray([0.0, 1.0, 0.0]))
    Array([0., 0., 1.])
    """
    if positional:
        raise by_position(cross, positional)
    x1, x2 = array_arguments("cross", x1, x2)
    device, native1, native2 = _pair(x1, x2, "cross")
    ndim = min(x1.ndim, x2.ndim)
    position = check_axis(axis, ndim, "cross") - ndim
    if axis >= 0 and x1.ndim != x2.ndim:
        raise ValueError(
            f"cross(): axis {axis} is ambiguous for shapes {x1.shape} and {x2.shape}; use a negative axis, "
            "which counts from the end"
        )
    if not x1.shape[position] == x2.shape[position] == 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[position]} and {x2.shape[position]} dimensional instead. cross() needs length 3 along "
            f"axis {axis}, not shapes {x1.shape} and {x2.shape}; name the axis that holds the vectors"
        )
    check_broadcast(x1.shape, x2.shape, "cross")
    if x1.dtype == x2.dtype and is_narrow(x1.dtype):  # differences of products, which may leave the range
        single = cross(xp.astype(x1, xp.float32), xp.astype(x2, xp.float32), axis=position)
        return xp.astype(single, x1.dtype)
    return apply(CROSS, device, native1, native2, axis=position)


def _compose_matrix_power(xp: Any, x: Native, n: int) -> Native:
    if n == 0:
        return xp.astype(identity(xp, x), x.dtype, copy=True)
    power = xp.linalg.inv(x) if n < 0 else x
    result: Native = None
    n = abs(n)
    while n:
        if n & 1:
            result = power if result is None else xp.matmul(result, power)
        n >>= 1
        power = xp.matmul(power, power) if n else power
    return xp.astype(result, x.dtype, copy=True) if result is x else result


MATRIX_POWER = declare(
    "linalg.matrix_power",
    "linear algebra",
    accepts="numeric",
    shape="same",
    numpy="linalg.matrix_power",
    composition=_compose_matrix_power,
)


def matrix_power(x: AnyArray, n: int, /) -> Array:
    r"""Return the power :math:`x^n` of square matrices.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype. They must be invertible for a negative ``n``.
    n
        The exponent: 0 gives the identity matrix, a negative exponent a power of the inverse.

    Returns
    -------
    Array
        The powers, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    TypeError
        If ``n`` is not an integer.
    numpy.linalg.LinAlgError
        If ``n`` is negative and a matrix is singular, on devices that detect it.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``matrix_power``.
    """
    x, device = check_square_matrices(x, "matrix_power")
    n = check_integer(n, "matrix_power", "n")
    return apply(MATRIX_POWER, device, x._native, n)


def _compose_outer(xp: Any, x1: Native, x2: Native) -> Native:
    return xp.multiply(xp.reshape(x1, (x1.shape[0], 1)), xp.reshape(x2, (1, x2.shape[0])))


OUTER = declare(
    "linalg.outer",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="linalg.outer",
    composition=_compose_outer,
)


def outer(x1: AnyArray, x2: AnyArray, /) -> Array:
    r"""Return the outer product of two vectors, :math:`x_{1,i}\, x_{2,j}`.

    Parameters
    ----------
    x1, x2
        Arrays of a numeric dtype and of shapes ``(N,)`` and ``(M,)``.

    Returns
    -------
    Array
        The products, of shape ``(N, M)`` and the promoted dtype. Neither factor is conjugated.

    Raises
    ------
    ValueError
        If an array does not have exactly one dimension.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``outer``.
    """
    x1, x2 = array_arguments("outer", x1, x2)
    device, native1, native2 = _pair(x1, x2, "outer")
    if not x1.ndim == x2.ndim == 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}. "
            f"outer() needs two arrays of one dimension, not shapes {x1.shape} and {x2.shape}; "
            "flatten them with xtensor.reshape(x, (-1,))"
        )
    return apply(OUTER, device, native1, native2)
