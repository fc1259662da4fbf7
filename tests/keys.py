"""Random keys of reads and assignments: integers, slices, ``...``, None, masks and index arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from calls import ERRORS
from sources import Source, finite, hostile, source
from strategies import STANDARD_DTYPES, quiet

import xtensor as xp

SHAPES = ((), (1,), (3,), (4,), (0,), (2, 3), (3, 2), (1, 3), (0, 2), (2, 2, 3), (2, 1, 3))


@dataclass(frozen=True)
class Access:
    """A read, or an assignment of a value, by a key."""

    x: Source
    key: Any
    value: Any
    """None for a read."""

    def on(self, device: xp.Device) -> Any:
        """Return what was read or the array after the assignment, or the class of the exception."""
        with quiet(), xp.use_device(device):
            x, key = self.x.on(device), _placed(self.key, device)
            value = _placed(self.value, device)
            try:
                if value is None:
                    return x[key]
                x = xp.asarray(x, copy=True)
                x[key] = value
            except Exception as error:
                return next((kind for kind in ERRORS if isinstance(error, kind)), type(error))
            return x

    @property
    def indexes_an_empty_array(self) -> bool:
        """Whether NumPy may omit its checks of the key: it checks no position where nothing is selected."""
        return not self.x.host.size or any(isinstance(part, Source) and not part.host.size for part in _parts(self.key))


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _placed(value: Any, device: xp.Device) -> Any:
    if isinstance(value, tuple):
        return tuple(_placed(part, device) for part in value)
    return value.on(device) if isinstance(value, Source) else value


def _host(key: Any) -> Any:
    parts = tuple(part.host if isinstance(part, Source) else part for part in _parts(key))
    return parts if isinstance(key, tuple) else parts[0]


def _part(rng: Random, length: int, dtypes: Sequence[Any]) -> Any:
    """Draw a part of a key for an axis; a few are out of bounds."""
    choice = rng.random()
    if choice < 0.18:
        return rng.randrange(-length, length) if length and rng.random() < 0.95 else length
    if choice < 0.6:
        bounds = [None if rng.random() < 0.4 else rng.randint(-length - 2, length + 2) for _ in range(2)]
        return slice(*bounds, rng.choice([None, 1, 2, -1, -2, 3, -5]))
    if choice < 0.75:
        return rng.choice([None, ..., True, False])
    if choice < 0.9:
        dtype = rng.choice([dtype for dtype in map(np.dtype, ("i8", "i4", "u1", "u8")) if dtype in dtypes])
        least = -length if dtype.kind == "i" else 0
        lengths = rng.choice([(2,), (3,), (0,), (2, 2), (), (1,)])
        return source(rng, dtype, lengths, lambda rng, _: rng.randrange(least, length) if length else 0)
    return source(rng, np.dtype("?"), (length,), hostile)


def _key(rng: Random, shape: tuple[int, ...], dtypes: Sequence[Any]) -> Any:
    if rng.random() < 0.1:
        return source(rng, np.dtype("?"), shape[: rng.choice([1, len(shape)])], hostile)
    parts: list[Any] = []
    axis = 0
    for _ in range(rng.choice([len(shape)] * 4 + [len(shape) + 1, max(0, len(shape) - 1)])):
        part = _part(rng, shape[axis] if axis < len(shape) else 2, dtypes)
        if part is ... and any(item is ... for item in parts):
            continue
        axis += not (part is None or part is ... or isinstance(part, bool))
        parts.append(part)
    return parts[0] if len(parts) == 1 and rng.random() < 0.5 else tuple(parts)


def random_access(rng: Random, dtypes: Sequence[Any] = STANDARD_DTYPES) -> Access:
    """Draw a read or an assignment, in which an element that is assigned twice is assigned the same value twice."""
    shape, dtype = rng.choice(SHAPES), rng.choice(dtypes)
    x, key = source(rng, dtype, shape, hostile), _key(rng, shape, dtypes)
    way = rng.choice(["read", "scalar", "array"])
    if way == "read":
        return Access(x, key, None)
    if "broadcast" in x.layout:
        x = replace(x, layout="plain")
    try:
        selected = x.host[_host(key)].shape
    except (IndexError, ValueError):
        # A bad key has one outcome with a good value; with a bad one, either may be reported first.
        return Access(x, key, 1)
    if way == "scalar":
        return Access(x, key, rng.choice([True, 0, 1, -3, 2.5, 1j, 300, -0.0, float("inf"), float("nan"), 2**53 + 1]))
    selected = selected[rng.choice([0, 0, 1]) :]
    lengths = tuple(1 for _ in selected) if rng.random() < 0.2 else selected
    lengths = (*lengths[:-1], lengths[-1] + 1) if lengths and rng.random() < 0.05 else lengths
    value_dtype = dtype if rng.random() < 0.6 else rng.choice(dtypes)
    constant = finite(rng, value_dtype)
    repeats = any(isinstance(part, Source) and part.base.dtype.kind != "b" for part in _parts(key))
    return Access(x, key, source(rng, value_dtype, lengths, (lambda *_: constant) if repeats else finite))
