"""Every public function under ``vmap`` beside a loop over the examples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import xtensor as xp

__all__ = ["batch_of", "batches", "positions_of_arrays", "with_arrays"]


def batch_of(x: xp.Array) -> xp.Array:
    """Return three examples that a function accepts where it accepts the array, the first of them."""
    if x.dtype.kind == "b":
        examples = [x, ~x, xp.flip(x)]
    elif x.dtype.kind in "iu":
        examples = [x, xp.flip(x), xp.roll(x, 1)]
    else:
        examples = [x, x * 0.5, x * 1.25]
    return xp.stack(examples)


def positions_of_arrays(arguments: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Return where the Arrays are among arguments: the name, and the number in a sequence."""
    found: list[tuple[str, int | None]] = []
    for name, value in arguments.items():
        if isinstance(value, xp.Array):
            found.append((name, None))
        elif isinstance(value, (list, tuple)):
            found += [(name, number) for number, item in enumerate(value) if isinstance(item, xp.Array)]
    return found


def batches(positions: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Return the non-empty sets of arguments that have a batch."""
    for count in range(1, len(positions) + 1):
        yield from itertools.combinations(positions, count)


def with_arrays(arguments: dict[str, Any], arrays: dict[Any, Any]) -> dict[str, Any]:
    result = dict(arguments)
    for (name, number), x in arrays.items():
        if number is None:
            result[name] = x
        else:
            items = list(result[name])
            items[number] = x
            result[name] = type(arguments[name])(items)
    return result
