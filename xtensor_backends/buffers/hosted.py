"""Functions that the host computes with NumPy, because no kernel does.

Each call copies its operands to the host and its results back, and :func:`xtensor.profile` lists it as computed by
the host. ``docs/opencl.md`` and ``docs/webgpu.md`` name them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import note_host_work

from .arrays import BufferArray
from .formulas import in_supported
from .runtime import Runtime

__all__ = ["FFT", "LINALG", "on_host"]

LINALG = ("cholesky", "eig", "eigh", "eigvals", "eigvalsh", "inv", "qr", "slogdet", "solve", "svd", "svdvals")
FFT = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def on_host(runtime: Runtime, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function on native arrays that the host computes.

    Parameters
    ----------
    runtime
        The device.
    name
        The operation's name in the table, which the profile lists.
    function
        NumPy's function.
    """

    def upload(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([upload(item) for item in value])
        array = np.asarray(value)
        return runtime.upload(array.astype(in_supported(array.dtype, runtime.dtypes), copy=False))

    def computed(*operands: Any, **options: Any) -> Any:
        start = time.perf_counter()
        values = [x.host() if isinstance(x, BufferArray) else x for x in operands]
        with np.errstate(all="ignore"):
            result = upload(function(*values, **options))
        size = sum([x.size * x.dtype.itemsize for x in operands if isinstance(x, BufferArray)])
        note_host_work(name, runtime.spec, time.perf_counter() - start, size)
        return result

    return computed
