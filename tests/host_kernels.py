"""CuPy's kernel classes on the host: the backend's kernels compiled by the host's C++ compiler, or as CUDA source."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

COMPILER = shutil.which("g++") or shutil.which("c++")


TYPES = {
    "bool": "bool",
    **{f"int{bits}": f"int{bits}_t" for bits in (8, 16, 32)},
    **{f"uint{bits}": f"uint{bits}_t" for bits in (8, 16, 32)},
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "_Float16",
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

    def run(self, code, buffers, count, types, preamble=""):
        names = {kind: TYPES[dtype.name] for kind, dtype in types.items()}
        definitions = "".join(f"typedef {name} {kind};\n" for kind, name in names.items())
        text = (
            "#include <cmath>\n#include <cstdint>\n#define __device__\n"
            + ("#include <complex>\n" if "complex" in definitions else "")
            + f"using namespace std;\n{definitions}{preamble}\n"
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

    def __call__(self, *args, size=None):
        self.standin.check(args)
        assert len(args) in (len(self.inputs), len(self.inputs) + len(self.outputs))
        types = self.types(args)
        parameters = self.inputs + self.outputs
        shapes = [
            value.shape
            for (*flags, _, _name), value in zip(parameters, args, strict=False)
            if isinstance(value, np.ndarray) and "raw" not in flags
        ]
        assert bool(shapes) != (size is not None), "CuPy takes a size where all arrays are raw, and only there"
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
        self.run(f"{code}{self.body}\n}}", buffers, flat.size if size is None else size, types)
        result[...] = flat.reshape(result.shape)
        return self.standin.on_current(result)


def renamed(expression, parameter, name):
    """An expression for CuPy's reduction with CUB, which replaces the parameter's name wherever the text has it."""
    return expression.replace(parameter, name)


class ReductionKernel(Kernel):
    def __init__(self, standin, inputs, outputs, mapped, reduced, last, identity, name, reduce_type=None, preamble=""):
        super().__init__(standin, inputs, outputs, name)
        self.parts = mapped, reduced, last, identity
        self.reduce_type, self.preamble = reduce_type, preamble

    def __call__(self, *operands, axis=None, keepdims=False):
        self.standin.check(operands)
        mapped, reduced, last, identity = self.parts
        for position, parameter in enumerate(self.inputs):
            mapped = renamed(mapped, parameter[-1], f"in{position}")
        last = renamed(last, self.outputs[0][-1], "out0")
        types = self.types(operands)
        x, *_ = operands = np.broadcast_arrays(*operands)
        axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        rest = [position for position in range(x.ndim) if position not in axes]
        shape = tuple(x.shape[position] for position in rest)
        length = math.prod(x.shape[position] for position in axes)
        lines = [np.ascontiguousarray(np.transpose(item, (*rest, *axes))).reshape(-1) for item in operands]
        result = np.empty(math.prod(shape), x.dtype)
        kind, count = self.outputs[0][-2], len(lines)
        state = self.reduce_type or kind
        elements = "".join(f"{kind}& in{k} = (({kind}*)arguments[{k}])[i];\n" for k in range(count))
        code = (
            f"long long length = *(long long*)arguments[{count + 1}];\nfor (long long j = 0; j < count; ++j) {{\n"
            f"{state} a = {state}({identity});\nfor (long long i = j * length; i < (j + 1) * length; ++i) {{\n"
            f"{elements}{state} b = {mapped};\na = {reduced};\n}}\n"
            f"{kind}& out0 = (({kind}*)arguments[{count}])[j];\n{last};\n}}"
        )
        self.run(code, [*lines, result, np.asarray(length, np.int64)], result.size, types, self.preamble)
        shape = tuple(1 if position in axes else n for position, n in enumerate(x.shape)) if keepdims else shape
        return self.standin.on_current(result.reshape(shape))


INTEGERS = ("short", "int", "long long")
FLOATING, COMPLEX = ("float", "double"), ("complex<float>", "complex<double>")
OPERATED = {
    **{f"xtensor_{name}": INTEGERS for name in ("nextafter", "key", "max", "min")},
    "xtensor_nonzero": INTEGERS[1:],
    **{f"xtensor_{name}_shift": (*INTEGERS, *(f"unsigned {name}" for name in INTEGERS)) for name in ("left", "right")},
    "xtensor_fill": ("float16", *FLOATING, *COMPLEX),
    "xtensor_one_nan": ("float16", *FLOATING, *COMPLEX),
    "xtensor_linspace": ("double", "complex<double>"),
    "xtensor_product_in_order": (*FLOATING, *COMPLEX),
    "xtensor_products_in_order": (*FLOATING, *COMPLEX),
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
                    parameters.append(f"{'' if output else 'const '}CArray<{kind}, 2, false, false> {label}")
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

    def ReductionKernel(  # noqa: N802
        self, inputs, outputs, mapped, reduced, last, identity, name, reduce_type=None, preamble=""
    ):
        kind, out = outputs.split()
        state = reduce_type or kind
        names = [parameter.split()[1] for parameter in inputs.split(", ")]
        for position, label in enumerate(names):
            mapped = renamed(mapped, label, f"in{position}")
        last, parameters = renamed(last, out, "out0"), ", ".join(f"{kind} in{k}" for k in range(len(names)))
        for element in OPERATED.get(name, FLOATING):
            self._add(
                element,
                f"{preamble} __device__ {kind} reduce({parameters}) {{ {state} a = {state}({identity}); {kind} out0;\n"
                f"{state} b = static_cast<{state}>({mapped}); a = ({reduced}); {last}; return out0; }}",
            )

    def _add(self, element, code):
        self.count += 1
        self.source += f"namespace k{self.count} {{ typedef {element} T; typedef {element} I;\n{code}\n}}\n"
