"""The measured libraries: xtensor on a device, the device's raw library, and the peers that are installed.

The raw library of a device is the one that owns the device's native arrays, for example NumPy for ``cpu``.

Requirements: a missing or broken peer is reported with the reason and does not stop a run. A library is one short
function, so adding one takes about ten lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

import xtensor
from xtensor import Device

from ._compilers import Compiler, function_of, numba_compiler, numexpr_compiler, processors

__all__ = ["Host", "Library", "load_libraries", "on_device", "raw_library"]

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
    compile
        Makes a function of an expression and the names of its operands; None for a library that executes statements
        as they are.
    """

    name: str
    module: str
    namespace: Any
    version: str
    asarray: Callable[[HostArray], Any]
    to_numpy: Callable[[Any], HostArray]
    synchronize: Callable[[], None] | None = None
    is_default_device: bool = True
    compile: Compiler | None = None

    def operand(self, value: Any) -> Any:
        """Convert arrays and dtypes to this library's own; return any other value unchanged."""
        if isinstance(value, Host):
            return value.values
        if isinstance(value, np.ndarray):
            return self.asarray(value)
        if isinstance(value, np.dtype):
            return getattr(self.namespace, value.name)
        return value


def load_libraries(device: Device, peers: tuple[str, ...] | None = None) -> tuple[tuple[Library, ...], dict[str, str]]:
    """Load the libraries to measure on a device.

    Parameters
    ----------
    device
        Device of xtensor's arrays.
    peers
        Names of the peers, of which those that do not compute on the device are left out; None for the usual ones.

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
    usual = _peers(device)
    if peers is None:
        selected = usual
    else:
        possible = (*usual, *_named_peers(device))
        selected = tuple(peer for peer in peers if peer in possible)
    for name in dict.fromkeys((raw, "xtensor", *selected)):
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
    if device.backend in ("cupy", "dask", "dpnp", "jax", "torch"):
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


def _named_peers(device: Device) -> tuple[str, ...]:
    """Return the names of the peers that are measured only in groups that name them."""
    if raw_library(device) != "numpy":
        return ()
    others = tuple(on_device(name) for name in ("cpu", "numpy") if name != device.name)
    return (*others, "torch.compile", "jax.jit", "numexpr", "numba")


def on_device(name: str) -> str:
    """Return the column heading of xtensor on another device than the measured one."""
    return f"xtensor on {name}"


def _on_cpu(device: Device) -> Library:
    cpu = xtensor.device("cpu")
    if cpu.backend == "numpy":
        raise ModuleNotFoundError("no overlay serves the device cpu")
    return replace(_xtensor(cpu), name=on_device("cpu"))


def _on_numpy(device: Device) -> Library:
    return replace(_xtensor(xtensor.device("numpy")), name=on_device("numpy"))


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
        None if device.backend in ("numpy", "llvm") else device.synchronize,
        compile=_fused,
    )


def _fused(expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
    return xtensor.fuse(function_of(expression, names, xtensor))


def _numpy(device: Device) -> Library:
    return Library("numpy", "numpy", np, np.__version__, np.asarray, np.asarray)


def _dask(device: Device) -> Library:
    array = import_module("dask.array")
    return Library("dask", "dask.array", array, import_module("dask").__version__, array.asarray, np.asarray)


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


def _torch_compile(device: Device) -> Library:
    torch = import_module("torch")

    def compile(expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
        compiled: Callable[..., Any] = torch.compile(function_of(expression, names, torch), dynamic=False)
        return compiled

    torch.set_num_threads(processors())  # torch's own number is that of physical cores; it is the same without compile
    torch._dynamo.config.recompile_limit = 64  # beyond it, a function of another shape would not be compiled
    return Library("torch.compile", "torch", torch, torch.__version__, torch.asarray, np.asarray, compile=compile)


def _jax_jit(device: Device) -> Library:
    jax = import_module("jax")

    def compile(expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
        compiled: Callable[..., Any] = jax.jit(function_of(expression, names, jax.numpy))
        return compiled

    return replace(_jax(device), name="jax.jit", compile=compile)


def _numexpr(device: Device) -> Library:
    numexpr = import_module("numexpr")
    return Library(
        "numexpr", "numexpr", np, numexpr.__version__, np.asarray, np.asarray, compile=numexpr_compiler(numexpr)
    )


def _numba(device: Device) -> Library:
    numba = import_module("numba")
    return Library("numba", "numba", np, numba.__version__, np.asarray, np.asarray, compile=numba_compiler(numba))


LIBRARIES: dict[str, Callable[[Device], Library]] = {
    "xtensor": _xtensor,
    "numpy": _numpy,
    "dask": _dask,
    "array_api_strict": _array_api_strict,
    "array_api_compat.numpy": _array_api_compat,
    "torch": _torch,
    "jax": _jax,
    "dpnp": _dpnp,
    "cupy": _cupy,
    on_device("cpu"): _on_cpu,
    on_device("numpy"): _on_numpy,
    "torch.compile": _torch_compile,
    "jax.jit": _jax_jit,
    "numexpr": _numexpr,
    "numba": _numba,
}
