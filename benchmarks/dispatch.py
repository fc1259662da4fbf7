"""What a call costs beyond the raw library's: some thirty calls at one element, and at 1e5."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._cases import Group, Limit, Statement, Variant, host_vector, matrices, merged, scalars, vectors

SMALL, LARGE = 1, 100_000

X = vectors("x")
XY = vectors("x", "y")
MATRIX = matrices("x")


def choice(variant: Variant) -> dict[str, Any]:
    """Where every third element is True, beginning with the first."""
    return {"mask": np.arange(variant.size) % 3 == 0}


def places(variant: Variant) -> dict[str, Any]:
    """Every index once, in random order."""
    return {"index": np.random.default_rng(0).permutation(variant.size)}


def stacks(variant: Variant) -> dict[str, Any]:
    """Two stacks of matrices, 10 by 10 at most: BLAS shares larger ones among threads, which wait on a busy machine."""
    side = min(10, math.isqrt(variant.size))
    flat = vectors("x", "y")(Variant(variant.size // side**2 * side**2, variant.dtype))
    return {name: values.reshape(-1, side, side) for name, values in flat.items()}


CASES = (
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
    Statement("x @ y", stacks),
    Statement("x + 2.0", X),
    Statement("2.0 * x", X),
    Statement("xp.sum(x)", X),
    Statement("xp.mean(x)", X),
    Statement("xp.max(x)", X),
    Statement("xp.sum(x, axis=0)", MATRIX),
    Statement(
        "x[0]",
        X,
        grows=False,
        note="NumPy makes a scalar here; `x[0, ...]` is its expression for the 0-d array that the standard asks for.",
    ),
    Statement("x[0, ...]", X, grows=False),
    Statement("x[0:1]", X, grows=False),
    Statement("x[None, ...]", X, grows=False),
    Statement("x[mask]", merged(X, choice)),
    Statement("x[index]", merged(X, places)),
    Statement("x[0] = 1.0", X, grows=False),
    Statement("x[:] = y", XY),
    Statement("x += y", XY),
    Statement("xp.reshape(x, (-1, 1))", X, grows=False),
    Statement("xp.permute_dims(x, (1, 0))", MATRIX, grows=False),
    Statement("xp.matmul(x, y)", stacks),
    Statement("xp.where(mask, x, y)", merged(XY, choice)),
    Statement("xp.astype(x, xp.float32)", X),
    Statement("xp.zeros(size)", scalars(), creates=True),
    Statement("xp.arange(size)", scalars(), creates=True),
    Statement("xp.asarray(host)", host_vector("host"), grows=False, creates=True),
    Statement("x.shape", X, grows=False),
    Statement("x.dtype", X, grows=False),
    Statement("x.__array_namespace__()", X, grows=False),
)

ALLOWED = {
    ("xp.sqrt(x)", SMALL): 2.0,
    ("xp.add(x, y)", SMALL): 2.0,
    ("x + y", SMALL): 2.0,
    ("xp.sum(x)", SMALL): 1.0,
    ("x[0:1]", SMALL): 3.0,
    **{(case.name, LARGE): 1.05 for case in CASES if case.grows},
    ("xp.floor_divide(x, y)", LARGE): 1.3,
}
"""The limits; a call whose work does not grow with the size has none at 1e5, where it costs what it costs at 1."""

GROUP = Group(
    title="the cost of a call",
    cases=CASES,
    sizes=(SMALL, LARGE),
    dtypes=("float64",),
    limits=tuple(Limit(case, size, ratio) for (case, size), ratio in ALLOWED.items()),
    rounds=500,
)
