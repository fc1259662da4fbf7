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
        {"argsort": 2.3},
    ),
    LimitException(
        'Standard, `sort`, `stable`: "If True, the returned array must maintain the relative order of x values which '
        'compare as equal." The elements are searched for zeros of both signs and for NaN.',
        {"sort": 1.25},
    ),
    LimitException(
        "Documentation of `partition`: the order of the other elements, which NumPy leaves open, is ascending; "
        "`argpartition` has the same order.",
        {"partition": 10.0, "argpartition": 25.0},
    ),
    LimitException(
        "Documentation, semantics: complex operands are accurate near 0, and where the absolute value overflows.",
        {"log1p": 1.35, "expm1": 1.2, "sign": 1.5},
    ),
    LimitException(
        "Standard, `floor_divide`, special cases: infinite operands have the quotient of `divide`, rounded down. Both "
        "operands are searched for infinities.",
        {"floor_divide": 1.1},
    ),
    LimitException(
        "Standard, `asarray`: a sequence of Python scalars has the default dtype of their kind, which depends on the "
        "class of each. The classes are read before the values.",
        {"xp.asarray(numbers)": 1.6},
    ),
    LimitException(
        "Each element is an Array of a 0-d array, with the value that the element has when its turn comes. NumPy makes "
        "a 0-d array in 100 ns and Python an object of a class in 50 ns, of a scalar NumPy takes 20 ns.",
        {"list(x)": 14.0},
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
            **_each(1.15, "arange", "astype", "bincount", "bitwise_and", "bitwise_or", "bitwise_xor", "concat"),
            **_each(1.15, "count_nonzero", "equal", "fft.fftfreq", "fft.rfftfreq", "full", "greater", "greater_equal"),
            **_each(1.15, "less", "less_equal", "nanmax", "nanmin", "nanprod", "round", "xp.mean(m, axis=0)"),
            **_each(1.15, "xp.prod(m, axis=0)", "xp.sum(m, axis=0)"),
            **_each(
                1.15, "not_equal", "ones", "ones_like", "signbit", "stack", "std", "take", "take_along_axis", "tile"
            ),
            **_each(1.15, "square", "var", "where", "zeros_like"),
            **_each(1.2, "compress", "extract", "fft.fftshift", "fft.ifftshift", "fix", "full_like", "identity"),
            **_each(1.2, "linspace", "median", "nanmedian", "nanpercentile", "nanquantile", "nansum", "outer"),
            **_each(1.2, "percentile", "place", "quantile", "roll"),
            **_each(1.25, "array_equal", "diff", "eye", "zeros"),
            **_each(1.3, "clip", "ptp", "putmask"),
            **_each(1.55, "ediff1d"),
            **_each(1.5, "copyto", "delete", "histogram_bin_edges", "resize"),
            **_each(1.7, "logical_and", "logical_not", "logical_or", "logical_xor"),
            **_each(2.3, "insert", "packbits", "unpackbits"),
            **_each(2.4, "isfinite", "isinf", "isnan"),
        },
    ),
    LimitException(
        "Composed of several functions of the standard, each a pass over memory, where NumPy has fewer. No rule costs "
        "this: a step in compiled code would save it.",
        {
            **_each(1.15, "histogram", "interp", "put_along_axis", "repeat", "unwrap"),
            **_each(1.2, "gradient", "hstack", "isclose", "nancumsum", "polyint"),
            **_each(1.25, "append", "block", "choose", "column_stack", "diagflat", "dstack", "intersect1d"),
            **_each(1.25, "nancumprod", "nanmean", "nanstd", "nanvar", "setdiff1d"),
            **_each(1.25, "setxor1d", "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"),
            **_each(1.25, "union1d", "vander"),
            **_each(1.35, "array_equiv", "average", "logspace", "meshgrid", "polyadd", "polysub"),
            **_each(1.35, "tri", "unique", "vstack"),
            **_each(1.45, "geomspace", "indices", "ravel_multi_index"),
            **_each(1.55, "nanargmax", "nanargmin", "polyval"),
            **_each(2.0, "allclose", "histogramdd"),
            **_each(2.4, "nan_to_num"),
            **_each(3.4, "pad", "polydiv"),
        },
    ),
)
"""All rows with another limit than 1.05."""

LOOPS = tuple(Statement(text, operands_of(text), dtypes=("float64",)) for text in ("list(x)", "sum(x)"))
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
