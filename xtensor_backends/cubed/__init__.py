"""Arrays in chunks that cubed computes within a bound of memory: each step is a Zarr store of a work directory.

The device ``cubed`` computes nothing until values are needed. Each chunk is computed by the functions of another device
whose native arrays are NumPy's, ``cpu`` unless cubed's configuration names one
(``cubed.config.set({"xtensor.device": "numpy"})``). Memory, work directory and executor are those of the ``spec`` of
cubed's configuration when an array is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xtensor_backends.engines import ChunkedBackend

if TYPE_CHECKING:
    from ._library import CubedArray

__all__ = ["CubedBackend", "backend"]


class CubedBackend(ChunkedBackend):
    """cubed's arrays, whose chunks another device computes."""

    name = "cubed"
    kinds = ("cubed",)
    requires = "cubed>=0.27"
    module = "cubed"
    oldest = (0, 27)

    def rank(self, spec: str) -> int:
        return super().rank(spec) - 1  # dask, where both are here and no device is named

    @property
    def native_type(self) -> type[CubedArray]:
        from ._library import CubedArray

        return CubedArray


backend = CubedBackend()
"""The backend that the entry point ``cubed`` names."""
