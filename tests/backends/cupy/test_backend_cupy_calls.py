"""The CuPy backend's calls of CuPy: signatures, kernels for a GPU's compiler, views of real CuPy arrays."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import host_cupy
import numpy as np
import pytest
from cupy_support import INF, NAN, SOURCES, cupy, has_gpu, needs_cupy


def test_importing_the_backend_imports_neither_cupy_nor_its_own_functions():
    code = "import sys, xtensor_backends.cupy; print(sorted(m for m in sys.modules if 'cupy' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['xtensor_backends.cupy']"


ARRAYS = ("x", "result", "native", "counts", "factor", "indices", "lines", "repeats", "work")
"""The names of native arrays in the backend's source."""


def calls_of_cupy():
    """Yield each call ``cp.x.y(…)`` or ``array.method(…)`` in the backend's source: file, function's name, call."""
    roots = {"cp", "library", "cupy"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            parts, value = [], node.func
            while isinstance(value, ast.Attribute):
                parts.insert(0, value.attr)
                value = value.value
            root = value.id if isinstance(value, ast.Name) else ""
            if root == "self" and parts[0] == "_cp":
                yield path.name, ".".join(parts[1:]), node
            elif root in roots:
                yield path.name, ".".join(parts), node
            elif len(parts) == 1 and root in ARRAYS:
                yield path.name, f"ndarray.{parts[0]}", node


@needs_cupy
def test_every_call_of_cupy_fits_its_signature():
    checked = []
    for where, name, node in calls_of_cupy():
        if name.startswith("cuda.cublas."):
            continue  # this module is imported only where cuBLAS is installed; test_backend_cupy_products calls it
        function = cupy
        for part in name.split("."):
            assert hasattr(function, part), f"{where}:{node.lineno}: there is no cupy.{name}"
            function = getattr(function, part)
        if name in ("ElementwiseKernel", "ReductionKernel", "cuda.Device", "ndarray.__dlpack__", "from_dlpack"):
            continue  # compiled classes and functions without a signature; the tests below go through them
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            continue
        args = ["self"] * name.startswith("ndarray.") + [None] * len(node.args)
        kwargs = {keyword.arg: None for keyword in node.keywords if keyword.arg is not None}
        if name.startswith("cuda.runtime."):  # they have no signature
            continue
        try:
            host_cupy.bind(function, args, kwargs)
        except TypeError as error:
            pytest.fail(f"{where}:{node.lineno}: cupy.{name}: {error}")
        checked.append(name)
    assert len(checked) > 45


@needs_cupy
def test_binding_refuses_a_call_that_cupy_would_refuse():
    with pytest.raises(TypeError, match="descending"):
        host_cupy.bind(cupy.sort, [None], {"descending": True})
    with pytest.raises(TypeError, match="correction"):
        host_cupy.bind(cupy.ndarray.var, [None], {"correction": 1})
    with pytest.raises(TypeError):
        host_cupy.bind(cupy.add, [1, 2, 3], {})


@needs_cupy
def test_every_unchanged_function_exists_in_cupy():
    from xtensor_backends.cupy import _linalg, _namespace

    assert [name for name in _namespace.UNCHANGED if not hasattr(cupy, name)] == []
    assert [name for name in _linalg.UNCHANGED if not hasattr(cupy if name == "cross" else cupy.linalg, name)] == []


@needs_cupy
def test_from_dlpack_of_cupy_takes_copy():
    assert "copy" in cupy.from_dlpack.__doc__.partition("Args:")[2]
    assert "copy=None" in cupy.ndarray.__dlpack__.__doc__ or "max_version" in str(cupy.ndarray.__dlpack__.__doc__)


@needs_cupy
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_every_kernel_compiles_for_a_gpu_with_cupys_headers(tmp_path):
    from xtensor_backends.cupy._kernels import Kernels

    code = host_cupy.DeviceCode()
    Kernels(code)
    source = tmp_path / "kernels.cu"
    source.write_text(code.source)
    headers = Path(cupy.__file__).parent / "_core" / "include"
    bundled = (headers / "cupy" / "_cccl" / name for name in ("libcudacxx", "thrust", "cub"))
    folders = [f"-I{folder}" for folder in (headers, *bundled)]
    command = [
        "nvcc",
        "-ptx",
        "-std=c++17",
        "-arch=sm_80",
        "-ftz=true",
        *folders,
        "-o",
        tmp_path / "kernels.ptx",
        source,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert code.count > 25


# -- CuPy's own arrays, over the host's memory ------------------------------------------------------------------------


@pytest.fixture
def natives():
    """The backend's functions over real CuPy, and a function that returns values as a host-backed array."""
    from xtensor_backends.cupy._namespace import Namespace

    def host_backed_array(values):
        native = cupy.empty(values.shape, dtype=values.dtype)
        host_cupy.host_view(native)[...] = values
        return native

    with host_cupy.host_backed(cupy):
        yield Namespace(cupy), host_backed_array


@needs_cupy
@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (lambda f, x: f.reshape(x, (4, 6)), lambda x: x.reshape(4, 6)),
        (lambda f, x: f.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
        (lambda f, x: f.moveaxis(x, (0,), (2,)), lambda x: np.moveaxis(x, 0, 2)),
        (lambda f, x: f.permute_dims(x, (0, 2, 1)), lambda x: x.mT),
        (lambda f, x: f.expand_dims(x, axis=(0, 2)), lambda x: np.expand_dims(x, (0, 2))),
        (lambda f, x: f.squeeze(x[:1], axis=(0,)), lambda x: x[0]),
        (lambda f, x: f.flip(x, axis=(0, 2)), lambda x: np.flip(x, (0, 2))),
        (lambda f, x: f.flip(x, axis=()), lambda x: x),
        (lambda f, x: f.broadcast_to(x, (5, 2, 3, 4)), lambda x: np.broadcast_to(x, (5, 2, 3, 4))),
        (lambda f, x: f.linalg.diagonal(x, offset=1), lambda x: np.linalg.diagonal(x, offset=1)),
        (lambda f, x: x[1, ..., ::-2], lambda x: x[1, ..., ::-2]),
        (lambda f, x: x[:, None, 1], lambda x: x[:, None, 1]),
        (lambda f, x: f.real(x), lambda x: x),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "bool"])
def test_views_share_memory_and_have_numpys_layout(natives, function, reference, dtype):
    functions, array = natives
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    native = array(values)
    view = function(functions, native)
    expected = reference(host_cupy.host_view(native))
    assert isinstance(view, cupy.ndarray)
    assert view.shape == expected.shape
    np.testing.assert_array_equal(host_cupy.host_view(view), expected)
    assert np.shares_memory(host_cupy.host_view(view), host_cupy.host_view(native))


@needs_cupy
def test_components_of_a_complex_array_are_views(natives):
    functions, array = natives
    native = array(np.array([1 + 2j, 3 - 4j]))
    for part, expected in ((functions.real(native), [1.0, 3.0]), (functions.imag(native), [2.0, -4.0])):
        np.testing.assert_array_equal(host_cupy.host_view(part), expected)
        assert np.shares_memory(host_cupy.host_view(part), host_cupy.host_view(native))


@needs_cupy
def test_shared_memory_and_broadcast_views_are_recognised(natives):
    from xtensor_backends.cupy._indexing import is_broadcast_view

    functions, array = natives
    native, complex_native = array(np.ones((4, 3))), array(np.ones(2, np.complex64))
    for other, shared in ((native[1:], True), (native[:0], False), (complex_native, False)):
        assert cupy.may_share_memory(native, other) is shared
    assert not cupy.may_share_memory(native[:2], native[2:])
    assert cupy.may_share_memory(complex_native, functions.real(complex_native))
    assert is_broadcast_view(functions.broadcast_to(native, (2, 4, 3)))
    for plain in (native, native[:1], functions.permute_dims(native, (1, 0)), cupy.empty((3, 0))):
        assert not is_broadcast_view(plain)


@needs_cupy
def test_reshape_without_a_copy_refuses_what_needs_one(natives):
    functions, array = natives
    native = functions.permute_dims(array(np.ones((2, 3))), (1, 0))
    with pytest.raises(ValueError, match="copy"):
        functions.reshape(native, (6,), copy=False)


@needs_cupy
def test_a_transpose_of_no_axes_is_possible(natives):
    functions, array = natives
    assert functions.permute_dims(array(np.array(1.0)), ()).shape == ()


@needs_cupy
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bits_of_numbers_are_views(natives, dtype):
    from xtensor_backends.cupy._kernels import layout

    _, array = natives
    native = array(np.array([[1.0, -0.0], [NAN, INF]], dtype))[:, ::-1]
    integers, mask, infinity = layout(np.dtype(dtype))
    bits = host_cupy.host_view(native.view(integers))
    assert bits[0, 0] == ~mask  # -0.0 has the sign bit alone
    assert bits[1, 0] == infinity
    assert int(mask) == np.iinfo(integers).max


@needs_cupy
def test_bfloat16_arrays_keep_their_dtype_in_views(natives):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    functions, array = natives
    values = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    view = functions.permute_dims(functions.reshape(array(values), (3, 2)), (1, 0))
    assert view.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(
        host_cupy.host_view(view).astype(np.float32), values.reshape(3, 2).T.astype(np.float32)
    )


@needs_cupy
def test_empty_has_the_dtype_asked_for(natives):
    functions, _ = natives
    for dtype in map(np.dtype, ("bool", "int16", "uint32", "complex64")):
        native = functions.empty((2, 0, 3), dtype=dtype)
        assert (native.shape, native.dtype) == ((2, 0, 3), dtype)


@needs_cupy
def test_a_launch_needs_a_driver(natives):
    if has_gpu():
        pytest.skip("there is a GPU")
    functions, array = natives
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError):
        functions.add(array(np.ones(2)), 1.0)
