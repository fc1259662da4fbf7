"""The compiled module: that it computes what it is for, that all else goes to Python, and that both do the same.

A test of the short way fails where Python computed: the Python functions are replaced by ones that raise.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import json
import os
import pickle
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import xtensor as xp
from xtensor._core.calls import apply
from xtensor._core.compiled import compiled, missing
from xtensor._core.large_calls import apply_reduction
from xtensor._core.operations import Operation, operation

if compiled is None and os.environ.get("XTENSOR_COMPILED") != "1":
    pytest.skip(f"calls are in Python: {missing}", allow_module_level=True)

CPU = xp.device("numpy")


def value_of(data, dtype=None, device=CPU):
    return xp.asarray(data, dtype=dtype, device=device)


INDEXING = ("__getitem__", "__setitem__")


def functions_of(namespace):
    """The compiled functions of a class or module, by name."""
    found = {name: getattr(namespace, name) for name in dir(namespace)}
    # Other functions with no operation are computed in Python: the compiled module only shortens their tracebacks.
    # Reductions, which have more than an operation, are tested with those of wrapped arrays.
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, compiled.Function) and (isinstance(value.operation, Operation) or name in INDEXING)
    }


OPERATORS = functions_of(xp.Array)
FUNCTIONS = {name: value for name, value in functions_of(xp).items() if not name.startswith("_")}


@pytest.fixture
def only_short(monkeypatch):
    """Functions that raise where the short way does not compute."""
    x = value_of([1.0])
    x[x > 0.0] = x[x > 0.0]  # the first call of an operation looks for its kernel, in Python

    def refused(*args, **kwargs):
        raise AssertionError("computed in Python")

    for function in (*OPERATORS.values(), *FUNCTIONS.values()):
        monkeypatch.setattr(function, "python", refused)


@pytest.fixture
def python_calls(monkeypatch):
    """The names of the functions that Python computes."""
    seen = []

    def logged(name, function):
        def call(*args, **kwargs):
            seen.append(name)
            return function(*args, **kwargs)

        return call

    for name, function in (OPERATORS | FUNCTIONS).items():
        monkeypatch.setattr(function, "python", logged(name, function.python))
    return seen


def test_there_is_a_compiled_module():
    assert compiled is not None, missing
    assert len(OPERATORS) == 51
    assert len(FUNCTIONS) > 60


FLOAT_OPERATORS = (
    *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__matmul__"),
    *("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"),
)


@pytest.mark.parametrize("name", FLOAT_OPERATORS)
@pytest.mark.parametrize("kind", ["array", "float", "int", "bool"])
def test_binary_operators_are_computed_without_python(name, kind, only_short):
    if name == "__matmul__" and kind != "array":
        pytest.skip("products of matrices take no numbers")
    x, y = value_of([1.0, 4.0, 9.0]), {"array": value_of([3.0, 2.0, 1.0]), "float": 2.5, "int": 2, "bool": True}[kind]
    host = {"array": np.asarray([3.0, 2.0, 1.0])}.get(kind, y)
    result = getattr(x, name)(y)
    expected = getattr(np.asarray([1.0, 4.0, 9.0]), name)(host)
    assert result.__class__ is xp.Array
    assert result.device is CPU
    np.testing.assert_array_equal(xp.to_numpy(result), expected, strict=kind != "array" or name != "__matmul__")


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!="])
def test_pythons_operators_are_computed_without_python(symbol, only_short):
    host = np.asarray([1.0, 4.0, 9.0]), np.asarray([3.0, 2.0, 1.0])
    x, y = map(value_of, host)
    found = eval(f"x {symbol} y", {"x": x, "y": y})
    np.testing.assert_array_equal(xp.to_numpy(found), eval(f"x {symbol} y", dict(zip("xy", host, strict=True))))
    if symbol != "@":
        for text in (f"x {symbol} 2", f"2.5 {symbol} x"):
            np.testing.assert_array_equal(xp.to_numpy(eval(text, {"x": x})), eval(text, {"x": host[0]}))


@pytest.mark.parametrize("symbol", ["&", "|", "^", "<<", ">>"])
def test_operators_of_integers_are_computed_without_python(symbol, only_short):
    host = np.asarray([1, 4, 9]), np.asarray([3, 2, 1])
    x, y = map(value_of, host)
    for text in (f"x {symbol} y", f"x {symbol} 2", f"2 {symbol} x"):
        found = eval(text, {"x": x, "y": y})
        np.testing.assert_array_equal(xp.to_numpy(found), eval(text, dict(zip("xy", host, strict=True))), strict=True)


@pytest.mark.parametrize("text", ["-x", "+x", "abs(x)", "~n"])
def test_unary_operators_are_computed_without_python(text, only_short):
    host = {"x": np.asarray([1.0, -4.0]), "n": np.asarray([1, -4])}
    found = eval(text, {name: value_of(value) for name, value in host.items()})
    np.testing.assert_array_equal(xp.to_numpy(found), eval(text, dict(host)), strict=True)


@pytest.mark.parametrize("symbol", ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="])
@pytest.mark.parametrize("operand", ["y", "2"])
def test_inplace_operators_are_computed_without_python(symbol, operand, only_short):
    dtype = "int64" if symbol[0] in "&|^" or symbol[:2] in ("<<", ">>") else "float64"
    host = {"x": np.asarray([1, 4, 9], dtype), "y": np.asarray([3, 2, 1], dtype)}
    ours = {name: value_of(value.copy()) for name, value in host.items()}
    before, view = ours["x"], ours["x"][:2]
    exec(f"x {symbol} {operand}", ours)
    exec(f"x {symbol} {operand}", host)
    assert ours["x"] is before
    np.testing.assert_array_equal(xp.to_numpy(ours["x"]), host["x"], strict=True)
    np.testing.assert_array_equal(xp.to_numpy(view), host["x"][:2])


KEYS = ["0", "-1", "1:", "::-1", "...", "None", "(0, 1)", "(slice(None), 1)", "(None, 0)", "(Ellipsis, 1)"]


@pytest.mark.parametrize("key", KEYS)
def test_plain_keys_are_computed_without_python(key, only_short):
    host = np.arange(6.0).reshape(2, 3)
    key = eval(f"np.s_[{key}]", {"np": np})
    found = value_of(host)[key]
    assert found.__class__ is xp.Array
    np.testing.assert_array_equal(xp.to_numpy(found), np.asarray(host[key]), strict=True)


ARRAY_KEYS = [[True, False], [[True, False, True], [False, False, True]], [1, 0, 1], [[-1], [0]], 1, True]


@pytest.mark.parametrize("key", ARRAY_KEYS)
def test_a_key_that_is_an_array_is_computed_without_python(key, only_short):
    host, key = np.arange(6.0).reshape(2, 3), np.asarray(key)
    found = value_of(host)[value_of(key)]
    assert found.__class__ is xp.Array
    np.testing.assert_array_equal(xp.to_numpy(found), host[key], strict=True)


@pytest.mark.parametrize("key", [eval(f"np.s_[{key}]") for key in KEYS] + [np.asarray(key) for key in ARRAY_KEYS])
@pytest.mark.parametrize("value", [7, 7.5, True, np.asarray(8.0)])
def test_assignments_are_computed_without_python(key, value, only_short):
    host = np.arange(6.0).reshape(2, 3)
    x = value_of(host.copy())
    before = x._native
    x[value_of(key) if isinstance(key, np.ndarray) else key] = (
        value_of(value) if isinstance(value, np.ndarray) else value
    )
    host[key] = value
    assert x._native is before
    np.testing.assert_array_equal(xp.to_numpy(x), host, strict=True)


def test_a_kernel_selects_and_assigns_from_its_minimum_size():
    """Where a device has a kernel for keys of many elements, the short way leaves them to it."""
    calls = []

    def kernel(native, key, *value):
        calls.append(key.size)
        return NotImplemented

    for name in ("selected", "assigned_where"):
        implementation = CPU.table[operation(name).index]
        before = implementation.min_size, implementation.kernel
        implementation.min_size, implementation.kernel = 6, kernel
        try:
            for size in (5, 6, 7):
                x, mask = value_of(np.arange(float(size))), value_of(np.ones(size, bool))
                if name == "selected":
                    assert x[mask].shape == (size,)
                else:
                    x[mask] = 1.0
                    assert bool(xp.all(x == 1.0))
        finally:
            implementation.min_size, implementation.kernel = before
    assert calls == [6, 7, 6, 7]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "float64", "complex64"])
def test_an_element_is_a_value(dtype, only_short):
    x = value_of(np.asarray([1, 0, 1], dtype))
    element, last = x[0], x[-1]
    assert not np.shares_memory(element._native, x._native)
    assert (element.dtype, element.shape, element.item(), last.item()) == (np.dtype(dtype), (), 1, 1)
    strided = x[::2]
    assert [item.item() for item in strided] == [1, 1]
    assert [item.item() for item in x] == [1, 0, 1]


def test_iteration_sees_what_is_written_meanwhile():
    x = value_of([1.0, 2.0, 3.0])
    seen = []
    for item in x:
        seen.append(item.item())
        x[2] = 7.0
    assert seen == [1.0, 2.0, 7.0]
    rows = list(value_of([[1.0, 2.0], [3.0, 4.0]]))
    assert [row.shape for row in rows] == [(2,), (2,)]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_are_computed_without_python(name, only_short):
    function = FUNCTIONS[name]
    vector, matrix = np.asarray([0.25, 0.5, 0.75]), np.full((3, 3), 0.5)
    operands = {"matvec": (matrix, vector), "vecmat": (vector, matrix)}.get(name)
    operands = operands or [vector] * len(inspect.signature(function).parameters)
    for dtype in ("float64", "float32", "int64", "bool", "complex128"):
        arrays = [operand.astype(dtype) for operand in operands]
        with np.errstate(all="ignore"):
            native = CPU.table[function.operation.index].function
            try:
                expected = native(*arrays)
            except TypeError:
                continue
            if expected is NotImplemented:
                continue
            found = function(*map(value_of, arrays))
        np.testing.assert_array_equal(xp.to_numpy(found), np.asarray(expected), strict=True)


TABLE_CALLS = {
    "sum": lambda module, x: module.sum(x),
    "sum along an axis": lambda module, x: module.sum(x, axis=0, keepdims=True),
    "max": lambda module, x: module.max(x),
    "argmax": lambda module, x: module.argmax(x),
    "reshape": lambda module, x: module.reshape(x, (2, -1)),
    "concat": lambda module, x: module.concat([x, x], axis=1),
    "flip": lambda module, x: module.flip(x, axis=1),
    "zeros": lambda module, x: module.zeros((2, 3), dtype="int16"),
    "arange": lambda module, x: module.arange(5, 2, -1),
    "astype": lambda module, x: module.astype(x, np.dtype("float32")),
    "det": lambda module, x: module.linalg.det(x),
}


@pytest.mark.parametrize("spec", ["numpy", "cpu"])
@pytest.mark.parametrize("size", [2, 300])
@pytest.mark.parametrize("name", TABLE_CALLS)
def test_functions_of_the_table_are_computed_without_python(name, size, spec, monkeypatch):
    def refused(*args, **kwargs):
        raise AssertionError("computed in Python")

    matrix = np.random.default_rng(0).standard_normal((size, size))
    x = value_of(matrix, device=spec)
    for function in (apply, apply_reduction):
        assert isinstance(function, compiled.Function)
        monkeypatch.setattr(function, "python", refused)
    with xp.use_device(spec):
        found = TABLE_CALLS[name](xp, x)
    assert str(found.device) == spec
    np.testing.assert_allclose(xp.to_numpy(found), TABLE_CALLS[name](np, matrix), rtol=1e-9, strict=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"])
def test_operands_of_numpy_of_the_same_dtype_are_computed_without_python(dtype, only_short):
    """A scalar promotes as a number of Python does, an array is taken as it is."""
    host = np.asarray([1, 0, 3]).astype(dtype)
    x = value_of(host.tolist(), dtype)
    results = [x + host[2], x + host, xp.add(x, host), xp.add(host[2], x), x == host[0]]
    expected = [host + host[2], host + host, host + host, host[2] + host, host == host[0]]
    for result, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(result), right, strict=True)


@pytest.mark.parametrize("size", [2, np.int64(2), 4, np.inf, 2**70])
def test_a_kernel_is_called_from_its_minimum_size(size):
    x, index = value_of([1.0, 2.0, 3.0]), operation("sum").index
    implementation = CPU.table[index]
    before = implementation.min_size, implementation.kernel
    implementation.min_size, implementation.kernel = size, lambda x, **options: np.asarray(99.0)
    try:
        assert xp.sum(x).item() == (99.0 if size <= 3 else 6.0)
    finally:
        implementation.min_size, implementation.kernel = before


def test_a_warning_is_the_callers_line_whatever_calls_numpy():
    x, mixed, half = value_of([1e308, 1e308]), value_of([1e300, 2.0]), value_of([6e4, 6e4], "float16")
    calls = [
        *(
            lambda: x * x,
            lambda: xp.sum(half),
            lambda: xp.prod(x),
            lambda: xp.dot(x, x),
            lambda: xp.trapezoid(x, dx=3.0),
        ),
        *(lambda: xp.asarray([1e300], dtype="float32"), lambda: xp.linalg.outer(x, x), lambda: xp.cumulative_sum(x)),
        *(lambda: xp.pad(half, 1, constant_values=1e300), lambda: mixed.var(where=np.asarray([True, True]))),
        lambda: value_of([1e300]).sum(out=np.zeros((), np.float32)),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            # Elsewhere warnings stay exceptions, as they are by the package's own filter.
            warnings.filterwarnings("always", module=__name__)
            call()
        assert caught
        assert {item.filename for item in caught} == {__file__}


@pytest.mark.parametrize(
    "text",
    [
        *("x + m.astype('f4')", "x + np.float32(1)", "x + [1.0, 2.0, 3.0]", "x + s", "x < None"),
        *("x[m > 1]", "x[[0, 1]]", "x[np.int64(0)]", "x[7]", "x['a']", "z[...]", "z[(...,)]", "x[2**70]", "x[True]"),
        *("xp.add(x)", "xp.add(x1=x, x2=x)", "xp.add(x, y=1)", "xp.exp(m)", "xp.exp(1.0)", "xp.add(x, m[:, None] > 1)"),
        *("x + o", "x.__pow__(2, 3)", "b + 1", "b[0]"),
    ],
)
def test_all_else_goes_to_python(text, python_calls):
    class Other:
        def __add__(self, other):
            return "other"

        __radd__ = __add__

    names = {
        "x": value_of([1.0, 2.0, 3.0]),
        "m": np.asarray([1.0, 2.0, 3.0]),
        "np": np,
        "xp": xp,
        "s": xp.asarray(1.0, device="strict"),
        "o": Other(),
        "z": xp.asarray(1.0, device=CPU),
        "b": xp.zeros(2, dtype="bfloat16", device=CPU),
    }
    with contextlib.suppress(TypeError, IndexError, OverflowError, ValueError):
        eval(text, names)
    assert python_calls


def test_attributes_are_those_of_the_native_array():
    x = value_of([[1.0, 2.0]])
    assert (x.dtype, x.shape, x.ndim, x.size, x.device) == (np.dtype("float64"), (1, 2), 2, 2, CPU)
    for name in ("dtype", "ndim", "shape", "size", "device"):
        attribute = inspect.getattr_static(xp.Array, name)
        assert isinstance(attribute, compiled.Attribute)
        assert attribute.__doc__ == attribute.python.__doc__
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
        with pytest.raises(AttributeError):
            delattr(x, name)


def test_functions_look_like_functions():
    assert pickle.loads(pickle.dumps(xp.add)) is xp.add
    assert copy.deepcopy(xp.exp) is xp.exp
    assert str(inspect.signature(xp.add)).startswith("(x1: 'Operand', x2: 'Operand', /)")
    assert (xp.add.__name__, xp.add.__qualname__, repr(xp.add)) == ("add", "add", "<function add>")
    assert inspect.getdoc(xp.add).startswith("Sum")
    assert inspect.isroutine(xp.add)
    assert xp.Array.__add__.__get__(value_of([1.0]))(1.0).item() == 2.0
    assert weakref.ref(xp.add)() is xp.add
    with pytest.raises(ValueError, match="no kind of function"):
        compiled.Function(99, None, 0, False)


def test_an_operator_that_is_assigned_later_is_called(monkeypatch):
    x = value_of([1.0])
    monkeypatch.setattr(xp.Array, "__add__", lambda self, other: "assigned")
    assert x + x == "assigned"
    monkeypatch.undo()
    assert (x + x).item() == 2.0


# -- objects ----------------------------------------------------------------------------------------------------------


def test_arrays_of_numpy_are_unknown_to_the_garbage_collector():
    x = value_of([1.0])
    assert not gc.is_tracked(x + x)
    assert gc.is_tracked(xp.asarray([1.0], device="strict") + 1)


def test_a_weak_reference_to_an_array_ends_with_it():
    ended = []
    for _ in range(100):
        x = value_of([1.0]) + 1
        reference = weakref.ref(x, ended.append)
        assert reference() is x
        del x
        assert reference() is None
    assert len(ended) == 100


def test_a_long_chain_of_derivatives_is_freed():
    def chained(x):
        for _ in range(20_000):
            x = x + 1.0
        return x

    assert xp.autograd.grad(chained)(value_of(1.0)).item() == 1.0


# -- both modes -------------------------------------------------------------------------------------------------------

PROGRAM = """
import itertools, json, operator, sys, warnings
import numpy as np
import xtensor as xp
from xtensor._core.compiled import compiled

OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift",
             "rshift", "lt", "le", "eq", "ne", "gt", "ge", "iadd", "imul", "ipow", "itruediv", "iand", "getitem"]
UNARY = ["neg", "pos", "abs", "invert"]
FUNCTIONS = ["sum", "prod", "max", "mean", "var", "any", "argmax", "cumulative_sum", "sort", "flip", "diff", "isnan",
             "trapezoid", "nonzero", "unique_values"]
OF_TWO = ["dot", "vecdot", "matmul", "tensordot", "maximum", "reshape", "astype", "take", "repeat"]

def operands():
    for dtype in ("bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex128"):
        yield xp.asarray(np.asarray([1, 0, 3], dtype))
        yield xp.asarray(np.asarray(2, dtype))
    yield xp.asarray(np.linspace(-1.0, 1.0, 40_000))
    yield xp.asarray(np.asarray([[np.inf, np.nan, 0.0], [-0.0, 1e308, -1.0]]))
    yield xp.empty((0, 3))
    yield xp.asarray([1.0, 2.0, 3.0], device="strict")
    yield from (0, 2, -1, 300, 2**70, 2**2000, 0.0, 0.5, 2.0, -1.0, 2.5, float("inf"), True, 1j)
    yield from (None, "text", [1, 2, 3], (0, 1), slice(1, None))
    yield np.asarray([1.0, 2.0, 3.0])
    yield np.float32(2)

def outcome(function, *args):
    args = [xp.asarray(arg, copy=True) if isinstance(arg, xp.Array) else arg for arg in args]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = [type(error).__name__, str(error)]
            caught = {str(item.message): item for item in caught}.values()  # the repeated call may warn again
        else:
            if isinstance(result, xp.Array):
                values = xp.to_numpy(result)
                same = [result is arg for arg in args if isinstance(arg, xp.Array)]
                result = [str(values.dtype), values.shape, str(result.device), repr(values.tobytes())[:300], same]
            else:
                result = repr(result)
    return [result, [str(item.message) for item in caught]]

xp.set_default_device(sys.argv[1])
found = {}
values = list(operands())
for name in OPERATORS:
    for (i, x), (j, y) in itertools.product(enumerate(values), repeat=2):
        if isinstance(x, xp.Array) or isinstance(y, xp.Array):
            found[f"{name} {i} {j}"] = outcome(getattr(operator, name), x, y)
def assigned(x, key, value):
    x[key] = value
    return x

keys = [values[i] for i in (0, 1, 2, 6, 7, 8, 9)] + [0, -1, 7, slice(1, None), (), ..., None, (0, 1), [0], 2**70]
for (i, x), (j, key), (k, value) in itertools.product(enumerate(values), enumerate(keys), enumerate(values[::3])):
    if isinstance(x, xp.Array) and x.size < 100:
        found[f"assign {i} {j} {k}"] = outcome(assigned, x, key, value)
for name in UNARY:
    for i, x in enumerate(values):
        if isinstance(x, xp.Array):
            found[f"{name} {i}"] = outcome(getattr(operator, name), x)
for name in FUNCTIONS:
    for i, x in enumerate(values):
        if isinstance(x, xp.Array):
            found[f"{name} {i}"] = outcome(getattr(xp, name), x)
for name in OF_TWO:
    for (i, x), (j, y) in itertools.product(enumerate(values), repeat=2):
        if isinstance(x, xp.Array):
            found[f"{name} {i} {j}"] = outcome(getattr(xp, name), x, y)
for i, x in enumerate(values):
    if isinstance(x, xp.Array) and x.ndim:
        found[f"iter {i}"] = [outcome(lambda: item)[0] for item in list(x)[:3]]
print(json.dumps([compiled is not None, found]))
"""


@pytest.mark.parametrize("spec", ["numpy", "cpu"])
def test_outcomes_are_those_of_python(spec):
    outcomes = []
    for wanted in ("1", "0"):
        environment = os.environ | {"XTENSOR_COMPILED": wanted}
        command = [sys.executable, "-c", PROGRAM, spec]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        is_compiled, found = json.loads(done.stdout)
        assert is_compiled is (wanted == "1")
        outcomes.append(found)
    short, python = outcomes
    assert len(short) > 10_000
    assert {name: (short[name], python[name]) for name in short if short[name] != python[name]} == {}


PYTHON_NAMES = """
import cProfile, pstats, traceback
import xtensor as xp
x = xp.ones(3, device="numpy")
profile = cProfile.Profile()
profile.enable()
xp.add(x, x); xp.sin(x); x * x
profile.disable()
assert {"add", "sin", "__mul__"} <= {name for _, _, name in pstats.Stats(profile).stats}
try:
    xp.multiply(xp.ones(2), xp.ones(3))
except ValueError as error:
    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
assert "multiply" in frames and "function" not in frames, frames
"""

STALE = """
import sys, types
module = types.ModuleType("xtensor._core._compiled")
module.INTERFACE = -1
sys.modules[module.__name__] = module
import xtensor as xp
from xtensor._core.compiled import compiled, missing
assert compiled is None and "another version" in missing and "-1" in missing, missing
assert (xp.ones(3, device="numpy") + 1).tolist() == [2.0, 2.0, 2.0]
"""


@pytest.mark.parametrize(("program", "wanted"), [(PYTHON_NAMES, "0"), (STALE, "1")])
def test_calls_in_python(program, wanted):
    environment = os.environ | {"XTENSOR_COMPILED": wanted, "XTENSOR_TRACEBACK": "full"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("wanted", "text"), [("1", "calls: compiled"), ("0", "calls: in Python: turned off by")])
def test_command_line_says_which(wanted, text):
    environment = os.environ | {"XTENSOR_COMPILED": wanted}
    command = [sys.executable, "-m", "xtensor"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[1].startswith(text)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, 3.5], [-1.0, 2.0], [np.nan, 2.0], [2.0, np.inf], [-np.inf], []])
@pytest.mark.parametrize(("low", "high"), [(0.0, 3.0), (-np.inf, np.inf)])
def test_components_are_compared_with_two_numbers(dtype, values, low, high):
    native = np.asarray(values, dtype)
    parts = native.view(native.real.dtype)
    assert compiled.is_within(native, low, high) is bool(np.all(np.isfinite(parts) & (parts >= low) & (parts <= high)))


@pytest.mark.parametrize(
    "native",
    [
        np.arange(3),
        np.ones(1001),
        np.ones(6)[::2],
        np.ones(2, ">f8"),
        np.ones(2, np.float16),
        np.float64(1.0),
        1.0,
        None,
    ],
    ids=str,
)
def test_other_arrays_are_not_compared(native):
    assert compiled.is_within(native, 0.0, 2.0) is None


def test_comparison_takes_floating_point_numbers():
    with pytest.raises(TypeError, match="floating-point numbers"):
        compiled.is_within(np.ones(2), 0, 2)
