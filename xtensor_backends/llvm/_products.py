"""Products of matrices and triangular systems, by NumPy's BLAS or a kernel, by the threads that compute the kernels.

NumPy returns the memory of a result to the system and faults it in anew, which for matrices of 256 rows takes half the
time of the product; these results are in memory that is used again. NumPy computes the products of a stack one after
another, each on few threads. Here the threads share the matrices of a stack and blocks of small ones, and compute each
with one thread of OpenBLAS, whose own threads would wait for a core that the workers keep. A stack that is multiplied
by one matrix is one product. Convolutions are NumPy's, in such memory.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Callable

import numpy as np

from xtensor.backend import Native

from . import _cholesky_kernel, _compile, _product_kernel, _threads, _triangular_kernel
from ._calls import empty
from ._convolution import SharedNetworks
from ._memory import reusing
from ._runtime import compiled
from ._sizes import BYTES_PRODUCT

__all__ = ["kernels", "shared"]

LEAST_SHARED = 2**19
"""Multiplications from which threads share products: OpenBLAS's threads, which would be started, begin at 2**18."""

MOST_SHARED = 2**36
"""Multiplications of a product beyond which OpenBLAS divides it, in two directions.

A program that has products on both sides of the bound waits: OpenBLAS's threads keep the cores of the workers."""

MULTIPLICATIONS = 50
"""Multiplications of a core in a nanosecond, about."""

MIN_SIZE = min(2**13, BYTES_PRODUCT // 8)
"""Elements of the first operand from which the kernel is asked: below, its answer takes a part of NumPy's time."""

LEAST_FACTORED = 8
"""Rows of a matrix from which the kernel of its Cholesky factor gains."""

LEAST_ROWS, MOST_ROWS = 48, 512
"""Rows of a matrix from which OpenBLAS divides a Cholesky factor, and up to which one thread is as fast as several."""

LEAST_LINEAR = 2**10
"""Elements of the first operand of a linear layer from which the kernel is asked."""

FEWEST_LINES = 48
"""Rows or columns of a block at least: each reads the whole other operand."""

LEAST_COMMON, SUMS = 2048, 8
"""Products of an element from which threads share them, where rows and columns are few, and the sums that they make."""


def _matmul(x1: Native, x2: Native, spare: Native | None = None) -> Native:
    return _product(x1, x2)


def _linear(x: Native, weight: Native, bias: Native | None = None, *, precision: str = "exact") -> Native:
    if bias is None or x.size < LEAST_LINEAR or x.dtype.char != "f" or not _compile.has_feature("avx512f"):
        return NotImplemented
    if not all(operand.__class__ is np.ndarray and operand.flags.aligned for operand in (x, weight, bias)):
        return NotImplemented
    if not bias.flags.c_contiguous:
        return NotImplemented
    return _product(x, weight.T, bias)


def _product(x1: Native, x2: Native, term: Native | None = None) -> Native:
    """Return the product; with a row to add, only where the kernel adds it before it writes."""
    if x1.__class__ is not np.ndarray or x2.__class__ is not np.ndarray:
        return NotImplemented
    shape1, shape2, dtype = x1.shape, x2.shape, x1.dtype
    if len(shape1) < 2 or len(shape2) < 2 or shape1[-1] != shape2[-2]:
        return NotImplemented  # NumPy computes products with vectors, or raises
    if x2.dtype is not dtype or dtype.char not in "fdFD":
        return NotImplemented  # NumPy casts
    common, columns = shape2[-2:]
    stack = shape1[:-2]
    if len(shape2) > 2 and shape2[:-2] != stack:
        try:
            stack = np.broadcast_shapes(stack, shape2[:-2])
        except ValueError:
            return NotImplemented  # NumPy raises
    shape = (*stack, shape1[-2], columns)
    size = math.prod(shape)
    if term is None and _is_small(size, common, dtype.itemsize):
        return NotImplemented
    output = matrices = empty(shape, dtype)
    if len(shape1) > 2 and len(shape2) == 2 and x1.size and x1.flags.c_contiguous:
        rows = size // columns
        x1, matrices = x1.reshape(rows, common), output.reshape(rows, columns)
    if term is not None:
        done = _product_kernel.multiply(x1, x2, matrices, _threads.team(), term)
        return output if done else NotImplemented
    if not shared(x1, x2, matrices):
        np.matmul(x1, x2, matrices)
    return output


def _is_small(size: int, common: int, itemsize: int) -> bool:
    """Whether neither threads nor memory are gained for a result of some elements, each a sum of some products."""
    return size * itemsize < BYTES_PRODUCT and size * common < LEAST_SHARED


def shared(x1: Native, x2: Native, output: Native) -> bool:
    """Write the product by all threads; return False where NumPy is to compute it."""
    rows, columns = output.shape[-2:]
    work = rows * columns * x1.shape[-1]
    if min(rows, columns) < 2 or not 0 < work <= MOST_SHARED or not (x1.flags.aligned and x2.flags.aligned):
        return False
    threads, functions = _threads.team(), _functions("gemm", output.dtype.char)
    if threads > 1 and functions is not None and _is_long(output, x1.shape[-1]):
        return _by_sums(x1, x2, output)
    if _product_kernel.multiply(x1, x2, output, threads):
        return True
    if threads == 1 or functions is None:
        return False
    count = output.size // (rows * columns)
    blocks = 1 if count >= 2 * threads else max(1, min(threads, max(rows, columns) // FEWEST_LINES))
    if count * blocks == 1:
        return False
    time = work * count // MULTIPLICATIONS
    return bool(compiled.multiply(functions, x1, x2, output, blocks, threads, time))


def _is_long(output: Native, common: int) -> bool:
    """Whether threads share the sums of a product, which has few of them."""
    return output.ndim == 2 and max(output.shape) < 2 * FEWEST_LINES and common >= LEAST_COMMON


def _by_sums(x1: Native, x2: Native, output: Native) -> bool:
    """Write a product of few rows and columns as a sum of products of parts of the axis that they have in common."""
    (rows, common), columns = x1.shape, x2.shape[1]
    length = common // SUMS
    first = x1[:, : SUMS * length].reshape(rows, SUMS, length).swapaxes(0, 1)
    second = x2[: SUMS * length].reshape(SUMS, length, columns)
    products = empty((SUMS, rows, columns), output.dtype)
    if not shared(first, second, products):
        return False
    np.add.reduce(products, axis=0, out=output)
    if common % SUMS:
        output += np.matmul(x1[:, SUMS * length :], x2[SUMS * length :])
    return True


def _solve_triangular(a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native:
    """Solve systems of float32 or float64 by a kernel, or one by BLAS.

    The composition solves others, and those without a solution.
    """
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.dtype != b.dtype:
        return NotImplemented
    by_kernel = _triangular_kernel.is_faster(a, b)
    if not by_kernel and not a.ndim == b.ndim == 2:
        return NotImplemented
    if not a.size or not b.size or not a.flags.aligned or not (unit_diagonal or a.diagonal(0, -2, -1).all()):
        return NotImplemented
    if by_kernel:
        return _triangular_kernel.solve(a, b, lower=lower, unit_diagonal=unit_diagonal)
    functions, of_column = _functions("trsm", a.dtype.char), _functions("trsv", a.dtype.char)
    if functions is None or of_column is None:
        return NotImplemented
    rows, columns = b.shape
    work, threads = rows * rows * columns // 2, _threads.team()
    parts = max(1, min(threads, columns // FEWEST_LINES)) if work >= LEAST_SHARED else 1
    result = empty(b.shape, b.dtype)
    np.copyto(result, b)
    time = work // MULTIPLICATIONS
    done = compiled.solve(functions, of_column[0], a, result, lower, unit_diagonal, parts, threads, time)
    return result if done else NotImplemented


def _cholesky(x: Native, *, upper: bool = False) -> Native:
    """Compute the factors of matrices of few rows by a kernel, or the factor of one by one thread of OpenBLAS.

    Two threads of OpenBLAS are no faster, and they take the workers' cores for milliseconds after the call.
    """
    if x.__class__ is not np.ndarray or x.shape[-1] < LEAST_FACTORED or not x.size:
        return NotImplemented
    if not np.isfinite(x).all():
        return NotImplemented  # the function of the device raises
    factor = _cholesky_kernel.factor(x, upper=upper)
    if factor is not None:
        return factor
    functions = _functions("trsm", x.dtype.char) if x.ndim == 2 else None
    if functions is None or not LEAST_ROWS <= len(x) <= MOST_ROWS:
        return NotImplemented
    return compiled.with_one_thread(functions, functools.partial(np.linalg.cholesky, upper=upper), x)


@functools.cache
def _functions(name: str, char: str) -> tuple[int, int, int] | None:
    """Return the addresses of functions of the OpenBLAS in NumPy's wheels; None of another BLAS.

    They are ``"gemm"``, the product of matrices, ``"trsm"``, which solves a triangular system, or ``"trsv"``, for one
    column, of float32 or float64, and those that read and set the number of threads. Their integers have 64 bits:
    ``scipy_cblas_dgemm64_``.
    """
    if not hasattr(compiled, "multiply") or char not in "fd":
        return None
    names = f"cblas_{'s' if char == 'f' else 'd'}{name}", "openblas_get_num_threads", "openblas_set_num_threads"
    try:
        library = ctypes.CDLL(sys.modules["numpy._core._multiarray_umath"].__file__)
        functions = [getattr(library, f"scipy_{name}64_") for name in names]
    except (AttributeError, OSError, TypeError):
        return None
    first, second, third = [ctypes.cast(function, ctypes.c_void_p).value for function in functions]
    return (first, second, third) if first and second and third else None


_matmul.min_size = MIN_SIZE  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions that are asked before NumPy's, by the names of the overlay's contract."""
    convolution = reusing(SharedNetworks.convolution)
    return {
        "large.matmul": _matmul,
        "nn.linear": _linear,
        "linalg.cholesky": _cholesky,
        "linalg.solve_triangular": _solve_triangular,
        **dict.fromkeys(("nn.conv1d", "nn.conv2d", "nn.conv3d"), convolution),
        "nn.conv_by_weight": reusing(SharedNetworks.conv_by_weight),
        "nn.at_windows": reusing(SharedNetworks.at_windows),
    }
