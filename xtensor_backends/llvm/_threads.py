"""Threads of the CPU's kernels: their number, its limits, and the workers.

Requirements: a region costs about a microsecond where another one has just ended; a process that does nothing uses no
processor time; regions that are nested, or begun by several threads at once, compute without waiting for each other;
a forked child computes; the interpreter ends while workers spin or sleep.

Workers are threads of the operating system in machine code (`_region.py`). They have no Python state, take no lock of
the interpreter, and do not appear in `threading.enumerate()`. Windows has none: kernels run on the calling thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

from xtensor.backend import around_forks, rewarn

from . import _compile, _region

__all__ = ["limit", "run", "set_threads", "stop", "symbols", "team", "threads"]

_SUPPORTED = os.name == "posix" and sys.maxsize > 1 << 32  # the machine code has integers of 64 bits
_limit: ContextVar[int | None] = ContextVar("xtensor_threads", default=None)
_lock = threading.RLock()
_handles: list[ctypes.c_void_p] = []
_ready = 1  # threads for which the workers have been started


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


def run(job: int, arguments: int | None, parts: int, *, nanoseconds: int = _region.WAKE_NANOSECONDS) -> None:
    """Compute job(arguments, part, parts) for each part, on this thread and the workers.

    Parameters
    ----------
    job : address of a function void(void *arguments, int64_t part, int64_t parts).
    arguments : address of its arguments.
    nanoseconds : the time that one thread takes, about; workers that sleep are not woken for a single short job.
    """
    _code().parallel(job, arguments, parts, team(), nanoseconds)


def symbols() -> dict[str, int]:
    """Return the functions that kernels call, for `compile_module`."""
    return dict(_code().symbols)


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
            return min(int(text), _region.MAXIMUM)
        if text and variable == "XTENSOR_NUM_THREADS":
            rewarn(UserWarning(f"XTENSOR_NUM_THREADS={text!r} is ignored: it is not a positive integer."))
    return min(_processors(), _region.MAXIMUM)


def _processors() -> int:
    """Number of processors that the process may use: its affinity, and the quota of its control group."""
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        number = min(number, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):  # not Linux, or no quota ("max")
        pass
    return number


class _Code:
    """The functions of machine code, and the system's functions for threads."""

    def __init__(self) -> None:
        names = ("xtensor_parallel", "worker", "workers", "spins", "prepare", "measure", "stop", "reset")
        addresses = _compile.compile_module(_region.module(_region.futex_number()), names)
        self.symbols = {"xtensor_parallel": addresses["xtensor_parallel"]}
        integer, pointer = ctypes.c_int64, ctypes.c_void_p
        region = ctypes.CFUNCTYPE(None, pointer, pointer, integer, integer, integer)
        self.parallel = region(addresses["xtensor_parallel"])
        self.stop = ctypes.CFUNCTYPE(ctypes.c_int32)(addresses["stop"])
        self.reset = ctypes.CFUNCTYPE(None)(addresses["reset"])
        self.workers = ctypes.c_int32.from_address(addresses["workers"])
        self.worker = addresses["worker"]
        system = ctypes.CDLL(None)
        self.create, self.join = system.pthread_create, system.pthread_join
        self.create.argtypes = [ctypes.POINTER(pointer), pointer, pointer, pointer]
        self.join.argtypes = [pointer, pointer]
        ctypes.CFUNCTYPE(None)(addresses["prepare"])()
        turn = _seconds_of_a_turn(ctypes.CFUNCTYPE(None, integer)(addresses["measure"]))
        spins = ctypes.c_int64.from_address(addresses["spins"])
        spins.value = max(1, int(_region.SPIN_NANOSECONDS * 1e-9 / turn))


def _seconds_of_a_turn(measure: Callable[[int], None], turns: int = 500) -> float:
    """Return the least time that a turn of the waiting loop takes, which differs by a factor of ten between CPUs."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        measure(turns)
        times.append(time.perf_counter() - start)
    return max(min(times), 1e-9) / turns


_first_code = functools.cache(_Code)


def _code() -> _Code:
    with _lock:  # there is one set of workers
        return _first_code()


def _start(number: int) -> None:
    """Start the workers that are missing. Where the system refuses one, regions have fewer threads."""
    global _ready
    with _lock:
        code = _code()
        with _signals_blocked():  # a thread inherits the mask
            while len(_handles) < number - 1:
                handle = ctypes.c_void_p()
                if code.create(ctypes.byref(handle), None, code.worker, len(_handles) + 1) != 0:
                    break
                _handles.append(handle)
        code.workers.value = len(_handles)
        _ready = max(_ready, number)


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals, but not those that report faults: a worker must not take one for which Python's thread waits."""
    faults = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - faults)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop() -> bool:
    global _ready
    if _handles:
        code = _code()
        if not code.stop():
            return False
        for handle in _handles:
            code.join(handle, None)
        code.reset()
        _handles.clear()
    _ready = 1
    return True


def _before_fork() -> None:
    _lock.acquire()
    _stop()  # no thread of ours is copied to the child, unless a region runs at this moment


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    global _ready
    if _handles:  # a region ran: its workers do not exist here
        _code().reset()
        _handles.clear()
        _ready = 1
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
