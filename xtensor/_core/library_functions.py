"""Functions that several libraries need, over a library's own arrays and its own ``where``, ``copysign`` and others.

A correction (:mod:`xtensor._core.corrections`) is written in operations of a device; these functions are written in the
functions of a library, for a backend's namespace. ``lib`` is the library's module. Operands are arrays of one dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = [
    "arange_terms",
    "axes_of",
    "check_not_empty",
    "float_floor_divide",
    "float_remainder",
    "integer_floor_divide",
    "integer_remainder",
    "shift",
    "variance",
    "with_initial",
]

Array: TypeAlias = Any
"""A library's own array."""


def integer_floor_divide(lib: Any, raw: Callable[..., Array], x1: Array, x2: Array) -> Array:
    """Quotients of integers as NumPy has them: 0 where the divisor is 0, and the least integer over -1 is itself."""
    by_zero, by_minus_one = x2 == 0, _is_minus_one(x2)
    quotient = raw(x1, lib.where(by_zero | by_minus_one, lib.ones_like(x2), x2))
    return lib.where(by_zero, lib.zeros_like(x1), lib.where(by_minus_one, -x1, quotient))


def integer_remainder(lib: Any, raw: Callable[..., Array], x1: Array, x2: Array) -> Array:
    """Remainders of integers as NumPy has them: 0 where the divisor is 0."""
    return raw(x1, lib.where((x2 == 0) | _is_minus_one(x2), lib.ones_like(x2), x2))


def _is_minus_one(x: Array) -> Array:
    """Return whether elements are -1, false for unsigned integers."""
    return (x < 0) & (x + 1 == 0)


def float_remainder(lib: Any, x1: Array, x2: Array) -> Array:
    """Remainders with the sign of the divisor, zeros included: ``fmod``, which is exact, moved by the divisor."""
    rest = lib.fmod(x1, x2)
    rest = lib.where((rest != 0) & (lib.signbit(rest) != lib.signbit(x2)), rest + x2, rest)
    return lib.where(rest == 0, lib.copysign(rest, x2), rest)


def float_floor_divide(lib: Any, raw: Callable[..., Array], x1: Array, x2: Array) -> Array:
    """Quotients whose zeros have the sign of ``x1 / x2``."""
    quotient = raw(x1, x2)
    return lib.where(quotient == 0, lib.copysign(quotient, x1 / x2), quotient)


def shift(lib: Any, raw: Callable[..., Array], x1: Array, x2: Array, bits: int, *, keeps_sign: bool) -> Array:
    """Shifts as NumPy has them: by the width or more, or a negative distance, the result is 0.

    Parameters
    ----------
    bits
        The width of the dtype.
    keeps_sign
        Whether such a result is -1 for negative numbers, as in a shift to the right.
    """
    beyond = (x2 < 0) | (x2 >= bits)
    near = raw(x1, lib.where(beyond, lib.zeros_like(x2), x2))
    zeros = lib.zeros_like(x1)
    return lib.where(beyond, lib.where(x1 < 0, zeros - 1, zeros) if keeps_sign else zeros, near)


def axes_of(x: Array, axis: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the axes of a reduction as a tuple."""
    if axis is None:
        return tuple(range(len(x.shape)))
    return axis if isinstance(axis, tuple) else (axis,)


def check_not_empty(x: Array, axes: tuple[int, ...], name: str) -> None:
    """Raise ValueError for a maximum or minimum along axes without elements."""
    if not all(x.shape[axis] for axis in axes):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def variance(
    lib: Any, x: Array, *, axis: int | tuple[int, ...] | None, correction: float, keepdims: bool, is_complex: bool
) -> Array:
    """Return the sum of the squared distances from the mean, divided by the number of elements less ``correction``.

    ``lib`` has ``mean`` and ``sum`` with the options ``axis`` and ``keepdims``, and ``real`` and ``conj``.
    """
    axes = axes_of(x, axis)
    centered = x - lib.mean(x, axis=axes, keepdims=True)
    squares = lib.real(centered * lib.conj(centered)) if is_complex else centered * centered
    total = lib.sum(squares, axis=axes, keepdims=keepdims)
    return total / max(math.prod([x.shape[item] for item in axes]) - correction, 0.0)


def with_initial(
    concatenate: Callable[..., Array], full: Callable[..., Array], scan: Array, axis: int, first: int
) -> Array:
    """Return a scan with the initial value before its first element along an axis.

    ``concatenate`` takes a list of arrays and an axis, ``full`` a shape and a value.
    """
    shape = tuple(scan.shape)
    return concatenate([full((*shape[:axis], 1, *shape[axis + 1 :]), first), scan], axis)


def arange_terms(start: Any, stop: Any, step: Any, kind: str) -> tuple[int, Any, Any]:
    """Return length, first element and step of ``arange``, for a kind of dtype.

    NumPy's rule for integers: from ``int(start)`` in steps of ``int(start + step) - int(start)``, modulo 2**64, here
    as signed integers.

    Raises
    ------
    TypeError
        If more than two booleans are counted.
    """
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        length = max(-((start - stop) // step), 0)
    else:
        length = max(math.ceil((stop - start) / step), 0)
    if kind == "b" and length > 2:
        raise TypeError(f"arange() of {length} booleans: a count of booleans has 2 elements at most")
    if kind not in "biu":
        return length, float(start), float(step)
    first = int(start)
    return length, _as_int64(first), _as_int64(int(start + step) - first)


def _as_int64(value: int) -> int:
    """Return the signed integer with the last 64 bits of an integer."""
    return (value + 2**63) % 2**64 - 2**63
