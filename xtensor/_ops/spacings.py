"""Numbers evenly spaced on a logarithmic scale, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_dtype, check_flag, check_integer
from .._core.compositions import composed
from .._core.device import Device
from .._core.dtypes import DType, kind_of, result_type
from .._core.errors import describe
from .._core.operands import SEQUENCES, common_device
from .._core.tracing_errors import any_true, rarely
from ._arguments import on_device
from ._casts import promoted
from ._conversions import creation_device, weakly_promoted

if TYPE_CHECKING:
    from .._core.annotations import DTypeLike

__all__ = ["geomspace", "logspace"]


@composed
def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | Device | None = None,
) -> Array:
    r"""Return the geometric progression :math:`start \left(\frac{stop}{start}\right)^{i / N}`, :math:`0 \le i < num`.

    :math:`N = num - 1` if ``endpoint`` is True, else :math:`N = num`.

    Parameters
    ----------
    start, stop
        The ends of the interval: numbers, Arrays or array-likes that broadcast, real or complex and not zero.
    num
        The number of values.
    endpoint
        Whether ``stop`` is the last value.
    dtype
        Dtype of the result. Default: the default real or complex floating-point dtype, or a wider one of the Arrays.
    axis
        The axis of the values, where ``start`` or ``stop`` has axes of its own.
    device
        Device of the result. Default: that of the Arrays among the arguments, else the default device.

    Returns
    -------
    Array
        The ``num`` values along ``axis``. Blocks until the device has finished.

    Raises
    ------
    ValueError
        If ``start`` or ``stop`` has a zero, or ``num`` is negative.
    TypeError
        If an argument is not a number or an array of them.

    Notes
    -----
    NumPy, ``geomspace``. Complex values lie on a logarithmic spiral.
    """
    (first, last), target, count = _arguments("geomspace", (start, stop), num, device, weak=False)
    if rarely(any_true, first == 0) or rarely(any_true, last == 0):
        raise ValueError(
            f"Geometric sequence cannot include zero; geomspace() received {describe(start)} and {describe(stop)}"
        )
    if dtype is None:
        wanted = result_type(first.dtype, target.default_dtypes["real floating"])
    else:
        wanted = check_dtype(dtype, target, "geomspace")
    common = result_type(first.dtype, wanted)
    first, last = xp.broadcast_arrays(xp.astype(first, common, copy=False), xp.astype(last, common, copy=False))
    signs = xp.sign(first)
    first, last = first / signs, last / signs
    exponents = _evenly(xp.log10(first), xp.log10(last), count, endpoint, "geomspace")
    values = xp.pow(10.0, xp.astype(exponents, common, copy=False))
    if count:
        values[0, ...] = first
    if count > 1 and endpoint:
        values[-1, ...] = last
    return _placed(values * signs, wanted, axis, "geomspace")


@composed
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | Device | None = None,
) -> Array:
    r"""Return :math:`base^{start + i \frac{stop - start}{N}}`, :math:`0 \le i < num`.

    :math:`N = num - 1` if ``endpoint`` is True, else :math:`N = num`.

    Parameters
    ----------
    start, stop
        The exponents of the ends: numbers, Arrays or array-likes that broadcast, real or complex.
    num
        The number of values.
    endpoint
        Whether ``base**stop`` is the last value.
    base
        The base, a number or an array-like that broadcasts with ``start`` and ``stop``.
    dtype
        Dtype of the result. Default: the floating-point dtype of ``start``, ``stop`` and ``base``.
    axis
        The axis of the values, where ``start``, ``stop`` or ``base`` has axes of its own.
    device
        Device of the result. Default: that of the Arrays among the arguments, else the default device.

    Returns
    -------
    Array
        The ``num`` values along ``axis``.

    Raises
    ------
    ValueError
        If ``num`` is negative, or the shapes do not broadcast.
    TypeError
        If an argument is not a number or an array of them.

    Notes
    -----
    NumPy, ``logspace``.
    """
    if device is None:
        device = common_device((start, stop, base))
    # Beside several bases, NumPy makes arrays of Python numbers first.
    several = isinstance(base, SEQUENCES) or getattr(base, "ndim", 0) > 0
    (first, last), target, count = _arguments("logspace", (start, stop), num, device, weak=not several)
    wanted = None if dtype is None else check_dtype(dtype, target, "logspace")
    if isinstance(base, (int, float, complex, np.number)):
        first, last = xp.broadcast_arrays(first, last)
        exponents = _evenly(first, last, count, endpoint, "logspace")
        scalar = complex(base) if isinstance(base, (complex, np.complexfloating)) else float(base)
        common = result_type(exponents.dtype, scalar)
        values = xp.pow(scalar, xp.astype(exponents, common, copy=False))
    else:
        first, last, bases = xp.broadcast_arrays(first, last, on_device("logspace", base, target))
        values = xp.pow(*promoted(bases, _evenly(first, last, count, endpoint, "logspace")))
    return _placed(values, values.dtype if wanted is None else wanted, axis, "logspace")


def _arguments(name: str, ends: Any, num: Any, device: Any, *, weak: bool) -> tuple[tuple[Array, ...], Device, int]:
    """Return numbers as Arrays of one floating-point dtype, their device, and the number of values.

    Python numbers do not affect the precision if they are weak.
    """
    common = None if device is not None else common_device(ends)
    target = creation_device(name, device) if common is None else common
    count = check_integer(num, name, "num")
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.; {name}() takes num of 0 or more")
    arrays = [on_device(name, xp.asarray(x, device=target) if _is_number(x) else x, target) for x in ends]
    dtype = (weakly_promoted(ends, arrays) if weak else promoted(*arrays))[0].dtype
    if kind_of(dtype) not in "fc":
        dtype = target.default_dtypes["real floating"]
    return tuple(xp.astype(x, dtype, copy=False) for x in arrays), target, count


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def _evenly(start: Array, stop: Array, num: int, endpoint: Any, name: str) -> Array:
    """Return evenly spaced values between arrays of one shape, along a new first axis."""
    parts = num - 1 if check_flag(endpoint, name, "endpoint") else num
    real = xp.real(start) if start.dtype.kind == "c" else start
    if real.dtype.char in "fd":
        index = xp.arange(num, dtype=real.dtype, device=start.device)
    else:
        index = xp.astype(xp.arange(num, device=start.device), real.dtype)
    index = xp.reshape(index, (num, *(1,) * start.ndim))
    step = (stop - start) / max(parts, 1)
    values: Array = xp.astype(index, start.dtype, copy=False) * step + start
    if endpoint and num > 1:
        values[-1, ...] = stop
    return values


def _placed(values: Array, dtype: DType, axis: int, name: str) -> Array:
    """Return values in a dtype, with their first axis moved to its place."""
    values = xp.astype(values, dtype, copy=False)
    return xp.moveaxis(values, 0, check_axis(axis, values.ndim, name))
