"""Calls on the devices of torch, JAX, MLX, OpenCL and WebGPU beside the library's own; fused chains beside LLVM's.

The column ``library`` is the same call of the device's library: for OpenCL that of ``pyopencl.array``, with pyopencl's
pool of memory. In the rows named launches it is the launch of xtensor's own kernels into memory that exists:
pyopencl's call of the kernel, and wgpu's commands. For a fused function it is the same function on the device ``cpu``,
whose kernels LLVM compiles.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import xtensor as xp

from ._cases import Group, Limit, Samplers, Variant, vectors
from ._libraries import Library
from ._measure import Sampler, statement_sampler

SMALL, LARGE = 1, 10**6

# The system may let both threads of PoCL take turns on one processor, above all in a process of low priority.
os.environ.setdefault("POCL_AFFINITY", "1")

HostArray = np.ndarray[Any, Any]

OPERANDS = vectors("x", "y")

FUSED = {
    "((x * y + x) * y - x) * 0.5": lambda x, y: ((x * y + x) * y - x) * 0.5,
    "exp(-x * x) * sin(y) + sqrt(x)": lambda x, y: xp.exp(-x * x) * xp.sin(y) + xp.sqrt(x),
}
"""Functions that become one kernel each."""


def _torch(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Mapping[str, Any]]:
    torch = import_module("torch")
    operands = {name: torch.asarray(values) for name, values in host.items()}
    variables = {"torch": torch, **operands}
    return statement_sampler(f"torch.{call}", variables, synchronize=xp.device(device).synchronize), operands


def _jax(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Mapping[str, Any]]:
    jax = import_module("jax")
    # Nothing tells when a discarded result was computed. JAX reads this once, when it opens its devices.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    operands = {name: jax.numpy.asarray(values) for name, values in host.items()}
    variables = {"jnp": jax.numpy, **operands}
    return statement_sampler(f"jnp.{call}", variables, synchronize=xp.device(device).synchronize), operands


def _mlx(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Mapping[str, Any]]:
    mx = import_module("mlx.core")
    operands = {name: mx.array(values) for name, values in host.items()}
    # Here, too, each call starts its computation.
    statement = f"mx.async_eval(mx.{call})"
    return statement_sampler(statement, {"mx": mx, **operands}, synchronize=mx.synchronize), operands


def _pyopencl(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Mapping[str, Any]]:
    array, math, tools = [import_module(f"pyopencl.{name}") for name in ("array", "clmath", "tools")]
    xp.device(device)  # opens it
    queue = import_module("xtensor_backends.opencl").backend.runtime(device).queue
    pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    operands = {name: array.to_device(queue, values, allocator=pool) for name, values in host.items()}
    statement = {"add(x, y)": "x + y", "exp(x)": "math.exp(x)", "sum(x)": "array.sum(x)"}[call]
    variables = {"array": array, "math": math, **operands}
    eval(statement, variables)  # ImportError without mako, of which pyopencl's reductions are made
    return statement_sampler(statement, variables, synchronize=queue.finish), host


def _launches(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Mapping[str, Any]]:
    """Repeat the launches of a call."""
    launches: list[tuple[Any, ...]] = []
    operands = {name: xp.asarray(values, device=device) for name, values in host.items()}
    kind = device.partition(":")[0]
    runtime = import_module(f"xtensor_backends.{kind}").backend.runtime(device)
    enqueue = runtime.enqueue
    runtime.enqueue = lambda *arguments: launches.append(arguments)
    try:
        # The result's memory returns to the pool at once, so that both sides write to the same: its place decides much.
        eval(f"xp.{call}", {"xp": xp, **operands})
    finally:
        del runtime.enqueue
    variables = {"enqueue": enqueue, "launches": launches}
    statement = "for launch in launches: enqueue(*launch)"
    if kind == "opencl":
        variables["launches"] = [
            (compiled.kernel, (runtime.queue, *runtime.sizes(count), *buffers, *scalars, *numbers))
            for compiled, buffers, scalars, numbers, count in launches
        ]
        statement = "for kernel, arguments in launches: kernel(*arguments)"
    return statement_sampler(statement, variables, synchronize=runtime.synchronize), operands


LIBRARIES = {"torch:cpu": _torch, "jax:cpu": _jax, "mlx:cpu": _mlx, "opencl:0": _pyopencl}
"""Functions that return the sampler of a library's call, and operands.

The memory of torch's, JAX's and MLX's operands is then xtensor's, too: its place decides several per cent of the time.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call on a device, and the same one of its library, or its launches alone."""

    device: str
    call: str
    launches: bool = False
    note: str = ""
    max_size: int = LARGE

    @property
    def name(self) -> str:
        """The device and the call."""
        return f"{self.device}{', launches' if self.launches else ''}: {self.call}"

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of the library and of xtensor."""
        assert variant is not None
        try:
            raw = _launches if self.launches else LIBRARIES[self.device]
            sampler, operands = raw(self.call, self.device, OPERANDS(variant))
            device = xp.device(self.device)
        except (ImportError, ValueError, xp.BackendUnavailableError) as error:
            return {}, {"xtensor": f"{self.device}: {error}"}
        variables = {"xp": xp} | {name: xp.asarray(values, device=device) for name, values in operands.items()}
        return {
            "library": sampler,
            "xtensor": statement_sampler(f"xp.{self.call}", variables, synchronize=device.synchronize),
        }, {}


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused function on a device, and the same one on the device ``cpu``."""

    device: str
    function: str
    note: str = ""
    max_size: int = LARGE
    sizes: tuple[int, ...] = (LARGE,)

    @property
    def name(self) -> str:
        """The device and the function."""
        return f"{self.device}: fused {self.function}"

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of both devices."""
        assert variant is not None
        host = OPERANDS(variant)
        samplers = {}
        for name, spec in (("library", "cpu"), ("xtensor", self.device)):
            try:
                device = xp.device(spec)
            except (ValueError, xp.BackendUnavailableError) as error:
                return {}, {"xtensor": f"{self.device}: {error}"}
            variables: dict[str, Any] = {key: xp.asarray(values, device=device) for key, values in host.items()}
            variables["function"] = xp.fuse(FUSED[self.function])
            samplers[name] = statement_sampler("function(x, y)", variables, synchronize=device.synchronize)
        return samplers, {}


NAMES = ("add(x, y)", "exp(x)", "sum(x)")

CALLS = (
    *[Call(device, name) for device in LIBRARIES for name in NAMES],
    *[Call(device, name, launches=True) for device in ("opencl:0", "webgpu:0") for name in NAMES],
)

CHAINS = tuple(Fused("opencl:0", function) for function in FUSED)

GROUP = Group(
    title="devices of other libraries beside these libraries",
    cases=(*CALLS, *CHAINS),
    sizes=(SMALL, LARGE),
    dtypes=("float32",),
    peers=(),
    limits=(
        Limit("torch:cpu: add(x, y)", SMALL, 1.5),
        Limit("jax:cpu: add(x, y)", SMALL, 1.2),
        # A bare launch allocates no result: its rows show what a call adds, and have no limit.
        *[Limit(case.name, LARGE, 1.05) for case in CALLS if not case.launches],
        *[Limit(case.name, LARGE, 1.5) for case in CHAINS],
    ),
    rounds=100,
    # The devices' queues take further calls while they compute: a wait belongs to many calls, not to each.
    min_sample_seconds=4e-3,
    max_seconds=2.0,
    pause=0.008,
    pause_from=LARGE,
    baseline="library",
)
