"""Products of rows without some of their elements, for derivatives of products: without division.

They are right next to zeros, to every order, and where a product of some elements overflows or underflows.
"""

from __future__ import annotations

import math

from ... import _ops as xp
from ..._core.array import Array
from ..._core.dtypes import kind_of
from ..._core.tracing_errors import is_known
from ..._ops._casts import widened
from .._transform import Transform

__all__ = ["cumulative_prod_pullback", "may_divide", "products_of_others"]


def may_divide(product: Array, x: Array) -> bool:
    """Whether the quotient of a product by its factors has their precision, and is not differentiated again."""
    if isinstance(x._device._library, Transform):
        return False
    size = xp.abs(product)
    limits = xp.finfo(size.dtype)
    is_normal = (size >= limits.smallest_normal) & (size <= limits.max)
    return is_known(xp.all(is_normal)) and is_known(xp.all(x != 0))


def products_of_others(x: Array) -> Array:
    """Return the product of all other elements of each row, for each element of it; narrow dtypes give float32."""
    x = widened(x)
    exponent = _exponents(x)
    scaled = _scaled(x, -exponent)
    before = shifted(xp.cumulative_prod(scaled, axis=-1))
    after = xp.flip(shifted(xp.cumulative_prod(xp.flip(scaled, axis=-1), axis=-1)), axis=-1)
    return _scaled(before * after, xp.sum(exponent, axis=-1, keepdims=True) - exponent)


def shifted(x: Array, first: float = 1.0) -> Array:
    """Return rows with a number before their elements, and without the last one."""
    return xp.concat([xp.full_like(x[..., :1], first), x[..., :-1]], axis=-1)


def cumulative_prod_pullback(x: Array, terms: Array) -> Array:
    r"""Return :math:`x_1 \cdots x_{i-1} s_i` with :math:`s_i = t_i + x_{i+1} s_{i+1}` along rows.

    The sums take as many steps as the length has binary digits. After the step of distance d, ``sums`` has the terms
    less than 2d after an element, and ``products`` the product of the 2d factors after it. Both, and the products
    before an element, are numbers with exponents of their own. Narrow dtypes give float32.
    """
    x, terms = widened(x), widened(terms)
    exponent = _exponents(x)
    scaled = _scaled(x, -exponent)
    before, exponent_before = shifted(xp.cumulative_prod(scaled, axis=-1)), shifted(_sums(exponent), 0.0)
    products, exponents = _without_first(scaled, 1.0), _without_first(exponent, 0.0)
    tops = _exponent(terms)
    sums = _scaled(terms, -tops)
    n, distance = x.shape[-1], 1
    while distance < n:
        rest = n - distance
        near, near_tops, factor = sums[..., :rest], tops[..., :rest], products[..., :rest]
        far, far_tops = factor * sums[..., distance:], exponents[..., :rest] + tops[..., distance:]
        # A zero has a derivative of its own, but no say in the exponent of a sum.
        joined = xp.where(near == 0, far_tops, xp.maximum(near_tops, far_tops))
        joined = xp.where(far == 0, near_tops, joined)
        near = _scaled(near, near_tops - joined) + _scaled(far, far_tops - joined)
        sums, tops = (xp.concat([y, z[..., rest:]], axis=-1) for y, z in ((near, sums), (joined, tops)))
        products = xp.concat([factor * products[..., distance:], products[..., rest:]], axis=-1)
        exponents = xp.concat([exponents[..., :rest] + exponents[..., distance:], exponents[..., rest:]], axis=-1)
        distance *= 2
    return _scaled(before * sums, exponent_before + tops)


def _without_first(x: Array, last: float) -> Array:
    """Return rows without their first element, and with a number after the last one."""
    return xp.concat([x[..., 1:], xp.full_like(x[..., :1], last)], axis=-1)


def _sums(x: Array) -> Array:
    return xp.cumulative_sum(x, axis=-1, dtype=x.dtype)


def _exponents(x: Array) -> Array:
    """Return whole numbers such that the products of consecutive elements of rows, divided by their powers, are near 1.

    Those of zeros, infinities and NaN count as 1.
    """
    sums = xp.round(_sums(_logarithm(x)))
    return sums - shifted(sums, 0.0)


def _exponent(x: Array) -> Array:
    """Return whole numbers e such that the magnitude of an element is near 2^e; 0 for zeros, infinities and NaN."""
    return xp.round(_logarithm(x))


def _logarithm(x: Array) -> Array:
    size = xp.abs(x)
    is_ordinary = (size > 0) & xp.isfinite(size)
    return xp.log2(xp.where(is_ordinary, size, 1.0))


def _scaled(x: Array, exponent: Array) -> Array:
    """Return elements times powers of two, in two factors that do not overflow."""
    limit = math.frexp(float(xp.finfo(exponent.dtype).max))[1] - 4
    half = xp.clip(xp.trunc(exponent / 2), -limit, limit)
    rest = xp.clip(exponent - half, -limit, limit)
    first, second = 2.0**half, 2.0**rest
    if kind_of(x.dtype) == "c":
        first, second = xp.astype(first, x.dtype), xp.astype(second, x.dtype)
    return x * first * second
