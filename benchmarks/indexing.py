"""Indexing and assignment, cost against size."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, matrices, merged, vectors
from .dispatch import choice, places

X = vectors("x")
MATRIX = matrices("x")

GROUP = Group(
    title="indexing, assignment and manipulation",
    cases=(
        Statement("x[0, ...]", X, grows=False),
        Statement("x[:1]", X, grows=False),
        Statement("x[::-1]", X, grows=False),
        Statement("x[..., None]", X, grows=False),
        Statement("x[0, :]", MATRIX, grows=False),
        Statement("x[:, 0]", MATRIX, grows=False),
        Statement("x[mask]", merged(X, choice)),
        Statement("x[index]", merged(X, places)),
        Statement("xp.take(x, index)", merged(X, places)),
        Statement("x[0] = 1.0", X, grows=False),
        Statement("x[...] = 1.0", X),
        Statement("x[:] = y", vectors("x", "y")),
        Statement("x[mask] = 1.0", merged(X, choice)),
        Statement("x[index] = y", merged(vectors("x", "y"), places)),
        Statement("xp.concat((x, y))", vectors("x", "y")),
        Statement("xp.stack((x, y))", vectors("x", "y")),
        Statement("xp.roll(x, 1)", X),
        Statement("xp.flip(x)", X, grows=False),
        Statement("xp.broadcast_to(x, (3, size))", X, grows=False),
        Statement("xp.reshape(xp.permute_dims(x, (1, 0)), (-1,))", MATRIX),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    seconds=0.2,
    sweeps=1,
)
