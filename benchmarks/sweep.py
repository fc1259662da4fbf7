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
                "polyfit",
            ),
            *("roots", "tensordot", "vdot", "vecdot", "vecmat", "linalg"),
        ),
    ),
    LimitException(
        "The checks of a call take some microseconds at any size, more than a twentieth of NumPy's time here.",
        {
            **_each(1.1, "arange", "argpartition", "argwhere", "astype", "bincount", "cross", "outer", "partition"),
            **_each(1.1, "ones_like", "square", "tile", "where", "xp.mean(m, axis=0)", "xp.prod(m, axis=0)"),
            **_each(1.15, "fft.fftfreq", "fft.fftshift", "fft.ifftshift", "fft.rfftfreq", "ones"),
            **_each(1.15, "identity", "logical_xor", "place"),
            **_each(1.2, "count_nonzero", "full", "full_like", "logical_not", "nanprod", "ptp", "zeros"),
            **_each(1.25, "eye", "logical_and", "logical_or"),
            **_each(1.3, "copyto", "histogram_bin_edges"),
            **_each(1.4, "isfinite", "isinf", "isnan"),
            **_each(2.2, "packbits", "unpackbits"),
        },
    ),
    LimitException(
        "Copies and comparisons, to which the caches are the limit: they take 0.3 to 1 of NumPy's time on processors "
        "whose cores have 1 or 2 MB of second level cache each. With 512 KB (Zen 3) two cores are no faster than one.",
        {
            **_each(1.15, "append", "block", "concat"),
            **_each(1.25, "compress", "diff", "ediff1d", "equal", "extract", "gradient"),
            **_each(1.3, "array_equal", "array_equiv", "hstack", "resize", "xp.var(m, axis=0)"),
            **_each(1.4, "delete", "vstack"),
            **_each(1.7, "insert"),
        },
    ),
    LimitException(
        "Composed of several functions of the standard, each a pass over memory, where NumPy has fewer. No rule costs "
        "this: a step in compiled code would save it.",
        {
            **_each(1.1, "interp", "intersect1d", "isclose", "nancumprod", "nancumsum", "put_along_axis"),
            **_each(1.1, "indices", "repeat", "setdiff1d"),
            **_each(1.15, "allclose", "pad", "polyval", "setxor1d", "tri", "vander"),
            **_each(1.15, "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"),
            **_each(1.2, "unique"),
            **_each(1.4, "meshgrid", "nanargmax", "nanargmin"),
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
