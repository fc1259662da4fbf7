"""Calls of cubed's arrays, and of NumPy's: ``python cubed_calls.py FOLDER`` writes what cubed computes.

A call takes a namespace, ``cubed.array_api`` or ``numpy``, and the operands ``a`` and ``b`` (7 x 5 and 7 x 5 float64),
``n`` (7 integers) and ``c`` (3 x 3 complex128). The names and the parameters that the standard defines are the same in
both. cubed reads the name of its chunks' namespace from the environment when it is imported, so that the calls run in
a process of their own.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

RNG = np.random.default_rng(0)
OPERANDS = {
    "a": RNG.normal(size=(7, 5)),
    "b": RNG.normal(size=(7, 5)),
    "n": RNG.integers(0, 8, 7),
    "c": RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3)),
}

UNARY = (
    *("abs", "atan", "asinh", "ceil", "cos", "cosh", "exp", "expm1", "floor", "negative", "positive", "reciprocal"),
    *("round", "sign", "sin", "sinh", "square", "tan", "tanh", "trunc", "isfinite", "isinf", "isnan", "signbit"),
)
POSITIVE = ("sqrt", "log", "log1p", "log2", "log10", "acosh")
WITHIN_ONE = ("acos", "asin", "atanh")
COMPLEX = ("abs", "conj", "exp", "imag", "real", "sqrt", "square")
BINARY = (
    *("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less"),
    *("less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter", "not_equal", "remainder", "subtract"),
)
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor")
REDUCTIONS = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "count_nonzero")

CALLS: dict[str, Any] = {
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(a) for name in UNARY},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(m.abs(a) + 1.0) for name in POSITIVE},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(m.tanh(a)) for name in WITHIN_ONE},
    **{f"complex {name}": lambda m, a, b, n, c, name=name: getattr(m, name)(c) for name in COMPLEX},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(a, b) for name in BINARY},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(n, m.flip(n)) for name in BITWISE},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(a > 0, b > 0) for name in LOGICAL},
    **{name: lambda m, a, b, n, c, name=name: getattr(m, name)(a) for name in REDUCTIONS},
    **{f"{name} of rows": lambda m, a, b, n, c, name=name: getattr(m, name)(a, axis=1) for name in REDUCTIONS},
    **{
        f"{name} keeps axes": lambda m, a, b, n, c, name=name: getattr(m, name)(a, axis=0, keepdims=True)
        for name in REDUCTIONS
    },
    "logical_not": lambda m, a, b, n, c: m.logical_not(a > 0),
    "bitwise_invert": lambda m, a, b, n, c: m.bitwise_invert(n),
    "pow": lambda m, a, b, n, c: m.pow(m.abs(a), b),
    "sum of integers": lambda m, a, b, n, c: m.sum(n),
    "mean of complex numbers": lambda m, a, b, n, c: m.mean(c, axis=0),
    "var of a sample": lambda m, a, b, n, c: m.var(a, axis=1, correction=1),
    "std of a sample": lambda m, a, b, n, c: m.std(a, correction=1),
    "argmax": lambda m, a, b, n, c: m.argmax(a, axis=0),
    "argmin": lambda m, a, b, n, c: m.argmin(a, axis=1),
    "argmax of all": lambda m, a, b, n, c: m.argmax(a),
    "cumulative_sum": lambda m, a, b, n, c: m.cumulative_sum(a, axis=0),
    "cumulative_prod": lambda m, a, b, n, c: m.cumulative_prod(a, axis=1),
    "diff": lambda m, a, b, n, c: m.diff(a, axis=0),
    "clip": lambda m, a, b, n, c: m.clip(a, -0.5, 0.5),
    "where": lambda m, a, b, n, c: m.where(a > 0, a, b),
    "astype": lambda m, a, b, n, c: m.astype(a, m.float32),
    "operators": lambda m, a, b, n, c: 2 * a - b / 3.0 + a**2 - -b,
    "comparison": lambda m, a, b, n, c: (a > b) & (a < 1.0) | (b == a),
    "isin": lambda m, a, b, n, c: m.isin(n, n[:2]),
    "searchsorted": lambda m, a, b, n, c: m.searchsorted(m.arange(7.0), m.abs(a[:, 0])),
    "matmul": lambda m, a, b, n, c: m.matmul(a, m.permute_dims(b, (1, 0))),
    "matmul operator": lambda m, a, b, n, c: a @ b.T,
    "tensordot": lambda m, a, b, n, c: m.tensordot(a, b, axes=((0,), (0,))),
    "vecdot": lambda m, a, b, n, c: m.vecdot(a, b),
    "outer": lambda m, a, b, n, c: m.linalg.outer(a[:, 0], b[0, :]),
    "matrix_transpose": lambda m, a, b, n, c: m.matrix_transpose(a),
    "svdvals": lambda m, a, b, n, c: m.linalg.svdvals(tall(m, a, b)),
    "svd": lambda m, a, b, n, c: m.abs(m.linalg.svd(tall(m, a, b), full_matrices=False)[0]),
    "qr": lambda m, a, b, n, c: m.abs(m.linalg.qr(tall(m, a, b))[1]),
    "broadcast_to": lambda m, a, b, n, c: m.broadcast_to(a, (2, 7, 5)) + 1.0,
    "concat": lambda m, a, b, n, c: m.concat([a, b], axis=1),
    "concat of unequal": lambda m, a, b, n, c: m.concat([a, b[:2, :]], axis=0),
    "stack": lambda m, a, b, n, c: m.stack([a, b], axis=1),
    "unstack": lambda m, a, b, n, c: m.unstack(a, axis=1)[2],
    "expand_dims": lambda m, a, b, n, c: m.expand_dims(a, axis=1),
    "squeeze": lambda m, a, b, n, c: m.squeeze(m.expand_dims(a, axis=1), axis=1),
    "flip": lambda m, a, b, n, c: m.flip(a, axis=0),
    "moveaxis": lambda m, a, b, n, c: m.moveaxis(a, 0, 1),
    "permute_dims": lambda m, a, b, n, c: m.permute_dims(a, (1, 0)),
    "repeat": lambda m, a, b, n, c: m.repeat(a, 2, axis=0),
    "reshape": lambda m, a, b, n, c: m.reshape(a, (35,)),
    "roll": lambda m, a, b, n, c: m.roll(a, 2, axis=0),
    "tile": lambda m, a, b, n, c: m.tile(a, (2, 1)),
    "tril": lambda m, a, b, n, c: m.tril(a),
    "triu": lambda m, a, b, n, c: m.triu(a, k=1),
    "meshgrid": lambda m, a, b, n, c: m.meshgrid(a[:, 0], b[0, :])[0],
    "slices": lambda m, a, b, n, c: a[1:6:2, 3],
    "one row": lambda m, a, b, n, c: a[3],
    "integer array": lambda m, a, b, n, c: a[np.asarray([5, 0, 3]), :],
    "new axis": lambda m, a, b, n, c: a[:, None, :],
    "take": lambda m, a, b, n, c: m.take(a, m.asarray([3, 0]), axis=0),
    "ones_like": lambda m, a, b, n, c: m.ones_like(a) + a,
    "zeros_like": lambda m, a, b, n, c: m.zeros_like(a) + a,
    "full_like": lambda m, a, b, n, c: m.full_like(a, 3.0) + a,
    "arange": lambda m, a, b, n, c: m.arange(7.0) * n,
    "eye": lambda m, a, b, n, c: m.eye(7, 5) + a,
    "linspace": lambda m, a, b, n, c: m.linspace(0.0, 1.0, 7) + n,
}
"""Calls that are the same in both namespaces."""


def tall(m: Any, a: Any, b: Any) -> Any:
    """Return a matrix in chunks of whole rows, each of more rows than columns, as decompositions require."""
    x = m.concat([a, b], axis=0)
    return x if m is np else x.rechunk((7, 5))


def shifted(x: Any) -> Any:
    """Return the difference of neighbouring rows of a chunk with borders."""
    return x[2:, :] - x[:-2, :]


def row_means(x: Any) -> Any:
    return x.mean(axis=-1)


def sums_of_groups(m: Any, a: Any, labels: Any) -> Any:
    from cubed.backend_array_api import namespace
    from cubed.core.groupby import groupby_reduction

    def one_block(x: Any, by: Any, axis: int, intermediate_dtype: Any, num_groups: int) -> Any:
        rows = [namespace.sum(namespace.where(by[:, None] == group, x, 0.0), axis=0) for group in range(num_groups)]
        return namespace.stack(rows, axis=0)

    return groupby_reduction(
        a,
        labels,
        func=one_block,
        combine_func=lambda x, axis, dummy_axis, keepdims, **options: namespace.sum(
            x, axis=dummy_axis, keepdims=keepdims
        ),
        aggregate_func=None,
        axis=0,
        intermediate_dtype=a.dtype,
        dtype=a.dtype,
        num_groups=3,
    )


ENGINE_CALLS: dict[str, Any] = {
    "map_blocks": (lambda q, a, b: q.map_blocks(lambda x: x * 2.0, a, dtype=a.dtype), lambda a, b: a * 2.0),
    "map_blocks of two": (
        lambda q, a, b: q.map_blocks(lambda x, y: x * y - 1.0, a, b, dtype=a.dtype),
        lambda a, b: a * b - 1.0,
    ),
    "map_blocks by NumPy": (lambda q, a, b: q.map_blocks(np.sin, a, dtype=a.dtype), lambda a, b: np.sin(a)),
    "map_blocks of a method": (
        lambda q, a, b: q.map_blocks(lambda x: x.clip(-1, 1).round(2), a, dtype=a.dtype),
        lambda a, b: a.clip(-1, 1).round(2),
    ),
    **{
        f"map_overlap {boundary}": (
            lambda q, a, b, boundary=boundary: q.map_overlap(
                shifted,
                a,
                dtype=a.dtype,
                chunks=a.chunks,
                depth={0: 1, 1: 0},
                boundary={0: boundary, 1: 0.0},
                trim=False,
            ),
            lambda a, b, boundary=boundary: shifted(np.pad(a, ((1, 1), (0, 0)), constant_values=boundary)),
        )
        for boundary in (0.0, 2.5)
    },
    "apply_gufunc": (
        lambda q, a, b: q.apply_gufunc(row_means, "(i)->()", tall(q, a, b), output_dtypes=a.dtype),
        lambda a, b: row_means(tall(np, a, b)),
    ),
    "apply_gufunc by vectors": (
        lambda q, a, b: q.apply_gufunc(row_means, "(i)->()", tall(q, a, b), output_dtypes=a.dtype.char, vectorize=True),
        lambda a, b: row_means(tall(np, a, b)),
    ),
    "rechunk": (lambda q, a, b: a.rechunk((2, 5)) + 1.0, lambda a, b: a + 1.0),
    "pad": (
        lambda q, a, b: q.pad(a, ((1, 0), (0, 0)), mode="symmetric"),
        lambda a, b: np.pad(a, ((1, 0), (0, 0)), mode="symmetric"),
    ),
    "nanmean": (lambda q, a, b: q.nanmean(holes(q, a), axis=0), lambda a, b: np.nanmean(holes(np, a), axis=0)),
    "nansum": (lambda q, a, b: q.nansum(holes(q, a)), lambda a, b: np.nansum(holes(np, a))),
    "groupby": (
        lambda q, a, b: sums_of_groups(q, a[:6, :], q.asarray(np.arange(6) % 3, chunks=3)),
        lambda a, b: np.stack([a[group] + a[group + 3] for group in range(3)]),
    ),
    "a chain": (
        lambda q, a, b: q.sum((a - q.mean(a, axis=0)) ** 2 / q.var(a, axis=0), axis=1),
        lambda a, b: np.sum((a - np.mean(a, axis=0)) ** 2 / np.var(a, axis=0), axis=1),
    ),
}
"""Calls of the engine's own functions: with ``cubed``, and with NumPy."""

IN_NUMPY = frozenset(("apply_gufunc by vectors",))
"""Calls of which cubed computes chunks by ``numpy.vectorize``, which returns NumPy's arrays."""


def holes(m: Any, a: Any) -> Any:
    return m.where(a > 1.0, np.nan, a)


def expected(name: str) -> Any:
    """Return what NumPy computes for a call."""
    if name in ENGINE_CALLS:
        return ENGINE_CALLS[name][1](OPERANDS["a"], OPERANDS["b"])
    return CALLS[name](np, **OPERANDS)


def main(folder: str) -> None:
    """Compute every call by cubed, and write results or errors, and the classes of the computed chunks."""
    import cubed
    import cubed.array_api
    from cubed.primitive import blockwise

    cubed.config.set({"spec.work_dir": folder})
    operands = {
        name: cubed.array_api.asarray(values, chunks=(3, 2)[: values.ndim]) for name, values in OPERANDS.items()
    }
    to_numpy, classes = blockwise.backend_array_to_numpy_array, set()

    def recording(chunk: Any) -> Any:
        """Convert a computed chunk to what cubed stores, and record its class."""
        library = type(chunk).__module__.partition(".")[0]
        classes.add((f"{library}.{type(chunk).__qualname__}", str(getattr(chunk, "device", ""))))
        return to_numpy(chunk)

    blockwise.backend_array_to_numpy_array = recording
    found = {}
    for name in (*CALLS, *ENGINE_CALLS):
        classes.clear()
        try:
            if name in CALLS:
                result = CALLS[name](cubed.array_api, **operands)
            else:
                result = ENGINE_CALLS[name][0](cubed, operands["a"], operands["b"])
            values = result.compute()
            found[name] = {"class": type(values).__qualname__, "values": np.asarray(values), "chunks": sorted(classes)}
        except Exception:
            found[name] = {"error": traceback.format_exc()}
    Path(folder, "results").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
