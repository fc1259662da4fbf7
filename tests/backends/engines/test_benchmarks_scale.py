"""The benchmark of scale: what it counts, the lines through counts, and its tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="dask.array is not installed: tox -e engines")
pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")

import dask
import dask.array as da

from benchmarks.scale._count import Work, counting
from benchmarks.scale._jobs import CHUNK_BYTES, JOBS, count, recorded
from benchmarks.scale._lines import fitted, table


def counted(array):
    work = Work()
    with dask.config.set(scheduler=counting(work)):
        (values,) = dask.compute(array)
    return work, values


def test_counting_scheduler_computes():
    x = np.arange(24.0).reshape(6, 4)
    work, values = counted((da.from_array(x, chunks=(2, 4)) + 1).sum(axis=0))
    np.testing.assert_array_equal(values, (x + 1).sum(axis=0))
    assert work.computations == 1


def test_one_chunk_moves_nothing():
    work, _ = counted(da.ones((100, 10), chunks=-1).sum())
    assert work.bytes_moved == 0


def test_all_chunks_but_one_move_to_be_joined():
    """An array of n chunks of 800 bytes that becomes one NumPy array moves n - 1 of them."""
    for chunks in (2, 5):
        work, _ = counted(da.arange(100 * chunks, chunks=100))
        assert work.bytes_moved == 800 * (chunks - 1)


def test_operand_moves_once_to_each_worker():
    graph = {
        "small": (np.ones, 10),
        "large 0": (np.ones, (100, 10)),
        "large 1": (np.ones, (100, 10)),
        "sum 0": (np.add, "small", "large 0"),
        "product 0": (np.multiply, "small", "large 0"),
        "sum 1": (np.add, "small", "large 1"),
    }
    work = Work()
    values = counting(work)(graph, ["sum 0", "product 0", "sum 1"])
    assert [value[0, 0] for value in values] == [2.0, 1.0, 2.0]
    assert (work.tasks, work.bytes_moved) == (6, 2 * 80)


def values_of(store):
    import zarr

    return np.asarray(zarr.open(store)[...])


@pytest.mark.parametrize("name", JOBS)
def test_job_has_the_values_of_numpy(name, tmp_path):
    if "PCA" in name:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    work, results = count(name, 4, tmp_path)
    assert work.tasks >= 4
    x = values_of(tmp_path / f"4.{CHUNK_BYTES}.zarr")
    assert x.nbytes == 4 * CHUNK_BYTES
    for ours, expected in zip(results, EXPECTED[name](x), strict=True):
        np.testing.assert_allclose(np.asarray(ours.to_device("cpu")), expected, rtol=1e-6, atol=1e-9)


def pipeline(x):
    from sklearn.decomposition import PCA
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    components = PCA(4, svd_solver="covariance_eigh").fit_transform(StandardScaler().fit_transform(x))
    return (Ridge(solver="svd").fit(components, x.sum(axis=1)).predict(components),)


def fft_filter(x):
    image = x.reshape(-1, 1024)
    rows, columns = np.meshgrid(*map(np.fft.fftfreq, image.shape), indexing="ij")
    return (np.fft.ifft2(np.fft.fft2(image) * (rows**2 + columns**2 < 0.01)).real,)


def kmeans_step(x):
    centres = x[:8]
    labels = np.argmin(np.linalg.norm(x[:, None] - centres, axis=-1), axis=1)
    return (np.stack([x[labels == i].mean(axis=0) for i in range(len(centres))]),)


EXPECTED = {
    "mean and variance": lambda x: (x.mean(axis=0), x.var(axis=0)),
    "StandardScaler, PCA, Ridge": pipeline,
    "zscore": lambda x: ((x - x.mean(axis=0)) / x.std(axis=0),),
    "logsumexp": lambda x: (np.logaddexp.reduce(x, axis=0),),
    "cov": lambda x: (np.cov(x, rowvar=False),),
    "k-means step": kmeans_step,
    "2-d FFT filter": fft_filter,
}


def test_line_through_counts():
    line = fitted([1, 2, 4], [12, 22, 42])
    assert (line.slope, line.intercept) == pytest.approx((10, 2))
    assert line.is_straight
    square = fitted([10, 20, 40], [100, 400, 1600])
    assert not square.is_straight
    assert square.exponent == pytest.approx(2)


def test_table_has_a_row_for_each():
    assert table(["a", "b"], [["x", "1"]]).splitlines() == ["| a | b |", "| --- | ---: |", "| x | 1 |"]


@pytest.mark.parametrize("name", ["mean and variance", "zscore", "logsumexp", "cov"])
def test_bytes_that_reductions_move_are_those_that_workers_record(name, tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    counted = count(name, 4, tmp_path)[0].bytes_moved
    assert recorded(name, 4, tmp_path) == pytest.approx(counted, rel=0.25)


def test_command_prints_its_tables():
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    command = [sys.executable, "-m", "benchmarks", "scale", "--chunks", "2,4", "--tasks", "20", "--moves", "2x32768"]
    root = Path(__file__).resolve().parents[3]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=root)
    assert result.returncode == 0, result.stderr
    for word in ("mean and variance", "2-d FFT filter, p2p", "slope", "recorded", "tasks/s"):
        assert word in result.stdout
