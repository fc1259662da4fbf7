"""``cupyx.scipy.special``, imported when the first of its functions is asked for.

Left to the core's formulas are those in which it departs from SciPy: degrees that are not reduced (``cosdg``,
``sindg``), NaN that is lost (``exprel``, ``xlog1py``), digits lost or overflow where SciPy has neither (``boxcox`` and
its kin, ``kl_div``, ``logit``, ``pseudo_huber``, ``rel_entr``), the sign of ``gammasgn(-0.0)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["special"]

REAL = frozenset(
    (
        *("bdtr", "bdtrc", "bdtri", "betainc", "betaincinv", "betaln", "binom", "cbrt", "chdtr", "chdtrc", "chdtri"),
        *("cosm1", "digamma", "ellipk", "ellipkm1", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp1"),
        *("exp10", "exp2", "expi", "expit", "expn", "fdtr", "fdtrc", "fdtri", "gamma", "gammainc", "gammaincc"),
        *("gammainccinv", "gammaincinv", "gammaln", "gdtr", "gdtrc", "huber", "i0", "i0e", "i1", "i1e", "j0", "j1"),
        *("k0", "k0e", "k1", "k1e", "log_expit", "log_ndtr", "loggamma", "lpmv", "multigammaln", "nbdtr", "nbdtrc"),
        *("nbdtri", "ndtr", "ndtri", "pdtr", "pdtrc", "pdtri", "poch", "polygamma", "psi", "radian", "rgamma"),
        *("xlogy", "y0", "y1", "yn", "zeta", "zetac"),
    )
)

COMPLEX = frozenset(("digamma", "gamma", "loggamma", "psi", "rgamma", "xlogy"))


def special(library: Any, name: str, kind: str) -> Callable[..., Native] | None:
    """CuPy's function of a name for real or complex operands; ``library`` is CuPy itself."""
    if name not in (COMPLEX if kind == "c" else REAL):
        return None
    import cupyx.scipy.special as source

    if name in ("k0e", "k1e"):
        return _scaled_bessel(library, getattr(source, name[:2]), int(name[1]))
    if name == "zeta":
        return _zeta(source)
    function: Callable[..., Native] = getattr(source, name)
    return _in_double_precision(function) if name in ("multigammaln", "polygamma", "yn") else function


def _in_double_precision(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that has results of its own choice of dtype, or overflows on its way to them in single precision."""

    def computed(*operands: Any) -> Native:
        exact = (x.astype(np.float64, copy=False) if hasattr(x, "dtype") else x for x in operands)
        return function(*exact).astype(operands[0].dtype, copy=False)

    return computed


def _zeta(source: Any) -> Callable[..., Native]:
    def zeta(x: Native, q: Native | None = None) -> Native:
        return source.zetac(x) + 1 if q is None else source.zeta(x, q)

    return zeta


def _scaled_bessel(library: Any, bessel: Callable[[Native], Native], order: int) -> Callable[[Native], Native]:
    """``exp(x) K(x)``, by the asymptotic series (NIST DLMF, 10.40.2) where ``exp`` would overflow."""
    factors = [1.0]
    for k in range(1, 9):
        factors.append(factors[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))

    def scaled(x: Native) -> Native:
        exact = x.astype(np.float64, copy=False)
        series = factors[-1]
        for factor in factors[-2::-1]:
            series = factor + series / exact
        far = library.sqrt(math.pi / 2 / exact) * series
        return library.where(exact > 500, far, library.exp(exact) * bessel(exact)).astype(x.dtype, copy=False)

    return scaled
