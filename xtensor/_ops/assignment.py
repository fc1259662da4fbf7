"""Assignment to elements of an array, in place, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_casting
from .._core.compositions import assignment
from .._core.device import base_device
from .._core.dtypes import Casting, can_cast, kind_of
from .._core.indexing import ASSIGNED_WHERE
from .._core.large_calls import call_elementwise_if_implemented
from .._core.levels import first_wrong
from .._core.operands import SCALARS, coerce_operands, device_of
from .._core.tracing_errors import any_true, rarely
from ._arguments import flattened, on_device
from ._conversions import as_values, check_mode, cycled, within

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Operand

__all__ = ["copyto", "place", "put", "put_along_axis", "putmask"]


@assignment
def copyto(dst: Array, src: Any, casting: Casting = "same_kind", where: Any = True) -> None:
    """Assign the elements of one array to another, in place.

    Parameters
    ----------
    dst
        The Array to assign to.
    src
        The new elements: a scalar or an array-like that broadcasts to the shape of ``dst``.
    casting
        The rule by which the dtype of ``src`` must cast to that of ``dst``: ``"no"``, ``"equiv"``, ``"safe"``,
        ``"same_kind"`` or ``"unsafe"``. A Python number casts if its kind does.
    where
        Booleans that broadcast to the shape of ``dst``: True for an element to assign to.

    Raises
    ------
    TypeError
        If ``dst`` is not an Array, or the dtype does not cast.
    ValueError
        If the shapes do not broadcast, or ``casting`` is unknown.

    Notes
    -----
    NumPy, ``copyto``.
    """
    device = device_of(dst, "copyto")
    check_casting(casting, "copyto")
    plain = where is True and src.__class__ is Array and src._device is device
    if plain and src.dtype == dst.dtype and src.shape == dst.shape:
        dst[...] = src
        return
    is_scalar = src.__class__ in SCALARS
    values = xp.asarray(src, device=device) if is_scalar else on_device("copyto", src, device)
    is_weak = src.__class__ in (int, float, complex) and casting != "equiv"
    kinds = "bifc"
    target = "i" if dst.dtype.kind == "u" else kind_of(dst.dtype)
    if casting != "unsafe" and not (
        kinds.index(values.dtype.kind) <= kinds.index(target) if is_weak else can_cast(values.dtype, dst.dtype, casting)
    ):
        noun = "scalar" if is_scalar or not values.ndim else "array data"
        raise TypeError(
            f"Cannot cast {noun} from {values.dtype!r} to {dst.dtype!r} according to the rule '{casting}'; cast the "
            "values with xtensor.astype, or pass casting='unsafe' to copyto()"
        )
    values = as_values("copyto", src if is_scalar else values, dst.dtype, device)
    while values.ndim > dst.ndim and values.shape[0] == 1:
        values = values[0, ...]
    _check_broadcast(values, dst, "input array")
    if where is True:
        dst[...] = values
        return
    boolean = np.dtype(bool)
    dtype = getattr(where, "dtype", boolean)
    if dtype != boolean:
        raise TypeError(
            f"Cannot cast array data from {dtype!r} to {boolean!r} according to the rule 'safe'; copyto() takes "
            "booleans for where"
        )
    mask = as_values("copyto", where, boolean, device)
    _check_broadcast(mask, dst, "where mask")
    dst[...] = xp.where(mask, values, dst)


@assignment
def place(arr: Array, mask: Any, vals: Any) -> None:
    """Assign to the elements where a mask is true, in place, one value after another.

    Parameters
    ----------
    arr
        The Array to assign to.
    mask
        An array-like with as many elements as ``arr``; nonzero elements count as True.
    vals
        The new elements in the order of the true elements: a sequence or an array, which is flattened, repeated from
        its beginning where it is shorter, and cast to the dtype of ``arr``; an array must cast safely.

    Raises
    ------
    ValueError
        If the mask differs in size, or is true anywhere and ``vals`` is empty.
    TypeError
        If ``arr`` is not an Array, or the dtype of ``vals`` does not cast.

    Notes
    -----
    NumPy, ``place``. :func:`putmask` selects each value by the position in the whole array.
    """
    device = device_of(arr, "place")
    chosen = _mask(arr, mask, "place")
    values = flattened(_safe_values(arr, vals, "place"))
    if not arr.size:
        return
    if not values.size:
        if bool(xp.any(chosen)):
            raise ValueError(f"Cannot insert from an empty array!; place() takes values, not shape {values.shape}")
        return
    flat = xp.astype(flattened(chosen), device.default_dtypes["indexing"])
    rank = xp.maximum(xp.cumulative_sum(flat, dtype=flat.dtype) - 1, 0) % values.shape[0]
    arr[...] = xp.where(chosen, xp.reshape(xp.take(values, rank), arr.shape), arr)


@assignment
def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Assign to the elements at indices of the flattened array, in place.

    Parameters
    ----------
    a
        The Array to assign to.
    ind
        The indices: an array-like of integers. The last of equal indices decides, on devices of the host.
    v
        The new elements: a scalar or an array-like, which is flattened, repeated from its beginning where it is
        shorter, and cast to the dtype of ``a``. Nothing is assigned from an empty one.
    mode
        ``"raise"``: negative indices count from the end, and others that are out of bounds are an error, on devices of
        the host. ``"wrap"``: indices are taken modulo the size. ``"clip"``: the nearest index is taken.

    Raises
    ------
    IndexError
        If an index is out of bounds, or ``a`` is empty.
    ValueError
        If ``mode`` is unknown.
    TypeError
        If ``a`` is not an Array.

    Notes
    -----
    NumPy, ``put``.
    """
    device = device_of(a, "put")
    check_mode(mode, "put")
    values = as_values("put", v, a.dtype, device)
    indices = flattened(on_device("put", ind, device))
    if indices.dtype.kind not in "biu" and not (isinstance(ind, (list, tuple)) and not ind):
        raise TypeError(
            f"Cannot cast array data from {indices.dtype!r} to {np.dtype(np.intp)!r} according to the rule 'safe'; "
            "put() takes integers as indices; cast them with xtensor.astype"
        )
    if not indices.size:
        return
    if not a.size:
        raise IndexError(f"cannot replace elements of an empty array; put() received indices for shape {a.shape}")
    if not values.size:
        return
    indices = xp.astype(indices, device.default_dtypes["indexing"], copy=False)
    if mode == "raise":
        wrong = first_wrong(indices, (indices < -a.size) | (indices >= a.size))
        if wrong is not None:
            raise IndexError(
                f"index {wrong} is out of bounds for axis 0 with size {a.size}; put() takes indices from {-a.size} to "
                f"{a.size - 1} here"
            )
        indices = xp.where(indices < 0, indices + a.size, indices)
    indices = within(indices, a.size, mode)
    is_vector = base_device(device).host and a.ndim == 1  # whose indices were checked
    key = [indices] if is_vector else []
    for length in () if is_vector else reversed(a.shape):
        key.append(indices % length)
        indices = indices // length
    values = cycled(values, key[0].shape[0] if key else indices.shape[0])
    if not key:
        a[...] = values[-1]
        return
    _assign(a, tuple(reversed(key)), values, key[0].shape)


@assignment
def putmask(a: Array, /, mask: Any, values: Any) -> None:
    """Assign to the elements where a mask is true, in place, the values at the same positions.

    Parameters
    ----------
    a
        The Array to assign to.
    mask
        An array-like with as many elements as ``a``; nonzero elements count as True.
    values
        The new elements, one for each element of ``a``, true or not: a scalar or an array-like, which is flattened,
        repeated from its beginning where it is shorter, and cast to the dtype of ``a``; an array must cast safely.
        Nothing is assigned from an empty one.

    Raises
    ------
    ValueError
        If the mask differs in size.
    TypeError
        If ``a`` is not an Array, or the dtype of ``values`` does not cast.

    Notes
    -----
    NumPy, ``putmask``. :func:`place` takes one value after another instead.
    """
    device_of(a, "putmask")
    chosen = _mask(a, mask, "putmask")
    new = _safe_values(a, values, "putmask")
    if not new.size or not a.size:
        return
    step = NotImplemented
    if new.shape == a.shape or new.size == 1:
        new = new if new.shape == a.shape else xp.reshape(new, ())
        step = call_elementwise_if_implemented(ASSIGNED_WHERE, a.device, a._native, chosen._native, new._native)
    if step is NotImplemented:
        a[...] = xp.where(chosen, xp.reshape(cycled(new, a.size), a.shape), a)


@assignment
def put_along_axis(arr: Array, indices: AnyArray, values: Operand, axis: int | None) -> None:
    """Assign to the elements at given indices along an axis, with separate indices for each line along it.

    Parameters
    ----------
    arr
        The Array to assign to, in place.
    indices
        The indices: an Array of integers with as many dimensions as ``arr``, such as the result of :func:`argsort`. Its
        other axes broadcast with those of ``arr``. Negative indices count from the end.
    values
        The new elements: a Python scalar, or an Array whose shape broadcasts to that of ``indices``.
    axis
        The axis; None assigns to the flattened array, and ``indices`` must have one dimension.

    Raises
    ------
    IndexError
        If an index is out of bounds, on devices that detect it.
    ValueError
        If the numbers of dimensions differ, or the shapes do not broadcast.
    TypeError
        If ``indices`` is not an Array of integers.

    Notes
    -----
    NumPy, ``put_along_axis``. The result for an index that appears twice is not defined.
    """
    device = device_of(arr, "put_along_axis")
    (_, indices) = coerce_operands("put_along_axis", arr, indices)
    device_of(indices, "put_along_axis")
    if indices.dtype.kind not in "iu":
        raise IndexError(
            f"`indices` must be an integer array; put_along_axis() received dtype {indices.dtype}, cast with "
            "xtensor.astype"
        )
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(
                "when axis=None, `indices` must have a single dimension.; put_along_axis() received indices of shape "
                f"{indices.shape}"
            )
        flat = xp.reshape(arr, (-1,), copy=True)
        put_along_axis(flat, indices, values, 0)
        arr[...] = xp.reshape(flat, arr.shape)
        return
    axis = check_axis(axis, arr.ndim, "put_along_axis")
    if indices.ndim != arr.ndim:
        raise ValueError(
            f"put_along_axis(): indices need as many axes as the array, not shape {indices.shape} for shape {arr.shape}"
        )
    shape = tuple(
        indices.shape[i] if i == axis else xp.broadcast_shapes((indices.shape[i],), (length,))[0]
        for i, length in enumerate(arr.shape)
    )
    key = tuple(
        indices if i == axis else _along(xp.arange(length, device=device), i, arr.ndim)
        for i, length in enumerate(arr.shape)
    )
    if indices.size:
        _assign(arr, key, values, shape)


def _along(x: Array, axis: int, ndim: int) -> Array:
    """Return a vector as an array of ``ndim`` dimensions whose other axes have length 1."""
    return xp.reshape(x, (*(1,) * axis, -1, *(1,) * (ndim - axis - 1)))


def _assign(arr: Array, key: tuple[Array, ...], values: Any, shape: tuple[int, ...]) -> None:
    """Do ``arr[key] = values`` for index arrays that broadcast to a shape without elements of length 0."""
    try:
        arr[key] = values
    except IndexError:
        for indices, length in zip(key, arr.shape, strict=True):
            if rarely(any_true, (indices < -length) | (indices >= length)):
                raise
        # The device does not support assignment to index arrays.
        _assign_by_search(arr, key, values, shape)


def _mask(arr: Array, mask: Any, name: str) -> Array:
    """Return a mask as booleans of the shape of an array; raise ValueError if the sizes differ."""
    chosen = on_device(name, mask, arr.device)
    if chosen.size != arr.size:
        raise ValueError(
            f"{name}: mask and data must be the same size; {name}() received a mask of shape {chosen.shape} for shape "
            f"{arr.shape}"
        )
    return xp.reshape(xp.astype(chosen, bool, copy=False), arr.shape)


def _safe_values(arr: Array, values: Any, name: str) -> Array:
    """Return new elements in the dtype of an array; raise TypeError if they are an array that does not cast safely."""
    dtype = getattr(values, "dtype", arr.dtype)
    if not can_cast(dtype, arr.dtype):
        raise TypeError(
            f"Cannot cast array data from {dtype!r} to {arr.dtype!r} according to the rule 'safe'; cast the values of "
            f"{name}() with xtensor.astype"
        )
    return as_values(name, values, arr.dtype, arr.device)


def _check_broadcast(x: Array, dst: Array, noun: str) -> None:
    """Raise ValueError unless an array broadcasts to the shape of another."""
    lengths = zip(x.shape[::-1], dst.shape[::-1], strict=False)
    if x.ndim > dst.ndim or any(own not in (1, length) for own, length in lengths):
        raise ValueError(
            f"could not broadcast {noun} from shape {x.shape} into shape {dst.shape}; copyto() takes shapes that "
            "broadcast to that of dst"
        )


def _assign_by_search(arr: Array, key: tuple[Array, ...], values: Any, shape: tuple[int, ...]) -> None:
    """Do ``arr[key] = values`` for index arrays by a binary search for the index of each element of ``arr``."""
    device = arr._device
    flat = xp.zeros(shape, dtype=device.default_dtypes["integral"], device=device)
    for indices, length in zip(key, arr.shape, strict=True):
        flat = flat * length + xp.where(indices < 0, indices + length, indices)
    if not isinstance(values, Array):
        values = xp.asarray(values, dtype=arr.dtype, device=device)
    values = xp.reshape(xp.broadcast_to(xp.astype(values, arr.dtype), shape), (-1,))
    flat = flattened(flat)
    order = xp.argsort(flat)
    flat, values = xp.take(flat, order), xp.take(values, order)
    targets = xp.arange(arr.size, dtype=flat.dtype, device=device)
    last = xp.maximum(xp.searchsorted(flat, targets, side="right") - 1, 0)
    assigned = xp.take(flat, last) == targets
    arr[...] = xp.reshape(xp.where(assigned, xp.take(values, last), flattened(arr)), arr.shape)
