"""Derivatives of the first, second and third order at the ends of the functions' domains, against mpmath.

The quick tier has the functions whose references take little time, in reverse mode; the long tier has all, in both
modes. Values that are a choice, at kinks and at poles, are in ``docs/autograd.md`` and not among the points.
"""

from __future__ import annotations

import pytest
from derivative_ends import computed, exact_derivative, partials, relative_error
from derivative_ends_probability import CASES

import xtensor as xp

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
