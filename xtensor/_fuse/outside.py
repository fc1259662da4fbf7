"""The values from outside that a recorded function can reach, each with a guard for later calls.

They are the global names of a user's function, its closure and defaults, and the attributes that its code names, of
every object reached from them and from the arguments.
"""

from __future__ import annotations

import inspect
import os
import random
import sys
import types
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.registry import packages
from .._core.trees import TreeObject, referent
from .code_names import imported_modules, names_of
from .guards import MISSING, Guard, Guards, contents, memory_of, same
from .holders import held_by, holds
from .keys import CONTAINERS, is_value, key_of

__all__ = ["Outside", "library", "state_of_numpy"]

LIBRARIES = sys.stdlib_module_names | {
    *("numpy", "xtensor", "llvmlite", "cupy", "cupyx", "cupy_backends", "cuda", "triton", "ml_dtypes", "dpnp", "dpctl"),
    *("pyopencl", "pytools", "wgpu"),
    *("array_api_strict", "dask", "distributed", "cubed", "zarr", "opt_einsum", "einops"),
}
"""Top-level modules whose functions are not watched: this package's, and those of libraries that it calls itself."""

DESCRIPTORS = (property, cached_property, staticmethod, classmethod)

MEMBER = frozenset(("name", "value", "_name_", "_value_", "_sort_order_", "__objclass__"))
"""Attributes of a member of an enumeration that cannot be assigned to, or are Python's own."""


def library(name: Any) -> bool:
    """Whether a module is one whose functions are not watched, by its name; a class of C may have a descriptor."""
    if not isinstance(name, str):
        return name is not None
    return _is_library(name.partition(".")[0])


@lru_cache(maxsize=4096)
def _is_library(top: str) -> bool:
    if top in sys.stdlib_module_names:
        file = getattr(sys.modules.get(top), "__file__", None)  # a user's module may have the name of Python's
        return file is None or file.startswith(os.path.dirname(os.__file__))
    return top in LIBRARIES or (top.startswith("xtensor_") and top in packages())


@lru_cache(maxsize=4096)
def _is_installed(name: Any) -> bool:
    """Whether a module is that of an installed package, to whose code and caches no program adds values."""
    top = sys.modules.get(name.partition(".")[0]) if isinstance(name, str) else None
    file = getattr(top, "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file or library(name)


def _takes_names(owner: Any) -> bool:
    """Whether names that do not exist now may be there in a later call: not those of an installed package's code."""
    if isinstance(owner, (type, types.ModuleType, types.FunctionType, Enum)):
        return not _is_installed(owner.__name__ if isinstance(owner, types.ModuleType) else owner.__module__)
    return True


class Outside:
    """The values from outside that a function can reach, as they were when each was first read.

    Attributes
    ----------
    arrays
        The Arrays and NumPy arrays among them.

    Parameters
    ----------
    recording
        Whether an Array is one of the recording.
    """

    def __init__(self, recording: Callable[[Array], bool]) -> None:
        self.arrays: list[Any] = []
        self._recording = recording
        self._kept_recording = False
        self._generators: list[tuple[Any, Any]] = []
        self._names: set[str] = set()
        self._optional: set[str] = set()
        self._texts: set[str] = set()
        self._dynamic = self._lists = self._super = False
        self._imports: list[tuple[frozenset[str], str]] = []
        self._known: dict[int, types.CodeType] = {}
        self._guards: dict[tuple[int, str], Guard] = {}
        self._states: dict[int, tuple[Any, Any, str]] = {}
        self._fields: list[tuple[Any, frozenset[str], str]] = []
        self._seen: dict[int, Any] = {}
        self._owners: list[Any] = []
        self._before: list[Any] = []
        self._natives: dict[int, Any] = {}

    def read(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        """Read the values that the code of a user's function names, before it runs."""
        names = names_of(code)
        self._known.update({id(within): within for within in names.nested})
        if (names.dynamic, names.lists) > (self._dynamic, self._lists):
            self._dynamic, self._lists = True, self._lists or names.lists
            for owner in list(self._owners):
                self._look(owner, self._names)
        if "super" in names.globals and not self._super:
            self._super = True
            for owner in list(self._owners):
                self._bases(owner)
        self._named(names.attributes, names.optional)
        if names.imports:
            self._imports.append((names.imports, scope.get("__package__") or ""))
            self._read_imports()
        for name in names.globals:
            self._guard(dict.get, scope, name, scope.get(name, MISSING))  # missing: one of Python's own, or not yet set

    def knows(self, code: types.CodeType) -> bool:
        """Whether code is that of a function that was visited, or within such code."""
        return id(code) in self._known

    def _named(self, attributes: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Read attributes that code names, of all objects; optional ones also where they do not exist."""
        names, optional = set(attributes), set(optional)
        if self._dynamic:
            names |= self._texts
            optional |= self._texts
        new = (names - self._names) | (optional - self._optional)
        self._names |= names
        self._optional |= optional
        for owner in list(self._owners) if new else ():
            self._look(owner, new)

    def _read_imports(self) -> None:
        for imports, package in self._imports:
            for module in imported_modules(imports, package):
                self.visit(module, module.__name__)

    def visit(self, value: Any, name: str) -> None:
        """Read what a value from outside refers to."""
        waiting = [(value, name)]
        while waiting:
            value, name = waiting.pop()
            value = referent(value)
            kind = value.__class__
            if kind is str and value.isidentifier():
                self._texts.add(value)
            if value is MISSING or is_value(value) or id(value) in self._seen:
                continue
            if kind is Array and self._recording(value):
                self._kept_recording = True
                continue
            self._seen[id(value)] = value
            if kind is Array or isinstance(value, np.ndarray):
                self._array(value)
                if kind is not Array:
                    waiting += [(item, name) for item in value.flat] if value.dtype == object else []
                    self._own_attributes(value, name)
            elif isinstance(value, np.void):
                self._states[id(value)] = value, key_of(value), name
            elif isinstance(value, CONTAINERS):
                self._states[id(value)] = value, key_of(value), name
                items = [*value, *value.values()] if isinstance(value, dict) else value
                waiting += [(item, name) for item in items]
                self._own_attributes(value, name)
            elif (how := holds(kind)) == "queue":
                raise TypeError(f"{name} is a queue ({kind.__name__}), whose state a recorded function cannot repeat")
            elif how == "cache" and _is_installed(value.__module__):
                waiting.append((value.__wrapped__, name))
            elif how:
                self._states[id(value)] = value, key_of(value), name
                waiting += [(item, name) for item in held_by(value)]
            elif kind is attrgetter:
                self._named([part for path in value.__reduce__()[1] for part in path.split(".")])
            elif kind is types.FunctionType:
                self._function(value)
            elif kind is types.MethodType:
                waiting += [(value.__self__, name), (value.__func__, name)]
            elif kind is types.BuiltinMethodType and isinstance(value.__self__, random.Random):
                waiting.append((value.__self__, name))
            elif kind is partial:
                waiting += [(value.func, name), (value.args, name), (value.keywords, name)]
            elif kind is types.ModuleType:
                if not library(value.__name__):
                    self._own_names(value)
            elif isinstance(value, type):
                if not library(value.__module__):
                    self._own_names(value)
                    self._bases(value)
                    waiting.append((type(value), name))
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
            elif isinstance(item, list) and type(item) is not list:
                self.visit(item, "an argument")  # it stays as it is
            elif isinstance(item, (dict, list, tuple)):
                waiting += item.values() if isinstance(item, dict) else item
                if type(item) not in (dict, list, tuple):
                    self._own_class(type(item))
                    self._own_attributes(item, "an argument")
            elif item.__class__ is not Array:
                self.visit(item, "an argument")

    def _own_class(self, kind: type) -> None:
        """Read the methods of the class of an argument whose attributes are inputs or keys."""
        for base in kind.__mro__:
            if not library(base.__module__):
                self.visit(base, base.__name__)

    def _own_attributes(self, value: Any, name: str) -> None:
        """Read the attributes of a container or an array of a user's class."""
        if getattr(value, "__dict__", None) is not None and not library(type(value).__module__):
            self._own_names(value)
            self.visit(type(value), name)

    def _bases(self, owner: Any) -> None:
        """Read the attributes of a class's bases, which ``super`` finds where the class has its own."""
        if self._super and isinstance(owner, type):
            for base in owner.__mro__[1:]:
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
            if not library(type(owner).__module__):
                self._guard(getattr, owner, "__class__", type(owner))
        self._look(owner, self._names)

    def _look(self, owner: Any, names: Iterable[str]) -> None:
        """Read those attributes of an object, a class, a function or a module that code names."""
        held = getattr(owner, "__dict__", {})
        if isinstance(owner, (types.ModuleType, types.FunctionType)):
            absent = self._optional if _takes_names(owner) else ()
            for name in names:
                if name in held or name in absent:
                    self._guard(dict.get, held, name, held.get(name, MISSING))
            return
        kind = owner if isinstance(owner, type) else type(owner)
        every = not isinstance(owner, type) and (library(kind.__module__) or self._dynamic)
        chosen = set(names)
        if every:
            chosen |= {*held, *(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()) or ())}
        if self._lists and owner is not kind and held:
            listed = held.keys()
            self._states.setdefault(id(held), (listed, key_of(listed), type(owner).__name__))
        if issubclass(kind, Enum):
            members = kind.__members__  # nothing can take their places, but they may have attributes
            for name in chosen & members.keys():
                self.visit(members[name], name)
            chosen -= {*MEMBER, *members}
        for name in chosen:
            self._attribute(owner, kind, held, name)

    def _attribute(self, owner: Any, kind: type, held: Any, name: str) -> None:
        """Read an attribute of an object or a class."""
        if name in held and owner is not kind:
            self._guard(getattr, owner, name, held[name])
            return
        attribute = inspect.getattr_static(kind, name, MISSING)
        if _special(name):
            return
        if attribute is MISSING:
            if owner is not kind and _raw(kind, "__getattr__", MISSING) is not MISSING:
                self._guard(dict.get, held, name, MISSING)
            elif name in self._optional and _takes_names(owner):
                self._guard(_present, owner, name, MISSING)
            return
        if isinstance(attribute, DESCRIPTORS):
            self._guard(_raw, kind, name, _raw(kind, name, MISSING))
            if owner is not kind and not isinstance(attribute, (property, cached_property)):
                self._guard(dict.get, held, name, MISSING)
            for function in (getattr(attribute, part, None) for part in ("fget", "func", "__func__")):
                self.visit(function, name)
        elif isinstance(attribute, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            if owner is not kind and isinstance(attribute, types.MemberDescriptorType):
                self._guard(_present, owner, name, getattr(owner, name, MISSING))
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
        self._known[id(function.__code__)] = function.__code__
        if library(function.__module__):
            for value in (function.__defaults__, function.__kwdefaults__):
                self.visit(value, f"a default of {name}()")
            return
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            if getattr(function, part) is not None:
                self._guard(getattr, function, part, getattr(function, part), label=f"a default of {name}()")
        self._owners.append(function)
        self._look(function, self._names)

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

    def may_draw(self) -> bool:
        """Whether a generator of NumPy or Python is in reach: one by itself, by its module, or by a text."""
        reached = bool(self._generators) or any(id(module) in self._seen for module in (random, np.random))
        return reached or self._dynamic or "random" in self._names

    def check(self, name: str, remedy: str) -> None:
        """Raise TypeError where a value other than an array has changed; ``name`` is the recorded function's."""
        for read, owner, attribute, value in self._guards.values():
            if not same(read(owner, attribute, MISSING), value):
                raise _changed(name, _label(owner, attribute), remedy)
        for container, key, label in list(self._states.values()):
            if key_of(container) != key and not self._has_kept(container, label):
                raise _changed(name, label, remedy)
        for owner, fields, label in list(self._fields):
            for field in sorted(vars(owner).keys() ^ fields):
                if not self._has_cached(owner, field):
                    raise _changed(name, f"{label}.{field}", remedy)
        self._read_imports()
        self._named(())

    def _has_kept(self, cache: Any, label: str) -> bool:
        """Whether a function has kept results, none of which has an array of the recording; they are values, too."""
        if holds(cache.__class__) != "cache":
            return False
        self._states[id(cache)] = cache, key_of(cache), label
        for result in held_by(cache):
            self.visit(result, label)
        if self._kept_recording:
            cache.cache_clear()
        return not self._kept_recording

    def _has_cached(self, owner: Any, name: str) -> bool:
        """Whether an attribute is a property that was computed, without an array of the recording, and read it."""
        held = vars(owner)
        if name not in held or not isinstance(inspect.getattr_static(type(owner), name, None), cached_property):
            return False
        self._guards.pop((id(held), name), None)
        self._guard(dict.get, held, name, held[name])
        if self._kept_recording:
            del held[name]
        return not self._kept_recording

    def guards(self, compared: list[Any]) -> Guards:
        """Return the guards of the values, and of the contents of some arrays."""
        exact = [guard for guard in self._guards.values() if guard[3] is not MISSING or guard[0] is not getattr]
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
    name = str(kind.__module__)
    return (name.partition(".")[0] == "numpy" and kind is not np.poly1d) or name.startswith("xtensor._core")


def _present(owner: Any, name: str, default: Any) -> Any:
    """Return an attribute; the default where there is none, whose absence is compared as well."""
    return getattr(owner, name, default)


def _raw(kind: type, name: str, default: Any) -> Any:
    """Return an attribute of a class as it is, without calling a descriptor."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return default


def _special(name: str) -> bool:
    return name in ("__dict__", "__class__", "__doc__", "__module__", "__weakref__")


def _state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return repr(generator.get_state())
    return repr(generator.bit_generator.state)


def state_of_numpy() -> Any:
    kind, keys, *rest = tuple(np.random.get_state(legacy=True))
    return kind, np.asarray(keys).tobytes(), tuple(rest)
