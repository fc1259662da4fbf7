"""Conversion of scalars, nested sequences, NumPy arrays, buffers and DLPack producers to Arrays.

Requirements: an input array's dtype and device are preserved unless the caller passes others; ``copy=True`` always
copies and ``copy=False`` never does; a non-numeric object raises and never becomes an Array.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import countOf
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._core.array import ASTYPE, Array
from .._core.backend import Engine, Native
from .._core.calls import apply, call, call_service, serve, wrap
from .._core.checks import check_bounds, check_cast, check_copy, check_dtype
from .._core.device import Device
from .._core.devices import resolve
from .._core.dtypes import DType
from .._core.errors import CopyRequiredError, describe
from .._core.failures import rewarned
from .._core.interchange import from_producer
from .._core.keywords import by_position, keywords_only
from .._core.operands import HOST_ARRAYS, SCALARS, common_device
from .._core.transfers import move
from .joining import STACK

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._core.annotations import ArrayLike, DTypeLike, SupportsArray, SupportsDLPack

__all__ = ["asarray", "from_dlpack"]

SEQUENCES = frozenset((list, tuple))

VECTORS: dict[type[Any], DType] = {float: np.dtype(np.float64), int: np.dtype(np.int64)}
"""Dtypes that hold all Python numbers of a class, but integers that are too large."""

DEFAULTS = {"i": "integral", "u": "integral", "f": "real floating", "c": "complex floating", "O": ""}
"""Kinds of the default dtypes of Python scalars, by the kind of the dtype that NumPy infers."""

MAX_DEPTH = 64
"""The deepest nesting of sequences, NumPy's largest number of dimensions."""

COPY_REFUSED = "Unable to avoid copy while creating an array as requested"
"""NumPy's words for a copy that ``copy=False`` forbids."""


@keywords_only
def asarray(
    obj: ArrayLike | SupportsArray | SupportsDLPack | Buffer,
    /,
    *positional: Never,
    dtype: DTypeLike | None = None,
    device: str | Device | None = None,
    copy: bool | None = None,
) -> Array:
    """Convert an object to an Array.

    Parameters
    ----------
    obj
        An Array; a Python or NumPy scalar; a nested sequence of scalars and Arrays; a NumPy array; an object with the
        buffer protocol; an array of any library that supports DLPack (CuPy, dpnp, torch, jax, …). The devices of
        engines read a file's array (``np.memmap``, ``h5py.Dataset``, ``zarr.Array``) when chunks are computed, where
        it is open for reading and ``copy`` is None.
    dtype
        Dtype of the result. Default: the dtype of ``obj``. For Python scalars, the default dtype of the highest kind
        among them, in the order bool, integer, real floating-point, complex floating-point.
    device
        Device of the result. Default: the device of ``obj`` if it has one, else the default device.
    copy
        True: always copy. False: never copy. None: copy only if necessary.

    Returns
    -------
    Array
        Array of the shape of ``obj``. Shares memory with ``obj`` where possible, unless ``copy`` is True.

    Raises
    ------
    ValueError
        If a copy is necessary and ``copy`` is False, or if nested sequences are ragged.
    TypeError
        If ``obj`` contains a non-numeric element, a quantity with a unit, a masked array or a matrix, or the device
        does not support the dtype.
    OverflowError
        If a Python integer is out of bounds for the dtype.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``asarray``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.asarray([[1, 2], [3, 4]], dtype=xp.float32)
    Array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if positional:
        raise by_position(asarray, positional)
    if (
        obj.__class__ is Array
        and (dtype is None or dtype is obj.dtype)
        and (device is None or device is obj._device)
        and (copy is None or copy is False)
    ):
        return obj
    copy = check_copy(copy, "asarray")
    if obj.__class__ is np.ndarray and dtype is None:
        target = resolve(device)
        if obj.dtype in target.dtypes or target.supports(obj.dtype):
            return call_service("asarray", target, target._library.from_host, obj, target._backend_spec, copy=copy)
    if obj.__class__ is Array:
        return _convert_array(obj, dtype, obj._device if device is None else resolve(device), copy)
    if obj.__class__ in SEQUENCES and obj and dtype is None and copy is not False:
        vector = _vector(obj)
        if vector is not None:
            target = resolve(device)
            host = _in_default_dtype(vector, target)
            return call_service("asarray", target, target._library.from_host, host, target._backend_spec, copy=None)
    if obj.__class__ in SCALARS and dtype is None and copy is not False:
        target, host = resolve(device), np.array(obj)
        kind = DEFAULTS.get(host.dtype.kind)
        if kind is None or (kind and host.dtype == target.default_dtypes[kind]):
            return call_service("asarray", target, target._library.from_host, host, target._backend_spec, copy=None)
    only_scalars = obj.__class__ in SCALARS
    if not only_scalars:
        _check_owner(obj, "asarray")
        if not isinstance(obj, (np.ndarray, np.generic)) and hasattr(obj, "__dlpack__"):
            return _import_producer(obj, dtype, None if device is None else resolve(device), copy)
    if isinstance(obj, (list, tuple)):
        only_scalars = _contains_only_scalars(obj)
        if not only_scalars and (element_device := common_device(leaves(obj))) is not None:
            return _stack_elements(obj, dtype, element_device if device is None else resolve(device), copy)
    target = resolve(device)
    checked_dtype = None if dtype is None else check_dtype(dtype, target, "asarray")
    if copy is None and isinstance(target._library, Engine):
        native = serve("asarray", target, target._library.from_file, obj, target._backend_spec)
        if native is not None:
            check_dtype(native.dtype, target, "asarray")
            return _convert_array(wrap(native, target), checked_dtype, target, None)
    return wrap(_import_host_data(obj, checked_dtype, target, copy, only_scalars), target)


@keywords_only
def from_dlpack(
    x: SupportsDLPack, /, *positional: Never, device: str | Device | None = None, copy: bool | None = None
) -> Array:
    """Convert another library's array to an Array through DLPack.

    Parameters
    ----------
    x
        An object with ``__dlpack__`` and ``__dlpack_device__``.
    device
        Device of the result. Default: the device of ``x``.
    copy
        True: always copy. False: never copy. None: copy only if necessary.

    Returns
    -------
    Array
        Array with the elements of ``x``. Shares memory with ``x`` where the device permits, unless ``copy`` is True.

    Raises
    ------
    BufferError
        If ``x`` cannot be exported to the device, or a copy is necessary and ``copy`` is False; the latter error is
        also a ValueError. Errors of ``x``'s methods that are neither TypeError nor ValueError become BufferErrors.
    AttributeError
        If ``x`` does not have the two methods.
    TypeError
        If the device does not support the dtype, or ``x`` is a quantity with a unit, a masked array or a matrix.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``from_dlpack``.
    """
    if positional:
        raise by_position(from_dlpack, positional)
    target = None if device is None else resolve(device)
    copy = check_copy(copy, "from_dlpack")
    if x.__class__ is Array:
        return _convert_array(x, None, x._device if target is None else target, copy)
    _check_owner(x, "from_dlpack")
    native, result_device = from_producer(x, target, copy, "from_dlpack")
    check_dtype(native.dtype, result_device, "from_dlpack")
    return wrap(native, result_device)


def _check_owner(obj: Any, name: str) -> None:
    """Raise TypeError for an array of numbers that have a unit or a mask, or whose operators are not elementwise.

    Such an array is of another subclass of NumPy's array, or of a class with the attribute ``units`` (pint's).
    """
    kind = obj.__class__
    # A subclass with an export of its own, a library's array for instance, says itself what it exports.
    inherits = isinstance(obj, np.ndarray) and (name != "from_dlpack" or kind.__dlpack__ is np.ndarray.__dlpack__)
    if (inherits and kind not in HOST_ARRAYS) or hasattr(kind, "units"):
        raise TypeError(
            f"{name}(): {describe(obj)} is a {kind.__module__}.{kind.__qualname__}, which means more than its numbers: "
            "a unit, a mask or the rules of a matrix; to use the numbers alone, pass numpy.asarray(obj), the magnitude "
            "in the unit that you want, or the filled values"
        )


def _convert_array(x: Array, dtype: Any, target: Device, copy: bool | None) -> Array:
    """Return an Array with another dtype, on another device, or both."""
    source = x._device
    target_dtype = x.dtype if dtype is None else check_dtype(dtype, target, "asarray")
    if source is target and target_dtype == x.dtype:
        return x.copy("K") if copy else x
    if copy is False:
        raise CopyRequiredError(
            f"{COPY_REFUSED}; asarray() converts dtype {x.dtype} on {source} to dtype {target_dtype} on {target}; "
            "pass copy=None or copy=True"
        )
    native = x._native
    if not target.supports(x.dtype) and target_dtype != x.dtype:  # the cast comes before the transfer
        check_cast(x.dtype, target_dtype, "asarray")
        native = call(ASTYPE, source, native, check_dtype(target_dtype, source, "asarray"), copy=True)
    native = serve("asarray", target, move, native, source, target)
    if native.dtype != target_dtype:
        check_cast(x.dtype, target_dtype, "asarray")
        native = call(ASTYPE, target, native, target_dtype, copy=True)
    elif copy and source.dlpack_device == target.dlpack_device:
        native = call(ASTYPE, target, native, target_dtype, copy=True)
    return wrap(native, target)


def _import_producer(obj: Any, dtype: Any, target: Device | None, copy: bool | None) -> Array:
    """Return the array of a DLPack producer as an Array."""
    native, result_device = from_producer(obj, target, copy, "asarray")
    return _convert_array(wrap(native, result_device), dtype, result_device, False if copy is False else None)


def _import_host_data(obj: Any, dtype: DType | None, target: Device, copy: bool | None, only_scalars: bool) -> Native:
    """Return the data of an object that NumPy can read as a native array of a device.

    ``only_scalars`` tells whether it is a Python scalar or a nested sequence of them.
    """
    if isinstance(obj, np.ndarray):
        host = obj
    else:
        buffer = not only_scalars and (isinstance(obj, (bytes, bytearray, memoryview)) or _has_buffer(obj))
        if copy is False and not buffer:
            raise CopyRequiredError(
                f"{COPY_REFUSED}; asarray() cannot share memory with {describe(obj)}; pass copy=None or copy=True"
            )
        host = _read(obj, dtype, target, buffer, only_scalars)
    if host.dtype.kind not in "biufcV" or (host.dtype.kind == "V" and host.dtype.names is not None):
        raise TypeError(
            f"asarray(): Arrays hold booleans and numbers; {describe(obj)} has dtype {host.dtype}; cast it to a "
            "boolean or numeric dtype"
        )
    if not host.dtype.isnative:
        if copy is False:
            raise CopyRequiredError(
                f"{COPY_REFUSED}; asarray() converts dtype {host.dtype} to native byte order; "
                "pass copy=None or copy=True"
            )
        host = host.astype(host.dtype.newbyteorder("="))
    if dtype is not None and host.dtype != dtype:
        if copy is False:
            raise CopyRequiredError(
                f"{COPY_REFUSED}; asarray() casts dtype {host.dtype} to {dtype}; pass copy=None or copy=True"
            )
        check_cast(host.dtype, dtype, "asarray")
        host, copy = serve("asarray", target, host.astype, dtype), None
    if dtype is None:
        check_dtype(host.dtype, target, "asarray")
    return serve("asarray", target, target._library.from_host, host, target._backend_spec, copy=copy)


def _vector(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Return Python floats alone, or Python integers alone, as a NumPy array; None for other values.

    This takes half of the time of NumPy's conversion of any sequence with a search for other classes before it.
    """
    kind = values[0].__class__
    dtype = VECTORS.get(kind)
    if dtype is None or countOf(map(type, values), kind) != len(values):
        return None
    try:
        return np.fromiter(values, dtype, len(values))
    except (OverflowError, ValueError):  # an integer beyond int64; a list that another thread shortens
        return None


def _read(obj: Any, dtype: DType | None, target: Device, buffer: bool, only_scalars: bool) -> np.ndarray[Any, Any]:
    """Return a NumPy array of Python scalars, sequences or a buffer, with the dtype that the standard infers."""
    if buffer:
        return np.asarray(memoryview(obj))
    if obj is None or isinstance(obj, (str, dict, set, frozenset)):
        raise TypeError(f"asarray() takes numbers, sequences of numbers and arrays, not {describe(obj)}")
    if isinstance(obj, (list, tuple)) and not only_scalars:
        for leaf in leaves(obj):
            _check_owner(leaf, "asarray")
    try:
        # NumPy converts straight to the dtype, so integers beyond int64 reach uint64 unrounded. Times have a unit.
        host: np.ndarray[Any, Any] = rewarned(np.asarray, obj, dtype=None if isinstance(obj, np.generic) else dtype)
    except OverflowError as error:
        limit = "the inferred dtype" if dtype is None else f"dtype {dtype}"
        raise OverflowError(
            f"{error}; asarray(): {describe(obj)} is out of bounds for {limit}; pass a wider dtype"
        ) from None
    except ValueError as error:
        raise ValueError(
            f"{error}; asarray(): {describe(obj)} is ragged or contains a non-numeric element; pass numbers in nested "
            "sequences of equal lengths"
        ) from None
    if dtype is None and not isinstance(obj, np.generic):
        host = _cast_to_default_dtype(obj, host, target, only_scalars)
    return host


def _cast_to_default_dtype(
    obj: Any, host: np.ndarray[Any, Any], target: Device, only_scalars: bool
) -> np.ndarray[Any, Any]:
    """Cast an array of Python scalars to the default dtype of its kind; return other arrays unchanged."""
    kind = DEFAULTS.get(host.dtype.kind)
    if kind is None or not (only_scalars or _contains_only_python_scalars(obj)):
        return host
    # NumPy makes floating-point numbers of integers that fit neither int64 nor uint64 together.
    if host.dtype.kind in "ufO" and host.size and _contains_only_integers(obj):
        raise OverflowError(
            f"asarray(): {describe(obj)} contains an integer out of bounds for int64; pass dtype=xtensor.uint64 or a "
            "floating-point dtype"
        )
    return _in_default_dtype(host, target) if kind else host


def _in_default_dtype(host: np.ndarray[Any, Any], target: Device) -> np.ndarray[Any, Any]:
    """Cast numbers to a device's default dtype of their kind, which integers may be out of bounds for."""
    dtype = target.default_dtypes[DEFAULTS[host.dtype.kind]]
    if dtype.kind == "i" and dtype.itemsize < host.dtype.itemsize and host.size:
        for value in (host.min(), host.max()):
            check_bounds(int(value), dtype, "asarray", "integers")
    return rewarned(host.astype, dtype, copy=False)  # type: ignore[no-any-return]


def from_list(function: str, values: Any, device: Device) -> Array:
    """Return a sequence or a scalar that is an operand as an Array of a device; errors name the function."""
    try:
        return asarray(values, device=device)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{function}(): {error}") from None


def leaves(obj: Any, depth: int = 0) -> Any:
    """Yield the innermost elements of nested lists and tuples."""
    if depth > MAX_DEPTH:
        raise ValueError(
            f"asarray(): sequences are nested more than {MAX_DEPTH} deep, or a list contains itself; pass at most "
            f"{MAX_DEPTH} dimensions"
        )
    for item in obj:
        if isinstance(item, (list, tuple)):
            yield from leaves(item, depth + 1)
        else:
            yield item


def _contains_only_scalars(obj: Any, depth: int = 0) -> bool:
    """Tell whether the leaves of a nested sequence are Python scalars, comparing sets of types, not elements."""
    types = set(map(type, obj))
    return types <= SCALARS or (
        types <= SEQUENCES and depth < MAX_DEPTH and all(_contains_only_scalars(item, depth + 1) for item in obj)
    )


def _contains_only_python_scalars(obj: Any) -> bool:
    """Tell whether an object is made of Python scalars, without an array or a NumPy scalar, which have a dtype."""
    elements = leaves(obj) if isinstance(obj, (list, tuple)) else (obj,)
    return not any(hasattr(leaf, "__array__") or hasattr(leaf, "__array_interface__") for leaf in elements)


def _contains_only_integers(obj: Any) -> bool:
    items = leaves(obj) if isinstance(obj, (list, tuple)) else (obj,)
    return all(isinstance(leaf, int) for leaf in items)


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except TypeError:
        return False
    return not isinstance(obj, np.generic)


def _stack_elements(obj: Sequence[Any], dtype: Any, target: Device, copy: bool | None) -> Array:
    """Convert a nested sequence of Arrays and scalars: convert each element to ``target``, then stack."""
    if copy is False:
        raise CopyRequiredError(
            f"{COPY_REFUSED}; asarray() stacks the Arrays of a sequence; pass copy=None or copy=True"
        )
    items = [asarray(item, device=target, dtype=dtype) for item in obj]
    shapes = {item.shape for item in items}
    if len(shapes) > 1:
        raise ValueError(
            "all input arrays must have the same shape; asarray() stacks the elements of a sequence, which have "
            f"shapes {sorted(shapes)}; make them equal"
        )
    return apply(STACK, target, [item._native for item in items], axis=0)
