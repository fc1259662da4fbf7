"""Eight concurrent threads that compute, transfer, select devices and policies, and register and probe backends."""

from __future__ import annotations

import faulthandler
import random
import sys
import threading
from typing import Any

import numpy as np
import pytest
from strategies import values_of
from toy import ToyBackend
from usable import usable_devices

import xtensor as xp

from .tiers import run, scale

THREADS = 8
TIMEOUT = 120
"""Time limit, in case of a deadlock: faulthandler prints the traceback of every thread and ends the process."""


class Worker:
    """Tasks of one thread; each checks its results."""

    def __init__(self, number: int, devices: list[xp.Device]) -> None:
        self.number, self.devices = number, devices
        self.rng = random.Random(number)
        self.tasks = [getattr(self, name) for name in dir(self) if name.startswith("do_")]
        self.registered = False
        self.host = np.arange(12.0).reshape(3, 4) + number

    def run(self, count: int) -> None:
        for _ in range(count):
            self.rng.choice(self.tasks)()

    def any_device(self) -> xp.Device:
        return self.rng.choice(self.devices)

    def do_compute(self) -> None:
        x = xp.asarray(self.host, device=self.any_device())
        assert np.array_equal(values_of(x * 2.0 + x), self.host * 3)
        assert float(xp.sum(x)) == self.host.sum()
        assert np.array_equal(values_of(xp.matmul(x, x.mT)), self.host @ self.host.T)

    def do_write(self) -> None:
        x = xp.asarray(self.host, device=self.any_device(), copy=True)
        x[1, ...] = 0.0
        x += 1.0
        assert values_of(x)[1].tolist() == [1.0] * 4

    def do_move(self) -> None:
        x = xp.asarray(self.host, device=self.any_device())
        for device in self.devices:
            x = x.to_device(device)
            assert x.device is device
        assert np.array_equal(values_of(x), self.host)

    def do_use_device(self) -> None:
        device = self.any_device()
        with xp.use_device(device):
            assert xp.default_device() is device
            assert xp.zeros(3).device is device
            with xp.use_device("cpu"):
                assert xp.ones(3).device is xp.device("cpu")
            assert xp.default_device() is device

    def do_transfer(self) -> None:
        first, second = self.rng.sample(self.devices, 2)
        x, y = xp.asarray(self.host, device=first), xp.asarray(self.host, device=second)
        with xp.transfers("allow"):
            assert np.array_equal(values_of(x + y), 2 * self.host)
            with xp.transfers("forbid"), pytest.raises(ValueError, match="two devices"):
                _ = x + y
        with pytest.raises(ValueError, match="two devices"):
            _ = x + y

    def do_register(self) -> None:
        name = f"toy{self.number}"
        backend = ToyBackend(name=name, specs=(f"{name}:0",))
        backend.kinds = (name,)
        if self.registered:
            with pytest.raises(ValueError, match="registered already"):
                xp.register_backend(backend)
        else:
            xp.register_backend(backend)
            self.registered = True
        x = xp.asarray(self.host, device=f"{name}:0")
        assert np.array_equal(values_of(x + x), 2 * self.host)

    def do_probe(self) -> None:
        assert {"numpy"} <= {info.name for info in xp.backends()}
        assert xp.device("cpu") in xp.devices()
        with pytest.raises(ValueError, match="nowhere"):
            xp.device("nowhere:0")

    def do_fail(self) -> None:
        x = xp.asarray(self.host, device=self.any_device())
        with pytest.raises(ValueError, match=r"\(3, 4\)"):
            _ = x + xp.zeros((2, 2), device=x.device)


def test_concurrent_threads_return_correct_values_without_a_deadlock(registry, figures):
    xp.register_backend(ToyBackend())
    devices = list(usable_devices())
    workers = [Worker(number, devices) for number in range(THREADS)]
    start, errors = threading.Barrier(THREADS), []
    count = scale(400, 5_000)

    def work(worker: Worker) -> None:
        try:
            start.wait()
            worker.run(count)
        except BaseException as error:
            errors.append(error)

    switch_interval: Any = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    faulthandler.dump_traceback_later(scale(TIMEOUT, 10 * TIMEOUT), exit=True, file=sys.__stderr__)
    try:
        threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.setswitchinterval(switch_interval)
    assert errors == []
    figures.record(threads=THREADS, tasks=THREADS * count, devices=len(devices))


FIRST_USE = """
import faulthandler, random, sys, threading

faulthandler.dump_traceback_later(60, exit=True)
import xtensor as xp

def work(number):
    rng = random.Random(number)
    for _ in range(int(sys.argv[1])):
        device = rng.choice(sys.argv[2:])
        x = xp.ones((5, 7), device=device)
        rng.choice((
            lambda: float(xp.sum(xp.sin(x))), lambda: xp.sort(x), lambda: xp.matmul(x, x.T), lambda: x.tolist(),
            lambda: xp.cumulative_sum(x, axis=0), lambda: xp.linalg.svdvals(x), lambda: xp.fft.fft(x + 0j),
            lambda: xp.unique_values(x), lambda: x[x > 0.5], lambda: x.__setitem__((0, 0), 3.0), lambda: xp.argmax(x),
            lambda: xp.take(x, xp.asarray([0, 1], device=device), axis=0), lambda: xp.nonzero(x), lambda: x // 2.0,
        ))()

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_eight_threads_use_a_fresh_device_without_a_deadlock(device, figures):
    """Each process is a new chance: libraries initialise themselves at the first call of each of their parts.

    An engine takes minutes for the tasks of eight threads, and is not among the other devices.
    """
    count = scale(2, 20)
    host = [str(other) for other in xp.devices() if other.dlpack_device[0] in (1, 14) and not other.lazy]
    for number in range(count):
        others = [] if number % 2 else host
        run(FIRST_USE, "30", str(device), *others, timeout=120)
    figures.record(processes=count)
