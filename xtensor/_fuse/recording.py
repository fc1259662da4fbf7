"""Recording: a device that computes with another device's arrays and writes down what it did.

A function is recorded while it runs with the values of a call, so that its errors are those of a call that is not
fused. Its operations become nodes of a graph. What depends on values that a later call may change, such as ``if x >
0``, raises.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.corrections import short_power
from .._core.device import Device, intern
from .._core.dtypes import DType
from .._core.implementation import not_implemented
from .._core.indexing import ASSIGNED_WHERE
from .._core.kernel_program import Generator
from .._core.operations import REDUCTIONS, TABLE, Operation, operation
from .._core.reduction_corrections import REDUCTION_CORRECTIONS
from .._core.rescaling import host_looks_at
from .._core.tracer import Tracer, at_caller
from .._core.tracing_errors import Number, UnknownValueError, unknown
from .._core.trees import leaves_of, mapped
from .guards import memory_of
from .nodes import Node, Session, Traced, exponent_of, session, with_item
from .watching import pause_reports, resume_reports

__all__ = ["Recorder", "recorder_of", "recorders"]

FUSED_COMPOSITIONS = frozenset(("elementwise", "reduction", "special", "network"))
"""The kinds of operations that are recorded as the operations that they are composed of."""

IN_MEMORY = frozenset(("array", "constant", "outside", "result"))
"""The kinds of nodes whose values a replay has in memory in any case."""

ASTYPE = operation("astype")

LARGEST_CONSTANT = 2**20
"""Bytes of a result of constants that a recording computes once; a larger one is computed by each call."""

LARGEST_OPERANDS = 2**22
"""Bytes of operands up to which a recording computes by the device's kernels."""


class Recorder:
    """Records what is computed with the arrays of one device.

    The nodes of a graph are reached from its results; the rest of a recording is in its :class:`Session`.

    Attributes
    ----------
    base
        The device whose arrays the values are.
    generator
        That device's generator of kernels.
    device
        The device that records.
    """

    def __init__(self, base: Device, generator: Generator) -> None:
        self.base, self.generator = base, generator
        self._resolved = lru_cache(maxsize=4096)(partial(_resolved, generator))
        self.library = Recording(base, self)
        self.device = self.library.device = intern(self.library, base._spec)  # of the base's name

    def array(self, value: Native, index: int) -> Traced:
        """Return an argument as an array of the recording device."""
        return Traced(value, Node("array", "", (), index, value.shape, value.dtype))

    def constant(self, value: Native) -> Traced:
        """Return an array that is the same in each call; the function may write to it."""
        return Traced(value, Node("constant", "", (), self.copied(value), value.shape, value.dtype))

    def outside(self, value: Native) -> Traced:
        """Return an array from outside, whose elements may change between calls."""
        return Traced(value, Node("outside", "", (), value, value.shape, value.dtype))

    def copied(self, value: Native) -> Native:
        """Return a copy of a native array of the base device."""
        return self.base.table[ASTYPE.index].function(value, value.dtype, copy=True)

    def compute(self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Compute an operation's result and record it, while no calls are reported: it calls no function of a user."""
        reported = pause_reports()
        try:
            return self._compute(operation, operands, options)
        finally:
            resume_reports(reported)

    def _compute(self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        name = operation.name
        if operation is ASSIGNED_WHERE:  # writes to its operand: its callers record an assignment instead
            return NotImplemented
        leaves = leaves_of((operands, options) if options else operands)
        given = [item for item in leaves if item.__class__ is Traced or item.__class__ is Number]
        traced = any(operand.__class__ is Traced or operand.__class__ is Number for operand in operands)
        if traced or operation.takes_arrays:
            known = self._known(operation, operands, options, given)
            if known is not None:
                return known
        if operation.takes_arrays:
            return self._implemented(operation, operands, options, given)
        if not given:
            result = self.base.table[operation.index].function(*operands, **options)
            return (
                result
                if result is NotImplemented
                else mapped(result, lambda item: self.constant(self.library.normal(item)))
            )
        if not options and traced and operation.kind in ("elementwise", "special", "searching"):
            recorded = self._step(operation, operands)
            if recorded is not None:
                return recorded
        if name == "astype" and options.get("copy", True) is not None:
            x, dtype = operands[0], np.dtype(operands[1] if len(operands) > 1 else options["dtype"])
            if options.get("copy") is False and dtype == x.dtype:
                return x
            value = self.base.table[operation.index].function(x.value, dtype, copy=True)
            if self.supported(x.dtype) and self.supported(dtype):
                return Traced(value, Node("step", "astype", (x.node,), (x.dtype,), value.shape, value.dtype))
        reduces_elements = name in REDUCTIONS and not REDUCTIONS[name].of_truth
        if reduces_elements and len(operands) == 1 and self.supported(operands[0].dtype):
            return self._reduction(operation, operands[0], options)
        if name in self.generator.called:
            for function in self.base._functions.implementations(operation):
                result = self.call(function, name, operands, options)
                if result is not NotImplemented:
                    return result
        composition = operation.composition if operation.kind in FUSED_COMPOSITIONS else None
        if composition is not None:
            try:
                result = self._composed(name, composition, operands, options)
            except (UnknownValueError, NotImplementedError):
                result = NotImplemented  # it looks at values
            if result is not NotImplemented:
                return result
        return self._operation(operation, operands, options)

    def _known(
        self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any], given: Sequence[Any]
    ) -> Any:
        """Return the result of constants, or the operand that a constant condition selects; None for others.

        ``given`` are the arrays and numbers of the recording among the arguments.
        """
        if operation.name == "where" and _selects_all(self.base._library, *operands):
            return Traced(self.copied(operands[1].value), operands[1].node)
        if any(item.__class__ is Number or item.node.kind != "constant" for item in given):
            return None
        function = self.base._functions.choose(operation)
        if operation.name == "broadcast_to" and operands[0].__class__ is Traced:
            # A view of the recording's own copy, which takes no memory and no time of a kernel that reads it.
            view = self.library.normal(function(operands[0].node.options, *operands[1:], **options))
            return Traced(view, Node("constant", "", (), view, view.shape, view.dtype))
        result = function(*_unwrapped(operands), **_unwrapped(options))
        if not hasattr(result, "dtype"):
            return None
        value = self.library.normal(result)
        if value.size * value.dtype.itemsize > max(LARGEST_CONSTANT, sum([x.size * x.dtype.itemsize for x in given])):
            return None
        return self.constant(value)

    def _implemented(
        self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any], given: Sequence[Any]
    ) -> Any:
        """Record the call of the device's own implementation of a function that is composed of others.

        NotImplemented where the composition is recorded: without an implementation, for one that writes to its
        argument, for numbers of a recording, and where the result is no array.
        """
        function = self.base._functions.choose(operation)
        if function is not_implemented or operation.kind == "assignment":
            return NotImplemented
        if not given or any(item.__class__ is Number for item in given):
            return NotImplemented
        result = function(*_unwrapped(operands), **_unwrapped(options))
        if result is NotImplemented or not all(hasattr(item, "dtype") for item in leaves_of(result)):
            return NotImplemented
        return self._called(result, function, operation.name, operands, options)

    def _composed(
        self, name: str, composition: Callable[..., Any], operands: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Record the operations of a composition, with the check of a reduction that the device corrects."""
        current, reduction = session.get(), REDUCTION_CORRECTIONS.get(name)
        earlier = [] if current is None else current.assumed[:]
        result = composition(self.device._functions.namespace, *operands, **options)
        if reduction is not None and current is not None and host_looks_at(self.base):
            check = reduction.check(operands[0], options)
            x = [operands[0].node] if operands[0].node.kind in IN_MEMORY else []
            # It covers the reductions within.
            current.assumed[:] = earlier if check is None else [*earlier, (check, [result.node, *x])]
        return result

    def supported(self, dtype: DType) -> bool:
        """Whether kernels compute with a dtype."""
        return self._resolved("equal", (dtype, dtype)) is not None

    def _step(self, operation: Operation, operands: tuple[Any, ...]) -> Traced | None:
        """Record an elementwise operation; None where no kernel computes it."""
        name = operation.name
        if name == "pow":
            x, exponent = operands = operands[0], exponent_of(operands[1])
            short = short_power(x, exponent)
            if short is not None:
                return self._step(TABLE[short], (x,))
            if exponent.__class__ in (int, float) and exponent in (3, 4) and x.dtype.kind == "f":
                square = self._step(TABLE["square"], (x,))
                return self._step(TABLE["multiply"], (square, x if exponent == 3 else square))
        kinds = tuple(
            [
                operand.dtype
                if operand.__class__ is Traced
                else operand.value.__class__
                if operand.__class__ is Number
                else operand.__class__
                for operand in operands
            ]
        )
        resolved = self._resolved(name, kinds)
        if resolved is None:
            return None
        values = [x.value if x.__class__ is Traced or x.__class__ is Number else x for x in operands]
        with np.errstate(all="ignore"):
            value = self.base.table[operation.index].function(*values)
        if value is NotImplemented:
            return None
        value = self.library.normal(value)
        nodes = tuple([x.node if x.__class__ is Traced else x for x in operands])
        return self._traced(value, Node("step", name, nodes, resolved[0], value.shape, value.dtype), operands)

    def _reduction(self, operation: Operation, x: Traced, options: dict[str, Any]) -> Any:
        options = {key: option for key, option in options.items() if option is not None or key == "axis"}
        value = self.library.normal(self.base.table[operation.index].function(x.value, **options))
        axis = options.get("axis")
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        chosen = tuple(sorted([number % x.ndim for number in axes])) if x.ndim else ()
        if not chosen or not self.supported(value.dtype):
            return self._operation(operation, (x,), options)
        if value.dtype != x.dtype:
            x = Traced(x.value, Node("step", "astype", (x.node,), (x.dtype,), x.shape, value.dtype))
        keepdims = bool(options.get("keepdims", False))
        node = Node("reduction", operation.name, (x.node,), (chosen, keepdims), value.shape, value.dtype)
        return Traced(value, node)

    def _operation(self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call the device's function of an operation, and record the call of its kernel where operands are large.

        NumPy's own products of matrices leave threads that wait for work on the cores of the next calls' kernels. But
        what kernels make of very large operands would stay in the memory that they keep.
        """
        functions = self.base._functions
        function = functions.choose_by_size(operation)
        sizes = [x.size * x.dtype.itemsize for x in operands if x.__class__ is Traced]
        if sum(sizes) <= LARGEST_OPERANDS:
            return self.call(function, operation.name, operands, options)
        result = functions.choose(operation)(*_unwrapped(operands), **_unwrapped(options))
        return result if result is NotImplemented else self._called(result, function, operation.name, operands, options)

    def call(self, function: Callable[..., Any], name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function of the library and record the call."""
        result = function(*_unwrapped(operands), **_unwrapped(options))
        return result if result is NotImplemented else self._called(result, function, name, operands, options)

    def _called(
        self, result: Any, function: Callable[..., Any], name: str, operands: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Record the call that gave a result."""
        call = Node("call", name, (function, _noded(operands), _noded(options), ()), None, None, None)
        arrays = [item for item in leaves_of((operands, options)) if item.__class__ is Traced]
        results = self._results(result, call, (), arrays)
        current = session.get()
        if current is not None and current.lines is not None:
            current.lines[call] = at_caller().removeprefix(" at ")
        if current is not None and _varies(name, arrays):
            current.shapes += [item._node for item in leaves_of(results)]
        return results

    def draw(self, function: Callable[..., Any], name: str, operands: Any, options: Any, session: Session) -> Any:
        """Call a function that changes a generator of random numbers, and record the call among the others in order."""
        result = function(*_unwrapped(operands), **_unwrapped(options))
        before = tuple(session.effects[-1:])
        call = Node("call", name, (function, _noded(operands), _noded(options), before), None, None, None)
        session.effects.append(call)
        return self._results(result, call, (), [])

    def _results(self, result: Any, call: Node, path: tuple[Any, ...], operands: Collection[Any]) -> Any:
        if isinstance(result, (tuple, list)):
            items = [self._results(item, call, (*path, number), operands) for number, item in enumerate(result)]
            return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
        value = self.library.normal(result)
        return self._traced(value, Node("result", call.name, (call,), path, value.shape, value.dtype), operands)

    def _traced(self, value: Native, node: Node, operands: Collection[Any]) -> Traced:
        """Return a result, as a view of the operand whose memory it has."""
        arrays = [x for x in operands if x.__class__ is Traced]
        may_share = getattr(value, "base", None) is not None or hasattr(value, "block")
        if may_share or any(x.value is value for x in arrays):
            memory = memory_of(value)
            for x in arrays:
                if memory_of(x.value) is memory:
                    root = x if x.root is None else x.root
                    return Traced(value, node, root, x.path if value is x.value else None)
        return Traced(value, node)

    def write(self, native: Traced, key: Any, value: Any) -> Traced:
        """Write to an array, and record the new elements of the array that owns the memory."""
        root = native if native.root is None else native.root
        origin = root._node.kind
        if origin == "array":
            raise UnknownValueError(
                "a function of xtensor.fuse cannot write to its arguments"
                f"{at_caller()}; compute a new array, or copy the argument first: x = x.copy()"
            )
        if origin == "outside":
            raise UnknownValueError(
                f"a function of xtensor.fuse cannot write to arrays from outside{at_caller()}; pass the array as an "
                "argument, and return a new one"
            )
        if native.path is None:
            raise UnknownValueError(
                f"a function of xtensor.fuse cannot write to a view that {native._node.name}() made{at_caller()}; "
                "index the array itself, or copy the view first: x = x.copy()"
            )
        whole = native.root is None and key is Ellipsis and value.__class__ is Traced and value.shape == native.shape
        if whole and value.dtype != native.dtype:
            value = self.compute(ASTYPE, (value, native.dtype), {"copy": True})
        arguments = root.node, native.path, _noded(key), _noded(value)
        selected = None if whole else self._selected(native, key, value)
        written = self.library.below._library.setitem(native.value, _unwrapped(key), _unwrapped(value))
        if written is not native.value:
            native.value = written  # of a library whose arrays are immutable, which have no views
        if whole:
            root._node = arguments[-1]
        elif selected is not None:
            root._node = selected.node
        else:
            call = Node("call", "__setitem__", (with_item, arguments, {}, ()), None, None, None)
            root._node = Node("result", "__setitem__", (call,), (), root.shape, root.dtype)
        root.writes += 1
        return native

    def _selected(self, native: Traced, key: Any, value: Any) -> Traced | None:
        """Return what an array is after one number is written where a mask is true; None for other assignments.

        A kernel computes it, together with the operations before and after.
        """
        if native.root is not None or key.__class__ is not Traced or not native.shape:
            return None
        if key.dtype.kind != "b" or key.shape != native.shape:
            return None
        if value.__class__ is Traced:
            if value.shape:
                return None
            if value.dtype != native.dtype:
                value = self.compute(ASTYPE, (value, native.dtype), {"copy": True})
        elif value.__class__ not in (int, float) or native.dtype.kind != "f":
            return None
        return self._step(TABLE["where"], (key, value, native))


def _resolved(
    generator: Generator, name: str, kinds: tuple[DType | type, ...]
) -> tuple[tuple[DType, ...], DType] | None:
    """Return the dtypes to which a kernel casts an operation's operands, and the result's; None without a kernel."""
    if not all(isinstance(kind, np.dtype) or kind in (bool, int, float) for kind in kinds):
        return None
    resolved = generator.resolve(name, kinds)
    if resolved is None:
        return None
    if any(dtype.kind == "b" and kind in (int, float) for kind, dtype in zip(kinds, resolved[0], strict=True)):
        return None  # kernels truncate scalars, and the truth of 0.5 is True
    return resolved


def _selects_all(library: Any, condition: Any, x: Any, y: Any) -> bool:
    """Whether a constant condition selects all elements of an array that has the result's shape, dtype and memory."""
    if condition.__class__ is not Traced or x.__class__ is not Traced or condition.node.kind != "constant":
        return False
    if x.root is not None or x.node.kind in ("array", "constant", "outside") or x.dtype.kind != "f":
        return False
    shapes = [condition.shape, x.shape]
    if y.__class__ is Traced and y.dtype == x.dtype:
        shapes.append(y.shape)
    elif y.__class__ is not int and y.__class__ is not float:
        return False
    return x.shape == np.broadcast_shapes(*shapes) and bool(library.to_host(condition.value).all())


def _varies(name: str, arrays: Sequence[Traced]) -> bool:
    """Whether the shapes of results may depend on values: those of masks and of counts among the arguments, too."""
    row = TABLE.get(name)
    if row is None or row.name == "repeat":
        return any(array.dtype.kind in "bi" for array in arrays[1:])
    return row.takes_arrays or row.shape == "data-dependent"


def _unwrapped(tree: Any) -> Any:
    """Return nested arguments with the values of this call."""
    return mapped(tree, lambda item: item.value if item.__class__ in (Traced, Number) else item)


def _noded(tree: Any) -> Any:
    """Return nested arguments with nodes."""
    return mapped(tree, lambda item: item.node if item.__class__ is Traced else item)


class Recording(Tracer):
    """The library of a recording device: a transform that stands on another device, and records each call."""

    sees_compositions = True

    def __new__(cls, base: Device, recorder: Recorder | None = None) -> Recording:
        return object.__new__(cls) if recorder is not None else recorders[base].library

    def __init__(self, base: Device, recorder: Recorder | None = None) -> None:
        if recorder is not None:
            super().__init__(base, base.backend)
            self._recorder = recorder

    @property
    def native_type(self) -> type:
        return Traced

    def function(self, operation: Operation) -> Callable[..., Any]:
        compute = self._recorder.compute
        return lambda *operands, **options: compute(operation, operands, options)

    def lift(self, native: Native) -> Native:
        current = session.get()
        if current is None or current.watch is None:
            return self._recorder.outside(native)
        if current.watch.outside(native):
            return self._recorder.outside(native)
        current.computed = current.computed or at_caller().removeprefix(" at ") or "an unknown line"
        return self._recorder.constant(self._recorder.copied(native))

    def assume(self, condition: Callable[..., Any], natives: Sequence[Any]) -> bool:
        current = session.get()
        if current is None:
            return False
        current.assumed.append((condition, [native.node for native in natives]))
        return True

    def read_layout(self) -> None:
        current = session.get()
        if current is not None:
            current.reads_layouts = True

    def lower(self, native: Native) -> Native:
        native._look("the elements of an array")

    def check_writable(self, native: Native) -> None:
        raise UnknownValueError(
            f"a function of xtensor.fuse cannot write to arrays from outside{at_caller()}; make the array on the "
            "device of the arguments (device=x.device), or pass it as an argument and return a new one"
        )

    def to_host(self, native: Native) -> Any:
        native._look("the elements of an array")

    def from_host(self, array: Any, spec: str, *, copy: bool | None) -> Native:
        base, current = self.below, session.get()
        value = base._library.from_host(array, base._backend_spec, copy=copy)
        if copy is not True and current is not None and current.watch is not None and current.watch.outside(array):
            return self._recorder.outside(value)
        return self._recorder.constant(self._recorder.copied(value))

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        raise unknown("an array of another library", "pass it as an argument")

    def getitem(self, native: Native, key: Any) -> Native:
        result = self._recorder.call(_getitem, "__getitem__", (native, key), {})
        if result.root is not None and native.path is not None:
            result.path = (*native.path, key)
        return result

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        return self._recorder.write(native, key, value)


def _getitem(native: Native, key: Any) -> Native:
    return native[key]


recorders: dict[Device, Recorder] = {}


def recorder_of(base: Device, generator: Generator) -> Recorder:
    """Return the recorder of a device, which there is one of."""
    recorder = recorders.get(base)
    if recorder is None:
        recorder = recorders.setdefault(base, Recorder(base, generator))
    return recorder
