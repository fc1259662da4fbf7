"""Arguments that are a truth value or one number, as NumPy takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.array import Array
from .._core.errors import describe

__all__ = ["number", "truth"]


def truth(value: Any, function: str, name: str) -> bool:
    """Return a flag; code written for NumPy passes 0, 1 and None as well."""
    if value is None or isinstance(value, (bool, int, np.bool, np.integer)):
        return bool(value)
    raise TypeError(f"{function}(): {name} is True or False, not {describe(value)}")


def number(value: Any, function: str, name: str) -> Any:
    """Return a real number on the host; an Array of no dimension is one."""
    if isinstance(value, Array) and not value.ndim:
        value = value.item()
    if isinstance(value, (bool, int, float, np.bool, np.integer, np.floating)):
        return value
    raise TypeError(f"must be real number, not {type(value).__name__}; {function}(): {name} is {describe(value)}")
