"""Values that a record keeps, which later writes do not change, and results in memory of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, fft
from xtensor.autograd._copies import LARGE, by_value


def numbers(x: Any) -> Any:
    return xp.to_numpy(x).tolist()


# -- later writes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_numpy", [False, True])
def test_a_constant_is_used_with_the_values_of_the_moment(as_numpy):
    def total(x):
        result, c = 0.0, np.asarray([1.0])
        c = c if as_numpy else xp.asarray(c)
        for _ in range(3):
            result = result + xp.sum(x * c)
            c *= 2
        return result

    assert numbers(autograd.grad(total)(xp.asarray([1.0]))) == [7.0]


def test_an_index_array_is_used_with_the_values_of_the_moment():
    def selected(x):
        indices, mask = np.asarray([0, 1]), xp.asarray([True, False])
        result = xp.sum(x[indices] * xp.asarray([1.0, 10.0])) + xp.sum(x[mask])
        indices[:], mask[...] = 1, True
        return result

    assert numbers(autograd.grad(selected)(xp.asarray([1.0, 2.0]))) == [2.0, 10.0]


def test_argument_result_and_cotangent_are_used_with_the_values_of_the_moment():
    x, g = xp.asarray([0.0, 1.0]), xp.asarray([1.0, 2.0])
    value, pull = autograd.vjp(xp.exp, x)
    x[...], value[...] = 5.0, 7.0
    (gradient,) = pull(g)
    expected = [1.0, 2 * np.exp(1.0)]
    assert numbers(gradient) == expected
    g[...], gradient[...] = 3.0, 4.0
    assert numbers(pull(xp.asarray([1.0, 2.0]))[0]) == expected


def test_a_variable_has_the_values_of_the_moment():
    x = xp.asarray([1.0, 2.0])
    w = autograd.variable(x)
    x[...] = 9.0
    autograd.backward(xp.sum(w * w))
    assert w.grad.tolist() == [2.0, 4.0]


def test_values_from_stop_gradient_can_be_written_to():
    def f(x):
        y = x * 2.0
        constant = autograd.stop_gradient(y)
        constant[...] = 100.0
        return xp.sum(y * y)

    assert numbers(autograd.grad(f)(xp.asarray([1.0]))) == [8.0]


def write(g: Any) -> None:
    g *= 10.0


def test_a_hook_can_write_to_the_gradient_it_gets():
    x = autograd.variable(xp.asarray([1.0, 2.0]))
    y = x * 3.0
    autograd.register_hook(y, write)
    autograd.backward(xp.sum(y + x))
    assert x.grad.tolist() == [4.0, 4.0]


class Doubling(autograd.Function):
    """Writes to everything that it gets."""

    @staticmethod
    def forward(ctx, x):
        x *= 2.0
        return x

    @staticmethod
    def backward(ctx, g):
        g *= 2.0
        return g


def test_a_function_with_its_own_derivative_can_write_to_what_it_gets():
    x = xp.asarray([1.0, 3.0])
    value, pull = autograd.vjp(lambda x: Doubling.apply(x) + x * x, x)
    assert (numbers(value), numbers(x)) == ([3.0, 15.0], [1.0, 3.0])
    assert numbers(pull(xp.ones(2))[0]) == [4.0, 8.0]


def test_a_checkpointed_function_can_write_to_its_arguments():
    @autograd.checkpoint
    def squares(x):
        x += 1.0
        return x * x

    x = xp.asarray([1.0, 3.0])
    assert numbers(autograd.grad(lambda x: xp.sum(squares(x) + x * x))(x)) == [6.0, 14.0]
    assert numbers(x) == [1.0, 3.0]


# -- copies -----------------------------------------------------------------------------------------------------------


def test_read_only_memory_is_not_copied():
    device, array = xp.device("numpy"), np.arange(4.0)
    array.flags.writeable = False
    assert by_value(array, device) is array
    view = np.arange(4.0)[1:]
    view.flags.writeable = False
    assert not np.shares_memory(by_value(view, device), view)  # its memory can be written to


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.int16, np.bool_])
def test_a_large_constant_has_one_copy_as_long_as_it_does_not_change(dtype):
    device, array = xp.device("numpy"), np.zeros((2, LARGE), dtype)[:, ::2]
    array[0, 0] = np.nan if array.dtype.kind in "fc" else 1
    copy = by_value(array, device)
    assert not np.shares_memory(copy, array)
    assert by_value(array, device) is copy
    array[0, 1] = -0.0 if array.dtype.kind in "fc" else 1
    assert by_value(array, device) is not copy


# -- results ----------------------------------------------------------------------------------------------------------

SHARING = {
    "sum": lambda x, y: xp.sum(x) + xp.sum(y),
    "mean": lambda x, y: xp.mean(x) + xp.mean(y),
    "add": lambda x, y: x + y,
    "identity": lambda x, y: (x, y),
    "reshape": lambda x, y: xp.reshape(x, (2, 1)) + xp.reshape(y, (2, 1)),
    "concat": lambda x, y: xp.concat([x, y]),
    "stack": lambda x, y: xp.stack([x, y]),
    "broadcast": lambda x, y: xp.broadcast_to(x, (3, 2)) + y,
    "assignment": lambda x, y: assigned(x, y),
    "twice": lambda x, y: (x, x[::-1], y[:]),
}


def assigned(x: Any, y: Any) -> Any:
    z = x * 1.0
    z[:] = y
    return z


@pytest.mark.parametrize("name", SHARING)
def test_results_are_writable_and_share_no_memory(name):
    operands = [xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0])]
    value, pull = autograd.vjp(SHARING[name], *operands)
    values = list(value) if isinstance(value, tuple) else [value]
    cotangents = [xp.ones_like(y) for y in values]
    gradients = pull(tuple(cotangents) if isinstance(value, tuple) else cotangents[0])
    _, tangents = autograd.jvp(SHARING[name], operands, operands)
    tangents = list(tangents) if isinstance(tangents, tuple) else [tangents]
    arrays = [np.asarray(x) for x in (*gradients, *tangents, *values, *operands, *cotangents)]
    for place, x in enumerate(arrays):
        assert x.flags.writeable
        assert not any(np.shares_memory(x, other) for other in arrays[:place])


# -- constants --------------------------------------------------------------------------------------------------------


def test_the_tangent_of_a_constant_is_zero():
    x = xp.asarray([1.0, 2.0])
    for constant in (np.asarray([5.0, 6.0]), 3.0, 2, 1j, np.float32(3.0), xp.asarray([1.0])):
        value, tangent = autograd.jvp(lambda x, c=constant: {"c": c}, (x,), (x,))
        assert np.all(np.asarray(value["c"]) == np.asarray(constant))
        assert np.all(np.asarray(tangent["c"]) == 0)
        assert np.shape(tangent["c"]) == np.shape(constant)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_the_jacobian_of_a_constant_is_zero(mode, device):
    x = xp.asarray([1.0, 2.0], dtype=xp.float32)
    for constant, shape in ((np.asarray([5.0, 6.0, 7.0], np.float32), (3, 2)), (3.0, (2,))):
        matrix = autograd.jacobian(lambda x, c=constant: {"c": c, "x": x}, mode=mode)(x)
        assert matrix["c"].device == device
        assert numbers(matrix["c"]) == np.zeros(shape).tolist()
        assert numbers(matrix["x"]) == [[1.0, 0.0], [0.0, 1.0]]
    assert autograd.jacobian(lambda x: x[:0], mode=mode)(x).device == device


# -- conventions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvalues_are_differentiated_as_those_of_the_symmetric_matrix(triangle):
    # The eigenvalues of [[2, s], [s, 2]] are 2 - s and 2 + s, whose vectors are (1, -1) and (1, 1) over sqrt(2).
    x = xp.asarray([[2.0, 1.0], [1.0, 2.0]])
    gradient = autograd.grad(lambda x: xp.sum(np.linalg.eigvalsh(x, UPLO=triangle) * xp.asarray([0.0, 1.0])))(x)
    np.testing.assert_allclose(xp.to_numpy(gradient), [[0.5, 0.5], [0.5, 0.5]], rtol=1e-14)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [1, 4, 5, 6, 9])
def test_transforms_to_real_numbers_have_the_gradient_of_the_convention(n, norm):
    rng = np.random.default_rng(n)
    weights, z = xp.asarray(rng.standard_normal(n)), xp.asarray(rng.standard_normal(4) + 0j)
    for transform in (fft.irfft, fft.hfft):

        def f(z, transform=transform):
            return xp.sum(weights * transform(z, n=n, norm=norm))

        def along(direction, f=f):  # exact, as the function is linear over the real numbers
            return float(f(xp.asarray(direction)))

        expected = [along(unit + 0j) - 1j * along(1j * unit) for unit in np.eye(4)]
        np.testing.assert_allclose(xp.to_numpy(autograd.grad(f)(z)), expected, rtol=1e-12, atol=1e-14)


def test_the_deviation_of_one_complex_number_has_derivative_zero():
    z = xp.asarray([1.0 + 2.0j])
    assert complex(autograd.jvp(xp.std, (z,), (z,))[1]) == 0
    assert numbers(autograd.grad(xp.std)(z)) == [0j]


# -- constants that are joined to variables ---------------------------------------------------------------------------


def with_elements_assigned(x, values):
    y = 2 * x
    y[1:] = values[1:]
    return y


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        (lambda x, values: xp.concat([values, x]), [0.0, 0.0, 1.0, 1.0]),
        (lambda x, values: xp.stack([x, values]), [[1.0, 1.0], [0.0, 0.0]]),
        (lambda x, values: xp.diff(x, prepend=values), [0.0, 1.0, 0.0]),
        (with_elements_assigned, [2.0, 0.0]),
    ],
)
@pytest.mark.parametrize("values", [[5, 7], [True, True]], ids=["integers", "booleans"])
def test_tangent_of_joined_constants_is_zero(join, expected, values, lenient_device):
    x, constants = (xp.asarray(numbers, device=lenient_device) for numbers in ([0.5, 1.5], values))
    assert numbers(autograd.jvp(lambda x: join(x, constants), (x,), (xp.ones_like(x),))[1]) == expected
    forward = autograd.jacobian(lambda x: join(x, constants), mode="forward")(x)
    assert numbers(forward) == numbers(autograd.jacobian(lambda x: join(x, constants))(x))


@pytest.mark.parametrize("value", [3, True, np.int64(3), np.bool_(True)])
def test_gradient_of_an_integer_or_a_boolean_raises(value):
    with pytest.raises(TypeError, match="whose result is real"):
        autograd.grad(lambda x: value)(xp.ones(2))
