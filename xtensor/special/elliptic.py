"""Complete elliptic integrals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["ellipk", "ellipkm1"]


@special()
def ellipk(m: AnyArray, /) -> Array:
    r"""Complete elliptic integral of the first kind :math:`K(m) = \int_0^{\pi/2} (1 - m \sin^2 t)^{-1/2} dt`.

    Parameters
    ----------
    m
        Parameter :math:`m = k^2`; at most 1.

    Returns
    -------
    Array
        Array of the shape of ``m`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 1, NaN above 1. :func:`ellipkm1` is accurate near ``m = 1``.

    See ``scipy.special.ellipk``; NIST DLMF 19.2.
    """
    return ellipkm1(1 - m)


@special()
def ellipkm1(p: AnyArray, /) -> Array:
    r"""Complete elliptic integral of the first kind :math:`K(1 - p)`, accurate near :math:`p = 0`.

    Parameters
    ----------
    p
        Complementary parameter :math:`p = 1 - m`; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``p`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, 0 at ``+inf``, NaN below 0. The formula is
    :math:`\pi / (2 \operatorname{agm}(1, \sqrt p))` with the arithmetic-geometric mean.

    See ``scipy.special.ellipkm1``; NIST DLMF 19.2.
    """
    # The iterations suffice for the two means to agree to the last digit for every p.
    (p,) = arrays(p)
    inverted = p > 1
    complement = xp.where(inverted, 1 / p, p)
    arithmetic, geometric = xp.ones_like(p), xp.sqrt(complement)
    for _ in range(11 if p.dtype.itemsize == 8 else 8):
        arithmetic, geometric = (arithmetic + geometric) / 2, xp.sqrt(arithmetic * geometric)
    result = math.pi / (arithmetic + geometric)
    result = xp.where(inverted, result / xp.sqrt(p), result)
    return xp.where(p == 0, math.inf, xp.where(p == math.inf, 0.0, result))
