"""``__array_ufunc__``: NumPy's and SciPy's universal functions on Arrays.

Requirements: a call without options costs one dictionary look-up more than the namespace's function; the options of a
call (``out``, ``where``, ``dtype``, ``casting``) mean on every device what they mean in NumPy; an operand that is more
than numbers (a quantity with a unit, a masked array) is left to its own class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core import array
from .._core.array import Array, ufunc_calls
from .._core.device import Device
from .._core.dispatch import mixed_function
from .._core.dtypes import can_cast
from .._core.errors import describe
from .._core.fp_warnings import rewarn
from .._core.operands import HOST_ARRAYS, OF_PYTHON, SCALARS
from .._core.operations import TABLE
from .._ops._arguments import on_device
from .host import SPECIAL, call_on_host, device_of_arguments, qualified_name
from .ufunc_methods import METHODS

__all__ = ["array_ufunc", "counterpart"]

PLAIN = (np.generic, *OF_PYTHON)
"""Classes of operands next to Arrays and NumPy arrays."""


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Implement ``Array.__array_ufunc__``.

    Parameters
    ----------
    ufunc
        The universal function.
    method
        ``"__call__"``, ``"reduce"``, ``"accumulate"``, ``"reduceat"``, ``"outer"`` or ``"at"``.
    inputs
        The operands.
    options
        Keyword arguments of the call; ``out`` is a tuple.

    Returns
    -------
    Any
        Array, or tuple of Arrays; ``out`` where that was given; NotImplemented if an operand is of a class that
        implements ``__array_ufunc__`` itself.

    Raises
    ------
    TypeError
        If the namespace does not have the function and the device's memory is not the host's.

    Notes
    -----
    NumPy Enhancement Proposal 13.
    """
    out = options.get("out") or ()
    operands = (*inputs, *out, options.get("where"))
    if method == "at":
        operands = (inputs[0], *inputs[2:])  # the indices may be slices
    if any(_answers_itself(value) for value in operands):
        return NotImplemented
    for target in out:
        if target is not None and target.__class__ is not Array and not isinstance(target, np.ndarray):
            raise TypeError(f"return arrays must be of ArrayType; out is an Array, not {describe(target)}")
    device = device_of_arguments((*operands, *inputs), {})
    name = qualified_name(ufunc)
    # A subclass of ndarray without a protocol of its own, a masked array or a matrix, is NumPy's to handle, and so are
    # numbers that Arrays do not hold: objects, strings and times.
    plain = all(_is_plain(value, device) for value in operands)
    if method == "at" and device.host and inputs[0].__class__ is Array:
        _check_writable(inputs[0])
    if plain and method == "__call__":
        function = counterpart(ufunc)
        has_axes = "axes" in options or "keepdims" in options  # of generalized functions, NumPy's own
        if function is not None and not has_axes and not (device.host and _masks_or_is_own(ufunc, options, device)):
            return _call(ufunc, function, inputs, options, device, name)
    elif plain and _is_composed(ufunc, method, inputs[0], device):
        if method != "at":
            inputs = (on_device(f"{name}.{method}", inputs[0], device), *inputs[1:])
        return METHODS[method](ufunc, *inputs, **options)
    if method == "__call__":
        if "out" not in options and options.get("where", True) is not True:
            options = options | {"out": None}  # NumPy took an explicit None out of the options, without which it warns
        elif out and device.host and options.get("where", True) is not True:
            inputs = tuple([_apart(x, out) for x in inputs])
    else:
        name = f"{name}.{method}"
    if method == "accumulate" and out and not np.ndim(out[0]) and np.ndim(inputs[0]):
        raise ValueError(  # NumPy's loop would end the process
            f"{name}(): output parameter out has shape (), but the result has shape {np.shape(inputs[0])}"
        )
    return _numpys_loop(ufunc, getattr(ufunc, method), inputs, options, device, name)


def _apart(x: Any, out: tuple[Any, ...]) -> Any:
    """Return an operand, or a copy of it where an output overlaps with it.

    Of such an output NumPy casts the elements that a mask leaves out to the dtype of its loop and back.
    """
    for target in out:
        if target is None or target is x or not (x.__class__ is Array or isinstance(x, np.ndarray)):
            continue
        if np.may_share_memory(np.asarray(x), np.asarray(target)):
            return x.copy()
    return x


def _numpys_loop(
    ufunc: np.ufunc,
    loop: Callable[..., Any],
    inputs: Sequence[Any],
    options: dict[str, Any],
    device: Device,
    name: str,
) -> Any:
    """Return the result of a universal function's own loop, or of a method of it, on the host's memory."""
    # NumPy's warnings would name this package's line. They are collected and issued again at the user's.
    warnings: list[Warning] = []

    def record(error: str, _: int) -> None:
        warnings.append(RuntimeWarning(f"{error} encountered in {ufunc.__name__}"))

    reported: dict[str, Any] = {kind: "call" for kind, action in np.geterr().items() if action == "warn"}
    with np.errstate(call=record, **reported):
        result = call_on_host(loop, inputs, options, device, name)
    for warning in {str(warning): warning for warning in warnings}.values():
        rewarn(warning)
    return result


def counterpart(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """Return the namespace's function of a universal function; None without one."""
    # Others, made by numpy.frompyfunc for example, are not kept: they hold what their Python function holds.
    return known_counterpart(ufunc) if qualified_name(ufunc) != ufunc.__name__ else None


@cache
def known_counterpart(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """Return the namespace's function of a universal function of NumPy or SciPy; None without one."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        name = xp.STANDARD_NAMES.get(name, name)
        row = TABLE.get(name)
        # A function of several results has a public function alone, in whose module its row is declared.
        if row is not None and row.declared and row.kind == "elementwise" and row.operands == 2 and ufunc.nout == 1:
            function: Callable[..., Any] | None = mixed_function(row)
        else:
            function = _public(name)
        if function is not None and row is not None and row.kind == "elementwise" and ufunc.nout == 1:
            ufunc_calls[ufunc] = function
        return function
    if getattr(sys.modules.get(SPECIAL), name, None) is ufunc:
        return getattr(array.xp.special, name, None) or _public(name)  # imported at its first use
    return None


def _is_composed(ufunc: np.ufunc, method: str, first: Any, device: Device) -> bool:
    """Whether a method of a ufunc is composed of calls of it: off the host, and where NumPy's loop is wrong.

    NumPy's vector loops of ``power`` and ``arctan2`` combine the first and the last operand of a reduction alone, and
    its ``at`` writes to the memory of libraries whose arrays are immutable.
    """
    if method == "at":
        if first.__class__ is not Array:
            return False
        return not device.host or not device._library.to_host(first._native).flags.writeable
    loses = method in ("reduce", "reduceat") and ufunc in (np.power, np.arctan2)
    return method in METHODS and (loses or not device.host)


def _check_writable(x: Array) -> None:
    """Raise ValueError for read-only memory, to which NumPy's ``at`` writes."""
    x[(slice(0, 0),) * x.ndim] = 0 if x.ndim else x  # no element, or itself


def _masks_or_is_own(ufunc: np.ufunc, options: dict[str, Any], device: Device) -> bool:
    """Whether a call on the host's memory is NumPy's own loop.

    It is, with a mask, as no other function leaves elements out; and with any option where the device computes the
    function by that very loop, which then writes into ``out`` directly.
    """
    if not options or options.get("where", True) is not True:
        return bool(options)
    row = TABLE.get(xp.STANDARD_NAMES.get(ufunc.__name__, ufunc.__name__))
    return row is not None and row.declared and device._functions.choose(row) is ufunc


def _public(name: str) -> Callable[..., Any] | None:
    """Return a function of the main namespace, or of the linear algebra extension; None without one."""
    return getattr(xp, name, None) or getattr(linalg, name, None)


def _answers_itself(value: Any) -> bool:
    """Whether an operand's class implements the protocol, so that it is asked after the Array."""
    kind = value.__class__
    return (
        kind is not Array
        and getattr(kind, "__array_ufunc__", np.ndarray.__array_ufunc__) is not np.ndarray.__array_ufunc__
    )


def _is_plain(value: Any, device: Device) -> bool:
    """Whether an operand holds booleans or numbers that a device can compute with."""
    if value is None or value.__class__ is Array or value.__class__ in SCALARS:
        return True
    if value.__class__ in HOST_ARRAYS or isinstance(value, np.generic):
        return value.dtype.kind in "biufcV" and device.supports(value.dtype.newbyteorder("="))
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item, device) for item in value)
    return isinstance(value, PLAIN)


def _call(
    ufunc: np.ufunc,
    function: Callable[..., Any],
    inputs: Sequence[Any],
    options: dict[str, Any],
    device: Device,
    name: str,
) -> Any:
    """Return the result of a universal function's counterpart, with the options of NumPy's call."""
    options = dict(options)
    out = options.pop("out", None) or (None,) * ufunc.nout
    where = options.pop("where", True)
    casting = options.pop("casting", "same_kind")
    signature = options.pop("signature", options.pop("sig", None))
    dtype = options.pop("dtype", None)
    options.pop("order", None), options.pop("subok", None)  # they do not change the values
    scalars = SCALARS if any(x.__class__ is Array for x in inputs) else ()
    inputs = [x if x.__class__ is Array or x.__class__ in scalars else on_device(name, x, device) for x in inputs]
    loop: tuple[Any, ...] = ()
    if dtype is not None or signature is not None or casting != "same_kind":
        loop = _loop(ufunc, inputs, dtype, signature, casting)
        inputs = [_cast(x, wanted, device) for x, wanted in zip(inputs, loop, strict=False)]
    result = function(*inputs, **options)
    results = result if isinstance(result, tuple) else (result,)
    if loop:
        results = tuple(xp.astype(x, wanted, copy=False) for x, wanted in zip(results, loop[ufunc.nin :], strict=True))
    if where is not True:
        mask = on_device(name, where, device)
        results = tuple(_chosen(mask, x, target, casting, name) for x, target in zip(results, out, strict=True))
    for x, target in zip(results, out, strict=True):
        if target is not None:  # before the first one is written
            _check_cast(x, target, casting, name)
            _check_shape(x, target, name)
    returned = tuple(
        x if target is None else _write(x, target, casting) for x, target in zip(results, out, strict=True)
    )
    return returned if isinstance(result, tuple) else returned[0]


def _loop(ufunc: np.ufunc, inputs: Sequence[Any], dtype: Any, signature: Any, casting: Any) -> tuple[Any, ...]:
    """Return the dtypes of the inputs and outputs of the loop that NumPy would choose."""
    # NumPy's resolution takes the classes of Python's numbers other than bool, whose dtype is not weak.
    kinds: list[Any] = [
        x.dtype if x.__class__ is Array else np.dtype(bool) if x.__class__ is bool else x.__class__ for x in inputs
    ]
    given = (*kinds, *(None,) * ufunc.nout)
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    elif isinstance(signature, str):
        codes = signature.replace("->", "")
        signature = tuple(map(np.dtype, codes)) if "->" in signature else (None,) * ufunc.nin + (np.dtype(codes),)
    chosen = {} if signature is None else {"signature": signature}
    # NumPy's resolution ends the process for a Python number under "equiv", which is "no" but for byte orders.
    loop = ufunc.resolve_dtypes(given, casting="no" if casting == "equiv" else casting, **chosen)
    for kind, wanted in zip(kinds, loop, strict=False):
        if casting == "equiv" and kind in (int, float, complex) and wanted != np.dtype(kind):
            raise TypeError(
                f"cannot cast Python {kind.__name__} to {wanted} under the casting rule 'equiv'; pass an Array of that "
                f"dtype to {ufunc.__name__}()"
            )
    return loop


def _cast(x: Any, dtype: np.dtype[Any], device: Device) -> Array:
    return xp.astype(x, dtype, copy=False) if x.__class__ is Array else xp.asarray(x, dtype=dtype, device=device)


def _chosen(mask: Array, x: Array, target: Any, casting: Any, name: str) -> Array:
    """Return a result where a mask is true; elsewhere the output's elements, whose values keep its dtype."""
    if target is None:
        return xp.where(mask, x, xp.zeros_like(x))
    _check_cast(x, target, casting, name)
    return xp.where(mask, xp.astype(x, target.dtype, copy=False), target)


def _check_cast(result: Array, target: Any, casting: Any, name: str) -> None:
    """Raise TypeError unless a result casts to the dtype of an output."""
    if not can_cast(result.dtype, target.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc '{name.rpartition('.')[2]}' output from {result.dtype!r} to {target.dtype!r} with "
            f"casting rule '{casting}'; pass an output of a wider dtype, or casting='unsafe'"
        )


def _check_shape(result: Array, target: Any, name: str) -> None:
    """Raise ValueError unless a result broadcasts to the shape of an output, which may be larger, as in NumPy."""
    try:
        shape = np.broadcast_shapes(result.shape, target.shape)
    except ValueError:
        shape = None
    if shape != target.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {target.shape} doesn't match the broadcast shape "
            f"{result.shape if shape is None else shape}; pass an output of that shape to {name}()"
        )


def _write(result: Array, target: Any, casting: Any) -> Any:
    """Write a result into an output, an Array or a NumPy array, and return that."""
    if target.__class__ is Array:
        target[...] = xp.astype(result, target.dtype, copy=False)
    else:
        np.copyto(target, np.asarray(result), casting=casting)
    return target
