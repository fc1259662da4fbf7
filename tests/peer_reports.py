"""Comparison of calls from public bug reports of other libraries with their exact results."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest
from strategies import quiet

import xtensor as xp
from xtensor import autograd

nan, inf = math.nan, math.inf

REFUSAL = (TypeError, ValueError, IndexError, OverflowError, xp.UnknownValueError)


def array(values: Any, dtype: Any = None) -> xp.Array:
    return xp.asarray(np.asarray(values, dtype=dtype))


def listed(x: Any) -> Any:
    if isinstance(x, xp.Array):
        return xp.to_numpy(x).tolist()
    if isinstance(x, (np.ndarray, np.generic)):
        return x.tolist()
    return [listed(item) for item in x] if isinstance(x, (tuple, list)) else x


def gradient(f: Callable[..., Any], x: xp.Array) -> Any:
    return autograd.grad(f)(x)


def equal(x: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, (tuple, list)):
        pairs = zip(x, expected, strict=False)
        return len(x) == len(expected) and all(equal(*pair, tolerance) for pair in pairs)
    if isinstance(expected, (bool, str)):
        return x is expected or x == expected
    if x == expected or (x != x and expected != expected):
        return True
    return abs(complex(x) - complex(expected)) <= tolerance * max(abs(expected), tolerance)


def check(
    device: xp.Device, call: tuple[Callable[[], Any], Any], refused: bool = False, tolerance: float = 0.0
) -> None:
    """Compare the result of a call with the expected one, which may be a function that computes it."""
    compute, expected = call
    with quiet(), xp.transfers("allow"):
        if refused:
            with pytest.raises(REFUSAL):
                compute()
        else:
            exact = listed(expected() if callable(expected) else expected)
            assert equal(listed(compute()), exact, max(tolerance, 1e-12 if device.supports(xp.float64) else 1e-5))


def refuses(device: xp.Device, name: str, refused_by_strict: Collection[str]) -> bool:
    """Return whether a device lacks the dtype of a call, or refuses one whose result the standard leaves open."""
    if "float16" in name and not device.supports(xp.float16):
        return True
    return device.name == "strict" and name in refused_by_strict
