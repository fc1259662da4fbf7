"""Donated arguments of fused functions: whose memory is free, and who raises afterwards."""

from __future__ import annotations

import copy
import operator
import pickle
import weakref

import numpy as np
import pytest

import xtensor as xp
from xtensor import nn, optim
from xtensor.autograd import value_and_grad


def host(x):
    return np.asarray(xp.to_numpy(x))


def halved(p, x):
    return {name: value - 0.5 * xp.sum(x @ value) for name, value in p.items()}


def test_result_of_a_function_with_donated_arguments(device):
    x = xp.ones((3, 4), device=device)
    step = xp.fuse(halved, donate=("p",))
    for number in range(3):
        values = np.arange(8.0).reshape(4, 2) + number
        found = step({"a": xp.asarray(values, device=device)}, x)
        np.testing.assert_array_equal(host(found["a"]), values - 0.5 * 3 * values.sum())


@pytest.mark.parametrize("name", ["p", ("p",)])
def test_donated_array_raises_after_the_call_and_others_do_not(device, name):
    p, x = xp.ones(4, device=device), xp.ones(4, device=device)
    step = xp.fuse(lambda p, x: p * x, donate=name)
    for _ in range(2):
        step(p, x)
        with pytest.raises(RuntimeError, match="was donated"):
            p + 1.0
        assert float(xp.sum(x)) == 4.0
        p = xp.ones(4, device=device)


USES = {
    "operator": lambda x: x * 2.0,
    "reflected": lambda x: 2.0 - x,
    "operand": lambda x: xp.ones(4, device="cpu") + x,
    "in place": lambda x: operator.iadd(x, 1.0),
    "function": xp.exp,
    "reduction": xp.sum,
    "list": lambda x: xp.concat([x, x]),
    "shape": lambda x: x.shape,
    "dtype": lambda x: x.dtype,
    "index": lambda x: x[0:1],
    "assignment": lambda x: operator.setitem(x, 0, 1.0),
    "len": len,
    "repr": repr,
    "numpy": np.asarray,
    "to_numpy": xp.to_numpy,
    "numpy function": np.sum,
    "float": lambda x: float(x),
    "truth": bool,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "dlpack": np.from_dlpack,
    "fused": xp.fuse(lambda x: x + 1.0),
    "method": lambda x: x.sum(),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_of_a_donated_array_raises(use):
    x = xp.ones(4, device="cpu")
    xp.fuse(lambda x: x + 1.0, donate="x")(x)
    with pytest.raises(RuntimeError, match="donated to a function of xtensor.fuse"):
        USES[use](x)


def test_memory_of_a_donated_argument_is_free_after_its_last_use():
    x = xp.asarray(np.ones(100_000), device="cpu", copy=True)
    memory = weakref.ref(x._native)
    step = xp.fuse(lambda x, y: xp.cumulative_sum(xp.cumulative_sum(x * 2.0) + y), donate="x")
    y = xp.ones(100_000, device="cpu")
    step(xp.ones(100_000, device="cpu"), y)  # records
    step(x, y)
    assert memory() is None


def test_argument_that_a_function_returns_is_a_new_array(device):
    x = xp.arange(4.0, device=device)
    keep = xp.fuse(lambda x: (x, x + 1.0), donate="x")
    same, _ = keep(x)
    assert host(same).tolist() == [0.0, 1.0, 2.0, 3.0]


def test_view_of_a_donated_argument_has_its_elements():
    x = xp.arange(6.0, device="cpu")
    (view,) = xp.fuse(lambda x: (xp.reshape(x, (2, 3)),), donate="x")(x)
    assert host(view).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_one_array_as_a_donated_and_another_argument():
    x = xp.arange(4.0, device="cpu")
    found = xp.fuse(lambda p, q: p * 2.0 + q, donate="p")(x, x)
    assert host(found).tolist() == [0.0, 3.0, 6.0, 9.0]


def test_argument_stays_where_the_function_raises():
    matrix = xp.asarray(np.eye(3), device="cpu")
    factor = xp.fuse(lambda a: xp.linalg.cholesky(a), donate="a")
    factor(matrix)
    singular = -xp.asarray(np.eye(3), device="cpu")
    with pytest.raises(Exception, match="positive"):
        factor(singular)


def test_argument_stays_where_the_function_itself_computes():
    count = xp.fuse(lambda x: x[x > 0.0] * 2.0, donate="x")
    count(xp.asarray([1.0, -1.0], device="cpu"))
    found = count(xp.asarray([1.0, 2.0], device="cpu"))
    assert host(found).tolist() == [2.0, 4.0]


def test_training_step_of_a_donated_module_and_its_optimizer():
    def made():
        model = nn.Sequential(
            nn.Linear(3, 4, rng=xp.random.default_rng(0)), nn.Linear(4, 2, rng=xp.random.default_rng(1))
        )
        return model, optim.Adam(model, lr=0.1)

    def step(model, optimizer, x):
        loss, gradients = value_and_grad(lambda model: xp.mean(model(x) ** 2))(model)
        optimizer.update(model, gradients)
        return loss

    x = xp.ones((5, 3), dtype=xp.float32)
    donating = xp.fuse(step, donate=("model", "optimizer"))
    (model, optimizer), (expected, other) = made(), made()
    for _ in range(3):
        donating(model, optimizer, x)
        step(expected, other, x)
    for found, value in zip(model.parameters(), expected.parameters(), strict=True):
        np.testing.assert_allclose(host(found), host(value), rtol=1e-5, atol=1e-6)


def test_statistics_that_a_step_does_not_assign_stay_with_the_donated_module():
    model = nn.Sequential(nn.Linear(2, 2, rng=0), nn.BatchNorm1d(2))
    model.eval()
    optimizer = optim.SGD(model, lr=0.1)

    @xp.fuse(donate=("model", "optimizer"))
    def step(model, optimizer, x):
        return optimizer.update(model, value_and_grad(lambda model: xp.sum(model(x)))(model)[1])

    for _ in range(2):
        model = step(model, optimizer, xp.ones((3, 2), dtype=xp.float32))
    assert [host(x).tolist() for x in model.buffers()] == [[0.0, 0.0], [1.0, 1.0], 0]


@pytest.mark.parametrize("setting", ["static", "donate"])
def test_name_that_is_no_parameter_raises(setting):
    with pytest.raises(ValueError, match="names 'q', which is no parameter of the function; it has p, x"):
        xp.fuse(halved, **{setting: "q"})
