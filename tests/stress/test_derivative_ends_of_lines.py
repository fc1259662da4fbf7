"""Derivatives of the first, second and third order of functions of lines and matrices at the ends, against mpmath.

A function F is differentiated along a direction v: the derivatives of ``F(x + t v)`` by t at 0, in both modes. Elements
and directions of most cases are multiplied by powers of two, of which the squares or the products leave the range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from derivative_ends import Case, exact_derivative
from special_references import mp
from strategies import quiet, values_of

import xtensor as xp
from xtensor import autograd
from xtensor.nn import functional

from .tiers import LONG

Line = Sequence[Any]

ORDINARY = ((3.0, -4.0, 1.5, 0.25), (1.0, 2.0, -0.5, 3.0))
"""Elements and a direction."""

MATRIX = ((4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 5.0), (1.0, 0.5, -1.0, 0.5, 2.0, 0.25, -1.0, 0.25, -0.5))
"""A symmetric positive-definite matrix of order three, and a symmetric direction."""

WEIGHTS = (1.0, -2.0, 0.5, 3.0, -1.5, 0.25, 2.0, -0.75, 1.25)


def weighted(values: Sequence[Any]) -> Any:
    return mp.fsum(w * value for w, value in zip(WEIGHTS, values, strict=False))


def total(x: xp.Array) -> xp.Array:
    """Return the sum of the elements times weights."""
    x = xp.reshape(x, (-1,))
    return xp.sum(x * xp.asarray(WEIGHTS[: x.size]))


# -- definitions ------------------------------------------------------------------------------------------------------


def mean(x: Line) -> Any:
    return mp.fsum(x) / len(x)


def variance(x: Line) -> Any:
    return mp.fsum((item - mean(x)) ** 2 for item in x) / len(x)


def norm(x: Line, order: Any = 2) -> Any:
    return mp.fsum(abs(item) ** mp.mpf(order) for item in x) ** (1 / mp.mpf(order))


def excess(x: Line, i: int) -> Any:
    """Return the logarithm of the sum of exponentials, less an element."""
    return mp.log(mp.fsum(mp.exp(item - x[i]) for item in x))


def softmax(x: Line) -> list[Any]:
    return [mp.exp(-excess(x, i)) for i in range(len(x))]


def products(x: Line) -> list[Any]:
    result = [x[0]]
    for item in x[1:]:
        result.append(result[-1] * item)
    return result


def standardized(x: Line) -> list[Any]:
    return [(item - mean(x)) / mp.sqrt(variance(x)) for item in x]


def matrix_of(x: Line) -> Any:
    return mp.matrix([x[0:3], x[3:6], x[6:9]])


def elements(a: Any) -> list[Any]:
    return [a[i, j] for i in range(a.rows) for j in range(a.cols)]


def cholesky(x: Line) -> list[Any]:
    """Return the elements of the factor, for which mpmath's function takes small numbers to be 0."""
    a, factor = matrix_of(x), mp.zeros(3, 3)
    for j in range(3):
        factor[j, j] = mp.sqrt(a[j, j] - mp.fsum(factor[j, k] ** 2 for k in range(j)))
        for i in range(j + 1, 3):
            factor[i, j] = (a[i, j] - mp.fsum(factor[i, k] * factor[j, k] for k in range(j))) / factor[j, j]
    return elements(factor)


def covariance(x: Line, y: Line) -> Any:
    return mp.fsum((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True)) / (len(x) - 1)


def of_matrix(function: Callable[[xp.Array], xp.Array]) -> Callable[[xp.Array], xp.Array]:
    return lambda x: total(function(xp.reshape(x, (3, 3))))


def of_row(function: Callable[[xp.Array], xp.Array]) -> Callable[[xp.Array], xp.Array]:
    return lambda x: total(function(xp.expand_dims(x, axis=0)))


Function = tuple[Callable[[xp.Array], xp.Array], Callable[[Line], Any]]

HOMOGENEOUS: dict[str, tuple[Function, int]] = {
    "mean": ((xp.mean, mean), 1),
    "var": ((xp.var, variance), 2),
    "std": ((xp.std, lambda x: mp.sqrt(variance(x))), 1),
    "nanvar": ((xp.nanvar, variance), 2),
    "nanstd": ((xp.nanstd, lambda x: mp.sqrt(variance(x))), 1),
    "norm": ((xp.linalg.vector_norm, norm), 1),
    "norm of order 3": ((lambda x: xp.linalg.vector_norm(x, ord=3), lambda x: norm(x, 3)), 1),
    "norm of order 1.5": ((lambda x: xp.linalg.vector_norm(x, ord=1.5), lambda x: norm(x, 1.5)), 1),
    "norm of order -1": ((lambda x: xp.linalg.vector_norm(x, ord=-1), lambda x: norm(x, -1)), 1),
    "norm of order 1": ((lambda x: xp.linalg.vector_norm(x, ord=1), lambda x: norm(x, 1)), 1),
    "median": ((xp.median, lambda x: mp.fsum(sorted(x)[1:3]) / 2), 1),
    "quantile": ((lambda x: xp.quantile(x, 0.5), lambda x: mp.fsum(sorted(x)[1:3]) / 2), 1),
    "prod": ((xp.prod, mp.fprod), 4),
    "nanprod": ((xp.nanprod, mp.fprod), 4),
    "cumulative_prod": ((lambda x: total(xp.cumulative_prod(x)), lambda x: weighted(products(x))), 4),
    "cumulative_sum": (
        (lambda x: total(xp.cumulative_sum(x) ** 2), lambda x: weighted([mp.fsum(x[: i + 1]) ** 2 for i in range(4)])),
        2,
    ),
    "average": (
        (lambda x: xp.average(x[:2], weights=x[2:]), lambda x: (x[0] * x[2] + x[1] * x[3]) / (x[2] + x[3])),
        1,
    ),
    "trapezoid": (
        (lambda x: xp.trapezoid(x[:2], x[2:]), lambda x: (x[0] + x[1]) / 2 * (x[3] - x[2])),
        2,
    ),
    "vecdot": ((lambda x: xp.vecdot(x[:2], x[2:]), lambda x: x[0] * x[2] + x[1] * x[3]), 2),
    "cov": ((lambda x: xp.cov(xp.reshape(x, (2, 2)))[0, 1], lambda x: covariance(x[:2], x[2:])), 2),
    "corrcoef": (
        (
            lambda x: xp.corrcoef(xp.stack([x, xp.flip(x)]))[0, 1],
            lambda x: covariance(x, x[::-1]) / covariance(x, x),
        ),
        0,
    ),
    "cosine_similarity": (
        (
            lambda x: functional.cosine_similarity(xp.reshape(x[:2], (1, 2)), xp.reshape(x[2:], (1, 2)), eps=0.0)[0],
            lambda x: (x[0] * x[2] + x[1] * x[3]) / norm(x[:2]) / norm(x[2:]),
        ),
        0,
    ),
    "layer_norm": (
        (of_row(lambda x: functional.layer_norm(x, eps=0.0)), lambda x: weighted(standardized(x))),
        0,
    ),
    "group_norm": (
        (
            lambda x: total(functional.group_norm(xp.reshape(x, (1, 2, 2)), 1, eps=0.0)),
            lambda x: weighted(standardized(x)),
        ),
        0,
    ),
    "batch_norm": (
        (
            lambda x: total(functional.batch_norm(xp.reshape(x, (4, 1)), None, None, training=True, eps=0.0)),
            lambda x: weighted(standardized(x)),
        ),
        0,
    ),
    "rms_norm": (
        (
            of_row(lambda x: functional.rms_norm(x, eps=0.0)),
            lambda x: weighted([2 * item / norm(x) for item in x]),
        ),
        0,
    ),
}
"""Functions of four elements, their definitions, and their degrees of homogeneity."""

MATRICES: dict[str, tuple[Function, int]] = {
    "det": ((of_matrix(xp.linalg.det), lambda x: mp.det(matrix_of(x))), 3),
    "slogdet": (
        (of_matrix(lambda x: xp.linalg.slogdet(x).logabsdet), lambda x: mp.log(abs(mp.det(matrix_of(x))))),
        0,
    ),
    "inv": ((of_matrix(xp.linalg.inv), lambda x: weighted(elements(mp.inverse(matrix_of(x))))), -1),
    "solve": (
        (
            of_matrix(lambda x: xp.linalg.solve(x, xp.asarray([1.0, -2.0, 3.0]))),
            lambda x: weighted(list(mp.lu_solve(matrix_of(x), mp.matrix([1, -2, 3])))),
        ),
        -1,
    ),
    "matrix_power": (
        (
            of_matrix(lambda x: xp.linalg.matrix_power(x, 2)),
            lambda x: weighted(elements(matrix_of(x) * matrix_of(x))),
        ),
        2,
    ),
    "matmul": (
        (of_matrix(lambda x: xp.matmul(x, x)), lambda x: weighted(elements(matrix_of(x) * matrix_of(x)))),
        2,
    ),
    "trace": ((lambda x: xp.linalg.trace(xp.reshape(x, (3, 3))), lambda x: x[0] + x[4] + x[8]), 1),
    "matrix_norm": ((lambda x: xp.linalg.matrix_norm(xp.reshape(x, (3, 3))), norm), 1),
    "cholesky": (
        (of_matrix(xp.linalg.cholesky), lambda x: weighted(cholesky(x))),
        1,  # half of it, which is no power of two
    ),
    "qr": (
        (
            of_matrix(lambda x: abs(xp.linalg.qr(x).R)),
            lambda x: weighted([abs(item) for item in elements(mp.qr(matrix_of(x))[1])]),
        ),
        1,
    ),
    "svdvals": (
        (
            of_matrix(lambda x: xp.linalg.svdvals(x)),
            lambda x: weighted(sorted(mp.svd_r(matrix_of(x), compute_uv=False), reverse=True)),
        ),
        1,
    ),
    "eigvalsh": (
        (
            of_matrix(xp.linalg.eigvalsh),
            lambda x: weighted(sorted(mp.eigsy(matrix_of(x), eigvals_only=True))),
        ),
        1,
    ),
}
"""Functions of a matrix of order three."""

EXPONENTIALS: dict[str, Function] = {
    "logsumexp": (xp.special.logsumexp, lambda x: x[0] + excess(x, 0)),
    "softmax": (
        lambda x: total(functional.softmax(x, axis=0)),
        lambda x: weighted(softmax(x)),
    ),
    "log_softmax": (
        lambda x: total(functional.log_softmax(x, axis=0)),
        lambda x: weighted([-excess(x, i) for i in range(4)]),
    ),
    "special.softmax": (
        lambda x: total(xp.special.softmax(x)),
        lambda x: weighted(softmax(x)),
    ),
    "special.log_softmax": (
        lambda x: total(xp.special.log_softmax(x)),
        lambda x: weighted([-excess(x, i) for i in range(4)]),
    ),
    "cross_entropy": (
        lambda x: functional.cross_entropy(xp.expand_dims(x, axis=0), xp.asarray([1])),
        lambda x: excess(x, 1),
    ),
}

ROWS = {
    "equal": ((0.0, 0.0, 0.0, 0.0), (1.0, -2.0, 0.5, 0.25)),
    "near": ((1e-9, 0.0, -1e-12, 1e-300), (1.0, 2.0, 3.0, -1.0)),
    "saturated": ((0.0, -40.0, -45.0, -300.0), (1.0, -1.0, 2.0, 0.5)),
    "far": ((800.0, 790.0, -800.0, 0.0), (-1.0, 1.0, 2.0, 0.5)),
    "large": ((1e30, 1e30, -1e30, 0.0), (1.0, -1.0, 2.0, 0.5)),
}
"""Elements of rows and directions at the ends of exponentials."""


def derivatives(function: Callable[[xp.Array], xp.Array], x: Line, v: Line, mode: str) -> list[float]:
    """Return the value and three derivatives along a direction."""
    start, direction = (xp.asarray(list(map(float, line))) for line in (x, v))

    def along(t: xp.Array) -> xp.Array:
        return xp.reshape(function(start + t * direction), ())

    def derivative(f: Callable[[xp.Array], xp.Array]) -> Callable[[xp.Array], xp.Array]:
        if mode == "reverse":
            return autograd.grad(f)
        return lambda t: autograd.jvp(f, (t,), (xp.ones(()),))[1]

    found, f, zero = [], along, xp.asarray(0.0)
    with quiet():
        for _ in range(4):
            found.append(float(values_of(f(zero))))
            f = derivative(f)
    return found


def check(pair: Function, x: Line, v: Line, mode: str, scale: float = 1.0) -> None:
    function, reference = pair
    found = derivatives(function, [item * scale for item in x], [item * scale for item in v], mode)
    case = Case(
        function, lambda t: reference([(mp.mpf(a) + t * mp.mpf(b)) * scale for a, b in zip(x, v, strict=True)]), (0.0,)
    )
    with mp.workdps(60):
        exact = [reference([mp.mpf(item) * scale for item in x])]
    exact += [exact_derivative(case, (0.0,), (order,)) for order in (1, 2, 3)]
    size = max(map(abs, exact))
    for order, tolerance in enumerate((1e-13, 1e-12, 1e-11, 1e-10)):
        assert abs(found[order] - exact[order]) <= tolerance * size, (order, found, list(map(float, exact)))


MODES = ("reverse", "forward")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("end", [0, 1, -1])
@pytest.mark.parametrize("name", [*HOMOGENEOUS, *MATRICES])
def test_derivatives_along_a_line_do_not_lose_digits_at_the_ends_of_the_range(device, name, end, mode):
    if not device.supports(xp.float64):
        pytest.skip(f"{device} does not support float64")
    pair, degree = (HOMOGENEOUS | MATRICES)[name]
    # The third derivative has powers of the inverse of up to the fourth degree.
    exponent = 240 if degree < 0 else min(1000 // max(degree, 1), 900)
    if not LONG and name in ("svdvals", "qr", "eigvalsh"):
        pytest.skip("the references take seconds: part of the long tier")
    check(pair, *(MATRIX if name in MATRICES else ORDINARY), mode, 2.0 ** (end * exponent))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("name", EXPONENTIALS)
def test_derivatives_of_exponentials_of_rows_at_the_ends(device, name, row, mode):
    if not device.supports(xp.float64):
        pytest.skip(f"{device} does not support float64")
    check(EXPONENTIALS[name], *ROWS[row], mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("zeros", [(0,), (1, 3), (0, 2, 3)])
@pytest.mark.parametrize("name", ["prod", "nanprod", "cumulative_prod"])
def test_derivatives_of_products_with_zeros(device, name, zeros, mode):
    x = [0.0 if i in zeros else item for i, item in enumerate(ORDINARY[0])]
    check(HOMOGENEOUS[name][0], x, ORDINARY[1], mode)
