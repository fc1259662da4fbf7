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

DEFAULT_KINDS: dict[type, str] = {int: "integral", float: "real floating", complex: "complex floating"}
"""Kind of the default dtype for each Python scalar type; bool has a dtype of its own."""


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
    r"""Return the values :math:`start + i \cdot step` in the half-open interval :math:`[start, stop)`.

    Parameters
    ----------
    start
        First value; if ``stop`` is None, ``start`` is the end of the interval and the first value is 0. A real number
        or a 0-d Array; the device ``strict`` accepts Python scalars only. The same holds for ``stop`` and ``step``.
    stop
        End of the interval, excluded.
    step
        Spacing between values, nonzero.
    dtype
        Dtype of the result. Default: the default integer dtype if all three arguments are integers, else the default
        real floating-point dtype.
    device
        Device of the result. Default: the device of a 0-d Array among the arguments, else the default device.

    Returns
    -------
    Array
        1-d array of :math:`\max(0, \lceil (stop - start) / step \rceil)` elements.

    Raises
    ------
    ValueError
        If ``step`` is 0, or the number of elements is infinite or exceeds the address space.
    TypeError
        If ``start``, ``stop`` or ``step`` is not a real number.

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
        target, (start, stop, step) = _scalar_arguments(
            "arange", "a real number", device, start=start, stop=stop, step=step
        )
        integers = all(isinstance(value, (int, np.integer)) for value in (start, stop, step))
    if step == 0:
        raise ValueError("arange(): step is 0; pass a nonzero step")
    if dtype is None:
        result_dtype = target.default_dtypes["integral" if integers else "real floating"]
    else:
        result_dtype = check_dtype(dtype, target, "arange")
    length = (stop - start) / step
    if not abs(length) < LARGEST:
        raise ValueError(
            f"Maximum allowed size exceeded; arange({start!r}, {stop!r}, {step!r}) would have {length} elements; "
            "pass finite bounds that are closer, or a larger step"
        )
    if length <= 0:
        return empty(0, dtype=result_dtype, device=target)
    return apply(ARANGE, target, start, stop, step, dtype=result_dtype)


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
    """Return an uninitialised array.

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

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty``.
    """
    target, lengths, result_dtype = _resolve_arguments("empty", shape, dtype, device)
    return apply(EMPTY, target, lengths, dtype=result_dtype)


def empty_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """Return an uninitialised array of the shape of ``x``.

    Parameters
    ----------
    x
        Array that determines the shape, and the defaults of dtype and device.
    dtype
        Dtype of the result. Default: the dtype of ``x``.
    device
        Device of the result. Default: the device of ``x``.

    Raises
    ------
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``empty_like``.
    """
    target, lengths, result_dtype = _resolve_like("empty_like", x, dtype, device)
    return apply(EMPTY, target, lengths, dtype=result_dtype)


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
    r"""Return the matrix :math:`a_{ij} = \delta_{i + k, j}`, with ones on the ``k``-th diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows
        Number of rows.
    n_cols
        Number of columns. Default: ``n_rows``.
    k
        Index of the diagonal: 0 for the main diagonal, positive above it, negative below it.
    dtype
        Dtype of the result. Default: the default real floating-point dtype.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    Array
        Array of shape ``(n_rows, n_cols)``.

    Raises
    ------
    ValueError
        If ``n_rows`` or ``n_cols`` is negative.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``eye``.
    """
    shape = (n_rows, n_rows if n_cols is None else n_cols)
    target, (rows, columns), result_dtype = _resolve_arguments("eye", shape, dtype, device)
    return apply(EYE, target, rows, columns, k=check_integer(k, "eye", "k"), dtype=result_dtype)


FULL = declare("full", "creation", operands=0, dtype="argument", shape="argument", numpy="full")


def full(shape: Shape, fill_value: Scalar | Array, *, dtype: Any = None, device: str | Device | None = None) -> Array:
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
        If ``fill_value`` is an integer out of bounds for ``dtype``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``full``.
    """
    if isinstance(fill_value, Array) and device is None:
        device = fill_value.device
    target = resolve(device)
    native, result_dtype = _native_fill_value(fill_value, target, dtype, "full")
    return apply(FULL, target, check_shape(shape, "full"), native, dtype=result_dtype)


def full_like(
    x: Array, /, fill_value: Scalar | Array, *, dtype: Any = None, device: str | Device | None = None
) -> Array:
    """Return an array of the shape of ``x`` filled with one value.

    Parameters
    ----------
    x
        Array that determines the shape, and the defaults of dtype and device.
    fill_value
        Value of every element: a Python or NumPy scalar, or a 0-d Array; the device ``strict`` accepts Python scalars
        only.
    dtype
        Dtype of the result. Default: the dtype of ``x``.
    device
        Device of the result. Default: the device of ``x``.

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
    target, lengths, result_dtype = _resolve_like("full_like", x, dtype, device)
    native, result_dtype = _native_fill_value(fill_value, target, result_dtype, "full_like")
    return apply(FULL, target, lengths, native, dtype=result_dtype)


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
    r"""Return ``num`` evenly spaced values, :math:`start + i \frac{stop - start}{N}`, :math:`0 \le i < num`.

    :math:`N = num - 1` if ``endpoint`` is True, else :math:`N = num`.

    Parameters
    ----------
    start
        First value, real or complex. A number or a 0-d Array; the device ``strict`` accepts Python scalars only.
    stop
        End of the interval, real or complex, of the same types as ``start``.
    num
        Number of values, 0 or more.
    dtype
        Dtype of the result. Default: the default complex floating-point dtype if ``start`` or ``stop`` is complex,
        else the default real floating-point dtype.
    device
        Device of the result. Default: the device of a 0-d Array among the arguments, else the default device.
    endpoint
        Whether ``stop`` is the last value.

    Returns
    -------
    Array
        1-d array of ``num`` elements.

    Raises
    ------
    ValueError
        If ``num`` is negative.
    TypeError
        If ``start`` or ``stop`` is not a number, or is complex and ``dtype`` is real.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``linspace``.
    """
    target, (start, stop) = _scalar_arguments("linspace", "a number", device, start=start, stop=stop)
    if check_integer(num, "linspace", "num") < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative; linspace() takes num of 0 or more")
    target, (count,), _ = _resolve_arguments("linspace", (num,), None, target)
    is_complex = isinstance(start, (complex, np.complexfloating)) or isinstance(stop, (complex, np.complexfloating))
    if dtype is None:
        result_dtype = target.default_dtypes["complex floating" if is_complex else "real floating"]
    else:
        result_dtype = check_dtype(dtype, target, "linspace")
        if is_complex and result_dtype.kind != "c":
            raise TypeError(
                f"linspace(): start {start!r} and stop {stop!r} require a complex dtype, not {result_dtype}; pass a "
                "complex dtype or real bounds"
            )
    return apply(
        LINSPACE,
        target,
        start,
        stop,
        count,
        dtype=result_dtype,
        endpoint=check_flag(endpoint, "linspace", "endpoint"),
    )


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Return coordinate arrays of a grid from 1-d coordinate vectors.

    Parameters
    ----------
    *arrays
        1-d arrays of coordinates, all of one dtype; a 0-d array is treated as a single element.
    indexing
        ``"ij"`` (matrix indexing): the axes of the results are in the order of ``arrays``. ``"xy"`` (Cartesian
        indexing): the first two axes are swapped.

    Returns
    -------
    tuple of Array
        One array per input, all of the grid's shape: ``(n1, n2, n3, …)`` for ``"ij"``, ``(n2, n1, n3, …)`` for
        ``"xy"``, where ``ni`` is the number of elements of the i-th input.

    Raises
    ------
    ValueError
        If an array has more than one dimension, or ``indexing`` is neither ``"xy"`` nor ``"ij"``.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``meshgrid``.
    """
    check_word(indexing, ("xy", "ij"), "meshgrid", "indexing")
    for x in arrays:
        device_of(x, "meshgrid")
        if x.ndim > 1:
            raise ValueError(f"meshgrid() takes 1-d arrays, not shape {x.shape}; flatten it with xtensor.reshape")
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
    """Return an array of ones.

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

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones``.
    """
    target, lengths, result_dtype = _resolve_arguments("ones", shape, dtype, device)
    return apply(ONES, target, lengths, dtype=result_dtype)


def ones_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """Return an array of ones of the shape of ``x``.

    Parameters
    ----------
    x
        Array that determines the shape, and the defaults of dtype and device.
    dtype
        Dtype of the result. Default: the dtype of ``x``.
    device
        Device of the result. Default: the device of ``x``.

    Raises
    ------
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``ones_like``.
    """
    target, lengths, result_dtype = _resolve_like("ones_like", x, dtype, device)
    return apply(ONES, target, lengths, dtype=result_dtype)


TRIL = declare("tril", "manipulation", shape="same", numpy="tril", composition=_composed.creation.tril)


def tril(x: Array, /, *, k: int = 0) -> Array:
    r"""Return the lower triangle, :math:`a_{ij}` for :math:`j \le i + k` and 0 elsewhere, of a matrix or stack of them.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        Diagonal above which elements are set to 0: 0 for the main diagonal, positive above it, negative below it.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

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
    r"""Return the upper triangle, :math:`a_{ij}` for :math:`j \ge i + k` and 0 elsewhere, of a matrix or stack of them.

    Parameters
    ----------
    x
        Array of shape ``(..., M, N)``.
    k
        Diagonal below which elements are set to 0: 0 for the main diagonal, positive above it, negative below it.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

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
    """Return an array of zeros.

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

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros``.
    """
    target, lengths, result_dtype = _resolve_arguments("zeros", shape, dtype, device)
    return apply(ZEROS, target, lengths, dtype=result_dtype)


def zeros_like(x: Array, /, *, dtype: Any = None, device: str | Device | None = None) -> Array:
    """Return an array of zeros of the shape of ``x``.

    Parameters
    ----------
    x
        Array that determines the shape, and the defaults of dtype and device.
    dtype
        Dtype of the result. Default: the dtype of ``x``.
    device
        Device of the result. Default: the device of ``x``.

    Raises
    ------
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``zeros_like``.
    """
    target, lengths, result_dtype = _resolve_like("zeros_like", x, dtype, device)
    return apply(ZEROS, target, lengths, dtype=result_dtype)


def _resolve_arguments(
    function: str, shape: Any, dtype: Any, device: str | Device | None
) -> tuple[Device, tuple[int, ...], DType]:
    """Check the shape, dtype and device of a creation function and fill in the defaults."""
    target = resolve(device)
    lengths = check_shape(shape, function)
    result_dtype = target.default_dtypes["real floating"] if dtype is None else check_dtype(dtype, target, function)
    return target, lengths, result_dtype


def _resolve_like(
    function: str, x: Array, dtype: Any, device: str | Device | None
) -> tuple[Device, tuple[int, ...], DType]:
    """Return the device, shape and dtype of a ``*_like`` function's result; the defaults are those of ``x``."""
    source = device_of(x, function)
    target = source if device is None else resolve(device)
    return target, x.shape, check_dtype(x.dtype if dtype is None else dtype, target, function)


def _native_fill_value(value: Any, target: Device, dtype: Any, function: str) -> tuple[Native | Scalar, DType]:
    """Return a fill value as the native function takes it, and the dtype of the result."""
    if value.__class__ in SCALARS:
        kind = DEFAULT_KINDS.get(value.__class__)
        result_dtype: Any
        if dtype is not None:
            result_dtype = check_dtype(dtype, target, function)
        else:
            result_dtype = target.default_dtypes[kind] if kind else np.dtype(bool)
        if value.__class__ is complex and result_dtype.kind not in "cb":
            raise TypeError(
                f"{function}(): complex fill_value {value!r} does not cast to dtype {result_dtype}; pass its real part "
                "or a complex dtype"
            )
        if value.__class__ is int and result_dtype.kind in "iu":
            limits = np.iinfo(result_dtype)
            if not limits.min <= value <= limits.max:
                raise OverflowError(
                    f"Python integer {value} out of bounds for {result_dtype}; {function}() takes a fill_value from "
                    f"{limits.min} to {limits.max} for this dtype"
                )
        return value, result_dtype
    if not isinstance(value, (Array, np.generic)) or value.shape or value.dtype.kind not in "biufcV":
        raise TypeError(f"{function}(): fill_value is a scalar or a 0-d Array, not {describe(value)}")
    if target._library.defined_only:
        raise TypeError(f"{function}(): fill_value is a Python scalar on {target}, not {describe(value)}")
    filled = asarray(value, device=target)
    return filled._native, filled.dtype if dtype is None else check_dtype(dtype, target, function)


def _scalar_arguments(function: str, expected: str, device: Any, **arguments: Any) -> tuple[Device, list[Any]]:
    """Return the device and the numbers of arguments that are numbers or 0-d Arrays; ``expected`` is for the error."""
    arrays = [argument for argument in arguments.values() if isinstance(argument, Array)]
    target = resolve(arrays[0].device if device is None and arrays else device)
    types = (int, float, np.integer, np.floating) if expected == "a real number" else (int, float, complex, np.number)
    numbers = []
    for name, argument in arguments.items():
        number = argument.item() if isinstance(argument, Array) and not argument.ndim else argument
        if isinstance(number, bool) or not isinstance(number, types):
            raise TypeError(f"{function}(): {name} is {expected}, not {describe(argument)}")
        if number is not argument and target._library.defined_only:
            raise TypeError(f"{function}(): {name} is a Python scalar on {target}, not {describe(argument)}")
        numbers.append(number)
    return target, numbers


def _triangle(operation: Operation, x: Array, k: int) -> Array:
    name = operation.label
    device = device_of(x, name)
    if x.ndim < 2:
        raise ValueError(
            f"{name}() takes an array of two or more dimensions, not shape {x.shape}; add axes with xtensor.expand_dims"
        )
    return apply(operation, device, x._native, k=check_integer(k, name, "k"))
