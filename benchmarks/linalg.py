"""Linear algebra: cost against size, the number of elements of one matrix."""

from __future__ import annotations

from ._cases import SIZES, Group, Statement, matrices, merged, positive_definite_matrix, vectors

MATRIX = positive_definite_matrix("x")

GROUP = Group(
    title="linear algebra",
    cases=(
        Statement("xp.vecdot(x, y)", vectors("x", "y")),
        Statement("xp.matrix_transpose(x)", matrices("x")),
        Statement("xp.matmul(x, y)", matrices("x", "y"), max_size=10**6),
        Statement("xp.tensordot(x, y, axes=1)", matrices("x", "y"), max_size=10**6),
        Statement("xp.linalg.vector_norm(x)", vectors("x")),
        Statement("xp.linalg.matrix_norm(x)", matrices("x")),
        Statement("xp.linalg.trace(x)", MATRIX),
        Statement("xp.linalg.det(x / xp.max(x))", MATRIX, max_size=10**6),
        Statement("xp.linalg.inv(x)", MATRIX, max_size=10**6),
        Statement("xp.linalg.solve(x, b)", merged(MATRIX, positive_definite_matrix("b")), max_size=10**6),
        Statement("xp.linalg.cholesky(x)", MATRIX, max_size=10**6),
        Statement("xp.linalg.qr(x)", MATRIX, max_size=10**5),
        Statement("xp.linalg.eigh(x)", MATRIX, max_size=10**5),
        Statement("xp.linalg.svd(x)", MATRIX, max_size=10**5),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    max_seconds=0.2,
    sweeps=1,
)
