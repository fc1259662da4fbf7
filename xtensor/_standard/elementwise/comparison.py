"""Comparisons, and the larger or smaller of two elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._composed import elementwise as composed
from ..._core.array import ASTYPE, Array, apply
from ..._core.backend import Native
from ..._core.dispatch import common_device, device_of, native_operand
from ..._core.operations import declare
from ._declaration import binary

__all__ = ["clip", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "not_equal"]


@binary(accepts="any", dtype="bool", operator="eq")
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Whether :math:`x_1 = x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes that promote, and broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN, be it the same on both sides.
    - ``-0`` equals ``+0``; an infinity equals that of its own sign.
    - Complex numbers are equal where both components are.

    Standard 2025.12, Element-wise Functions, ``equal``.
    """


@binary(accepts="real", dtype="bool", operator="gt", composition=composed.greater)
def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """Whether :math:`x_1 > x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``greater``.
    """


@binary(accepts="real", dtype="bool", operator="ge", composition=composed.greater_equal)
def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    r"""Whether :math:`x_1 \ge x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``greater_equal``.
    """


@binary(accepts="real", dtype="bool", operator="lt")
def less(x1: Array | float, x2: Array | float, /) -> Array:
    """Whether :math:`x_1 < x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``less``.
    """


@binary(accepts="real", dtype="bool", operator="le")
def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    r"""Whether :math:`x_1 \le x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``less_equal``.
    """


@binary(accepts="real", composition=composed.maximum)
def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The greater of two operands, :math:`\max(x_1, x_2)`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The greater elements, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN.
    - Which of ``-0`` and ``+0`` is chosen is open, and so is the order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``maximum``.
    """


@binary(accepts="real", composition=composed.minimum)
def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The smaller of two operands, :math:`\min(x_1, x_2)`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The smaller elements, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN.
    - Which of ``-0`` and ``+0`` is chosen is open, and so is the order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``minimum``.
    """


@binary(accepts="any", dtype="bool", operator="ne", composition=composed.not_equal)
def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""Whether :math:`x_1 \ne x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes that promote, and broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - True where an operand is NaN, be it the same on both sides.
    - ``-0`` equals ``+0``; an infinity equals that of its own sign.
    - Complex numbers are unequal where a component is.

    Standard 2025.12, Element-wise Functions, ``not_equal``.
    """


CLIP = declare("clip", "elementwise", operands=3, accepts="real", numpy="clip", composition=composed.clip)


def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array:
    r"""The elements of ``x`` kept between two bounds, :math:`\min(\max(x, \mathit{min}), \mathit{max})`.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    min
        The lower bound: an array that broadcasts with ``x``, a Python scalar, or None for no bound.
    max
        The upper bound, likewise.

    Returns
    -------
    Array
        The bounded elements, of the shape of ``x`` broadcast with the bounds and of the promoted dtype: that
        of ``x``, unless a bound widens it, as a Python float does with integers. Without bounds, a copy.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, a bound is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - NaN where the element or a bound of it is NaN.
    - A Python integer beyond the range of an integer result counts as the end of the range: a lower bound
      below it is no bound, and one above it makes every element the greatest number of the dtype.
    - Where the lower bound is above the upper one, the result is open.

    Standard 2025.12, Element-wise Functions, ``clip``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.clip(xp.asarray([-2, 0, 5]), 0, 3)
    Array([0, 0, 3])
    """
    device = device_of(x, "clip")
    if min is None and max is None:
        return apply(ASTYPE, device, x._native, x._native.dtype, copy=True)
    device = common_device((x, min, max)) or device
    native = native_operand(x, device, "clip")
    bounds = [None if bound is None else native_operand(bound, device, "clip") for bound in (min, max)]
    return apply(CLIP, device, native, *_representable(bounds, native))


def _representable(bounds: list[Any], native: Native) -> list[Any]:
    """The bounds of a clip, with Python integers brought into the range of an integer result."""
    if native.dtype.kind not in "iu" or not any(isinstance(bound, int) for bound in bounds):
        return bounds
    # A bound of a wider dtype widens the result, and with it the range; a Python integer never does.
    wider = [getattr(bound, "dtype", bound) for bound in bounds if not isinstance(bound, int | None)]
    dtype = np.result_type(native.dtype, *wider)
    if dtype.kind not in "iu":
        return bounds
    limits = np.iinfo(dtype)
    return [min(max(bound, limits.min), limits.max) if isinstance(bound, int) else bound for bound in bounds]
