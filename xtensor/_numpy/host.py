"""NumPy's own functions on the values of Arrays, and their results as Arrays of the same device.

Requirements: no transfer that the policy forbids; a result is an Array of the Arrays' device, not a NumPy array; what
NumPy writes into an Array reaches that Array.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.calls import wrap
from .._core.device import Device
from .._core.operands import HOST_ARRAYS, common_device, native_operand
from .._core.transfers import allowed

__all__ = ["SPECIAL", "WRITING", "arrays_in", "call_on_host", "device_of_arguments", "qualified_name"]


SPECIAL = "scipy.special._ufuncs"
"""The module of SciPy's ufuncs; ``scipy.special`` wraps them where its switch SCIPY_ARRAY_API is on."""


def qualified_name(function: Callable[..., Any]) -> str:
    """Return a function's public name with its module, such as ``numpy.linalg.norm``."""
    module = getattr(function, "__module__", None) or "numpy"
    if isinstance(function, np.ufunc):
        modules = {"numpy": np, "scipy.special": sys.modules.get(SPECIAL)}
        owners = [name for name, owner in modules.items() if getattr(owner, function.__name__, None) is function]
        if not owners:
            return function.__name__  # made by numpy.frompyfunc, or another library's
        module = owners[0]
    return f"{module}.{getattr(function, '__name__', repr(function))}"


WRITING = frozenset((np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask))
"""Functions that write into their first argument."""

MAX_DEPTH = 100
"""The depth of nested sequences beyond which a list contains itself."""


def arrays_in(values: Iterable[Any], depth: int = 0) -> list[Array]:
    """Return the Arrays among values, and among the items of sequences and dictionaries."""
    arrays: list[Array] = []
    if depth > MAX_DEPTH:
        raise ValueError(f"sequences are nested more than {MAX_DEPTH} deep, or a list contains itself")
    for value in values:
        if value.__class__ is Array:
            arrays.append(value)
        elif isinstance(value, (list, tuple)):
            arrays += arrays_in(value, depth + 1)
        elif isinstance(value, dict):
            arrays += arrays_in(value.values(), depth + 1)
    return arrays


def device_of_arguments(args: Sequence[Any], kwargs: dict[str, Any], like: Device | None = None) -> Device:
    """Return the device for a call: that of the Arrays among its arguments, else that of its argument ``like``."""
    device = common_device(arrays_in((*args, *kwargs.values()))) or like
    assert device is not None, "NumPy calls these protocols for Arrays only"
    return device


def call_on_host(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], device: Device, name: str
) -> Any:
    """Return the result of NumPy's function on the host values of the Arrays among its arguments.

    Raises
    ------
    TypeError
        If the device's memory is not the host's and transfers are forbidden.
    DeviceMismatchError
        If the Arrays are on different devices and transfers are forbidden.
    """
    written: list[Array] = []
    if not device.host:
        written = arrays_in(_outputs(function, args, kwargs))
        arrays = arrays_in((*args, *kwargs.values()))
        permitted = [allowed(x._native, x._device, "the host") for x in arrays]  # each one is logged
    if not device.host and not all(permitted):
        raise TypeError(
            f"no implementation found for '{name}' on types that implement __array_function__ or __array_ufunc__: "
            f"{name}() is not computed on device {device}; build it from xtensor functions, call it on the host with "
            "x.to_device('cpu'), or allow the transfer, which also moves the result back, with "
            "xtensor.transfers('allow')"
        )
    values = _HostValues(device, name)
    result = function(*values.of(tuple(args)), **values.of(kwargs))
    for x in written:
        x[...] = wrap(native_operand(values.host[id(x)], x._device, name), x._device)
    return values.restore(result)


def _outputs(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of a call that NumPy writes to: ``out``, or the first one."""
    is_at = isinstance(getattr(function, "__self__", None), np.ufunc) and function.__name__ == "at"
    if args and (is_at or function in WRITING):
        return (args[0],)
    if "out" in kwargs or isinstance(function, np.ufunc):
        return (kwargs.get("out"),)
    try:
        return (inspect.signature(function).bind(*args, **kwargs).arguments.get("out"),)
    except (TypeError, ValueError):  # a function in C has no signature
        return ()


class _HostValues:
    """The host values of a call's Arrays, and the Arrays of its results."""

    def __init__(self, device: Device, name: str) -> None:
        self.device = device
        self.name = name
        self.arrays: dict[int, Array] = {}
        """The Arrays by the identity of their host values, so that an argument that is returned is the same Array."""
        self.host: dict[int, np.ndarray[Any, Any]] = {}
        """The host values by the identity of their Arrays."""
        self.given: set[int] = set()

    def of(self, value: Any) -> Any:
        """Return an argument with NumPy arrays in the place of Arrays."""
        if value.__class__ is Array:
            if id(value) in self.host:  # it may be the one that is written to
                return self.host[id(value)]
            host = self.device._library.to_host(native_operand(value, self.device, self.name))
            self.arrays[id(host)] = value
            self.host[id(value)] = host
            return host
        if isinstance(value, np.ndarray):
            self.given.add(id(value))
        elif value.__class__ in (list, tuple):
            return value.__class__([self.of(item) for item in value])
        elif value.__class__ is dict:
            return {key: self.of(item) for key, item in value.items()}
        return value

    def restore(self, result: Any) -> Any:
        """Return a result with Arrays in the place of NumPy's arrays and numbers of a dtype that the device supports.

        A NumPy array that the caller passed, ``out`` for example, is returned as it is.
        """
        if result.__class__ in HOST_ARRAYS:
            if id(result) in self.arrays:
                return self.arrays[id(result)]
            return result if id(result) in self.given else self._array(result)
        if isinstance(result, np.generic):
            return self._array(np.asarray(result))
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return type(result)(*map(self.restore, result))
        if result.__class__ in (list, tuple):
            return result.__class__([self.restore(item) for item in result])
        return result

    def _array(self, result: np.ndarray[Any, Any]) -> Any:
        if result.dtype.kind not in "biufcV" or not self.device.supports(result.dtype):
            return result if result.ndim else result[()]
        return wrap(self.device._library.from_host(result, self.device._backend_spec, copy=None), self.device)
