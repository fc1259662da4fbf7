"""Forks of the process beside threads that open devices, with what backends do around a fork."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

if not hasattr(os, "fork"):
    pytest.skip("this system does not fork", allow_module_level=True)

PROGRAM = f"""
import sys; sys.path[:0] = {sys.path!r}
import os, threading, time, warnings

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
import xtensor as xp
from toy import ToyBackend
from xtensor._core.forks import PATIENCE
from xtensor.backend import around_forks

class Slow(ToyBackend):
    "Backend that needs its lock when the process already forks."
    kinds = ("slow",)
    def namespace(self, spec):
        opened(spec)
        return super().namespace(spec)

def fork(in_child):
    child = os.fork()
    if not child:
        status = 1
        try:
            in_child()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]

xp.register_backend(Slow(name="slow", specs=("slow:0",)))
"""


def run_program(text):
    run = subprocess.run([sys.executable, "-c", PROGRAM + text], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    return run.stdout.splitlines()


def test_fork_does_not_wait_for_a_thread_that_waits_for_a_lock_of_the_fork():
    code = """
lock, opening, forking = threading.RLock(), threading.Event(), threading.Event()
os.register_at_fork(before=forking.set)

def opened(spec):
    if forking.is_set():  # in the child
        return
    around_forks(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    opening.set()
    forking.wait()
    time.sleep(0.2)  # the fork acquires what locks it can get
    with lock:
        time.sleep(0.2)

def use():
    assert (xp.ones(3, device="slow:0") + 1).tolist() == [2.0, 2.0, 2.0]

thread = threading.Thread(target=use)
thread.start()
opening.wait()
start = time.monotonic()
print(fork(use), time.monotonic() - start < PATIENCE, lock.acquire(blocking=False))
thread.join()
"""
    assert run_program(code) == ["0 True True"]


def test_functions_around_a_fork_are_called_in_the_order_of_the_system():
    code = """
def register(name):
    def note(when):
        return lambda: os.write(1, f"{when} {name}\\n".encode())  # whole lines: parent and child write at once
    around_forks(before=note("before"), after_in_parent=note("parent"), after_in_child=note("child"))

register("first")
register("second")
around_forks(before=lambda: register("registered meanwhile"))
fork(lambda: None)
"""
    lines = run_program(code)
    assert lines[:2] == ["before second", "before first"]
    assert [line for line in lines[2:] if line.startswith("parent")] == ["parent first", "parent second"]
    assert [line for line in lines[2:] if line.startswith("child")] == ["child first", "child second"]
    assert len(lines) == 6
