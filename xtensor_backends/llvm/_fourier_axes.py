"""Fourier transforms by kernels: how the elements along an axis become the rows or columns of a kernel.

Elements along an axis that is not the last one are columns. Short rows along the last axis are transformed together. A
long row is a matrix itself: with ``x`` as ``m`` rows and ``n`` columns, ``X[k + m l]`` is element ``l`` of the
transform along ``j`` of ``w^(k j) Y[k, j]``, where ``Y`` are the transforms of the columns and ``w = exp(-2 pi i / (m
n))`` (D. H. Bailey, FFTs in external or hierarchical memory, 1990). Pairs of real numbers are transformed as complex
numbers.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import Native

from ._calls import PARALLEL, PARTS, Kernel, empty, in_row_major_order
from ._fourier_kernels import CHUNK, RADICES, lanes, pairs_kernel, roots, transform_kernel
from ._threads import team

__all__ = ["along_axes", "along_axis"]

LONGEST = 2048
"""Elements of a kernel's rows or columns, whose buffers stay in a core's second cache."""

TOGETHER = 2**17
"""Elements of long rows that are transformed by one call, so that they stay in the caches."""

NANOSECONDS = 0.025
"""Time for a byte of a number and a factor of two of the length, about."""

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)

REVERSED_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The normalisation of a transform by which the conjugate's inverse is computed."""


class _Layout(NamedTuple):
    """How a kernel reads or writes an array.

    Attributes
    ----------
    steps
        Bytes between elements, between members (rows or columns), and between groups of members. Elements of rows are
        adjacent, and so are columns.
    """

    array: Native
    is_rows: bool
    is_swapped: bool
    steps: tuple[int, int, int]


def along_axes(name: str, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native | None:
    """Return a transform over several axes; None where the kernels do not take a length."""
    inverse = name in ("ifftn", "irfftn")
    steps = [("ifft" if inverse else "fft", n, axis) for n, axis in zip(s, axes, strict=True)]
    if name in ("rfftn", "irfftn"):
        steps[-1] = name.removesuffix("n"), *steps[-1][1:]
    if not inverse:
        steps.reverse()
    given, shape = x, list(x.shape)
    for step, n, axis in steps:
        if _division(step, tuple(shape), n, axis, x.dtype) is None:
            return None
        shape[axis] = n // 2 + 1 if step == "rfft" else n
    for step, n, axis in steps:
        transformed = along_axis(step, x, n=n, axis=axis, norm=norm, is_owned=x is not given)
        if transformed is None:
            return None
        x = transformed
    return x


def along_axis(name: str, x: Native, *, n: int, axis: int, norm: str, is_owned: bool = False) -> Native | None:
    """Return a transform along one axis, in the memory of an owned array where it fits; None for other lengths."""
    division = _division(name, x.shape, n, axis, x.dtype)
    if division is None:
        return None
    part = _part(x.dtype)
    kernel = transform_kernel(part)
    pairs = kernel if name in ("fft", "ifft") else pairs_kernel(part)
    if kernel is None or pairs is None:
        return None
    if name != "rfft" and name != "ihfft" and x.dtype.kind == "f":
        real, x = x, empty(x.shape, _complex(part))
        x[...] = real
        is_owned = True
    if name == "hfft":
        conjugate = np.conjugate(x, out=empty(x.shape, x.dtype))
        return along_axis("irfft", conjugate, n=n, axis=axis, norm=REVERSED_NORM[norm])
    if name == "ihfft":
        spectrum = along_axis("rfft", x, n=n, axis=axis, norm=REVERSED_NORM[norm])
        return None if spectrum is None else np.conjugate(spectrum, out=spectrum)
    divides = {"ortho": math.sqrt(n), "forward" if name in ("fft", "rfft") else "backward": float(n)}
    factor = 1.0 / divides.get(norm, 1.0)
    if not x.flags.aligned:
        x = x.copy()
    if not x.flags.c_contiguous:
        x, is_owned = in_row_major_order(x, x.shape), True
    # Kernels read all elements of the rows and columns that they transform at once before they write any.
    # But lanes that do not divide them are computed twice, the second time from what is there.
    members = math.prod(x.shape[axis + 1 :]) if division[1] == 0 else x.size // n
    whole = division[1] > 1 or members % lanes(part) == 0
    spare = x if is_owned and whole and name in ("fft", "ifft") and n == x.shape[axis] else None
    if division[1] == 0:
        return _by_columns(kernel, x, n, axis, name == "ifft", factor, spare)
    return _by_rows(kernel, pairs, name, x, n, axis, division, factor, spare)


def _division(name: str, shape: tuple[int, ...], n: int, axis: int, dtype: Any) -> tuple[int, int] | None:
    """Return the rows and columns of the matrix of a row's elements; None where the kernels do not take the length.

    There is one column where rows are short, and none where elements along the axis are columns.
    """
    is_real = name in ("rfft", "irfft", "hfft", "ihfft")
    length = n // 2 if is_real else n
    columns = math.prod(shape[axis + 1 :])
    rows = math.prod(shape[:axis]) * columns
    if rows == 0 or (is_real and (n % 2 or columns > 1)):
        return None
    return _divided(length, rows, columns, lanes(_part(dtype)))


@lru_cache(maxsize=512)
def _divided(length: int, rows: int, columns: int, count: int) -> tuple[int, int] | None:
    if not _radices(length):
        return None
    if columns > 1:
        return (length, 0) if columns >= count and length <= LONGEST else None
    if count // 2 <= length <= LONGEST and rows >= count:
        return length, 1
    for rows in range(math.isqrt(length), count - 1, -1):
        if length % rows == 0 and length // rows <= LONGEST:
            return length // rows, rows
    return None


def _radices(length: int) -> list[int]:
    """Return the radices of the passes of a length; none where it has another factor, or is 1."""
    radices = []
    for radix in RADICES:
        while length % radix == 0:
            length //= radix
            radices.append(radix)
    return radices if length == 1 else []


def _by_columns(
    kernel: Kernel, x: Native, n: int, axis: int, is_inverse: bool, factor: float, spare: Native | None
) -> Native:
    given, after, item = x.shape[axis], math.prod(x.shape[axis + 1 :]), x.itemsize
    result = empty((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype) if spare is None else spare
    zeros = np.zeros(after, x.dtype) if given < n else x
    groups = math.prod(x.shape[:axis])
    source = _Layout(x, False, is_inverse, (after * item, item, given * after * item))
    target = _Layout(result, False, is_inverse, (after * item, item, n * after * item))
    _run(kernel, _part(x.dtype), n, (after, groups), factor, source, target, (given, zeros, zeros))
    return result


def _by_rows(
    kernel: Kernel,
    pairs: Kernel,
    name: str,
    x: Native,
    n: int,
    axis: int,
    division: tuple[int, int],
    factor: float,
    spare: Native | None,
) -> Native:
    """Return the transform along the last axis that has several elements; all elements of ``x`` are adjacent."""
    part, shape = _part(x.dtype), x.shape
    length, rows = division[0] * division[1], x.size // shape[axis]
    x = x.reshape(rows, shape[axis])
    taken = length + 1 if name == "irfft" else n
    if x.shape[1] < taken and (rows > 1 or division[1] == 1 or name == "irfft"):
        x = _padded(x, taken)
    width = length + 1 if name == "rfft" else n
    result = spare
    if result is None:
        result = empty((*shape[:axis], width, *shape[axis + 1 :]), part if name == "irfft" else _complex(part))
    matrix = result.reshape(rows, width)
    if name == "irfft":
        numbers = empty((rows, length), _complex(part))
        _run_pairs(pairs, part, length, True, factor, x, numbers)
        _transform_rows(kernel, part, numbers.view(part), matrix, division, True, 1.0)
    elif name == "rfft":
        _transform_rows(kernel, part, x, matrix, division, False, 1.0)
        _run_pairs(pairs, part, length, False, factor, matrix, matrix)
    else:
        _transform_rows(kernel, part, x.view(part), matrix, division, name == "ifft", factor)
    return result


def _padded(x: Native, length: int) -> Native:
    """Return rows with zeros behind their elements."""
    result = empty((x.shape[0], length), x.dtype)
    result[:, : x.shape[1]] = x
    result[:, x.shape[1] :] = 0.0
    return result


def _transform_rows(
    kernel: Kernel, part: Any, x: Native, y: Native, division: tuple[int, int], is_inverse: bool, factor: float
) -> None:
    """Transform the rows of a matrix of the parts of numbers."""
    m, n = division
    length, item, rows = m * n, 2 * part.itemsize, x.shape[0]
    if n == 1:
        source, target = (_Layout(array, True, is_inverse, (0, array.strides[0], 0)) for array in (x, y))
        _run(kernel, part, length, (rows, 1), factor, source, target)
        return
    end: tuple[Any, ...] = ()
    if x.shape[1] < 2 * length:
        given, rest = divmod(x.shape[1], 2 * n)
        edge = np.zeros((2, 2 * n), part)
        edge[0, :rest] = x[0, x.shape[1] - rest :]
        end = given, edge, edge[1]
    together = max(1, min(rows, TOGETHER // length))
    middle = empty((together, length), _complex(part))
    for first in range(0, rows, together):
        groups = min(together, rows - first)
        source = _Layout(x[first:], False, is_inverse, (n * item, item, x.strides[0]))
        between = _Layout(middle, True, False, (0, m * item, length * item))
        _run(kernel, part, m, (n, groups), 1.0, source, between, end, _products(m, n, part, lanes(part)))
        between = _Layout(middle, False, False, (m * item, item, length * item))
        target = _Layout(y[first:], False, is_inverse, (m * item, item, y.strides[0]))
        _run(kernel, part, n, (m, groups), factor, between, target)


def _run(
    kernel: Kernel,
    part: Any,
    length: int,
    counts: tuple[int, int],
    factor: float,
    source: _Layout,
    target: _Layout,
    end: tuple[Any, ...] = (),
    products: tuple[Any, Any] = (0, 0),
) -> None:
    """Transform the members of groups; ``counts`` are the numbers of both."""
    count = lanes(part)
    table, roots = _passes(length, part)
    nanoseconds = length * counts[0] * counts[1] * NANOSECONDS * part.itemsize * length.bit_length()
    parts = _parts(-(-counts[0] // count) * counts[1], nanoseconds, 1)  # each has buffers of its own
    buffers = empty((parts, 4 * count * length), part)
    layouts = [value for x in (source, target) for value in (x.array, int(x.is_rows), int(x.is_swapped), *x.steps)]
    given = end or (length, 0, 0)
    passes = len(table), table, roots, *products, buffers
    kernel.run_parts(parts, nanoseconds, (length, *counts, factor, *passes, *layouts, *given))


def _run_pairs(kernel: Kernel, part: Any, length: int, is_back: bool, factor: float, x: Native, y: Native) -> None:
    rows = x.shape[0]
    nanoseconds = length * rows * NANOSECONDS * part.itemsize * 2
    parts = _parts(rows * (length // 2 // CHUNK + 1), nanoseconds, PARTS)
    factors = (factor, factor) if is_back else (factor / 2.0, factor)
    arrays = x, x.strides[0], y, y.strides[0], _roots_of_pairs(length, part)
    kernel.run_parts(parts, nanoseconds, (length, rows, int(is_back), *factors, *arrays))


def _parts(units: int, nanoseconds: float, most: int) -> int:
    """Return the number of parts of a call, at most so many for each thread."""
    return 1 if nanoseconds < PARALLEL else min(units, team() * most)


def _part(dtype: Any) -> Any:
    """Return the dtype of the parts of a number."""
    return SINGLE if dtype.char in "fF" else DOUBLE


def _complex(part: Any) -> Any:
    return np.dtype(np.complex64 if part == SINGLE else np.complex128)


# -- roots of unity ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _passes(length: int, part: Any) -> tuple[Native, Native]:
    """Return the table of passes and their roots; see :class:`_fourier_kernels._Transform`."""
    table, passes, position, stride = [], [], 0, 1
    for radix in _radices(length):
        m = length // radix
        table.append((radix, m, stride, position))
        passes.append(roots(np.arange(m)[:, None] * np.arange(1, radix), length, part).reshape(-1))
        position, length, stride = position + passes[-1].size, m, stride * radix
    return np.array(table, np.int64), np.concatenate(passes)


@lru_cache(maxsize=16)
def _products(m: int, n: int, part: Any, count: int) -> tuple[Native, Native]:
    """Return ``exp(-2 pi i k j / (m n))`` as factors, for the columns ``j`` of a block and for its first column."""
    of_columns = roots(np.arange(m)[:, None] * np.arange(count), m * n, part)
    starts = np.minimum(np.arange(0, n, count), n - count)
    of_blocks = roots(starts[:, None] * np.arange(m), m * n, part)
    return np.ascontiguousarray(np.swapaxes(of_columns, 1, 2)), of_blocks


@lru_cache(maxsize=16)
def _roots_of_pairs(length: int, part: Any) -> Native:
    """Return ``-i exp(-pi i k / length)`` for the first half of a row."""
    cos, sin = roots(np.arange(length // 2 + 1), 2 * length, part).T
    pairs: Native = np.stack([sin, -cos], axis=1)
    return pairs
