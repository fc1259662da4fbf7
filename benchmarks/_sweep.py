"""Calls of every public function that has a counterpart in NumPy, generated for the group ``sweep``.

The functions are those of the table of operations and those beyond the standard. Most arguments follow from the row:
one vector for each operand of an elementwise function, a matrix as well for a function along an axis, a positive
definite matrix in linear algebra. ``ARGUMENTS`` has the arguments of the others, and ``UNTIMED`` the functions that
compute nothing on elements. The statement is the same text in both libraries; its variables are those of ``OPERANDS``.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import xtensor
from xtensor.backend import TABLE, Operation

from ._cases import Operands, Statement, Variant
from ._libraries import Host

__all__ = ["UNTIMED", "counterparts", "function_of", "operands_of", "statements"]

HostArray = np.ndarray[Any, Any]

DTYPES = {"f": "float64", "c": "complex128", "i": "int64"}

# -- operands ---------------------------------------------------------------------------------------------------------


def _values(seed: int, shape: tuple[int, ...], dtype: str, low: float, high: float) -> HostArray:
    """Random values between two bounds, both components of a complex number; integers are multiplied by 1,000."""
    generator = np.random.default_rng(seed)
    values = generator.uniform(low, high, shape)
    if dtype == "complex128":
        return values + 1j * generator.uniform(low, high, shape)
    return np.trunc(values * 1000).astype(dtype) if dtype == "int64" else values.astype(dtype)


def _side(variant: Variant) -> int:
    return math.isqrt(variant.size)


def _vector(seed: int, low: float, high: float) -> Callable[[Variant], HostArray]:
    return lambda variant: _values(seed, (variant.size,), variant.dtype, low, high)


def _matrix(seed: int) -> Callable[[Variant], HostArray]:
    return lambda variant: _values(seed, (_side(variant),) * 2, variant.dtype, -1.0, 1.0)


def _positive_definite(variant: Variant) -> HostArray:
    values = _matrix(5)(variant)
    return (values + np.conj(values.T)) / 2 + _side(variant) * np.eye(_side(variant))


def _stack(variant: Variant) -> HostArray:
    """Vectors of three elements, as the cross product takes them."""
    return _values(6, (max(1, variant.size // 3), 3), variant.dtype, -1.0, 1.0)


def _with_nan(variant: Variant) -> HostArray:
    """A vector whose every hundredth element is NaN."""
    values = _vector(7, -1.0, 1.0)(variant)
    if values.dtype.kind != "i":
        values[50::100] = np.nan
    return values


def _matrix_with_nan(variant: Variant) -> HostArray:
    return _with_nan(Variant(_side(variant) ** 2, variant.dtype)).reshape(_side(variant), -1)


OPERANDS: dict[str, Callable[[Variant], Any]] = {
    "x": _vector(0, -1.0, 1.0),
    "y": _vector(1, -1.0, 1.0),
    "above": _vector(2, 1.0, 2.0),
    "positive": _vector(3, 0.01, 1.0),
    "m": _matrix(4),
    "n": _matrix(14),
    "s": _positive_definite,
    "triples": _stack,
    "gaps": _with_nan,
    "gaps2": _matrix_with_nan,
    "ordered": lambda variant: np.sort(_vector(8, -1.0, 1.0)(variant)),
    "grid": lambda variant: np.linspace(-1.0, 1.0, max(2, _side(variant))),
    "row": lambda variant: _values(9, (_side(variant),), variant.dtype, -1.0, 1.0),
    "few": lambda variant: _values(10, (20,), variant.dtype, -1.0, 1.0),
    "mask": lambda variant: np.arange(variant.size) % 3 == 0,
    "mask2": lambda variant: np.arange(variant.size) % 2 == 0,
    "index": lambda variant: np.random.default_rng(11).permutation(variant.size),
    "order": lambda variant: np.random.default_rng(12).integers(0, _side(variant), (_side(variant),) * 2),
    "counts": lambda variant: np.random.default_rng(13).integers(0, 100, variant.size),
    "bytes": lambda variant: np.random.default_rng(13).integers(0, 256, variant.size // 8 + 1).astype(np.uint8),
    "shifts": lambda variant: np.random.default_rng(13).integers(0, 8, variant.size),
    "four": lambda variant: np.eye(_side(variant)).reshape(_quarters(variant) * 2) + 0.0,
    "numbers": lambda variant: [float(value) for value in _vector(0, -1.0, 1.0)(Variant(1000, "float64"))],
    "host": lambda variant: Host(_vector(0, -1.0, 1.0)(variant)),
    "side": _side,
    "size": lambda variant: variant.size,
}
"""Operands of the statements by name: the vectors and matrices have about ``size`` elements."""


def _quarters(variant: Variant) -> tuple[int, int]:
    """Return the two factors of a matrix's length that are next to each other."""
    side = _side(variant)
    factor = next(divisor for divisor in range(math.isqrt(side), 0, -1) if side % divisor == 0)
    return factor, side // factor


def operands_of(statement: str) -> Operands:
    """Return the operands that a statement names."""
    names = {node.id for node in ast.walk(ast.parse(statement)) if isinstance(node, ast.Name)}
    return lambda variant: {name: OPERANDS[name](variant) for name in sorted(names & set(OPERANDS))}


def function_of(statement: str) -> str:
    """Return the name of the function that a statement calls: ``linalg.det`` of ``xp.linalg.det(s)``."""
    return statement.partition("(")[0].removeprefix("xp.")


# -- functions --------------------------------------------------------------------------------------------------------

UNTIMED: dict[str, str] = {
    **dict.fromkeys(
        ("can_cast", "finfo", "iinfo", "isdtype", "result_type", "broadcast_shapes", "__array_namespace_info__"),
        "takes no elements: it tells about dtypes and shapes",
    ),
    **dict.fromkeys(("isscalar", "issubdtype"), "is NumPy's own function of values and dtypes"),
    **dict.fromkeys(
        ("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"),
        "reads or writes a file",
    ),
    **dict.fromkeys(
        ("apply_along_axis", "apply_over_axes", "piecewise"),
        "calls a function of the user, whose calls are timed by themselves",
    ),
    **dict.fromkeys(
        ("linalg.cross", "linalg.diagonal", "linalg.matmul", "linalg.matrix_transpose", "linalg.tensordot"),
        "another name of a function of the main namespace",
    ),
    **dict.fromkeys(("linalg.vecdot",), "another name of a function of the main namespace"),
}
"""Functions that have no row, with the reason."""

Arguments = tuple[str, str]
"""Arguments as text, and the kinds of dtype to measure: ``"f"``, ``"c"``, ``"i"``."""

ARGUMENTS: dict[str, tuple[Arguments, ...]] = {
    # The standard's functions whose arguments do not follow from their rows.
    **dict.fromkeys(("acosh",), (("above", "fc"),)),
    **dict.fromkeys(("log", "log10", "log1p", "log2", "sqrt"), (("positive", "fc"),)),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), (("counts, shifts", "i"),)),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), (("mask, mask2", "f"),)),
    **dict.fromkeys(("floor_divide", "remainder", "divmod", "fmod"), (("x, above", "fi"),)),
    **dict.fromkeys(("divide",), (("x, above", "fc"),)),
    **dict.fromkeys(("empty", "ones", "zeros"), (("size", "f"),)),
    **dict.fromkeys(("bartlett", "blackman", "hamming", "hanning"), (("size", "f"),)),
    "kaiser": (("size, 8.0", "f"),),
    "around": (("x", "fci"), ("x, 2", "f")),
    "asarray_chkfinite": (("x", "fci"),),
    "copy": (("x", "fci"),),
    **dict.fromkeys(("empty_like", "ones_like", "zeros_like"), (("x", "fci"),)),
    **dict.fromkeys(("roll",), (("x, 1", "fci"), ("m, 1, axis=1", "f"))),
    **dict.fromkeys(("tril", "triu"), (("m", "fci"),)),
    **dict.fromkeys(("concat", "stack"), (("(x, y)", "fci"),)),
    "all": (("mask", "f"), ("x", "f")),
    "any": (("mask", "f"), ("x == 2", "f")),
    "arange": (("size", "f"),),
    "asarray": (("numbers", "f"), ("host", "f")),
    "astype": (("x, xp.float32", "fi"), ("x, xp.complex128", "f"), ("x, xp.int64", "f")),
    "atanh": (("x / 2", "fc"),),
    "broadcast_arrays": (("m, row", "f"),),
    "broadcast_to": (("row, (side, side)", "f"),),
    "clip": (("x, -0.5, 0.5", "f"), ("x, -500, 500", "i")),
    "cross": (("triples, triples", "fc"),),
    "cumulative_prod": (("above", "fc"),),
    "diff": (("x", "fci"), ("m, axis=0", "f")),
    "expand_dims": (("x, axis=0", "f"),),
    "eye": (("side", "f"),),
    "flip": (("x", "f"),),
    "from_dlpack": (("host", "f"),),
    "full": (("size, 1.5", "f"),),
    "full_like": (("x, 1", "fci"),),
    "isin": (("x, few", "fi"), ("x, y", "f")),
    "linspace": (("0.0, 1.0, size", "f"),),
    "logical_not": (("mask", "f"),),
    "matmul": (("m, n", "fc"), ("m, row", "f")),
    "matrix_transpose": (("m", "f"),),
    "meshgrid": (("row, row", "f"),),
    "moveaxis": (("m, 0, 1", "f"),),
    "permute_dims": (("m, (1, 0)", "f"),),
    "pow": (("positive, above", "fc"), ("shifts, shifts", "i"), ("x, 2", "fci"), ("positive, 0.5", "f"), ("x, 3", "i")),
    "repeat": (("x, 3", "fci"), ("x, shifts", "f")),
    "reshape": (("x, (-1, 1)", "f"),),
    "round": (("x", "fci"),),
    "searchsorted": (("ordered, x", "fi"),),
    "squeeze": (("x[None, :], 0", "f"),),
    "take": (("x, index", "fci"), ("m, order[0, :], axis=1", "f")),
    "take_along_axis": (("x, index", "fci"), ("m, order", "f"), ("m, order, axis=0", "f")),
    "tensordot": (("m, n, axes=1", "fc"), ("m, n", "f")),
    "tile": (("x, (3,)", "fci"),),
    "unique_all": (("x", "fi"), ("counts", "i")),
    "unique_counts": (("x", "fi"), ("counts", "i")),
    "unique_inverse": (("x", "fi"), ("counts", "i")),
    "unique_values": (("x", "fi"), ("counts", "i")),
    "unstack": (("m", "f"),),
    "vecdot": (("m, n", "fci"), ("x, y", "f")),
    "where": (("mask, x, y", "fci"), ("mask, x, 0.0", "f")),
    # Fourier transforms and linear algebra.
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), (("size", "f"),)),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift"), (("x", "fci"),)),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.fft2", "fft.ifft2"), (("m", "c"),)),
    **dict.fromkeys(("fft.irfftn", "fft.irfft2"), (("m", "c"),)),
    **dict.fromkeys(("fft.rfftn", "fft.rfft2"), (("m", "f"),)),
    **dict.fromkeys(("linalg.lstsq", "linalg.solve", "linalg.tensorsolve"), (("s, row", "f"),)),
    "linalg.cond": (("s", "f"), ("s, 1", "f")),
    "linalg.matrix_norm": (("m", "fc"), ("m, ord=2", "f"), ("m, ord=1", "f")),
    "linalg.matrix_power": (("m, 3", "fc"),),
    "linalg.multi_dot": (("[m, n, row]", "f"),),
    "linalg.norm": (("x", "fc"), ("m", "f"), ("x, 1", "f"), ("m, axis=0", "f")),
    "linalg.outer": (("row, row", "fc"),),
    "linalg.tensorinv": (("four", "f"),),
    "linalg.trace": (("m", "fc"),),
    "linalg.vector_norm": (("x", "fc"), ("m, axis=0", "f"), ("x, ord=1", "f"), ("x, ord=3", "f")),
    "lib.stride_tricks.sliding_window_view": (("x, 1", "f"),),
    # Beyond the standard.
    **dict.fromkeys(("allclose", "isclose", "array_equal", "array_equiv"), (("x, x + 0", "fci"),)),
    **dict.fromkeys(("angle", "iscomplex", "isreal", "real_if_close"), (("x", "fc"),)),
    **dict.fromkeys(("iscomplexobj", "isrealobj", "ravel", "transpose"), (("x", "f"),)),
    **dict.fromkeys(("fliplr", "flipud", "rot90", "diagonal", "diag"), (("m", "f"),)),
    **dict.fromkeys(("argwhere", "flatnonzero", "trim_zeros", "sort_complex"), (("x", "f"),)),
    **dict.fromkeys(("append", "union1d", "setxor1d", "setdiff1d", "intersect1d"), (("x, y", "fi"),)),
    **dict.fromkeys(("array_split", "split", "hsplit"), (("x, 1", "f"),)),
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d", "ediff1d", "trapezoid"), (("x", "f"),)),
    **dict.fromkeys(("column_stack", "dstack", "hstack", "vstack"), (("(x, y)", "fci"),)),
    **dict.fromkeys(("compress", "extract"), (("mask, x", "fci"),)),
    **dict.fromkeys(("convolve", "correlate"), (("x, few", "f"),)),
    **dict.fromkeys(("cumsum", "cumprod", "ptp"), (("x", "f"), ("m, axis=0", "f"))),
    **dict.fromkeys(("dot", "inner"), (("x, y", "fc"), ("m, n", "fc"), ("m, row", "f"))),
    **dict.fromkeys(("fix", "isneginf", "isposinf", "i0", "sinc", "unwrap"), (("x", "f"),)),
    **dict.fromkeys(("gcd", "lcm"), (("counts, shifts", "i"),)),
    **dict.fromkeys(("histogram2d",), (("x, y", "f"),)),
    **dict.fromkeys(("median", "nanmedian"), (("x", "fi"), ("m, axis=0", "f"), ("m, axis=1", "f"))),
    **dict.fromkeys(("partition", "argpartition"), (("x, side", "fi"), ("m, 5", "f"))),
    **dict.fromkeys(("polyadd", "polysub"), (("x, y", "f"),)),
    **dict.fromkeys(("polyder", "polyint"), (("x", "f"),)),
    **dict.fromkeys(("poly", "roots"), (("row[:100]", "f"),)),
    **dict.fromkeys(("polydiv", "polymul"), (("x[:1000], few", "f"),)),
    **dict.fromkeys(("tril_indices", "triu_indices", "diag_indices"), (("side", "f"),)),
    **dict.fromkeys(("tril_indices_from", "triu_indices_from", "diag_indices_from"), (("m", "f"),)),
    **dict.fromkeys(
        ("nancumprod", "nancumsum", "nanmax", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "nanmean"),
        (("gaps", "fi"), ("gaps2, axis=0", "f"), ("gaps2, axis=1", "f")),
    ),
    **dict.fromkeys(("nanargmax", "nanargmin"), (("gaps", "fi"), ("gaps2, axis=0", "f"))),
    **dict.fromkeys(
        ("nanquantile", "quantile"), (("x, 0.3", "fi"), ("x, [0.1, 0.5, 0.9]", "f"), ("m, 0.3, axis=0", "f"))
    ),
    **dict.fromkeys(("nanpercentile", "percentile"), (("x, 30", "fi"),)),
    "average": (("x", "f"), ("x, weights=positive", "f")),
    "bincount": (("counts", "i"), ("counts, weights=x", "f")),
    "bitwise_count": (("counts", "i"),),
    "block": (("[x, y]", "f"),),
    "choose": (("shifts % 2, (x, y)", "f"),),
    "copyto": (("x, y", "fci"),),
    "corrcoef": (("m[:50, :]", "f"),),
    "cov": (("m[:50, :]", "f"),),
    "delete": (("x, 5", "f"), ("x, slice(2, 10)", "f")),
    "diagflat": (("row", "f"),),
    "digitize": (("x, grid", "f"),),
    "dsplit": (("m[:, :, None], 1", "f"),),
    "einsum": (("'ij,jk', m, n", "f"), ("'ij->i', m", "f"), ("'ij,ij', m, n", "f")),
    "fill_diagonal": (("m, 1.0", "f"),),
    "float_power": (("positive, above", "f"),),
    "geomspace": (("1.0, 2.0, size", "f"),),
    "gradient": (("x", "f"), ("m", "f")),
    "histogram": (("x", "f"), ("x, 100", "f"), ("x, grid", "f")),
    "histogram_bin_edges": (("x", "f"), ("x, 'fd'", "f")),
    "histogramdd": (("(x, y)", "f"),),
    "identity": (("side", "f"),),
    "indices": (("(side, side)", "f"),),
    "insert": (("x, 5, 1.0", "f"),),
    "interp": (("x, grid, grid", "f"),),
    "ix_": (("counts, counts", "f"),),
    "kron": (("m[:10, :10], m[:30, :30]", "f"),),
    "ldexp": (("x, shifts", "f"),),
    "lexsort": (("(x, y)", "f"),),
    "logspace": (("0.0, 1.0, size", "f"),),
    "matvec": (("m, row", "fc"),),
    "nan_to_num": (("gaps", "fc"),),
    "outer": (("row, row", "fc"),),
    "packbits": (("mask", "f"),),
    "pad": (("x, 3", "f"), ("m, 3", "f"), ("m, 3, mode='edge'", "f")),
    "place": (("x, mask, y", "f"),),
    "polyfit": (("x, y, 2", "f"),),
    "polyval": (("few, x", "f"),),
    "put": (("x, index, y", "f"),),
    "put_along_axis": (("m, order, m, 1", "f"),),
    "putmask": (("x, mask, y", "f"),),
    "ravel_multi_index": (("(counts, counts), (100, 100)", "f"),),
    "resize": (("x, (side, side)", "f"),),
    "rollaxis": (("m, 1", "f"),),
    "select": (("[mask, mask2], [x, y]", "f"),),
    "swapaxes": (("m, 0, 1", "f"),),
    "trace": (("m", "fc"),),
    "tri": (("side", "f"),),
    "unique": (("x", "fi"), ("counts", "i"), ("counts, return_counts=True", "i"), ("x, return_inverse=True", "f")),
    "unpackbits": (("bytes", "f"),),
    "unravel_index": (("index, (size, 1)", "f"),),
    "vander": (("row, 300", "f"),),
    "vdot": (("x, y", "fc"),),
    "vecmat": (("row, m", "fc"),),
    "vsplit": (("m, 1", "f"),),
}
"""Arguments of the functions for which the rule of their kind does not fit, each set a row of the table."""


def counterparts() -> dict[str, Operation | None]:
    """Return the public functions that NumPy has under the same name, with their rows of the table of operations."""
    names = {
        f"{prefix}{name}"
        for prefix in ("", "fft.", "linalg.", "lib.stride_tricks.")
        for name in _attribute(xtensor, prefix.rstrip(".")).__all__
    }
    functions = (name for name in sorted(names) if inspect.isroutine(_attribute(xtensor, name)))
    return {name: TABLE.get(name) for name in functions if callable(_attribute(np, name))}


def _attribute(namespace: Any, path: str) -> Any:
    for part in filter(None, path.split(".")):
        namespace = getattr(namespace, part, None)
    return namespace


def _by_kind(row: Operation) -> tuple[Arguments, ...]:
    """Return the arguments of a function by its row: its kind, number of operands and accepted dtypes."""
    kinds = "".join(kind for kind in DTYPES if kind in row.kinds)
    if row.kind == "elementwise":
        return ((", ".join(("x", "y")[: row.operands]), kinds),)
    if row.kind in ("reduction", "scan", "sorting"):
        return (("x", kinds), ("m, axis=0", kinds[0]), ("m, axis=1", kinds[0]))
    if row.kind == "linear algebra":
        return (("s", kinds.replace("i", "")),)
    return (("x", kinds),)


def statements() -> Iterator[Statement]:
    """Yield the statements of all functions, in alphabetical order."""
    for name, row in counterparts().items():
        if name in UNTIMED:
            continue
        found = ARGUMENTS.get(name) or (() if row is None else _by_kind(row))
        if not found:
            raise LookupError(f"{name}() needs arguments in benchmarks/_sweep.py")
        for arguments, kinds in found:
            text = f"xp.{name}({arguments})"
            yield Statement(text, operands_of(text), dtypes=tuple(DTYPES[kind] for kind in kinds))
