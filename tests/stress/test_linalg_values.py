"""Values of every function of ``linalg`` against arithmetic with 50 digits.

Matrices are singular, rank-deficient, graded, nearly singular, huge or tiny, in several memory layouts. A decomposition
is checked by the equations that define it, a number by its error; both within bounds of rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from strategies import quiet, values_of

import xtensor as xp

from .exact_matrices import (
    DIGITS,
    FACTOR,
    KINDS,
    SCALES,
    Bound,
    adjoint,
    determinant,
    each,
    exact,
    identity,
    largest,
    magnitudes,
    placed,
    product,
    random_matrices,
    singular_values,
)
from .linalg_checks import (
    check_cholesky,
    check_det,
    check_eig,
    check_eigh,
    check_eigvals,
    check_eigvalsh,
    check_inv,
    check_matrix_rank,
    check_pinv,
    check_qr,
    check_slogdet,
    check_svd,
    check_svdvals,
    clear_rank,
    determinant_error,
    exact_inverse,
    largest_determinant,
    rank_and_gap,
)
from .tiers import scale

CASES = scale(21, 250)

DTYPES = ("float32", "float64", "complex64", "complex128")


@pytest.fixture(autouse=True)
def digits():
    """Compute the references with 50 digits."""
    with mp.workdps(DIGITS):
        yield


def hermitian(x: np.ndarray) -> np.ndarray:
    return (x + np.conj(np.swapaxes(x, -1, -2))) / 2


def sides(rng: np.random.Generator, square: bool) -> tuple[int, int]:
    rows = int(rng.integers(0, 5))
    return (rows, rows) if square else (rows, int(rng.integers(0, 5)))


# -- decompositions ----------------------------------------------------------------------------------------------------


# name -> (function, whether the matrices are square, check)
Check = Callable[..., float]
DECOMPOSITIONS: dict[str, tuple[Callable[..., Any], bool, Check]] = {
    "cholesky": (xp.linalg.cholesky, True, check_cholesky),
    "cholesky, upper": (
        lambda x: xp.matrix_transpose(xp.conj(xp.linalg.cholesky(x, upper=True))),
        True,
        check_cholesky,
    ),
    "det": (xp.linalg.det, True, check_det),
    "eig": (xp.linalg.eig, True, check_eig),
    "eigh": (xp.linalg.eigh, True, check_eigh),
    "eigvals": (xp.linalg.eigvals, True, check_eigvals),
    "eigvalsh": (xp.linalg.eigvalsh, True, check_eigvalsh),
    "inv": (xp.linalg.inv, True, check_inv),
    "matrix_rank": (xp.linalg.matrix_rank, False, check_matrix_rank),
    "pinv": (xp.linalg.pinv, False, check_pinv),
    "qr": (xp.linalg.qr, False, check_qr),
    "qr, complete": (lambda x: xp.linalg.qr(x, mode="complete"), False, check_qr),
    "slogdet": (xp.linalg.slogdet, True, check_slogdet),
    "svd": (xp.linalg.svd, False, check_svd),
    "svd, reduced": (lambda x: xp.linalg.svd(x, full_matrices=False), False, check_svd),
    "svdvals": (xp.linalg.svdvals, False, check_svdvals),
}

OF_HERMITIAN = ("eigh", "eigvalsh")


def prepared(name: str, host: np.ndarray) -> np.ndarray:
    """Make matrices Hermitian, or positive-definite by a dominant diagonal, as a function demands."""
    if name.startswith("cholesky"):
        host = hermitian(host)
        return host + np.eye(host.shape[-1], dtype=host.dtype) * 8 * np.max(np.abs(host), initial=0)
    return hermitian(host).astype(host.dtype) if name in OF_HERMITIAN else host


def as_matrices(results: Any, ndim: int) -> list[np.ndarray]:
    """Return stacks of results with two axes more than the stack: numbers and vectors become matrices."""
    arrays = [results] if isinstance(results, xp.Array) else list(results)
    hosts = [values_of(x) for x in arrays]
    return [
        host.reshape((*host.shape[: ndim - 2], *(1,) * (ndim - host.ndim), *host.shape[ndim - 2 :])) for host in hosts
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_decompositions_satisfy_their_equations(device, name, dtype, figures):
    dtype = supported(device, dtype)
    function, square, check = DECOMPOSITIONS[name]
    rng = np.random.default_rng([len(name), dtype.itemsize, sum(map(ord, name))])
    bound, wrong, refused = Bound(dtype), [], 0
    for case in range(CASES):
        kind, size = KINDS[case % len(KINDS)], str(rng.choice(SCALES))
        if name == "eig" and kind == "graded":
            continue  # LAPACK balances the matrix, which may enlarge the residual (Watkins, 2006)
        stack = (2,) if rng.integers(2) else ()
        shape = (*stack, *sides(rng, square))
        with quiet():
            host = prepared(name, random_matrices(rng, shape, dtype, kind, size))
        x = placed(host, rng)
        try:
            with quiet():
                results = as_matrices(function(x), host.ndim)
        except np.linalg.LinAlgError:
            refused += 1
            if refusable(name, bound, host):
                continue
            wrong.append(f"{kind}, {size}: refused {host.tolist()}")
            continue
        for parts in each(host, *results):
            if not all(map(mp.isfinite, (v for part in parts for v in part.flat))):
                if not may_be_infinite(name, bound, parts[0]):
                    wrong.append(f"{kind}, {size}: not finite for {parts[0].astype(complex).tolist()}: {parts[1:]}")
                continue
            ratio = check(bound, *parts)
            if not ratio <= 1:
                wrong.append(f"{kind}, {size}: {ratio:.3g} × the bound for {host.tolist()}")
    figures.record(cases=CASES, refused=refused)
    assert wrong == []


def supported(device: xp.Device, name: str) -> np.dtype:
    dtype = np.dtype(name)
    if not device.supports(dtype):
        pytest.skip(f"{device} does not support {name}")
    return dtype


def is_singular(bound: Bound, x: np.ndarray) -> bool:
    """Whether a matrix is singular within rounding errors, or its inverse overflows."""
    values = singular_values(x)
    return bool(values) and (values[-1] <= 64 * bound.eps * values[0] or bound.overflows(1 / values[-1]))


def refusable(name: str, bound: Bound, host: np.ndarray) -> bool:
    """Whether a function may raise LinAlgError: for singular matrices, or zeros, which are not positive-definite."""
    matrices = [parts[0] for parts in each(host)]
    if name == "inv":
        return any(is_singular(bound, x) for x in matrices)
    return name.startswith("cholesky") and any(min(map(mp.re, np.diagonal(x))) < bound.tiny * 64 for x in matrices)


def may_be_infinite(name: str, bound: Bound, x: np.ndarray) -> bool:
    if name == "det":
        return bound.overflows(largest_determinant(x))
    if name == "slogdet":
        return mp.fabs(determinant(x)) <= determinant_error(bound, x)
    return name in ("inv", "pinv") and is_singular(bound, x)


# -- systems of equations ---------------------------------------------------------------------------------------------


def largest_terms(left: np.ndarray, right: np.ndarray) -> Any:
    """Return a bound of the products of coefficients and unknowns, which elimination computes."""
    return largest(left) * largest(right) / singular_values(left)[-1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_of_systems_have_small_residuals(device, dtype, figures):
    dtype = supported(device, dtype)
    rng = np.random.default_rng([1, dtype.itemsize])
    bound, wrong = Bound(dtype), []
    for case in range(CASES):
        kind, size = KINDS[case % len(KINDS)], str(rng.choice(SCALES))
        rows, columns = int(rng.integers(0, 5)), int(rng.integers(0, 4))
        stack, stack2 = [((), ()), ((2,), ()), ((), (2,)), ((2, 1), (3,))][rng.integers(4)]
        a = random_matrices(rng, (*stack, rows, rows), dtype, kind, size)
        vector = not stack2 and bool(rng.integers(2))
        b = random_matrices(rng, (*stack2, rows, columns), dtype, "uniform", str(rng.choice([size, "one"])))
        b = b[..., 0] if vector and columns else b
        try:
            with quiet():
                result = xp.linalg.solve(placed(a, rng), placed(b, rng))
        except np.linalg.LinAlgError:
            if not any(is_singular(bound, x) for (x,) in each(a)):
                wrong.append(f"{kind}, {size}: refused {a.tolist()}")
            continue
        x = values_of(result)
        right = b[:, None] if b.ndim == 1 else b
        x = x[..., None] if b.ndim == 1 else x
        shape = np.broadcast_shapes(stack, right.shape[:-2])
        if x.shape != (*shape, *right.shape[-2:]):
            wrong.append(f"shapes {a.shape} and {b.shape} give {x.shape}")
            continue
        for left, rhs, solution in each(*(np.broadcast_to(v, (*shape, *v.shape[-2:])) for v in (a, right, x))):
            if not all(map(mp.isfinite, solution.flat)):
                if not is_singular(bound, left) and not bound.overflows(largest_terms(left, rhs)):
                    wrong.append(f"{kind}, {size}: not finite for {left.tolist()}")
                continue
            for j in range(solution.shape[1]):
                column = solution[:, j : j + 1]
                size_of_terms = largest(left) * largest(column) + largest(rhs[:, j])
                error = largest(product(left, column) - rhs[:, j : j + 1]) if rows else 0
                # An underflow in the solution is multiplied by the matrix.
                ratio = float(error / (bound.eps * FACTOR * size_of_terms + bound.tiny * (1 + largest(left))))
                if not ratio <= 1:
                    wrong.append(f"{kind}, {size}: {ratio:.3g} × the bound for {a.tolist()}, {b.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_solutions_solve_the_normal_equations(device, dtype, figures):
    dtype = supported(device, dtype)
    rng = np.random.default_rng([2, dtype.itemsize])
    bound, wrong = Bound(dtype), []
    for case in range(CASES):
        kind = KINDS[case % len(KINDS)]
        size = str(rng.choice(["one", "large", "small"]))  # the residuals are squares
        rows, columns = sides(rng, square=False)
        a = random_matrices(rng, (rows, columns), dtype, kind, size)
        b = random_matrices(rng, (rows, 2), dtype, "uniform", size)
        with quiet():
            result = xp.linalg.lstsq(placed(a, rng), placed(b, rng))
        (left,), (right,), (x,) = each(a)[0], each(b)[0], each(result.x)[0]
        known = rank_and_gap(bound, left)
        if known is None or not clear_rank(left, known):
            continue
        rank, first, _ = known
        if int(result.rank) != rank:
            wrong.append(f"{kind}, {size}: rank {int(result.rank)} of {a.tolist()}")
        if not rank:
            if largest(x):
                wrong.append(f"{kind}, {size}: solution {x} for zeros")
            continue
        rest = right - product(left, x)
        gradient = largest(product(adjoint(left), rest)) / first
        ratio = bound.ratio(gradient, first * largest(x) + largest(right))
        if rows > columns:
            squares = [mp.fsum(mp.fabs(v) ** 2 for v in column) for column in rest.T]
            margin = [value + (largest(right) + first * largest(x)) * mp.sqrt(value) for value in squares]
            errors = [mp.fabs(a - b) for a, b in zip(exact(values_of(result.residuals)), squares, strict=True)]
            noise = (bound.eps * first * largest(x)) ** 2
            ratios = [
                float(e / (FACTOR * (bound.eps * (m + noise / bound.eps) + bound.tiny)))
                for e, m in zip(errors, margin, strict=True)
            ]
            ratio = max(ratio, *ratios)
        if not ratio <= 1:
            wrong.append(f"{kind}, {size}: {ratio:.3g} × the bound for {a.tolist()}, {b.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


# -- norms ------------------------------------------------------------------------------------------------------------

VECTOR_ORDERS = (2, 1, 0, np.inf, -np.inf, 3, 0.5, -1, -2, 2.5)


def vector_norm(values: list[Any], order: float) -> Any:
    """Return the norm of exact values by its definition."""
    sizes = [mp.fabs(v) for v in values]
    if order == 0:
        return mp.mpf(sum(bool(v) for v in sizes))
    if np.isinf(order):
        return max(sizes, default=mp.mpf(0)) if order > 0 else min(sizes)
    if order < 0 and not all(sizes):
        return mp.mpf(0)
    return mp.fsum(v ** mp.mpf(order) for v in sizes) ** (1 / mp.mpf(order))


def powers_fit(bound: Bound, sizes: list[Any], order: float) -> bool:
    """Whether the powers of which a norm is the root neither overflow nor underflow."""
    powers = [] if order == 0 or np.isinf(order) else [v ** mp.mpf(order) for v in sizes if v]
    return all(bound.tiny * 64 < power < bound.max / 64 for power in powers)


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_of_vectors_follow_the_definition(device, dtype, figures):
    dtype = supported(device, dtype)
    rng = np.random.default_rng([3, dtype.itemsize])
    bound, wrong = Bound(dtype), []
    for case in range(CASES):
        kind, size, order = KINDS[case % len(KINDS)], str(rng.choice(SCALES)), VECTOR_ORDERS[rng.integers(10)]
        host = random_matrices(rng, (int(rng.integers(1, 4)), int(rng.integers(1, 6))), dtype, kind, size)
        axis, keepdims = [None, 0, -1, (0, 1), (1, 0)][rng.integers(5)], bool(rng.integers(2))
        with quiet():
            result = values_of(xp.linalg.vector_norm(placed(host, rng), axis=axis, keepdims=keepdims, ord=order))
        axes = (0, 1) if axis is None else axis
        if result.shape != np.sum(host, axis=axes, keepdims=keepdims).shape:
            wrong.append(f"axis {axis}, keepdims {keepdims}: shape {result.shape} for {host.shape}")
            continue
        rows = host.T if axis == 0 else host if axis == -1 else host.reshape(1, -1)
        for value, row in zip(exact(result).flat, rows, strict=True):
            exact_row = list(exact(row))
            if not powers_fit(bound, [mp.fabs(v) for v in exact_row], order):
                continue
            expected = vector_norm(exact_row, order)
            # The logarithm of a power is rounded to the precision of the dtype.
            logarithms = 1 if order in (0, 1, 2) or np.isinf(order) else 1 + abs(mp.log(expected or 1)) * 2
            ratio = bound.ratio(mp.fabs(value - expected), expected * logarithms, factor=8)
            if not ratio <= 1:
                wrong.append(f"order {order}: {ratio:.3g} × the bound for {row.tolist()}: {value}, not {expected}")
    figures.record(cases=CASES)
    assert wrong == []


MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


def matrix_norm(x: np.ndarray, order: Any) -> Any:
    """Return the norm of an exact matrix by its definition."""
    if order == "fro":
        return mp.sqrt(mp.fsum(mp.fabs(v) ** 2 for v in x.flat))
    if order in ("nuc", 2, -2):
        values = singular_values(x)
        return mp.fsum(values) if order == "nuc" else values[0] if order == 2 else values[-1]
    sums = [mp.fsum(map(mp.fabs, side)) for side in (x.T if abs(order) == 1 else x)]
    return max(sums) if order > 0 else min(sums)


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_of_matrices_follow_the_definition(device, dtype, figures):
    dtype = supported(device, dtype)
    rng = np.random.default_rng([4, dtype.itemsize])
    bound, wrong = Bound(dtype), []
    for case in range(CASES):
        kind, size, order = KINDS[case % len(KINDS)], str(rng.choice(SCALES)), MATRIX_ORDERS[rng.integers(8)]
        stack, keepdims = [(), (2,), (0,)][rng.integers(3)], bool(rng.integers(2))
        host = random_matrices(rng, (*stack, *rng.integers(1, 5, 2)), dtype, kind, size)
        with quiet():
            result = values_of(xp.linalg.matrix_norm(placed(host, rng), ord=order, keepdims=keepdims))
        if result.shape != ((*stack, 1, 1) if keepdims else stack):
            wrong.append(f"keepdims {keepdims}: shape {result.shape} for {host.shape}")
            continue
        for x, value in each(host, result.reshape(*stack, 1, 1)):
            if order == "fro" and not powers_fit(bound, [mp.fabs(v) for v in x.flat], 2):
                continue
            ratio = bound.ratio(mp.fabs(value[0, 0] - matrix_norm(x, order)), matrix_norm(x, "fro"))
            if not ratio <= 1:
                wrong.append(f"order {order}: {ratio:.3g} × the bound for {host.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


# -- products ---------------------------------------------------------------------------------------------------------


def vecdot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(np.frompyfunc(mp.conj, 1, 1)(a) * b, axis=-1), dtype=object)


def cross(a: np.ndarray, b: np.ndarray, sign: int = -1) -> np.ndarray:
    pairs = ((1, 2), (2, 0), (0, 1))
    parts = [np.asarray(a[..., i] * b[..., j] + sign * a[..., j] * b[..., i], dtype=object) for i, j in pairs]
    return np.stack(parts, axis=-1)


def tensordot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.tensordot(a, b, ((0, 2), (1, 0))), dtype=object)


def trace(a: np.ndarray, _: np.ndarray) -> np.ndarray:
    return np.asarray(np.trace(a, 1, -2, -1), dtype=object)


def cross_of_magnitudes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return cross(a, b, sign=1)


Reference = Callable[[np.ndarray, np.ndarray], Any]
# name -> (function, reference, reference for the magnitudes of the terms)
PRODUCTS: dict[str, tuple[Callable[..., xp.Array], Reference, Reference]] = {
    "matmul": (xp.linalg.matmul, np.matmul, np.matmul),
    "vecdot": (xp.linalg.vecdot, vecdot, vecdot),
    "tensordot": (lambda a, b: xp.linalg.tensordot(a, b, axes=((0, 2), (1, 0))), tensordot, tensordot),
    "outer": (xp.linalg.outer, np.multiply.outer, np.multiply.outer),
    "cross": (xp.linalg.cross, cross, cross_of_magnitudes),
    "trace": (lambda a, b: xp.linalg.trace(a, offset=1), trace, trace),
}

SHAPES: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "matmul": [
        *[((3, 4), (4, 2)), ((4,), (4, 2)), ((2, 4), (4,)), ((5,), (5,))],
        *[((2, 1, 2, 3), (3, 3, 2)), ((0, 2, 3), (3, 1))],
    ],
    "vecdot": [((4,), (4,)), ((2, 3), (3,)), ((2, 1, 5), (3, 5)), ((1,), (2, 1))],
    "tensordot": [((2, 2, 3), (3, 2, 1)), ((1, 2, 3), (3, 1)), ((2, 0, 1), (1, 2))],
    "outer": [((3,), (2,)), ((0,), (2,)), ((1,), (1,))],
    "cross": [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,))],
    "trace": [((3, 4), ()), ((2, 3, 3), ()), ((2, 1, 1), ()), ((0, 2, 2), ())],
}


@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "bfloat16"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_accurate_to_rounding_errors_of_their_terms(device, name, dtype, figures):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes, which defines bfloat16, is not installed")
        dtype = xp.bfloat16
    dtype = supported(device, dtype)
    (function, reference, of_magnitudes), shapes = PRODUCTS[name], SHAPES[name]
    rng = np.random.default_rng([5, dtype.itemsize, sum(map(ord, name))])
    bound, wrong = Bound(dtype), []
    for case in range(CASES):
        kind, size = KINDS[case % len(KINDS)], str(rng.choice(SCALES))
        if dtype.itemsize == 2:
            size, kind = "one", "uniform"
        a, b = (operand(rng, shape, dtype, kind, size) for shape in shapes[rng.integers(len(shapes))])
        with quiet():
            result = values_of(function(placed(a, rng), placed(b, rng)))
        expected = np.asarray(reference(exact(a), exact(b)), dtype=object)
        sizes = np.asarray(of_magnitudes(magnitudes(exact(a)), magnitudes(exact(b))), dtype=object)
        if (result.shape, result.dtype) != (expected.shape, dtype):
            wrong.append(f"{result.dtype} of shape {result.shape}, expected {dtype} of shape {expected.shape}")
            continue
        for value, exact_value, terms in zip(exact(result).flat, expected.flat, sizes.flat, strict=True):
            if bound.overflows(terms):
                continue
            ratio = bound.ratio(mp.fabs(value - exact_value), terms, factor=8)
            if not ratio <= 1:
                wrong.append(f"{kind}, {size}: {value}, not {exact_value}, for {a.tolist()} and {b.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


def operand(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, kind: str, size: str) -> np.ndarray:
    """Return values of a kind in any number of dimensions."""
    sides_of_matrices = (1,) * (2 - len(shape)) + shape
    wide = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
    return random_matrices(rng, sides_of_matrices, wide, kind, size).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != "trace"])
def test_products_of_integers_are_exact_modulo_the_range(device, name, dtype, figures):
    dtype = supported(device, dtype)
    (function, reference, _), shapes = PRODUCTS[name], SHAPES[name]
    rng, wrong, limits = np.random.default_rng([6, dtype.itemsize]), [], np.iinfo(dtype)
    for _ in range(CASES // 4):
        choices = [limits.min, limits.max, 0, 1, 2, 3, limits.max // 3]
        a, b = (rng.choice(np.asarray(choices, dtype), shape) for shape in shapes[rng.integers(len(shapes))])
        result = values_of(function(placed(a, rng), placed(b, rng)))
        wide = np.asarray(reference(*(np.asarray(x.astype(object)).reshape(x.shape) for x in (a, b))), dtype=object)
        expected = [(int(v) - limits.min) % 2**limits.bits + limits.min for v in wide.flat]
        if result.ravel().tolist() != expected or result.dtype != dtype:
            wrong.append(f"{result.tolist()}, not {expected}, for {a.tolist()} and {b.tolist()}")
    figures.record(cases=CASES // 4)
    assert wrong == []


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["matmul", "vecdot", "tensordot"])
def test_infinity_and_nan_reach_exactly_the_sums_that_contain_them(device, name, dtype, figures):
    dtype = supported(device, dtype)
    (function, reference, _), shapes = PRODUCTS[name], SHAPES[name]
    rng, wrong = np.random.default_rng([7, dtype.itemsize]), []
    choices = np.asarray([0, 1, -1, 2, 3, -5, np.inf, -np.inf, np.nan], dtype)
    for _ in range(CASES):
        a, b = (
            rng.choice(choices, shape, p=[0.2, *[0.13] * 5, 0.05, 0.05, 0.05])
            for shape in shapes[rng.integers(len(shapes))]
        )
        with quiet():
            result = values_of(function(placed(a, rng), placed(b, rng)))
            # Python's floats: the finite sums are small integers, which every order of additions computes exactly.
            expected = reference(*(np.asarray(x.astype(object)).reshape(x.shape) for x in (a, b)))
        if not np.array_equal(result, np.asarray(expected, np.float64), equal_nan=True):
            wrong.append(f"{result.tolist()}, not {np.asarray(expected).tolist()}, for {a.tolist()} and {b.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_of_matrices_are_repeated_products(device, dtype, figures):
    dtype = supported(device, dtype)
    rng, bound, wrong = np.random.default_rng([8, dtype.itemsize]), Bound(dtype), []
    for case in range(CASES):
        n, kind, rows = int(rng.integers(-3, 7)), KINDS[case % len(KINDS)], int(rng.integers(0, 4))
        host = random_matrices(rng, (2, rows, rows), dtype, "uniform" if n < 0 else kind, "one")
        host = host + np.eye(rows, dtype=dtype) * (4 if n < 0 else 0)
        with quiet():
            result = xp.linalg.matrix_power(placed(host, rng), n)
        for x, power in each(host, result):
            base = exact_inverse(x) if n < 0 and rows else x
            expected, sizes = identity(rows), identity(rows)
            for _ in range(abs(n)):
                expected, sizes = product(expected, base), product(sizes, magnitudes(base))
            error, size = (largest(power - expected), largest(sizes)) if rows else (0, 1)
            ratio = bound.ratio(error, size)
            if not ratio <= 1:
                wrong.append(f"power {n}, {kind}: {ratio:.3g} × the bound for {x.tolist()}")
    figures.record(cases=CASES)
    assert wrong == []


# -- tolerances, empty matrices, NaN ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values_below_the_tolerance_count_as_zero(device, dtype, figures):
    """Diagonal matrices with values 2^-k, and a tolerance between two of them."""
    dtype = supported(device, dtype)
    rng, bound, wrong = np.random.default_rng([9, dtype.itemsize]), Bound(dtype), []
    for _ in range(CASES // 2):
        rows, columns = (int(side) for side in rng.integers(1, 5, 2))
        exponents = rng.permutation(8)[: min(rows, columns)]
        host = np.zeros((2, rows, columns), dtype)
        for i, exponent in enumerate(exponents):
            host[:, i, i] = 2.0**-exponent
        ratio = 0.75 * 2.0 ** -int(rng.integers(0, 8))
        kept = [exponent for exponent in exponents if 2.0 ** -(exponent - min(exponents)) > ratio]
        rtol: Any = ratio
        if rng.integers(2):
            rtol = xp.asarray(np.asarray([ratio, ratio] if rng.integers(2) else ratio, xp.finfo(dtype).dtype))
        with quiet():
            ranks = values_of(xp.linalg.matrix_rank(placed(host, rng), rtol=rtol))
            inverses = values_of(xp.linalg.pinv(placed(host, rng), rtol=rtol))
            solved = xp.linalg.lstsq(placed(host[0], rng), xp.asarray(np.eye(rows, dtype=dtype)), ratio)
        expected = np.zeros((columns, rows))
        for i, exponent in enumerate(exponents):
            expected[i, i] = 2.0**exponent if exponent in kept else 0.0
        margin = float(bound.eps) * FACTOR * 256
        if not (ranks.tolist() == [len(kept)] * 2 and int(solved.rank) == len(kept)):
            wrong.append(f"ranks {ranks.tolist()} and {int(solved.rank)} for 2^-{exponents} and {ratio}")
        for actual in (*inverses, values_of(solved.x)):
            if not np.allclose(actual, expected, rtol=0, atol=margin):
                wrong.append(f"{actual.tolist()}, not {expected.tolist()}, for {ratio}")
    figures.record(cases=CASES // 2)
    assert wrong == []


EMPTY_NUMBERS: dict[str, Callable[[xp.Array], Any]] = {
    "matrix_rank": lambda x: xp.linalg.matrix_rank(x),
    "trace": lambda x: xp.linalg.trace(x),
    "fro": lambda x: xp.linalg.matrix_norm(x),
    "nuc": lambda x: xp.linalg.matrix_norm(x, ord="nuc"),
    **{f"norm {order}": lambda x, order=order: xp.linalg.matrix_norm(x, ord=order) for order in (1, 2, np.inf)},
}


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3), (3, 0), (0, 3), (2, 3, 0)], ids=str)
def test_numbers_of_empty_matrices_are_those_of_empty_sums(device, shape, figures):
    x = xp.zeros(shape)
    for name, function in EMPTY_NUMBERS.items():
        assert values_of(function(x)).tolist() == np.zeros(shape[:-2]).tolist(), name
    if shape[-1] == shape[-2] == 0:
        assert values_of(xp.linalg.det(x)).tolist() == np.ones(shape[:-2]).tolist()
        assert values_of(xp.linalg.slogdet(x).logabsdet).tolist() == np.zeros(shape[:-2]).tolist()
    figures.record(cases=len(EMPTY_NUMBERS))
