"""The jobs, written with ``xp``: each takes a table in chunks of rows, and returns the Arrays that a user wants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import numpy as np
from dask.base import collections_to_expr

import xtensor as xp
from xtensor import Array, engines

from ._count import Work, counting

__all__ = ["CHUNK_BYTES", "JOBS", "SHUFFLED", "count", "planned", "recorded"]

CHUNK_BYTES = 2**15
"""Bytes of a chunk, small so that hundreds of chunks are computed in seconds. Counts of tasks do not depend on it."""

COLUMNS = 16
IMAGE_COLUMNS = 1024
CENTRES = 8


def mean_and_variance(x: Array) -> tuple[Array, ...]:
    return xp.mean(x, axis=0), xp.var(x, axis=0)


def pipeline(x: Array) -> tuple[Array, ...]:
    import sklearn
    from sklearn.decomposition import PCA
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    y = xp.sum(x, axis=1)
    with sklearn.config_context(array_api_dispatch=True):
        standardised = StandardScaler().fit_transform(x)
        components = PCA(4, svd_solver="covariance_eigh").fit_transform(standardised)
        return (Ridge(solver="svd").fit(components, y).predict(components),)


def zscore(x: Array) -> tuple[Array, ...]:
    return ((x - xp.mean(x, axis=0)) / xp.std(x, axis=0),)


def logsumexp(x: Array) -> tuple[Array, ...]:
    largest = xp.max(x, axis=0)
    return (largest + xp.log(xp.sum(xp.exp(x - largest), axis=0)),)


def covariance(x: Array) -> tuple[Array, ...]:
    centred = x - xp.mean(x, axis=0)
    return (centred.T @ centred / (x.shape[0] - 1),)


def fft_filter(x: Array) -> tuple[Array, ...]:
    image = xp.reshape(x, (-1, IMAGE_COLUMNS))
    spectrum = xp.fft.fftn(image)
    rows, columns = (xp.fft.fftfreq(n, device="dask") for n in image.shape)
    low = rows[:, None] ** 2 + columns[None, :] ** 2 < 0.01
    return (xp.real(xp.fft.ifftn(xp.where(low, spectrum, 0.0))),)


def kmeans_step(x: Array) -> tuple[Array, ...]:
    centres = x[:CENTRES]
    distances = xp.sum(centres * centres, axis=1) - 2 * (x @ centres.T)
    members = xp.astype(xp.argmin(distances, axis=1)[:, None] == xp.arange(CENTRES, device="dask"), x.dtype)
    return ((members.T @ x) / xp.sum(members, axis=0)[:, None],)


JOBS: dict[str, Callable[[Array], tuple[Array, ...]]] = {
    "mean and variance": mean_and_variance,
    "StandardScaler, PCA, Ridge": pipeline,
    "zscore": zscore,
    "logsumexp": logsumexp,
    "cov": covariance,
    "k-means step": kmeans_step,
    "2-d FFT filter": fft_filter,
}


SHUFFLED = ("2-d FFT filter",)
"""Jobs that change the axis along which the data are divided, which a cluster does by dask's method ``p2p``."""


def count(name: str, chunks: int, folder: Path, chunk_bytes: int = CHUNK_BYTES) -> tuple[Work, tuple[Array, ...]]:
    """Return the counts of a job on a Zarr store of a number of chunks, and the job's results."""
    work = Work()
    with dask.config.set({"scheduler": counting(work), "array.chunk-size": chunk_bytes}):
        results = engines.persist(*JOBS[name](_table(folder, chunks, chunk_bytes)))
    return work, results


def recorded(name: str, chunks: int, folder: Path, chunk_bytes: int = CHUNK_BYTES) -> int:
    """Return the bytes that the workers of a cluster record to have taken from others, with one worker for each chunk.

    The workers are threads of this process. A job that changes chunks does it by dask's method ``tasks``, as in
    :func:`count`.
    """
    from distributed import Client, LocalCluster, wait

    settings = {"array.chunk-size": chunk_bytes, "array.rechunk.method": "tasks"}
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=chunks, **options) as cluster,
        Client(cluster) as client,
    ):
        results = engines.persist(*JOBS[name](_table(folder, chunks, chunk_bytes)))
        wait([engines.to_engine(x) for x in results])
        return sum(client.run(_taken).values())


def _taken(dask_worker: Any) -> int:
    return sum(transfer["total"] for transfer in dask_worker.transfer_incoming_log)


def planned(name: str, chunks: int, folder: Path) -> int:
    """Return the number of tasks of a job of one computation on a cluster, where the method ``p2p`` changes chunks."""
    with dask.config.set({"array.rechunk.method": "p2p", "array.chunk-size": CHUNK_BYTES}):
        results = [engines.to_engine(x) for x in JOBS[name](_table(folder, chunks, CHUNK_BYTES))]
        return len(collections_to_expr(results).optimize().__dask_graph__())


def _table(folder: Path, chunks: int, chunk_bytes: int) -> Array:
    """Return a table of a number of chunks, in a Zarr store."""
    store = folder / f"{chunks}.{chunk_bytes}.zarr"
    if not store.exists():
        _write(store, chunks, chunk_bytes // (8 * COLUMNS))
    return engines.from_zarr(store, device="dask")


def _write(store: Path, chunks: int, rows: int) -> None:
    import zarr

    values = np.random.default_rng(0).standard_normal((chunks * rows, COLUMNS))
    array = zarr.create_array(store=str(store), shape=values.shape, chunks=(rows, COLUMNS), dtype="float64")
    array[...] = values
