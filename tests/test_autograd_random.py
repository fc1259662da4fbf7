"""Random numbers in functions that are computed again: a checkpoint has the derivative of the numbers of its value."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn

N = 12


def _nested(x, rng):
    inner = autograd.checkpoint(lambda y: xp.sin(y) * rng.random(N))
    return inner(x * rng.random(N)) * rng.random(N)


def _differentiated_within(x, rng):
    cubes = autograd.checkpoint(lambda y: xp.sum(y**3 * rng.random(N)))
    value, gradient = autograd.value_and_grad(cubes)(x)
    return value * rng.random(N) + gradient


FUNCTIONS = {
    "uniform": lambda x, rng: xp.sin(x) * rng.random(N),
    "several": lambda x, rng: xp.exp(x * rng.standard_normal(N)) + xp.astype(rng.integers(0, 9, N), x.dtype) * x,
    "rejected": lambda x, rng: x**2 * rng.gamma(0.5, size=N),
    "permuted": lambda x, rng: x**2 * xp.astype(rng.permutation(N), x.dtype),
    "children": lambda x, rng: x**2 * rng.spawn(2)[1].random(N) + rng.spawn(1)[0].random(N) * x,
    "own": lambda x, rng: x**2 * xp.random.default_rng(3, device=rng.device).random(N),
    "nested": _nested,
    "differentiated within": _differentiated_within,
    "dropout": lambda x, rng: nn.functional.dropout(xp.exp(x), 0.5, rng=rng),
}


def outcomes(device, function, transform, wrapper):
    """The results of two calls, and the position of the generator after them."""
    rng = xp.random.default_rng(11, device=device)

    def loss(x, rng):
        y = transform(lambda x: function(x, rng))(x)
        return xp.sum(y * y), y

    step = wrapper(autograd.value_and_grad(loss, has_aux=True))
    x = xp.linspace(-1.0, 2.0, N, device=device)
    results = []
    for _ in range(2):
        (value, y), gradient = step(x, rng)
        results.append(np.concatenate([[float(value)], xp.to_numpy(y), xp.to_numpy(gradient)]))
    return results, rng.bit_generator.state["position"]


@pytest.mark.parametrize("wrapper", [lambda f: f, xp.fuse], ids=["plain", "fuse"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_checkpoint_draws_the_same_numbers_again(device, name, wrapper):
    if wrapper is xp.fuse and name == "children":
        pytest.skip("recordings refuse generators that a generator makes")
    function = FUNCTIONS[name]
    expected, position = outcomes(device, function, lambda f: f, lambda f: f)
    found, position_again = outcomes(device, function, autograd.checkpoint, wrapper)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert position_again == position
    assert name == "own" or not np.array_equal(found[0], found[1])


def test_checkpoint_draws_the_same_numbers_again_for_each_example(device):
    rng = xp.random.default_rng(5, device=device)
    kept = autograd.checkpoint(lambda x: x * rng.random(N))

    def loss(x):
        y = kept(x)
        return xp.sum(y), y

    x = xp.ones((3, N), device=device)
    (_, y), gradient = xp.vmap(autograd.value_and_grad(loss, has_aux=True))(x)
    assert gradient.tolist() == y.tolist()
    assert len({tuple(row) for row in y.tolist()}) == 3


def test_checkpoint_makes_the_same_generator_without_a_seed_again(device):
    kept = autograd.checkpoint(lambda x: x * xp.random.default_rng(device=device).random(N))

    def loss(x):
        y = kept(x)
        return xp.sum(y), y

    step = autograd.value_and_grad(loss, has_aux=True)
    x = xp.ones(N, device=device)
    (_, first), gradient = step(x)
    assert gradient.tolist() == first.tolist()
    (_, second), gradient = step(x)
    assert gradient.tolist() == second.tolist() != first.tolist()


def test_second_derivative_of_a_checkpoint_that_draws(device):
    # y = x**3 r has the second derivative 6 x r
    x = xp.asarray(2.0, device=device)
    found = []
    for transform in (lambda f: f, autograd.checkpoint):
        rng = xp.random.default_rng(2, device=device)
        cubed = transform(lambda x, rng=rng: x**3 * rng.random())
        found.append(float(autograd.grad(autograd.grad(cubed))(x)))
    r = float(xp.random.default_rng(2, device=device).random())
    assert found == pytest.approx([12 * r] * 2, rel=1e-12)


def test_checkpoint_that_raises_begins_anew(device):
    rng = xp.random.default_rng(1, device=device)
    fails = [True]

    def function(x):
        drawn = rng.random(N)
        if fails.pop() if fails else False:
            raise ValueError("once")
        return x * drawn

    kept = autograd.checkpoint(function)
    x = xp.ones(N, device=device)
    with pytest.raises(ValueError, match="once"):
        autograd.grad(lambda x: xp.sum(kept(x)))(x)
    position = rng.bit_generator.state["position"]
    value, pull = autograd.vjp(kept, x)
    assert pull(xp.ones(N, device=device))[0].tolist() == pull(xp.ones(N, device=device))[0].tolist() == value.tolist()
    assert rng.bit_generator.state["position"] == 2 * position
