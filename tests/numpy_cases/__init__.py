"""Corpus of NumPy code: one case for each line, in modules by subject.

A case is an expression over the operands of ``operands.py``, or several statements and an expression, separated by
semicolons. A comment after two spaces states what is particular to a case:

``strict: TypeError`` (or ``IndexError``)
    The device ``strict`` refuses the case with that error, because the standard leaves it open.
``converts``
    NumPy itself makes NumPy arrays of the operands, and returns them: ``numpy.array``, ``numpy.vectorize`` and the
    like. Off the host this is a transfer, which the policy decides.
``numpy``
    The results are NumPy's own, without a transfer: of operands that are scalars, of saved files, of texts.
``host``
    An option, an operand or a function's own code needs the values on the host, also where the function without it is
    computed on the device. Off the host this is a transfer, which the policy decides.
``beside``
    The code makes a NumPy array that is an operand beside an Array. Off the host this may be a transfer.
``ulp: N``
    The results may differ by N units in the last place of the largest element.
"""

from __future__ import annotations

from typing import NamedTuple

from . import arrays, functions_a_to_k, functions_l_to_z, linear_algebra, operators, special, ufuncs

__all__ = ["CASES", "Case"]

MODULES = (arrays, functions_a_to_k, functions_l_to_z, linear_algebra, operators, special, ufuncs)

STRICT_ERRORS: dict[str, type[Exception]] = {"TypeError": TypeError, "IndexError": IndexError}


class Case(NamedTuple):
    """One case of the corpus."""

    code: str
    group: str
    strict_error: type[Exception] | None
    converts: bool
    numpy: bool
    host: bool
    beside: bool
    ulp: int


def _case(group: str, line: str) -> Case:
    code, _, comment = line.partition("  # ")
    strict_error, flags, ulp = None, set(), 8
    for note in comment.split(", ") if comment else ():
        key, _, value = note.partition(": ")
        if key == "strict":
            strict_error = STRICT_ERRORS[value]
        elif key == "ulp":
            ulp = int(value)
        elif note in ("converts", "host", "numpy", "beside"):
            flags.add(note)
        else:
            raise ValueError(f"unknown note of a case: {line}")
    return Case(
        code, group, strict_error, "converts" in flags, "numpy" in flags, "host" in flags, "beside" in flags, ulp
    )


CASES = [
    _case(module.__name__.rpartition(".")[2], line) for module in MODULES for line in module.CASES.strip().splitlines()
]
