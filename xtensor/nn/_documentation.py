"""Sections of docstrings that the functions over one, two and three spatial axes have in common."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

__all__ = ["documented"]

F = TypeVar("F", bound=Callable[..., Any])

SPATIAL = {1: "l", 2: "h, w", 3: "d, h, w"}
"""Lengths of the spatial axes, as shapes name them."""

KERNEL = {1: "k", 2: "k₁, k₂", 3: "k₁, k₂, k₃"}
"""Lengths of a window, as shapes name them."""


def documented(sections: str, axes: int) -> Callable[[F], F]:
    """Add sections to the docstring of a function, which has the purpose alone.

    Parameters
    ----------
    sections
        The text. ``{spatial}``, ``{kernel}`` and ``{axes}`` stand for the lengths and the number of axes.
    axes
        Number of spatial axes of the function.
    """

    def decorate(function: F) -> F:
        if function.__doc__ is not None:  # as it is with python -OO
            text = cleandoc(sections).format(spatial=SPATIAL[axes], kernel=KERNEL[axes], axes=axes)
            function.__doc__ = f"{function.__doc__}\n\n{text}\n"
        return function

    return decorate
