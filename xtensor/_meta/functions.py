"""The functions of the device ``meta``: the rules of results, and the report of each call's cost."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

import numpy as np

from .._core import array
from .._core.calls import wrap
from .._core.compositions import EXPLAINED_BY_COMPOSITION
from .._core.devices import device
from .._core.dtypes import kind_of
from .._core.operations import TABLE, Operation
from .._core.tracing_errors import UnknownValueError
from .._core.trees import arrays_of, mapped
from .arrays import MetaArray, bytes_read, new, unknown_value
from .costs import operations_of, workspace_of
from .ledger import Ledger, current, opened
from .rules import is_view, rule_of, sample_call

__all__ = ["Namespace", "count_assignment"]

OF_SIZE = {"einsum": 2**16}
"""Functions that the library of ``cpu`` computes for small arrays alone, and a number of elements that is none."""

CHAPTERS = ("linalg", "fft", "special", "nn", "random")


class Namespace:
    """The functions of the device by the names of the operations.

    A function is here where ``cpu`` has one of its own; others are composed, as they are on ``cpu``.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if not self._prefix:
            if name in CHAPTERS:
                return Namespace(f"{name}.")
            if name == "inplace":
                return _InPlace()
            if name == "large":
                return _Large()
        row = TABLE.get(self._prefix + name)
        if row is None or not row.declared:
            raise AttributeError(name)
        rule = rule_of(row)
        if rule is not None:
            return _reporting(row, rule)
        if row.kind == "composed" and device("cpu").implements(row.name):
            return _of_library(row)
        if row.composition is not None and device("cpu").implements(row.name):
            return _composing(row)
        raise AttributeError(name)


def _reporting(row: Operation, rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that reports its cost."""

    def function(*args: Any, **options: Any) -> Any:
        result = rule(*args, **options)
        ledger = current()
        if ledger is not None and result is not NotImplemented:
            _report(ledger, row, (args, options), result, 0)
        return result

    return function


def _composing(row: Operation) -> Callable[..., Any]:
    """Return the function of an operation that is one call on ``cpu`` and whose results a composition tells."""
    composition = row.composition
    assert composition is not None

    def function(*args: Any, **options: Any) -> Any:
        with opened(Ledger()) as inside:
            try:
                result = composition(device("meta")._functions.namespace, *args, **options)
            except UnknownValueError as error:
                raise unknown_value(f"the shape of the result of {row.name}") from error
        ledger = current()
        if result is NotImplemented:
            return result
        operands = arrays_of((args, options), MetaArray)
        result = mapped(result, lambda item: _moved(item, operands))
        if ledger is not None:
            _report(ledger, row, (args, options), result, inside.operations)
        return result

    return function


def _of_library(row: Operation) -> Callable[..., Any]:
    """Return a function of Arrays that is one call on ``cpu`` where its library's function takes the arguments."""

    def function(*args: Any, **options: Any) -> Any:
        if row.name in _composing_now.get():
            return NotImplemented
        limit, longest = OF_SIZE.get(row.name), 2
        if limit is not None:  # samples of the same shapes, of which the function chooses those that it computes
            longest = max([x.size for x in arrays_of((args, options), MetaArray)])
            if longest > limit:
                return NotImplemented
        try:
            if sample_call(row, args, options, longest=longest) is NotImplemented:
                return NotImplemented
        except EXPLAINED_BY_COMPOSITION:
            return NotImplemented
        meta = device("meta")
        given, named = mapped((args, options), lambda native: wrap(native, meta), MetaArray)
        before = _composing_now.get()
        try:
            _composing_now.set(before | {row.name})
            with opened(Ledger()) as inside:
                native_result = mapped(
                    attrgetter(row.name)(array.xp)(*given, **named), lambda x: x._native, array.Array
                )
        finally:
            _composing_now.set(before)
        operands = arrays_of((args, options), MetaArray)
        result = mapped(native_result, lambda item: _moved(item, operands), MetaArray)
        ledger = current()
        if ledger is not None:
            _report(ledger, row, (args, options), result, inside.operations)
        return result

    return function


_composing_now: ContextVar[frozenset[str]] = ContextVar("composing", default=frozenset())
"""The functions whose compositions tell their results now."""


def _moved(item: Any, operands: list[MetaArray]) -> Any:
    """Return a result of a composition as an array that is reported to the ledger that is open now."""
    return item if item.__class__ is not MetaArray or is_view(item, operands) else new(item.shape, item.dtype, [item])


def _report(ledger: Ledger, row: Operation, arguments: Any, result: Any, inner: int) -> None:
    operands, results = arrays_of(arguments, MetaArray), arrays_of(result, MetaArray)
    made = [item for item in results if not is_view(item, operands)]
    if results and not made:
        return  # a view costs nothing
    moved = sum([bytes_read(x) for x in operands]) + sum([bytes_read(x) for x in made])
    operations = operations_of(row, operands, results, inner)
    ledger.add(row.name, operations, moved, workspace_of(row, operands, results) if results else 0)


def count_assignment(native: MetaArray, count: int) -> None:
    """Report the elements that an assignment writes."""
    ledger = current()
    if ledger is not None:
        ledger.add("assignment", 0, 2 * count * native.dtype.itemsize, 0)


class _InPlace:
    """In-place operators, which allocate nothing."""

    def __getattr__(self, name: str) -> Any:
        row = TABLE.get(name)
        if row is None or row.inplace is None:
            raise AttributeError(name)

        def write(x1: MetaArray, x2: Any) -> MetaArray:
            with opened(Ledger()) as inside:
                result = device("meta").table[row.index].function(x1, x2)
            if not np.can_cast(result.dtype, x1.dtype, "same_kind") and kind_of(x1.dtype) != kind_of(result.dtype):
                raise TypeError(f"cannot cast the result's dtype {result.dtype} to {x1.dtype} in place")
            if result.shape != x1.shape:
                raise ValueError(f"cannot write a result of shape {result.shape} into shape {x1.shape} in place")
            ledger = current()
            if ledger is not None:
                ledger.add(row.name, inside.operations, inside.moved_bytes, 0)
            return x1

        return write


class _Large:
    """Functions that write over a temporary operand where those of ``cpu`` do."""

    def __getattr__(self, name: str) -> Any:
        row = TABLE.get(name)
        if row is None or row.kind != "elementwise":
            raise AttributeError(name)
        functions = device("cpu")._functions.kernels(row)
        if not functions:
            raise AttributeError(name)

        def write_over(*args: Any) -> Any:
            *operands, spare = args
            if spare is None or not _writes_over(functions, operands, spare):
                return NotImplemented
            with opened(Ledger()) as inside:
                result = device("meta").table[row.index].function(*operands)
            if result is NotImplemented or (result.shape, result.dtype) != (spare.shape, spare.dtype):
                return NotImplemented
            ledger = current()
            if ledger is not None:
                ledger.add(row.name, inside.operations, inside.moved_bytes, 0)
            return spare

        write_over.min_size = min([item.min_size for item in functions])  # type: ignore[attr-defined]
        write_over.only_writes_over = True  # type: ignore[attr-defined]
        return write_over


def _writes_over(functions: list[Any], operands: list[Any], spare: MetaArray) -> bool:
    """Whether the first function that takes the operands writes over one of them."""
    layouts = [x.value if x.__class__ is MetaArray else x for x in operands]
    size = next(x.size for x in operands if x.__class__ is MetaArray)
    for function in functions:
        asked = getattr(function, "writes_over", None)
        if size >= function.min_size:
            answer = False if asked is None else asked(layouts, spare.value)
            if answer is not None:
                return bool(answer)
    return False
