"""Where each of NumPy's functions is computed for an Array, for the documentation and the tests."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from . import functions, ufuncs
from .creation import CREATION
from .host import SPECIAL

__all__ = ["where_computed"]

MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.scimath", "numpy.lib.stride_tricks", "scipy.special")


def where_computed() -> Iterator[tuple[str, str]]:
    """Yield each public function of NumPy and each ufunc of SciPy that takes Arrays, with the place of its computation.

    ``"device"`` for those that the namespace computes on any device, ``"host"`` for NumPy's own on the host's memory.
    The ufuncs of SciPy are those of ``scipy.special``; there are none where SciPy is not installed.
    """
    dispatched = type(np.sum)
    installed = (name for name in MODULES if find_spec(name.partition(".")[0]) is not None)
    for module in map(import_module, installed):
        for name, function in _public(module):
            if module.__name__ == "scipy.special":
                function = getattr(import_module(SPECIAL), name, function)
            if isinstance(function, np.ufunc):
                yield f"{module.__name__}.{name}", "device" if ufuncs.counterpart(function) is not None else "host"
            elif isinstance(function, dispatched):
                is_computed = function in CREATION or functions.counterpart(function) is not None
                yield f"{module.__name__}.{name}", "device" if is_computed else "host"


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the names and values of a module that do not begin with an underscore."""
    for name in sorted(set(dir(module))):
        if not name.startswith("_"):
            yield name, getattr(module, name)
