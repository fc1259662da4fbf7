"""Creation functions (Array API standard 2025.12, "Creation Functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import LARGEST, check_bounds, check_dtype, check_flag, check_integer, integer_limits
from .._core.compositions import composed
from .._core.device import Device
from .._core.devices import resolve
from .._core.dtypes import DType, kind_of
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_arguments
from .._core.operations import declare, operation
from .broadcasting import broadcast_arrays
from .data_types import astype
from .filling import empty, resolve_arguments
from .manipulation import reshape

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike, Number, Real

__all__ = ["arange", "eye", "linspace", "meshgrid"]

Shape = int | Sequence[int]

HALF_OF_FLOAT32 = 1.7e38
"""Half of the largest float32, the narrowest dtype in which devices compute ``linspace``."""

EXACT = 2**52
"""Absolute value up to which the difference of two integers is exact in float64."""

MOST_INTEGERS = 2**32
"""Number of intervals up to which the product of an index and a remainder fits into 64 bits."""


ARANGE = declare("arange", "creation", operands=0, dtype="argument", shape="argument", numpy="arange")


@keywords_only
def arange(
    start: Array | Real | float,
    /,
    stop: Array | Real | float | None = None,
    step: Array | Real | float = 1,
    *positional: Never,
    dtype: DTypeLike | None = None,
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
    OverflowError
        If a value is out of bounds for an integer dtype.
    TypeError
        If ``start``, ``stop`` or ``step`` is not a real number.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``arange``.
    """
    if positional:
        raise by_position(arange, positional)
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
        # The difference of NumPy's scalars may exceed their dtype.
        start, stop, step = [
            int(value) if isinstance(value, (int, np.integer)) else float(value) for value in (start, stop, step)
        ]
    if step == 0:
        raise ValueError("Maximum allowed size exceeded; arange(): step is 0; pass a nonzero step")
    if dtype is None:
        result_dtype = target.default_dtypes["integral" if integers else "real floating"]
    else:
        result_dtype = check_dtype(dtype, target, "arange")
    length = (stop - start) / step  # type: ignore[operator] # Python or NumPy scalars
    if not -math.inf < length < LARGEST:
        raise ValueError(
            f"Maximum allowed size exceeded; arange({start!r}, {stop!r}, {step!r}) would have {length} elements; "
            "pass finite bounds that are closer, or a larger step"
        )
    if length <= 0:
        return empty(0, dtype=result_dtype, device=target)
    count: Any = -((start - stop) // step) if integers else math.ceil(length)  # type: ignore[operator]
    if result_dtype.kind in "iu" and not _between(start, stop, integer_limits(result_dtype)):
        for value in (start, start + (count - 1) * step):
            check_bounds(int(value), result_dtype, "arange", "values")
    if integers and not all(-EXACT <= value <= EXACT for value in (start, stop, step)):
        # Libraries compute the number of elements, some of them the values too, in float64.
        return _integers(target, int(start), int(step), 0, 1, count, result_dtype)
    return apply(ARANGE, target, start, stop, step, dtype=result_dtype)


def _integers(
    target: Device, start: int, quotient: int, remainder: int, divisor: int, count: int, dtype: DType
) -> Array:
    """Return ``start + i quotient + floor(i remainder / divisor)`` for ``0 <= i < count``, in integers of 64 bits.

    The arithmetic is modulo 2**64; only the results have to fit, and ``(count - 1) remainder`` into 64 bits.
    """
    if not target.supports(np.dtype(np.uint64)):
        values = [start + i * quotient + i * remainder // divisor for i in range(count)]
        return wrap(target._library.from_host(np.asarray(values, dtype), target._backend_spec, copy=None), target)
    multiply, add, divide = (operation(name) for name in ("multiply", "add", "floor_divide"))
    index = apply(ARANGE, target, 0, count, 1, dtype=np.dtype(np.uint64))._native
    result = call(add, target, call(multiply, target, index, quotient % 2**64), start % 2**64)
    if remainder:
        result = call(add, target, result, call(divide, target, call(multiply, target, index, remainder), divisor))
    signed = dtype if dtype.kind == "u" else np.dtype(np.int64)
    return astype(astype(wrap(result, target), signed, copy=False), dtype, copy=False)


def rows_and_columns(xp: Any, rows: int, columns: int) -> tuple[Native, Native]:
    """The row and the column of each element, for broadcasting."""
    row, column = (xp.arange(0, length, 1, dtype=xp.default_integer) for length in (rows, columns))
    return xp.reshape(row, (rows, 1)), xp.reshape(column, (1, columns))


def clamped(k: int, rows: int, columns: int) -> int:
    """A diagonal's offset within the integers: all beyond the corners are empty alike."""
    return max(-rows, min(k, columns))


def _compose_eye(xp: Any, rows: int, columns: int, *, k: int, dtype: DType) -> Native:
    row, column = rows_and_columns(xp, rows, columns)
    return xp.astype(xp.equal(xp.add(row, clamped(k, rows, columns)), column), dtype)


EYE = declare("eye", "creation", operands=0, dtype="argument", shape="argument", numpy="eye", composition=_compose_eye)


@keywords_only
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *positional: Never,
    k: int = 0,
    dtype: DTypeLike | None = None,
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
    if positional:
        raise by_position(eye, positional)
    shape = (n_rows, n_rows if n_cols is None else n_cols)
    target, (rows, columns), result_dtype = resolve_arguments("eye", shape, dtype, device)
    return apply(EYE, target, rows, columns, k=check_integer(k, "eye", "k"), dtype=result_dtype)


def _real_linspace(xp: Any, start: float, stop: float, num: int, endpoint: bool) -> Native:
    start, stop = float(start), float(stop)
    parts = max(num - 1 if endpoint else num, 1)
    index = xp.astype(xp.arange(0, num, 1, dtype=xp.default_integer), xp.default_float)
    delta = stop - start
    if math.isinf(delta) and math.isfinite(start) and math.isfinite(stop):
        weight = xp.divide(index, parts)
        result = xp.add(xp.multiply(xp.subtract(1.0, weight), start), xp.multiply(weight, stop))
    else:
        step = delta / parts
        # A step that underflows to 0 would repeat the start.
        offset = xp.multiply(index, step) if step else xp.multiply(xp.divide(index, parts), delta)
        result = xp.add(offset, start)
    return xp.where(xp.equal(index, num - 1.0), stop, result) if endpoint and num > 1 else result


def _compose_linspace(
    xp: Any, start: complex, stop: complex, num: int, *, dtype: DType, endpoint: bool = True
) -> Native:
    if isinstance(start, complex) or isinstance(stop, complex) or dtype.kind == "c":
        start, stop = complex(start), complex(stop)
        ends = ((start.real, stop.real), (start.imag, stop.imag))
        real, imag = (_real_linspace(xp, first, last, num, endpoint) for first, last in ends)
        return xp.astype(xp.complex_of(real, imag), dtype, copy=False)
    result = _real_linspace(xp, start, stop, num, endpoint)
    return xp.astype(xp.floor(result) if kind_of(dtype) in "iu" else result, dtype, copy=False)


LINSPACE = declare(
    "linspace",
    "creation",
    operands=0,
    dtype="argument",
    shape="argument",
    numpy="linspace",
    composition=_compose_linspace,
)


@keywords_only
def linspace(
    start: Array | Number | complex,
    stop: Array | Number | complex,
    /,
    num: int,
    *positional: Never,
    dtype: DTypeLike | None = None,
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
    OverflowError
        If a value is out of bounds for an integer dtype.

    Notes
    -----
    Values of an integer dtype are rounded down. Between integers they are exact, also beyond 2**53.

    Standard 2025.12, Creation Functions, ``linspace``.
    """
    if positional:
        raise by_position(linspace, positional)
    target, (start, stop) = _scalar_arguments("linspace", "a number", device, start=start, stop=stop)
    if check_integer(num, "linspace", "num") < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative. linspace() takes num of 0 or more")
    target, (count,), _ = resolve_arguments("linspace", (num,), None, target)
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
    options = {"dtype": result_dtype, "endpoint": check_flag(endpoint, "linspace", "endpoint")}
    if result_dtype.kind in "iu" and count:
        parts = max(count - 1 if endpoint else count, 1)
        ends: Any = (start, stop)
        if all(end == end // 1 for end in ends) and parts < MOST_INTEGERS:
            first, last = map(int, ends)
            quotient, remainder = divmod(last - first, parts)
            for value in (first, first + (count - 1) * quotient + (count - 1) * remainder // parts):
                check_bounds(value, result_dtype, "linspace", "values")
            return _integers(target, first, quotient, remainder, parts, count, result_dtype)
        for bound in ends:
            check_bounds(math.floor(bound), result_dtype, "linspace", "bounds")
    if _distance(start, stop) < HALF_OF_FLOAT32:
        return apply(LINSPACE, target, start, stop, count, **options)
    # The distance may overflow in the dtype of the computation; that of the halves does not.
    halves = call(LINSPACE, target, start / 2, stop / 2, count, **options)
    return apply(operation("multiply"), target, halves, 2)


@composed
def meshgrid(*arrays: AnyArray, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
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
    if not isinstance(indexing, str) or indexing not in ("xy", "ij"):
        raise ValueError(f"Valid values for `indexing` are 'xy' and 'ij'. meshgrid() received {describe(indexing)}")
    vectors = array_arguments("meshgrid", *arrays)
    for x in vectors:
        if x.ndim > 1:
            raise ValueError(f"meshgrid() takes 1-d arrays, not shape {x.shape}; flatten it with xtensor.reshape")
    count = len(vectors)
    swap = indexing == "xy" and count > 1
    grids = []
    for position, x in enumerate(vectors):
        axis = 1 - position if swap and position < 2 else position
        grids.append(reshape(x, (*(1,) * axis, -1, *(1,) * (count - 1 - axis))))
    return tuple(grid.copy() for grid in broadcast_arrays(*grids))


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


def _between(start: Any, stop: Any, limits: tuple[int, int]) -> bool:
    """Return whether both ends of an interval are within limits."""
    least, greatest = limits
    return bool(least <= start <= greatest and least <= stop <= greatest)


def _distance(start: Any, stop: Any) -> float:
    """Return the larger component of ``stop - start`` in absolute value; infinite where it overflows."""
    return max(abs(float(stop.real) - float(start.real)), abs(float(stop.imag) - float(start.imag)))
