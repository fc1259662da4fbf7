"""Comparisons of calls: the same call of a function beyond the standard, in NumPy's namespace and in this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from strategies import expect, quiet

import xtensor as xp

SAMPLE_DTYPES = ("float64", "float32", "complex128", "int32", "uint8", "bool")


def sample(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0, special: bool = True) -> Any:
    """Return a NumPy array of small numbers with zeros, and with NaN and infinities in floating-point dtypes."""
    rng = np.random.default_rng((seed, *shape))
    values = rng.integers(0, 5, shape)
    if np.dtype(dtype).kind in "fc":
        values = values - 2.0 + 0.5 * rng.integers(0, 2, shape)
        if special and values.size > 5:
            values.reshape(-1)[[1, 3, 4]] = np.nan, np.inf, -np.inf
    return np.asarray(values).astype(dtype)


def on_device(value: Any) -> Any:
    """Return NumPy arrays, also those in lists and tuples, as Arrays of the default device."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value, copy=True)
    if isinstance(value, (list, tuple)):
        return type(value)(on_device(item) for item in value)
    return value


def compare(call: Callable[..., Any], *arguments: Any, **tolerances: Any) -> None:
    """Fail unless ``call(namespace, *arguments)`` has the same result with NumPy's arrays and with Arrays."""
    hosts = [np.array(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    with quiet():
        expected = call(np, *hosts)
        result = call(xp, *on_device(arguments))
    same(result, expected, **tolerances)


def same(result: Any, expected: Any, **tolerances: Any) -> None:
    """Fail unless a result has NumPy's values: Arrays, Python scalars, and lists and tuples of them."""
    if isinstance(expected, (list, tuple)):
        assert type(result) is type(expected)
        assert len(result) == len(expected)
        for own, reference in zip(result, expected, strict=True):
            same(own, reference, **tolerances)
    elif expected is None or isinstance(expected, bool):
        assert result is expected
    else:
        expect(result, expected, **tolerances)


def compare_errors(call: Callable[..., Any], error: type[Exception], words: str, *arguments: Any) -> None:
    """Fail unless a call raises the same error as NumPy's, and its message begins with NumPy's words."""
    messages = []
    for namespace, values in ((np, arguments), (xp, on_device(arguments))):
        try:
            with quiet():
                call(namespace, *values)
        except error as raised:
            messages.append(str(raised))
        else:
            raise AssertionError(f"{namespace.__name__} raised no {error.__name__}")
    assert messages[0].startswith(words), f"NumPy's words are {messages[0]!r}"
    assert messages[1].startswith(words), f"xtensor's words are {messages[1]!r}"
