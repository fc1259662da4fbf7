"""Comparisons, elementwise maximum and minimum, and clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.array import ASTYPE, Array
from ..._core.backend import Native
from ..._core.checks import integer_limits
from ..._core.large_calls import apply_elementwise, apply_reduction
from ..._core.operands import array_argument, coerce_operands, common_device, native_operand
from ..._core.operations import declare
from .._composing import NativeOperand
from ._declaration import binary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, Operand, RealOperand

__all__ = ["clip", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "not_equal"]


@binary(accepts="any", dtype="bool", operator="eq")
def equal(x1: Operand, x2: Operand, /) -> Array:
    """Return whether :math:`x_1 = x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of dtypes that promote, whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is False, also for NaN on both sides.
    - ``-0`` equals ``+0``. An infinity equals the infinity of the same sign.
    - Complex numbers are equal if both components are.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``equal``.
    """


def _compose_greater(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.less(x2, x1)


@binary(accepts="real", dtype="bool", operator="gt", composition=_compose_greater)
def greater(x1: RealOperand, x2: RealOperand, /) -> Array:
    """Return whether :math:`x_1 > x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is False. ``-0`` and ``+0`` are equal.

    The standard does not specify an order of complex numbers.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``greater``.
    """


def _compose_greater_equal(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.less_equal(x2, x1)


@binary(accepts="real", dtype="bool", operator="ge", composition=_compose_greater_equal)
def greater_equal(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Return whether :math:`x_1 \ge x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is False. ``-0`` and ``+0`` are equal.

    The standard does not specify an order of complex numbers.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``greater_equal``.
    """


@binary(accepts="real", dtype="bool", operator="lt")
def less(x1: RealOperand, x2: RealOperand, /) -> Array:
    """Return whether :math:`x_1 < x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is False. ``-0`` and ``+0`` are equal.

    The standard does not specify an order of complex numbers.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``less``.
    """


@binary(accepts="real", dtype="bool", operator="le")
def less_equal(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Return whether :math:`x_1 \le x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is False. ``-0`` and ``+0`` are equal.

    The standard does not specify an order of complex numbers.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``less_equal``.
    """


def _not_a_number(xp: Any, x: NativeOperand) -> Any:
    return xp.isnan(x) if hasattr(x, "dtype") else x != x


def _compose_maximum(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.where(xp.logical_or(xp.less_equal(x2, x1), _not_a_number(xp, x1)), x1, x2)


@binary(accepts="real", composition=_compose_maximum)
def maximum(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Elementwise maximum, :math:`\max(x_1, x_2)`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The larger elements, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is NaN.
    - The standard does not specify whether ``-0`` or ``+0`` is the larger one.

    The standard does not specify an order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``maximum``.
    """


def _compose_minimum(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.where(xp.logical_or(xp.less_equal(x1, x2), _not_a_number(xp, x1)), x1, x2)


@binary(accepts="real", composition=_compose_minimum)
def minimum(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Elementwise minimum, :math:`\min(x_1, x_2)`.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The smaller elements, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is NaN.
    - The standard does not specify whether ``-0`` or ``+0`` is the smaller one.

    The standard does not specify an order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``minimum``.
    """


def _compose_not_equal(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.bitwise_invert(xp.equal(x1, x2))


@binary(accepts="any", dtype="bool", operator="ne", composition=_compose_not_equal)
def not_equal(x1: Operand, x2: Operand, /) -> Array:
    r"""Return whether :math:`x_1 \ne x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of dtypes that promote, whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is True, also for NaN on both sides.
    - ``-0`` equals ``+0``. An infinity equals the infinity of the same sign.
    - Complex numbers are unequal if a component is.

    The device decides whether a Python integer out of range for an integer dtype is compared by value, as in NumPy,
    or raises OverflowError.

    Standard 2025.12, Element-wise Functions, ``not_equal``.
    """


def _compose_clip(xp: Any, x: Native, lower: NativeOperand | None, upper: NativeOperand | None) -> Native:
    if lower is not None:
        x = xp.maximum(x, lower)
    return x if upper is None else xp.minimum(x, upper)


CLIP = declare("clip", "elementwise", operands=3, accepts="real", numpy="clip", composition=_compose_clip)


LIMITS = frozenset((int, float, type(None)))
"""Classes of the bounds that belong to no device."""


def clip(x: AnyArray, /, min: RealOperand | None = None, max: RealOperand | None = None) -> Array:
    r"""Clip ``x`` to an interval, :math:`\min(\max(x, \mathit{min}), \mathit{max})`.

    Parameters
    ----------
    x
        Array of any shape and a real-valued dtype.
    min
        Lower bound: an array whose shape broadcasts with ``x``, a Python scalar, or None for no lower bound.
    max
        Upper bound: an array whose shape broadcasts with ``x``, a Python scalar, or None for no upper bound.

    Returns
    -------
    Array
        The clipped elements, with the broadcast shape of ``x`` and the bounds. The dtype is that of ``x``, unless a
        bound promotes it, as a Python float promotes an integer dtype. Without bounds, a copy of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, a bound is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    Special cases:

    - If the element or one of its bounds is NaN, the result is NaN.
    - A Python integer out of range for an integer result is replaced by the nearest limit of the dtype: a lower bound
      below the range has no effect, and a lower bound above it sets every element to the maximum of the dtype.

    The standard does not specify the result where the lower bound exceeds the upper bound, where a bound is an array
    of another dtype, or where a bound is out of range for an integer dtype.

    Standard 2025.12, Element-wise Functions, ``clip``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.clip(xp.asarray([-2, 0, 5]), 0, 3)
    Array([0, 0, 3])
    """
    if x.__class__ is not Array:
        x = array_argument(coerce_operands("clip", x, min, max)[0], "clip")
    device = x._device
    if min is None and max is None:
        return apply_reduction(ASTYPE, device, x._native, x._native.dtype, copy=True)
    if min.__class__ in LIMITS and max.__class__ in LIMITS:
        return apply_elementwise(CLIP, device, x._native, *_representable([min, max], x._native))
    device = common_device((x, min, max)) or device
    native = native_operand(x, device, "clip")
    bounds = [None if bound is None else native_operand(bound, device, "clip") for bound in (min, max)]
    return apply_elementwise(CLIP, device, native, *_representable(bounds, native))


def _representable(bounds: list[Any], native: Native) -> list[Any]:
    """Clamp Python integers among the bounds to the range of an integer result; convert them for a float one."""
    if native.dtype.kind not in "iu" or not any(isinstance(bound, int) for bound in bounds):
        return bounds
    # Arrays and floats among the bounds take part in promotion; Python integers do not.
    wider = [getattr(bound, "dtype", bound) for bound in bounds if not isinstance(bound, int | None)]
    dtype = np.result_type(native.dtype, *wider) if wider else native.dtype
    if dtype.kind not in "iu":
        return [float(bound) if bound.__class__ is int else bound for bound in bounds]
    least, greatest = integer_limits(dtype)
    return [min(max(bound, least), greatest) if isinstance(bound, int) else bound for bound in bounds]
