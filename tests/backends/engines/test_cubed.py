"""The device ``cubed``: memory, work directory, processes, pickles."""

from __future__ import annotations

import os
import pickle
import signal
from pathlib import Path

import numpy as np
import pytest

cubed = pytest.importorskip("cubed", reason="cubed is not installed: tox -e engines")

import xtensor as xp  # noqa: E402 - after importorskip
from xtensor import engines  # noqa: E402


@pytest.fixture(autouse=True)
def spec(tmp_path):
    """Keep what is computed in a folder of the test, in chunks of 8 elements."""
    settings = {"spec.work_dir": str(tmp_path / "work"), "xtensor.chunk-size": "64 B"}
    with cubed.config.set(settings), xp.use_device("cubed"):
        yield


def host(x):
    return np.asarray(x.to_device("cpu"))


def test_steps_are_stored_in_the_work_directory(tmp_path):
    x = xp.ones((4, 8)) + 1
    assert "32 chunks" not in repr(x)
    assert "4 chunks of (1, 8)" in repr(x)
    assert not (tmp_path / "work").exists()
    assert float(xp.sum(x)) == 64.0
    assert any((tmp_path / "work").rglob("zarr.json"))


@pytest.mark.parametrize(
    "call",
    [lambda x: host(x + 1), lambda x: xp.sort(x, axis=0), lambda x: engines.persist(x * 2)],
    ids=["compute", "rechunk", "persist"],
)
def test_tasks_beyond_the_allowed_memory_are_refused(call):
    settings = {"spec.allowed_mem": "101MB", "spec.reserved_mem": "100MB", "xtensor.chunk-size": "2MB"}
    with cubed.config.set({**settings, "xtensor.chunk-limit": "100MB"}):
        x = xp.ones((1000, 1000))
        with pytest.raises(xp.OutOfMemoryError, match=r"spec\.allowed_mem") as raised:
            call(x)
    assert isinstance(raised.value.__cause__, ValueError)


def test_chunks_follow_from_the_allowed_memory():
    with cubed.config.set({"xtensor.chunk-size": None, "spec.allowed_mem": "120MB", "spec.reserved_mem": "100MB"}):
        x = xp.ones((1000, 1000))
        assert engines.chunks(x)[0][0] == 125  # a twentieth of 20 MB
        with pytest.raises(NotImplementedError, match=r"spec\.allowed_mem.*part of the array"):
            xp.sort(xp.ones((400_000, 2)), axis=0)


def test_pickles_have_the_values():
    x = xp.arange(20.0) * 2
    y = pickle.loads(pickle.dumps(x))
    assert y.device == "cubed"
    np.testing.assert_array_equal(host(y + 1), np.arange(20.0) * 2 + 1)
    with (
        cubed.config.set({"xtensor.chunk-limit": "100 B"}),
        pytest.raises(pickle.PicklingError, match="160 B.*to_zarr"),
    ):
        pickle.dumps(x)


def kill(chunk):
    os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def test_killed_process_is_an_error_that_says_so():
    with cubed.config.set({"spec.executor_name": "processes"}):
        x = engines.from_engine(cubed.map_blocks(kill, engines.to_engine(xp.ones(8)), dtype=np.float64))
        with pytest.raises(engines.WorkerLostError, match="executor died"):
            host(x)


def test_processes_compute_the_same_values():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((12, 8))
    with cubed.config.set({"spec.executor_name": "processes"}):
        x = xp.asarray(values)
        mean, variance, product = engines.compute(xp.mean(x, axis=0), xp.var(x), x.T @ x)
    np.testing.assert_allclose(np.asarray(mean), values.mean(axis=0))
    np.testing.assert_allclose(float(variance), values.var())
    np.testing.assert_allclose(np.asarray(product), values.T @ values)


def test_failed_write_leaves_no_store(tmp_path):
    def fail(chunk):
        raise OSError("no space left on device")

    x = engines.from_engine(cubed.map_blocks(fail, engines.to_engine(xp.ones((4, 8))), dtype=np.float64))
    with pytest.raises(OSError, match="no space left"):
        engines.to_zarr(x, tmp_path / "a.zarr")
    assert [path.name for path in Path(tmp_path).iterdir() if path.name != "work"] == []
