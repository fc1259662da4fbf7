"""``grad``, ``vjp``, ``jvp`` and what is built of them: results, structure, nesting, errors, memory."""

from __future__ import annotations

import collections
import dataclasses
import gc
import random
import threading
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xtensor as xp
from xtensor import autograd
from xtensor.autograd import NotDifferentiableError


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Model:
    weight: Any
    bias: Any


def numbers(x: Any) -> Any:
    return xp.to_numpy(x).tolist()


def test_gradient_of_a_dict_with_defaults_has_its_factory() -> None:
    def loss(weights: Any) -> Any:
        return xp.sum(weights["a"] ** 2) + weights["missing"]

    weights = collections.defaultdict(float, a=xp.asarray([1.0, 2.0]))
    gradient = autograd.grad(loss)(weights)
    assert type(gradient) is collections.defaultdict
    assert gradient.default_factory is float
    assert numbers(gradient["a"]) == [2.0, 4.0]
    assert list(weights) == ["a"]
    assert autograd.jvp(loss, (weights,), (weights,))[1] == 10.0


# -- results ----------------------------------------------------------------------------------------------------------


def test_grad_returns_the_gradient(device):
    x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float32)
    gradient = autograd.grad(lambda x: xp.sum(x**3))(x)
    assert gradient.device == device
    assert (gradient.dtype, numbers(gradient)) == (xp.float32, [3.0, 12.0, 27.0])


def test_value_and_grad_returns_both(device):
    value, gradient = autograd.value_and_grad(lambda x: xp.sum(x * x))(xp.asarray([1.0, 2.0], dtype=xp.float32))
    assert value.device == device
    assert (float(value), numbers(gradient)) == (5.0, [2.0, 4.0])


def test_argnums_names_arguments():
    def f(x, y, scale):
        return xp.sum(x * y) * scale

    x, y = xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0])
    assert numbers(autograd.grad(f, argnums=1)(x, y, 2)) == [2.0, 4.0]
    first, last = autograd.grad(f, argnums=(0, -1))(x, y, 2.0)
    assert (numbers(first), float(last)) == ([6.0, 8.0], 11.0)


def test_auxiliary_data_is_returned_beside_the_gradient():
    gradient, aux = autograd.grad(lambda x: (xp.sum(x**2), {"x": x + 1, "n": 3}), has_aux=True)(xp.asarray([1.0]))
    assert (numbers(gradient), numbers(aux["x"]), aux["n"]) == ([2.0], [2.0], 3)
    assert aux["x"].device == gradient.device
    (value, aux), gradient = autograd.value_and_grad(lambda x: (x * x, x), has_aux=True)(xp.asarray(3.0))
    assert (float(value), float(aux), float(gradient)) == (9.0, 3.0, 6.0)


@pytest.mark.parametrize("kind", [dict, list, tuple, Pair, Model])
def test_arguments_are_nested_containers(kind):
    values = xp.asarray([1.0, 2.0]), xp.asarray(3.0)
    tree = kind(a=values[0], b=values[1]) if kind is dict else kind(values) if kind in (list, tuple) else kind(*values)
    leaves = {dict: lambda t: (t["a"], t["b"]), Model: lambda t: (t.weight, t.bias)}.get(kind, tuple)
    gradient = autograd.grad(lambda t: xp.sum(leaves(t)[0]) * leaves(t)[1])(tree)
    assert type(gradient) is kind
    assert (numbers(leaves(gradient)[0]), float(leaves(gradient)[1])) == ([3.0, 3.0], 3.0)


def test_vjp_multiplies_by_the_jacobian_from_the_left():
    a = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    value, pull = autograd.vjp(lambda a, x: a @ x, a, xp.asarray([1.0, 1.0]))
    assert numbers(value) == [3.0, 7.0]
    for _ in range(2):  # it can be called again
        by_a, by_x = pull(xp.asarray([1.0, 10.0]))
        assert (numbers(by_a), numbers(by_x)) == ([[1.0, 1.0], [10.0, 10.0]], [31.0, 42.0])


def test_jvp_multiplies_by_the_jacobian_from_the_right():
    x, t = xp.asarray([1.0, 2.0]), xp.asarray([1.0, 0.0])
    value, tangent, aux = autograd.jvp(lambda x: ({"y": x * x}, "aux"), (x,), (t,), has_aux=True)
    assert (numbers(value["y"]), numbers(tangent["y"]), aux) == ([1.0, 4.0], [2.0, 0.0], "aux")


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobian_has_the_shapes_of_result_and_argument(mode):
    x = xp.reshape(xp.arange(6, dtype=xp.float64), (2, 3))
    matrix = autograd.jacobian(lambda x: x[:, :2] ** 2, mode=mode)(x)
    assert matrix.shape == (2, 2, 2, 3)
    expected = np.zeros((2, 2, 2, 3))
    for i in range(2):
        for j in range(2):
            expected[i, j, i, j] = 2 * (3 * i + j)
    np.testing.assert_array_equal(xp.to_numpy(matrix), expected)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobian_of_containers_is_nested(mode):
    def f(x, y):
        return {"sum": x + y[0], "product": x * y[0]}

    x, y = xp.asarray([1.0, 2.0]), [xp.asarray(3.0)]
    blocks = autograd.jacobian(f, argnums=(0, 1), mode=mode)(x, y)
    assert numbers(blocks["product"][0]) == [[3.0, 0.0], [0.0, 3.0]]
    assert numbers(blocks["product"][1][0]) == [1.0, 2.0]
    assert numbers(blocks["sum"][1][0]) == [1.0, 1.0]


def test_jacobian_with_respect_to_nothing_is_empty():
    for mode in ("reverse", "forward"):
        assert autograd.jacobian(lambda x: xp.sum(x), mode=mode)(xp.zeros((0,))).shape == (0,)
        assert autograd.jacobian(lambda x: x[:0], mode=mode)(xp.ones(3)).shape == (0, 3)


def test_hessian_and_its_product():
    x = xp.asarray([1.0, 2.0])
    f = lambda x: x[0] ** 2 * x[1]  # noqa: E731
    assert numbers(autograd.hessian(f)(x)) == [[4.0, 2.0], [2.0, 0.0]]
    assert numbers(autograd.hvp(f, (x,), (xp.asarray([1.0, 10.0]),))) == [24.0, 2.0]


# -- nesting ----------------------------------------------------------------------------------------------------------


def test_derivatives_nest_to_any_order():
    f = lambda x: x**5  # noqa: E731
    for order, expected in enumerate((32.0, 80.0, 160.0, 240.0, 240.0, 120.0, 0.0)):
        g = f
        for _ in range(order):
            g = autograd.grad(g)
        assert float(g(xp.asarray(2.0))) == expected


def test_inner_derivative_depends_on_outer_variables():
    def outer(x):
        return x * autograd.grad(lambda y: x * y * y)(x)

    # x * (2 x y at y = x) = 2 x**3, whose derivative is 6 x**2: each x is a variable of the outer function.
    assert float(autograd.grad(outer)(xp.asarray(3.0))) == 54.0
    # Siskind and Pearlmutter's example of confused perturbations: d/dx (x * d/dy (x + y)) = 1.
    inner = lambda x: x * autograd.jvp(lambda y: x + y, (xp.asarray(1.0),), (xp.asarray(1.0),))[1]  # noqa: E731
    assert float(autograd.jvp(inner, (xp.asarray(2.0),), (xp.asarray(1.0),))[1]) == 1.0


@pytest.mark.parametrize("outer", ["reverse", "forward"])
@pytest.mark.parametrize("inner", ["reverse", "forward"])
def test_modes_nest_in_any_order(outer, inner):
    def derivative(f, mode):
        if mode == "reverse":
            return autograd.grad(f)
        return lambda x: autograd.jvp(f, (x,), (xp.ones_like(x),))[1]

    f = lambda x: xp.sin(x) * x  # noqa: E731
    second = derivative(derivative(f, inner), outer)
    assert float(second(xp.asarray(0.7))) == pytest.approx(2 * np.cos(0.7) - 0.7 * np.sin(0.7))


def test_stop_gradient_makes_constants():
    gradient = autograd.grad(lambda x: xp.sum(x * autograd.stop_gradient({"x": x})["x"]))(xp.asarray([3.0]))
    assert numbers(gradient) == [3.0]
    assert autograd.grad(autograd.grad(lambda x: x * x * autograd.stop_gradient(x)))(xp.asarray(2.0)) == 4.0


def test_stop_gradient_in_a_batch_makes_constants():
    x = xp.asarray([3.0, 4.0])

    def f(x):
        return xp.sum(xp.vmap(lambda y: y * autograd.stop_gradient(y))(x))

    def nested(x):
        return xp.sum(xp.vmap(xp.vmap(lambda y: y * autograd.stop_gradient(y)))(xp.stack([x, x])))

    assert autograd.grad(f)(x).tolist() == [3.0, 4.0]
    assert autograd.grad(nested)(x).tolist() == [6.0, 8.0]
    assert float(autograd.jvp(f, (x,), (xp.ones(2),))[1]) == 7.0
    assert autograd.hessian(f)(x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert xp.vmap(autograd.grad(lambda y: y * autograd.stop_gradient(y)))(x).tolist() == [3.0, 4.0]
    assert xp.vmap(autograd.stop_gradient)(x).tolist() == [3.0, 4.0]


# -- what functions may do --------------------------------------------------------------------------------------------


def test_values_decide_the_control_flow():
    def f(x):
        y = x
        while float(xp.sum(y)) < 100.0:
            y = y * 2 if xp.all(y > 0) else -y
        return xp.sum(y)

    assert numbers(autograd.grad(f)(xp.asarray([1.0, 2.0]))) == [64.0, 64.0]


def test_assignments_are_by_value():
    def f(x):
        y = xp.zeros(3)
        y[0] = x[0] * 2
        y[1:] = x[1:]
        y *= x
        y[0] += 1.0
        return xp.sum(y)

    x = xp.asarray([1.0, 2.0, 3.0])
    assert numbers(autograd.grad(f)(x)) == [4.0, 4.0, 6.0]
    assert numbers(x) == [1.0, 2.0, 3.0]


def test_assignment_to_an_argument_leaves_the_users_array():
    def f(x):
        x[0] = 5.0
        x += 1.0
        return xp.sum(x * x)

    x = xp.asarray([1.0, 2.0])
    assert numbers(autograd.grad(f)(x)) == [0.0, 6.0]
    assert numbers(x) == [1.0, 2.0]
    assert numbers(autograd.jvp(f, (x,), (xp.ones(2),))[1]) == 6.0


def test_constants_join(device):
    constant = xp.asarray([1.0, 2.0], dtype=xp.float32)
    x = xp.asarray([3.0, 4.0], dtype=xp.float32)
    for beside in (constant, 2.0, xp.asarray(2.0, dtype=xp.float32)):
        assert autograd.grad(lambda x, c=beside: xp.sum(x * c + c))(x).device == device
    if device.host:
        array = np.asarray([5.0, 6.0], dtype=np.float32)
        assert numbers(autograd.grad(lambda x: xp.sum(array * x + np.multiply(x, array)))(x)) == [10.0, 12.0]


def test_numpy_functions_are_differentiated():
    def f(x):
        return np.sum(np.concatenate([np.sin(x), np.tile(np.mean(x), 2)]))

    x = xp.asarray([0.5, 1.5])
    np.testing.assert_allclose(xp.to_numpy(autograd.grad(f)(x)), np.cos([0.5, 1.5]) + 1.0)


def test_function_without_dependence_has_gradient_zero():
    x = xp.asarray([1.0, 2.0])
    assert numbers(autograd.grad(lambda x: xp.asarray(3.0))(x)) == [0.0, 0.0]
    assert numbers(autograd.grad(lambda x: xp.sum(xp.floor(x)))(x)) == [0.0, 0.0]
    assert numbers(autograd.jvp(lambda x: xp.ones(2), (x,), (x,))[1]) == [0.0, 0.0]


def test_arrays_print_and_tell_their_device():
    seen = []

    def f(x):
        seen.append((repr(x), str(x), f"{x[0]:.1f}", x.tolist(), x[0].item(), str(x.device)))
        return xp.sum(x)

    autograd.grad(f)(xp.asarray([1.0, 2.0]))
    assert seen == [("Array([1., 2.], device='grad(cpu)')", "[1. 2.]", "1.0", [1.0, 2.0], 1.0, "grad(cpu)")]


# -- errors -----------------------------------------------------------------------------------------------------------


def test_conversion_to_numpy_raises_and_names_the_line():
    for convert in (np.asarray, xp.to_numpy, np.from_dlpack, lambda x: x.to_device("numpy")):
        with pytest.raises(NotDifferentiableError, match=r"test_autograd.py:\d+ would lose its derivative"):
            autograd.grad(lambda x, c=convert: xp.sum(xp.asarray(c(x))))(xp.asarray([1.0]))
    # Constants convert.
    constant = autograd.grad(lambda x: xp.sum(x * xp.asarray(np.asarray(xp.zeros_like(x)))))
    assert numbers(constant(xp.asarray([1.0]))) == [0.0]


def test_function_that_returns_a_python_number_names_the_conversion():
    with pytest.raises(NotDifferentiableError, match=r"converted to a number at .*test_autograd.py:\d+"):
        autograd.grad(lambda x: float(xp.sum(x)))(xp.asarray([1.0]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: autograd.grad(lambda x: x)(x), TypeError, r"one number, not an Array of shape \(2,\)"),
        (lambda x: autograd.grad(lambda x: 1j * xp.sum(x))(x), TypeError, "not of dtype complex128; use vjp"),
        (lambda x: autograd.grad(lambda x: "a")(x), TypeError, "not 'a'"),
        (lambda x: autograd.grad(xp.sum)(xp.asarray([1])), TypeError, "floating-point Arrays, not dtype int"),
        (lambda x: autograd.grad(xp.sum)("a"), TypeError, "Arrays and floats, not 'a'"),
        (lambda x: autograd.grad(xp.sum, argnums=1)(x), ValueError, "argnums names argument 1"),
        (lambda x: autograd.grad(xp.sum, x), TypeError, r"argnums is an integer .*grad\(f\) returns a function"),
        (lambda x: autograd.jacobian(xp.sum, (0, "x")), TypeError, "jacobian.*argnums is an integer"),
        (lambda x: autograd.grad(x), TypeError, r"grad\(\) takes a function, not float\d+ array"),
        (lambda x: autograd.value_and_grad(3), TypeError, "takes a function, not 3"),
        (lambda x: autograd.jacobian(x), TypeError, r"jacobian\(\) takes a function, not"),
        (lambda x: autograd.vjp(x, x), TypeError, r"vjp\(\) takes a function, not"),
        (lambda x: autograd.jvp(x, (x,), (x,)), TypeError, r"jvp\(\) takes a function, not"),
        (lambda x: autograd.checkpoint(x), TypeError, r"checkpoint\(\) takes a function, not"),
        (lambda x: autograd.grad(lambda x: x, has_aux=True)(x), TypeError, "returns a pair"),
        (lambda x: autograd.jvp(xp.sum, (x,), ()), ValueError, "a tangent for each primal"),
        (lambda x: autograd.jvp(xp.sum, x, x), TypeError, "as tuples"),
        (lambda x: autograd.jvp(xp.sum, (x,), (xp.ones(3),)), ValueError, r"shape \(3,\), and the value shape \(2,\)"),
        (lambda x: autograd.vjp(xp.sum, x)[1](xp.ones(2)), ValueError, r"the cotangent has shape \(2,\)"),
        (lambda x: autograd.vjp(xp.sum, x)[1]([x]), TypeError, "has the structure"),
        (lambda x: autograd.jacobian(xp.sum, mode="both"), ValueError, "mode is 'reverse' or 'forward', not 'both'"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(xp.asarray([1.0, 2.0]))


def test_errors_of_the_function_are_those_of_a_plain_call():
    with pytest.raises(ValueError, match="operands could not be broadcast together"):
        autograd.grad(lambda x: xp.sum(x + xp.ones(3)))(xp.ones(2))
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        autograd.grad(lambda x: x[5])(xp.ones(2))


def test_warnings_of_the_function_are_those_of_a_plain_call():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        autograd.grad(lambda x: xp.sum(1 / x))(xp.zeros(2))


# -- proof by random programs -----------------------------------------------------------------------------------------

STEPS = (
    lambda r, x, y: x + y,
    lambda r, x, y: x * y,
    lambda r, x, y: x - 0.5 * y,
    lambda r, x, y: x / (2.0 + y * y),
    lambda r, x, y: xp.sin(x),
    lambda r, x, y: xp.tanh(x) * 1.5,
    lambda r, x, y: xp.exp(-x * x),
    lambda r, x, y: xp.where(x > 0.1234567, x, y),
    lambda r, x, y: xp.maximum(x, y * 0.7654321),
    lambda r, x, y: xp.flip(x, axis=r.randrange(2)),
    lambda r, x, y: xp.roll(x, r.randrange(3), axis=0),
    lambda r, x, y: xp.broadcast_to(xp.mean(x, axis=r.randrange(2), keepdims=True), x.shape),
    lambda r, x, y: x - xp.max(x, axis=0, keepdims=True),
    lambda r, x, y: x @ y,
    lambda r, x, y: xp.cumulative_sum(x, axis=r.randrange(2)) / 3,
    lambda r, x, y: xp.concat([x[1:, :], y[:1, :]], axis=0),
    lambda r, x, y: xp.take(x, xp.asarray([r.randrange(3) for _ in range(3)]), axis=1),
    lambda r, x, y: xp.sort(x, axis=0),
    lambda r, x, y: xp.linalg.solve(x + 5.0 * xp.eye(3), y),
    lambda r, x, y: xp.permute_dims(x, (1, 0)),
)


@given(st.integers(0, 10**9))
def test_random_programs_have_the_derivatives_of_finite_differences(seed):
    generator = random.Random(seed)
    chosen = [(generator.randrange(len(STEPS)), generator.random(), generator.randrange(10**6)) for _ in range(8)]

    def program(x, y):
        values = [x, y]
        for step, place, inner in chosen:
            values.append(STEPS[step](random.Random(inner), values[-1], values[int(place * len(values))]))
            if step == 8:
                values[-1] = values[-1] * 1.0
        return xp.sum(values[-1] * values[-2])

    rng = np.random.default_rng(seed)
    x, y = (xp.asarray(rng.standard_normal((3, 3))) for _ in range(2))
    autograd.check_gradients(program, x, y, order=1, step=1e-5, rtol=1e-4, atol=1e-4)


# -- length, memory, threads ------------------------------------------------------------------------------------------


def test_long_loops_do_not_recurse():
    def f(x):
        for _ in range(100_000):
            x = x * 1.00001
        return xp.sum(x)

    assert float(autograd.grad(f)(xp.asarray([1.0]))[0]) == pytest.approx(1.00001**100_000)
    _value, pull = autograd.vjp(f, xp.asarray([1.0]))
    del pull  # the record is dropped without a pass


def test_record_is_freed_with_its_last_array():
    gc.disable()
    try:
        nodes = []

        def f(x):
            y = xp.sin(x) * xp.exp(x)
            nodes.append(weakref.ref(y._native.node))
            return xp.sum(y) + xp.linalg.det(xp.reshape(y, (1, 1)))

        autograd.grad(f)(xp.asarray([1.0]))
        autograd.hvp(f, (xp.asarray([1.0]),), (xp.asarray([1.0]),))
        _, pull = autograd.vjp(f, xp.asarray([1.0]))
        assert nodes[-1]() is not None
        del pull, _
        assert [node() for node in nodes] == [None] * len(nodes)
    finally:
        gc.enable()


def test_values_that_no_derivative_uses_are_not_kept():
    alive = []

    class Native(np.ndarray):
        """An ndarray that can be referred to weakly."""

    def f(x):
        y = x + 1.0
        kept = y._native.value
        y._native.value = kept.view(Native)
        alive.append(weakref.ref(y._native.value))
        del kept
        z = xp.sum(y * 2.0)
        del y
        alive.append(alive[0]())
        return z

    autograd.grad(f)(xp.ones(3))
    assert alive[1] is None


def test_threads_have_transforms_of_their_own():
    results = {}

    def run(number):
        x = xp.asarray(float(number))
        results[number] = float(autograd.grad(autograd.grad(lambda x: x**3))(x))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: 6.0 * number for number in range(8)}
