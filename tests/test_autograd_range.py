"""Gradients of statistics and norms whose intermediate results, or themselves, leave the range, against exact ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from strategies import quiet

import xtensor as xp
from xtensor import autograd

NUMBERS = np.asarray([1.0, 2.0, 4.0])
DISTANCES = NUMBERS - 7 / 3
DEVIATION = (DISTANCES @ DISTANCES / 2) ** 0.5

ENDS = [
    *(("float32", 2.0**exponent) for exponent in (-80, -100, 62, 125)),
    *(("float64", 2.0**exponent) for exponent in (-570, -1000, 520, 1021)),
]
"""Scales of the numbers, of which the squares leave the range, and of the largest ones the sum as well."""

FUNCTIONS: dict[str, tuple[Callable[[xp.Array], xp.Array], np.ndarray]] = {
    "nanstd": (lambda x: xp.nanstd(x, ddof=1), DISTANCES / DEVIATION / 2),
    "nanmean": (lambda x: xp.nanmean(x), np.full(3, 1 / 3)),
    "average": (
        lambda x: xp.average(x, weights=xp.asarray([1.0, 2.0, 1.0], dtype=x.dtype, device=x.device)),
        np.asarray([0.25, 0.5, 0.25]),
    ),
    "trapezoid": (
        lambda x: xp.trapezoid(x, xp.asarray([0.0, 0.125, 0.25], dtype=x.dtype, device=x.device)),
        np.asarray([0.0625, 0.125, 0.0625]),
    ),
    "norm 2": (xp.linalg.vector_norm, NUMBERS / 21**0.5),
    "norm 3": (lambda x: xp.linalg.vector_norm(x, ord=3), NUMBERS**2 / 73 ** (2 / 3)),
}


def array(values: np.ndarray, dtype: str, scale: float, device: xp.Device) -> xp.Array:
    return xp.asarray((values * (scale / 4)).astype(dtype), device=device)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("dtype", "scale"), ENDS)
@pytest.mark.parametrize("cotangent", [1.0, 2.0**-10, 2.0**10])
def test_gradient_does_not_depend_on_the_scale(
    device: xp.Device, name: str, dtype: str, scale: float, cotangent: float
) -> None:
    function, expected = FUNCTIONS[name]
    x = array(NUMBERS, dtype, scale, device)
    with quiet():
        _, pulled = autograd.vjp(function, x)
        (gradient,) = pulled(xp.asarray(cotangent, dtype=x.dtype, device=device))
    np.testing.assert_allclose(
        np.asarray(xp.to_numpy(gradient), float), expected * cotangent, rtol=32 * float(np.finfo(dtype).eps)
    )


@pytest.mark.parametrize(("dtype", "scale"), ENDS)
def test_gradient_of_a_variance_that_leaves_the_range_is_a_multiple_of_the_distances(
    device: xp.Device, dtype: str, scale: float
) -> None:
    x = array(NUMBERS, dtype, scale, device)
    with quiet():
        gradient = xp.to_numpy(autograd.grad(lambda x: xp.nanvar(x, ddof=1))(x))
    np.testing.assert_allclose(gradient / (scale / 4), DISTANCES, rtol=32 * float(np.finfo(dtype).eps))


@pytest.mark.parametrize("order", [2, 3, 1.5])
def test_gradient_of_a_norm_that_overflows(device: xp.Device, order: float) -> None:
    x = xp.full((4,), 1.5e308, device=device)
    with quiet():
        assert xp.isinf(xp.linalg.vector_norm(x, ord=order))
        gradient = xp.to_numpy(autograd.grad(lambda x: xp.linalg.vector_norm(x, ord=order))(x))
    np.testing.assert_allclose(gradient, 4 ** (1 / order - 1), rtol=1e-14)


def test_gradient_of_weights_of_an_average_at_the_end_of_the_range(device: xp.Device) -> None:
    values, weights = xp.asarray([1e308, 1.5e308], device=device), xp.asarray([1e308, 1e308], device=device)
    with quiet():
        gradient = xp.to_numpy(autograd.grad(lambda w: xp.average(values, weights=w))(weights))
    np.testing.assert_allclose(gradient, [-0.125, 0.125], rtol=1e-14)


def rows_of_extreme_numbers(dtype: str) -> list[list[float]]:
    """Rows whose partial products leave the range, and which have zeros."""
    rng = np.random.default_rng(3)
    end = 200 if dtype == "float64" else 30
    rows = []
    for length in [1, 2, 3, 4, 5, 8] * 6:
        row = rng.choice([-3.0, 1.5, 1.0, -1.0, 2.0], length) * 10.0 ** rng.choice([0, 0, end, -end, end / 2], length)
        row[rng.random(length) < 0.2] = 0.0
        rows.append(row.astype(dtype).tolist())
    return rows


def nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_of_cumulative_prod_does_not_depend_on_partial_products(device: xp.Device, dtype: str) -> None:
    for row in rows_of_extreme_numbers(dtype):
        weights = [1.0, -2.0, 0.5, 0.0, 4.0, 1.0, 1.0, -1.0][: len(row)]
        x, w = (xp.asarray(numbers, dtype=getattr(xp, dtype), device=device) for numbers in (row, weights))
        with quiet():
            gradient = xp.to_numpy(autograd.grad(lambda x, w=w: xp.sum(xp.cumulative_prod(x) * w))(x))
            exact = [
                nearest(
                    sum(
                        Fraction(weights[j]) * math.prod(Fraction(v) for k, v in enumerate(row[: j + 1]) if k != i)
                        for j in range(i, len(row))
                    )
                )
                for i in range(len(row))
            ]
            expected = np.asarray(exact).astype(dtype)
        limits = np.finfo(dtype)
        np.testing.assert_allclose(gradient, expected, rtol=64 * float(limits.eps), atol=float(limits.smallest_normal))
