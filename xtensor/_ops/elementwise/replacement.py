"""Infinities by their signs, truncation with ``out``, and replacement of NaN, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.calls import apply
from ..._core.checks import check_flag
from ..._core.compositions import composed
from ..._core.dtypes import DType, can_cast, finfo, kind_of, result_type
from ..._core.operations import COMPLEX_OF
from .._arguments import as_arrays, on_device, store

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.device import Device

__all__ = ["fix", "isneginf", "isposinf", "nan_to_num"]


@composed
def fix(x: AnyArray, out: Array | None = None) -> Array:
    """Return the numbers rounded towards 0 to integers.

    Parameters
    ----------
    x
        Array of a real dtype.
    out
        An Array of the shape of ``x`` that the result is written into.

    Returns
    -------
    Array
        The rounded numbers, with the shape and dtype of ``x``; ``out`` if that is given.

    Raises
    ------
    TypeError
        If ``x`` is not an Array or is complex, or its dtype does not cast to that of ``out``.
    ValueError
        If the shapes differ.

    Notes
    -----
    The function :func:`trunc` with ``out``.

    NumPy, ``fix``.
    """
    (x,) = as_arrays("fix", x)
    _check_real(x, "trunc")
    return store("fix", xp.trunc(x) if x.dtype.kind != "b" else xp.astype(x, x.dtype), out)


@composed
def isneginf(x: AnyArray, out: Array | None = None) -> Array:
    """Return whether each element is negative infinity.

    Parameters
    ----------
    x
        Array of a real dtype.
    out
        An Array of the shape of ``x`` that the result is written into.

    Returns
    -------
    Array
        Booleans, with the shape of ``x``; ``out`` if that is given.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.
    ValueError
        If the shapes differ.

    Notes
    -----
    NumPy, ``isneginf``.
    """
    return _is_infinity("isneginf", x, -xp.inf, out)


@composed
def isposinf(x: AnyArray, out: Array | None = None) -> Array:
    """Return whether each element is positive infinity.

    Parameters
    ----------
    x
        Array of a real dtype.
    out
        An Array of the shape of ``x`` that the result is written into.

    Returns
    -------
    Array
        Booleans, with the shape of ``x``; ``out`` if that is given.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.
    ValueError
        If the shapes differ.

    Notes
    -----
    NumPy, ``isposinf``.
    """
    return _is_infinity("isposinf", x, xp.inf, out)


def _is_infinity(name: str, x: AnyArray, infinity: float, out: Array | None) -> Array:
    """Return whether each element is one of the two infinities; integers are not."""
    (x,) = as_arrays(name, x)
    if x.dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {x.dtype} values because it would be ambiguous. Call {name}() on "
            "xtensor.real(x) and xtensor.imag(x)"
        )
    result = x == infinity if kind_of(x.dtype) == "f" else xp.zeros_like(x, dtype=xp.bool)
    return store(name, result, out)


def _check_real(x: Array, ufunc: str) -> None:
    if x.dtype.kind == "c":
        raise TypeError(
            f"ufunc '{ufunc}' not supported for the input types: dtype {x.dtype} is complex; take xtensor.real first"
        )


@composed
def nan_to_num(
    x: AnyArray, copy: bool = True, nan: Any = 0.0, posinf: Any | None = None, neginf: Any | None = None
) -> Array:
    """Return an array with numbers in place of NaN and infinities.

    Parameters
    ----------
    x
        Array of any dtype.
    copy
        Whether the result is a new array; if False, ``x`` itself is written to and returned.
    nan
        The number in place of NaN, or an array of them that broadcasts to ``x``.
    posinf
        The number in place of positive infinity; by default the largest number of the dtype.
    neginf
        The number in place of negative infinity; by default the least number of the dtype.

    Returns
    -------
    Array
        The array of the shape and dtype of ``x``. The components of a complex number are replaced independently.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or a replacement does not cast to its dtype.
    ValueError
        If a replacement does not broadcast to ``x``.

    Notes
    -----
    NumPy, ``nan_to_num``.
    """
    (given,) = as_arrays("nan_to_num", x)
    copy = check_flag(copy, "nan_to_num", "copy")
    if kind_of(given.dtype) not in "fc":
        return xp.asarray(given, copy=True) if copy else given
    limits = finfo(given.dtype)
    numbers = nan, float(limits.max) if posinf is None else posinf, float(limits.min) if neginf is None else neginf
    values = [_replacement(number, limits.dtype, given.device) for number in numbers]
    parts = [given] if given.dtype.kind != "c" else [xp.real(given), xp.imag(given)]
    parts = [_replaced(part, values) for part in parts]
    result = parts[0] if len(parts) == 1 else apply(COMPLEX_OF, given.device, *(part._native for part in parts))
    if copy:
        return result
    given[...] = result
    return given


def _replaced(x: Array, values: list[Array | float]) -> Array:
    """Return real numbers with others in place of NaN, of positive and of negative infinity."""
    result = x
    for special, value in zip((xp.nan, xp.inf, -xp.inf), values, strict=True):
        mask = xp.isnan(x) if math.isnan(special) else x == special  # one mask at a time is in memory
        result = xp.where(mask, xp.broadcast_to(value, x.shape) if isinstance(value, Array) else value, result)
    return result


def _replacement(number: Any, dtype: DType, device: Device) -> Array | float:
    """Return a replacement as an Array of the dtype of the components, on their device; its shape may broadcast.

    A Python number stays one: next to the components it promotes to their dtype.
    """
    if number.__class__ is int or number.__class__ is float:
        return float(number)
    value = on_device("nan_to_num", number, device)
    if not can_cast(value.dtype, dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {value.dtype!r} to {dtype!r} according to the rule 'same_kind': "
            f"nan_to_num() takes replacements of the array's kind, not of dtype {result_type(value.dtype, dtype)}"
        )
    return xp.astype(value, dtype, copy=False)
