"""Second derivatives where cotangents are 0 by value: sums of squares at an exact fit.

The Hessian of half the sum of the squared residuals ``f(x) - f(x0)`` is the product of the Jacobian's transpose and the
Jacobian at ``x0``, where every cotangent of ``f`` is 0. It is compared for each case of every order of the modes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from autograd_cases import BEYOND_STRICT, CASES, arguments

import xtensor as xp
from xtensor import autograd, special
from xtensor._core.trees import flatten
from xtensor.nn import functional

from .tiers import scale

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")

SELECTIONS: dict[str, Callable[[Any], Any]] = {
    "all": lambda r: r,
    "where": lambda r: xp.where(xp.arange(r.shape[0]) % 2 == 0, r, 0.0),
    "slice": lambda r: r[::2],
    "clip": lambda r: xp.clip(r, -1.0, 1.0),
    "relu": lambda r: functional.relu(r + 1.0) - 1.0,
    "sort": lambda r: xp.sort(r + xp.arange(r.shape[0], dtype=r.dtype)),
    "concat": lambda r: xp.concat([r[1:], r[:1]]),
}
HALVES = ("where", "slice")
"""The selections that leave out each second residual."""


def of_vector(function: Any, operands: list[Any]) -> tuple[Callable[[Any], Any], Any]:
    """Return a function of one real vector with a real vector as its result, and the vector of the operands."""

    def real(x: Any) -> list[Any]:
        x = xp.reshape(x, (-1,))
        return [xp.real(x), xp.imag(x)] if x.dtype.kind == "c" else [x]

    def of_parts(p: Any) -> Any:
        given, start = [], 0
        for x in operands:
            size = math.prod(x.shape)
            part, start = p[start : start + size], start + size
            if x.dtype.kind == "c":
                part, start = part + 1j * p[start : start + size], start + size
            given.append(xp.reshape(part, x.shape))
        results = flatten(function(*given))[0]
        return xp.concat([part for y in results for part in real(y)])

    return of_parts, xp.concat([part for x in operands for part in real(x)])


def check_exact_fit(function: Any, operands: list[Any], select: str) -> None:
    of_parts, x0 = of_vector(function, operands)
    y0 = of_parts(x0)
    jacobian = xp.to_numpy(autograd.jacobian(of_parts, mode="forward")(x0))
    direction = xp.asarray(np.random.default_rng(1).integers(1, 4, x0.size) * 1.0)
    kept = np.arange(y0.size) % 2 == 0 if select in HALVES else np.ones(y0.size)
    expected = jacobian.T @ (kept * (jacobian @ xp.to_numpy(direction)))

    def half_of_squares(x: Any) -> Any:
        fitted, zero = SELECTIONS[select](of_parts(x) - y0), SELECTIONS[select](xp.zeros_like(y0))
        return xp.sum((fitted - zero) ** 2) / 2

    def along(x: Any) -> Any:
        return autograd.jvp(half_of_squares, (x,), (direction,))[1]

    found = {
        "forward over reverse": autograd.hvp(half_of_squares, (x0,), (direction,)),
        "reverse over reverse": autograd.grad(lambda x: xp.sum(autograd.grad(half_of_squares)(x) * direction))(x0),
        "reverse over forward": autograd.grad(along)(x0),
    }
    for way, value in found.items():
        tolerance = 1e-8 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(xp.to_numpy(value), expected, rtol=1e-6, atol=tolerance, err_msg=way)
    second = autograd.jvp(along, (x0,), (direction,))[1]
    assert float(second) == pytest.approx(float(expected @ xp.to_numpy(direction)), rel=1e-6, abs=1e-8)


def selections(place: int) -> list[str]:
    """Return one selection in the quick tier, and all in the long tier."""
    start = place % len(SELECTIONS)
    return list(SELECTIONS)[start:][:1] if scale(1, 0) else list(SELECTIONS)


@pytest.mark.parametrize("name", list(CASES)[:: scale(16, 1)])
def test_second_derivatives_at_an_exact_fit(name, device):
    if not device.supports(np.dtype(np.float64)) or (device == "strict" and name in BEYOND_STRICT):
        pytest.skip("the comparison needs float64, or the device refuses the function")
    for select in selections(list(CASES).index(name)):
        check_exact_fit(CASES[name][0], arguments(CASES[name]), select)


NETWORKS = {
    "attention": (lambda x: functional.scaled_dot_product_attention(x, x, x), (3, 2)),
    "cross_entropy": (lambda x: functional.cross_entropy(x, xp.asarray([1, 0])), (2, 3)),
    "gelu": (functional.gelu, (4,)),
    "layer_norm": (functional.layer_norm, (2, 3)),
    "logsumexp": (lambda x: special.logsumexp(x, axis=1), (2, 3)),
    "nanvar": (lambda x: xp.nanvar(x, axis=1), (2, 3)),
    "select": (lambda x: xp.select([x > 0.5, x <= 0.5], [x * x, x**3], 0.0), (4,)),
    "softmax": (lambda x: functional.softmax(x, axis=1), (2, 3)),
}


@pytest.mark.parametrize("name", list(NETWORKS)[scale(1, 0) :])  # without attention, which takes seconds
def test_second_derivatives_of_networks_at_an_exact_fit(name):
    function, shape = NETWORKS[name]
    operand = xp.asarray(np.random.default_rng(2).standard_normal(shape))
    for select in selections(list(NETWORKS).index(name)):
        check_exact_fit(function, [operand], select)
