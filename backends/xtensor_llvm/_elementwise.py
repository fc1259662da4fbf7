"""Elementwise functions of large arrays by kernels, for the overlay.

Each function takes what NumPy's universal function takes and returns NotImplemented where NumPy is to compute: few
elements, dtypes without kernels, layouts that a kernel does not walk, and results of which NumPy warns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import TABLE, Native, Program, Step

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
    return Program(inputs, scalars, tuple(steps), (len(kinds) + len(steps) - 1,), checks=True)


def _function(name: str) -> Callable[..., Native]:
    fewest = FEWEST_SIMPLE if name in SIMPLE else FEWEST
    programs: dict[tuple[Any, ...], Program | None] = {}

    def of_one(x: Native, spare: Native | None) -> Native:
        if x.size < fewest:
            return NotImplemented
        dtype = x.dtype
        try:
            program = programs[dtype]
        except KeyError:
            program = programs[dtype] = _plan(name, (dtype,))
        results = None if program is None else compute(program, (x,))
        return NotImplemented if results is None else results[0]

    def of_two(x1: Native, x2: Native, spare: Native | None) -> Native:
        first, second = x1.__class__, x2.__class__
        if first is np.ndarray:
            if x1.size < fewest:
                return NotImplemented
            first = x1.dtype
        if second is np.ndarray:
            second = x2.dtype
        key = first, second
        try:
            program = programs[key]
        except KeyError:
            program = programs[key] = _plan(name, key)
        if program is None:
            return NotImplemented
        if first.__class__ is type:
            results = compute(program, (x2,), (x1,)) if _fits(x1, program) else None
        elif second.__class__ is type:
            results = compute(program, (x1,), (x2,)) if _fits(x2, program) else None
        else:
            results = compute(program, (x1, x2))
        return NotImplemented if results is None else results[0]

    return of_one if TABLE[name].operands == 1 else of_two


def _fits(number: Any, program: Program) -> bool:
    """Whether a Python number is exactly one of the dtype in which the program computes."""
    dtype = np.dtype(program.scalars[0])
    if dtype.kind == "f":
        return dtype.itemsize == 8 or number != number or abs(number) <= 3e38
    if dtype.kind == "b":
        return number.__class__ is bool
    limits = np.iinfo(dtype)
    return bool(limits.min <= number <= limits.max) and number < 2**63


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    found = {}
    for name in FORMULAS:
        if name not in TABLE or TABLE[name].operands > 2:
            continue
        function = _function(name)
        function.fewest = FEWEST_SIMPLE if name in SIMPLE else FEWEST  # type: ignore[attr-defined]
        found[f"large.{name}"] = function
    return found
