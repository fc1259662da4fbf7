"""Elements selected by conditions and indices, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.errors import describe
from .._core.levels import first_wrong
from ._arguments import as_arrays, flattened, on_device, shared_device, store
from ._conversions import check_mode, items, weakly_promoted, within

__all__ = ["choose", "compress", "extract", "piecewise", "select"]


@composed
def choose(a: Any, choices: Any, out: Array | None = None, mode: str = "raise") -> Array:
    r"""Return elements of several arrays, :math:`y_i = c_{a_i,\,i}`, after broadcasting.

    Parameters
    ----------
    a
        Integers: the number of the choice for each element. ``a`` and ``choices`` have at least one Array among them.
    choices
        A sequence of array-likes, or an Array whose items along the first axis are the choices.
    out
        An Array for the result.
    mode
        ``"raise"``: a number that is negative or too large is an error, on devices of the host. ``"wrap"``: it is taken
        modulo the number of choices. ``"clip"``: the nearest one is taken.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted dtype of the choices; Python numbers do not affect the precision.

    Raises
    ------
    ValueError
        If a number is out of bounds, there are no choices, ``mode`` is unknown, or the shapes do not broadcast.
    TypeError
        If ``a`` does not hold integers, or nothing is an Array.

    Notes
    -----
    NumPy, ``choose``.
    """
    check_mode(mode, "choose")
    parts = items("choose", choices) if choices.__class__ is Array else choices
    if not isinstance(parts, (list, tuple)):
        parts = (parts,)
    if not parts:
        raise ValueError("0-length sequence.; choose() takes at least one choice")
    index, *arrays = as_arrays("choose", a, *parts)
    if index.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {index.dtype!r} to {np.dtype(np.intp)!r} according to the rule 'safe'; "
            "choose() takes integers; cast with xtensor.astype"
        )
    index = xp.astype(index, index.device.default_dtypes["indexing"], copy=False)
    count = len(arrays)
    wrong = first_wrong(index, (index < 0) | (index >= count)) if mode == "raise" else None
    if wrong is not None:
        raise ValueError(
            f"invalid entry in choice array; choose() takes numbers from 0 to {count - 1} for choices "
            f"{describe(choices)}, not {wrong}"
        )
    index, *arrays = xp.broadcast_arrays(within(index, count, mode), *weakly_promoted(parts, arrays))
    table = xp.stack(arrays)
    return store("choose", xp.take_along_axis(table, index[None, ...], axis=0)[0, ...], out)


@composed
def compress(condition: Any, a: Any, axis: int | None = None, out: Array | None = None) -> Array:
    """Return the items along an axis for which a condition is true.

    Parameters
    ----------
    condition
        Array-like of one dimension; nonzero elements count as True. Items beyond its length are not selected.
        ``condition`` and ``a`` have at least one Array among them.
    a
        Array of any dtype.
    axis
        The axis; None flattens ``a`` first.
    out
        An Array for the result.

    Returns
    -------
    Array
        A new array of the dtype of ``a``. Blocks until the device has finished.

    Raises
    ------
    ValueError
        If ``condition`` does not have one dimension, or ``axis`` is out of bounds.
    IndexError
        If ``condition`` is true beyond the length of the axis.
    TypeError
        If nothing is an Array.

    Notes
    -----
    NumPy, ``compress``.
    """
    mask, array = as_arrays("compress", condition, a)
    if mask.ndim != 1:
        raise ValueError(f"condition must be a 1-d array; compress() received shape {mask.shape}")
    if axis is None:
        array, axis = flattened(array), 0
    axis = check_axis(axis, array.ndim, "compress")
    return store("compress", _selected(mask, array, axis, "compress"), out)


@composed
def extract(condition: Any, arr: Any) -> Array:
    """Return the elements of the flattened array for which a condition is true.

    Parameters
    ----------
    condition
        Array-like; nonzero elements count as True. ``condition`` and ``arr`` have at least one Array among them.
    arr
        Array of the size of ``condition`` and any dtype.

    Returns
    -------
    Array
        A new array of one dimension and the dtype of ``arr``. Blocks until the device has finished.

    Raises
    ------
    IndexError
        If ``condition`` is true beyond the size of ``arr``.
    TypeError
        If nothing is an Array.

    Notes
    -----
    NumPy, ``extract``.
    """
    mask, array = as_arrays("extract", condition, arr)
    return _selected(flattened(mask), flattened(array), 0, "extract")


@composed
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """Return a function that is defined by cases, evaluated at the elements of an array.

    Parameters
    ----------
    x
        Array of the arguments, or a sequence with an Array in it.
    condlist
        Booleans of the shape of ``x`` or of its first axes, or a sequence of them, one for each case. The last of
        several true cases decides.
    funclist
        A function or a number for each case, and optionally one more for the elements without a true case, which are
        0 otherwise. A function gets the elements of its case along one axis, before the axes that a condition omits.
    *args, **kw
        Further arguments of the functions.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``, to which the results of the functions are cast. Blocks until the device
        has finished.

    Raises
    ------
    ValueError
        If the numbers of conditions and functions do not fit.
    IndexError
        If the shape of a condition does not fit.
    TypeError
        If ``x`` has no Array.

    Notes
    -----
    NumPy, ``piecewise``.
    """
    device = shared_device("piecewise", x, condlist)
    x = on_device("piecewise", x, device)
    masks = [
        xp.astype(on_device("piecewise", item, device), bool, copy=False) for item in _conditions(condlist, x.ndim)
    ]
    functions = list(funclist)
    if len(functions) == len(masks) + 1:
        otherwise = masks[0]
        for mask in masks[1:]:
            otherwise = xp.logical_or(otherwise, mask)
        masks.append(xp.logical_not(otherwise))
    elif len(functions) != len(masks):
        raise ValueError(
            f"with {len(masks)} condition(s), either {len(masks)} or {len(masks) + 1} functions are expected; "
            f"piecewise() received {len(functions)} functions"
        )
    flat = flattened(x)
    result = xp.zeros_like(flat)
    for mask, function in zip(masks, functions, strict=True):
        _check_mask(mask, x)
        chosen = xp.reshape(mask, (*mask.shape, *(1,) * (x.ndim - mask.ndim)))
        chosen = xp.reshape(xp.broadcast_to(chosen, x.shape), (-1,))
        if not callable(function):
            value = xp.astype(on_device("piecewise", function, device), x.dtype, copy=False)
            result = xp.where(chosen, value, result)
            continue
        arguments = x[mask] if mask.ndim else x[None, ...][: int(mask), ...]
        if arguments.size:
            values = on_device("piecewise", function(arguments, *args, **kw), device)
            values = xp.broadcast_to(xp.astype(values, x.dtype, copy=False), arguments.shape)
            result[chosen] = flattened(values)
    return xp.reshape(result, x.shape)


@composed
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Return, for each element, the value of the first choice whose condition is true.

    Parameters
    ----------
    condlist
        A sequence of arrays of booleans. ``condlist`` and ``choicelist`` have at least one Array among them.
    choicelist
        A sequence of as many array-likes: the values where the condition of the same position is true. The shapes of
        all conditions and choices broadcast.
    default
        The value where no condition is true.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted dtype of the choices and the default; Python numbers do not affect
        the precision.

    Raises
    ------
    ValueError
        If the sequences are empty or differ in length, or the shapes do not broadcast.
    TypeError
        If a condition is not boolean, or nothing is an Array.

    Notes
    -----
    NumPy, ``select``.
    """
    conditions, choices = _items(condlist, "select"), _items(choicelist, "select")
    if len(conditions) != len(choices):
        raise ValueError(
            f"list of cases must be same length as list of conditions; select() received {len(choices)} choices and "
            f"{len(conditions)} conditions"
        )
    if not conditions:
        raise ValueError("select with an empty condition list is not possible; pass select() at least one condition")
    options = (*choices, default)
    converted = as_arrays("select", *conditions, *options)
    masks, values = converted[: len(conditions)], converted[len(conditions) :]
    for i, mask in enumerate(masks):
        if mask.dtype.kind != "b":
            raise TypeError(
                f"invalid entry {i} in condlist: should be boolean ndarray; select() received dtype {mask.dtype}"
            )
    arrays = weakly_promoted(options, values)
    shape = xp.broadcast_shapes(*[item.shape for item in (*masks, *arrays)])
    result = arrays[-1]
    for mask, array in zip(reversed(masks), reversed(arrays[:-1]), strict=True):
        result = xp.where(mask, array, result)
    return xp.broadcast_to(result, shape) if result.shape != shape else result


def _conditions(condlist: Any, ndim: int) -> list[Any]:
    """Return the conditions of several cases, or the only one, for arguments of ``ndim`` dimensions."""
    if not isinstance(condlist, (list, tuple)) and not getattr(condlist, "ndim", 0):
        return [condlist]
    conditions = _items(condlist, "piecewise")
    nested = bool(conditions) and (isinstance(conditions[0], list) or getattr(conditions[0], "ndim", 0) > 0)
    return conditions if nested or not ndim else [condlist]


def _check_mask(mask: Array, x: Array) -> None:
    """Raise IndexError unless a mask has the shape of the first axes of an array."""
    for axis, (own, length) in enumerate(zip(mask.shape, x.shape, strict=False)):
        if own != length:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {length} but size of "
                f"corresponding boolean axis is {own}; piecewise() received a condition of shape "
                f"{mask.shape} for shape {x.shape}"
            )
    if mask.ndim > x.ndim:
        raise IndexError(
            f"too many indices for array: array is {x.ndim}-dimensional, but {mask.ndim} were indexed; piecewise() "
            f"received a condition of shape {mask.shape} for shape {x.shape}"
        )


def _items(values: Any, name: str) -> list[Any]:
    """Return the items of a sequence, or of an Array along its first axis."""
    return list(items(name, values)) if values.__class__ is Array else list(values)


def _selected(mask: Array, array: Array, axis: int, name: str) -> Array:
    """Return the items of an array along an axis for which a mask is true."""
    length = array.shape[axis]
    indices = xp.nonzero(mask)[0]
    if mask.shape[0] > length and indices.size and int(indices[-1]) >= length:
        wrong = next(i for i in indices.tolist() if i >= length)
        raise IndexError(
            f"index {wrong} is out of bounds for axis {axis} with size {length}; {name}() received a condition of "
            f"length {mask.shape[0]}"
        )
    return xp.take(array, indices, axis=axis)
