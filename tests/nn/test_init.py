"""Initial values: bounds, moments and shapes by their formulas, and containers of parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn

SHAPE = (60, 40, 5)
"""60 outputs and 40 inputs, and a kernel of 5."""

UNIFORM = {
    "uniform_": ((), {}, 0.0, 1.0),
    "uniform_ of bounds": ((-3.0, 5.0), {}, -3.0, 5.0),
    "xavier_uniform_": ((2.0,), {}, -2 * math.sqrt(6 / 500), 2 * math.sqrt(6 / 500)),
    "kaiming_uniform_": ((), {}, -math.sqrt(6 / 200), math.sqrt(6 / 200)),
    "kaiming_uniform_ of outputs": ((), {"mode": "fan_out", "nonlinearity": "tanh"}, *[s / 6 for s in (-1, 1)]),
}

NORMAL = {
    "normal_": ((1.0, 3.0), {}, 1.0, 3.0),
    "xavier_normal_": ((), {}, 0.0, math.sqrt(2 / 500)),
    "kaiming_normal_": ((1.0,), {}, 0.0, math.sqrt(1 / 200)),
    "kaiming_normal_ of outputs": ((), {"mode": "fan_out", "nonlinearity": "selu"}, 0.0, 0.75 / math.sqrt(300)),
}


def written(name: str, arguments: Any, options: Any) -> np.ndarray:
    x = xp.zeros(SHAPE, dtype=xp.float32)
    result = getattr(nn.init, name.split()[0])(x, *arguments, rng=0, **options)
    assert result is x
    assert x.dtype == xp.float32
    return xp.to_numpy(x).astype(np.float64).ravel()


@pytest.mark.parametrize("name", UNIFORM)
def test_uniform_numbers_are_of_the_interval(name, device):
    arguments, options, low, high = UNIFORM[name]
    if name == "kaiming_uniform_ of outputs":
        low, high = [sign * (5 / 3) * math.sqrt(3 / 300) for sign in (-1, 1)]
    found = np.sort((written(name, arguments, options) - low) / (high - low))
    assert found[0] >= 0
    assert found[-1] <= 1
    assert np.abs(found - np.linspace(0, 1, found.size)).max() < 1.95 / math.sqrt(found.size)  # Kolmogorov, 0.1 %


@pytest.mark.parametrize("name", NORMAL)
def test_normal_numbers_have_mean_and_deviation(name, device):
    arguments, options, mean, deviation = NORMAL[name]
    found = np.sort((written(name, arguments, options) - mean) / deviation)
    below = np.asarray([0.5 * math.erfc(-x / math.sqrt(2)) for x in found])
    assert np.abs(below - np.linspace(0, 1, found.size)).max() < 1.95 / math.sqrt(found.size)


def test_truncated_numbers_are_those_of_the_normal_distribution_within_the_limits(device):
    found = np.sort(written("trunc_normal_", (0.5, 2.0, -1.0, 3.0), {}))
    low, high, *below = [0.5 * math.erfc(-(x - 0.5) / (2 * math.sqrt(2))) for x in (-1, 3, *found)]
    part = (np.asarray(below) - low) / (high - low)
    assert found[0] >= -1
    assert found[-1] <= 3
    assert np.abs(part - np.linspace(0, 1, found.size)).max() < 1.95 / math.sqrt(found.size)


def test_one_seed_gives_the_same_numbers(device):
    first, second, other = [xp.to_numpy(nn.init.normal_(xp.zeros((9,)), rng=seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(first, second)
    assert (first != other).all()


@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (7, 3), (3, 2, 4), (1, 1)], ids=str)
def test_rows_or_columns_are_orthonormal(shape, device):
    x = xp.to_numpy(nn.init.orthogonal_(xp.zeros(shape), 2.0, rng=0)).reshape(shape[0], -1)
    product = x @ x.T if x.shape[0] <= x.shape[1] else x.T @ x
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)


def test_columns_have_a_part_of_zeros(device):
    x = xp.to_numpy(nn.init.sparse_(xp.ones((10, 50)), 0.25, rng=0))
    assert ((x == 0).sum(axis=0) == 3).all()  # 2.5 rounded up
    assert 0.008 < x[x != 0].std() < 0.012
    assert len(set(map(tuple, (x == 0).T))) > 10


def test_constants_are_written(device):
    for function, arguments, expected in (
        (nn.init.ones_, (), 1.0),
        (nn.init.zeros_, (), 0.0),
        (nn.init.constant_, (2.5,), 2.5),
    ):
        np.testing.assert_array_equal(
            xp.to_numpy(function(xp.full((2, 3), 7.0), *arguments)), np.full((2, 3), expected)
        )


def test_identity_is_written(device):
    np.testing.assert_array_equal(xp.to_numpy(nn.init.eye_(xp.ones((2, 3)))), np.eye(2, 3))


@pytest.mark.parametrize("groups", [1, 2])
def test_convolution_with_the_weight_of_dirac_returns_its_channels(groups, device):
    x = xp.asarray(np.random.default_rng(0).normal(size=(1, 2 * groups, 6)))
    weight = nn.init.dirac_(xp.ones((4 * groups, 2, 3)), groups)
    result = xp.to_numpy(nn.functional.conv1d(x, weight, padding=1, groups=groups))
    for group in range(groups):
        own = result[0, 4 * group : 4 * group + 4]
        np.testing.assert_array_equal(own[:2], xp.to_numpy(x)[0, 2 * group : 2 * group + 2])
        np.testing.assert_array_equal(own[2:], 0)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.init.calculate_gain("x"), ValueError, "nonlinearity is 'x'.*, expected one of linear"),
        (lambda: nn.init.xavier_uniform_(xp.zeros((3,))), ValueError, r"shape \(3,\), expected 2 axes or more"),
        (lambda: nn.init.kaiming_normal_(xp.zeros((3, 3)), mode="x"), ValueError, "mode"),
        (lambda: nn.init.eye_(xp.zeros((3, 3, 3))), ValueError, "expected 2 axes"),
        (lambda: nn.init.dirac_(xp.zeros((3, 3))), ValueError, "expected 3, 4 or 5 axes"),
        (
            lambda: nn.init.dirac_(xp.zeros((3, 3, 3)), 2),
            ValueError,
            "groups is 2, expected a divisor of the 3 outputs",
        ),
        (lambda: nn.init.sparse_(xp.zeros((3, 3)), 1.5), ValueError, r"sparsity is 1.5, expected a number in \[0, 1\]"),
        (lambda: nn.init.trunc_normal_(xp.zeros((3,)), a=2.0, b=1.0), ValueError, "expected std > 0 and a < b"),
        (lambda: nn.init.normal_(xp.zeros((3,), dtype=xp.int64)), TypeError, "has dtype int64"),
        (lambda: nn.init.ones_(np.zeros(3)), TypeError, "ones_"),
    ],
)
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


# -- containers -------------------------------------------------------------------------------------------------------


def test_parameters_of_a_list_have_numbers_as_names(device):
    values = nn.ParameterList([xp.ones((2,)), xp.zeros((3,))]).append([1.0, 2.0])
    assert [(name, x.shape) for name, x in values.named_parameters()] == [("0", (2,)), ("1", (3,)), ("2", (2,))]
    assert len(values) == 3
    values[-1] = xp.ones((5,))
    assert [x.shape for x in values] == [(2,), (3,), (5,)]
    assert [x.shape for x in values[1:]] == [(3,), (5,)]
    with pytest.raises(IndexError):
        values[3] = xp.ones((1,))


def test_parameters_of_a_dict_have_its_names(device):
    values = nn.ParameterDict({"a": xp.ones((2,)), "b": [1.0]})
    values["c"] = xp.zeros((3,))
    del values["a"]
    assert [name for name, _ in values.named_parameters()] == list(values) == list(values.keys()) == ["b", "c"]
    assert "b" in values
    assert [x.shape for x in values.values()] == [x.shape for _, x in values.items()] == [(1,), (3,)]
    assert repr(values) == "ParameterDict(b: float64[1], c: float64[3])"


def test_parameters_of_a_list_are_learned(device):
    gradient = autograd.grad(lambda values: sum([xp.sum(x * x) for x in values]))(nn.ParameterList([[1.0], [2.0]]))
    assert [xp.to_numpy(x).tolist() for x in gradient] == [[2.0], [4.0]]
