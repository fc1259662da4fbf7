"""Products with logarithms, entropies and losses, with SciPy's values at the edges of their domains."""

from __future__ import annotations

from .arithmetic import in_double
from .exponential import log, log1p
from .values import Formula, Value, constant, fabs, isinf, isnan, select

__all__ = ["TABLE", "covers_quotient", "entr", "huber", "kl_div", "rel_entr", "xlog1py", "xlogy"]


def _at(x: Value, number: float) -> Value:
    return constant(x.builder, number, x.dtype)


def xlogy(x: Value, y: Value) -> Value:
    """``x * log(y)``, 0 where x is 0 and y is not NaN."""
    return select((x == 0) & ~isnan(y), _at(x, 0.0), x * log(y))


def xlog1py(x: Value, y: Value) -> Value:
    """``x * log(1 + y)``, 0 where x is 0 and y is not NaN."""
    return select((x == 0) & ~isnan(y), _at(x, 0.0), x * log1p(y))


def entr(x: Value) -> Value:
    """``-x * log(x)``, 0 at 0 and minus infinity below."""
    result = select(x > 0, -x * log(x), _at(x, -float("inf")))
    return select(isnan(x), x, select(x == 0, _at(x, 0.0), result))


def covers_quotient(x: Value, y: Value) -> Value:
    """Whether :func:`rel_entr` and :func:`kl_div` are right: the quotient neither overflows nor underflows."""
    ratio = x / y
    limit = 2.0**1000 if x.dtype.itemsize == 8 else 2.0**100
    return ~((x > 0) & (y > 0)) | ((ratio > 1.0 / limit) & (ratio < limit)) | isinf(x) | isinf(y)


def _relative(x: Value, y: Value) -> Value:
    """``x * log(x / y)`` of positive numbers; the difference is exact where the logarithm is small."""
    low = x < y * 0.5
    part = log1p(select(low, y - x, x - y) / select(low, x, y))
    return x * select(low, -part, part)


def rel_entr(x: Value, y: Value) -> Value:
    """``x * log(x / y)``, 0 where x is 0 and y is not negative, infinite elsewhere."""
    edge = select((x == 0) & (y >= 0), _at(x, 0.0), _at(x, float("inf")))
    result = select((x > 0) & (y > 0), _relative(x, y), edge)
    return select(isnan(x) | isnan(y), x + y, result)


def kl_div(x: Value, y: Value) -> Value:
    """``x * log(x / y) - x + y``, y where x is 0 and y is not negative, infinite elsewhere."""
    edge = select((x == 0) & (y >= 0), y, _at(x, float("inf")))
    result = select((x > 0) & (y > 0), _relative(x, y) - x + y, edge)
    return select(isnan(x) | isnan(y), x + y, result)


def huber(delta: Value, r: Value) -> Value:
    """``r**2 / 2`` up to ``delta``, ``delta * (|r| - delta / 2)`` beyond; infinite for a negative ``delta``."""
    a = fabs(r)
    result = select(a <= delta, r * r * 0.5, delta * (a - delta * 0.5))
    return select(delta < 0, _at(r, float("inf")), result)


TABLE: dict[str, Formula] = {
    "special.entr": Formula(entr),
    "special.huber": Formula(huber),
    "special.kl_div": Formula(in_double(kl_div), covers=covers_quotient),
    "special.rel_entr": Formula(rel_entr, covers=covers_quotient),
    "special.xlog1py": Formula(xlog1py),
    "special.xlogy": Formula(xlogy),
}
"""The formulas of these functions."""
