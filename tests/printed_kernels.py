"""The sources of the kernels that OpenCL's and WebGPU's devices print, from a device that compiles nothing."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import numpy as np

import xtensor as xp
from xtensor.nn import functional
from xtensor_backends.buffers import functions, fusing, namespace
from xtensor_backends.buffers.backend import BufferBackend
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


# -- fused programs ---------------------------------------------------------------------------------------------------


class PrintingBackend(BufferBackend):
    """Backend of a device that compiles nothing."""

    name = "printed"
    kinds = ("printed",)
    dlpack_type = 4

    def __init__(self, runtime):
        super().__init__()
        self._runtimes = {"printed:0": runtime}
        self.fused = set()

    def probe(self):
        return "1"

    def devices(self):
        return ("printed:0",)

    def generator(self, spec):
        runtime, fused = self._runtimes[spec], self.fused

        class Recorder(fusing.BufferGenerator):
            """Generator that tells the kernels of programs from those of single functions."""

            def compute(self, *args):
                return self._record(super().compute, *args)

            def reduce(self, *args, **options):
                return self._record(super().reduce, *args, **options)

            def _record(self, method, *args, **options):
                before = set(runtime.sources)
                try:
                    return method(*args, **options)
                finally:
                    fused.update(runtime.sources - before)

        return Recorder(runtime)


PROGRAMS = {
    "chain": lambda x, y: ((x * y + x) * y - x) * 0.5,
    "functions": lambda x, y: xp.exp(-x * x) * xp.sin(y) + xp.sqrt(x),
    "strides": lambda x, y: xp.tanh(x.T) * y.T - x[:, :1].T,
    "softmax": lambda x, y: functional.softmax(x * y, axis=-1),
    "layer_norm": lambda x, y: functional.layer_norm(x + 1.0, y[0], x[0]),
    "gelu": lambda x, y: functional.gelu(x) * functional.silu(y),
    "attention": lambda x, y: functional.scaled_dot_product_attention(x[None], y[None], x[None], causal=True),
    "loss": lambda x, y: functional.mse_loss(x * 2.0, y),
    "statistics": lambda x, y: (xp.mean(x * y), xp.std(x - y, axis=0), xp.linalg.vector_norm(x + y, axis=1)),
    "extremes": lambda x, y: (xp.max(x * y, axis=0), xp.min(x - y), xp.prod(x + y, axis=1)),
    "gradient": xp.autograd.grad(lambda x, y: xp.sum(xp.log1p(xp.exp(x * y)))),
    "batch": xp.vmap(lambda x, y: xp.cumulative_sum(x * y) / (1.0 + xp.sum(y * y))),
}

REFUSALS = (TypeError, ValueError, OverflowError, KeyError, AttributeError, NotImplementedError)
"""Errors of functions for dtypes that they do not take."""

STEPS = 12
"""Operations of a random program, at most."""


def random_program(seed, dtypes):
    """A function of two matrices and a row: operations and casts drawn at random, and reductions at its end."""
    random = np.random.default_rng(seed)
    names = random.choice([*functions.ELEMENTWISE, "astype"], STEPS)
    positions = random.integers(0, 2**31, (STEPS, 3))
    targets = random.choice(dtypes, STEPS)
    reduction, axis = random.choice(["sum", "prod", "max", "min"]), random.choice([None, 0, 1])

    def program(*arrays):
        values = [*arrays, 2, 0.5]
        for name, places, target in zip(names, positions, targets, strict=True):
            operands = [values[place % len(values)] for place in places]
            with suppress(*REFUSALS):
                if name == "astype":
                    values.append(xp.astype(operands[0], np.dtype(target)))
                else:
                    values.append(_applied(getattr(xp, name), operands))
        results = [value for value in values[5:] if isinstance(value, xp.Array)][-2:]
        with suppress(*REFUSALS, IndexError):
            results.append(getattr(xp, reduction)(results[-1], axis=axis))
        return results

    return program


def _applied(function, operands):
    """Call a function with as many operands as it takes."""
    for count in (2, 1, 3):
        with suppress(TypeError):
            return function(*operands[:count])
    raise TypeError


def fused_sources_of(runtime, dtypes, count):
    """The sources of the kernels of fused functions: those of networks and statistics, and random ones."""
    backend = PrintingBackend(runtime)
    xp.register_backend(backend)
    matrices = {name: xp.ones((6, 5), dtype=np.dtype(name), device="printed:0") for name in dtypes}
    x = matrices["float32"]
    for program in PROGRAMS.values():
        xp.fuse(program)(x, x[...] * 2.0)
    for seed in range(count):
        first, second = (matrices[dtypes[(seed + shift) % len(dtypes)]] for shift in (0, seed // len(dtypes)))
        with suppress(*REFUSALS, xp.UnknownValueError):
            xp.fuse(random_program(seed, dtypes))(first, xp.permute_dims(xp.reshape(second, (5, 6)), (1, 0)), first[0])
    return sorted(backend.fused)
