"""Host time of a Triton kernel launch on a driver that does nothing; no GPU is needed.

Kernels are really compiled and receive real arrays: CuPy arrays over host memory where CuPy is installed, otherwise
NumPy arrays, whose three addresses take 3 µs longer to read. Ratios are microseconds, because the baseline is a
constant of one microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import xtensor
from xtensor.backend import Backend, Native
from xtensor_backends.numpy import backend as numpy_backend

from . import _triton
from ._cases import Group, Limit, Samplers, Variant
from ._libraries import Library
from ._measure import statement_sampler

SIZE = 4096


class NullBackend(Backend):
    """A device ``launch:0`` with the functions of the Triton backend, whose kernel launches do nothing."""

    # ruff: noqa: D102 - the base class documents these methods
    name = "launch"
    kinds = ("launch",)

    def __init__(self) -> None:
        cupy = None
        if find_spec("cupy") is not None:
            cupy = import_module("cupy")
            _allocate_on_host(cupy)
        self._native_type: type = np.ndarray if cupy is None else cupy.ndarray
        self.context = _triton.null_context(cupy)

    def probe(self) -> str:
        return "0"

    def devices(self) -> Sequence[str]:
        return ("launch:0",)

    @property
    def native_type(self) -> type:
        return self._native_type

    def namespace(self, spec: str) -> Any:
        return numpy_backend.namespace("cpu")

    def kernels(self, spec: str) -> Mapping[str, Callable[..., Any]]:
        return _triton.kernels(self.context)

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        return self._native_type(array.shape, array.dtype)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (2, 0)

    def rank(self, spec: str) -> int:
        return -100


def _allocate_on_host(cupy: Any) -> None:
    """Make CuPy return the same block of host memory for every allocation."""
    memory = cupy.cuda.memory
    owner = np.zeros(1 << 20, np.uint8)
    start = owner.ctypes.data + -owner.ctypes.data % 256
    block = memory.UnownedMemory(start, 1 << 19, owner, 0)
    cupy.cuda.set_allocator(lambda size: memory.MemoryPointer(block, 0))


@cache
def _backend() -> NullBackend:
    backend = NullBackend()
    xtensor.register_backend(backend)
    return backend


def _unavailable_reason() -> str:
    """Return why nothing can be measured in this process, or an empty string."""
    if find_spec("triton") is None:
        return "Triton is not installed"
    import triton

    return "Triton interprets kernels in this process" if triton.knobs.runtime.interpret else ""


@dataclass(frozen=True, slots=True)
class LaunchCase:
    """A statement on the device of :class:`NullBackend`; ``variables`` builds its variables."""

    name: str
    variables: Callable[[], dict[str, Any]]
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return xtensor's sampler, and ``microsecond``, whose calls take one microsecond."""
        reason = _unavailable_reason()
        if reason:
            return {}, {"xtensor": reason}
        sampler = statement_sampler(self.name, self.variables())
        return {"microsecond": lambda calls: calls * 1e-6, "xtensor": sampler}, {}


def arrays() -> dict[str, Any]:
    """Return the namespace and two arrays on the device."""
    _backend()
    x, y = (xtensor.asarray(np.ones(SIZE, np.float32), device="launch:0") for _ in range(2))
    return {"xp": xtensor, "x": x, "y": y}


def kernel() -> dict[str, Any]:
    """Return the kernel of an addition, with its last arguments and as its launch for aligned operands; an address."""
    add = _triton.add_kernel(_backend().context)
    return {
        "launch": add.assuming(True, True),
        "bound": add.bound((SIZE, None, None, None, None)),
        "a": 1 << 20,
        "size": SIZE,
    }


ALIGNED = "launch(4, a, a, a, size, None, None, None, None)"
GENERAL = "bound(4, a, a, a)"
ADD = "xp.add(x, y)"

GROUP = Group(
    title="host time of a Triton kernel launch, in microseconds",
    cases=(
        LaunchCase(ALIGNED, kernel),
        LaunchCase(GENERAL, kernel, note="Includes the test of each address for divisibility by 16."),
        LaunchCase(ADD, arrays),
        LaunchCase("x + y", arrays),
        LaunchCase("xp.exp(x)", arrays),
        LaunchCase("x * 2.0", arrays),
        LaunchCase("x[::2] + y[::2]", arrays),
        LaunchCase("xp.sum(x)", arrays),
    ),
    peers=(),
    limits=(Limit(ALIGNED, None, 1.5), Limit(ADD, None, 6.0)),
    rounds=200,
    baseline="microsecond",
)
