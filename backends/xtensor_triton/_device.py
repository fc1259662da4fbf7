"""The functions of one device, put together: its memory, its launcher, and the kernels over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _elementwise, _matrices, _nn, _reductions, _scans
from ._fallthrough import Context
from ._storage import DeviceMemory, HostMemory

__all__ = ["functions_over", "kernel_functions"]


def kernel_functions(gpu: Any, spec: str, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions of a device by their names; ``storage`` holds those to fall through to."""
    if spec == "triton:interpret":
        from ._interpreter import Interpreter

        return functions_over(Context(HostMemory(), Interpreter()), storage)
    import cupy
    from triton.runtime import driver

    from ._launch import Launcher, bound_to, current_stream, install_driver

    install_driver(cupy)
    device = cupy.cuda.Device(int(spec.partition(":")[2]))
    with device:
        launcher = Launcher(driver.active.get_current_target(), current_stream(cupy))
    found = functions_over(Context(DeviceMemory(cupy), launcher), storage)
    if cupy.cuda.runtime.getDeviceCount() == 1:
        return found
    return {name: bound_to(device, function) for name, function in found.items()}


def functions_over(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions over some memory and launcher."""
    found = {
        **_elementwise.functions(context, storage),
        **_reductions.functions(context, storage),
        **_scans.functions(context, storage),
    }
    return {**found, **_nn.functions(context, found), **_matrices.functions(context, storage, found)}
