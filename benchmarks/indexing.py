"""Indexing, assignment and manipulation: cost against size."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, matrices, merged, vectors
from .dispatch import mask, permutation

X = vectors("x")
MATRIX = matrices("x")

GROUP = Group(
    title="indexing, assignment and manipulation",
    cases=(
        Statement("x[0, ...]", X),
        Statement("x[:1]", X),
        Statement("x[::-1]", X),
        Statement("x[..., None]", X),
        Statement("x[0, :]", MATRIX),
        Statement("x[:, 0]", MATRIX),
        Statement("x[mask]", merged(X, mask)),
        Statement("x[index]", merged(X, permutation)),
        Statement("xp.take(x, index)", merged(X, permutation)),
        Statement("x[0] = 1.0", X),
        Statement("x[...] = 1.0", X),
        Statement("x[:] = y", vectors("x", "y")),
        Statement("x[mask] = 1.0", merged(X, mask)),
        Statement("x[index] = y", merged(vectors("x", "y"), permutation)),
        Statement("xp.concat((x, y))", vectors("x", "y")),
        Statement("xp.stack((x, y))", vectors("x", "y")),
        Statement("xp.roll(x, 1)", X),
        Statement("xp.flip(x)", X),
        Statement("xp.broadcast_to(x, (3, size))", X),
        Statement("xp.reshape(xp.permute_dims(x, (1, 0)), (-1,))", MATRIX),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    max_seconds=0.2,
    sweeps=1,
)
