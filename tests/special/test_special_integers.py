"""Functions for which SciPy has loops over integers: its values for every pair of dtypes and for broadcast shapes."""

from __future__ import annotations

import math
import warnings
from itertools import product

import mpmath
import numpy as np
import pytest

import xtensor as xp

scipy_special = pytest.importorskip("scipy.special")

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")

PROBABILITIES = [0.2, 0.5, 0.9]

OPERANDS = {
    **{name: ([-1, 0, 1, 2, 3], [3, 4, 5], PROBABILITIES) for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc", "nbdtri")},
    "bdtri": ([-1, 0, 1, 2, 3], [4, 5, 6], PROBABILITIES),
    **{name: ([-1, 0, 1, 2, 3], [0, 3, 4, 5]) for name in ("pdtr", "pdtrc")},
    "pdtri": ([-1, 0, 1, 2, 3], PROBABILITIES),
    **{name: ([0, 1, 2, 3], [0.2, 1.5, 3.0]) for name in ("expn", "yn")},
}
"""Values of the operands; those that are integers in each of the dtypes, -1 in the signed ones."""


def scipys(name: str):
    function = getattr(scipy_special, name)
    return getattr(function, "__wrapped__", function)  # SciPy may have wrapped it in its own dispatch


def operand(values: list[float], dtype: str) -> np.ndarray:
    return np.asarray([value for value in values if value >= 0 or dtype[0] != "u"], dtype=dtype)


def dtypes_of(values: list[float]) -> tuple[str, ...]:
    return (*INTEGERS, *REAL) if all(float(value).is_integer() for value in values) else REAL


def outer(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Each operand along an axis of its own."""
    count = len(arrays)
    return [x.reshape((1,) * axis + (-1,) + (1,) * (count - 1 - axis)) for axis, x in enumerate(arrays)]


SHAPES = {
    "axes of their own": outer,
    "vector and scalars": lambda arrays: [arrays[0], *[x[-1] for x in arrays[1:]]],
    "0-d": lambda arrays: [np.asarray(x[-1]) for x in arrays],
    "broadcast views": lambda arrays: [np.broadcast_to(x[-1:], (2, 3)) for x in arrays],
    "empty": lambda arrays: [x[:0] for x in arrays],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", OPERANDS)
def test_values_for_every_pair_of_dtypes_are_scipys(device, name, shape):
    function = getattr(xp.special, name)
    pairs = [dtypes_of(values) for values in OPERANDS[name]]
    # Every combination of dtypes once; each dtype of the first operand for the other shapes.
    last = [dtypes[-1] for dtypes in pairs[1:]]
    chosen = product(*pairs) if shape == "axes of their own" else [(each, *last) for each in pairs[0]]
    for dtypes in chosen:
        arrays = SHAPES[shape]([operand(*pair) for pair in zip(OPERANDS[name], dtypes, strict=True)])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # SciPy's, of floating-point numbers of trials
            expected = np.asarray(scipys(name)(*arrays))
        with np.errstate(all="ignore"), xp.transfers("allow"):
            result = function(*[xp.asarray(x) for x in arrays])
        assert result.shape == expected.shape
        np.testing.assert_allclose(
            np.asarray(result.tolist(), dtype=float).reshape(result.shape), expected, rtol=2e-5, err_msg=str(dtypes)
        )


LARGE = 2**33
"""A count that 32 bits do not hold."""


def test_negative_binomial_of_a_large_count_is_the_finite_sum_of_its_complement(lenient_device):
    k, n, p = xp.asarray([LARGE], device=lenient_device), 3, 1e-9
    with mpmath.workdps(50):
        q = mpmath.mpf(p)
        survival = mpmath.fsum(mpmath.binomial(LARGE + n, i) * q**i * (1 - q) ** (LARGE + n - i) for i in range(n))
    with xp.transfers("allow"):
        found = [float(function(k, n, p)[0]) for function in (xp.special.nbdtr, xp.special.nbdtrc)]
        inverse = float(xp.special.nbdtri(k, n, float(1 - survival))[0])
    assert found == pytest.approx([float(1 - survival), float(survival)], rel=1e-12)
    assert inverse == pytest.approx(p, rel=1e-12)


def test_binomial_of_large_trials_is_the_finite_sum(lenient_device):
    n, k, p = xp.asarray([LARGE], device=lenient_device), 3, 4e-10
    with mpmath.workdps(50):
        q = mpmath.mpf(p)
        below = mpmath.fsum(mpmath.binomial(LARGE, i) * q**i * (1 - q) ** (LARGE - i) for i in range(k + 1))
    with xp.transfers("allow"):
        found = [float(function(k, n, p)[0]) for function in (xp.special.bdtr, xp.special.bdtrc)]
        inverse = float(xp.special.bdtri(k, n, float(below))[0])
    assert found == pytest.approx([float(below), float(1 - below)], rel=1e-11)
    assert inverse == pytest.approx(p, rel=1e-11)


@pytest.mark.parametrize("k", [2**31 - 1, 2**31, 2**40])
def test_median_of_a_large_poisson_count_is_that_of_the_gamma_distribution(k, lenient_device):
    """The median of the gamma distribution of shape a is a - 1/3 + O(1/a), and a is k + 1."""
    with xp.transfers("allow"):
        mean = float(xp.special.pdtri(xp.asarray([k], device=lenient_device), 0.5)[0])
    assert mean == pytest.approx(k + 2 / 3, abs=k * 2**-52)


@pytest.mark.parametrize("name", ["bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri"])
def test_large_counts_below_zero_or_above_the_trials_are_outside_the_domain(name):
    outside = [(LARGE, LARGE - 1), (LARGE, 3)] if name[0] == "b" else [(-LARGE, 3), (3, -LARGE)]
    for k, n in outside:
        assert math.isnan(float(getattr(xp.special, name)(xp.asarray(k, device="numpy"), n, 0.5)))


@pytest.mark.parametrize("x", [0.0, 1.0, 30.0])
def test_exponential_integral_of_large_order(x, lenient_device):
    """Integration by parts: n E_{n+1}(x) = exp(-x) - x E_n(x), so that E_n lies between exp(-x) / (x + n) and n - 1."""
    with xp.transfers("allow"):
        found = float(xp.special.expn(xp.asarray([2**40], device=lenient_device), x)[0])
    assert found == pytest.approx(math.exp(-x) / (x + 2**40), rel=2**-39)
