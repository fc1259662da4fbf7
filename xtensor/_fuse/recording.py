"""Recording: a device that computes with another device's arrays and writes down what it did.

A function is recorded while it runs with the values of a call, so that its errors are those of a call that is not
fused. Its operations become nodes of a graph. What depends on values that a later call may change, such as ``if x >
0``, raises.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Never

import numpy as np

from .._core.backend import Backend, DeviceInfo, Memory, Native
from .._core.device import Device, intern
from .._core.dtypes import DType
from .._core.operations import TABLE, Operation
from .._core.programs import Generator, short_power
from .._core.trees import leaves_of, mapped
from .._core.unknowns import Number, UnknownValueError, unknown
from .._core.wrapping import ValueArray

__all__ = ["Node", "Recorder", "Traced", "recorder_of"]

REDUCTIONS = frozenset(("max", "min", "prod", "sum"))
"""The reductions that kernels compute."""

FUSED_COMPOSITIONS = frozenset(("elementwise", "reduction", "special", "network"))
"""The kinds of operations that are recorded as the operations that they are composed of."""


class Node:
    """A value of the graph.

    Attributes
    ----------
    kind
        ``"array"``, an argument; ``"constant"``, another array that the function uses; ``"step"``, an elementwise
        operation; ``"reduction"``; ``"call"``, any other function; ``"result"``, an array that a call returns.
    name
        The operation's name.
    operands
        The nodes it depends on; for a call, its arguments with nodes in them.
    options
        The keyword arguments of a call; axes and ``keepdims`` of a reduction; the value of a constant.
    shape, dtype
        Of the result; None for a number.
    """

    __slots__ = ("dtype", "kind", "name", "operands", "options", "shape")

    def __init__(
        self, kind: str, name: str, operands: Any, options: Any, shape: tuple[int, ...] | None, dtype: Any
    ) -> None:
        self.kind, self.name, self.operands, self.options = kind, name, operands, options
        self.shape, self.dtype = shape, dtype


class Traced(ValueArray):
    """A native array of a recording device: the value of this call, and its node."""

    __slots__ = ("node",)

    def __init__(self, value: Native, node: Node) -> None:
        self.value, self.node = value, node

    def _look(self, what: str) -> Never:
        raise unknown(what, "use xtensor.where instead of `if`, or compute it outside the function")

    def __bool__(self) -> bool:
        self._look("the truth of an array")

    def __int__(self) -> int:
        self._look("an array as int")

    def __float__(self) -> float:
        self._look("an array as float")

    def __complex__(self) -> complex:
        self._look("an array as complex")

    def __index__(self) -> int:
        self._look("an array as an index")


class Recorder:
    """Records what is computed with the arrays of one device.

    It has no state: the nodes of a graph are reached from its results.

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
        self.library = _Recording(self, base)
        self.device = intern(self.library, "fuse")

    def array(self, value: Native, index: int) -> Traced:
        """Return an argument as an array of the recording device."""
        return Traced(value, Node("array", "", (), index, value.shape, value.dtype))

    def constant(self, value: Native) -> Traced:
        """Return an array that is the same in each call."""
        return Traced(value, Node("constant", "", (), value, value.shape, value.dtype))

    def compute(self, operation: Operation, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Compute an operation's result and record it."""
        name = operation.name
        traced = any(operand.__class__ in (Traced, Number) for operand in operands)
        if not traced and not any(item.__class__ in (Traced, Number) for item in leaves_of((operands, options))):
            return self.constant(self.base.table[operation.index].function(*operands, **options))
        if not options and traced and operation.kind in ("elementwise", "special", "searching"):
            found = self._step(operation, operands)
            if found is not None:
                return found
        if name == "astype" and options.get("copy", True) is not None:
            x, dtype = operands[0], np.dtype(operands[1] if len(operands) > 1 else options["dtype"])
            value = self.base.table[operation.index].function(x.value, dtype, copy=True)
            if self.supported(x.dtype) and self.supported(dtype):
                return Traced(value, Node("step", "astype", (x.node,), None, value.shape, value.dtype))
        if name in REDUCTIONS and len(operands) == 1 and self.supported(operands[0].dtype):
            return self._reduction(operation, operands[0], options)
        composition = operation.composition if operation.kind in FUSED_COMPOSITIONS else None
        if composition is not None:
            try:
                result = composition(self.device._functions.namespace, *operands, **options)
            except (UnknownValueError, NotImplementedError):
                result = NotImplemented  # it looks at values
            if result is not NotImplemented:
                return result
        return self.call(self.base.table[operation.index].function, name, operands, options)

    def supported(self, dtype: DType) -> bool:
        """Whether kernels compute with a dtype."""
        return self.generator.resolve("equal", (dtype, dtype)) is not None

    def _step(self, operation: Operation, operands: tuple[Any, ...]) -> Traced | None:
        """Record an elementwise operation; None where no kernel computes it."""
        name = operation.name
        if name == "pow" and operands[1].__class__ in (int, float) and operands[0].dtype.kind == "f":
            x, exponent = operands
            short = short_power(x, exponent)
            if short is not None:
                return self._step(TABLE[short], (x,))
            if exponent in (3, 4):
                square = self._step(TABLE["square"], (x,))
                return self._step(TABLE["multiply"], (square, x if exponent == 3 else square))
        kinds = [
            operand.dtype
            if operand.__class__ is Traced
            else operand.value.__class__
            if operand.__class__ is Number
            else operand.__class__
            for operand in operands
        ]
        if not all(isinstance(kind, np.dtype) or kind in (bool, int, float) for kind in kinds):
            return None
        if self.generator.resolve(name, kinds) is None:
            return None
        values = [operand.value if hasattr(operand, "node") else operand for operand in operands]
        with np.errstate(all="ignore"):
            value = self.base.table[operation.index].function(*values)
        if value is NotImplemented:
            return None
        value = self.normal(value)
        nodes = tuple([operand.node if hasattr(operand, "node") else operand for operand in operands])
        return Traced(value, Node("step", name, nodes, None, value.shape, value.dtype))

    def _reduction(self, operation: Operation, x: Traced, options: dict[str, Any]) -> Any:
        options = {key: option for key, option in options.items() if option is not None or key == "axis"}
        value = self.normal(self.base.table[operation.index].function(x.value, **options))
        axis = options.get("axis")
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        chosen = tuple(sorted([number % x.ndim for number in axes])) if x.ndim else ()
        if not chosen or not self.supported(value.dtype):
            return self.call(self.base.table[operation.index].function, operation.name, (x,), options)
        if value.dtype != x.dtype:
            x = Traced(x.value, Node("step", "astype", (x.node,), None, x.shape, value.dtype))
        keepdims = bool(options.get("keepdims", False))
        node = Node("reduction", operation.name, (x.node,), (chosen, keepdims), value.shape, value.dtype)
        return Traced(value, node)

    def call(self, function: Callable[..., Any], name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function of the library and record the call."""
        result = function(*_unwrapped(operands), **_unwrapped(options))
        if result is NotImplemented:
            return NotImplemented
        call = Node("call", name, (function, _noded(operands), _noded(options)), None, None, None)
        return self._results(result, call, ())

    def _results(self, result: Any, call: Node, path: tuple[Any, ...]) -> Any:
        if isinstance(result, (tuple, list)):
            items = [self._results(item, call, (*path, number)) for number, item in enumerate(result)]
            return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
        value = self.normal(result)
        return Traced(value, Node("result", call.name, (call,), path, value.shape, value.dtype))

    def normal(self, value: Any) -> Native:
        """Return a native array of the base device for a scalar of its library."""
        if value.__class__ is self.base.native_type:
            return value
        return self.base._library.normalize(value, self.base._place)


def _unwrapped(tree: Any) -> Any:
    """Return nested arguments with the values of this call."""
    return mapped(tree, lambda item: item.value if item.__class__ in (Traced, Number) else item)


def _noded(tree: Any) -> Any:
    """Return nested arguments with nodes."""
    return mapped(tree, lambda item: item.node if item.__class__ is Traced else item)


class _Namespace:
    """A recording device's functions, by the names of the operations."""

    def __init__(self, recorder: Recorder, prefix: str = "") -> None:
        self._recorder, self._prefix = recorder, prefix

    def __getattr__(self, name: str) -> Any:
        if name in ("linalg", "fft", "special", "nn"):
            return _Namespace(self._recorder, f"{name}.")
        operation = TABLE.get(self._prefix + name)
        if operation is None:
            raise AttributeError(name)
        recorder = self._recorder
        return lambda *operands, **options: recorder.compute(operation, operands, options)


class _Recording(Backend):
    """The library of a recording device: another device's, with each call recorded."""

    name = "fuse"
    kinds = ()
    survives_fork = True

    def __init__(self, recorder: Recorder, base: Device) -> None:
        self._recorder, self._base = recorder, base

    def probe(self) -> str:
        return ""

    def devices(self) -> Collection[str]:  # type: ignore[override]
        return ()

    @property
    def native_type(self) -> type:
        return Traced

    def namespace(self, spec: str) -> Any:
        return _Namespace(self._recorder)

    def to_host(self, native: Native) -> Any:
        native._look("the elements of an array")

    def from_host(self, array: Any, spec: str, *, copy: bool | None) -> Native:
        base = self._base
        return self._recorder.constant(base._library.from_host(array, base._place, copy=copy))

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return self._base.dlpack_device

    def dtypes(self, spec: str) -> Collection[str]:
        return self._base.dtype_names()

    def default_float(self, spec: str) -> DType:
        return self._base.default_dtypes["real floating"]

    def default_integer(self, spec: str) -> DType:
        return self._base.default_dtypes["integral"]

    def getitem(self, native: Native, key: Any) -> Native:
        return self._recorder.call(_getitem, "__getitem__", (native, key), {})

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        if native.node.kind == "array":
            raise TypeError(
                "a function of xtensor.fuse cannot write to its arguments; compute a new array, or copy the argument "
                "first: x = x.copy()"
            )
        if key is Ellipsis and value.__class__ is Traced and value.shape == native.shape:
            if value.dtype == native.dtype:
                return value
            return self._recorder.compute(TABLE["astype"], (value, native.dtype), {"copy": True})
        return self._recorder.call(_with_item, "__setitem__", (native, key, value), {})

    def info(self, spec: str) -> DeviceInfo:
        return self._base.info()

    def memory(self, spec: str) -> Memory:
        return self._base.memory()


def _getitem(native: Native, key: Any) -> Native:
    return native[key]


def _with_item(native: Native, key: Any, value: Native) -> Native:
    """Return a copy with an assignment."""
    copy = native.copy()
    copy[key] = value
    return copy


_recorders: dict[Device, Recorder] = {}


def recorder_of(base: Device, generator: Generator) -> Recorder:
    """Return the recorder of a device, which there is one of."""
    found = _recorders.get(base)
    if found is None:
        found = _recorders.setdefault(base, Recorder(base, generator))
    return found
