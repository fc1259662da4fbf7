"""Overhead of a call over the raw library's: about forty calls at 1 and at 100,000 elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._cases import Group, Limit, Statement, Variant, host_vector, matrices, merged, no_operands, vectors

SMALL, LARGE = 1, 100_000

X = vectors("x")
XY = vectors("x", "y")
MATRIX = matrices("x")


def mask(variant: Variant) -> dict[str, Any]:
    """Return a mask whose every third element is True, starting with the first."""
    return {"mask": np.arange(variant.size) % 3 == 0}


def permutation(variant: Variant) -> dict[str, Any]:
    """Return all indices in random order."""
    return {"index": np.random.default_rng(0).permutation(variant.size)}


def matrix_stacks(variant: Variant) -> dict[str, Any]:
    """Return two stacks of matrices of at most 10 × 10; BLAS would distribute larger ones over threads."""
    side = min(10, math.isqrt(variant.size))
    flat = vectors("x", "y")(Variant(variant.size // side**2 * side**2, variant.dtype))
    return {name: values.reshape(-1, side, side) for name, values in flat.items()}


LINEAR_CASES = (
    Statement("xp.sqrt(x)", X),
    Statement("xp.abs(x)", X),
    Statement("xp.negative(x)", X),
    Statement("xp.add(x, y)", XY),
    Statement("xp.multiply(x, y)", XY),
    Statement("xp.floor_divide(x, y)", XY),
    Statement("xp.maximum(x, y)", XY),
    Statement("x + y", XY),
    Statement("x * y", XY),
    Statement("x < y", XY),
    Statement("x == y", XY),
    Statement("-x", X),
    Statement("x @ y", matrix_stacks),
    Statement("x + 2.0", X),
    Statement("2.0 * x", X),
    Statement("xp.sum(x)", X),
    Statement("xp.mean(x)", X),
    Statement("xp.max(x)", X),
    Statement("xp.sum(x, axis=0)", MATRIX),
    Statement("x[mask]", merged(X, mask)),
    Statement("x[index]", merged(X, permutation)),
    Statement("x[:] = y", XY),
    Statement("x += y", XY),
    Statement("xp.matmul(x, y)", matrix_stacks),
    Statement("xp.where(mask, x, y)", merged(XY, mask)),
    Statement("xp.astype(x, xp.float32)", X),
    Statement("xp.zeros(size)", no_operands, uses_default_device=True),
    Statement("xp.arange(size)", no_operands, uses_default_device=True),
)
"""Calls whose work grows with the number of elements."""

CONSTANT_CASES = (
    Statement(
        "x[0]",
        X,
        note="NumPy returns a scalar here; its expression for the standard's 0-d array is `x[0, ...]`.",
    ),
    Statement("x[0, ...]", X),
    Statement("x[0:1]", X),
    Statement("x[None, ...]", X),
    Statement("x[0] = 1.0", X),
    Statement("xp.reshape(x, (-1, 1))", X),
    Statement("xp.permute_dims(x, (1, 0))", MATRIX),
    Statement("xp.asarray(host)", host_vector("host"), uses_default_device=True),
    Statement("x.shape", X),
    Statement("x.dtype", X),
    Statement("x.__array_namespace__()", X),
)
"""Calls that cost the same at every size. They have no limits at 100,000 elements."""

RATIO_LIMITS = {
    ("xp.sqrt(x)", SMALL): 2.0,
    ("xp.add(x, y)", SMALL): 2.0,
    ("x + y", SMALL): 2.0,
    ("xp.sum(x)", SMALL): 1.0,
    ("x[0:1]", SMALL): 3.0,
    **{(case.name, LARGE): 1.05 for case in LINEAR_CASES},
    ("xp.floor_divide(x, y)", LARGE): 1.3,
}

GROUP = Group(
    title="overhead of a call",
    cases=LINEAR_CASES + CONSTANT_CASES,
    sizes=(SMALL, LARGE),
    dtypes=("float64",),
    limits=tuple(Limit(case, size, ratio) for (case, size), ratio in RATIO_LIMITS.items()),
    rounds=500,
    max_seconds=2.0,
    pause=0.008,
    pause_from=LARGE,
)
