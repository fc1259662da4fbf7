"""The errors that are xtensor's own, and tools for messages."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

import numpy as np

__all__ = [
    "BackendUnavailableError",
    "CopyRequiredError",
    "DeviceMismatchError",
    "MissingFunctionError",
    "NotDifferentiableError",
    "OutOfMemoryError",
    "WorkerLostError",
    "WrittenWithWarningError",
    "called_function",
    "caller_frame",
    "describe",
    "install_command",
    "is_array",
    "is_runtime_error",
    "lost_device",
    "shortened",
]

PACKAGES = re.compile(r"xtensor(\.|_|$)")
"""The names of our own modules: ``xtensor``, ``xtensor._core.dispatch``, ``xtensor_backends.numpy``, …."""


class BackendUnavailableError(RuntimeError):
    """A backend, or one device of it, cannot be used on this machine.

    Parameters
    ----------
    reason
        The missing or broken part.
    remedy
        The action that makes it available.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(f"{reason}. {remedy}" if remedy else reason)
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.remedy)


def is_runtime_error(error: BaseException) -> bool:
    """Whether an error is a RuntimeError that is none of Python's own subclasses: libraries raise it for anything."""
    return isinstance(error, RuntimeError) and not isinstance(error, (NotImplementedError, RecursionError))


def lost_device(error: BaseException) -> BackendUnavailableError:
    """Return the error for a GPU that stopped, or whose driver ended the process's context, from the library's."""
    reason = str(error).partition("\n")[0]
    return BackendUnavailableError(
        f"the device was lost: {reason}", "Its arrays are lost, too; start the process again"
    )


class CopyRequiredError(BufferError, ValueError):
    """A copy is needed where ``copy=False`` forbids it.

    The standard asks for BufferError in one sentence on DLPack and for ValueError in another; this is both.
    """


class DeviceMismatchError(ValueError):
    """Operands are on different devices, and transfers are forbidden."""


class NotDifferentiableError(TypeError):
    """A derivative was asked through an operation that has none, or through a conversion that would lose it."""


class OutOfMemoryError(MemoryError):
    """A device does not have the memory that an operation requested.

    Parameters
    ----------
    message
        The request and the device.
    requested
        Bytes requested, or None where the library does not tell.
    free
        Bytes free on the device at that moment, or None where it does not tell.
    """

    def __init__(self, message: str, requested: int | None = None, free: int | None = None) -> None:
        super().__init__(message)
        self.requested = requested
        self.free = free

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.requested, self.free)


class WorkerLostError(RuntimeError):
    """The processes that an engine computed with died, for a reason that it does not know to be lack of memory."""


class WrittenWithWarningError(Exception):
    """Raised by a function that has written its result into an operand and has warnings to issue.

    Parameters
    ----------
    native
        The native array that was written to.
    *warnings
        The warnings.
    """

    def __init__(self, native: Any, *warnings: Warning) -> None:
        super().__init__(", ".join(map(str, warnings)))
        self.native = native
        self.warnings = warnings


class MissingFunctionError(NotImplementedError):
    """No implementation of an operation takes the operands on a device."""


def install_command(*requirements: str, upgrade: bool = False) -> str:
    """Return the command that installs requirements, for remedies.

    It names the libraries themselves and not an extra of xtensor, so that it works where xtensor was installed from a
    checkout or a wheel.

    >>> install_command("dpnp>=0.20")
    'python -m pip install "dpnp>=0.20"'
    """
    words = ["python -m pip install", *(["--upgrade"] if upgrade else []), *(f'"{item}"' for item in requirements)]
    return " ".join(words)


def describe(value: object) -> str:
    """Return a value as error messages show it: shortened, with its type."""
    if value is None or isinstance(value, (bool, type)):
        return repr(value)
    return f"{shortened(value)} ({type(value).__name__})"


def shortened(value: object) -> str:
    """Return a value's representation in at most 60 characters; dtype and shape of an array, never its elements."""
    if is_array(value):
        return f"{value.dtype} array of shape {value.shape}"  # type: ignore[attr-defined]
    if isinstance(value, (tuple, list)) and any(map(is_array, value)):
        items = ", ".join(map(shortened, value[:3])) + ", ..." * (len(value) > 3)
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"
    try:
        text = repr(value)
    except Exception:  # Python writes out integers of some thousand digits at most
        text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else object.__repr__(value)
    return text if len(text) <= 60 else text[:57] + "..."


def is_array(value: object) -> bool:
    """Whether a value is an array of any library, not a scalar of NumPy."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, (type, np.generic))


def called_function() -> str:
    """Return the name of the public function that the user's code called."""
    frame: FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None and PACKAGES.match(frame.f_globals.get("__name__", "")):
        name = frame.f_code.co_name
        frame = frame.f_back
    return name


def caller_frame() -> FrameType | None:
    """Return the first frame outside xtensor and its backends: the user's line."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and PACKAGES.match(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame
