"""Two and three transforms in each order: gradients, tangents, Hessians, fused functions, estimates, batches, …

All pairs run on each device, and triples by turns: ``.ci/run`` sets the variable ``XTENSOR_TESTS_TURN`` to the number
of commits. Other devices than the host's NumPy take one function for each, by turns as well, because their calls take
long. The long tier runs all.
"""

from __future__ import annotations

import itertools
import os

import pytest
from nesting_cases import FUNCTIONS, TRANSFORMS, check

import xtensor as xp
from xtensor import autograd

TURN = int(os.environ.get("XTENSOR_TESTS_TURN", "0"))
PAIRS = list(itertools.product(TRANSFORMS, repeat=2))
TRIPLES = list(itertools.product(TRANSFORMS, repeat=3))
SAMPLE = TRIPLES[TURN % 97 :: 97]


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_two_transforms_give_the_derivative(names, device):
    for function in functions(PAIRS.index(names), device):
        check(names, function, device)


@pytest.mark.parametrize(
    "names",
    [pytest.param(names, marks=() if names in SAMPLE else pytest.mark.long, id="-".join(names)) for names in TRIPLES],
)
def test_three_transforms_give_the_derivative(names, device):
    for function in functions(TRIPLES.index(names), device):
        check(names, function, device)


def functions(number: int, device: xp.Device) -> list[str]:
    """Return the functions that a device takes for a pair or triple."""
    if device.backend in ("llvm", "numpy") or os.environ.get("XTENSOR_STRESS") == "long":
        return list(FUNCTIONS)
    return [list(FUNCTIONS)[(number + TURN) % len(FUNCTIONS)]]


def test_fused_stop_gradient_follows_the_argument(device):
    f = xp.fuse(lambda x: x + autograd.stop_gradient(2 * x))
    assert [float(f(xp.asarray([value]))[0]) for value in (1.0, 2.0)] == [3.0, 6.0]
