"""The compiled module: a short way for the ordinary calls, where it was built for this interpreter.

Requirements: nothing depends on it but speed. Each function with a short way has the same function in Python, which
computes every case; where the module is missing, or ``XTENSOR_COMPILED=0`` turns it off, the Python functions are all
that there is. ``_compiled.c`` is built when the package is installed, if there is a C compiler.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy  # noqa: F401 - before the compiled module: NumPy's import takes a tenth longer where an extension begins it

__all__ = ["compiled", "is_within", "missing", "named", "published", "track", "with_short_way", "with_short_way_of_all"]

F = TypeVar("F", bound=Callable[..., Any])

INTERFACE = 10
"""The interface of ``_compiled.c`` that this code is written for."""


compiled: Any = None
"""The module, or None."""

missing = ""
"""Why there is none."""

if os.environ.get("XTENSOR_COMPILED") == "0":
    missing = "turned off by XTENSOR_COMPILED=0"
else:
    try:
        from . import _compiled
    except ImportError as error:
        missing = f"not built for this interpreter ({error}); install xtensor where there is a C compiler"
    else:
        compiled = _compiled
        if _compiled.INTERFACE != INTERFACE:
            compiled = None
            missing = f"built from another version, interface {_compiled.INTERFACE}; install xtensor again"


def track(x: Any) -> None:
    """Make an Array known to the garbage collector, as one with other native arrays than NumPy's must be.

    The module's Arrays of NumPy arrays are not, since no cycle that the collector could free goes through them.
    """
    if compiled is not None:
        compiled.track(x)


def _unknown(native: Any, low: float, high: float) -> bool | None:
    return None


is_within: Callable[[Any, float, float], bool | None] = _unknown if compiled is None else compiled.is_within
"""``is_within(native, low, high)``: whether all components of a few floating-point numbers are finite and in between.

None where this is not known: for other arrays, and without the compiled module.
"""


def with_short_way(kind: str) -> Callable[[F], F]:
    """Put the compiled module's short way of a kind before a function in Python.

    Parameters
    ----------
    kind
        ``"GETITEM"`` for ``Array.__getitem__``, ``"APPLY"`` and ``"APPLY_TO"`` for the functions of these names,
        ``"ARGUMENT"`` for a function that returns its first argument where that is an Array,
        ``"BOUNDARY"`` for a public function without a short way, whose errors leave the namespace;
        ``"POWER"`` for a function of a NumPy array and an exponent: with a Python int or float it is NumPy's operator
        ``**``, but for arrays of booleans and float16, and the exponents 3 and 4 of float32 and float64.

    Returns
    -------
    callable
        Decorates the function, which computes all other cases. Without the compiled module it is left as it is.
    """

    def decorate(function: F) -> F:
        if compiled is None:
            return function
        short = compiled.Function(getattr(compiled, kind), None, 0, True)
        short.python = function
        return named(short, function)

    return decorate


def with_short_way_of_all(operation: Any, *, widens_float16: bool = False, **options: Any) -> Callable[[F], F]:
    """Put the compiled module before a public reduction: a call with an Array alone is one of the device's function.

    Parameters
    ----------
    operation
        The operation that the function computes.
    widens_float16
        Whether the function computes float16 in float32 where the device does not.
    options
        What the device's function gets then.
    """

    def decorate(function: F) -> F:
        if compiled is None:
            return function
        settings = operation, tuple(options), tuple(options.values()), widens_float16
        short = compiled.Function(compiled.REDUCTION, settings, 0, False)
        short.python = function
        return named(short, function)

    return decorate


def published(function: Callable[..., Any], declaration: F) -> F:
    """Give a function the name, docstring and annotations of its declaration, in profiles and tracebacks too."""
    function.__code__ = function.__code__.replace(co_name=declaration.__name__, co_qualname=declaration.__qualname__)
    return named(function, declaration)


def named(function: Any, declaration: F) -> F:
    """Give a function the attributes of its declaration."""
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        setattr(function, attribute, getattr(declaration, attribute))
    function.__wrapped__ = declaration
    return function  # type: ignore[no-any-return]
