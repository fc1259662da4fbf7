"""The CuPy backend: without a GPU everything but CuPy's numbers, with one (``cuda:0``, ``rocm:0``) those, too.

What needs CuPy, a C++ compiler or a GPU is skipped where it is missing, with the reason.
"""

from __future__ import annotations

import ast
import importlib.util
import itertools
import math
import operator
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import host_cupy
import numpy as np
import pytest
from xtensor._corrections import CORRECTIONS

import xtensor as xp
import xtensor_cupy
from xtensor import _device, _functions
from xtensor.backend import BackendUnavailableError
from xtensor_cupy import CupyBackend

SOURCES = sorted(Path(xtensor_cupy.__file__).parent.glob("*.py"))

if importlib.util.find_spec("cupy") is not None:
    import cupy
else:
    cupy = None

needs_cupy = pytest.mark.skipif(cupy is None, reason="CuPy is not installed")
needs_compiler = pytest.mark.skipif(host_cupy.COMPILER is None, reason="there is no C++ compiler")


def has_gpu():
    if cupy is None:
        return False
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
needs_no_gpu = pytest.mark.skipif(cupy is None or has_gpu(), reason="CuPy is missing, or finds a GPU")

NAN, INF = math.nan, math.inf
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, INF, -INF, NAN]
FLOATS = [np.float32, np.float64]


class StandInBackend(CupyBackend):
    """The backend over NumPy with CuPy's face."""

    name = "standin"

    def __init__(self, **options):
        super().__init__()
        self.library = host_cupy.StandIn(cupy=cupy, **options)
        self.open(self.library)


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return _device._intern(StandInBackend(), "cuda:0")


@pytest.fixture
def several():
    """The second device of a stand-in with two GPUs, of which the first is the current one."""
    return _device._intern(StandInBackend(devices=2), "cuda:1")


def same(found, expected, *, rtol=0.0):
    """Assert equal values, NaN and signs of zeros included."""
    found = np.asarray(found._device._backend.to_host(found._native) if isinstance(found, xp.Array) else found)
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=0)
    if expected.dtype.kind == "c":
        same(found.real, expected.real, rtol=rtol)
        same(found.imag, expected.imag, rtol=rtol)
    elif expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


def pairs(dtype):
    first, second = np.array(list(itertools.product(SPECIAL, SPECIAL))).T
    return first.astype(dtype), second.astype(dtype)


# -- the whole of the namespace, and every call of CuPy ---------------------------------------------------------------


def test_every_function_of_the_standard_is_there(single):
    functions = _functions.assemble(single._backend, "cuda:0")
    missing = [name for name in (*_functions.ELEMENTWISE, *_functions.FUNCTIONS) if name not in vars(functions)]
    missing += [f"linalg.{name}" for name in _functions.LINALG if name not in vars(functions.linalg)]
    missing += [f"fft.{name}" for name in _functions.FFT if name not in vars(functions.fft)]
    assert missing == []


def test_the_namespace_offers_nothing_that_waits_for_the_device(single):
    assert not hasattr(single._backend.namespace("cuda:0"), "has_infinity")


def test_every_correction_is_a_known_one():
    assert set(CupyBackend.corrections) | set(xtensor_cupy.INPLACE) <= set(CORRECTIONS)


def test_importing_the_backend_imports_neither_cupy_nor_its_own_functions():
    code = "import sys, xtensor_cupy; print(sorted(m for m in sys.modules if 'cupy' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['xtensor_cupy']"


ARRAYS = ("x", "result", "native", "counts", "factor", "indices", "lines", "repeats", "work")
"""What the backend's source calls its native arrays."""


def calls_of_cupy():
    """Every call ``cp.x.y(…)`` or ``array.method(…)`` in the backend's source, as the function's name and the call."""
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
        if name in ("cuda.runtime.getDeviceProperties", "cuda.runtime.getDeviceCount", "cuda.runtime.memGetInfo"):
            continue
        try:
            host_cupy.bind(function, args, kwargs)
        except TypeError as error:
            pytest.fail(f"{where}:{node.lineno}: cupy.{name}: {error}")
        checked.append(name)
    assert len(checked) > 60


@needs_cupy
def test_a_call_that_cupy_would_not_take_is_found():
    with pytest.raises(TypeError, match="descending"):
        host_cupy.bind(cupy.sort, [None], {"descending": True})
    with pytest.raises(TypeError, match="correction"):
        host_cupy.bind(cupy.ndarray.var, [None], {"correction": 1})
    with pytest.raises(TypeError):
        host_cupy.bind(cupy.add, [1, 2, 3], {})


@needs_cupy
def test_every_function_taken_as_it_is_exists_in_cupy():
    from xtensor_cupy._namespace import AS_THEY_ARE

    assert [name for name in AS_THEY_ARE if not hasattr(cupy, name)] == []


@needs_cupy
def test_from_dlpack_of_cupy_takes_copy():
    assert "copy" in cupy.from_dlpack.__doc__.partition("Args:")[2]
    assert "copy=None" in cupy.ndarray.__dlpack__.__doc__ or "max_version" in str(cupy.ndarray.__dlpack__.__doc__)


@needs_cupy
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_every_kernel_compiles_for_a_gpu_with_cupys_headers(tmp_path):
    from xtensor_cupy._kernels import Kernels

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
    assert code.count > 40


# -- values, with NumPy behind ----------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_divide_of_finite_operands_is_numpys(single, dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(2000) * 10.0 ** rng.integers(-3, 4, 2000) for _ in range(2))
    x, y = x.astype(dtype), y.astype(dtype)
    x[:3], y[:3] = (1.0, -1.0, 6.0), (0.1, 0.1, -0.1)
    same(xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single)), np.floor_divide(x, y))


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_divide_of_special_operands_is_the_floor_of_the_quotient(single, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.floor(x / y)
    same(xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_remainder_is_numpys(single, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.remainder(x, y)
    same(xp.remainder(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)


@needs_compiler
@pytest.mark.parametrize(("function", "reference"), [(operator.imod, np.remainder), (operator.ifloordiv, None)])
def test_in_place_operators_are_corrected_as_the_functions_are(single, function, reference):
    x, y = pairs(np.float64)
    array = xp.asarray(x, device=single)
    alias = array[...]
    result = function(array, xp.asarray(y, device=single))
    with np.errstate(all="ignore"):
        expected = np.floor(x / y) if reference is None else reference(x, y)
    same(result, expected)
    same(alias, expected)


@needs_compiler
@pytest.mark.parametrize("scalar", [2, 2.5, -INF])
def test_python_scalars_take_the_dtype_of_the_array(single, scalar):
    x = np.array([5.0, -5.0, 0.0], np.float32)
    for array, other in ((x, scalar), (scalar, x)):
        given = (xp.asarray(part, device=single) if isinstance(part, np.ndarray) else part for part in (array, other))
        found = xp.remainder(*given)
        assert found.dtype == np.float32
        with np.errstate(all="ignore"):
            same(found, np.remainder(array, other))


@needs_compiler
def test_integers_and_mixed_dtypes_of_remainder_promote(single):
    x = np.array([7, -7], np.int32)
    same(xp.remainder(xp.asarray(x, device=single), 4), x % 4)
    found = xp.remainder(xp.asarray(x, device=single), xp.asarray(np.array([2.5, INF], np.float32), device=single))
    assert found.dtype == np.float64
    same(found, [2.0, INF])


@needs_compiler
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p"])
def test_complex_logarithms_of_special_values_are_numpys(single, dtype, name):
    a, b = pairs(dtype(0).real.dtype)
    x = np.empty(a.shape, dtype)
    x.real, x.imag = a, b
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    found = getattr(xp, name)(xp.asarray(x, device=single))
    host = single._backend.to_host(found._native)
    for part, wanted in ((host.real, expected.real), (host.imag, expected.imag)):
        np.testing.assert_allclose(part, wanted, rtol=4e-6 if dtype is np.complex64 else 1e-14, atol=1e-300)


@needs_compiler
def test_complex_log1p_and_expm1_keep_what_is_near_zero(single):
    tiny = np.array([1e-20 + 1e-20j, -1e-18j])
    same(xp.log1p(xp.asarray(tiny[:1], device=single)), tiny[:1], rtol=1e-15)
    same(xp.imag(xp.expm1(xp.asarray(tiny, device=single))), tiny.imag, rtol=1e-15)
    same(xp.real(xp.expm1(xp.asarray(tiny[:1], device=single))), tiny.real[:1], rtol=1e-15)


@needs_compiler
@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("expm1", complex(-0.0, 0.0), complex(0.0, 0.0)),
        ("expm1", complex(INF, 0.0), complex(INF, 0.0)),
        ("expm1", complex(INF, -0.0), complex(INF, -0.0)),
        ("expm1", complex(-INF, NAN), complex(-1.0, 0.0)),
        ("expm1", complex(-INF, INF), complex(-1.0, 0.0)),
        ("expm1", complex(INF, INF), complex(INF, NAN)),
        ("expm1", complex(NAN, 0.0), complex(NAN, 0.0)),
        ("tanh", complex(INF, 2.0), complex(1.0, 0.0)),
        ("tanh", complex(-INF, -2.0), complex(-1.0, -0.0)),
        ("tanh", complex(0.0, INF), complex(0.0, NAN)),
        ("tanh", complex(0.0, NAN), complex(0.0, NAN)),
        ("tan", complex(INF, 0.0), complex(NAN, 0.0)),
        ("tan", complex(2.0, INF), complex(0.0, 1.0)),
        ("acosh", complex(0.0, NAN), complex(NAN, math.pi / 2)),
        ("round", complex(2.5, -0.5), complex(2.0, -0.0)),
    ],
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_special_cases_are_the_standards(single, name, x, expected, dtype):
    same(getattr(xp, name)(xp.asarray([x], dtype=dtype, device=single)), np.array([expected], dtype))


@needs_compiler
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_division_is_numpys(single, dtype):
    parts = [complex(*pair) for pair in itertools.product([0.0, 1.0, -2.5, 1e30], repeat=2)]
    x, y = np.array(list(itertools.product(parts, parts)), dtype).T
    with np.errstate(all="ignore"):
        expected = x / y
    found = xp.divide(xp.asarray(x, device=single), xp.asarray(y, device=single))
    np.testing.assert_allclose(single._backend.to_host(found._native), expected, rtol=1e-5, atol=0)


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_nextafter_is_numpys_among_subnormals_and_special_values(single, dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    values = np.array([*SPECIAL, tiny, -tiny, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    x, y = np.array(list(itertools.product(values, values)), dtype).T
    with np.errstate(all="ignore"):
        expected, towards_zero = np.nextafter(x, y), np.nextafter(x, dtype(0.0))
    same(xp.nextafter(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)
    same(xp.nextafter(xp.asarray(x, device=single), 0.0), towards_zero)


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("values", [[-INF, -INF], [INF, INF], [1.0, NAN, NAN], [0.0, -0.0], [-0.0, 0.0], [-INF, INF]])
def test_extremes_heed_infinities_and_nan(single, dtype, name, values):
    x = np.array(values, dtype)
    found = getattr(xp, name)(xp.asarray(x, device=single))
    assert found.dtype == (np.int64 if name.startswith("arg") else dtype)
    np.testing.assert_array_equal(single._backend.to_host(found._native), getattr(np, name)(x))


@needs_compiler
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize(("axis", "keepdims"), [(None, True), (0, False), ((0, 2), True), ((), False)])
def test_extremes_go_over_any_axes(single, name, axis, keepdims):
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    found = getattr(xp, name)(xp.asarray(x, device=single), axis=axis, keepdims=keepdims)
    same(found, getattr(np, name)(x, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_nothing_are_refused(single, name):
    with pytest.raises(ValueError, match="no element"):
        getattr(xp, name)(xp.zeros((0, 3), device=single))


@needs_compiler
def test_a_product_overflows_before_it_meets_a_zero_as_in_order(single):
    x = xp.asarray([[1e200, 1e200, 0.0], [0.0, 1e200, 1e200]], device=single)
    same(xp.prod(x, axis=1), [NAN, 0.0])
    same(xp.prod(x, axis=1, keepdims=True), [[NAN], [0.0]])
    same(xp.prod(x[:0, :]), 1.0)


@needs_compiler
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint64, np.bool_])
def test_argsort_keeps_equal_elements_in_their_order(single, dtype, descending):
    x = np.array([1, 0, 1, 0, 0, 1, 1], dtype)
    found = single._backend.to_host(xp.argsort(xp.asarray(x, device=single), descending=descending)._native)
    expected = [0, 2, 5, 6, 1, 3, 4] if descending else [1, 3, 4, 0, 2, 5, 6]
    if dtype in FLOATS:  # what is equal but for its sign is equal
        negative = np.where(x == 0, -x, x)
        found = single._backend.to_host(xp.argsort(xp.asarray(negative, device=single), descending=descending)._native)
    np.testing.assert_array_equal(found, expected)


@needs_compiler
def test_sorts_put_nan_of_either_sign_last(single):
    x = np.array([1.0, -NAN, -INF, NAN, 0.5])
    same(xp.sort(xp.asarray(x, device=single)), [-INF, 0.5, 1.0, NAN, NAN])
    assert not np.signbit(single._backend.to_host(xp.sort(xp.asarray(x, device=single))._native)[-2:]).any()
    same(xp.argsort(xp.asarray(x, device=single)), [2, 4, 0, 1, 3])
    same(xp.sort(xp.asarray(x, device=single), descending=True), [NAN, NAN, 1.0, 0.5, -INF])


@needs_compiler
def test_a_negative_zero_survives_full_and_assignment(single):
    for value in (-0.0, complex(-0.0, 0.0), complex(0.0, -0.0)):
        dtype = np.complex128 if isinstance(value, complex) else np.float64
        same(xp.full((2, 2), value, device=single), np.full((2, 2), value, dtype))
        x = xp.ones((3,), dtype=dtype, device=single)
        x[0:2] = value
        x[2] = value
        same(x, np.full(3, value, dtype))


def test_a_negative_zero_into_integers_is_zero(single):
    x = xp.ones((2,), dtype=xp.int32, device=single)
    x[...] = -0.0
    same(x, [0, 0])


@needs_compiler
@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((10, 0, -3), np.uint8),
        ((2**63, 2**63 + 3, 1), np.uint64),
        ((-(2**63), -(2**63) + 5, 2), np.int64),
        ((0, 1, 0.1), np.float64),
        ((0.5, 3, 1), np.float32),
        ((5,), np.float64),
        ((3, 3, 1), np.int16),
        ((100, -100, -50), np.int8),
    ],
)
def test_arange_is_numpys(single, args, dtype):
    found = xp.arange(*args, dtype=dtype, device=single)
    if len(args) == 3 and dtype in (np.uint8, np.int8):
        expected = np.arange(*args).astype(dtype)  # NumPy refuses a negative step of an unsigned dtype
    else:
        expected = np.arange(*args, dtype=dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(single._backend.to_host(found._native), expected, rtol=1e-15)


@needs_compiler
@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((0, 1, 5), {}),
        ((0, 1, 5), {"endpoint": False}),
        ((1, 1, 3), {}),
        ((2, 7, 1), {}),
        ((2, 7, 0), {}),
        ((0, 10, 4), {"dtype": np.int32}),
        ((0, -10, 4), {"dtype": np.int32}),
        ((1 + 2j, 3 - 1j, 4), {}),
        ((0, 5e-324, 3), {}),
        ((0.1, 0.3, 7), {"dtype": np.float32}),
    ],
)
def test_linspace_is_numpys(single, args, options):
    found = xp.linspace(*args, device=single, **options)
    expected = np.linspace(*args, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(single._backend.to_host(found._native), expected, rtol=1e-15, atol=0)


@needs_compiler
def test_clip_gives_nan_for_a_bound_that_is_nan(single):
    x = xp.asarray([1.0, 5.0, NAN], device=single)
    same(xp.clip(x, xp.asarray([NAN, 2.0, 0.0], device=single), 3.0), [NAN, 3.0, NAN])


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("shape", [(3, 2), (0, 2), (3, 0)])
def test_cumulative_functions_begin_with_the_initial_value(single, name, shape):
    x = np.arange(1, 1 + math.prod(shape), dtype=np.int8).reshape(shape)
    found = getattr(xp, name)(xp.asarray(x, device=single), axis=0, include_initial=True)
    expected = getattr(np, name)(x, axis=0, include_initial=True, dtype=np.int64)
    assert found.dtype == np.int64
    same(found, expected)


@needs_compiler
@pytest.mark.parametrize("x", [[], [3, 1, 3, 2], [[2.0, NAN], [NAN, -0.0]]])
def test_unique_functions_are_numpys(single, x):
    x = np.array(x)
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        for found, expected in zip(getattr(xp, name)(xp.asarray(x, device=single)), getattr(np, name)(x), strict=True):
            same(found, expected)
    same(xp.unique_values(xp.asarray(x, device=single)), np.unique(x, equal_nan=False))


@needs_compiler
def test_isin_and_searchsorted_compare_in_the_promoted_dtype(single):
    small = xp.asarray(np.array([-1, 1], np.int64), device=single)
    large = xp.asarray(np.array([1, 2**64 - 1], np.uint64), device=single)
    same(xp.isin(small, large), [False, True])
    same(xp.searchsorted(large, small), [0, 0])
    same(
        xp.isin(xp.asarray([1.0, NAN], device=single), xp.asarray([NAN, 1.0], device=single), invert=True),
        [False, True],
    )
    same(xp.searchsorted(xp.asarray([1.0, 2.0], device=single), 2.0, side="right"), 2)


@pytest.mark.parametrize(("axis", "shape"), [(None, (1, 1)), (0, (1, 3)), ((0, 1), (1, 1))])
def test_count_nonzero_keeps_axes(single, axis, shape):
    x = xp.asarray([[0, 1, 2], [3, 0, 0]], device=single)
    found = xp.count_nonzero(x, axis=axis, keepdims=True)
    assert found.shape == shape
    assert int(xp.sum(found)) == 3


def test_diff_takes_its_edges(single):
    x = xp.asarray([1, 4, 9], device=single)
    same(xp.diff(x), [3, 5])
    same(xp.diff(x, n=2), [2])
    same(xp.diff(x, prepend=xp.asarray([0], device=single), append=xp.asarray([16], device=single)), [1, 3, 5, 7])


def test_a_complex_array_becomes_true_where_either_component_is_not_zero(single):
    same(xp.astype(xp.asarray([0j, 1j, 1 + 0j], device=single), xp.bool), [False, True, True])


def test_where_of_two_scalars_takes_the_default_dtypes(single):
    condition = xp.asarray([True, False], device=single)
    assert xp.where(condition, 1, 2.5).dtype == np.float64
    assert xp.where(condition, 1, 2).dtype == np.int64
    assert xp.where(condition, xp.ones(2, dtype=xp.float32, device=single), 2.5).dtype == np.float32


@pytest.mark.parametrize(
    ("shape", "s", "axes"),
    [
        ((2, 3), (2, 3), (1, 0)),
        ((2, 3), (4, 2), (0, 1)),
        ((4, 0, 3), (3,), (2,)),
        ((2, 3), (2, 3), (0, 0)),
        ((3,), (), ()),
    ],
)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_over_several_axes_have_numpys_shapes(single, name, shape, s, axes):
    x = np.random.default_rng(0).standard_normal(shape)
    if not axes and name not in ("fftn", "ifftn"):
        with pytest.raises(ValueError, match="axis"):
            getattr(xp.fft, name)(xp.asarray(x, device=single), s=s, axes=axes)
        return
    found = getattr(xp.fft, name)(xp.asarray(x, device=single), s=s, axes=axes)
    expected = getattr(np.fft, name)(x, s=s, axes=axes)
    assert found.shape == expected.shape
    assert found.dtype == (expected.dtype if axes else np.complex128)  # NumPy leaves real what it does not transform
    np.testing.assert_allclose(single._backend.to_host(found._native), expected, atol=1e-12)


def test_transforms_are_never_given_the_shape_as_a_tuple(single, monkeypatch):
    given = []
    monkeypatch.setattr(single.xp.fft, "fftn", single._backend.namespace("cuda:0").fft.fftn)
    library = single._backend.library
    original = library.bound
    monkeypatch.setattr(
        library, "bound", lambda name, args, kwargs: given.append((name, kwargs)) or original(name, args, kwargs)
    )
    xp.fft.fftn(xp.ones((2, 3), device=single))
    assert [kwargs["s"] for name, kwargs in given if name == "fft.fftn"] == [[2, 3]]


def test_solve_broadcasts_stacks_and_takes_a_vector(single):
    rng = np.random.default_rng(0)
    a, b, v = rng.standard_normal((3, 1, 2, 2)), rng.standard_normal((4, 2, 5)), rng.standard_normal(2)
    found = xp.linalg.solve(xp.asarray(a, device=single), xp.asarray(b, device=single))
    same(found, np.linalg.solve(a, b), rtol=1e-12)
    found = xp.linalg.solve(xp.asarray(a, device=single), xp.asarray(v, device=single))
    np.testing.assert_allclose(
        single._backend.to_host(found._native), np.linalg.solve(a, np.broadcast_to(v[:, None], (3, 1, 2, 1)))[..., 0]
    )
    assert xp.linalg.solve(xp.ones((0, 2, 2), device=single), xp.ones((2,), device=single)).shape == (0, 2)


@pytest.mark.parametrize("rtol", [None, 0.5, "array"])
def test_matrix_rank_and_pinv_heed_rtol(single, rtol):
    a = np.stack([np.diag([1.0, 0.4, 1e-20]), np.eye(3)])
    tolerance = np.array([0.5, 0.1]) if rtol == "array" else rtol
    given = xp.asarray(tolerance, device=single) if rtol == "array" else rtol
    same(xp.linalg.matrix_rank(xp.asarray(a, device=single), rtol=given), np.linalg.matrix_rank(a, rtol=tolerance))
    found = xp.linalg.pinv(xp.asarray(a, device=single), rtol=given)
    np.testing.assert_allclose(single._backend.to_host(found._native), np.linalg.pinv(a, rtol=tolerance))


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
@pytest.mark.parametrize("keepdims", [False, True])
@needs_compiler
def test_matrix_norms_are_numpys(single, ord, keepdims):
    a = np.random.default_rng(0).standard_normal((2, 3, 4))
    found = xp.linalg.matrix_norm(xp.asarray(a, device=single), ord=ord, keepdims=keepdims)
    same(found, np.linalg.matrix_norm(a, ord=ord, keepdims=keepdims), rtol=1e-12)


def test_matrix_power_of_one_is_a_copy(single):
    a = xp.ones((2, 2), device=single)
    b = xp.linalg.matrix_power(a, 1)
    b[0, 0] = 5.0
    assert float(a[0, 0]) == 1.0


def test_cholesky_gives_the_upper_factor(single):
    a = np.array([[4.0, 2.0], [2.0, 3.0]])
    upper = xp.linalg.cholesky(xp.asarray(a, device=single), upper=True)
    same(upper, np.linalg.cholesky(a, upper=True), rtol=1e-15)


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "full"])
def test_more_bytes_than_addresses_are_out_of_memory(single, name):
    fill = (1.0,) if name == "full" else ()
    with pytest.raises(xp.OutOfMemoryError) as caught:
        getattr(xp, name)((2**62,), *fill, device=single)
    assert caught.value.requested == 2**65


# -- several devices --------------------------------------------------------------------------------------------------


def test_results_are_on_the_device_of_the_operands_whatever_the_current_one_is(several):
    x = xp.ones((2, 2), device=several)
    for result in (
        x + x,
        xp.sum(x),
        x[0],
        xp.linalg.inv(x + xp.eye(2, device=several)),
        xp.fft.fft(x),
        xp.asarray([1], device=several),
    ):
        assert result._native.index == 1
        assert several._backend.device_of(result._native) == "cuda:1"
    assert several._backend.library.current == 0


def test_in_place_operators_and_assignment_work_on_their_device(several):
    x = xp.ones((3,), device=several)
    alias = x[...]
    x += 1
    x *= xp.ones((3,), device=several)
    x[xp.asarray([0], device=several)] = xp.asarray([7.0], device=several)
    same(alias, [7.0, 2.0, 2.0])
    assert x._native.index == 1


def test_creation_is_on_the_device_asked_for(several):
    for function in (xp.zeros, xp.ones, xp.empty):
        assert function((2,), device=several)._native.index == 1


def test_one_device_costs_no_change_of_device():
    backend = StandInBackend()
    functions = backend.namespace("cuda:0")
    assert type(functions).__name__ == "Namespace"
    assert backend.corrections == CupyBackend.corrections


def test_memory_is_that_of_the_device(several):
    assert several.memory() == (2000, 1001, 11, 21)
    assert several._backend.library.current == 0


def test_release_memory_and_synchronize_are_those_of_the_device(several):
    several.synchronize()
    several.release_memory()
    assert several._backend.library.calls == ["synchronize 1", "clear plans 1", "free 1", "free pinned"]


# -- devices, DLPack, copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hip", "specs", "place"), [(False, ("cuda:0", "cuda:1"), (2, 1)), (True, ("rocm:0", "rocm:1"), (10, 1))]
)
def test_devices_are_named_by_the_runtime(hip, specs, place):
    backend = StandInBackend(devices=2, hip=hip)
    assert backend.devices() == specs
    assert backend.dlpack_device(specs[1]) == place
    assert backend.info(specs[1]).compute_capability == ("gfx942" if hip else "9.0")
    assert backend.info(specs[0]).name == "Stand-in"


@pytest.mark.parametrize(("hip", "good", "bad"), [(False, (-1, 1, 2, 140), (0, -2)), (True, (-1, 0, 140), (1, 2, -2))])
def test_streams_of_dlpack_are_the_standards(hip, good, bad):
    backend = StandInBackend(hip=hip)
    asked = []
    native = SimpleNamespace(
        device=backend.library.cuda.Device(0),
        __dlpack__=lambda **given: asked.append(given),
        copy=lambda: native,
    )
    for stream in good:
        backend.to_dlpack(native, stream=stream)
    assert asked == [{"stream": stream} for stream in good]
    for stream in bad:
        with pytest.raises(ValueError, match="stream is"):
            backend.to_dlpack(native, stream=stream)
    for stream in (True, 1.0, "1"):
        with pytest.raises(TypeError, match="stream is"):
            backend.to_dlpack(native, stream=stream)
    backend.to_dlpack(native, copy=True, max_version=(1, 0))
    assert asked[-1] == {"max_version": (1, 0)}


def test_from_dlpack_copies_itself_where_a_copy_is_asked_for():
    backend = StandInBackend()
    source = np.ones(3)
    copied = backend.from_dlpack(source, "cuda:0", copy=True)
    assert not np.shares_memory(copied, source)
    shared = backend.from_dlpack(source, "cuda:0", copy=False)
    assert np.shares_memory(shared, source)
    assert backend.library.calls == [("from_dlpack", {}), ("from_dlpack", {"copy": False})]


def test_the_host_is_reached_by_a_copy_only(single):
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.ones(2), device=single, copy=False)
    with pytest.raises(TypeError, match="to_device"):
        np.asarray(xp.ones(2, device=single))


def test_functions_never_copy_to_the_host(single):
    calls = single._backend.library.calls
    calls.clear()
    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]], device=single)
    xp.sort(x // 2.0 % 3.0 + xp.max(x) - xp.argmin(x))
    xp.linalg.solve(x, xp.linalg.pinv(x))
    xp.fft.irfftn(xp.fft.rfftn(x))
    x[0] = xp.sum(x)
    assert "to host" not in calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cudaErrorMemoryAllocation: out of memory", True),
        ("hipErrorOutOfMemory: out of memory", True),
        ("CUFFT_ALLOC_FAILED", True),
        ("CUSOLVER_STATUS_ALLOC_FAILED", True),
        ("cudaErrorIllegalAddress: an illegal memory access was encountered", False),
    ],
)
def test_exhausted_memory_is_told_from_other_failures(text, expected):
    assert CupyBackend().out_of_memory(host_cupy.RuntimeFailureError(2, text)) is expected


def test_cupys_own_memory_error_is_one():
    assert CupyBackend().out_of_memory(MemoryError("Out of memory allocating 1,024 bytes"))


# -- no driver, no CuPy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "hip", "words"),
    [
        (35, False, "driver"),
        (35, True, "AMD GPU driver"),
        (100, False, "CUDA_VISIBLE_DEVICES"),
        (100, True, "HIP_VISIBLE_DEVICES"),
        (999, False, "check the driver"),
    ],
)
def test_a_runtime_without_devices_is_explained(status, hip, words):
    library = host_cupy.StandIn(hip=hip)

    def refuse():
        raise host_cupy.RuntimeFailureError(status, f"status {status}")

    library.cuda.runtime.getDeviceCount = refuse
    with pytest.raises(BackendUnavailableError, match=words):
        CupyBackend().open(library)


def test_no_devices_at_all_are_explained():
    with pytest.raises(BackendUnavailableError, match="no GPU"):
        CupyBackend().open(host_cupy.StandIn(devices=0))


def run(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


HIDDEN = """
    import importlib.abc, sys
    class Hide(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name == "cupy":
                raise {error}
    sys.meta_path.insert(0, Hide())
    import xtensor as xp
    assert xp.device("cpu") in xp.devices()
    try:
        xp.device("cuda:0")
    except xp.BackendUnavailableError as error:
        print(error)
    print(float(xp.sum(xp.ones(3, device="cpu"))))
"""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ('ModuleNotFoundError("No module named \'cupy\'", name="cupy")', "is not installed"),
        ('ImportError("libcuda is broken")', "libcuda is broken"),
        ('OSError("no such library")', "no such library"),
    ],
)
def test_a_missing_or_broken_cupy_is_named_with_what_to_install(error, words):
    printed = run(HIDDEN.format(error=error))
    assert words in printed
    assert "xtensor[cuda12]" in printed
    assert "xtensor[rocm]" in printed
    assert printed.endswith("3.0\n")


def test_an_old_cupy_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(__version__="13.6.0"))
    with pytest.raises(BackendUnavailableError, match=r"13\.6\.0; 14\.2 or newer"):
        CupyBackend().probe()


@needs_no_gpu
def test_without_a_driver_the_device_says_why_and_others_go_on():
    printed = run(
        """
        import xtensor as xp
        assert [str(device) for device in xp.devices() if device.backend == "cupy"] == []
        try:
            xp.device("cuda:0")
        except xp.BackendUnavailableError as error:
            print(error)
        print(float(xp.sum(xp.ones(3, device="cpu"))))
        """
    )
    assert "there is no driver" in printed or "sees no GPU" in printed
    assert "Devices here" in printed
    assert printed.endswith("3.0\n")


# -- CuPy's own arrays, over the host's memory ------------------------------------------------------------------------


@pytest.fixture
def natives():
    """The backend's functions over real CuPy, and a maker of host-backed arrays."""
    from xtensor_cupy._namespace import Namespace

    def made(values):
        native = cupy.empty(values.shape, dtype=values.dtype)
        host_cupy.host_view(native)[...] = values
        return native

    with host_cupy.host_backed(cupy):
        yield Namespace(cupy), made


@needs_cupy
@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (lambda f, x: f.reshape(x, (4, 6)), lambda x: x.reshape(4, 6)),
        (lambda f, x: f.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
        (lambda f, x: f.moveaxis(x, (0,), (2,)), lambda x: np.moveaxis(x, 0, 2)),
        (lambda f, x: f.matrix_transpose(x), lambda x: x.mT),
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
    functions, made = natives
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    native = made(values)
    view = function(functions, native)
    expected = reference(host_cupy.host_view(native))
    assert isinstance(view, cupy.ndarray)
    assert view.shape == expected.shape
    np.testing.assert_array_equal(host_cupy.host_view(view), expected)
    assert np.shares_memory(host_cupy.host_view(view), host_cupy.host_view(native))


@needs_cupy
def test_components_of_a_complex_array_are_views(natives):
    functions, made = natives
    native = made(np.array([1 + 2j, 3 - 4j]))
    for part, expected in ((functions.real(native), [1.0, 3.0]), (functions.imag(native), [2.0, -4.0])):
        np.testing.assert_array_equal(host_cupy.host_view(part), expected)
        assert np.shares_memory(host_cupy.host_view(part), host_cupy.host_view(native))


@needs_cupy
def test_reshape_without_a_copy_refuses_what_needs_one(natives):
    functions, made = natives
    native = functions.matrix_transpose(made(np.ones((2, 3))))
    with pytest.raises(ValueError, match="copy"):
        functions.reshape(native, (6,), copy=False)


@needs_cupy
def test_a_transpose_of_no_axes_is_possible(natives):
    functions, made = natives
    assert functions.permute_dims(made(np.array(1.0)), ()).shape == ()


@needs_cupy
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bits_of_numbers_are_views(natives, dtype):
    from xtensor_cupy._kernels import layout

    _, made = natives
    native = made(np.array([[1.0, -0.0], [NAN, INF]], dtype))[:, ::-1]
    integers, mask, infinity = layout(np.dtype(dtype))
    seen = host_cupy.host_view(native.view(integers))
    assert seen[0, 0] == ~mask  # -0.0 is the sign and nothing else
    assert seen[1, 0] == infinity
    assert int(mask) == np.iinfo(integers).max


@needs_cupy
def test_bfloat16_arrays_keep_their_dtype_in_views(natives):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    functions, made = natives
    values = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    view = functions.permute_dims(functions.reshape(made(values), (3, 2)), (1, 0))
    assert view.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(
        host_cupy.host_view(view).astype(np.float32), values.reshape(3, 2).T.astype(np.float32)
    )


@needs_cupy
def test_empty_and_its_dtypes_are_cupys(natives):
    functions, _ = natives
    for dtype in (*map(np.dtype, ("bool", "int16", "uint32", "complex64")),):
        native = functions.empty((2, 0, 3), dtype=dtype)
        assert (native.shape, native.dtype) == ((2, 0, 3), dtype)


@needs_cupy
def test_functions_that_compute_need_a_driver(natives):
    if has_gpu():
        pytest.skip("there is a GPU")
    functions, made = natives
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError):
        functions.add(made(np.ones(2)), 1.0)


# -- on a GPU ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def gpu():
    return next(device for device in xp.devices() if device.backend == "cupy")


@pytest.fixture
def copies_to_host(monkeypatch):
    """How many bytes of arrays CuPy copied to the host, and how often it was asked to wait."""
    found = []
    for name in ("memcpy", "memcpyAsync"):
        original = getattr(cupy.cuda.runtime, name)

        def counting(target, source, size, kind, *rest, original=original):
            if kind == cupy.cuda.runtime.memcpyDeviceToHost:
                found.append(size)
            return original(target, source, size, kind, *rest)

        monkeypatch.setattr(cupy.cuda.runtime, name, counting)
    original_asnumpy = cupy.asnumpy
    monkeypatch.setattr(cupy, "asnumpy", lambda *args, **kw: found.append("asnumpy") or original_asnumpy(*args, **kw))
    return found


@needs_gpu
def test_gpu_results_are_on_the_device_and_nothing_comes_to_the_host(gpu, copies_to_host):
    from cupyx import allow_synchronize

    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]], device=gpu)
    with allow_synchronize(False):
        y = xp.sort(x // 2.0 % 3.0 + xp.max(x) - xp.argmin(x))
        y[0] = -0.0
        y = xp.clip(xp.where(y > 0, y, -y), 0, 1) + xp.full((2, 2), 2.0, device=gpu) + xp.linspace(0, 1, 2, device=gpu)
        z = xp.fft.irfftn(xp.fft.rfftn(y)) + xp.prod(y) + xp.cumulative_sum(y, axis=0)
    assert z.device is gpu
    assert copies_to_host == []


@needs_gpu
def test_gpu_work_goes_to_cupys_current_stream(gpu):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = xp.ones((1000, 1000), device=gpu)
        for _ in range(20):
            x = xp.matmul(x, x) / 1000.0
        assert cupy.cuda.get_current_stream() == stream
        assert float(x[0, 0]) == 1.0
    assert cupy.cuda.get_current_stream() != stream


@needs_gpu
def test_gpu_memory_is_cupys_pool(gpu):
    before = gpu.memory()
    x = xp.empty((2**20,), dtype=xp.uint8, device=gpu)
    during = gpu.memory()
    assert during.pool_used >= before.pool_used + 2**20
    assert during.total >= during.free > 0
    del x
    gpu.release_memory()
    assert gpu.memory().pool_used <= during.pool_used - 2**20
    info = gpu.info()
    assert info.name
    assert info.compute_capability
    assert info.total_memory == during.total


@needs_gpu
def test_gpu_memory_that_is_not_there_is_an_error_and_the_process_goes_on(gpu):
    with pytest.raises(xp.OutOfMemoryError) as caught:
        xp.zeros((gpu.memory().total * 4,), dtype=xp.uint8, device=gpu)
    assert caught.value.requested >= gpu.memory().total * 4
    assert float(xp.sum(xp.ones((3,), device=gpu))) == 3.0


@needs_gpu
def test_gpu_arrays_go_through_dlpack_without_a_copy(gpu):
    x = xp.arange(5, device=gpu)
    native = cupy.from_dlpack(x)
    assert native.data.ptr == x._native.data.ptr
    back = xp.from_dlpack(native)
    assert back.device is gpu
    assert back._native.data.ptr == native.data.ptr
    assert xp.from_dlpack(native, copy=True)._native.data.ptr != native.data.ptr
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), np.arange(5))


@needs_gpu
def test_gpu_results_follow_the_operands_and_not_the_current_device(gpu):
    places = [device for device in xp.devices() if device.backend == "cupy"]
    if len(places) < 2:
        pytest.skip("there is one GPU")
    first, second = places[:2]
    with cupy.cuda.Device(first._backend._cp.cuda.Device(0).id):
        x = xp.ones((3,), device=second)
        x += 1
        x[xp.asarray([0], device=second)] = 5.0
        assert xp.linalg.vector_norm(x).device is second
        assert x._native.device.id == int(second._spec.partition(":")[2])
        assert cupy.cuda.runtime.getDevice() == 0


@needs_gpu
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "nextafter", "hypot", "atan2", "logaddexp", "maximum"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gpu_functions_of_special_operands_are_numpys(gpu, name, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.floor(x / y) if name == "floor_divide" else getattr(np, name)(x, y)
    found = getattr(xp, name)(xp.asarray(x, device=gpu), xp.asarray(y, device=gpu))
    same(found, expected, rtol=4 * np.finfo(dtype).eps)


@needs_gpu
@pytest.mark.parametrize("dtype", FLOATS)
def test_gpu_sorts_and_extremes_heed_special_values(gpu, dtype):
    x = np.random.default_rng(0).permutation(np.array(SPECIAL * 40, dtype))
    device = xp.asarray(x, device=gpu)
    same(xp.argsort(device), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(cupy.asnumpy(xp.sort(device)._native), np.sort(x))
    assert int(xp.argmax(device)) == int(np.argmax(x))
    assert math.isnan(float(xp.max(device)))
    assert float(xp.max(xp.full((7,), -INF, dtype=dtype, device=gpu))) == -INF
