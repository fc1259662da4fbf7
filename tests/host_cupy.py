"""CuPy without a GPU: real CuPy arrays over the host's memory, and a stand-in for CuPy that computes with NumPy.

Neither gives CuPy's numbers, which need a GPU. The first runs CuPy's own code for views, strides and dtypes. The
second runs the backend around CuPy, with the backend's kernels compiled by the host's C++ compiler. It departs from the
standard where CuPy does, and binds every call to the signature of CuPy's function where CuPy is installed.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import inspect
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

COMPILER = shutil.which("g++") or shutil.which("c++")


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


# -- kernels ----------------------------------------------------------------------------------------------------------

TYPES = {
    "bool": "bool",
    **{f"int{bits}": f"int{bits}_t" for bits in (8, 16, 32)},
    **{f"uint{bits}": f"uint{bits}_t" for bits in (8, 16, 32)},
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}


@functools.cache
def compiled(code):
    """The entry point of C++ code, compiled for the host; binaries are cached between runs."""
    options = ["-std=c++17", "-O0", "-Wall", "-Wno-unused", "-Wno-div-by-zero", "-ffp-contract=off", "-shared", "-fPIC"]
    name = hashlib.sha256(" ".join([COMPILER, *options, code]).encode()).hexdigest()[:24]
    folder = Path.home() / ".cache" / "xtensor" / "host-kernels"
    binary = folder / f"{name}.so"
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            source, library = Path(scratch) / "kernel.cpp", Path(scratch) / "kernel.so"
            source.write_text(code)
            done = subprocess.run([COMPILER, *options, source, "-o", library], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            library.rename(binary)
    return ctypes.CDLL(str(binary)).run


class Kernel:
    """Base of CuPy's kernel classes: parameters with types, some of which follow from the arguments."""

    def __init__(self, standin, inputs, outputs, name):
        self.standin, self.name = standin, name
        self.inputs, self.outputs = ([part.split() for part in text.split(",")] for text in (inputs, outputs))

    def types(self, args):
        """The dtype of each type parameter; arrays decide, then NumPy's scalars, as in CuPy."""
        dtypes = {}
        parameters = (self.inputs + self.outputs)[: len(args)]
        for operand_class in (np.ndarray, np.generic):
            for (*_, kind, _name), value in zip(parameters, args, strict=True):
                if isinstance(value, operand_class) and len(kind) == 1:
                    known = dtypes.setdefault(kind, value.dtype)
                    if operand_class is np.ndarray and known != value.dtype:
                        raise TypeError(f"{self.name}: type {kind} is {known} and {value.dtype}")
        return dtypes

    def run(self, code, buffers, count, types):
        names = {kind: TYPES[dtype.name] for kind, dtype in types.items()}
        definitions = "".join(f"typedef {name} {kind};\n" for kind, name in names.items())
        text = (
            "#include <cmath>\n#include <cstdint>\n"
            + ("#include <complex>\n" if "complex" in definitions else "")
            + f"using namespace std;\n{definitions}"
            + f'extern "C" void run(void** arguments, long long count) {{\n{code}\n}}\n'
        )
        pointers = (ctypes.c_void_p * len(buffers))(*(buffer.ctypes.data for buffer in buffers))
        compiled(text)(pointers, ctypes.c_longlong(count))

    def dtype(self, kind, types):
        return types[kind] if kind in types else np.dtype(kind)

    def declared(self, parameters, buffers, types, index):
        """C++ declarations of a kernel's parameters at one index; those of one element are scalars."""
        lines = []
        for position, (*flags, kind, name) in enumerate(parameters):
            typename = kind if kind in types else TYPES[kind]
            pointer = f"(({typename}*)arguments[{position}])"
            constant = "const " if position < len(self.inputs) else ""
            if "raw" in flags:
                lines.append(f"{constant}{typename}* {name} = {pointer};")
            else:
                lines.append(f"{constant}{typename}& {name} = {pointer}[{index if buffers[position].ndim else 0}];")
        return "\n".join(lines)


class ElementwiseKernel(Kernel):
    def __init__(self, standin, inputs, outputs, body, name):
        super().__init__(standin, inputs, outputs, name)
        self.body = body

    def __call__(self, *args):
        self.standin.check(args)
        assert len(args) in (len(self.inputs), len(self.inputs) + len(self.outputs))
        types = self.types(args)
        parameters = self.inputs + self.outputs
        shapes = [
            value.shape
            for (*flags, _, _name), value in zip(parameters, args, strict=False)
            if isinstance(value, np.ndarray) and "raw" not in flags
        ]
        shape = np.broadcast_shapes(*shapes)
        buffers = []
        for (*flags, kind, _), value in zip(self.inputs, args, strict=False):
            values = np.asarray(value, self.dtype(kind, types))
            if isinstance(value, np.ndarray) and "raw" not in flags:
                values = np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(-1)
            buffers.append(np.ascontiguousarray(values) if isinstance(value, np.ndarray) else values)
        kind = self.outputs[0][-2]
        given = args[len(self.inputs)] if len(args) > len(self.inputs) else None
        result = np.empty(shape, self.dtype(kind, types)) if given is None else given
        flat = np.ascontiguousarray(result).reshape(-1)
        buffers.append(flat)
        code = f"for (long long i = 0; i < count; ++i) {{\n{self.declared(parameters, buffers, types, 'i')}\n"
        self.run(f"{code}{self.body}\n}}", buffers, flat.size, types)
        result[...] = flat.reshape(result.shape)
        return self.standin.on_current(result)


class ReductionKernel(Kernel):
    def __init__(self, standin, inputs, outputs, mapped, reduced, last, identity, name):
        super().__init__(standin, inputs, outputs, name)
        self.parts = mapped, reduced, last, identity

    def __call__(self, x, *, axis=None, keepdims=False):
        self.standin.check((x,))
        mapped, reduced, last, identity = self.parts
        axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        rest = [position for position in range(x.ndim) if position not in axes]
        shape = tuple(x.shape[position] for position in rest)
        length = math.prod(x.shape[position] for position in axes)
        lines = np.ascontiguousarray(np.transpose(x, (*rest, *axes))).reshape(-1)
        result = np.empty(math.prod(shape), x.dtype)
        types = self.types((x,))
        code = (
            f"long long length = *(long long*)arguments[2];\nfor (long long j = 0; j < count; ++j) {{\n"
            f"T a = T({identity});\nfor (long long i = j * length; i < (j + 1) * length; ++i) {{\n"
            f"T& x = ((T*)arguments[0])[i];\nT b = {mapped};\na = {reduced};\n}}\n"
            f"T& y = ((T*)arguments[1])[j];\n{last};\n}}"
        )
        self.run(code, [lines, result, np.asarray(length, np.int64)], result.size, types)
        shape = tuple(1 if position in axes else n for position, n in enumerate(x.shape)) if keepdims else shape
        return self.standin.on_current(result.reshape(shape))


# -- the kernels in a GPU's frame --------------------------------------------------------------------------------------

FLOATING, COMPLEX = ("float", "double"), ("complex<float>", "complex<double>")
OPERATED = {
    **{f"xtensor_{name}": ("short", "int", "long long") for name in ("nextafter", "key")},
    "xtensor_fill": ("float16", *FLOATING, *COMPLEX),
    "xtensor_one_nan": ("float16", *FLOATING),
    "xtensor_linspace": ("double", "complex<double>"),
    "xtensor_product_in_order": (*FLOATING, *COMPLEX),
    "xtensor_arange": ("double",),
    "xtensor_arange_of_integers": ("signed char", "unsigned char", "short", "long long", "unsigned long long"),
}
"""The element types that a kernel is called with, if they are not ``FLOATING``."""


class DeviceCode:
    """Takes CuPy's place where kernels are built: collects them as CUDA source, in a frame such as CuPy's."""

    def __init__(self):
        self.count = 0
        headers = ("float16.cuh", "complex.cuh", "carray.cuh")
        self.source = "".join(f"#include <cupy/{header}>\n" for header in headers)

    def ElementwiseKernel(self, inputs, outputs, body, name):  # noqa: N802 - CuPy's name
        for element in OPERATED.get(name, FLOATING):
            parameters, declared = [], []
            for position, parameter in enumerate((inputs + ", " + outputs).split(", ")):
                *flags, kind, label = parameter.split()
                kind = kind if len(kind) == 1 else TYPES[kind]
                output = position >= len(inputs.split(", "))
                if "raw" in flags:
                    parameters.append(f"const CArray<{kind}, 2, false, false> {label}")
                elif output or label in ("x", "y", "bits"):
                    parameters.append(f"CArray<{kind}, 1, true, true> _raw_{label}")
                    declared.append(f"{'' if output else 'const '}{kind} &{label} = _raw_{label}[_ind.get()];")
                else:
                    parameters.append(f"const {kind} {label}")
            self._add(
                element,
                f"__global__ void kernel({', '.join(parameters)}, CIndexer<1> _ind) {{\n"
                f"CUPY_FOR(i, _ind.size()) {{ _ind.set(i);\n{' '.join(declared)}\n{body}\n}} }}",
            )

    def ReductionKernel(self, inputs, outputs, mapped, reduced, last, identity, name):  # noqa: N802
        for element in FLOATING:
            self._add(
                element,
                f"__device__ T reduce(T x) {{ T a = T({identity}), b = static_cast<T>({mapped}), y;\n"
                f"a = ({reduced}); {last}; return y; }}",
            )

    def _add(self, element, code):
        self.count += 1
        self.source += f"namespace k{self.count} {{ typedef {element} T; typedef {element} I;\n{code}\n}}\n"


# -- where CuPy departs from the standard ------------------------------------------------------------------------------


def refusing(kinds):
    """A function that must not be called with arrays of some kinds: CuPy's has other results, or does not compile."""

    def depart(name, function):
        def called(*args, **kwargs):
            dtypes = [value.dtype for value in args if isinstance(value, np.ndarray)]
            if any(dtype.kind in kinds for dtype in dtypes):
                raise AssertionError(f"cupy.{name} departs from the standard for {dtypes}")
            return function(*args, **kwargs)

        return called

    return depart


def undefined_where(condition):
    """A function of one operand that gives NaN for complex numbers, given as components, that meet a condition."""

    def depart(name, function):
        def called(x):
            result = function(x)
            if x.dtype.kind == "c":
                result[condition(np.asarray(x.real), np.asarray(x.imag))] = complex(math.nan, math.nan)
            return result

        return called

    return depart


def overflowing_quotient(name, function):
    """Division of complex numbers by the definition, in which intermediate results overflow."""

    def called(x1, x2):
        if np.result_type(x1, x2).kind != "c":
            return function(x1, x2)
        with np.errstate(all="ignore"):
            return x1 * np.conj(x2) / (np.real(x2) ** 2 + np.imag(x2) ** 2)

    return called


def in_reverse_order(name, function):
    """A product in the reverse order of the factors."""
    return lambda x, axis=None, **options: function(np.flip(x, axis), axis=axis, **options)


def refusing_repeated_axes(name, function):
    def called(x, *, axes, **options):
        if len(set(axes)) != len(axes):
            raise AssertionError(f"cupy.{name} transforms each axis once, and axes are {axes}")
        return function(x, axes=axes, **options)

    return called


DEPARTURES = {
    **dict.fromkeys(("argmax", "argmin", "floor_divide", "max", "min", "nextafter", "remainder"), refusing("f")),
    **dict.fromkeys(("expm1", "log1p", "log2", "rint", "sign"), refusing("c")),
    **dict.fromkeys(("log", "log10"), undefined_where(lambda a, b: np.isnan(a) | np.isnan(b))),
    "acosh": undefined_where(lambda a, b: np.isnan(b)),
    "divide": overflowing_quotient,
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), refusing_repeated_axes),
    "prod": in_reverse_order,
    "tan": undefined_where(lambda a, b: np.isinf(b)),
    "tanh": undefined_where(lambda a, b: np.isinf(a)),
}

INPLACE = (
    *("iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub"),
    *("itruediv", "ixor"),
)


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

            def astype(self, *args, **kwargs):
                with np.errstate(all="ignore"):  # CuPy does not warn
                    return super().astype(*args, **kwargs)

            def fill(self, value):
                # As in CuPy, zeros are written as bytes and lose their sign.
                super().fill(0 if value == 0 and self.flags.c_contiguous else value)

            def __getitem__(self, key):
                result = super().__getitem__(key)
                return result if isinstance(result, ndarray) else standin.on_current(result)

            def __setitem__(self, key, value):
                target = self[key] if isinstance(key, (int, slice, type(...))) else None
                if isinstance(target, ndarray) and not isinstance(value, np.ndarray):
                    target.fill(value)
                else:
                    standin.check((self, value))
                    super().__setitem__(key, value)

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
            memGetInfo=lambda: (1000 + self.current, 2000),
            getDeviceProperties=lambda index: {
                "name": b"Stand-in",
                "major": 9,
                "minor": 0,
                "integrated": 0,
                **({"gcnArchName": b"gfx942"} if hip else {}),
            },
        )
        self.cuda = SimpleNamespace(runtime=runtime, Device=Device)
        self.linalg = Chapter(self, np.linalg, "linalg.")
        self.fft = Chapter(self, np.fft, "fft.")
        cache = SimpleNamespace(clear=lambda: self.calls.append(f"clear plans {self.current}"))
        self.fft.config = SimpleNamespace(get_plan_cache=lambda: cache)

    def ElementwiseKernel(self, *args):  # noqa: N802 - CuPy's name
        return ElementwiseKernel(self, *args)

    def ReductionKernel(self, *args):  # noqa: N802
        return ReductionKernel(self, *args)

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

    def count_nonzero(self, x, axis=None):
        self.bound("count_nonzero", (x,), {"axis": axis})
        return self.on_current(np.count_nonzero(x, axis=axis))

    def argsort(self, x, axis=-1):
        self.bound("argsort", (x,), {"axis": axis})
        return self.on_current(np.argsort(x, axis=axis, kind="stable"))  # CuPy's sorts are stable

    def asnumpy(self, x):
        self.calls.append("to host")
        return np.array(x)

    def array(self, x):
        return self.on_current(np.array(x))

    def isin(self, x1, x2, **options):
        self.bound("isin", (x1, x2), options)
        return self.on_current(np.isin(np.asarray(x1), np.asarray(x2), **options))

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
