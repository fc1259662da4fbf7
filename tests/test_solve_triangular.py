"""Triangular systems: solutions, derivatives and batches beside those of NumPy's and xtensor's general solver."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, linalg

SHAPES = [((), (3,)), ((2,), (2, 1)), ((3, 1), (2, 2)), ((), ())]
"""Leading axes of the matrices, and the other axes of the right-hand sides: none is a vector."""


def system(rows, lower, unit, leading, seed=0):
    """Return matrices with NaN on the side that is not read, and the triangular matrices that they stand for."""
    rng = np.random.default_rng(seed)
    full = rng.standard_normal((*leading, rows, rows)) / max(rows, 1) + 2 * np.eye(rows)
    triangular = np.tril(full) if lower else np.triu(full)
    if unit:
        triangular = triangular * (1 - np.eye(rows)) + np.eye(rows)
    other_side = np.tri(rows, k=-1).T if lower else np.tri(rows, k=-1)
    return np.where(other_side == 1, np.nan, full), triangular


@pytest.mark.parametrize("rows", [1, 5, 64, 65, 150])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize(("leading", "others"), SHAPES)
def test_solution_is_that_of_the_triangle_alone(device, rows, lower, unit, leading, others):
    if rows > 65 and device.name not in ("cpu", "numpy", "strict"):
        rows = 66
    x = np.random.default_rng(1).standard_normal(2 + 2 * rows)
    b = np.resize(x, (*others[:-1], rows, others[-1]) if others else (rows,))
    full, triangular = system(rows, lower, unit, leading)
    result = linalg.solve_triangular(
        xp.asarray(full, device=device), xp.asarray(b, device=device), lower=lower, unit_diagonal=unit
    )
    expected = np.linalg.solve(triangular, b)
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("columns", [None, 4])
@pytest.mark.parametrize("lower", [False, True])
def test_residual_of_each_row_is_one_of_its_terms(device, lower, columns):
    """Substitution is that exact where the rows have elements of any size (Higham 2002, theorem 8.5)."""
    rng, eps = np.random.default_rng(3), Fraction(2) ** -52
    for rows in (2, 3, 5, 5, 5, 9, 66):
        scales = 10.0 ** rng.integers(-12, 13, (rows, rows))
        scales = np.where(np.eye(rows) == 1, 1e12, scales) if rows > 5 else scales  # no overflow of the solutions
        a = (np.tril if lower else np.triu)(rng.uniform(-1, 1, (rows, rows)) * scales)
        b = rng.uniform(-1, 1, rows)
        given = b if columns is None else np.stack([rng.uniform(-1, 1, rows), *[b] * (columns - 1)], axis=1)
        found = linalg.solve_triangular(xp.asarray(a, device=device), xp.asarray(given, device=device), lower=lower)
        values = xp.to_numpy(found.to_device("cpu"))
        x = [Fraction(value) for value in (values if columns is None else values[:, -1]).tolist()]
        for row, right in zip(a.tolist(), b.tolist(), strict=True):
            terms = [Fraction(element) * value for element, value in zip(row, x, strict=True)]
            assert abs(sum(terms) - Fraction(right)) <= 2 * rows * eps * (sum(map(abs, terms)) + abs(Fraction(right)))


def test_integers_and_real_matrices_beside_complex_vectors(lenient_device):
    a, b = xp.asarray([[2, 0], [1, 4]], device=lenient_device), xp.asarray([2, 9], device=lenient_device)
    np.testing.assert_array_equal(np.asarray(linalg.solve_triangular(a, b, lower=True).to_device("cpu")), [1.0, 2.0])
    a, b = xp.asarray([[2.0, 1.0], [9.0, 4.0]], device=lenient_device), xp.asarray([4j, 4.0], device=lenient_device)
    np.testing.assert_array_equal(np.asarray(linalg.solve_triangular(a, b).to_device("cpu")), [2j - 0.5, 1.0])


def test_no_rows():
    assert linalg.solve_triangular(xp.zeros((0, 0)), xp.zeros((0, 3))).shape == (0, 3)
    assert linalg.solve_triangular(xp.zeros((0, 0)), xp.zeros(0)).shape == (0,)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_derivatives_are_those_of_the_general_solver(lower, unit):
    rows = 70
    full, _ = system(rows, lower, unit, ())
    full = np.where(np.isnan(full), 0.5, full)
    a, b = xp.asarray(full, device="cpu"), xp.asarray(np.linspace(-1.0, 1.0, rows * 2).reshape(rows, 2), device="cpu")

    def triangular(a, b):
        return xp.sum(xp.sin(linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit)))

    def general(a, b):
        triangle = xp.tril(a, k=-1 if unit else 0) if lower else xp.triu(a, k=1 if unit else 0)
        return xp.sum(xp.sin(linalg.solve(triangle + xp.eye(rows, device="cpu") if unit else triangle, b)))

    for transform in (autograd.grad(triangular), xp.fuse(autograd.grad(triangular))):
        np.testing.assert_allclose(np.asarray(transform(a, b)), np.asarray(autograd.grad(general)(a, b)), atol=1e-14)
    by_b = [np.asarray(autograd.grad(lambda b, f=f: f(a, b))(b)) for f in (triangular, general)]
    np.testing.assert_allclose(*by_b, atol=1e-14)
    pushed = [np.asarray(autograd.jvp(f, (a, b), (a * 0.5, b))[1]) for f in (triangular, general)]
    np.testing.assert_allclose(*pushed, rtol=1e-12)


def test_batches_are_the_examples():
    full, _ = system(6, True, False, (4,))
    a = xp.asarray(np.where(np.isnan(full), 0.0, full), device="cpu")
    b = xp.asarray(np.arange(24.0).reshape(4, 6), device="cpu")
    batched = xp.vmap(lambda a, b: linalg.solve_triangular(a, b, lower=True))(a, b)
    for index in range(4):
        expected = linalg.solve_triangular(a[index], b[index], lower=True)
        np.testing.assert_allclose(np.asarray(batched[index]), np.asarray(expected), rtol=1e-13)


def test_errors_name_what_is_wrong():
    with pytest.raises(np.linalg.LinAlgError, match=r"shape \(\.\.\., M, M\), not \(2, 3\)"):
        linalg.solve_triangular(xp.ones((2, 3)), xp.ones(2))
    with pytest.raises(ValueError, match=r"b of shape \(3,\) does not fit a of shape \(2, 2\)"):
        linalg.solve_triangular(xp.ones((2, 2)), xp.ones(3))
    with pytest.raises(TypeError, match="lower"):
        linalg.solve_triangular(xp.ones((2, 2)), xp.ones(2), lower="yes")
    with pytest.raises(np.linalg.LinAlgError):
        linalg.solve_triangular(xp.asarray([[0.0, 1.0], [0.0, 1.0]], device="cpu"), xp.ones(2, device="cpu"))
