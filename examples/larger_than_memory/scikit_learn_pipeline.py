"""Fit StandardScaler, PCA and Ridge of scikit-learn to a matrix that is larger than memory.

    python -m pip install ".[dask,examples]"
    python examples/larger_than_memory/scikit_learn_pipeline.py --megabytes 2000 --workers 2

scikit-learn's code is unmodified. Its check that all numbers are finite is a pass over the data for every method of
every estimator, and ``assume_finite=True`` omits it.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn requires it, before SciPy is imported

import sklearn
from _store import normal, parsed, prepared
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import xtensor as xp
from xtensor import engines

COLUMNS = 200
COMPONENTS = 10


def target(x: xp.Array) -> xp.Array:
    """Return a linear function of the rows and a periodic one."""
    return xp.sum(x[:, :10], axis=1) + xp.sin(x[:, 10])


def scaler(x: xp.Array) -> StandardScaler:
    """Return the pipeline's first estimator, fitted to the rows of a matrix."""
    with sklearn.config_context(array_api_dispatch=True, assume_finite=True):
        return StandardScaler().fit(x)


def fitted(x: xp.Array, y: xp.Array) -> Pipeline:
    """Return a pipeline of three estimators, fitted to the rows of a matrix and a target."""
    with sklearn.config_context(array_api_dispatch=True, assume_finite=True):
        pca = PCA(COMPONENTS, svd_solver="covariance_eigh")
        return make_pipeline(StandardScaler(), pca, Ridge(solver="svd")).fit(x, y)


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return what the estimators learn, without the sign of the components, which is arbitrary."""
    scaler, pca, ridge = fitted(x, target(x)).named_steps.values()
    found = {"mean": scaler.mean_, "scale": scaler.scale_, "variance": pca.explained_variance_}
    found |= {"coefficients": xp.abs(ridge.coef_), "intercept": xp.asarray(ridge.intercept_, device=x.device)}
    return dict(zip(found, engines.compute(*found.values()), strict=True))


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return the matrix, from a store in the folder."""
    return normal(folder, megabytes, COLUMNS)


def main(argv: list[str] | None = None) -> None:
    """Fit, and print what the estimators learn."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        print(x)
        for name, values in job(x).items():
            print(f"{name}: {values[:6] if values.ndim else values}")


if __name__ == "__main__":
    main()
