"""The sizes from which kernels compute, found by measurement: below them a call is NumPy's.

A formula of many steps takes its time for each element. An operation of a few instructions is bound by the memory: its
size is in bytes of its first array, and lies where the operands and the result no longer fit into a core's cache.

The environment variable ``XTENSOR_LLVM_FEWEST`` sets all of them, so that tests reach the kernels with small arrays.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = [
    "BYTES_ADDED",
    "BYTES_COMPARED_NUMBER",
    "BYTES_EXTREME",
    "BYTES_INPLACE",
    "BYTES_JOINED",
    "BYTES_MEDIUM",
    "BYTES_PRODUCT",
    "BYTES_ROWS",
    "BYTES_SIMPLE",
    "BYTES_STREAMED",
    "BYTES_TAKEN",
    "MIN_SIZE",
    "MIN_SIZE_ASSIGNED",
    "MIN_SIZE_DECIDED",
    "MIN_SIZE_FOURIER",
    "MIN_SIZE_INTEGERS_SCANNED",
    "MIN_SIZE_MEDIUM",
    "MIN_SIZE_POWER",
    "MIN_SIZE_REDUCED",
    "MIN_SIZE_SELECTED",
    "MIN_SIZE_SHORT",
    "MIN_SIZE_SHORT_ROWS",
    "MIN_SIZE_TOTAL",
    "MIN_SIZE_TRANSFORMED",
    "MOST_ELEMENTS_JOINED",
    "SHORTEST",
    "SHORTEST_JOINED",
    "SHORTEST_OF_MANY",
    "SHORT_ROW",
]

_given = os.environ.get("XTENSOR_LLVM_FEWEST", "")
_always = int(_given) if _given.isascii() and _given.isdigit() else None


def _size(measured: int) -> int:
    return measured if _always is None else _always


MIN_SIZE = _size(2**12)
"""Elements from which a formula of many steps is computed by a kernel."""

MIN_SIZE_ASSIGNED = _size(2**14)
"""Elements from which values are assigned to some of them by a kernel."""

MIN_SIZE_MEDIUM = _size(2**15)
"""Elements from which several simple operations are computed by one kernel."""

MIN_SIZE_POWER = _size(2**15)
"""Minimum elements for a power with a scalar exponent; NumPy computes some exponents as squares."""

BYTES_MEDIUM = _size(2**18)
"""Minimum bytes for a division, a square root, a cast, or a formula that NumPy vectorises."""

BYTES_SIMPLE = _size(3 * 2**17)
"""Bytes from which an operation of a few instructions or a comparison is."""

BYTES_COMPARED_NUMBER = _size(2**20)
"""Bytes from which a comparison with a number is: one core reads the result, of which others have written parts."""

BYTES_INPLACE = _size(2**20)
"""Bytes from which one that writes over its operand is."""


def _cache(level: int, usual: int) -> int:
    """Return the bytes of a processor's cache, as Linux tells them; a usual size where it does not."""
    try:
        text = Path(f"/sys/devices/system/cpu/cpu0/cache/index{level}/size").read_text().strip()
        return int(text.removesuffix("K")) * 1024
    except (OSError, ValueError):
        return usual


BYTES_STREAMED = _cache(3, 2**25)
"""Bytes of a result from which it is written past the caches, in which it would not stay until its next use.

This takes 0.75 to 0.85 of the time of additions, divisions and casts, as the memory that is written over is not read.
Results that fit take 1.2 to 3.4 times as long, since the next operation finds nothing in the caches."""

BYTES_PRODUCT = _size(2**17)
"""Bytes of a matrix from which a product has the pool's memory: smaller blocks the system's allocator keeps itself."""

BYTES_JOINED = _size(3 * 2**18 if _cache(2, 2**20) >= 2**20 else 3 * 2**19)
"""Bytes of joined arrays from which they are copied by a kernel: where two cores' own caches do not hold the result,
the second core saves less time than its start takes."""

SHORTEST_JOINED = 64
"""Bytes of a row from which rows are copied one by one."""

MOST_ELEMENTS_JOINED = 8
"""Elements of a row of joined arrays up to which a kernel copies each by an instruction."""

BYTES_ROWS = _size(2**17)
"""Bytes of the rows at some indices from which they are taken by a kernel."""

BYTES_TAKEN = _size(2**17)
"""Bytes from which the elements at indices are taken by a kernel."""

MIN_SIZE_TOTAL = _size(2**14)
"""Elements from which a sum, product or mean of all of them is computed by a kernel."""

MIN_SIZE_REDUCED = _size(2**16)
"""Elements from which a sum, product or mean along axes, or a variance, is."""

MIN_SIZE_INTEGERS_SCANNED = _size(2**18)
"""Elements from which integers that need no cast have their cumulative sums computed by a kernel: a processor adds them
up in a cycle each, and the kernel reads them twice."""

BYTES_ADDED = _size(2**20)
"""Bytes from which a sum along an axis around the innermost one is."""

BYTES_EXTREME = _size(2**20)
"""Bytes from which a maximum or minimum is: NumPy's loop takes a hundredth of a nanosecond for one in a cache."""

MIN_SIZE_DECIDED = _size(2**19)
"""Elements from which integers are counted, and elements looked at for any or all of them."""

MIN_SIZE_SELECTED = _size(2**15)
"""Elements from which a mask selects among them by a kernel."""

MIN_SIZE_SHORT_ROWS = _size(2**16)
"""Elements from which a maximum or minimum along an axis of rows of few elements is: NumPy's loop starts anew for each
row."""

SHORT_ROW = 64
"""Elements up to which a row is one of few elements."""

MIN_SIZE_FOURIER = _size(2**13)
"""Elements from which a Fourier transform is computed by a kernel."""

MIN_SIZE_TRANSFORMED = _size(2**16)
"""Elements from which one of a library has the pool's memory."""

SHORTEST = min(max(_size(16), 1), 16)
"""Elements of the innermost axis from which a kernel is faster than NumPy's loop."""

MIN_SIZE_SHORT = _size(2**18)
"""Elements from which threads make up for what a kernel loses on short innermost axes."""

SHORTEST_OF_MANY = 8
"""Elements of the innermost axis from which a kernel computes so many elements."""
