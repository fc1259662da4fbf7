"""``__array_function__``: NumPy's functions on Arrays, computed by the namespace on the Array's device where it can.

Requirements: no result is silently a NumPy array; an argument that the namespace's function does not accept is never
ignored; programs that call no NumPy function on an Array pay no cost, so a function's counterpart is looked up at its
first call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import fft, linalg
from .._core.array import Array
from .._core.checks import is_word
from .._core.device import Device
from .._core.operands import HOST_ARRAYS, SCALARS, SEQUENCES
from .._ops._arguments import on_device, store
from ..lib import stride_tricks
from .creation import CREATION
from .host import WRITING, arrays_in, call_on_host, device_of_arguments, qualified_name
from .linear_algebra import LINEAR_ALGEBRA
from .real_domains import REAL_DOMAINS
from .signatures import SIGNATURES

__all__ = ["array_function", "counterpart"]

HINTS = frozenset(("assume_unique", "kind", "optimize", "overwrite_input", "subok"))
"""Parameters of NumPy's functions that affect the algorithm and not the values; they are ignored."""

NOT_OPERANDS = frozenset(
    (
        *("axes", "axis", "axis1", "axis2", "casting", "destination", "funclist", "k", "kind", "kth", "mode", "offset"),
        *("order", "shape", "source"),
    )
)
"""Parameters that take integers, words or functions, which are no operands."""

Function = Callable[..., Any]


def array_function(
    function: Function, types: Iterable[type], args: Sequence[Any], kwargs: dict[str, Any], like: Device
) -> Any:
    """Implement ``Array.__array_function__``.

    Parameters
    ----------
    function
        NumPy function that was called.
    types
        Types of the arguments that implement ``__array_function__``.
    args, kwargs
        Arguments of the call.
    like
        Device of the Array whose method was called, for functions with NumPy's parameter ``like``.

    Returns
    -------
    Any
        The result; NotImplemented if an argument is an array of another library, or of a subclass of NumPy's array
        that means more than its numbers.

    Raises
    ------
    TypeError
        If the namespace does not have the function and the device's memory is not the host's.

    Notes
    -----
    NumPy Enhancement Proposals 18 and 35.
    """
    if not all(kind is Array or kind in HOST_ARRAYS for kind in types):
        return NotImplemented
    if function in CREATION:
        kwargs.pop("device", None)  # NumPy's own, which is the host; ``like`` states the device
        return CREATION[function](*args, device=like, **kwargs)
    function_here = counterpart(function)
    if function_here is None or _is_numpys(function, args, kwargs):
        return call_on_host(function, args, kwargs, device_of_arguments(args, kwargs, like), qualified_name(function))
    if args and _is_operand_alone(function, args):  # the Array is another argument, or ``out``
        args = (on_device(function.__name__, args[0], device_of_arguments(args, kwargs, like)), *args[1:])
    return function_here(*args, **kwargs)


def _is_operand_alone(function: Function, args: Sequence[Any]) -> bool:
    """Whether the first argument is an operand that names no device: a NumPy array, or numbers and lists alone."""
    first = args[0].__class__
    if first in HOST_ARRAYS:
        return True
    if first not in SCALARS and first not in SEQUENCES:
        return False
    position = _position_of_out(function)
    return not arrays_in([x for index, x in enumerate(args) if index != position])


@cache
def _position_of_out(function: Function) -> int | None:
    """Return the position of the parameter ``out`` of a NumPy function; None without one."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except ValueError:  # a function in C has no signature
        return None
    return parameters.index("out") if "out" in parameters else None


def _is_numpys(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a call is NumPy's own: it writes into a NumPy array, or takes objects, texts or times."""
    if function in WRITING and args and args[0].__class__ in HOST_ARRAYS:
        return True
    return any(value.dtype.kind in "OSTUMm" for value in _host_arrays((*args, *kwargs.values())))


def _host_arrays(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the NumPy arrays among values, and among the items of sequences."""
    for value in values:
        if value.__class__ in HOST_ARRAYS:
            yield value
        elif value.__class__ in (list, tuple):
            yield from _host_arrays(value)


@cache
def counterpart(function: Function) -> Function | None:
    """Return the namespace's function that takes the arguments of a NumPy function; None without one."""
    name, module = function.__name__, getattr(function, "__module__", "")
    if module == "numpy.linalg":
        return LINEAR_ALGEBRA.get(name) or _adapted(function, getattr(linalg, name, None))
    if module == "numpy.lib.scimath":
        return REAL_DOMAINS.get(name)
    if module == "numpy.fft":
        adapted = _adapted(function, getattr(fft, name, None))
        if adapted is not None and name in ("irfft2", "irfftn"):
            return _of_half_spectrum(adapted)
        return _along_axes(adapted) if adapted is not None and name in ("fft2", "fftn", "ifft2", "ifftn") else adapted
    if module == "numpy.lib.stride_tricks" and name == "sliding_window_view":
        return _adapted(function, stride_tricks.sliding_window_view)
    if getattr(np, name, None) is not function:
        return None
    name = xp.STANDARD_NAMES.get(name, name)
    if name in SIGNATURES:
        return SIGNATURES[name]
    return _adapted(function, getattr(xp, name, None) or getattr(linalg, name, None))


def _along_axes(transform: Function) -> Function:
    """Return a Fourier transform that gives the argument itself where there is no axis, as NumPy's does."""

    def transformed(*args: Any, **kwargs: Any) -> Any:
        axes = args[2] if len(args) > 2 else kwargs.get("axes")
        if args and args[0].__class__ is Array and axes.__class__ in (tuple, list) and not axes:
            return args[0]
        return transform(*args, **kwargs)

    transformed.__wrapped__ = transform  # type: ignore[attr-defined]
    return transformed


def _of_half_spectrum(transform: Function) -> Function:
    """Return a transform whose last length of -1 is that of the axis, as NumPy's; the standard's uses all elements."""

    def transformed(a: Any, s: Any = None, *args: Any, **kwargs: Any) -> Any:
        axes = args[0] if args else kwargs.get("axes")
        if s.__class__ in (tuple, list) and s and s[-1] == -1:
            axis = axes[-1] if axes.__class__ in (tuple, list) and axes else -1
            if axis.__class__ is int and -a.ndim <= axis < a.ndim:
                s = (*s[:-1], a.shape[axis])
        return transform(a, s, *args, **kwargs)

    transformed.__wrapped__ = transform  # type: ignore[attr-defined]
    return transformed


def _adapted(function: Function, own: Function | None) -> Function | None:
    """Wrap a function of the namespace so that it takes the arguments of a NumPy function.

    A call with an argument that the namespace's function does not have is NumPy's, on the host's memory.
    """
    if own is None:
        return None
    try:
        signature = inspect.signature(function)
    except ValueError:  # before NumPy 2.4, functions implemented in C have no signature
        return own
    parameters = inspect.signature(own).parameters
    if list(parameters) == list(signature.parameters) and "out" in parameters:
        return own
    leading = [name for name, parameter in signature.parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    by_position = leading[: sum(p.kind is p.POSITIONAL_ONLY for p in parameters.values())]
    for position, name in enumerate(leading):
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            by_position = leading[:position]
    by_name = {p.name for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    accepts_any_keyword = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())

    def adapted(*args: Any, **kwargs: Any) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        out = None
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend([_as_operand(function, "", x, args, kwargs) for x in value])
            elif parameter.kind is parameter.VAR_KEYWORD:
                named.update(value)
            elif name in by_position:
                positional.append(_as_operand(function, name, value, args, kwargs))
            elif name == "out" and name not in by_name:
                out = value
            elif not _has_no_effect(name, value, parameter.default) or (
                name in by_name and (name in HINTS or name == "order")
            ):
                if isinstance(parameter.default, bool) and isinstance(value, (int, np.bool_)):
                    value = bool(value)  # NumPy takes any number for a flag
                if value.__class__ in HOST_ARRAYS and name not in NOT_OPERANDS:
                    value = _as_operand(function, name, value, args, kwargs)
                named[name] = value
        unknown = [] if accepts_any_keyword else [name for name in named if name not in by_name]
        if unknown:
            return call_on_host(function, args, kwargs, device_of_arguments(args, kwargs), qualified_name(function))
        return store(function.__name__, own(*positional, **named), out)

    adapted.__wrapped__ = own  # type: ignore[attr-defined]
    return adapted


def _as_operand(function: Function, name: str, value: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return an array-like operand as an Array."""
    if value.__class__ in HOST_ARRAYS or (isinstance(value, SEQUENCES) and name not in NOT_OPERANDS):
        return on_device(function.__name__, value, device_of_arguments(args, kwargs))
    return value


def _has_no_effect(name: str, value: Any, default: Any) -> bool:
    """Tell whether omitting an argument would leave the result unchanged."""
    if value is default or name in HINTS or value is np._NoValue:
        return True
    if name == "order":
        return value is None or is_word(value, ("C", "K", "A"))
    return (name == "where" and value is True) or (
        isinstance(value, (bool, int, str)) and type(value) is type(default) and value == default
    )
