"""A device's functions: for each operation of the table, one record of what computes it there.

The order is: the overlay's kernel, the library's function (corrected where its backend names a correction), the
composition of other operations. The first one that does not return NotImplemented computes. The choice is made once, at
an operation's first call on the device; from then on a call goes to the chosen function directly. Operands of many
elements go to a kernel of their own first, where the device has one.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable
from functools import partial, wraps
from types import BuiltinFunctionType, MethodDescriptorType
from typing import Any

import numpy as np

from . import operations
from .backend import Backend, Native, Provider
from .corrections import CORRECTIONS
from .dtypes import can_cast, in_float32
from .errors import WrittenWithWarningError
from .fp_warnings import collected, rewarn
from .implementation import Function, Implementation, not_implemented
from .operations import TABLE, Operation, watch

__all__ = ["Functions"]

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


KINDS_OF_KERNELS = ("linear algebra", "manipulation", "reduction", "scan")
"""Kinds of operations whose kernels take the arguments of the operation's function."""


class Functions:
    """The implementations of every operation on one device.

    Attributes
    ----------
    table
        The implementation of each operation, by the operation's index.
    namespace
        The chosen functions by name, for compositions and corrections.
    missing
        The ImportError of an optional library that would have provided a function, once there was one.
    observer
        A function that is called with each operation that is added later; None without one.
    """

    def __init__(self, provider: Provider, spec: str) -> None:
        library, storage_spec = provider.storage(spec)
        unknown = set(library.corrections) - set(CORRECTIONS)
        if unknown:
            raise ValueError(
                f"backend {library.name!r} names corrections that do not exist: {sorted(unknown)}; "
                f"there are {sorted(CORRECTIONS)}"
            )
        self.missing: ImportError | None = None
        self._library: Backend = library
        self._source = library.namespace(storage_spec)
        self._kernels = dict(provider.kernels(spec))
        self.namespace = Chapter(
            self,
            "",
            **{name: Chapter(self, f"{name}.") for name in ("linalg", "fft", "special", "nn", "random")},
            getitem=library.getitem,
            default_float=np.dtype(library.default_float(storage_spec)),
            default_integer=np.dtype(library.default_integer(storage_spec)),
            dtypes=frozenset(library.dtypes(storage_spec)),
        )
        self.table: list[Implementation] = []
        self._by_size: dict[int, Function] = {}
        self.observer: Callable[[Operation], None] | None = None
        watch(self)

    def extend(self, operation: Operation) -> None:
        """Add the implementation of a new operation; its first calls choose the functions."""

        def first_call(*args: Any, **kwargs: Any) -> Any:
            function = self.choose(operation)
            if operation.takes_arrays:
                return function(*args, **kwargs)
            if "warn" not in np.geterr().values():
                return function(*args, **kwargs)
            result, issued = collected(function, *args, **kwargs)
            rewarn(*issued)  # with this function between them, NumPy would name its line as the user's
            return result

        def first_write(x1: Native, x2: Native) -> Native:
            function = implementation.inplace = self._inplace(operation)
            written, issued = collected(function, x1, x2)
            if issued:
                raise WrittenWithWarningError(written, *issued)
            return written

        def first_kernel(*operands: Any, **options: Any) -> Any:
            kernels = self.kernels(operation)
            computing = [kernel for kernel in kernels if not getattr(kernel, "only_writes_over", False)]
            implementation.kernel = _chain(kernels)
            implementation.min_size = min([kernel.min_size for kernel in kernels], default=sys.maxsize)
            implementation.min_size_without_reuse = min([kernel.min_size for kernel in computing], default=sys.maxsize)
            if not any(elements_of(x) >= implementation.min_size for x in operands):
                return NotImplemented
            return implementation.kernel(*operands, **options)

        gap = operation.index - len(self.table)  # operations that were removed
        self.table += [Implementation(not_implemented, not_implemented, not_implemented, None) for _ in range(gap)]
        inplace_kernel = self._kernels.get(f"large.inplace.{operation.name}")
        implementation = Implementation(first_call, first_write, first_kernel, inplace_kernel)
        self.table.append(implementation)
        if self.observer is not None:
            self.observer(operation)

    def choose(self, operation: Operation) -> Function:
        """Return the function that computes an operation here, and put it into the table.

        A look-up may import a library; a fork waits for it, as for the opening of a device.
        """
        TABLE.get(operation.name)  # an operator names its operation before the module is imported that declares it
        with operations.lock:
            return self._choose(operation)

    def choose_by_size(self, operation: Operation) -> Function:
        """Return a function that asks an operation's kernel where operands are large, as the public function does.

        It asks those that take the function's arguments; kernels of elementwise operations also take an array to write
        over. Each call returns the same function, so that equal calls are found equal.
        """
        if operation.index in self._by_size:
            return self._by_size[operation.index]
        function = self.choose(operation)
        if operation.kind not in KINDS_OF_KERNELS or not self.kernels(operation):
            return self._by_size.setdefault(operation.index, function)
        implementation = self.table[operation.index]

        @wraps(function)
        def compute(*operands: Any, **options: Any) -> Any:
            if elements_of(operands[0]) >= implementation.min_size:
                result = implementation.kernel(*operands, **options)
                if result is not NotImplemented:
                    return result
            return function(*operands, **options)

        return self._by_size.setdefault(operation.index, compute)

    def _choose(self, operation: Operation) -> Function:
        choices = self.implementations(operation)
        if operation.takes_arrays:
            function = self.table[operation.index].function = _chain(choices)
            return function
        declines = self._library.may_decline or self._look_up(operation.name) is None
        if declines and operation.declared and operation.composition is not None:
            choices.append(self._computing(operation, partial(operation.composition, self.namespace)))
        function = _chain(choices)
        self.table[operation.index].function = function
        return function

    def provides(self, name: str) -> bool:
        """Whether the device has its own implementation of an operation: a kernel, or a function of its library."""
        if self._kernels.get(name) is not None:
            return True
        return (self._defined if TABLE[name].takes_arrays else self._look_up)(name) is not None

    def implementations(self, operation: Operation) -> list[Function]:
        """Return the device's own implementations of an operation in the order in which they are asked."""
        name = operation.name
        kernel = self._kernels.get(name)
        function = self._defined(name) if operation.takes_arrays else self._look_up(name)
        if function is not None:
            if name in self._library.corrections:
                function = CORRECTIONS[name](self.namespace, function)
            if not operation.takes_arrays:
                function = self._computing(operation, function)
        return [item for item in (kernel, function) if item is not None]

    def _computing(self, operation: Operation, function: Function) -> Function:
        """A function that computes extension dtypes in float32, where the backend leaves that to the core."""
        computes = operation.computes and operation.name not in ("nextafter", "spacing")  # the distance of two numbers
        if not self._library.widens_bfloat16 or not (computes or operation.only_promotes):
            return function
        widening = in_float32(function, only_promotes=operation.only_promotes)
        return _chain([function, widening]) if getattr(function, "takes_bfloat16", False) else widening

    def _look_up(self, path: str) -> Function | None:
        """The library's function of a name; None where it has none, or the optional library that has it is missing."""
        attribute = self._source
        try:
            for part in path.split("."):
                attribute = getattr(attribute, part, None)
                if attribute is None:
                    return None
        except ImportError as error:
            self.missing = error
            return None
        return attribute  # type: ignore[no-any-return]

    def _defined(self, path: str) -> Function | None:
        """The function that the library's namespace itself defines for an operation that has a composition of Arrays.

        A name that the namespace only forwards to its library (by ``__getattr__``) does not count: that function may
        have other dtypes or other values than ours. The namespace of a transform answers for every operation.
        """
        if self._library.sees_compositions:
            return self._look_up(path)
        attribute = self._source
        for part in path.split("."):
            if inspect.getattr_static(attribute, part, None) is None:
                return None
            attribute = getattr(attribute, part)
        return attribute  # type: ignore[no-any-return]

    def kernels(self, operation: Operation) -> list[Any]:
        """Return the functions for large operands: a kernel, and the library's where it is not corrected."""
        name = f"large.{operation.name}"
        candidates = [
            self._kernels.get(name),
            None if operation.name in self._library.corrections else self._look_up(name),
        ]
        return [item for item in candidates if item is not None]

    # -- in-place operators -------------------------------------------------------------------------------------------

    def _inplace(self, operation: Operation) -> Function:
        """The in-place operator of an operation: a kernel, the library's, or the function and an assignment."""
        name, library = operation.name, self._library
        TABLE.get(name)  # see choose
        candidates = [self._kernels.get(f"inplace.{name}"), self._look_up(f"inplace.{name}")]
        native: Function = getattr(operator, str(operation.inplace))
        composed = self._computed_and_assigned(operation)
        immutable = not hasattr(library.native_type, f"__{operation.inplace}__")
        if name in library.composed_inplace or name in library.corrections or immutable:
            candidates.append(composed)
        elif name == "pow" or library.widens_bfloat16:
            # An integer to a negative power raises half-way: the operand must not be written to by then.
            compute_first = "iu" * (name == "pow") + "V" * library.widens_bfloat16
            candidates.append(lambda x1, x2: composed(x1, x2) if x1.dtype.kind in compute_first else native(x1, x2))
        else:
            candidates.append(native)
        return _chain([item for item in candidates if item is not None])

    def _computed_and_assigned(self, operation: Operation) -> Function:
        def compute_and_assign(x1: Native, x2: Native) -> Native:
            function, warning = self.table[operation.index].function, None
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


def elements_of(operand: Any) -> int:
    """Return the number of elements of an array, or of the arrays of a list; 0 of anything else."""
    if isinstance(operand, (list, tuple)):
        return sum([getattr(x, "size", 0) for x in operand])
    return getattr(operand, "size", 0)


def _chain(functions: list[Function]) -> Function:
    """One function that asks several in turn, until one does not return NotImplemented."""
    if not functions:
        return not_implemented
    first, *rest = functions
    if not rest or isinstance(first, COMPILED):
        return first
    following = _chain(rest)

    @wraps(first)
    def asking(*args: Any, **kwargs: Any) -> Any:
        result = first(*args, **kwargs)
        return following(*args, **kwargs) if result is NotImplemented else result

    return asking
