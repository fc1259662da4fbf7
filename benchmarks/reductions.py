"""Reductions, scans, sorting and searching: cost against size."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, matrices, vectors

X = vectors("x")
MATRIX = matrices("x")

GROUP = Group(
    title="reductions, scans, sorting, searching",
    cases=(
        Statement("xp.sum(x)", X),
        Statement("xp.prod(x / 1.5)", X),
        Statement("xp.mean(x)", X),
        Statement("xp.var(x)", X),
        Statement("xp.std(x)", X),
        Statement("xp.max(x)", X),
        Statement("xp.argmax(x)", X),
        Statement("xp.any(x < 0.0)", X),
        Statement("xp.count_nonzero(x)", X),
        Statement("xp.sum(x, axis=0)", MATRIX),
        Statement("xp.sum(x, axis=1)", MATRIX),
        Statement("xp.max(x, axis=0)", MATRIX),
        Statement("xp.mean(x, axis=1, keepdims=True)", MATRIX),
        Statement("xp.cumulative_sum(x, axis=0)", X),
        Statement("xp.sort(x)", X, max_size=10**6),
        Statement("xp.argsort(x)", X, max_size=10**6),
        Statement("xp.unique_values(x)", X, max_size=10**6),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    max_seconds=0.2,
    sweeps=1,
)
