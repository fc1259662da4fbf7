"""Linear algebra functions of the main namespace (Array API standard 2025.12, "Linear Algebra Functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import axes_of_array, check_axes, check_integer
from .._core.device import Device
from .._core.dispatch import binary_function
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_argument, array_arguments, common_device, native_operand
from .._core.operations import declare
from .._core.views import Call, rearranged

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

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
def matmul(x1: AnyArray, x2: AnyArray, /) -> Array:
    r"""Return the matrix product, :math:`c_{ij} = \sum_k a_{ik} b_{kj}`, of matrices or stacks of matrices.

    Parameters
    ----------
    x1
        Array of shape ``(..., M, K)`` or ``(K,)`` and a numeric dtype.
    x2
        Array of shape ``(..., K, N)`` or ``(K,)`` and a numeric dtype.

    Returns
    -------
    Array
        Array of shape ``(..., M, N)`` and the promoted dtype. The axes before the last two broadcast. For 1-d ``x1``
        the axis of length M is absent, for 1-d ``x2`` the axis of length N.

    Raises
    ------
    ValueError
        If an operand is 0-d, the lengths K differ, or the axes before the last two do not broadcast.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``matmul``.
    """


def _compose_matrix_transpose(xp: Any, x: Native) -> Native:
    return xp.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


MATRIX_TRANSPOSE = declare(
    "matrix_transpose",
    "manipulation",
    shape="argument",
    numpy="matrix_transpose",
    composition=_compose_matrix_transpose,
)


def matrix_transpose(x: AnyArray, /) -> Array:
    r"""Return the transpose, :math:`b_{ij} = a_{ji}`, of a matrix or of each matrix in a stack.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.

    Returns
    -------
    Array
        View of shape ``(..., N, M)``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``matrix_transpose``.
    """
    x = array_argument(x, "matrix_transpose")
    device = x._device
    if x.ndim < 2:
        raise ValueError(
            f"Input array must be at least 2-dimensional, but it is {x.ndim}; matrix_transpose() takes two or more "
            f"dimensions, not shape {x.shape}; add an axis with xtensor.expand_dims"
        )
    result = apply(MATRIX_TRANSPOSE, device, x._native)
    if device.level:
        rearranged(x, result, Call(MATRIX_TRANSPOSE), Call(MATRIX_TRANSPOSE))
    return result


def _compose_tensordot(
    xp: Any, x1: Native, x2: Native, *, axes: int | tuple[tuple[int, ...], tuple[int, ...]]
) -> Native:
    if isinstance(axes, int):
        axes = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    over1, over2 = axes
    free1, free2 = ([i for i in range(x.ndim) if i not in over] for x, over in ((x1, over1), (x2, over2)))
    shape = (*(x1.shape[i] for i in free1), *(x2.shape[i] for i in free2))
    summed = math.prod(x1.shape[i] for i in over1)
    left = xp.reshape(xp.permute_dims(x1, (*free1, *over1)), (math.prod(x1.shape[i] for i in free1), summed))
    right = xp.reshape(xp.permute_dims(x2, (*over2, *free2)), (summed, math.prod(x2.shape[i] for i in free2)))
    return xp.reshape(xp.matmul(left, right), shape)


TENSORDOT = declare(
    "tensordot",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="tensordot",
    composition=_compose_tensordot,
)


@keywords_only
def tensordot(
    x1: AnyArray, x2: AnyArray, /, *positional: Never, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Array:
    r"""Return the tensor contraction of two arrays over pairs of axes.

    For ``axes=1`` and matrices, :math:`c_{ij} = \sum_k a_{ik} b_{kj}`.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes.
    axes
        Axes to contract. A pair of sequences: the axes of ``x1`` and the axes of ``x2``, paired in order; paired axes
        have equal lengths. An integer ``N``: the last ``N`` axes of ``x1`` with the first ``N`` axes of ``x2``.

    Returns
    -------
    Array
        Array of the promoted dtype; its axes are the uncontracted axes of ``x1``, then those of ``x2``.

    Raises
    ------
    ValueError
        If paired axes differ in length or number, an axis is out of bounds or repeated, or ``N`` is negative or exceeds
        the number of dimensions of an operand.
    TypeError
        If an axis is not an integer.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``tensordot``. No operand is conjugated.
    """
    if positional:
        raise by_position(tensordot, positional)
    x1, x2 = array_arguments("tensordot", x1, x2)
    device, native1, native2 = _pair(x1, x2, "tensordot")
    checked_axes: int | tuple[tuple[int, ...], tuple[int, ...]]
    axes = axes_of_array(axes)
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueError(f"tensordot(): axes is an integer or a pair of sequences, not {describe(axes)}")
        pair = [axes_of_array(item) for item in axes]
        first, second = (item if isinstance(item, (tuple, list)) else (item,) for item in pair)
        axes1 = check_axes(tuple(first), x1.ndim, "tensordot", "duplicate axes are not allowed in tensordot")
        axes2 = check_axes(tuple(second), x2.ndim, "tensordot", "duplicate axes are not allowed in tensordot")
        checked_axes = (axes1, axes2)
    else:
        count = check_integer(axes, "tensordot", "axes")
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise ValueError(
                f"tensordot(): axes={count} is out of bounds for shapes {x1.shape} and {x2.shape}; pass an integer "
                f"from 0 to {min(x1.ndim, x2.ndim)}"
            )
        axes1, axes2 = tuple(range(x1.ndim - count, x1.ndim)), tuple(range(count))
        checked_axes = count
    if [x1.shape[axis] for axis in axes1] != [x2.shape[axis] for axis in axes2]:
        raise ValueError(
            f"shape-mismatch for sum; tensordot(): axes {axes1} of shape {x1.shape} and axes {axes2} of shape "
            f"{x2.shape} differ in length or number; pair axes of equal lengths"
        )
    return apply(TENSORDOT, device, native1, native2, axes=checked_axes)


def _compose_vecdot(xp: Any, x1: Native, x2: Native, *, axis: int) -> Native:
    x1, x2 = (xp.moveaxis(x, axis % x.ndim, x.ndim - 1) for x in (x1, x2))
    x1 = xp.conj(x1) if x1.dtype.kind == "c" else x1
    row, column = xp.expand_dims(x1, axis=(x1.ndim - 1,)), xp.expand_dims(x2, axis=(x2.ndim,))
    return xp.matmul(row, column)[..., 0, 0]


VECDOT = declare(
    "vecdot",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="vecdot",
    composition=_compose_vecdot,
)


@keywords_only
def vecdot(x1: AnyArray, x2: AnyArray, /, *positional: Never, axis: int = -1) -> Array:
    r"""Return the dot product, :math:`\sum_i \overline{a_i} b_i`, of vectors along an axis.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes, of equal length along ``axis``; their other axes broadcast. Complex elements of ``x1``
        are conjugated.
    axis
        Axis of the vectors, in both operands; negative values count from the end.

    Returns
    -------
    Array
        Array of the promoted dtype and the broadcast shape without ``axis``.

    Raises
    ------
    ValueError
        If the vectors differ in length, the other axes do not broadcast, or ``axis`` is out of bounds.

    Notes
    -----
    Standard 2025.12, Linear Algebra Functions, ``vecdot``.
    """
    if positional:
        raise by_position(vecdot, positional)
    device, native1, native2 = _pair(x1, x2, "vecdot")
    if axis.__class__ is not int:
        check_integer(axis, "vecdot", "axis")
    shape1, shape2 = native1.shape, native2.shape
    lowest = min(len(shape1), len(shape2))
    if not -lowest <= axis < lowest:
        raise ValueError(
            f"axis {axis} is out of bounds for array of dimension {lowest}; vecdot() takes an axis of both shapes "
            f"{shape1} and {shape2}"
        )
    if shape1[axis] != shape2[axis]:
        raise ValueError(
            "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() "
            f"(size {shape2[axis]} is different from {shape1[axis]}); vecdot() takes shapes with equal lengths along "
            f"axis {axis}, not {shape1} and {shape2}"
        )
    return apply(VECDOT, device, native1, native2, axis=axis)


def _pair(x1: AnyArray, x2: AnyArray, name: str) -> tuple[Device, Native, Native]:
    """Return the common device and the native arrays of two operands that must both be Arrays."""
    x1, x2 = array_arguments(name, x1, x2)
    device = x1._device
    if x2._device is device:
        return device, x1._native, x2._native
    device = common_device((x1, x2)) or device
    return device, native_operand(x1, device, name), native_operand(x2, device, name)
