"""Every public function that NumPy has as well, over NumPy's time, at 100,000 elements.

The rows are generated from the table of operations and from the functions beyond the standard. Each has the limit 1.05,
unless ``EXCEPTIONS`` has another one for it, with the reason. The command fails if a limit is exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ._cases import Group, Limit, Statement
from ._sweep import function_of, operands_of, statements

__all__ = ["EXCEPTIONS", "GROUP", "LimitException", "exception_of"]

SIZE = 100_000

LIMIT = 1.05


@dataclass(frozen=True, slots=True)
class LimitException:
    """Rows that have another limit.

    Attributes
    ----------
    reason
        The sentence of the standard or of the documentation, or another fact, that costs the difference.
    limits
        Limit of a statement, or of all statements of a function.
    unlimited
        Statements and functions without a limit.
    """

    reason: str
    limits: dict[str, float] = field(default_factory=dict)
    unlimited: tuple[str, ...] = ()


def _each(limit: float, *names: str) -> dict[str, float]:
    return dict.fromkeys(names, limit)


EXCEPTIONS = (
    LimitException(
        'Standard, `argsort`, `stable`: "If True, the returned indices must maintain the relative order of x values '
        'which compare as equal." It is the default; the order of NumPy is not stable.',
        {"argsort": 2.1},
    ),
    LimitException(
        'Standard, `sort`, `stable`: "If True, the returned array must maintain the relative order of x values which '
        'compare as equal." The elements are searched for zeros of both signs and for NaN.',
        {"sort": 1.15},
    ),
    LimitException(
        "Standard, `floor_divide`, special cases: infinite operands have the quotient of `divide`, rounded down. Both "
        "operands are searched for infinities.",
        {"floor_divide": 1.1},
    ),
    LimitException(
        "Standard, `asarray`: a sequence of Python scalars has the default dtype of their kind, which depends on the "
        "class of each. The classes are read before the values.",
        {"xp.asarray(numbers)": 1.5},
    ),
    LimitException(
        "Each element is an Array of a 0-d array, three allocations where a scalar of NumPy is one.",
        {"[None for v in x]": 3.0},
    ),
    LimitException(
        "All elements live at once, each in 200 bytes, of a scalar of NumPy in 32: 20 MB of memory that the "
        "interpreter takes from the system anew. A list of 10,000 elements takes 2 times NumPy's time.",
        {"list(x)": 8.0},
    ),
    LimitException(
        "Each addition is a call on one element, and the elements are those of `list(x)`; see the group dispatch.",
        unlimited=("sum(x)",),
    ),
    LimitException(
        "No element or few are read: the time is the cost of a call at any size; see the group dispatch.",
        unlimited=(
            *("array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "diag"),
            *("diag_indices", "diag_indices_from", "diagonal", "dsplit", "empty", "empty_like", "expand_dims"),
            *(
                "fill_diagonal",
                "flip",
                "fliplr",
                "flipud",
                "from_dlpack",
                "hsplit",
                "imag",
                "iscomplex",
                "iscomplexobj",
            ),
            *("isrealobj", "ix_", "lib.stride_tricks.sliding_window_view", "linalg.trace", "matrix_transpose"),
            *("moveaxis", "permute_dims", "ravel", "real", "real_if_close", "reshape", "rollaxis", "rot90", "split"),
            *("squeeze", "swapaxes", "trace", "transpose", "unstack", "vsplit", "xp.asarray(host)"),
        ),
    ),
    LimitException(
        "BLAS or LAPACK computes both on threads of its own, whose waiting on a busy machine exceeds the difference.",
        unlimited=(
            *(
                "convolve",
                "corrcoef",
                "correlate",
                "cov",
                "dot",
                "einsum",
                "inner",
                "matmul",
                "matvec",
                "poly",
                "polyfit",
            ),
            *("roots", "tensordot", "vdot", "vecdot", "vecmat", "linalg"),
        ),
    ),
    LimitException(
        "The checks of a call take some microseconds at any size, more than a twentieth of NumPy's time here.",
        {
            **_each(1.1, "argmax", "argmin", "argpartition", "array_equal", "astype", "bincount", "fft.fftfreq"),
            **_each(1.1, "nanprod", "percentile", "ravel_multi_index", "square", "stack", "take", "take_along_axis"),
            **_each(1.1, "tile", "where", "xp.prod(m, axis=0)", "xp.sum(m, axis=0)"),
            **_each(1.15, "arange", "compress", "concat", "extract", "fft.fftshift", "fft.ifftshift"),
            **_each(1.15, "fft.rfftfreq", "linspace", "logical_not", "nanmedian", "ones", "ones_like"),
            **_each(1.15, "outer", "partition", "xp.mean(m, axis=0)"),
            **_each(1.2, "clip", "count_nonzero", "frexp", "full", "full_like", "logical_xor"),
            **_each(1.2, "median", "place"),
            **_each(1.25, "diff", "ediff1d", "eye", "identity", "logical_and", "ptp", "putmask"),
            **_each(1.25, "resize", "zeros"),
            **_each(1.3, "histogram_bin_edges", "logical_or"),
            **_each(1.4, "copyto", "delete", "insert", "isfinite", "isinf", "isnan"),
            **_each(2.2, "packbits", "unpackbits"),
        },
    ),
    LimitException(
        "Composed of several functions of the standard, each a pass over memory, where NumPy has fewer. No rule costs "
        "this: a step in compiled code would save it.",
        {
            **_each(1.1, "array_equiv", "interp", "nancumprod", "polyint", "put_along_axis"),
            **_each(1.1, "histogram2d", "repeat", "setdiff1d", "union1d", "unique_all"),
            **_each(1.15, "diagflat", "tril_indices", "vander"),
            **_each(1.2, "allclose", "column_stack", "dstack", "hstack", "intersect1d", "isclose", "nancumsum"),
            **_each(1.2, "setxor1d", "tril_indices_from", "triu_indices", "triu_indices_from"),
            **_each(1.25, "block", "tri", "unique"),
            **_each(1.3, "append", "vstack"),
            **_each(1.4, "geomspace", "logspace", "nanargmax", "polyval"),
            **_each(1.5, "indices", "meshgrid", "nanargmin"),
            **_each(1.6, "histogramdd", "pad"),
            **_each(1.8, "polydiv"),
        },
    ),
)
"""All rows with another limit than 1.05."""

LOOPS = tuple(
    Statement(text, operands_of(text), dtypes=("float64",)) for text in ("[None for v in x]", "list(x)", "sum(x)")
)
"""Iteration in Python."""


def exception_of(statement: str) -> tuple[float | None, str] | None:
    """Return the limit of a statement that is an exception, with the reason; None for other statements."""
    function = function_of(statement)
    names = (statement, function, function.partition(".")[0])
    for exception in EXCEPTIONS:
        for name in names:
            if name in exception.limits:
                return exception.limits[name], exception.reason
            if name in exception.unlimited:
                return None, exception.reason
    return None


def _group() -> Group:
    cases, limits = [], []
    for case in (*statements(), *LOOPS):
        limit, reason = exception_of(case.name) or (LIMIT, "")
        cases.append(replace(case, note=reason))
        if limit is not None:
            limits.append(Limit(case.name, SIZE, limit))
    return Group(
        title="every function, over NumPy's",
        cases=tuple(cases),
        sizes=(SIZE,),
        dtypes=("float64", "complex128", "int64"),
        peers=(),
        limits=tuple(limits),
        rounds=60,
        max_seconds=0.3,
        sweeps=3,
        enforced=True,
    )


GROUP = _group()
