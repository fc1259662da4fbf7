"""The native array: an ``array_api_strict`` array that shows its dtype as a ``numpy.dtype``."""

from __future__ import annotations

import inspect
import sys
from typing import Any, ClassVar, NoReturn

import numpy as np

from xtensor.backend import STANDARD_DTYPES, WrappedArray, dtypes_of

from ._library import library

__all__ = ["StrictArray", "from_host"]


class StrictArray(WrappedArray):
    """An array of array_api_strict with the attributes of the contract and nothing beyond them."""

    __slots__ = ()

    library_type = type(library.asarray(0))  # array_api_strict does not export its class
    library_dtypes: ClassVar = dtypes_of(library, STANDARD_DTYPES)
    numpy_dtypes: ClassVar = {strict: dtype for dtype, strict in library_dtypes.items()}

    def host(self) -> np.ndarray[Any, Any]:
        """Return the NumPy array that the library's array keeps, whose flags can be set."""
        if sys.version_info >= (3, 12):
            # asarray() gives another array on the same memory here.
            return self.array.__buffer__(inspect.BufferFlags.FULL_RO).obj  # type: ignore[no-any-return]
        return np.asarray(self.array)

    def reshape(self, shape: tuple[int, ...]) -> NoReturn:
        # The core calls this to convert an array of one element with axes to a Python scalar, as NumPy does.
        raise TypeError(f"only an array without axes becomes a Python scalar, not one of shape {self.shape}")

    def __dlpack__(self, **requested: Any) -> Any:
        return self.array.__dlpack__(**requested)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()  # type: ignore[no-any-return]


def from_host(array: np.ndarray[Any, Any], *, copy: bool | None) -> StrictArray:
    """Return a NumPy array's values as a native array; ``copy`` as in the standard's ``asarray``."""
    return StrictArray(library.asarray(array, copy=copy))
