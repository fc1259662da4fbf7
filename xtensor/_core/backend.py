"""The contract between xtensor and the libraries that compute for it.

A backend makes one library's native arrays conform. It is a :class:`Backend` object, found through the entry-point
group ``"xtensor.backends"`` or given to :func:`xtensor.register_backend`. An :class:`Overlay` stands on another
backend's arrays and puts kernels in the place of some functions. Requirements that shape the contract:

- Importing the package that holds a backend imports nothing heavy; ``probe`` does, when first asked.
- A backend that is missing or broken raises :class:`BackendUnavailableError` and affects no other backend.
- Native arrays have ``shape`` (a tuple of ints), ``dtype`` (a ``numpy.dtype``), ``ndim`` and ``size``, Python's
  conversions (``bool``, ``int``, ``float``, ``complex``) when 0-d, and NumPy's indexing. A library whose arrays lack
  these is wrapped (:class:`xtensor.backend.WrappedArray`).
- Functions take native arrays; those of two operands also take Python scalars, which promote weakly.
- Nothing in the contract requires that native arrays can be written to: ``setitem`` and in-place operators return the
  array.

``docs/writing-a-backend.md`` describes a complete backend.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from .dtypes import STANDARD_DTYPES, DType
from .operations import Operation

if TYPE_CHECKING:
    from .device_info import DeviceInfo, Memory

__all__ = ["Backend", "Engine", "Native", "Overlay", "Provider", "read_on_host"]

Native: TypeAlias = Any
"""A backend's own array: ``numpy.ndarray``, ``cupy.ndarray``, …"""


class Provider(ABC):
    """A provider of devices: the common part of :class:`Backend` and :class:`Overlay`.

    Attributes
    ----------
    name
        The provider's name, which also serves as a kind of device where two providers serve one kind.
    kinds
        The kinds of device it serves: ``"cpu"``, ``"cuda"``, ``"rocm"``, ``"sycl"``, ….
    requires
        The requirement to install, as ``pip`` takes it.
    chosen_by_itself
        Whether a device of it may be the default device without being named. False spares the choice its ``probe``,
        and a device of a rank of 0 or more is chosen once ``python -m xtensor calibrate`` measured it faster than
        ``cpu``.
    has_values
        Whether the arrays of its devices have values. :func:`xtensor.devices` lists no devices without.
    """

    name: str
    kinds: tuple[str, ...]
    requires: str = ""
    chosen_by_itself: ClassVar[bool] = True
    has_values: ClassVar[bool] = True

    @abstractmethod
    def probe(self) -> str:
        """Import the library and look for its devices, without initialising any of them.

        Return the library's version; raise :class:`BackendUnavailableError` with reason and remedy.
        """

    @abstractmethod
    def devices(self) -> Sequence[str]:
        """Return the specs of the devices here (``"cpu"``, ``"cuda:0"``, …), the default one of each kind first."""

    def absent(self, spec: str) -> tuple[str, str] | None:
        """Return why a device that :meth:`devices` does not name is not here, and the remedy; None for other specs."""
        return None

    @abstractmethod
    def storage(self, spec: str) -> tuple[Backend, str]:
        """Return the backend whose native arrays a device has, and the device's spec there."""

    def rank(self, spec: str) -> int:
        """Return the preference for serving a device; the device of the highest rank is the default one.

        Ours: 30 Triton, 20 CuPy, 10 a SYCL GPU, 4 MLX on Metal, 3 OpenCL, 2 WebGPU, 1 and 0 the CPU; below 0 a device
        is never chosen by itself.
        """
        return 0 if self.chosen_by_itself else -100

    def kernels(self, spec: str) -> Mapping[str, Callable[..., Any]]:
        """Return functions that are asked before the library's, by their operations' names.

        ``"add"``, ``"linalg.svd"``, ``"nn.softmax"``; ``"inplace.add"`` is an in-place operator, which writes into its
        first operand and returns it. A function returns NotImplemented for operands that it does not take.

        ``"large.add"`` is a function for operands of many elements, which is asked first where the first array has at
        least as many elements as the function's attribute ``min_size``. One of an elementwise operation or of a product
        takes after the operands the one of them whose memory may be written over, because nobody else sees it, or
        None, and may return it; others take the arguments of the operation's function. A function whose attribute
        ``only_writes_over`` is True is asked only where there is such an operand. Its attribute
        ``writes_over(operands, spare)``, which is optional, is for :func:`xtensor.estimate`. It tells for
        NumPy arrays whose elements are not read whether the function would write over that operand (True), make a new
        array (False), or return NotImplemented (None).
        A backend's namespace may have such functions, too, as attributes of its attribute ``large``.
        """
        return {}

    def generator(self, spec: str) -> Any:
        """Return the generator that compiles programs for a device (:class:`xtensor.backend.Generator`), or None."""
        return None

    def memory(self, spec: str) -> Memory:
        """Return the device's memory now. An overlay with a pool of its own counts that, too."""
        library, storage_spec = self.storage(spec)
        return library.memory(storage_spec)

    def release_memory(self, spec: str) -> None:
        """Return memory that a pool holds, but no array occupies, to the system."""
        library, storage_spec = self.storage(spec)
        library.release_memory(storage_spec)

    def limit_pool(self, spec: str, size: int) -> None:
        """Keep at most ``size`` bytes of memory that no array occupies in a pool."""
        library, storage_spec = self.storage(spec)
        library.limit_pool(storage_spec, size)


def read_on_host(producer: Any, *, copy: bool | None) -> np.ndarray[Any, Any]:
    """Return the elements of a DLPack producer as a NumPy array."""
    try:
        return np.from_dlpack(producer, device="cpu", copy=copy)
    except TypeError:
        # Before DLPack 1.0 producers take neither ``dl_device`` nor ``copy``: the capsule shares memory.
        shared = np.from_dlpack(producer)
        return shared.copy() if copy else shared


class Overlay(Provider):
    """Kernels over another backend's arrays: all services are that backend's (:meth:`Provider.storage`)."""


class Backend(Provider):
    """One library that computes on one or more kinds of device.

    Attributes
    ----------
    corrections
        Names of the operations whose library function needs the shared correction (``xtensor.backend.CORRECTIONS``).
        Their in-place operators are composed of the corrected function and an assignment.
    composed_inplace
        Names of further operations whose in-place operator the core composes of the function and an assignment.
    widens_bfloat16
        Whether bfloat16 operands are computed in float32 and the result is rounded once, by the core. A function with
        the attribute ``takes_bfloat16`` is asked first, and returns NotImplemented for those that it does not take.
    widens_float16
        Whether the core computes sums, products and their scans in float16 in float32, and rounds them once. False for
        a library that does, or has no float16: a call then need not ask for the dtype of its array.
    may_decline
        Whether a function of the namespace may return NotImplemented, so that the core asks the composition. False
        spares each call the test.
    defined_only
        Whether the core, too, refuses on these devices what the standard leaves undefined and NumPy defines.
    lazy
        Whether arrays are computations that wait: they have no memory. True for an :class:`Engine`.
    shows_values
        Whether the text of an array may show its values. False for a transform whose arrays stand for several.
    sees_compositions
        Whether the namespace is asked for functions that are composed of Arrays, too, as that of a transform. For other
        backends only such a function that the namespace itself defines comes before its composition.
    survives_fork
        Whether a forked process can use the library where its parent had probed it. On devices of a library that does
        not, everything raises :class:`BackendUnavailableError` in the forked process.
    """

    corrections: ClassVar[Collection[str]] = ()
    composed_inplace: ClassVar[Collection[str]] = ()
    widens_bfloat16: ClassVar[bool] = False
    widens_float16: ClassVar[bool] = True
    may_decline: ClassVar[bool] = True
    defined_only: ClassVar[bool] = False
    lazy: ClassVar[bool] = False
    survives_fork: ClassVar[bool] = True
    shows_values: ClassVar[bool] = True
    sees_compositions: ClassVar[bool] = False

    def storage(self, spec: str) -> tuple[Backend, str]:
        return self, spec

    def has_rule(self, operation: Operation) -> bool:
        """Whether a transform has a rule for an operation, which comes before the operation's formula."""
        return False

    @property
    @abstractmethod
    def native_type(self) -> type:
        """The class of this library's native arrays."""

    @abstractmethod
    def namespace(self, spec: str) -> Any:
        """Return the library's functions on native arrays of one device, in the standard's names and signatures.

        Creation functions create on that device and take no ``device``. ``linalg``, ``fft``, ``special`` and ``nn`` are
        attributes of the same shape. Every primitive is there; any other function that is missing is composed. A
        function returns NotImplemented for operands that it does not take; the composition is then used.
        """

    # -- transforms ---------------------------------------------------------------------------------------------------

    def base(self, spec: str) -> Any:
        """Return the device that a transform stands on, whose operands join the transform's; None for other devices."""
        return None

    def lift(self, native: Native) -> Native:
        """Return a native array of the base as one of a transform; the transform treats it as a constant."""
        raise NotImplementedError(f"backend {self.name!r} is no transform")

    def lower(self, native: Native) -> Native:
        """Return a transform's native array as one of the base.

        Raise TypeError, or a class of it, where that would lose what the transform knows of the array.
        """
        raise NotImplementedError(f"backend {self.name!r} is no transform")

    def check_writable(self, native: Native) -> None:
        """Raise TypeError where a transform cannot write to a native array of the base."""

    # -- values -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array: the same memory where the host can read it, else a copy."""

    def host_view(self, native: Native) -> np.ndarray[Any, Any] | None:
        """Return a NumPy array on a native array's memory, without a copy; None if the host cannot read it."""
        return None

    @abstractmethod
    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        """Return a NumPy array's values on a device. ``copy=False`` raises ValueError where a copy is needed."""

    @abstractmethod
    def dlpack_device(self, spec: str) -> tuple[int, int]:
        """Return the device in DLPack's terms: ``(type, id)``."""

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        """Return a capsule of a native array on its own device.

        ``requested`` holds those of ``stream``, ``max_version`` and ``copy`` that are not None.
        """
        return native.__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        """Return a native array on the memory of a DLPack producer that is on this very device.

        Raise BufferError where the exchange is impossible, or impossible without the copy that is forbidden.
        """
        return self.from_host(read_on_host(producer, copy=copy), spec, copy=None)

    def normalize(self, value: Any, spec: str) -> Native:
        """Return a native array for a function's result of another class: a library's scalar, a Python number."""
        return self.from_host(np.asarray(value), spec, copy=True)

    def from_operand(self, value: Any, spec: str) -> Native | None:
        """Return an operand of the library's own class as a native array of a device; None for other classes.

        An operand on another of the library's devices raises :class:`xtensor.DeviceMismatchError`.
        """
        return None

    def describe(self, native: Native) -> str:
        """Return what an Array's ``repr`` tells next to shape and dtype where it shows no values; empty for nothing."""
        return ""

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Native, key: Any) -> Native:
        """Return ``native[key]``; a key holds ints, slices, ``...``, None and native index arrays.

        To be overridden where the library's operator lacks a part of NumPy's. An operator that returns a scalar of the
        library for integers alone needs no override: the core normalizes it (:meth:`normalize`), and copies a 0-d view.
        """
        return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        """Assign a native array or a Python scalar to ``native[key]``; return the array, a new one if immutable."""
        native[key] = value
        return native

    # -- dtypes -------------------------------------------------------------------------------------------------------

    def dtypes(self, spec: str) -> Collection[str]:
        """Return the names of the dtypes that a device supports; all others are refused with the remedy."""
        return STANDARD_DTYPES

    def default_float(self, spec: str) -> DType:
        """Return the default real floating-point dtype of a device: float64 where the device supports it."""
        return np.dtype(np.float64 if "float64" in self.dtypes(spec) else np.float32)

    def default_integer(self, spec: str) -> DType:
        """Return the default integer dtype of a device, which is also that of indices."""
        return np.dtype(np.int64)

    # -- the device ---------------------------------------------------------------------------------------------------

    def info(self, spec: str) -> DeviceInfo:
        """Return a description of the hardware."""
        from .device_info import DeviceInfo

        return DeviceInfo(name=spec)

    def memory(self, spec: str) -> Memory:
        """Return the device's memory now."""
        from .device_info import Memory

        return Memory(total=None, free=None)

    def synchronize(self, spec: str) -> None:
        """Wait for all work given to the device so far."""

    def release_memory(self, spec: str) -> None:
        """Return memory that the library's pool holds, but no array occupies, to the system."""

    def limit_pool(self, spec: str, size: int) -> None:
        """Keep at most ``size`` bytes of memory that no array occupies in the library's pool.

        No action where the library has no pool, or cannot bound it.
        """

    # -- errors -------------------------------------------------------------------------------------------------------

    def out_of_memory(self, error: BaseException) -> bool:
        """Whether an error of the library means that memory ran out."""
        return isinstance(error, MemoryError)

    def translate(self, error: Exception) -> Exception:
        """Return an error of the library as one of Python's or NumPy's classes.

        TypeError for a dtype that a function does not take, ``numpy.linalg.LinAlgError`` for a singular matrix. To be
        overridden where the library has other classes.
        """
        return error


class Engine(Backend):
    """A library that divides arrays into chunks and computes them when values are needed, on this machine or others.

    A native array is a computation. It has no memory that anybody could share: DLPack exports computed values, and
    ``dlpack_device`` is where these arrive. Its lengths are known; a function whose result's length depends on values
    computes it. The element that ``getitem`` returns for integers is no view. The core shows :meth:`describe` in the
    place of values, and pickles the native array itself.
    Conversions and functions that compute before they return call :func:`xtensor.backend.note_computation`.
    :class:`xtensor.backend.ChunkFunction` computes chunks with the functions of another device.
    """

    lazy: ClassVar[bool] = True

    @abstractmethod
    def compute(self, natives: Sequence[Native]) -> list[np.ndarray[Any, Any]]:
        """Return the values of several arrays in the host's memory; what they share is computed once."""

    @abstractmethod
    def persist(self, natives: Sequence[Native]) -> list[Native]:
        """Return arrays whose chunks are computed and stay where they are."""

    @abstractmethod
    def ways(self) -> Mapping[str, Sequence[str]]:
        """Return the names of the table's functions by the way that each goes, such as ``"tree"``."""

    def progress(self, after: float | None) -> AbstractContextManager[Any]:
        """Return a block in which a computation that takes longer than some seconds shows a bar; None for no bar."""
        return nullcontext()

    @abstractmethod
    def chunks(self, native: Native) -> tuple[tuple[int, ...], ...]:
        """Return the lengths of the chunks along each axis."""

    @abstractmethod
    def rechunk(self, native: Native, chunks: Any) -> Native:
        """Return the array in other chunks, as the engine describes them."""

    @abstractmethod
    def adopt(self, array: Any, spec: str) -> Native:
        """Return the engine's own array, or table of numbers, as a native array; TypeError for any other object."""

    @abstractmethod
    def own(self, native: Native) -> Any:
        """Return the engine's own array of a native array."""

    def from_file(self, array: Any, spec: str) -> Native | None:
        """Return an array of a file that is open for reading, whose chunks are read when they are computed.

        The engine's own arrays and tables are taken as they are, too.

        Parameters
        ----------
        array
            Any object; the result is None unless it is such an array, for example a memory map, and a large one.
        """
        return None

    @abstractmethod
    def from_zarr(self, store: Any, spec: str, **options: Any) -> Native:
        """Return an array of a Zarr store, which is read when values are needed."""

    @abstractmethod
    def to_zarr(self, native: Native, store: Any, **options: Any) -> None:
        """Compute an array and write it to a Zarr store, chunk by chunk."""
