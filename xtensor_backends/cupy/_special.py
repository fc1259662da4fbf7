"""CuPy's special functions, imported when the first one is asked for.

Not listed, and so computed by xtensor's formulas, are functions of ``cupyx.scipy.special`` that depart from SciPy's:
``cosdg`` and ``sindg`` do not reduce large angles; ``exprel`` and ``xlog1py`` lose NaN; ``boxcox`` and its relatives,
``kl_div``, ``logit``, ``pseudo_huber`` and ``rel_entr`` lose digits or overflow where SciPy does neither; ``gammasgn``
has the wrong sign at -0.0; ``i0e`` and ``i1e`` multiply an infinite number by 0 where ``i0`` overflows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["COMPLEX", "REAL", "Special"]

REAL = frozenset(
    (
        *("bdtr", "bdtrc", "bdtri", "betainc", "betaincinv", "betaln", "binom", "cbrt", "chdtr", "chdtrc", "chdtri"),
        *("cosm1", "digamma", "ellipk", "ellipkm1", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp1"),
        *("exp10", "exp2", "expi", "expit", "expn", "fdtr", "fdtrc", "fdtri", "gamma", "gammainc", "gammaincc"),
        *("gammainccinv", "gammaincinv", "gammaln", "gdtr", "gdtrc", "huber", "i0", "i1", "j0", "j1"),
        *("k0", "k0e", "k1", "k1e", "log_expit", "log_ndtr", "loggamma", "lpmv", "multigammaln", "nbdtr", "nbdtrc"),
        *("nbdtri", "ndtr", "ndtri", "pdtr", "pdtrc", "pdtri", "poch", "polygamma", "psi", "radian", "rgamma"),
        *("xlogy", "y0", "y1", "yn", "zeta", "zetac"),
    )
)
"""Functions that take real operands."""

COMPLEX = frozenset(("digamma", "gamma", "loggamma", "psi", "rgamma", "xlogy"))
"""Functions that take complex operands, too."""

IN_DOUBLE_PRECISION = frozenset(("multigammaln", "polygamma", "yn"))
"""Functions that choose the dtype of their result themselves, or overflow in single precision."""


NAN_LOST = frozenset(("chdtr", "chdtrc", "gammainc", "gammaincc", "gdtr", "gdtrc", "pdtr", "pdtrc"))
"""Functions that test for zeros and infinities before they test for NaN; here, NaN gives NaN."""


def _is_pole_of_the_sum(cp: Any, a: Native, b: Native) -> Native:
    total = a + b
    return (total <= 0) & (total == cp.floor(total)) & (a != cp.floor(a)) & (b != cp.floor(b))


def _has_infinite_freedom(cp: Any, a: Native, b: Native, x: Native) -> Native:
    return cp.isinf(a) | cp.isinf(b)


def _is_beyond_all(cp: Any, a: Native, b: Native, x: Native) -> Native:
    return (a > 0) & (b > 0) & (x == math.inf)


def _is_zero_probability(cp: Any, a: Native, b: Native, p: Native) -> Native:
    return (a > 0) & (a < math.inf) & (b > 0) & (b < math.inf) & (p == 0)


def _is_undefined_product(cp: Any, a: Native, b: Native, x: Native) -> Native:
    return cp.isnan(cp.multiply(a, x))


LIMITS: dict[str, tuple[tuple[Callable[..., Native], float], ...]] = {
    "betaln": ((_is_pole_of_the_sum, -math.inf),),
    "expi": ((lambda cp, x: x == math.inf, math.inf),),
    "fdtr": ((_has_infinite_freedom, math.nan), (_is_beyond_all, 1.0)),
    "fdtrc": ((_has_infinite_freedom, math.nan), (_is_beyond_all, 0.0)),
    "fdtri": ((_has_infinite_freedom, math.nan), (_is_zero_probability, 0.0)),
    "gdtr": ((_is_undefined_product, math.nan),),
    "gdtrc": ((_is_undefined_product, math.nan),),
}
"""Functions that are wrong at a limit of their domain: conditions on the operands, each with SciPy's value there."""


class Special:
    """The functions of ``cupyx.scipy.special`` as attributes; ``cp`` is CuPy itself."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp

    def __getattr__(self, name: str) -> Callable[..., Native]:
        if name not in REAL:
            raise AttributeError(name)
        import cupyx.scipy.special as source

        if name in ("k0e", "k1e"):
            return _of_real(_scaled_bessel(self._cp, getattr(source, name[:2]), int(name[1])))
        if name == "zeta":
            return _of_real(_zeta(source))
        function: Callable[..., Native] = getattr(source, name)
        if name in COMPLEX:
            return function
        if name in NAN_LOST:
            function = _nan_for_nan(self._cp, function)
        for condition, value in LIMITS.get(name, ()):
            function = _with_limit(self._cp, function, condition, value)
        return _of_real(_in_double_precision(function) if name in IN_DOUBLE_PRECISION else function)


def _of_real(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that declines complex operands; all operands have the dtype of the first."""

    @wraps(function)
    def of_real(*operands: Any) -> Native:
        return NotImplemented if operands[0].dtype.kind == "c" else function(*operands)

    return of_real


def _nan_for_nan(cp: Any, function: Callable[..., Native]) -> Callable[..., Native]:
    def computed(*operands: Any) -> Native:
        result = function(*operands)
        missing = reduce(cp.logical_or, map(cp.isnan, operands))
        return cp.where(missing, result.dtype.type(math.nan), result)

    return computed


def _with_limit(
    cp: Any, function: Callable[..., Native], condition: Callable[..., Native], value: float
) -> Callable[..., Native]:
    def computed(*operands: Any) -> Native:
        result = function(*operands)
        return cp.where(condition(cp, *operands), result.dtype.type(value), result)

    return computed


def _in_double_precision(function: Callable[..., Native]) -> Callable[..., Native]:
    def computed(*operands: Any) -> Native:
        exact = (x.astype(np.float64, copy=False) if hasattr(x, "dtype") else x for x in operands)
        return function(*exact).astype(operands[0].dtype, copy=False)

    return computed


def _zeta(source: Any) -> Callable[..., Native]:
    def zeta(x: Native, q: Native | None = None) -> Native:
        # CuPy's sum for negative q has abs(q) terms.
        return source.zetac(x) + 1 if q is None else NotImplemented

    return zeta


def _scaled_bessel(cp: Any, bessel: Callable[[Native], Native], order: int) -> Callable[[Native], Native]:
    """``exp(x) K(x)``, by the asymptotic series (NIST DLMF, 10.40.2) where ``exp`` would overflow."""
    factors = [1.0]
    for k in range(1, 9):
        factors.append(factors[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))

    def scaled(x: Native) -> Native:
        exact = x.astype(np.float64, copy=False)
        series = factors[-1]
        for factor in factors[-2::-1]:
            series = factor + series / exact
        asymptotic = cp.sqrt(math.pi / 2 / exact) * series
        return cp.where(exact > 500, asymptotic, cp.exp(exact) * bessel(exact)).astype(x.dtype, copy=False)

    return scaled
