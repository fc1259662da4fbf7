"""Entropies and products with logarithms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Operand, RealOperand

__all__ = ["entr", "kl_div", "rel_entr", "xlog1py", "xlogy"]


@special(complex=True, complex_formula=True)
def xlogy(x: Operand, y: Operand, /) -> Array:
    r"""Product :math:`x \ln y`; 0 for :math:`x = 0`.

    Parameters
    ----------
    x, y
        Arrays of a real or complex dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 for ``x = 0``, also at ``y = 0``, unless ``y`` is NaN.

    See ``scipy.special.xlogy``.
    """
    x, y = arrays(x, y)
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log(y))


@special(complex=True, complex_formula=True)
def xlog1py(x: Operand, y: Operand, /) -> Array:
    r"""Product :math:`x \ln(1 + y)`; 0 for :math:`x = 0`.

    Parameters
    ----------
    x, y
        Arrays of a real or complex dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 for ``x = 0``, unless ``y`` is NaN. Accurate near ``y = 0``.

    See ``scipy.special.xlog1py``.
    """
    x, y = arrays(x, y)
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log1p(y))


@special()
def entr(x: AnyArray, /) -> Array:
    r"""Elementwise entropy :math:`-x \ln x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 0 at 0, ``-inf`` where ``x < 0``.

    See ``scipy.special.entr``.
    """
    (x,) = arrays(x)
    return xp.where(x == 0, 0.0, xp.where(x < 0, -math.inf, -x * xp.log(x)))


@special()
def rel_entr(x: RealOperand, y: RealOperand, /) -> Array:
    r"""Elementwise relative entropy :math:`x \ln(x / y)`.

    Parameters
    ----------
    x, y
        Arrays of a real dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 for ``x = 0`` and ``y >= 0``; otherwise ``+inf`` where an operand is not positive. Overflow or
    underflow of the ratio does not matter.

    See ``scipy.special.rel_entr``.
    """
    x, y = arrays(x, y)
    return _extend_to_domain(x, y, x * log_of_ratio_of_positive(x, y), 0.0)


@special()
def kl_div(x: RealOperand, y: RealOperand, /) -> Array:
    r"""Elementwise Kullback-Leibler divergence :math:`x \ln(x / y) - x + y`.

    Parameters
    ----------
    x, y
        Arrays of a real dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``y`` for ``x = 0`` and ``y >= 0``; otherwise ``+inf`` where an operand is not positive. The
    rounding error is relative to ``x + y``.

    See ``scipy.special.kl_div``.
    """
    x, y = arrays(x, y)
    return _extend_to_domain(x, y, x * log_of_ratio_of_positive(x, y) - x + y, y)


def log_of_ratio_of_positive(x: Array, y: Array) -> Array:
    """Return ``log(x / y)`` of positive numbers whose ratio may be near 1, overflow or underflow."""
    ratio = x / y
    near_one = (ratio > 0.5) & (ratio < 2)
    in_range = (ratio > xp.finfo(x.dtype).smallest_normal) & (ratio < math.inf)
    plain = xp.where(near_one, xp.log1p((x - y) / y), xp.log(ratio))
    return xp.where(in_range, plain, xp.log(x) - xp.log(y))


def _extend_to_domain(x: Array, y: Array, of_positive: Array, of_zero: Array | float) -> Array:
    """Select the value for positive operands, the value for x = 0 and y ≥ 0, infinity elsewhere, or NaN."""
    result = xp.where((x > 0) & (y > 0), of_positive, math.inf)
    result = xp.where((x == 0) & (y >= 0), of_zero, result)
    return xp.where(xp.isnan(x) | xp.isnan(y), math.nan, result)
