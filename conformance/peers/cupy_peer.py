"""CuPy's tests, which compare ``xp=cupy`` with ``xp=numpy``: the stand-in for ``cupy`` is NumPy on Arrays."""

from __future__ import annotations

import math
import sys
import warnings
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

import xtensor as xp
from conformance.peers.stand_in import Finder, Namespace, Unavailable, first_array

FOLDERS = (
    *("binary", "core", "creation", "fft", "functional", "indexing", "io", "lib", "linalg", "logic", "manipulation"),
    *("math", "misc", "padding", "polynomial", "sorting", "statistics"),
)
"""The folders of tests that are not about CUDA or random numbers."""

INTERNALS = (
    *("test_bfloat16", "test_carray", "test_core", "test_cub_reduction", "test_elementwise", "test_flags"),
    *("test_function", "test_gufuncs", "test_include", "test_internal", "test_mdspan", "test_multithreading"),
    *("test_ndarray_cuda_array_interface", "test_ndarray_get", "test_ndarray_scatter", "test_dlpack", "test_raw"),
    *("test_reduction", "test_scan", "test_structured", "test_syncdetect", "test_userkernel"),
)
"""Tests of ``core`` about CuPy's kernels and memory."""

PLANS = ("test_cache", "test_callback")
"""Tests of ``fft`` about CUDA's plans and the code that they call for each element."""

DESELECTED = ("tests/cupy_tests/misc_tests/test_memory_ranges.py::TestMayShareMemory::test_combination",)
"""Tests that take minutes: this one asks NumPy about all pairs of some thousand arrays."""


def files(source: Path) -> list[Path]:
    """Return the files of tests in a checkout of CuPy."""
    root = source / "tests" / "cupy_tests"
    found = [path for folder in FOLDERS for path in sorted((root / f"{folder}_tests").glob("test_*.py"))]
    left_out = {"core_tests": INTERNALS, "fft_tests": PLANS}
    return [path for path in found if path.stem not in left_out.get(path.parent.name, ())]


def chapter(path: Path) -> str:
    """Return the row of the table for a file of tests."""
    return path.parent.name.removesuffix("_tests").removesuffix("_test")


def install(source: Path) -> None:
    """Put the stand-ins into ``sys.modules``."""
    cupy = Namespace(np, "cupy", scalars=True, partial=True)
    cupy.__dict__.update(OWN)
    sys.modules["cupy"] = cupy
    sys.meta_path.append(Finder(("cupy", "cupyx", "cupy_backends"), lambda name: None))
    for name in ("linalg", "fft", "lib", "polynomial", "random"):
        sys.modules[f"cupy.{name}"] = getattr(cupy, name)
    cupy.fft.__dict__["config"] = PlanSettings()
    sys.modules["cupy.lib.stride_tricks"] = cupy.lib.stride_tricks
    sys.modules["cupy.polynomial.polynomial"] = cupy.polynomial.polynomial
    sys.modules["cupy.polynomial.polyutils"] = cupy.polynomial.polyutils
    sys.modules["cupy.exceptions"] = np.exceptions
    internal = Unavailable("cupy._core.internal")
    internal.__dict__["prod"] = math.prod
    sys.modules["cupy._core.internal"] = internal
    _load_testing(source)
    # CuPy's arrays have this method for the copy to the host.
    xp.Array.get = lambda self, *args, **kwargs: xp.to_numpy(self)  # type: ignore[attr-defined]
    sys.path.append(str(source / "tests"))


class PlanSettings(Unavailable):
    """CuPy's settings of Fourier plans. Its tests set them and expect the warning; here they have no effect."""

    def __init__(self) -> None:
        super().__init__("cupy.fft.config")
        self.__dict__["planning"] = True

    @property
    def enable_nd_planning(self) -> bool:
        """Whether plans have several dimensions."""
        self._warn()
        return bool(self.__dict__["planning"])

    @enable_nd_planning.setter
    def enable_nd_planning(self, value: bool) -> None:
        self._warn()
        self.__dict__["planning"] = value

    @staticmethod
    def _warn() -> None:
        warnings.warn("enable_nd_planning has no effect", DeprecationWarning, stacklevel=3)


def _as_numpy(value: Any, *args: Any, **kwargs: Any) -> Any:
    return xp.to_numpy(value) if isinstance(value, xp.Array) else np.asarray(value)


OWN: dict[str, Any] = {
    "asnumpy": _as_numpy,
    "vectorize": xp.vectorize,  # NumPy's own is a class without a protocol, whose results are NumPy's arrays
    "get_array_module": lambda *args: np if first_array(args) is None else sys.modules["cupy"],
}


def _load_testing(source: Path) -> None:
    """Import ``cupy.testing`` from the checkout."""
    folder = source / "cupy" / "testing"
    spec = spec_from_file_location("cupy.testing", folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{folder} is not the folder of cupy.testing; pass a checkout of CuPy")
    module = module_from_spec(spec)
    sys.modules["cupy.testing"] = module
    spec.loader.exec_module(module)
    sys.modules["cupy"].testing = module  # type: ignore[attr-defined]
