"""Calls on the devices of torch, JAX, MLX, OpenCL and WebGPU beside the library's own; fused chains beside LLVM's.

The column ``library`` is the same call of the device's library. For OpenCL and WebGPU, whose kernels are xtensor's, it
is the launch of the same kernel into memory that exists: pyopencl's call of the kernel, and wgpu's commands. For a
fused function it is the same function on the device ``cpu``, whose kernels LLVM compiles.
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

Operands = dict[str, Any]

OPERANDS = vectors("x", "y")

FUSED = {
    "((x * y + x) * y - x) * 0.5": lambda x, y: ((x * y + x) * y - x) * 0.5,
    "exp(-x * x) * sin(y) + sqrt(x)": lambda x, y: xp.exp(-x * x) * xp.sin(y) + xp.sqrt(x),
}
"""Functions that become one kernel each."""


def _torch(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Operands]:
    torch = import_module("torch")
    operands = {name: torch.asarray(values) for name, values in host.items()}
    return statement_sampler(f"torch.{call}", {"torch": torch, **operands}), operands


def _jax(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Operands]:
    jax = import_module("jax")
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # nothing tells when a discarded result was computed
    operands = {name: jax.numpy.asarray(values) for name, values in host.items()}
    return statement_sampler(f"jnp.{call}", {"jnp": jax.numpy, **operands}), operands


def _mlx(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Operands]:
    mx = import_module("mlx.core")
    operands = {name: mx.array(values) for name, values in host.items()}
    # Here, too, each call starts its computation.
    statement = f"mx.async_eval(mx.{call})"
    return statement_sampler(statement, {"mx": mx, **operands}, synchronize=mx.synchronize), operands


def _launches(call: str, device: str, host: Mapping[str, HostArray]) -> tuple[Sampler, Operands]:
    """Repeat the launches of a call."""
    launches: list[tuple[Any, ...]] = []
    operands = {name: xp.asarray(values, device=device) for name, values in host.items()}
    kind = device.partition(":")[0]
    runtime = import_module(f"xtensor_backends.{kind}").backend.runtime(device)
    enqueue = runtime.enqueue
    runtime.enqueue = lambda *arguments: launches.append(arguments)
    try:
        result = eval(f"xp.{call}", {"xp": xp, **operands})
    finally:
        del runtime.enqueue
    variables = {"enqueue": enqueue, "launches": launches, "result": result}
    statement = "for launch in launches: enqueue(*launch)"
    if kind == "opencl":
        variables["launches"] = [
            (compiled.kernel, (runtime.queue, *runtime.sizes(count), *buffers, *scalars, *numbers))
            for compiled, buffers, scalars, numbers, count in launches
        ]
        statement = "for kernel, arguments in launches: kernel(*arguments)"
    return statement_sampler(statement, variables, synchronize=runtime.synchronize), operands


LIBRARIES = {"torch:cpu": _torch, "jax:cpu": _jax, "mlx:cpu": _mlx, "opencl:0": _launches, "webgpu:0": _launches}
"""Functions that return the sampler of a library's call, and its operands, whose memory is then xtensor's, too.

The place of operands in memory decides several per cent of the time.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call on a device, and the same one of its library."""

    device: str
    call: str
    note: str = ""
    max_size: int = LARGE

    @property
    def name(self) -> str:
        """The device and the call."""
        return f"{self.device}: {self.call}"

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of the library and of xtensor."""
        assert variant is not None
        try:
            raw, operands = LIBRARIES[self.device](self.call, self.device, OPERANDS(variant))
            device = xp.device(self.device)
        except (ModuleNotFoundError, ValueError, xp.BackendUnavailableError) as error:
            return {}, {"xtensor": f"{self.device}: {error}"}
        variables = {"xp": xp} | {name: xp.asarray(values, device=device) for name, values in operands.items()}
        return {
            "library": raw,
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


CALLS = tuple(Call(device, call) for device in LIBRARIES for call in ("add(x, y)", "exp(x)", "sum(x)"))

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
        *[Limit(case.name, LARGE, 1.05) for case in CALLS],
        *[Limit(case.name, LARGE, 1.5) for case in CHAINS],
    ),
    rounds=150,
    # The devices' queues take further calls while they compute: a wait belongs to many calls, not to each.
    min_sample_seconds=4e-3,
    max_seconds=6.0,
    pause=0.008,
    pause_from=LARGE,
    baseline="library",
)
