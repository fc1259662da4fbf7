"""Programs that users compile as a whole, each written once over a library's functions.

The functions in which the libraries differ (gradients, layers, loops) are the methods of a :class:`Library`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["PROGRAMS", "jax_library", "torch_library", "xtensor_library"]

Program = Callable[["Library"], tuple[Callable[..., Any], tuple[Any, ...]]]
"""Function of a library that returns the function to compile, and its arguments."""


class Library:
    """The functions of a library that programs use.

    Attributes
    ----------
    xp
        Module of arrays.
    array
        Function that returns an array of a NumPy array.
    value_and_grad
        Transform that returns the value and the gradient by the first argument.
    relu, gelu, layer_norm, attention, convolution, pool, cross_entropy, ndtr, rows, triangular, repeat
        Functions of arrays: ``rows(table, indices)`` selects rows, ``repeat(count, step, x)`` calls a step in a loop.
    """

    def __init__(self, **functions: Any) -> None:
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)


def xtensor_library() -> Library:
    """Return xtensor's functions."""
    import xtensor as xp
    from xtensor import autograd, linalg, special
    from xtensor.nn import functional as nn

    return Library(
        xp=xp,
        array=xp.asarray,
        value_and_grad=autograd.value_and_grad,
        relu=nn.relu,
        gelu=lambda x: nn.gelu(x, approximate="tanh"),
        layer_norm=nn.layer_norm,
        attention=lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, causal=True),
        convolution=lambda x, w, b: nn.conv2d(x, w, b, padding=1),
        pool=lambda x: nn.max_pool2d(x, 2),
        cross_entropy=nn.cross_entropy,
        ndtr=special.ndtr,
        rows=lambda table, indices: table[indices],
        triangular=lambda factor, y: linalg.solve_triangular(factor, y, lower=True),
        repeat=_repeat,
    )


def _repeat(count: int, step: Callable[[Any], Any], x: Any) -> Any:
    for _ in range(count):
        x = step(x)
    return x


def torch_library(device: str) -> Library:
    """Return torch's functions, with arrays on a device of torch."""
    torch = import_module("torch")
    nn = torch.nn.functional

    def value_and_grad(loss: Callable[..., Any]) -> Callable[..., Any]:
        def differentiated(parameters: Any, *args: Any) -> Any:
            leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
            value = loss(leaves, *args)
            gradients = torch.autograd.grad(value, list(leaves.values()))
            return value.detach(), dict(zip(leaves, gradients, strict=True))

        return differentiated

    return Library(
        xp=torch,
        array=partial(torch.asarray, device=device),
        value_and_grad=value_and_grad,
        relu=nn.relu,
        gelu=lambda x: nn.gelu(x, approximate="tanh"),
        layer_norm=lambda x, w, b: nn.layer_norm(x, w.shape, w, b),
        attention=lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, is_causal=True),
        convolution=lambda x, w, b: nn.conv2d(x, w, b, padding=1),
        pool=lambda x: nn.max_pool2d(x, 2),
        cross_entropy=nn.cross_entropy,
        ndtr=torch.special.ndtr,
        rows=lambda table, indices: table[indices],
        triangular=lambda factor, y: torch.linalg.solve_triangular(factor, y, upper=False),
        repeat=_repeat,
    )


def jax_library() -> Library:
    """Return JAX's functions."""
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jnp, lax, linalg = jax.numpy, jax.lax, import_module("jax.scipy.linalg")

    def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
        mean = jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.var(x, axis=-1, keepdims=True)
        return (x - mean) / jnp.sqrt(variance + 1e-5) * weight + bias

    def attention(q: Any, k: Any, v: Any) -> Any:
        def swap(x: Any) -> Any:
            return jnp.swapaxes(x, 1, 2)

        return swap(jax.nn.dot_product_attention(swap(q), swap(k), swap(v), is_causal=True))

    def cross_entropy(logits: Any, labels: Any) -> Any:
        logs = jax.nn.log_softmax(logits, axis=-1)
        return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], axis=1))

    return Library(
        xp=jnp,
        array=jnp.asarray,
        value_and_grad=jax.value_and_grad,
        relu=jax.nn.relu,
        gelu=jax.nn.gelu,
        layer_norm=layer_norm,
        attention=attention,
        convolution=lambda x, w, b: (
            lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1))) + jnp.reshape(b, (-1, 1, 1))
        ),
        pool=lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
        cross_entropy=cross_entropy,
        ndtr=jax.scipy.special.ndtr,
        rows=lambda table, indices: table[indices],
        triangular=lambda factor, y: linalg.solve_triangular(factor, y, lower=True),
        repeat=lambda count, step, x: lax.fori_loop(0, count, lambda _, value: step(value), x),
    )


# -- training ---------------------------------------------------------------------------------------------------------


def _training(
    library: Library, loss: Callable[..., Any], parameters: dict[str, Any], *data: Any
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a step of Adam, and its arguments: parameters, their averages, the number of the step, and a batch."""
    gradient = library.value_and_grad(loss)
    sqrt = library.xp.sqrt

    def step(parameters: Any, means: Any, squares: Any, count: Any, *data: Any) -> Any:
        value, gradients = gradient(parameters, *data)
        count = count + 1.0
        unbiased1, unbiased2 = 1.0 - 0.9**count, 1.0 - 0.999**count
        updated: tuple[dict[str, Any], ...] = ({}, {}, {})
        for name, g in gradients.items():
            mean = 0.9 * means[name] + 0.1 * g
            square = 0.999 * squares[name] + 0.001 * g * g
            change = 1e-3 * (mean / unbiased1) / (sqrt(square / unbiased2) + 1e-8)
            for part, new in zip(updated, (parameters[name] - change, mean, square), strict=True):
                part[name] = new
        return value, *updated, count

    arrays = {name: library.array(value.astype(np.float32)) for name, value in parameters.items()}
    zeros = [{name: library.array(np.zeros(x.shape, np.float32)) for name, x in parameters.items()} for _ in range(2)]
    count = library.array(np.asarray(0.0, dtype=np.float32))
    return step, (arrays, *zeros, count, *map(library.array, data))


def _perceptron(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    parameters = {f"w{layer}": rng.standard_normal((256, 256)) / 16 for layer in range(3)}
    parameters |= {f"b{layer}": np.zeros(256) for layer in range(3)}

    def loss(p: Any, x: Any, labels: Any) -> Any:
        for layer in range(3):
            x = x @ p[f"w{layer}"] + p[f"b{layer}"]
            x = library.relu(x) if layer < 2 else x
        return library.cross_entropy(x, labels)

    x = rng.standard_normal((256, 256)).astype(np.float32)
    return _training(library, loss, parameters, x, rng.integers(0, 256, 256))


def _convolutional(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a step for two convolutions of 3 x 3 with pooling, and a linear layer, for 64 images of 8 x 8."""
    rng = np.random.default_rng(0)
    parameters = {
        "w0": rng.standard_normal((16, 1, 3, 3)) / 3,
        "b0": np.zeros(16),
        "w1": rng.standard_normal((32, 16, 3, 3)) / 12,
        "b1": np.zeros(32),
        "w2": rng.standard_normal((128, 10)) / 11,
        "b2": np.zeros(10),
    }

    def loss(p: Any, x: Any, labels: Any) -> Any:
        for layer in range(2):
            x = library.convolution(x, p[f"w{layer}"], p[f"b{layer}"])
            x = library.pool(library.relu(x))
        x = library.xp.reshape(x, (64, 128))
        return library.cross_entropy(x @ p["w2"] + p["b2"], labels)

    x = rng.standard_normal((64, 1, 8, 8)).astype(np.float32)
    return _training(library, loss, parameters, x, rng.integers(0, 10, 64))


LAYERS, WIDTH, CONTEXT, HEADS, SYMBOLS, SEQUENCES = 4, 128, 128, 4, 64, 4


def _gpt(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    parameters = {"symbols": rng.standard_normal((SYMBOLS, WIDTH)), "positions": rng.standard_normal((CONTEXT, WIDTH))}
    for layer in range(LAYERS):
        for name, rows, columns in (
            ("qkv", WIDTH, 3 * WIDTH),
            ("out", WIDTH, WIDTH),
            ("up", WIDTH, 4 * WIDTH),
            ("down", 4 * WIDTH, WIDTH),
        ):
            parameters[f"{name}{layer}"] = rng.standard_normal((rows, columns)) / math.sqrt(rows)
            parameters[f"{name}_bias{layer}"] = np.zeros(columns)
        for name in ("norm1", "norm2"):
            parameters[f"{name}{layer}"] = np.ones(WIDTH)
            parameters[f"{name}_bias{layer}"] = np.zeros(WIDTH)
    parameters |= {"norm": np.ones(WIDTH), "norm_bias": np.zeros(WIDTH)}
    xp = library.xp

    def heads(x: Any) -> Any:
        return xp.swapaxes(xp.reshape(x, (SEQUENCES, CONTEXT, HEADS, WIDTH // HEADS)), 1, 2)

    def loss(p: Any, symbols: Any, labels: Any) -> Any:
        x = library.rows(p["symbols"], symbols) + p["positions"]
        for layer in range(LAYERS):
            y = library.layer_norm(x, p[f"norm1{layer}"], p[f"norm1_bias{layer}"])
            y = y @ p[f"qkv{layer}"] + p[f"qkv_bias{layer}"]
            q, k, v = (heads(y[..., part * WIDTH : (part + 1) * WIDTH]) for part in range(3))
            y = xp.reshape(xp.swapaxes(library.attention(q, k, v), 1, 2), (SEQUENCES, CONTEXT, WIDTH))
            x = x + y @ p[f"out{layer}"] + p[f"out_bias{layer}"]
            y = library.layer_norm(x, p[f"norm2{layer}"], p[f"norm2_bias{layer}"])
            y = library.gelu(y @ p[f"up{layer}"] + p[f"up_bias{layer}"])
            x = x + y @ p[f"down{layer}"] + p[f"down_bias{layer}"]
        x = library.layer_norm(x, p["norm"], p["norm_bias"])
        logits = xp.reshape(x @ p["symbols"].T, (SEQUENCES * CONTEXT, SYMBOLS))
        return library.cross_entropy(logits, labels)

    symbols = rng.integers(0, SYMBOLS, (SEQUENCES, CONTEXT))
    return _training(library, loss, parameters, symbols, rng.integers(0, SYMBOLS, SEQUENCES * CONTEXT))


# -- numerical programs -----------------------------------------------------------------------------------------------


def _likelihood(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the negative logarithm of a Gaussian process's likelihood at 300 points, with the gradient."""
    rng = np.random.default_rng(0)
    points = np.sort(rng.uniform(0.0, 10.0, 300))
    xp = library.xp
    squares = library.array((points[:, None] - points) ** 2)
    y = library.array(np.sin(points)[:, None] + 0.1 * rng.standard_normal((300, 1)))
    eye = library.array(np.eye(300))

    def negative_logarithm(p: Any, squares: Any, y: Any, eye: Any) -> Any:
        covariance = xp.exp(p["scale"] - squares * xp.exp(-2.0 * p["length"])) + xp.exp(p["noise"]) * eye
        factor = xp.linalg.cholesky(covariance)
        whitened = library.triangular(factor, y)
        return 0.5 * xp.sum(whitened * whitened) + xp.sum(xp.log(xp.linalg.diagonal(factor)))

    parameters = {name: library.array(np.asarray(value)) for name, value in zip(NAMES, (0.0, 0.0, -2.0), strict=True)}
    return library.value_and_grad(negative_logarithm), (parameters, squares, y, eye)


NAMES = ("scale", "length", "noise")


def _heat(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    roll = library.xp.roll

    def steps(u: Any) -> Any:
        return library.repeat(200, lambda u: u + 0.1 * (roll(u, 1) - 2.0 * u + roll(u, -1)), u)

    return steps, (library.array(np.random.default_rng(0).standard_normal(10_000)),)


def _clusters(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a step of Lloyd's algorithm for 10,000 points with 16 coordinates and 8 clusters."""
    rng = np.random.default_rng(0)
    xp = library.xp

    def step(x: Any, centres: Any, numbers: Any, one: Any, zero: Any) -> Any:
        distances = xp.sum(centres * centres, axis=1) - 2.0 * (x @ centres.T)
        labels = xp.argmin(distances, axis=1)
        chosen = xp.where(labels[:, None] == numbers, one, zero)
        counts = xp.sum(chosen, axis=0)
        return (chosen.T @ x) / xp.where(counts > 0.0, counts, 1.0)[:, None], labels

    x = rng.standard_normal((10_000, 16))
    constants = [library.array(np.asarray(value)) for value in (1.0, 0.0)]
    return step, (library.array(x), library.array(x[:8].copy()), library.array(np.arange(8)), *constants)


def _prices(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the price of 100,000 options by Black and Scholes, with its four first derivatives."""
    rng = np.random.default_rng(0)
    xp, ndtr = library.xp, library.ndtr

    def price(p: Any, strike: Any) -> Any:
        spot, volatility, time, rate = p["spot"], p["volatility"], p["time"], p["rate"]
        deviation = volatility * xp.sqrt(time)
        d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / deviation
        return xp.sum(spot * ndtr(d1) - strike * xp.exp(-rate * time) * ndtr(d1 - deviation))

    ranges = {"spot": (80, 120), "volatility": (0.1, 0.5), "time": (0.1, 2.0), "rate": (0.0, 0.1)}
    parameters = {name: library.array(rng.uniform(*ends, 100_000)) for name, ends in ranges.items()}
    return library.value_and_grad(price), (parameters, library.array(rng.uniform(80, 120, 100_000)))


def _of_scipy(module: str, name: str, **options: Any) -> Program:
    def program(library: Library) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        function = getattr(import_module(module), name)
        x = np.random.default_rng(0).standard_normal((1000, 100))
        return lambda x: function(x, **options), (library.array(x),)

    return program


PROGRAMS: dict[str, Program] = {
    "training step of 3 layers of 256, batch of 256": _perceptron,
    "training step of a convolutional network, 64 images of 8 x 8": _convolutional,
    "training step of a GPT, 4 layers of 128, context of 128": _gpt,
    "Gaussian log likelihood and gradient, 300 points": _likelihood,
    "heat equation, 200 steps of 1e4": _heat,
    "k-means step, 1e4 x 16": _clusters,
    "scipy.special.logsumexp, 1000 x 100": _of_scipy("scipy.special", "logsumexp", axis=1),
    "scipy.special.softmax, 1000 x 100": _of_scipy("scipy.special", "softmax", axis=1),
    "scipy.stats.zscore, 1000 x 100": _of_scipy("scipy.stats", "zscore", axis=0),
    "Black-Scholes prices and Greeks, 1e5": _prices,
}
"""The programs by the names of their rows."""
