"""Keys of reads and assignments: every slice of a short axis, and every combination of kinds of parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import numpy as np

LONGEST = 5
"""Length of the longest axis of which every slice is tried."""


def slices(length: int) -> Iterator[slice]:
    """Return every slice whose parts lie within two elements of an axis, with every step and None for each part."""
    ends = [None, *range(-length - 2, length + 3)]
    return (slice(*parts) for parts in product(ends, ends, [step for step in ends if step != 0]))


def standard_defines(key: slice, length: int) -> bool:
    """Whether the ends of a slice are within the bounds for which the standard defines the elements."""
    step = 1 if key.step is None else key.step
    last = length if step > 0 else max(0, length - 1)
    start = key.start is None or -length <= key.start <= last
    return start and (key.stop is None or -length <= key.stop <= last)


KINDS = ("integer", "slice", "integers", "column of integers", "mask", "NumPy integers")


def combined_keys(shape: tuple[int, ...], rng: Random) -> Iterator[tuple[Any, ...]]:
    """Return a key of each combination of kinds of parts for a shape, with values drawn by ``rng``.

    New axes and an ellipsis are inserted at each position of a key. A mask of two axes replaces two parts.
    """
    for count in range(len(shape) + 1):
        for kinds in product(KINDS, repeat=count):
            parts = [_part(kind, length, rng) for kind, length in zip(kinds, shape, strict=False)]
            if any(part is None for part in parts):  # no element of an empty axis
                continue
            yield tuple(parts)
            for position in range(count + 1):
                for inserted in (None, ..., True, False):
                    yield (*parts[:position], inserted, *parts[position:])
            if count < len(shape):  # the parts after the ellipsis are those of the last axes
                last = [
                    _part(kind, length, rng) for kind, length in zip(kinds, shape[len(shape) - count :], strict=True)
                ]
                if not any(part is None for part in last):
                    yield (..., *last)
    for first in range(len(shape) - 1):
        mask = _mask(shape[first : first + 2], rng)
        before = [_part(rng.choice(KINDS), length, rng) for length in shape[:first]]
        yield (*[slice(None) if part is None else part for part in before], mask)
        yield (*[slice(None)] * first, mask)
    yield (_mask(shape, rng),)


def _part(kind: str, length: int, rng: Random) -> Any:
    """Return a part of a key; None where the axis has no elements that it can select."""
    if kind == "slice":
        return rng.choice(list(slices(length)))
    if kind == "mask":
        return _mask((length,), rng)
    if not length:
        return None
    if kind == "integer":
        return rng.randrange(-length, length)
    shape = (2, 1) if kind == "column of integers" else rng.choice([(2,), (2,), (1,), ()])
    values = np.asarray([rng.randrange(-length, length) for _ in range(int(np.prod(shape)))])
    return values.reshape(shape).astype(rng.choice([np.int64, np.int8]))


def _mask(shape: tuple[int, ...], rng: Random) -> np.ndarray[Any, Any]:
    """Return a mask with two elements that are true, if there are two: masks broadcast against pairs of integers."""
    result = np.zeros(shape, bool)
    result.flat[rng.sample(range(result.size), min(2, result.size))] = True
    return result
