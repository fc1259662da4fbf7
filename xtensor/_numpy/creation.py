"""NumPy's functions that create arrays, with the parameter ``like`` and its memory orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_order
from .._core.operands import SEQUENCES
from .._ops._arguments import as_arrays

__all__ = ["CREATION", "full_like", "like_of"]

Function = Callable[..., Any]


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any, copy: Any = None) -> Array:
    """Return ``numpy.asarray(a, like=x)``: an Array on the device of ``x``."""
    return _in_order(xp.asarray(a, dtype=dtype, device=device, copy=copy), _order_of(a, order), copy)


def _order_of(a: Any, order: Any) -> Any:
    """Return the order of an array of ``a``: a sequence has none to keep, so that its array is row-major."""
    keeps = order is None or (isinstance(order, str) and order.upper() in ("K", "A"))
    return "C" if keeps and isinstance(a, SEQUENCES) else order


def _in_order(x: Array, order: Any, copy: Any = None) -> Array:
    """Return an array in host memory in row-major (``"C"``) or column-major order (``"F"``); others unchanged."""
    order = order.upper() if isinstance(order, str) else order
    if order not in ("C", "F") or not x._device.host:
        return x
    memory = x._device._library.to_host(x._native)
    if memory.flags.c_contiguous if order == "C" else memory.flags.f_contiguous:
        return x
    if copy is False:
        raise ValueError(
            "Unable to avoid copy while creating an array as requested.; an array of shape "
            f"{x.shape} is copied for order={order!r}, pass copy=None"
        )
    return xp.asarray(np.array(memory, order=order), device=x.device)


def ascontiguousarray(a: Any, dtype: Any = None, *, device: Any) -> Array:
    """Return ``numpy.ascontiguousarray(a, like=x)``: at least one dimension, as NumPy has it."""
    result = _in_order(xp.asarray(a, dtype=dtype, device=device), "C")
    return result if result.ndim else xp.reshape(result, (1,))


def asfortranarray(a: Any, dtype: Any = None, *, device: Any) -> Array:
    """Return ``numpy.asfortranarray(a, like=x)``: at least one dimension; column-major in host memory."""
    result = _in_order(xp.asarray(a, dtype=dtype, device=device), "F")
    return result if result.ndim else xp.reshape(result, (1,))


def array(
    object: Any,
    dtype: Any = None,
    *,
    device: Any,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
) -> Array:
    """Return ``numpy.array(object, like=x)``: an Array on the device of ``x``."""
    result = _in_order(xp.asarray(object, dtype=dtype, device=device, copy=copy), _order_of(object, order), copy)
    return xp.reshape(result, (1,) * (ndmin - result.ndim) + result.shape) if result.ndim < ndmin else result


def _created(name: str) -> Function:
    """Return NumPy's creation function with ``like``: its values on the device of that Array."""

    def create(*args: Any, device: Any, **kwargs: Any) -> Any:
        return xp.asarray(getattr(np, name)(*args, **kwargs), device=device)

    return create


def _filled(name: str) -> Function:
    function = getattr(xp, name)

    def create(shape: Any, *args: Any, device: Any, order: Any = "C", **kwargs: Any) -> Any:
        if name != "full" and args:
            kwargs["dtype"], args = args[0], args[1:]
        return _in_order(function(shape, *args[:1], device=device, **kwargs), order)

    return create


def like_of(name: str) -> Function:
    """Return the function that creates an array like another one."""

    def like(
        a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
    ) -> Array:
        check_order(order, f"{name}_like")
        (a,) = as_arrays(f"{name}_like", a)
        return _in_order(getattr(xp, f"{name}_like")(a, dtype=dtype, shape=shape), order)

    return like


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    (a,) = as_arrays("full_like", a)
    check_order(order, "full_like")
    result: Array = like_of("empty")(a, dtype=dtype, order=order, shape=shape)
    if fill_value.__class__ in (bool, int, float, complex):
        return _in_order(xp.full_like(result, fill_value), order)
    result[...] = xp.astype(as_arrays("full_like", a, fill_value)[1], result.dtype, copy=False)
    return result


CREATION: dict[Function, Function] = {
    np.asarray: asarray,
    np.asanyarray: asarray,
    np.ascontiguousarray: ascontiguousarray,
    np.asfortranarray: asfortranarray,
    np.array: array,
    np.empty: _filled("empty"),
    np.full: _filled("full"),
    np.ones: _filled("ones"),
    np.zeros: _filled("zeros"),
    **{
        getattr(np, name): _created(name)
        for name in ("arange", "eye", "frombuffer", "fromfunction", "fromiter", "fromstring", "identity", "tri")
    },
}
"""NumPy's functions with the parameter ``like``, which takes an Array whose device the result is on."""
