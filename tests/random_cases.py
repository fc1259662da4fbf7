"""The methods of a generator with parameters, and SciPy's distributions that their numbers must have."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

SIGNIFICANCE = 1e-6
"""The probability with which one check of a sample fails for a right generator, were its seed not fixed.

There are about 300 of these checks, so that a change of the seeds would give a false alarm once in 3000 times.
"""


class Case(NamedTuple):
    """A method, its arguments, and the distribution of its numbers."""

    method: str
    arguments: tuple[Any, ...]
    distribution: Any

    def draw(self, rng: Any, size: Any) -> Any:
        return getattr(rng, self.method)(*self.arguments, size=size)

    @property
    def id(self) -> str:
        return f"{self.method}{self.arguments}".replace(" ", "")


CONTINUOUS = [
    Case("random", (), stats.uniform()),
    Case("uniform", (-3.0, 5.0), stats.uniform(-3, 8)),
    Case("standard_normal", (), stats.norm()),
    Case("normal", (1.0, 2.5), stats.norm(1, 2.5)),
    Case("lognormal", (0.5, 0.25), stats.lognorm(0.25, scale=np.exp(0.5))),
    Case("standard_exponential", (), stats.expon()),
    Case("exponential", (3.0,), stats.expon(scale=3)),
    Case("laplace", (1.0, 2.0), stats.laplace(1, 2)),
    Case("logistic", (1.0, 2.0), stats.logistic(1, 2)),
    Case("gumbel", (1.0, 2.0), stats.gumbel_r(1, 2)),
    Case("standard_cauchy", (), stats.cauchy()),
    Case("rayleigh", (2.0,), stats.rayleigh(scale=2)),
    Case("weibull", (1.5,), stats.weibull_min(1.5)),
    Case("pareto", (3.0,), stats.lomax(3)),
    Case("power", (2.5,), stats.powerlaw(2.5)),
    Case("triangular", (-1.0, 0.5, 4.0), stats.triang(0.3, -1, 5)),
    Case("triangular", (0.0, 0.0, 1.0), stats.triang(0, 0, 1)),
    Case("standard_gamma", (0.05,), stats.gamma(0.05)),
    Case("standard_gamma", (0.7,), stats.gamma(0.7)),
    Case("gamma", (1.0, 2.0), stats.gamma(1, scale=2)),
    Case("gamma", (40.0, 0.5), stats.gamma(40, scale=0.5)),
    Case("gamma", (1e6, 1.0), stats.gamma(1e6)),
    Case("chisquare", (1.0,), stats.chi2(1)),
    Case("chisquare", (7.0,), stats.chi2(7)),
    Case("f", (4.0, 9.0), stats.f(4, 9)),
    Case("standard_t", (3.5,), stats.t(3.5)),
    Case("beta", (0.1, 0.2), stats.beta(0.1, 0.2)),
    Case("beta", (2.0, 5.0), stats.beta(2, 5)),
    Case("wald", (2.0, 3.0), stats.invgauss(2 / 3, scale=3)),
    Case("wald", (50.0, 0.5), stats.invgauss(100, scale=0.5)),
    Case("vonmises", (0.5, 0.0), stats.uniform(-np.pi, 2 * np.pi)),
    Case("vonmises", (0.0, 1e-7), stats.uniform(-np.pi, 2 * np.pi)),
    Case("vonmises", (0.0, 2.0), stats.vonmises(2)),
    Case("vonmises", (0.0, 300.0), stats.vonmises(300)),
    Case("vonmises", (0.0, 1e8), stats.norm(0, 1e-4)),
    Case("noncentral_chisquare", (0.5, 1.0), stats.ncx2(0.5, 1)),
    Case("noncentral_chisquare", (3.0, 10.0), stats.ncx2(3, 10)),
    Case("noncentral_f", (4.0, 9.0, 2.0), stats.ncf(4, 9, 2)),
]

DISCRETE = [
    Case("geometric", (0.3,), stats.geom(0.3)),
    Case("poisson", (0.2,), stats.poisson(0.2)),
    Case("poisson", (6.5,), stats.poisson(6.5)),
    Case("poisson", (400.0,), stats.poisson(400)),
    Case("binomial", (1, 0.3), stats.binom(1, 0.3)),
    Case("binomial", (12, 0.85), stats.binom(12, 0.85)),
    Case("binomial", (5000, 0.02), stats.binom(5000, 0.02)),
    Case("negative_binomial", (2.5, 0.3), stats.nbinom(2.5, 0.3)),
    Case("hypergeometric", (5, 7, 4), stats.hypergeom(12, 5, 4)),
    Case("hypergeometric", (300, 200, 250), stats.hypergeom(500, 300, 250)),
    Case("zipf", (1.5,), stats.zipf(1.5)),
    Case("zipf", (4.0,), stats.zipf(4)),
    Case("logseries", (0.6,), stats.logser(0.6)),
    Case("logseries", (0.99,), stats.logser(0.99)),
    Case("integers", (-3, 14), stats.randint(-3, 14)),
]

CONSTANT = [
    Case("geometric", (1.0,), 1),
    Case("poisson", (0.0,), 0),
    Case("binomial", (0, 0.5), 0),
    Case("binomial", (9, 0.0), 0),
    Case("binomial", (9, 1.0), 9),
    Case("negative_binomial", (3.0, 1.0), 0),
    Case("hypergeometric", (5, 0, 4), 4),
    Case("hypergeometric", (0, 5, 4), 0),
    Case("hypergeometric", (5, 7, 0), 0),
    Case("zipf", (1100.0,), 1),
    Case("logseries", (0.0,), 1),
    Case("normal", (2.0, 0.0), 2),
    Case("gamma", (0.0, 1.0), 0),
    Case("weibull", (0.0,), 0),
    Case("exponential", (0.0,), 0),
    Case("integers", (7, 8), 7),
]
"""Parameters for which all numbers are the same one, in the place of the distribution."""

VECTORS = [
    Case("multivariate_normal", ([1.0, -2.0], [[2.0, 0.6], [0.6, 1.0]]), None),
    Case("dirichlet", ([0.5, 2.0, 1.0],), None),
    Case("multinomial", (20, [0.1, 0.3, 0.6]), None),
    Case("multivariate_hypergeometric", ([6, 9, 5], 8), None),
]

EXACT = ("random", "uniform", "standard_normal", "integers")
"""Methods whose numbers are the same on all devices bit for bit, besides those of counts."""


def chi_squared_p(observed: np.ndarray, expected: np.ndarray) -> float:
    """The probability of counts that differ at least as much, with the rarest cells taken together."""
    possible = expected > 1e-9
    assert not observed[~possible].any()
    observed, expected = observed[possible], expected[possible]
    order = np.argsort(expected)
    groups = np.minimum(np.cumsum(expected[order]) // 10, np.cumsum(expected[order]).max() // 10 - 1)
    _, index = np.unique(groups, return_inverse=True)
    observed, expected = (np.bincount(index, weights=x[order]) for x in (observed, expected))
    if len(expected) < 2:
        return 1.0
    return float(stats.chi2.sf(np.sum((observed - expected) ** 2 / expected), len(expected) - 1))
