"""Kernels in OpenCL C are compiled ahead of time by clang, whose front end is that of most drivers."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from printed_kernels import PrintingRuntime, fused_sources_of, sources_of

from xtensor.backend import STANDARD_DTYPES
from xtensor_backends.buffers.languages import OpenCL, OpenCLOnCPU

CLANG = next(filter(None, map(shutil.which, ("clang", *[f"clang-{version}" for version in range(22, 13, -1)]))), None)

pytestmark = [
    pytest.mark.one_device,
    pytest.mark.skipif(CLANG is None, reason="clang is not installed: Debian's package clang"),
]

DOUBLE = ("float64", "complex128")

WITHOUT_DOUBLE = [name for name in STANDARD_DTYPES if name not in DOUBLE]

LANGUAGES = pytest.mark.parametrize("language", [OpenCL, OpenCLOnCPU])

STANDARDS = pytest.mark.parametrize("standard", ["CL1.2", "CL3.0"])


def errors_of(sources, standard, *, has_double=True):
    """Messages of clang about kernels, each of which has names of its own."""
    texts = []
    for number, source in enumerate(sources):
        text, kernels = re.subn(r"__kernel void f\(", f"__kernel void f{number}(", source)
        text, types = re.subn(r"typedef (\w+) I;", r"#undef I\n#define I \1", text)
        assert (kernels, types) == (1, 1), source
        texts.append(text)
    options = [
        "-fsyntax-only",
        "-x",
        "cl",
        f"-cl-std={standard}",
        "-target",
        "spir64",
        "-Wall",
        "-Werror",
        "-Wno-unused",
        "-Wno-tautological-compare",  # random programs compare values with themselves
    ]
    if not has_double:
        options += ["-Xclang", "-cl-ext=-cl_khr_fp64,-__opencl_c_fp64"]
    done = subprocess.run([CLANG, *options, "-"], input="\n".join(texts), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 or done.stderr
    return done.stderr


@LANGUAGES
@STANDARDS
def test_kernels_compile(language, standard):
    sources = sources_of(PrintingRuntime(language(has_double=True), STANDARD_DTYPES), ("bool", "int32", "float64"))
    assert len(sources) > 500
    assert not errors_of(sources, standard)


@LANGUAGES
@STANDARDS
def test_kernels_of_a_device_without_double_precision_do_not_use_it(language, standard):
    runtime = PrintingRuntime(language(has_double=False), WITHOUT_DOUBLE)
    sources = sources_of(runtime, ("bool", "uint32", "float32", "complex64"))
    assert len(sources) > 500
    assert not errors_of(sources, standard, has_double=False)


@LANGUAGES
@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_kernels_of_fused_programs_compile(language, count, registry):
    runtime = PrintingRuntime(language(has_double=True), STANDARD_DTYPES)
    sources = fused_sources_of(runtime, STANDARD_DTYPES, count)
    assert len(sources) > count
    assert not errors_of(sources, "CL3.0")


@LANGUAGES
def test_kernels_of_fused_programs_without_double_precision_do_not_use_it(language, registry):
    runtime = PrintingRuntime(language(has_double=False), WITHOUT_DOUBLE)
    sources = fused_sources_of(runtime, WITHOUT_DOUBLE, 60)
    assert len(sources) > 60
    assert not errors_of(sources, "CL1.2", has_double=False)


@pytest.mark.long
@LANGUAGES
def test_kernels_of_all_dtypes_compile(language):
    sources = sources_of(PrintingRuntime(language(has_double=True), STANDARD_DTYPES), STANDARD_DTYPES)
    assert len(sources) > 5000
    assert not errors_of(sources, "CL3.0")


def test_faults_are_found():
    source = "typedef int I;\n__kernel void f(__global float* b0) { b0[0] = STATEMENT; }"
    faults = {"1.0f": "", "unknown": "undeclared", "b0": "incompatible"}
    for statement, message in faults.items():
        found = errors_of([source.replace("STATEMENT", statement)], "CL3.0")
        assert message in found
        assert bool(found) == bool(message)
    assert "cl_khr_fp64" in errors_of([source.replace("STATEMENT", "(double)b0[1]")], "CL3.0", has_double=False)
