"""Joined arrays, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_casting, check_dtype
from .._core.compositions import composed
from .._core.dtypes import Casting, can_cast
from ._arguments import as_arrays, flattened, with_axes_before, with_three_axes
from ._casts import promoted
from ._conversions import sequence

if TYPE_CHECKING:
    from .._core.annotations import DTypeLike

__all__ = ["append", "block", "column_stack", "dstack", "hstack", "vstack"]

"""NumPy's casting rules."""


@composed
def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Return an array with values added at the end of an axis.

    Parameters
    ----------
    arr
        The Array, or an array-like with an Array.
    values
        The array-like to add, of the shape of ``arr`` except along ``axis``.
    axis
        The axis; None flattens both first.

    Returns
    -------
    Array
        A new array of the promoted dtype.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``axis`` is out of bounds.
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``append``.
    """
    arrays = as_arrays("append", arr, values)
    if axis is None:
        return _concat([flattened(x) for x in arrays], 0)
    return _concat(arrays, check_axis(axis, arrays[0].ndim, "append"))


@composed
def block(arrays: Any) -> Array:
    """Return an array put together from nested lists of blocks.

    Parameters
    ----------
    arrays
        Nested lists of array-likes, all at the same depth, with at least one Array among them. The innermost lists are
        joined along the last axis, the lists around them along the axis before it, and so on.

    Returns
    -------
    Array
        A new array of the promoted dtype. Blocks with fewer dimensions than others get leading axes of length 1.

    Raises
    ------
    ValueError
        If a list is empty, the depths differ, or the shapes do not fit.
    TypeError
        If there is a tuple among the lists, or no Array.

    Notes
    -----
    NumPy, ``block``.
    """
    leaves: list[Any] = []
    depth = _depth(arrays, "arrays", leaves)
    blocks = as_arrays("block", *leaves)
    ndim = max(depth, *(x.ndim for x in blocks))
    remaining = iter([with_axes_before(x, ndim) for x in promoted(*blocks)])
    return _joined(arrays, remaining, depth) if depth else next(remaining).copy()


def _joined(item: Any, blocks: Iterator[Array], depth: int) -> Array:
    """Return the blocks of nested lists of a depth, joined along the axis of that depth."""
    if not isinstance(item, list):
        return next(blocks)
    return xp.concat([_joined(part, blocks, depth - 1) for part in item], axis=-depth)


@composed
def column_stack(tup: Any) -> Array:
    """Return a matrix whose columns are vectors and the columns of matrices.

    Parameters
    ----------
    tup
        A list or tuple of array-likes with at least one Array, or an Array whose items along the first axis are taken.

    Returns
    -------
    Array
        A new array of two dimensions and the promoted dtype.

    Raises
    ------
    ValueError
        If the sequence is empty or the shapes do not fit.
    TypeError
        If ``tup`` is not a sequence, or has no Array.

    Notes
    -----
    NumPy, ``column_stack``.
    """
    return _concat([x if x.ndim > 1 else with_axes_before(x, 1)[:, None] for x in sequence("column_stack", tup)], 1)


@composed
def dstack(tup: Any) -> Array:
    """Return arrays joined along the third axis, after :func:`atleast_3d`.

    Parameters
    ----------
    tup
        A list or tuple of array-likes with at least one Array, or an Array whose items along the first axis are taken.

    Returns
    -------
    Array
        A new array of at least three dimensions and the promoted dtype.

    Raises
    ------
    ValueError
        If the sequence is empty or the shapes do not fit.
    TypeError
        If ``tup`` is not a sequence, or has no Array.

    Notes
    -----
    NumPy, ``dstack``.
    """
    return _concat([with_three_axes(x) for x in sequence("dstack", tup)], 2)


@composed
def hstack(tup: Any, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """Return arrays joined along the second axis, or along the first if the first array has one dimension.

    Parameters
    ----------
    tup
        A list or tuple of array-likes with at least one Array, or an Array whose items along the first axis are taken.
    dtype
        The dtype of the result; None stands for the promoted dtype.
    casting
        The rule by which the dtypes of the arrays must cast to ``dtype``: ``"no"``, ``"equiv"``, ``"safe"``,
        ``"same_kind"`` or ``"unsafe"``.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ValueError
        If the sequence is empty, the shapes do not fit, or ``casting`` is unknown.
    TypeError
        If ``tup`` is not a sequence or has no Array, or a dtype does not cast to ``dtype``.

    Notes
    -----
    NumPy, ``hstack``.
    """
    arrays = [with_axes_before(x, 1) for x in sequence("hstack", tup)]
    return _concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype, casting, "hstack")


@composed
def vstack(tup: Any, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """Return arrays joined along the first axis, after :func:`atleast_2d`.

    Parameters
    ----------
    tup
        A list or tuple of array-likes with at least one Array, or an Array whose items along the first axis are taken.
    dtype
        The dtype of the result; None stands for the promoted dtype.
    casting
        The rule by which the dtypes of the arrays must cast to ``dtype``; see :func:`hstack`.

    Returns
    -------
    Array
        A new array of at least two dimensions.

    Raises
    ------
    ValueError
        If the sequence is empty, the shapes do not fit, or ``casting`` is unknown.
    TypeError
        If ``tup`` is not a sequence or has no Array, or a dtype does not cast to ``dtype``.

    Notes
    -----
    NumPy, ``vstack``.
    """
    return _concat([with_axes_before(x, 2) for x in sequence("vstack", tup)], 0, dtype, casting, "vstack")


def _concat(
    arrays: Any, axis: int, dtype: DTypeLike | None = None, casting: Casting = "same_kind", name: str = ""
) -> Array:
    """Return arrays joined along an axis, in their common dtype or in a given one."""
    check_casting(casting, name)
    if not arrays:
        raise ValueError("need at least one array to concatenate; the Array has no items along its first axis")
    if dtype is None:
        return xp.concat(promoted(*arrays), axis=axis)
    target = check_dtype(dtype, arrays[0].device, name)
    for x in arrays:
        if not can_cast(x.dtype, target, casting):
            raise TypeError(
                f"Cannot cast array data from {x.dtype!r} to {target!r} according to the rule '{casting}'; pass a "
                f"wider dtype or another casting to {name}()"
            )
    return xp.concat([xp.astype(x, target, copy=False) for x in arrays], axis=axis)


MAX_DEPTH = 64
"""The largest number of dimensions in NumPy, beyond which a list contains itself."""


def _depth(item: Any, path: str, leaves: list[Any], level: int = 0) -> int:
    """Return the depth of nested lists, and append their leaves; raise ValueError unless all have the same depth."""
    if isinstance(item, tuple):
        raise TypeError(
            f"{path} is a tuple. Only lists can be used to arrange blocks, and block() does not allow implicit "
            "conversion from tuple to an array; pass a list"
        )
    if not isinstance(item, list):
        leaves.append(item)
        return 0
    if level == MAX_DEPTH:
        raise ValueError(f"block(): lists are nested more than {MAX_DEPTH} deep, or a list contains itself")
    if not item:
        raise ValueError(f"List at {path} cannot be empty; block() takes at least one block in each list")
    depths = [_depth(part, f"{path}[{i}]", leaves, level + 1) for i, part in enumerate(item)]
    for i, depth in enumerate(depths):
        if depth != depths[0]:
            raise ValueError(
                f"List depths are mismatched. First element was at depth {depths[0] + 1}, but there is an element at "
                f"depth {depth + 1} ({path}[{i}]); nest every block equally deep"
            )
    return depths[0] + 1
