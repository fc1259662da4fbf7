"""The libraries that are measured: xtensor on a device, the device's raw library, and the peers installed here.

Requirements: a peer that is missing or broken is left out, with the reason, and never hurts a run; a library is a few
functions, so that a further one is a function of ten lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import xtensor
from xtensor import Device

__all__ = ["Host", "Library", "find", "raw_library"]

HostArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Host:
    """An operand that stays on the host as the NumPy array it is, whatever the library."""

    values: HostArray


@dataclass(frozen=True, slots=True)
class Library:
    """A library as the cases use it.

    Attributes
    ----------
    name
        The heading of its column.
    module
        What a program imports.
    namespace
        The functions, called ``xp`` in statements.
    asarray
        An array of it, on the device measured, of a NumPy array: on the same memory where it can be, so that where
        memory happens to lie does not come into a ratio.
    to_numpy
        The values back on the host.
    synchronize
        Waits for the device; None where a call returns with the work done.
    creates
        Whether functions such as ``zeros`` make arrays on the device measured without being told.
    """

    name: str
    module: str
    namespace: Any
    version: str
    asarray: Callable[[HostArray], Any]
    to_numpy: Callable[[Any], HostArray]
    synchronize: Callable[[], None] | None = None
    creates: bool = True

    def operand(self, value: Any) -> Any:
        """A value as this library takes it: its own array, its own dtype, or the value itself."""
        if isinstance(value, Host):
            return value.values
        if isinstance(value, np.ndarray):
            return self.asarray(value)
        if isinstance(value, np.dtype):
            return getattr(self.namespace, value.name)
        return value


def find(device: Device) -> tuple[tuple[Library, ...], dict[str, str]]:
    """The libraries to measure on a device, its raw library first and xtensor second; and why others are left out."""
    found, left_out = [], {}
    raw = raw_library(device)
    for name in dict.fromkeys((raw, "xtensor", *_peers(device))):
        try:
            found.append(LIBRARIES[name](device))
        except ModuleNotFoundError as error:
            left_out[name] = f"not installed ({error})"
        except Exception as error:  # a broken peer may raise anything
            left_out[name] = f"{type(error).__name__}: {error}"
    if [library.name for library in found[:2]] != [raw, "xtensor"]:
        raise RuntimeError(f"device {device} cannot be measured: {left_out}")
    return tuple(found), left_out


def raw_library(device: Device) -> str:
    """The library that a device's native arrays belong to, the baseline of all ratios."""
    if device.backend in ("cupy", "dpnp"):
        return device.backend
    if device.backend == "strict":
        return "array_api_strict"
    return "numpy" if device.host else "cupy"


def _peers(device: Device) -> tuple[str, ...]:
    """What a user would pick instead, on the same hardware."""
    if device.backend == "dpnp":
        return ("numpy",)
    if device.host:
        return ("numpy", "array_api_strict", "array_api_compat.numpy", "torch", "jax", "dpnp")
    return ("cupy", "torch", "jax")


def _xtensor(device: Device) -> Library:
    def from_device(x: xtensor.Array) -> HostArray:
        return np.asarray(x.to_device("cpu"))

    return Library(
        "xtensor",
        "xtensor",
        xtensor,
        xtensor.__version__,
        lambda host: xtensor.asarray(host, device=device),
        np.asarray if device.host else from_device,
        None if device.backend == "numpy" else device.synchronize,
    )


def _numpy(device: Device) -> Library:
    return Library("numpy", "numpy", np, np.__version__, np.asarray, np.asarray)


def _array_api_strict(device: Device) -> Library:
    strict = import_module("array_api_strict")
    return Library("array_api_strict", "array_api_strict", strict, strict.__version__, strict.asarray, np.asarray)


def _array_api_compat(device: Device) -> Library:
    version = import_module("array_api_compat").__version__
    name = "array_api_compat.numpy"
    return Library(name, name, import_module(name), version, np.asarray, np.asarray)


def _torch(device: Device) -> Library:
    torch = import_module("torch")
    try:
        # torch's own names are not the standard's.
        namespace = import_module("array_api_compat.torch")
    except ModuleNotFoundError:
        namespace = torch
    if device.host:
        return Library("torch", "torch", namespace, torch.__version__, torch.asarray, np.asarray)
    place = f"cuda:{device.dlpack_device[1]}"
    return Library(
        "torch",
        "torch",
        namespace,
        torch.__version__,
        lambda host: torch.asarray(host, device=place),
        lambda x: np.asarray(x.cpu()),
        torch.cuda.synchronize,
        creates=False,
    )


def _jax(device: Device) -> Library:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    # On the host a call then returns with the work done, as NumPy's do, and needs no wait of its own.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    place = jax.devices("cpu" if device.host else "gpu")[0]
    one = jax.device_put(np.ones(()), place)

    def synchronize() -> None:
        # A GPU works in order: what is asked for last is done when all is.
        jax.block_until_ready(one + one)

    return Library(
        "jax",
        "jax.numpy",
        jax.numpy,
        jax.__version__,
        lambda host: jax.device_put(host, place),
        np.asarray,
        synchronize,
        creates=jax.devices()[0] == place,
    )


def _dpnp(device: Device) -> Library:
    dpnp = import_module("dpnp")
    place = device.name.removeprefix("dpnp:").removeprefix("sycl:") if device.backend == "dpnp" else "cpu"
    queue = dpnp.empty(0, device=place).sycl_queue
    return Library(
        "dpnp",
        "dpnp",
        dpnp,
        dpnp.__version__,
        lambda host: dpnp.asarray(host, sycl_queue=queue),
        dpnp.asnumpy,
        queue.wait,
        creates=dpnp.empty(0).sycl_queue == queue,
    )


def _cupy(device: Device) -> Library:
    cupy = import_module("cupy")
    place = cupy.cuda.Device(device.dlpack_device[1])
    place.use()
    return Library("cupy", "cupy", cupy, cupy.__version__, cupy.asarray, cupy.asnumpy, place.synchronize)


LIBRARIES: dict[str, Callable[[Device], Library]] = {
    "xtensor": _xtensor,
    "numpy": _numpy,
    "array_api_strict": _array_api_strict,
    "array_api_compat.numpy": _array_api_compat,
    "torch": _torch,
    "jax": _jax,
    "dpnp": _dpnp,
    "cupy": _cupy,
}
