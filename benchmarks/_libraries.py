"""The measured libraries: xtensor on a device, the device's raw library, and the peers that are installed.

The raw library of a device is the one that owns the device's native arrays, for example NumPy for ``cpu``.

Requirements: a missing or broken peer is reported with the reason and does not stop a run. A library is one short
function, so adding one takes about ten lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import xtensor
from xtensor import Device

__all__ = ["Host", "Library", "load_libraries", "raw_library"]

HostArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Host:
    """An operand that stays a NumPy array on the host in every library."""

    values: HostArray


@dataclass(frozen=True, slots=True)
class Library:
    """A library as the cases use it.

    Attributes
    ----------
    name
        Column heading in the tables.
    module
        Module that a program imports.
    namespace
        Array namespace, the variable ``xp`` of the statements.
    version
        Version string.
    asarray
        Converts a NumPy array to the library's array on the measured device. It shares memory where possible, so
        that memory placement does not affect a ratio.
    to_numpy
        Copies an array back to the host.
    synchronize
        Waits for the device; None if calls return after the work is done.
    is_default_device
        Whether functions such as ``zeros`` create arrays on the measured device if no device is given.
    """

    name: str
    module: str
    namespace: Any
    version: str
    asarray: Callable[[HostArray], Any]
    to_numpy: Callable[[Any], HostArray]
    synchronize: Callable[[], None] | None = None
    is_default_device: bool = True

    def operand(self, value: Any) -> Any:
        """Convert arrays and dtypes to this library's own; return any other value unchanged."""
        if isinstance(value, Host):
            return value.values
        if isinstance(value, np.ndarray):
            return self.asarray(value)
        if isinstance(value, np.dtype):
            return getattr(self.namespace, value.name)
        return value


def load_libraries(device: Device) -> tuple[tuple[Library, ...], dict[str, str]]:
    """Load the libraries to measure on a device.

    Returns
    -------
    tuple
        The libraries, the raw library first and xtensor second, and the reason for each one that is unavailable.

    Raises
    ------
    RuntimeError
        If the raw library or xtensor cannot be loaded.
    """
    libraries: list[Library] = []
    unavailable: dict[str, str] = {}
    raw = raw_library(device)
    for name in dict.fromkeys((raw, "xtensor", *_peers(device))):
        try:
            libraries.append(LIBRARIES[name](device))
        except ModuleNotFoundError as error:
            unavailable[name] = f"not installed ({error})"
        except Exception as error:  # a broken peer may raise anything
            unavailable[name] = f"{type(error).__name__}: {error}"
    if [library.name for library in libraries[:2]] != [raw, "xtensor"]:
        raise RuntimeError(f"device {device} cannot be measured: {unavailable}")
    return tuple(libraries), unavailable


def raw_library(device: Device) -> str:
    """Return the name of the library that owns a device's native arrays, the default baseline of the ratios."""
    if device.backend in ("cupy", "dpnp"):
        return device.backend
    if device.backend == "strict":
        return "array_api_strict"
    return "numpy" if device.host else "cupy"


def _peers(device: Device) -> tuple[str, ...]:
    """Return the names of the alternatives on the same hardware."""
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
        # torch's own function names differ from the standard's.
        namespace = import_module("array_api_compat.torch")
    except ModuleNotFoundError:
        namespace = torch
    if device.host:
        return Library("torch", "torch", namespace, torch.__version__, torch.asarray, np.asarray)
    torch_device = f"cuda:{device.dlpack_device[1]}"
    return Library(
        "torch",
        "torch",
        namespace,
        torch.__version__,
        lambda host: torch.asarray(host, device=torch_device),
        lambda x: np.asarray(x.cpu()),
        torch.cuda.synchronize,
        is_default_device=False,
    )


def _jax(device: Device) -> Library:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    # Calls on the host then return after the work is done, like NumPy's, and need no synchronization.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jax_device = jax.devices("cpu" if device.host else "gpu")[0]
    one = jax.device_put(np.ones(()), jax_device)

    def synchronize() -> None:
        # A GPU executes in order, so the last submitted computation finishes last.
        jax.block_until_ready(one + one)

    return Library(
        "jax",
        "jax.numpy",
        jax.numpy,
        jax.__version__,
        lambda host: jax.device_put(host, jax_device),
        np.asarray,
        synchronize,
        is_default_device=jax.devices()[0] == jax_device,
    )


def _dpnp(device: Device) -> Library:
    dpnp = import_module("dpnp")
    selector = device.name.removeprefix("dpnp:").removeprefix("sycl:") if device.backend == "dpnp" else "cpu"
    queue = dpnp.empty(0, device=selector).sycl_queue
    return Library(
        "dpnp",
        "dpnp",
        dpnp,
        dpnp.__version__,
        lambda host: dpnp.asarray(host, sycl_queue=queue),
        dpnp.asnumpy,
        queue.wait,
        is_default_device=dpnp.empty(0).sycl_queue == queue,
    )


def _cupy(device: Device) -> Library:
    cupy = import_module("cupy")
    cupy_device = cupy.cuda.Device(device.dlpack_device[1])
    cupy_device.use()
    return Library("cupy", "cupy", cupy, cupy.__version__, cupy.asarray, cupy.asnumpy, cupy_device.synchronize)


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
