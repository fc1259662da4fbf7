"""Random programs that write to arrays and to views of views of them, within transforms: as on arrays of NumPy.

The programs are linear in their argument and compute with small integers, so that values and derivatives are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from assignment_cases import IMMUTABLE

import xtensor as xp
from xtensor import autograd

from .tiers import scale

SHAPE = (4, 3)

COPIED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(IMMUTABLE, ("everything",)),
    **dict.fromkeys(("opencl", "webgpu"), ("reshape",)),
    "torch": ("reshape", "negative step"),
}
"""Results that are views in NumPy and copies on the devices of a backend, or the reverse: programs copy them."""

Statement = Callable[[list[Any]], None]


def keys(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A random key of integers, slices, Ellipsis and None."""
    parts: list[Any] = []
    for length in shape[: rng.integers(1, len(shape) + 1)]:
        start, stop = (None if rng.random() < 0.4 else int(rng.integers(-3, 4)) for _ in range(2))
        selected = slice(start, stop, rng.choice(np.asarray([None, 2, -1])))
        parts.append(int(rng.integers(-1, 1)) if length and rng.random() < 0.3 else selected)
    if rng.random() < 0.1:
        parts.insert(int(rng.integers(len(parts) + 1)), None)
    if rng.random() < 0.1:
        parts.append(...)
    return tuple(parts) if len(parts) > 1 or rng.random() < 0.5 else parts[0]


def rearranged(rng: np.random.Generator, a: Any, copied: Sequence[str]) -> Any:
    """A view of an array whose elements have another order or shape; a copy where NumPy's reshape makes one."""
    kind = rng.choice(["transpose", "reversed", "flat", "reshape", "flip", "expand", "squeeze", "swap", "move", "turn"])
    negative = kind == "flip" or (kind == "turn" and a.ndim < 2)
    return settled(copied, _rearranged(rng, a, kind), kind, negative=negative)


def _rearranged(rng: np.random.Generator, a: Any, kind: str) -> Any:
    xp = a.__array_namespace__()
    axis = int(rng.integers(-a.ndim, a.ndim))
    if kind == "transpose":
        return xp.permute_dims(a, tuple(rng.permutation(a.ndim).tolist()))
    if kind == "reversed":
        return a.T
    if kind == "flat":
        return a.ravel()
    if kind == "reshape":
        return a.reshape(a.shape[::-1])
    if kind == "flip":
        return xp.flip(a, axis=None if rng.random() < 0.3 else axis)
    if kind == "expand":
        return xp.expand_dims(a, axis=axis)
    if kind == "squeeze":
        return a.squeeze()
    if kind == "swap":
        return a.swapaxes(axis, 0)
    if kind == "move":
        return xp.moveaxis(a, axis, 0)
    return a.mT if a.ndim > 1 else a[::-1]


def settled(copied: Sequence[str], view: Any, kind: str, *, negative: bool) -> Any:
    """The view, or a copy of it where the devices do not agree with NumPy on whether it is a view."""
    differs = (kind in ("flat", "reshape") and "reshape" in copied) or (negative and "negative step" in copied)
    return view.copy() if differs or "everything" in copied else view


def statement(rng: np.random.Generator, copied: Sequence[str]) -> Statement:
    """A random statement on a list of arrays, which may append to it."""
    kinds = ["select", "rearrange", "rearrange", "copy", "add", "multiply", "assign", "assign in place", "other"]
    kind = rng.choice(kinds)
    first, second = rng.random(2)
    number = float(rng.integers(-2, 3))
    draws = int(rng.integers(2**31))

    def run(arrays: list[Any]) -> None:
        a = arrays[int(first * len(arrays))]
        b = arrays[int(second * len(arrays))]
        key = keys(np.random.default_rng(draws), a.shape)
        if kind == "select":
            parts = key if isinstance(key, tuple) else (key,)
            negative = any(isinstance(part, slice) and part.step == -1 for part in parts)
            selected = settled(copied, a[key], kind, negative=negative)
            if selected.ndim:
                arrays.append(selected)
        elif kind == "rearrange":
            result = rearranged(np.random.default_rng(draws), a, copied)
            if 0 < result.ndim < 5:
                arrays.append(result)
        elif kind == "copy":
            arrays.append(a.copy())
        elif kind == "add":
            a += number
        elif kind == "multiply":
            a *= number
        elif kind == "assign":
            a[key] = b * 2.0 if b.shape == a[key].shape else number
        elif kind == "assign in place":
            a[key] += number
        elif a.shape == b.shape:
            a -= b * 1.0

    return run


def program(seed: int, copied: Sequence[str] = ()) -> Callable[[Any], Any]:
    """A random linear function of an array of the shape."""
    rng = np.random.default_rng(seed)
    statements: Sequence[Statement] = [statement(rng, copied) for _ in range(rng.integers(3, 12))]
    weights = rng.integers(-3, 4, 40).astype(float)

    def function(x: Any) -> Any:
        arrays = [x * 1.0]
        for run in statements:
            run(arrays)
        total = x[0, 0] * 0.0
        for weight, array in zip(weights, arrays, strict=False):
            total = total + weight * (array * weight + 1.0).sum()
        return total

    return function


@pytest.mark.parametrize("chunk", range(8))
def test_writes_reach_the_arrays_that_share_the_memory(device: xp.Device, chunk: int, figures: Any) -> None:
    if device.name == "strict":
        pytest.skip("keys that the standard does not define are among the programs")
    rng = np.random.default_rng(chunk)
    copied = COPIED.get(device.name.partition(":")[0], ())
    for seed in range(chunk, scale(160, 20_000), 8):
        function = program(seed, copied)
        order: Any = "F" if seed % 3 == 0 else "C"
        host = rng.integers(-4, 5, SHAPE).astype(float, order=order)
        value = function(host)
        steps = [np.asarray(np.eye(host.size)[i].reshape(SHAPE), order=order) for i in range(host.size)]
        gradient = np.reshape([function(host + step) - value for step in steps], SHAPE)
        x = xp.asarray(host, device=device)
        direction = xp.asarray(steps[seed % host.size], device=device)
        batch = xp.stack([x, x + 1.0])
        assert float(function(x)) == value, seed
        assert float(autograd.value_and_grad(function)(x)[0]) == value, seed
        np.testing.assert_array_equal(xp.to_numpy(autograd.grad(function)(x)), gradient, err_msg=str(seed))
        tangent = autograd.jvp(function, (x,), (direction,))[1]
        assert float(tangent) == gradient[np.unravel_index(seed % host.size, SHAPE)], seed
        assert np.array_equal(xp.to_numpy(x), host), seed
        if order == "F":
            continue  # the examples of a batch are row-major
        assert xp.vmap(function)(batch).tolist() == [value, function(host + 1.0)], seed
        gradients = xp.to_numpy(xp.vmap(autograd.grad(function))(batch))
        np.testing.assert_array_equal(gradients, np.stack([gradient, gradient]), err_msg=str(seed))
        figures.record(programs=1)
