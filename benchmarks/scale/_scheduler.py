"""Limits of dask's scheduler: seconds and bytes of graphs whose tasks do nothing, by the number of tasks.

The scheduler and the worker are processes of their own. With few cores they share these with the client.
"""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dask.array as da
import psutil  # type: ignore[import-untyped]
from dask.base import collections_to_expr

import xtensor as xp
from xtensor import engines

__all__ = ["Load", "cluster", "measured"]


@dataclass(frozen=True, slots=True)
class Load:
    """Cost of a graph.

    Attributes
    ----------
    tasks
        Tasks of the optimised graph.
    construction
        Seconds for its construction and optimisation, and for its tasks to be written out.
    pickling
        Seconds for which it is pickled by the client.
    pickled
        Bytes of the pickled graph.
    computation
        Seconds from the call of ``xtensor.engines.compute`` to the result, which pickles and schedules as well.
    client_seconds, scheduler_seconds
        Processor seconds of both processes during the computation, which other processes on the machine change little.
    client, scheduler
        Growth of the resident memory of both processes, at the end of the computation, in bytes.
    """

    tasks: int
    construction: float
    pickling: float
    pickled: int
    computation: float
    client_seconds: float
    scheduler_seconds: float
    client: int
    scheduler: int


@contextmanager
def cluster(workers: int = 1) -> Iterator[tuple[Any, int]]:
    """Start a scheduler and workers of one thread; provide a client, and the scheduler's process id."""
    from distributed import Client

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = f"{folder}/scheduler.json"
        start = [sys.executable, "-m"]
        options = ["--no-dashboard", "--scheduler-file", file]
        processes = [subprocess.Popen([*start, "distributed.cli.dask_scheduler", "--port", "0", *options], **QUIET)]
        alone = ["--nthreads", "1", "--no-nanny", "--local-directory", folder]
        for _ in range(workers):
            processes.append(subprocess.Popen([*start, "distributed.cli.dask_worker", *alone, *options], **QUIET))
        try:
            with Client(scheduler_file=file) as client:
                client.wait_for_workers(workers)
                yield client, processes[0].pid
        finally:
            for process in processes:
                process.kill()
                process.wait()


QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def _processor_seconds(process: Any) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def measured(chunks: int, scheduler: int) -> Load:
    """Measure the maximum of chunks of one element: for three chunks seven tasks, of which the last ones are a tree."""
    gc.collect()
    processes = [psutil.Process(), psutil.Process(scheduler)]
    before = [process.memory_info().rss for process in processes]
    start = time.perf_counter()
    x = engines.to_engine(xp.max(engines.from_engine(da.arange(chunks, chunks=1)) + 1))
    graph = collections_to_expr([x]).optimize()
    tasks = len(graph.__dask_graph__())
    constructed = time.perf_counter()
    pickled = len(pickle.dumps(graph, protocol=5))
    end = time.perf_counter()
    del graph
    seconds = [_processor_seconds(process) for process in processes]
    (result,) = engines.compute(engines.from_engine(x))
    computed = time.perf_counter()
    assert int(result) == chunks
    spent = [_processor_seconds(process) - first for process, first in zip(processes, seconds, strict=True)]
    grown = [process.memory_info().rss - first for process, first in zip(processes, before, strict=True)]
    return Load(
        tasks=tasks,
        construction=constructed - start,
        pickling=end - constructed,
        pickled=pickled,
        computation=computed - end,
        client_seconds=spent[0],
        scheduler_seconds=spent[1],
        client=grown[0],
        scheduler=grown[1],
    )
