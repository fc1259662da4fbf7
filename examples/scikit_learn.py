"""Fit scikit-learn's estimators on xtensor arrays, on every device of this machine but those of engines.

    python -m pip install ".[examples]" && python examples/scikit_learn.py

Each job runs on NumPy arrays and on each device. The table contains the durations and the largest differences from
NumPy's results. The devices of engines (dask, cubed) are for data larger than memory: examples/larger_than_memory.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn requires it, before SciPy is imported

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import xtensor as xp

Data = Any
"""A NumPy array or an xtensor Array."""


def pipeline_of_scaler_pca_and_ridge(convert: Callable[[np.ndarray], Data]) -> Data:
    """Return the predictions of a linear model on the principal components of the diabetes data."""
    x, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), PCA(n_components=5, svd_solver="full"), Ridge(solver="svd"))
    return model.fit(convert(x), convert(y)).predict(convert(x))


def grid_search_of_logistic_regression(convert: Callable[[np.ndarray], Data]) -> Data:
    """Return the class probabilities of the best of four classifiers of the breast-cancer data."""
    x, y = load_breast_cancer(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    search = GridSearchCV(LogisticRegression(tol=1e-8, max_iter=500), {"C": [0.01, 0.1, 1.0, 10.0]}, cv=3)
    return search.fit(convert(x), convert(y.astype(np.float64))).predict_proba(convert(x))


def gaussian_mixture(convert: Callable[[np.ndarray], Data]) -> Data:
    """Return the log-likelihoods of the iris flowers under a mixture of three Gaussians."""
    x, _ = load_iris(return_X_y=True)
    start = x[[0, 50, 100]]
    mixture = GaussianMixture(3, means_init=convert(start), init_params="random_from_data", random_state=0)
    return mixture.fit(convert(x)).score_samples(convert(x))


JOBS = (pipeline_of_scaler_pca_and_ridge, grid_search_of_logistic_regression, gaussian_mixture)


def to_numpy(values: Data) -> np.ndarray:
    """Return results as a NumPy array."""
    return np.asarray(values.to_device("cpu") if isinstance(values, xp.Array) else values)


def timed(job: Callable[..., Data], convert: Callable[[np.ndarray], Data]) -> tuple[Data, float]:
    """Return a job's result and its duration in seconds, after a first run that is not measured."""
    job(convert)
    started = time.perf_counter()
    result = job(convert)
    if isinstance(result, xp.Array):
        result.device.synchronize()
    return result, time.perf_counter() - started


def main() -> None:
    """Run the jobs on every device and print the table."""
    print(f"scikit-learn {sklearn.__version__}, xtensor {xp.__version__}\n")
    print(f"{'job':<36} {'device':<14} {'backend':<8} {'seconds':>9} {'largest difference':>20}")
    failed = False
    for job in JOBS:
        expected, seconds = timed(job, np.asarray)
        name = job.__name__.replace("_", " ")
        print(f"{name:<36} {'—':<14} {'NumPy':<8} {seconds:>9.3f} {'—':>20}")
        for device in [device for device in xp.devices() if not device.lazy]:
            try:
                if "float64" not in xp.__array_namespace_info__().dtypes(device=device):
                    print(f"{'':<36} {device!s:<14} the data are float64, which the device does not support")
                    continue
                with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
                    # scikit-learn divides 0 by 0, and suppresses the warning for NumPy arrays only.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    result, seconds = timed(job, lambda values, device=device: xp.asarray(values, device=device))
            except xp.BackendUnavailableError as error:
                print(f"{'':<36} {device!s:<14} {error.reason}")
                continue
            except Exception as error:
                print(f"{'':<36} {device!s:<14} {device.backend:<8} {type(error).__name__}: {error}")
                failed = True
                continue
            if not isinstance(result, xp.Array) or result.device is not device:
                raise SystemExit(f"{name}: the result is {type(result)}, not an Array on {device}")
            difference = float(np.max(np.abs(to_numpy(result) - to_numpy(expected))))
            print(f"{'':<36} {device!s:<14} {device.backend:<8} {seconds:>9.3f} {difference:>20.1e}")
    if failed:
        raise SystemExit("some jobs failed; see above")


if __name__ == "__main__":
    main()
