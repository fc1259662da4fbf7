"""Inspection of the namespace (Array API standard 2025.12, "Inspection")."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .._core.device import Device, default_device, devices, resolve
from .._core.dtypes import STANDARD_DTYPES, DType
from .._core.errors import describe
from .data_types import KINDS

__all__: list[str] = ["__array_namespace_info__"]


class NamespaceInfo:
    """What the namespace can do, as the standard lets libraries ask (``xtensor.__array_namespace_info__()``)."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing, shapes that depend on data (both True), and the largest number of dimensions (64)."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device on which arrays are created by default."""
        return default_device()

    def default_dtypes(self, *, device: str | Device | None = None) -> dict[str, DType]:
        """The default dtypes of a device, by kind: real and complex floating, integral, indexing."""
        return dict(resolve(device).default_dtypes)

    def devices(self) -> tuple[Device, ...]:
        """The devices of this machine."""
        return devices()

    def dtypes(
        self, *, device: str | Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """The standard's dtypes that a device computes with, by name.

        Parameters
        ----------
        device
            The device; by default the default one.
        kind
            Only those of a kind, as :func:`isdtype` takes it, or of one of a tuple of kinds.

        Raises
        ------
        ValueError
            If there is no such kind.
        """
        kinds = tuple(KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for name in kinds:
            if name not in KINDS:
                raise ValueError(f"dtypes(): kind is one of {', '.join(map(repr, KINDS))}, not {describe(name)}")
        return dict(_dtypes(resolve(device).dtypes, kinds))


@cache  # scikit-learn asks several times in each fit
def _dtypes(supported: frozenset[DType], kinds: tuple[str, ...]) -> dict[str, DType]:
    letters = {letter for name in kinds for letter in KINDS[name]}
    return {
        str(dtype): dtype for dtype in map(np.dtype, STANDARD_DTYPES) if dtype in supported and dtype.kind in letters
    }


_INFO = NamespaceInfo()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """What the namespace can do: its capabilities, devices, dtypes and defaults.

    Notes
    -----
    Standard 2025.12, Inspection.
    """
    return _INFO
