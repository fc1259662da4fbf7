"""The kernel functions and the generator of kernels of one device, over its memory and its launcher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _attention, _elementwise, _nn, _quantized, _random, _reductions, _scans
from ._context import Context
from ._generator import TritonGenerator
from ._storage import DeviceMemory, HostMemory

__all__ = ["functions_over", "kernel_functions", "kernel_generator"]


def kernel_functions(spec: str) -> dict[str, Callable[..., Any]]:
    """Return the kernel functions of a device by name: ``"add"``, ``"inplace.add"``, ``"nn.softmax"``, ….

    A function takes native arrays, as the storage's function of that name does, and returns NotImplemented for operands
    that no kernel supports.
    """
    context, bind = _open(spec)
    return {name: bind(function) for name, function in functions_over(context).items()}


def kernel_generator(spec: str) -> TritonGenerator:
    """Return the generator of kernels of a device."""
    context, bind = _open(spec)
    return TritonGenerator(context, bind(context.call))


def _open(spec: str) -> tuple[Context, Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """Return the context of a device, and what makes a function run with the device as the current one."""
    if spec == "triton:interpret":
        from ._interpreter import Interpreter

        return Context(HostMemory(), Interpreter()), lambda function: function
    import cupy

    from xtensor_backends.cupy import bind_device

    from ._driver import Driver
    from ._launch import Launcher

    device = cupy.cuda.Device(int(spec.partition(":")[2]))
    with device:
        launcher = Launcher(Driver(cupy))
    context = Context(DeviceMemory(cupy), launcher)
    if cupy.cuda.runtime.getDeviceCount() == 1:
        return context, lambda function: function
    return context, lambda function: bind_device(cupy, device, function)


def functions_over(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the kernel functions of a context by name."""
    functions = {
        **_elementwise.functions(context),
        **_reductions.functions(context),
        **_scans.functions(context),
        **_attention.functions(context),
        **_quantized.functions(context),
        **_random.functions(context),
    }
    return {**functions, **_nn.functions(context, functions)}
