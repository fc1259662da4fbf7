"""What xtensor costs within scikit-learn and SciPy: each consumer on its arrays, and on raw arrays, in one run.

Sizes are numbers of rows (or elements): small data shows the overhead of each call, large data what is left of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._cases import Group, Limit, Statement, Variant

SMALL, LARGE = 100, 100_000
COLUMNS = 10


def _data(variant: Variant) -> dict[str, Any]:
    """Features, a target and classes, and the names of the statements."""
    import sklearn
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.mixture import GaussianMixture
    from sklearn.preprocessing import StandardScaler

    sklearn.set_config(array_api_dispatch=True)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(max(variant.size, 50), COLUMNS)).astype(variant.dtype)
    y = (x @ rng.normal(size=COLUMNS)).astype(variant.dtype)
    return {
        "x": x,
        "y": y,
        "c": (y > 0).astype(variant.dtype),
        "scaler": StandardScaler(),
        "pca": PCA(3, svd_solver="covariance_eigh"),
        "ridge": Ridge(solver="svd"),
        "logistic": LogisticRegression(),
        "mixture": GaussianMixture(2, init_params="random_from_data", random_state=0, tol=1.0),
    }


def _signals(variant: Variant) -> Mapping[str, Any]:
    """Two signals, the bounds of roots, and the functions of SciPy."""
    from scipy.optimize.elementwise import find_root
    from scipy.signal import fftconvolve
    from scipy.special import logsumexp

    rng = np.random.default_rng(0)
    return {
        "x": rng.normal(size=variant.size).astype(variant.dtype),
        "y": rng.normal(size=variant.size).astype(variant.dtype),
        "low": np.zeros(variant.size, dtype=variant.dtype),
        "high": np.full(variant.size, 4.0, dtype=variant.dtype),
        "fftconvolve": fftconvolve,
        "find_root": find_root,
        "logsumexp": logsumexp,
    }


CASES = (
    Statement("scaler.fit(x).transform(x)", _data),
    Statement("pca.fit(x).transform(x)", _data),
    Statement("ridge.fit(x, y).predict(x)", _data),
    Statement("logistic.fit(x, c).decision_function(x)", _data),
    Statement("mixture.fit(x).score_samples(x)", _data),
    Statement("logsumexp(x)", _signals),
    Statement("fftconvolve(x, y)", _signals),
    Statement("find_root(lambda v: v * v - 2.0, (low, high)).x", _signals),
)

GROUP = Group(
    title="scikit-learn and SciPy",
    cases=CASES,
    sizes=(SMALL, LARGE),
    dtypes=("float64",),
    peers=("array_api_strict", "torch"),
    limits=(
        *(Limit(case.name, SMALL, 1.3) for case in CASES),
        *(Limit(case.name, LARGE, 1.05) for case in CASES),
    ),
    seconds=3.0,
    sweeps=3,
    # Python specialises a consumer's code to the arrays it meets: a sample is long enough for that, as programs are.
    shortest=2e-2,
)
