"""Data types and their functions, compared with NumPy and with the standard's definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import STANDARD_DTYPES, dtypes, dtypes_of, elements, expect, few, operands, promotes, quiet, shapes
from usable import usable_devices

import xtensor as xp

PAIRS = list(itertools.product(STANDARD_DTYPES, repeat=2))
DEFINED = [pair for pair in PAIRS if promotes(*pair)]


def pair_id(pair: tuple[np.dtype, np.dtype]) -> str:
    return f"{pair[0]}-{pair[1]}"


@given(data=st.data())
def test_astype_casts_values(device, data):
    source = data.draw(dtypes(device))
    targets = "biufc" if source.kind != "c" else "bc"
    target = data.draw(dtypes(device, targets))
    # Casts of NaN, infinities and out-of-range floats to integers are device-dependent.
    is_restricted = source.kind == "f" and target.kind in "iu"
    values = st.sampled_from([0.0, 1.0, 2.5, 100.75]) if is_restricted else elements(source)
    x = data.draw(operands(source, shapes(), values))
    with quiet():
        expect(xp.astype(x.array, target), x.host.astype(target), dtype=target)


@pytest.mark.parametrize("target", ["int8", "uint64", "float32", "float64"])
@pytest.mark.parametrize("source", ["complex64", "complex128"])
def test_astype_refuses_to_drop_imaginary_components(device, source, target):
    with pytest.raises(TypeError, match=rf"{source}.*{target}"):
        xp.astype(xp.ones(2, dtype=source), xp.asarray(0, dtype=target).dtype)


@few
@given(data=st.data())
def test_astype_to_the_same_dtype_copies(device, data):
    x = data.draw(operands(dtypes(device), (3,), layouts=("plain",)))
    result = xp.astype(x.array, x.host.dtype)
    x.array[...] = xp.ones((), dtype=x.host.dtype)
    expect(result, x.host)


@few
@given(data=st.data())
def test_astype_to_the_same_dtype_without_copy_returns_the_array(device, data):
    x = data.draw(operands(dtypes(device)))
    assert xp.astype(x.array, x.host.dtype, copy=False) is x.array


def test_astype_to_another_device(device):
    x = xp.asarray([1, 2, 3])
    for other in usable_devices():
        expect(xp.astype(x, xp.float32, device=other), np.asarray([1, 2, 3], np.float32), device=other)


@pytest.mark.parametrize("pair", PAIRS, ids=pair_id)
def test_can_cast_equals_numpys(pair):
    assert xp.can_cast(*pair) == np.can_cast(*pair)


@pytest.mark.parametrize("pair", DEFINED, ids=pair_id)
def test_can_cast_to_the_promoted_dtype(pair):
    assert xp.can_cast(pair[0], xp.result_type(*pair))


def test_can_cast_takes_an_array(device):
    x = xp.ones(2, dtype=xp.float32)
    assert xp.can_cast(x, xp.float32)
    assert not xp.can_cast(x, xp.int32)


@pytest.mark.parametrize("pair", PAIRS, ids=pair_id)
def test_result_type_of_two_dtypes_equals_numpys(pair):
    assert xp.result_type(*pair) == np.result_type(*pair)


@pytest.mark.parametrize("pair", DEFINED, ids=pair_id)
def test_result_type_is_commutative(pair):
    assert xp.result_type(*pair) == xp.result_type(*pair[::-1])


def test_result_type_of_arrays_is_that_of_their_dtypes(device):
    for dtype1, dtype2 in itertools.product(dtypes_of(device), repeat=2):
        if promotes(dtype1, dtype2):
            result = xp.result_type(xp.ones(1, dtype=dtype1), xp.ones((), dtype=dtype2))
            assert result == np.result_type(dtype1, dtype2)


@pytest.mark.parametrize("dtype", STANDARD_DTYPES, ids=str)
def test_result_type_with_a_scalar_of_its_own_kind_is_the_dtype(dtype):
    scalar = {"b": True, "i": 1, "u": 1, "f": 1.0, "c": 1j}[dtype.kind]
    assert xp.result_type(dtype, scalar) == dtype
    assert xp.result_type(scalar, dtype) == dtype


@pytest.mark.parametrize(("dtype", "expected"), [("float32", "complex64"), ("float64", "complex128")])
def test_result_type_of_a_float_and_a_complex_scalar(dtype, expected):
    assert xp.result_type(np.dtype(dtype), 1j) == np.dtype(expected)


@pytest.mark.parametrize("arguments", [(), (1,), (1.0, True)], ids=repr)
def test_result_type_of_scalars_alone_is_refused_where_only_the_standard_holds(arguments):
    with (
        xp.use_device("strict" if arguments else "cpu"),
        pytest.raises(TypeError, match="^at least one array or dtype is required.*result_type"),
    ):
        xp.result_type(*arguments)


@pytest.mark.parametrize("arguments", [(True,), (True, 1), (-2, 1, 10.0), (1.0, 1j)], ids=repr)
def test_result_type_of_scalars_alone_is_numpys(arguments):
    with xp.use_device("cpu"):
        assert xp.result_type(*arguments) == np.result_type(*arguments)


FLOATS = ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", FLOATS)
def test_finfo_returns_python_numbers(name):
    info = xp.finfo(np.dtype(name))
    fields = ("bits", "eps", "max", "min", "smallest_normal")
    assert [type(getattr(info, field)) for field in fields] == [int, float, float, float, float]


@pytest.mark.parametrize("name", FLOATS)
def test_finfo_equals_numpys(name):
    info, expected = xp.finfo(np.dtype(name)), np.finfo(name)
    assert info.dtype == expected.dtype
    limits = (info.bits, info.eps, info.max, info.min, info.smallest_normal)
    assert limits == (expected.bits, expected.eps, expected.max, expected.min, expected.smallest_normal)


@pytest.mark.parametrize("name", [str(dtype) for dtype in STANDARD_DTYPES if dtype.kind in "iu"])
def test_iinfo_returns_python_integers_equal_to_numpys(name):
    info, expected = xp.iinfo(np.dtype(name)), np.iinfo(name)
    assert info.dtype == np.dtype(name)
    assert (info.bits, info.max, info.min) == (expected.bits, expected.max, expected.min)
    assert {type(info.bits), type(info.max), type(info.min)} == {int}


def test_limits_of_an_array_are_those_of_its_dtype(device):
    assert xp.finfo(xp.ones(1, dtype=xp.float32)) == xp.finfo(xp.float32)
    assert xp.iinfo(xp.ones(1, dtype=xp.int16)) == xp.iinfo(xp.int16)


@pytest.mark.parametrize("dtype", [dtype for dtype in STANDARD_DTYPES if dtype.kind in "biu"], ids=str)
def test_finfo_refuses_other_dtypes(dtype):
    with pytest.raises(TypeError, match=f"^data type {dtype} not inexact.*finfo"):
        xp.finfo(dtype)


@pytest.mark.parametrize("dtype", [dtype for dtype in STANDARD_DTYPES if dtype.kind in "bfc"], ids=str)
def test_iinfo_refuses_other_dtypes(dtype):
    with pytest.raises(TypeError, match=f"^Invalid integer data type .*iinfo.*{dtype}"):
        xp.iinfo(dtype)


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", STANDARD_DTYPES, ids=str)
def test_isdtype_of_a_kind(dtype, kind):
    assert xp.isdtype(dtype, kind) is (dtype.kind in KINDS[kind])


@pytest.mark.parametrize("pair", PAIRS, ids=pair_id)
def test_isdtype_of_a_dtype_is_equality(pair):
    assert xp.isdtype(*pair) is (pair[0] == pair[1])


def test_isdtype_of_a_tuple_of_kinds_is_true_if_any_matches():
    assert xp.isdtype(xp.float32, ("bool", xp.float32))
    assert not xp.isdtype(xp.float32, ("bool", "integral"))
    assert not xp.isdtype(xp.float32, ())


@pytest.mark.parametrize("kind", ["float", "", "real", "BOOL"], ids=repr)
def test_isdtype_refuses_an_unknown_kind(kind):
    with pytest.raises(ValueError, match=f"^kind argument is a string, but '{kind}' is not a known kind name.*isdtype"):
        xp.isdtype(xp.float32, kind)


TESTED = ("astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type")


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import data_types

    functions = [name for name in data_types.__all__ if callable(getattr(xp, name))]
    assert set(TESTED) == set(functions)


def test_result_type_takes_numpy_arrays(device):
    assert xp.result_type(np.ones(2, dtype=np.float32), xp.ones(2, dtype=xp.float64)) == xp.float64
    assert xp.result_type(np.ones(2, dtype=np.int8)) == xp.int8


def test_astype_of_a_numpy_array_is_an_array_on_the_default_device(device):
    values = np.asarray([0.0, 2.0])
    if not device.host:
        with pytest.raises(xp.DeviceMismatchError, match="astype"):
            xp.astype(values, xp.bool)
    with xp.transfers("allow"):
        result = xp.astype(values, xp.bool)
    assert (result.device, result.tolist()) == (device, [False, True])


MIXED = {
    "divide": (lambda x, y: xp.divide(x, y), 0.5),
    "isin": (lambda x, y: xp.isin(x, y), False),
    "isclose": (lambda x, y: xp.isclose(x, y), False),
    "fmax": (lambda x, y: xp.fmax(x, y), 2.0),
    "fmin": (lambda x, y: xp.fmin(x, y), 1.0),
    "matvec": (lambda x, y: xp.matvec(xp.reshape(x, (1, 1)), y)[0], 2.0),
    "vecmat": (lambda x, y: xp.vecmat(x, xp.reshape(y, (1, 1)))[0], 2.0),
    "dot": (lambda x, y: xp.dot(x, y), 2.0),
    "inner": (lambda x, y: xp.inner(x, y), 2.0),
    "outer": (lambda x, y: xp.outer(x, y)[0, 0], 2.0),
    "vdot": (lambda x, y: xp.vdot(x, y), 2.0),
    "convolve": (lambda x, y: xp.convolve(x, y), 2.0),
    "correlate": (lambda x, y: xp.correlate(x, y), 2.0),
    "polymul": (lambda x, y: xp.polymul(x, y), 2.0),
    "array_equal": (lambda x, y: xp.asarray(xp.array_equal(x, y)), False),
    "average": (lambda x, y: xp.average(x, weights=y), 1.0),
    "cov": (lambda x, y: xp.cov(x, y, bias=True)[0, 0], 0.0),
    "lstsq": (lambda x, y: xp.linalg.lstsq(xp.reshape(x, (1, 1)), y)[0], 2.0),
    "solve_triangular": (lambda x, y: xp.linalg.solve_triangular(xp.reshape(x, (1, 1)), y), 2.0),
    "tensorsolve": (lambda x, y: xp.linalg.tensorsolve(xp.reshape(x, (1, 1)), y), 2.0),
}


# Few libraries have an order of complex numbers.
@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in MIXED for dtype in ("float32", "complex64") if name[:2] != "fm" or dtype == "float32"],
)
def test_integers_beside_single_precision_have_the_devices_widest_dtype_of_the_kind(lenient_device, name, dtype):
    function, expected = MIXED[name]
    result = function(xp.asarray([1], dtype=xp.int32), xp.asarray([2.0], dtype=dtype))
    wide = np.result_type(dtype, np.float64)
    assert result.dtype in (np.dtype(bool), wide if lenient_device.supports(wide) else np.dtype(dtype))
    assert complex(xp.reshape(result, (-1,))[0]) == expected
