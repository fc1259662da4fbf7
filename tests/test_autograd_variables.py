"""Derivatives in imperative style: variables, passes back, hooks."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd


def test_backward_accumulates_into_grad():
    x = autograd.variable(xp.asarray([1.0, 2.0]))
    assert x.grad is None
    autograd.backward(xp.sum(x * x))
    assert x.grad.tolist() == [2.0, 4.0]
    assert x.grad.device == "cpu"
    autograd.backward(xp.sum(3 * x))
    assert x.grad.tolist() == [5.0, 7.0]
    autograd.zero_grad(x)
    assert x.grad is None


def test_backward_of_several_outputs_with_cotangents():
    x = autograd.variable(xp.asarray([1.0, 2.0]))
    autograd.backward([x * x, xp.sum(x)], [xp.asarray([1.0, 10.0]), None])
    assert x.grad.tolist() == [3.0, 41.0]


def test_second_pass_needs_a_retained_record():
    x = autograd.variable(xp.asarray(2.0))
    y = xp.exp(x) * x
    autograd.backward(y, retain_graph=True)
    first = float(x.grad)
    autograd.backward(y)
    assert float(x.grad) == 2 * first
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        autograd.backward(y)


def test_gradient_descent():
    rng = np.random.default_rng(0)
    a, b = xp.asarray(rng.standard_normal((20, 3))), xp.asarray(rng.standard_normal(20))
    x = autograd.variable(xp.zeros(3))
    for _ in range(500):
        autograd.backward(xp.mean((a @ x - b) ** 2))
        x = autograd.variable(autograd.stop_gradient(x) - 0.1 * x.grad)
    np.testing.assert_allclose(x.tolist(), np.linalg.lstsq(np.asarray(a), np.asarray(b))[0], atol=1e-8)


@pytest.mark.parametrize(
    "statement", ["w -= 0.01 * w.grad", "w *= w", "w[0] = 1.0", "w[...] = w * 2", "numpy.add(w, 1.0, out=w)"]
)
def test_a_write_that_would_lose_the_variable_names_the_remedy(statement):
    w = autograd.variable(xp.asarray([1.0, 2.0]))
    autograd.backward(xp.sum(w * w))
    with pytest.raises(RuntimeError, match=r"w = xtensor\.autograd\.variable\(xtensor\.autograd\.stop_gradient\(w\)"):
        exec(statement, {"w": w, "numpy": np})
    assert (w.tolist(), w.grad.tolist()) == ([1.0, 2.0], [2.0, 4.0])


def test_values_that_depend_on_a_variable_can_be_written_to():
    w = autograd.variable(xp.asarray([1.0, 2.0]))
    y = w * 3.0
    y += w
    y[0] = 0.0
    autograd.backward(xp.sum(y))
    assert w.grad.tolist() == [0.0, 4.0]


def test_hooks_see_and_change_gradients():
    seen = []
    x = autograd.variable(xp.asarray([1.0, 2.0]))
    y = x * 3
    autograd.register_hook(y, lambda g: seen.append(g.tolist()))
    double = autograd.register_hook(x, lambda g: 2 * g)
    autograd.backward(xp.sum(y))
    assert (seen, x.grad.tolist()) == ([[1.0, 1.0]], [6.0, 6.0])
    double.remove()
    autograd.zero_grad(x)
    autograd.backward(xp.sum(x * 3))
    assert x.grad.tolist() == [3.0, 3.0]


def test_transforms_work_inside_and_around():
    x = autograd.variable(xp.asarray(2.0))
    slope = autograd.grad(lambda y: y**3)(x)
    autograd.backward(slope)
    assert float(x.grad) == 12.0

    def f(z):
        inner = autograd.variable(z)
        autograd.backward(inner * inner)
        return inner.grad * z

    assert float(autograd.grad(f)(xp.asarray(3.0))) == 12.0  # inner.grad is 2 z, of the outer variable


def test_bad_input_is_named():
    x = autograd.variable(xp.asarray([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"starts at one real number, not at dtype float64 and shape \(2,\)"):
        autograd.backward(x)
    with pytest.raises(TypeError, match="depends on a variable"):
        autograd.backward(xp.asarray(1.0))
    with pytest.raises(TypeError, match="the cotangent of an output"):
        autograd.backward(x, xp.ones(3))
    with pytest.raises(ValueError, match="a cotangent for each output"):
        autograd.backward([x, x], [xp.ones(2)])
    with pytest.raises(TypeError, match="not dtype int64"):
        autograd.variable(xp.asarray([1]))
    with pytest.raises(AttributeError, match=r"autograd\.variable"):
        xp.asarray(1.0).grad = None
    with pytest.raises(AttributeError, match=r"autograd\.variable"):
        (x * 2).grad = None
    assert xp.asarray(1.0).grad is None
