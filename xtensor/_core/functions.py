"""A device's functions: for each operation of the table, the implementations in the order in which they are asked.

The order is: the overlay's kernel, the library's function (corrected where its backend names a correction), the
composition of other operations. The first one that does not return NotImplemented computes. The choice is made once, at
an operation's first call on the device; from then on a call goes to the chosen function directly.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial, wraps
from types import BuiltinFunctionType, MethodDescriptorType
from typing import Any, TypeAlias

import numpy as np

from . import operations
from .backend import Backend, Native, Provider
from .corrections import CORRECTIONS
from .dtypes import can_cast, in_float32
from .errors import WrittenWithWarningError
from .operations import TABLE, Operation, watch
from .reports import collected

__all__ = ["Functions"]

Function: TypeAlias = Callable[..., Any]

COMPILED = (np.ufunc, BuiltinFunctionType, MethodDescriptorType)
"""Classes of functions written in C, which never return NotImplemented."""


class Chapter:
    """A device's functions as attributes, by the operations' names: the ``xp`` of compositions and corrections.

    The main chapter has the attributes ``linalg``, ``fft``, ``special``, ``nn`` and ``random``, which are chapters;
    ``getitem``, which indexes with every key of the contract; ``default_float`` and ``default_integer``, the device's
    default dtypes; and ``dtypes``, the names of all dtypes that it supports.
    """

    def __init__(self, functions: Functions, prefix: str, **attributes: Any) -> None:
        self._functions = functions
        self._prefix = prefix
        vars(self).update(attributes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        operation = TABLE.get(self._prefix + name)
        if operation is None:
            raise AttributeError(f"there is no operation {self._prefix + name!r}")
        function = self._functions.choose(operation)
        setattr(self, name, function)
        return function


class Functions:
    """The implementations of every operation on one device.

    Attributes
    ----------
    table
        The chosen function of each operation, by the operation's index.
    inplace
        The chosen in-place operator of each operation, by the operation's index.
    for_large
        The chosen function of each operation for operands of many elements, by the operation's index.
    fewest
        The number of elements from which that function is asked, by the operation's index.
    fewest_kept
        The number of elements from which it is asked although no operand may be written over. It is larger where one
        of the functions does nothing but write over an operand.
    large_inplace, fewest_inplace
        The same for in-place operators: a kernel that writes over its first operand, or returns NotImplemented.
    namespace
        The chosen functions by name, for compositions and corrections.
    missing
        The ImportError of an optional library that would have provided a function, once there was one.
    """

    def __init__(self, provider: Provider, spec: str) -> None:
        library, place = provider.storage(spec)
        unknown = set(library.corrections) - set(CORRECTIONS)
        if unknown:
            raise ValueError(
                f"backend {library.name!r} names corrections that do not exist: {sorted(unknown)}; "
                f"there are {sorted(CORRECTIONS)}"
            )
        self.missing: ImportError | None = None
        self._library: Backend = library
        self._source = library.namespace(place)
        self._kernels = dict(provider.kernels(spec))
        self.namespace = Chapter(
            self,
            "",
            **{name: Chapter(self, f"{name}.") for name in ("linalg", "fft", "special", "nn", "random")},
            getitem=library.getitem,
            default_float=np.dtype(library.default_float(place)),
            default_integer=np.dtype(library.default_integer(place)),
            dtypes=frozenset(library.dtypes(place)),
        )
        self.table: list[Function] = []
        self.inplace: list[Function] = []
        self.for_large: list[Function] = []
        self.fewest: list[int] = []
        self.fewest_kept: list[int] = []
        self.large_inplace: list[Function] = []
        self.fewest_inplace: list[int] = []
        watch(self)

    def extend(self, operation: Operation) -> None:
        """Give a new operation its places in the tables; its first call there chooses the implementation."""

        def first_call(*args: Any, **kwargs: Any) -> Any:
            return self.choose(operation)(*args, **kwargs)

        def first_write(x1: Native, x2: Native) -> Native:
            function = self.inplace[operation.index] = self._inplace(operation)
            written, issued = collected(function, x1, x2)
            if issued:
                raise WrittenWithWarningError(written, *issued)
            return written

        def first_large(*operands: Any, **options: Any) -> Any:
            found = self._for_large(operation)
            self.for_large[operation.index] = _chain(found)
            kernels = [function for function in found if not getattr(function, "only_writes_over", False)]
            self.fewest[operation.index] = min([function.fewest for function in found], default=sys.maxsize)
            self.fewest_kept[operation.index] = min([function.fewest for function in kernels], default=sys.maxsize)
            if not any(getattr(x, "size", 0) >= self.fewest[operation.index] for x in operands):
                return NotImplemented
            return self.for_large[operation.index](*operands, **options)

        gap = operation.index - len(self.table)  # rows that were removed
        self.table += [*[_missing] * gap, first_call]
        self.inplace += [*[_missing] * gap, first_write]
        self.for_large += [*[_missing] * gap, first_large]
        self.fewest += [*[sys.maxsize] * gap, 0]
        self.fewest_kept += [*[sys.maxsize] * gap, 0]
        writing = self._kernels.get(f"large.inplace.{operation.name}")
        self.large_inplace += [*[_missing] * gap, writing or _missing]
        self.fewest_inplace += [*[sys.maxsize] * gap, getattr(writing, "fewest", sys.maxsize)]

    def choose(self, operation: Operation) -> Function:
        """Return the function that computes an operation here, and put it into the table.

        A look-up may import a library; a fork waits for it, as for the opening of a device.
        """
        with operations.lock:
            return self._choose(operation)

    def _choose(self, operation: Operation) -> Function:
        found = self.implementations(operation)
        declines = self._library.may_decline or self._look_up(operation.name) is None
        if declines and operation.declared and operation.composition is not None:
            found.append(self._computing(operation, partial(operation.composition, self.namespace)))
        function = _chain(found)
        self.table[operation.index] = function
        return function

    def provides(self, name: str) -> bool:
        """Whether the device has its own implementation of an operation: a kernel, or a function of its library."""
        return self._kernels.get(name) is not None or self._look_up(name) is not None

    def implementations(self, operation: Operation) -> list[Function]:
        """Return the device's own implementations of an operation in the order in which they are asked."""
        name = operation.name
        kernel = self._kernels.get(name)
        function = self._look_up(name)
        if function is not None:
            if name in self._library.corrections:
                function = CORRECTIONS[name](self.namespace, function)
            function = self._computing(operation, function)
        return [item for item in (kernel, function) if item is not None]

    def _computing(self, operation: Operation, function: Function) -> Function:
        """A function that computes bfloat16 operands in float32, where the backend leaves that to the core."""
        computes = operation.computes and operation.name != "nextafter"  # whose result depends on the dtype's digits
        if not self._library.widens_bfloat16 or not (computes or operation.only_promotes):
            return function
        return in_float32(function, only_promotes=operation.only_promotes)

    def _look_up(self, path: str) -> Function | None:
        """The library's function of a name; None where it has none, or the optional library that has it is missing."""
        found = self._source
        try:
            for part in path.split("."):
                found = getattr(found, part, None)
                if found is None:
                    return None
        except ImportError as error:
            self.missing = error
            return None
        return found  # type: ignore[no-any-return]

    def _for_large(self, operation: Operation) -> list[Any]:
        """The functions for operands of many elements: a kernel, and the library's where it is not corrected."""
        name = f"large.{operation.name}"
        found = [self._kernels.get(name), None if operation.name in self._library.corrections else self._look_up(name)]
        return [item for item in found if item is not None]

    # -- in-place operators -------------------------------------------------------------------------------------------

    def _inplace(self, operation: Operation) -> Function:
        """The in-place operator of an operation: a kernel, the library's, or the function and an assignment."""
        name, library = operation.name, self._library
        found = [self._kernels.get(f"inplace.{name}"), self._look_up(f"inplace.{name}")]
        native: Function = getattr(operator, str(operation.inplace))
        composed = self._computed_and_assigned(operation)
        immutable = not hasattr(library.native_type, f"__{operation.inplace}__")
        if name in library.composed_inplace or name in library.corrections or immutable:
            found.append(composed)
        elif name == "pow" or library.widens_bfloat16:
            # An integer to a negative power raises half-way: the operand must not be written to by then.
            compute_first = "iu" * (name == "pow") + "V" * library.widens_bfloat16
            found.append(lambda x1, x2: composed(x1, x2) if x1.dtype.kind in compute_first else native(x1, x2))
        else:
            found.append(native)
        return _chain([item for item in found if item is not None])

    def _computed_and_assigned(self, operation: Operation) -> Function:
        def compute_and_assign(x1: Native, x2: Native) -> Native:
            function, warning = self.table[operation.index], None
            try:
                result = function(x1, x2)
            except RuntimeWarning as error:  # issued after the assignment
                warning = error.with_traceback(None)  # the traceback has this frame, which has the warning: a cycle
                with np.errstate(all="ignore"):
                    result = function(x1, x2)
            if not can_cast(result.dtype, x1.dtype, "same_kind"):
                raise TypeError(f"cannot cast the result's dtype {result.dtype} to {x1.dtype} in place")
            if result.shape != x1.shape:
                raise ValueError(f"cannot write a result of shape {result.shape} into shape {x1.shape} in place")
            written = self._library.setitem(x1, ..., result)
            if warning is not None:
                raise WrittenWithWarningError(written, warning)
            return written

        return compute_and_assign


def _missing(*args: Any, **kwargs: Any) -> Any:
    """The function of an operation that nothing implements."""
    return NotImplemented


def _chain(functions: list[Function]) -> Function:
    """One function that asks several in turn, until one does not return NotImplemented."""
    if not functions:
        return _missing
    first, *rest = functions
    if not rest or isinstance(first, COMPILED):
        return first
    following = _chain(rest)

    @wraps(first)
    def asking(*args: Any, **kwargs: Any) -> Any:
        result = first(*args, **kwargs)
        return following(*args, **kwargs) if result is NotImplemented else result

    return asking
