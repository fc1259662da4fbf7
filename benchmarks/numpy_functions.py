"""NumPy's own functions on Arrays, over the same calls on NumPy arrays, at 1 and at 100,000 elements."""

from __future__ import annotations

import numpy as np

from ._cases import Group, Limit, Statement, merged
from ._libraries import Host
from .dispatch import LARGE, SMALL, XY, X

CASES = (
    Statement("np.add(x, y)", XY),
    Statement("np.multiply(x, 2.0)", X),
    Statement("np.sqrt(x)", X),
    Statement("np.add(x, y, out=x)", XY),
    Statement("np.add.reduce(x)", X),
    Statement("np.sum(x)", X),
    Statement("np.mean(x, axis=0)", X),
    Statement("np.std(x)", X),
    Statement("np.concatenate((x, y))", XY),
    Statement("np.where(x > 1.0, x, y)", XY),
    Statement("np.unique(x)", X),
    Statement(
        "x + host",
        merged(X, lambda variant: {"host": Host(np.ones(variant.size, variant.dtype))}),
        note="`host` is a NumPy array.",
    ),
)

GROUP = Group(
    title="NumPy's functions on Arrays",
    cases=CASES,
    sizes=(SMALL, LARGE),
    dtypes=("float64",),
    limits=(
        Limit("np.add(x, y)", SMALL, 4.0),
        Limit("np.add(x, y)", LARGE, 1.05),
        Limit("np.sqrt(x)", LARGE, 1.05),
    ),
    rounds=500,
)
