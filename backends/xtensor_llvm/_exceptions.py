"""The processor's flags of floating-point exceptions, which NumPy's warnings come from.

Operations that the processor rounds itself set them as NumPy's loops do. Formulas of many steps set them for values
that are not results: their results are looked at instead (:mod:`xtensor_llvm._emission`).
"""

from __future__ import annotations

import ctypes
import functools
import platform

from xtensor.backend import Program

__all__ = ["by_flags", "mask", "symbols"]

EXACT = frozenset(("add", "astype", "divide", "multiply", "reciprocal", "sqrt", "square", "subtract"))
"""Operations that are instructions of the processor. Comparisons are, too, but set the flag of NaN operands."""

MASKS = {"x86_64": 1 | 4 | 8, "amd64": 1 | 4 | 8, "aarch64": 1 | 2 | 4, "arm64": 1 | 2 | 4}
"""The flags of invalid operations, divisions by zero and overflows in the C library's words, by machine."""


@functools.cache
def symbols() -> dict[str, int]:
    """Return the C library's functions of the flags; empty where they are not found."""
    try:
        library = ctypes.CDLL(None)
        names = ("feclearexcept", "fetestexcept")
        return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names}
    except (AttributeError, OSError, TypeError):
        return {}


def mask() -> int:
    """Return the flags that NumPy warns of; 0 where they are not known."""
    return MASKS.get(platform.machine().lower(), 0) if symbols() else 0


def by_flags(program: Program) -> bool:
    """Whether the flags tell that NumPy warns of a result of a program."""
    return program.checks and bool(mask()) and all(step.name in EXACT for step in program.steps)
