"""Derivatives beside JAX's and torch's, in the environment ``autograd`` of tox, which has both."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, special

jax = pytest.importorskip("jax", reason="jax is not installed: tox -e autograd")

import jax.numpy as jnp  # noqa: E402
import jax.scipy.special as jss  # noqa: E402

jax.config.update("jax_enable_x64", True)

RNG = np.random.default_rng(7)
VECTOR = RNG.uniform(0.2, 0.9, 6)
MATRIX = RNG.standard_normal((4, 4)) + 4 * np.eye(4)
TALL = RNG.standard_normal((5, 3))
COMPLEX = RNG.standard_normal(5) + 1j * RNG.standard_normal(5)
COMPLEX_MATRIX = RNG.standard_normal((3, 3)) + 1j * RNG.standard_normal((3, 3)) + 3 * np.eye(3)

FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], np.ndarray]] = {
    **{
        name: (lambda m, x, name=name: getattr(m, name)(x), VECTOR)
        for name in (
            "abs", "acos", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "cumulative_prod",
            "cumulative_sum", "diff", "exp", "exp2", "expm1", "flip", "log", "log10", "log1p", "log2", "max",
            "mean", "median", "min", "prod", "reciprocal", "sin", "sinh", "sort", "sqrt", "square", "std",
            "sum", "tan", "tanh", "var",
        )
    },
    "atan2": (lambda m, x: m.atan2(x, x[::-1]), VECTOR),
    "clip": (lambda m, x: m.clip(x, 0.4, 0.7), VECTOR),
    "convolve": (lambda m, x: m.convolve(x, x[:3]), VECTOR),
    "hypot": (lambda m, x: m.hypot(x, x[::-1]), VECTOR),
    "index": (lambda m, x: x[m.asarray([1, 1, 4])], VECTOR),
    "logaddexp": (lambda m, x: m.logaddexp(x, x[::-1]), VECTOR),
    "maximum with ties": (lambda m, x: m.maximum(x, x * 1.0), VECTOR),
    "outer": (lambda m, x: m.linalg.outer(x, x), VECTOR),
    "pow": (lambda m, x: m.pow(x, x[::-1]), VECTOR),
    "where": (lambda m, x: m.where(x > 0.5, m.sin(x), x * x), VECTOR),
    "sinc": (lambda m, x: m.sinc(x), VECTOR),
    "fft": (lambda m, x: m.fft.fft(x), VECTOR),
    "rfft": (lambda m, x: m.fft.rfft(x), VECTOR),
    "irfft": (lambda m, x: m.fft.irfft(m.fft.rfft(x) ** 2, n=7), VECTOR),
    "inv": (lambda m, x: m.linalg.inv(x), MATRIX),
    "det": (lambda m, x: m.linalg.det(x), MATRIX),
    "slogdet": (lambda m, x: m.linalg.slogdet(x)[1], MATRIX),
    "solve": (lambda m, x: m.linalg.solve(x, x[:, 0] * 2), MATRIX),
    "cholesky": (lambda m, x: m.linalg.cholesky(x @ x.T), MATRIX),
    "eigvalsh": (lambda m, x: m.linalg.eigvalsh(x @ x.T), MATRIX),
    "qr": (lambda m, x: m.linalg.qr(x)[1], TALL),
    "svdvals": (lambda m, x: m.linalg.svd(x, full_matrices=False)[1], TALL),
    "pinv": (lambda m, x: m.linalg.pinv(x), TALL),
    "matrix_norm": (lambda m, x: m.linalg.matrix_norm(x, ord="nuc"), TALL),
    "vector_norm": (lambda m, x: m.linalg.vector_norm(x, axis=0, ord=3), TALL),
    "einsum": (lambda m, x: m.einsum("ij,kj->ik", x, x), TALL),
    "complex abs": (lambda m, z: m.abs(z), COMPLEX),
    "complex conj": (lambda m, z: m.conj(z) * z * z, COMPLEX),
    "complex exp": (lambda m, z: m.exp(z), COMPLEX),
    "complex imag": (lambda m, z: m.imag(z**2), COMPLEX),
    "complex real": (lambda m, z: m.real(z**3), COMPLEX),
    "complex prod": (lambda m, z: m.prod(z), COMPLEX),
    "complex ifft": (lambda m, z: m.fft.ifft(z), COMPLEX),
    "complex inv": (lambda m, z: m.linalg.inv(z), COMPLEX_MATRIX),
    "complex det": (lambda m, z: m.linalg.det(z), COMPLEX_MATRIX),
    "complex solve": (lambda m, z: m.linalg.solve(z, z[:, 0]), COMPLEX_MATRIX),
}  # fmt: skip

SPECIAL = (
    "digamma", "entr", "erf", "erfc", "erfinv", "exp1", "expi", "expit", "gammaln", "i0", "i0e", "i1", "i1e",
    "log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "softmax", "spence",
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_equal_those_of_jax(name):
    function, value = FUNCTIONS[name]
    compare(lambda x: function(xp, x), lambda x: function(jnp, x), value)


@pytest.mark.parametrize("name", SPECIAL)
def test_derivatives_of_special_functions_equal_those_of_jax(name):
    theirs = getattr(jss, name, None) or getattr(jax.nn, name)
    compare(getattr(special, name), theirs, VECTOR)


def compare(ours: Callable[[Any], Any], theirs: Callable[[Any], Any], value: np.ndarray) -> None:
    """Compare results, pullbacks of a random cotangent and pushforwards of a random tangent."""
    x, y = xp.asarray(value), jnp.asarray(value)
    found, pull = autograd.vjp(ours, x)
    wanted, their_pull = jax.vjp(theirs, y)
    np.testing.assert_allclose(xp.to_numpy(found), np.asarray(wanted), rtol=1e-9, atol=1e-10)
    rng = np.random.default_rng(1)
    cotangent = like(rng, np.asarray(wanted))
    (by_x,), (their_by_x,) = pull(xp.asarray(cotangent)), their_pull(jnp.asarray(cotangent))
    np.testing.assert_allclose(xp.to_numpy(by_x), np.asarray(their_by_x), rtol=1e-8, atol=1e-9)
    tangent = like(rng, value)
    _, pushed = autograd.jvp(ours, (x,), (xp.asarray(tangent),))
    _, their_pushed = jax.jvp(theirs, (y,), (jnp.asarray(tangent),))
    np.testing.assert_allclose(xp.to_numpy(pushed), np.asarray(their_pushed), rtol=1e-8, atol=1e-9)


def like(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    drawn = rng.standard_normal(value.shape)
    return drawn + 1j * rng.standard_normal(value.shape) if value.dtype.kind == "c" else drawn


TORCH = (
    "abs", "cholesky", "clip", "det", "eigvalsh", "exp", "fft", "hypot", "inv", "log", "logaddexp", "maximum with ties",
    "mean", "pinv", "pow", "prod", "rfft", "sin", "solve", "sqrt", "square", "sum", "svdvals", "tanh", "where",
)  # fmt: skip


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("name", TORCH)
def test_gradients_equal_those_of_torch(name):
    import torch

    function, value = FUNCTIONS[name]
    if name in ("logaddexp", "hypot", "pow"):
        function = lambda m, x: getattr(m, name)(x, x * 0.7)  # noqa: E731 - torch has no negative steps
    absolute = lambda m, y: m.sum(m.abs(y) ** 2)  # noqa: E731
    x = torch.tensor(value, requires_grad=True)
    absolute(torch, function(torch, x)).backward()
    found = autograd.grad(lambda x: absolute(xp, function(xp, x)))(xp.asarray(value))
    np.testing.assert_allclose(xp.to_numpy(found), x.grad.numpy(), rtol=1e-8, atol=1e-9)
