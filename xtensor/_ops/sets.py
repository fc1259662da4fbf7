"""Set functions (Array API standard 2025.12, "Set Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import check_flag
from .._core.dtypes import result_type
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_argument, computing_device, native_operand
from .._core.operations import declare
from ._composing import supported
from .conversion import from_list

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, IntegerOperand

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """Result of :func:`unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Result of :func:`unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Result of :func:`unique_inverse`."""

    values: Array
    inverse_indices: Array


def _compose_isin(xp: Any, x1: Native | complex, x2: Native | complex, *, invert: bool) -> Native:
    operands = [getattr(x, "dtype", x) for x in (x1, x2)]
    dtype = supported(xp, result_type(*operands))
    signs = {getattr(item, "kind", None) for item in operands}
    comparable: Any = True
    if signs == {"i", "u"} and dtype.kind == "f":
        # int64 next to uint64 promotes to float64, which cannot tell neighbours apart. Negative numbers have no match.
        dtype = np.dtype(np.uint64)
        comparable = xp.less_equal(0, x1)
        x2 = xp.getitem(xp.reshape(x2, (-1,)), xp.less_equal(0, xp.reshape(x2, (-1,))))
    elements, members = (
        xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype) for x in (x1, x2)
    )
    members = xp.reshape(members, (-1,))
    if not members.size or not elements.size:
        mask = xp.full(elements.shape, False, dtype=np.dtype(bool))
    elif dtype.kind in "bc":
        pairs = xp.equal(xp.reshape(elements, (*elements.shape, 1)), members)
        mask = xp.any(pairs, axis=(pairs.ndim - 1,), keepdims=False)
    else:
        ordered = xp.sort(members, axis=0, descending=False, stable=True)
        position = xp.searchsorted(ordered, elements, side="left")
        position = xp.minimum(position, ordered.shape[0] - 1)
        mask = xp.equal(xp.getitem(ordered, (position,)), elements)
    mask = xp.logical_and(mask, comparable) if comparable is not True else mask
    return xp.logical_not(mask) if invert else mask


ISIN = declare("isin", "set", operands=2, dtype="bool", shape="argument", numpy="isin", composition=_compose_isin)


@keywords_only
def isin(
    x1: IntegerOperand | list[Any], x2: IntegerOperand | list[Any], /, *positional: Never, invert: bool = False
) -> Array:
    r"""Test elementwise whether the elements of ``x1`` are in ``x2``, :math:`x_{1,i} \in x_2`.

    Parameters
    ----------
    x1
        Elements to test: an Array, a Python scalar, or a list of scalars.
    x2
        Elements to search: an Array, a Python scalar, or a list of scalars. At least one of ``x1`` and ``x2`` is an
        Array.
    invert
        True: return the negation, :math:`x_{1,i} \notin x_2`.

    Returns
    -------
    Array
        Array of the shape of ``x1`` and dtype bool. NaN equals no element; positive and negative zero are equal.

    Raises
    ------
    TypeError
        If neither ``x1`` nor ``x2`` is an Array.

    Notes
    -----
    Standard 2025.12, Set Functions, ``isin``.
    """
    if positional:
        raise by_position(isin, positional)
    device = computing_device("isin", (x1, x2))
    x1, x2 = (from_list("isin", x, device) if isinstance(x, list) else x for x in (x1, x2))
    native1 = native_operand(x1, device, "isin")
    native2 = native_operand(x2, device, "isin")
    return apply(ISIN, device, native1, native2, invert=check_flag(invert, "isin", "invert"))


def _sorted(xp: Any, x: Native) -> tuple[Native, Native, Native]:
    """The flattened elements in ascending order, their positions, and whether each is the first of its value."""
    flat = xp.reshape(x, (-1,))
    if x.dtype.kind == "c":
        order = _ascending(xp, xp.imag(flat))
        # NumPy's order: by the real component, then by the imaginary one; numbers with a NaN come last.
        real, imag = (xp.astype(xp.isnan(part), xp.default_integer) for part in (xp.real(flat), xp.imag(flat)))
        for keys in (xp.real(flat), xp.add(xp.add(real, real), imag)):
            order = xp.take(order, _ascending(xp, xp.take(keys, order, axis=0)), axis=0)
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


def _compose_unique_all(xp: Any, x: Native) -> tuple[Native, ...]:
    values, order, first = _sorted(xp, x)
    starts = xp.nonzero(first)[0]
    return (
        xp.take(values, starts, axis=0),
        xp.take(order, starts, axis=0),
        _inverse(xp, x, order, first),
        _counts(xp, starts, values.shape[0]),
    )


UNIQUE_ALL = declare(
    "unique_all",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_all",
    composition=_compose_unique_all,
)


def unique_all(x: AnyArray, /) -> UniqueAll:
    """Return the unique elements, the indices of their first occurrences, inverse indices and counts.

    Parameters
    ----------
    x
        Array of any dtype and shape; it is flattened.

    Returns
    -------
    UniqueAll
        Named tuple of ``values``, 1-d, of the dtype of ``x``; ``indices``, the positions in the flattened ``x`` of the
        first occurrence of each value; ``inverse_indices``, of the shape of ``x``, such that
        ``values[inverse_indices]`` equals ``x``; and ``counts``, the number of occurrences of each value. The last
        three are of the default index dtype.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_all``. Values ascend on every device; the standard leaves their
    order undefined. Each NaN is distinct. The shape of the result is data-dependent.
    """
    x = array_argument(x, "unique_all")
    device = x._device
    return UniqueAll(*(wrap(part, device) for part in call(UNIQUE_ALL, device, x._native)))


def _compose_unique_counts(xp: Any, x: Native) -> tuple[Native, ...]:
    values, _, first = _sorted(xp, x)
    starts = xp.nonzero(first)[0]
    return xp.take(values, starts, axis=0), _counts(xp, starts, values.shape[0])


UNIQUE_COUNTS = declare(
    "unique_counts",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_counts",
    composition=_compose_unique_counts,
)


def unique_counts(x: AnyArray, /) -> UniqueCounts:
    """Return the unique elements and their numbers of occurrences.

    Parameters
    ----------
    x
        Array of any dtype and shape; it is flattened.

    Returns
    -------
    UniqueCounts
        Named tuple of ``values``, 1-d, of the dtype of ``x``, and ``counts``, of the default index dtype.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_counts``. Values ascend on every device; the standard leaves their
    order undefined. Each NaN is distinct. The shape of the result is data-dependent.
    """
    x = array_argument(x, "unique_counts")
    device = x._device
    return UniqueCounts(*(wrap(part, device) for part in call(UNIQUE_COUNTS, device, x._native)))


def _compose_unique_inverse(xp: Any, x: Native) -> tuple[Native, ...]:
    values, order, first = _sorted(xp, x)
    return xp.take(values, xp.nonzero(first)[0], axis=0), _inverse(xp, x, order, first)


UNIQUE_INVERSE = declare(
    "unique_inverse",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_inverse",
    composition=_compose_unique_inverse,
)


def unique_inverse(x: AnyArray, /) -> UniqueInverse:
    """Return the unique elements and the indices that reconstruct the array from them.

    Parameters
    ----------
    x
        Array of any dtype and shape; it is flattened.

    Returns
    -------
    UniqueInverse
        Named tuple of ``values``, 1-d, of the dtype of ``x``, and ``inverse_indices``, of the shape of ``x`` and the
        default index dtype, such that ``values[inverse_indices]`` equals ``x``.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_inverse``. Values ascend on every device; the standard leaves their
    order undefined. Each NaN is distinct. The shape of the result is data-dependent.
    """
    x = array_argument(x, "unique_inverse")
    device = x._device
    return UniqueInverse(*(wrap(part, device) for part in call(UNIQUE_INVERSE, device, x._native)))


def _compose_unique_values(xp: Any, x: Native) -> Native:
    values, _, first = _sorted(xp, x)
    return xp.take(values, xp.nonzero(first)[0], axis=0)


UNIQUE_VALUES = declare(
    "unique_values", "set", shape="data-dependent", numpy="unique_values", composition=_compose_unique_values
)


def unique_values(x: AnyArray, /) -> Array:
    """Return the unique elements.

    Parameters
    ----------
    x
        Array of any dtype and shape; it is flattened.

    Returns
    -------
    Array
        1-d array of the dtype of ``x``.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_values``. Values ascend on every device; the standard leaves their
    order undefined. Each NaN is distinct. The shape of the result is data-dependent.
    """
    x = array_argument(x, "unique_values")
    device = x._device
    return apply(UNIQUE_VALUES, device, x._native)
