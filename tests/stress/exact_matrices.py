"""Matrices that are difficult for linear algebra, exact arithmetic on them, and bounds of rounding errors.

The reference is mpmath with 50 digits on arrays of objects. A bound is a factor times epsilon times the sizes that the
theory of backward errors names (Higham, "Accuracy and Stability of Numerical Algorithms"); a result beyond it is wrong.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from mpmath import mp
from strategies import quiet, values_of

import xtensor as xp

DIGITS = 50

FACTOR = 64
"""Rounding errors per dimension that a decomposition of a small matrix may make."""

KINDS = ("uniform", "integers", "deficient", "graded", "nearly singular", "diagonal", "zeros")

SCALES = ("one", "large", "small", "huge", "tiny")
"""Powers of two that multiply a matrix: "huge" and "tiny" leave no room for a product of two elements.

No element and no rounding error is subnormal: LAPACK multiplies by the reciprocals of pivots, which would overflow.
"""

_to_exact = np.frompyfunc(lambda value: mp.mpc(value) if isinstance(value, complex) else mp.mpf(value), 1, 1)


def exact(x: Any) -> np.ndarray:
    """Return the values as mpmath numbers, which have no limits of the exponent."""
    host = np.asarray(x)
    wide = host.astype(np.complex128 if host.dtype.kind == "c" else np.float64)
    with quiet():  # NaN is not an error
        return np.asarray(_to_exact(wide.astype(object)), dtype=object).reshape(host.shape)


def adjoint(x: np.ndarray) -> np.ndarray:
    """Return the conjugate transpose of one exact matrix."""
    return np.frompyfunc(mp.conj, 1, 1)(x.T) if x.size else x.T


def magnitudes(x: np.ndarray) -> np.ndarray:
    return np.frompyfunc(mp.fabs, 1, 1)(x) if x.size else x


def largest(x: np.ndarray) -> Any:
    """Return the largest magnitude of an exact array, 0 without elements."""
    return max(map(mp.fabs, x.flat), default=mp.mpf(0))


def product(*factors: np.ndarray) -> np.ndarray:
    """Return the product of exact matrices; a sum of no terms is 0."""
    result = factors[0]
    for factor in factors[1:]:
        zeros = np.full((result.shape[0], factor.shape[1]), mp.mpf(0), dtype=object)
        result = np.matmul(result, factor) if factor.size and result.size else zeros
    return result


def identity(size: int) -> np.ndarray:
    return exact(np.eye(size))


def matrix(x: np.ndarray) -> Any:
    """Return one exact matrix as mpmath's."""
    return mpmath.matrix(x.tolist())


def singular_values(x: np.ndarray) -> list[Any]:
    """Return the singular values of one exact matrix, in descending order."""
    if not x.size:
        return []
    wide = matrix(x if x.shape[0] >= x.shape[1] else adjoint(x))
    values = mp.svd_c(wide, compute_uv=False) if any(isinstance(v, mp.mpc) for v in x.flat) else None
    values = mp.svd_r(wide, compute_uv=False) if values is None else values
    return sorted(map(mp.mpf, values), reverse=True)


def determinant(x: np.ndarray) -> Any:
    """Return the determinant of one exact matrix by expansion; it has no division."""
    if not x.shape[0]:
        return mp.mpf(1)
    minors = (np.delete(x[1:], column, axis=1) for column in range(x.shape[0]))
    return mp.fsum((-1) ** column * x[0, column] * determinant(minor) for column, minor in enumerate(minors))


class Bound:
    """Epsilon, smallest and largest number of the precision of a dtype."""

    def __init__(self, dtype: Any) -> None:
        limits = xp.finfo(dtype)
        self.eps = mp.mpf(float(limits.eps))
        self.tiny = mp.mpf(float(limits.smallest_normal))
        self.max = mp.mpf(float(limits.max))

    def ratio(self, error: Any, scale: Any, factor: float = FACTOR) -> float:
        """Return an error divided by the admissible error of values of a size; above 1 it is wrong."""
        return float(error / (self.eps * factor * scale + self.tiny * factor))

    def overflows(self, *sizes: Any) -> bool:
        return any(size > self.max / 64 for size in sizes)


def random_matrices(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, kind: str, scale: str) -> np.ndarray:
    """Return matrices of a kind, multiplied by a power of two."""

    def uniform(*sides: int) -> np.ndarray:
        values = rng.uniform(-1, 1, sides)
        return values + 1j * rng.uniform(-1, 1, sides) if dtype.kind == "c" else values

    def integers(*sides: int) -> np.ndarray:
        return rng.integers(-3, 4, sides) + (1j * rng.integers(-3, 4, sides) if dtype.kind == "c" else 0)

    *stack, rows, columns = shape
    if kind == "integers":
        host = integers(*shape)
    elif kind == "deficient":
        rank = int(rng.integers(0, max(1, min(rows, columns))))
        host = integers(*stack, rows, rank) @ integers(*stack, rank, columns)
    elif kind == "graded":
        host = uniform(*shape) * 10.0 ** rng.integers(-6, 7, (*stack, rows, 1))
    elif kind == "nearly singular":
        host = uniform(*stack, rows, 1) * uniform(*stack, 1, columns) + 1e-5 * uniform(*shape)
    elif kind == "diagonal":
        host = uniform(*shape) * np.eye(rows, columns)
    elif kind == "zeros":
        host = rng.choice([0.0, -0.0, 1.0], shape, p=[0.5, 0.3, 0.2])
    else:
        host = uniform(*shape)
    limits = np.finfo(dtype)
    exponent = {
        "one": 0,
        "large": limits.maxexp // 3,
        "small": limits.minexp // 3,
        "huge": limits.maxexp - 26,
        "tiny": limits.minexp + 56 + limits.nmant,
    }[scale]
    return (host * 2.0 ** (exponent / 2) * 2.0 ** (exponent - exponent / 2)).astype(dtype)


def placed(host: np.ndarray, rng: np.random.Generator) -> xp.Array:
    """Return an Array of the values in one of several memory layouts."""
    layout = rng.choice(["plain", "transposed", "reversed", "spaced"])
    if host.ndim < 2 or layout == "plain":
        return xp.asarray(host, copy=True)
    if layout == "transposed":
        return xp.matrix_transpose(xp.asarray(np.ascontiguousarray(np.swapaxes(host, -1, -2)), copy=True))
    if layout == "reversed":
        return xp.flip(xp.asarray(np.ascontiguousarray(host[..., ::-1]), copy=True), axis=-1)[...]
    spaced = np.full((*host.shape[:-2], 2 * host.shape[-2], 3 * host.shape[-1]), 7, host.dtype)
    spaced[..., ::2, ::3] = host
    return xp.asarray(spaced, copy=True)[..., ::2, ::3]


def each(*arrays: Any) -> list[tuple[np.ndarray, ...]]:
    """Return the exact matrices of stacks, one tuple for each matrix. Arrays have two axes or more."""
    hosts = [values_of(x) if isinstance(x, xp.Array) else np.asarray(x) for x in arrays]
    stack = hosts[0].shape[:-2]
    return [tuple(exact(host[index]) for host in hosts) for index in np.ndindex(*stack)]
