"""Two transforms in each order: gradients, tangents, Hessian matrices, fused functions, checkpoints, estimates."""

from __future__ import annotations

import itertools

import pytest
from nesting_cases import FUNCTIONS, TRANSFORMS, check


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("names", list(itertools.product(TRANSFORMS, repeat=2)), ids="-".join)
def test_two_transforms_give_the_derivative(names, function, device):
    check(names, function, device)
