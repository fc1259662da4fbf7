"""Elements that an operation does not select have the derivative 0; selected ones keep theirs, to any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from strategies import values_of

import xtensor as xp
from xtensor import autograd, fft
from xtensor.nn import functional

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")

Function = Callable[[Any], Any]


def forward(f: Function) -> Function:
    return lambda x: autograd.jvp(f, (x,), (xp.ones_like(x),))[1]


SECOND: dict[str, Callable[[Function], Function]] = {
    "reverse over reverse": lambda f: autograd.grad(autograd.grad(f)),
    "forward over reverse": lambda f: forward(autograd.grad(f)),
    "reverse over forward": lambda f: autograd.grad(forward(f)),
    "forward over forward": lambda f: forward(forward(f)),
}


def product(x: Any) -> Any:
    """Its second derivative at 0 is 2, and the cotangent of its factors is 0 there."""
    return x * xp.exp(x)


SELECTED: dict[str, Function] = {
    "where": lambda x: xp.where(xp.asarray(True, device=x.device), product(x), 0.0),
    "integer": lambda x: xp.stack([product(x), x])[0],
    "slice": lambda x: xp.sum(xp.stack([product(x), x])[:1]),
    "mask": lambda x: xp.sum(xp.stack([product(x), x])[xp.asarray([True, False], device=x.device)]),
    "take": lambda x: xp.sum(xp.take(xp.stack([product(x), x]), xp.asarray([0], device=x.device), axis=0)),
    "maximum": lambda x: xp.maximum(product(x), -1.0),
    "max": lambda x: xp.max(xp.stack([product(x), x - 1.0])),
    "clip": lambda x: xp.clip(product(x), -1.0, 1.0),
    "sort": lambda x: xp.sort(xp.stack([product(x), x - 1.0]))[1],
    "triu": lambda x: xp.sum(xp.triu(xp.reshape(xp.stack([product(x), x * 0.0, x, x * 0.0]), (2, 2)))) - x * 0.0,
    "unstack": lambda x: xp.unstack(xp.stack([product(x), x]))[0],
    "concat": lambda x: xp.sum(xp.concat([xp.reshape(product(x), (1,)), xp.zeros(2, device=x.device)])[:2]),
    "relu": lambda x: functional.relu(product(x) + 1.0),
}


@pytest.mark.parametrize("way", SECOND)
@pytest.mark.parametrize("name", SELECTED)
def test_second_derivative_of_a_selected_element_whose_value_is_zero(name, way, device):
    second = SECOND[way](SELECTED[name])(xp.asarray(0.0, dtype=xp.float32))
    assert float(second) == 2.0


@pytest.mark.parametrize("way", SECOND)
def test_second_derivative_of_gelu_at_zero(way):
    assert float(SECOND[way](functional.gelu)(xp.asarray(0.0))) == pytest.approx(2 / np.sqrt(2 * np.pi), rel=1e-14)


def test_hessian_of_masked_squares_at_the_exact_fit(device):
    matrix = np.asarray([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]], np.float32)
    design, mask = xp.asarray(matrix), xp.asarray([True, False, True])
    at_fit = xp.asarray([1.0, -2.0], dtype=xp.float32)
    target = design @ at_fit

    def squares(p: Any) -> Any:
        return xp.sum(xp.where(mask, (design @ p - target) ** 2, 0.0))

    rows = matrix[[0, 2], :]
    assert xp.to_numpy(autograd.hessian(squares)(at_fit)).tolist() == (2 * rows.T @ rows).tolist()


# -- infinite derivatives of elements that are not selected -----------------------------------------------------------


def roots(x: Any) -> Any:
    """At [0, 4] the first derivative is infinite, and the second is 1/4."""
    return xp.sqrt(x)


BEFORE: dict[str, Function] = {
    "integer": lambda x: roots(x)[1],
    "take": lambda x: xp.sum(xp.take(roots(x), xp.asarray([1], device=x.device))),
    "take_along_axis": lambda x: xp.sum(xp.take_along_axis(roots(x), xp.asarray([1], device=x.device), axis=0)),
    "unstack": lambda x: xp.unstack(roots(x))[1],
    "diagonal": lambda x: xp.sum(xp.linalg.diagonal(roots(xp.stack([x[::-1], x[::-1]])), offset=0)[:1]),
    "trace": lambda x: xp.linalg.trace(roots(xp.stack([xp.stack([x[1], x[0]]), xp.stack([x[0], x[1]])]))) / 2.0,
    "reshape": lambda x: xp.reshape(xp.flip(roots(x)), (2, 1))[0, 0],
    "matmul": lambda x: (xp.reshape(roots(x), (2, 1)) @ xp.ones((1, 3), device=x.device))[1, 0],
    "max": lambda x: xp.max(roots(x)),
    "sort": lambda x: xp.sort(roots(x))[1],
    "sum of rows": lambda x: xp.sum(xp.reshape(roots(x), (2, 1)), axis=1)[1],
    "variance of rows": lambda x: xp.var(xp.stack([roots(x), 3.0 * roots(x)]), axis=0)[1],
    "cumulative_sum": lambda x: xp.cumulative_sum(roots(x)[::-1])[0],
    "softmax of rows": lambda x: functional.softmax(xp.stack([roots(x), x * 0.0], axis=1), axis=1)[1, 0],
    "transform of fewer": lambda x: xp.real(fft.fft(roots(x)[::-1], n=1))[0],
}
"""Functions that leave out the first root."""

AFTER: dict[str, Function] = {
    "where": lambda x: xp.sum(roots(xp.where(x > 0, x, 0.0))),
    "maximum": lambda x: xp.sum(roots(xp.maximum(x - 1.0, 0.0))),
    "relu": lambda x: xp.sum(roots(functional.relu(x - 1.0))),
    "concat": lambda x: xp.sum(roots(xp.concat([x[1:], xp.zeros(1, device=x.device)]))),
    "tril": lambda x: xp.sum(roots(xp.tril(xp.stack([x + 1.0, x + 1.0])))),
    "include_initial": lambda x: xp.sum(roots(xp.cumulative_sum(x[1:], include_initial=True))),
    "assignment": lambda x: xp.sum(roots(assigned(x))),
    "pad": lambda x: xp.sum(roots(xp.pad(x + 1.0, 1))),
}
"""Functions with roots of zeros that do not depend on the argument."""


def assigned(x: Any) -> Any:
    y = x * 1.0
    y[0] = 0.0
    return y


@pytest.mark.parametrize("name", [*BEFORE, *AFTER])
def test_infinite_derivatives_stay_where_they_are(name):
    f = (BEFORE | AFTER)[name]
    x = xp.asarray([0.0, 4.0])
    gradient = xp.to_numpy(autograd.grad(f)(x))
    smooth = xp.to_numpy(autograd.grad(f)(x + xp.asarray([1e-9, 0.0])))
    assert np.isfinite(gradient).all()
    assert gradient[1] == pytest.approx(smooth[1], rel=1e-6)
    np.testing.assert_allclose(xp.to_numpy(autograd.jacobian(f, mode="forward")(x)), gradient, rtol=1e-12)
    hessians = [
        xp.to_numpy(autograd.jacobian(autograd.jacobian(f, mode=inner), mode=outer)(x))
        for inner in ("reverse", "forward")
        for outer in ("reverse", "forward")
    ]
    assert np.isfinite(hessians).all()
    for hessian in hessians[1:]:
        np.testing.assert_allclose(hessian, hessians[0], rtol=1e-12, atol=1e-15)


def test_an_infinite_derivative_of_a_connected_element_is_not_hidden():
    # The cotangent of the root is 0 by value, not because the root was left out: JAX gives NaN, too.
    gradient = autograd.grad(lambda x: xp.where(xp.asarray(True), roots(x) * 0.0, 1.0))(xp.asarray(0.0))
    assert np.isnan(float(gradient))


def test_relu_has_derivative_zero_at_zero():
    x = xp.asarray([-1.0, 0.0, 2.0])
    assert autograd.grad(lambda x: xp.sum(functional.relu(x)))(x).tolist() == [0.0, 0.0, 1.0]
    assert autograd.jvp(functional.relu, (x,), (xp.ones(3),))[1].tolist() == [0.0, 0.0, 1.0]


def test_sequences_in_a_tuple_are_index_arrays():
    x = xp.asarray([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    expected = [[0.0, 2.0, 0.0], [0.0, 0.0, 10.0]]
    assert autograd.grad(lambda x: xp.sum(x[(0, 1), (1, 2)] ** 2))(x).tolist() == expected

    def replaced(x: Any) -> Any:
        y = x * 1.0
        y[(0, 1), (1, 2)] = 0.0
        return xp.sum(y)

    assert autograd.grad(replaced)(x).tolist() == [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]


@pytest.mark.parametrize(
    "name", ["max", "min", "sum", "prod", "mean", "var", "std", "cumulative_sum", "cumulative_prod"]
)
@pytest.mark.parametrize("value", [-2.0, 2.0])
def test_both_modes_agree_where_arguments_are_beside_constants(name, value):
    x = xp.asarray(value)

    def function(x):
        return xp.sum(getattr(xp, name)(xp.stack([x, xp.asarray(0.5)])))

    assert float(autograd.jvp(function, (x,), (xp.ones_like(x),))[1]) == pytest.approx(
        float(autograd.grad(function)(x))
    )


@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transform_of_arguments_beside_constants_is_connected_in_each_element(device, name):
    constants = xp.asarray([1.0, 2.0])

    def energy(x):
        spectrum = getattr(xp.fft, name)(xp.astype(xp.concat([x, constants]), xp.complex128), norm="ortho")
        return xp.sum(xp.real(spectrum) ** 2 + xp.imag(spectrum) ** 2)

    # By Parseval's theorem, the sum of the squares of the elements.
    result = values_of(autograd.hessian(energy)(xp.asarray([1.0, 2.0])))
    np.testing.assert_allclose(result, 2 * np.eye(2), atol=1e-14)


MATRICES = np.asarray([[[4.0, 1.0], [1.0, 3.0]], [[5.0, 2.0], [2.0, 6.0]]])

UNSELECTED = {
    "checkpoint": lambda x: autograd.checkpoint(lambda y: y * 1.0)(xp.sqrt(x))[0],
    "root in a checkpoint": lambda x: autograd.checkpoint(xp.sqrt)(x)[0],
    "index in a checkpoint": lambda x: autograd.checkpoint(lambda y: y[0])(xp.sqrt(x)),
    "several results of a checkpoint": lambda x: autograd.checkpoint(lambda y: (y * 2.0, xp.sqrt(y)))(x)[1][0],
    "mixed in a checkpoint": lambda x: autograd.checkpoint(
        lambda y: xp.stack([xp.sum(xp.sqrt(y)), xp.sqrt(y)[0]]),
    )(x)[1],
    "tensordot": lambda x: xp.sum(xp.tensordot(stack(x), xp.ones((2, 2)), axes=1)[0]),
    "solution of other matrices": lambda x: xp.sum(xp.linalg.solve(stack(x), xp.ones((2, 2, 1)))[0]),
    "solution of other sides": lambda x: xp.sum(xp.linalg.solve(xp.asarray(MATRICES[0]), xp.sqrt(x) * xp.eye(2))[:, 0]),
    **{
        name: lambda x, name=name: xp.sum(getattr(xp.linalg, name)(stack(x))[0])
        for name in ("inv", "det", "pinv", "cholesky", "eigvalsh", "svdvals")
    },
    **{
        f"{name}, result {i}": lambda x, name=name, i=i: xp.sum(getattr(xp.linalg, name)(stack(x))[i][0])
        for name in ("qr", "eigh", "svd")
        for i in (0, 1)
    },
    "slogdet": lambda x: xp.linalg.slogdet(stack(x))[1][0],
}
"""Functions of the root of a first element alone: the derivative of the root of the second one is infinite."""


def stack(x):
    return xp.asarray(MATRICES) * xp.sqrt(x)[:, None, None] + xp.eye(2) * xp.asarray([0.0, 1.0])[:, None, None]


@pytest.mark.parametrize("name", UNSELECTED)
def test_infinite_derivative_of_an_unselected_element_stays_out(name):
    for gradient in (autograd.grad(UNSELECTED[name]), autograd.jacobian(UNSELECTED[name], mode="forward")):
        first, second = gradient(xp.asarray([1.0, 0.0])).tolist()
        assert np.isfinite(first)
        assert second == 0.0


# -- masks in batches of cotangents ------------------------------------------------------------------------------------


def _read(x, mask):
    return x[mask] ** 2


def _written(x, mask):
    y = x * 1
    y[mask] = xp.sum(x) * x[0]
    return y * y


MASKED = {
    # At (2, 3): the Jacobian matrix, and that of the Jacobian matrix.
    _read: ([[4, 0]], [[[2, 0], [0, 0]]]),
    _written: ([[140, 40], [0, 6]], [[[138, 48], [48, 8]], [[0, 0], [0, 2]]]),
}


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("modes", [["reverse"], ["forward"], ["reverse", "reverse"], ["forward", "reverse"]], ids=str)
@pytest.mark.parametrize("function", MASKED, ids=lambda function: function.__name__)
def test_jacobians_of_functions_with_masks(device, function, modes, fused):
    mask = xp.asarray([True, False])

    def differentiated(x):
        return function(x, mask)

    for mode in modes:
        differentiated = autograd.jacobian(differentiated, mode=mode)
    differentiated = xp.fuse(differentiated) if fused else differentiated
    for _ in range(2):  # the second call replays the first
        result = differentiated(xp.asarray([2.0, 3.0]))
        assert values_of(result).tolist() == MASKED[function][len(modes) - 1]
