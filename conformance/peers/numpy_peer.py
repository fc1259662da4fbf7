"""NumPy's own tests: they import a stand-in for ``numpy``, whose new arrays are Arrays."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

from conformance.peers.stand_in import Namespace, importer, namespace_of
from conformance.peers.state import state

FILES = {
    "_core": (
        *("argparse", "array_coercion", "arrayprint", "casting_floatingpoint_errors", "einsum", "errstate", "dlpack"),
        *("function_base", "half", "indexerrors", "indexing", "item_selection", "mem_overlap", "multiarray"),
        *("nep50_promotions", "numeric", "protocols", "regression", "scalarmath", "scalar_methods", "shape_base"),
        *("ufunc", "umath", "umath_accuracy", "umath_complex", "getlimits"),
    ),
    "fft": ("helper", "pocketfft"),
    "lib": (
        *("arraypad", "arraysetops", "function_base", "histograms", "index_tricks", "nanfunctions", "packbits"),
        *("polynomial", "shape_base", "stride_tricks", "twodim_base", "type_check", "ufunclike", "regression"),
    ),
    "linalg": ("linalg", "regression"),
    "polynomial": ("polynomial", "chebyshev", "polyutils"),
}
"""The files of tests about arrays of numbers, by package."""


DESELECTED = ("numpy/linalg/tests/test_linalg.py::test_xerbla_override",)
"""Tests that fork: their children would go on as a worker of pytest-xdist."""


def files(source: Path) -> list[Path]:
    """Return the files of tests in a checkout of NumPy."""
    found = [source / "numpy" / package / "tests" / f"test_{name}.py" for package in FILES for name in FILES[package]]
    return [path for path in found if path.exists()]


def chapter(path: Path) -> str:
    """Return the row of the table for a file of tests."""
    return path.parent.parent.name.removeprefix("_")


def install(source: Path) -> None:
    """Create the stand-in for ``numpy``."""
    _root.append(Namespace(np, "numpy"))


def load(path: Path) -> ModuleType:
    """Import a module of tests, whose own imports give stand-ins. NumPy itself stays as it is."""
    package = f"numpy.{path.parent.parent.name}.tests"
    module = ModuleType(f"{package}.{path.stem}")
    module.__file__ = str(path)
    module.__package__ = package
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importer(_replaced)}
    sys.modules[module.__name__] = module
    code = compile(path.read_bytes(), str(path), "exec")
    try:
        exec(code, module.__dict__)
    except (TypeError, ValueError, AttributeError):
        # A constant of the module is computed as no Array can: its constants are NumPy's.
        state.plain = True
        try:
            exec(code, module.__dict__)
        finally:
            state.plain = False
    return module


_root: list[Namespace] = []


def _replaced(module: ModuleType) -> ModuleType:
    if module is np:
        return _root[0]
    if module.__name__.startswith("numpy.") and ".tests" not in module.__name__:
        return namespace_of(module, _root[0])
    return module
