"""A process with a cluster of two workers of 500 MB, which runs one job on demand: seconds, memory and tasks.

It is the client of the cluster. It reads the names of libraries from its input, a line each, runs the job in that
library, and writes a line of JSON. The first line says that the data are there.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "larger_than_memory"

FILES = {"standard_scaler_fit": "scikit_learn_pipeline"}
"""The example of a job that is not its whole."""

LIMIT = "500 MB"
"""Memory of a worker, above which dask ends it."""


CHUNK = "16 MB"
"""Size of new chunks, for both libraries."""


def reset_peak() -> None:
    """Return free memory to the system and forget the peak of this process's resident memory (Linux)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Return the bytes of this process's largest resident memory since :func:`reset_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) * 1024


def tasks_counter() -> Any:
    """Return a plugin of the scheduler that counts computed tasks and graphs."""
    from distributed import SchedulerPlugin

    class Tasks(SchedulerPlugin):  # type: ignore[misc]
        tasks = graphs = 0

        def update_graph(self, *args: Any, **options: Any) -> None:
            self.graphs += 1

        def transition(self, key: Any, start: str, finish: str, *args: Any, **options: Any) -> None:
            self.tasks += (start, finish) == ("processing", "memory")

    return Tasks()


def jobs_of(name: str, folder: Path, elements: int) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return the job in each library, as functions without arguments that return arrays by name."""
    sys.path.insert(0, str(EXAMPLES))
    import dask.array as da

    import xtensor as xp
    from xtensor import engines

    from . import _engine_jobs

    module = importlib.import_module(FILES.get(name, name))
    module.data(folder, elements * 8 / 1e6)
    (path,) = folder.iterdir()
    jobs = {"dask": lambda: _engine_jobs.JOBS[name](da.from_zarr(str(path)))}
    if name != "standard_scaler_fit":
        return {"xtensor": lambda: module.job(engines.from_zarr(path, device="dask")), **jobs}

    def fit() -> dict[str, Any]:
        scaler = module.scaler(engines.from_zarr(path, device="dask"))
        return {"mean": scaler.mean_, "variance": scaler.var_}

    def variance() -> dict[str, Any]:
        return {"variance": engines.compute(xp.var(engines.from_zarr(path, device="dask"), axis=0))[0]}

    return {"xtensor": fit, **jobs, "xp.var": variance}


def on_host(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as NumPy arrays; those that are not computed yet are computed now."""
    return {key: np.asarray(x.to_device("cpu") if hasattr(x, "to_device") else x) for key, x in values.items()}


def main(name: str, folder: str, elements: str) -> None:
    """Serve the runs that are asked for."""
    import dask
    from distributed import Client, LocalCluster

    dask.config.set({"array.chunk-size": CHUNK})
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": LIMIT, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        jobs = jobs_of(name, Path(folder), int(elements))
        counter = tasks_counter()
        cluster.scheduler.add_plugin(counter)
        values: dict[str, dict[str, Any]] = {}
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            library = line.strip()
            client.run(reset_peak)
            reset_peak()
            counter.tasks = counter.graphs = 0
            started = time.perf_counter()
            found = jobs[library]()
            seconds = time.perf_counter() - started
            client_peak, worker_peak = peak(), max(client.run(peak).values())
            run = {"seconds": seconds, "worker": worker_peak, "client": client_peak}
            run |= {"tasks": counter.tasks, "graphs": counter.graphs}
            found = on_host(found)
            expected = values.setdefault(name, found)
            for key in found.keys() & expected.keys():
                np.testing.assert_allclose(found[key], expected[key], rtol=1e-6, atol=1e-9, err_msg=f"{name}: {key}")
            print(json.dumps(run), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
