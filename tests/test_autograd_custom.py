"""Functions with derivatives of their own, checkpoints, and solvers."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn


class Scaled(autograd.Function):
    """``x * y`` with ten times its derivative, so that it is seen whose derivative was used."""

    @staticmethod
    def forward(ctx, x, y, note):
        ctx.save_for_backward(x, y)
        ctx.note = note
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        assert ctx.note == "note"
        return 10 * g * y, 10 * g * x, None


class Halves(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1] * 2, x[1:] * 3

    @staticmethod
    def backward(ctx, first, second):
        zeros = xp.zeros(1)
        return xp.concat([zeros if part is None else part for part in (first, second)])


def test_function_uses_the_derivative_that_is_given():
    x, y = xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0])
    f = lambda x, y: xp.sum(Scaled.apply(x, y, "note"))  # noqa: E731
    assert float(f(x, y)) == 11.0
    first, second = autograd.grad(f, argnums=(0, 1))(x, y)
    assert (first.tolist(), second.tolist()) == ([30.0, 40.0], [10.0, 20.0])
    assert float(autograd.jvp(f, (x, y), (xp.ones(2), xp.zeros(2)))[1]) == 70.0
    assert (
        float(autograd.grad(lambda x: autograd.grad(lambda x: Scaled.apply(x, x, "note"))(x))(xp.asarray(3.0))) == 20.0
    )


def test_function_of_several_results():
    x = xp.asarray([1.0, 2.0])
    assert autograd.grad(lambda x: xp.sum(Halves.apply(x)[1]))(x).tolist() == [0.0, 1.0]
    assert autograd.grad(lambda x: xp.sum(xp.concat(list(Halves.apply(x)))))(x).tolist() == [1.0, 1.0]


X, Y = xp.asarray([[1.0, 2.0], [3.0, 5.0]]), xp.asarray([3.0, 4.0])


def of_batch(x, y):
    return xp.sum(xp.vmap(lambda x, y: Scaled.apply(x, y, "note"), in_axes=(0, None))(x, y))


def test_function_of_an_example_uses_the_derivative_that_is_given():
    by_x, by_y = autograd.grad(of_batch, argnums=(0, 1))(X, Y)
    assert (by_x.tolist(), by_y.tolist()) == ([[30.0, 40.0]] * 2, [40.0, 70.0])
    assert float(autograd.jvp(of_batch, (X, Y), (xp.ones((2, 2)), xp.asarray([1.0, 0.0])))[1]) == 180.0
    assert autograd.jacobian(of_batch, mode="forward")(X, Y).tolist() == [[30.0, 40.0]] * 2
    assert autograd.grad(lambda y: of_batch(X, y))(Y).tolist() == [40.0, 70.0]
    shared = lambda y: xp.sum(xp.vmap(lambda x: x * Scaled.apply(y, y, "note"))(X))  # noqa: E731
    assert autograd.grad(shared)(Y).tolist() == [240.0, 560.0]


def test_function_of_an_example_of_several_results():
    assert autograd.grad(lambda x: xp.sum(xp.vmap(Halves.apply)(x)[1]))(X).tolist() == [[0.0, 1.0]] * 2
    nested = lambda x: xp.sum(xp.vmap(xp.vmap(Halves.apply))(x)[0])  # noqa: E731
    assert autograd.grad(nested)(xp.ones((2, 2, 2))).tolist() == [[[1.0, 0.0]] * 2] * 2


def test_second_derivative_of_a_function_of_an_example():
    def slopes(y):
        return xp.sum(autograd.grad(of_batch)(X, y * y))

    assert autograd.grad(slopes)(Y).tolist() == [2 * 10 * 2 * 3.0, 2 * 10 * 2 * 4.0]


def test_function_with_the_wrong_number_of_cotangents_is_named():
    class Wrong(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(ValueError, match=r"Wrong\.backward\(\) returns .* the 2 arguments of forward, not 1"):
        autograd.grad(lambda x: Wrong.apply(x, x))(xp.asarray(1.0))
    with pytest.raises(NotImplementedError, match="defines forward"):
        autograd.Function.apply(xp.asarray(1.0))


def test_checkpoint_computes_again_in_the_pass_back():
    calls = []

    @autograd.checkpoint
    def layer(parameters, x):
        calls.append(None)
        return {"y": xp.tanh(parameters["w"] @ x), "n": 3}

    def f(w, x):
        return xp.sum(layer({"w": w}, layer({"w": w}, x)["y"])["y"] ** 2)

    def plain(w, x):
        return xp.sum(xp.tanh(w @ xp.tanh(w @ x)) ** 2)

    rng = np.random.default_rng(0)
    w, x = xp.asarray(rng.standard_normal((3, 3))), xp.asarray(rng.standard_normal(3))
    gradient = autograd.grad(f)(w, x)
    assert len(calls) == 4
    np.testing.assert_allclose(xp.to_numpy(gradient), xp.to_numpy(autograd.grad(plain)(w, x)), rtol=1e-12)
    autograd.check_gradients(f, w, x)


def test_checkpoint_takes_callables_without_a_name():
    layer, x = nn.Linear(2, 1), xp.ones((3, 2))
    for call in (lambda m: autograd.checkpoint(m)(x), lambda m: autograd.checkpoint(functools.partial(m, x))()):
        gradient = autograd.grad(lambda m, call=call: xp.sum(call(m)))(layer)
        assert gradient.weight.tolist() == [[3.0, 3.0]]


def test_checkpoint_keeps_only_its_arguments():
    shapes = []

    @autograd.checkpoint
    def f(x):
        for _ in range(20):
            x = xp.sin(x)
        return x

    def outer(x):
        y = f(x)
        (several,) = y._native.node.parents
        shapes.append(len(several.saved[1]))
        assert [parent.parents for parent in several.parents] == [()]  # the variable
        return xp.sum(y)

    autograd.grad(outer)(xp.ones(3))
    assert shapes == [1]


def test_checkpoint_of_a_function_with_hidden_variables_is_refused():
    def f(x):
        return xp.sum(autograd.checkpoint(lambda y: x * y)(xp.ones(2)) + autograd.checkpoint(lambda y: x * y)(x))

    with pytest.raises(ValueError, match="pass it as an argument"):
        autograd.grad(f)(xp.ones(2))


# -- solvers ----------------------------------------------------------------------------------------------------------


def test_root_is_differentiated_by_the_implicit_function_theorem():
    # x**2 = a: dx/da = 1 / (2 x), and -1 / (4 x**3) again.
    f = lambda a: autograd.find_root(lambda x, a: x**2 - a, xp.asarray(1.0), a)  # noqa: E731
    a = xp.asarray(9.0)
    assert float(f(a)) == pytest.approx(3.0)
    assert float(autograd.grad(f)(a)) == pytest.approx(1 / 6)
    assert float(autograd.grad(autograd.grad(f))(a)) == pytest.approx(-1 / 108)
    assert float(autograd.jvp(f, (a,), (xp.asarray(2.0),))[1]) == pytest.approx(1 / 3)


def test_root_of_a_system_with_containers_of_parameters():
    rng = np.random.default_rng(0)
    matrix = xp.asarray(rng.standard_normal((3, 3)) + 4 * np.eye(3))
    parameters = {"a": matrix, "b": xp.asarray(rng.standard_normal(3))}

    def solution(parameters):
        equation = lambda x, p: p["a"] @ x + 0.1 * x**3 - p["b"]  # noqa: E731
        return autograd.find_root(equation, xp.zeros(3), parameters)

    autograd.check_gradients(lambda a, b: solution({"a": a, "b": b}), parameters["a"], parameters["b"], rtol=1e-4)


def test_derivative_needs_no_iterations():
    calls = []

    def solver(f, x0):
        calls.append(None)
        return xp.sqrt(xp.asarray(2.0))

    _value, pull = autograd.vjp(
        lambda a: autograd.find_root(lambda x, a: x**2 - a, xp.asarray(1.0), a, solver=solver), xp.asarray(2.0)
    )
    assert float(pull(xp.asarray(1.0))[0]) == pytest.approx(0.5 / np.sqrt(2))
    assert len(calls) == 1


def test_fixed_point():
    f = lambda a: autograd.fixed_point(lambda x, a: xp.cos(x) * a, xp.asarray(0.5), a, max_steps=5000)  # noqa: E731
    autograd.check_gradients(f, xp.asarray(0.7), rtol=1e-4, order=1)
    with pytest.raises(autograd.ConvergenceError, match="after 10 steps"):
        autograd.fixed_point(lambda x: 2 * x + 1, xp.asarray(1.0), max_steps=10)


def test_root_that_is_not_found_raises():
    with pytest.raises(autograd.ConvergenceError, match="start nearer to the root"):
        autograd.find_root(lambda x: x**2 + 1, xp.asarray(0.3))
    with pytest.raises(ValueError, match="has the shape of x"):
        autograd.find_root(lambda x: xp.sum(x), xp.ones(2))
    with pytest.raises(TypeError, match="starts at an Array"):
        autograd.find_root(lambda x: x, 1.0)


def test_minimize_uses_the_gradient():
    pytest.importorskip("scipy")
    rosenbrock = lambda x, a: xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (a - x[:-1]) ** 2)  # noqa: E731
    result = autograd.minimize(rosenbrock, xp.zeros((4,)), (1.0,), method="BFGS", tol=1e-10)
    assert result.success or result.fun < 1e-12
    np.testing.assert_allclose(xp.to_numpy(result.x), np.ones(4), atol=1e-6)
    assert result.x.device == "cpu"
    assert result.jac.shape == (4,)


def test_least_squares_uses_the_jacobian():
    pytest.importorskip("scipy")
    t = xp.linspace(0.0, 1.0, 20)
    data = 2.0 * xp.exp(-3.0 * t)
    result = autograd.least_squares(lambda x, t: x[0] * xp.exp(-x[1] * t) - data, xp.ones(2), (t,))
    np.testing.assert_allclose(xp.to_numpy(result.x), [2.0, 3.0], rtol=1e-8)


def test_argument_that_the_root_does_not_depend_on_has_derivative_zero():
    """The derivative of the square root of the first element is infinite."""

    def root(a):
        return xp.sum(autograd.find_root(lambda x, p: x**2 - p[1:], xp.ones(1), xp.sqrt(a)))

    x = xp.asarray([0.0, 16.0])
    np.testing.assert_allclose(np.asarray(autograd.grad(root)(x)), [0.0, 1 / 32], rtol=1e-12)
    np.testing.assert_allclose(np.asarray(autograd.jacobian(root, mode="forward")(x)), [0.0, 1 / 32], rtol=1e-12)


def test_second_derivative_of_a_root():
    cube_root = lambda a: autograd.find_root(lambda x, a: x**3 - a, xp.asarray(1.0), a)  # noqa: E731
    assert float(autograd.grad(autograd.grad(cube_root))(xp.asarray(8.0))) == pytest.approx(-1 / 144)


class Cubed(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobian_of_a_function_in_a_batch_uses_each_examples_data(mode):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])  # as many examples as elements
    found = xp.vmap(autograd.jacobian(Cubed.apply, mode=mode))(x)
    assert found.tolist() == [[[3.0, 0.0], [0.0, 12.0]], [[27.0, 0.0], [0.0, 48.0]]]
