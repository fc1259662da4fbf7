"""Functions of the OpenBLAS in NumPy's wheels that NumPy itself does not offer."""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["blas_function", "solve_triangular"]

ROW_MAJOR, LEFT = 101, 141
AS_IT_IS, TRANSPOSED = 111, 112
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132


@functools.cache
def blas_function(name: str) -> Any:
    """Return a function of the library that NumPy was linked with, by ctypes; None where it is another BLAS.

    Its integers have 64 bits: ``"cblas_dgemm"`` is the symbol ``scipy_cblas_dgemm64_``.
    """
    try:
        library = ctypes.CDLL(sys.modules["numpy._core._multiarray_umath"].__file__)
        return getattr(library, f"scipy_{name}64_")
    except (AttributeError, OSError, TypeError):
        return None


@functools.cache
def _triangular_solver(char: str) -> Any:
    function = blas_function({"f": "cblas_strsm", "d": "cblas_dtrsm"}[char])
    if function is not None:
        number = ctypes.c_float if char == "f" else ctypes.c_double
        matrix = [ctypes.c_void_p, ctypes.c_int64]
        function.argtypes = [*[ctypes.c_int] * 5, *[ctypes.c_int64] * 2, number, *matrix, *matrix]
        function.restype = None
    return function


def solve_triangular(a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native:
    """Solve one system of float32 or float64 by BLAS; the composition solves others, and those without a solution."""
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.ndim != 2 or b.ndim != 2:
        return NotImplemented
    if a.dtype != b.dtype or a.dtype.char not in "fd" or not b.size or not a.flags.aligned:
        return NotImplemented
    function = _triangular_solver(a.dtype.char)
    if function is None or not (unit_diagonal or a.diagonal().all()):
        return NotImplemented
    is_transposed = a.strides[1] != a.itemsize
    if is_transposed:
        a = a.T
    if not a.flags.c_contiguous:
        a = np.ascontiguousarray(a)
    triangle = LOWER if lower != is_transposed else UPPER
    transpose = TRANSPOSED if is_transposed else AS_IT_IS
    result = np.array(b, order="C")
    rows, columns = result.shape
    options = ROW_MAJOR, LEFT, triangle, transpose, UNIT if unit_diagonal else NON_UNIT
    function(*options, rows, columns, 1.0, a.ctypes.data, rows, result.ctypes.data, columns)
    return result
