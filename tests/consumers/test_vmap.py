"""Functions of SciPy and ensembles of networks in batches, beside a loop over the examples."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn

scipy_special = pytest.importorskip("scipy.special")
scipy_stats = pytest.importorskip("scipy.stats")

FUNCTIONS = {
    "special.logsumexp": scipy_special.logsumexp,
    "special.softmax": scipy_special.softmax,
    "stats.kurtosis": scipy_stats.kurtosis,
    "stats.moment": lambda x: scipy_stats.moment(x, order=3),
    "stats.skew": scipy_stats.skew,
    "stats.variation": scipy_stats.variation,
    "stats.zscore": scipy_stats.zscore,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_scipy_in_batches(device, name):
    rows = xp.asarray(np.random.default_rng(0).normal(size=(4, 10)), device=device)
    found = xp.vmap(FUNCTIONS[name])(rows)
    for number in range(4):
        expected = FUNCTIONS[name](rows[number, ...])
        np.testing.assert_allclose(xp.to_numpy(found[number, ...]), xp.to_numpy(expected), rtol=1e-12, atol=1e-13)


def layer(seed, device):
    return nn.Linear(3, 2, rng=xp.random.default_rng(seed, device=device), device=device)


def test_ensemble_of_networks(device):
    networks = [layer(seed, device) for seed in range(4)]
    x = xp.asarray(np.random.default_rng(1).normal(size=(5, 3)), dtype=xp.float32, device=device)
    ensemble = layer(0, device)
    ensemble.weight = xp.stack([network.weight for network in networks])
    ensemble.bias = xp.stack([network.bias for network in networks])
    found = xp.vmap(lambda network, x: network(x), in_axes=(0, None))(ensemble, x)
    for number, network in enumerate(networks):
        np.testing.assert_allclose(xp.to_numpy(found[number, ...]), xp.to_numpy(network(x)), rtol=2e-6, atol=1e-6)


def test_gradients_of_a_network_for_each_example(device):
    network = layer(0, device)
    x = xp.asarray(np.random.default_rng(1).normal(size=(5, 3)), dtype=xp.float32, device=device)
    gradient = autograd.grad(lambda network, x: xp.sum(network(x)))
    found = xp.vmap(gradient, in_axes=(None, 0))(network, x)
    np.testing.assert_allclose(
        xp.to_numpy(found.weight), np.broadcast_to(xp.to_numpy(x)[:, None, :], (5, 2, 3)), rtol=1e-6
    )
