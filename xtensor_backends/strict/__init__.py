"""The reference device ``strict``: array_api_strict, which refuses what the standard leaves undefined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import (
    LAPACK_CORRECTIONS,
    REDUCTION_CORRECTIONS,
    Backend,
    Native,
    import_library,
)

if TYPE_CHECKING:
    from ._native import StrictArray

__all__ = ["StrictBackend", "backend"]

OLDEST = (2, 6)
"""The first array_api_strict that implements the standard 2025.12 in full."""


class StrictBackend(Backend):
    """array_api_strict's functions, corrected where they depart from the standard."""

    name = "strict"
    defined_only = True
    kinds = ("strict",)
    requires = "array-api-strict>=2.6"
    corrections = (
        *("expm1", "floor_divide", "log1p", "pow", "sign", "tan", "tanh"),
        *REDUCTION_CORRECTIONS,
        *LAPACK_CORRECTIONS,
    )

    def probe(self) -> str:
        _, version = import_library("array_api_strict", OLDEST, self.requires)
        from . import _library  # noqa: F401 - imported here, where a failure is reported

        return version

    def devices(self) -> Sequence[str]:
        return ("strict",)

    @property
    def native_type(self) -> type[StrictArray]:
        from ._native import StrictArray

        return StrictArray

    def namespace(self, spec: str) -> Any:
        from . import _namespace

        return _namespace.functions

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.host()  # type: ignore[no-any-return]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        from ._native import from_host

        return from_host(array, copy=copy)

    # Overridden so that the core does not add an ellipsis to an integer index, which is right for NumPy.
    def getitem(self, native: Native, key: Any) -> Native:
        return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        try:
            native.array[native.unwrap(key)] = native.unwrap(value)
        except OverflowError:
            native[key]  # a bad key is reported before a bad value, as by NumPy
            raise
        return native

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)

    def rank(self, spec: str) -> int:
        return -20


backend = StrictBackend()
