"""Declaration of special functions: each is a signature, a docstring and, in most cases, a formula.

A call promotes the operands to one floating-point dtype, then uses the first of these that exists:

1. the implementation of the operands' device;
2. the formula in the body of the declaration;
3. SciPy on the host, if the device's memory is the host's or :func:`xtensor.transfers` allows the transfer.

No library is imported before a function that needs it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._core.array import ASTYPE, Array
from .._core.backend import Native
from .._core.calls import call, call_if_implemented, wrap
from .._core.compositions import composed
from .._core.device import Device
from .._core.devices import device as open_device
from .._core.dtypes import DType, result_type
from .._core.errors import install_command
from .._core.large_calls import call_elementwise_if_implemented
from .._core.operands import array_argument, computing_device, native_operand
from .._core.operations import Accepts, Operation
from .._core.operations import declare as declare_operation
from .._core.transfers import allowed, move
from .._fuse.formulas import compute_formula
from .._ops.filling import FULL

if TYPE_CHECKING:
    from .._core.annotations import Operand

__all__ = ["DECLARATIONS", "Declaration", "FunctionUnavailableError", "arrays", "library_function", "special"]

F = TypeVar("F", bound=Callable[..., Any])

INSTALL_SCIPY = install_command("scipy>=1.17")

UNCHANGED_DTYPES = frozenset((np.dtype(np.float32), np.dtype(np.float64)))
"""Dtypes that promotion leaves unchanged on every device that supports them."""


class FunctionUnavailableError(NotImplementedError):
    """A special function that a device cannot compute; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Properties of a special function.

    Attributes
    ----------
    name
        Name of the function.
    operands
        Names of the parameters that are array operands, in order. The other parameters are options.
    formula
        Function of promoted Arrays (and the options, by keyword) that computes the result on any device; None if only
        libraries compute the function.
    complex
        Whether the function takes complex operands.
    complex_formula
        Whether the formula takes complex operands.
    real_operands
        Number of leading operands that are real even if the last operand is complex.
    prefer_formula
        Whether the formula is used even on devices with their own implementation.
    operation
        Its row of the table of operations.
    """

    name: str
    operands: tuple[str, ...]
    formula: Callable[..., Any] | None
    complex: bool
    complex_formula: bool
    real_operands: int
    prefer_formula: bool
    operation: Operation


DECLARATIONS: dict[str, Declaration] = {}
"""Every declared special function by name."""


def special(
    *,
    complex: bool = False,
    complex_formula: bool = False,
    real_operands: int = 0,
    prefer_formula: bool = False,
    operands: tuple[str, ...] | None = None,
) -> Callable[[F], F]:
    """Declare a special function whose body is its formula.

    The body is called with Arrays of one floating-point dtype on one device. Both branches of a ``where`` are
    computed; floating-point warnings are off, because the branch that is not selected may overflow or be NaN.

    Parameters
    ----------
    complex
        Whether the function takes complex operands.
    complex_formula
        Whether the formula takes complex operands, too. Without it, only libraries compute them.
    real_operands
        Number of leading operands that are real even if the last operand is complex.
    prefer_formula
        Whether the formula is used even on devices with their own implementation. Required where the function has
        parameters that are not operands.
    operands
        Names of the parameters that are array operands; None means all parameters.
    """

    def declare(function: F) -> F:
        name, parameters = function.__name__, tuple(inspect.signature(function).parameters)
        names = parameters if operands is None else operands
        if names != parameters and not prefer_formula:
            raise TypeError(f"{name}(): options are for formulas only; declare the function with prefer_formula=True")
        row = _row(name, names, complex)
        return _public(
            function, Declaration(name, names, function, complex, complex_formula, real_operands, prefer_formula, row)
        )

    return declare


def library_function(*, complex: bool = False, real_operands: int = 0) -> Callable[[F], F]:
    """Declare a special function without a formula: its body is its docstring, and only libraries compute it.

    Parameters
    ----------
    complex
        Whether the function takes complex operands.
    real_operands
        Number of leading operands that are real even if the last operand is complex.
    """

    def declare(function: F) -> F:
        name, names = function.__name__, tuple(inspect.signature(function).parameters)
        row = _row(name, names, complex)
        return _public(function, Declaration(name, names, None, complex, False, real_operands, False, row))

    return declare


def _row(name: str, operands: tuple[str, ...], complex: bool) -> Operation:
    """Declare a special function's operation."""
    accepts: Accepts = "floating" if complex else "real floating"
    return declare_operation(f"special.{name}", "special", operands=len(operands), accepts=accepts, primitive=False)


def arrays(*operands: Operand) -> tuple[Array, ...]:
    """Narrow the static type of a formula's operands, which are Arrays already."""
    return operands  # type: ignore[return-value]


def _public(function: F, declaration: Declaration) -> F:
    """Make the public function of a declaration, and record the declaration."""
    DECLARATIONS[declaration.name] = declaration
    signature = inspect.signature(function)
    positional = all(parameter.kind is parameter.POSITIONAL_ONLY for parameter in signature.parameters.values())
    implementation = _positional_function(declaration) if positional else _keyword_function(declaration, signature)
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        setattr(implementation, attribute, getattr(function, attribute))
    implementation.__wrapped__ = function  # type: ignore[attr-defined]
    return composed(implementation, declaration.operation)  # type: ignore[return-value]


def _positional_function(declaration: Declaration) -> Callable[..., Any]:
    """Make a function whose parameters are all operands, required and positional-only."""
    name, count, formula = declaration.name, len(declaration.operands), declaration.formula

    def function(*operands: Any) -> Any:
        if len(operands) != count:
            raise TypeError(f"{name}() takes {count} operand{'s' if count > 1 else ''}, not {len(operands)}")
        device, natives = _promote(declaration, operands)
        return _compute(declaration, device, natives, formula)

    return function


def _keyword_function(declaration: Declaration, signature: inspect.Signature) -> Callable[..., Any]:
    """Make a function with parameters that may be given by keyword, be omitted, or be options of its formula."""
    parameters = signature.parameters
    required = {name for name, parameter in parameters.items() if parameter.default is parameter.empty}

    def function(*args: Any, **kwargs: Any) -> Any:
        options = dict(zip(parameters, args, strict=False)) | kwargs
        if len(options) != len(args) + len(kwargs) or not required <= options.keys() <= parameters.keys():
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{declaration.name}(): {error}") from None
        operands = {name: options.pop(name) for name in declaration.operands if name in options}
        operands = {name: value for name, value in operands.items() if value is not None or name in required}
        device, natives = _promote(declaration, tuple(operands.values()))
        return _compute(declaration, device, natives, declaration.formula, tuple(operands), options)

    return function


# -- promotion --------------------------------------------------------------------------------------------------------


def _promote(declaration: Declaration, operands: tuple[Any, ...]) -> tuple[Device, tuple[Native, ...]]:
    """Return the device of the operands, and the operands as native arrays of their promoted floating-point dtype."""
    first = operands[0]
    if len(operands) == 1 and first.__class__ is Array and first._native.dtype in UNCHANGED_DTYPES:
        return first._device, (first._native,)
    name = declaration.name
    if len(operands) == 1:
        operands = (array_argument(first, name),)
    device = computing_device(name, operands)
    natives = [native_operand(operand, device, name) for operand in operands]
    dtype = _promoted_dtype(natives, device)
    if dtype.kind == "c" and not declaration.complex:
        raise TypeError(f"{name}() takes real numbers, not dtype {dtype}")
    real_operands = declaration.real_operands if dtype.kind == "c" else 0
    if any(result_type(getattr(native, "dtype", native)).kind == "c" for native in natives[:real_operands]):
        raise TypeError(f"{name}() takes real numbers except in its last operand, not dtype {dtype}")
    real_dtype = np.finfo(dtype).dtype
    return device, tuple(
        _as_dtype(native, real_dtype if position < real_operands else dtype, device)
        for position, native in enumerate(natives)
    )


def _promoted_dtype(natives: list[Any], device: Device) -> DType:
    """Promote as NumPy does; integers become the default floating-point dtype, narrow dtypes become float32."""
    dtype = result_type(*(native.dtype if hasattr(native, "dtype") else native for native in natives))
    default: DType = device.default_dtypes["complex floating" if dtype.kind == "c" else "real floating"]
    if dtype.kind == "V":
        return np.dtype(np.float32)
    if dtype.kind not in "fc" or dtype not in device.dtypes:
        return default
    return np.result_type(dtype, np.float32)


def _as_dtype(native: Any, dtype: DType, device: Device) -> Native:
    """Return a native array, or a scalar as a 0-d native array, in a dtype."""
    if not hasattr(native, "dtype"):
        return call(FULL, device, (), native, dtype=dtype)
    if native.dtype == dtype:
        return native
    return call(ASTYPE, device, native, dtype)


# -- computation ------------------------------------------------------------------------------------------------------


def _compute(
    declaration: Declaration,
    device: Device,
    natives: tuple[Native, ...],
    formula: Callable[..., Any] | None,
    names: tuple[str, ...] = (),
    options: dict[str, Any] | None = None,
) -> Any:
    """Compute a special function of native arrays of one dtype.

    ``formula`` takes them as Arrays, by names where there are any, and the options.
    """
    kind = natives[-1].dtype.kind
    if not declaration.prefer_formula or device._library.has_rule(declaration.operation):
        result = call_elementwise_if_implemented(declaration.operation, device, *natives)
        if result is not NotImplemented:
            return result
    if formula is not None and (kind != "c" or declaration.complex_formula):
        with np.errstate(all="ignore"):
            arrays = [wrap(native, device) for native in natives]
            if not names:
                return compute_formula(formula, *arrays)
            return compute_formula(formula, **dict(zip(names, arrays, strict=True)), **(options or {}))
    return _compute_on_host(declaration.operation, device, natives)


def _compute_on_host(operation: Operation, device: Device, natives: tuple[Native, ...]) -> Array:
    """Compute a function on the host and move the result back: a transfer, unless the device's memory is the host's."""
    host = open_device("cpu")
    name, dtype = operation.label, natives[-1].dtype
    if not device.host and not all(allowed(native, device, str(host)) for native in natives):
        raise FunctionUnavailableError(
            f"{name}() is not available for dtype {dtype} on device {device}; compute it on the host with "
            "xtensor.transfers('allow'), which also moves the result back, or move the operands with "
            "x.to_device('cpu')"
        )
    result = call_if_implemented(operation, host, *(move(native, device, host) for native in natives))
    if result is NotImplemented:
        error = host._functions.missing
        reason = f"SciPy cannot be imported ({error})" if error else "the installed SciPy does not have it"
        raise FunctionUnavailableError(
            f"{name}() is not available for dtype {dtype} on device {device}: {reason}; {INSTALL_SCIPY}"
        )
    if device is host:
        return result  # type: ignore[no-any-return]
    if not device.host:
        allowed(result._native, host, str(device))
    return wrap(move(result._native, host, device), device)
