"""The boundary of the namespace: the traceback of an error that leaves it ends at the user's line.

Requirements: a call that succeeds pays nothing where there is a wrapper already, and otherwise that of the compiled
module; frames of the user's own functions, which ours have called, stay; ``XTENSOR_TRACEBACK=full`` keeps every frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from . import remedies
from .compiled import compiled, named, published, with_short_way
from .errors import PACKAGES, BackendUnavailableError
from .operations import Operation

__all__ = ["FULL", "boundary", "cause", "declared", "leaving", "publish", "publish_methods"]

F = TypeVar("F", bound=Callable[..., Any])

FULL = os.environ.get("XTENSOR_TRACEBACK", "") == "full"
"""Whether tracebacks keep our frames and the errors of libraries that ours explain."""

SHORTENED = (
    *(TypeError, ValueError, ArithmeticError, IndexError, BufferError, NotImplementedError, MemoryError, OSError),
    *(Warning, BackendUnavailableError),
)
"""The classes of errors whose message explains them. Others, such as KeyError, show a fault of xtensor itself."""


SPECIAL_METHODS = frozenset(
    (
        *("__getitem__", "__setitem__", "__array_ufunc__", "__array_function__", "__array__"),
        *("__bool__", "__float__", "__int__", "__index__"),
    )
)
"""The special methods that have the boundary, next to the operators; in C, ``__getitem__`` has it already."""


def leaving(error: Exception) -> None:
    """Remove our frames from the traceback of an error that leaves the namespace, and name the remedy of a misspelling.

    A function that catches the error calls this and has a bare ``raise``, which does not enter its frame again.
    """
    if error.__class__ is TypeError:
        remedies.explain(error)
    if FULL or not isinstance(error, SHORTENED):
        return
    frames = []
    entry = error.__traceback__
    while entry is not None:
        if not PACKAGES.match(entry.tb_frame.f_globals.get("__name__", "")):
            frames.append(entry)
        entry = entry.tb_next
    shortened = None
    for item in reversed(frames):
        shortened = TracebackType(shortened, item.tb_frame, item.tb_lasti, item.tb_lineno)
    error.__traceback__ = shortened


def cause(error: BaseException) -> BaseException | None:
    """Return the cause that the explanation of a library's error shows: none, unless tracebacks are full."""
    return error if FULL else None


def boundary(function: F) -> F:
    """Return a function whose errors leave the namespace: see :func:`leaving`."""
    return with_short_way("BOUNDARY")(function) if compiled is not None else published(_bounded(function), function)


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the boundary in Python before a function."""

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            leaving(error)
            raise

    return bounded


def declared(
    kind: str, operation: Operation, function: Callable[..., Any], declaration: F, *, is_operator: bool = False
) -> F:
    """Return the function of a declaration, with the boundary and, where there is the compiled module, a short way.

    Parameters
    ----------
    kind
        The compiled module's kind of function.
    operation
        The operation that the function computes.
    function
        The function in Python, which computes every case.
    declaration
        The function with the name, signature and docstring.
    is_operator
        Whether the interpreter calls the function for an operator.
    """
    function = published(function, declaration)
    if compiled is None:
        return published(_bounded(function), declaration)
    short = compiled.Function(getattr(compiled, kind), operation, operation.index, is_operator)
    short.python = function
    return named(short, declaration)


def publish(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """Put the boundary before the functions of a package, in it and in the modules that define them.

    A function that a declaration of the core has made, or that has the boundary already, is defined in no module by its
    name, and stays.
    """
    for name in names:
        function = namespace[name]
        if function.__class__ is not FunctionType or hasattr(function, "leaves_namespace"):
            continue
        home = function.__globals__
        if name in home and home[name] is function:
            namespace[name] = home[name] = boundary(function)


def publish_methods(*classes: type) -> None:
    """Put the boundary before the methods of classes."""
    for cls in classes:
        for name, method in vars(cls).copy().items():
            if method.__class__ is FunctionType and (name[0] != "_" or name in SPECIAL_METHODS):
                setattr(cls, name, boundary(method))
