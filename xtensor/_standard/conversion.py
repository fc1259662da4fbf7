"""Making an Array of whatever holds numbers: scalars, nested sequences, NumPy arrays, buffers, DLPack producers.

Requirements: an array's own dtype and device are kept unless the caller asks for others; ``copy`` is honoured to
the letter; nothing that is not numbers becomes an Array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.array import ASTYPE, Array, apply, obtain, wrap
from .._core.backend import Native
from .._core.checks import check_cast, check_copy, check_dtype
from .._core.device import Device, resolve
from .._core.dispatch import SCALARS, call, common_device, serve
from .._core.dtypes import DType
from .._core.errors import CopyRequiredError, describe
from .._core.interchange import from_producer
from .._core.transfers import move
from .manipulation import STACK

__all__ = ["asarray", "from_dlpack"]


def asarray(obj: Any, /, *, dtype: Any = None, device: str | Device | None = None, copy: bool | None = None) -> Array:
    """An Array of the numbers in an object.

    Parameters
    ----------
    obj
        An Array; a Python or NumPy scalar; a nested sequence of them, with Arrays inside if need be; a NumPy array;
        an object with the buffer protocol; any library's array with DLPack (CuPy, dpnp, torch, jax, …).
    dtype
        The dtype of the result. By default that of ``obj``; Python scalars give bool, the default integer, the
        default real or the default complex floating-point dtype, by the widest kind among them.
    device
        Where the result shall be. By default where ``obj`` is, if it is on a device, else the default device.
    copy
        True always copies; False never does; None does only where it must.

    Returns
    -------
    Array
        An Array of the shape of ``obj``, on its memory where that is possible and ``copy`` is not True.

    Raises
    ------
    ValueError
        If a copy is needed and ``copy=False``, or nested sequences are ragged.
    TypeError
        If ``obj`` holds something else than numbers, or the device has not the dtype.
    OverflowError
        If a Python integer does not fit the dtype.

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
    if obj.__class__ is Array and dtype is None and device is None and copy is None:
        return obj
    copy = check_copy(copy, "asarray")
    if obj.__class__ is np.ndarray and dtype is None:
        target = resolve(device)
        if obj.dtype in target.dtypes or target.supports(obj.dtype):
            return obtain("asarray", target, target._library.from_host, obj, target._place, copy=copy)
    if obj.__class__ is Array:
        return _of_array(obj, dtype, obj._device if device is None else resolve(device), copy)
    if not isinstance(obj, (np.ndarray, np.generic)) and hasattr(obj, "__dlpack__"):
        return _of_producer(obj, dtype, None if device is None else resolve(device), copy)
    if isinstance(obj, (list, tuple)) and not _plain(obj) and (inner := common_device(_leaves(obj))) is not None:
        return _of_mixed_sequence(obj, dtype, inner if device is None else resolve(device), copy)
    target = resolve(device)
    wanted = None if dtype is None else check_dtype(dtype, target, "asarray")
    return wrap(_native(obj, wanted, target, copy), target)


def from_dlpack(x: Any, /, *, device: str | Device | None = None, copy: bool | None = None) -> Array:
    """An Array of another library's array, through DLPack.

    Parameters
    ----------
    x
        An object with ``__dlpack__`` and ``__dlpack_device__``.
    device
        Where the result shall be. By default where ``x`` is.
    copy
        True always copies; False never does; None does only where it must.

    Returns
    -------
    Array
        On the memory of ``x`` where device and ``copy`` allow.

    Raises
    ------
    BufferError
        If the elements cannot be exported so, or only by the copy that ``copy=False`` forbids (a ValueError too).
    AttributeError
        If ``x`` has not the two methods.

    Notes
    -----
    Standard 2025.12, Creation Functions, ``from_dlpack``.
    """
    target = None if device is None else resolve(device)
    copy = check_copy(copy, "from_dlpack")
    if x.__class__ is Array:
        return _of_array(x, None, x._device if target is None else target, copy)
    try:
        native, place = from_producer(x, target, copy)
    except BufferError as error:
        raise type(error)(f"from_dlpack({describe(x)}): {error}") from error
    check_dtype(native.dtype, place, "from_dlpack")
    return wrap(native, place)


def _of_array(x: Array, dtype: Any, target: Device, copy: bool | None) -> Array:
    source = x._device
    wanted = x.dtype if dtype is None else check_dtype(dtype, target, "asarray")
    if source is target and wanted == x.dtype:
        return x.copy() if copy else x
    if copy is False:
        raise CopyRequiredError(
            f"asarray(): a copy is needed to make dtype {wanted} on {target} of dtype {x.dtype} on {source}; "
            "pass copy=None or copy=True"
        )
    native = serve("asarray", target, move, x._native, source, target)
    if wanted != x.dtype:
        check_cast(x.dtype, wanted, "asarray")
        native = call(ASTYPE, target, native, wanted, copy=True)
    elif copy and source.dlpack_device == target.dlpack_device:
        native = call(ASTYPE, target, native, wanted, copy=True)
    return wrap(native, target)


def _of_producer(obj: Any, dtype: Any, target: Device | None, copy: bool | None) -> Array:
    native, place = from_producer(obj, target, copy)
    return _of_array(wrap(native, place), dtype, place, False if copy is False else None)


def _native(obj: Any, dtype: DType | None, target: Device, copy: bool | None) -> Native:
    """A native array of something that NumPy can read, on a device."""
    if isinstance(obj, np.ndarray):
        host = obj
    else:
        buffer = isinstance(obj, (bytes, bytearray, memoryview)) or _has_buffer(obj)
        if copy is False and not buffer:
            raise CopyRequiredError(f"asarray(): {describe(obj)} has no memory to share; pass copy=None or copy=True")
        host = _read(obj, dtype, target, buffer)
    if host.dtype.kind not in "biufcV" or (host.dtype.kind == "V" and host.dtype.names is not None):
        raise TypeError(f"asarray(): an Array holds booleans or numbers, not dtype {host.dtype} as of {describe(obj)}")
    if not host.dtype.isnative:
        if copy is False:
            raise CopyRequiredError(f"asarray(): dtype {host.dtype} is byte-swapped and needs a copy; pass copy=None")
        host = host.astype(host.dtype.newbyteorder("="))
    if dtype is not None and host.dtype != dtype:
        if copy is False:
            raise CopyRequiredError(
                f"asarray(): a copy is needed to make dtype {dtype} of {host.dtype}; pass copy=None or copy=True"
            )
        check_cast(host.dtype, dtype, "asarray")
        host, copy = host.astype(dtype), None
    check_dtype(host.dtype, target, "asarray")
    return serve("asarray", target, target._library.from_host, host, target._place, copy=copy)


def _read(obj: Any, dtype: DType | None, target: Device, buffer: bool) -> np.ndarray[Any, Any]:
    """A NumPy array of Python's scalars, sequences and buffers, in the dtype that the standard infers."""
    if buffer:
        return np.asarray(memoryview(obj))
    if obj is None or isinstance(obj, (str, dict, set, frozenset)):
        raise TypeError(f"asarray() takes numbers, sequences of them and arrays, not {describe(obj)}")
    try:
        # The dtype is applied here where it is given, so that integers beyond int64 reach uint64 unrounded.
        host = np.asarray(obj, dtype=dtype)
    except OverflowError as error:
        raise OverflowError(f"asarray(): {describe(obj)} does not fit dtype {dtype} ({error})") from None
    except ValueError as error:
        raise ValueError(
            f"asarray(): {describe(obj)} is ragged or holds what is no number; nested sequences need equal lengths "
            f"({error})"
        ) from None
    if dtype is None and not isinstance(obj, np.generic):
        host = _default_dtype(obj, host, target)
    return host


def _default_dtype(obj: Any, host: np.ndarray[Any, Any], target: Device) -> np.ndarray[Any, Any]:
    """The default dtype of its kind for what came from Python scalars alone."""
    kinds = {"i": "integral", "u": "integral", "f": "real floating", "c": "complex floating", "O": ""}
    kind = kinds.get(host.dtype.kind)
    if kind is None or not _only_python_scalars(obj):
        return host
    if host.dtype.kind in "uO" and host.size and _all_integers(obj):
        raise OverflowError(
            f"asarray(): {describe(obj)} holds an integer beyond int64; pass dtype=xtensor.uint64 or a float dtype"
        )
    return host.astype(target.default_dtypes[kind], copy=False) if kind else host


def _leaves(obj: Any, depth: int = 0) -> Any:
    """The innermost elements of nested lists and tuples."""
    if depth > 64:
        raise ValueError("asarray(): sequences are nested more than 64 deep, or a list contains itself")
    for item in obj:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item, depth + 1)
        else:
            yield item


NESTED = frozenset((list, tuple))


def _plain(obj: Any, depth: int = 0) -> bool:
    """Whether nested lists and tuples hold nothing but Python's own scalars, by their types, which are few."""
    kinds = set(map(type, obj))
    return kinds <= SCALARS or (kinds <= NESTED and depth < 64 and all(_plain(item, depth + 1) for item in obj))


def _only_python_scalars(obj: Any) -> bool:
    if isinstance(obj, (list, tuple)) and _plain(obj):
        return True
    leaves = _leaves(obj) if isinstance(obj, (list, tuple)) else (obj,)
    return not any(isinstance(leaf, (np.generic, np.ndarray)) for leaf in leaves)


def _all_integers(obj: Any) -> bool:
    leaves = _leaves(obj) if isinstance(obj, (list, tuple)) else (obj,)
    return all(isinstance(leaf, int) for leaf in leaves)


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except TypeError:
        return False
    return not isinstance(obj, np.generic)


def _of_mixed_sequence(obj: Sequence[Any], dtype: Any, target: Device, copy: bool | None) -> Array:
    """Arrays and scalars in nested sequences: what is innermost is stacked, device by device as operands are."""
    if copy is False:
        raise CopyRequiredError("asarray(): a sequence of Arrays has no memory to share; pass copy=None or copy=True")
    items = [asarray(item, device=target, dtype=dtype) for item in obj]
    shapes = {item.shape for item in items}
    if len(shapes) > 1:
        raise ValueError(f"asarray(): the parts of a sequence have different shapes {sorted(shapes)}; make them equal")
    return apply(STACK, target, [item._native for item in items], axis=0)
