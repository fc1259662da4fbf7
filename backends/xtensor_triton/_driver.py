"""Triton's driver on CuPy's devices and streams, without PyTorch.

Triton has one active driver in a process. It loads kernels through that driver, and PyTorch and the user's own kernels
launch through it, on PyTorch's streams. Ours is therefore active only in a thread that compiles or loads a kernel of
this backend, and only while it does (:func:`active`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

from triton.runtime import driver as triton_driver

__all__ = ["active", "bind_device", "current_stream", "gpu_driver"]


def current_stream(cupy: Any) -> Callable[[], int]:
    """Return the function that returns the handle of CuPy's current stream."""
    try:
        from cupy_backends.cuda.stream import get_current_stream_ptr
    except ImportError:
        return lambda: int(cupy.cuda.get_current_stream().ptr)
    return get_current_stream_ptr  # type: ignore[no-any-return]


@cache
def gpu_driver(cupy: Any) -> Any:
    """Return Triton's driver, with CuPy in place of PyTorch. Triton compiles a part of it with the C compiler."""
    if cupy.cuda.runtime.is_hip:
        from triton.backends.amd.driver import HIPDriver as Driver
        from triton.backends.amd.driver import HIPLauncher as Launch
        from triton.backends.amd.driver import HIPUtils as Utils
    else:
        from triton.backends.nvidia.driver import CudaDriver as Driver
        from triton.backends.nvidia.driver import CudaLauncher as Launch
        from triton.backends.nvidia.driver import CudaUtils as Utils
    stream = current_stream(cupy)

    def capability(device: int) -> tuple[int, int]:
        digits = cupy.cuda.Device(device).compute_capability
        return int(digits[:-1]), int(digits[-1])

    class CupyDriver(Driver):  # type: ignore[misc]
        def __init__(self) -> None:
            self.utils = Utils()
            self.launcher_cls = Launch
            self.get_device_capability = capability
            self.get_current_device = cupy.cuda.runtime.getDevice
            self.set_current_device = cupy.cuda.runtime.setDevice
            self.get_current_stream = lambda device: stream()

    return CupyDriver()


def bind_device(cupy: Any, device: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with a CuPy device as the current one, if there are several."""
    current, index = cupy.cuda.runtime.getDevice, device.id

    @wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Any:
        if current() == index:
            return function(*args, **kwargs)
        with device:
            return function(*args, **kwargs)

    return bound


class _ThreadDriver:
    """Stands as Triton's active driver: a driver of ours in the threads inside :func:`active`, else the one before.

    If no driver was active before, the one before is the one that Triton chooses at its first use by others. Triton
    finds none without a GPU that PyTorch can use, so a launch of ours must not make it choose. Launches of Triton 3.8
    and newer read the active driver without using it, so this object stays until others use it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entered = 0
        self._before: Any = None
        self._own = threading.local()

    def __getattr__(self, name: str) -> Any:
        driver = getattr(self._own, "driver", None)
        if driver is None:
            with self._lock:
                if self._before is None:
                    self._before = triton_driver.default
                driver = self._before
                self._restore()
        return getattr(driver, name)

    def _restore(self) -> None:
        """Make the driver before the active one again if no thread is inside; the lock is held."""
        if not self._entered and self._before is not None and triton_driver._active is self:
            triton_driver.set_active(self._before)

    @contextmanager
    def using(self, driver: Any) -> Iterator[None]:
        with self._lock:
            self._entered += 1
            current = triton_driver._active  # the property would make Triton choose one
            if current is not self:
                self._before = current
                triton_driver.set_active(self)
        outer = getattr(self._own, "driver", None)
        self._own.driver = driver
        try:
            yield
        finally:
            self._own.driver = outer
            with self._lock:
                self._entered -= 1
                self._restore()


active = _ThreadDriver().using
"""Context manager: a driver is Triton's active one in this thread, for compiling and loading."""
