"""Base class of transforms: a device that stands on another device and follows what is computed there.

A transform says how arrays enter it (``lift``) and leave it (``lower``, ``to_host``), and what each operation does
(``function``). Everything else is the base device's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import numpy as np

from .backend import Backend, Native
from .device import Device
from .device_info import DeviceInfo, Memory
from .dtypes import DType
from .errors import caller_frame
from .operations import TABLE, Operation

__all__ = ["AbstractValue", "Tracer", "at_caller"]

CHAPTERS = ("linalg", "fft", "special", "nn", "random", "lib")


class AbstractValue:
    """Shape and dtype of an array without its elements: the base of the nodes of graphs.

    Attributes
    ----------
    shape, dtype
        Of the array.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape: tuple[int, ...] = shape
        self.dtype: DType = dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Tracer(Backend):
    """The library of a transform over one device.

    Attributes
    ----------
    below
        The device that it stands on.
    device
        The transform as a device.
    """

    kinds = ()
    device: Device
    links_views: ClassVar[bool] = False
    """Whether writes to an array and its slices are repeated for each other, because values share no memory."""

    def __init__(self, base: Device, name: str) -> None:
        self.below, self.name = base, name
        self.has_values = base._library.has_values  # type: ignore[misc]

    # -- what a transform provides -----------------------------------------------------------------------------------

    @abstractmethod
    def lift(self, native: Native) -> Any:
        """Return a native array of the base as a constant of the transform."""

    @abstractmethod
    def lower(self, native: Any) -> Native:
        """Return the value of a constant on the base; raise for other arrays."""

    @abstractmethod
    def function(self, operation: Operation) -> Callable[..., Any] | None:
        """Return an operation's function of the transform's arrays; None where it is composed of others."""

    def assume(self, condition: Callable[..., Any], natives: Sequence[Any]) -> bool:
        """Take a condition on native arrays for false, where the transform makes sure later; otherwise return False."""
        return False

    def read_layout(self) -> None:
        """Take note that the function reads how the elements of an array lie in memory."""

    # -- what is the base's ------------------------------------------------------------------------------------------

    def probe(self) -> str:
        return ""

    def devices(self) -> Collection[str]:  # type: ignore[override]
        return ()

    def namespace(self, spec: str) -> Any:
        return _Namespace(self)

    def base(self, spec: str) -> Device:
        return self.below

    def normal(self, value: Any) -> Native:
        """Return a result of the base as a native array of the base."""
        base = self.below
        return value if isinstance(value, base.native_type) else base._library.normalize(value, base._backend_spec)

    def normalize(self, value: Any, spec: str) -> Any:
        return self.lift(self.normal(value))

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Any:
        base = self.below
        return self.lift(base._library.from_host(array, base._backend_spec, copy=copy))

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return self.below.dlpack_device

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Any:
        base = self.below
        return self.lift(base._library.from_dlpack(producer, base._backend_spec, copy=copy))

    def dtypes(self, spec: str) -> Collection[str]:
        return self.below.dtype_names()

    def default_float(self, spec: str) -> DType:
        return self.below.default_dtypes["real floating"]

    def default_integer(self, spec: str) -> DType:
        return self.below.default_dtypes["integral"]

    def info(self, spec: str) -> DeviceInfo:
        return self.below.info()

    def memory(self, spec: str) -> Memory:
        return self.below.memory()

    def synchronize(self, spec: str) -> None:
        self.below.synchronize()

    def release_memory(self, spec: str) -> None:
        self.below.release_memory()

    def limit_pool(self, spec: str, size: int) -> None:
        self.below.limit_pool(size)

    def out_of_memory(self, error: BaseException) -> bool:
        return self.below._library.out_of_memory(error)

    def translate(self, error: Exception) -> Exception:
        return self.below._library.translate(error)


class _Namespace:
    """A transform's functions, by the names of the operations."""

    def __init__(self, tracer: Tracer, prefix: str = "") -> None:
        self._tracer, self._prefix = tracer, prefix

    def __getattr__(self, name: str) -> Any:
        if not self._prefix and name in CHAPTERS:
            return _Namespace(self._tracer, f"{name}.")
        operation = TABLE.get(self._prefix + name)
        if operation is None:
            raise AttributeError(name)
        try:
            return self._tracer.function(operation)
        except AttributeError as error:  # getattr would take it for a function that is missing, which is composed
            raise RuntimeError(f"the rule of {operation.name} cannot be made: {error}") from error


def at_caller() -> str:
    """Return the line that called the library, for messages."""
    frame = caller_frame()
    return "" if frame is None else f" at {frame.f_code.co_filename}:{frame.f_lineno}"
