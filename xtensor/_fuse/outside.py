"""The values from outside that a recorded function can reach, each with a guard for later calls.

They are the global names of a user's function, its closure and defaults, and the attributes that its code names, of
every object reached from them and from the arguments.
"""

from __future__ import annotations

import inspect
import random
import sys
import types
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.trees import TreeObject
from .guards import MISSING, Guard, Guards, contents, memory_of, same
from .keys import CONTAINERS, is_value, key_of

__all__ = ["Outside", "library", "state_of_numpy"]

LIBRARIES = sys.stdlib_module_names | {
    *("numpy", "xtensor", "llvmlite", "cupy", "cupyx", "cupy_backends", "cuda", "triton", "ml_dtypes", "dpnp", "dpctl"),
    *("pyopencl", "pytools", "wgpu"),
    *("array_api_strict", "dask", "distributed", "cubed", "zarr", "opt_einsum", "einops"),
}
"""Top-level modules whose functions are not watched: this package's, and those of libraries that it calls itself."""

MEMBER = frozenset(("name", "value", "_name_", "_value_", "_sort_order_", "__objclass__"))
"""Attributes of a member of an enumeration that cannot be assigned to, or are Python's own."""

DYNAMIC = frozenset(("getattr", "hasattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter"))
"""Names of code that may read any attribute of an object."""


def library(name: str | None) -> bool:
    """Whether a module is one whose functions are not watched."""
    top = (name or "").partition(".")[0]
    return top in LIBRARIES or top.startswith("xtensor_")


class Outside:
    """The values from outside that a function can reach, as they were when each was first read.

    Attributes
    ----------
    arrays
        The Arrays and NumPy arrays among them.
    """

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self._generators: list[tuple[Any, Any]] = []
        self._names: set[str] = set()
        self._guards: dict[tuple[int, str], Guard] = {}
        self._states: dict[int, tuple[Any, Any, str]] = {}
        self._fields: list[tuple[Any, frozenset[str], str]] = []
        self._seen: dict[int, Any] = {}
        self._owners: list[Any] = []
        self._before: list[tuple[bytes, int]] = []
        self._natives: dict[int, Any] = {}

    def read(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        """Read the values that the code of a user's function names, before it runs."""
        names, attributes = _names_of(code)
        new = attributes - self._names
        self._names |= new
        for owner in list(self._owners):
            self._look(owner, new)
        for name in names:
            self._guard(dict.get, scope, name, scope.get(name, MISSING))  # missing: one of Python's own, or not yet set

    def visit(self, value: Any, name: str) -> None:
        """Read what a value from outside refers to."""
        waiting = [(value, name)]
        while waiting:
            value, name = waiting.pop()
            kind = value.__class__
            if value is MISSING or is_value(value) or id(value) in self._seen:
                continue
            self._seen[id(value)] = value
            if kind is Array or isinstance(value, np.ndarray):
                self._array(value)
            elif isinstance(value, CONTAINERS):
                self._states[id(value)] = value, key_of(value), name
                items = [*value, *value.values()] if isinstance(value, dict) else value
                waiting += [(item, name) for item in items]
            elif kind is types.FunctionType:
                self._function(value)
            elif kind is types.MethodType:
                waiting += [(value.__self__, name), (value.__func__, name)]
            elif kind is partial:
                waiting += [(value.func, name), (value.args, name), (value.keywords, name)]
            elif kind is types.ModuleType:
                if not library(value.__name__):
                    self._own_names(value)
            elif isinstance(value, type):
                if not library(value.__module__):
                    self._own_names(value)
            elif isinstance(value, (random.Random, np.random.RandomState, np.random.Generator)):
                self._generators.append((value, _state_of(value)))
            else:
                self._object(value, name)

    def visit_arguments(self, tree: Any) -> None:
        """Read what the objects among the arguments refer to; Arrays, numbers and containers are inputs or keys."""
        waiting, seen = [tree], set()
        while waiting:
            item = waiting.pop()
            if isinstance(item, TreeObject):
                if id(item) not in seen:
                    seen.add(id(item))
                    waiting += vars(item).values()
                    self._own_class(type(item))
            elif isinstance(item, dict):
                waiting += item.values()
            elif isinstance(item, (list, tuple)):
                waiting += item
            elif item.__class__ is not Array:
                self.visit(item, "an argument")

    def _own_class(self, kind: type) -> None:
        """Read the methods of the class of an argument whose attributes are inputs or keys."""
        for base in kind.__mro__:
            if not library(base.__module__):
                self.visit(base, base.__name__)

    def _object(self, value: Any, name: str) -> None:
        kind = value.__class__
        wrapped = getattr(value, "__wrapped__", None)
        if kind.__name__ == "Fused" or (wrapped is not None and callable(wrapped) and library(kind.__module__)):
            self.visit(wrapped, name)
        elif hasattr(value, "bit_generator") and library(kind.__module__):
            return  # a generator of this package, whose draws are recorded
        elif isinstance(value, types.GeneratorType) or hasattr(kind, "__next__"):
            raise TypeError(f"{name} is an iterator ({kind.__name__}), whose state a recorded function cannot repeat")
        elif not _is_constant(kind) and (hasattr(value, "__dict__") or hasattr(kind, "__slots__")):
            self._own_names(value)
            self.visit(kind, name)

    def _own_names(self, owner: Any) -> None:
        self._owners.append(owner)
        if not isinstance(owner, (type, types.ModuleType)):
            held = getattr(owner, "__dict__", None)
            if held is not None:
                self._fields.append((owner, frozenset(held), type(owner).__name__))
        self._look(owner, self._names)

    def _look(self, owner: Any, names: Iterable[str]) -> None:
        """Read those attributes of an object, a class or a module that code names."""
        held = getattr(owner, "__dict__", {})
        if isinstance(owner, types.ModuleType):
            for name in held.keys() & set(names):
                self._guard(dict.get, held, name, held[name])
            return
        kind = owner if isinstance(owner, type) else type(owner)
        every = not isinstance(owner, type) and (library(kind.__module__) or not DYNAMIC.isdisjoint(self._names))
        chosen = set(names)
        if every:
            chosen |= {*held, *(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()) or ())}
        if issubclass(kind, Enum):
            members = kind.__members__  # nothing can take their places, but they may have attributes
            for name in chosen & members.keys():
                self.visit(members[name], name)
            chosen -= {*MEMBER, *members}
        for name in chosen:
            if name in held and owner is not kind:
                self._guard(getattr, owner, name, held[name])
                continue
            attribute = inspect.getattr_static(kind, name, MISSING)
            if attribute is MISSING or isinstance(attribute, (property, cached_property)) or _special(name):
                continue
            if isinstance(attribute, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                if owner is not kind and isinstance(attribute, types.MemberDescriptorType):
                    self._guard(getattr, owner, name, getattr(owner, name, MISSING))
                continue
            if isinstance(attribute, (staticmethod, classmethod)):
                self.visit(attribute.__func__, name)
            elif owner is not kind and not callable(attribute):
                self._guard(getattr, owner, name, getattr(owner, name, MISSING))
            elif not library(kind.__module__):
                self._guard(getattr, kind, name, getattr(kind, name, MISSING))
                if owner is not kind:
                    self._guard(dict.get, held, name, MISSING)

    def _function(self, function: types.FunctionType) -> None:
        name = function.__qualname__
        for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if free == "__class__":
                continue
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # assigned by the time it is read
            self._guard(getattr, cell, "cell_contents", value, label=f"{free}, of the closure of {name}")
        if not library(function.__module__):
            self._guard(getattr, function, "__code__", function.__code__)
        for value in (function.__defaults__, function.__kwdefaults__):
            if value:
                self.visit(value, f"a default of {name}()")

    def _guard(self, read: Callable[[Any, Any, Any], Any], owner: Any, name: str, value: Any, label: str = "") -> None:
        key = id(owner), name
        if key in self._guards:
            return
        self._guards[key] = read, owner, name, value
        self.visit(value, label or _label(owner, name))

    def _array(self, array: Any) -> None:
        self.arrays.append(array)
        self._before.append(contents(array))
        native = array
        if array.__class__ is Array:
            native = array._native
            self._guards[id(array), "_native"] = getattr, array, "_native", native
        self._natives[id(memory_of(native))] = array

    def outside(self, native: Any) -> bool:
        """Whether a native array has the memory of an array from outside."""
        return id(memory_of(native)) in self._natives

    # -- afterwards ---------------------------------------------------------------------------------------------------

    def changed_arrays(self) -> list[Any]:
        """Return the arrays that have been written to."""
        return [x for x, before in zip(self.arrays, self._before, strict=True) if contents(x) != before]

    def has_drawn(self) -> bool:
        """Whether a generator of NumPy or Python has drawn numbers."""
        return any(_state_of(generator) != state for generator, state in self._generators)

    def check(self, name: str, remedy: str) -> None:
        """Raise TypeError where a value other than an array has changed; ``name`` is the recorded function's."""
        for read, owner, attribute, value in self._guards.values():
            if not same(read(owner, attribute, MISSING), value):
                raise _changed(name, _label(owner, attribute), remedy)
        for container, key, label in self._states.values():
            if key_of(container) != key:
                raise _changed(name, label, remedy)
        for owner, fields, label in self._fields:
            for field in sorted(vars(owner).keys() ^ fields):
                if not isinstance(inspect.getattr_static(type(owner), field, None), cached_property):
                    raise _changed(name, f"{label}.{field}", remedy)

    def guards(self, compared: list[Any]) -> Guards:
        """Return the guards of the values, and of the contents of some arrays."""
        exact = [guard for guard in self._guards.values() if guard[3] is not MISSING or guard[0] is dict.get]
        return Guards(exact, [state[:2] for state in self._states.values()], compared)


def _changed(name: str, label: str, remedy: str) -> TypeError:
    return TypeError(
        f"{name}(): a function of xtensor.fuse cannot change {label}, as later calls replay its operations alone; "
        f"{remedy}"
    )


def _label(owner: Any, name: str) -> str:
    if isinstance(owner, dict):
        return f"the global {name!r}"
    return f"{getattr(owner, '__name__', type(owner).__name__)}.{name}"


def _is_constant(kind: type) -> bool:
    """Whether objects of a class have no attributes that a function reads: ufuncs, dtypes, devices, annotations."""
    if kind is types.GenericAlias or kind is types.UnionType or kind.__module__ == "typing":
        return True
    return kind.__module__ == "numpy" or kind.__module__.startswith("xtensor._core")


def _special(name: str) -> bool:
    return name in ("__dict__", "__class__", "__doc__", "__module__", "__weakref__")


@lru_cache(maxsize=4096)
def _names_of(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names and the attributes that code reads or writes."""
    import dis

    names, attributes = set(), set()
    for instruction in dis.get_instructions(code):
        operation = instruction.opname
        if operation.endswith(("_GLOBAL", "_NAME")) and operation != "IMPORT_NAME":
            names.add(instruction.argval)
        elif operation.endswith(("_ATTR", "_METHOD", "IMPORT_FROM")):
            attributes.add(instruction.argval)
    if "getattr" in names or "hasattr" in names or "vars" in names:
        attributes.add("__dict__")
    return frozenset(names), frozenset(attributes)


def _state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return repr(generator.get_state())
    return repr(generator.bit_generator.state)


def state_of_numpy() -> Any:
    kind, keys, *rest = tuple(np.random.get_state(legacy=True))
    return kind, np.asarray(keys).tobytes(), tuple(rest)
