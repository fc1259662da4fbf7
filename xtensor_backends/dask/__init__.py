"""Arrays in chunks that dask computes: on this machine's cores, or on the workers of a cluster.

The device ``dask`` computes nothing until values are needed. Each chunk is computed by the functions of another device,
``cpu`` unless dask's configuration names one (``dask.config.set({"xtensor.device": "cuda:0"})``). A native array is a
:class:`~xtensor_backends.dask._library.DaskArray` around a dask array whose chunks are that device's native arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xtensor_backends.engines import ChunkedBackend

if TYPE_CHECKING:
    from ._library import DaskArray

__all__ = ["DaskBackend", "backend"]


class DaskBackend(ChunkedBackend):
    """dask's arrays, whose chunks another device computes."""

    name = "dask"
    kinds = ("dask",)
    requires = "dask[array]>=2026.1"
    module = "dask.array"
    oldest = (2026, 1)

    @property
    def native_type(self) -> type[DaskArray]:
        from ._library import DaskArray

        return DaskArray


backend = DaskBackend()
"""The backend that the entry point ``dask`` names."""
