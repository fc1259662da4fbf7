"""Elementwise functions: cost against size."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, vectors

X = vectors("x")
XY = vectors("x", "y")

GROUP = Group(
    title="elementwise functions",
    cases=(
        Statement("xp.abs(x)", X),
        Statement("xp.sqrt(x)", X),
        Statement("xp.exp(x)", X),
        Statement("xp.log(x)", X),
        Statement("xp.sin(x)", X),
        Statement("xp.tanh(x)", X),
        Statement("xp.isfinite(x)", X),
        Statement("xp.round(x)", X),
        Statement("xp.add(x, y)", XY),
        Statement("xp.multiply(x, y)", XY),
        Statement("xp.divide(x, y)", XY),
        Statement("xp.floor_divide(x, y)", XY),
        Statement("xp.remainder(x, y)", XY),
        Statement("xp.pow(x, y)", XY),
        Statement("xp.maximum(x, y)", XY),
        Statement("xp.less(x, y)", XY),
        Statement("xp.where(x < y, x, y)", XY),
        Statement("xp.clip(x, 1.2, 1.8)", X),
        Statement("x * 2.0 + y", XY),
        Statement("x += y", XY),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    max_seconds=0.2,
    sweeps=1,
)
