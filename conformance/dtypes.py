"""Selection of the dtypes that the suite tests on a device.

A device need not support every dtype of the standard. The suite leaves out the dtypes that the environment variable
``ARRAY_API_TESTS_SKIP_DTYPES`` names, separated by commas, and tests the other dtypes as usual.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

__all__ = ["COMPLEX", "STANDARD", "VARIABLE", "consequences", "from_environment", "left_out", "refusal", "value"]

VARIABLE = "ARRAY_API_TESTS_SKIP_DTYPES"
_REAL_FLOATING = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
_INTEGER = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
STANDARD = ("bool", *_INTEGER, *_REAL_FLOATING, *COMPLEX)


def left_out(supported: Collection[str]) -> list[str]:
    """Return the dtypes of the standard that are not in `supported`, in the standard's order."""
    return [name for name in STANDARD if name not in supported]


def value(names: Sequence[str]) -> str:
    """Return the value of the environment variable that leaves these dtypes out."""
    return ",".join(names)


def from_environment() -> list[str]:
    """Return the dtypes that the environment of this process leaves out."""
    return [name for name in os.environ.get(VARIABLE, "").split(",") if name]


def refusal(names: Collection[str]) -> str | None:
    """Return why the suite cannot run without these dtypes, or None if it can."""
    if "bool" in names:
        return "it does not declare the dtype bool, and the suite cannot run without bool."
    if not set(_REAL_FLOATING) - set(names):
        return "it declares neither float32 nor float64, and the suite cannot run without one of them."
    return None


def consequences(names: Collection[str]) -> list[str]:
    """Return the failures to expect because the suite itself does not allow for these missing dtypes."""
    notes = []
    if set(COMPLEX) <= set(names):
        notes.append(
            "Without a complex dtype the suite starts only with the runner's fix. The tests that need a complex dtype "
            "(special cases of complex numbers, fft, eig, eigvals, vecdot) fail."
        )
    return notes
