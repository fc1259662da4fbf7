"""Costs of operations on ``cpu``: operations on numbers, and workspaces.

Counts of operations are those of the textbook algorithms, in operations on the elements: a product and a sum of two
complex numbers are one each. Source of the linear algebra: Golub and Van Loan, "Matrix Computations" (4th edition,
2013), tables 5.5.1 and 8.6.1 and sections 3.2, 4.2 and 8.3; of the Fourier transforms: Frigo and Johnson, "The Design
and Implementation of FFTW3" (2005), section 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._core.devices import device
from .._core.operations import Operation
from .arrays import MetaArray
from .rules import ONE_AXIS

__all__ = ["operations_of", "workspace_of"]

FACTORS = {
    "linalg.cholesky": 1 / 3,
    "linalg.det": 2 / 3,
    "linalg.eig": 25.0,
    "linalg.eigh": 9.0,
    "linalg.eigvals": 10.0,
    "linalg.eigvalsh": 4 / 3,
    "linalg.inv": 2.0,
    "linalg.slogdet": 2 / 3,
    "linalg.solve": 2 / 3,
}
"""Operations for a matrix of n rows and columns, in units of n³."""


def operations_of(row: Operation, operands: Sequence[MetaArray], results: Sequence[MetaArray], inner: int) -> int:
    """Return the number of operations on numbers of a call; ``inner`` is that of its composition, 0 without one."""
    name = row.name
    if not row.computes or row.kind in ("creation", "cast") or not operands:
        return 0
    x = operands[0]
    if name == "matmul":
        return 2 * math.prod(results[0].shape) * x.shape[-1]
    if name in FACTORS:
        n = x.shape[-1]
        total = FACTORS[name] * n**3 * math.prod(x.shape[:-2])
        if name == "linalg.solve":
            total += 2 * n * results[0].size
        return round(total)
    if name in ("linalg.qr", "linalg.svd", "linalg.svdvals"):
        least, most = sorted(x.shape[-2:])
        stack = math.prod(x.shape[:-2])
        if name == "linalg.qr":
            return round(4 * stack * (most * least**2 - least**3 / 3))
        if name == "linalg.svd":
            return round(stack * (14 * most * least**2 + 8 * least**3))
        return round(stack * (4 * most * least**2 - 4 / 3 * least**3))
    if row.kind == "fourier":
        size = max(x.size, results[0].size)
        length = max(x.shape[-1] if x.ndim else 1, 2) if name in ONE_AXIS else max(size, 2)
        half = 1 if x.dtype.kind == "c" and results[0].dtype.kind == "c" else 2
        return round(5 * size * math.log2(length)) // half
    if row.kind == "sorting":
        return round(x.size * math.log2(max(x.shape[-1] if x.ndim else 1, 2)))
    if inner:
        return inner
    return max([item.size for item in (*operands, *results)], default=0)


def workspace_of(row: Operation, operands: Sequence[MetaArray], results: Sequence[MetaArray]) -> int:
    """Return the bytes that NumPy's function allocates next to the results and frees before it returns."""
    name = row.name
    if name in ("std", "var") and device("cpu")._functions.kernels(row):
        return 0  # a kernel, which does not store the distances from the mean
    if name in WORKSPACES and operands:
        x, result = operands[0], results[0]
        return int(WORKSPACES[name](x, result))
    if name in ("matmul", "vecdot"):
        # BLAS takes contiguous rows or columns; other operands are copied.
        return sum([_size(x) for x in operands if x.ndim > 1 and not _is_matrix(x)])
    return 0


def _size(x: Any) -> int:
    return int(x.size * x.dtype.itemsize)


def _is_matrix(x: MetaArray) -> bool:
    """Whether the rows or the columns of the matrices are contiguous."""
    layout = x.value
    return layout.dtype.itemsize in layout.strides[-2:] and all(stride >= 0 for stride in layout.strides[-2:])


def _one_axis_after_another(x: MetaArray, result: MetaArray) -> int:
    """Transforms over several axes: one result next to the next, but for transforms over one axis."""
    return max(_size(x), _size(result)) * (x.dtype.kind != "c" and result.dtype.kind == "c") or _complex(x, result)


def _complex(x: MetaArray, result: MetaArray) -> int:
    return max([_size(item) for item in (x, result) if item.dtype.kind == "c"])


def _spread(x: MetaArray, result: MetaArray) -> int:
    """The distances from the mean, and for complex numbers their squares."""
    return _size(x) + (_size(x) // 2 if x.dtype.kind == "c" else 0)


def _matrix(count: float) -> Any:
    return lambda x, result: round(count * _size(x))


WORKSPACES: dict[str, Any] = {
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _one_axis_after_another),
    **dict.fromkeys(("std", "var"), _spread),
    # The mask of zeros; the order of equal elements is found from the sorted ones.
    "sort": lambda x, result: x.size,
    "argsort": lambda x, result: _size(x) + _size(result),
    # LAPACK's copy of one matrix at a time, and the workspace of its driver.
    **dict.fromkeys(("linalg.solve", "linalg.det", "linalg.slogdet", "linalg.cholesky"), _matrix(1)),
    "linalg.inv": _matrix(2),
    **dict.fromkeys(("linalg.eigh", "linalg.eigvalsh"), _matrix(3)),
    **dict.fromkeys(("linalg.eig", "linalg.eigvals"), _matrix(3)),
    **dict.fromkeys(("linalg.svd", "linalg.svdvals"), _matrix(3)),
    "linalg.qr": _matrix(3),
}
"""Bytes by operation, of the first operand and the first result."""
