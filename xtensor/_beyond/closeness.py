"""Comparison within tolerances, in NumPy's names and signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array, Scalar
from .._core.checks import check_flag
from .._core.device import Device
from .._core.dispatch import SCALARS, composed, operands
from .._core.dtypes import kind_of, result_type
from .._core.errors import describe

__all__ = ["allclose", "isclose"]


@composed
def allclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    r"""Whether :math:`|a - b| \le atol + rtol \, |b|` for all elements.

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
        For which the host waits for the device.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``allclose``.
    """
    return bool(xp.all(isclose(a, b, rtol, atol, equal_nan)))


@composed
def isclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Array:
    r"""Whether :math:`|a - b| \le atol + rtol \, |b|`, for each element.

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
    Array
        Of dtype bool and the broadcast shape. Infinities are close to their equals alone.

    Raises
    ------
    TypeError
        If neither is an Array.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    NumPy, ``isclose``.
    """
    device = operands("isclose", a, b)[0]
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not isinstance(tolerance, (Array, int, float, np.bool, np.integer, np.floating)):
            raise TypeError(f"isclose(): {name} is a real number, not {describe(tolerance)}")
    x, y = _comparable(a, b, device)
    # What is not finite is compared as it is; the difference of two infinities would only warn.
    finite = xp.isfinite(x) & xp.isfinite(y)
    reference = xp.where(finite, y, 0.0)
    distance = xp.abs(xp.where(finite, x, 0.0) - reference)
    result = (finite & (distance <= atol + rtol * xp.abs(reference))) | (x == y)
    return result | (xp.isnan(x) & xp.isnan(y)) if check_flag(equal_nan, "isclose", "equal_nan") else result


def _comparable(a: Any, b: Any, device: Device) -> tuple[Array, Array]:
    """Two operands as Arrays of one floating-point dtype; Python scalars have no say in its precision."""
    kinds: list[Any] = [x if x.__class__ in SCALARS else x.dtype for x in (a, b)]
    dtype = result_type(*kinds)
    if kind_of(dtype) not in "fc":
        dtype = device.default_dtypes["real floating"]
    a, b = (x if isinstance(x, Array) else xp.asarray(x, device=device) for x in (a, b))
    return xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)
