"""The watch over a function that is recorded: which values from outside it reads, and whether it changes them.

While a function is recorded, the interpreter reports each Python function that runs. The global names of a user's
function, its closure and defaults, and the attributes that its code names, of every object reached from them and from
the arguments, are read before it runs. A value that the recorded call changes raises, as a replay would not change it.
"""

from __future__ import annotations

import contextlib
import datetime
import gc
import inspect
import os
import random
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core.array import Array, to_numpy
from .._core.compiled import compiled
from .._core.tracing_errors import UnknownValueError
from .guards import MISSING, Guards
from .keys import MOST_BYTES
from .outside import Outside, library, state_of_numpy

__all__ = ["STREAMS", "Watch", "collecting_no_garbage"]


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
    *(datetime.datetime.today, datetime.date.today, np.fromfile),
)
"""Functions in C whose results differ from call to call, or depend on files."""

READERS = {
    ("os", "_Environ.__getitem__"): "os.environ",
    **{("uuid", name): f"uuid.{name}()" for name in ("uuid1", "uuid4")},
    **{("random", f"SystemRandom.{name}"): "secrets" for name in ("getrandbits", "randbytes", "random")},
    **{("pathlib", f"Path.{name}"): f"Path.{name}()" for name in ("exists", "iterdir", "open", "stat")},
    **{("numpy", name): f"numpy.{name}()" for name in ("load", "loadtxt", "genfromtxt", "fromregex")},
    ("numpy", "memmap.__new__"): "numpy.memmap()",
    ("xtensor", "load"): "load()",
    **{("genericpath", name): f"os.path.{name}()" for name in ("exists", "getmtime", "getsize", "isdir", "isfile")},
}
"""The same of the standard library's functions in Python, by module and name, and what messages call them."""

LIBRARY_CODES: dict[int, types.CodeType] = {}
"""Code of libraries' functions that an earlier recording met, by identity: that they run tells nothing."""

MOST_CODES = 2**13

STREAMS: set[types.CodeType] = set()
"""Code of the functions that make a stream of random numbers."""


def _imports(frame: types.FrameType) -> bool:
    """Whether a frame imports a module, which sets its own names, or looks for one."""
    return frame.f_code.co_name == "<module>" or frame.f_globals.get("__name__") == "importlib._bootstrap"


def _computes(frame: types.FrameType) -> bool:
    """Whether a frame is a backend's. What it calls changes the state of libraries: wgpu, for example, parses types.

    Reports pause while the recording computes (:func:`pause_reports`, which saves a third of its time). What a function
    computes with arrays from outside alone is a call of their device, which no recording sees.
    """
    name = str(frame.f_globals.get("__name__"))
    return name.startswith("xtensor_") and library(name)


def _top(frame: types.FrameType) -> str:
    """Return the top-level module of a frame."""
    return str(frame.f_globals.get("__name__")).partition(".")[0]


class Watch(Outside):
    """Collects the values from outside that a function reads while it is recorded.

    Attributes
    ----------
    looked
        The line that computed with values of Arrays from outside in a way that is not recorded; empty without one.
    created
        Identities of streams of random numbers that the function made.
    """

    def __init__(self, recording: Callable[[Array], bool]) -> None:
        super().__init__(recording)
        self.looked = ""
        self.created: dict[int, Any] = {}
        self._codes = LIBRARY_CODES.copy()  # by identity: the hash of code is that of its contents
        self._globals = random.getstate(), state_of_numpy()
        self._alone = threading.active_count() == 1
        self._unrepeatable = self._written = ""
        self._frame: types.FrameType | None = None

    # -- while the function runs --------------------------------------------------------------------------------------

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function, and watch it."""
        previous = sys.getprofile()
        self._frame = sys._getframe()
        try:
            self._report()
            return function(*args, **kwargs)
        finally:
            sys.setprofile(None)  # at once: an interrupt may come as a function in Python begins
            if previous is not None:
                _restore(previous)
            self._frame = None

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
                if len(LIBRARY_CODES) < MOST_CODES:
                    LIBRARY_CODES[id(code)] = code
        elif self._is_within(frame, _computes):
            pass  # its code is reported again, because the recorded function may call it as well
        elif function is None:
            self._codes[id(code)] = code
            self.read(code, frame.f_globals)
            if code.co_freevars and not self.knows(code):  # of a function that nothing names: one that C holds
                held = frame.f_locals
                for free in code.co_freevars:
                    self.visit(held.get(free, MISSING), f"{free}, of the closure of {code.co_qualname}")
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

    # -- afterwards ---------------------------------------------------------------------------------------------------

    def _has_drawn_globally(self) -> bool:
        """Whether the global generators have changed, which another thread may do where no function names one."""
        if self._globals == (random.getstate(), state_of_numpy()):
            return False
        return (self._alone and threading.active_count() == 1) or self.may_draw()

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
        changed = self.changed_arrays()
        if changed or self._written:
            shapes = "".join([f", of shape {x.shape}" for x in changed])
            raise TypeError(
                f"{name}(): a function of xtensor.fuse cannot write to arrays from outside{self._written}{shapes}; "
                f"{remedy}"
            )
        self.check(name, remedy)
        if self._unrepeatable:
            raise TypeError(
                f"{name}(): a function of xtensor.fuse gives the same for the same arguments, and this one calls "
                f"{self._unrepeatable}; call it outside, and pass the result as an argument"
            )
        if self._has_drawn_globally() or self.has_drawn():
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
        return self.guards(compared)


@contextlib.contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Collect no garbage meanwhile.

    Its callbacks are not of the recorded function, and a recording makes so many objects that the collections took a
    third of the time of a small one.
    """
    collects = gc.isenabled()
    try:
        gc.disable()  # an interrupt is raised once this is done
        yield
    finally:
        if collects:
            gc.enable()


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


def _line(frame: types.FrameType | None) -> str:
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _caller(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame of the user's line."""
    caller: types.FrameType | None = frame
    while caller is not None and library(caller.f_globals.get("__name__")):
        caller = caller.f_back
    return caller
