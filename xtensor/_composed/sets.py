"""Compositions of set functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import result_type

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


def isin(xp: Any, x1: Native | complex, x2: Native | complex, *, invert: bool) -> Native:
    operands = [getattr(x, "dtype", x) for x in (x1, x2)]
    dtype = result_type(*operands)
    signs = {getattr(item, "kind", None) for item in operands}
    comparable: Any = True
    if signs == {"i", "u"} and dtype.kind == "f":
        # int64 beside uint64 promotes to float64, which cannot tell neighbours apart. Negative numbers have no match.
        dtype = np.dtype(np.uint64)
        comparable = xp.less_equal(0, x1)
        x2 = xp.getitem(xp.reshape(x2, (-1,)), xp.less_equal(0, xp.reshape(x2, (-1,))))
    elements, members = (
        xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype) for x in (x1, x2)
    )
    members = xp.reshape(members, (-1,))
    if not members.size or not elements.size:
        found = xp.full(elements.shape, False, dtype=np.dtype(bool))
    elif dtype.kind in "bc":
        pairs = xp.equal(xp.reshape(elements, (*elements.shape, 1)), members)
        found = xp.any(pairs, axis=(pairs.ndim - 1,), keepdims=False)
    else:
        ordered = xp.sort(members, axis=0, descending=False, stable=True)
        place = xp.searchsorted(ordered, elements, side="left")
        place = xp.minimum(place, ordered.shape[0] - 1)
        found = xp.equal(xp.getitem(ordered, (place,)), elements)
    found = xp.logical_and(found, comparable) if comparable is not True else found
    return xp.logical_not(found) if invert else found


def _sorted(xp: Any, x: Native) -> tuple[Native, Native, Native]:
    """The flattened elements in ascending order, their positions, and whether each is the first of its value."""
    flat = xp.reshape(x, (-1,))
    if x.dtype.kind == "c":
        order = _ascending(xp, xp.imag(flat))
        order = xp.take(order, _ascending(xp, xp.take(xp.real(flat), order, axis=0)), axis=0)
    elif x.dtype.kind == "b":
        order = _ascending(xp, xp.astype(flat, np.dtype(np.uint8)))
    else:
        order = _ascending(xp, flat)
    values = xp.take(flat, order, axis=0)
    first = xp.full((min(1, values.shape[0]),), True, dtype=np.dtype(bool))
    return values, order, xp.concat([first, xp.not_equal(values[1:], values[:-1])], axis=0)


def _ascending(xp: Any, x: Native) -> Native:
    return xp.argsort(x, axis=0, descending=False, stable=True)


def _counts(xp: Any, starts: Native, size: int) -> Native:
    end = xp.full((1,), size, dtype=starts.dtype)
    return xp.subtract(xp.concat([starts[1:], end], axis=0)[: starts.shape[0]], starts)


def _inverse(xp: Any, x: Native, order: Native, first: Native) -> Native:
    """For each element the number of its value."""
    number = xp.subtract(xp.cumulative_sum(xp.astype(first, xp.default_integer), axis=0), 1)
    return xp.reshape(xp.take(number, _ascending(xp, order), axis=0), x.shape)


def unique_all(xp: Any, x: Native) -> tuple[Native, ...]:
    values, order, first = _sorted(xp, x)
    starts = xp.nonzero(first)[0]
    return (
        xp.take(values, starts, axis=0),
        xp.take(order, starts, axis=0),
        _inverse(xp, x, order, first),
        _counts(xp, starts, values.shape[0]),
    )


def unique_counts(xp: Any, x: Native) -> tuple[Native, ...]:
    values, _, first = _sorted(xp, x)
    starts = xp.nonzero(first)[0]
    return xp.take(values, starts, axis=0), _counts(xp, starts, values.shape[0])


def unique_inverse(xp: Any, x: Native) -> tuple[Native, ...]:
    values, order, first = _sorted(xp, x)
    return xp.take(values, xp.nonzero(first)[0], axis=0), _inverse(xp, x, order, first)


def unique_values(xp: Any, x: Native) -> Native:
    values, _, first = _sorted(xp, x)
    return xp.take(values, xp.nonzero(first)[0], axis=0)
