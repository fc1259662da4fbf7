"""The examples of the group ``networks`` as functions of JAX, with the weights of modules by their PyTorch names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["NETWORKS", "training_step"]

Weights = dict[str, Any]
Network = Callable[..., tuple[Any, Weights]]
"""A function of weights, an input and whether it trains; it returns scores and the statistics that it has updated."""

HEADS, LAYERS = 4, 4


def _linear(weights: Weights, name: str, x: Any) -> Any:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def perceptron(weights: Weights, x: Any, training: bool) -> tuple[Any, Weights]:
    """Compute 3 layers with rectifiers between them."""
    jax = import_module("jax")
    for name in ("0", "2"):
        x = jax.nn.relu(_linear(weights, name, x))
    return _linear(weights, "4", x), {}


def digits(weights: Weights, x: Any, training: bool) -> tuple[Any, Weights]:
    """Compute two convolutions with batch normalization, pooling, and two linear layers."""
    jax = import_module("jax")
    lax, statistics = jax.lax, {}
    for convolution, norm in (("0", "1"), ("3", "4")):
        x = lax.conv_general_dilated(x, weights[f"{convolution}.weight"], (1, 1), "SAME")
        x, updated = _batch_norm(weights, norm, x + weights[f"{convolution}.bias"][:, None, None], training)
        statistics.update(updated)
        x = jax.nn.relu(x)
    x = lax.reduce_window(x, -jax.numpy.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x = jax.nn.relu(_linear(weights, "8", x.reshape(x.shape[0], -1)))
    return _linear(weights, "10", x), statistics


def _batch_norm(weights: Weights, name: str, x: Any, training: bool) -> tuple[Any, Weights]:
    jnp = import_module("jax").numpy
    names, statistics = (f"{name}.running_mean", f"{name}.running_var"), {}
    mean, variance = (weights[key] for key in names)
    if training:
        mean, variance = jnp.mean(x, axis=(0, 2, 3)), jnp.var(x, axis=(0, 2, 3))
        count = x.size // x.shape[1]
        for key, value in zip(names, (mean, variance * (count / (count - 1))), strict=True):
            statistics[key] = 0.9 * weights[key] + 0.1 * value
    factor = weights[f"{name}.weight"] / jnp.sqrt(variance + 1e-5)
    return (x - mean[:, None, None]) * factor[:, None, None] + weights[f"{name}.bias"][:, None, None], statistics


def transformer(weights: Weights, x: Any, training: bool) -> tuple[Any, Weights]:
    """Compute layers of attention and two linear layers, each of a normalized input and with a sum."""
    jax = import_module("jax")
    jnp = jax.numpy
    for layer in range(LAYERS):
        h = _layer_norm(weights, f"{layer}.norm1", x)
        projected = h @ weights[f"{layer}.self_attn.in_proj_weight"].T + weights[f"{layer}.self_attn.in_proj_bias"]
        query, key, value = (part.reshape(*x.shape[:2], HEADS, -1) for part in jnp.split(projected, 3, axis=-1))
        h = jax.nn.dot_product_attention(query, key, value).reshape(x.shape)
        x = x + _linear(weights, f"{layer}.self_attn.out_proj", h)
        h = jax.nn.gelu(_linear(weights, f"{layer}.linear1", _layer_norm(weights, f"{layer}.norm2", x)), False)
        x = x + _linear(weights, f"{layer}.linear2", h)
    return _linear(weights, str(LAYERS + 1), _layer_norm(weights, str(LAYERS), x)), {}


def _layer_norm(weights: Weights, name: str, x: Any) -> Any:
    jnp = import_module("jax").numpy
    mean, variance = jnp.mean(x, axis=-1, keepdims=True), jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


NETWORKS: Mapping[str, Network] = {"perceptron": perceptron, "digits": digits, "transformer": transformer}


def training_step(network: Network) -> Callable[..., tuple[Any, Any]]:
    """Return the compiled step of training by AdamW: of (weights, moments, number of the step), inputs and classes.

    It returns the loss and the state after the step. The moments are a pair of dicts by the names of parameters.
    """
    jax = import_module("jax")
    jnp = jax.numpy

    def loss(parameters: Weights, weights: Weights, x: Any, y: Any) -> tuple[Any, Weights]:
        scores, statistics = network(weights | parameters, x, True)
        logs = jax.nn.log_softmax(scores, axis=-1)
        return -jnp.mean(jnp.take_along_axis(logs, y[..., None], axis=-1)), statistics

    def step(state: tuple[Weights, tuple[Weights, Weights], Any], x: Any, y: Any) -> tuple[Any, Any]:
        weights, (first, second), number = state
        parameters, number = {name: weights[name] for name in first}, number + 1
        (value, statistics), gradient = jax.value_and_grad(loss, has_aux=True)(parameters, weights, x, y)
        new: Weights = weights | statistics
        moments: tuple[Weights, Weights] = ({}, {})
        for name, g in gradient.items():
            moments[0][name] = mean = 0.9 * first[name] + 0.1 * g
            moments[1][name] = square = 0.999 * second[name] + 0.001 * g * g
            root = jnp.sqrt(square / (1 - 0.999**number)) + 1e-8
            new[name] = parameters[name] * (1 - 1e-3 * 0.01) - 1e-3 * mean / (1 - 0.9**number) / root
        return value, (new, moments, number)

    return jax.jit(step, donate_argnums=0)  # type: ignore[no-any-return]
