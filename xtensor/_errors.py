"""The errors that are xtensor's own, and the text of those raised for bad input."""

from __future__ import annotations

from typing import Any

__all__ = ["BackendUnavailableError", "CopyRequiredError", "DeviceMismatchError", "OutOfMemoryError", "describe"]


class BackendUnavailableError(RuntimeError):
    """A backend, or one device of it, cannot be used on this machine.

    Parameters
    ----------
    reason
        What is missing or broken, in words a person can act on.
    remedy
        What to install or to change.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(f"{reason}. {remedy}" if remedy else reason)
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.remedy)


class CopyRequiredError(BufferError, ValueError):
    """A copy is needed where ``copy=False`` forbids it.

    The standard asks for BufferError in one sentence on DLPack and for ValueError in another; this is both.
    """


class DeviceMismatchError(ValueError):
    """Arrays on different devices met in one operation, and transfers are forbidden."""


class OutOfMemoryError(MemoryError):
    """A device has not the memory an operation asked for.

    Parameters
    ----------
    message
        What was asked for, and where.
    requested
        Bytes asked for, or None where the library does not tell.
    free
        Bytes free on the device at that moment, or None where it does not tell.
    """

    def __init__(self, message: str, requested: int | None = None, free: int | None = None) -> None:
        super().__init__(message)
        self.requested = requested
        self.free = free

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.requested, self.free)


def describe(value: object) -> str:
    """A value as an error message names it: short, with its type."""
    if value is None or isinstance(value, (bool, type)):
        return repr(value)
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({type(value).__name__})"
