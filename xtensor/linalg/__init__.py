"""Linear algebra (Array API standard 2025.12, "Linear Algebra Extension").

Each module holds one subject: products and powers, diagonals, decompositions, eigenvalues, solutions of linear systems,
the norms, determinants and ranks of matrices, and functions beyond the standard.
"""

from __future__ import annotations

import typing as _typing

from .._core.boundary import publish as _publish
from .._core.remedies import finder as _finder
from .._ops.linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from ._beyond import cond, multi_dot, norm, tensorinv, tensorsolve
from ._decompositions import QRResult as QRResult
from ._decompositions import SVDResult as SVDResult
from ._decompositions import cholesky, qr, svd, svdvals
from ._diagonals import diagonal, trace
from ._eigenvalues import EighResult as EighResult
from ._eigenvalues import EigResult as EigResult
from ._eigenvalues import eig, eigh, eigvals, eigvalsh
from ._norms import SlogdetResult as SlogdetResult
from ._norms import det, matrix_norm, matrix_rank, slogdet, vector_norm
from ._products import cross, matrix_power, outer
from ._solutions import LstsqResult as LstsqResult
from ._solutions import inv, lstsq, pinv, solve
from ._triangular import solve_triangular

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _finder(__name__)


_publish(globals(), __all__)
