"""The Array: a native array and the Device it lives on.

Requirements: an Array adds two fields and nothing else to what the library computes with, so that wrapping costs less
than the smallest operation; an operator computes the namespace's function of that name; convenience methods are those
functions too, so that there is one place for each computation.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import calls, conversions, methods, operations, temporaries
from .backend import Native
from .boundary import cause, leaving, publish_methods
from .calls import apply, call_service, recover_large, wrap, wrap_or_raise
from .checks import check_dtype, check_version
from .compiled import compiled, with_short_way
from .conversions import Conversions
from .device import Device, restore
from .devices import device
from .dtypes import DType
from .engine_methods import EngineMethods, absent
from .errors import describe
from .failures import recover
from .fp_warnings import rewarn
from .implementation import Implementation
from .indexing import (
    ASSIGNED_WHERE,
    SELECTED,
    assigned,
    assigned_by_kernel,
    detached,
    has_ellipsis,
    is_plain,
    key_error,
    native_key,
    selecting,
)
from .inplace import recover_inplace
from .interchange import export
from .memory import Memory
from .methods import Axis, Methods
from .operands import HOST_ARRAYS, SCALARS, lift_to_device_of, native_operand, not_an_array, on_transform_of
from .operations import Operation, operation
from .operators import Operators
from .remedies import add_foreign_attributes
from .transfers import host_values, lowered, move
from .views import is_selection, link, written

if TYPE_CHECKING:
    from .annotations import AnyArray, DTypeLike, Key, Nested, Operand, Order

xp: Any = None
"""The public namespace, set by :func:`bind_namespace`: the core knows none of its functions."""

__all__ = [
    "Array",
    "Axis",
    "bind_namespace",
    "to_numpy",
]

ufunc_calls: dict[np.ufunc, Callable[..., Any]] = {}
"""Cache of ufunc dispatch: the function of each ufunc for calls without options."""
ASTYPE = operation("astype")


def bind_namespace(module: ModuleType) -> None:
    """Set the module that Arrays return as their namespace and whose functions their methods call."""
    global xp
    xp = methods.xp = conversions.xp = operations.namespace = module


class _Final(type):
    """Metaclass of Array: raises TypeError where a user calls the class, unless for an empty Array, ``Array([])``.

    Libraries describe the chunks of a result by ``type(x)([], dtype=…)`` before they compute it.
    """

    def __call__(cls, *args: Any, dtype: Any = None) -> Array:
        if len(args) != 1 or args[0].__class__ is not list or args[0]:
            raise TypeError("Array() is not called directly; make an array with xtensor.asarray, xtensor.zeros, ...")
        return xp.asarray([], dtype=dtype)  # type: ignore[no-any-return]


class Array(Methods, Operators, Conversions, Memory, EngineMethods, metaclass=_Final):
    """An array of one dtype on one device.

    Made by the creation functions (:func:`xtensor.asarray`, :func:`xtensor.zeros`, …), never directly. It has the
    attributes, methods and operators of the Array API standard 2025.12, and the methods that people type on arrays.
    """

    __slots__ = ("__weakref__", "_device", "_native")

    _native: Native
    _device: Device

    def __init_subclass__(cls, **options: Any) -> None:
        raise TypeError(
            "Array is final and cannot be subclassed; write functions of Arrays, or a backend for another kind of "
            "native array (xtensor.backend.Backend)"
        )

    # -- attributes ---------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return self._native.dtype  # type: ignore[no-any-return]

    @property
    def device(self) -> Device:
        """Device of the elements."""
        return self._device

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self._native.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._native.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._native.size  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Size of all elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """Transpose of a matrix. Of other dimensions, the axes reversed; ValueError on the device ``strict``."""
        if self.ndim == 2:
            return xp.matrix_transpose(self)  # type: ignore[no-any-return]
        if self._device._library.defined_only:
            raise ValueError(
                f"x.T needs an array of two dimensions on the device strict, not shape {self.shape}; use x.mT for "
                "stacks of matrices, or xtensor.permute_dims"
            )
        return xp.permute_dims(self, tuple(range(self.ndim))[::-1])  # type: ignore[no-any-return]

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """Transpose of each matrix of a stack; ValueError with fewer than two axes."""
        if self.ndim < 2:
            raise ValueError(
                "matrix transpose with ndim < 2 is undefined; x.mT needs an array of two or more dimensions, not shape "
                f"{self.shape}"
            )
        return xp.matrix_transpose(self)  # type: ignore[no-any-return]

    # -- the namespace and other libraries ------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """Return the module ``xtensor``; raise ValueError for a version of the standard that it does not support."""
        if api_version is not None:
            check_version(api_version)
        return xp  # type: ignore[no-any-return]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array: a view on the host; off it, TypeError unless transfers are allowed."""
        values = host_values(self._native, self._device, "numpy.asarray")
        if copy is False and not self._device.host:
            raise ValueError(
                "Unable to avoid copy while creating an array as requested: the elements are on device "
                f"{self._device}; pass copy=None to numpy.asarray"
            )
        return np.array(values, dtype=dtype, copy=copy)

    __array_priority__ = 100.0  # dask takes the chunk of the highest priority

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Return the result of a universal function, computed on this device; TypeError with the remedy if it cannot.

        Notes
        -----
        NumPy Enhancement Proposal 13.
        """
        if method == "__call__" and not options:
            function = ufunc_calls.get(ufunc)
            if function is not None:
                result = function(*inputs)
                if result is not NotImplemented:
                    return result
        return xp._numpy.array_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of a NumPy function, computed on this device; TypeError with the remedy if it cannot.

        Notes
        -----
        NumPy Enhancement Proposal 18.
        """
        return xp._numpy.array_function(function, types, args, kwargs, self._device)

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of the elements, for another library's ``from_dlpack``.

        Parameters
        ----------
        stream
            The consumer's stream, as the standard lists them for CUDA and ROCm; None on the host.
        max_version
            The newest DLPack version that the consumer knows.
        dl_device
            Where the capsule's memory shall be: this device, or the host as ``(1, 0)``.
        copy
            True copies, False never does, None does where it must.

        Raises
        ------
        BufferError
            If the elements cannot be exported so.
        """
        return export(
            self._native, self._device, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self, /) -> tuple[int, int]:
        """Return the device in DLPack's terms: its type and its number."""
        return self._device.dlpack_device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """CUDA array interface (version 3), where the library has it; AttributeError elsewhere."""
        return self._native.__cuda_array_interface__  # type: ignore[no-any-return]

    def to_device(self, device_: Device | str, /, *, stream: Any = None) -> Array:
        """Return this array on another device; the array itself if it is there already.

        Parameters
        ----------
        device_
            The device, or its spec.
        stream
            None: the copy is in order with the work of both devices. Any other value is refused with ValueError.
        """
        if stream is not None:
            raise ValueError(f"to_device() takes stream=None only, not {describe(stream)}; copies keep their order")
        target = device(device_)
        if target is self._device:
            return self
        return call_service("to_device", target, move, self._native, self._device, target)

    # -- copies ---------------------------------------------------------------------------------------------------

    def copy(self, order: Order = "C") -> Array:
        """Return a copy that shares no memory with this array, in row-major order or as NumPy's ``order`` says."""
        if order.__class__ is not str or order not in ("C", "K") or (self.ndim > 1 and order == "C"):
            return methods.copy_in_order(self, order)  # type: ignore[no-any-return]
        return apply(ASTYPE, self._device, self._native, self.dtype, copy=True)

    def __copy__(self, memo: object = None, /) -> Array:
        return self.copy("K")

    __deepcopy__ = __copy__

    def __reduce__(self) -> tuple[Any, ...]:
        library = self._device._library
        values = self._native if library.lazy else library.to_host(self._native)
        return _unpickle, (values, self._device.backend, self._device._spec)

    # -- indexing -------------------------------------------------------------------------------------------------

    @with_short_way("GETITEM")
    def __getitem__(self, key: Key, /) -> Array:
        device, kind = self._device, key.__class__
        if kind is not slice and kind is not int and not is_plain(key):
            joined = on_transform_of(self, *(key if kind is tuple else (key,)))  # type: ignore[misc] # a tuple
            if joined is not self:
                return joined[key]
            key = native_key(key, device, xp)
        try:
            get = selecting(device) if kind is Array or kind is np.ndarray else device.getitem
            native = self._native[key] if get is None else get(self._native, key)
            if kind is not slice:
                if native.__class__ is not device.native_type:
                    native = device.from_scalar(native)
                elif not native.ndim:
                    native = detached(native, key, device)
        except Exception as error:
            raise key_error(error, self._native, device, key) from cause(error)
        result = make()
        result._native = native
        result._device = device
        has_view = device.level and (native.ndim or has_ellipsis(key))
        if has_view and device._library.links_views and is_plain(key):  # type: ignore[attr-defined]
            link(self, key, result)
        return result

    def __setitem__(self, key: Key, value: Operand | Nested[Operand], /) -> None:
        device = self._device
        if device.level and is_selection(value, self, key):
            return
        if value.__class__ is Array and value._device is not device:
            device = lift_to_device_of(self, value)
        if not is_plain(key):
            for part in key if key.__class__ is tuple else (key,):
                device = lift_to_device_of(self, part)
            key = native_key(key, device, xp)
        if value.__class__ not in SCALARS:
            value = self._value(value)
        elif value.__class__ is complex and self.dtype.kind not in "cb":
            raise TypeError(f"cannot cast {value!r} to {self.dtype} in an assignment; assign its real part")
        before, issued = self._native, None
        try:
            if device.setitem is not None:
                self._native = device.setitem(before, key, value)
            elif key.__class__ is not np.ndarray or not assigned_by_kernel(device, self._native, key, value):
                self._native[key] = value
        except RuntimeWarning as warning:
            with np.errstate(all="ignore"):
                self._native = device._library.setitem(before, key, value)
            issued = warning
        except Exception as error:
            raise key_error(error, self._native, device, key, value) from cause(error)
        if device.level:
            written(self, before)
        if issued is not None:
            rewarn(issued)

    def _value(self, value: Any) -> Native:
        """Return the value of an assignment as a native array of this device, or a Python scalar."""
        if value.__class__ is Array and value._device is self._device and value._native.dtype == self._native.dtype:
            return value._native
        converted = assigned(self, value, xp)
        native = native_operand(converted, self._device, "__setitem__")
        if getattr(native, "dtype", self.dtype).kind == "c" and self.dtype.kind not in "cb":
            raise TypeError(f"cannot cast {native.dtype} to {self.dtype} in an assignment; assign xtensor.real(value)")
        return native

    def view(self, dtype: DTypeLike | None = None) -> Array:
        """Return a view of the memory as another dtype; the length of the last axis changes with the itemsize."""
        if dtype is None:
            return self[...]
        wanted = check_dtype(dtype, self._device, "view")
        view = getattr(self._native, "view", None)
        if view is None:
            raise TypeError(f"view(): {self._device} cannot see memory as another dtype, {wanted}; cast with astype")
        return call_service("view", self._device, view, wanted)


def to_numpy(x: AnyArray, /) -> np.ndarray[Any, Any]:
    """Copy an Array to the host as a NumPy array, from any device.

    Parameters
    ----------
    x
        Array of any dtype, or a NumPy array.

    Returns
    -------
    numpy.ndarray
        Copy of the elements with the shape and the dtype of ``x``. The transfer is explicit, so that no policy of
        :func:`xtensor.transfers` forbids it. It waits until the device has computed the elements.

    Raises
    ------
    TypeError
        If ``x`` is neither.
    """
    if isinstance(x, Array):
        native, device = lowered(x._native, x._device)
        return np.array(device._library.to_host(native), copy=True, subok=False)
    if x.__class__ not in HOST_ARRAYS:
        raise not_an_array("to_numpy", x)
    return np.array(x, copy=True, subok=False)


publish_methods(Methods, Conversions, Memory, Array)
add_foreign_attributes(Array, absent)

# The ordinary call of a class, which _Final refuses to users. Bound once, it is the fastest way to make an object.
make: Callable[[], Array] = type.__call__.__get__(Array)
calls.make = make

if compiled is not None:
    functions = recover, recover_large, recover_inplace, wrap_or_raise, temporaries.find_operands, leaving
    numbers = SELECTED.index, ASSIGNED_WHERE.index
    compiled.bind(Array, Device, Implementation, Operation, *functions, *numbers)


def _unpickle(values: Any, backend: str, spec: str) -> Array:
    """Return a pickled array on its device, or on the default one where that is missing.

    ``values`` is a NumPy array; a native array where the device's library is lazy.
    """
    if not isinstance(backend, str) or not isinstance(spec, str):
        raise TypeError(
            "a pickle of an Array holds a NumPy array and the names of a backend and a device, not "
            f"{describe(values)}, {describe(backend)} and {describe(spec)}"
        )
    target = restore(backend, spec)
    if target._library.lazy and values.__class__ is target.native_type:
        return wrap(values, target)
    if not isinstance(values, np.ndarray):
        raise TypeError(f"a pickle of an Array of device {spec!r} holds {describe(values)}, which is no NumPy array")
    if not target.supports(values.dtype):
        raise TypeError(f"a pickle of an Array holds dtype {values.dtype}, which device {target} does not support")
    return wrap(target._library.from_host(values, target._backend_spec, copy=None), target)
