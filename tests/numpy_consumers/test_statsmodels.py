"""statsmodels, unmodified: regressions and time series of Arrays, as of NumPy arrays."""

from __future__ import annotations

import numpy as np
import pytest
from comparison import assert_same, on_host

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed: dependency group consumers")

from statsmodels.tsa import stattools  # noqa: E402 - after importorskip

import xtensor as xp  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of statsmodels itself: deprecations and convergence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X @ [1.0, -2.0] + 0.5 + RNG.normal(size=60) * 0.1
YES = (0.2 + RNG.normal(size=60) < Y).astype(float)
COUNT = RNG.poisson(3, 60)
WALK = np.cumsum(RNG.normal(size=80))
GROUP = np.arange(60) % 5


def estimates(fitted):
    return [np.asarray(on_host(getattr(fitted, name))) for name in ("params", "bse", "pvalues", "llf")]


def params(fitted):
    return np.asarray(on_host(fitted.params))


MODELS = {
    "MixedLM": lambda a: np.asarray(sm.MixedLM(a(Y), a(X), groups=a(GROUP)).fit().fe_params),
    "ARIMA with a trend": lambda a: params(sm.tsa.ARIMA(a(WALK), order=(1, 0, 0)).fit()),
    "GEE": lambda a: params(sm.GEE(a(Y), a(X), groups=a(GROUP)).fit()),
    "GLM of Poisson": lambda a: estimates(sm.GLM(a(COUNT), sm.add_constant(a(X)), family=sm.families.Poisson()).fit()),
    "GLM of a binomial": lambda a: estimates(sm.GLM(a(YES), a(X), family=sm.families.Binomial()).fit()),
    "GLS": lambda a: estimates(sm.GLS(a(Y), a(X)).fit()),
    "Logit": lambda a: estimates(sm.Logit(a(YES), sm.add_constant(a(X))).fit(disp=0)),
    "MNLogit": lambda a: params(sm.MNLogit(a(COUNT % 3), a(X)).fit(disp=0)),
    "OLS": lambda a: estimates(sm.OLS(a(Y), sm.add_constant(a(X))).fit()),
    "OLS with NumPy's X": lambda a: estimates(sm.OLS(a(Y), X).fit()),
    "Poisson": lambda a: estimates(sm.Poisson(a(COUNT), a(X)).fit(disp=0)),
    "Probit": lambda a: estimates(sm.Probit(a(YES), a(X)).fit(disp=0)),
    "QuantReg": lambda a: params(sm.QuantReg(a(Y), a(X)).fit()),
    "RLM": lambda a: params(sm.RLM(a(Y), a(X)).fit()),
    "WLS": lambda a: estimates(sm.WLS(a(Y), a(X), weights=a(np.abs(Y) + 1)).fit()),
    "prediction": lambda a: sm.OLS(a(Y), a(X)).fit().predict(a(X[:5])),
    "robust errors": lambda a: sm.OLS(a(Y), a(X)).fit(cov_type="HC3").bse,
}

SERIES = {
    "STL": lambda a: sm.tsa.STL(a(WALK), period=8).fit().trend,
    "acf": lambda a: stattools.acf(a(WALK), nlags=5),
    "adfuller": lambda a: stattools.adfuller(a(WALK), 1)[:2],
    "ccf": lambda a: stattools.ccf(a(WALK), a(WALK[::-1])),
    "coint": lambda a: stattools.coint(a(WALK), a(WALK[::-1]), maxlag=1)[0],
    "durbin_watson": lambda a: sm.stats.durbin_watson(a(Y)),
    "hpfilter": lambda a: sm.tsa.filters.hpfilter(a(WALK)),
    "kpss": lambda a: stattools.kpss(a(WALK), nlags=2)[0],
    "lowess": lambda a: sm.nonparametric.lowess(a(Y), a(X[:, 0])),
    "multipletests": lambda a: sm.stats.multipletests(a(np.array([0.01, 0.02, 0.5])))[1],
    "pacf": lambda a: stattools.pacf(a(WALK), nlags=5),
    "seasonal_decompose": lambda a: sm.tsa.seasonal_decompose(a(WALK), period=8).trend,
    "ttest_ind": lambda a: sm.stats.ttest_ind(a(Y), a(WALK)),
}

OF_NUMPY_ARRAYS = {
    "AutoReg": lambda a: params(sm.tsa.AutoReg(a(WALK), 2).fit()),
    "VAR": lambda a: params(sm.tsa.VAR(a(X)).fit(1)),
}
"""Models that test for NumPy's or pandas' classes."""


@pytest.mark.parametrize("name", MODELS)
def test_model_is_that_of_numpy_arrays(host_device, name):
    assert_same(on_host(MODELS[name](xp.asarray)), MODELS[name](np.array), rtol=1e-7)


@pytest.mark.parametrize("name", SERIES)
def test_statistic_is_that_of_numpy_arrays(host_device, name):
    assert_same(SERIES[name](xp.asarray), SERIES[name](np.array), rtol=1e-9)


@pytest.mark.parametrize("name", OF_NUMPY_ARRAYS)
def test_model_of_numpy_arrays_alone_refuses(host_device, name):
    call = OF_NUMPY_ARRAYS[name]
    with pytest.raises((TypeError, ValueError)):
        call(xp.asarray)
    assert_same(call(lambda values: xp.asarray(values).numpy()), call(np.array))
