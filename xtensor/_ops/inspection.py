"""Inspection of the namespace (Array API standard 2025.12, "Inspection")."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .._core.device import Device
from .._core.devices import default_device, devices, resolve
from .._core.dtypes import STANDARD_DTYPES, DType
from .._core.errors import describe
from .data_types import KINDS

__all__: list[str] = ["__array_namespace_info__"]


class NamespaceInfo:
    """Capabilities, devices and dtypes of the namespace; returned by ``xtensor.__array_namespace_info__()``."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """Return the capabilities: boolean indexing and data-dependent shapes (both True), at most 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return the device on which arrays are created by default."""
        return default_device()

    def default_dtypes(self, *, device: str | Device | None = None) -> dict[str, DType]:
        """Return the default dtypes of a device.

        Parameters
        ----------
        device
            A device. Default: the default device.

        Returns
        -------
        dict
            Dtypes under the keys ``"real floating"``, ``"complex floating"``, ``"integral"`` and ``"indexing"``.
        """
        return dict(resolve(device).default_dtypes)

    def devices(self) -> tuple[Device, ...]:
        """Return the devices of this machine."""
        return devices()

    def dtypes(
        self, *, device: str | Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the standard's dtypes that a device supports.

        Parameters
        ----------
        device
            A device. Default: the default device.
        kind
            A dtype kind, as in :func:`isdtype`, or a tuple of kinds; restricts the result to them. Default: all kinds.

        Returns
        -------
        dict
            Dtypes by name.

        Raises
        ------
        ValueError
            If a kind is unknown.
        """
        kinds = tuple(KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for name in kinds:
            if name not in KINDS:
                raise ValueError(
                    f"unsupported kind: {describe(name)}; dtypes() takes {', '.join(map(repr, KINDS))} or a tuple of "
                    "these"
                )
        return dict(_supported_dtypes(resolve(device).dtypes, kinds))


@cache  # scikit-learn calls dtypes() several times per fit
def _supported_dtypes(supported: frozenset[DType], kinds: tuple[str, ...]) -> dict[str, DType]:
    """Return the standard's dtypes among ``supported`` that are of one of the kinds, by name."""
    codes = {code for name in kinds for code in KINDS[name]}
    return {str(dtype): dtype for dtype in map(np.dtype, STANDARD_DTYPES) if dtype in supported and dtype.kind in codes}


_INFO = NamespaceInfo()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """Return the inspection interface of the namespace: capabilities, devices, dtypes and defaults.

    Returns
    -------
    NamespaceInfo
        Object with the methods ``capabilities``, ``default_device``, ``default_dtypes``, ``devices`` and ``dtypes``.

    Notes
    -----
    Standard 2025.12, Inspection.
    """
    return _INFO
