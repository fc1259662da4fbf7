"""Fused functions: the results of the functions as written, in fewer kernels."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import xtensor as xp
from xtensor import fuse

SHAPE = (40, 300)


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.fixture(params=("numpy", "cpu"))
def place(request: pytest.FixtureRequest) -> str:
    """A device over NumPy's arrays: with a generator of kernels, where one is installed, and without."""
    return str(request.param)


@pytest.fixture
def x(place: str) -> Any:
    return xp.asarray(np.random.default_rng(1).normal(size=SHAPE), device=place)


@pytest.fixture
def y(place: str) -> Any:
    return xp.asarray(np.random.default_rng(2).normal(size=SHAPE), device=place)


def generates(place: str) -> bool:
    return xp.device(place)._provider.generator(place) is not None


def recordings(fused: Any) -> int:
    return sum(map(len, fused._plans.values()))


def close(actual: Any, expected: Any) -> None:
    """Compare nested results: structure, dtypes and shapes exactly, values up to the last digits."""
    if isinstance(expected, xp.Array):
        assert isinstance(actual, xp.Array)
        assert (actual.dtype, actual.shape, actual.device) == (expected.dtype, expected.shape, expected.device)
        tolerance = 40 * np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
        np.testing.assert_allclose(xp.to_numpy(actual), xp.to_numpy(expected), rtol=tolerance, atol=tolerance)
    elif isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key in expected:
            close(actual[key], expected[key])
    elif isinstance(expected, (list, tuple)):
        assert type(actual) is type(expected)
        for mine, wanted in zip(actual, expected, strict=True):
            close(mine, wanted)
    else:
        assert actual == expected


def in_place(x: Any, y: Any) -> Any:
    z = x + 1
    z *= y
    z -= 0.5
    z[0, :] = 7.0
    return z, xp.sum(z)


FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], int | None]] = {
    # The second entry is the number of kernels.
    "one step": (lambda x, y: x + y, 1),
    "a chain": (lambda x, y: xp.sqrt(x * x + y * y) * 2 - xp.exp(-x), 1),
    "scalars": (lambda x, y: 2 * x + 1.5 - y / 3, 1),
    "several results": (lambda x, y: (x + y, x - y, x * y), 1),
    "a result used by another": (lambda x, y: ((s := xp.sin(x) * y), s + 1), 1),
    "where": (lambda x, y: xp.where(x > y, x, -y), 1),
    "clip": (lambda x, y: xp.clip(x, -0.5, 0.5) + y, 1),
    "comparisons": (lambda x, y: (x > 0) & (y <= 0.5) | (x == y), 1),
    "casts": (lambda x, y: xp.astype(x, xp.float32) + xp.astype(y > 0, xp.float32), 1),
    "mixed dtypes": (lambda x, y: xp.astype(x * 100, xp.int16) + x, None),
    "powers": (lambda x, y: x**2 + x**3 + y**4 + abs(x) ** 0.5 + (y + 5) ** -1, 1),
    "rows": (lambda x, y: x - x[:, :1] + y[0], None),
    "broadcast": (lambda x, y: x * xp.reshape(xp.arange(300.0), (300,)), 1),
    "sum": (lambda x, y: xp.sum((x - y) ** 2), 1),
    "sum of rows": (lambda x, y: xp.sum(x * y, axis=-1), 1),
    "sum of columns": (lambda x, y: xp.sum(x * y, axis=0, keepdims=True), 1),
    "max and min": (lambda x, y: xp.max(x + y) - xp.min(x, axis=(0, 1)), 3),
    "mean": (lambda x, y: xp.mean(abs(x - y)), None),
    "softmax": (
        lambda x, y: (e := xp.exp(x - xp.max(x, axis=-1, keepdims=True))) / xp.sum(e, axis=-1, keepdims=True),
        1,
    ),
    "standardised": (lambda x, y: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0), None),
    "nn.functional.softmax": (lambda x, y: xp.nn.functional.softmax(x + y, axis=-1), None),
    "nn.functional.gelu": (lambda x, y: xp.nn.functional.gelu(x) * y, None),
    "special.logsumexp": (lambda x, y: xp.special.logsumexp(x * y, axis=1), None),
    "special.erf": (lambda x, y: xp.special.erf(x) + xp.special.expit(y), None),
    "a condition for each column": (
        lambda x, y: xp.where(xp.max(y, axis=0, keepdims=True) <= 0, xp.nan, (x - y[:1]) / y[1:2]),
        3,
    ),
    "steps that two kernels read": (
        lambda x, y: [(z := (x - y) / (y + 3)), xp.where(xp.max(z, axis=0, keepdims=True) > 0, z + 1, z)],
        None,
    ),
    "a product of matrices": (lambda x, y: xp.tanh(xp.matmul(x, xp.matrix_transpose(y)) / 10) + 1, 1),
    "sorting": (lambda x, y: xp.sort(x + y, axis=1) * 2, 2),
    "take": (lambda x, y: xp.take(x * 2, xp.asarray([0, 2]), axis=0) + 1, 2),
    "concatenation": (lambda x, y: xp.concat([x + 1, y * 2], axis=0) * 3, 2),
    "a call with several results": (lambda x, y: xp.linalg.svd(x[:5, :5] + 1, full_matrices=False).S * 2, None),
    "in place": (in_place, None),
    "a created array": (lambda x, y: x + xp.linspace(0, 1, 300), 1),
    "quotients of integers": (
        lambda x, y: xp.astype(x * 100, xp.int64) // 7 + xp.count_nonzero(y > 0, axis=0) // 2,
        None,
    ),
    "medians": (lambda x, y: xp.median(x + y, axis=0) + xp.quantile(x, 0.3), None),
    "integers": (lambda x, y: xp.arange(300) * 3 + xp.astype(x > 0, xp.int64), None),
    "the arguments themselves": (lambda x, y: (x, [y, x + 1]), 1),
    "nested results": (lambda x, y: {"sum": x + y, "rest": [x, 3, None, "text"], "pair": Pair(x * y, 2.5)}, 1),
    "the same result twice": (lambda x, y: [(x + y), (x + y)], 1),
    "methods": (lambda x, y: (x * y).sum(axis=0) + x.mean(), None),
    "numpy's functions": (lambda x, y: np.sqrt(x * x) + np.maximum(x, y), 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fused_functions_return_what_the_function_returns(name: str, x: Any, y: Any) -> None:
    function, kernels = FUNCTIONS[name]
    fused = fuse(function)
    with xp.use_device(x.device):
        expected = function(x, y)
        for _ in range(2):
            close(fused(x, y), expected)
    if generates(x.device.name):
        ((recorded,), *others) = fused._plans.values()
        assert not others
        assert kernels is None or recorded.plan.kernels == kernels


def scores(x: Any) -> Any:
    distances = x - xp.sum(x, axis=0) * 0.25
    return distances / (xp.sum(distances * distances, axis=0) + 1.0)


def weights(x: Any) -> Any:
    exponentials = xp.exp(x - xp.max(x, axis=0))
    return exponentials / (xp.sum(exponentials, axis=0) + 1.0)


@pytest.mark.parametrize(
    ("function", "kernels"),
    [
        # A difference is computed by both kernels that read it,
        (scores, ["sum", "multiply", "subtract multiply sum", "add", "subtract divide"]),
        # an exponential once,
        (weights, ["max", "subtract exp", "sum", "add", "divide"]),
        # and what one kernel reads is computed there, of two arrays as well.
        (lambda x: xp.exp(x) / (x * xp.flip(x)) - xp.sum(x, axis=0), ["sum", "exp multiply divide subtract"]),
        (lambda x: (y := x * 2.0, y - xp.sum(y, axis=0))[1], ["multiply sum", "multiply subtract"]),
    ],
)
def test_steps_are_computed_in_the_kernels_that_read_them(function: Any, kernels: list[str]) -> None:
    if not generates("cpu"):
        pytest.skip("no device has a generator of kernels")
    x = xp.asarray(np.random.default_rng(3).normal(size=(50, 40)), device="cpu")
    fused = fuse(function)
    for _ in range(2):
        close(fused(x), function(x))
    ((recorded,),) = fused._plans.values()
    kinds = zip(recorded.plan.actions, recorded.plan.kinds, strict=True)
    assert [action.__doc__ for action, (kind, _) in kinds if kind == "kernel"] == kernels


def test_recording_is_made_once_for_shapes_and_dtypes(x: Any) -> None:
    if not generates(x.device.name):
        pytest.skip("the device has no generator of kernels")
    doubled = fuse(lambda x: x * 2)
    for _ in range(3):
        doubled(x)
        doubled(x[:3])
        doubled(xp.astype(x, xp.float32))
    assert recordings(doubled) == 3


def test_a_number_changes_without_another_recording(x: Any) -> None:
    @fuse
    def scaled(x: Any, factor: float, *, offset: float) -> Any:
        return x * (2 * factor + 1) - offset**2

    for factor, offset in ((0.5, 1.0), (2.0, 3.0), (-1.0, 0.25)):
        close(scaled(x, factor, offset=offset), x * (2 * factor + 1) - offset**2)
    assert recordings(scaled) == (1 if generates(x.device.name) else 0)


def test_integers_and_flags_are_part_of_the_recording(x: Any) -> None:
    @fuse
    def reduced(x: Any, axis: int, keepdims: bool) -> Any:
        return xp.sum(x + 1, axis=axis, keepdims=keepdims)

    for axis in (0, 1):
        for keepdims in (False, True):
            close(reduced(x, axis, keepdims), xp.sum(x + 1, axis=axis, keepdims=keepdims))


def test_nested_arguments(x: Any, y: Any) -> None:
    @fuse
    def step(parameters: dict[str, Any], gradients: list[Any], rate: float) -> dict[str, Any]:
        return {name: value - rate * gradients[place] for place, (name, value) in enumerate(parameters.items())}

    for rate in (0.1, 0.2):
        expected = {"weights": x - rate * y, "bias": y - rate * x}
        close(step({"weights": x, "bias": y}, [y, x], rate), expected)


def test_static_arguments_may_be_looked_at(x: Any) -> None:
    @fuse(static=("power",))
    def raised(x: Any, power: float) -> Any:
        return xp.sqrt(x * x) if power == 1.0 else x**power

    close(raised(x, 1.0), abs(x))
    close(raised(x, 2.0), x**2)
    close(raised(x, power=2.0), x**2)


def test_a_fused_function_within_another_one(x: Any, y: Any) -> None:
    inner = fuse(lambda x, y: x * y + 1)
    outer = fuse(lambda x, y: inner(x, y) - inner(y, x) * 2)
    close(outer(x, y), (x * y + 1) - (y * x + 1) * 2)
    if generates(x.device.name):
        assert next(iter(outer._plans.values()))[0].plan.kernels == 1


def test_methods_of_classes(x: Any) -> None:
    class Scaler:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @fuse
        def __call__(self, x: Any) -> Any:
            return x * self.factor + 1

    close(Scaler(3.0)(x), x * 3.0 + 1)
    close(Scaler(4.0)(x), x * 4.0 + 1)


def test_layouts_of_later_calls(x: Any) -> None:
    function = lambda x: xp.exp(x * 0.1) + x  # noqa: E731 - used twice
    fused = fuse(function)
    square = x[:, :40]
    for layout in (square, square.T, square[::-1, :], square.copy()[:, ::-1], xp.flip(square)):
        close(fused(layout), function(layout))
    cube = xp.reshape(x[:, :36], (40, 6, 6))
    for layout in (cube, xp.permute_dims(cube, (0, 2, 1))):
        close(fused(layout), function(layout))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (1, 1), (17,)])
def test_small_and_empty_arrays(shape: tuple[int, ...], place: str) -> None:
    function = lambda x: (x * 2 + 1, xp.sum(x * x))  # noqa: E731 - used twice
    x = xp.full(shape, 1.5, device=place)
    close(fuse(function)(x), function(x))


def test_results_are_new_arrays(x: Any) -> None:
    fused = fuse(lambda x: x + 1)
    first, second = fused(x), fused(x)
    first[...] = 0.0
    close(second, x + 1)


def test_arguments_of_two_devices_are_refused_as_by_the_function(x: Any) -> None:
    other = xp.asarray([1.0, 2.0], device="strict")
    with pytest.raises(xp.DeviceMismatchError):
        fuse(lambda x, y: x + y)(x[0, :2], other)


def test_functions_without_arrays_are_called() -> None:
    assert fuse(lambda a, b: a + b)(1.5, 2) == 3.5


def test_random_expressions(x: Any, y: Any) -> None:
    source = random.Random(3)
    names = ("x", "y", "x[0]", "y[:, :1]", "0.5", "2", "xp.sum(x, axis=1, keepdims=True)", "xp.max(y, axis=0)")

    def expression(depth: int) -> str:
        if not depth:
            return source.choice(names)
        first, second = expression(depth - 1), expression(source.randrange(depth))
        kind = source.choice(
            ("({} + {})", "({} - {})", "({} * {})", "xp.maximum(x * 0 + {}, {})", "xp.tanh(x * {}) - {}")
        )
        return kind.format(first, second)

    for _ in range(40):
        text = f"x * 0 + {expression(4)}"
        function = eval(f"lambda x, y: {text}", {"xp": xp})
        actual, expected = fuse(function)(x, y), function(x, y)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        scale = 1 + float(xp.max(abs(expected)))
        np.testing.assert_allclose(xp.to_numpy(actual), xp.to_numpy(expected), rtol=0, atol=1e-12 * scale)


def test_threads_record_and_compute_at_once(x: Any) -> None:
    fused = fuse(lambda x, a: xp.exp(-x * x * a))
    expected = [xp.exp(-x * x * a) for a in (0.1, 0.2, 0.3, 0.4)]
    failures: list[BaseException] = []

    def work(place: int) -> None:
        try:
            for _ in range(20):
                close(fused(x, 0.1 * (place + 1)), expected[place])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# -- what cannot be recorded ------------------------------------------------------------------------------------------


@pytest.fixture
def recorded() -> Any:
    """An array of a device with a generator of kernels."""
    if not generates("cpu"):
        pytest.skip("no device has a generator of kernels")
    return xp.asarray(np.ones(SHAPE), device="cpu")


def looks_at_truth(x: Any) -> Any:
    return x if xp.sum(x) > 0 else -x


def looks_at_number(x: Any) -> Any:
    return x * float(xp.max(x))


def looks_at_elements(x: Any) -> Any:
    return x + np.asarray(x)


@pytest.mark.parametrize("function", [looks_at_truth, looks_at_number, looks_at_elements])
def test_a_look_at_values_raises_with_the_line(function: Callable[[Any], Any], recorded: Any) -> None:
    line = function.__code__.co_firstlineno + 1
    with pytest.raises(TypeError, match=rf"looks at a value at .*test_fuse\.py:{line}: .*xtensor\.where"):
        fuse(function)(recorded)


def test_a_look_at_a_number_raises_with_the_remedy(recorded: Any) -> None:
    with pytest.raises(TypeError, match="static= of xtensor.fuse"):
        fuse(lambda x, a: x if a > 0 else -x)(recorded, 0.5)
    with pytest.raises(TypeError, match="static= of xtensor.fuse"):
        fuse(lambda x, a: x * float(a))(recorded, 0.5)


def test_an_array_in_the_place_of_an_integer_raises_with_the_remedy(recorded: Any) -> None:
    with pytest.raises(TypeError, match="looks at a value at .*test_fuse.*an array as int"):
        fuse(xp.special.multigammaln)(abs(recorded) + 5, xp.asarray(2, device=recorded.device))


def writes_in_place(x: Any) -> None:
    x += 1


def writes_an_element(x: Any) -> None:
    x[0, 0] = 1.0


@pytest.mark.parametrize("function", [writes_in_place, writes_an_element])
def test_a_write_to_an_argument_raises(function: Callable[[Any], Any], recorded: Any) -> None:
    before = xp.to_numpy(recorded)
    with pytest.raises(TypeError, match="cannot write to its arguments"):
        fuse(function)(recorded)
    np.testing.assert_array_equal(xp.to_numpy(recorded), before)


def test_errors_are_those_of_the_function(recorded: Any) -> None:
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(40,300\) \(7,\)"):
        fuse(lambda x: x + xp.ones(7))(recorded)
    with pytest.raises(ZeroDivisionError):
        fuse(lambda x: x * (1 // 0))(recorded)


def test_other_results_raise(recorded: Any) -> None:
    with pytest.raises(TypeError, match="returns Arrays and numbers, not"):
        fuse(lambda x: object())(recorded)


@pytest.mark.parametrize("argument", [np.ones(3), iter([1.0])], ids=["numpy array", "iterator"])
def test_arguments_that_may_change_unnoticed_raise(argument: Any, recorded: Any) -> None:
    with pytest.raises(TypeError, match=r"convert it with xtensor\.asarray|cannot use an iterator"):
        fuse(lambda x, argument: x + 1)(recorded, argument)


def test_fuse_takes_functions() -> None:
    with pytest.raises(TypeError, match="takes a function"):
        fuse(3)  # type: ignore[call-overload]


def test_recordings_are_bounded(recorded: Any) -> None:
    fused = fuse(lambda x, n: x[:n, 0] * 2)
    for n in range(1, 40):
        fused(recorded, n)
    for length in range(1, 300):
        fused(recorded[:, :length], 1)
    assert len(fused._plans) <= 256


WARNING = """
import numpy as np
import xtensor as xp

x = xp.asarray(np.arange(40), device="cpu")
fused = xp.fuse(lambda x: x // 0)
for _ in range(2):
    assert fused(x).tolist() == [0] * 40
"""


def test_a_warning_of_a_librarys_call_is_issued_at_the_users_line() -> None:
    done = subprocess.run([sys.executable, "-c", WARNING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "RuntimeWarning" in line]
    assert lines
    assert all(line.startswith("<string>:") for line in lines), lines


@pytest.mark.parametrize("size", [1, 200_000])
def test_unsigned_integers_of_64_bits_are_scalars(place: str, size: int) -> None:
    x = xp.asarray(np.arange(size, dtype=np.uint64), device=place)
    for f in (lambda a: a + 2**63, lambda a: (a > 2**63) | (a * 3 < 2**64 - 1), lambda a: xp.maximum(a, 2**64 - 1) - a):
        fused = fuse(f)
        for _ in range(3):
            close(fused(x), f(x))
