"""Bad input of every public function, method and operator: a clear, typed error, and nothing half-written.

The calls are generated from the signatures: each parameter in turn is given each of a list of unlikely values, all
other arguments being good.
"""

from __future__ import annotations

import operator
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from arguments import (
    BAD,
    DOCUMENTED,
    GOOD,
    GOOD_METHODS,
    HUGE,
    NO_BAD_ARGUMENT_HERE,
    REPETITIONS,
    WIDER,
    as_numpy,
    call,
    complaint,
    complexes,
    find,
    integers,
    is_result,
    itself,
    matrix,
    numpy_refuses,
    parameters_of,
    public_functions,
    public_methods,
    text_of,
    tried,
    vector,
    with_bad,
    words_for,
)
from strategies import quiet, values_of

import xtensor as xp

SECONDS = 10


@pytest.fixture(autouse=True)
def no_call_hangs() -> Iterator[None]:
    """A call that does not come back fails its test, where the system has timers."""

    def give_up(*_: object) -> None:
        raise AssertionError(f"the call did not come back within {SECONDS} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


FUNCTION_PARAMETERS = [
    (name, parameter.name)
    for name in public_functions()
    if name in GOOD and name not in NO_BAD_ARGUMENT_HERE
    for parameter in parameters_of(find(name))
]

METHOD_PARAMETERS = [
    (name, parameter.name)
    for name in public_methods()
    if name in GOOD_METHODS
    for parameter in parameters_of(getattr(xp.Array, name))
]


def test_every_function_has_good_arguments():
    assert sorted(GOOD) == sorted(public_functions())


def test_every_method_has_good_arguments():
    assert sorted(GOOD_METHODS) == sorted(public_methods())


@pytest.mark.parametrize("name", [name for name in GOOD if name not in ("register_backend", *NO_BAD_ARGUMENT_HERE)])
def test_good_arguments_are_accepted(device, name):
    try:
        with tried(name):
            result = call(find(name), GOOD[name]())
    except xp.special.FunctionUnavailableError as error:
        pytest.skip(str(error))
    assert result is not None or name == "put_along_axis"


@pytest.mark.parametrize("name", GOOD_METHODS)
def test_good_arguments_of_methods_are_accepted(device, name):
    x = matrix() if name != "item" else xp.asarray(1.0)
    call(getattr(x, name), GOOD_METHODS[name]())


@pytest.mark.parametrize(("name", "parameter"), FUNCTION_PARAMETERS)
def test_bad_argument_is_refused_clearly_unless_numpy_accepts_it(device, name, parameter):
    function = find(name)
    defaults = {item.name: item.default for item in parameters_of(function)}
    complaints = []
    for case, make in BAD.items():
        if (name, parameter) in REPETITIONS and case in HUGE:
            continue
        bad = make()
        if bad is defaults.get(parameter) or (case == "class" and parameter in ("dtype", "kind")):
            continue
        arguments = with_bad(function, GOOD[name](), parameter, bad)
        try:
            with tried(name):
                result = call(function, arguments)
        except AssertionError:
            raise
        except Exception as error:
            complaints.append(complaint(name, parameter, case, bad, error))
        else:
            if not is_result(result) and name != "put_along_axis":
                complaints.append(f"{case}: gave {result!r}")
            refused = None if (name, parameter) in WIDER else numpy_refuses(name, function, arguments)
            if refused is not None and parameter not in ("device", "keepdims", "spec"):
                complaints.append(f"{case}: accepted, where NumPy raises {type(refused).__name__}: {refused}")
    found = [item for item in complaints if item]
    assert not found, f"{name}({parameter}=…):\n  " + "\n  ".join(found)


@pytest.mark.parametrize(("name", "parameter"), METHOD_PARAMETERS)
def test_bad_argument_of_a_method_is_refused_clearly(device, name, parameter):
    complaints = []
    for case, make in BAD.items():
        if (name, parameter) in REPETITIONS and case in HUGE:
            continue
        bad = make()
        method = getattr(matrix(), name)
        try:
            with quiet():
                call(method, with_bad(method, GOOD_METHODS[name](), parameter, bad))
        except AssertionError:
            raise
        except Exception as error:
            if not isinstance(error, DOCUMENTED):
                complaints.append(f"{case}: {type(error).__name__}: {error} [not a documented error]")
            elif not isinstance(error, MemoryError) and not any(word in text_of(error) for word in words_for(bad)):
                complaints.append(f"{case}: {type(error).__name__}: {error} [does not name the value or its type]")
    assert not complaints, f"{name}({parameter}=…):\n  " + "\n  ".join(complaints)


PROGRAM = """
import xtensor as xp
with xp.use_device({device!r}):
    try:
        xp.{call}
    except (ValueError, OverflowError, MemoryError) as error:
        print("refused", error)
"""


@pytest.mark.parametrize(
    "call",
    [
        "repeat(xp.ones((2, 2)), 2**62)",
        "repeat(xp.ones((2, 2)), 2**62, axis=0)",
        "repeat(xp.ones((2, 2)), 2**63 - 1)",
        "repeat(xp.ones((2, 2)), 2**100)",
        "repeat(xp.ones(2), xp.asarray([2**62, 2**62]))",
        "tile(xp.ones((2, 2)), (2**62, 2))",
        "tile(xp.ones((2, 2)), (2**62,))",
        "tile(xp.ones((2, 2)), (2**100,))",
        "ones((2, 2)).repeat(2**62)",
    ],
)
def test_repetition_beyond_any_memory_is_refused_and_crashes_nothing(device, call):
    program = PROGRAM.format(device=str(device), call=call)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-300:]}"
    assert ran.stdout.startswith("refused"), "it was accepted"


def array_parameters() -> list[tuple[str, str]]:
    """The parameters that take an Array, or several."""
    with xp.use_device("cpu"):
        return [
            (name, parameter)
            for name in GOOD
            if name not in ("asarray", "from_dlpack")
            for parameter, value in GOOD[name]().items()
            if isinstance(value, xp.Array)
            or (isinstance(value, (tuple, list)) and value and all(isinstance(item, xp.Array) for item in value))
        ]


@pytest.mark.parametrize(("name", "parameter"), array_parameters())
def test_numpy_array_in_the_place_of_an_array_is_refused(device, name, parameter):
    good = GOOD[name]()
    bad = as_numpy(good[parameter])
    with pytest.raises(TypeError, match=r"ndarray|Array") as raised:
        call(find(name), good | {parameter: bad})
    assert name.rpartition(".")[2] in text_of(raised.value)


WITH_AXIS = [
    (name, parameter)
    for name, parameter in FUNCTION_PARAMETERS
    if parameter in ("axis", "axes", "source", "destination", "shift")
]

BAD_AXES = {
    "float": (1.0, TypeError),
    "bool": (True, TypeError),
    "text": ("0", TypeError),
    "nan": (float("nan"), TypeError),
    "far off": (7, (ValueError, IndexError)),
    "far off below": (-7, (ValueError, IndexError)),
    "huge": (2**100, (ValueError, IndexError, OverflowError)),
}


@pytest.mark.parametrize("case", BAD_AXES)
@pytest.mark.parametrize(("name", "parameter"), [pair for pair in WITH_AXIS if pair[1] != "shift"])
def test_bad_axis_is_refused(device, name, parameter, case):
    axis, errors = BAD_AXES[case]
    with pytest.raises(errors) as raised:
        call(
            find(name), GOOD[name]() | {parameter: (axis,) if parameter == "axes" and "tensordot" not in name else axis}
        )
    assert name.rpartition(".")[2] in text_of(raised.value)


TWICE_IS_AN_ERROR = (
    *("all", "any", "count_nonzero", "expand_dims", "flip", "max", "mean", "min", "moveaxis", "permute_dims"),
    *("prod", "squeeze", "std", "sum", "var", "linalg.vector_norm"),
)


@pytest.mark.parametrize("axes", [(0, 0), (0, -2)], ids=str)
@pytest.mark.parametrize("name", TWICE_IS_AN_ERROR)
def test_axis_named_twice_is_refused(device, name, axes):
    good = GOOD[name]() | ({"x": xp.ones((1, 1))} if name in ("squeeze",) else {})
    parameter = "source" if name == "moveaxis" else "axes" if name == "permute_dims" else "axis"
    axes = (0, -4) if name == "expand_dims" and axes == (0, -2) else axes
    with pytest.raises(ValueError, match="duplicate"):
        call(find(name), good | {parameter: axes} | ({"destination": (0, 1)} if name == "moveaxis" else {}))


WITH_SHAPE = ("broadcast_to", "empty", "full", "ones", "reshape", "zeros")

BAD_SHAPES = {
    "nan": ((float("nan"),), TypeError),
    "float": ((2.0, 2.0), TypeError),
    "bool": ((True, True), TypeError),
    "text": ("22", TypeError),
    "negative": ((-2, -2), ValueError),
    "beyond any address": ((2**62, 2**62), (ValueError, MemoryError)),
    "beyond 64 bits": ((2**100,), (ValueError, MemoryError)),
    "one length beyond any address": ((2**61,), (ValueError, MemoryError)),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
@pytest.mark.parametrize("name", WITH_SHAPE)
def test_bad_shape_is_refused(device, name, case):
    shape, errors = BAD_SHAPES[case]
    with pytest.raises(errors) as raised:
        call(find(name), GOOD[name]() | {"shape": shape})
    assert name in text_of(raised.value)


WITH_DTYPE = [name for name, parameter in FUNCTION_PARAMETERS if parameter == "dtype"]

BAD_DTYPES = ["float7", "U5", "object", "datetime64[s]", 7, [("a", "f8")], np.dtype("longdouble"), lambda: None]


@pytest.mark.parametrize("dtype", BAD_DTYPES, ids=lambda value: getattr(value, "__name__", str(value)))
@pytest.mark.parametrize("name", WITH_DTYPE)
def test_bad_dtype_is_refused(device, name, dtype):
    with pytest.raises(TypeError) as raised:
        call(find(name), GOOD[name]() | {"dtype": dtype})
    assert name.rpartition(".")[2] in text_of(raised.value)


WITH_DEVICE = [name for name, parameter in FUNCTION_PARAMETERS if parameter == "device"]


@pytest.mark.parametrize("name", WITH_DEVICE)
def test_unknown_device_is_refused_with_a_list_of_those_here(device, name):
    with pytest.raises(ValueError, match="nowhere:9") as raised:
        call(find(name), GOOD[name]() | {"device": "nowhere:9"})
    assert str(device) in str(raised.value)


@pytest.mark.parametrize("bad", [7, 1.5, b"cpu", object(), ["cpu"]], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", WITH_DEVICE)
def test_device_of_a_wrong_type_is_refused(device, name, bad):
    with pytest.raises(TypeError, match=type(bad).__name__):
        call(find(name), GOOD[name]() | {"device": bad})


@pytest.mark.parametrize("name", ["set_default_device", "use_device"])
@pytest.mark.parametrize("bad", ["nowhere:9", "", ":", 7], ids=repr)
def test_bad_device_is_no_default(device, name, bad):
    setter = xp.set_default_device if name == "set_default_device" else lambda spec: xp.use_device(spec).__enter__()
    with pytest.raises((TypeError, ValueError)):
        setter(bad)
    assert xp.default_device() is device


@pytest.mark.parametrize("bad", ["maybe", None, True, 1], ids=repr)
def test_unknown_transfer_policy_is_refused(bad):
    with pytest.raises(ValueError, match="policy"):
        xp.transfers(bad)


@pytest.mark.parametrize("bad", [["nobody"], "numpy", None, 7, [7]], ids=repr)
def test_bad_backend_priority_is_refused(bad):
    with pytest.raises((TypeError, ValueError), match=r"backend"):
        xp.set_backend_priority(bad)


@pytest.mark.parametrize("bad", [None, "numpy", object, np], ids=repr)
def test_something_else_is_no_backend(bad):
    with pytest.raises(TypeError, match="Backend"):
        xp.register_backend(bad)


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

NO_OPERANDS = {
    case: BAD[case]
    for case in ("None", "text", "bytes", "object", "dict", "function", "ellipsis", "empty list", "tuple of floats")
}


@pytest.mark.parametrize("case", NO_OPERANDS)
@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
def test_operator_refuses_what_is_no_operand(device, symbol, case):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    bad = NO_OPERANDS[case]()
    with pytest.raises(TypeError) as raised:
        function(integers(), bad)
    # A sequence times something asks for the number of times.
    assert re.search(f"{type(bad).__name__}|index", str(raised.value))


@pytest.mark.parametrize(
    ("symbol", "case"),
    [
        (symbol, case)
        for symbol in BINARY_OPERATORS
        for case in NO_OPERANDS
        if symbol != "%" or case not in ("text", "bytes")  # a text's own operator, which formats
    ],
)
def test_reflected_operator_refuses_what_is_no_operand(device, symbol, case):
    bad = NO_OPERANDS[case]()
    with pytest.raises(TypeError) as raised:
        BINARY_OPERATORS[symbol][0](bad, integers())
    assert re.search(f"{type(bad).__name__}|index", str(raised.value))


@pytest.mark.parametrize("symbol", [*BINARY_OPERATORS, *ORDERINGS])
@pytest.mark.parametrize("order", ["array first", "NumPy first"])
def test_operator_refuses_a_numpy_array_and_names_the_remedy(device, symbol, order):
    function = BINARY_OPERATORS[symbol][0] if symbol in BINARY_OPERATORS else ORDERINGS[symbol]
    operands = (integers(), np.ones((2, 2), np.int64))
    with pytest.raises(TypeError, match="asarray"):
        function(*(operands if order == "array first" else operands[::-1]))


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
    **NO_OPERANDS,
    "array of floats": matrix,
    "array of complex numbers": complexes,
    "larger shape": lambda: xp.ones((3, 2, 2), dtype=xp.int32),
    "shape that does not broadcast": lambda: xp.ones(3, dtype=xp.int32),
    "integer beyond the dtype": lambda: 2**40,
    "float": lambda: 1.5,
    "complex": lambda: 1j,
    "NumPy array": lambda: np.ones((2, 2), np.int32),
    "NumPy array of text": lambda: np.array(["a", "b"]),
    "NumPy float": lambda: np.float64(1.5),
}


def unchanged(x: xp.Array, before: Any) -> bool:
    return x.dtype == before.dtype and x.shape == before.shape and np.array_equal(values_of(x), before)


@pytest.mark.parametrize("case", INPLACE_OPERANDS)
@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_failed_inplace_operator_leaves_the_array_as_it_was(device, symbol, case):
    before = np.asarray([[6, 4], [2, 3]], np.int32)
    x = xp.asarray(before, copy=True)
    with pytest.raises(DOCUMENTED):
        BINARY_OPERATORS[symbol][1](x, INPLACE_OPERANDS[case]())
    assert unchanged(x, before)


def test_failed_inplace_power_writes_no_element(device):
    before = np.asarray([2, 3, 4, 5])
    x = xp.asarray(before, copy=True)
    try:
        x **= xp.asarray([2, 2, 2, -1])
    except ValueError:
        assert unchanged(x, before)
    else:
        assert values_of(x)[:3].tolist() == [4, 9, 16]


@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_inplace_operator_with_an_array_of_another_device_leaves_the_array_as_it_was(device, symbol):
    before = np.asarray([[6, 4], [2, 3]], np.int64)
    for other in xp.devices():
        x = xp.asarray(before, copy=True)
        if other is device:
            continue
        y = xp.ones((2, 2), dtype=xp.int64, device=other)
        with pytest.raises(ValueError, match="to_device"):
            BINARY_OPERATORS[symbol][1](x, y)
        assert unchanged(x, before)


@pytest.mark.parametrize("symbol", BINARY_OPERATORS)
def test_inplace_operator_of_booleans_with_floats_leaves_the_array_as_it_was(device, symbol):
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
    "list in itself": itself,
    "ragged list": lambda: [[0, 1], [0]],
}


@pytest.mark.parametrize("case", BAD_KEYS)
def test_bad_index_is_refused(device, case):
    with pytest.raises((IndexError, TypeError, ValueError)) as raised:
        _ = matrix()[BAD_KEYS[case]()]
    assert len(str(raised.value)) > 10


@pytest.mark.parametrize("case", BAD_KEYS)
def test_assignment_at_a_bad_index_leaves_the_array_as_it_was(device, case):
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
    "list in itself": itself,
    "NumPy array": lambda: np.ones((2, 2), np.int8),
    "NumPy array of objects": lambda: np.array([[1, 2], [3, None]], dtype=object),
    "NumPy text": lambda: np.str_("a"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_assignment_of_a_bad_value_leaves_the_array_as_it_was(device, case):
    before = np.asarray([[6, 4], [2, 3]], np.int8)
    x = xp.asarray(before, copy=True)
    with pytest.raises(DOCUMENTED) as raised:
        x[...] = BAD_VALUES[case]()
    assert unchanged(x, before)
    assert "getitem" not in str(raised.value)


def test_assignment_of_an_array_of_another_device_leaves_the_array_as_it_was(device):
    before = np.asarray([[6.0, 4.0], [2.0, 3.0]])
    x = xp.asarray(before, copy=True)
    for other in xp.devices():
        if other is not device:
            with pytest.raises(ValueError, match="to_device"):
                x[...] = xp.zeros((2, 2), device=other)
    assert unchanged(x, before)


# -- conversions, and what NumPy brings -------------------------------------------------------------------------------


@pytest.mark.parametrize("conversion", [bool, int, float, complex, operator.index], ids=lambda value: value.__name__)
def test_conversion_of_several_elements_is_refused(device, conversion):
    with pytest.raises((TypeError, ValueError), match=r"\(2, 2\)"):
        conversion(integers())


@pytest.mark.parametrize("conversion", [int, float, operator.index], ids=lambda value: value.__name__)
def test_conversion_of_a_complex_number_to_a_real_one_is_refused(device, conversion):
    with pytest.raises(TypeError, match="complex"):
        conversion(xp.asarray(1j))


@pytest.mark.parametrize("value", [1.0, True], ids=repr)
def test_index_of_what_is_no_integer_is_refused(device, value):
    with pytest.raises(TypeError, match=r"float64|bool"):
        operator.index(xp.asarray(value))


@pytest.mark.parametrize("conversion", [int, operator.index], ids=lambda value: value.__name__)
@pytest.mark.parametrize("value", [float("nan"), float("inf")], ids=repr)
def test_integer_of_nan_and_infinity_is_refused(device, value, conversion):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        conversion(xp.asarray(value))


@pytest.mark.parametrize("function", [len, iter], ids=lambda value: value.__name__)
def test_array_without_axes_has_no_length_and_no_iterator(device, function):
    with pytest.raises(TypeError, match="0-d"):
        function(xp.asarray(1.0))


def test_array_is_not_hashable(device):
    with pytest.raises(TypeError, match="unhashable"):
        hash(matrix())


UNFIT_SOURCES = {
    case: BAD[case]
    for case in (
        *("None", "text", "object", "dict", "set", "function", "slice", "NumPy text", "NumPy date"),
        *("list in itself", "ragged list", "list of objects", "list of text", "list of arrays of two shapes"),
        *("list of numbers and text", "NumPy array of objects", "NumPy array of text", "NumPy array of dates"),
        *("structured NumPy array", "2**100"),
    )
}


@pytest.mark.parametrize("case", UNFIT_SOURCES)
def test_asarray_of_what_is_no_numbers_is_refused(device, case):
    with pytest.raises((TypeError, ValueError, OverflowError), match="asarray"):
        xp.asarray(UNFIT_SOURCES[case]())


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
    "subclass": lambda: np.asarray([1.0, 2.0]).view(np.recarray),
}


@pytest.mark.parametrize("case", NUMPY_LAYOUTS)
def test_asarray_copies_numpy_arrays_of_unusual_layout_exactly(device, case):
    x = xp.asarray(NUMPY_LAYOUTS[case](), copy=True)
    x[0] += 10.0
    assert values_of(x).tolist() == [11.0, 2.0]


@pytest.mark.parametrize("case", NUMPY_LAYOUTS)
def test_asarray_reads_numpy_arrays_of_unusual_layout_exactly(device, case):
    x = xp.asarray(NUMPY_LAYOUTS[case]())
    assert values_of(x).tolist() == [1.0, 2.0]
