"""Nodes of the graph of a recording, and the arrays that stand for them while the function runs.

A write makes a new node for the array that owns the memory. Views of it are indexed anew when they are read next, as
they see the write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Never, TypeAlias

from .._core.backend import Native
from .._core.tracer import AbstractValue
from .._core.tracing_errors import Arithmetic, Number, UnknownValueError, unknown
from .._core.wrapping import ValueArray
from .watching import Watch

__all__ = [
    "Assumption",
    "Node",
    "Session",
    "Traced",
    "exponent_of",
    "is_root",
    "item_at",
    "session",
    "with_item",
    "write_item",
]


class Node(AbstractValue):
    """A value of the graph.

    Attributes
    ----------
    kind
        ``"array"``, an argument; ``"outside"``, another array that the function reads, whose present elements each call
        uses; ``"constant"``, an array that the function makes of nothing; ``"step"``, an elementwise operation;
        ``"reduction"``; ``"call"``, any other function; ``"result"``, an array that a call returns.
    name
        The operation's name.
    operands
        The nodes and numbers it depends on; for a call, the function, its arguments and keyword arguments with nodes in
        them, and the calls that must come before.
    options
        The dtypes to which a step's operands are cast; axes and ``keepdims`` of a reduction; the index of an argument;
        the value of another array.
    needs
        The nodes among the operands, once they are known; see ``operands_of``.
    shape, dtype
        Of the result; None for a number.
    """

    __slots__ = ("kind", "name", "needs", "operands", "options")

    def __init__(
        self, kind: str, name: str, operands: Any, options: Any, shape: tuple[int, ...] | None, dtype: Any
    ) -> None:
        self.kind, self.name, self.operands, self.options = kind, name, operands, options
        self.needs: list[Node] | None = None
        super().__init__(shape, dtype)

    def take(self, operands: Iterable[Any]) -> None:
        """Depend on other nodes and numbers."""
        self.operands, self.needs = tuple(operands), None


Assumption: TypeAlias = tuple[Callable[..., Any], Sequence[Node]]


class Session:
    """The recording of one function.

    Attributes
    ----------
    watch
        The values from outside that the function reads; None for a formula of this package, which reads none.
    arithmetic
        The arithmetic of the numbers among the arguments.
    effects
        The calls that change a generator of random numbers, in order.
    shapes
        The arrays whose shapes depend on values, which the function may have read.
    assumed
        The conditions that the recording takes for false, each with the nodes of its arrays; see ``rarely``.
    together
        Lists of the results that one call computes, each in units; see ``compute_together``.
    streams
        The streams of random numbers of these calls, each with its state before: the replay of the recorded call draws.
    computed
        The line that joined an array which the device below had computed; empty without one.
    reads_layouts
        Whether the function reads how elements lie in memory.
    exponents
        The numbers among the arguments that are exponents, by their index, and whether each is that of a root.
    lines
        The lines of the calls, for an explanation; None without one.
    """

    def __init__(self, watch: Watch | None) -> None:
        self.watch = watch
        self.arithmetic = Arithmetic()
        self.effects: list[Node] = []
        self.shapes: list[Node] = []
        self.assumed: list[Assumption] = []
        self.together: list[list[list[Node]]] = []
        self.streams: dict[int, tuple[Any, Any]] = {}
        self.computed = ""
        self.reads_layouts = False
        self.exponents: list[tuple[int, bool]] = []
        self.lines: dict[Node, str] | None = None


session: ContextVar[Session | None] = ContextVar("xtensor_recording", default=None)
"""The recording that goes on in this thread or task."""


def is_root(exponent: Any) -> bool:
    """Whether powers are square roots, whose values for -0.0 and minus infinity are those of no other exponent."""
    return exponent.__class__ is float and exponent == 0.5


def exponent_of(operand: Any) -> Any:
    """Return an operand of ``pow``: instead of a number among the arguments that is 0.5, 0.5, as each call checks."""
    if operand.__class__ is not Number:
        return operand
    current = session.get()
    if current is not None:
        current.exponents.append((operand.index, is_root(operand.value)))
    return operand.value if is_root(operand.value) else operand


class Traced(ValueArray):
    """A native array of a recording device: the value of this call, and its node.

    Attributes
    ----------
    root
        The array that owns the memory of a view; None for an array that owns its own.
    path
        The keys that select a view; None for a view that other functions than indexing made.
    writes
        The number of writes to the memory: for a view, those that its node includes.
    """

    __slots__ = ("_node", "path", "root", "writes")

    def __init__(
        self, value: Native, node: Node, root: Traced | None = None, path: tuple[Any, ...] | None = ()
    ) -> None:
        self.value, self._node = value, node
        self.root, self.path = root, path
        self.writes: int = 0 if root is None else root.writes

    @property
    def flags(self) -> Any:
        """The flags of the value: how its elements lie in memory. AttributeError where its library has none."""
        return self.value.flags

    @property
    def node(self) -> Node:
        """The node of the present elements."""
        root = self.root
        if root is None or root.writes == self.writes:
            return self._node
        if self.path is None:
            raise UnknownValueError(
                f"a function of xtensor.fuse reads a view, made by {self._node.name}(), of an array that it has "
                "written to since; make the view again, or copy it before the write"
            )
        call = Node("call", "__getitem__", (item_at, (root.node, self.path), {}, ()), None, None, None)
        self._node = Node("result", "__getitem__", (call,), (), self.value.shape, self.value.dtype)
        self.writes = root.writes
        return self._node

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


def item_at(native: Native, path: tuple[Any, ...]) -> Native:
    """Return what some keys select, one after the other."""
    for key in path:
        native = native[key]
    return native


def with_item(native: Native, path: tuple[Any, ...], key: Any, value: Any) -> Native:
    """Return a copy with an assignment to a view that some keys select."""
    return write_item(native.copy(), path, key, value)


def write_item(native: Native, path: tuple[Any, ...], key: Any, value: Any) -> Native:
    """Assign to a view that some keys select, and return the array that owns the memory."""
    item_at(native, path)[key] = value
    return native
