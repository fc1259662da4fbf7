"""Random calls of NumPy's functions and of ufuncs' methods with ``out``, ``where``, ``dtype`` and ``initial``.

Operands and outputs are views of one another in a few arrays of every dtype. Results, the memory of all arrays, and
whether the result is the output must be NumPy's. A third of the calls run in a batch and in a fused function as well.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from assignment_cases import IMMUTABLE
from strategies import quiet

import xtensor as xp

from .tiers import scale

DTYPES = ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
SHAPES = ((5,), (4, 3), (3,), (2, 3, 4), (1, 3), (4, 4), (), (0, 3))
ERRORS = (TypeError, ValueError, IndexError, OverflowError, NotImplementedError, BufferError)

UNARY = ("negative", "absolute", "square", "exp", "sqrt", "floor", "sign", "isnan", "logical_not", "conjugate", "rint")
BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "less", "equal", "remainder", "fmax", "bitwise_and", "power"),
    *("not_equal", "logical_xor", "floor_divide", "hypot", "copysign", "left_shift"),
)
REDUCED = (
    *("add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logaddexp", "bitwise_xor", "subtract"),
    *("hypot", "fmax", "gcd"),
)
ACCUMULATED = ("add", "multiply", "maximum", "subtract", "logaddexp", "bitwise_xor", "fmin")
FUNCTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "prod", "nansum", "nanprod"), ("axis", "dtype", "keepdims", "initial", "where")),
    **dict.fromkeys(("mean", "std", "nanmean", "nanstd"), ("axis", "floating dtype", "keepdims", "where")),
    **dict.fromkeys(("max", "min", "nanmax"), ("axis", "keepdims", "initial", "where")),
    **dict.fromkeys(("any", "all"), ("axis", "keepdims", "where")),
    **dict.fromkeys(("cumsum", "cumprod", "nancumsum", "nancumprod"), ("axis", "dtype")),
    **dict.fromkeys(("median", "nanmedian", "ptp"), ("axis", "keepdims")),
    "trace": ("dtype",),
}
"""Functions of one array with ``out``, and their other options."""

PROGRAMS = {"opencl": 20, "webgpu": 20, "jax": 20, "mlx": 100, "dask": 100}
"""Programs of a seed for backends that compile code for each function and dtype, or compute in tasks."""


class View(NamedTuple):
    """A view of one of a program's arrays."""

    array: int
    key: Any


class Call(NamedTuple):
    """A call of a function of NumPy, whose operands and options may be views."""

    function: str
    operands: list[Any]
    options: dict[str, Any]


class Program:
    """A call with the arrays that its operands and outputs are views of."""

    def __init__(self, device: xp.Device, seed: int, number: int) -> None:
        self.rng = np.random.default_rng([seed, number])
        self.device, self.name = device, (seed, number)
        self.dtypes = [name for name in DTYPES if device.supports(np.dtype(name))]
        shape = SHAPES[self.rng.integers(len(SHAPES))]
        first = str(self.rng.choice(self.dtypes))
        names = [
            first,
            *(first if self.rng.random() < 0.5 else str(self.rng.choice(self.dtypes)) for _ in range(2)),
            "?",
        ]
        self.arrays = [self.drawn(name, shape) for name in names]
        self.call = self.with_output(self.drawn_call())

    def __repr__(self) -> str:
        arrays = [f"{x.dtype}{x.shape} {x.tolist()}" for x in self.arrays]
        return f"{self.name}: {self.call} of {arrays}"

    def drawn(self, name: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        kind = np.dtype(name).kind
        x: Any = self.rng.integers(0 if kind == "u" else -4, 6, shape)
        if kind in "fc":
            x = x / 4 + (1j * np.roll(x, 1) if kind == "c" else 0.0)
        return np.asarray(x > 0 if kind == "b" else x).astype(name)

    def view(self, array: int | None = None) -> View:
        array = int(self.rng.integers(3)) if array is None else array
        return View(array, self.key(self.arrays[array].shape) if self.rng.random() < 0.6 else ...)

    def key(self, shape: tuple[int, ...]) -> Any:
        parts: list[Any] = []
        copies = self.device.backend == "torch"  # a step of -1 copies there
        for length in shape:
            start = int(self.rng.integers(0, min(length, 2) + 1))
            kinds = [slice(None), slice(start, None), slice(start, None, 2), slice(None, None, None if copies else -1)]
            kind = int(self.rng.integers(5 if length else 4))
            parts.append(kinds[kind] if kind < 4 else int(self.rng.integers(-length, length)))
        return tuple(parts) if self.device.backend == "strict" else (*parts, ...)

    def operand(self) -> Any:
        if self.rng.random() < 0.8:
            return self.view()
        return [2, 3.5, True, -1, 0][self.rng.integers(5)]

    def options(self, names: tuple[str, ...], ndim: int) -> dict[str, Any]:
        rng, options = self.rng, dict[str, Any]()
        if "axis" in names:
            options["axis"] = [None, 0, -1][rng.integers(3)] if ndim else None
        for name in names:
            if rng.random() < 0.7 or name == "axis":
                continue
            if name == "dtype":
                options["dtype"] = np.dtype(str(rng.choice(self.dtypes)))
            elif name == "floating dtype":
                options["dtype"] = np.dtype(str(rng.choice([item for item in self.dtypes if item[0] == "f"])))
            elif name == "casting":
                options["casting"] = str(rng.choice(["no", "equiv", "safe", "same_kind", "unsafe"]))
            elif name == "where":
                options["where"] = [self.view(3), True, False][rng.integers(3)]
            elif name == "initial":
                options["initial"] = [0, 1, 2.5, -3][rng.integers(4)]
            else:
                options["keepdims"] = True
        return options

    def drawn_call(self) -> Call:
        rng, first = self.rng, self.view()
        ndim = self.of(first, self.arrays).ndim
        kind = str(rng.choice(["call", "reduce", "accumulate", "reduceat", "at", "function", "function", "write"]))
        if kind == "call":
            binary = rng.random() < 0.6
            operands = [first, self.operand()] if binary else [first]
            options = self.options(("dtype", "casting", "where"), ndim)
            return Call(str(rng.choice(BINARY if binary else UNARY)), operands, options | {"out": None})
        if kind == "reduce":
            options = self.options(("axis", "dtype", "keepdims", "initial", "where"), ndim)
            return Call(f"{rng.choice(REDUCED)}.reduce", [first], options | self.output(0.7))
        if kind == "accumulate":
            options = {"axis": 0} | self.options(("dtype",), ndim) | self.output(0.7)
            return Call(f"{rng.choice(ACCUMULATED)}.accumulate", [first], options)
        if kind == "reduceat":
            length = self.of(first, self.arrays).shape[0] if ndim else 1
            starts = rng.integers(0, max(length, 1), 2).tolist()
            return Call(f"{rng.choice(ACCUMULATED[:5])}.reduceat", [first, starts], self.output(0.5))
        if kind == "at":
            length = self.of(first, self.arrays).shape[0] if ndim else 0
            places = rng.integers(-length, length, 4).tolist() if length else ...
            return Call(
                f"{rng.choice(['add', 'multiply', 'maximum', 'subtract'])}.at", [first, places, self.operand()], {}
            )
        if kind == "function":
            name = str(rng.choice(list(FUNCTIONS)))
            return Call(name, [first], self.options(FUNCTIONS[name], ndim) | self.output(0.8))
        name = str(rng.choice(["copyto", "put", "putmask"]))
        if name == "copyto":
            return Call(name, [first, self.operand()], self.options(("casting", "where"), ndim))
        return Call(name, [first, [0, 2, -1, 0] if name == "put" else self.view(3), self.operand()], {})

    def output(self, share: float) -> dict[str, Any]:
        return {"out": None} if self.rng.random() < share else {}

    def with_output(self, call: Call) -> Call:
        """Return a call with a view of the result's shape for ``out``, of another array or of an operand."""
        if "out" not in call.options:
            return call
        plain = {name: x for name, x in call.options.items() if name not in ("out", "where", "casting")}
        try:
            result = np.asarray(self.run(np, Call(call.function, call.operands, plain), self.arrays))
        except ERRORS:
            return call._replace(options=plain)
        views = [self.view() for _ in range(20)]
        views = [view for view in views if self.of(view, self.arrays).shape == result.shape]
        if views and self.rng.random() < 0.6:
            out = views[self.rng.integers(len(views))]
        else:
            name = result.dtype if self.rng.random() < 0.4 else np.dtype(str(self.rng.choice(self.dtypes)))
            name = name if self.device.supports(name) else np.dtype("f4")
            self.arrays.append(self.drawn(name.str, tuple([2 * length + 1 for length in result.shape])))
            out = View(len(self.arrays) - 1, (*(slice(1, None, 2) for _ in result.shape), ...))
        return call._replace(options=call.options | {"out": out})

    def of(self, value: Any, arrays: list[Any]) -> Any:
        if isinstance(value, View):
            return arrays[value.array] if value.key is ... else arrays[value.array][value.key]
        return value

    def run(self, lib: Any, call: Call, arrays: list[Any]) -> Any:
        function: Any = np
        for part in call.function.split("."):
            function = getattr(function, part)
        options = {name: self.of(value, arrays) for name, value in call.options.items()}
        result = function(*[self.of(value, arrays) for value in call.operands], **options)
        assert options.get("out") is None or result is options["out"]
        return result

    def new_arrays(self) -> list[Any]:
        return [xp.asarray(x, copy=True) for x in self.arrays]


def values(x: Any) -> np.ndarray[Any, Any]:
    return xp.to_numpy(x) if isinstance(x, xp.Array) else np.asarray(x)


def differ(xs: list[Any], expected: list[Any]) -> bool:
    return any(differs(values(x), np.asarray(y)) for x, y in zip(xs, expected, strict=True))


def differs(x: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    if x.dtype != expected.dtype or x.shape != expected.shape:
        return True
    if expected.dtype.kind in "biu":
        return not np.array_equal(x, expected)
    eps = 300 * float(np.finfo(expected.dtype).eps)
    return not np.allclose(x.astype(complex), expected.astype(complex), rtol=eps, atol=eps / 10, equal_nan=True)


def is_left_open(program: Program) -> bool:
    """Whether NumPy's result depends on its order of writes, rounds in float16, or casts to what cannot hold it."""
    call, arrays = program.call, program.arrays
    first = program.of(call.operands[0], arrays)
    out = program.of(call.options.get("out"), arrays)
    if isinstance(call.options.get("where"), (bool, View)) and out is not None and "." not in call.function:
        operands = [program.of(x, arrays) for x in call.operands]
        if any(np.may_share_memory(x, out) for x in operands if isinstance(x, np.ndarray)):
            return True  # NumPy casts the elements that the mask leaves out
    if call.function in ("putmask", "cumprod", "nancumprod") and first.dtype.itemsize <= 2:
        return True
    if call.function.endswith(("mean", "std")) and (first.dtype.kind == "c" or call.options.get("dtype") == np.float32):
        return True  # not all steps are rounded
    targets = [x.dtype for x in (first, out) if x is not None]
    return any(dtype == np.float16 for dtype in (*targets, call.options.get("dtype")))


def ends_the_process(program: Program) -> bool:
    """Whether NumPy's own loop ends the process: that of ``accumulate`` for an output of other dimensions."""
    call, arrays = program.call, program.arrays
    out = program.of(call.options.get("out"), arrays)
    if out is None or not (call.function.startswith(("cum", "nancum")) or call.function.endswith(".accumulate")):
        return False
    ndim = program.of(call.operands[0], arrays).ndim
    return bool(out.ndim != (1 if call.options.get("axis", 0) is None else max(ndim, 1)))


def outcome(program: Program, lib: Any, arrays: list[Any]) -> Any:
    try:
        return [program.run(lib, program.call, arrays)]
    except ERRORS as error:
        return error


def compare(program: Program, counts: Counter[str]) -> str | None:
    """Compare a call with NumPy's and describe a difference."""
    expected_arrays = [x.copy() for x in program.arrays]
    expected = outcome(program, np, expected_arrays)
    arrays = program.new_arrays()
    result = outcome(program, xp, arrays)
    if isinstance(result, Exception):  # the rule of kinds, docs/numpy.md, refuses some that NumPy casts
        counts["refused"] += 1
        return "written before the error" if off_host(program) and differ(arrays, program.arrays) else None
    if isinstance(expected, Exception):
        counts["taken"] += 1
        return None
    if not all(program.device.supports(x.dtype) for x in map(np.asarray, expected) if x.dtype != object):
        return None
    counts["compared"] += 1
    if expected[0] is not None and differ(result, expected):
        return f"{result!r}, NumPy {expected!r}"
    if differ(arrays, expected_arrays):
        return f"memory {[values(x).tolist() for x in arrays]}, NumPy {[x.tolist() for x in expected_arrays]}"
    return None


def off_host(program: Program) -> bool:
    return not program.device.host and not program.call.function.endswith(".at")


def compare_in_transforms(program: Program, counts: Counter[str]) -> str | None:
    """Compare a call in a batch of three examples and in a fused function with the call itself."""

    def function(*arrays: Any) -> list[Any]:
        copies = [xp.asarray(x, copy=True) for x in arrays]
        result = program.run(xp, program.call, copies)
        return [*([] if result is None else [result]), *copies]

    examples = [[np.roll(x.reshape(-1), n).reshape(x.shape) if x.size else x for x in program.arrays] for n in range(3)]
    try:
        expected = [[values(x).copy() for x in function(*map(xp.asarray, example))] for example in examples]
    except ERRORS:
        return None
    try:
        batch = xp.vmap(function)(*[xp.asarray(np.stack(xs)) for xs in zip(*examples, strict=True)])
    except (*ERRORS, xp.UnknownValueError):
        counts["refused in a batch"] += 1
    else:
        counts["batches"] += 1
        if differ(list(batch), [np.stack(xs) for xs in zip(*expected, strict=True)]):
            return f"in a batch {batch!r}, alone {expected!r}"
    fused = xp.fuse(function)
    for example, alone in zip(examples, expected, strict=True):
        try:
            result = fused(*map(xp.asarray, example))
        except (*ERRORS, xp.UnknownValueError):
            counts["refused when fused"] += 1
            return None
        counts["fused calls"] += 1
        if differ(list(result), alone):
            return f"fused {result!r}, not fused {alone!r}"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(scale(4, 80)))
def test_random_calls_with_outputs_are_numpys(lenient_device, seed, figures):
    device = lenient_device
    if device.backend in IMMUTABLE:
        pytest.skip(f"{device} has no views to write to")
    programs = PROGRAMS.get(device.backend, 400)
    counts: Counter[str] = Counter()
    wrong: list[Any] = []
    for number in range(programs):
        program = Program(device, seed, number)
        if is_left_open(program) or ends_the_process(program):
            continue
        with quiet():
            wrong.append((program, compare(program, counts)))
            if number % 3 == 0:
                wrong.append((program, compare_in_transforms(program, counts)))
    wrong = [(program, difference) for program, difference in wrong if difference is not None]
    assert not wrong, f"{len(wrong)} of {programs}: {wrong[:3]}"
    assert counts["compared"] >= programs // 5, counts
    figures.record(programs=programs, **{name.replace(" ", "_"): count for name, count in counts.items()})
