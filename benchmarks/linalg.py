"""Linear algebra, cost against size: the number of elements of one matrix."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, definite_matrix, matrices, merged, vectors

MATRIX = definite_matrix("x")

GROUP = Group(
    title="linear algebra",
    cases=(
        Statement("xp.vecdot(x, y)", vectors("x", "y")),
        Statement("xp.matrix_transpose(x)", matrices("x"), grows=False),
        Statement("xp.matmul(x, y)", matrices("x", "y"), largest=10**6),
        Statement("xp.tensordot(x, y, axes=1)", matrices("x", "y"), largest=10**6),
        Statement("xp.linalg.vector_norm(x)", vectors("x")),
        Statement("xp.linalg.matrix_norm(x)", matrices("x")),
        Statement("xp.linalg.trace(x)", MATRIX),
        Statement("xp.linalg.det(x / xp.max(x))", MATRIX, largest=10**6),
        Statement("xp.linalg.inv(x)", MATRIX, largest=10**6),
        Statement("xp.linalg.solve(x, b)", merged(MATRIX, definite_matrix("b")), largest=10**6),
        Statement("xp.linalg.cholesky(x)", MATRIX, largest=10**6),
        Statement("xp.linalg.qr(x)", MATRIX, largest=10**5),
        Statement("xp.linalg.eigh(x)", MATRIX, largest=10**5),
        Statement("xp.linalg.svd(x)", MATRIX, largest=10**5),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    seconds=0.2,
    sweeps=1,
)
