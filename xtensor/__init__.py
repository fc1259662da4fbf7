"""One Array API namespace (standard 2025.12) over every device.

``import xtensor as xp``, and the same program runs on NumPy, on CUDA and ROCm GPUs, on SYCL devices and on a strict
reference. Arrays are made by the creation functions on the default device or on ``device=…``; results follow the
device of their inputs.

>>> import xtensor as xp
>>> x = xp.linspace(0.0, 1.0, 5)
>>> xp.sum(x**2)
Array(1.875)
"""

from __future__ import annotations

import typing as _typing
from sys import modules as _modules

from . import _ops
from ._core.array import Array, to_numpy
from ._core.array import bind_namespace as _bind_namespace
from ._core.boundary import publish as _publish
from ._core.device import Device
from ._core.devices import default_device, device, devices, set_default_device, use_device
from ._core.dtypes import EXTENSION_DTYPES as _EXTENSION_DTYPES
from ._core.dtypes import dtype_named as _dtype_named
from ._core.errors import BackendUnavailableError, DeviceMismatchError, OutOfMemoryError
from ._core.forks import prepare as _prepare_forks
from ._core.operations import import_later as _import_later
from ._core.registry import backends, register_backend, set_backend_priority
from ._core.remedies import NAMESPACE as _NAMESPACE
from ._core.remedies import missing as _missing
from ._core.tracing_errors import UnknownValueError
from ._core.transfers import transfers
from ._integration import register_with_others as _register_with_others
from ._ops import e as e
from ._ops import inf as inf
from ._ops import nan as nan
from ._ops import newaxis as newaxis
from ._ops import pi as pi

if _typing.TYPE_CHECKING:
    from . import _numpy, autograd, engines, fft, lib, linalg, nn, optim, random, special
    from ._advice import best_device
    from ._core.dtypes import DType as _DType
    from ._core.profiling import profile
    from ._estimate import estimate
    from ._fuse import fuse
    from ._ops import *
    from ._ops.inspection import __array_namespace_info__
    from ._vmap import vmap
    from .linalg import cross

    bfloat16: _DType

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

__all__ = [
    "Array",
    "BackendUnavailableError",
    "Device",
    "DeviceMismatchError",
    "OutOfMemoryError",
    "UnknownValueError",
    "__array_api_version__",
    "__version__",
    "autograd",
    "backends",
    "best_device",
    "cross",
    "default_device",
    "device",
    "devices",
    "engines",
    "estimate",
    "fft",
    "fuse",
    "lib",
    "linalg",
    "nn",
    "optim",
    "profile",
    "random",
    "register_backend",
    "set_backend_priority",
    "set_default_device",
    "special",
    "to_numpy",
    "transfers",
    "use_device",
    "vmap",
]
__all__.extend(_ops.NAMES)

_CORE_FUNCTIONS = ("backends", "default_device", "device", "devices", "register_backend", "set_backend_priority")
_publish(globals(), (*_CORE_FUNCTIONS, "set_default_device", "to_numpy"))
_bind_namespace(_modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)


_LOADED_LATER = {
    "best_device": "._advice",
    "cross": ".linalg",
    "estimate": "._estimate",
    "fuse": "._fuse",
    "profile": "._core.profiling",
    "vmap": "._vmap",
    **dict.fromkeys(_ops.NAMES, "._ops"),
    **dict.fromkeys(("_numpy", "autograd", "engines", "fft", "lib", "linalg", "nn", "optim", "random", "special"), ""),
}
"""The names whose modules are imported at their first use, so that ``import xtensor`` costs little more than NumPy."""


def _load(name: str) -> _typing.Any:
    """Return a name that is imported at its first use."""
    if name in _EXTENSION_DTYPES:
        try:
            dtype = globals()[name] = _dtype_named(name)
        except ImportError as error:
            raise AttributeError(f"xtensor.{error}") from error
        return dtype
    if name not in _LOADED_LATER:
        standard = _ops.STANDARD_NAMES.get(name)
        numpy = {} if standard is None else {"NumPy": {name: f"xtensor.{standard}, the standard's name"}}
        try:
            raise _missing(__name__, name, numpy or _NAMESPACE)
        except AttributeError as error:
            error.__traceback__ = None  # a bare raise does not enter this frame again
            raise
    path = _LOADED_LATER[name]
    value = getattr(_import_later(path, __name__), name) if path else _import_later(f".{name}", __name__)
    globals()[name] = value
    return value


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _load

_register_with_others()
_prepare_forks()
