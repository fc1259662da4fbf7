"""The contract between xtensor and the libraries that compute for it.

A backend makes one library's native arrays conform. It is a :class:`Backend` object, found through the
entry-point group ``"xtensor.backends"`` or given to :func:`xtensor.register_backend`. Requirements that
shape it:

- Importing the package that holds a backend imports nothing heavy; ``probe`` does, when first asked.
- A backend that is missing or broken raises :class:`BackendUnavailableError` and hurts nobody else.
- Native arrays have ``shape`` (a tuple of ints), ``dtype`` (a ``numpy.dtype``), ``ndim`` and ``size``, Python's
  conversions (``bool``, ``int``, ``float``, ``complex``) when 0-d, and indexing in NumPy's manner.
- Functions take native arrays; those of two operands also take Python scalars, which promote weakly.

See ``docs/writing-a-backend.md`` for a walk through a complete one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ._bfloat16 import in_float32
from ._bfloat16 import is_installed as has_bfloat16
from ._bfloat16 import loaded as bfloat16
from ._errors import BackendUnavailableError, OutOfMemoryError

__all__ = [
    "Backend",
    "BackendUnavailableError",
    "DType",
    "DeviceInfo",
    "Memory",
    "Native",
    "OutOfMemoryError",
    "bfloat16",
    "has_bfloat16",
    "in_float32",
]

Native: TypeAlias = Any
"""A backend's own array: ``numpy.ndarray``, ``cupy.ndarray``, …"""

DType: TypeAlias = "np.dtype[Any]"


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What is known of a device's hardware; None where the library does not tell.

    ``total_memory`` and ``free_memory`` are bytes.
    """

    name: str
    index: int | None = None
    total_memory: int | None = None
    free_memory: int | None = None
    compute_capability: str | None = None
    unified_memory: bool | None = None
    cores: int | None = None
    simd: tuple[str, ...] = ()


class Memory(NamedTuple):
    """Bytes of a device's memory; None where the library does not tell.

    ``pool_used`` is what live arrays hold of the library's pool, ``pool_total`` what the pool holds of the device.
    """

    total: int | None
    free: int | None
    pool_used: int | None = None
    pool_total: int | None = None


class Backend(ABC):
    """One library that computes on one or more kinds of device.

    Attributes
    ----------
    name
        The backend's name, which also serves as a kind of device where two backends serve one kind.
    kinds
        The kinds of device it serves: ``"cpu"``, ``"cuda"``, ``"rocm"``, ``"sycl"``, ….
    requires
        What a person installs to have it, as ``pip`` takes it.
    corrections
        Names of the shared corrections (``xtensor/_corrections.py`` lists them) that this library's functions need.
    kernels
        Names of the functions that are kernels of the backend's own, for :func:`xtensor.backends` to tell.
    widens_bfloat16
        Whether bfloat16 arrays, which a library cannot compute with in all of its functions, are computed in float32.
    defined_only
        Whether the core, too, refuses on these devices what the standard leaves undefined and NumPy does.
    """

    name: str
    kinds: tuple[str, ...]
    requires: str = ""
    corrections: tuple[str, ...] = ()
    kernels: Sequence[str] = ()
    widens_bfloat16: bool = False
    defined_only: bool = False

    @abstractmethod
    def probe(self) -> str:
        """Import the library and look for its devices, without initialising any of them.

        Returns the library's version; raises :class:`BackendUnavailableError` with reason and remedy.
        """

    @abstractmethod
    def devices(self) -> Sequence[str]:
        """The specs of the devices here (``"cpu"``, ``"cuda:0"``, …), the default one of each kind first."""

    @property
    @abstractmethod
    def native_type(self) -> type:
        """The class of this library's native arrays."""

    @abstractmethod
    def namespace(self, spec: str) -> Any:
        """The library's functions on native arrays of one device, in the standard's names and signatures.

        Creation functions create on that device and take no ``device``. ``linalg`` and ``fft`` are attributes
        of the same shape. A function that is missing here is composed of others where the standard allows.
        """

    def overlay(self, spec: str, functions: Any) -> Mapping[str, Callable[..., Any]]:
        """Functions that take the place of some of a device's, for a backend that stands on another's.

        ``functions`` holds the device's functions, corrected and complete, for the overlay to fall through to. A
        name is that of a function (``"add"``, ``"linalg.svd"``), or ``"inplace.add"`` for an in-place operator, which
        writes into its first operand and returns it. ``"nn.softmax"`` is a kernel for a function of
        ``xtensor.nn.functional``, with its arguments by position and its options by name; it returns NotImplemented
        for operands that it does not take.
        """
        return {}

    @abstractmethod
    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        """The values as a NumPy array: the same memory where the host can reach it, else a copy."""

    def host_view(self, native: Native) -> np.ndarray[Any, Any] | None:
        """A NumPy array on the memory of a native array, for an exchange without a copy; None if the host cannot
        reach it.
        """
        return None

    @abstractmethod
    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        """A NumPy array's values on a device. ``copy=False`` raises ValueError where a copy is needed."""

    @abstractmethod
    def dlpack_device(self, spec: str) -> tuple[int, int]:
        """The device as DLPack names it: ``(type, id)``."""

    def to_dlpack(self, native: Native, **asked: Any) -> Any:
        """A capsule of a native array on its own device; ``asked`` holds those of ``stream``, ``max_version`` and
        ``copy`` that are not None.
        """
        return native.__dlpack__(**asked)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        """A native array on the memory of a DLPack producer that lives on this very device.

        Raises BufferError where the exchange cannot be made, or not without the copy that is forbidden.
        """
        return self.from_host(np.from_dlpack(producer, device="cpu", copy=copy), spec, copy=None)

    def rank(self, spec: str) -> int:
        """How much this backend wants to serve a device; the highest is the default device.

        Ours: 30 Triton, 20 CuPy, 10 a SYCL GPU, 0 the CPU, below 0 what is never chosen by itself.
        """
        return 0

    def device_of(self, native: Native) -> str:
        """The spec of the device a native array is on."""
        return self.devices()[0]

    def normalize(self, value: Any, spec: str) -> Native:
        """A native array for what a function returned instead of one: a library's scalar, a Python number."""
        return self.from_host(np.asarray(value), spec, copy=True)

    def getitem(self, native: Native, key: Any) -> Native:
        """``native[key]``; a key holds ints, slices, ``...``, None and native index arrays.

        To be overridden where the library's operator falls short of NumPy's. One that gives a scalar of the library
        for integers alone does not: the core then asks again with an ellipsis.
        """
        return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> None:
        """``native[key] = value`` with a native array or a Python scalar; to be overridden likewise."""
        native[key] = value

    def default_float(self, spec: str) -> DType:
        """The default real floating-point dtype of a device."""
        return np.dtype(np.float64)

    def dtypes(self, spec: str) -> Sequence[DType]:
        """The dtypes of the standard that a device computes with."""
        return STANDARD_DTYPES

    def extra_dtypes(self, spec: str) -> Sequence[DType]:
        """The dtypes beyond the standard that a device computes with, such as float16."""
        return ()

    def info(self, spec: str) -> DeviceInfo:
        """What is known of the hardware."""
        return DeviceInfo(name=spec)

    def memory(self, spec: str) -> Memory:
        """The device's memory now."""
        return Memory(total=None, free=None)

    def synchronize(self, spec: str) -> None:  # noqa: B027 - nothing to wait for unless a library is asynchronous
        """Wait for all work given to the device so far."""

    def release_memory(self, spec: str) -> None:  # noqa: B027 - nothing to give back unless a library keeps a pool
        """Give memory that the library keeps, but no array holds, back to the system."""

    def out_of_memory(self, error: BaseException) -> bool:
        """Whether an error of the library means that memory ran out."""
        return isinstance(error, MemoryError)

    def translate(self, error: Exception) -> Exception:
        """An error of the library as one of Python's or NumPy's kinds: TypeError for a dtype that a function does not
        take, ``numpy.linalg.LinAlgError`` for a singular matrix. To be overridden where the library has other kinds.
        """
        return error


STANDARD_DTYPES: tuple[DType, ...] = tuple(
    np.dtype(name)
    for name in (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
        "complex64",
        "complex128",
    )
)
