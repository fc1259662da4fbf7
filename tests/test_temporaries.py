"""Temporaries of expressions: their memory is reused, and nothing that can still be seen is written over.

Each case is compared with NumPy's result, and the operands that stay visible with their values before.
"""

from __future__ import annotations

import functools
import itertools
import operator
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor._core.compiled import compiled
from xtensor.backend import TABLE

SIZE = 2**16


@pytest.fixture(params=("numpy", "cpu"))
def place(request: pytest.FixtureRequest) -> str:
    """A device over NumPy's arrays: with kernels, where they are installed, and without."""
    return str(request.param)


@pytest.fixture
def x(place: str) -> Any:
    return xp.asarray(np.linspace(-3.0, 3.0, SIZE), device=place)


@pytest.fixture
def spares() -> Iterator[list[str]]:
    """The operations that wrote over an operand on the device ``numpy``, in the order of the calls."""
    if not getattr(compiled, "HAS_TEMPORARIES", False):
        pytest.skip("temporaries are found by the compiled module, of Pythons that have a lock")
    device = xp.device("numpy")
    seen: list[str] = []
    found: list[tuple[int, Callable[..., Any]]] = []
    names = ("add", "subtract", "multiply", "divide", "negative", "abs", "exp", "less", "pow")

    def logged(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any) -> Any:
            result = function(*operands)
            if result is operands[-1]:
                seen.append(name)
            return result

        return call

    for name in names:
        implementation = device.table[TABLE[name].index]
        implementation.kernel(*[np.ones(1)] * TABLE[name].operands, None)  # chooses the function
        found.append((implementation, implementation.kernel))
        implementation.kernel = logged(name, implementation.kernel)
    yield seen
    for implementation, chosen in found:
        implementation.kernel = chosen


def same(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(xp.to_numpy(actual), expected, strict=True)


HOST = np.linspace(1.0, 2.0, SIZE)
"""A NumPy array, which is an operand beside Arrays and stays the caller's."""

EXPRESSIONS: dict[str, tuple[Callable[[Any, Any], Any], list[str]]] = {
    "(x * 2 + 1) * x - 3": (lambda x, m: (x * 2 + 1) * x - 3, ["add", "multiply", "subtract"]),
    "abs(x - 1)": (lambda x, m: abs(x - 1), ["abs"]),
    "-(x - 1)": (lambda x, m: -(x - 1), ["negative"]),
    "1 - (x - 1)": (lambda x, m: 1 - (x - 1), ["subtract"]),
    "x / (x * x + 1)": (lambda x, m: x / (x * x + 1), ["add", "divide"]),
    "(x + 1) * (x - 1)": (lambda x, m: (x + 1) * (x - 1), ["multiply"]),
    "exp(x + 1)": (lambda x, m: m.exp(x + 1), ["exp"]),
    "add(x + 1, x)": (lambda x, m: m.add(x + 1, x), ["add"]),
    "add(x, x + 1)": (lambda x, m: m.add(x, x + 1), ["add"]),
    "(x + 1) < x": (lambda x, m: (x + 1) < x, []),
    "(x + 1) + 1j": (lambda x, m: (x + 1) + 1j, []),
    "[x + i + 1 for i in range(2)][1]": (lambda x, m: [x + i + 1 for i in range(2)][1], ["add", "add"]),
    "reshape(x + 1, (256, 256)) @ reshape(x + 1, (256, 256))[0]": (
        lambda x, m: m.reshape(x + 1, (256, 256)) @ m.reshape(x + 1, (256, 256))[0],
        [],
    ),
    "matmul(reshape(x, (256, 256)) + 1, x[:256])": (
        lambda x, m: m.matmul(m.reshape(x, (256, 256)) + 1, x[:256]),
        [],
    ),
    "x * 2 + HOST": (lambda x, m: x * 2 + HOST, []),
    "HOST - x * 2": (lambda x, m: HOST - x * 2, []),
    "x - HOST * 2": (lambda x, m: x - HOST * 2, []),
    "(x + 1) * float64(3)": (lambda x, m: (x + 1) * np.float64(3), []),
    "(x + 1) * float32(3)": (lambda x, m: (x + 1) * np.float32(3), []),
    "x[:8] + 1": (lambda x, m: x[:8] + 1, []),
    "(x + 1)[None, :] * x[:2, None]": (lambda x, m: (x + 1)[None, :] * x[:2, None], []),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_equal_numpys(text: str, x: Any) -> None:
    function, _ = EXPRESSIONS[text]
    before = xp.to_numpy(x)
    # Kernels round exp otherwise than NumPy, in the last digit.
    np.testing.assert_allclose(xp.to_numpy(function(x, xp)), function(before, np), rtol=1e-15 * ("exp" in text))
    same(x, before)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_memory_of_temporaries_is_reused(text: str, spares: list[str]) -> None:
    function, expected = EXPRESSIONS[text]
    function(xp.asarray(np.linspace(-3.0, 3.0, SIZE), device="numpy"), xp)
    if text.startswith(("abs", "add", "exp")) and sys.version_info >= (3, 14):
        expected = []  # no interface tells there which function is called
    assert spares == expected


def test_a_host_array_beside_a_temporary_keeps_its_values(x: Any) -> None:
    host = HOST.copy()
    _ = (x * 2 + host, host - x * 2, (host * 1) - x, x / (host * 1))
    np.testing.assert_array_equal(host, HOST, strict=True)


def test_a_read_only_temporary_is_not_written_over(place: str) -> None:
    def read_only() -> Any:
        values = np.ones(SIZE)
        values.flags.writeable = False
        return xp.asarray(values, device=place)

    same(read_only() + 1, np.full(SIZE, 2.0))


def test_operands_that_are_kept_do_not_ask_the_function_for_temporaries(monkeypatch: pytest.MonkeyPatch) -> None:
    device = xp.device("numpy")
    x = xp.ones(SIZE, device=device)
    _ = (x * x, x + 1, 1 - x, abs(x), xp.exp(x))  # chooses the functions
    asked: list[Any] = []
    monkeypatch.setattr("xtensor._core.calls.apply_large", lambda *args: asked.append(args) or NotImplemented)
    _ = (x * x, x + 1, 1 - x, abs(x), xp.exp(x))
    assert asked == []


def test_comparisons_have_no_function_for_temporaries() -> None:
    device = xp.device("numpy")
    x = xp.ones(SIZE, device=device)
    _ = ((x + 1) < x, xp.isfinite(x + 1))
    assert device.table[TABLE["less"].index].min_size == device.table[TABLE["isfinite"].index].min_size == sys.maxsize


def test_small_arrays_are_not_tested(spares: list[str]) -> None:
    small = xp.ones(100, device="numpy")
    _ = small * 2 + 1
    assert spares == []


# -- operands that somebody still sees --------------------------------------------------------------------------------

KEPT: dict[str, Callable[[Any], tuple[Any, Any]]] = {}
"""Functions that compute with ``x * 2`` while something still sees it; they return that and a result of adding 1."""


def kept(function: Callable[[Any], tuple[Any, Any]]) -> Callable[[Any], tuple[Any, Any]]:
    KEPT[function.__name__] = function
    return function


@kept
def a_variable(x: Any) -> tuple[Any, Any]:
    seen = x * 2
    return seen, seen + 1


@kept
def a_walrus(x: Any) -> tuple[Any, Any]:
    result = (seen := x * 2) + 1
    return seen, result


@kept
def an_element_of_a_list(x: Any) -> tuple[Any, Any]:
    items = [x * 2]
    return items[0], items[0] + 1


@kept
def an_argument(x: Any) -> tuple[Any, Any]:
    return (lambda y: (y, y + 1))(x * 2)


@kept
def an_argument_of_a_function(x: Any) -> tuple[Any, Any]:
    seen = x * 2
    return seen, xp.add(seen, 1)


@kept
def a_default(x: Any) -> tuple[Any, Any]:
    def add(y: Any = x * 2) -> Any:
        return y + 1

    result = add()
    return add.__defaults__[0], result  # type: ignore[index]


@kept
def a_closure(x: Any) -> tuple[Any, Any]:
    def make(y: Any) -> Callable[[], tuple[Any, Any]]:
        return lambda: (y, y + 1)

    return make(x * 2)()


@kept
def an_attribute(x: Any) -> tuple[Any, Any]:
    class Box:
        held: Any

    box = Box()
    box.held = x * 2
    return box.held, box.held + 1


@kept
def an_object_array(x: Any) -> tuple[Any, Any]:
    cells = np.empty(1, dtype=object)
    cells[0] = x * 2  # the only reference is in NumPy's memory
    result = cells + 1
    return cells[0], result[0]


@kept
def an_object_array_as_right_operand(x: Any) -> tuple[Any, Any]:
    cells = np.empty(1, dtype=object)
    cells[0] = x * 2
    result = 1 + cells
    return cells[0], result[0]


@kept
def a_map_of_an_object_array(x: Any) -> tuple[Any, Any]:
    cells = np.empty(1, dtype=object)
    cells[0] = x * 2
    return cells[0], np.frompyfunc(xp.add, 2, 1)(cells, 1)[0]


@kept
def a_weak_reference(x: Any) -> tuple[Any, Any]:
    references: list[Any] = []

    def referred(y: Any) -> Any:
        references.append(weakref.ref(y))
        return y

    result = referred(x * 2) + 1
    seen = references[0]()
    return (x * 2 if seen is None else seen), result


@kept
def a_view(x: Any) -> tuple[Any, Any]:
    views: list[Any] = []

    def viewed(y: Any) -> Any:
        views.append(y[:])
        return y

    result = viewed(x * 2) + 1
    return views[0], result


@kept
def an_export(x: Any) -> tuple[Any, Any]:
    exports: list[Any] = []

    def exported(y: Any) -> Any:
        exports.append(np.from_dlpack(y))
        return y

    result = exported(x * 2) + 1
    return xp.asarray(exports[0], device=x.device), result


@kept
def a_numpy_array(x: Any) -> tuple[Any, Any]:
    arrays: list[Any] = []

    def converted(y: Any) -> Any:
        arrays.append(np.asarray(y))
        return y

    result = converted(x * 2) + 1
    return xp.asarray(arrays[0], device=x.device), result


@kept
def a_generator(x: Any) -> tuple[Any, Any]:
    def values() -> Iterator[Any]:
        value = x * 2
        yield value + 1
        yield value

    generator = values()
    result = next(generator)
    return next(generator), result


@kept
def an_iterator_in_c(x: Any) -> tuple[Any, Any]:
    items = [x * 2]
    return items[0], next(map(operator.add, items, [1]))


@kept
def a_tuple_of_arguments(x: Any) -> tuple[Any, Any]:
    arguments = (x * 2, 1)
    return arguments[0], xp.add(*arguments)


@kept
def an_accumulation(x: Any) -> tuple[Any, Any]:
    steps = list(itertools.accumulate([x * 2, 1], operator.add))
    return steps[0], steps[1]


@kept
def a_partial(x: Any) -> tuple[Any, Any]:
    call = functools.partial(operator.add, x * 2)
    result = call(1)
    return call.args[0], result


@kept
def an_exception(x: Any) -> tuple[Any, Any]:
    try:
        raise ValueError(x * 2)
    except ValueError as error:
        return error.args[0], error.args[0] + 1


@kept
def another_thread(x: Any) -> tuple[Any, Any]:
    box: list[Any] = [x * 2]
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(box[0] + 1))
    thread.start()
    thread.join()
    return box[0], results[0]


@kept
def both_operands(x: Any) -> tuple[Any, Any]:
    seen = x * 2
    return seen, (seen + seen) - seen + 1


@pytest.mark.filterwarnings("ignore:Implicit conversion")
@pytest.mark.parametrize("case", KEPT)
def test_what_is_still_seen_is_not_written_over(case: str, x: Any) -> None:
    before = xp.to_numpy(x)
    for _ in range(3):  # an instruction's later executions are specialised
        seen, result = KEPT[case](x)
        same(seen, before * 2)
        same(result, before * 2 + 1)
        same(x, before)


def test_a_warning_as_an_error_leaves_the_operands(x: Any) -> None:
    before = xp.to_numpy(x)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        _ = 1.0 / (x * 0)
    same(x, before)


WARNING = """
import numpy as np
import xtensor as xp

x = xp.zeros(2**16, device="numpy")
result = (x + 1) / x
assert xp.all(xp.isinf(result)) and not xp.any(x)
"""


def test_a_warning_of_a_reused_operand_is_issued_at_the_users_line() -> None:
    done = subprocess.run([sys.executable, "-c", WARNING], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.startswith("<string>:6: RuntimeWarning: divide by zero encountered in divide")
    assert done.stderr.count("RuntimeWarning") == 1


@pytest.mark.parametrize(
    "name", ["add", "atan2", "copysign", "fmod", "hypot", "logaddexp", "maximum", "minimum", "remainder"]
)
def test_function_of_two_temporaries_writes_over_one_without_a_warning(name):
    x = xp.asarray(np.random.default_rng(0).uniform(0.5, 2.0, 100_000), device="numpy")
    result = getattr(xp, name)(x * 2.0, x + 1.0)
    values = xp.to_numpy(x)
    counterpart = getattr(np, {"atan2": "arctan2"}.get(name, name))
    np.testing.assert_array_equal(xp.to_numpy(result), counterpart(values * 2.0, values + 1.0))
