"""Equality, and comparison within tolerances, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.device import Device
from .._core.dtypes import kind_of, result_type
from .._core.errors import describe
from .._core.operands import SCALARS, SEQUENCES, operands
from . import _casts
from ._arguments import as_arrays
from ._fused import close

if TYPE_CHECKING:
    from .._core.annotations import Operand

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]

REAL_NUMBERS = frozenset((bool, int, float))
"""Python's classes of real numbers, whose instances do not affect the precision of an array."""


@composed
def allclose(a: Operand, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    r"""Return whether :math:`|a - b| \le atol + rtol \, |b|` for all elements.

    Parameters
    ----------
    a, b
        Arrays whose shapes broadcast, or one Array and a Python scalar.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether a NaN is close to a NaN.

    Returns
    -------
    bool
        Blocks until the device has finished.

    Raises
    ------
    TypeError
        If neither is an Array, or a tolerance is not a real number.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    NumPy, ``allclose``.
    """
    return bool(xp.all(isclose(a, b, rtol, atol, equal_nan)))


@composed
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two arrays have the same shape and equal elements.

    Parameters
    ----------
    a1, a2
        Arrays, or one Array and an array-like. None and text equal no Array.
    equal_nan
        Whether a NaN equals a NaN; a complex number is a NaN if one of its components is.

    Returns
    -------
    bool
        Blocks until the device has finished, unless the shapes differ.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``array_equal``.
    """
    both_nan = check_flag(equal_nan, "array_equal", "equal_nan")
    if _is_no_array(a1, a2):
        return False
    x, y = as_arrays("array_equal", a1, a2)
    if x.shape != y.shape:
        return False
    result = _equal(x, y)
    if both_nan and kind_of(x.dtype) in "fc" and kind_of(y.dtype) in "fc":
        result = xp.logical_or(result, xp.logical_and(xp.isnan(x), xp.isnan(y)))
    return bool(xp.all(result))


@composed
def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two arrays are equal after broadcasting.

    Parameters
    ----------
    a1, a2
        Arrays, or one Array and an array-like. None and text equal no Array.

    Returns
    -------
    bool
        False if the shapes do not broadcast. Blocks until the device has finished otherwise.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``array_equiv``.
    """
    if _is_no_array(a1, a2):
        return False
    x, y = as_arrays("array_equiv", a1, a2)
    try:
        xp.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return bool(xp.all(_equal(x, y)))


@composed
def isclose(a: Operand, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    r"""Return whether :math:`|a - b| \le atol + rtol \, |b|`, for each element.

    Parameters
    ----------
    a, b
        Arrays whose shapes broadcast, or one Array and an array-like.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether a NaN is close to a NaN.

    Returns
    -------
    Array
        Booleans of the broadcast shape. An infinity is close only to the infinity of the same sign.

    Raises
    ------
    TypeError
        If neither is an Array, or a tolerance is not a real number.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    NumPy, ``isclose``.
    """
    a, b = (as_arrays("isclose", x, a, b)[0] if isinstance(x, SEQUENCES) else x for x in (a, b))
    device = operands("isclose", a, b)[0]
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not isinstance(tolerance, (Array, int, float, np.bool, np.integer, np.floating)):
            raise TypeError(f"isclose(): {name} is a real number, not {describe(tolerance)}")
    x, y = _comparable(a, b, device)
    if rtol.__class__ in REAL_NUMBERS and atol.__class__ in REAL_NUMBERS:
        fused = close(x, y, rtol, atol)
        if fused is not NotImplemented:
            return _or_both_nan(fused, x, y, equal_nan)
    # Only finite elements are subtracted: the difference of two infinities would cause a warning.
    finite = xp.isfinite(x) & xp.isfinite(y)
    reference = xp.where(finite, y, 0.0)
    distance = xp.abs(xp.where(finite, x, 0.0) - reference)
    with np.errstate(invalid="ignore"):  # an infinite tolerance times 0
        largest = atol + rtol * xp.abs(reference)
    result = (finite & (distance <= largest)) | (x == y)
    return _or_both_nan(result, x, y, equal_nan)


def _or_both_nan(result: Array, x: Array, y: Array, equal_nan: bool) -> Array:
    return result | (xp.isnan(x) & xp.isnan(y)) if check_flag(equal_nan, "isclose", "equal_nan") else result


def _is_no_array(a1: Any, a2: Any) -> bool:
    """Return whether one of two values is an Array, and the other is None or text, which no array equals."""
    return any(x.__class__ is Array and (y is None or isinstance(y, (str, bytes))) for x, y in ((a1, a2), (a2, a1)))


def _equal(x: Array, y: Array) -> Array:
    """Return whether elements are equal, for dtypes of different kinds, too."""
    if x.dtype == y.dtype:
        return xp.equal(x, y)
    kinds = {x.dtype.kind, y.dtype.kind}
    if kinds == {"i", "u"}:
        # Integers of 64 bits, signed and unsigned, have no common dtype that holds all of them.
        signed, unsigned = (x, y) if x.dtype.kind == "i" else (y, x)
        as_unsigned = xp.astype(unsigned, np.uint64, copy=False)
        return xp.logical_and(signed >= 0, xp.astype(signed, np.uint64) == as_unsigned)
    return xp.equal(*_casts.promoted(x, y))


def _comparable(a: Any, b: Any, device: Device) -> tuple[Array, Array]:
    """Return two operands as Arrays of one floating-point dtype; a Python scalar does not affect its precision."""
    kinds: list[Any] = [x if x.__class__ in SCALARS else x.dtype for x in (a, b)]
    dtype = _casts.supported(result_type(*kinds), device)
    if kind_of(dtype) not in "fc":
        dtype = device.default_dtypes["real floating"]
    a, b = (x if isinstance(x, Array) else xp.asarray(x, device=device) for x in (a, b))
    return xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)
