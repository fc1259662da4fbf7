"""The way of a call of a special function: the device's own, else a stable formula, else the host's by permission.

Requirements: nothing is imported for special functions before one is called; operands are arrays of one real or complex
floating-point dtype when a library or a formula sees them, so that each device answers alike; an array leaves its
device only where the user lets it, and its result comes back there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ._array import Array, apply, wrap
from ._bfloat16 import result_type
from ._device import Device, device
from ._dispatch import _dressed, call, common_device, composed, native_operand
from ._errors import describe
from ._generic_special import FORMULAS, Formula
from ._transfers import allowed, move
from .backend import DType, Native

__all__ = ["COMPLEX", "FunctionUnavailableError", "compute", "promoted", "special"]

F = TypeVar("F", bound=Callable[..., Any])

COMPLEX = frozenset(
    (
        *("digamma", "erf", "erfc", "erfcx", "exp1", "expi", "gamma", "hyp1f1", "log_ndtr", "loggamma"),
        *("logsumexp", "ndtr", "psi", "rgamma", "sinc", "spence", "xlog1py", "xlogy"),
    )
)
"""The functions that take complex numbers; the others take real ones only."""

REAL_OPERANDS = {"hyp1f1": 2}
"""Functions that take complex numbers, but not in their first operands: how many of them are real."""

REMEDY = 'python -m pip install "xtensor[special]"'

FLOATS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


class FunctionUnavailableError(NotImplementedError):
    """A special function that a device cannot compute; the message says what would make it available."""


def special(declaration: F) -> F:
    """The elementwise special function that a declaration (name, signature, docstring) announces."""
    name = declaration.__name__
    count = declaration.__code__.co_argcount

    def function(*operands: Any) -> Array:
        if len(operands) != count:
            raise TypeError(f"{name}() takes {count} operand{'s' if count > 1 else ''}, not {len(operands)}")
        place, natives = promoted(name, operands)
        result: Array = compute(name, place, natives)
        return result

    return composed(_dressed(function, declaration))


def promoted(name: str, operands: tuple[Any, ...]) -> tuple[Device, tuple[Native, ...]]:
    """The device of some operands, and they as its native arrays, all of the floating-point dtype they promote to."""
    first = operands[0]
    if len(operands) == 1 and first.__class__ is Array and first._native.dtype in FLOATS:
        return first._device, (first._native,)
    place = common_device(operands)
    if place is None:
        met = " and ".join(map(describe, operands))
        raise TypeError(f"{name}() needs at least one xtensor Array, not {met}; make one with xtensor.asarray")
    natives = [native_operand(operand, place, name) for operand in operands]
    dtype = _dtype(natives, place)
    if dtype.kind == "c" and name not in COMPLEX:
        raise TypeError(f"{name}() takes real numbers, not dtype {dtype}")
    real = REAL_OPERANDS.get(name, 0) if dtype.kind == "c" else 0
    if any(result_type(getattr(native, "dtype", native)).kind == "c" for native in natives[:real]):
        raise TypeError(f"{name}() takes real numbers but for its last operand, not dtype {dtype}")
    parts = np.finfo(dtype).dtype
    return place, tuple(
        _as_dtype(native, parts if position < real else dtype, place) for position, native in enumerate(natives)
    )


def _dtype(natives: list[Any], place: Device) -> DType:
    """NumPy's promotion, integers becoming the device's default floating-point dtype, float16 and bfloat16 float32."""
    dtype = result_type(*(native.dtype if hasattr(native, "dtype") else native for native in natives))
    default: DType = place.default_dtypes["complex floating" if dtype.kind == "c" else "real floating"]
    if dtype.kind == "V":
        return np.dtype(np.float32)
    if dtype.kind not in "fc" or dtype not in place.dtypes:
        return default
    return np.result_type(dtype, np.float32)


def _as_dtype(native: Any, dtype: DType, place: Device) -> Native:
    if not hasattr(native, "dtype"):
        return call(place, place.xp.full, (), native, dtype=dtype)
    if native.dtype == dtype:
        return native
    return call(place, place.xp.astype, native, dtype)


def compute(name: str, place: Device, natives: tuple[Native, ...], *options: Any) -> Any:
    """A special function of native arrays of one dtype, on their device or, where the policy allows, on the host."""
    kind = natives[-1].dtype.kind
    formula = FORMULAS.get(name)
    if formula is None or not formula.preferred:
        function = place.xp.special.find(name, kind)
        if function is not None:
            return apply(place, function, *natives, *options)
    if formula is not None and _applies(formula, kind, place):
        # What a formula computes in the branches it does not choose is nobody's concern.
        with np.errstate(all="ignore"):
            return formula.function(*(wrap(native, place) for native in natives), *options)
    return _through_host(name, place, natives, options)


def _applies(formula: Formula, kind: str, place: Device) -> bool:
    if kind == "c" and not formula.complex:
        return False
    return all(place.xp.special.find(name, kind) is not None for name in formula.needs)


def _through_host(name: str, place: Device, natives: tuple[Native, ...], options: tuple[Any, ...]) -> Array:
    """The host's function of the values, the result brought back; a transfer unless the memory is the host's."""
    host = device("cpu")
    if not place.host and not all(allowed(native, place, str(host)) for native in natives):
        raise FunctionUnavailableError(
            f"{name}() is not available for dtype {natives[-1].dtype} on device {place}; let it be computed on the "
            "host and brought back with xtensor.transfers('allow'), or move the operands with x.to_device('cpu')"
        )
    function = host.xp.special.find(name, natives[-1].dtype.kind)
    if function is None:
        missing = host.xp.special.missing
        reason = f"SciPy cannot be imported ({missing})" if missing else "the installed SciPy has no such function"
        raise FunctionUnavailableError(f"{name}() is not available on device {place}: {reason}; {REMEDY}")
    there = tuple(move(native, place, host) for native in natives)
    result = apply(host, function, *there, *options)._native
    if place is host:
        return wrap(result, place)
    if not place.host:
        allowed(result, host, str(place))
    return wrap(move(result, host, place), place)
