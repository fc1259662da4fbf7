"""Derivatives through other libraries' functions: against finite differences, or a refusal with the line."""

from __future__ import annotations

import re

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd
from xtensor.autograd import NotDifferentiableError

pytest.importorskip("scipy")
pytest.importorskip("sklearn")

import array_api_extra as xpx
import einops
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
import sklearn
import sklearn.metrics
import xarray
from scipy.spatial.transform import Rotation
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(autouse=True)
def dispatching():
    with sklearn.config_context(array_api_dispatch=True), xp.use_device("cpu"):
        yield


def normal(*shape: int, seed: int = 0) -> xp.Array:
    return xp.asarray(np.random.default_rng(seed).standard_normal(shape))


def ridge(x, alpha):
    target, other = normal(6, seed=5), normal(4, 3, seed=6)
    model = Ridge(alpha=alpha, solver="svd").fit(x, target)
    return xp.sum((other @ model.coef_ + model.intercept_) ** 2)


FUNCTIONS = {
    "scipy.special.logsumexp": (scipy.special.logsumexp, (10,)),
    "scipy.special.softmax": (scipy.special.softmax, (10,)),
    "scipy.stats.zscore": (scipy.stats.zscore, (10,)),
    "scipy.stats.skew": (scipy.stats.skew, (10,)),
    "scipy.stats.kurtosis": (scipy.stats.kurtosis, (10,)),
    "scipy.stats.pearsonr": (lambda x, y: scipy.stats.pearsonr(x, y).statistic, (10,), (10,)),
    "scipy.integrate.trapezoid": (scipy.integrate.trapezoid, (10,)),
    "scipy.integrate.cumulative_trapezoid": (scipy.integrate.cumulative_trapezoid, (10,)),
    "scipy.signal.fftconvolve": (scipy.signal.fftconvolve, (10,), (4,)),
    "Rotation.from_quat": (lambda q, v: Rotation.from_quat(q).apply(v), (4,), (3,)),
    "Rotation.from_rotvec": (lambda q: Rotation.from_rotvec(q).as_matrix(), (3,)),
    "rbf_kernel": (lambda x, y: sklearn.metrics.pairwise.rbf_kernel(x, y, gamma=0.3), (4, 2), (3, 2)),
    "euclidean_distances": (sklearn.metrics.pairwise.euclidean_distances, (4, 2), (3, 2)),
    "StandardScaler": (lambda x: StandardScaler().fit_transform(x), (6, 3)),
    "PCA": (lambda x: PCA(2, svd_solver="full").fit_transform(x), (6, 3)),
    "Ridge by data": (lambda x: ridge(x, 0.5), (6, 3)),
    "Ridge by alpha": (lambda x, a: ridge(x, xp.exp(a)), (6, 3), ()),
    "array_api_extra.cov": (xpx.cov, (3, 5)),
    "array_api_extra.at": (lambda x: xpx.at(x)[1:].add(2.0) * x, (3,)),
    "array_api_extra.apply_where": (lambda x: xpx.apply_where(x > 0, x, lambda v: v * v, fill_value=0.0), (5,)),
    "array_api_extra.kron": (xpx.kron, (2, 2), (2, 2)),
    "array_api_extra.pad": (lambda x: xpx.pad(x, 2), (3,)),
    "array_api_extra.sinc": (xpx.sinc, (3,)),
    "einops": (lambda x: einops.rearrange(x, "a b -> b a") + einops.reduce(x, "a b -> b 1", "mean"), (3, 4)),
    "xarray": (lambda x: (xarray.DataArray(x, dims=("a", "b")).mean("a") ** 2).sum().data, (3, 4)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_another_library_is_differentiated(name):
    function, *shapes = FUNCTIONS[name]
    arguments = [normal(*shape, seed=place) for place, shape in enumerate(shapes)]
    autograd.check_gradients(function, *arguments, order=1, rtol=1e-4, atol=1e-4)


REFUSED = {
    "scipy.integrate.simpson": scipy.integrate.simpson,
    "scipy.linalg.expm": lambda x: scipy.linalg.expm(xp.reshape(x[:4], (2, 2))),
    "scipy.ndimage.gaussian_filter": lambda x: scipy.ndimage.gaussian_filter(x, 1),
    "mean_squared_error": lambda x: sklearn.metrics.mean_squared_error(normal(10), x),
    "r2_score": lambda x: sklearn.metrics.r2_score(normal(10), x),
    "log_loss": lambda x: sklearn.metrics.log_loss(
        xp.asarray([0, 1] * 5), scipy.special.softmax(xp.stack([x, -x], axis=1), axis=1)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_conversion_in_another_library_is_refused_with_its_line(name):
    with pytest.raises(NotDifferentiableError, match="would lose|was lost") as caught:
        autograd.vjp(REFUSED[name], normal(10))
    assert re.search(r"(scipy|sklearn)/.*\.py:\d+", str(caught.value))
