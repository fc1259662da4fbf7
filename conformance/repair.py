"""The one defect of the pinned suite that is mended while it is loaded; the suite's files stay as they are.

``test_can_cast`` decides what to expect by ``promotion_table.get((from_, other)) == to``. For dtypes that do not
promote the left side is None, and ``None == numpy.dtype("float64")`` is True: NumPy reads None as its default dtype.
The test then demands that complex numbers cast to float64, which the standard's rules of promotion deny. The look-up
gives a value here that equals no dtype; what promotes is looked up as before, and the test runs with all its examples.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["EXPLANATION", "mend"]

EXPLANATION = (
    "`test_can_cast` compares a missing promotion, None, with a dtype, and `None == numpy.dtype('float64')` is True in "
    "NumPy; the runner lets the look-up give a value that equals no dtype. Nothing else of the suite is touched."
)


class NoPromotion:
    """Stands for the dtype of two dtypes that do not promote, and equals nothing else."""

    def __repr__(self) -> str:
        return "no promotion"


def mend() -> bool:
    """Mend the suite in this process; tell whether there was something to mend."""
    if find_spec("array_api_tests.dtype_helpers") is None:
        return False
    table: Any = import_module("array_api_tests.dtype_helpers").promotion_table
    nothing = NoPromotion()

    look_up = table.get

    def get(key: Any, default: Any = nothing) -> Any:
        return look_up(key, default)

    table.get = get
    return True
