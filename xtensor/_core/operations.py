"""The table of operations: one record for each function that devices compute.

A record is declared once, in the chapter of its function, next to the docstring. Everything else that is true of a
function on every device is derived from it: Array's operators, the checks' messages, what a backend must provide,
NumPy's protocols, the kernels' dtypes, the tests' arguments and the tables of the documentation.

An operation has an index, the position of its implementation in every device's table, so that a call needs no look-up
by name.
"""

from __future__ import annotations

from _thread import RLock  # that of threading, whose import takes a sixteenth of the time of this package
from collections.abc import Callable, Collection, Iterator, MutableMapping
from importlib import import_module
from itertools import count
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias
from weakref import WeakSet

__all__ = [
    "COMPLEX_OF",
    "REDUCTIONS",
    "TABLE",
    "Accepts",
    "DTypeRule",
    "Kind",
    "Operation",
    "Reduction",
    "ShapeRule",
    "declare",
    "import_later",
    "is_declared",
    "operation",
    "primitives",
    "watch",
]

Kind: TypeAlias = Literal[
    "elementwise",
    "creation",
    "cast",
    "manipulation",
    "indexing",
    "searching",
    "sorting",
    "set",
    "reduction",
    "scan",
    "linear algebra",
    "fourier",
    "special",
    "network",
    "signal",
    "random",
    "composed",
    "assignment",
]
"""How an operation goes over elements. "composed" is a function of Arrays that is composed of other operations;
"assignment" is one of those that writes to its first argument."""

Accepts: TypeAlias = Literal[
    "any",
    "numeric",
    "real",
    "floating",
    "real floating",
    "complex floating",
    "integer",
    "integer or boolean",
    "boolean",
]
"""The dtypes for which the standard defines an operation."""

DTYPES: dict[str, str] = {
    "any": "biufc",
    "numeric": "iufc",
    "real": "iuf",
    "floating": "fc",
    "real floating": "f",
    "complex floating": "c",
    "integer": "iu",
    "integer or boolean": "biu",
    "boolean": "b",
}
"""The kinds of dtype that each word of ``Accepts`` stands for, as NumPy's letters."""

WORDS: dict[str, str] = {
    "any": "booleans or numbers",
    "numeric": "numbers",
    "real": "real numbers",
    "floating": "floating-point numbers",
    "real floating": "real floating-point numbers",
    "complex floating": "complex numbers",
    "integer": "integers",
    "integer or boolean": "booleans or integers",
    "boolean": "booleans",
}
"""How messages name the dtypes that an operation takes."""

DTypeRule: TypeAlias = Literal[
    "promoted",
    "bool",
    "component",
    "accumulated",
    "complex",
    "byte",
    "double",
    "index",
    "argument",
    "several",
]
"""The dtype of the result: the promoted dtype of the operands; bool; the dtype of complex components; the dtype in
which the standard accumulates (integers in the default integer); the complex dtype of the operands' precision; uint8;
float64 or complex128; the default index dtype; the dtype that an argument names; one for each of several results."""

ShapeRule: TypeAlias = Literal[
    "broadcast",
    "same",
    "reduced",
    "argument",
    "product",
    "stack",
    "several",
    "data-dependent",
]
"""The shape of the result: the broadcast shape of the operands; the operand's shape; without the reduced axes; as an
argument says; the shape of a product of matrices or vectors; the axes before those of the matrices; one for each of
several results; depending on the elements' values."""


class Reduction(NamedTuple):
    """How a reduction combines the results of two parts of the elements into that of both.

    Attributes
    ----------
    combine
        The elementwise operation that combines them.
    accumulates
        Whether integers are reduced in a wider dtype, or in one that an argument names.
    of_truth
        Whether not the elements are reduced, but for each whether it is zero.
    """

    combine: str
    accumulates: bool = False
    of_truth: bool = False


REDUCTIONS: dict[str, Reduction] = {
    "all": Reduction("logical_and", of_truth=True),
    "any": Reduction("logical_or", of_truth=True),
    "count_nonzero": Reduction("add", of_truth=True),
    "max": Reduction("maximum"),
    "min": Reduction("minimum"),
    "prod": Reduction("multiply", accumulates=True),
    "sum": Reduction("add", accumulates=True),
}
"""The reductions of which the results of two parts are combined by an elementwise operation.

What computes by parts has no list of its own: generators of kernels, which compute those of the elements, fused and by
themselves, and the engines. The chapters declare the operations of these names.
"""


class Operation:
    """Record of one function: its properties on every device.

    Attributes
    ----------
    name
        ``"add"``, ``"linalg.svd"``, ``"special.gammaln"``, ``"nn.softmax"``.
    label
        The last part of the name, as messages show it.
    index
        Its position in the table of every device.
    kind
        How it goes over elements.
    operands
        The number of array operands; 0 for functions that create arrays.
    accepts
        The dtypes for which the standard defines it.
    dtype, shape
        The rules for the dtype and the shape of the result.
    operator
        The name in :mod:`operator` of Python's operator for it, such as ``"add"`` or ``"invert"``; None without one.
    inplace
        The name in :mod:`operator` of its in-place operator, such as ``"iadd"``; None without one.
    numpy
        The path below ``numpy`` of its counterpart, such as ``"linalg.svd"``; None without one.
    composition
        A function that builds it from other operations: it takes the device's functions, then the operands. None for a
        primitive, which every backend provides, and for a function that its chapter composes of Arrays.
    primitive
        Whether every backend provides it.
    """

    __slots__ = (
        "accepts",
        "composition",
        "declared",
        "dtype",
        "index",
        "inplace",
        "kind",
        "label",
        "name",
        "numpy",
        "operands",
        "operator",
        "primitive",
        "shape",
    )

    name: str
    label: str
    index: int
    declared: bool
    kind: Kind
    operands: int
    accepts: Accepts
    dtype: DTypeRule
    shape: ShapeRule
    operator: str | None
    inplace: str | None
    numpy: str | None
    composition: Callable[..., Any] | None
    primitive: bool

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.label = name.rpartition(".")[2]
        self.index = index
        self.declared = False
        self.kind, self.operands, self.accepts = "elementwise", 1, "any"
        self.dtype, self.shape = "promoted", "broadcast"
        self.operator = self.inplace = self.numpy = self.composition = None
        self.primitive = False

    def __repr__(self) -> str:
        return f"Operation({self.name!r})"

    @property
    def kinds(self) -> str:
        """The kinds of dtype that it accepts, as NumPy's letters."""
        return DTYPES[self.accepts]

    @property
    def expects(self) -> str:
        """The dtypes that it accepts, in a message's words."""
        return WORDS[self.accepts]

    @property
    def computes(self) -> bool:
        """Whether it computes with elements; other operations move them as they are."""
        return self.kind not in ("manipulation", "indexing")

    @property
    def takes_arrays(self) -> bool:
        """Whether its composition is a function of Arrays, so that devices implement it with the public signature."""
        return self.kind in ("composed", "assignment")

    @property
    def only_promotes(self) -> bool:
        """Whether it does no more with elements than to cast them to the promoted dtype; indices are not promoted."""
        return self.kind == "manipulation" and self.operands > 1


class Table(MutableMapping[str, Operation]):
    """Every operation by its name, in the order of the indices.

    A module of the namespace declares its operations when it is imported, at the first use of one of its names. A name
    that is not declared yet is such a use; iteration imports the modules of the main namespace.

    Attributes
    ----------
    rows
        The operations that were named until now.
    later
        The names of the main namespace.
    """

    __slots__ = ("later", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, Operation] = {}
        self.later: Collection[str] = ()

    def __getitem__(self, name: str) -> Operation:
        row = self.rows.get(name)
        if row is not None and row.declared:
            return row
        attribute = namespace
        for part in name.split("."):
            attribute = getattr(attribute, part, None)
        return self.rows[name]

    def __setitem__(self, name: str, row: Operation) -> None:
        self.rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self.rows[name]

    def __iter__(self) -> Iterator[str]:
        for name in self.later:
            getattr(namespace, name)
        return iter(tuple(self.rows))

    def __len__(self) -> int:
        return len(tuple(iter(self)))  # tuple(self) asks for the length


TABLE = Table()
"""Every operation by its name."""

_indices = count()
_watchers: WeakSet[Any] = WeakSet()
lock = RLock()
"""Held while a row is added and while a device gets its rows: a chapter may be imported in another thread."""

import_lock = RLock()
"""Held while a module is imported at the first use of a name, for which a fork waits; acquired before ``lock``."""


def renew_locks() -> None:
    """Replace the locks in a forked process: another thread, which is gone, may have held them."""
    global import_lock, lock
    import_lock, lock = RLock(), RLock()


def import_later(name: str, package: str) -> ModuleType:
    """Import a module at the first use of a name."""
    with import_lock:
        return import_module(name, package)


def watch(table: Any) -> None:
    """Call ``table.extend(operation)`` for each operation in the order of the indices.

    First for those of the table, then for each one that is named from now on, as long as ``table`` lives.
    """
    with lock:
        for row in TABLE.rows.values():
            table.extend(row)
        _watchers.add(table)


def operation(name: str) -> Operation:
    """Return the operation of a name. Array's operators name theirs before the chapters declare them."""
    row = TABLE.rows.get(name)
    if row is not None:
        return row
    with lock:
        if name not in TABLE.rows:
            row = TABLE.rows[name] = Operation(name, next(_indices))
            for table in _watchers:
                table.extend(row)
        return TABLE.rows[name]


def declare(
    name: str,
    kind: Kind,
    *,
    operands: int = 1,
    accepts: Accepts = "any",
    dtype: DTypeRule = "promoted",
    shape: ShapeRule = "broadcast",
    operator: str | None = None,
    inplace: str | None = None,
    numpy: str | None = None,
    composition: Callable[..., Any] | None = None,
    primitive: bool | None = None,
) -> Operation:
    """Declare an operation: fill its row of the table. It is a primitive unless it has a composition.

    Raises
    ------
    ValueError
        If the operation is declared already.
    """
    row = operation(name)
    if row.declared:
        raise ValueError(f"operation {name!r} is declared already; each operation has one row in the table")
    row.kind, row.operands, row.accepts = kind, operands, accepts
    row.dtype, row.shape = dtype, shape
    row.operator, row.inplace, row.numpy = operator, inplace, numpy
    row.composition = composition
    row.primitive = composition is None if primitive is None else primitive
    row.declared = True
    return row


namespace: Any = None
"""The public namespace, set by ``bind_namespace``; its parts declare operations when imported."""


def is_declared(name: str) -> bool:
    """Whether the table has an operation of a name."""
    return name in TABLE and TABLE[name].declared


def primitives() -> list[str]:
    """The names of the operations that every backend provides."""
    return [row.name for row in TABLE.values() if row.declared and row.primitive]


COMPLEX_OF = declare("complex_of", "elementwise", operands=2, accepts="real floating", dtype="complex")
"""Complex numbers of real and imaginary parts. Used by compositions; there is no public function."""

# Whether an operand may contain an infinity or NaN: a Python bool, False only where the library can exclude them. It is
# used by corrections of native functions; there is no public function. An exact answer would force values to the host.
declare("may_have_infinity", "elementwise", dtype="bool", composition=lambda xp, x: True)
