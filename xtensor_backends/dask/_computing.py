"""Computations: by dask's scheduler of this process or by a cluster, whose failures become errors of xtensor.

Every computation of the device ``dask`` is started here. A cluster is watched while it computes, because its scheduler
waits without an end where all workers have paused for lack of memory, or die of it again and again.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import dask
from dask.base import get_scheduler
from dask.callbacks import Callback
from dask.utils import format_bytes, parse_timedelta

from xtensor.backend import BackendUnavailableError, ChunkFunction, OutOfMemoryError, WorkerLostError
from xtensor_backends.engines._progress import Bar, delay

from ._forks import inherited_pool, is_inherited

__all__ = ["chosen_device", "cluster", "computed", "persisted", "prepare"]

SCHEDULER = "xtensor.scheduler"
"""Key of dask's configuration: the address of a cluster's scheduler, to which the device connects at its first
computation where the program has not made a client."""

PAUSE = "xtensor.pause-timeout"
"""Key of dask's configuration: the time for which all workers may be paused while no task runs."""

DEFAULT_PAUSE = "60 s"

CHECK = "bool(__import__('xtensor'))"
"""A check of a process that works where it cannot import xtensor, and so no function of this module."""

PREPARATION = "__import__('importlib').import_module('xtensor_backends.dask._computing').prepare({device!r}, {memory})"
"""The call of :func:`prepare` on a worker, which may not be able to import this module either."""

POOL_SHARE = 30
"""A worker's memory over the memory that its device may keep for reuse."""

_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""Addresses of the workers of each client that can import xtensor."""

SECONDS_TO_ANSWER = 20

INTERVAL = 1.0
"""Seconds between two looks at the workers of a cluster that computes."""


def computed(*collections: Any) -> tuple[Any, ...]:
    """Return the values of dask's collections, computed together.

    Raises
    ------
    ConnectionError
        If the connection to the scheduler is lost.
    OutOfMemoryError
        If workers do not have the memory.
    WorkerLostError
        If a task's workers die again and again.
    BackendUnavailableError
        If the scheduler or a worker lacks xtensor, or has another version of it.
    """
    with _translated() as client, _progress(client):
        if client is None or _is_inside_a_task():
            return dask.compute(*collections)  # type: ignore[no-any-return]
        return dask.compute(*collections, scheduler=partial(_watched, client))  # type: ignore[no-any-return]


def chosen_device() -> str:
    """Return the spec of the device of chunks that dask's configuration has."""
    return str(dask.config.get("xtensor.device", "cpu"))


def persisted(*collections: Any) -> tuple[Any, ...]:
    """Return dask's collections whose chunks are computed; errors of chunks are raised where values are needed."""
    with _translated() as client, _progress(client):
        return dask.persist(*collections)  # type: ignore[no-any-return]


def cluster() -> Any:
    """Return the client of the cluster that computes, None where this process does.

    Raises
    ------
    ConnectionError
        If the client has given up its scheduler: dask would compute in this process, whose memory may be too small. Or
        if the client is of the process that this process was forked from.
    """
    try:
        from distributed import Client
    except ImportError:
        return None
    client = getattr(get_scheduler(), "__self__", None)  # the method of a client, or a function, or None
    inherited = is_inherited(client)
    if isinstance(client, Client) and not inherited:
        return client
    address = dask.config.get(SCHEDULER, None)
    if address is not None and (inherited or not dask.config.get("scheduler", None)) and not _is_inside_a_task():
        return _connected(str(address))
    if inherited:
        raise ConnectionError(
            f"this process was forked, and the connection to the scheduler {_address(client)} is that of the process "
            "that it was forked from; make a distributed.Client in this process, or compute in this process with "
            "dask.config.set(scheduler='threads')"
        )
    lost = [item for item in getattr(Client, "_instances", ()) if _is_lost(item)]
    if lost and not dask.config.get("scheduler", None):
        raise _disconnected(lost[0])
    return None


def _connected(address: str) -> Any:
    """Return a new client, which becomes dask's current one."""
    from distributed import Client

    try:
        return Client(address)
    except (OSError, TimeoutError) as error:
        raise ConnectionError(
            f"there is no scheduler at {address!r}, which dask's configuration names as {SCHEDULER!r} ({error}); start "
            "one, or remove the setting to compute in this process"
        ) from error


def _is_lost(client: Any) -> bool:
    """Whether a client was closed because it could not connect to its scheduler again, and not by its user."""
    connected_once = getattr(client, "_handle_report_task", None) is not None
    return connected_once and client.status == "closed" and client.scheduler_comm is None


def _is_inside_a_task() -> bool:
    """Whether a task of a worker computes; its client has to free the worker's thread."""
    from distributed.worker import thread_state

    return bool(getattr(thread_state, "key", False))


class _Progress(Callback):  # type: ignore[misc]
    """Progress bar of the computations of this process; one that a task starts has no bar of its own."""

    def __init__(self, after: float) -> None:
        self._after = after
        self._bar: Any = None
        self._state: Any = None

    def _start_state(self, graph: Any, state: Any) -> None:
        if self._state is None:
            self._bar = Bar(self._after, sum(len(state[name]) for name in ("ready", "waiting")))
            self._state = state

    def _posttask(self, key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        if state is self._state:
            self._bar.advance()

    def _finish(self, graph: Any, state: Any, failed: bool) -> None:
        if state is self._state:
            self._bar.close()
            self._bar = self._state = None


def _progress(client: Any) -> AbstractContextManager[Any]:
    """Return a block whose computations in this process show a progress bar, if one is wanted."""
    after = delay() if client is None else None
    return nullcontext() if after is None else _Progress(after)


# -- watching a cluster -----------------------------------------------------------------------------------------------


def _watched(client: Any, graph: Any, keys: Any, **options: Any) -> Any:
    """Compute keys of a graph as ``client.get`` does, and watch the workers meanwhile."""
    from distributed import futures_of

    results = client.get(graph, keys, sync=False, **options)
    try:
        return client.sync(_gathered, client, results, delay())
    finally:
        for future in futures_of(results):
            future.release()
        if client.status == "running":
            # The client's loop sends the releases. The scheduler must have them before the next graph, with whose tasks
            # it would confuse those that it still knows (dask issue 9888).
            client.sync(asyncio.sleep, 0)


async def _gathered(client: Any, results: Any, after: float | None) -> Any:
    tasks = [asyncio.ensure_future(client.gather(results, asynchronous=True)), asyncio.ensure_future(_watch(client))]
    begun = asyncio.Event()
    if after is not None:
        tasks.append(asyncio.ensure_future(_bar(client, results, after, begun)))
    try:
        done, _ = await asyncio.wait(tasks[:2], return_when=asyncio.FIRST_COMPLETED)
        computed = next(task for task in tasks if task in done).result()
        if begun.is_set():  # its last state
            await asyncio.wait(tasks[2:], timeout=INTERVAL)
            print()
        return computed
    finally:
        for task in tasks:
            task.cancel()


async def _bar(client: Any, results: Any, after: float, begun: asyncio.Event) -> None:
    """Show dask's progress bar of a computation after some seconds."""
    from distributed import futures_of
    from distributed.diagnostics.progressbar import TextProgressBar

    await asyncio.sleep(after)
    begun.set()
    futures = futures_of(results)
    await TextProgressBar(futures, client.scheduler.address, loop=client.loop, start=False).listen()


async def _watch(client: Any) -> None:
    """Look at the workers until they cannot go on, and raise the reason."""
    patience = parse_timedelta(dask.config.get(PAUSE, DEFAULT_PAUSE))
    failures = dask.config.get("distributed.scheduler.allowed-failures", 3)
    paused, first = 0.0, None
    while True:
        await asyncio.sleep(INTERVAL)
        try:
            workers, restarts, now = await client.run_on_scheduler(_state)
        except Exception:  # an error of the connection is the computation's to report
            continue
        first = now if first is None else first
        if not workers.keys() <= _checked.get(client, set()):
            await _prepare_workers(client)
        sizes = [] if None in workers.values() else list(workers.values())
        paused = paused + INTERVAL if sizes else 0.0
        remedy = (
            "use smaller chunks (xtensor.engines.rechunk), keep fewer persisted arrays, free the workers' disks, or "
            "start workers with more memory"
        )
        if sizes and paused >= patience:
            raise OutOfMemoryError(
                f"the cluster of {_address(client)} has stopped: all of its {len(sizes)} workers have been paused for "
                f"{paused:g} seconds, because their memory is full ({_sizes(sizes)}) and their data cannot be moved to "
                f"their disks; {remedy}"
            )
        died = len([moment for moment in restarts if moment > first])
        if died > failures * max(len(workers), 1):
            raise OutOfMemoryError(
                f"workers of {_address(client)} exceeded their memory and were started again {died} times while this "
                f"computation ran; {remedy}"
            )


Workers: TypeAlias = dict[str, tuple[int, int] | None]
"""Bytes in use and their limit of each worker that is paused and executes no task, None for one that works."""


def _state(dask_scheduler: Any) -> tuple[Workers, list[float], float]:
    """Return the workers, the times at which nannies ended workers for their use of memory, and the present time."""
    workers = {
        address: None if item.status.name != "paused" or item.executing else (item.memory.process, item.memory_limit)
        for address, item in dask_scheduler.workers.items()
    }
    return workers, [moment for moment, _ in dask_scheduler.get_events("worker-restart-memory")], time.time()


def prepare(spec: str, memory: int) -> None:
    """Bound the memory that the device of a worker's chunks keeps for reuse, unless the worker's environment does.

    The device's own bound is a share of the machine's memory, of which a worker has a part.

    Parameters
    ----------
    memory
        Bytes of the worker's memory, 0 where they are not limited.
    """
    if memory and "XTENSOR_KEEP_BYTES" not in os.environ:
        import_module("xtensor").device(spec).limit_pool(memory // POOL_SHARE)


async def _prepare_workers(client: Any) -> None:
    """Prepare the workers, and raise BackendUnavailableError unless they and the scheduler can import xtensor.

    Those that do not answer are left out. A worker that cannot import it ends at its first task, whose functions it
    cannot read, and says so in its log alone.
    """
    errors: dict[str, Any] = {}
    with suppress(OSError):
        identity = await asyncio.wait_for(client.scheduler.identity(n_workers=-1), SECONDS_TO_ANSWER)
        limits = [worker["memory_limit"] or 0 for worker in identity["workers"].values()]
        memory = min(filter(None, limits), default=0)
        preparation = PREPARATION.format(device=chosen_device(), memory=memory)
        errors = await asyncio.wait_for(client.run(eval, preparation, on_error="return"), SECONDS_TO_ANSWER)
    errors = {f"worker {address}": error for address, error in errors.items()}
    try:
        with suppress(OSError):
            await asyncio.wait_for(client.run_on_scheduler(eval, CHECK), SECONDS_TO_ANSWER)
    except ImportError as error:
        errors[f"scheduler {_address(client)}"] = error
    for where, raised in errors.items():
        if isinstance(raised, ImportError):
            raise BackendUnavailableError(f"the {where} cannot import xtensor ({raised})", _remedy()) from raised
    _checked.setdefault(client, set()).update([where.removeprefix("worker ") for where in errors])


def _sizes(sizes: list[tuple[int, int]]) -> str:
    return ", ".join([f"{format_bytes(used)} of {format_bytes(limit)}" for used, limit in sizes[:4]])


# -- errors -----------------------------------------------------------------------------------------------------------


@contextmanager
def _translated() -> Iterator[Any]:
    """Provide the client of the cluster that computes, and raise failures of the cluster as errors of xtensor.

    Errors of chunks are raised as they are.
    """
    client = cluster()
    pool = inherited_pool()
    if pool is not None:
        raise WorkerLostError(
            f"this process was forked, and the threads or processes of the {type(pool).__name__} that dask's "
            "configuration names are those of the process that it was forked from; make another one in this process, "
            "or compute with dask.config.set(scheduler='threads', pool=None)"
        )
    try:
        if client is not None and client not in _checked and not _is_inside_a_task():
            client.sync(_prepare_workers, client)
        yield client
    except Exception as error:
        translated = _translation(error, client)
        if translated is None:
            raise
        raise translated from error


def _translation(error: Exception, client: Any) -> Exception | None:
    """Return the error for a failure of a cluster or of its workers, None for any other."""
    if isinstance(error, MemoryError) and not isinstance(error, OutOfMemoryError):
        where = "this process" if client is None else f"a worker of {_address(client)}"
        return OutOfMemoryError(f"{where} is out of memory: {error}; use smaller chunks (xtensor.engines.rechunk)")
    if client is None:
        return None
    from distributed import CancelledError, KilledWorker
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    if isinstance(error, KilledWorker):
        return _killed(error, client)
    if isinstance(error, (CancelledError, CommClosedError, ClosedClientError, TimeoutError)) and (
        client.status != "running"
    ):
        return _disconnected(client)
    if isinstance(error, RuntimeError) and "deserialization of the task graph" in str(error):
        return BackendUnavailableError(
            f"the scheduler {_address(client)} cannot read the computation ({error.__cause__!r})", _remedy()
        )
    return None


def _killed(error: Any, client: Any) -> Exception:
    """Return the error for a task whose workers died: for lack of memory, if a nanny ended the last one for it."""
    last = error.last_worker.address
    events: Any = ()
    with suppress(OSError):  # the scheduler may be gone as well
        client.sync(_prepare_workers, client)
        events = client.get_events("worker-restart-memory")
    sizes = [event["rss"] for _, event in events if event.get("worker") == last]
    deaths = f"{_task(error.task)} was computed {error.allowed_failures + 1} times, and each time the worker died"
    if not sizes:
        return WorkerLostError(
            f"{deaths}, the last one {last}; dask did not end it for its use of memory. Read the workers' logs: a "
            "library may have crashed, or the system may have ended the process"
        )
    return OutOfMemoryError(
        f"{deaths}: it exceeded its memory, the last time {last} with {format_bytes(sizes[-1])} of "
        f"{format_bytes(error.last_worker.memory_limit)}; use smaller chunks (xtensor.engines.rechunk), or start "
        "workers with more memory or fewer threads"
    )


def _task(key: Any) -> str:
    """A task's name without the token: ``chunk (3, 0) of 'sum'``."""
    name, *position = key if isinstance(key, tuple) else (key,)
    function = re.sub(r"(-finalize-hlgfinalizecompute)?-[0-9a-f]{32}$", "", str(name))
    return f"chunk {tuple(position)} of {function!r}" if position else repr(function)


def _disconnected(client: Any) -> Exception:
    return ConnectionError(
        f"the connection to the scheduler {_address(client)} is lost, and with it what the cluster computed; start the "
        "cluster and a distributed.Client again, or compute in this process with dask.config.set(scheduler='threads')"
    )


def _address(client: Any) -> str:
    """The address of a client's scheduler, as the client was given it where it has none."""
    scheduler = getattr(client, "scheduler", None)
    return str(getattr(scheduler, "address", None) or getattr(client, "_start_arg", None) or "of the cluster")


def _remedy() -> str:
    version = ChunkFunction("cpu", "add").version
    return (
        f"Install xtensor {version}, and the other packages of this process in their versions, on the scheduler and "
        "every worker"
    )
