"""Errors of operators, indexing, assignment and conversions; a failed write leaves the array unchanged."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from arguments import BAD, DOCUMENTED, recursive_list
from good_arguments import complexes, integers, matrix, vector
from strategies import values_of
from usable import usable_devices

import xtensor as xp

pytestmark = pytest.mark.usefixtures("time_limit")

# -- operators --------------------------------------------------------------------------------------------------------

BINARY_OPERATORS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "/": (operator.truediv, operator.itruediv),
    "//": (operator.floordiv, operator.ifloordiv),
    "%": (operator.mod, operator.imod),
    "**": (operator.pow, operator.ipow),
    "@": (operator.matmul, operator.imatmul),
    "&": (operator.and_, operator.iand),
    "|": (operator.or_, operator.ior),
    "^": (operator.xor, operator.ixor),
    "<<": (operator.lshift, operator.ilshift),
    ">>": (operator.rshift, operator.irshift),
}

ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

INVALID_OPERANDS = {case: BAD[case] for case in ("None", "text", "bytes", "object", "dict", "function", "ellipsis")}

SEQUENCES = {case: BAD[case] for case in ("empty list", "tuple of floats")}
"""Operands of NumPy's operators that the device ``strict`` refuses."""


@pytest.mark.parametrize("case", SEQUENCES)
@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
def test_operator_refuses_a_sequence_on_strict(symbol, case):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    bad = SEQUENCES[case]()
    with xp.use_device("strict"):
        for operands in ((integers(), bad), (bad, integers())):
            with pytest.raises(TypeError, match=f"{type(bad).__name__}|index"):
                function(*operands)


@pytest.mark.parametrize("case", INVALID_OPERANDS)
@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
def test_operator_refuses_an_invalid_operand(device, symbol, case):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    bad = INVALID_OPERANDS[case]()
    with pytest.raises(TypeError) as raised:
        function(integers(), bad)
    # A sequence calls operator.index on the other factor.
    assert re.search(f"{type(bad).__name__}|index", str(raised.value))


@pytest.mark.parametrize(
    ("symbol", "case"),
    [
        (symbol, case)
        for symbol in BINARY_OPERATORS
        for case in INVALID_OPERANDS
        if symbol != "%" or case not in ("text", "bytes")  # formatting of a text
    ],
)
def test_reflected_operator_refuses_an_invalid_operand(device, symbol, case):
    bad = INVALID_OPERANDS[case]()
    with pytest.raises(TypeError) as raised:
        BINARY_OPERATORS[symbol][0](bad, integers())
    assert re.search(f"{type(bad).__name__}|index", str(raised.value))


@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
@pytest.mark.parametrize("order", ["array first", "NumPy first"])
def test_operator_takes_a_numpy_array_on_the_host_and_refuses_it_elsewhere(device, symbol, order):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    other = np.asarray([[2, 1], [1, 3]], np.float64 if symbol == "/" else np.int64)
    x = xp.asarray(np.asarray([[4, 1], [5, 2]], other.dtype))
    operands = (x, other) if order == "array first" else (other, x)
    if not device.host:
        with pytest.raises(xp.DeviceMismatchError, match="the host"):
            function(*operands)
        return
    result = function(*operands)
    assert result.device is device
    assert np.array_equal(values_of(result), function(*[np.asarray(operand) for operand in operands]))


@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
def test_operator_refuses_shapes_that_do_not_broadcast(device, symbol):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    x, y = (matrix(), vector()) if symbol == "/" else (integers(), xp.asarray([1, 2, 3]))
    with pytest.raises(ValueError, match=r"\(2, 2\).*\(3,\)"):
        function(x, y)


@pytest.mark.parametrize("symbol", [symbol for symbol in BINARY_OPERATORS if symbol not in ("@", "/")])
@pytest.mark.parametrize("value", [2**40, 2**100], ids=str)
def test_operator_refuses_an_integer_beyond_the_dtype(device, symbol, value):
    x = xp.asarray([1, 2], dtype=xp.int8)
    with pytest.raises(OverflowError, match=str(abs(value))[:8]):
        BINARY_OPERATORS[symbol][0](x, value)


INPLACE_OPERANDS: dict[str, Callable[[], Any]] = {
    **INVALID_OPERANDS,
    "array of floats": matrix,
    "array of complex numbers": complexes,
    "larger shape": lambda: xp.ones((3, 2, 2), dtype=xp.int32),
    "shape that does not broadcast": lambda: xp.ones(3, dtype=xp.int32),
    "integer beyond the dtype": lambda: 2**40,
    "float": lambda: 1.5,
    "complex": lambda: 1j,
    "NumPy array of floats": lambda: np.full((2, 2), 1.5),
    "NumPy array of objects": lambda: np.array([[1, 2], [3, None]], dtype=object),
    "NumPy array of text": lambda: np.array(["a", "b"]),
    "NumPy float": lambda: np.float64(1.5),
}


def unchanged(x: xp.Array, before: Any) -> bool:
    return x.dtype == before.dtype and x.shape == before.shape and np.array_equal(values_of(x), before)


@pytest.mark.parametrize("case", INPLACE_OPERANDS)
@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_failed_inplace_operator_leaves_the_array_unchanged(device, symbol, case):
    before = np.asarray([[6, 4], [2, 3]], np.int32)
    x = xp.asarray(before, copy=True)
    with pytest.raises(DOCUMENTED):
        BINARY_OPERATORS[symbol][1](x, INPLACE_OPERANDS[case]())
    assert unchanged(x, before)


def test_failed_inplace_power_leaves_the_array_unchanged(device):
    before = np.asarray([2, 3, 4, 5])
    x = xp.asarray(before, copy=True)
    try:
        x **= xp.asarray([2, 2, 2, -1])
    except ValueError:
        assert unchanged(x, before)
    else:
        assert values_of(x)[:3].tolist() == [4, 9, 16]


@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_inplace_operator_with_an_array_of_another_device_leaves_the_array_unchanged(device, symbol):
    before = np.asarray([[6, 4], [2, 3]], np.int64)
    for other in usable_devices():
        x = xp.asarray(before, copy=True)
        if other is device:
            continue
        y = xp.ones((2, 2), dtype=xp.int32, device=other)
        with pytest.raises(ValueError, match="to_device"):
            BINARY_OPERATORS[symbol][1](x, y)
        assert unchanged(x, before)


@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_inplace_operator_of_booleans_with_floats_leaves_the_array_unchanged(device, symbol):
    before = np.asarray([[True, False], [False, True]])
    x = xp.asarray(before, copy=True)
    with pytest.raises(TypeError):
        BINARY_OPERATORS[symbol][1](x, matrix())
    assert unchanged(x, before)


# -- indexing and assignment ------------------------------------------------------------------------------------------

BAD_KEYS: dict[str, Callable[[], Any]] = {
    "beyond the end": lambda: 2,
    "before the start": lambda: -3,
    "huge": lambda: 2**100,
    "too many": lambda: (0, 0, 0),
    "two ellipses": lambda: (..., ...),
    "float": lambda: 1.0,
    "nan": lambda: float("nan"),
    "text": lambda: "a",
    "object": object,
    "slice of floats": lambda: slice(0.0, 1.0),
    "slice of text": lambda: slice("a", "b"),
    "slice without step": lambda: slice(None, None, 0),
    "dict": lambda: {"a": 1},
    "array of floats": matrix,
    "array of complex numbers": complexes,
    "NumPy array of floats": lambda: np.ones(2),
    "NumPy array of objects": lambda: np.array([0, None], dtype=object),
    "mask of another shape": lambda: xp.asarray([True, False, True]),
    "NumPy mask of another shape": lambda: np.asarray([True, False, True]),
    "indices beyond the end": lambda: (xp.asarray([0, 5]), xp.asarray([0, 0])),
    "indices that do not broadcast": lambda: (xp.asarray([0, 1]), xp.asarray([0, 0, 1])),
    "list of text": lambda: ["a"],
    "list in itself": recursive_list,
    "ragged list": lambda: [[0, 1], [0]],
}


@pytest.mark.parametrize("case", BAD_KEYS)
def test_bad_index_is_refused(device, case):
    with pytest.raises((IndexError, TypeError, ValueError)) as raised:
        _ = matrix()[BAD_KEYS[case]()]
    assert re.search("index|indices|slice|list", str(raised.value))


@pytest.mark.parametrize("case", BAD_KEYS)
def test_assignment_at_a_bad_index_leaves_the_array_unchanged(device, case):
    x = matrix()
    before = values_of(x).copy()
    with pytest.raises((IndexError, TypeError, ValueError)):
        x[BAD_KEYS[case]()] = 7.0
    assert unchanged(x, before)


BAD_VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "a",
    "bytes": lambda: b"a",
    "object": object,
    "dict": lambda: {"a": 1},
    "complex": lambda: 1j,
    "array of complex numbers": complexes,
    "shape that does not broadcast": lambda: xp.ones(3, dtype=xp.int8),
    "larger shape": lambda: xp.ones((3, 2, 2), dtype=xp.int8),
    "integer beyond the dtype": lambda: 300,
    "integer below the dtype": lambda: -(2**100),
    "list with an integer beyond the dtype": lambda: [[1, 2], [3, 2**100]],
    "list with text": lambda: [[1, 2], [3, "a"]],
    "ragged list": lambda: [[1, 2], [3]],
    "list in itself": recursive_list,
    "NumPy array of complex numbers": lambda: np.full((2, 2), 1j),
    "NumPy array of a larger shape": lambda: np.ones((3, 2, 2), np.int8),
    "NumPy array of objects": lambda: np.array([[1, 2], [3, None]], dtype=object),
    "NumPy text": lambda: np.str_("a"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_assignment_of_a_bad_value_leaves_the_array_unchanged(device, case):
    before = np.asarray([[6, 4], [2, 3]], np.int8)
    x = xp.asarray(before, copy=True)
    with pytest.raises(DOCUMENTED) as raised:
        x[...] = BAD_VALUES[case]()
    assert unchanged(x, before)
    assert "getitem" not in str(raised.value)


def test_assignment_of_an_array_of_another_device_leaves_the_array_unchanged(device):
    before = np.asarray([[6.0, 4.0], [2.0, 3.0]])
    x = xp.asarray(before, copy=True)
    for other in usable_devices():
        if other is not device:
            with pytest.raises(ValueError, match="to_device"):
                x[...] = xp.zeros((2, 2), device=other)
    assert unchanged(x, before)


# -- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conversion", [bool, int, float, complex, operator.index], ids=lambda value: value.__name__)
def test_conversion_of_several_elements_is_refused(device, conversion):
    with pytest.raises((TypeError, ValueError), match=r"\(2, 2\)"):
        conversion(integers())


@pytest.mark.parametrize("conversion", [int, float, operator.index], ids=lambda value: value.__name__)
def test_conversion_of_a_complex_number_to_a_real_one_is_refused(device, conversion):
    with pytest.raises(TypeError, match="complex"):
        conversion(xp.asarray(1j))


@pytest.mark.parametrize("value", [1.0, True], ids=repr)
def test_index_of_an_array_that_is_not_an_integer_is_refused(device, value):
    with pytest.raises(TypeError, match=r"float64|bool"):
        operator.index(xp.asarray(value))


@pytest.mark.parametrize("conversion", [int, operator.index], ids=lambda value: value.__name__)
@pytest.mark.parametrize("value", [float("nan"), float("inf")], ids=repr)
def test_integer_of_nan_and_infinity_is_refused(device, value, conversion):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        conversion(xp.asarray(value))


@pytest.mark.parametrize("function", [len, iter], ids=lambda value: value.__name__)
def test_length_and_iterator_of_a_0d_array_are_refused(device, function):
    with pytest.raises(TypeError, match="0-d"):
        function(xp.asarray(1.0))


def test_array_with_axes_is_not_hashable(device):
    with pytest.raises(TypeError, match="unhashable"):
        hash(matrix())


INVALID_SOURCES = {
    case: BAD[case]
    for case in (
        *("None", "text", "object", "dict", "set", "function", "slice", "NumPy text", "NumPy date"),
        *("list in itself", "ragged list", "list of objects", "list of text", "list of arrays of two shapes"),
        *("list of numbers and text", "NumPy array of objects", "NumPy array of text", "NumPy array of dates"),
        *("structured NumPy array", "2**100"),
    )
}


@pytest.mark.parametrize("case", INVALID_SOURCES)
def test_asarray_of_a_source_without_numbers_is_refused(device, case):
    with pytest.raises((TypeError, ValueError, OverflowError), match="asarray"):
        xp.asarray(INVALID_SOURCES[case]())


@pytest.mark.parametrize("dtype", [xp.int8, xp.uint8, xp.int16, xp.uint32, xp.uint64], ids=str)
@pytest.mark.parametrize(
    "make", [xp.asarray, lambda value, dtype: xp.full(2, value, dtype=dtype)], ids=["asarray", "full"]
)
def test_integer_beyond_the_dtype_is_refused(device, dtype, make):
    limits = np.iinfo(dtype)
    for value in (int(limits.max) + 1, int(limits.min) - 1):
        with pytest.raises(OverflowError, match=str(abs(value))):
            make(value, dtype=dtype)


NUMPY_LAYOUTS: dict[str, Callable[[], Any]] = {
    "byte-swapped": lambda: np.asarray([1.0, 2.0], dtype=np.dtype("f8").newbyteorder()),
    "misaligned": lambda: np.frombuffer(b"\0" + np.asarray([1.0, 2.0]).tobytes(), dtype="u1")[1:].view("f8"),
    "read-only": lambda: np.broadcast_to(np.asarray([1.0, 2.0]), (2,)),
    "negative strides": lambda: np.asarray([2.0, 1.0])[::-1],
    "Fortran order": lambda: np.asfortranarray(np.asarray([1.0, 2.0])),
}


@pytest.mark.parametrize("case", NUMPY_LAYOUTS)
def test_asarray_copies_numpy_arrays_of_every_layout(device, case):
    x = xp.asarray(NUMPY_LAYOUTS[case](), copy=True)
    x[0] += 10.0
    assert values_of(x).tolist() == [11.0, 2.0]


@pytest.mark.parametrize("case", NUMPY_LAYOUTS)
def test_asarray_reads_numpy_arrays_of_every_layout(device, case):
    x = xp.asarray(NUMPY_LAYOUTS[case]())
    assert values_of(x).tolist() == [1.0, 2.0]
