"""What it costs the host to launch a Triton kernel, against a driver that does nothing; no GPU is needed.

The kernels are compiled in earnest, and called with real arrays: CuPy's over a piece of the host's memory where it is
installed; elsewhere NumPy's, whose three addresses take 3 µs longer to ask for. What would hand the kernel to the GPU
returns at once. The column of the raw library is one microsecond, so that ratios are microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

import xtensor
from xtensor.backend import Backend, Native

from ._cases import Group, Limit, Variant
from ._libraries import Library
from ._measure import Sampler, statement_sampler

SIZE = 4096


class NullDriver:
    """Triton's driver without a GPU: kernels are loaded into nowhere, and a launch is a call that returns."""

    # ruff: noqa: D102 - Triton's contract, and xtensor's, say what each method does
    def __init__(self) -> None:
        self.utils = self

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[str, str, int, int, int]:
        return name, name, 32, 0, 1024

    def unload_module(self, module: str) -> None:
        pass

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": 232448}

    def get_current_device(self) -> int:
        return 0

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def launcher_cls(self, source: Any, metadata: Any) -> Callable[..., None]:
        def run(*args: Any) -> None:
            return None

        return run


class NullBackend(Backend):
    """A device with the Triton backend's functions, whose launches go nowhere."""

    name = "launch"
    kinds = ("launch",)

    def __init__(self) -> None:
        from triton.backends.compiler import GPUTarget
        from triton.runtime import driver

        from xtensor_triton._fallthrough import Context
        from xtensor_triton._launch import Launcher
        from xtensor_triton._storage import DeviceMemory, HostMemory

        driver.set_active(NullDriver())
        memory: Any = HostMemory()
        self._type: type = np.ndarray
        if find_spec("cupy") is not None:
            import cupy

            _allocate_from_host(cupy)
            memory, self._type = DeviceMemory(cupy), cupy.ndarray
        self._memory = memory
        self.context = Context(memory, Launcher(GPUTarget("cuda", 90, 32), int))

    def probe(self) -> str:
        return "0"

    def devices(self) -> Sequence[str]:
        return ("launch:0",)

    @property
    def native_type(self) -> type:
        return self._type

    def namespace(self, spec: str) -> Any:
        from xtensor_numpy import _namespace

        return _namespace

    def overlay(self, spec: str, functions: Any) -> dict[str, Callable[..., Any]]:
        from xtensor_triton._device import functions_over

        return functions_over(self.context, functions)

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        return self._memory.empty(array.shape, array.dtype)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (2, 0)

    def rank(self, spec: str) -> int:
        return -100


def _allocate_from_host(cupy: Any) -> None:
    """Let CuPy allocate one piece of the host's memory, over and over."""
    memory = cupy.cuda.memory
    owner = np.zeros(1 << 20, np.uint8)
    start = owner.ctypes.data + -owner.ctypes.data % 256
    piece = memory.UnownedMemory(start, 1 << 19, owner, 0)
    cupy.cuda.set_allocator(lambda size: memory.MemoryPointer(piece, 0))


@cache
def _backend() -> NullBackend:
    backend = NullBackend()
    xtensor.register_backend(backend)
    return backend


def _why_not() -> str:
    """Why nothing can be measured in this process; empty where it can."""
    if find_spec("triton") is None:
        return "Triton is not installed"
    import triton

    return "Triton interprets kernels in this process" if triton.knobs.runtime.interpret else ""


@dataclass(frozen=True, slots=True)
class Launch:
    """A statement on the device of :class:`NullBackend`; ``names`` gives its variables."""

    name: str
    names: Callable[[], dict[str, Any]]
    note: str = ""
    largest: int = 2**62

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """Xtensor's sampler, and a microsecond in the place of the raw library."""
        reason = _why_not()
        if reason:
            return {}, {"xtensor": reason}
        names = self.names()
        microsecond: Sampler = lambda number: number * 1e-6  # noqa: E731
        return {libraries[0].name: microsecond, "xtensor": statement_sampler(self.name, names)}, {}


def arrays() -> dict[str, Any]:
    """Two arrays on the device."""
    _backend()
    x, y = (xtensor.asarray(np.ones(SIZE, np.float32), device="launch:0") for _ in range(2))
    return {"xp": xtensor, "x": x, "y": y}


def launcher() -> dict[str, Any]:
    """The kernel of an addition as the functions have it, and addresses."""
    from xtensor_triton import _plans
    from xtensor_triton._table import BINARY

    backend = _backend()
    key = (np.dtype(np.float32),) * 2
    plan = _plans.row_plan("add", BINARY["add"])(key)
    kernel = plan.kernel(backend.context.launcher, ("array", "array"), 0, False, False, plan.block)
    return {"launch": kernel.assuming(True, True), "kernel": kernel, "a": 1 << 20, "size": SIZE}


FLAT = "launch(4, a, a, a, size, None, None, None, None)"
GENERAL = "kernel(4, a, a, a, size, None, None, None, None)"
ADD = "xp.add(x, y)"

GROUP = Group(
    title="the host's microseconds for a launch",
    cases=(
        Launch(FLAT, launcher, note="Ratios are microseconds: the raw column is one microsecond."),
        Launch(GENERAL, launcher, note="With the look-up of what is divisible by 16, as strided operands take it."),
        Launch(ADD, arrays),
        Launch("x + y", arrays),
        Launch("xp.exp(x)", arrays),
        Launch("x * 2.0", arrays),
        Launch("x[::2] + y[::2]", arrays),
        Launch("xp.sum(x)", arrays),
    ),
    peers=(),
    limits=(Limit(FLAT, None, 1.5), Limit(ADD, None, 6.0)),
    rounds=200,
)
