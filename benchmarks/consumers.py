"""Overhead of xtensor inside scikit-learn and SciPy: each consumer runs on xtensor's arrays and on raw arrays.

Sizes are numbers of rows or elements. Call overhead dominates on small data and should be negligible on large data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._cases import Group, Limit, Statement, Variant

SMALL, LARGE = 100, 100_000
COLUMNS = 10


def _estimators(variant: Variant) -> dict[str, Any]:
    """Return features, a target, classes and the estimators."""
    import sklearn
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.mixture import GaussianMixture
    from sklearn.naive_bayes import GaussianNB
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    sklearn.set_config(array_api_dispatch=True)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(max(variant.size, 50), COLUMNS)).astype(variant.dtype)
    y = (x @ rng.normal(size=COLUMNS)).astype(variant.dtype)
    return {
        "x": x,
        "y": y,
        "c": (y > 0).astype(variant.dtype),
        "scaler": StandardScaler(),
        "range_scaler": MinMaxScaler(),
        "bayes": GaussianNB(),
        "pca": PCA(3, svd_solver="covariance_eigh"),
        "ridge": Ridge(solver="svd"),
        "logistic": LogisticRegression(),
        "mixture": GaussianMixture(2, init_params="random_from_data", random_state=0, tol=1.0),
    }


def _signals(variant: Variant) -> Mapping[str, Any]:
    """Return two signals, brackets for a root, and SciPy functions."""
    from scipy.optimize.elementwise import find_root
    from scipy.signal import fftconvolve
    from scipy.special import logsumexp, softmax
    from scipy.stats import zscore

    rng = np.random.default_rng(0)
    return {
        "m": rng.normal(size=(max(variant.size // COLUMNS, COLUMNS), COLUMNS)).astype(variant.dtype),
        "x": rng.normal(size=variant.size).astype(variant.dtype),
        "y": rng.normal(size=variant.size).astype(variant.dtype),
        "low": np.zeros(variant.size, dtype=variant.dtype),
        "high": np.full(variant.size, 4.0, dtype=variant.dtype),
        "fftconvolve": fftconvolve,
        "find_root": find_root,
        "logsumexp": logsumexp,
        "softmax": softmax,
        "zscore": zscore,
    }


CASES = (
    Statement("scaler.fit(x).transform(x)", _estimators),
    Statement("pca.fit(x).transform(x)", _estimators),
    Statement("ridge.fit(x, y).predict(x)", _estimators),
    Statement("range_scaler.fit(x).transform(x)", _estimators),
    Statement("bayes.fit(x, c).predict_joint_log_proba(x)", _estimators),
    Statement("logistic.fit(x, c).decision_function(x)", _estimators),
    Statement("mixture.fit(x).score_samples(x)", _estimators),
    Statement("logsumexp(x)", _signals),
    Statement("logsumexp(m, axis=1)", _signals),
    Statement("softmax(m, axis=1)", _signals),
    Statement("zscore(m, axis=0)", _signals),
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
    max_seconds=3.0,
    sweeps=3,
    # Samples are long enough for the interpreter to specialise the consumer's code to the array type, as in a program.
    min_sample_seconds=2e-2,
)
