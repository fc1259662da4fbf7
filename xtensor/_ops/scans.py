"""Cumulative sums and products, of the standard and with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import apply
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import array_argument
from .._core.operations import declare
from . import _missing
from .statistical import HALF, accumulating, in_float32

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "nancumprod", "nancumsum"]


CUMULATIVE_PROD = declare(
    "cumulative_prod", "scan", accepts="numeric", dtype="accumulated", shape="argument", numpy="cumulative_prod"
)


@keywords_only
def cumulative_prod(
    x: AnyArray,
    /,
    *positional: Never,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    r"""Return the cumulative product, :math:`y_i = \prod_{j \le i} x_j`, along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions and a numeric dtype.
    axis
        Axis of accumulation; optional for a 1-d array only.
    dtype
        Dtype of the result, and of the accumulation. Default: the dtype of ``x``, except that signed integers narrower
        than the default integer accumulate in the default integer dtype and narrower unsigned integers in ``uint64``.
    include_initial
        Whether to prepend the initial value, 1.

    Returns
    -------
    Array
        Array of the shape of ``x``, longer by 1 along ``axis`` if ``include_initial`` is True.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, or is None and ``x`` does not have exactly one dimension.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``cumulative_prod``.
    """
    if positional:
        raise by_position(cumulative_prod, positional)
    x = array_argument(x, "cumulative_prod")
    device = x._device
    axis = _scan_axis(x, axis, "cumulative_prod")
    if dtype is not None:
        x, dtype = accumulating(x, dtype, "cumulative_prod")
    if device.widens_float16 and (x._native.dtype if dtype is None else dtype) == HALF:
        return in_float32(CUMULATIVE_PROD, x, axis=axis, include_initial=include_initial)
    return apply(CUMULATIVE_PROD, device, x._native, axis=axis, dtype=dtype, include_initial=include_initial)


CUMULATIVE_SUM = declare(
    "cumulative_sum", "scan", accepts="numeric", dtype="accumulated", shape="argument", numpy="cumulative_sum"
)


@keywords_only
def cumulative_sum(
    x: AnyArray,
    /,
    *positional: Never,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    r"""Return the cumulative sum, :math:`y_i = \sum_{j \le i} x_j`, along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions and a numeric dtype.
    axis
        Axis of accumulation; optional for a 1-d array only.
    dtype
        Dtype of the result, and of the accumulation. Default: the dtype of ``x``, except that signed integers narrower
        than the default integer accumulate in the default integer dtype and narrower unsigned integers in ``uint64``.
    include_initial
        Whether to prepend the initial value, 0.

    Returns
    -------
    Array
        Array of the shape of ``x``, longer by 1 along ``axis`` if ``include_initial`` is True.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, or is None and ``x`` does not have exactly one dimension.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``cumulative_sum``.
    """
    if positional:
        raise by_position(cumulative_sum, positional)
    x = array_argument(x, "cumulative_sum")
    device = x._device
    axis = _scan_axis(x, axis, "cumulative_sum")
    if dtype is not None:
        x, dtype = accumulating(x, dtype, "cumulative_sum")
    if device.widens_float16 and (x._native.dtype if dtype is None else dtype) == HALF:
        return in_float32(CUMULATIVE_SUM, x, axis=axis, include_initial=include_initial)
    return apply_reduction(CUMULATIVE_SUM, device, x._native, axis=axis, dtype=dtype, include_initial=include_initial)


def _scan_axis(x: Array, axis: int | None, name: str) -> int:
    """Return the axis of a cumulative function as an integer in ``[0, ndim)``."""
    ndim = x._native.ndim
    if axis is None:
        if ndim != 1:
            raise ValueError(
                f"For arrays which have more than one dimension ``axis`` argument is required; {name}() received shape "
                f"{x.shape}; pass axis"
                if ndim
                else f"{name}() takes an array of one or more dimensions, not a 0-d array; reshape it to (1,)"
            )
        axis = 0
    return check_axis(axis, ndim, name)


@composed
def cumprod(a: AnyArray, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    r"""Return the cumulative products :math:`\prod_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_prod`.
    out
        The Array to write the result to.

    Returns
    -------
    Array
        The cumulative products, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumprod``. The standard's function is :func:`cumulative_prod`.
    """
    return _missing.accumulated("cumprod", a, axis, dtype, out, xp.cumulative_prod, None)


@composed
def cumsum(a: AnyArray, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    r"""Return the cumulative sums :math:`\sum_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_sum`.
    out
        The Array to write the result to.

    Returns
    -------
    Array
        The cumulative sums, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumsum``. The standard's function is :func:`cumulative_sum`.
    """
    return _missing.accumulated("cumsum", a, axis, dtype, out, xp.cumulative_sum, None)


@composed
def nancumprod(a: AnyArray, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    r"""Return the cumulative products :math:`\prod_{j \le i} a_j` along an axis, with NaN treated as 1.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_prod`.
    out
        The Array to write the result to.

    Returns
    -------
    Array
        The cumulative products, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``nancumprod``.
    """
    return _missing.accumulated("nancumprod", a, axis, dtype, out, xp.cumulative_prod, 1)


@composed
def nancumsum(a: AnyArray, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    r"""Return the cumulative sums :math:`\sum_{j \le i} a_j` along an axis, with NaN treated as 0.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_sum`.
    out
        The Array to write the result to.

    Returns
    -------
    Array
        The cumulative sums, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``nancumsum``.
    """
    return _missing.accumulated("nancumsum", a, axis, dtype, out, xp.cumulative_sum, 0)
