"""Products of rows without some of their elements, for derivatives of products: without division.

They are right next to zeros, to every order, and where a product of some elements overflows or underflows.
"""

from __future__ import annotations

import math

from ... import _ops as xp
from ..._core.array import Array
from ..._core.dtypes import kind_of
from ..._core.tracing_errors import is_known
from .._transform import Transform

__all__ = ["may_divide", "products_of_others", "shifted", "sums_of_products"]


def may_divide(product: Array, x: Array) -> bool:
    """Whether the quotient of a product by its factors has their precision, and is not differentiated again."""
    if isinstance(x._device._library, Transform):
        return False
    size = xp.abs(product)
    limits = xp.finfo(size.dtype)
    is_normal = (size >= limits.smallest_normal) & (size <= limits.max)
    return is_known(xp.all(is_normal)) and is_known(xp.all(x != 0))


def products_of_others(x: Array) -> Array:
    """Return the product of all other elements of each row, for each element of it."""
    exponent = _exponent(x)
    scaled = _scaled(x, -exponent)
    before = shifted(xp.cumulative_prod(scaled, axis=-1))
    after = xp.flip(shifted(xp.cumulative_prod(xp.flip(scaled, axis=-1), axis=-1)), axis=-1)
    return _scaled(before * after, xp.sum(exponent, axis=-1, keepdims=True) - exponent)


def shifted(x: Array) -> Array:
    """Return rows with 1 before their elements, and without the last one."""
    return xp.concat([xp.ones_like(x[..., :1]), x[..., :-1]], axis=-1)


def sums_of_products(factors: Array, terms: Array) -> Array:
    r"""Return :math:`s_i = t_i + f_{i+1} s_{i+1}` along rows, in as many steps as the length has binary digits.

    After the step of distance d, ``sums`` has the terms less than 2d after an element, and ``products`` the product of
    the 2d factors after it.
    """
    n, distance = factors.shape[-1], 1
    ones = xp.ones_like(factors[..., :1])
    sums, products = terms, xp.concat([factors[..., 1:], ones], axis=-1)
    while distance < n:
        rest = n - distance
        near = sums[..., :rest] + products[..., :rest] * sums[..., distance:]
        joined = products[..., :rest] * products[..., distance:]
        sums = xp.concat([near, sums[..., rest:]], axis=-1)
        products = xp.concat([joined, products[..., rest:]], axis=-1)
        distance *= 2
    return sums


def _exponent(x: Array) -> Array:
    """Return whole numbers e such that the magnitude of an element is near 2^e; 0 for zeros, infinities and NaN."""
    size = xp.abs(x)
    is_ordinary = (size > 0) & xp.isfinite(size)
    return xp.round(xp.log2(xp.where(is_ordinary, size, 1.0)))


def _scaled(x: Array, exponent: Array) -> Array:
    """Return elements times powers of two, in two factors that do not overflow."""
    limit = math.frexp(float(xp.finfo(exponent.dtype).max))[1] - 4
    half = xp.clip(xp.trunc(exponent / 2), -limit, limit)
    rest = xp.clip(exponent - half, -limit, limit)
    first, second = 2.0**half, 2.0**rest
    if kind_of(x.dtype) == "c":
        first, second = xp.astype(first, x.dtype), xp.astype(second, x.dtype)
    return x * first * second
