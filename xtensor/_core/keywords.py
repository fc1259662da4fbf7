"""Parameters that the standard takes by name and NumPy by position: ``sum(x, 0)`` is refused with ``axis=0``.

Requirement: a right call costs no more than the test whether an empty tuple is empty, and the signature that users
and tools see is the standard's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from .errors import is_array, shortened

__all__ = ["by_position", "keywords_only"]

WHOLE = frozenset(("axes", "repetitions", "shape"))
"""Parameters that are one tuple, whose items NumPy's methods and other libraries take as arguments of their own."""

F = TypeVar("F", bound=Callable[..., Any])


def keywords_only(function: F) -> F:
    """Hide ``*positional``, which takes what is wrongly given by position, from the function's signature.

    :func:`inspect.signature` reads that of ``__wrapped__``: the same function without the parameter, never called.
    """
    code = function.__code__
    seen = FunctionType(
        code.replace(co_flags=code.co_flags & ~inspect.CO_VARARGS),
        function.__globals__,
        function.__name__,
        function.__defaults__,
    )
    seen.__kwdefaults__ = function.__kwdefaults__
    seen.__annotations__ = {name: value for name, value in function.__annotations__.items() if name != "positional"}
    function.__wrapped__ = seen  # type: ignore[attr-defined]
    return function


def by_position(function: Callable[..., Any], positional: tuple[Any, ...]) -> TypeError:
    """Return the error for arguments that a function takes by name: Python's words, and the names to use.

    The names are those of the parameters at these positions of NumPy's function.
    """
    name, signature = function.__name__, inspect.signature(function)
    own = [item for item in signature.parameters.values() if item.kind is not item.KEYWORD_ONLY]
    required = sum(item.default is item.empty for item in own)
    count = f"{required}" if required == len(own) else f"from {required} to {len(own)}"
    names = _numpy_names(function, signature)[len(own) :][: len(positional)]
    last = own[-1].name
    if last in WHOLE and all(value.__class__ is int for value in positional):
        remedy = f"pass {last} as one tuple"
    elif last == "arrays" and any(map(is_array, positional)):
        remedy = "pass the arrays in one list"
    elif any(map(is_array, positional)):
        remedy = "pass the others by name"
    elif len(names) == len(positional) and signature.parameters.keys() >= set(names):
        values = [repr(str(value)) if isinstance(value, np.dtype) else shortened(value) for value in positional]
        remedy = "use " + ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
    else:
        remedy = "pass the others by name"
    bare = [item.replace(annotation=item.empty) for item in signature.parameters.values()]
    plural = "" if count == "1" else "s"
    return TypeError(
        f"{name}() takes {count} positional argument{plural} but {len(own) + len(positional)} were given; {remedy}: "
        f"{name}{inspect.Signature(bare)}"
    )


def _numpy_names(function: Callable[..., Any], signature: inspect.Signature) -> list[str]:
    """Return the names of the parameters that NumPy's function takes by position."""
    chapter = next((part for part in ("linalg", "fft") if f".{part}." in function.__module__), "")
    counterpart = getattr(getattr(np, chapter) if chapter else np, function.__name__, None)
    try:
        numpy = inspect.signature(counterpart) if callable(counterpart) else inspect.Signature()
    except ValueError:  # before NumPy 2.4, functions implemented in C have no signature; their order is the standard's
        return list(signature.parameters)
    return [name for name, item in numpy.parameters.items() if item.kind is not item.KEYWORD_ONLY]
