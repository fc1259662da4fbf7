"""Fused functions and values from outside: what a function reads is an input or a guard, and a change of it raises."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import random
import secrets
import sys
import threading
import time
import types
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import UnknownValueError, autograd, fuse

if xp.device("cpu")._provider.generator("cpu") is None:
    pytest.skip("needs a generator of kernels, the extra xtensor[llvm]", allow_module_level=True)

FACTOR = 2.0
WEIGHTS = xp.asarray([1.0, 2.0, 3.0], device="cpu")
NUMBERS = np.asarray([1.0, 2.0, 3.0])
SETTINGS: dict[str, Any] = {"rate": 2.0, "nested": [1.0]}
module = types.ModuleType("settings")
GENERATOR = np.random.default_rng(0)


def helper(x: Any) -> Any:
    return x * FACTOR


@pytest.fixture
def x() -> Any:
    return xp.asarray([1.0, 10.0, 100.0], device="cpu")


def values(x: Any) -> list[float]:
    return xp.to_numpy(x).tolist()  # type: ignore[no-any-return]


def recordings(fused: Any) -> int:
    return sum(map(len, fused._plans.values()))


class Model:
    scale = 3.0

    def __init__(self) -> None:
        self.offset = 1.0
        self.weights = xp.asarray([1.0, 1.0, 1.0], device="cpu")
        self.items = [1.0]
        self.calls = 0

    def apply(self, x: Any) -> Any:
        return x * self.scale + self.offset * self.weights + self.items[0]

    @fuse
    def fused(self, x: Any) -> Any:
        return self.apply(x)

    @fuse
    def counted(self, x: Any) -> Any:
        self.calls += 1
        return x + 1

    @fuse
    def kept(self, x: Any) -> Any:
        self.last = x + 1
        return x


class Slots:
    __slots__ = ("factor",)

    def __init__(self) -> None:
        self.factor = 2.0


@dataclass
class Config:
    rate: float


class Unit(Enum):
    METRE = 2.0
    YARD = 3.0

    def __init__(self, size: float) -> None:
        self.offset, self.factors = 1.0, [size]


SLOTS, CONFIG = Slots(), Config(2.0)


def set_global(name: str, value: Any) -> Any:
    return lambda: globals().__setitem__(name, value)


CHANGES: dict[str, tuple[Any, Any]] = {
    "a global number": (lambda x: x * FACTOR, set_global("FACTOR", 5.0)),
    "the sign of a global number": (
        lambda x: FACTOR * 0.0 + x * 0.0 + 1 / xp.asarray(FACTOR, device=x.device),
        set_global("FACTOR", -2.0),
    ),
    "a global number of a function that is called": (helper, set_global("FACTOR", 7.0)),
    "a global function": (lambda x: helper(x), set_global("helper", lambda x: x - 1)),
    "a rebound global array": (lambda x: x + WEIGHTS, set_global("WEIGHTS", xp.asarray([5.0, 6.0, 7.0], device="cpu"))),
    "a write to a global array": (lambda x: x + WEIGHTS, lambda: WEIGHTS.__setitem__(0, 9.0)),
    "a write to a global array, of which the function computes outside the recording": (
        lambda x: x + WEIGHTS * 2,
        lambda: WEIGHTS.__setitem__(0, 9.0),
    ),
    "a write to a global array that the function converts": (
        lambda x: x * float(WEIGHTS[0]),
        lambda: WEIGHTS.__setitem__(0, 9.0),
    ),
    "a write to a view of a global array": (lambda x: x[1:] + WEIGHTS[1:], lambda: WEIGHTS.__setitem__(1, 9.0)),
    "a write to a NumPy array": (lambda x: x + NUMBERS, lambda: NUMBERS.__setitem__(0, 9.0)),
    "an item of a dict": (lambda x: x * SETTINGS["rate"], lambda: SETTINGS.update(rate=4.0)),
    "an item of a nested list": (lambda x: x * SETTINGS["nested"][0], lambda: SETTINGS["nested"].__setitem__(0, 3.0)),
    "a name of a module": (lambda x: x * module.rate, lambda: setattr(module, "rate", 4.0)),
    "a slot": (lambda x: x * SLOTS.factor, lambda: setattr(SLOTS, "factor", 4.0)),
    "a field of a dataclass": (lambda x: x * CONFIG.rate, lambda: setattr(CONFIG, "rate", 4.0)),
    "an attribute of a member of an enumeration": (
        lambda x: x * Unit.METRE.value + Unit.METRE.offset,
        lambda: setattr(Unit.METRE, "offset", 4.0),
    ),
    "an attribute of a member that a member gives": (
        lambda x: x + Unit.METRE.YARD.factors[0],
        lambda: Unit.YARD.factors.__setitem__(0, 4.0),
    ),
    "an attribute that getattr reads": (
        lambda x: x * getattr(SLOTS, "fac" + "tor"),
        lambda: setattr(SLOTS, "factor", 5.0),
    ),
}


@pytest.fixture(autouse=True)
def restored() -> Any:
    before = {name: globals()[name] for name in ("FACTOR", "WEIGHTS", "NUMBERS", "helper")}
    contents = xp.to_numpy(WEIGHTS), NUMBERS.copy()
    module.rate = SLOTS.factor = CONFIG.rate = 2.0  # type: ignore[attr-defined]
    SETTINGS.update(rate=2.0, nested=[1.0])
    Unit.METRE.offset, Unit.YARD.factors = 1.0, [3.0]
    yield
    globals().update(before)
    WEIGHTS[...] = contents[0]
    NUMBERS[...] = contents[1]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_outside_is_seen_by_the_next_call(name: str, x: Any) -> None:
    function, change = CHANGES[name]
    fused = fuse(function)
    for _ in range(2):
        assert values(fused(x)) == values(function(x))
    change()
    for _ in range(2):
        assert values(fused(x)) == values(function(x))


def test_a_write_to_a_global_array_needs_no_other_recording(x: Any) -> None:
    fused = fuse(lambda x: x + WEIGHTS)
    fused(x)
    WEIGHTS[1] = 50.0
    assert values(fused(x)) == [2.0, 60.0, 103.0]
    assert recordings(fused) == 1


def test_equal_values_need_no_other_recording(x: Any) -> None:
    fused = fuse(lambda x: x * FACTOR)
    fused(x)
    globals()["FACTOR"] = float("2.0")
    fused(x)
    assert recordings(fused) == 1


def test_recordings_of_changing_values_are_bounded(x: Any) -> None:
    fused = fuse(lambda x: x * FACTOR)
    for number in range(20):
        globals()["FACTOR"] = float(number)
        assert values(fused(x)) == values(x * float(number))
    assert recordings(fused) <= 8


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "offset", 5.0),
        lambda model: setattr(model, "scale", 5.0),
        lambda model: setattr(model, "weights", model.weights * 4),
        lambda model: model.weights.__setitem__(0, 9.0),
        lambda model: model.items.__setitem__(0, 9.0),
        lambda model: setattr(model, "apply", lambda x: x - 1),
    ],
)
def test_attributes_of_self_are_read_anew(change: Any, x: Any) -> None:
    model, other = Model(), Model()
    for _ in range(2):
        assert values(model.fused(x)) == values(model.apply(x))
    change(model)
    for _ in range(2):
        assert values(model.fused(x)) == values(model.apply(x))
    assert values(other.fused(x)) == values(other.apply(x))


def test_a_closure_is_read_anew(x: Any) -> None:
    factor = 2.0

    def scaled(x: Any) -> Any:
        return x * factor

    fused = fuse(scaled)
    fused(x)
    factor = 3.0
    assert values(fused(x)) == [3.0, 30.0, 300.0]


def test_a_mutable_default_is_read_anew(x: Any) -> None:
    default = [2.0]

    def scaled(x: Any, factors: Any = default) -> Any:
        return x * factors[0]

    fused = fuse(scaled)
    fused(x)
    default[0] = 3.0
    assert values(fused(x)) == [3.0, 30.0, 300.0]


def test_partial_functions_and_callable_objects(x: Any) -> None:
    class Scaled:
        factor = 2.0

        def __call__(self, x: Any) -> Any:
            return x * self.factor

    scaled = Scaled()
    fused = fuse(scaled)
    assert values(fused(x)) == [2.0, 20.0, 200.0]
    scaled.factor = 3.0
    assert values(fused(x)) == [3.0, 30.0, 300.0]
    part = fuse(functools.partial(lambda x, factor: x if factor == 1.0 else x * factor, factor=4.0))
    assert values(part(x)) == [4.0, 40.0, 400.0]
    assert values(fuse(scaled.__call__)(x)) == [3.0, 30.0, 300.0]


def test_arrays_from_outside_meet_arguments_on_their_device(x: Any) -> None:
    matrix = xp.asarray(np.eye(3) * 2, device="cpu")
    functions = (
        lambda x: x @ matrix,
        lambda x: x + xp.ones(3, device="cpu"),
        lambda x: xp.nn.functional.cross_entropy(x, xp.asarray(2, device="cpu")),
        lambda x: x.device == "cpu",
    )
    for function in functions:
        result, expected = fuse(function)(x), function(x)
        np.testing.assert_allclose(np.asarray(result), np.asarray(expected))


def test_derivatives_with_arrays_from_outside(x: Any) -> None:
    labels = xp.asarray([0, 1], device="cpu")

    def loss(w: Any) -> Any:
        return xp.nn.functional.cross_entropy(w, labels)

    w = xp.reshape(xp.linspace(-1.0, 1.0, 6, device="cpu"), (2, 3))
    found, expected = fuse(xp.autograd.value_and_grad(loss))(w), xp.autograd.value_and_grad(loss)(w)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=1e-12)


class Scaled(autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * FACTOR


def with_hook(x: Any) -> Any:
    y = x * 2.0
    autograd.register_hook(y, lambda g: g * FACTOR)
    return xp.sum(y)


@pytest.mark.parametrize(
    ("loss", "derivative"),
    [(lambda x: xp.sum(Scaled.apply(x)), 1), (with_hook, 2), (lambda x: xp.sum(autograd.checkpoint(helper)(x)), 1)],
    ids=["function", "hook", "checkpoint"],
)
def test_functions_of_the_user_in_the_pass_back_are_read_anew(
    loss: Any, derivative: float, x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused = fuse(autograd.grad(loss))
    for factor in (2.0, 5.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        assert values(fused(x)) == [derivative * factor] * 3


def test_a_pass_back_that_cannot_be_repeated_raises(x: Any) -> None:
    def loss(x: Any) -> Any:
        y = x * 2.0
        autograd.register_hook(y, lambda g: g * time.time())
        return xp.sum(y)

    with pytest.raises(TypeError, match="time"):
        fuse(autograd.grad(loss))(x)


def test_draws_advance_the_generator_as_unfused(x: Any) -> None:
    def noisy(x: Any, rng: Any) -> Any:
        first = rng.normal(size=3)
        rng.uniform(size=5)
        return x + first * rng.normal(x[0], 2.0)

    one, other = (xp.random.default_rng(5, device="cpu") for _ in range(2))
    fused = fuse(noisy)
    for _ in range(3):
        np.testing.assert_allclose(np.asarray(fused(x, one)), np.asarray(noisy(x, other)), rtol=1e-12)
    assert one.bit_generator.state == other.bit_generator.state
    assert recordings(fused) == 1


def test_a_seeded_generator_inside_gives_the_same_numbers(x: Any) -> None:
    def noisy(x: Any) -> Any:
        return x + xp.random.default_rng(1, device="cpu").normal(size=3)

    fused = fuse(noisy)
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(fused(x)), np.asarray(noisy(x)))


# -- what raises -----------------------------------------------------------------------------------------------------


def rebinds(x: Any) -> Any:
    global FACTOR
    FACTOR += 1.0
    return x


def writes_in_place(x: Any) -> Any:
    global WEIGHTS
    WEIGHTS += x
    return x


REFUSED: dict[str, tuple[Any, str]] = {
    "a write to a global array": (lambda x: WEIGHTS.__setitem__(0, 7.0) or x, "write to arrays from outside"),
    "a recorded write to a global array": (writes_in_place, "write to arrays from outside"),
    "a write to a NumPy array": (lambda x: NUMBERS.__setitem__(0, 7.0) or x, "write to arrays from outside"),
    "a write of the values that a global array has": (
        lambda x: WEIGHTS.__setitem__(0, 1.0) or x,
        "outside at .*outside",
    ),
    "a rebound name": (rebinds, "cannot change the global 'FACTOR'"),
    "an item": (lambda x: SETTINGS.update(rate=9.0) or x, "cannot change the global 'SETTINGS'"),
    "Python's generator": (lambda x: x * random.random(), r"cannot draw from generators"),
    "NumPy's global generator": (lambda x: x + xp.asarray(np.random.rand(3)), "cannot draw from generators"),
    "a generator of NumPy": (lambda x: x + xp.asarray(GENERATOR.normal(size=3)), "cannot draw from generators"),
    "a generator without a seed": (lambda x: x + xp.random.default_rng().normal(size=3), "without a seed"),
    "the time": (lambda x: x + time.perf_counter(), r"perf_counter\(\) at .*test_fuse_outside"),
    "a clock in nanoseconds": (lambda x: x + time.monotonic_ns(), r"monotonic_ns\(\) at .*test_fuse_outside"),
    "a variable of the environment": (lambda x: x + len(os.environ["PATH"]), r"os.environ at .*test_fuse_outside"),
    "a variable that is not set": (lambda x: x + float(os.getenv("XTENSOR_NONE", "1")), r"os.environ at .*test_fuse"),
    "the size of a file": (lambda x: x + os.stat(__file__).st_size, r"stat\(\) at .*test_fuse_outside"),
    "a class method that reads the time": (lambda x: x + datetime.now(UTC).microsecond, r"now\(\) at .*test_fuse_out"),
    "the date": (lambda x: x + datetime.today().day, r"today\(\) at .*test_fuse_outside"),
    "a unique name": (lambda x: x + float(uuid.uuid4().int % 9), r"uuid.uuid4\(\) at .*test_fuse_outside"),
    "a secret number": (lambda x: x + float(secrets.randbelow(9)), r"secrets at .*test_fuse_outside"),
    "the text of a file": (lambda x: x + len(Path(__file__).read_text()), r"Path.open\(\) at .*test_fuse_outside"),
    "whether a file is there": (
        lambda x: x + float(Path(__file__).exists()),
        r"(exists|stat)\(\) at .*test_fuse",
    ),
    "an iterator": (lambda x: x + next(ITERATOR), "iterator"),
}
ITERATOR = iter([1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", REFUSED)
def test_effects_that_a_replay_cannot_repeat_raise_at_the_first_call(name: str, x: Any) -> None:
    function, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        fuse(function)(x)
    assert WEIGHTS.device is x.device


def draw_all_the_time(end: threading.Event) -> None:
    while not end.is_set():
        np.random.permutation(3)
        random.random()


def test_draws_of_another_thread_are_not_those_of_the_function(x: Any) -> None:
    """As those of a thread that prepares the next batch."""
    from random import random as number

    from numpy.random import rand

    drawing = {
        **{name: function for name, (function, message) in REFUSED.items() if "draw from" in message},
        "an imported function of Python": lambda x: x * number(),
        "an imported function of NumPy": lambda x: x + xp.asarray(rand(3)),
        "a name in a text": lambda x: x * getattr(sys.modules["ran" + "dom"], "ran" + "dom")(),
    }
    end = threading.Event()
    thread = threading.Thread(target=draw_all_the_time, args=(end,))
    thread.start()
    try:
        for step in range(20):
            result = fuse(lambda x, step=step: helper(x) + step)(x)
            np.testing.assert_array_equal(np.asarray(result), np.asarray(x) * FACTOR + step)
        for function in drawing.values():
            with pytest.raises(TypeError, match="cannot draw from generators"):
                fuse(function)(x)
    finally:
        end.set()
        thread.join()


@pytest.mark.parametrize("method", ["counted", "kept"])
def test_a_change_of_self_raises_with_the_attribute(method: str, x: Any) -> None:
    with pytest.raises(TypeError, match=rf"{method}\(\): .* cannot change Model\.(calls|last)"):
        getattr(Model(), method)(x)


def test_values_of_large_arrays_from_outside_raise_with_the_line(x: Any) -> None:
    large = xp.zeros(200_000, device="cpu")
    with pytest.raises(UnknownValueError, match=r"values of arrays from outside at .*test_fuse_outside.*as arguments"):
        fuse(lambda x: x * float(large[0]))(x)


def test_a_module_that_the_function_imports_sets_names_of_its_own(x, tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text("NAMES = []\nNAMES += ['a']\nNAMES = NAMES + ['b']\nSCALE = 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)

    @fuse
    def scaled(x: Any) -> Any:
        import imported_late

        return x * imported_late.SCALE * len(imported_late.NAMES)

    assert values(scaled(x)) == values(scaled(x)) == [4.0, 40.0, 400.0]


COLLECTIONS = 0


def count_collection(phase: str, info: Any) -> None:
    global COLLECTIONS
    COLLECTIONS += 1


def test_garbage_collected_meanwhile_changes_nothing_of_the_function(x):
    thresholds = gc.get_threshold()
    gc.callbacks.append(count_collection)
    gc.set_threshold(1)
    try:
        result = fuse(lambda x: xp.exp(x) * FACTOR + xp.sum(x))(x)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(count_collection)
    assert COLLECTIONS
    np.testing.assert_allclose(np.asarray(result), np.exp(np.asarray(x)) * 2 + 111)


LIBRARY = {"__name__": "other_library"}
exec("parsed = {}\ndef parse(text):\n    parsed[len(parsed)] = text\n    return len(text)", LIBRARY)
BACKEND = {"__name__": "xtensor_backends.other", "parse": LIBRARY["parse"]}
exec("def compute(x):\n    parse('int')\n    return x", BACKEND)
compute, parse = BACKEND["compute"], LIBRARY["parse"]


def test_libraries_that_a_backend_calls_may_change_their_state(x: Any) -> None:
    # As cffi, which wgpu calls: it keeps the types that it parsed.
    function = fuse(lambda x: compute(x) * 2.0)
    assert values(function(x)) == [2.0, 20.0, 200.0]
    assert LIBRARY["parsed"]
    # What the backend has called before is watched where the function itself calls it.
    with pytest.raises(TypeError, match=r"cannot change the global 'parsed'"):
        fuse(lambda x: compute(x) * parse("int"))(x)


SOUGHT = 0


class Finder:
    """Finder of modules that counts what it is asked for."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        global SOUGHT
        SOUGHT += 1


def test_finder_of_modules_may_change_its_state(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])

    def tries(x: Any) -> Any:
        with contextlib.suppress(ModuleNotFoundError):
            import this_module_does_not_exist

            return x * this_module_does_not_exist.factor
        return x * 2.0

    before = SOUGHT
    assert values(fuse(tries)(x)) == [2.0, 20.0, 200.0]
    assert before < SOUGHT
