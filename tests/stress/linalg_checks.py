"""Checks of results of linear algebra: each returns error / admissible error of the results for one exact matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from .exact_matrices import (
    FACTOR,
    Bound,
    adjoint,
    determinant,
    identity,
    largest,
    matrix,
    product,
    singular_values,
)


def check_det(bound: Bound, x: np.ndarray, result: np.ndarray) -> float:
    size = largest_determinant(x)
    expected = determinant(x)
    if bound.overflows(size, mp.fabs(expected)):
        return 0.0
    logarithm = 1 + abs(mp.log(mp.fabs(expected) or 1))  # libraries return the exponential of a logarithm
    return bound.ratio(mp.fabs(result[0, 0] - expected), size + logarithm * mp.fabs(expected))


def largest_determinant(x: np.ndarray) -> Any:
    """Return Hadamard's bound of the determinant and of its rounding error, by rows or by columns."""
    norms = [[mp.sqrt(mp.fsum(mp.fabs(v) ** 2 for v in vector)) for vector in side] for side in (x, x.T)]
    return max(mp.fprod(side) for side in norms)


def check_slogdet(bound: Bound, x: np.ndarray, sign: np.ndarray, logarithm: np.ndarray) -> float:
    expected = determinant(x)
    error = determinant_error(bound, x)
    magnitude = mp.fabs(expected)
    if magnitude <= 4 * error:  # the sign is a matter of rounding
        return 0.0 if logarithm[0, 0] == -mp.inf or mp.exp(logarithm[0, 0]) <= magnitude + 4 * error else 2.0
    expected_logarithm = mp.log(magnitude)
    margin = bound.eps * FACTOR * (1 + mp.fabs(expected_logarithm)) + 2 * error / magnitude
    return float(
        max(
            mp.fabs(logarithm[0, 0] - expected_logarithm) / margin,
            mp.fabs(sign[0, 0] - expected / magnitude) / margin,
        )
    )


def determinant_error(bound: Bound, x: np.ndarray) -> Any:
    """Return the admissible error of a determinant; operations on subnormal numbers have fewer digits."""
    smallest = min((size for size in map(largest, x) if size), default=mp.mpf(1))
    return FACTOR * (bound.eps + bound.tiny * bound.eps / smallest) * largest_determinant(x)


def check_inv(bound: Bound, x: np.ndarray, result: np.ndarray) -> float:
    size = largest(x) * largest(result)
    unit = identity(len(x))
    errors = (largest(product(x, result) - unit), largest(product(result, x) - unit)) if x.size else (mp.mpf(0),)
    return bound.ratio(min(errors), size + 1)


def check_cholesky(bound: Bound, x: np.ndarray, lower: np.ndarray) -> float:
    if any(lower[i, j] for i in range(len(x)) for j in range(i + 1, len(x))):
        return np.inf
    if any(mp.im(number) or mp.re(number) <= 0 for number in np.diagonal(lower)):
        return np.inf
    return bound.ratio(largest(x - product(lower, adjoint(lower))), largest(x))


def orthonormal(bound: Bound, q: np.ndarray) -> float:
    return bound.ratio(largest(product(adjoint(q), q) - identity(q.shape[1])), 1) if q.size else 0.0


def check_qr(bound: Bound, x: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
    if any(r[i, j] for i in range(r.shape[0]) for j in range(min(i, r.shape[1]))):
        return np.inf
    residual = largest(x - product(q, r)) if x.size else 0
    return max(orthonormal(bound, q), bound.ratio(residual, largest(x)))


def check_svd(bound: Bound, x: np.ndarray, u: np.ndarray, s: np.ndarray, vh: np.ndarray) -> float:
    values = s[0]
    if any(v < 0 for v in values) or list(values) != sorted(values, reverse=True):
        return np.inf
    size = len(values)
    residual = largest(x - product(u[:, :size] * values, vh[:size])) if x.size else 0
    return max(orthonormal(bound, u), orthonormal(bound, adjoint(vh)), bound.ratio(residual, largest(x)))


def check_svdvals(bound: Bound, x: np.ndarray, s: np.ndarray) -> float:
    expected = singular_values(x)
    errors = [mp.fabs(a - b) for a, b in zip(s[0], expected, strict=True)]
    return bound.ratio(max(errors, default=0), largest(x))


def check_eigh(bound: Bound, x: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> float:
    residual = largest(product(x, vectors) - vectors * values[0]) if x.size else 0
    return max(orthonormal(bound, vectors), bound.ratio(residual, largest(x)))


def check_eigvalsh(bound: Bound, x: np.ndarray, values: np.ndarray) -> float:
    if not x.size:
        return 0.0
    expected = sorted(mp.eighe(matrix(x), eigvals_only=True))
    errors = [mp.fabs(a - b) for a, b in zip(sorted(map(mp.re, values[0])), expected, strict=True)]
    return bound.ratio(max(errors), largest(x))


def check_eig(bound: Bound, x: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> float:
    if not x.size:
        return 0.0
    norms = [mp.sqrt(mp.fsum(mp.fabs(v) ** 2 for v in column)) for column in vectors.T]
    residual = largest(product(x, vectors) - vectors * values[0])
    return max(bound.ratio(residual, largest(x)), bound.ratio(max(mp.fabs(norm - 1) for norm in norms), 1))


def check_eigvals(bound: Bound, x: np.ndarray, values: np.ndarray) -> float:
    """Each eigenvalue makes the shifted matrix singular, and their sum is the trace."""
    if not x.size:
        return 0.0
    smallest = max(singular_values(x - identity(len(x)) * value)[-1] for value in values[0])
    trace = mp.fsum(values[0]) - mp.fsum(np.diagonal(x))
    return max(bound.ratio(smallest, largest(x)), bound.ratio(mp.fabs(trace), largest(x)))


def rank_and_gap(bound: Bound, x: np.ndarray) -> tuple[int, Any, Any] | None:
    """Return rank, largest and smallest nonzero singular value; None if a value is near the default tolerance."""
    values = singular_values(x)
    if not values or not values[0]:
        return 0, mp.mpf(0), mp.mpf(0)
    cutoff = values[0] * max(x.shape) * bound.eps
    # A computed value of 0 may be anything up to the rounding error of the largest.
    if any(cutoff / 4 < value < cutoff * 64 for value in values):
        return None
    rank = sum(value > cutoff for value in values)
    return rank, values[0], values[rank - 1]


def check_matrix_rank(bound: Bound, x: np.ndarray, result: np.ndarray) -> float:
    known = rank_and_gap(bound, x)
    if known is None or not clear_rank(x, known):
        return 0.0
    return 0.0 if result[0, 0] == known[0] else np.inf


def clear_rank(x: np.ndarray, known: tuple[int, Any, Any]) -> bool:
    """Whether a rank is full or 0, so that no singular value is a rounding error."""
    return known[0] in (0, min(x.shape))


def check_pinv(bound: Bound, x: np.ndarray, result: np.ndarray) -> float:
    known = rank_and_gap(bound, x)
    if known is None or not clear_rank(x, known) or not known[0]:
        return 0.0 if known is None or known[0] else float(largest(result) > 0) * 2
    _, first, last = known
    conjugate = adjoint(x)
    wide = x.shape[0] < x.shape[1]
    gram = exact_inverse(product(x, conjugate) if wide else product(conjugate, x))
    expected = product(conjugate, gram) if wide else product(gram, conjugate)
    if bound.overflows(1 / last, first) or 1 / last < bound.tiny:
        return 0.0
    return bound.ratio(largest(result - expected), first / last / last)


def exact_inverse(x: np.ndarray) -> np.ndarray:
    size = determinant(x)
    if len(x) == 1:
        return np.asarray([[1 / size]], dtype=object)
    cofactors = [
        [(-1) ** (i + j) * determinant(np.delete(np.delete(x, j, 0), i, 1)) / size for j in range(len(x))]
        for i in range(len(x))
    ]
    return np.asarray(cofactors, dtype=object)
