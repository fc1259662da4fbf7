"""The jobs of examples/larger_than_memory written in raw dask.array, whose chunks are NumPy's.

Each returns the same values as the example's ``job``, by the same arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np

__all__ = ["JOBS"]

Values = dict[str, Any]


def mean_and_variance(x: Any) -> Values:
    mean, variance = dask.compute(da.mean(x, axis=0), da.var(x, axis=0))
    return {"mean": mean, "variance": variance}


def scikit_learn_pipeline(x: Any) -> Values:
    """Repeat scikit-learn's arithmetic: passes for NaN, sums, squares, products, means of the components, their svd."""
    components, alpha = 10, 1.0
    y = x[:, :10].sum(axis=1) + da.sin(x[:, 10])
    if da.isnan(x).any().compute():
        raise ValueError("the matrix has NaN")
    total, missing = dask.compute(x.sum(axis=0), da.isnan(x).sum(axis=0))
    count = x.shape[0] - missing
    mean = total / count
    difference = x - mean
    correction, squares = dask.compute(difference.sum(axis=0), (difference**2).sum(axis=0))
    scale = np.sqrt((squares - correction**2 / count) / count)
    z = (x - mean) / scale
    middle, products = dask.compute(z.mean(axis=0), z.T @ z)
    n = x.shape[0]
    values, vectors = np.linalg.eigh((products - n * np.outer(middle, middle)) / (n - 1))
    t = (z - middle) @ vectors[:, ::-1][:, :components]
    offset, level = dask.compute(t.mean(axis=0), y.mean())
    u, s, v = da.linalg.svd(t - offset)
    s, v, projected = dask.compute(s, v, u.T @ (y - level))
    coefficients = v.T @ (s / (s * s + alpha) * projected)
    return {
        "mean": mean,
        "scale": scale,
        "variance": values[::-1][:components],
        "coefficients": np.abs(coefficients),
        "intercept": level - offset @ coefficients,
    }


def standard_scaler_fit(x: Any) -> Values:
    """Fit only: what is not needed for it is computed later, as in scikit-learn over Arrays."""
    if da.isnan(x).any().compute():
        raise ValueError("the matrix has NaN")
    count = x.shape[0] - da.isnan(x).sum(axis=0).compute()
    mean = x.sum(axis=0) / count
    difference = x - mean
    return {"mean": mean, "variance": ((difference**2).sum(axis=0) - difference.sum(axis=0) ** 2 / count) / count}


def z_scores(x: Any) -> Values:
    mean, deviation = dask.compute(x.mean(axis=0), x.std(axis=0))  # otherwise all chunks wait in memory for them
    scores = abs((x - mean) / deviation)
    outliers, largest = dask.compute((scores > 3).sum(axis=0), scores.max())
    return {"outliers": outliers, "largest": largest}


def log_sum_exp(x: Any) -> Values:
    """Call SciPy, whose code takes dask arrays as well."""
    from scipy import special

    found = special.logsumexp(x, axis=1)
    mean, maximum = dask.compute(found.mean(), found.max())
    return {"mean": mean, "largest": maximum}


def covariance(x: Any) -> Values:
    return {"covariance": da.cov(x, rowvar=False).compute()}


def fourier_filter(x: Any) -> Values:
    width = 4.0
    rows, columns = da.fft.fftfreq(x.shape[0]), da.fft.rfftfreq(x.shape[1])
    response = da.exp(-2 * (np.pi * width) ** 2 * (rows[:, None] ** 2 + columns**2))
    by_row = da.fft.rfft(x.rechunk({1: -1}), axis=1)
    both = da.fft.fft(by_row.rechunk({0: -1, 1: "auto"}), axis=0)
    back = da.fft.ifft(both * response.rechunk(both.chunks), axis=0)
    found = da.fft.irfft(back.rechunk({0: "auto", 1: -1}), n=x.shape[1], axis=1)
    variance, sample = dask.compute(found.var(), found[::100, ::100])
    return {"variance": variance, "sample": sample}


def k_means(x: Any) -> Values:
    groups, tolerance = 8, 1e-6
    centres = x[:groups].compute()
    for _ in range(10):
        distances = (centres * centres).sum(axis=1) - 2 * (x @ centres.T)
        chosen = (distances.argmin(axis=1)[:, None] == np.arange(groups)).astype(x.dtype)
        total, count = dask.compute(chosen.T @ x, chosen.sum(axis=0))
        found = total / np.maximum(count, 1.0)[:, None]
        change = np.abs(found - centres).max()
        centres = found
        if change <= tolerance:
            break
    return {"centres": centres}


JOBS: dict[str, Callable[[Any], Values]] = {
    job.__name__: job
    for job in (
        *(mean_and_variance, standard_scaler_fit, scikit_learn_pipeline, z_scores, log_sum_exp, covariance),
        *(fourier_filter, k_means),
    )
}
