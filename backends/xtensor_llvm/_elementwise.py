"""Elementwise functions of large arrays by kernels, for the overlay.

Each function takes what NumPy's universal function takes and returns NotImplemented where NumPy is to compute: few
elements, dtypes without kernels, layouts that a kernel does not walk, and results of which NumPy warns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import Native, Program, Step

from ._calls import SIMPLE, compute
from ._emission import supported
from ._formulas import FORMULAS
from ._generator import resolve
from ._sizes import FEWEST, FEWEST_SIMPLE

__all__ = ["kernels"]


def _plan(name: str, kinds: tuple[Any, ...]) -> Program | None:
    """Return the program of an operation for operands of dtypes or Python's classes; None where NumPy computes."""
    found = resolve(name, kinds)
    dtypes = [kind for kind in kinds if isinstance(kind, np.dtype)]
    if found is None or not all(map(supported, dtypes)):
        return None
    computed, result = found
    scalars = tuple(dtype.name for dtype, kind in zip(computed, kinds, strict=True) if not isinstance(kind, np.dtype))
    steps: list[Step] = []
    places = []
    arrays, numbers = iter(range(len(dtypes))), iter(range(len(dtypes), len(kinds)))
    for kind, dtype in zip(kinds, computed, strict=True):
        place = next(arrays if isinstance(kind, np.dtype) else numbers)
        if isinstance(kind, np.dtype) and kind != dtype:
            steps.append(Step("astype", (place,), dtype.name))
            place = len(kinds) + len(steps) - 1
        places.append(place)
    steps.append(Step(name, tuple(places), result.name))
    inputs = tuple(dtype.name for dtype in dtypes)
    return Program(inputs, scalars, tuple(steps), (len(kinds) + len(steps) - 1,), checks=True).shared()


def _function(name: str, fewest: int) -> Callable[..., Native]:
    programs: dict[Any, Program | None] = {}

    def function(x1: Native, x2: Native, *rest: Any) -> Native:
        if not rest:  # of one operand; the second argument is the memory that might be written over
            if x1.size < fewest:
                return NotImplemented
            try:
                program = programs[x1.dtype]
            except KeyError:
                program = programs[x1.dtype] = _plan(name, (x1.dtype,))
            results = None if program is None else compute(program, (x1,))
            return NotImplemented if results is None else results[0]
        operands = (x1, x2, *rest[:-1])
        kinds = tuple([x.dtype if x.__class__ is np.ndarray else x.__class__ for x in operands])
        try:
            program = programs[kinds]
        except KeyError:
            program = programs[kinds] = _plan(name, kinds)
        if program is None:
            return NotImplemented
        arrays = [x for x in operands if x.__class__ is np.ndarray]
        if arrays[0].size < fewest:
            return NotImplemented
        if len(arrays) == len(operands):
            results = compute(program, arrays)
        else:
            scalars = [x for x in operands if x.__class__ is not np.ndarray]
            if not all(map(_fits, scalars, program.scalars)):
                return NotImplemented
            results = compute(program, arrays, scalars)
        return NotImplemented if results is None else results[0]

    function.fewest = fewest  # type: ignore[attr-defined]
    return function


def _fits(number: Any, dtype: str) -> bool:
    """Whether a Python number is exactly one of the dtype in which the program computes."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return kind.itemsize == 8 or number != number or abs(number) <= 3e38
    if kind.kind == "b":
        return number.__class__ is bool
    limits = np.iinfo(kind)
    return bool(limits.min <= number <= limits.max) and number < 2**63


def _cast(x: Native, dtype: Any, *, copy: bool = True) -> Native:
    """Casts that are exact or rounded as NumPy's; of those to integers NumPy may warn."""
    if not (copy and supported(x.dtype) and supported(dtype)) or (x.dtype.kind == "f" and dtype.kind != "f"):
        return NotImplemented
    steps = (Step("astype", (0,), dtype.name),)
    results = compute(Program((x.dtype.name,), (), steps, (1,), checks=True).shared(), (x,))
    return NotImplemented if results is None else results[0]


_cast.fewest = FEWEST_SIMPLE  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    found = {f"large.{name}": _function(name, FEWEST_SIMPLE if name in SIMPLE else FEWEST) for name in FORMULAS}
    return found | {"large.astype": _cast}
