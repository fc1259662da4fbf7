"""Errors and warnings of native functions: explained, retried where memory ran out, and shown at the user's line."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .boundary import cause
from .device import Device
from .devices import device as open_device
from .errors import (
    PACKAGES,
    CopyRequiredError,
    DeviceMismatchError,
    MissingFunctionError,
    NotDifferentiableError,
    OutOfMemoryError,
    describe,
    is_array,
    shortened,
)
from .fp_warnings import collected, rewarn
from .implementation import not_implemented
from .operations import Operation
from .tracing_errors import UnknownValueError
from .trees import mapped

__all__ = ["FOREIGN_ERRORS", "explained", "inplace_error", "is_unwritten", "raise_unsupported", "recover", "rewarned"]

EXPLAINED_ERRORS = (
    DeviceMismatchError,
    MissingFunctionError,
    CopyRequiredError,
    np.linalg.LinAlgError,
    np.exceptions.AxisError,
    OverflowError,
    IndexError,
    BufferError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""The classes that an explained error keeps."""

KEPT_ERRORS = (DeviceMismatchError, CopyRequiredError, BufferError, NotImplementedError, np.linalg.LinAlgError)
"""The classes of errors that depend on more than shapes and dtypes, or that NumPy does not know."""

INDEXING: dict[str, Callable[..., Any]] = {"__getitem__": operator.getitem, "__setitem__": operator.setitem}
"""The functions of NumPy for the names of the calls that index."""

MAX_REPLAYED_SIZE = 2**22
"""Maximum number of elements for which a call is replayed in NumPy, which may compute it to its end."""

FOREIGN_ERRORS = (AttributeError, KeyError, RecursionError)
"""The classes that a library raises, from deep within, for an argument of a wrong type."""

# NumPy warns of floating-point errors at the frame that called it, which would be ours, and once for all callers. In
# our modules such a warning is an exception first, which the core handles as those of NumPy's functions, and is issued
# again at the user's line. Filters that the user sets come before this one.
# Nothing else tells a call from ours without a cost for each call: numpy.errstate takes three times as long as the sum
# of two numbers, and numpy.seterr would be the user's state.
warnings.filterwarnings(
    "error",
    "(divide by zero|overflow|underflow|invalid value) encountered",
    category=RuntimeWarning,
    module=PACKAGES.pattern,
)


def recover(
    error: Exception,
    operation: Operation | str,
    device: Device,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    function: Callable[..., Any] | None = None,
) -> Any:
    """Return the result of a call that failed for exhausted memory or a warning; raise an explained error otherwise.

    Exhausted memory: the library's pool is released and the call repeated. A floating-point warning: the call is
    repeated without it, and all that NumPy warns of is issued at the user's line. ``function`` is given where the call
    was not one of the table's; ``operation`` is then the name for messages.
    """
    if isinstance(error, (NotDifferentiableError, OutOfMemoryError)):
        try:
            raise error  # its message names the operation and the line; what is out of memory, and was tried
        finally:
            del error  # it has this frame, which would keep it and the operands
    name = operation if isinstance(operation, str) else operation.label
    if function is None:
        assert isinstance(operation, Operation)
        function = device.table[operation.index].function
    kwargs = kwargs or {}
    if isinstance(error, RuntimeWarning):
        return _repeated(error, function, *args, **kwargs)
    library = device._library
    if not library.out_of_memory(error):
        raise _caused(explained(error, operation, device, args, kwargs), error)
    device.release_memory()
    try:
        return rewarned(function, *args, **kwargs)
    except Exception as again:
        if not library.out_of_memory(again):
            raise
        free = device.memory().free
        requested = requested_bytes(again)
        size = "" if requested is None else f" {requested} bytes were requested,"
        raise OutOfMemoryError(
            f"device {device} is out of memory in {name}():{size} "
            f"{'an unknown number of' if free is None else free} bytes are free after its pool was released; "
            "free arrays, or process the data in parts",
            requested,
            free,
        ) from cause(again)


def rewarned(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of a function of NumPy; what it warns of is issued at the user's line."""
    try:
        return function(*args, **kwargs)
    except RuntimeWarning as warning:
        return _repeated(warning, function, *args, **kwargs)


def _repeated(warning: RuntimeWarning, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of a call that a warning ended, and issue all that NumPy warns of."""
    result, issued = collected(function, *args, **kwargs)
    rewarn(*(issued or (warning,)))
    return result


def _caused(original: Exception, error: Exception) -> Exception:
    """Return an explained error, with the original as its cause in full tracebacks; the original keeps its own cause.

    No frame keeps the explained error in a variable: it has the frames that it passes, and they have the operands.
    """
    if original is not error:
        original.__cause__ = cause(error)
        original.__suppress_context__ = True
    return original


def inplace_error(error: Exception, operation: Operation, device: Device, x1: Any, x2: Any) -> Exception:
    """Return the explained error of an in-place operator: NumPy's TypeError if the dtypes forbid the operator.

    NumPy checks dtypes first. Other libraries raise ValueError for dtypes, or find another error before.
    """
    ufunc = getattr(np, operation.label, None)
    if isinstance(error, (TypeError, ValueError)) and isinstance(ufunc, np.ufunc) and x1.dtype.kind != "V":
        other = x2.__class__ if x2.__class__ in (int, float, complex) else getattr(x2, "dtype", np.dtype(bool))
        try:
            ufunc.resolve_dtypes((x1.dtype, other, x1.dtype), casting="same_kind")
        except TypeError as forbidden:
            error = TypeError(str(forbidden))
    return explained(error, operation, device, (x1, x2), inplace=True)


def is_unwritten(operation: Operation, x1: Any, x2: Any) -> bool:
    """Whether NumPy discarded the result of an in-place operator that raised a warning.

    It computes into a temporary array where the operands overlap in memory, and for every product of matrices; an
    exception discards that array. Otherwise the operand is written to before the exception is raised.
    """
    if operation.name == "matmul":
        return True
    if not (isinstance(x1, np.ndarray) and isinstance(x2, np.ndarray)):
        return False
    layouts = [(x.ctypes.data, x.shape, x.strides, x.dtype) for x in (x1, x2)]
    if layouts[0] == layouts[1]:
        return False
    try:
        return np.shares_memory(x1, x2, max_work=1)  # type: ignore[arg-type] # as NumPy decides it
    except np.exceptions.TooHardError:
        return True


UNITS = {
    "bytes": 1,
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "PiB": 2**50,
    "EiB": 2**60,
}


def requested_bytes(error: BaseException) -> int | None:
    """Return the number of bytes that a library's out-of-memory message says were requested."""
    match = re.search(r"([\d,.]+)\s*(bytes|[KMGTPE]iB|B)\b", str(error))
    if match is None:
        return None
    return int(float(match[1].replace(",", "")) * UNITS[match[2]])


def explained(
    error: Exception,
    operation: Operation | str,
    device: Device,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    inplace: bool = False,
) -> Exception:
    """Return a native function's error as one that begins with NumPy's words and names the function and the operands.

    It has the class of the native error, unless NumPy raises another one for such operands.
    """
    if isinstance(error, UnknownValueError):
        return UnknownValueError(str(error))  # its message names what is unknown and the remedy
    error = device._library.translate(error)
    error = numpys_error(error, operation, device, args, kwargs or {}, inplace=inplace) or error
    name = operation if isinstance(operation, str) else operation.label
    shown = [_shown(arg) for arg in args]
    shown += [f"{key}={_shown(value)}" for key, value in (kwargs or {}).items() if value is not None]
    reason = str(error).rstrip()
    if isinstance(error, ValueError) and "read-only" in reason:
        reason = "assignment destination is read-only; copy the array first with x.copy()"
    if isinstance(error, TypeError) and isinstance(operation, Operation) and operation.accepts != "any":
        reason = f"{reason} ({name} takes {operation.expects}; cast with xtensor.astype)"
    text = f"{reason}{'' if reason.endswith('.') else ';'} {name}({', '.join(shown)}) on {device}".lstrip("; ")
    for kind in EXPLAINED_ERRORS:
        if isinstance(error, kind):
            return kind(text)
    if isinstance(error, FOREIGN_ERRORS):
        return TypeError(text)
    return error


def numpys_error(
    error: Exception,
    operation: Operation | str,
    device: Device,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    inplace: bool,
) -> Exception | None:
    """Return the error of the host's function for arrays of the same shapes and dtypes; None if it raises none.

    Consumers recognise errors by NumPy's words, which other libraries replace by their own. The operands are arrays of
    zeros, each of which is one element in memory; only index arrays have their values.
    """
    if not isinstance(error, EXPLAINED_ERRORS) or isinstance(error, KEPT_ERRORS) or device.native_type is np.ndarray:
        return None
    host = open_device("cpu")
    function: Callable[..., Any]
    if isinstance(operation, Operation):
        implementation = host.table[operation.index]
        function = implementation.inplace if inplace else implementation.function
    elif operation in INDEXING:
        if not device._provider.has_values:
            return None  # the outcome depends on the values of index arrays
        function = INDEXING[operation]
        try:
            args = (args[0], _host_key(args[1], device), *args[2:])
        except UnknownValueError:
            return None  # the index arrays differ from example to example of a batch
    else:
        return None
    if sum(getattr(value, "size", 0) for value in args) > MAX_REPLAYED_SIZE:
        return None
    try:
        with np.errstate(all="ignore"):
            function(*[_zeros(arg, device) for arg in args], **{key: _zeros(kwargs[key], device) for key in kwargs})
    except np.linalg.LinAlgError:
        return None  # of the zeros
    except EXPLAINED_ERRORS as raised:
        return raised.with_traceback(None)  # whose frames would form a cycle with the error and its operands
    except Exception:
        return None
    return None


def _zeros(value: Any, device: Device) -> Any:
    """An argument with zeros of the same shape and dtype for each native array."""

    def zeros(x: Any) -> Any:
        return np.lib.stride_tricks.as_strided(np.zeros(1, x.dtype), x.shape, (0,) * x.ndim)

    return mapped(value, zeros, device.native_type)


def _host_key(key: Any, device: Device) -> Any:
    """A key with the values of its native index arrays as NumPy arrays."""
    return mapped(key, device._library.to_host, device.native_type)


def _shown(value: Any) -> str:
    """An argument as a message shows it: dtype and shape of an array, a scalar's value."""
    if isinstance(value, (tuple, list)) and any(map(is_array, value)):
        return f"[{', '.join(map(_shown, value))}]"
    return shortened(value) if is_array(value) else describe(value)


def raise_unsupported(operation: Operation, device: Device) -> Any:
    """Raise the error for operands that no implementation takes, or for a function that the backend lacks."""
    if device.table[operation.index].function is not_implemented:
        duty = "" if operation.composition else "; a backend provides all names of xtensor.backend.primitives()"
        raise MissingFunctionError(
            f"{operation.label}() has no implementation on device {device}: backend {device.backend!r} lacks "
            f"{operation.name}{duty}; move the operands to another device with x.to_device('cpu')"
        )
    raise MissingFunctionError(
        f"{operation.label}() has no implementation on device {device} for these operands; move them to another device "
        "with x.to_device('cpu'), or cast them with xtensor.astype"
    )
