"""The sources of the kernels that OpenCL's and WebGPU's devices print, from a device that compiles nothing."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import numpy as np

from xtensor_backends.buffers import functions, namespace
from xtensor_backends.buffers.memory import MemoryPool
from xtensor_backends.buffers.runtime import Runtime

WORDS = {"key": (1, 2), "stream": (3, 4), "start": 0, "shape": (3,)}
"""The options of random words and numbers."""


class PrintingRuntime(Runtime):
    """A device that compiles nothing, and whose memory has zeros."""

    def __init__(self, language, dtypes, **attributes):
        super().__init__("printed:0", language, dtypes, MemoryPool(bytearray, lambda buffer: None, 2**40, 2**40))
        for name, value in attributes.items():
            setattr(self, name, value)
        self.sources = set()

    def compile(self, kernel):
        self.sources.add(kernel.source)
        return kernel

    def enqueue(self, compiled, buffers, scalars, numbers, count):
        pass

    def write(self, buffer, values):
        pass

    def read(self, buffer, values, start):
        values[...] = 0

    def handle(self, buffer):
        return 0

    def synchronize(self):
        pass


def sources_of(runtime, dtypes):
    """The sources of the kernels of all functions of a device for arrays of some of its dtypes."""
    device = namespace.namespace(runtime)
    chosen = [np.dtype(name) for name in dtypes]
    matrices = {dtype: runtime.empty((6, 5), dtype) for dtype in chosen}
    for x, dtype in product(matrices.values(), chosen):
        device.astype(x, dtype)
        device.astype(x.permuted((1, 0)), dtype)  # a layout with strides
    for name in functions.ELEMENTWISE:
        _call(getattr(device, name), matrices)
    for name in namespace.SPECIAL:
        _call(getattr(device.special, name), matrices)
    for name, (x, y) in product(functions.INPLACE, product(matrices.values(), repeat=2)):
        _try(getattr(device.inplace, name), x, y)
    index = runtime.empty((3,), runtime.index_dtype)
    for x in matrices.values():
        for name, axis in product(("sum", "prod", "max", "min", "mean", "std", "var"), (None, 0, 1)):
            _try(getattr(device, name), x, axis=axis)
        for name, axis in product(("cumulative_sum", "cumulative_prod", "sort", "argsort"), (0, 1)):
            _try(getattr(device, name), x, axis=axis)
        _try(device.linalg.vector_norm, x)
        _try(device.matmul, x, x.permuted((1, 0)))
        _try(device.nonzero, x)
        _try(device.concat, [x, x], axis=0)
        _try(device.searchsorted, x.view((5,), None, 0), x)
        _try(x.__getitem__, index)
        device.full((3,), 1, dtype=x.dtype)
        if x.dtype.kind != "c" and x.dtype.kind != "b":
            device.arange(0, 3, 1, dtype=x.dtype)
        if x.dtype.kind == "f":
            device.random.uniform_numbers(**WORDS, dtype=x.dtype)
            device.random.normal_numbers(**WORDS, dtype=x.dtype)
    _try(device.random.bits, **WORDS)
    return sorted(runtime.sources)


def _call(function, matrices):
    """Call an elementwise function with as many operands as it takes, and with numbers in the place of the second."""
    for x in matrices.values():
        _try(function, x)
        for y in (*matrices.values(), 2, 1.5):
            _try(function, x, y)
        _try(function, x, x, x)
    for condition in matrices.values():
        if condition.dtype.kind == "b":
            for x in matrices.values():
                _try(function, condition, x, x)


def _try(function, *operands, **options):
    """Call a function; combinations that it refuses, or for which it has no kernel, print nothing."""
    with suppress(TypeError, ValueError, OverflowError, KeyError):
        function(*operands, **options)
