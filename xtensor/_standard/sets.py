"""Set functions (Array API standard 2025.12, "Set Functions")."""

from __future__ import annotations

from typing import NamedTuple

from .. import _composed
from .._core.array import Array, apply, wrap
from .._core.checks import check_flag
from .._core.dispatch import call, common_device, device_of, native_operand
from .._core.operations import declare

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """What :func:`unique_all` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What :func:`unique_counts` gives."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What :func:`unique_inverse` gives."""

    values: Array
    inverse_indices: Array


ISIN = declare("isin", "set", operands=2, dtype="bool", shape="argument", numpy="isin", composition=_composed.sets.isin)


def isin(x1: Array | int, x2: Array | int, /, *, invert: bool = False) -> Array:
    """Whether each element of ``x1`` is among the elements of ``x2``.

    Parameters
    ----------
    x1
        The elements to test: an Array, or a Python scalar.
    x2
        The elements to find them among: an Array, or a Python scalar; one of the two must be an Array.
    invert
        Whether to tell instead which are not among them.

    Returns
    -------
    Array
        Of the shape of ``x1`` and dtype bool. NaN is never found; zeros of both signs are equal.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    Standard 2025.12, Set Functions, ``isin``.
    """
    device = common_device((x1, x2)) or device_of(x1, "isin")
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


def unique_all(x: Array, /) -> UniqueAll:
    """The distinct elements, where each first stands, which of them each element is, and how often each occurs.

    Parameters
    ----------
    x
        Array of any dtype and shape, flattened for the search.

    Returns
    -------
    tuple
        ``values``, one dimension, of the dtype of ``x``; ``indices``, of their first occurrence; ``inverse_indices``,
        of the shape of ``x``, with ``values[inverse_indices]`` equal to ``x``; ``counts``.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_all``. Values ascend on every device;
    the standard leaves their order open. Each NaN is an element of its own. The shape of the result
    depends on the elements.
    """
    device = device_of(x, "unique_all")
    return UniqueAll(*(wrap(part, device) for part in call(UNIQUE_ALL, device, x._native)))


UNIQUE_COUNTS = declare(
    "unique_counts",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_counts",
    composition=_composed.sets.unique_counts,
)


def unique_counts(x: Array, /) -> UniqueCounts:
    """The distinct elements, and how often each occurs.

    Parameters
    ----------
    x
        Array of any dtype and shape, flattened for the search.

    Returns
    -------
    tuple
        ``values``, one dimension, of the dtype of ``x``; ``counts``, of the default index dtype.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_counts``. Values ascend on every device;
    the standard leaves their order open. Each NaN is an element of its own. The shape of the result
    depends on the elements.
    """
    device = device_of(x, "unique_counts")
    return UniqueCounts(*(wrap(part, device) for part in call(UNIQUE_COUNTS, device, x._native)))


UNIQUE_INVERSE = declare(
    "unique_inverse",
    "set",
    dtype="several",
    shape="data-dependent",
    numpy="unique_inverse",
    composition=_composed.sets.unique_inverse,
)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The distinct elements, and which of them each element is.

    Parameters
    ----------
    x
        Array of any dtype and shape, flattened for the search.

    Returns
    -------
    tuple
        ``values``, one dimension, of the dtype of ``x``; ``inverse_indices``, of the shape of ``x`` and the default
        index dtype, with ``values[inverse_indices]`` equal to ``x``.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_inverse``. Values ascend on every device;
    the standard leaves their order open. Each NaN is an element of its own. The shape of the result
    depends on the elements.
    """
    device = device_of(x, "unique_inverse")
    return UniqueInverse(*(wrap(part, device) for part in call(UNIQUE_INVERSE, device, x._native)))


UNIQUE_VALUES = declare(
    "unique_values", "set", shape="data-dependent", numpy="unique_values", composition=_composed.sets.unique_values
)


def unique_values(x: Array, /) -> Array:
    """The distinct elements.

    Parameters
    ----------
    x
        Array of any dtype and shape, flattened for the search.

    Returns
    -------
    Array
        One dimension, of the dtype of ``x``.

    Notes
    -----
    Standard 2025.12, Set Functions, ``unique_values``. Values ascend on every device;
    the standard leaves their order open. Each NaN is an element of its own. The shape of the result
    depends on the elements.
    """
    device = device_of(x, "unique_values")
    return apply(UNIQUE_VALUES, device, x._native)
