"""Elementwise functions of large arrays by kernels, for the overlay.

Each function takes what NumPy's universal function takes and returns NotImplemented where NumPy is to compute: few
elements, dtypes without kernels, layouts that a kernel does not walk, and results of which NumPy warns.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import SHORT_POWERS, Native, Program, Step

from ..kernels.formulas import COMPLEX_FORMULAS, FASTER, FASTER_BY_THREADS, FASTER_WITHOUT_AVX512, FORMULAS
from ._calls import compute, compute_over, would_write
from ._costs import SIMPLE
from ._emission import supported, supported_elementwise
from ._generator import resolve
from ._memory import reusing
from ._sizes import (
    BYTES_COMPARED_NUMBER,
    BYTES_INPLACE,
    BYTES_MEDIUM,
    BYTES_SIMPLE,
    MIN_SIZE,
    MIN_SIZE_ASSIGNED,
    MIN_SIZE_MEDIUM,
    MIN_SIZE_POWER,
)
from ._threads import threads

__all__ = ["kernels"]

ndarray = np.ndarray

ABSENT: Any = object()
"""Default of an argument that is not given."""

NOT_HERE = ("real",)
"""Operations of which NumPy has a view."""

COMPARISONS = ("equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less", "less_equal", "not_equal")
"""Operations with boolean results."""

BYTEWISE = ("logical_and", "logical_not", "logical_or", "logical_xor")
"""Operations of which NumPy's loop over booleans takes a hundredth of a nanosecond for an element."""

OF_FLOATS = ("isfinite", "isinf", "isnan")
"""Operations whose result for integers NumPy knows without a look at them."""

INPLACE = ("add", "subtract", "multiply", "divide", "bitwise_and", "bitwise_or", "bitwise_xor")
"""Operators whose kernel may write over its operand, as it leaves nothing to NumPy."""


@functools.cache
def _diff_plan(dtype: Any) -> Program | None:
    return _plan("subtract", (dtype, dtype))


def _plan(name: str, kinds: tuple[Any, ...]) -> Program | None:
    """Return the program of an operation for operands of dtypes or Python's classes; None where NumPy computes."""
    # Integers as bounds take the dtype, in whose range the core has moved them.
    resolved = resolve(name, [kinds[0] if kind is int else kind for kind in kinds] if name == "clip" else kinds)
    dtypes = [kind for kind in kinds if isinstance(kind, np.dtype)]
    if resolved is None or not all(map(supported_elementwise, dtypes)):
        return None
    if resolved[0][-1].kind == "c" and len(dtypes) != len(kinds):
        return None  # a scalar is passed as one real number
    if (name in BYTEWISE and all(kind == np.bool for kind in kinds)) or (
        name in OF_FLOATS and kinds[0].kind not in "fc"
    ):
        return None
    computed, result = resolved
    scalars = tuple(dtype.name for dtype, kind in zip(computed, kinds, strict=True) if not isinstance(kind, np.dtype))
    steps: list[Step] = []
    positions = []
    arrays, numbers = iter(range(len(dtypes))), iter(range(len(dtypes), len(kinds)))
    for kind, dtype in zip(kinds, computed, strict=True):
        position = next(arrays if isinstance(kind, np.dtype) else numbers)
        if isinstance(kind, np.dtype) and kind != dtype:
            steps.append(Step("astype", (position,), dtype.name))
            position = len(kinds) + len(steps) - 1
        positions.append(position)
    steps.append(Step(name, tuple(positions), result.name))
    inputs = tuple(dtype.name for dtype in dtypes)
    checks = not name.startswith("special.")  # SciPy warns of nothing
    return Program(inputs, scalars, tuple(steps), (len(kinds) + len(steps) - 1,), checks=checks).shared()


def _computed(
    program: Program | None, arrays: tuple[Native, ...], scalars: Sequence[Any] = (), spare: Native | None = None
) -> Native:
    """Return the result of a program's kernel; NotImplemented where NumPy is to compute."""
    results = None if program is None else compute(program, arrays, scalars, spare)
    return results[0] if results else NotImplemented


def _function(name: str) -> Callable[..., Native]:
    programs: dict[Any, Program | None] = {}
    min_size, least = _least(name)
    least_beside_number = BYTES_COMPARED_NUMBER if name in COMPARISONS else least
    by_threads = name in FASTER_BY_THREADS and least > 0 and _numpy_has_vectors()
    plain = reusing(getattr(np, name)) if name in ("add", "multiply", "subtract") else None  # of complex numbers

    def of_one(x: Native, spare: Native | None) -> Native:
        if x.size < min_size or x.nbytes < least or (by_threads and threads() == 1):
            return NotImplemented
        try:
            program = programs[x.dtype]
        except KeyError:
            program = programs[x.dtype] = _plan(name, (x.dtype,))
        return _computed(program, (x,), (), spare)

    def of_several(operands: tuple[Native, ...]) -> Native:
        arrays = tuple([x for x in operands if x.__class__ is ndarray])
        if not arrays or arrays[0].size < min_size or arrays[0].nbytes < least:
            return NotImplemented
        kinds = tuple([x.dtype if x.__class__ is ndarray else x.__class__ for x in operands])
        try:
            program = programs[kinds]
        except KeyError:
            program = programs[kinds] = _plan(name, kinds)
        if len(arrays) == len(operands):
            return _computed(program, arrays)
        scalars = [x for x in operands if x.__class__ is not ndarray]
        if program is None or not all(map(_fits, scalars, program.scalars)):
            return NotImplemented
        return _computed(program, arrays, scalars)

    def function(x1: Native, x2: Native, x3: Native = ABSENT, *rest: Any) -> Native:
        """Take the operands and then the memory that might be written over, or None."""
        if x3 is ABSENT:
            return of_one(x1, x2)
        if rest:
            return of_several((x1, x2, x3, *rest[:-1]))
        # Of two operands; the way with the fewest steps, as they are called most.
        first, second = x1.__class__ is ndarray, x2.__class__ is ndarray
        x = x1 if first else x2
        if (
            not (first or second)
            or x.size < min_size
            or x.nbytes < (least if first and second else least_beside_number)
        ):
            return NotImplemented  # arrays of bfloat16 have a class of their own
        key = x1.dtype if first else x1.__class__, x2.dtype if second else x2.__class__
        try:
            program = programs[key]
        except KeyError:
            program = programs[key] = _plan(name, key)
        if program is None:
            return plain(x1, x2) if plain is not None and key[0] == key[1] and x.dtype.kind == "c" else NotImplemented
        if first and second:
            results = compute(program, (x1, x2), (), x3)
        else:
            number = x2 if first else x1
            results = compute(program, (x,), (number,), x3) if _fits(number, program.scalars[0]) else None
        return results[0] if results else NotImplemented

    def writes_over(operands: Sequence[Any], spare: Native) -> bool | None:
        if len(operands) > 2:
            return False
        arrays = [x for x in operands if hasattr(x, "dtype")]
        if arrays[0].size < min_size or arrays[0].nbytes < least or (by_threads and threads() == 1):
            return None
        program = _plan(name, tuple([x.dtype if hasattr(x, "dtype") else x.__class__ for x in operands]))
        return None if program is None else would_write(program, arrays, spare)

    function.min_size = min_size  # type: ignore[attr-defined]
    function.writes_over = writes_over  # type: ignore[attr-defined]
    return function


def _power() -> Callable[..., Native]:
    """Powers, which NumPy computes fast for AVX-512 alone, in arrays of positive bases.

    There a thread of a kernel takes 2.7 times NumPy's time for float64. NumPy takes twice the time for one base, and
    twenty times the time of a kernel where an element is negative.
    """
    has_vectors = _numpy_has_vectors()
    min_size = MIN_SIZE_POWER if has_vectors else MIN_SIZE
    by_threads = has_vectors and min_size > 0
    general: Any = _function("pow")
    short: dict[float, Any] = {exponent: _function(name) for exponent, name in SHORT_POWERS.items()}

    def function(x1: Native, x2: Native, spare: Native | None) -> Native:
        kind = x2.__class__
        if x1.__class__ is ndarray and (kind is float or kind is int):
            if x1.dtype.char not in "fd" or x1.size < MIN_SIZE_POWER:
                return NotImplemented
            if x2 in short:
                return short[x2](x1, spare)
            if x2 in (3, 4):
                return _computed(_product(x1.dtype, x2), (x1,), (), spare)
            return general(x1, x2, spare)
        if kind is not ndarray or x2.size < min_size:
            return NotImplemented
        of_bases = has_vectors and getattr(x1, "size", 1) > 1
        if of_bases and (x2.dtype.char == "f" or (by_threads and threads() < 3 and not _has_negative(x1))):
            return NotImplemented
        return general(x1, x2, spare)

    def writes_over(operands: Sequence[Any], spare: Native) -> bool | None:
        x1, x2 = operands
        if x2.__class__ not in (int, float) or getattr(x1, "size", 0) < MIN_SIZE_POWER or x1.dtype.char not in "fd":
            return None
        if x2 in short:
            return short[x2].writes_over((x1,), spare)  # type: ignore[no-any-return]
        if x2 in (3, 4):
            return would_write(_product(x1.dtype, x2), (x1,), spare)
        return general.writes_over(operands, spare)  # type: ignore[no-any-return]

    function.min_size = min_size  # type: ignore[attr-defined]
    function.writes_over = writes_over  # type: ignore[attr-defined]
    return function


def _has_negative(x: Native) -> bool:
    """Whether one of some hundred elements is negative: a look at all would take a twentieth of NumPy's powers."""
    if x.dtype.kind not in "fi":
        return False
    step = math.ceil((x.size / 128) ** (1 / x.ndim))
    return bool((x[(slice(None, None, step),) * x.ndim] < 0).any())


@functools.cache
def _product(dtype: Any, exponent: float) -> Program:
    """The program of the third or the fourth power, by two products."""
    steps = Step("square", (0,), dtype.name), Step("multiply", (1, 0 if exponent == 3 else 1), dtype.name)
    return Program((dtype.name,), (), steps, (2,), checks=True).shared()


def _inplace(name: str) -> Callable[..., Native]:
    """The in-place operator of an operation, for a number or an array of the same shape."""
    programs: dict[Any, Program | None] = {}

    def function(x1: Native, x2: Native) -> Native:
        if x1.__class__ is not np.ndarray or x1.nbytes < BYTES_INPLACE:
            return NotImplemented
        second = x2.__class__ is np.ndarray
        key = x1.dtype, x2.dtype if second else x2.__class__
        try:
            program = programs[key]
        except KeyError:
            program = programs[key] = _plan(name, key)
        if program is None or not (second or _fits(x2, program.scalars[0])):
            return NotImplemented
        results = compute_over(program, (x1, x2) if second else (x1,), () if second else (x2,))
        return results[0] if results else NotImplemented

    function.min_size = BYTES_INPLACE // 8  # type: ignore[attr-defined]
    return function


def assigned_where(x: Native, mask: Native, values: Any, spare: Native | None = None) -> Native:
    """Write values over the elements of an array where a mask of its shape is true, and return it."""
    if x.__class__ is not ndarray or mask.shape != x.shape or mask.dtype != np.bool or x.size < MIN_SIZE_ASSIGNED:
        return NotImplemented
    if values.__class__ is ndarray and not values.ndim and values.dtype == x.dtype:
        values = values.item()
    is_array = values.__class__ is ndarray
    program = _assignment(x.dtype, values.dtype if is_array else values.__class__)
    if program is None or not (is_array or _fits(values, program.scalars[0])):
        return NotImplemented
    written = compute_over(program, (x, mask, values) if is_array else (x, mask), () if is_array else (values,))
    return x if written else NotImplemented


assigned_where.min_size = MIN_SIZE_ASSIGNED  # type: ignore[attr-defined]

ASSIGNED = {bool: "b", int: "iuf", float: "f"}
"""The kinds of dtypes of which a Python number is assigned by a kernel, by its class."""


@functools.cache
def _assignment(dtype: Any, kind: Any) -> Program | None:
    """The program of an assignment of an array's or a number's elements; None where NumPy casts them."""
    is_array = isinstance(kind, np.dtype)
    taken = kind == dtype if is_array else dtype.kind in ASSIGNED.get(kind, "")
    if not taken or not supported(dtype):
        return None
    given = (dtype.name,) * is_array
    step = Step("where", (1, 2, 0), dtype.name)
    return Program((dtype.name, "bool", *given), () if is_array else (dtype.name,), (step,), (3,)).shared()


def _fits(number: Any, dtype: str) -> bool:
    """Whether a Python number is exactly one of the dtype in which the program computes, or is rounded to one."""
    lowest, highest = _range(dtype)
    return bool(lowest <= number <= highest or number != number)


@functools.cache
def _range(dtype: str) -> tuple[float, float]:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (-math.inf, math.inf) if kind.itemsize == 8 else (-3e38, 3e38)
    if kind.kind == "b":
        return False, True
    limits = np.iinfo(kind)
    return int(limits.min), min(int(limits.max), 2**63 - 1)


@functools.cache
def _cast_program(dtype: Any, wanted: Any) -> Program | None:
    """The program of a cast that is exact or rounded as NumPy's; NumPy may warn of those to integers."""
    if not (supported(dtype) and supported(wanted)) or (dtype.kind == "f" and wanted.kind != "f"):
        return None
    return Program((dtype.name,), (), (Step("astype", (0,), wanted.name),), (1,), checks=True).shared()


def _cast(x: Native, dtype: Any, *, copy: bool = True) -> Native:
    if not copy or x.nbytes < BYTES_MEDIUM:
        return NotImplemented
    return _computed(_cast_program(x.dtype, dtype), (x,))


_cast.min_size = BYTES_MEDIUM // 8  # type: ignore[attr-defined]


def _diff(x: Native, *, axis: int = -1, n: int = 1, **edges: Native) -> Native:
    if n != 1 or edges or x.nbytes < BYTES_SIMPLE:
        return NotImplemented
    before = (slice(None),) * (axis % x.ndim)
    following, previous = x[(*before, slice(1, None), ...)], x[(*before, slice(None, -1), ...)]
    return _computed(_diff_plan(x.dtype), (following, previous))


_diff.min_size = BYTES_SIMPLE // 8  # type: ignore[attr-defined]


@functools.cache
def _triangle_program(dtype: Any, comparison: str) -> Program | None:
    """The program that keeps an element whose column's number compares so with its row's, and zeros elsewhere."""
    if not supported(dtype):
        return None
    steps = Step(comparison, (1, 0), "bool"), Step("where", (4, 2, 3), dtype.name)
    return Program(("int64", "int64", dtype.name), (dtype.name,), steps, (5,)).shared()


def _triangle(comparison: str) -> Callable[..., Native]:
    def function(x: Native, *, k: int = 0) -> Native:
        if x.dtype.kind == "c" or x.size < MIN_SIZE_MEDIUM:
            return NotImplemented
        rows, columns = x.shape[-2:]
        k = max(-rows, min(k, columns))
        numbers = np.arange(k, rows + k)[:, None], np.arange(columns)
        return _computed(_triangle_program(x.dtype, comparison), (*numbers, x), (x.dtype.type(0).item(),))

    return function


def _least(name: str) -> tuple[int, int]:
    """The elements and the bytes from which an operation's kernel gains.

    By vector code; or only by several threads and by memory that is kept.
    """
    if name in (FASTER if _numpy_has_vectors() else FASTER_WITHOUT_AVX512):
        return MIN_SIZE, 0
    if name == "where":  # NumPy's loop branches
        return MIN_SIZE_MEDIUM, 0
    if name in SIMPLE:
        return BYTES_SIMPLE // (1 if name in BYTEWISE else 8), BYTES_SIMPLE
    return BYTES_MEDIUM // (16 if name in COMPLEX_FORMULAS else 8), BYTES_MEDIUM


def _numpy_has_vectors() -> bool:
    """Whether NumPy has vector code of exponentials and logarithms for this CPU."""
    features = sys.modules["numpy._core._multiarray_umath"].__cpu_features__
    return sys.platform == "linux" and bool(features.get("AVX512_SKX"))


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    by_name = {f"large.{name}": _function(name) for name in FORMULAS if name not in NOT_HERE}
    by_name["large.pow"] = _power()
    by_name |= {f"large.inplace.{name}": _inplace(name) for name in INPLACE}
    by_name |= {"tril": _triangle("less_equal"), "triu": _triangle("greater_equal")}
    return by_name | {"large.assigned_where": assigned_where, "large.astype": _cast, "large.diff": _diff}
