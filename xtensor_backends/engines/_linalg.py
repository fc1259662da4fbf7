"""Linear algebra: products by blocks, decompositions of matrices that are one chunk each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import Library

__all__ = ["DECOMPOSED", "cholesky", "eig", "eigh", "matmul", "qr", "slogdet", "solve", "svd"]

DECOMPOSED = ("cholesky", "eig", "eigh", "qr", "slogdet", "solve", "svd")
"""Functions of the chapter ``linalg``."""


def matmul(library: Library, x1: Any, x2: Any) -> Any:
    """Return the product of matrices: products of blocks, and their sums."""
    if x1.shape[-1] != x2.shape[-2 if x2.ndim > 1 else -1]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension: shapes {x1.shape} and {x2.shape}"
        )
    np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])  # raises for stacks that do not fit
    return library.product(x1, x2, np.result_type(x1.dtype, x2.dtype))


def cholesky(library: Library, x: Any, *, upper: bool = False) -> Any:
    """Return Cholesky factors."""
    return _by_matrix(library, "linalg.cholesky", (x,), [x.shape[-2:]], upper=upper)[0]


def eig(library: Library, x: Any) -> list[Any]:
    """Return eigenvalues and eigenvectors."""
    return _by_matrix(library, "linalg.eig", (x,), [x.shape[-1:], x.shape[-2:]])


def eigh(library: Library, x: Any) -> list[Any]:
    """Return eigenvalues and eigenvectors of Hermitian matrices."""
    return _by_matrix(library, "linalg.eigh", (x,), [x.shape[-1:], x.shape[-2:]])


def slogdet(library: Library, x: Any) -> list[Any]:
    """Return the signs of determinants and the logarithms of their absolute values."""
    return _by_matrix(library, "linalg.slogdet", (x,), [(), ()])


def qr(library: Library, x: Any, *, mode: str = "reduced") -> Any:
    """Return an orthonormal and a triangular factor; of tall matrices in chunks of rows by a tree of decompositions."""
    factors = library.tall_qr(x) if mode == "reduced" and _is_tall(library, x) else None
    if factors is not None:
        return factors
    m, n = x.shape[-2:]
    k = min(m, n) if mode == "reduced" else m
    return _by_matrix(library, "linalg.qr", (x,), [(m, k), (k, n)], mode=mode)


def svd(library: Library, x: Any, *, full_matrices: bool = True) -> Any:
    """Return singular values and vectors; of tall matrices in chunks of rows by a tree of decompositions."""
    factors = library.tall_svd(x) if not full_matrices and _is_tall(library, x) else None
    if factors is not None:
        return factors
    m, n = x.shape[-2:]
    k = min(m, n)
    shapes = [(m, m), (k,), (n, n)] if full_matrices else [(m, k), (k,), (k, n)]
    return _by_matrix(library, "linalg.svd", (x,), shapes, full_matrices=full_matrices)


def solve(library: Library, x1: Any, x2: Any) -> Any:
    """Solve systems of linear equations."""
    return _by_matrix(library, "linalg.solve", (x1, x2), [x2.shape[-min(x2.ndim, 2) :]])[0]


def _by_matrix(
    library: Library, name: str, operands: tuple[Any, ...], shapes: list[tuple[int, ...]], **options: Any
) -> list[Any]:
    """Return a function's results, whose last axes have the lengths of ``shapes``, for stacks of matrices."""
    compute = library.chunk_function(name, **options)
    counts = [min(x.ndim, 2) for x in operands]
    whole = [library.single(x, range(-n, 0), name) for x, n in zip(operands, counts, strict=True)]
    results = compute(*[library.element(x, n) for x, n in zip(whole, counts, strict=True)])
    dtypes = [part.dtype for part in (results if isinstance(results, tuple) else (results,))]
    return library.by_matrix(compute, whole, counts, [tuple(shape) for shape in shapes], dtypes)


def _is_tall(library: Library, x: Any) -> bool:
    """Whether a matrix has several chunks of rows, which are at least as long as a row."""
    if x.ndim != 2:
        return False
    rows, columns = library.chunks(x)
    return len(rows) > 1 and len(columns) == 1 and min(rows) >= x.shape[1] > 0
