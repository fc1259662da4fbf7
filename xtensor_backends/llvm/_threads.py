"""Threads of the CPU's kernels: their number, its limits, and the workers.

Requirements: a region costs about a microsecond where another one has just ended; a process that does nothing uses no
processor time; regions that are nested, or begun by several threads at once, compute without waiting for each other;
a forked child computes; the interpreter ends while workers spin or sleep.

Workers are threads of the operating system (`_team.h`). They have no Python state, take no lock of the interpreter, and
do not appear in `threading.enumerate()`. On Windows, and where the compiled module was not built, kernels run on the
calling thread.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from xtensor.backend import around_forks, rewarn

from . import _runtime
from ._runtime import compiled

__all__ = ["limit", "run", "set_threads", "stop", "symbols", "team", "threads"]

_SUPPORTED = hasattr(compiled, "start")

WAKE_NANOSECONDS: int = compiled.WAKE_TIME if _SUPPORTED else 0
"""Nanoseconds of work for which sleeping workers are woken."""

MAX_THREADS: int = compiled.MAX_THREADS if _SUPPORTED else 1
"""Bound of the number of threads."""

_limit: ContextVar[int | None] = ContextVar("xtensor_threads", default=None)
_lock = threading.RLock()
_ready = 1
"""Number of threads for which the workers have been started; there are fewer where the system refused one."""


def threads() -> int:
    """Return the number of threads of the next region: all, or the limit of the current context."""
    bound = _limit.get()
    number = _default()
    return number if bound is None or bound > number else bound


def set_threads(number: int | None) -> None:
    """Limit the number of threads in the current context (of a Python thread or an asynchronous task).

    Parameters
    ----------
    number : at least 1; more than the default has no effect, and None removes the limit.
    """
    if number is not None and number < 1:
        raise ValueError(f"set_threads({number}): the number of threads is at least 1; None removes the limit.")
    _limit.set(number)


@contextlib.contextmanager
def limit(number: int | None) -> Iterator[None]:
    """Limit the number of threads in a block."""
    before = _limit.get()
    set_threads(number)
    try:
        yield
    finally:
        _limit.set(before)


def team() -> int:
    """Return `threads()`, with the workers started: call it before each kernel that takes a number of threads."""
    number = threads()
    if number > _ready:
        _start(number)
    if not _registered and "threadpoolctl" in sys.modules:
        _register()
    return number


def run(job: int, arguments: int | None, parts: int, *, nanoseconds: int = WAKE_NANOSECONDS) -> None:
    """Compute job(arguments, part, parts) for each part, on this thread and the workers.

    Parameters
    ----------
    job : address of a function void(void *arguments, int64_t part, int64_t parts).
    arguments : address of its arguments.
    nanoseconds : the time that one thread takes, about; workers that sleep are not woken for a single short job.
    """
    _runtime.parallel(job, arguments or 0, parts, team(), nanoseconds)


def symbols() -> dict[str, int]:
    """Return the functions that kernels call, for `compile_module`."""
    return {"xtensor_parallel": _runtime.PARALLEL}


def stop() -> bool:
    """End the workers, unless a region runs. The next region starts new ones. Returns whether none is left."""
    with _lock:
        return _stop()


@functools.cache
def _default() -> int:
    """Number of threads by XTENSOR_NUM_THREADS, OMP_NUM_THREADS, or the processors that the process may use."""
    if not _SUPPORTED:
        return 1
    for variable in ("XTENSOR_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP's list has an entry for each level
        if text.isascii() and text.isdigit() and int(text) > 0:
            return min(int(text), MAX_THREADS)
        if text and variable == "XTENSOR_NUM_THREADS":
            rewarn(UserWarning(f"XTENSOR_NUM_THREADS={text!r} is ignored: it is not a positive integer."))
    return min(_processors(), MAX_THREADS)


def _processors() -> int:
    """Number of processors that the process may use: its affinity, and the quota of its control group."""
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        number = min(number, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):  # not Linux, or no quota ("max")
        pass
    return number


def _start(number: int) -> None:
    """Start the workers that are missing."""
    global _ready
    with _lock:
        compiled.start(number - 1)
        _ready = max(_ready, number)


def _stop() -> bool:
    global _ready
    if _ready > 1:
        if not compiled.stop():
            return False
        _ready = 1
    return True


def _before_fork() -> None:
    _lock.acquire()
    _stop()  # no thread of ours is copied to the child, unless a region runs at this moment


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    global _ready
    _ready = 1  # the workers of a region that ran are not in this process
    _default.cache_clear()  # children are often given processors and variables of their own
    _lock.release()


around_forks(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


_registered = False


def _register() -> None:
    """Let threadpoolctl's limits hold here. It finds libraries by files that are loaded: ours is llvmlite's."""
    global _registered
    import threadpoolctl

    class Controller(threadpoolctl.LibController):  # type: ignore[misc]
        user_api = internal_api = "xtensor"
        filename_prefixes = ("libllvmlite", "llvmlite")

        def get_num_threads(self) -> int:
            return threads()

        def set_num_threads(self, num_threads: int) -> None:
            set_threads(num_threads)

        def get_version(self) -> None:
            return None

    _registered = True
    if hasattr(threadpoolctl, "register"):
        threadpoolctl.register(Controller)
