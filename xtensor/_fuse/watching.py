"""The watch over a function that is recorded: which values from outside it reads, and whether it changes them.

While a function is recorded, the interpreter reports each Python function that runs. The global names of a user's
function, its closure and defaults, and the attributes that its code names, of every object reached from them and from
the arguments, are read before it runs. A value that the recorded call changes raises, as a replay would not change it.
"""

from __future__ import annotations

import datetime
import gc
import inspect
import os
import random
import sys
import time
import types
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from .._core.array import Array, to_numpy
from .._core.compiled import compiled
from .._core.tracing_errors import UnknownValueError
from .._core.trees import TreeObject
from .guards import MISSING, MOST_BYTES, Guard, Guards, contents, memory_of, same
from .keys import CONTAINERS, is_value, key_of

__all__ = ["STREAMS", "Watch"]

LIBRARIES = sys.stdlib_module_names | {
    *("numpy", "xtensor", "llvmlite", "cupy", "cupyx", "cupy_backends", "cuda", "triton", "ml_dtypes", "dpnp", "dpctl"),
    *("pyopencl", "pytools", "wgpu"),
    *("array_api_strict", "dask", "distributed", "cubed", "zarr", "opt_einsum", "einops"),
}
"""Top-level modules whose functions are not watched: this package's, and those of libraries that it calls itself."""

DYNAMIC = frozenset(("getattr", "hasattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter"))
"""Names of code that may read any attribute of an object."""


def code_of(function: Any) -> types.CodeType:
    """Return the code of a method in Python, which a function of the compiled module may stand before."""
    code: types.CodeType = inspect.unwrap(function).__code__
    return code


ASSIGNMENT = code_of(Array.__setitem__)

CONVERSIONS = frozenset(
    code_of(function)
    for function in (
        Array.__setitem__,
        *(Array._single, Array.item, Array.tolist, Array.__array__, Array.__repr__, Array.__str__, Array.__reduce__),
        *(Array.__dlpack__, Array.to_device, to_numpy),
    )
)
"""Code of functions that give an array's values to Python or to another library, or write to it."""

UNREPEATABLE = (
    *(time.time, time.time_ns, time.monotonic, time.monotonic_ns, time.perf_counter, time.perf_counter_ns),
    *(time.process_time, time.process_time_ns, time.thread_time, time.thread_time_ns),
    *(time.localtime, time.gmtime, time.ctime, time.strftime),
    *(os.urandom, os.getpid, os.getcwd, os.listdir, os.scandir, os.stat, os.times, os.open, os.read),
    *(open, input, np.random.default_rng, datetime.datetime.now, datetime.datetime.utcnow),
    *(datetime.datetime.today, datetime.date.today),
)
"""Functions in C whose results differ from call to call, or depend on files."""

READERS = {
    ("os", "_Environ.__getitem__"): "os.environ",
    **{("uuid", name): f"uuid.{name}()" for name in ("uuid1", "uuid4")},
    **{("random", f"SystemRandom.{name}"): "secrets" for name in ("getrandbits", "randbytes", "random")},
    **{("pathlib", f"Path.{name}"): f"Path.{name}()" for name in ("exists", "iterdir", "open", "stat")},
    **{("genericpath", name): f"os.path.{name}()" for name in ("exists", "getmtime", "getsize", "isdir", "isfile")},
}
"""The same of the standard library's functions in Python, by module and name, and what messages call them."""

MEMBER = frozenset(("name", "value", "_name_", "_value_", "_sort_order_", "__objclass__"))
"""Attributes of a member of an enumeration that cannot be assigned to, or are Python's own."""

STREAMS: set[types.CodeType] = set()
"""Code of the functions that make a stream of random numbers."""


def _imports(frame: types.FrameType) -> bool:
    """Whether a frame imports a module, which sets its own names, or looks for one."""
    return frame.f_code.co_name == "<module>" or frame.f_globals.get("__name__") == "importlib._bootstrap"


def _computes(frame: types.FrameType) -> bool:
    """Whether a frame is a backend's. What it calls changes the state of libraries: wgpu, for example, parses types."""
    return str(frame.f_globals.get("__name__")).startswith("xtensor_")


def _top(frame: types.FrameType) -> str:
    """Return the top-level module of a frame."""
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def library(name: str | None) -> bool:
    """Whether a module is one whose functions are not watched."""
    top = (name or "").partition(".")[0]
    return top in LIBRARIES or top.startswith("xtensor_")


class Watch:
    """Collects the values from outside that a function reads while it is recorded.

    Attributes
    ----------
    arrays
        The Arrays and NumPy arrays among them.
    looked
        The line that computed with values of Arrays from outside in a way that is not recorded; empty without one.
    created
        Identities of streams of random numbers that the function made.
    """

    def __init__(self, recording: Callable[[Array], bool]) -> None:
        self.arrays: list[Any] = []
        self.generators: list[tuple[Any, Any]] = []
        self.own: dict[int, Any] = {}
        self.looked = ""
        self.created: dict[int, Any] = {}
        self._recording = recording
        self._codes: dict[int, types.CodeType] = {}  # by identity: the hash of code is that of its contents
        self._names: set[str] = set()
        self._guards: dict[tuple[int, str], Guard] = {}
        self._states: dict[int, tuple[Any, Any, str]] = {}
        self._fields: list[tuple[Any, frozenset[str], str]] = []
        self._seen: dict[int, Any] = {}
        self._owners: list[Any] = []
        self._before: list[tuple[bytes, int]] = []
        self._natives: dict[int, Any] = {}
        self._globals = (random.getstate(), _state_of_numpy())
        self._unrepeatable = self._written = ""
        self._frame: types.FrameType | None = None

    # -- while the function runs --------------------------------------------------------------------------------------

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function, and watch it. No garbage is collected meanwhile, whose callbacks are not of the function."""
        previous, collects = sys.getprofile(), gc.isenabled()
        gc.disable()
        self._frame = sys._getframe()
        self._report()
        try:
            return function(*args, **kwargs)
        finally:
            _restore(previous)
            self._frame = None
            if collects:
                gc.enable()

    def _report(self) -> None:
        """Let the interpreter report calls."""
        if compiled is not None:
            compiled.report_calls(self._codes, UNREPEATABLE, self._meet)
            return

        def event(frame: types.FrameType, event: str, argument: Any) -> None:
            if event == "call":
                if id(frame.f_code) not in self._codes:
                    self._meet(frame, None)
            elif event == "c_call" and argument in UNREPEATABLE:
                self._meet(frame, argument)

        sys.setprofile(event)

    def _meet(self, frame: types.FrameType, function: Any) -> None:
        """See a function in Python before it runs, or a function in C that a frame calls."""
        code = frame.f_code
        if self._is_within(frame, _imports):
            return
        if function is None and code in CONVERSIONS:
            self._convert(frame)
        elif function is None and code in STREAMS:
            self._create(frame)
        elif function is None and (reads := READERS.get((_top(frame), code.co_qualname))) is not None:
            reader = frame.f_back
            while reader is not None and _top(reader) in sys.stdlib_module_names:
                reader = reader.f_back
            if reader is not None and not library(_top(reader)):
                self._unrepeatable = self._unrepeatable or f"{reads} at {_line(reader)}"
        elif library(frame.f_globals.get("__name__")):
            if function is None:
                self._codes[id(code)] = code
        elif self._is_within(frame, _computes):
            pass  # its code is reported again, because the recorded function may call it as well
        elif function is None:
            self._codes[id(code)] = code
            self._enter(code, frame.f_globals)
        else:
            self._unrepeatable = f"{function.__name__}() at {_line(frame)}"

    def _is_within(self, frame: types.FrameType | None, condition: Callable[[types.FrameType], bool]) -> bool:
        """Whether a condition holds for a frame, or one that it was called from, of the recorded function."""
        while frame is not None and frame is not self._frame:
            if condition(frame):
                return True
            frame = frame.f_back
        return False

    def _convert(self, frame: types.FrameType) -> None:
        """Note a conversion of an Array from outside, or a write to it."""
        array = frame.f_locals.get("self", frame.f_locals.get("x"))
        if array.__class__ is Array and not self._recording(array):
            if frame.f_code is not ASSIGNMENT:
                self.looked = self.looked or _line(_caller(frame))
            elif self.outside(array._native):
                self._written = self._written or f" at {_line(_caller(frame))}"

    def _create(self, frame: types.FrameType) -> None:
        stream = frame.f_locals.get("self")
        self.created[id(stream)] = stream
        if frame.f_locals.get("seed") is None and not self._unrepeatable:
            self._unrepeatable = "a generator without a seed"

    def _enter(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        """Read the values that a user's function names before it runs."""
        names, attributes = _names_of(code)
        new = attributes - self._names
        self._names |= new
        for owner in list(self._owners):
            self._look(owner, new)
        for name in names:
            self._guard(dict.get, scope, name, scope.get(name, MISSING))  # missing: one of Python's own, or not yet set

    # -- what the function can reach ----------------------------------------------------------------------------------

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
                self.generators.append((value, _state_of(value)))
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
            self.own[id(value)] = value
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
            found = inspect.getattr_static(kind, name, MISSING)
            if found is MISSING or isinstance(found, (property, cached_property)) or _special(name):
                continue
            if isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                if owner is not kind and isinstance(found, types.MemberDescriptorType):
                    self._guard(getattr, owner, name, getattr(owner, name, MISSING))
                continue
            if isinstance(found, (staticmethod, classmethod)):
                self.visit(found.__func__, name)
            elif owner is not kind and not callable(found):
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

    def finish(self, name: str, computed: str) -> Guards:
        """Return the guards of the recording.

        Parameters
        ----------
        name
            The recorded function.
        computed
            The line that joined an array to the recording that may depend on arrays from outside; empty without one.

        Raises
        ------
        TypeError
            If the function changed a value from outside, or depends on one that has no guard.
        """
        remedy = "pass it as an argument and return it, or call the function unfused: __wrapped__"
        changed = [x for x, before in zip(self.arrays, self._before, strict=True) if contents(x) != before]
        if changed or self._written:
            shapes = "".join([f", of shape {x.shape}" for x in changed])
            raise TypeError(
                f"{name}(): a function of xtensor.fuse cannot write to arrays from outside{self._written}{shapes}; "
                f"{remedy}"
            )
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
        if self._unrepeatable:
            raise TypeError(
                f"{name}(): a function of xtensor.fuse gives the same for the same arguments, and this one calls "
                f"{self._unrepeatable}; call it outside, and pass the result as an argument"
            )
        drawn = self._globals != (random.getstate(), _state_of_numpy())
        if drawn or any(_state_of(generator) != state for generator, state in self.generators):
            raise TypeError(
                f"{name}(): a function of xtensor.fuse cannot draw from generators of NumPy or Python; draw outside "
                "and pass the numbers as an argument, or use xtensor.random.default_rng"
            )
        line = self.looked or computed
        compared = [x for x in self.arrays if line or x.__class__ is not Array]
        if sum(x.nbytes for x in compared) > MOST_BYTES:
            raise UnknownValueError(
                f"{name}(): a function of xtensor.fuse computes with values of arrays from outside"
                f"{line and ' at '}{line}, which is not recorded; pass these arrays as arguments, as Arrays"
            )
        exact = [guard for guard in self._guards.values() if guard[3] is not MISSING or guard[0] is dict.get]
        return Guards(exact, [state[:2] for state in self._states.values()], compared)


def pause_reports() -> Any:
    """Let the interpreter report no calls to a watch; return what :func:`resume_reports` takes."""
    reported: Any = sys.getprofile()
    if reported.__class__ is not tuple:
        return None
    sys.setprofile(None)
    return reported


def resume_reports(reported: Any) -> None:
    """Let the interpreter report calls again."""
    if reported is not None:
        compiled.report_calls(*reported)


def _restore(profiler: Any) -> None:
    """Let the interpreter report calls to a profiler as before."""
    if callable(profiler) or profiler is None:
        sys.setprofile(profiler)
    elif isinstance(profiler, tuple):
        compiled.report_calls(*profiler)  # of an outer recording
    else:
        profiler.enable()  # cProfile is an object of C that sys.setprofile does not take back


def _changed(name: str, label: str, remedy: str) -> TypeError:
    return TypeError(
        f"{name}(): a function of xtensor.fuse cannot change {label}, as later calls replay its operations alone; "
        f"{remedy}"
    )


def _label(owner: Any, name: str) -> str:
    if isinstance(owner, dict):
        return f"the global {name!r}"
    return f"{getattr(owner, '__name__', type(owner).__name__)}.{name}"


def _line(frame: types.FrameType | None) -> str:
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _caller(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame of the user's line."""
    caller: types.FrameType | None = frame
    while caller is not None and library(caller.f_globals.get("__name__")):
        caller = caller.f_back
    return caller


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


def _state_of_numpy() -> Any:
    kind, keys, *rest = tuple(np.random.get_state(legacy=True))
    return kind, np.asarray(keys).tobytes(), tuple(rest)
