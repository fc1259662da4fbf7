"""Names of PyTorch, JAX and dask that xtensor has under another name, and what to write for them.

A program that is moved from one of these libraries looks for them; the error names the remedy. NumPy's names that the
standard has under another one are in ``STANDARD_NAMES`` of :mod:`xtensor._ops`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from .foreign_attributes import ATTRIBUTES, METHODS
from .foreign_names import CHAPTERS, NAMESPACE

__all__ = [
    "ATTRIBUTES",
    "CHAPTERS",
    "METHODS",
    "NAMESPACE",
    "ForeignAttribute",
    "add_foreign_attributes",
    "add_foreign_methods",
    "explain",
    "finder",
    "missing",
]

KEYWORDS: dict[str, str] = {
    "device_type": "device=",
    "dim": "axis=",
    "dims": "axis=",
    "input": "the first argument, by position",
    "keepdim": "keepdims=",
    "memory_format": "no parameter: the memory of an Array is in row-major order",
    "non_blocking": "no parameter: copies keep their order",
    "other": "the second argument, by position",
    "pin_memory": "no parameter",
    "requires_grad": "no parameter: xtensor.autograd.grad(f) differentiates f, xtensor.autograd.variable(x) records",
    "unbiased": "correction=1",
}
"""Keywords of PyTorch's functions and what the standard's have for them."""

NUMPYS_KEYWORDS: dict[str, str] = {
    "a_max": "max=",
    "a_min": "min=",
    "initial": "a parameter of NumPy's function alone, which takes Arrays",
    "kind": "no parameter: every sort is stable",
    "like": "device=",
    "newshape": "shape=",
    "order": "no parameter: new Arrays are in row-major order; numpy.reshape takes Arrays and an order",
    "out": "a parameter of NumPy's function alone, which takes Arrays",
    "where": "a parameter of NumPy's function alone, which takes Arrays",
}
"""Keywords of NumPy's functions and what the standard's have for them."""

LIBRARIES = (("PyTorch", KEYWORDS), ("NumPy", NUMPYS_KEYWORDS))

POSITIONAL: dict[str, str] = {
    "broadcast_to": "pass shape as one tuple",
    "permute_dims": "pass axes as one tuple",
    "reshape": "pass shape as one tuple",
    "round": "NumPy's round(x, decimals) is x.round(decimals)",
    "clip": "use min= and max=",
    "view": "PyTorch's x.view(shape) is x.reshape(shape)",
}
"""Remedies for arguments that a function does not take by position, by the function's name."""

UNEXPECTED = r"(?:\w+\.)*(\w+\(\):? got an unexpected keyword argument '(\w+)'(?:\. Did you mean .*)?)"
TOO_MANY = r"(?:\w+\.)*(\w+)\(\) takes .* positional arguments? but \d+ (?:was|were) given"
"""Patterns of Python's messages for arguments that a function does not take, compiled at the first one."""

SHAPE = r"view\(\) takes a dtype .*, not .* \((?:int|tuple)\)"
"""The message for a shape, which PyTorch's ``view`` takes."""


def missing(module: str, name: str, names: dict[str, dict[str, str]]) -> AttributeError:
    """Return the error for a name that a module does not have; it names the remedy for another library's name."""
    known = [(library, remedies[name]) for library, remedies in names.items() if name in remedies]
    remedy = "".join(f"; {library}'s {name} is {text}" for library, text in known)
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy}")


def finder(module: str) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a module: the error for a name that it does not have."""

    def find(name: str) -> NoReturn:
        try:
            raise missing(module, name, CHAPTERS[module])
        except AttributeError as error:
            error.__traceback__ = None  # a bare raise does not enter this frame again
            raise

    return find


def explain(error: TypeError) -> None:
    """Add the remedy to Python's message for an argument that a function does not take."""
    text = str(error)
    unexpected = re.fullmatch(UNEXPECTED, text)
    if unexpected is not None:
        name = unexpected[2]
        known = [(library, table[name]) for library, table in LIBRARIES if name in table]
        error.args = (unexpected[1] + "".join(f"; {library}'s {name}= is {remedy}" for library, remedy in known),)
        return
    too_many = re.fullmatch(TOO_MANY, text)
    if too_many is not None and too_many[1] in POSITIONAL:
        error.args = (f"{text}; {POSITIONAL[too_many[1]]}",)
    elif re.fullmatch(SHAPE, text):
        error.args = (f"{text}; {POSITIONAL['view']}",)


class ForeignAttribute:
    """Attribute of another library's objects: xtensor's object does not have it, and the error names the remedy."""

    def __init__(self, name: str, remedy: str) -> None:
        self._name, self._remedy = name, remedy

    def __get__(self, instance: object, owner: type | None = None) -> object:
        subject = (
            f"type object {owner.__name__!r}" if instance is None and owner else f"{type(instance).__name__!r} object"
        )
        try:
            raise AttributeError(
                f"{subject} has no attribute {self._name!r}; {self._remedy}",
                name=self._name,
                obj=instance,
            )
        except AttributeError as error:
            error.__traceback__ = None  # so that the traceback ends at the user's line
            raise


def add_foreign_attributes(cls: type, absent: Callable[[Any], Iterable[str]]) -> None:
    """Give a class of arrays the attributes of other libraries' arrays, which raise, and hide them from :func:`dir`.

    Parameters
    ----------
    absent
        Returns further names that an array does not have.
    """

    def names(self: object) -> list[str]:
        return sorted(set(object.__dir__(self)) - ATTRIBUTES.keys() - set(absent(self)))

    def names_of_class(self: type) -> list[str]:
        return sorted(set(type.__dir__(self)) - ATTRIBUTES.keys())

    for name, (library, remedy) in ATTRIBUTES.items():
        if not hasattr(cls, name):
            setattr(cls, name, ForeignAttribute(name, f"{library}'s x.{name} is {remedy}"))
    cls.__dir__ = names  # type: ignore[assignment,method-assign]
    type(cls).__dir__ = names_of_class  # type: ignore[assignment,method-assign]


def add_foreign_methods(cls: type, kind: str) -> None:
    """Give a class of modules or optimizers the methods of PyTorch's, which raise, and hide them from :func:`dir`.

    Parameters
    ----------
    kind
        The key of :data:`METHODS`, and the name of the object in the messages.
    """
    methods = METHODS[kind]

    def names(self: object) -> list[str]:
        return [name for name in object.__dir__(self) if name not in methods or hasattr(self, name)]

    for name, remedy in methods.items():
        setattr(cls, name, ForeignAttribute(name, f"PyTorch's {kind}.{name} is {remedy}"))
    cls.__dir__ = names  # type: ignore[assignment,method-assign]
