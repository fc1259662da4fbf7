"""The backend contract supports unusual libraries: their devices return NumPy's results."""

from __future__ import annotations

import numpy as np
import pytest
from arguments import call, call_conditions
from contract_toys import CustomDtypeBackend, DeferredBackend, ImmutableBackend, SinglePrecisionBackend, ValueReadError
from good_arguments import GOOD, WRITING_FUNCTIONS, public_function, public_functions

import xtensor as xp
from xtensor.backend import TABLE, primitives

EXCLUDED = {
    *(row.name for row in TABLE.values() if row.declared and row.shape == "data-dependent"),
    # A bool, a shape or an error depends on values:
    *("allclose", "bincount", "roots", "nanargmax", "nanargmin", "real_if_close"),
    # Without arrays:
    *("backends", "best_device", "default_device", "device", "devices", "register_backend", "set_backend_priority"),
    *("set_default_device", "transfers", "use_device", "__array_namespace_info__", "from_dlpack", "to_numpy"),
    *("broadcast_shapes", "can_cast", "estimate", "fuse", "finfo", "iinfo", "isdtype", "result_type"),
    # Read or write a file: test_beyond_files.py has them on every device.
    *("load", "save", "savetxt", "savez", "savez_compressed"),
}
"""Functions whose result depends on values, functions without array operands, and functions of files."""

READS_VALUES = (
    *("array_equal", "array_equiv"),  # return a bool
    *("asarray_chkfinite", "digitize", "geomspace", "polyfit"),  # raise an error or warn, depending on the values
    # The shape or the dtype depends on values:
    *("intersect1d", "piecewise", "polymul", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique"),
    *("histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
)
"""Functions that wait for a device and read values, so that they raise an error where computation is deferred."""

STANDARD = [
    name
    for name in public_functions()
    if name not in EXCLUDED
    and not name.startswith(("special.", "nn.", "lib."))
    and "." not in name.replace("linalg.", "").replace("fft.", "")
]


@pytest.fixture(
    params=[ImmutableBackend, CustomDtypeBackend, SinglePrecisionBackend, DeferredBackend], ids=lambda kind: kind.name
)
def toy(request, registry):
    """Device of an unusual library, the default device while the test runs."""
    backend = request.param()
    xp.register_backend(backend)
    with xp.use_device(f"{backend.name}:0") as device:
        yield device


def values(x):
    """Return the values of arrays, including deferred ones."""
    if isinstance(x, (tuple, list)):
        return tuple(map(values, x))
    if not isinstance(x, xp.Array):
        return x
    library = x.device._library
    return library.values(x._native) if isinstance(library, DeferredBackend) else np.asarray(x.to_device("cpu"))


@pytest.mark.parametrize("name", STANDARD)
def test_function_on_an_unusual_library_returns_numpys_result(toy, name):
    if toy.backend == "deferred" and name in READS_VALUES:
        with pytest.raises(ValueReadError):
            outcome(name)
        return
    result = outcome(name)
    with xp.use_device("cpu"):
        expected = outcome(name)
    if name in ("empty", "empty_like"):
        assert result.shape == expected.shape
        return
    tolerance = 1e-5 if toy.backend == "single" else 1e-12
    for actual, reference in zip(leaves(result), leaves(expected), strict=True):
        if name in ("linalg.eig", "linalg.eigh", "linalg.qr", "linalg.svd"):
            assert np.shape(actual) == np.shape(reference)
        else:
            np.testing.assert_allclose(actual, reference, rtol=tolerance, atol=tolerance)


def outcome(name):
    """Return the values of a function's result; those of the first argument if the function writes to it."""
    arguments = GOOD[name]()
    with call_conditions(name):
        result = call(public_function(name), arguments)
    return values(next(iter(arguments.values())) if name in WRITING_FUNCTIONS else result)


def leaves(value):
    """Return the arrays in nested tuples."""
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]


def test_primitives_are_at_most_eighty():
    assert len(primitives()) <= 80


def test_template_provides_exactly_the_primitives():
    from xtensor_plain import namespace

    provided = vars(namespace(np))
    names = {name for name in provided if name not in ("linalg", "fft")}
    names |= {f"{chapter}.{name}" for chapter in ("linalg", "fft") for name in vars(provided[chapter])}
    assert names == set(primitives())


# -- immutable arrays ---------------------------------------------------------------------------------------------


@pytest.fixture
def immutable(registry):
    xp.register_backend(ImmutableBackend())
    with xp.use_device("immutable:0") as device:
        yield device


def test_assignment_replaces_an_immutable_native_array(immutable):
    x = xp.asarray([1.0, 2.0, 3.0])
    before = x._native
    x[1:] = 9.0
    assert x.to_device("cpu").tolist() == [1.0, 9.0, 9.0]
    assert before.array.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("operation", [name for name, row in TABLE.items() if row.declared and row.inplace])
def test_inplace_operator_is_composed_on_an_immutable_library(immutable, operation):
    import operator

    row = TABLE[operation]
    integers = "bit" in operation
    a, b = ([[6, 5], [3, 7]], [[2, 1], [1, 2]]) if integers else ([[6.0, 5.0], [3.0, 7.0]], [[2.0, 1.0], [1.0, 2.0]])
    x, expected = xp.asarray(a), np.asarray(a)
    x = getattr(operator, row.inplace)(x, xp.asarray(b))
    expected = getattr(operator, row.inplace)(expected, np.asarray(b))
    np.testing.assert_array_equal(values(x), expected)


def test_failed_inplace_operator_leaves_an_immutable_array_unchanged(immutable):
    x = xp.asarray([1, 2])
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add'"):
        x += xp.asarray([0.5, 0.5])
    assert values(x).tolist() == [1, 2]


def test_assignment_along_an_axis(toy):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    xp.put_along_axis(x, xp.asarray([[1], [0]]), 9.0, axis=1)
    np.testing.assert_array_equal(values(x), [[1.0, 9.0], [9.0, 4.0]])


# -- single precision only ----------------------------------------------------------------------------------------


@pytest.fixture
def single(registry):
    xp.register_backend(SinglePrecisionBackend())
    with xp.use_device("single:0") as device:
        yield device


def test_default_dtypes_are_those_of_the_device(single):
    assert xp.zeros(1).dtype == np.float32
    assert xp.asarray([1.0]).dtype == np.float32
    assert xp.asarray([1j]).dtype == np.complex64
    assert xp.linspace(0, 1, 3).dtype == np.float32


@pytest.mark.parametrize("dtype", ["float64", "complex128", "float16", "bfloat16"])
def test_unsupported_dtype_is_refused_with_a_list_of_supported_ones(single, dtype):
    with pytest.raises(TypeError, match=rf"single:0 does not support dtype {dtype}; it supports bool, .*float32"):
        xp.zeros(1, dtype=dtype)


def test_single_precision_device_does_not_affect_the_host(single):
    assert xp.zeros(1, device="cpu").dtype == np.float64
    assert xp.__array_namespace_info__().dtypes(device="cpu")["float64"] == np.float64


# -- deferred computation -----------------------------------------------------------------------------------------


def test_reading_a_deferred_value_raises(registry):
    xp.register_backend(DeferredBackend())
    x = xp.ones(3, device="deferred:0")
    for read in (lambda: bool(xp.any(x)), lambda: float(x[0]), lambda: x.tolist(), lambda: x[x > 0]):
        with pytest.raises(ValueReadError):
            read()


@pytest.mark.parametrize("operator", ["add", "multiply", "floor_divide", "pow", "matmul"])
def test_operators_do_not_read_deferred_values(registry, operator):
    xp.register_backend(DeferredBackend())
    with xp.use_device("deferred:0"):
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
        y = getattr(xp, operator)(x, x)
        y[0, :] = 0.0
        y += x
    assert values(y).shape == (2, 2)
