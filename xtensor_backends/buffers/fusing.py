"""The generator of kernels for :func:`xtensor.fuse`: a program is one kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xtensor.backend import DType, Generator, Native, Program

from .elementwise import compute
from .formulas import plan
from .reductions import reduce_program
from .runtime import Runtime

__all__ = ["BufferGenerator"]

MOST_STEPS = 256
"""Steps of a kernel, at most: compilers take long for more."""


class BufferGenerator(Generator):
    """Kernels of programs on one device."""

    called = ("linalg.vector_norm", "mean", "std", "var")  # see statistics.py

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def resolve(self, name: str, kinds: Sequence[DType | type]) -> tuple[tuple[DType, ...], DType] | None:
        runtime = self._runtime
        try:
            resolved = plan(name, kinds, runtime.dtypes, runtime.language)
        except TypeError:  # which the operation's own function explains
            return None
        if resolved is not None and name == "pow" and resolved[1].kind in "biu":
            return None  # a negative exponent is an error, which a kernel cannot raise
        return resolved

    def _takes(self, program: Program, arrays: Sequence[Native]) -> bool:
        buffers = len(arrays) + len(program.outputs) + len(program.reductions)
        return len(arrays) > 0 and buffers <= self._runtime.most_buffers and len(program.steps) <= MOST_STEPS

    def compute(
        self, program: Program, arrays: Sequence[Native], scalars: Sequence[float]
    ) -> tuple[Native, ...] | None:
        if not self._takes(program, arrays):
            return None
        return compute(program, arrays, scalars)

    def reduce(
        self,
        program: Program,
        arrays: Sequence[Native],
        scalars: Sequence[float],
        shape: tuple[int, ...],
        axes: Sequence[int],
        *,
        keepdims: bool = False,
    ) -> tuple[Native, ...] | None:
        if not self._takes(program, arrays) or not math.prod(shape) or not axes:
            return None
        return reduce_program(program, arrays, scalars, shape, tuple(axes), keepdims=keepdims)
