"""Three transforms in each order; in the quick tier a sample of them."""

from __future__ import annotations

import itertools

import pytest
from nesting_cases import FUNCTIONS, TRANSFORMS, check

from .tiers import LONG

NAMES = list(itertools.product(TRANSFORMS, repeat=3))
CASES = list(itertools.product(FUNCTIONS, NAMES))


@pytest.mark.parametrize(
    ("function", "names"), CASES if LONG else CASES[::97], ids=lambda part: "-".join(part) if part in NAMES else part
)
def test_three_transforms_give_the_derivative(function, names, device):
    check(names, function, device)
