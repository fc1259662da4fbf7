"""Functions that move elements, and products of matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import DType
from xtensor_backends.engines._chunk_slices import Slices, joint, lengths_of, number_of

from ._gathered import Pieces, slices_of

if TYPE_CHECKING:
    from ._library import CubedLibrary

__all__ = [
    "concatenated",
    "product",
    "replaced",
    "reshaped",
    "rows",
    "selected",
    "sliced",
    "source_of",
    "taken",
]


def source_of(shape: tuple[int, ...], slices: Slices) -> Slices:
    """Return the region of an array of a shape that is broadcast to slices, which may have more axes in front."""
    last = slices[len(slices) - len(shape) :]
    return tuple([slice(0, 1) if n == 1 else part for n, part in zip(shape, last, strict=True)])


def concatenated(library: CubedLibrary, arrays: Sequence[Any], axis: int) -> Any:
    """Join arrays along an axis."""
    ends = np.cumsum([x.shape[axis] for x in arrays]).tolist()
    starts = [0, *ends[:-1]]
    shape = (*arrays[0].shape[:axis], ends[-1], *arrays[0].shape[axis + 1 :])
    lengths = [max(1, *[x.chunksize[i] for x in arrays]) for i in range(len(shape))]
    others = [min([max(1, x.chunksize[i]) for x in arrays if x.shape[i]] or [1]) for i in range(len(shape))]
    lengths = [length if i == axis else others[i] for i, length in enumerate(lengths)]

    def regions(slices: Slices) -> list[list[Slices]]:
        part = slices[axis]
        sources = []
        for start, end in zip(starts, ends, strict=True):
            common = slice(max(part.start, start) - start, min(part.stop, end) - start)
            sources.append([(*slices[:axis], common, *slices[axis + 1 :])] if common.stop > common.start else [])
        return sources

    def compute(*pieces: Pieces, slices: Slices) -> Any:
        parts = [part for piece in pieces for part in piece]
        return np.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]

    return library.gathered(compute, arrays, regions, shape, tuple(lengths), arrays[0].dtype)


# -- shape ------------------------------------------------------------------------------------------------------------


def reshaped(library: CubedLibrary, x: Any, shape: tuple[int, ...]) -> Any:
    """Return the elements, in the order of rows, in another shape.

    Axes of length 1 are added and removed within chunks. For any other shape a chunk holds elements that follow each
    other in the order of rows, before and after.
    """
    old, new = tuple(x.shape), tuple(shape)
    if [n for n in old if n != 1] == [n for n in new if n != 1]:
        return sliced(library, x, _ones_key(old, new))
    size = max(1, math.prod(x.chunksize))
    if not _follows(old, x.chunksize):
        x = library.rechunked(x, rows(old, size))

    def regions(slices: Slices) -> list[list[Slices]]:
        start = number_of(new, [part.start for part in slices])
        return [list(_boxes(old, start, start + math.prod(lengths_of(slices))))]

    def compute(pieces: Pieces, *, slices: Slices) -> Any:
        parts = [np.reshape(piece, (-1,)) for piece in pieces]
        return np.reshape(np.concatenate(parts) if len(parts) > 1 else parts[0], lengths_of(slices))

    return library.gathered(compute, [x], regions, new, rows(new, size), x.dtype)


def _ones_key(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[Any, ...]:
    """The key that drops the axes of length 1 of a shape and adds those of another."""
    kept = iter([slice(None) for n in new if n != 1])
    dropped: list[Any] = [0 if n == 1 else next(kept) for n in old]
    key: list[Any] = []
    for n in new:
        if n == 1:
            key.append(None)
            continue
        while dropped[0] == 0:
            key.append(dropped.pop(0))
        key.append(dropped.pop(0))
    return (*key, *dropped)


def rows(bounds: Sequence[int], count: int) -> tuple[int, ...]:
    """Return the lengths of a chunk of at most ``count`` elements, as many along the last axes as these have."""
    lengths: list[int] = []
    for n in reversed(bounds):
        lengths.insert(0, max(1, min(n, count)))
        count = max(1, count // lengths[0])
    return tuple(lengths)


def _follows(shape: tuple[int, ...], lengths: tuple[int, ...]) -> bool:
    """Whether the elements of a chunk follow each other in the order of rows."""
    first = next((axis for axis, length in enumerate(lengths) if length > 1), len(shape))
    return all(lengths[axis] >= shape[axis] for axis in range(first + 1, len(shape)))


def _boxes(shape: tuple[int, ...], start: int, stop: int) -> Iterator[Slices]:
    """The rectangles of the elements from one number to another in the order of rows."""
    if not shape:
        yield ()
        return
    inside = math.prod(shape[1:])
    row, offset = divmod(start, inside)
    last, rest = divmod(stop, inside)
    if row == last:
        yield from ((slice(row, row + 1), *box) for box in _boxes(shape[1:], offset, rest))
        return
    if offset:
        yield from ((slice(row, row + 1), *box) for box in _boxes(shape[1:], offset, inside))
        row += 1
    if last > row:
        yield (slice(row, last), *slices_of(shape[1:]))
    if rest:
        yield from ((slice(last, last + 1), *box) for box in _boxes(shape[1:], 0, rest))


# -- selection --------------------------------------------------------------------------------------------------------


def sliced(library: CubedLibrary, x: Any, key: tuple[Any, ...]) -> Any:
    """Return the elements of a key of slices, integers and None."""
    ranges: list[range] = []  # of each axis of x
    axes: list[int | None] = []  # of x, for each axis of the result; None for a new one
    for part in key:
        if part is None:
            axes.append(None)
            continue
        axis = len(ranges)
        if isinstance(part, slice):
            ranges.append(range(*part.indices(x.shape[axis])))
            axes.append(axis)
        else:
            ranges.append(range(part, part + 1))
    shape = tuple([1 if axis is None else len(ranges[axis]) for axis in axes])
    lengths = tuple([1 if axis is None else max(1, -(-x.chunksize[axis] // abs(ranges[axis].step))) for axis in axes])

    def regions(slices: Slices) -> list[list[Slices]]:
        region = [slice(positions.start, positions.start + 1) if positions else slice(0, 0) for positions in ranges]
        for axis, part in zip(axes, slices, strict=True):
            if axis is not None and ranges[axis]:
                positions = ranges[axis][part]
                region[axis] = (
                    slice(min(positions[0], positions[-1]), max(positions[0], positions[-1]) + 1)
                    if positions
                    else slice(0, 0)
                )
        return [[tuple(region)]]

    steps = tuple([slice(None, None, positions.step) for positions in ranges])

    def compute(pieces: Pieces, *, slices: Slices) -> Any:
        return np.reshape(next(pieces)[steps], lengths_of(slices))

    return library.gathered(compute, [x], regions, shape, lengths, x.dtype)


def replaced(library: CubedLibrary, x: Any, key: tuple[Any, ...], value: Any) -> Any:
    """Return an array with a value in the place of the elements of a key of slices and integers."""
    ranges = [
        range(*part.indices(n)) if isinstance(part, slice) else range(part, part + 1)
        for part, n in zip(key, x.shape, strict=True)
    ]
    sliced_axes = [isinstance(part, slice) for part in key]

    def within(slices: Slices) -> list[range] | None:
        """The numbers, along each axis, of the key's elements in a chunk; None if there are none."""
        insides = [_inside(places, part) for places, part in zip(ranges, slices, strict=True)]
        return insides if all(insides) else None

    def regions(slices: Slices) -> list[list[Slices]]:
        numbers = within(slices)
        if numbers is None:
            return [[slices], []]
        of_value = tuple([slice(part[0], part[-1] + 1) for part, has in zip(numbers, sliced_axes, strict=True) if has])
        return [[slices], [of_value]]

    def compute(pieces: Pieces, values: Pieces, *, slices: Slices) -> Any:
        chunk, numbers = next(pieces), within(slices)
        if numbers is None:
            return chunk
        result = np.array(chunk, copy=True)
        target = []
        for places, part, along, has in zip(ranges, numbers, slices, sliced_axes, strict=True):
            first, last = places[part[0]] - along.start, places[part[-1]] - along.start
            if not has:
                target.append(first)
                continue
            stop = last + (1 if places.step > 0 else -1)
            target.append(slice(first, None if stop < 0 else stop, places.step))
        result[tuple(target)] = next(values)
        return result

    return library.gathered(compute, [x, value], regions, tuple(x.shape), x.chunksize, x.dtype)


def _inside(places: range, part: slice) -> range:
    """The numbers of the elements of a range that lie in a slice."""
    start, step = places.start, places.step
    if step < 0:  # the same elements counted from the other end of the axis
        start, step, part = -start, -step, slice(1 - part.stop, 1 - part.start)
    first = max(0, -((start - part.start) // step))
    last = min(len(places) - 1, (part.stop - 1 - start) // step)
    return range(first, last + 1)


def taken(library: CubedLibrary, x: Any, places: np.ndarray[Any, Any]) -> Any:
    """Return the elements of places on the first axis: each task reads the chunks that have some of its places."""
    length = max(1, x.chunksize[0])
    rows = x.shape[0]

    def blocks_of(part: slice) -> list[int]:
        return np.unique(places[part] // length).tolist()  # type: ignore[no-any-return]

    def regions(slices: Slices) -> list[list[Slices]]:
        first, *others = slices
        return [[(slice(i * length, min((i + 1) * length, rows)), *others) for i in blocks_of(first)]]

    def compute(pieces: Pieces, *, slices: Slices) -> Any:
        wanted = places[slices[0]]
        result = np.empty(lengths_of(slices), dtype)
        for i in blocks_of(slices[0]):
            here = wanted // length == i
            result[here] = next(pieces)[wanted[here] - i * length]
        return result

    dtype, others = x.dtype, [max(1, n) for n in x.chunksize[1:]]
    needed = library.lengths((len(places), *x.shape[1:]), dtype, (len(places), *others))[0] if len(places) > rows else 1
    return library.gathered(
        compute, [x], regions, (len(places), *x.shape[1:]), (max(length, needed), *others), dtype
    )  # more positions than elements are not in chunks of the elements' length, which may be many


def selected(library: CubedLibrary, x: Any, mask: Any, length: int, counts: np.ndarray[Any, Any]) -> Any:
    """Return the elements on the first axis for which a mask is true.

    Parameters
    ----------
    length
        The number of elements of a block of the mask.
    counts
        The number of true elements in each block.
    """
    rows = x.shape[0]
    ends = np.cumsum(counts)
    starts = ends - counts

    def blocks_of(part: slice) -> list[int]:
        return np.flatnonzero((ends > part.start) & (starts < part.stop)).tolist()

    def regions(slices: Slices) -> list[list[Slices]]:
        first, *others = slices
        blocks = [slice(i * length, min((i + 1) * length, rows)) for i in blocks_of(first)]
        return [[(block, *others) for block in blocks], [(block,) for block in blocks]]

    def compute(pieces: Pieces, masks: Pieces, *, slices: Slices) -> Any:
        parts = [piece[chosen] for piece, chosen in zip(pieces, masks, strict=True)]
        joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
        skipped = slices[0].start - int(starts[blocks_of(slices[0])[0]])
        return joined[skipped : skipped + slices[0].stop - slices[0].start]

    lengths = (length, *[max(1, n) for n in x.chunksize[1:]])
    return library.gathered(compute, [x, mask], regions, (int(ends[-1]), *x.shape[1:]), lengths, x.dtype)


# -- products ---------------------------------------------------------------------------------------------------------


def product(library: CubedLibrary, x1: Any, x2: Any, dtype: DType) -> Any:
    """Return the product of matrices: a task reads blocks of rows and of columns one after the other."""
    matmul, add = library.chunk_function("matmul"), library.chunk_function("add")
    vectors = x1.ndim == 1, x2.ndim == 1
    stacks = x1.shape[:-2], x2.shape[:-2]
    stack, together = joint([(own, x.chunksize[: len(own)]) for x, own in zip((x1, x2), stacks, strict=True)])
    lengths = list(together)
    rows = () if vectors[0] else (x1.shape[-2],)
    columns = () if vectors[1] else (x2.shape[-1],)
    lengths += [max(1, n) for n in (*x1.chunksize[-2:-1],) if rows] + [max(1, x2.chunksize[-1])] * len(columns)
    n, step = x1.shape[-1], max(1, x1.chunksize[-1])
    inside = [slice(i, min(i + step, n)) for i in range(0, n, step)] or [slice(0, 0)]

    def regions(slices: Slices) -> list[list[Slices]]:
        front, last = slices[: len(stack)], slices[len(stack) :]
        before = [source_of(own, front) for own in stacks]
        of_rows, of_columns = last[: len(rows)], last[len(rows) :]
        return [
            [(*before[0], *of_rows, part) for part in inside],
            [(*before[1], part, *of_columns) for part in inside],
        ]

    def compute(first: Pieces, second: Pieces, *, slices: Slices) -> Any:
        total: Any = None
        for a, b in zip(first, second, strict=True):
            products = matmul(a, b)
            total = products if total is None else add(total, products)
        return np.asarray(total).astype(dtype, copy=False)

    return library.gathered(compute, [x1, x2], regions, (*stack, *rows, *columns), tuple(lengths), dtype)
