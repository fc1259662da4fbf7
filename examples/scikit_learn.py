"""Fit scikit-learn's estimators on xtensor arrays, on every device of this machine.

    python -m pip install ".[examples]" && python examples/scikit_learn.py

Each job runs once on plain NumPy arrays and once on each device; the table tells how long it took and how far the
results are from NumPy's.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn asks SciPy for it, before SciPy is imported

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
"""What an estimator is fitted on: a NumPy array or an xtensor Array."""


def pipeline_of_scaler_pca_and_ridge(place: Callable[[np.ndarray], Data]) -> Data:
    """Predictions of a linear model on the principal components of the diabetes data."""
    x, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), PCA(n_components=5, svd_solver="full"), Ridge(solver="svd"))
    return model.fit(place(x), place(y)).predict(place(x))


def grid_search_of_logistic_regression(place: Callable[[np.ndarray], Data]) -> Data:
    """Class probabilities of the best of four classifiers of the breast-cancer data."""
    x, y = load_breast_cancer(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    search = GridSearchCV(LogisticRegression(tol=1e-8, max_iter=500), {"C": [0.01, 0.1, 1.0, 10.0]}, cv=3)
    return search.fit(place(x), place(y.astype(np.float64))).predict_proba(place(x))


def gaussian_mixture(place: Callable[[np.ndarray], Data]) -> Data:
    """Log-likelihoods of the iris flowers under a mixture of three Gaussians."""
    x, _ = load_iris(return_X_y=True)
    start = x[[0, 50, 100]]
    mixture = GaussianMixture(3, means_init=place(start), init_params="random_from_data", random_state=0)
    return mixture.fit(place(x)).score_samples(place(x))


JOBS = (pipeline_of_scaler_pca_and_ridge, grid_search_of_logistic_regression, gaussian_mixture)


def to_numpy(values: Data) -> np.ndarray:
    """Results as a NumPy array, copied from their device where they are on one."""
    return np.asarray(values.to_device("cpu") if isinstance(values, xp.Array) else values)


def timed(job: Callable[..., Data], place: Callable[[np.ndarray], Data]) -> tuple[Data, float]:
    """What a job gives, and its seconds, the first run (imports, caches) not counted."""
    job(place)
    started = time.perf_counter()
    result = job(place)
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
        for device in xp.devices():
            try:
                with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
                    # scikit-learn divides 0 by 0 on its way, and silences that for NumPy's own arrays alone.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    result, seconds = timed(job, lambda values, device=device: xp.asarray(values, device=device))
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
