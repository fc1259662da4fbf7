"""Cases that the tests of the devices of several libraries share: integers at their ends, threads, forked processes."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import xtensor as xp


def opened_or_skipped(spec):
    """Return a device; skip the tests where it cannot be opened, with the reason."""
    try:
        return xp.device(spec)
    except xp.BackendUnavailableError as error:
        pytest.skip(str(error))


def ends(dtype):
    """Integers at the ends of a dtype, in the middle and near 0."""
    limits = np.iinfo(dtype)
    half = limits.max // 2
    return sorted({0, 1, 2, 3, 7, limits.max, limits.max - 1, half, half + 1, limits.min, limits.min + 1})


def pairs(dtype):
    return [(a, b) for a in ends(dtype) for b in ends(dtype)]


def wrapped_around(value, dtype):
    """A Python integer in the range of a dtype, modulo the number of its values."""
    limits = np.iinfo(dtype)
    return (value - limits.min) % (limits.max - limits.min + 1) + limits.min


OPERATIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floor_divide": lambda a, b: a // b if b else 0,
    "remainder": lambda a, b: a % b if b else 0,
    "bitwise_and": lambda a, b: a & b,
    "bitwise_xor": lambda a, b: a ^ b,
    "maximum": max,
    "minimum": min,
}
"""Functions of Python integers by the names of ours, before their results wrap around."""

REFUSED = 7
"""The exit status of a forked process whose use of a device was refused, with the word fork in the error."""


def status_of_forked_process(device):
    """The exit status of a child that computes with an array of its parent, on a device that was open before."""
    code = (
        "import os, warnings, xtensor as xp\n"
        "warnings.simplefilter('ignore')\n"
        f"x = xp.ones(3, device='{device}')\n"
        "if os.fork() == 0:\n"
        "    try: x + 1\n"
        f"    except xp.BackendUnavailableError as error: os._exit({REFUSED} if 'fork' in str(error) else 1)\n"
        "    os._exit(2)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return int(done.stdout)


def in_threads(function, count=8):
    """The results of a function that as many threads call at once."""
    results = [None] * count

    def compute(index):
        results[index] = function()

    threads = [threading.Thread(target=compute, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
