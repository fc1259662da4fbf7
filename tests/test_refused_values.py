"""Functions that refuse some values: within transforms they raise what they raise alone, and give no other result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import UnknownValueError, fuse, vmap
from xtensor.nn import functional

Values = list[float] | list[int]


def table(device: xp.Device) -> xp.Array:
    return xp.reshape(xp.arange(12, dtype=xp.float32, device=device), (3, 4))


def of_numbers(*values: float, device: xp.Device) -> xp.Array:
    return xp.asarray(values, dtype=xp.float32 if isinstance(values[0], float) else None, device=device)


def written(x: xp.Array) -> xp.Array:
    result = xp.zeros(3, dtype=xp.float32, device=x.device)
    result[x] = 1.0
    return result


def put(x: xp.Array) -> xp.Array:
    result = xp.zeros(3, dtype=xp.float32, device=x.device)
    xp.put(result, x, of_numbers(1.0, 2.0, device=x.device))
    return result


def scaled_identity(x: xp.Array) -> xp.Array:
    return x * xp.eye(2, dtype=x.dtype, device=x.device)


INDICES: dict[str, tuple[Callable[[xp.Array], Any], Values, Values]] = {
    "ravel_multi_index, too large": (lambda x: xp.ravel_multi_index((x, x), (5, 5)), [1, 2], [1, 7]),
    "ravel_multi_index, negative": (lambda x: xp.ravel_multi_index((x, x), (5, 5)), [1, 2], [-1, 2]),
    "unravel_index, too large": (lambda x: xp.unravel_index(x, (2, 3)), [1, 2], [1, 6]),
    "unravel_index, negative": (lambda x: xp.unravel_index(x, (2, 3)), [1, 2], [1, -7]),
    "choose, too large": (lambda x: xp.choose(x, [x, x + 1]), [0, 1], [0, 2]),
    "choose, negative": (lambda x: xp.choose(x, [x, x + 1]), [0, 1], [0, -1]),
    "take": (lambda x: xp.take(table(x.device), x, axis=0), [0, 1], [0, 3]),
    "take_along_axis": (lambda x: xp.take_along_axis(table(x.device), x[:, None], axis=1), [0, 1, 2], [0, 4, 1]),
    "index": (lambda x: table(x.device)[x], [0, 1], [0, -4]),
    "two indices": (lambda x: table(x.device)[x, x], [0, 1], [0, 3]),
    "assignment": (written, [0, 1], [0, 3]),
    "put": (put, [0, 1], [0, 5]),
    "embedding, too large": (lambda x: functional.embedding(x, table(x.device)), [0, 1], [0, 3]),
    "embedding, negative": (lambda x: functional.embedding(x, table(x.device)), [0, 1], [0, -1]),
    "cross_entropy, too large": (lambda x: functional.cross_entropy(table(x.device), x), [0, 1, 2], [0, 1, 4]),
    "cross_entropy, negative": (lambda x: functional.cross_entropy(table(x.device), x), [0, 1, 2], [0, 1, -1]),
    "pow of integers": (lambda x: (x + 2) ** x, [0, 1], [0, -1]),
}
"""Functions of a vector of integers, with values that they take and values of the same shape that they refuse."""

NUMBERS: dict[str, tuple[Callable[[xp.Array], Any], Values, Values]] = {
    "cholesky": (lambda x: xp.linalg.cholesky(scaled_identity(x)), [1.0, 1.0], [1.0, -1.0]),
    "solve": (lambda x: xp.linalg.solve(scaled_identity(x), x), [1.0, 1.0], [1.0, 0.0]),
    "inv": (lambda x: xp.linalg.inv(scaled_identity(x)), [1.0, 1.0], [1.0, 0.0]),
    "matrix_power": (lambda x: xp.linalg.matrix_power(scaled_identity(x), -1), [1.0, 1.0], [1.0, 0.0]),
    "eigvalsh": (lambda x: xp.linalg.eigvalsh(scaled_identity(x)), [1.0, 1.0], [1.0, math.nan]),
    "svdvals": (lambda x: xp.linalg.svdvals(scaled_identity(x)), [1.0, 1.0], [1.0, math.nan]),
    "quantile, level": (lambda x: xp.quantile(table(x.device), x), [0.1, 0.5], [0.1, 1.5]),
    "average, weights": (lambda x: xp.average(x, weights=x), [1.0, 1.0], [1.0, -1.0]),
    "cov, weights": (lambda x: xp.cov(table(x.device)[:2, :2], aweights=x), [1.0, 1.0], [1.0, -1.0]),
    "nanargmax": (xp.nanargmax, [1.0, 2.0], [math.nan, math.nan]),
}
"""The same of a vector of real floating-point numbers."""

CASES = INDICES | NUMBERS


def outcome(function: Callable[[xp.Array], Any], values: Any, device: xp.Device) -> Any:
    """Return the arrays of the result on the host, or the error."""
    x = xp.asarray(values, dtype=xp.float32 if np.asarray(values).dtype.kind == "f" else None, device=device)
    try:
        result = function(x)
        return [np.asarray(item.to_device("numpy")) for item in (result if isinstance(result, tuple) else (result,))]
    except Exception as error:
        return error


def check_same(given: Any, expected: Any) -> None:
    if isinstance(expected, Exception):
        assert type(given) is type(expected), given
    else:
        assert not isinstance(given, Exception), given
        for x, y in zip(given, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_values_are_refused_alone(name: str) -> None:
    function, taken, refused = CASES[name]
    cpu = xp.device("cpu")
    assert not isinstance(outcome(function, taken, cpu), Exception)
    assert isinstance(outcome(function, refused, cpu), (ValueError, IndexError, ZeroDivisionError))


@pytest.mark.parametrize("name", CASES)
def test_values_are_refused_within_fuse(device: xp.Device, name: str) -> None:
    function, taken, refused = CASES[name]
    expected = outcome(function, refused, device)
    fused = fuse(function)
    first = outcome(fused, refused, device)
    if isinstance(first, UnknownValueError):
        return  # it refuses all values: those of an engine, for example, which its host does not look at
    for values in (refused, taken, refused):
        check_same(outcome(fused, values, device), outcome(function, values, device))
    check_same(first, expected)
    recorded = fuse(function)
    for values in (taken, refused, taken):
        check_same(outcome(recorded, values, device), outcome(function, values, device))


@pytest.mark.parametrize("name", CASES)
def test_values_of_one_example_are_refused_within_vmap(device: xp.Device, name: str) -> None:
    function, taken, refused = CASES[name]
    if device.lazy:
        return  # such devices raise where a result is computed
    outcomes = [outcome(function, values, device) for values in (taken, refused)]
    given = outcome(vmap(function), [taken, refused], device)
    if isinstance(given, NotImplementedError):
        return  # no batches of this function
    errors = [item for item in outcomes if isinstance(item, Exception)]
    check_same(given, errors[0] if errors else [np.stack(pair) for pair in zip(*outcomes, strict=True)])
