"""Random programs whose constants, arguments, results and cotangents are overwritten while a record uses them.

A program computes with small integers as float64, so that values and derivatives are exact. Its derivatives are
compared with those of the same program on NumPy arrays of dual numbers of Python's integers, where nothing is recorded.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from assignment_cases import IMMUTABLE

import xtensor as xp
from xtensor import autograd

from .tiers import scale

LENGTH = 3


@dataclass(frozen=True)
class Dual:
    """A number ``a + b e`` with ``e * e = 0``, whose parts may be dual numbers."""

    a: Any
    b: Any

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # the array adds the number to each of its elements
        return Dual(self.a + a_of(other), self.b + b_of(other))

    def __sub__(self, other: Any) -> Dual:
        return self + -1 * other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Dual(self.a * a_of(other), self.a * b_of(other) + self.b * a_of(other))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Dual:
        return -1 * self + other

    def __gt__(self, other: Any) -> bool:
        return bool(self.a > a_of(other))


def a_of(x: Any) -> Any:
    return x.a if isinstance(x, Dual) else x


def b_of(x: Any) -> Any:
    return x.b if isinstance(x, Dual) else 0


def value_of(x: Any) -> int:
    """Return the number without its derivatives."""
    return value_of(x.a) if isinstance(x, Dual) else int(x)


# -- constants --------------------------------------------------------------------------------------------------------


@dataclass
class Constants:
    """The constants of one run of a program, which are overwritten after their use.

    Attributes
    ----------
    of_arrays
        Whether the program computes with Arrays. Otherwise it computes with NumPy arrays of objects.
    used
        All constants so far.
    choice
        Of the kinds of constants, and of the ways in which they are overwritten.
    """

    source: random.Random
    of_arrays: bool
    used: list[Any] = field(default_factory=list)
    choice: random.Random = field(default_factory=lambda: random.Random(0))

    def numbers(self, *shape: int) -> Any:
        return self._entered(np.asarray([self.source.randint(-2, 3) for _ in range(int(np.prod(shape)))], float), shape)

    def mask(self) -> Any:
        return self._entered(np.asarray([self.source.random() < 0.5 for _ in range(LENGTH)]), (LENGTH,))

    def indices(self, *, unique: bool = False) -> Any:
        draw = self.source.sample(range(LENGTH), LENGTH) if unique else self.source.choices(range(LENGTH), k=LENGTH)
        return self._entered(np.asarray(draw), (LENGTH,))

    def _entered(self, values: np.ndarray, shape: tuple[int, ...]) -> Any:
        values = values.reshape(shape)
        if not self.of_arrays:
            return values.astype(int) if values.dtype.kind == "f" else values
        # Without a copy an array of the host shares memory with NumPy's.
        # NumPy's arrays are no operands elsewhere.
        is_host = xp.default_device().host and self.choice.random() < 0.3
        constant = values if is_host else xp.asarray(values, copy=self.choice.random() < 0.5 or None)
        self.used.append(constant)
        return constant

    def overwrite(self) -> None:
        """Write to all constants so far, in one of several ways."""
        for constant in self.used:
            overwrite(constant, self.choice.randrange(4))


def overwrite(x: Any, way: int = 0) -> None:
    """Write to an Array, or to a NumPy array, so that no element keeps its value."""
    if x.dtype.kind == "b":
        x[...] = ~x
    elif x.dtype.kind != "f":
        x[...] = (x + 1) % LENGTH
    elif way == 1:
        x *= 0
        x -= 9
    elif way == 2 and x.ndim:
        x[0, ...] = 31.0
        x[1:, ...] = 17.0
    elif way == 3 and not isinstance(x, np.ndarray) and x.device.host and np.asarray(x).flags.writeable:
        np.asarray(x)[...] = 23.0
    else:
        x[...] = 29.0


# -- programs ---------------------------------------------------------------------------------------------------------

Step = Callable[[Any, Constants, Any, Any], Any]


def assigned(m: Any, c: Constants, x: Any, y: Any) -> Any:
    z = x * 1
    z[c.indices(unique=True)[:2]] = y[:2] * c.numbers(2)
    return z


def assigned_constant(m: Any, c: Constants, x: Any, y: Any) -> Any:
    z = x * c.numbers(LENGTH)
    z[1:] = c.numbers(2)
    return z


def added_in_place(m: Any, c: Constants, x: Any, y: Any) -> Any:
    z = x * 1
    z += y
    z *= c.numbers(LENGTH)
    return z


def times_itself_as_constant(m: Any, c: Constants, x: Any, y: Any) -> Any:
    if m is np:
        return x * np.asarray([value_of(item) for item in x], dtype=object)
    constant = autograd.stop_gradient(x)
    result = x * constant
    if constant.device.base is None and x is not constant:
        overwrite(constant)
    return result


STEPS: dict[str, Step] = {
    "add": lambda m, c, x, y: x + c.numbers(LENGTH),
    "multiply": lambda m, c, x, y: x * c.numbers(LENGTH),
    "multiply reflected": lambda m, c, x, y: c.numbers(LENGTH) * x,
    "multiply number": lambda m, c, x, y: x * c.numbers(1)[0],
    "product": lambda m, c, x, y: x * y,
    "square": lambda m, c, x, y: x * x,
    "difference": lambda m, c, x, y: c.numbers(LENGTH) - x,
    "matmul": lambda m, c, x, y: c.numbers(LENGTH, LENGTH) @ x,
    "matmul reflected": lambda m, c, x, y: x @ c.numbers(LENGTH, LENGTH),
    "where": lambda m, c, x, y: m.where(c.mask(), x, y),
    "where constant": lambda m, c, x, y: m.where(c.mask(), x * 2, c.numbers(LENGTH)),
    "take": lambda m, c, x, y: m.take(x, c.indices(), axis=0),
    "concat": lambda m, c, x, y: m.concat([x[1:], y[:1]], axis=0),
    "flip": lambda m, c, x, y: m.flip(x) * c.numbers(LENGTH),
    "outer": lambda m, c, x, y: m.sum(x[:, None] * c.numbers(LENGTH)[None, :], axis=0),
    "sum": lambda m, c, x, y: m.sum(x * c.numbers(LENGTH)) + y,
    "stack": lambda m, c, x, y: m.sum(m.stack([x, c.numbers(LENGTH), y], axis=0), axis=0),
    "assigned constant": assigned_constant,
    "in place": added_in_place,
    "stopped": times_itself_as_constant,
}

BEYOND_STRICT: dict[str, Step] = {"indices": lambda m, c, x, y: x[c.indices()], "assigned": assigned}
"""Steps that the standard does not have."""


@dataclass(frozen=True)
class Program:
    """A function of two vectors.

    Attributes
    ----------
    seen
        The constants of its last run on Arrays.
    passed
        The caller's arguments and tangents, to which it writes before one of its steps.
    """

    seed: int
    steps: tuple[str, ...]
    seen: list[Any] = field(default_factory=list)
    passed: list[Any] = field(default_factory=list)

    def __call__(self, x: Any, y: Any) -> Any:
        source = random.Random(self.seed)
        of_arrays = isinstance(x, xp.Array)
        constants = Constants(random.Random(self.seed), of_arrays)
        m = xp if of_arrays else np
        values = [x, y]
        written = random.Random(self.seed).randrange(len(self.steps) + 1)
        for number, name in enumerate(self.steps):
            if of_arrays and number == written:
                for item in self.passed:
                    overwrite(item)
            step = STEPS.get(name) or BEYOND_STRICT[name]
            values.append(step(m, constants, values[-1], source.choice(values)))
            if of_arrays and source.random() < 0.7:
                constants.overwrite()
            elif not of_arrays:
                source.random()
        if of_arrays:
            self.seen[:] = constants.used
        return values[-1] * 2 + values[-2]

    def exact(self, x: list[Any], y: list[Any]) -> list[Any]:
        return list(self(np.asarray([*x, None], dtype=object)[:-1], np.asarray([*y, None], dtype=object)[:-1]))


def drawn(seed: int, *, is_strict: bool) -> Program:
    source = random.Random(seed)
    names = [*STEPS, *(() if is_strict else BEYOND_STRICT)]
    return Program(seed, tuple(source.choices(names, k=source.randint(2, 5))))


def integers(source: random.Random) -> list[int]:
    return [source.randint(-3, 3) for _ in range(LENGTH)]


def array(values: list[int]) -> xp.Array:
    return xp.asarray(np.asarray(values, float))


def list_of(x: Any) -> list[float]:
    return xp.to_numpy(x).tolist()


def units() -> Any:
    for place in range(2 * LENGTH):
        unit = [int(place == i) for i in range(2 * LENGTH)]
        yield unit[:LENGTH], unit[LENGTH:]


def duals(values: list[Any], tangents: list[Any]) -> list[Dual]:
    return [Dual(a, b) for a, b in zip(values, tangents, strict=True)]


def check_memory(results: list[xp.Array], others: list[Any]) -> None:
    """Assert that results can be written to, and share memory with nothing."""
    if not results[0].device.host:
        return
    arrays = [np.asarray(x) for x in results]
    if results[0].device.backend in IMMUTABLE:  # no memory is written to
        return
    assert all(x.flags.writeable for x in arrays)
    for x, y in itertools.combinations(arrays, 2):
        assert not np.shares_memory(x, y)
    for x, y in itertools.product(arrays, others):
        assert not np.shares_memory(x, np.asarray(y))


def check_vjp(program: Program, x: list[int], y: list[int], g: list[int]) -> None:
    program.passed[:] = arguments = [array(x), array(y)]
    value, pull = autograd.vjp(program, *arguments)
    assert list_of(value) == [value_of(item) for item in program.exact(x, y)]
    expected = [
        sum(weight * b_of(item) for weight, item in zip(g, program.exact(duals(x, u), duals(y, v)), strict=True))
        for u, v in units()
    ]
    for x_or_constant in (*arguments, value, *program.seen):
        overwrite(x_or_constant)
    for _ in range(2):
        cotangent = array(g)
        gradients = list(pull(cotangent))
        overwrite(cotangent)
        assert [number for part in gradients for number in list_of(part)] == expected
        check_memory(gradients, [*arguments, value, cotangent, *program.seen])
        for part in gradients:
            overwrite(part)


def check_jvp(program: Program, x: list[int], y: list[int], g: list[int]) -> None:
    arguments, tangents = [array(x), array(y)], [array(g), array(g[::-1])]
    program.passed[:] = arguments + tangents
    value, tangent = autograd.jvp(program, arguments, tangents)
    for written in (*arguments, *tangents, *program.seen):
        overwrite(written)
    exact = program.exact(duals(x, g), duals(y, g[::-1]))
    assert list_of(value) == [value_of(item) for item in exact]
    assert list_of(tangent) == [b_of(item) for item in exact]
    check_memory([value, tangent], [*arguments, *tangents, *program.seen])


def check_second(program: Program, x: list[int], y: list[int], g: list[int]) -> None:
    """Compare the derivatives, in the direction ``g``, of the gradient of the sum, in all orders of the modes."""
    expected = []
    for u, v in units():
        inner = program.exact(duals(duals(x, u), duals(g, [0] * LENGTH)), duals(duals(y, v), duals(g, [0] * LENGTH)))
        expected.append(sum(b_of(b_of(item)) for item in inner))
    arguments: list[Any] = []

    def total(x: Any, y: Any) -> Any:
        return xp.sum(program(x, y))

    def along(x: Any, y: Any) -> Any:
        return autograd.jvp(total, (x, y), (array(g), array(g)))[1]

    def product(x: Any, y: Any) -> Any:
        by_x, by_y = autograd.grad(total, (0, 1))(x, y)
        return xp.sum((by_x + by_y) * array(g))

    ways = {
        "forward over reverse": lambda: autograd.hvp(total, arguments, (array(g), array(g))),
        "reverse over forward": lambda: autograd.grad(along, (0, 1))(*arguments),
        "reverse over reverse": lambda: autograd.grad(product, (0, 1))(*arguments),
    }
    for way, compute in ways.items():
        program.passed[:] = arguments[:] = [array(x), array(y)]
        found = [number for part in compute() for number in list_of(part)]
        assert found == expected, way


def check_backward(program: Program, x: list[int], y: list[int], g: list[int]) -> None:
    program.passed[:] = arguments = [array(x), array(y)]
    variables = [autograd.variable(item) for item in arguments]
    result = program(*variables)
    for written in (*arguments, *program.seen):
        overwrite(written)
    cotangent = array(g)
    autograd.backward(result, cotangent)
    overwrite(cotangent)
    expected = [
        sum(weight * b_of(item) for weight, item in zip(g, program.exact(duals(x, u), duals(y, v)), strict=True))
        for u, v in units()
    ]
    gradients = [variable.grad for variable in variables if variable.grad is not None]
    found = [
        number
        for variable in variables
        for number in ([0] * LENGTH if variable.grad is None else list_of(variable.grad))
    ]
    assert found == expected
    if gradients:
        check_memory(gradients, [*arguments, cotangent, *program.seen])


CHECKS = {"vjp": check_vjp, "jvp": check_jvp, "second": check_second, "backward": check_backward}


@pytest.mark.parametrize("check", CHECKS)
def test_a_later_write_changes_no_derivative(check, device):
    if not device.supports(np.dtype(np.float64)):
        pytest.skip("exact integers need float64")
    for seed in range(scale(25, 2000)):
        source = random.Random(seed)
        program = drawn(seed, is_strict=device == "strict")
        x, y, g = (integers(source) for _ in range(3))
        try:
            CHECKS[check](program, x, y, g)
        except Exception as error:
            error.add_note(f"program {seed}: {program.steps} at {x}, {y}, {g}")
            raise
