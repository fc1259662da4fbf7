"""Two transforms in each order: gradients, tangents, Hessian matrices, fused functions, checkpoints, estimates."""

from __future__ import annotations

import itertools

import pytest
from nesting_cases import FUNCTIONS, TRANSFORMS, check

import xtensor as xp
from xtensor import autograd


@pytest.mark.one_device
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("names", list(itertools.product(TRANSFORMS, repeat=2)), ids="-".join)
def test_two_transforms_give_the_derivative(names, function, device):
    check(names, function, device)


def test_fused_stop_gradient_follows_the_argument(device):
    f = xp.fuse(lambda x: x + autograd.stop_gradient(2 * x))
    assert [float(f(xp.asarray([value]))[0]) for value in (1.0, 2.0)] == [3.0, 6.0]
