"""The programs of examples/larger_than_memory: each runs as a user runs it, and its job gives NumPy's values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask", reason="dask is not installed: tox -e engines")
pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "larger_than_memory"

NEEDS = {
    "scikit_learn_pipeline": "sklearn",
    "z_scores": "scipy",
    "log_sum_exp": "scipy",
    "covariance": "array_api_extra",
}

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("_"))

MEGABYTES = 2.0


def check_installed(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed: xtensor[examples]")


PROGRAM = """
import importlib, sys
from pathlib import Path
import numpy as np
name, folder, megabytes, output = sys.argv[1:]
module = importlib.import_module(name)
x = module.data(Path(folder), float(megabytes))
found = {key: np.asarray(value) for key, value in module.job(x).items()}
np.savez(output, matrix=np.asarray(x.to_device("cpu")), **found)
"""
"""Runs a job in a process of its own, as the switch SCIPY_ARRAY_API counts when SciPy is imported."""


@pytest.fixture
def job(tmp_path):
    """Run an example's job on a small store, and return its results and the matrix as NumPy arrays."""

    def run(name):
        check_installed(name)
        folder, output = tmp_path / "store", tmp_path / "found.npz"
        folder.mkdir()
        path = os.pathsep.join([str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-c", PROGRAM, name, str(folder), str(MEGABYTES), str(output)]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        found = dict(np.load(output))
        return found, found.pop("matrix")

    return run


def in_a_process(name, *options):
    """Return what an example prints; fail if its exit code is not 0."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--megabytes", str(MEGABYTES), *options]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_program_prints_the_array_and_its_results(name):
    check_installed(name)
    first, *others = in_a_process(name).splitlines()
    assert "device='dask'" in first
    assert others


def test_program_keeps_the_store_in_the_folder_and_runs_on_processes(tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    options = ("--folder", str(tmp_path), "--workers", "2")
    printed = in_a_process("mean_and_variance", *options)
    (store,) = tmp_path.iterdir()
    changed = store.stat().st_mtime_ns
    assert in_a_process("mean_and_variance", *options) == printed
    assert [(path, path.stat().st_mtime_ns) for path in tmp_path.iterdir()] == [(store, changed)]


def test_network_is_trained_by_two_processes():
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    pytest.importorskip("sklearn", reason="sklearn is not installed: xtensor[examples]")
    command = [sys.executable, str(EXAMPLES.parent / "data_parallel.py"), "--epochs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    first, second, difference = done.stdout.splitlines()
    assert first.split()[2:7] == second.split()[2:7] == ["15", "steps,", "loss", "2.2952", "to"]
    assert float(difference.split()[-1]) < 1e-5


def test_mean_and_variance(job):
    found, x = job("mean_and_variance")
    np.testing.assert_allclose(found["mean"], x.mean(axis=0))
    np.testing.assert_allclose(found["variance"], x.var(axis=0))


def test_scikit_learn_pipeline_learns_what_it_learns_from_numpy(job):
    found, x = job("scikit_learn_pipeline")
    from sklearn.decomposition import PCA
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    y = x[:, :10].sum(axis=1) + np.sin(x[:, 10])
    model = make_pipeline(StandardScaler(), PCA(10, svd_solver="covariance_eigh"), Ridge(solver="svd")).fit(x, y)
    scaler, pca, ridge = model.named_steps.values()
    np.testing.assert_allclose(found["mean"], scaler.mean_)
    np.testing.assert_allclose(found["scale"], scaler.scale_)
    np.testing.assert_allclose(found["variance"], pca.explained_variance_)
    np.testing.assert_allclose(found["coefficients"], np.abs(ridge.coef_), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found["intercept"], ridge.intercept_)


def test_z_scores(job):
    found, x = job("z_scores")
    scores = np.abs((x - x.mean(axis=0)) / x.std(axis=0))
    np.testing.assert_array_equal(found["outliers"], (scores > 3).sum(axis=0))
    np.testing.assert_allclose(found["largest"], scores.max())


def test_log_sum_exp(job):
    found, x = job("log_sum_exp")
    expected = np.log(np.exp(x).sum(axis=1))
    np.testing.assert_allclose(found["mean"], expected.mean())
    np.testing.assert_allclose(found["largest"], expected.max())


def test_covariance(job):
    found, x = job("covariance")
    np.testing.assert_allclose(found["covariance"], np.cov(x, rowvar=False), rtol=1e-6, atol=1e-12)


def test_fourier_filter_is_the_convolution_with_a_gaussian(job):
    ndimage = pytest.importorskip("scipy.ndimage", reason="scipy is not installed: xtensor[examples]")
    found, x = job("fourier_filter")
    expected = ndimage.gaussian_filter(x, 4.0, mode="wrap", truncate=10.0)
    np.testing.assert_allclose(found["sample"], expected[::100, ::100], rtol=1e-6)
    np.testing.assert_allclose(found["variance"], expected.var(), rtol=1e-6)


def test_k_means_ends_at_the_means_of_the_groups(job):
    found, x = job("k_means")
    rows = np.arange(len(x)) % 8
    expected = [x[rows == group].mean(axis=0) for group in range(8)]
    np.testing.assert_allclose(found["centres"], expected)
