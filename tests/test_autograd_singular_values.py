"""Second derivatives of functions of singular values where values are equal, beside formulas of the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, linalg

WAYS = ["plain", "forward", "fuse", "vmap"]


def nuclear(x):
    return linalg.matrix_norm(x, ord="nuc")


def second(f, x, b, way):
    """Return the second derivative of a function of matrices along a matrix."""
    x, b = xp.asarray(x), xp.asarray(b)

    def along(x, b):
        if way == "forward":
            first = lambda x: autograd.jvp(f, (x,), (b,))[1]  # noqa: E731
            return autograd.jvp(first, (x,), (b,))[1]
        return xp.sum(xp.real(autograd.grad(lambda x: xp.sum(xp.real(autograd.grad(f)(x) * b)))(x) * b))

    if way == "fuse":
        replayed = xp.fuse(along)
        replayed(x, b)
        return float(replayed(x, b))
    if way == "vmap":
        return float(xp.vmap(along)(xp.stack([x * 2, x]), xp.stack([b, b]))[1])
    return float(along(x, b))


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_nuclear_norm_of_order_two_at_equal_singular_values(way, scale):
    # With a positive determinant, the norm of [[a, b], [c, d]] is hypot(a + d, b - c).
    for x in (np.eye(2) * scale, rotation(0.7) * scale):
        b = np.array([[1.0, 2.0], [5.0, -3.0]])
        p, q = x[0, 0] + x[1, 1], x[0, 1] - x[1, 0]
        dp, dq = b[0, 0] + b[1, 1], b[0, 1] - b[1, 0]
        size = np.hypot(p, q)
        expected = (dp * dp + dq * dq) / size - (p * dp + q * dq) ** 2 / size**3
        assert second(nuclear, x, b, way) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_nuclear_norm_at_the_identity(way, n):
    # ||1 + t B|| = tr(1 + t B) + t**2 ||B - B'||**2 / 8 + ... of the antisymmetric part of B.
    b = np.random.default_rng(n).integers(-4, 5, (n, n)).astype(float)
    expected = np.sum((b - b.T) ** 2) / 4
    assert second(nuclear, np.eye(n), b, way) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_nuclear_norm_of_orthonormal_vectors(way, shape):
    # For columns E: sqrt((E + t B)'(E + t B)) has the trace 2 + t tr(E'B) + t**2 (tr B'B / 2 - tr S**2 / 2) of the
    # symmetric part S of E'B.
    b = np.random.default_rng(0).integers(-4, 5, (4, 2)).astype(float)
    e = np.eye(4, 2)
    s = (e.T @ b + b.T @ e) / 2
    expected = np.sum(b * b) - np.sum(s * s)
    x, b = (e, b) if shape == (4, 2) else (e.T, b.T)
    assert second(nuclear, x, b, way) == pytest.approx(expected, rel=1e-12)


def test_nuclear_norm_of_complex_matrices():
    # As at the identity, of the part of B that is not Hermitian.
    rng = np.random.default_rng(0)
    b = rng.integers(-4, 5, (3, 3)) + 1j * rng.integers(-4, 5, (3, 3))

    def along(t):
        return nuclear(xp.eye(3, dtype=xp.complex128) + t * xp.asarray(b))

    rest = (b - b.conj().T) / 2
    found = float(autograd.grad(autograd.grad(along))(xp.asarray(0.0)))
    assert found == pytest.approx(np.sum(np.abs(rest) ** 2), rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_square_of_the_frobenius_norm_of_distinct_singular_values(way):
    x, b = np.diag([1.0, 2.0, 4.0]), np.arange(9.0).reshape(3, 3)
    assert second(lambda x: xp.sum(linalg.svdvals(x) ** 2), x, b, way) == pytest.approx(2 * np.sum(b * b), rel=1e-12)


def test_third_derivative_of_the_nuclear_norm_of_distinct_singular_values():
    x, b = np.array([[3.0, 1.0], [0.0, 2.0]]), np.array([[1.0, 2.0], [5.0, -3.0]])

    def along(t, norm):
        return norm(xp.asarray(x) + t * xp.asarray(b))

    def of_order_two(x):
        return xp.hypot(x[0, 0] + x[1, 1], x[0, 1] - x[1, 0])

    third = autograd.grad(autograd.grad(autograd.grad(along)))
    found, expected = (float(third(xp.asarray(0.0), norm)) for norm in (nuclear, of_order_two))
    assert found == pytest.approx(expected, rel=1e-10)
