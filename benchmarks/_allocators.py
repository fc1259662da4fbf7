"""Allocators of NumPy's memory: the C library's as it is, and with thresholds above which it returns less memory.

glibc maps large blocks anew and returns free memory at the end of the heap to the system, so that each large result
causes page faults again. Programs that raise both thresholds avoid this. A threshold holds for the whole process, so
such a run needs a process of its own.
"""

from __future__ import annotations

import ctypes
import sys

__all__ = ["ALLOCATORS", "SYSTEM", "TUNED", "tunable", "tune"]

SYSTEM, TUNED = "system", "tuned"

ALLOCATORS = {
    SYSTEM: "",
    TUNED: "glibc's thresholds M_MMAP_THRESHOLD and M_TRIM_THRESHOLD raised to 1 GiB",
}
"""Allocators by name, with their descriptions."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt`` in ``malloc.h``."""

THRESHOLD = 1 << 30


def tunable() -> bool:
    """Whether the C library has glibc's thresholds."""
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def tune() -> None:
    """Raise glibc's thresholds in this process.

    Raises
    ------
    RuntimeError
        If the C library has no such thresholds, or refuses the value.
    """
    if not tunable():
        raise RuntimeError("the allocator has no thresholds: the C library is not glibc")
    library = ctypes.CDLL(None)
    for parameter in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD):
        if library.mallopt(parameter, THRESHOLD) != 1:
            raise RuntimeError(f"glibc refuses {THRESHOLD} as a threshold of its allocator")
