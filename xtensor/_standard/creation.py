"""Creation functions (Array API standard 2025.12, "Creation Functions")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .. import _composed
from .._core.array import Array, Scalar, apply
from .._core.backend import Native
from .._core.checks import LARGEST, check_dtype, check_flag, check_integer, check_shape, check_word
from .._core.device import Device, resolve
from .._core.dispatch import SCALARS, device_of
from .._core.dtypes import DType
from .._core.errors import describe
from .._core.operations import Operation, declare
from .conversion import asarray
from .manipulation import broadcast_arrays, reshape

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Shape = int | Sequence[int]

DEFAULTS: dict[type, str] = {int: "integral", float: "real floating", complex: "complex floating"}
"""The kind of default dtype for each class of Python scalars; bool has its own."""


ARANGE = declare("arange", "creation", operands=0, dtype="argument", shape="argument", numpy="arange")


def arange(
    start: float | Array,
    /,
    stop: float | Array | None = None,
    step: float | Array = 1,
    *,
    dtype: Any = None,
    device: str | Device | None = None,
) -> Array:
    r"""Evenly spaced values, :math:`start + i \cdot step`, of the half-open interval from ``start`` to ``stop``.

    Parameters
    ----------
    start
        The first value; where ``stop`` is not given, this is ``stop`` and the first value is 0.
    stop
        The end, not part of the values.
    step
        The distance of neighbours, not 0. Each of the three is a number or, where NumPy is followed, a 0-d Array.
    dtype
        The dtype; by default the default integer for integers alone, else the default real floating-point dtype.
    device
        The device; by default that of a 0-d Array, else the default one.

    Returns
    -------
    Array
        One dimension of ``ceil((stop - start) / step)`` elements, none where that is negative.

    Raises
    ------
    ValueError
        If ``step`` is 0, or the length is not finite.
    TypeError
        If a bound is no real number.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``arange``.
    """
    if stop is None:
        start, stop = 0, start
    integers = start.__class__ is stop.__class__ is step.__class__ is int
    if integers:
        target = resolve(device)
    else:
        target, (start, stop, step) = _bounds("arange", "a real number", device, start=start, stop=stop, step=step)
        integers = all(isinstance(value, (int, np.integer)) for value in (start, stop, step))
    if step == 0:
        raise ValueError("arange(): step is 0, so no end is ever reached; give another step")
    if dtype is None:
        wanted = target.default_dtypes["integral" if integers else "real floating"]
    else:
        wanted = check_dtype(dtype, target, "arange")
    length = (stop - start) / step
    if not abs(length) < LARGEST:
        raise ValueError(f"arange({start!r}, {stop!r}, {step!r}) would have {length} elements; give finite bounds")
    if length <= 0:
        return empty(0, dtype=wanted, device=target)
    return apply(ARANGE, target, start, stop, step, dtype=wanted)


EMPTY = declare(
    "empty",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="empty",
    composition=_composed.creation.empty,
)


def empty(shape: Shape, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array whose elements are whatever its memory holds.

    Parameters
    ----------
    shape
        The length of each axis; an integer means one axis.
    dtype
        The dtype; by default the default real floating-point dtype.
    device
        The device; by default the default one.

    Raises
    ------
    ValueError
        If a length is negative, or there are more elements than memory can have addresses.
    OutOfMemoryError
        If the device has not the memory.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty``.
    """
    target, lengths, wanted = _request("empty", shape, dtype, device)
    return apply(EMPTY, target, lengths, dtype=wanted)


def empty_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of the shape of ``x`` whose elements are whatever its memory holds.

    Parameters
    ----------
    x
        The array whose shape, and by default dtype and device, the result has.
    dtype, device
        Others than those of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty_like``.
    """
    target, lengths, wanted = _request_like("empty_like", x, dtype, device)
    return apply(EMPTY, target, lengths, dtype=wanted)


EYE = declare(
    "eye", "creation", operands=0, dtype="argument", shape="argument", numpy="eye", composition=_composed.creation.eye
)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: str | Device | None = None,
) -> Array:
    r"""The matrix :math:`\delta_{i + k, j}`: ones on one diagonal, zeros elsewhere.

    Parameters
    ----------
    n_rows, n_cols
        The shape; as many columns as rows where ``n_cols`` is None.
    k
        The diagonal: 0 the main one, above 0 to its upper right, below 0 to its lower left.
    dtype
        The dtype; by default the default real floating-point dtype.
    device
        The device; by default the default one.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``eye``.
    """
    shape = (n_rows, n_rows if n_cols is None else n_cols)
    target, (rows, columns), wanted = _request("eye", shape, dtype, device)
    return apply(EYE, target, rows, columns, k=check_integer(k, "eye", "k"), dtype=wanted)


FULL = declare("full", "creation", operands=0, dtype="argument", shape="argument", numpy="full")


def full(shape: Shape, fill_value: Scalar | Array, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of one value.

    Parameters
    ----------
    shape
        The length of each axis; an integer means one axis.
    fill_value
        The value: a Python or NumPy scalar, or a 0-d Array.
    dtype
        The dtype; by default bool, the default integer, the default real or the default complex floating-point
        dtype, by the kind of ``fill_value``, or the dtype of a 0-d Array.
    device
        The device; by default that of a 0-d Array, else the default one.

    Raises
    ------
    TypeError
        If ``fill_value`` is no scalar, or complex where ``dtype`` is not.
    OverflowError
        If ``fill_value`` is an integer that ``dtype`` cannot hold.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``full``.
    """
    if isinstance(fill_value, Array) and device is None:
        device = fill_value.device
    target = resolve(device)
    native, inferred = _fill_value(fill_value, target, dtype, "full")
    return apply(FULL, target, check_shape(shape, "full"), native, dtype=inferred)


def full_like(
    x: Array, /, fill_value: Scalar | Array, *, dtype: Any = None, device: str | Device | None = None
) -> Array:
    """An array of the shape of ``x`` and one value.

    Parameters
    ----------
    x
        The array whose shape, and by default dtype and device, the result has.
    fill_value
        The value: a Python or NumPy scalar, or a 0-d Array.
    dtype, device
        Others than those of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``full_like``.
    """
    target, lengths, wanted = _request_like("full_like", x, dtype, device)
    native, wanted = _fill_value(fill_value, target, wanted, "full_like")
    return apply(FULL, target, lengths, native, dtype=wanted)


LINSPACE = declare(
    "linspace",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="linspace",
    composition=_composed.creation.linspace,
)


def linspace(
    start: complex | Array,
    stop: complex | Array,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: str | Device | None = None,
    endpoint: bool = True,
) -> Array:
    r"""``num`` evenly spaced values, :math:`start + i \frac{stop - start}{N}`, from ``start`` to ``stop``.

    ``N`` is ``num - 1`` where ``stop`` is the last value, else ``num``.

    Parameters
    ----------
    start, stop
        The bounds, real or complex: numbers or, where NumPy is followed, 0-d Arrays.
    num
        How many values, not negative.
    dtype
        The dtype; by default the default real, or for a complex bound complex, floating-point dtype.
    device
        The device; by default that of a 0-d Array, else the default one.
    endpoint
        Whether ``stop`` is the last value.

    Raises
    ------
    ValueError
        If ``num`` is negative.
    TypeError
        If a bound is no number, or ``dtype`` is real and a bound complex.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``linspace``.
    """
    target, (start, stop) = _bounds("linspace", "a number", device, start=start, stop=stop)
    target, (count,), _ = _request("linspace", (num,), None, target)
    is_complex = isinstance(start, (complex, np.complexfloating)) or isinstance(stop, (complex, np.complexfloating))
    if dtype is None:
        wanted = target.default_dtypes["complex floating" if is_complex else "real floating"]
    else:
        wanted = check_dtype(dtype, target, "linspace")
        if is_complex and wanted.kind != "c":
            raise TypeError(f"linspace(): complex bounds need a complex dtype, not {wanted}")
    return apply(
        LINSPACE,
        target,
        start,
        stop,
        count,
        dtype=wanted,
        endpoint=check_flag(endpoint, "linspace", "endpoint"),
    )


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """The coordinates of every point of a grid, from the coordinates along each axis.

    Parameters
    ----------
    *arrays
        Arrays of one dimension (a 0-d one counts as one element), all of one dtype.
    indexing
        ``"ij"``: the result's axes are in the order of the arrays; ``"xy"``: the first two are exchanged.

    Returns
    -------
    tuple of Array
        One array for each input, all of the grid's shape.

    Raises
    ------
    ValueError
        If an array has more than one dimension, or ``indexing`` is another word.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``meshgrid``.
    """
    check_word(indexing, ("xy", "ij"), "meshgrid", "indexing")
    for x in arrays:
        device_of(x, "meshgrid")
        if x.ndim > 1:
            raise ValueError(f"meshgrid() takes arrays of one dimension, not shape {x.shape}")
    count = len(arrays)
    swap = indexing == "xy" and count > 1
    grids = []
    for position, x in enumerate(arrays):
        axis = 1 - position if swap and position < 2 else position
        grids.append(reshape(x, (*(1,) * axis, -1, *(1,) * (count - 1 - axis))))
    return tuple(grid.copy() for grid in broadcast_arrays(*grids))


ONES = declare(
    "ones",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="ones",
    composition=_composed.creation.ones,
)


def ones(shape: Shape, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of ones.

    Parameters
    ----------
    shape
        The length of each axis; an integer means one axis.
    dtype
        The dtype; by default the default real floating-point dtype.
    device
        The device; by default the default one.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones``.
    """
    target, lengths, wanted = _request("ones", shape, dtype, device)
    return apply(ONES, target, lengths, dtype=wanted)


def ones_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of ones of the shape of ``x``.

    Parameters
    ----------
    x
        The array whose shape, and by default dtype and device, the result has.
    dtype, device
        Others than those of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones_like``.
    """
    target, lengths, wanted = _request_like("ones_like", x, dtype, device)
    return apply(ONES, target, lengths, dtype=wanted)


TRIL = declare("tril", "manipulation", shape="same", numpy="tril", composition=_composed.creation.tril)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """The lower triangle of a matrix (or of each of a stack): what is above its ``k``-th diagonal becomes 0.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        The highest diagonal that is kept: 0 the main one, above 0 to its upper right.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``tril``.
    """
    return _triangle(TRIL, x, k)


TRIU = declare("triu", "manipulation", shape="same", numpy="triu", composition=_composed.creation.triu)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """The upper triangle of a matrix (or of each of a stack): what is below its ``k``-th diagonal becomes 0.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        The lowest diagonal that is kept: 0 the main one, above 0 to its upper right.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``triu``.
    """
    return _triangle(TRIU, x, k)


ZEROS = declare(
    "zeros",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="zeros",
    composition=_composed.creation.zeros,
)


def zeros(shape: Shape, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of zeros.

    Parameters
    ----------
    shape
        The length of each axis; an integer means one axis.
    dtype
        The dtype; by default the default real floating-point dtype.
    device
        The device; by default the default one.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros``.
    """
    target, lengths, wanted = _request("zeros", shape, dtype, device)
    return apply(ZEROS, target, lengths, dtype=wanted)


def zeros_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """An array of zeros of the shape of ``x``.

    Parameters
    ----------
    x
        The array whose shape, and by default dtype and device, the result has.
    dtype, device
        Others than those of ``x``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros_like``.
    """
    target, lengths, wanted = _request_like("zeros_like", x, dtype, device)
    return apply(ZEROS, target, lengths, dtype=wanted)


def _request(
    function: str, shape: Any, dtype: Any, device: str | Device | None
) -> tuple[Device, tuple[int, ...], DType]:
    """The device, shape and dtype that a creation function is asked for, checked."""
    target = resolve(device)
    lengths = check_shape(shape, function)
    wanted = target.default_dtypes["real floating"] if dtype is None else check_dtype(dtype, target, function)
    return target, lengths, wanted


def _request_like(
    function: str, x: Array, dtype: Any, device: str | Device | None
) -> tuple[Device, tuple[int, ...], DType]:
    """The device, shape and dtype of a result made after an array, where nothing else is asked for."""
    place = device_of(x, function)
    target = place if device is None else resolve(device)
    return target, x.shape, check_dtype(x.dtype if dtype is None else dtype, target, function)


def _fill_value(value: Any, target: Device, dtype: Any, function: str) -> tuple[Native | Scalar, DType]:
    """A value to fill with, as the native function takes it, and the dtype of the result."""
    if value.__class__ in SCALARS:
        kind = DEFAULTS.get(value.__class__)
        wanted: Any
        if dtype is not None:
            wanted = check_dtype(dtype, target, function)
        else:
            wanted = target.default_dtypes[kind] if kind else np.dtype(bool)
        if value.__class__ is complex and wanted.kind not in "cb":
            raise TypeError(f"{function}(): {value!r} is complex and does not fit dtype {wanted}; take its real part")
        if value.__class__ is int and wanted.kind in "iu":
            limits = np.iinfo(wanted)
            if not limits.min <= value <= limits.max:
                raise OverflowError(
                    f"{function}(): {value} does not fit dtype {wanted}, which goes from {limits.min} to {limits.max}"
                )
        return value, wanted
    if not isinstance(value, (Array, np.generic)) or value.shape or value.dtype.kind not in "biufcV":
        raise TypeError(f"{function}(): fill_value is a scalar or a 0-d Array, not {describe(value)}")
    if target._library.defined_only:
        raise TypeError(f"{function}(): fill_value is a Python scalar on {target}, not {describe(value)}")
    filled = asarray(value, device=target)
    return filled._native, filled.dtype if dtype is None else check_dtype(dtype, target, function)


def _bounds(function: str, wanted: str, device: Any, **bounds: Any) -> tuple[Device, list[Any]]:
    """The device and the bounds of evenly spaced values; a 0-d Array counts as the number that it holds."""
    arrays = [bound for bound in bounds.values() if isinstance(bound, Array)]
    target = resolve(arrays[0].device if device is None and arrays else device)
    numbers = (int, float, np.integer, np.floating) if wanted == "a real number" else (int, float, complex, np.number)
    found = []
    for name, bound in bounds.items():
        number = bound.item() if isinstance(bound, Array) and not bound.ndim else bound
        if isinstance(number, bool) or not isinstance(number, numbers):
            raise TypeError(f"{function}(): {name} is {wanted}, not {describe(bound)}")
        if number is not bound and target._library.defined_only:
            raise TypeError(f"{function}(): {name} is a Python scalar on {target}, not {describe(bound)}")
        found.append(number)
    return target, found


def _triangle(operation: Operation, x: Array, k: int) -> Array:
    name = operation.label
    device = device_of(x, name)
    if x.ndim < 2:
        raise ValueError(f"{name}() needs an array of two or more dimensions, not shape {x.shape}")
    return apply(operation, device, x._native, k=check_integer(k, name, "k"))
