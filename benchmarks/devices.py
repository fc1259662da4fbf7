"""Calls on the devices of torch, JAX, MLX, OpenCL and WebGPU beside the library's own; fused chains beside LLVM's.

The column ``library`` is the same call of the device's library. For OpenCL and WebGPU, whose kernels are xtensor's, it
is the launch of the same kernel into memory that exists: pyopencl's call of the kernel, and wgpu's commands. For a
fused function it is the same function on the device ``cpu``, whose kernels LLVM compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import xtensor as xp

from ._cases import Group, Limit, Samplers, Variant, vectors
from ._libraries import Library
from ._measure import Sampler, statement_sampler

SMALL, LARGE = 1, 10**6

HostArray = np.ndarray[Any, Any]

OPERANDS = vectors("x", "y")

FUSED = {
    "((x * y + x) * y - x) * 0.5": lambda x, y: ((x * y + x) * y - x) * 0.5,
    "exp(-x * x) * sin(y) + sqrt(x)": lambda x, y: xp.exp(-x * x) * xp.sin(y) + xp.sqrt(x),
}
"""Functions that become one kernel each."""


def _torch(call: str, x: HostArray, y: HostArray) -> Sampler:
    torch = import_module("torch")
    return statement_sampler(f"torch.{call}", {"torch": torch, "x": torch.asarray(x), "y": torch.asarray(y)})


def _jax(call: str, x: HostArray, y: HostArray) -> Sampler:
    jax = import_module("jax")
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # nothing tells when a discarded result was computed
    jnp = jax.numpy
    return statement_sampler(f"jnp.{call}", {"jnp": jnp, "x": jnp.asarray(x), "y": jnp.asarray(y)})


def _mlx(call: str, x: HostArray, y: HostArray) -> Sampler:
    mx = import_module("mlx.core")
    # Here, too, each call starts its computation.
    statement = f"mx.async_eval(mx.{call})"
    return statement_sampler(statement, {"mx": mx, "x": mx.array(x), "y": mx.array(y)}, synchronize=mx.synchronize)


def _launches(name: str, call: str, x: HostArray, y: HostArray) -> Sampler:
    """Repeat the launches of a call."""
    launches: list[tuple[Any, ...]] = []
    operands = {"xp": xp, "x": xp.asarray(x, device=name), "y": xp.asarray(y, device=name)}
    kind = name.partition(":")[0]
    runtime = import_module(f"xtensor_backends.{kind}").backend.runtime(name)
    enqueue = runtime.enqueue
    runtime.enqueue = lambda *arguments: launches.append(arguments)
    try:
        result = eval(f"xp.{call}", operands)
    finally:
        del runtime.enqueue
    variables = {"enqueue": enqueue, "launches": launches, "result": result, **operands}
    statement = "for launch in launches: enqueue(*launch)"
    if kind == "opencl":
        variables["launches"] = [
            (compiled.kernel, (runtime.queue, *runtime.sizes(count), *buffers, *scalars, *numbers))
            for compiled, buffers, scalars, numbers, count in launches
        ]
        statement = "for kernel, arguments in launches: kernel(*arguments)"
    return statement_sampler(statement, variables, synchronize=runtime.synchronize)


LIBRARIES: dict[str, Callable[[str, HostArray, HostArray], Sampler]] = {
    "torch:cpu": _torch,
    "jax:cpu": _jax,
    "mlx:cpu": _mlx,
    "opencl:0": partial(_launches, "opencl:0"),
    "webgpu:0": partial(_launches, "webgpu:0"),
}


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
        x, y = OPERANDS(variant).values()
        try:
            raw = LIBRARIES[self.device](self.call, x, y)
            device = xp.device(self.device)
        except (ModuleNotFoundError, ValueError, xp.BackendUnavailableError) as error:
            return {}, {"xtensor": f"{self.device}: {error}"}
        operands = {"xp": xp, "x": xp.asarray(x, device=device), "y": xp.asarray(y, device=device)}
        return {
            "library": raw,
            "xtensor": statement_sampler(f"xp.{self.call}", operands, synchronize=device.synchronize),
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
    rounds=60,
    # The devices' queues take further calls while they compute: a wait belongs to many calls, not to each.
    min_sample_seconds=2e-3,
    max_seconds=2.5,
    pause=0.008,
    pause_from=LARGE,
    baseline="library",
)
