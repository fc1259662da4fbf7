"""Linear algebra: products by blocks, decompositions of matrices that are one chunk each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from ._native import chunk_function, element, single

__all__ = ["cholesky", "matmul", "of_matrices", "qr", "solve", "svd"]


def matmul(x1: Any, x2: Any) -> Any:
    """Return the product of matrices: products of blocks, and their sums."""
    dtype = np.result_type(x1.dtype, x2.dtype)
    if x1.shape[-1] != x2.shape[-2 if x2.ndim > 1 else -1]:  # dask repeats an axis of one element
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension: shapes {x1.shape} and {x2.shape}"
        )
    return da.matmul(x1.astype(dtype), x2.astype(dtype)).astype(dtype)  # NumPy's sums of small integers are wider


def of_matrices(name: str, signature: str) -> Callable[..., Any]:
    """Return a function of matrices that are one chunk each.

    Parameters
    ----------
    signature
        The last axes of its operands and results, such as ``"(m,n)->(m,k),(k,n)"``; k is the smaller of m and n.
    """

    def function(*operands: Any, **options: Any) -> Any:
        return _by_matrix(name, signature, operands, options)

    return function


def _by_matrix(name: str, signature: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    compute = chunk_function(name, **options)
    inputs, outputs = (re.findall(r"\(([a-z,]*)\)", part) for part in signature.split("->"))
    counts = [len(axes.split(",")) for axes in inputs]
    operands = tuple([single(x, range(-n, 0), name) for x, n in zip(operands, counts, strict=True)])
    axes = [
        (*range(n - x.ndim, 0), *[f"{i} {j}" for j in range(n)])
        for i, (x, n) in enumerate(zip(operands, counts, strict=True))
    ]
    if len(operands) > 1:  # stacks of matrices in the same chunks
        operands = tuple(da.core.unify_chunks(*[item for pair in zip(operands, axes, strict=True) for item in pair])[1])
    found = compute(*[element(x, n) for x, n in zip(operands, counts, strict=True)])
    metas = [np.empty((0,) * part.ndim, part.dtype) for part in (found if isinstance(found, tuple) else (found,))]
    lengths = {
        axis: length
        for x, axes in zip(operands, inputs, strict=True)
        for axis, length in zip(axes.split(","), x.shape[-len(axes.split(",")) :], strict=True)
    }
    sizes = {"k": min(lengths.get("m", 0), lengths.get("n", 0))} if "k" in signature and "k" not in lengths else {}
    return da.apply_gufunc(
        compute,
        signature,
        *operands,
        output_sizes=sizes,
        meta=tuple(metas) if len(outputs) > 1 else metas[0],
    )


def cholesky(x: Any, *, upper: bool = False) -> Any:
    """Return Cholesky factors."""
    return _by_matrix("linalg.cholesky", "(n,n)->(n,n)", (x,), {"upper": upper})


def qr(x: Any, *, mode: str = "reduced") -> Any:
    """Return an orthonormal and a triangular factor; of tall matrices in chunks of rows by a tree of decompositions."""
    if mode == "reduced" and _is_tall(x):
        return da.linalg.qr(x)
    return _by_matrix(
        "linalg.qr", "(m,n)->(m,k),(k,n)" if mode == "reduced" else "(m,n)->(m,m),(m,n)", (x,), {"mode": mode}
    )


def svd(x: Any, *, full_matrices: bool = True) -> Any:
    """Return singular values and vectors; of tall matrices in chunks of rows by a tree of decompositions."""
    if not full_matrices and _is_tall(x):
        return da.linalg.svd(x)
    signature = "(m,n)->(m,m),(k),(n,n)" if full_matrices else "(m,n)->(m,k),(k),(k,n)"
    return _by_matrix("linalg.svd", signature, (x,), {"full_matrices": full_matrices})


def solve(x1: Any, x2: Any) -> Any:
    """Solve systems of linear equations."""
    signature = "(n,n),(n)->(n)" if x2.ndim == 1 else "(n,n),(n,p)->(n,p)"
    return _by_matrix("linalg.solve", signature, (x1, x2), {})


def _is_tall(x: Any) -> bool:
    """Whether a matrix has several chunks of rows, which are at least as long as a row."""
    return x.ndim == 2 and len(x.chunks[0]) > 1 and len(x.chunks[1]) == 1 and min(x.chunks[0]) >= x.shape[1] > 0
