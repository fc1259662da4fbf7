"""The device ``dask`` in a process that was forked after a computation: the threads of dask's pools are not in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array", reason="dask.array is not installed: tox -e engines")

if not hasattr(os, "fork"):
    pytest.skip("this system does not fork", allow_module_level=True)

SECONDS = 60
"""The time after which a case counts as hanging."""

PROGRAM = """
import os, signal, threading, warnings
from concurrent.futures import ThreadPoolExecutor

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
import dask
import xtensor as xp
from xtensor.engines import WorkerLostError

dask.config.set({"array.chunk-size": "64B"})
x = xp.arange(100.0, device="dask")
results = []

def use():
    assert float(xp.sum(xp.arange(100.0, device="dask"))) == 4950.0
    assert float(xp.sum(x + len(results))) == 4950.0 + 100.0 * len(results)
    results.append(None)

def fork(use):
    child = os.fork()
    if not child:
        signal.alarm(20)  # ends a process that hangs
        status = 1
        try:
            use()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0

def in_thread(function):
    errors = []
    def call():
        try:
            function()
        except BaseException as error:
            errors.append(error)
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert not errors, errors
"""


def run(text: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM + text], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert result.returncode == 0, result.stderr


def test_a_forked_child_computes_after_its_parent_has_computed():
    run("""
for workers in (None, 2):
    dask.config.set(num_workers=workers)
    use()
    in_thread(use)
    for child in (use, lambda: in_thread(use), lambda: fork(use)):
        fork(child)
        in_thread(lambda: fork(child))
    use()
""")


def test_a_pool_of_the_parent_is_refused_with_the_remedy():
    run("""
def refused():
    try:
        use()
    except WorkerLostError as error:
        assert "ThreadPoolExecutor" in str(error) and "make another one" in str(error), error
    else:
        raise AssertionError("the parent's pool computed")
    with dask.config.set(scheduler="threads", pool=None):
        use()
    with dask.config.set({setting: ThreadPoolExecutor(2)}):
        use()

for setting in ("pool", "scheduler"):
    with dask.config.set({setting: ThreadPoolExecutor(2)}):
        use()
        fork(refused)
        use()
""")
