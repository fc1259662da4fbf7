"""Memory that results of medium and large size reuse, instead of faulting it in anew.

Requirements: no other allocation of the process is changed; an array owns its memory as any other of NumPy's does, so
that views, memoryviews and DLPack exports keep it alive, and memory serves another array only after the last of them;
what is held is bounded and can be given back.

The compiled module's functions set NumPy's handler of memory (NEP 49) for the arrays that they make. NumPy
calls the handler again when the array is deallocated. Where there is no compiled module, and on Windows, arrays have
NumPy's memory.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from xtensor.backend import rewarn

from ._runtime import compiled

__all__ = ["LIMIT_VARIABLE", "allocator", "held", "limit", "release", "reusing", "set_limit", "used"]

LIMIT_VARIABLE = "XTENSOR_KEEP_BYTES"

_LARGEST_DEFAULT = 1 << 30
_SHARE = 16

_SUPPORTED = hasattr(compiled, "empty")


def allocator() -> Callable[..., np.ndarray[Any, Any]]:
    """Return the function empty(shape, dtype): numpy.empty with memory that is reused, aligned to 64 bytes."""
    return compiled.empty if _SUPPORTED else np.empty


def reusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's arrays whose results and temporaries have such memory as well."""
    return partial(compiled.reusing, function) if _SUPPORTED else function


def held() -> int:
    """Return the number of bytes that are held and that no array uses."""
    return int(compiled.held()) if _SUPPORTED else 0


def used() -> int:
    """Return the number of bytes of the blocks that arrays use."""
    return int(compiled.used()) if _SUPPORTED else 0


def release() -> None:
    """Give what is held back to the system."""
    if _SUPPORTED:
        compiled.release()


def limit() -> int:
    """Return the bound of `held()`, in bytes."""
    return int(compiled.limit()) if _SUPPORTED else 0


def set_limit(size: int) -> None:
    """Set the bound of `held()`, in bytes; with 0 nothing is kept."""
    if size < 0:
        raise ValueError(f"set_limit({size}): the limit is a number of bytes, at least 0.")
    if _SUPPORTED:
        compiled.set_limit(size)


def _default_limit() -> int:
    """XTENSOR_KEEP_BYTES, or a sixteenth of the machine's or the container's memory, and at most 1 GiB."""
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text), (1 << 62))
    if text:
        rewarn(UserWarning(f"{LIMIT_VARIABLE}={text!r} is ignored: it is not a number of bytes."))
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # not Linux, or no bound ("max")
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(_LARGEST_DEFAULT, total // _SHARE)


if _SUPPORTED:
    set_limit(_default_limit())
