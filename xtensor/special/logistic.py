"""Logistic function, its inverse, and the softplus function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["expit", "log_expit", "logit", "softplus"]


@special()
def expit(x: AnyArray, /) -> Array:
    r"""Logistic function :math:`1 / (1 + e^{-x})`, the inverse of :func:`logit`.

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
    Special values: 0 at ``-inf``, 1 at ``+inf``. Small results keep their relative precision.

    See ``scipy.special.expit``.
    """
    decay = xp.exp(-xp.abs(x))
    return xp.where(x < 0, decay, 1.0) / (1 + decay)


@special()
def log_expit(x: AnyArray, /) -> Array:
    r"""Logarithm of the logistic function, :math:`-\ln(1 + e^{-x})`, computed without overflow.

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
    Special values: ``-inf`` at ``-inf``, 0 at ``+inf``.

    See ``scipy.special.log_expit``.
    """
    return xp.where(x < 0, x, 0.0) - xp.log1p(xp.exp(-xp.abs(x)))


@special()
def logit(x: AnyArray, /) -> Array:
    r"""Log-odds :math:`\ln \frac{x}{1 - x}`, the inverse of :func:`expit`.

    Parameters
    ----------
    x
        Array of a real dtype in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0, ``+inf`` at 1, NaN outside the domain. Accurate near the zero at ``x = 1/2``.

    See ``scipy.special.logit``.
    """
    (x,) = arrays(x)
    centered = 2 * (x - 0.5)
    near_half = (x > 0.3) & (x < 0.65)
    return xp.where(near_half, xp.log1p(centered) - xp.log1p(-centered), xp.log(x / (1 - x)))


@special()
def softplus(x: AnyArray, /) -> Array:
    r"""Softplus function :math:`\ln(1 + e^x)`, computed without overflow.

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
    Special values: 0 at ``-inf``, ``+inf`` at ``+inf``.

    See ``scipy.special.softplus``.
    """
    return xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x)))
