"""CuPy without a GPU: real CuPy arrays over the host's memory, and a stand-in for CuPy that computes with NumPy.

Neither gives CuPy's numbers, which need a GPU. The first runs CuPy's own code for views, strides and dtypes. The
second runs the backend around CuPy, with the backend's kernels compiled by the host's C++ compiler. It departs from the
standard where CuPy does (``cupy_departures``), and binds every call to the signature of CuPy's function where CuPy is
installed.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from types import SimpleNamespace

import host_cublas
import numpy as np
from cupy_departures import DEPARTURES, flushed, radix_order, wrapped
from host_kernels import COMPILER, DeviceCode, ElementwiseKernel, ReductionKernel

__all__ = ["COMPILER", "DeviceCode", "RuntimeFailureError", "StandIn", "bind", "host_backed", "host_view", "signature"]


@contextlib.contextmanager
def host_backed(cupy):
    """Let CuPy allocate from the host's memory: functions that launch no kernel then work without a driver."""
    memory = cupy.cuda.memory

    def allocate(size):
        owner = np.zeros(max(size, 1), np.uint8)
        return memory.MemoryPointer(memory.UnownedMemory(owner.ctypes.data, max(size, 1), owner, 0), 0)

    before = cupy.cuda.get_allocator()
    cupy.cuda.set_allocator(allocate)
    try:
        yield
    finally:
        cupy.cuda.set_allocator(before)


def host_view(native):
    """The elements of a host-backed CuPy array, as a NumPy array on the same memory."""
    interface = {
        "shape": native.shape,
        "strides": native.strides,
        "typestr": np.dtype(f"V{native.dtype.itemsize}" if native.dtype.kind == "V" else native.dtype).str,
        "data": (native.data.ptr, False),
        "version": 3,
    }
    elements = np.asarray(SimpleNamespace(__array_interface__=interface, owner=native))
    return elements.view(native.dtype)


# -- signatures -------------------------------------------------------------------------------------------------------


def signature(function):
    """The signature of a function of CuPy, from its docstring where it is compiled; None for the classes of kernels."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        pass
    if hasattr(function, "nin"):
        inputs = [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY) for i in range(function.nin)]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
            for name in ("out", "dtype", "casting")
        ]
        return inspect.Signature(inputs + named)
    match = re.match(r"[\w.]*?(\w+)\((.*?)\)(?: ->|\s|$)", (function.__doc__ or "").strip(), re.DOTALL)
    if match is None:
        raise LookupError(f"no signature of {function!r}")
    arguments = re.sub(r"\b(?:int|bint|Py_ssize_t|_ndarray_base|tuple|bool) (?=\w)", "", match[2])
    scope: dict[str, object] = {}
    exec(f"def f({arguments}): ...", scope)
    return inspect.signature(scope["f"])


def bind(function, args, kwargs):
    """Bind a call's arguments to CuPy's function; TypeError if it would not take them."""
    return signature(function).bind(*args, **kwargs)


INPLACE = (
    *("iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub"),
    *("itruediv", "ixor"),
)


# -- assignment as CuPy's ---------------------------------------------------------------------------------------------


def modulo(shape, key):
    """A key whose index arrays are taken modulo the lengths of their axes."""
    parts = key if isinstance(key, tuple) else (key,)

    def taken(part):
        if part is None or part is Ellipsis or isinstance(part, bool):
            return 0
        return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1

    axis, result = 0, []
    for part in parts:
        axis += (len(shape) - sum(map(taken, parts))) * (part is Ellipsis)
        if isinstance(part, (float, np.floating)):
            part = int(part)  # CuPy drops the fraction
        positions = isinstance(part, np.ndarray) and part.dtype.kind in "iu" and axis < len(shape)
        result.append(wrapped(part, shape[axis]) if positions else part)
        axis += taken(part)
    return tuple(result) if isinstance(key, tuple) else result[0]


def copy_bytes(target, value):
    """An assignment of equal shape and strides: none at all from the same address, else a copy of the memory."""
    if target.ctypes.data == value.ctypes.data:
        return
    if not (target.flags.c_contiguous and target.dtype == value.dtype and np.may_share_memory(target, value)):
        np.ndarray.__setitem__(target, ..., value)
        return
    target, value = (np.asarray(x).reshape(-1) for x in (target, value))
    forwards = target.ctypes.data > value.ctypes.data  # the direction in which elements are read too late
    for i in range(target.size) if forwards else reversed(range(target.size)):
        target[i] = value[i]


def scatter(target, key, value):
    """An assignment by index arrays that reads its operands while it writes, in an order that shows it, if one does."""
    host, before = np.asarray(target), np.array(target)
    expected = before.copy()
    parts = [
        np.array(part) if isinstance(part, np.ndarray) else part for part in (key if isinstance(key, tuple) else (key,))
    ]
    expected[modulo(target.shape, tuple(parts))] = np.array(value)
    for step in (1, -1):
        host[...] = before
        write_in_order(target, key, value, step)
        if not np.array_equal(host, expected):
            return


def write_in_order(target, key, value, step):
    places = np.arange(target.size).reshape(target.shape)
    for i in range(places[modulo(target.shape, key)].size)[::step]:
        positions = places[modulo(target.shape, key)]
        place = np.unravel_index(positions.reshape(-1)[i % max(positions.size, 1)], target.shape)
        np.asarray(target)[place] = np.broadcast_to(np.asarray(value), positions.shape).reshape(-1)[i % positions.size]


# -- the stand-in -----------------------------------------------------------------------------------------------------


class RuntimeFailureError(RuntimeError):
    """The stand-in's CUDARuntimeError."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class StandIn:
    """NumPy in CuPy's names: a current device, kernels, arrays that know their device.

    ``cupy`` is the real module, whose signatures every call must fit, or None. ``calls`` records transfers to the
    host, work on the pool and in-place operators.
    """

    __version__ = "14.2.0"

    def __init__(self, devices=1, cupy=None, hip=False):
        self.current, self.calls = 0, []
        self._cupy = cupy
        standin = self

        class Device:
            def __init__(self, index):
                self.id = index
                self._before = []

            def __enter__(self):
                self._before.append(standin.current)
                standin.current = self.id

            def __exit__(self, *_):
                standin.current = self._before.pop()

            def synchronize(self):
                standin.calls.append(f"synchronize {self.id}")

        class ndarray(np.ndarray):  # noqa: N801 - CuPy's name
            def __array_finalize__(self, source):
                self.index = getattr(source, "index", standin.current)

            @property
            def device(self):
                return Device(self.index)

            @property
            def data(self):
                return SimpleNamespace(ptr=self.ctypes.data)

            def __dlpack__(self, **requested):  # of its own, as CuPy's arrays have it
                return np.ndarray.__dlpack__(self, **requested)

            def astype(self, dtype, **kwargs):
                source = self
                if np.dtype(dtype) == np.bool_ and self.dtype.kind in "fc":
                    source = standin.on_current(flushed(self.real))  # the real component alone
                with np.errstate(all="ignore"):  # CuPy does not warn
                    return np.ndarray.astype(source, dtype, **kwargs)

            def fill(self, value):
                # As in CuPy, zeros are written as bytes and lose their sign.
                super().fill(0 if value == 0 and self.flags.c_contiguous else value)

            def __getitem__(self, key):
                result = super().__getitem__(modulo(self.shape, key))
                return result if isinstance(result, ndarray) else standin.on_current(result)

            def __setitem__(self, key, value):
                parts = key if isinstance(key, tuple) else (key,)
                standin.check((self, value))
                if not any(isinstance(part, np.ndarray) for part in parts):
                    # A view, where NumPy would give a scalar.
                    target = self[key if any(part is Ellipsis for part in parts) else (*parts, ...)]
                    if not isinstance(value, np.ndarray):
                        target.fill(value)
                    elif target.shape == value.shape and target.strides == value.strides:
                        copy_bytes(target, value)
                    else:
                        np.ndarray.__setitem__(self, key, value)
                elif any(isinstance(part, np.ndarray) and np.may_share_memory(self, part) for part in (*parts, value)):
                    scatter(self, key, value)
                else:
                    np.ndarray.__setitem__(self, modulo(self.shape, key), value)

            def sort(self, axis=-1):
                if self.ndim == 1:
                    np.ndarray.__setitem__(self, ..., np.asarray(self)[radix_order(np.asarray(self))])
                else:
                    super().sort(axis=axis, kind="stable")

        def to_host(name):
            def read(self, *args):
                standin.calls.append("to host")
                return getattr(np.ndarray, name)(self, *args)

            return read

        for name in ("__bool__", "__int__", "__float__", "__complex__", "__index__", "item", "tolist"):
            setattr(ndarray, name, to_host(name))

        def in_place(name):
            def operate(self, other):
                standin.check((self, other))
                standin.calls.append(name)
                with np.errstate(all="ignore"):
                    return getattr(np.ndarray, f"__{name}__")(self, other)

            return operate

        for name in INPLACE:
            setattr(ndarray, f"__{name}__", in_place(name))
        self.ndarray = ndarray
        runtime = SimpleNamespace(
            is_hip=hip,
            CUDARuntimeError=RuntimeFailureError,
            getDeviceCount=lambda: devices,
            getDevice=lambda: self.current,
            driverGetVersion=lambda: 12090,
            memGetInfo=lambda: (1000 + self.current, 2000),
            getDeviceProperties=lambda index: {
                "name": b"Stand-in",
                "major": 9,
                "minor": 0,
                "integrated": 0,
                **({"gcnArchName": b"gfx942"} if hip else {}),
            },
        )
        nvrtc = SimpleNamespace(getVersion=lambda: (12, 9))
        self.cuda = SimpleNamespace(
            runtime=runtime, Device=Device, nvrtc=nvrtc, cublas=host_cublas, get_cublas_handle=lambda: 1
        )
        self.linalg = Chapter(self, np.linalg, "linalg.")
        self.fft = Chapter(self, np.fft, "fft.")
        cache = SimpleNamespace(clear=lambda: self.calls.append(f"clear plans {self.current}"))
        self.fft.config = SimpleNamespace(get_plan_cache=lambda: cache)

    def ElementwiseKernel(self, *args):  # noqa: N802 - CuPy's name
        return ElementwiseKernel(self, *args)

    def ReductionKernel(self, *args, **options):  # noqa: N802
        return ReductionKernel(self, *args, **options)

    def on_current(self, result):
        """A result as an array on the current device."""
        if isinstance(result, tuple):
            return tuple(map(self.on_current, result))
        native = np.asarray(result).view(self.ndarray)
        native.index = self.current
        return native

    def check(self, values):
        """Refuse arrays of another device than the current one."""
        for value in values:
            if isinstance(value, (list, tuple)):
                self.check(value)
            elif isinstance(value, np.ndarray) and getattr(value, "index", self.current) != self.current:
                raise AssertionError(f"an array of device {value.index} while device {self.current} is current")

    def __getattr__(self, name):
        return Chapter(self, np, "").function(name)

    def asnumpy(self, x):
        self.calls.append("to host")
        return np.array(x)

    def array(self, x):
        result = self.on_current(np.array(x))
        if result.ndim == 0 and result.dtype.kind in "biufc":
            result.fill(result[()])  # as CuPy does it
        return result

    def may_share_memory(self, a, b):
        self.bound("may_share_memory", (a, b), {})
        if not (isinstance(a, self.ndarray) and isinstance(b, self.ndarray)):
            raise TypeError("Argument has incorrect type (expected cupy._core.core._ndarray_base)")
        return bool(np.may_share_memory(a, b))

    def from_dlpack(self, producer, **options):
        self.calls.append(("from_dlpack", options))
        return self.on_current(np.asarray(producer))

    def get_default_memory_pool(self):
        return SimpleNamespace(
            used_bytes=lambda: 10 + self.current,
            total_bytes=lambda: 20 + self.current,
            free_all_blocks=lambda: self.calls.append(f"free {self.current}"),
        )

    def get_default_pinned_memory_pool(self):
        return SimpleNamespace(free_all_blocks=lambda: self.calls.append("free pinned"))

    def bound(self, name, args, kwargs):
        """Bind a call to the signature of CuPy's function of that name."""
        self.check(args)
        if self._cupy is None:
            return
        function = functools.reduce(getattr, name.split("."), self._cupy)
        bind(function, args, kwargs)


class Chapter:
    """NumPy's functions of one module, as the stand-in's."""

    def __init__(self, standin, source, prefix):
        self._standin, self._source, self._prefix = standin, source, prefix

    def function(self, name):
        function = getattr(self._source, name)
        if not callable(function):
            return function

        @functools.wraps(function)
        def called(*args, **kwargs):
            self._standin.bound(self._prefix + name, args, kwargs)
            with np.errstate(all="ignore"):
                return self._standin.on_current(function(*args, **kwargs))

        path = self._prefix + name
        return DEPARTURES[path](path, called) if path in DEPARTURES else called

    def __getattr__(self, name):
        return self.function(name)
