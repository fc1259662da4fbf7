"""Creation functions for arrays of one value (Array API standard 2025.12, "Creation Functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_bounds, check_dtype, check_shape
from .._core.compositions import composed
from .._core.conversions import Scalar
from .._core.device import Device
from .._core.devices import resolve
from .._core.documentation import documented
from .._core.dtypes import DType, kind_of
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.operands import SCALARS, array_argument
from .._core.operations import declare
from .._core.tracing_errors import Number as UnknownNumber
from .conversion import asarray

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike, Number

__all__ = ["empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]

Shape = int | Sequence[int]

DEFAULT_KINDS: dict[type, str] = {int: "integral", float: "real floating", complex: "complex floating"}
"""Kind of the default dtype for each Python scalar type; bool has a dtype of its own."""


FILLED = """
Parameters
----------
shape
    Length of each axis, or one integer for a 1-d array.
dtype
    Dtype of the result. Default: the default real floating-point dtype.
device
    Device of the result. Default: the default device.

Raises
------
ValueError
    If a length is negative, or the number of elements exceeds the address space.
TypeError
    If the device does not support the dtype.
OutOfMemoryError
    If the device does not have enough free memory.
"""
"""Sections of the docstrings of :func:`empty`, :func:`ones` and :func:`zeros`."""

LIKE = """
Parameters
----------
x
    Array that determines the defaults of shape, dtype and device.
dtype
    Dtype of the result. Default: the dtype of ``x``.
device
    Device of the result. Default: the device of ``x``.
shape
    Shape of the result, as NumPy's function has it. Default: the shape of ``x``.

Raises
------
TypeError
    If the device does not support the dtype.
"""
"""Sections of the docstrings of :func:`empty_like`, :func:`ones_like` and :func:`zeros_like`."""


def _compose_empty(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 0, dtype=dtype)


EMPTY = declare(
    "empty",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="empty",
    composition=_compose_empty,
)


@keywords_only
@documented(FILLED)
def empty(
    shape: Shape, *positional: Never, dtype: DTypeLike | None = None, device: str | Device | None = None
) -> Array:
    """Return an uninitialised array.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty``.
    """
    if positional:
        raise by_position(empty, positional)
    target, lengths, result_dtype = resolve_arguments("empty", shape, dtype, device)
    return apply(EMPTY, target, lengths, dtype=result_dtype)


@composed
@keywords_only
@documented(LIKE)
def empty_like(
    x: AnyArray,
    /,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
    shape: Shape | None = None,
) -> Array:
    """Return an uninitialised array of the shape of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty_like``.
    """
    if positional:
        raise by_position(empty_like, positional)
    target, lengths, result_dtype = _resolve_like("empty_like", x, dtype, device, shape)
    return apply(EMPTY, target, lengths, dtype=result_dtype)


FULL = declare("full", "creation", operands=0, dtype="argument", shape="argument", numpy="full")


@keywords_only
def full(
    shape: Shape,
    fill_value: Array | Number | Scalar,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
) -> Array:
    """Return an array filled with one value.

    Parameters
    ----------
    shape
        Length of each axis, or one integer for a 1-d array.
    fill_value
        Value of every element: a Python or NumPy scalar, or a 0-d Array; the device ``strict`` accepts Python scalars
        only.
    dtype
        Dtype of the result. Default for a Python scalar: bool, or the default dtype of the scalar's kind; otherwise
        the dtype of ``fill_value``.
    device
        Device of the result. Default: the device of ``fill_value`` if it is an Array, else the default device.

    Raises
    ------
    ValueError
        If a length is negative, or the number of elements exceeds the address space.
    TypeError
        If ``fill_value`` is not a scalar, or is complex and ``dtype`` is real, or the device does not support the
        dtype.
    OverflowError
        If ``dtype`` is an integer dtype, and ``fill_value`` is out of its bounds or infinite; for NaN, ValueError.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``full``.
    """
    if positional:
        raise by_position(full, positional)
    if isinstance(fill_value, Array) and device is None:
        device = fill_value.device
    target = resolve(device)
    native, result_dtype = _native_fill_value(fill_value, target, dtype, "full")
    return apply(FULL, target, check_shape(shape, "full", result_dtype.itemsize), native, dtype=result_dtype)


@composed
@keywords_only
def full_like(
    x: AnyArray,
    /,
    fill_value: Array | Number | Scalar,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
    shape: Shape | None = None,
) -> Array:
    """Return an array of the shape of ``x`` filled with one value.

    Parameters
    ----------
    x
        Array that determines the defaults of shape, dtype and device.
    fill_value
        Value of every element: a Python or NumPy scalar, or a 0-d Array; the device ``strict`` accepts Python scalars
        only.
    dtype
        Dtype of the result. Default: the dtype of ``x``.
    device
        Device of the result. Default: the device of ``x``.
    shape
        Shape of the result, as NumPy's function has it. Default: the shape of ``x``.

    Raises
    ------
    TypeError
        If ``fill_value`` is not a scalar, or is complex and the dtype is real, or the device does not support the
        dtype.
    OverflowError
        If ``fill_value`` is an integer out of bounds for the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``full_like``.
    """
    if positional:
        raise by_position(full_like, positional)
    target, lengths, result_dtype = _resolve_like("full_like", x, dtype, device, shape)
    native, result_dtype = _native_fill_value(fill_value, target, result_dtype, "full_like")
    return apply(FULL, target, lengths, native, dtype=result_dtype)


def _compose_ones(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 1, dtype=dtype)


ONES = declare(
    "ones",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="ones",
    composition=_compose_ones,
)


@keywords_only
@documented(FILLED)
def ones(shape: Shape, *positional: Never, dtype: DTypeLike | None = None, device: str | Device | None = None) -> Array:
    """Return an array of ones.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones``.
    """
    if positional:
        raise by_position(ones, positional)
    target, lengths, result_dtype = resolve_arguments("ones", shape, dtype, device)
    return apply(ONES, target, lengths, dtype=result_dtype)


@composed
@keywords_only
@documented(LIKE)
def ones_like(
    x: AnyArray,
    /,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
    shape: Shape | None = None,
) -> Array:
    """Return an array of ones of the shape of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones_like``.
    """
    if positional:
        raise by_position(ones_like, positional)
    target, lengths, result_dtype = _resolve_like("ones_like", x, dtype, device, shape)
    return apply(ONES, target, lengths, dtype=result_dtype)


def _compose_zeros(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 0, dtype=dtype)


ZEROS = declare(
    "zeros",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="zeros",
    composition=_compose_zeros,
)


@keywords_only
@documented(FILLED)
def zeros(
    shape: Shape, *positional: Never, dtype: DTypeLike | None = None, device: str | Device | None = None
) -> Array:
    """Return an array of zeros.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros``.
    """
    if positional:
        raise by_position(zeros, positional)
    target, lengths, result_dtype = resolve_arguments("zeros", shape, dtype, device)
    return apply(ZEROS, target, lengths, dtype=result_dtype)


@composed
@keywords_only
@documented(LIKE)
def zeros_like(
    x: AnyArray,
    /,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
    shape: Shape | None = None,
) -> Array:
    """Return an array of zeros of the shape of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros_like``.
    """
    if positional:
        raise by_position(zeros_like, positional)
    target, lengths, result_dtype = _resolve_like("zeros_like", x, dtype, device, shape)
    return apply(ZEROS, target, lengths, dtype=result_dtype)


def resolve_arguments(
    function: str, shape: Any, dtype: Any, device: str | Device | None
) -> tuple[Device, tuple[int, ...], DType]:
    """Check the shape, dtype and device of a creation function and fill in the defaults."""
    target = resolve(device)
    result_dtype = target.default_dtypes["real floating"] if dtype is None else check_dtype(dtype, target, function)
    return target, check_shape(shape, function, result_dtype.itemsize), result_dtype


def _resolve_like(
    function: str, x: AnyArray, dtype: Any, device: str | Device | None, shape: Shape | None
) -> tuple[Device, tuple[int, ...], DType]:
    """Return the device, shape and dtype of a ``*_like`` function's result; the defaults are those of ``x``."""
    x = array_argument(x, function)
    source = x._device
    target = source if device is None else resolve(device)
    result_dtype = check_dtype(x.dtype if dtype is None else dtype, target, function)
    lengths = x.shape if shape is None else check_shape(shape, function, result_dtype.itemsize)
    return target, lengths, result_dtype


def _native_fill_value(value: Any, target: Device, dtype: Any, function: str) -> tuple[Native | Scalar, DType]:
    """Return a fill value as the native function takes it, and the dtype of the result."""
    if value.__class__ in SCALARS:
        unknown = isinstance(value, UnknownNumber)
        kind = DEFAULT_KINDS.get(value.value.__class__ if isinstance(value, UnknownNumber) else value.__class__)
        result_dtype: Any
        if dtype is not None:
            result_dtype = check_dtype(dtype, target, function)
        else:
            result_dtype = target.default_dtypes[kind] if kind else np.dtype(bool)
        if unknown and result_dtype.kind not in "fc":
            float(value)  # type: ignore[arg-type] # raises with the remedy
        if value.__class__ is complex and result_dtype.kind not in "cb":
            raise TypeError(
                f"{function}(): complex fill_value {value!r} does not cast to dtype {result_dtype}; pass its real part "
                "or a complex dtype"
            )
        if value.__class__ is float and result_dtype.kind in "iu":
            # As an assignment: without this check, libraries differ between an error and an arbitrary integer.
            if not math.isfinite(value):
                raise (ValueError if math.isnan(value) else OverflowError)(
                    f"cannot convert float {value} to {result_dtype}; {function}() takes a finite fill_value for this "
                    "dtype"
                )
            value = int(value)
        check_bounds(value, result_dtype, function, "a fill_value")
        if value.__class__ is int and kind_of(result_dtype) in "fc":
            float(value)  # OverflowError, where libraries differ
        return value, result_dtype
    if not isinstance(value, (Array, np.generic)) or value.shape or value.dtype.kind not in "biufcV":
        raise TypeError(f"{function}(): fill_value is a scalar or a 0-d Array, not {describe(value)}")
    if target._library.defined_only:
        raise TypeError(f"{function}(): fill_value is a Python scalar on {target}, not {describe(value)}")
    filled = asarray(value, device=target)
    return filled._native, filled.dtype if dtype is None else check_dtype(dtype, target, function)
