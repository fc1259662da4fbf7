"""Set functions (Array API standard 2025.12, "Set Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Never

from .. import _composed
from .._core.array import Array, apply, wrap
from .._core.checks import check_flag
from .._core.dispatch import array_argument, call, computing_device, native_operand
from .._core.keywords import by_position, keywords_only
from .._core.operations import declare
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


ISIN = declare("isin", "set", operands=2, dtype="bool", shape="argument", numpy="isin", composition=_composed.sets.isin)


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


UNIQUE_ALL = declare(
    "unique_all",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_all",
    composition=_composed.sets.unique_all,
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


UNIQUE_COUNTS = declare(
    "unique_counts",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_counts",
    composition=_composed.sets.unique_counts,
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


UNIQUE_INVERSE = declare(
    "unique_inverse",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_inverse",
    composition=_composed.sets.unique_inverse,
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


UNIQUE_VALUES = declare(
    "unique_values", "set", shape="data-dependent", numpy="unique_values", composition=_composed.sets.unique_values
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
