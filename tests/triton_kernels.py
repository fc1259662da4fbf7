"""The Triton kernels in the interpreter for tests: the functions alone, guarded memory, and a check that they ran."""

from __future__ import annotations

import contextlib
import math
from importlib.util import find_spec

import numpy as np
import pytest

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES

if find_spec("triton") is None:  # importing it would choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)

try:
    DEVICE = xp.device("triton:interpret")
    XP = DEVICE._functions.namespace
except xp.BackendUnavailableError as error:  # Triton was imported for compiling in this process
    pytest.skip(str(error), allow_module_level=True)

from xtensor_backends.triton import _context, _device, _tiling, count_calls
from xtensor_backends.triton._interpreter import Interpreter
from xtensor_backends.triton._storage import HostMemory

DTYPES = [dtype for dtype in map(np.dtype, (*DTYPE_NAMES, "float16")) if dtype.kind != "c"]
GUARD = 64
"""Elements before and after an array that no kernel may write to."""

REDUCTIONS = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "count_nonzero")
SCANS = ("cumulative_sum", "cumulative_prod")

KERNELS = _device.functions_over(_context.Context(HostMemory(), Interpreter()))
"""The kernel functions alone: a call that they decline returns NotImplemented and is served by nothing else."""


@contextlib.contextmanager
def launches(*names):
    """Assert that the block launches kernels of each operation named, and that no call in it is declined."""
    with count_calls() as calls:
        yield calls
    assert calls.declined == {}, f"declined: {calls.declined}"
    assert set(names) <= calls.launches.keys(), f"launched only {dict(calls.launches)}"


def values(shape, dtype, seed=0):
    """Integers from 1 to 4."""
    return np.random.default_rng(seed).integers(1, 5, shape).astype(dtype)


class Guarded(HostMemory):
    """Memory whose arrays have guard elements around them; guards and new arrays are filled with 0xFF (NaN)."""

    def __init__(self):
        self.allocations = []

    def copy_of(self, array):
        """A copy with guard elements around it."""
        result = self.empty(array.shape, array.dtype)
        result[...] = array
        return result

    def empty(self, shape, dtype):
        size = math.prod(shape)
        memory = np.empty(size + 2 * GUARD, dtype)
        memory.view(np.uint8)[...] = 0xFF
        self.allocations.append((memory, size))
        return memory[GUARD : GUARD + size].reshape(shape)

    def check(self):
        for memory, size in self.allocations:
            for guard in (memory[:GUARD], memory[GUARD + size :]):
                assert (np.ascontiguousarray(guard).view(np.uint8) == 0xFF).all(), "a kernel wrote to a guard"


def guarded(tiling=None):
    """The kernel functions over guarded memory, optionally with another tiling of rows."""
    memory = Guarded()
    context = _context.Context(memory, Interpreter())
    if tiling is not None:
        context.split_rows = tiling
    return _device.functions_over(context), memory


def small_tiles(rows, length, *, across, **options):
    """A tiling like that of a GPU at a small scale: several tiles, several parts."""
    height = min(4, _tiling._next_power_of_2(rows)) if across else 1
    width = min(8, _tiling._next_power_of_2(length))
    blocks = -(-rows // height)
    chunk = 2 * width
    parts = -(-length // chunk)
    return _tiling.Tiling(height, width, parts, chunk, blocks * parts)
