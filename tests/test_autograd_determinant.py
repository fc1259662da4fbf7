"""Derivatives of determinants of matrices of every rank, beside polynomials of integers."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, linalg

SIZES = [(n, rank) for n in (1, 2, 3, 5) for rank in range(n + 1)]


def matrices(n, rank):
    """Return two integer matrices, of which the first one has at most a rank."""
    rng = np.random.default_rng(10 * n + rank)
    a = rng.integers(-3, 4, (n, rank)) @ rng.integers(-3, 4, (rank, n))
    return a, rng.integers(-3, 4, (n, n))


def coefficients(a, b):
    """Return those of ``det(a + t b)`` up to the third power of t, by the sum over permutations."""
    total = [0] * 4
    for order in permutations(range(len(a))):
        sign = round(np.linalg.det(np.eye(len(a))[list(order)]))
        product = [sign, 0, 0, 0]
        for i, j in enumerate(order):
            x, y = int(a[i, j]), int(b[i, j])
            product = [x * product[k] + y * (product[k - 1] if k else 0) for k in range(4)]
        total = [left + right for left, right in zip(total, product, strict=True)]
    return total


def along(f, direction):
    return lambda x: xp.sum(autograd.grad(f)(x) * direction)


def derivatives(a, b):
    """Return the determinant and its derivatives along b to the third order."""
    functions = [linalg.det]
    for _ in range(3):
        functions.append(along(functions[-1], b))
    return xp.stack([f(a) for f in functions])


def scale(a, b):
    return (np.abs(a).max() + np.abs(b).max()) ** len(a)


@pytest.mark.parametrize("way", ["plain", "fuse", "vmap"])
@pytest.mark.parametrize(("n", "rank"), SIZES)
def test_derivatives_of_determinants_of_every_rank(n, rank, way):
    a, b = matrices(n, rank)
    expected = [factorial(k) * c for k, c in enumerate(coefficients(a, b))]
    x, direction = xp.asarray(a, dtype=xp.float64), xp.asarray(b, dtype=xp.float64)
    if way == "vmap":  # beside a regular matrix
        found = xp.vmap(derivatives, in_axes=(0, None))(xp.stack([x, xp.eye(n) * 2]), direction)[0, ...]
    else:
        found = (xp.fuse(derivatives) if way == "fuse" else derivatives)(x, direction)
    np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=1e-9, atol=1e-11 * scale(a, b))


@pytest.mark.parametrize(
    "matrix", [np.eye(4), 2 * np.eye(4)[::-1], np.diag([3.0, 3, 0, 0]), np.zeros((4, 4)), np.ones((4, 4))]
)
def test_equal_singular_values_have_derivatives_of_determinants(matrix):
    _, b = matrices(4, 4)
    expected = [factorial(k) * c for k, c in enumerate(coefficients(matrix, b))]
    f = xp.fuse(derivatives)
    for _ in range(2):
        found = f(xp.asarray(matrix), xp.asarray(b, dtype=xp.float64))
        np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=1e-9, atol=1e-11 * scale(matrix, b))


def test_nearly_singular_matrix_has_the_second_derivative_of_the_polynomial():
    """``det`` of ``[[1, 1], [1, 1 + h]]`` by the inverse alone would lose half of the digits."""
    x = xp.asarray([[1.0, 1.0], [1.0, 1.0 + 2.0**-30]])
    hessian = xp.to_numpy(xp.reshape(autograd.hessian(linalg.det)(x), (4, 4)))
    np.testing.assert_allclose(hessian, np.fliplr(np.diag([1.0, -1, -1, 1])), atol=1e-12)


def test_determinants_of_complex_matrices_of_every_rank():
    direction = np.asarray([[1, 2j, 0], [1j, -1, 2], [0, 1, 1 - 1j]])
    for a in (np.zeros((3, 3)), np.diag([1j, 0, 0]), np.outer([1, 1j, 2], [1j, 1, 0])):
        x, d = xp.asarray(a, dtype=xp.complex128), xp.asarray(direction)
        along_line = lambda t, x=x, d=d: linalg.det(x + t * d)  # noqa: E731
        slope = lambda t, f=along_line: autograd.jvp(f, (t,), (xp.ones_like(t),))[1]  # noqa: E731
        found = autograd.jvp(slope, (xp.asarray(0j),), (xp.asarray(1 + 0j),))[1]
        first, middle, last = [complex(np.linalg.det(a + t * direction)) for t in (-1, 0, 1)]
        assert complex(found) == pytest.approx(
            first - 2 * middle + last, abs=1e-12
        )  # exact for a polynomial of degree 3


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_determinants_without_elements_have_derivatives_without_elements(shape):
    def total(x):
        return xp.sum(linalg.det(x))

    x = xp.zeros(shape)
    assert autograd.grad(total)(x).shape == shape
    assert autograd.hessian(total)(x).shape == shape * 2
