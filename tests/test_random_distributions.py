"""Distributions of random numbers: Kolmogorov-Smirnov, chi-squared, moments and serial tests with fixed seeds.

For a right generator a check fails with the probability :data:`random_cases.SIGNIFICANCE` for a seed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from random_cases import CONSTANT, CONTINUOUS, DISCRETE, SIGNIFICANCE, chi_squared_p
from scipy import stats

import xtensor as xp
from xtensor.random._count_formulas import hat_width

COUNT = 20_000

FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

Z = float(stats.norm.isf(SIGNIFICANCE / 2))
"""Bound of a normal number for the significance."""


def numbers(case, count=COUNT):
    return np.asarray(case.draw(xp.random.default_rng(20, device="cpu"), count))


@pytest.mark.parametrize("case", CONTINUOUS, ids=lambda case: case.id)
def test_continuous_numbers_have_the_distribution_function(case):
    assert stats.kstest(numbers(case), case.distribution.cdf).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("case", [*CONTINUOUS, *DISCRETE], ids=lambda case: case.id)
def test_mean_and_variance_are_those_of_the_distribution(case):
    mean, variance, _, kurtosis = map(float, case.distribution.stats("mvsk"))
    x = numbers(case).astype(np.float64)
    if math.isfinite(variance):
        assert abs(x.mean() - mean) < Z * math.sqrt(variance / COUNT)
    if math.isfinite(kurtosis) and kurtosis < 50:
        error = math.sqrt((kurtosis + 2) / COUNT)
        # The distribution of a sample variance is skew: some more room above.
        assert abs(x.var() / variance - 1) < 1.5 * Z * error


@pytest.mark.parametrize("case", DISCRETE, ids=lambda case: case.id)
def test_counts_have_the_probabilities(case):
    x = numbers(case)
    assert x.dtype == np.int64
    assert (case.distribution.pmf(np.unique(x)) > 0).all()
    low, high = int(np.quantile(x, 0.0005)), int(np.quantile(x, 0.9995))
    cells = np.arange(low, min(high, low + 1000) + 1)
    probability = case.distribution.pmf(cells)
    rest = max(1 - probability.sum(), 0)
    observed = np.array([*(np.sum(x == cell) for cell in cells), np.sum((x < cells[0]) | (x > cells[-1]))])
    expected = COUNT * np.array([*probability, rest])
    assert chi_squared_p(observed, expected) > SIGNIFICANCE


@pytest.mark.parametrize("case", CONSTANT, ids=lambda case: case.id)
def test_parameters_at_the_edge_give_one_number(case):
    assert (numbers(case, 1000) == case.distribution).all()


@pytest.mark.parametrize("mean", [1e5, 1e10, 1e15])
def test_large_poisson_means_are_as_accurate_as_small_ones(mean):
    x = np.asarray(xp.random.default_rng(4, device="cpu").poisson(mean, COUNT)).astype(np.float64)
    assert stats.kstest((x - mean) / math.sqrt(mean), stats.norm.cdf).pvalue > 1e-4
    assert abs(np.var((x - mean) / math.sqrt(mean)) - 1) < Z * math.sqrt(2 / COUNT)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("method", "arguments", "distribution"),
    [
        ("random", (), stats.uniform()),
        ("standard_normal", (), stats.norm()),
        ("standard_exponential", (), stats.expon()),
        ("standard_gamma", (0.4,), stats.gamma(0.4)),
        ("standard_gamma", (3.0,), stats.gamma(3)),
    ],
)
def test_standard_distributions_of_each_dtype(method, arguments, distribution, dtype):
    x = getattr(xp.random.default_rng(8, device="cpu"), method)(*arguments, size=200_000, dtype=dtype)
    assert x.dtype == dtype
    assert stats.kstest(np.asarray(x), distribution.cdf).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sign", [-1, 1])
def test_normal_tails_have_their_probability(dtype, sign):
    x = sign * np.asarray(xp.random.default_rng(9, device="cpu").standard_normal(2_000_000, dtype=dtype))
    for bound in (2.0, 3.0, 4.0):
        probability = stats.norm.sf(bound)
        assert stats.binomtest(int(np.sum(x > bound)), len(x), probability).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers_of_each_dtype_are_uniform(dtype, endpoint):
    limits = np.iinfo(dtype)
    rng = xp.random.default_rng(3, device="cpu")
    low, high = (0, 10) if limits.min == 0 else (-4, 6)
    x = np.asarray(rng.integers(low, high - endpoint, COUNT, dtype=dtype, endpoint=endpoint))
    assert x.dtype == dtype
    assert chi_squared_p(np.bincount(x.astype(int) - low, minlength=10), np.full(10, COUNT / 10)) > SIGNIFICANCE
    x = np.asarray(rng.integers(limits.min, limits.max, COUNT, dtype=dtype, endpoint=True))
    position = (x.astype(np.float64) - limits.min) / (float(limits.max) - limits.min + 1)
    cells = np.bincount((position * 16).astype(int), minlength=16)
    assert chi_squared_p(cells, np.full(16, COUNT / 16)) > SIGNIFICANCE


@pytest.mark.parametrize("number", [2**32 + 1, 3 * 2**61, 2**63 + 1, 2**64 - 1])
@pytest.mark.parametrize("as_arrays", [False, True])
def test_integers_of_large_ranges_are_uniform(number, as_arrays):
    """For three quarters of the words, the high word of the product alone would give half of the offsets twice."""
    bounds = (0, number)
    if as_arrays:
        bounds = tuple(xp.asarray([bound], dtype=xp.uint64, device="cpu") for bound in bounds)
    x = np.asarray(xp.random.default_rng(3, device="cpu").integers(*bounds, COUNT, dtype=np.uint64))
    assert int(x.max()) < number
    cells = np.array([int(item) * 48 // number for item in x])
    assert chi_squared_p(np.bincount(cells, minlength=48), np.full(48, COUNT / 48)) > SIGNIFICANCE
    if number > 2**33:
        remainders = np.bincount((x % 3).astype(int), minlength=3)
        assert chi_squared_p(remainders, np.full(3, COUNT / 3)) > SIGNIFICANCE


def test_booleans_are_uniform():
    x = xp.random.default_rng(3, device="cpu").integers(0, 2, COUNT, dtype=bool)
    assert x.dtype == bool
    assert stats.binomtest(int(xp.count_nonzero(x)), COUNT).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("zipf", (1.000001,)), ("negative_binomial", (0.01, 1.2e-19)), ("noncentral_chisquare", (1.0, 1e18))],
)
def test_counts_near_the_largest_integer_end(method, arguments):
    x = getattr(xp.random.default_rng(1, device="cpu"), method)(*arguments, size=200_000)
    assert bool(xp.all(x >= 0))
    assert float(xp.max(x)) > 1e17


# -- serial tests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("method", ["random", "standard_normal", "standard_exponential"])
def test_neighbours_are_uncorrelated(method, dtype):
    x = np.asarray(getattr(xp.random.default_rng(11, device="cpu"), method)(200_000, dtype=dtype)).astype(np.float64)
    x = (x - x.mean()) / x.std()
    for lag in (1, 2, 3, 4, 5, 7, 8, 256):
        assert abs(np.mean(x[lag:] * x[:-lag])) < Z / math.sqrt(len(x) - lag), lag


@pytest.mark.parametrize("dtype", FLOATS)
def test_pairs_and_triples_fill_their_cells(dtype):
    x = np.asarray(xp.random.default_rng(12, device="cpu").random(240_000, dtype=dtype)).astype(np.float64)
    for size, cells in ((2, 24), (3, 8)):
        index = np.minimum((x.reshape(-1, size) * cells).astype(int), cells - 1)
        flat = np.ravel_multi_index(tuple(index.T), (cells,) * size)
        expected = np.full(cells**size, len(index) / cells**size)
        assert chi_squared_p(np.bincount(flat, minlength=cells**size), expected) > SIGNIFICANCE


def test_each_bit_of_words_is_balanced_and_independent_of_the_next_words():
    words = np.asarray(xp.random.default_rng(13, device="cpu").integers(0, 2**64, 50_000, dtype=np.uint64))
    bits = np.unpackbits(words.view(np.uint8)).reshape(-1, 64)
    for changes in (bits, *(bits[lag:] ^ bits[:-lag] for lag in (1, 2, 3, 4))):
        z = (changes.mean(axis=0) - 0.5) * 2 * math.sqrt(len(changes))
        assert np.abs(z).max() < stats.norm.isf(SIGNIFICANCE / 128)


def test_gaps_between_small_numbers_are_geometric():
    x = np.asarray(xp.random.default_rng(14, device="cpu").random(200_000))
    gaps = np.minimum(np.diff(np.flatnonzero(x < 0.1)), 40)
    probability = np.append(stats.geom(0.1).pmf(np.arange(1, 40)), stats.geom(0.1).sf(39))
    assert chi_squared_p(np.bincount(gaps, minlength=41)[1:], probability * len(gaps)) > SIGNIFICANCE


# -- vectors, permutations, samples -----------------------------------------------------------------------------------


def test_normal_vectors_have_mean_and_covariance():
    mean, cov = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.2], [0.1, -0.2, 0.5]])
    for method in ("svd", "eigh", "cholesky"):
        x = np.asarray(xp.random.default_rng(5, device="cpu").multivariate_normal(mean, cov, COUNT, method=method))
        assert (np.abs(x.mean(0) - mean) < Z * np.sqrt(np.diag(cov) / COUNT)).all()
        spread = np.sqrt(np.outer(np.diag(cov), np.diag(cov)) + cov**2)
        assert (np.abs(np.cov(x.T) - cov) < 1.5 * Z * spread / math.sqrt(COUNT)).all()
        whitened = np.linalg.solve(np.linalg.cholesky(cov), (x - mean).T)
        assert stats.kstest(np.sum(whitened**2, axis=0), stats.chi2(3).cdf).pvalue > SIGNIFICANCE


def test_elements_of_dirichlet_vectors_are_beta_and_add_up_to_one():
    alpha = np.array([0.05, 2.0, 1.0])
    x = np.asarray(xp.random.default_rng(5, device="cpu").dirichlet(alpha, COUNT))
    np.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-14)
    for element, a in zip(x.T, alpha, strict=True):
        assert stats.kstest(element, stats.beta(a, alpha.sum() - a).cdf).pvalue > SIGNIFICANCE


def test_multinomial_numbers_are_binomial_and_correlated():
    p = np.array([0.1, 0.3, 0.6])
    x = np.asarray(xp.random.default_rng(5, device="cpu").multinomial(20, p, COUNT))
    assert (x.sum(axis=1) == 20).all()
    for outcome, probability in zip(x.T, p, strict=True):
        expected = COUNT * stats.binom(20, probability).pmf(np.arange(21))
        assert chi_squared_p(np.bincount(outcome, minlength=21), expected) > SIGNIFICANCE
    expected = 20 * (np.diag(p) - np.outer(p, p))
    assert np.abs(np.cov(x.T) - expected).max() < 1.5 * Z * 20 / 4 / math.sqrt(COUNT)


def test_numbers_of_colours_are_hypergeometric():
    x = np.asarray(xp.random.default_rng(5, device="cpu").multivariate_hypergeometric([6, 9, 5], 8, COUNT))
    assert (x.sum(axis=1) == 8).all()
    for colour, number in zip(x.T, (6, 9, 5), strict=True):
        expected = COUNT * stats.hypergeom(20, number, 8).pmf(np.arange(9))
        assert chi_squared_p(np.bincount(colour, minlength=9), expected) > SIGNIFICANCE


def test_permutations_are_equally_probable():
    rng = xp.random.default_rng(6, device="cpu")
    x = np.asarray(rng.permuted(xp.broadcast_to(xp.arange(4, device="cpu"), (COUNT, 4)), axis=1))
    assert (np.sort(x, axis=1) == np.arange(4)).all()
    number = {order: index for index, order in enumerate(itertools.permutations(range(4)))}
    counts = np.bincount([number[tuple(row)] for row in x.tolist()], minlength=24)
    assert chi_squared_p(counts, np.full(24, COUNT / 24)) > SIGNIFICANCE


def test_samples_without_replacement_have_the_probabilities_of_draws_one_after_the_other():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    rng = xp.random.default_rng(6, device="cpu")
    pairs = [tuple(rng.choice(4, 2, replace=False, p=p).tolist()) for _ in range(3000)]
    expected = {(i, j): p[i] * p[j] / (1 - p[i]) for i, j in itertools.permutations(range(4), 2)}
    observed = np.array([pairs.count(pair) for pair in expected])
    assert chi_squared_p(observed, 3000 * np.array(list(expected.values()))) > SIGNIFICANCE


def test_samples_with_probabilities_have_them():
    p = np.array([0.1, 0.0, 0.3, 0.6])
    x = np.asarray(xp.random.default_rng(6, device="cpu").choice(4, COUNT, p=p))
    assert not (x == 1).any()
    assert chi_squared_p(np.bincount(x, minlength=4)[[0, 2, 3]], COUNT * p[[0, 2, 3]]) > SIGNIFICANCE


# -- the hat of the rejection -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "distribution",
    [
        *(stats.poisson(mean) for mean in (1e-3, 0.1, 0.5, 0.99, 1.0, 1.5, 3.0, 7.7, 20.0, 1000.0)),
        *(stats.binom(n, p) for n in (1, 2, 3, 7, 30, 1000) for p in (1e-3, 0.1, 0.3, 0.5)),
        *(stats.hypergeom(a + b, a, n) for a, b in ((1, 1), (3, 1), (5, 40), (100, 100)) for n in (1, 2, a)),
    ],
    ids=lambda found: f"{found.dist.name}{found.args}",
)
def test_the_hat_is_above_the_probabilities(distribution):
    """The region of accepted pairs (u, v) lies in the rectangle that is drawn from (Stadlober, 1990)."""
    with np.errstate(all="ignore"):
        mean, variance = map(float, distribution.stats("mv"))
    width = float(hat_width(xp.asarray(variance, device="cpu")))
    k = np.arange(max(0, int(mean - 40 * math.sqrt(variance + 1))), int(mean + 40 * math.sqrt(variance + 1)) + 3)
    with np.errstate(divide="ignore"):
        root = np.exp((distribution.logpmf(k) - distribution.logpmf(k).max()) / 2)
    farthest = np.maximum(np.abs(k - (mean + 0.5)), np.abs(k + 1 - (mean + 0.5)))
    assert (farthest * root).max() <= width / 2 * (1 + 1e-12)


SHARES = [
    ("f", (0.01, 0.01), {t: stats.f(0.01, 0.01).cdf(t) for t in (1e-300, 1e-100, 1.0, 1e100, 1e300)}),
    ("standard_t", (0.01,), {t: 0.5 + stats.f(1, 0.01).cdf(t * t) / 2 for t in (1e-3, 1.0, 1e50, 1e150)}),
    # The distribution function of a gamma number x much smaller than 1 is x**k / gamma(k + 1).
    (
        "gamma",
        (0.001, 1e300),
        {t: math.exp(0.001 * (math.log(t) - math.log(1e300))) / math.gamma(1.001) for t in (1e-250, 1e-50, 1e200)},
    ),
    ("beta", (0.01, 0.01), {t: stats.beta(0.01, 0.01).cdf(t) for t in (1e-300, 1e-100, 0.5, 1 - 1e-10)}),
    ("beta", (5e-324, 1e-323), {0.0: 2 / 3, 0.5: 2 / 3}),
    ("f", (1e-322, 2e-322), {0.0: 2 / 3, 1e300: 2 / 3}),
]
"""Methods, arguments, and the probabilities of numbers up to some bounds."""


@pytest.mark.parametrize(("method", "arguments", "shares"), SHARES, ids=[f"{case[0]}{case[1]}" for case in SHARES])
def test_extreme_parameters_give_the_probabilities(method, arguments, shares):
    x = np.asarray(getattr(xp.random.default_rng(3, device="cpu"), method)(*arguments, size=COUNT))
    assert not np.isnan(x).any()
    for bound, share in shares.items():
        assert abs(np.mean(x <= bound) - share) < Z * math.sqrt(share * (1 - share) / COUNT), bound


def test_elements_of_a_dirichlet_vector_with_tiny_parameters_are_chosen_by_their_ratio():
    x = np.asarray(xp.random.default_rng(3, device="cpu").dirichlet([5e-324, 1e-323], COUNT))
    assert set(np.unique(x)) == {0.0, 1.0}
    assert abs(x[:, 1].mean() - 2 / 3) < Z * math.sqrt(2 / 9 / COUNT)


def test_dirichlet_element_with_parameter_zero_is_zero():
    assert (np.asarray(xp.random.default_rng(3, device="cpu").dirichlet([0.0, 1.0, 2.0], 10))[:, 0] == 0).all()


def test_wald_numbers_of_an_infinitely_large_mean_are_inverse_chi_squared():
    x = np.asarray(xp.random.default_rng(3, device="cpu").wald(1e200, 1.0, COUNT))
    assert stats.kstest(1 / x, stats.chi2(1).cdf).pvalue > SIGNIFICANCE


def test_gamma_numbers_of_a_huge_shape_are_normal():
    x = np.asarray(xp.random.default_rng(3, device="cpu").standard_gamma(1e18, 200_000))
    assert stats.kstest((x - 1e18) / 1e9, stats.norm.cdf).pvalue > SIGNIFICANCE


def test_rare_failures_of_many_trials_are_poisson_numbers():
    n, p = 10**18, 1 - 2**-53
    failures = n - np.asarray(xp.random.default_rng(3, device="cpu").binomial(n, p, COUNT))
    cells = np.arange(200)
    expected = COUNT * stats.poisson(n * 2.0**-53).pmf(cells)
    assert chi_squared_p(np.bincount(failures, minlength=200), expected) > SIGNIFICANCE


def test_multinomial_numbers_beyond_float64_sum_to_the_trials():
    n = 2**60 + 1
    x = np.asarray(xp.random.default_rng(3, device="cpu").multinomial(n, [0.25, 0.25, 0.5], 100))
    assert (x.sum(axis=-1) == n).all()
