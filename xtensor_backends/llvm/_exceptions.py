"""The processor's flags of floating-point exceptions, which NumPy's warnings come from.

Operations that the processor rounds itself set them as NumPy's loops do. Formulas of many steps set them for values
that are not results: their results are looked at instead (:mod:`xtensor_backends.llvm._emission`).
"""

from __future__ import annotations

import ctypes
import functools
import math
import platform
import sys
from contextvars import Context

import numpy as np

from xtensor.backend import Program

__all__ = ["by_flags", "issued", "mask", "symbols", "underflow_is_reported", "warns"]

EXACT = frozenset(("add", "astype", "divide", "multiply", "reciprocal", "sqrt", "square", "subtract"))
"""Operations that are instructions of the processor. Comparisons are, too, but set the flag of NaN operands."""

REPORTED = ("divide by zero", "overflow", "invalid")
"""The flags in the order in which NumPy warns of them."""

X86 = {"invalid": 1, "divide by zero": 4, "overflow": 8}
ARM = {"invalid": 1, "divide by zero": 2, "overflow": 4}
FLAGS = {"x86_64": X86, "amd64": X86, "aarch64": ARM, "arm64": ARM}
"""The flags of which NumPy warns, in the C library's words, by machine."""

INFINITE = math.inf
EXAMPLES: dict[str, dict[str, tuple[float, ...]]] = {
    "add": {"invalid": (INFINITE, -INFINITE), "overflow": (1.0, 1.0)},
    "subtract": {"invalid": (INFINITE, INFINITE), "overflow": (1.0, -1.0)},
    "multiply": {"invalid": (0.0, INFINITE), "overflow": (1.0, 1.0)},
    "divide": {"invalid": (0.0, 0.0), "divide by zero": (0.5, 0.0), "overflow": (1.0, 0.5)},
    "square": {"overflow": (1.0,)},
    "sqrt": {"invalid": (-0.5,)},
    "reciprocal": {"divide by zero": (0.0,)},
}
"""Operands for which an operation raises a flag; 1 and -1 stand for the largest number of the dtype."""


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
    return sum(FLAGS.get(platform.machine().lower(), {}).values()) if symbols() else 0


def warns(program: Program) -> bool:
    """Whether :func:`issued` tells all that NumPy warns of when it computes a program."""
    if program.outputs != (len(program.dtypes) - 1,) or len(program.steps) != 1:
        return False
    dtype = program.dtypes[-1]
    if program.steps[0].name == "where":
        return True  # NumPy never warns of it
    return dtype.kind in "biu" or (by_flags(program) and program.steps[0].name in EXAMPLES)


def issued(program: Program, raised: int) -> list[Warning]:
    """Return NumPy's warnings of flags that a program of one step has raised; do else what `numpy.errstate` says."""
    name, dtype = program.steps[0].name, program.dtypes[-1]
    largest = float(np.finfo(dtype).max)
    flags = FLAGS[platform.machine().lower()]
    caught: list[Warning] = []
    for flag in REPORTED:
        if flag in EXAMPLES[name] and raised & flags[flag]:
            example = [largest * item if abs(item) == 1 else item for item in EXAMPLES[name][flag]]
            try:
                getattr(np, name)(*np.asarray([example], dtype).T)
            except RuntimeWarning as warning:
                caught.append(warning.with_traceback(None))
    return caught


def by_flags(program: Program) -> bool:
    """Whether the flags tell that NumPy warns of a result of a program."""
    exact = all(step.name in EXACT for step in program.steps)
    return exact and program.checks and bool(mask()) and all(dtype.kind != "c" for dtype in program.dtypes)


_errors = getattr(getattr(sys.modules["numpy._core.umath"], "_extobj_contextvar", None), "get", None)
_default_errors = Context().run(_errors) if _errors is not None else None


def underflow_is_reported() -> bool:
    """Whether NumPy's errstate reports underflow, which kernels do not notice."""
    if _errors is not None and _errors() is _default_errors:
        return False  # np.geterr takes a microsecond
    return np.geterr()["under"] != "ignore"
