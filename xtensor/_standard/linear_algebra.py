"""Linear algebra functions of the main namespace (Array API standard 2025.12, "Linear Algebra Functions")."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _composed
from .._core.array import Array, apply
from .._core.backend import Native
from .._core.checks import check_axes, check_integer
from .._core.device import Device
from .._core.dispatch import binary_function, common_device, device_of, native_operand
from .._core.errors import describe
from .._core.operations import declare

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


MATMUL = declare(
    "matmul",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    operator="matmul",
    inplace="imatmul",
    numpy="matmul",
)


@binary_function(MATMUL)
def matmul(x1: Array, x2: Array, /) -> Array:
    r"""The matrix product, :math:`c_{ij} = \sum_k a_{ik} b_{kj}`, of matrices or of stacks of them.

    Parameters
    ----------
    x1
        Array of shape ``(..., M, K)``, or ``(K,)``, of a numeric dtype.
    x2
        Array of shape ``(..., K, N)``, or ``(K,)``, of a numeric dtype.

    Returns
    -------
    Array
        Of shape ``(..., M, N)``, the stacks broadcast; the axis of an operand of one dimension is left out. Of the
        promoted dtype.

    Raises
    ------
    ValueError
        If an operand is 0-d, or the shapes do not fit.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``matmul``.
    """


MATRIX_TRANSPOSE = declare(
    "matrix_transpose",
    "manipulation",
    shape="argument",
    numpy="matrix_transpose",
    composition=_composed.manipulation.matrix_transpose,
)


def matrix_transpose(x: Array, /) -> Array:
    r"""The transpose, :math:`a_{ji}`, of a matrix or of each matrix of a stack; a view.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.

    Returns
    -------
    Array
        Of shape ``(..., N, M)``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``matrix_transpose``.
    """
    device = device_of(x, "matrix_transpose")
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose() needs an array of two or more dimensions, not shape {x.shape}")
    return apply(MATRIX_TRANSPOSE, device, x._native)


TENSORDOT = declare(
    "tensordot",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="tensordot",
    composition=_composed.linear_algebra.tensordot,
)


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sum of products over pairs of axes.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes.
    axes
        The axes to sum over: a pair of sequences, the axes of ``x1`` and those of ``x2`` in the same order; or a
        number ``N``, for the last ``N`` of ``x1`` with the first ``N`` of ``x2``. Paired axes are of one length.

    Returns
    -------
    Array
        With the other axes of ``x1``, then those of ``x2``, of the promoted dtype.

    Raises
    ------
    ValueError
        If paired axes differ in length, or there are not as many of both.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``tensordot``. No operand is conjugated.
    """
    device, native1, native2 = _pair(x1, x2, "tensordot")
    chosen: int | tuple[tuple[int, ...], tuple[int, ...]]
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueError(f"tensordot(): axes is a number or a pair of sequences, not {describe(axes)}")
        first, second = (item if isinstance(item, (tuple, list)) else (item,) for item in axes)
        axes1 = check_axes(tuple(first), x1.ndim, "tensordot")
        axes2 = check_axes(tuple(second), x2.ndim, "tensordot")
        chosen = (axes1, axes2)
    else:
        count = check_integer(axes, "tensordot", "axes")
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot(): shapes {x1.shape} and {x2.shape} have not {count} axes to sum over")
        axes1, axes2 = tuple(range(x1.ndim - count, x1.ndim)), tuple(range(count))
        chosen = count
    if [x1.shape[axis] for axis in axes1] != [x2.shape[axis] for axis in axes2]:
        raise ValueError(
            f"tensordot(): axes {axes1} of shape {x1.shape} and {axes2} of shape {x2.shape} differ in length or number"
        )
    return apply(TENSORDOT, device, native1, native2, axes=chosen)


VECDOT = declare(
    "vecdot",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="vecdot",
    composition=_composed.linear_algebra.vecdot,
)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    r"""The dot product, :math:`\sum_i \overline{a_i} b_i`, of vectors along an axis.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes; as long along ``axis``, and of shapes that broadcast in the others.
    axis
        The axis of the vectors, counted from the end where negative; after broadcasting it is the same in both.

    Returns
    -------
    Array
        Without ``axis``, of the promoted dtype. The elements of ``x1`` are conjugated where complex.

    Raises
    ------
    ValueError
        If the vectors differ in length, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``vecdot``.
    """
    device, native1, native2 = _pair(x1, x2, "vecdot")
    if axis.__class__ is not int:
        check_integer(axis, "vecdot", "axis")
    shape1, shape2 = native1.shape, native2.shape
    lowest = min(len(shape1), len(shape2))
    if not -lowest <= axis < lowest:
        raise ValueError(f"vecdot(): axis {axis} is out of bounds for shapes {shape1} and {shape2}")
    if shape1[axis] != shape2[axis]:
        raise ValueError(
            f"vecdot(): shapes {shape1} and {shape2} have vectors of lengths {shape1[axis]} and "
            f"{shape2[axis]} along axis {axis}; they must be equal"
        )
    return apply(VECDOT, device, native1, native2, axis=axis)


def _pair(x1: Array, x2: Array, name: str) -> tuple[Device, Native, Native]:
    """The device and native arrays of two operands that must both be Arrays."""
    device = device_of(x1, name)
    if device_of(x2, name) is device:
        return device, x1._native, x2._native
    device = common_device((x1, x2)) or device
    return device, native_operand(x1, device, name), native_operand(x2, device, name)
