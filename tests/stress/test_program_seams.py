"""Random programs of a few steps on views of every stride and dtype, next to NumPy's and next to their fused form.

Steps are elementwise functions, reductions, functions that move elements, and assignments into views. Integers and
booleans must be NumPy's exactly, and no argument may change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
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

WRITES = ("every other", "last", "finite", "view", "read-only")

HOST = 1
"""DLPack's type of devices in host memory."""

ERRORS = (TypeError, ValueError, IndexError, OverflowError, NotImplementedError)


PROGRAMS = {"dpnp": 20, "jax": 5, "opencl": 20, "webgpu": 20}
"""Programs of a seed for backends that compile code for each function and dtype; on JAX, for each shape as well."""

SIDES = ("arrays", "arrays", "second is NumPy's", "first is NumPy's")

KNOWN: dict[str, tuple[str, Callable[[Case, Exception], bool]]] = {
    "strict refuses what the standard leaves open": (
        "docs/strict.md",
        lambda case, error: case.device.backend == "strict",
    ),
    "a complex number is assigned to real elements": (
        "docs/troubleshooting.md",
        lambda case, error: "in an assignment; assign xtensor.real(value)" in str(error),
    ),
    "an axis of an array without axes": (
        "docs/numpy.md",
        lambda case, error: "takes no axis of a 0-d array" in str(error),
    ),
    "complex numbers have no order": (
        "docs/torch.md, docs/jax.md, docs/mlx.md, docs/opencl.md, docs/webgpu.md, docs/troubleshooting.md",
        lambda case, error: (
            case.host.dtype.kind == "c"
            and case.device.backend in ("torch", "jax", "mlx", "opencl", "webgpu", "dpnp")
            and any(text in str(error) for text in ("have no order", "takes real numbers", "has no implementation"))
        ),
    ),
}
"""Refusals of programs that NumPy takes: the page that says so, and whether an error is such a one."""


class UnsupportedDtypeError(Exception):
    """A value of a program has a dtype that the device lacks: it computes in another one, as its page says."""


class Case:
    """A program with its arguments, drawn from two numbers."""

    def __init__(self, device: xp.Device, seed: int, number: int) -> None:
        rng = np.random.default_rng([seed, number])
        self.device = device
        self.name = (seed, number)
        self.program = drawn_program(rng)
        self.host = drawn_array(rng, str(rng.choice([name for name in DTYPES if device.supports(np.dtype(name))])))
        is_reversed = self.host.ndim and rng.random() < 0.5
        self.other = self.host[::-1] if is_reversed else np.asarray(rng.choice([1, 2, 3])).astype(self.host.dtype)
        # Elsewhere NumPy's arrays are transfers, which the policy refuses.
        takes_numpy = device.dlpack_device[0] == HOST and device.backend not in ("dask", "cubed")
        self.side = str(rng.choice(SIDES)) if takes_numpy else "arrays"
        self.host.flags.writeable = rng.random() < 0.7
        # Where an Array is a copy of NumPy's memory, it can be written to.
        shares_memory = np.shares_memory(xp.to_numpy(xp.asarray(self.host)), self.host)
        self.is_read_only = shares_memory and not self.host.flags.writeable

    def operands(self) -> tuple[Any, Any]:
        """Return the arguments: Arrays, or one of them NumPy's."""
        x, y = self.host, self.other
        return (
            x if self.side == "first is NumPy's" else xp.asarray(x),
            y if self.side == "second is NumPy's" else xp.asarray(y),
        )

    def __repr__(self) -> str:
        return f"{self.name}: {self.program} of {self.host.dtype}{self.host.shape} {self.host.tolist()}, {self.side}"


def drawn_array(rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
    """Return a view of any strides, with special values; some have no axis."""
    shape = tuple(int(rng.choice([0, 1, 2, 3, 5])) for _ in range(rng.integers(0, 4)))
    memory = tuple(2 * length + 1 for length in shape)
    kind = np.dtype(dtype).kind
    x: Any = rng.integers(-4, 9, memory)
    if kind in "iu":
        limits = np.iinfo(dtype)
        x = np.where(rng.random(memory) < 0.1, limits.max, np.asarray(x).astype(dtype)).astype(dtype)
        x = np.where(rng.random(memory) < 0.1, limits.min, x).astype(dtype)
    elif kind in "fc":
        x = x / 4.0
        for value in (np.nan, np.inf, -np.inf, -0.0) if kind == "f" else (-0.0,):
            x = np.where(rng.random(memory) < 0.05, value, x)
        if kind == "c":
            x = x + 1j * np.roll(x, 1)
    x = np.asarray(x).astype(dtype)
    steps = [slice(1, None, 2) if rng.random() < 0.6 else slice(None, None, -2) for _ in shape]
    x = x[(*steps, ...)]
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


def run(lib: Any, case: Case, x: Any, y: Any) -> Any:
    """Run a program; raise UnsupportedDtypeError for a value of a dtype that the device lacks."""
    device = case.device
    for kind, name, number in case.program:
        if kind == "unary":
            x = getattr(lib, name)(x)
        elif kind == "binary":
            x = getattr(lib, name)(x, y)
        elif kind == "reduction":
            axis = None if number % 3 == 0 else number % max(x.ndim, 1)
            x = getattr(lib, name)(x, axis=axis)
        elif kind == "move":
            x = MOVES[name](lib, x, y, number % max(x.ndim, 1))
        elif name == "read-only":
            if case.is_read_only:
                x[...] = y
        else:
            x = lib.asarray(x, copy=True)
            if name == "view" and device.backend in IMMUTABLE:
                continue  # no Array is a view
            write(lib, name, x, y)
        if lib is np:
            x = np.asarray(x)  # NumPy's functions return scalars for arrays without an axis
        if not device.supports(x.dtype):
            raise UnsupportedDtypeError(x.dtype)
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


def outcome(function: Any) -> Any:
    """Return the result or the error."""
    try:
        return function()
    except (*ERRORS, UnsupportedDtypeError) as error:
        return error


def values(x: Any) -> np.ndarray[Any, Any]:
    """Return NumPy's array of a result, which may be one of NumPy's operands."""
    return xp.to_numpy(x) if isinstance(x, xp.Array) else np.asarray(x)


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


def is_error_of(error: Exception, expected: Exception) -> bool:
    """Whether an error has the class of another one among those that a program may catch, or one below it."""
    return all(isinstance(error, kind) for kind in ERRORS if isinstance(expected, kind))


def compare(case: Case, counts: Counter[str]) -> str | None:
    """Run a program with NumPy and with xtensor, count what came of it, and describe a difference."""
    x, y = case.operands()
    before = values(x).copy()
    expected = outcome(lambda: run(np, case, case.host, case.other))
    result = outcome(lambda: values(run(xp, case, x, y)))  # engines raise when they compute
    if not np.array_equal(values(x), before, equal_nan=before.dtype.kind in "fc"):
        return "an argument changed"
    if isinstance(expected, UnsupportedDtypeError):
        counts["dtypes that the device lacks"] += 1
        return None
    if isinstance(result, Exception):
        for name, (_, is_known) in KNOWN.items():
            if is_known(case, result):
                counts[name] += 1
                return None
        if isinstance(expected, Exception):
            counts["refused by both"] += 1
            return None if is_error_of(result, expected) else f"{result!r}, NumPy {expected!r}"
        return f"refused: {result!r}, NumPy {expected!r}"
    if isinstance(expected, Exception):
        return f"not refused: {result!r}, NumPy {expected!r}"
    counts["compared"] += 1
    return f"{result!r}, NumPy {expected!r}" if differs(result, expected) else None


def constants_and(array: xp.Array, x: Any, y: Any) -> tuple[Any, Any]:
    """Return the operands of a program with an Array in the place of the one that is an Array."""
    return (array, y) if isinstance(x, xp.Array) else (x, array)


def compare_fused(case: Case, counts: Counter[str]) -> str | None:
    """Compare two calls of the fused program with the program, and describe a difference."""
    x, y = case.operands()
    result = outcome(lambda: values(run(xp, case, x, y)))
    if isinstance(result, Exception):
        return None
    # NumPy's arrays join as constants.
    arrays = [operand for operand in (x, y) if isinstance(operand, xp.Array)]
    fused = xp.fuse(lambda *arrays: run(xp, case, *(arrays if len(arrays) == 2 else constants_and(arrays[0], x, y))))
    for _ in range(2):
        try:
            again = values(fused(*arrays))
        except xp.UnknownValueError:
            return None
        counts["fused calls"] += 1
        if differs(again, result):
            return f"fused {again!r}, not fused {result!r}"
    return None


@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_random_programs_of_views_are_those_of_numpy_and_of_fuse(device, seed, figures):
    programs = PROGRAMS.get(device.backend, 100)
    counts: Counter[str] = Counter()
    wrong: list[Any] = []
    for number in range(programs):
        case = Case(device, seed, number)
        with quiet():
            wrong.append((case, compare(case, counts)))
            if number % 10 == 0:
                wrong.append((case, compare_fused(case, counts)))
    wrong = [(case, difference) for case, difference in wrong if difference is not None]
    assert not wrong, f"{len(wrong)} of {programs}: {wrong[:3]}"
    if device.backend != "strict":
        assert counts["compared"] >= programs // 4, counts
    figures.record(programs=programs, **{name.replace(" ", "_"): count for name, count in counts.items()})
