"""Forks of the process: a child has neither the threads of dask's pools nor the connection of a distributed client."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from multiprocessing.pool import Pool
from typing import Any

import dask
import dask.config
from dask import threaded, tokenize

from xtensor.backend import around_forks

__all__ = ["inherited_pool", "is_inherited"]

PATIENCE = 10.0
"""Seconds for which a fork waits for a lock of dask: a thread that computes a token may wait for the fork itself."""

LOCKS = (dask.config.config_lock, tokenize.tokenize_lock, threaded.pools_lock)

_held: list[Any] = []

_inherited: list[Any] = []
"""Clients, pools and executors of the processes that this process was forked from."""


def is_inherited(client: Any) -> bool:
    """Whether a client is of a process that this process was forked from."""
    return any(client is item for item in _inherited)


def inherited_pool() -> Any:
    """Return the pool that dask's configuration names where its threads or processes are another process's."""
    named = (dask.config.get("scheduler", None), dask.config.get("pool", None))
    return next((item for item in named if is_inherited(item)), None)


def _before() -> None:
    _held[:] = [lock for lock in LOCKS if lock.acquire(timeout=PATIENCE)]


def _release() -> None:
    while _held:
        _held.pop().release()


def _after_in_child() -> None:
    _release()
    threaded.default_pool = None
    threaded.pools.clear()
    threaded.main_thread = threading.current_thread()
    named = (dask.config.get("scheduler", None), dask.config.get("pool", None))
    _inherited[:] = [item for item in named if isinstance(item, (Executor, Pool))]
    client: Any = sys.modules.get("distributed.client")
    utils: Any = sys.modules.get("distributed.utils")
    if client is not None and utils is not None:
        _inherited.extend(client.Client._instances)
        client._current_client.set(None)  # inside of the block of an inherited client, a new one is the current one
        utils._offload_executor = ThreadPoolExecutor(1, thread_name_prefix="Dask-Offload")


around_forks(before=_before, after_in_parent=_release, after_in_child=_after_in_child)
