r"""Derivatives of linear algebra's solutions and decompositions.

The formulas are those for the cotangent that pairs by the conjugate product, :math:`\mathrm{Re}\, \mathrm{tr}(\bar
A^H dA)`; the decorator converts. ``F`` is the matrix of reciprocal differences of eigenvalues or squared singular
values; it is 0 where these are equal, where the vectors have no derivative.

Sources: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); J. Townsend, "Differentiating the singular value decomposition" (2016); Z. Wan and S. Zhang, "Automatic
differentiation for complex valued SVD" (2019); M. Seeger et al., "Auto-differentiating linear algebra" (2017);
I. Murray, "Differentiation of the Cholesky decomposition" (2016); S. Walter and L. Lehmann, "Algorithmic
differentiation of linear algebra functions" (2010); G. Golub and V. Pereyra, "The differentiation of pseudo-inverses
and nonlinear least squares problems" (1973).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import _ops as xp
from ... import linalg
from ..._core.array import Array
from ..._core.dtypes import kind_of
from ..._core.errors import NotDifferentiableError
from ..._core.scaling import power_of_two
from ..._core.tracing_errors import is_known
from .._rules import differentiated_by_pullback
from .._table import pullback
from .._transforms import stop_gradient


def conjugate(x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        return tuple([conjugate(item) for item in x])
    return xp.conj(x) if x is not None and kind_of(x.dtype) == "c" else x


def adjoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a pullback of one that pairs cotangents by the conjugate product."""

    @wraps(function)
    def pulled(g: Any, *args: Any, **options: Any) -> Any:
        return conjugate(function(conjugate(g), *args, **options))

    return pulled


def transposed(x: Array) -> Array:
    """Conjugate transpose of matrices."""
    return conjugate(xp.matrix_transpose(x))  # type: ignore[no-any-return]


def symmetrized(x: Array) -> Array:
    return (x + transposed(x)) / 2


def diagonal_matrix(x: Array) -> Array:
    """Return diagonal matrices with the elements of the last axis."""
    return x[..., :, None] * xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)


def reciprocal_differences(x: Array, error: Any = 0.0) -> Array:
    """Return :math:`1 / (x_j - x_i)`, 0 where the elements are equal up to an error."""
    difference = x[..., None, :] - x[..., :, None]
    is_zero = xp.abs(difference) <= error
    return xp.where(is_zero, 0, 1 / xp.where(is_zero, 1, difference))


def scale_of(values: Array, axis: int | tuple[int, int] = -1) -> Array:
    """Return the power of two near the largest singular value, eigenvalue or element of a matrix, a constant.

    Products and squares of what a derivative takes of the values leave the range; with values and cotangents divided by
    it, they do not.
    """
    if 0 in values.shape:
        return xp.ones((), dtype=values.dtype, device=values.device)
    largest = xp.max(xp.abs(stop_gradient(values)), axis=axis, keepdims=True)
    return power_of_two(xp, xp.where(xp.isfinite(largest) & (largest > 0), largest, 1.0))  # type: ignore[no-any-return]


@pullback("linalg.inv", keeps="out")
@adjoint
def _inv(g: Array, out: Array, x: Any) -> Array:
    inverse = transposed(out)
    return -(inverse @ g @ inverse)


def _products_of_columns(x: Array, y: Array) -> Array:
    """Return :math:`x y^H`, for one column as an elementwise product, which ``fuse`` computes with what follows."""
    return x * transposed(y) if x.shape[-1] == 1 else x @ transposed(y)


@pullback("linalg.solve", keeps="out a", several=True)
@adjoint
def _solve(g: Array, out: Array, a: Array, b: Any) -> tuple[Array, Array]:
    is_vector = b.ndim == 1
    if is_vector:
        g, out = g[..., None], out[..., None]
    by_b = linalg.solve(transposed(a), g)
    by_a = -_products_of_columns(by_b, out)
    return by_a, by_b[..., 0] if is_vector else by_b


@pullback("linalg.solve_triangular", keeps="out a", several=True)
@adjoint
def _solve_triangular(
    g: Array, out: Array, a: Array, b: Any, *, lower: bool, unit_diagonal: bool
) -> tuple[Array, Array]:
    by_b = linalg.solve_triangular(transposed(a), g, lower=not lower, unit_diagonal=unit_diagonal)
    select, offset = (xp.tril, -1) if lower else (xp.triu, 1)
    return select(-_products_of_columns(by_b, out), k=offset if unit_diagonal else 0), by_b


@pullback("linalg.det", keeps="out x")
@adjoint
def _det(g: Array, out: Array, x: Array) -> Array:
    bound = xp.prod(linalg.vector_norm(x, axis=-1), axis=-1)  # of Hadamard
    is_regular = ~(xp.abs(out) <= xp.finfo(x.dtype).eps ** 0.25 * bound)
    if is_known(xp.all(is_regular)):
        return _cofactors_of_regular(g, out, x)
    by_matrix = is_regular[..., None, None]
    identity = xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    regular = _cofactors_of_regular(g, out, xp.where(by_matrix, x, identity))
    result: Array = xp.where(by_matrix, regular, g[..., None, None] * _cofactors(xp.where(by_matrix, identity, x)))
    return result


def _cofactors_of_regular(g: Array, out: Array, x: Array) -> Array:
    # The determinant times its cotangent leaves the range where the second derivative, times the inverse, does not.
    scale = scale_of(x, axis=(-2, -1))
    result: Array = (g * conjugate(out))[..., None, None] / scale * transposed(linalg.inv(x / scale))
    return result


def _cofactors(x: Array) -> Array:
    """Return the conjugate matrix of cofactors of x, which may be singular, with its first two derivatives.

    In the basis of the singular vectors, which are constants, x is a diagonal matrix with blocks P, Q, R and S. S has
    the three smallest singular values. ``det(x) = det(P) det(S - R P**-1 Q)``; the second factor is a polynomial. With
    more than three singular values of 0 these derivatives are 0.
    """
    n = x.shape[-1]
    u, s, vh = linalg.svd(stop_gradient(x))
    phase: Array = conjugate(linalg.det(u @ vh))[..., None, None]
    b = transposed(u) @ x @ transposed(vh)
    b = diagonal_matrix(xp.astype(s, x.dtype)) + (b - stop_gradient(b))  # without rounding errors
    if n <= 3:
        return _rotated(phase, u, _small_cofactors(b), vh)
    first, last = slice(0, n - 3), slice(n - 3, n)
    has_rank = (s[..., n - 4] > 0)[..., None, None]
    p = xp.where(has_rank, b[..., first, first], xp.eye(n - 3, dtype=x.dtype, device=x.device))
    q, r = b[..., first, last], b[..., last, first]
    inverse = linalg.inv(p)
    left, right = r @ inverse, inverse @ q
    rest = b[..., last, last] - left @ q
    small = _small_cofactors(rest)
    value = xp.sum(rest[..., 0, :] * small[..., 0, :], axis=-1)[..., None, None]
    left, right = xp.matrix_transpose(left), xp.matrix_transpose(right)
    by_p = value * xp.matrix_transpose(inverse) + left @ small @ right
    rows = xp.concat([by_p, -(left @ small)], axis=-1), xp.concat([-(small @ right), small], axis=-1)
    cofactors = linalg.det(p)[..., None, None] * xp.concat(rows, axis=-2)
    cofactors = xp.where(has_rank, cofactors, 0)
    return _rotated(phase, u, cofactors, vh)


def _rotated(phase: Array, u: Array, cofactors: Array, vh: Array) -> Array:
    result: Array = phase * (u @ conjugate(cofactors) @ vh)
    return result


def _small_cofactors(x: Array) -> Array:
    """Return the cofactors of matrices of at most three rows."""
    n = x.shape[-1]
    if n == 0:
        return x
    if n == 1:
        return xp.ones_like(x)
    if n == 2:
        return xp.flip(x, axis=(-2, -1)) * xp.asarray([[1, -1], [-1, 1]], dtype=x.dtype, device=x.device)
    below, next_below = xp.roll(x, -1, axis=-2), xp.roll(x, -2, axis=-2)
    first = xp.roll(below, -1, axis=-1) * xp.roll(next_below, -2, axis=-1)
    return first - xp.roll(below, -2, axis=-1) * xp.roll(next_below, -1, axis=-1)


@pullback("linalg.slogdet", keeps="out x")
@adjoint
def _slogdet(g: tuple[Array | None, Array | None], out: tuple[Array, Array], x: Array) -> Array:
    by_sign, by_logarithm = g
    factor = xp.zeros_like(out[0]) if by_logarithm is None else xp.astype(by_logarithm, out[0].dtype)
    if by_sign is not None and kind_of(x.dtype) == "c":
        # sign is exp(i arg): its part of the derivative is imaginary.
        factor = factor + 1j * xp.imag(conjugate(out[0]) * by_sign)
    return factor[..., None, None] * transposed(linalg.inv(x))


@pullback("linalg.pinv", keeps="out x")
@adjoint
def _pinv(g: Array, out: Array, x: Array, *, rtol: Any = None) -> Array:
    p, pt, gt = out, transposed(out), transposed(g)
    first = gt @ p @ pt
    second = pt @ p @ gt
    return -(pt @ g @ pt) + (first - x @ (p @ first)) + (second - (second @ p) @ x)


@pullback("linalg.cholesky", keeps="out")
@adjoint
def _cholesky(g: Array, out: Array, x: Any, *, upper: bool = False) -> Array:
    r"""Half of :math:`L^{-H} (P + P^H) L^{-1}`; P is the lower triangle of :math:`L^H \bar L`, half its diagonal."""
    lower, g = (transposed(out), transposed(g)) if upper else (out, g)
    product = transposed(lower) @ xp.tril(g)
    both = symmetrized(xp.tril(product, k=-1) + diagonal_matrix(linalg.diagonal(product)) / 2)
    right = linalg.solve_triangular(transposed(lower), both)
    return linalg.solve_triangular(transposed(lower), transposed(right))


@pullback("linalg.qr", keeps="out x")
@adjoint
def _qr(g: tuple[Array | None, Array | None], out: tuple[Array, Array], x: Array, *, mode: str = "reduced") -> Array:
    q, r = out
    rows, columns = x.shape[-2:]
    if mode == "complete" and rows > columns:
        raise NotDifferentiableError(
            "qr(mode='complete') has no derivative for a matrix with more rows than columns: the additional columns of "
            "Q are arbitrary; use mode='reduced'"
        )
    by_q = xp.zeros_like(q) if g[0] is None else g[0]
    by_r = xp.zeros_like(r) if g[1] is None else g[1]
    if rows >= columns:
        return _square_qr(q, r, by_q, by_r)
    rest = by_r[..., rows:]
    by_q = by_q + x[..., rows:] @ transposed(rest)
    left = _square_qr(q, r[..., :rows], by_q, by_r[..., :rows])
    return xp.concat([left, q @ rest], axis=-1)


def _square_qr(q: Array, r: Array, by_q: Array, by_r: Array) -> Array:
    """The pullback where R is square."""
    m = r @ transposed(by_r) - transposed(by_q) @ q
    below = xp.tril(m, k=-1)
    diagonal = linalg.diagonal(m)
    if kind_of(m.dtype) == "c":
        diagonal = xp.astype(xp.real(diagonal), m.dtype)
    copied = below + transposed(below) + diagonal_matrix(diagonal)
    right = by_q + q @ copied
    return transposed(linalg.solve(r, transposed(right)))


# Vectors are operands beside the matrix of which they are functions: derivatives go through the matrix alone.

Vectors = tuple[None, None, None]


def _pull_matrix(
    g: Array, out: Any, slopes: Array, x: Any, u: Array, s: Array, vh: Array
) -> tuple[Array, Array, *Vectors]:
    return values_along(g, x, u, s, vh), _change_of_matrix(g, slopes, u, s, vh), None, None, None


def _connect_matrix(
    g: Array, out: Any, slopes: Array, x: Array, u: Any, s: Any, vh: Any
) -> tuple[Array, Array, *Vectors]:
    total = xp.sum(g, axis=(-2, -1), keepdims=True, dtype=g.dtype)
    return xp.broadcast_to(total[..., 0], slopes.shape), xp.broadcast_to(total, x.shape), None, None, None


@differentiated_by_pullback(_pull_matrix, "slopes x u s vh", _connect_matrix)
def matrix_of_values(slopes: Array, x: Any, u: Array, s: Array, vh: Array) -> Array:
    """Return the matrix with the singular vectors of x, conjugate, and other singular values."""
    return conjugate((u * slopes[..., None, :]) @ vh)  # type: ignore[no-any-return]


def _pull_values(
    g: Array, out: Any, direction: Array, x: Any, u: Array, s: Array, vh: Array
) -> tuple[Array, Array, *Vectors]:
    return matrix_of_values(g, x, u, s, vh), _change_of_matrix(direction, g, u, s, vh), None, None, None


def _connect_values(
    g: Array, out: Any, direction: Array, x: Any, u: Any, s: Any, vh: Any
) -> tuple[Array, Array, *Vectors]:
    total = xp.broadcast_to(xp.sum(g, axis=-1, keepdims=True, dtype=g.dtype)[..., None], direction.shape)
    return total, total, None, None, None


@differentiated_by_pullback(_pull_values, "direction x u s vh", _connect_values)
def values_along(direction: Array, x: Any, u: Array, s: Array, vh: Array) -> Array:
    """Return the derivatives of the singular values of x along a matrix."""
    return xp.real(linalg.diagonal(transposed(u) @ direction @ transposed(vh)))


def _change_of_matrix(direction: Array, slopes: Array, u: Array, s: Array, vh: Array) -> Array:
    """Return the derivative of :func:`matrix_of_values` along a matrix, which is symmetric.

    In the basis of the vectors it multiplies the Hermitian part of a matrix by the differences of slopes over those of
    singular values, and the rest by the sums over the sums, which exist where singular values are equal.
    """
    scale = scale_of(s)
    s, direction = s / scale, direction / scale[..., None]
    by_v = direction @ transposed(vh)
    inner = transposed(u) @ by_v
    hermitian = symmetrized(inner)
    # Singular values that differ by their rounding errors are equal.
    error = 4.0 * s.shape[-1] * float(xp.finfo(s.dtype).eps) * s[..., :1]
    differences = (slopes[..., None, :] - slopes[..., :, None]) * reciprocal_differences(s, error[..., None])
    sums = s[..., None, :] + s[..., :, None]
    means = xp.where(sums == 0, 0, (slopes[..., None, :] + slopes[..., :, None]) / xp.where(sums == 0, 1, sums))
    change = u @ (differences * hermitian + means * (inner - hermitian)) @ vh
    ratios = xp.where(s == 0, 0, slopes / xp.where(s == 0, 1, s))[..., None, :]
    if u.shape[-2] > u.shape[-1]:
        change = change + ((by_v - u @ inner) * ratios) @ vh
    if vh.shape[-1] > vh.shape[-2]:
        change = change + (u * ratios) @ (transposed(u) @ direction - inner @ vh)
    return conjugate(change)  # type: ignore[no-any-return]


@pullback("linalg.svd", keeps="out x")
@adjoint
def _svd(
    g: tuple[Array | None, Array | None, Array | None],
    out: tuple[Array, Array, Array],
    x: Any,
    *,
    full_matrices: bool = True,
) -> Array:
    u, s, vh = out
    by_u, by_s, by_vh = g
    k = s.shape[-1]
    has_vectors = by_u is not None or by_vh is not None
    if has_vectors and full_matrices and x.shape[-1] != x.shape[-2]:
        raise NotDifferentiableError(
            "svd(full_matrices=True) has no derivative for a matrix that is not square: the additional singular "
            "vectors are arbitrary; use full_matrices=False"
        )
    u, vh = u[..., :, :k], vh[..., :k, :]
    by_values = None if by_s is None else conjugate(matrix_of_values(by_s, x, u, s, vh))
    if not has_vectors:
        return xp.zeros_like(u @ vh) if by_values is None else by_values
    scale = scale_of(s)
    s = s / scale
    by_u, by_vh = (None if by is None else by / scale[..., None] for by in (by_u, by_vh))
    middle = xp.zeros((*s.shape, k), dtype=u.dtype, device=u.device)
    row, column = s[..., None, :], s[..., :, None]
    f = reciprocal_differences(s * s)
    inverse = xp.where(s == 0, 0, 1 / xp.where(s == 0, 1, s))
    outer = None
    if by_u is not None:
        j = f * (transposed(u) @ by_u)
        middle = middle + (j + transposed(j)) * row
        if x.shape[-2] > k:
            outer = ((by_u - u @ (transposed(u) @ by_u)) * inverse[..., None, :]) @ vh
    if by_vh is not None:
        by_v, v = transposed(by_vh), transposed(vh)
        inner = transposed(v) @ by_v
        j = f * inner
        middle = middle + column * (j + transposed(j))
        if kind_of(u.dtype) == "c":
            phases = inner * xp.eye(k, dtype=s.dtype, device=s.device)
            middle = middle + (transposed(phases) - phases) * (inverse[..., :, None] / 2)
        if x.shape[-1] > k:
            part = (u * inverse[..., None, :]) @ (by_vh - (by_vh @ v) @ vh)
            outer = part if outer is None else outer + part
    result = u @ middle @ vh
    result = result if by_values is None else result + by_values
    return result if outer is None else result + outer


@pullback("linalg.eigh", keeps="out")
@adjoint
def _eigh(g: tuple[Array | None, Array | None], out: tuple[Array, Array], x: Any) -> Array:
    values, vectors = out
    by_values, by_vectors = g
    middle = xp.zeros((*values.shape, values.shape[-1]), dtype=vectors.dtype, device=vectors.device)
    if by_values is not None:
        middle = middle + diagonal_matrix(by_values)
    if by_vectors is not None:
        scale = scale_of(values)
        inner = transposed(vectors) @ (by_vectors / scale[..., None])
        middle = middle + reciprocal_differences(values / scale) * inner
    return symmetrized(vectors @ middle @ transposed(vectors))


@pullback("linalg.eig", keeps="out")
@adjoint
def _eig(g: tuple[Array | None, Array | None], out: tuple[Array, Array], x: Any) -> Array:
    values, vectors = out
    by_values, by_vectors = g
    adjugate = transposed(vectors)
    middle = xp.zeros((*values.shape, values.shape[-1]), dtype=vectors.dtype, device=vectors.device)
    if by_values is not None:
        middle = middle + diagonal_matrix(by_values)
    if by_vectors is not None:
        inner = adjugate @ by_vectors
        lengths = xp.real(linalg.diagonal(inner))
        inner = inner - (adjugate @ vectors) * lengths[..., None, :]
        scale = scale_of(values)
        middle = middle + conjugate(reciprocal_differences(values / scale)) * (inner / scale[..., None])
    return linalg.solve(adjugate, middle @ adjugate)
