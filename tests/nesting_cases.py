"""Functions, and transforms of them in any order, with derivatives along a line that mpmath gives.

Each transform makes a real function of a vector of another one, so that they nest: a gradient, a tangent and a Hessian
matrix are multiplied by the direction ``V``. The result of any nesting is then a derivative of the function of one
number ``t -> f(x + t V)``, of an order that the transforms add up to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import mpmath
import numpy as np

import xtensor as xp
from xtensor import autograd, linalg, special

POINTS = ((0.5, 1.25, -0.75), (1.5, -0.25, 0.75))
"""The second one selects other elements than the first, for a recording that is replayed."""

V = (1.0, -0.5, 0.25)
A = ((4.0, 1.0, 0.5), (-1.0, 5.0, 1.0), (0.5, 0.25, 3.0))
B = (1.0, -2.0, 3.0)

Function = Callable[[Any], Any]


def constant(values: Any, like: Any) -> Any:
    return xp.asarray(values, dtype=like.dtype, device=like.device)


# -- functions of a vector, in xtensor and in mpmath's numbers ---------------------------------------------------------


def _chain(x):
    return xp.sum(xp.exp(-x * x) * xp.sin(x) + xp.sqrt(x + 2))


def _chain_exact(x):
    return sum(mpmath.exp(-v * v) * mpmath.sin(v) + mpmath.sqrt(v + 2) for v in x)


def _reduction(x):
    return xp.mean(x * x) * xp.prod(x) + xp.max(x) ** 3


def _reduction_exact(x):
    return sum(v * v for v in x) / 3 * x[0] * x[1] * x[2] + max(x) ** 3


def _product(x):
    return xp.matmul(xp.matmul(constant(A, x), x), x * x)


def _product_exact(x):
    return sum(sum(a * v for a, v in zip(row, x, strict=True)) * w * w for row, w in zip(A, x, strict=True))


def _write(x):
    y = x * x
    y[0:2] = x[1:] * x[2]
    y[2] *= x[0]
    return xp.sum(y * x)


def _write_exact(x):
    return x[1] * x[2] * x[0] + x[2] * x[2] * x[1] + x[2] * x[2] * x[0] * x[2]


def _selection(x):
    return xp.sum(xp.where(x > 1, x**3, xp.where(x > 0, x * x, xp.exp(x))))


def _selection_exact(x):
    return sum(v**3 if v > 1 else v * v if v > 0 else mpmath.exp(v) for v in x)


def _order(x):
    return xp.sum(xp.sort(x) ** 4 * constant(B, x))


def _order_exact(x):
    return sum(b * v**4 for b, v in zip(B, sorted(x), strict=True))


def _solution(x):
    return xp.sum(linalg.solve(constant(A, x) + x * xp.eye(3, dtype=x.dtype, device=x.device), constant(B, x)) * x)


def _solution_exact(x):
    matrix = mpmath.matrix(A)
    for i in range(3):
        matrix[i, i] += x[i]
    solution = mpmath.lu_solve(matrix, mpmath.matrix(B))
    return sum(s * v for s, v in zip(solution, x, strict=True))


def _determinant(x):
    return linalg.det(constant(A, x) + x * xp.eye(3, dtype=x.dtype, device=x.device))


def _determinant_exact(x):
    (a, b, c), (d, e, f), (g, h, i) = [[v + x[j] * (j == k) for k, v in enumerate(row)] for j, row in enumerate(A)]
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _gather(x):
    return xp.sum(xp.take(x, xp.asarray([2, 0, 2, 1], device=x.device)) ** 3 * xp.arange(4.0, device=x.device))


def _gather_exact(x):
    return x[0] ** 3 + 2 * x[2] ** 3 + 3 * x[1] ** 3


def _softmax(x):
    return xp.sum(special.softmax(x, axis=-1) * constant(B, x))


def _softmax_exact(x):
    terms = [mpmath.exp(v) for v in x]
    return sum(b * v for b, v in zip(B, terms, strict=True)) / sum(terms)


def _joining(x):
    return xp.sum(xp.concat([x[::-1], xp.reshape(xp.stack([x, x * x]), (6,))]) ** 2 * xp.arange(9.0, device=x.device))


def _joining_exact(x):
    items = [*reversed(x), *x, *[v * v for v in x]]
    return sum(k * v**2 for k, v in enumerate(items))


FUNCTIONS: dict[str, tuple[Function, Function]] = {
    "chain": (_chain, _chain_exact),
    "reduction": (_reduction, _reduction_exact),
    "product": (_product, _product_exact),
    "write": (_write, _write_exact),
    "selection": (_selection, _selection_exact),
    "order": (_order, _order_exact),
    "solution": (_solution, _solution_exact),
    "determinant": (_determinant, _determinant_exact),
    "gather": (_gather, _gather_exact),
    "softmax": (_softmax, _softmax_exact),
    "joining": (_joining, _joining_exact),
}


# -- transforms --------------------------------------------------------------------------------------------------------


def _grad(f):
    return lambda x: xp.sum(autograd.grad(f)(x) * constant(V, x))


def _jvp(f):
    return lambda x: autograd.jvp(f, (x,), (constant(V, x),))[1]


def _hessian(f):
    return lambda x: xp.sum(autograd.hessian(f)(x) * constant(np.multiply.outer(V, V), x))


def _estimate(f):
    """Return the function, which is estimated where it is called."""

    def estimated(x):
        assert xp.estimate(f, x).result.shape == ()
        return f(x)

    return estimated


def _vmap(f):
    return lambda x: xp.vmap(f)(xp.stack([x, x + constant((0.25, 0.5, 0.125), x)]))[0, ...]


TRANSFORMS: dict[str, tuple[Callable[[Function], Function], int]] = {
    "grad": (_grad, 1),
    "jvp": (_jvp, 1),
    "hessian": (_hessian, 2),
    "fuse": (xp.fuse, 0),
    "checkpoint": (autograd.checkpoint, 0),
    "estimate": (_estimate, 0),
    "vmap": (_vmap, 0),
}
"""Each transform with the order of the derivative that it takes."""


def nested(names: Sequence[str], f: Function) -> tuple[Function, int]:
    """Return a function under some transforms, the outermost first, and the order of its derivative."""
    order = 0
    for name in reversed(names):
        transform, degree = TRANSFORMS[name]
        f = transform(f)
        order += degree
    return f, order


@cache
def derivative(name: str, point: Sequence[float], order: int) -> float:
    """Return a derivative of ``t -> f(x + t V)`` at 0, computed with 60 digits."""
    with mpmath.workdps(60):

        def along(t):
            return FUNCTIONS[name][1]([mpmath.mpf(x) + t * mpmath.mpf(v) for x, v in zip(point, V, strict=True)])

        return float(mpmath.diff(along, 0, order))


def check(names: Sequence[str], function: str, device: xp.Device) -> None:
    """Assert that transforms of a function give the derivative at each point, where the first one is recorded."""
    f, order = nested(names, FUNCTIONS[function][0])
    for point in POINTS:
        x = xp.asarray(point, dtype=xp.float64, device=device)
        expected = derivative(function, point, order)
        found = f(x)
        assert found.shape == ()
        assert found.device == device
        assert abs(float(found) - expected) <= 1e-10 * (1 + abs(expected)), (
            f"{function} at {point}: {float(found)}, {expected}"
        )
        assert [float(v) for v in x] == list(point)
