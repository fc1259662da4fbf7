"""The device ``meta``: arrays of shape and dtype without values.

Functions run there in microseconds and allocate nothing. What depends on values raises
:class:`xtensor.UnknownValueError`. The shapes, the dtypes and the memory are those of the device ``cpu``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from .._core.backend import Backend, Native
from .._core.device_info import DeviceInfo
from .._core.devices import device
from .._core.dtypes import DType
from .arrays import MetaArray, new, unknown_value
from .functions import Namespace, count_assignment
from .indexing import assign, select

__all__ = ["MetaBackend", "backend"]


REMEDY = "make the array from its data on a device that has values, such as 'cpu'"


class MetaBackend(Backend):
    """Shapes and dtypes without values."""

    name = "meta"
    kinds = ("meta",)
    has_values = False
    sees_compositions = True

    def probe(self) -> str:
        return np.__version__

    def devices(self) -> Sequence[str]:
        return ("meta",)

    @property
    def native_type(self) -> type[MetaArray]:
        return MetaArray

    def namespace(self, spec: str) -> Namespace:
        return Namespace()

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        raise unknown_value(f"each element of an array of shape {native.shape} and dtype {native.dtype}", REMEDY)

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        raise BufferError("an array on device meta has no memory to share; compute it on another device, such as 'cpu'")

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError("an array on device meta has no memory to share; pass copy=None")
        return new(array.shape, array.dtype)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (12, 0)  # kDLExtDev, a device that the exchange does not know

    def rank(self, spec: str) -> int:
        return -1000

    def getitem(self, native: Native, key: Any) -> Native:
        return select(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        count_assignment(native, assign(native, key, value))
        return native

    def dtypes(self, spec: str) -> Collection[str]:
        return device("cpu").dtype_names()

    def default_float(self, spec: str) -> DType:
        return device("cpu").default_dtypes["real floating"]

    def default_integer(self, spec: str) -> DType:
        return device("cpu").default_dtypes["integral"]

    def info(self, spec: str) -> DeviceInfo:
        return DeviceInfo(name="shapes and dtypes without values")


backend = MetaBackend()
