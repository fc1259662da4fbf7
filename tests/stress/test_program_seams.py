"""Random programs of a few steps on views of every stride and dtype, next to NumPy's and next to their fused form.

Steps are elementwise functions, reductions, functions that move elements, and assignments into views. Integers and
booleans must be NumPy's exactly, and no argument may change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from assignment_cases import IMMUTABLE
from strategies import quiet

import xtensor as xp

from .tiers import LONG

DTYPES = ("?", "i1", "u1", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16")

UNARY = (
    *("negative", "abs", "square", "exp", "sin", "tanh", "sqrt", "floor", "ceil", "trunc", "sign", "isnan", "isfinite"),
    *("logical_not", "conj", "real", "reciprocal", "cbrt", "log1p", "expm1"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "remainder", "hypot", "fmax"),
    *(
        "logaddexp",
        "bitwise_and",
        "bitwise_left_shift",
        "bitwise_right_shift",
        "pow",
        "not_equal",
        "gcd",
        "logical_xor",
    ),
)
REDUCTIONS = (
    "sum",
    "prod",
    "max",
    "min",
    "mean",
    "any",
    "all",
    "argmax",
    "std",
    "var",
    "nansum",
    "nanmax",
    "median",
    "ptp",
)

MOVES = {
    "flip": lambda lib, x, y, axis: lib.flip(x, axis=axis),
    "reverse axes": lambda lib, x, y, axis: lib.permute_dims(x, tuple(reversed(range(x.ndim)))),
    "ravel": lambda lib, x, y, axis: lib.reshape(x, (-1,)),
    "sort": lambda lib, x, y, axis: lib.sort(x, axis=axis),
    "argsort": lambda lib, x, y, axis: lib.argsort(x, axis=axis, stable=True),
    "cumulative sum": lambda lib, x, y, axis: lib.cumulative_sum(x, axis=axis),
    "roll": lambda lib, x, y, axis: lib.roll(x, axis - 3, axis=axis),
    "diff": lambda lib, x, y, axis: lib.diff(x, axis=axis),
    "take": lambda lib, x, y, axis: lib.take(x, lib.asarray([0, -1]), axis=axis),
    "where": lambda lib, x, y, axis: lib.where(lib.isfinite(x), x, y),
    "concat": lambda lib, x, y, axis: lib.concat([x, x], axis=axis),
    "repeat": lambda lib, x, y, axis: lib.repeat(x, 2, axis=axis),
    "clip": lambda lib, x, y, axis: lib.clip(x, 1, 3),
    "pad": lambda lib, x, y, axis: lib.pad(x, 1),
    "searchsorted": lambda lib, x, y, axis: lib.searchsorted(lib.sort(lib.reshape(x, (-1,))), y),
}

WRITES = ("every other", "last", "finite", "view")

ERRORS = (TypeError, ValueError, IndexError, OverflowError)


def drawn_array(rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
    """Return a view of any strides, with special values, of one axis or more."""
    shape = tuple(int(rng.choice([0, 1, 2, 3, 5])) for _ in range(rng.integers(1, 4)))
    memory = tuple(2 * length + 1 for length in shape)
    kind = np.dtype(dtype).kind
    x: Any = rng.integers(-4, 9, memory)
    if kind in "iu":
        limits = np.iinfo(dtype)
        x = np.where(rng.random(memory) < 0.1, limits.max, x.astype(dtype)).astype(dtype)
        x = np.where(rng.random(memory) < 0.1, limits.min, x).astype(dtype)
    elif kind in "fc":
        x = x / 4.0
        for value in (np.nan, np.inf, -np.inf, -0.0) if kind == "f" else (-0.0,):
            x = np.where(rng.random(memory) < 0.05, value, x)
        if kind == "c":
            x = x + 1j * np.roll(x, 1)
    x = x.astype(dtype)
    steps = [slice(1, None, 2) if rng.random() < 0.6 else slice(None, None, -2) for _ in shape]
    x = x[tuple(steps)]
    return x.T if rng.random() < 0.3 else x  # type: ignore[no-any-return]


def drawn_program(rng: np.random.Generator) -> list[tuple[str, str, int]]:
    tables: list[tuple[str, Any]] = [
        ("unary", UNARY), ("binary", BINARY), ("reduction", REDUCTIONS), ("move", tuple(MOVES)), ("write", WRITES),
    ]  # fmt: skip
    program = []
    for _ in range(rng.integers(1, 5)):
        kind, names = tables[rng.choice(5, p=[0.3, 0.3, 0.1, 0.2, 0.1])]
        program.append((kind, str(rng.choice(names)), int(rng.integers(0, 12))))
    return program


def run(lib: Any, program: list[tuple[str, str, int]], x: Any, y: Any, device: xp.Device) -> Any:
    """Run a program; a step whose result has a dtype that the device does not support is an error."""
    for kind, name, number in program:
        if kind == "unary":
            x = getattr(lib, name)(x)
        elif kind == "binary":
            x = getattr(lib, name)(x, y)
        elif kind == "reduction":
            axis = None if number % 3 == 0 else number % max(x.ndim, 1)
            # A result has an axis, so that no step sees a scalar, which NumPy treats otherwise.
            x = lib.reshape(getattr(lib, name)(x, axis=axis), (-1,))
        elif kind == "move":
            x = MOVES[name](lib, x, y, number % max(x.ndim, 1))
        else:
            x = lib.asarray(x, copy=True)
            if name == "view" and device.name.partition(":")[0] in IMMUTABLE:
                continue  # no Array is a view
            write(lib, name, x, y)
        if not device.supports(x.dtype):
            raise TypeError(x.dtype)
    return x


def write(lib: Any, name: str, x: Any, y: Any) -> None:
    if name == "every other":
        x[::2] = y
    elif name == "last":
        x[-1:] += 1
    elif name == "finite":
        x[lib.isfinite(x)] = 2
    else:
        view = x[1:]
        view *= 2


def outcome(function: Any, errors: tuple[type[Exception], ...] = ERRORS) -> Any:
    """Return the result, or None for an error."""
    try:
        return function()
    except errors:
        return None


def differs(x: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    if x.dtype != expected.dtype or x.shape != expected.shape:
        return True
    if expected.dtype.kind in "biu":
        return not np.array_equal(x, expected)
    finite = np.isfinite(expected)
    largest = np.max(np.abs(expected[finite]), initial=0.0)
    error = 512 * float(np.finfo(expected.dtype).eps)
    if expected.dtype.kind == "c":  # which components of an infinity are NaN is not defined
        return not np.all(np.abs(x[finite] - expected[finite]) <= error * min(largest, 1e300))
    same = (x == expected) | (np.isnan(x) & np.isnan(expected))
    return not np.all(same | (np.abs(x - expected) <= error * min(largest, 1e300)))


@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_random_programs_of_views_are_those_of_numpy_and_of_fuse(device, seed):
    if device.name == "strict":
        pytest.skip("the device refuses most of the programs: what the standard leaves open")
    wrong: list[Any] = []
    for number in range(100):
        rng = np.random.default_rng([seed, number])
        program, dtype = drawn_program(rng), str(rng.choice(DTYPES))
        host = drawn_array(rng, dtype)
        other = host[::-1] if rng.random() < 0.5 else np.asarray(rng.choice([1, 2, 3])).astype(dtype)
        if not device.supports(host.dtype):
            continue
        with quiet():
            x, y = xp.asarray(host), xp.asarray(other)
            before = xp.to_numpy(x).copy()
            expected = outcome(lambda: run(np, program, host.copy(), other.copy(), device))  # noqa: B023
            # Not every library has every function of complex numbers; NumPy, which computes on these, has.
            refused = ERRORS if device.name in ("cpu", "numpy", "strict") else (*ERRORS, NotImplementedError)
            result = outcome(lambda: run(xp, program, x, y, device), refused)  # noqa: B023
            if expected is None or result is None:
                continue
            result = xp.to_numpy(result)
            if differs(result, expected) or not np.array_equal(
                xp.to_numpy(x), before, equal_nan=host.dtype.kind in "fc"
            ):
                wrong.append((number, program, host.dtype, host.shape, result, expected))
            if number % 10 == 0:
                replayed = xp.fuse(lambda x, y: run(xp, program, x, y, device))  # noqa: B023
                for _ in range(2):
                    try:
                        again = xp.to_numpy(replayed(x, y))
                    except xp.UnknownValueError:
                        break
                    if differs(again, result):
                        wrong.append((number, "fuse", program, host.dtype, host.shape, again, result))
    assert not wrong
