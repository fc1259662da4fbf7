"""Reads and assignments by keys of every kind on the engines' devices, in chunks of several lengths, against NumPy."""

from __future__ import annotations

from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np
import pytest
from every_key import LONGEST, combined_keys, slices

import xtensor as xp
from xtensor import engines

from .tiers import LONG

SHAPES = ((), (0,), (1,), (5,), (3, 4), (1, 3), (0, 2), (2, 3, 2))

QUICK = {"dask": 160, "cubed": 8}
"""Number of keys that the quick tier samples for a test."""

LONGER = {"dask": None, "cubed": 2000}
"""Number of keys that the long tier samples, other ones in each run; None: all, some 15,000 in a minute on dask."""

TOGETHER = 64
"""Number of results that are computed at once."""


@pytest.fixture(params=QUICK)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine that is installed."""
    if find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed: tox -e engines")
    return str(request.param)


def chunk_lengths(length: int, engine: str) -> list[tuple[int, ...]]:
    """Return lengths of chunks along an axis: 1, 2 and 3, and uneven ones where the engine has these."""
    found = [(part,) * (length // part) + ((length % part,) if length % part else ()) for part in (1, 2, 3)]
    if engine == "dask" and length > 2:
        found += [(1, length - 1), (length - 2, 1, 1)]
    return list(dict.fromkeys(found)) if length else [(0,)]


def chunked(values: np.ndarray[Any, Any], engine: str, rng: Random) -> xp.Array:
    """Return an Array in chunks of lengths that are drawn."""
    lengths = tuple(rng.choice(chunk_lengths(n, engine)) for n in values.shape)
    if engine == "dask":
        import dask.array as da

        return engines.from_engine(da.from_array(values, chunks=lengths))
    import cubed

    return engines.from_engine(cubed.from_array(values, chunks=lengths))


def cases(engine: str, rng: Random) -> list[tuple[tuple[int, ...], Any]]:
    """Return shapes and keys: a sample of each kind, or all of them."""
    of_slices = [((n,), key) for n in range(LONGEST + 1) for key in slices(n)]
    combined = [(shape, key) for shape in SHAPES for key in combined_keys(shape, rng)]
    count = LONGER[engine] if LONG else QUICK[engine]
    if count is None:
        return of_slices + combined
    if LONG:
        rng = Random()
    return rng.sample(of_slices, count // 2) + rng.sample(combined, count // 2)


def outcome(function: Any) -> Any:
    """Return a function's result, or the class of its error."""
    try:
        return function()
    except (IndexError, ValueError) as error:
        return type(error)


def check(pairs: list[tuple[Any, Any, Any]]) -> None:
    """Compare results with NumPy's, computed together."""
    arrays = [found for _, found, _ in pairs if isinstance(found, xp.Array)]
    parts = [arrays[start : start + TOGETHER] for start in range(0, len(arrays), TOGETHER)]
    values = iter([x for part in parts for x in engines.compute(*part)])
    wrong = []
    for case, found, expected in pairs:
        result = np.asarray(next(values)) if isinstance(found, xp.Array) else found
        if not (result is expected if isinstance(expected, type) else same(result, expected)):
            wrong.append((case, result, expected))
    assert not wrong, f"{len(wrong)} of {len(pairs)}: {wrong[:5]}"


def same(x: Any, y: np.ndarray[Any, Any]) -> bool:
    """Whether a result is an array of the same shape, dtype and elements."""
    return isinstance(x, np.ndarray) and x.dtype == y.dtype and x.shape == y.shape and bool((x == y).all())


def on_device(key: Any, engine: str, rng: Random) -> Any:
    """Return a key whose index arrays are Arrays now and then."""
    parts = key if isinstance(key, tuple) else (key,)
    placed = [
        xp.asarray(part, device=engine) if isinstance(part, np.ndarray) and rng.random() < 0.5 else part
        for part in parts
    ]
    return tuple(placed) if isinstance(key, tuple) else placed[0]


def test_elements_of_each_key_are_those_of_numpy(engine, figures):
    rng = Random(1)
    pairs = []
    for shape, key in cases(engine, rng):
        values = np.arange(float(np.prod(shape))).reshape(shape)
        x, on = chunked(values, engine, rng), on_device(key, engine, rng)
        case = shape, engines.chunks(x), key
        # A number is added because dask may keep empty chunks, which only later functions see.
        pairs.append((case, outcome(lambda: x[on] + 1.0), outcome(lambda: values[key] + 1.0)))  # noqa: B023 - called at once
    check(pairs)
    figures.record(keys=len(pairs))


def test_assignment_by_each_key_is_that_of_numpy(engine, figures):
    rng = Random(2)
    pairs = []
    keys = cases(engine, rng)
    for shape, key in keys:
        expected = np.arange(float(np.prod(shape))).reshape(shape)
        x, on = chunked(expected.copy(), engine, rng), on_device(key, engine, rng)
        case = shape, engines.chunks(x), key
        selected = outcome(lambda: expected[key])  # noqa: B023 - called at once
        if isinstance(selected, type):
            pairs += [(case, outcome(lambda: x.__setitem__(on, -1.0)), selected), (case, x, expected)]  # noqa: B023
            continue
        numbers = selected + 100.0  # equal for an element that is selected twice
        value = rng.choice([-1.0, np.asarray(-1.0), numbers, numbers])
        expected[key] = value
        x[on] = value if isinstance(value, float) else xp.asarray(value, device=engine)
        pairs.append((case, x, expected))
    check(pairs)
    figures.record(keys=len(keys))
