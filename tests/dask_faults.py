"""Programs of tests/backends/engines/test_dask_faults.py: a cluster of processes, and a fault that is real.

Each function ``case_…`` is a program, which prints ``done`` at its end.
"""

from __future__ import annotations

import copy
import errno
import gc
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

import dask
import dask.array as da
import numpy as np
import psutil
import pytest
import zarr
from distributed import Client, KilledWorker, LocalCluster
from zarr.storage import LocalStore

import xtensor as xp
from xtensor import autograd, engines, nn, optim
from xtensor.backend import BackendUnavailableError

ONE_MEGABYTE = 2**20


@contextmanager
def cluster(**options: object) -> Iterator[Client]:
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"} | options
    with LocalCluster(**options) as found, Client(found) as client:
        yield client


def started(module: str, *arguments: str, path: str = "") -> subprocess.Popen[bytes]:
    """Start a scheduler or a worker, with a folder before all others on the path of its modules."""
    paths = os.pathsep.join([path, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    command = [sys.executable, "-P", "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": paths.strip(os.pathsep)})


@contextmanager
def scheduler(folder: str, path: str = "", workers: int = 1) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start a scheduler in a process of its own, with workers; provide the process and the file of its address."""
    file = f"{folder}/scheduler.json"
    processes = [started("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", file, path=path)]
    options = ("--nthreads", "1", "--no-nanny", "--local-directory", folder, "--scheduler-file", file)
    processes += [started("dask_worker", *options, path=path) for _ in range(workers)]
    try:
        yield processes[0], file
    finally:
        for process in processes:
            process.kill()
            process.wait()


def array(function: object = None, chunks: int = 40) -> xp.Array:
    x = da.ones((chunks * 10, 50), chunks=(10, 50))
    return engines.from_engine(x if function is None else x.map_blocks(function, dtype=x.dtype))


def slow(chunk: np.ndarray) -> np.ndarray:
    time.sleep(0.1)
    return chunk


# -- the scheduler ----------------------------------------------------------------------------------------------------


def case_scheduler_killed_while_it_computes(folder: str) -> None:
    with scheduler(folder) as (process, file), Client(scheduler_file=file) as client:
        x = array(lambda chunk: (slow(chunk), ONE_MEGABYTE)[0])
        path = Path(folder, "x.zarr")

        def kill(chunk, pid, block_id=None):
            if block_id == (9, 0):
                os.kill(pid, 9)
            return slow(chunk)

        fatal = engines.from_engine(engines.to_engine(x).map_blocks(kill, process.pid, dtype=float))
        with pytest.raises(ConnectionError, match=r"scheduler tcp://.* is lost") as raised:
            engines.to_zarr(fatal, path)
        assert raised.value.__cause__ is not None
        with pytest.raises(ConnectionError):  # the client tries to connect
            engines.compute(x)
        assert not list(Path(folder).glob("x.zarr*"))
        wait_until_closed(client)


def case_scheduler_killed_before_a_computation(folder: str) -> None:
    with scheduler(folder) as (process, file), Client(scheduler_file=file) as client:
        x = array()
        assert float(xp.sum(x)) == x.size
        process.kill()
        wait_until_closed(client)
        for call in (
            lambda: float(xp.sum(x)),
            lambda: x[x > 0],
            lambda: engines.persist(x),
            lambda: engines.compute(x),
        ):
            with pytest.raises(ConnectionError, match=r"scheduler='threads'"):
                call()
        with dask.config.set(scheduler="threads"):
            assert float(xp.sum(x)) == x.size
    with cluster(n_workers=1):
        assert float(xp.sum(x)) == x.size


def wait_until_closed(client: Client) -> None:
    while client.status != "closed":
        time.sleep(0.05)


# -- disks ------------------------------------------------------------------------------------------------------------


def limit_files(size: int = ONE_MEGABYTE // 4) -> None:
    """Let the system refuse to write more into a file of this process, as it does where a disk or a quota is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


class StoreWithoutRoom(LocalStore):
    """A store that is no folder for xtensor, whose place is full after its metadata."""

    async def set(self, key, value):
        if "zarr.json" not in key:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), key)
        await super().set(key, value)

    def set_sync(self, key, value):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), key)


def case_full_disk(folder: str) -> None:
    path = Path(folder, "x.zarr")
    values = np.random.default_rng(0).random((400, 2000))
    x = engines.from_engine(da.from_array(values, chunks=(100, 2000)))
    with cluster() as client:
        engines.to_zarr(array(), path)
        client.run(limit_files)
        for overwrite in (True, False):
            target = path if overwrite else path.with_name("y.zarr")
            with pytest.raises(OSError, match=r"could not write all chunks.*free space.*\w\.zarr") as raised:
                engines.to_zarr(x, target, overwrite=overwrite)
            assert raised.value.errno == errno.EFBIG
            assert isinstance(raised.value.__cause__, OSError)
        assert [item.name for item in path.parent.glob("*.zarr*")] == ["x.zarr"]
        assert zarr.open(path)[...].shape == (400, 50)
        with pytest.raises(OSError, match="could not write all chunks") as raised:
            engines.to_zarr(x, StoreWithoutRoom(path.with_name("z.zarr")))
        assert raised.value.errno == errno.ENOSPC
        client.run(limit_files, -1)
        engines.to_zarr(x, path, overwrite=True)
        np.testing.assert_array_equal(zarr.open(path)[...], values)


def case_full_spill_directory(folder: str) -> None:
    options = {"memory_limit": "600 MB", "local_directory": folder}
    with dask.config.set({"xtensor.pause-timeout": "3 s"}), cluster(**options) as client:
        client.run(limit_files)
        x = engines.from_engine(da.random.default_rng(0).random(90_000_000, chunks=1_000_000))
        with pytest.raises(xp.OutOfMemoryError, match=r"all of its 2 workers have been paused for 3 s.* of 5.*chunks"):
            engines.compute(xp.sum(*engines.persist(x)))


# -- chunks and workers -----------------------------------------------------------------------------------------------


def failing(chunk: np.ndarray, block_id: tuple[int, ...] = (0, 0)) -> np.ndarray:
    if block_id[0] == 5:
        raise ArithmeticError("chunk 5 has no result")
    return chunk


def slow_after_the_failure(chunk: np.ndarray, block_id: tuple[int, ...] = (0, 0)) -> np.ndarray:
    if block_id[0] == 5:
        time.sleep(0.3)
        raise ArithmeticError("chunk 5 has no result")
    time.sleep(0.1 if block_id[0] < 5 else 0.5)
    return chunk


def case_chunk_that_raises(folder: str) -> None:
    def check(where: str) -> None:
        with pytest.raises(ArithmeticError, match="chunk 5 has no result"):
            float(xp.sum(array(failing)))
        with pytest.raises(ArithmeticError, match="chunk 5 has no result"):
            engines.to_zarr(array(slow_after_the_failure, chunks=12), Path(folder, f"{where}.zarr"))
        time.sleep(1.0)  # tasks that ran during the failure have ended
        assert not list(Path(folder).glob(f"{where}*"))
        with pytest.raises(xp.OutOfMemoryError, match=r"out of memory: Unable to allocate.*smaller chunks") as raised:
            engines.compute(array(lambda chunk: np.ones((2**50, chunk.ndim))))
        assert isinstance(raised.value.__cause__, MemoryError)

    check("threads")
    with cluster():
        check("cluster")


def case_worker_without_memory(folder: str) -> None:
    def greedy(chunk: np.ndarray) -> np.ndarray:
        if chunk.size:
            np.ones(2**31).sum()
        return chunk

    with dask.config.set({"distributed.scheduler.allowed-failures": 1}), cluster(memory_limit="600 MB", n_workers=1):
        with pytest.raises(
            xp.OutOfMemoryError, match=r"'greedy' was computed 2 times.*its memory.* of 572.*smaller chunks"
        ) as raised:
            array(greedy, chunks=1).to_device("cpu")
        assert isinstance(raised.value.__cause__, KilledWorker)


def case_worker_without_memory_again_and_again(folder: str) -> None:
    """No task is computed when the worker dies, so that dask blames none and starts the worker again without an end."""

    def grow_or_wait(chunk: np.ndarray, block_id: tuple[int, ...] = (0, 0)) -> np.ndarray:
        if block_id[0] == 0:
            Timer(0.5, lambda: (np.ones(2**27), time.sleep(30))).start()
        else:
            time.sleep(60)
        return chunk

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        cluster(memory_limit="600 MB"),
        pytest.raises(xp.OutOfMemoryError, match=r"exceeded their memory and were started again \d times"),
    ):
        array(grow_or_wait, chunks=2).to_device("cpu")


def case_worker_that_crashes(folder: str) -> None:
    def crash(chunk: np.ndarray) -> np.ndarray:
        if chunk.size:
            os.kill(os.getpid(), 11)
        return chunk

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster(n_workers=1):
        with pytest.raises(engines.WorkerLostError, match=r"'crash' was computed 1 times.*workers' logs") as raised:
            array(crash, chunks=1).to_device("cpu")
        assert isinstance(raised.value.__cause__, KilledWorker)


def case_worker_killed_while_it_trains(folder: str) -> None:
    """Its part is computed again: the losses are those of one process to rounding, and no bit of them changes."""
    killed = Path(folder, "killed")
    rng = np.random.default_rng(0)
    images, labels = rng.normal(size=(96, 12)), rng.integers(0, 3, 96)

    def fatal_loss(model: nn.Module, x: xp.Array, y: xp.Array) -> xp.Array:
        value = nn.functional.cross_entropy(model(x), y)
        with suppress(FileExistsError):
            killed.touch(exist_ok=False)  # one worker alone succeeds, where both come here at once
            os.kill(os.getpid(), 9)
        return value

    def loss(model: nn.Module, x: xp.Array, y: xp.Array) -> xp.Array:
        return nn.functional.cross_entropy(model(x), y)

    def losses(between: nn.Module, gradient_of: object, fatal: int | None = None) -> list[float]:
        rng = xp.random.default_rng(0)
        layers = nn.Linear(12, 16, rng=rng), copy.deepcopy(between), nn.ReLU(), nn.Linear(16, 3, rng=rng)
        model = nn.Sequential(*layers).astype(xp.float64)
        optimizer, values = optim.Adam(model, lr=0.02), []
        for number, (x, y) in enumerate(nn.batches(images, labels, size=21, rng=rng)):
            value, gradient = gradient_of(fatal_loss if number == fatal else loss)(model, x, y)
            model = optimizer.update(model, gradient)
            values.append(float(value))
        return values

    with cluster() as client:

        def gradient_of(loss: object) -> object:
            return nn.data_parallel(loss, client, 2)

        before = set(client.run(os.getpid).values())
        expected = losses(nn.Identity(), autograd.value_and_grad)
        np.testing.assert_allclose(losses(nn.Identity(), gradient_of, fatal=2), expected, rtol=1e-12)
        assert killed.exists()
        client.wait_for_workers(2)
        after = set(client.run(os.getpid).values())
        assert len(after - before) == 1
        between = nn.Sequential(nn.BatchNorm1d(16), nn.Dropout(0.5, rng=1))
        undisturbed = losses(between, gradient_of)
        killed.unlink()
        assert losses(between, gradient_of, fatal=2) == undisturbed
        assert killed.exists()


# -- versions ---------------------------------------------------------------------------------------------------------


def without_xtensor(folder: str) -> str:
    """Return a folder on whose path xtensor cannot be imported."""
    path = Path(folder, "without")
    for name in ("xtensor", "xtensor_backends"):
        (path / name).mkdir(parents=True)
        text = f"raise ModuleNotFoundError('No module named {name}', name={name!r})"
        (path / name / "__init__.py").write_text(text)
    return str(path)


def with_another_version(folder: str) -> str:
    """Return a folder with a copy of xtensor that has another version."""
    copy = Path(folder, "another", "xtensor")
    shutil.copytree(Path(xp.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "__init__.py"
    changed, count = re.subn(r'__version__ = "[^"]*"', '__version__ = "0.0.9"', file.read_text(encoding="utf-8"))
    assert count == 1
    file.write_text(changed, encoding="utf-8")
    return str(copy.parent)


def refused(pattern: str) -> None:
    x = array()
    for call in (lambda: engines.compute(xp.exp(x)), lambda: float(xp.sum(xp.exp(x)))):
        with pytest.raises(BackendUnavailableError, match=pattern) as raised:
            call()
        assert xp.__version__ in str(raised.value)


def case_worker_without_xtensor(folder: str) -> None:
    with cluster(n_workers=0) as client:
        worker = started("dask_worker", "--no-nanny", client.scheduler.address, path=without_xtensor(folder))
        client.wait_for_workers(1)
        refused(r"the worker tcp://.* cannot import xtensor.* Install xtensor .*every worker")
        worker.kill()


def case_scheduler_without_xtensor(folder: str) -> None:
    with scheduler(folder, path=without_xtensor(folder), workers=0) as (_, file), Client(scheduler_file=file):
        refused(r"the scheduler tcp://.* cannot import xtensor.* on the scheduler")


def case_worker_with_another_version(folder: str) -> None:
    with cluster(n_workers=0) as client:
        worker = started("dask_worker", "--no-nanny", client.scheduler.address, path=with_another_version(folder))
        refused(r"has xtensor 0\.0\.9, and xtensor .* Install the same version on the client")
        worker.kill()


# -- leaks ------------------------------------------------------------------------------------------------------------


def case_a_thousand_computations_leak_nothing(folder: str) -> None:
    def held() -> dict[str, int]:
        gc.collect()
        arrays = sum(isinstance(item, (xp.Array, da.Array)) for item in gc.get_objects())
        tasks = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        data = client.run(lambda dask_worker: len(dask_worker.data))
        return {"arrays": arrays, "tasks": tasks, "data": sum(data.values()), "futures": len(client.futures)}

    def memory() -> list[int]:
        def resident() -> int:
            gc.collect()
            return psutil.Process().memory_info().rss

        return [resident(), *client.run(resident).values()]

    def compute(number: int) -> None:
        for start in range(number):
            x = base + start
            (maximum,) = engines.compute(xp.max(x))
            assert float(maximum) == start + 1.0

    with cluster(n_workers=1) as client:
        base = engines.from_engine(da.ones(ONE_MEGABYTE // 8, chunks=-1))
        compute(100)
        time.sleep(0.5)
        before, bytes_before = held(), memory()
        compute(1000)
        time.sleep(0.5)
        after, bytes_after = held(), memory()
        assert after == before
        assert after["tasks"] == after["data"] == after["futures"] == 0
        growth = [(b - a) / ONE_MEGABYTE for a, b in zip(bytes_before, bytes_after, strict=True)]
        assert max(growth) < 60, growth  # megabytes; the sums have 1000 together, and the scheduler's logs are bounded
        print(before, [round(x, 1) for x in growth], file=sys.stderr)


if __name__ == "__main__":
    dask.config.set({"distributed.comm.timeouts.connect": "3 s", "distributed.worker.memory.recent-to-old-time": "1 s"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        globals()[f"case_{sys.argv[1].replace(' ', '_')}"](temporary)
    print("done")
