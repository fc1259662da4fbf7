"""Functions of arrays that a backend wraps, and reductions of all elements, in the compiled module."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest

import xtensor as xp
from xtensor._core.compiled import compiled, missing
from xtensor.backend import WrappedArray, wrapped_namespace

if compiled is None and os.environ.get("XTENSOR_COMPILED") != "1":
    pytest.skip(f"calls are in Python: {missing}", allow_module_level=True)

CPU = xp.device("numpy")


def value_of(data, dtype=None):
    return xp.asarray(data, dtype=dtype, device=CPU)


def raising_in_python(*args, **kwargs):
    raise AssertionError("computed in Python")


# -- reductions of all elements ---------------------------------------------------------------------------------------

REDUCTIONS = {"sum": 6.0, "prod": 6.0, "max": 3.0, "min": 1.0, "mean": 2.0, "all": True, "any": True}


@pytest.fixture
def only_short_reductions(monkeypatch):
    """Reductions that raise where the compiled module does not compute."""
    for name in REDUCTIONS:
        getattr(xp, name)(value_of([1.0, 2.0]))  # the first call chooses the implementation
        monkeypatch.setattr(getattr(xp, name), "python", raising_in_python)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_reductions_of_an_array_alone_are_computed_by_the_module(name, shape, only_short_reductions):
    result = getattr(xp, name)(xp.reshape(value_of([1.0, 2.0, 3.0]), shape))
    assert (result.item(), result.shape, result.device) == (REDUCTIONS[name], (), CPU)


@pytest.mark.parametrize("options", [{"axis": 0}, {"keepdims": True}, {"axis": None}])
def test_reductions_with_options_are_left_to_python(options, only_short_reductions):
    with pytest.raises(AssertionError, match="computed in Python"):
        xp.sum(value_of([1.0]), **options)


@pytest.mark.parametrize("value", [np.ones(2), [1.0, 2.0], 3])
def test_reductions_of_other_values_are_left_to_python(value, only_short_reductions):
    with pytest.raises(AssertionError, match="computed in Python"):
        xp.sum(value)


def test_sums_and_products_of_float16_are_those_of_float32():
    values = np.full(4096, 1.0, np.float16)
    values[-1] = 1 + 2.0**-10
    assert xp.sum(value_of(values)).item() == 4096
    assert xp.prod(value_of([2.0, 2.0**15, 2.0**15, 2.0**-16], np.float16)).item() == 2.0**15  # 2**31 in between


def test_reductions_name_their_errors():
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        xp.max(value_of(np.ones(0)))
    with pytest.raises(TypeError, match="sum"):
        xp.sum()
    with xp.profile() as record:
        xp.sum(value_of([1.0]))
    assert [key[0] for key in record.records] == ["sum"]


# -- functions of wrapped arrays --------------------------------------------------------------------------------------


class LibraryArray:
    """An array of a library: a number, and a dtype of the library."""

    def __init__(self, value, dtype="double"):
        self.value, self.dtype = value, dtype


class Wrapper(WrappedArray):
    __slots__ = ()

    library_type = LibraryArray
    library_dtypes = {np.dtype(np.float64): "double", np.dtype(np.float32): "single"}
    numpy_dtypes = {name: dtype for dtype, name in library_dtypes.items()}


class Library:
    """A library's functions. They note the arguments that they get."""

    def __init__(self):
        self.received = None

    def _note(self, *args, **kwargs):
        self.received = args, kwargs

    def add(self, x1, x2):
        self._note(x1, x2)
        return LibraryArray(getattr(x1, "value", x1) + getattr(x2, "value", x2))

    def sum(self, x, *, axis=None, dtype=None, keepdims=False):
        self._note(x, axis=axis, dtype=dtype, keepdims=keepdims)
        return LibraryArray(x.value)

    def unstack(self, x, axis=0):
        return [LibraryArray(x.value), LibraryArray(-x.value)]

    def multiply(self, x1, x2):
        return NotImplemented

    def divide(self, x1, x2):
        raise ZeroDivisionError("division of a library's arrays")


@pytest.fixture
def wrapped():
    """The library, its functions of wrapped arrays, and a function that permits the compiled module alone."""
    library = Library()
    single = frozenset(["single"])
    direct = {
        "add": (lambda x1, x2: LibraryArray(("direct", x1.value, x2.value)), single),
        "sum": (lambda x: LibraryArray(("direct", x.value)), single),
    }
    namespace = wrapped_namespace(Wrapper, library, direct=direct)

    def only_compiled(name):
        function = getattr(namespace, name)
        assert isinstance(function, compiled.Function)
        function.python = raising_in_python
        return function

    return library, namespace, only_compiled


def test_functions_of_wrapped_arrays_get_the_arrays_and_wrap_the_result(wrapped):
    library, _, only_compiled = wrapped
    x = Wrapper(LibraryArray(3))
    result = only_compiled("sum")(x, axis=None, dtype=None, keepdims=False)
    assert (result.__class__, result.array.value) == (Wrapper, 3)
    assert library.received == ((x.array,), {"axis": None, "dtype": None, "keepdims": False})
    assert [only_compiled("add")(*operands).array.value for operands in ((x, 2), (2.5, x), (x, x))] == [5, 5.5, 6]
    parts = only_compiled("unstack")(x)
    assert [(part.__class__, part.array.value) for part in parts] == [(Wrapper, 3), (Wrapper, -3)]
    assert parts.__class__ is tuple


def test_direct_functions_get_arrays_of_one_dtype_alone(wrapped):
    _, _, only_compiled = wrapped
    add = only_compiled("add")
    single, other, double = (Wrapper(LibraryArray(*item)) for item in ((1, "single"), (2, "single"), (3, "double")))
    assert add(single, other).array.value == ("direct", 1, 2)
    assert add(single, double).array.value == add(double, single).array.value == 4
    assert add(double, double).array.value == 6
    assert add(single, 1).array.value == add(1, single).array.value == 2
    total = only_compiled("sum")
    assert (
        total(single, axis=None, dtype=None, keepdims=False).array.value == total(single).array.value == ("direct", 1)
    )
    assert total(double, axis=None).array.value == 3
    for options in ({"axis": 0}, {"keepdims": True}, {"dtype": "double"}, {"axis": other}):
        assert total(single, **options).array.value == 1


@pytest.mark.parametrize(
    ("given", "received"), [({"dtype": np.dtype(np.float32)}, {"dtype": "single"}), ({"axis": (0,)}, {"axis": (0,)})]
)
def test_arguments_to_be_converted_are_left_to_python(wrapped, given, received):
    library, namespace, only_compiled = wrapped
    x = Wrapper(LibraryArray(3))
    assert namespace.sum(x, **given).array.value == 3
    assert library.received == ((x.array,), {"axis": None, "dtype": None, "keepdims": False} | received)
    with pytest.raises(AssertionError, match="computed in Python"):
        only_compiled("sum")(x, **given)


def test_functions_of_wrapped_arrays_pass_refusals_and_errors_on(wrapped):
    _, _, only_compiled = wrapped
    x = Wrapper(LibraryArray(3))
    assert only_compiled("multiply")(x, x) is NotImplemented
    with pytest.raises(ZeroDivisionError, match="division of a library's arrays"):
        only_compiled("divide")(x, x)
    with pytest.raises(TypeError, match="positional argument"):
        only_compiled("sum")(x, x, None)
    with pytest.raises(AttributeError, match="dtype"):
        only_compiled("add")(Wrapper(LibraryArray(3, "single")), Wrapper(object()))


def test_functions_of_wrapped_arrays_keep_no_references(wrapped):
    library, _, only_compiled = wrapped
    x = Wrapper(LibraryArray(3, "single"))
    reference = weakref.ref(x.array)
    results = [only_compiled("add")(x, x), only_compiled("sum")(x), only_compiled("multiply")(x, x)]
    with pytest.raises(ZeroDivisionError) as caught:
        only_compiled("divide")(x, x)
    library.received = caught = results = None
    del x, caught, results
    gc.collect()
    assert reference() is None


def test_classes_of_wrappers_that_make_their_array_are_left_to_python():
    class Lazy(Wrapper):
        __slots__ = ("source",)

        @property
        def array(self):
            return LibraryArray(self.source.value + 1)

        @array.setter
        def array(self, value):
            self.source = value

    add = wrapped_namespace(Lazy, Library()).add
    assert not isinstance(add, compiled.Function)
    assert add(Lazy(LibraryArray(1)), Lazy(LibraryArray(2))).array.value == 6


def test_settings_of_functions_of_wrapped_arrays_are_checked():
    settings = (Wrapper, LibraryArray, max, None, None)
    for wrong in (None, settings[:4], (1, *settings[1:])):
        with pytest.raises(TypeError, match="other settings"):
            compiled.Function(compiled.WRAPPED, wrong, 0, False)
    for wrong in (
        None,
        (1, ("axis",), (), False),
        (1, tuple("abcde"), (None,) * 5, False),
        (1, ["axis"], [None], False),
    ):
        with pytest.raises(TypeError, match="other settings"):
            compiled.Function(compiled.REDUCTION, wrong, 0, False)
    with pytest.raises(AttributeError, match="array"):
        compiled.Function(compiled.WRAPPED, (int, *settings[1:]), 0, False)
