"""Derivatives of the first, second and third order at the ends of the functions' domains, against mpmath.

The quick tier has the functions whose references take little time, in reverse mode; the long tier has all, in both
modes. Values that are a choice, at kinks and at poles, are in ``docs/autograd.md`` and not among the points.
"""

from __future__ import annotations

import pytest
from arguments import call
from derivative_ends import computed, exact_derivative, partials, relative_error
from derivative_ends_probability import CASES
from good_arguments import GOOD, public_function
from strategies import quiet

import xtensor as xp
from xtensor import autograd
from xtensor.backend import TABLE

from .tiers import LONG

QUICK = (
    "cbrt", "special.erfc", "special.erfcx", "log_ndtr far", "special.j1", "special.i1", "nn.gelu", "xlogy(x, x + 1)",
)  # fmt: skip


@pytest.mark.parametrize("mode", ("reverse", "forward") if LONG else ("reverse",))
@pytest.mark.parametrize("name", CASES if LONG else QUICK)
def test_derivatives_at_the_ends_have_their_relative_precision(name, mode):
    case, wrong = CASES[name], []
    with xp.use_device("cpu"):
        for orders in partials(case):
            tolerance = case.tolerance[sum(orders) - 1]
            for point, result in zip(case.points, computed(case, orders, mode), strict=True):
                exact = exact_derivative(case, point, orders)
                if relative_error(float(result), exact) > tolerance:
                    wrong.append((orders, point, float(result), float(exact)))
    assert not wrong


LINEAR = (
    *("abs", "add", "clip", "conj", "copysign", "fabs", "fmax", "fmin", "ldexp", "maximum", "minimum", "multiply"),
    *(
        "negative",
        "positive",
        "real",
        "imag",
        "subtract",
        "where",
        "modf",
        "frexp",
        "deg2rad",
        "degrees",
        "rad2deg",
        "radians",
        "special.radian",
    ),
)
"""Functions that are linear in each operand, or between kinks."""

INVERSES = (*("bdtri", "betaincinv", "chdtri", "fdtri", "gammaincinv", "gammainccinv", "nbdtri", "pdtri", "stdtrit"),)
"""Inverses of distributions: their derivative is the reciprocal of the distribution's."""

OTHERS = {"special.lpmv": "a polynomial, or one times a root, in an interval"}


def has_derivative(name: str) -> bool:
    """Whether the derivative of a function by its last operand exists and is not 0 everywhere."""
    arguments = GOOD[name]()
    key = [key for key, value in arguments.items() if isinstance(value, xp.Array)][-1]

    def total(x: xp.Array) -> xp.Array:
        return xp.sum(call(public_function(name), {**arguments, key: x + 0.0625}))

    try:
        with quiet(), xp.transfers("allow"):
            return bool(xp.any(autograd.grad(total)(arguments[key]) != 0))
    except (TypeError, ValueError, AttributeError):
        return False


@pytest.mark.one_device  # the cases are the same ones on every device
def test_every_differentiable_function_of_numbers_has_a_case(device):
    names = [name for name, row in TABLE.items() if row.kind in ("elementwise", "special") and name in GOOD]
    known = {*CASES, *LINEAR, *(f"special.{name}" for name in INVERSES), *OTHERS}
    assert [name for name in names if name not in known and has_derivative(name)] == []
    assert len(names) > 150
