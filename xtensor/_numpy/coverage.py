"""Where each of NumPy's functions is computed for an Array, for the documentation and the tests."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np

from . import functions, ufuncs
from .signatures import CREATION

__all__ = ["where_computed"]


def where_computed() -> Iterator[tuple[str, str]]:
    """Yield each public function of NumPy that takes Arrays, with the place where it is computed.

    ``"device"`` for those that the namespace computes on any device, ``"host"`` for NumPy's own on the host's memory.
    """
    dispatched = type(np.sum)
    modules: tuple[ModuleType, ...] = (np, np.linalg, np.fft, np.lib.scimath, np.lib.stride_tricks)
    for module in modules:
        for name in sorted(set(dir(module))):
            function = getattr(module, name)
            if isinstance(function, np.ufunc):
                yield f"{module.__name__}.{name}", "device" if ufuncs.counterpart(function) is not None else "host"
            elif isinstance(function, dispatched) and not name.startswith("_"):
                found = function in CREATION or functions.counterpart(function) is not None
                yield f"{module.__name__}.{name}", "device" if found else "host"
