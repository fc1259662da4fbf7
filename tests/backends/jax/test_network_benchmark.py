"""The benchmark's networks as functions of JAX: the scores of the modules whose weights they have."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from benchmarks._network_jax import NETWORKS, training_step
from benchmarks._network_process import EXAMPLES, _data
from xtensor import autograd, nn, optim

jax = pytest.importorskip("jax", reason="JAX is not installed: environment tests-jax")


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_train_as_the_modules_do(name):
    with xp.use_device("cpu"):
        model, shape = EXAMPLES[name](nn)
        x, y = map(xp.asarray, _data(name, shape))
        weights = {key: jax.numpy.asarray(np.asarray(value)) for key, value in model.state_dict().items()}
        model.eval()
        arrays = xp.to_numpy(x), jax.numpy.asarray(xp.to_numpy(y))
        found = NETWORKS[name](weights, arrays[0], False)[0]
        np.testing.assert_allclose(found, xp.to_numpy(model(x)), atol=1e-5)
        model.train()
        names = [key for key, _ in model.named_parameters()]
        moments = tuple([{key: jax.numpy.zeros_like(weights[key]) for key in names} for _ in range(2)])
        state, step, optimizer = (weights, moments, 0), training_step(NETWORKS[name]), optim.AdamW(model, lr=1e-3)
        # Adam moves a weight by the rate whatever its gradient is, so that one whose gradient is rounding errors moves
        # either way: 1 % of what a step gains.
        for tolerance in (1e-5, 1e-3, 1e-3):
            loss, gradient = autograd.value_and_grad(lambda m: nn.functional.cross_entropy(m(x), y))(model)
            optimizer.update(model, gradient)
            value, state = step(state, *arrays)
            assert float(value) == pytest.approx(float(loss), rel=tolerance)
