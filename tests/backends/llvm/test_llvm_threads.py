"""Parallel regions on the CPU: each part once, limits, forks, the interpreter's end."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import importlib.util
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)
if os.name != "posix":
    pytest.skip("kernels run on the calling thread on this system", allow_module_level=True)

from xtensor_backends.llvm import _compile, _runtime, _threads

if _runtime.compiled is None:
    pytest.skip("needs the compiled module, which is missing or turned off", allow_module_level=True)

JOB = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

COUNT = """
; Adds 1 to the element of its part.
define void @count(ptr %counts, i64 %part, i64 %parts) nounwind {
  %place = getelementptr i64, ptr %counts, i64 %part
  %old = load i64, ptr %place
  %new = add i64 %old, 1
  store i64 %new, ptr %place
  ret void
}
"""

PROGRAM = f"""
import sys; sys.path[:0] = {sys.path!r}
import ctypes, os, threading, time
import numpy as np
from xtensor_backends.llvm import _compile, _threads
COUNT = '''{COUNT}'''
job = _compile.compile_module(COUNT, ["count"])["count"]
def region(parts=8):
    counts = np.zeros(parts, dtype=np.int64)
    _threads.run(job, counts.ctypes.data, parts)
    assert counts.tolist() == [1] * parts
"""


@pytest.fixture(autouse=True)
def two_threads(monkeypatch, tmp_path):
    """Two threads, however many processors the machine has."""
    monkeypatch.setenv("XTENSOR_NUM_THREADS", "2")
    monkeypatch.setenv("XTENSOR_CACHE_DIR", str(tmp_path))
    _threads._default.cache_clear()
    yield
    _threads.stop()
    _threads._default.cache_clear()


SYSTEM = ctypes.CDLL(None)

needs_processors = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir() or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two processors"
)


def number_of_threads(monkeypatch, number):
    monkeypatch.setenv("XTENSOR_NUM_THREADS", str(number))
    _threads._default.cache_clear()


def count_job():
    return _compile.compile_module(COUNT, ["count"])["count"]


def counted(job, parts, **options):
    counts = np.zeros(parts, dtype=np.int64)
    _threads.run(job, counts.ctypes.data, parts, **options)
    return counts.tolist()


def run_python(function, parts):
    """Run a region whose job calls function(part)."""
    job = JOB(lambda arguments, part, parts: function(part))
    _threads.run(ctypes.cast(job, ctypes.c_void_p).value, None, parts)


def run_program(text, **environment):
    """Run a program and return its output, errors and status."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM + text],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "XTENSOR_NUM_THREADS": "2", **environment},
    )
    return run.stdout.strip(), run.stderr, run.returncode


def tasks():
    """States of the process's threads, by Linux's letters."""
    texts = [(task / "stat").read_text() for task in Path("/proc/self/task").iterdir()]
    return [text.rpartition(")")[2].split()[0] for text in texts]


def wait_until_workers_sleep():
    end = time.monotonic() + 60
    while sum(state != "S" for state in tasks()) > 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert sum(state != "S" for state in tasks()) == 1  # this thread


@contextlib.contextmanager
def on_processors(numbers):
    """Keep this thread, and those that it starts, on some processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, numbers)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("nanoseconds", [100, 10**6])
def test_each_part_is_computed_once(monkeypatch, threads, nanoseconds):
    number_of_threads(monkeypatch, threads)
    job, random_numbers = count_job(), random.Random(0)
    for turn in range(400):
        parts = random_numbers.choice([1, 2, 3, threads, 2 * threads, 64, 256, 257, 1000])
        if turn % 50 == 0:
            time.sleep(0.001)  # workers fall asleep
        assert counted(job, parts, nanoseconds=nanoseconds) == [1] * parts


def test_region_without_parts_computes_nothing():
    run_python(lambda part: pytest.fail("no part was given"), 0)


def test_parts_are_computed_by_several_threads():
    met = threading.Barrier(2, timeout=60)
    run_python(lambda part: met.wait(), 2)
    assert not met.broken


def test_sleeping_workers_compute():
    run_python(lambda part: None, 2)
    time.sleep(0.05)
    met = threading.Barrier(2, timeout=60)
    run_python(lambda part: met.wait(), 2)
    assert not met.broken


@pytest.mark.parametrize(("nanoseconds", "number"), [(10**4, 1), (10**6, 2)], ids=["short", "long"])
def test_workers_are_woken_for_long_jobs(nanoseconds, number):
    run_python(lambda part: None, 2)
    time.sleep(0.05)
    threads = set()

    def part(arguments, part, parts):
        threads.add(threading.get_ident())
        time.sleep(0.05)

    job = JOB(part)
    _threads.run(ctypes.cast(job, ctypes.c_void_p).value, None, 8, nanoseconds=nanoseconds)
    assert len(threads) == number


def test_workers_are_woken_for_short_jobs_in_a_series():
    job, threads = count_job(), set()

    def part(arguments, part, parts):
        threads.add(threading.get_ident())
        time.sleep(0.02)

    last = JOB(part)
    work = _threads.WAKE_NANOSECONDS * 3 // 4
    for _ in range(20):  # the system may interrupt this thread between the two regions
        counted(job, 2)
        time.sleep(0.05)
        counted(job, 2, nanoseconds=work)
        _threads.run(ctypes.cast(last, ctypes.c_void_p).value, None, 8, nanoseconds=work)
        if len(threads) == 2:
            break
    assert len(threads) == 2


def test_number_of_sleeping_workers_is_right_after_many_regions():
    job = count_job()
    for turn in range(300):
        counted(job, 8)
        if turn % 3 == 0:
            time.sleep(0.0005)  # about as long as workers wait in a loop, so that some are about to sleep
    time.sleep(0.05)
    met = threading.Barrier(2, timeout=60)
    run_python(lambda part: met.wait(), 2)
    assert not met.broken


def test_nested_region_is_computed_by_its_thread():
    threads = []

    def outer(part):
        def inner(inner_part):
            threads.append((part, inner_part, threading.get_ident()))

        run_python(inner, 3)

    run_python(outer, 4)
    assert sorted((part, inner) for part, inner, _ in threads) == [(p, i) for p in range(4) for i in range(3)]
    assert len({(part, thread) for part, _, thread in threads}) == 4


def test_regions_of_several_threads_at_once():
    job, wrong = count_job(), []

    def many(parts):
        for _ in range(500):
            if counted(job, parts) != [1] * parts:
                wrong.append(parts)

    threads = [threading.Thread(target=many, args=(parts,)) for parts in (2, 3, 8, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_limit_of_one_computes_on_the_calling_thread():
    threads = set()
    with _threads.limit(1):
        run_python(lambda part: threads.add(threading.get_ident()), 8)
    assert threads == {threading.get_ident()}


def test_no_more_threads_than_the_limit(monkeypatch):
    number_of_threads(monkeypatch, 4)
    threads = set()

    def part(arguments, number, parts):
        threads.add(threading.get_ident())
        time.sleep(0.001)

    job, nothing = JOB(part), count_job()
    counts = np.zeros(16, dtype=np.int64)
    address = ctypes.cast(job, ctypes.c_void_p).value
    for _ in range(50):  # on a busy machine the caller and one worker may be done before another worker runs
        _threads.run(address, None, 16)
    assert len(threads) > 2
    for _ in range(30):
        threads.clear()
        _threads.run(nothing, counts.ctypes.data, 16)  # all workers are awake after it
        with _threads.limit(2):
            _threads.run(address, None, 16)
        assert len(threads) <= 2


def test_limit_is_of_the_context():
    seen = []
    with _threads.limit(1):
        thread = threading.Thread(target=lambda: seen.append(_threads.threads()), **no_context())
        thread.start()
        thread.join()
        assert (_threads.threads(), seen) == (1, [2])
        contextvars.copy_context().run(_threads.set_threads, None)
        assert _threads.threads() == 1
    assert _threads.threads() == 2


def no_context():
    """Arguments for a thread that does not inherit the context, which free-threaded Python does otherwise."""
    return {"context": contextvars.Context()} if sys.version_info >= (3, 14) else {}


def test_limit_above_the_number_changes_nothing():
    with _threads.limit(100):
        assert _threads.threads() == 2


@pytest.mark.parametrize("number", [0, -1])
def test_limit_below_one_is_refused(number):
    with pytest.raises(ValueError, match="at least 1"):
        _threads.set_threads(number)


@pytest.mark.parametrize(
    ("environment", "number"),
    [
        ({"XTENSOR_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, 3),
        ({"OMP_NUM_THREADS": "5"}, 5),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "nonsense"}, None),
        ({"XTENSOR_NUM_THREADS": "100000"}, _threads.MAX_THREADS),
    ],
)
def test_environment_sets_the_number(monkeypatch, environment, number):
    for variable in ("XTENSOR_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(variable, raising=False)
    for variable, text in environment.items():
        monkeypatch.setenv(variable, text)
    _threads._default.cache_clear()
    assert _threads.threads() == (number or _threads._processors())


@pytest.mark.parametrize("text", ["two", "0", "-1", "1.5"])
def test_wrong_number_in_the_environment_is_a_warning(monkeypatch, text):
    monkeypatch.setenv("XTENSOR_NUM_THREADS", text)
    _threads._default.cache_clear()
    with pytest.warns(UserWarning, match="is not a positive integer"):
        assert _threads.threads() >= 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs affinities")
def test_number_follows_the_affinity():
    code = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); print(_threads.threads())"
    assert run_program(code, XTENSOR_NUM_THREADS="", OMP_NUM_THREADS="") == ("1", "", 0)


def test_workers_start_with_the_first_region():
    code = """
count = lambda: len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
before = count(); _threads.threads(); _threads.symbols(); unchanged = count() - before
region(); print(unchanged, count() - before, threading.active_count())
"""
    expected = "0 1 1" if Path("/proc/self/task").is_dir() else "0 0 1"
    assert run_program(code) == (expected, "", 0)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
def test_idle_workers_sleep():
    run_python(lambda part: None, 2)
    wait_until_workers_sleep()


@needs_processors
def test_woken_workers_leave_the_callers_processor_to_it():
    allowed = os.sched_getaffinity(0)
    run_python(lambda part: None, 2)
    for own in sorted(allowed)[:2]:
        met, processors = threading.Barrier(2, timeout=60), []

        def part(_, met=met, processors=processors):
            met.wait()
            processors.append(SYSTEM.sched_getcpu())

        with on_processors({own}):
            wait_until_workers_sleep()
            run_python(part, 2)
        assert len(processors) == 2
        assert processors.count(own) == 1


@needs_processors
def test_woken_workers_may_use_all_processors_again():
    allowed = os.sched_getaffinity(0)
    for _ in range(20):
        run_python(lambda part: None, 2)
        time.sleep(0.002)
    wait_until_workers_sleep()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(ProcessLookupError):  # a worker of an earlier test that has just ended
            assert os.sched_getaffinity(int(task.name)) == allowed


@needs_processors
def test_workers_that_have_no_other_processor_compute():
    job = count_job()
    with on_processors({min(os.sched_getaffinity(0))}):
        for _ in range(3):
            assert counted(job, 8) == [1] * 8
            wait_until_workers_sleep()


@pytest.mark.parametrize("pause", ["0", "0.05"], ids=["spinning", "asleep"])
def test_interpreter_ends_with_workers(pause):
    for _ in range(3):
        assert run_program(f"region(); time.sleep({pause}); print('end')") == ("end", "", 0)


def test_interpreter_ends_during_a_region():
    code = "threading.Thread(target=lambda: [region(50) for _ in range(10**9)], daemon=True).start(); time.sleep(0.1)"
    for _ in range(3):
        assert run_program(code) == ("", "", 0)


def test_interpreter_ends_during_a_compilation():
    code = """
text = "\\n".join(COUNT.replace("@count", f"@count{number}") for number in range(300))
threading.Thread(target=lambda: [_compile.assembly(text) for _ in range(10**9)], daemon=True).start(); time.sleep(0.03)
"""
    for _ in range(20):  # about one in ten ended with an error of LLVM, whose state was destroyed meanwhile
        assert run_program(code) == ("", "", 0)


FORKS = """
{before}
for _ in range(20):
    region()
    child = os.fork()
    if child == 0:
        for _ in range(20): region()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    region()
print("end", flush=True)
os._exit(0)
"""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
def test_fork_between_regions():
    # Python 3.12 and newer warn of a fork in a process with threads: the workers have ended before it.
    code = "import warnings; warnings.simplefilter('error')"
    assert run_program(FORKS.format(before=code), OPENBLAS_NUM_THREADS="1") == ("end", "", 0)


@needs_fork
def test_fork_during_a_region_of_another_thread():
    code = """
import warnings; warnings.simplefilter("ignore")
def forever():
    while True: region(200)
threading.Thread(target=forever, daemon=True).start()
"""
    assert run_program(FORKS.format(before=code)) == ("end", "", 0)


@needs_fork
def test_child_reads_its_own_environment():
    code = """
region()
os.environ["XTENSOR_NUM_THREADS"] = "5"
child = os.fork()
if child == 0: os._exit(_threads.threads())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), _threads.threads())
"""
    assert run_program(code) == ("5 2", "", 0)


def test_region_without_workers_is_computed(monkeypatch):
    monkeypatch.setattr(_runtime.compiled, "start", lambda number: 0)  # the system has too many threads
    assert _threads.stop()
    assert counted(count_job(), 100) == [1] * 100


def test_signals_are_for_pythons_threads():
    # The main thread waits for a blocked signal; a worker that took it would run its action, which ends the process.
    code = """
import signal
region()
time.sleep(0.1)  # the worker has begun to run
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1)
region()
print(signal.pthread_sigmask(signal.SIG_BLOCK, []) == {signal.SIGUSR1})
"""
    assert run_program(code, OPENBLAS_NUM_THREADS="1") == ("True\nTrue", "", 0)  # BLAS's threads take signals


def test_stopped_workers_start_again():
    job = count_job()
    for _ in range(50):
        assert counted(job, 9) == [1] * 9
        assert _threads.stop()


def test_threadpoolctl_limits_the_threads():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    _threads.team()
    with threadpoolctl.threadpool_limits(limits=1):
        assert _threads.threads() == 1
    assert _threads.threads() == 2
    with threadpoolctl.threadpool_limits(limits=1, user_api="xtensor"):
        assert _threads.threads() == 1
    entries = [entry for entry in threadpoolctl.threadpool_info() if entry["user_api"] == "xtensor"]
    assert [entry["num_threads"] for entry in entries] == [2]


def test_threadpoolctl_is_not_imported():
    assert run_program("region(); print('threadpoolctl' in sys.modules)") == ("False", "", 0)
