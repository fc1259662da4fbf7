"""Threads that import xtensor, open devices and declare operations at the same moment, in fresh processes."""

from __future__ import annotations

import pytest

from .tiers import run, scale

START = """
import sys, threading

names, threads = sys.argv[1:], 8
start, errors, opened = threading.Barrier(threads), [], []

def work(number):
    try:
        start.wait()
        import xtensor as xp
        device = xp.device(names[number % len(names)])
        opened.append((device, device.dtypes))
        assert xp.special.expit and xp.nn.functional.relu and xp.linalg.det and device in xp.devices()
    except BaseException as error:
        errors.append(error)

sys.setswitchinterval(1e-6)
pool = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
for thread in pool:
    thread.start()
for thread in pool:
    thread.join()
for error in errors:
    raise error
devices = {id(device): device for device, _ in opened}
assert len(opened) == threads and len(devices) == len(names), devices

import xtensor as xp

for device in devices.values():
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    assert xp.sum(x * 2.0 + x).item() == 18.0
    assert xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]], device=device)).item() == 6.0
    assert abs(xp.special.expit(xp.asarray(0.0, device=device)).item() - 0.5) < 1e-6
    assert xp.nn.functional.relu(x - 2.0).tolist() == [0.0, 0.0, 1.0]
"""

DECLARE = """
import sys, threading, time
import xtensor as xp
from toy import ToyBackend
from xtensor._core.dispatch import call
from xtensor._core.operations import TABLE, declare, watch

rounds, count, errors, opened = int(sys.argv[1]), 100, [], []
start = threading.Barrier(4)
backend = ToyBackend(specs=tuple(f"toy:{number}" for number in range(rounds)))
xp.register_backend(backend)

class Slow:
    "Table that lets other threads run while it gets a row."
    def extend(self, operation):
        time.sleep(1e-5)

slow = [Slow() for _ in range(3)]
for table in slow:
    watch(table)

def declare_operations(number):
    for marker in map(float, range(number, count, 2)):
        name = f"operation{int(marker)}"
        declare(name, "elementwise", composition=lambda functions, x, marker=marker: functions.multiply(x, marker))

def open_devices(number):
    for round in range(number, rounds, 2):
        x = xp.ones(2, device=f"toy:{round}")
        assert (x + x).tolist() == [2.0, 2.0]
        opened.append(x)

def work(task, number):
    try:
        start.wait()
        task(number)
    except BaseException as error:
        errors.append(error)

sys.setswitchinterval(1e-6)
tasks = [(task, number) for task in (declare_operations, open_devices) for number in range(2)]
pool = [threading.Thread(target=work, args=arguments) for arguments in tasks]
for thread in pool:
    thread.start()
for thread in pool:
    thread.join()
for error in errors:
    raise error
assert len(opened) == rounds
for x in opened:
    for marker in range(count):
        result = call(TABLE[f"operation{marker}"], x.device, x._native)
        assert result.tolist() == [float(marker)] * 2, (marker, result)
print(len(opened) * len(range(count)))
"""


def test_threads_that_import_xtensor_and_open_devices_at_once_get_one_device(device, figures):
    for _ in range(scale(1, 10)):
        run(START, *dict.fromkeys((str(device), "cpu")), timeout=60)
        figures.record(processes=1, threads=8)


@pytest.mark.parametrize("attempt", range(scale(1, 5)))
def test_operations_declared_while_devices_open_keep_their_functions(attempt, figures):
    figures.record(calls=int(run(DECLARE, "20", timeout=60)))
