"""Errors of public functions and methods for invalid arguments.

The calls are generated from the signatures: each parameter in turn receives each value of ``arguments.BAD``, and all
other arguments are valid. A call must raise a documented error that names the function and the value.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from arguments import (
    ACCEPTS_MORE_THAN_NUMPY,
    BAD,
    HUGE,
    LARGE_WORK,
    REPETITIONS,
    as_numpy,
    call,
    call_conditions,
    descriptions_of,
    documented_errors,
    error_defect,
    error_text,
    is_result,
    numpy_error,
    replace_argument,
)
from good_arguments import (
    GOOD,
    GOOD_METHODS,
    STATEFUL_FUNCTIONS,
    WRITING_FUNCTIONS,
    method_operand,
    parameters_of,
    public_function,
    public_functions,
    public_methods,
)
from strategies import quiet, values_of

import xtensor as xp

# The checks of arguments come before the device: what it adds of its own is in test_bad_operands.
pytestmark = [pytest.mark.usefixtures("time_limit", "empty_folder"), pytest.mark.one_device]


FUNCTION_PARAMETERS = [
    (name, parameter.name)
    for name in public_functions()
    if name in GOOD and name not in STATEFUL_FUNCTIONS
    for parameter in parameters_of(public_function(name))
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


@pytest.mark.parametrize("name", [name for name in GOOD if name not in ("register_backend", *STATEFUL_FUNCTIONS)])
def test_good_arguments_are_accepted(device, name):
    try:
        with call_conditions(name):
            result = call(public_function(name), GOOD[name]())
    except xp.special.FunctionUnavailableError as error:
        pytest.skip(str(error))
    assert (result is None) == (name in WRITING_FUNCTIONS)


@pytest.mark.parametrize("name", GOOD_METHODS)
def test_good_arguments_of_methods_are_accepted(device, name):
    call(getattr(method_operand(name), name), GOOD_METHODS[name]())


@pytest.mark.parametrize(("name", "parameter"), FUNCTION_PARAMETERS)
def test_bad_argument_raises_a_documented_error_unless_numpy_accepts_it(device, name, parameter):
    function = public_function(name)
    defaults = {item.name: item.default for item in parameters_of(function)}
    defects = []
    for case, make in BAD.items():
        if (name, parameter) in REPETITIONS and case in HUGE:
            continue
        if (name, parameter) in LARGE_WORK and case == "out of range":
            continue
        bad = make()
        if bad is defaults.get(parameter) or (case == "class" and parameter in ("dtype", "kind")):
            continue
        arguments = replace_argument(function, GOOD[name](), parameter, bad)
        try:
            with call_conditions(name):
                result = call(function, arguments)
        except AssertionError:
            raise
        except Exception as error:
            defects.append(error_defect(name, parameter, case, bad, error))
        else:
            if not is_result(name, arguments, result):
                defects.append(f"{case}: returned {result!r}")
            reference = None if (name, parameter) in ACCEPTS_MORE_THAN_NUMPY else numpy_error(name, function, arguments)
            if reference is not None and parameter not in ("device", "keepdims", "spec"):
                defects.append(f"{case}: accepted, where NumPy raises {type(reference).__name__}: {reference}")
    messages = [item for item in defects if item]
    assert not messages, f"{name}({parameter}=…):\n  " + "\n  ".join(messages)


@pytest.mark.parametrize(("name", "parameter"), METHOD_PARAMETERS)
def test_bad_argument_of_a_method_raises_a_documented_error(device, name, parameter):
    defects = []
    for case, make in BAD.items():
        if (name, parameter) in REPETITIONS and case in HUGE:
            continue
        bad = make()
        method = getattr(method_operand(name), name)
        try:
            with quiet():
                call(method, replace_argument(method, GOOD_METHODS[name](), parameter, bad))
        except AssertionError:
            raise
        except Exception as error:
            if not isinstance(error, documented_errors(name)):
                defects.append(f"{case}: {type(error).__name__}: {error} [not a documented error]")
            elif not isinstance(error, MemoryError) and not any(
                word in error_text(error) for word in descriptions_of(bad)
            ):
                defects.append(f"{case}: {type(error).__name__}: {error} [does not name the value or its type]")
    assert not defects, f"{name}({parameter}=…):\n  " + "\n  ".join(defects)


REPETITIONS_BEYOND_THE_MEMORY = (
    "xp.repeat(xp.ones((2, 2)), 2**62)",
    "xp.repeat(xp.ones((2, 2)), 2**62, axis=0)",
    "xp.repeat(xp.ones((2, 2)), 2**63 - 1)",
    "xp.repeat(xp.ones((2, 2)), 2**100)",
    "xp.repeat(xp.ones(2), xp.asarray([2**62, 2**62]))",
    "xp.tile(xp.ones((2, 2)), (2**62, 2))",
    "xp.tile(xp.ones((2, 2)), (2**62,))",
    "xp.tile(xp.ones((2, 2)), (2**100,))",
    "xp.ones((2, 2)).repeat(2**62)",
)

PROGRAM = """
import xtensor as xp
with xp.use_device({device!r}):
    for call in {calls!r}:
        print(call, end=": ", flush=True)
        try:
            eval(call)
        except (ValueError, OverflowError, MemoryError):
            print("refused")
        else:
            print("returned")
"""


def test_repetition_beyond_the_memory_raises_without_a_crash(device):
    """All calls are made in one process of their own, which a crash would end in the line of the call."""
    program = PROGRAM.format(device=str(device), calls=REPETITIONS_BEYOND_THE_MEMORY)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    expected = "".join([f"{call}: refused\n" for call in REPETITIONS_BEYOND_THE_MEMORY])
    assert done.stdout == expected, f"exit status {done.returncode}: {done.stderr[-300:]}"


HOST_FUNCTIONS = ("from_dlpack", "result_type", "savez", "savez_compressed", "to_numpy")
"""Functions of arrays that do not move a NumPy array to a device."""

CONVERTING_FUNCTIONS = ("asarray", "astype", "from_dlpack")
"""Functions that move a NumPy array to a device on request."""


def array_parameters() -> list[tuple[str, str]]:
    """Return the parameters that accept an Array or a sequence of Arrays."""
    with xp.use_device("cpu"):
        return [
            (name, parameter)
            for name in GOOD
            if name not in CONVERTING_FUNCTIONS
            for parameter, value in GOOD[name]().items()
            if isinstance(value, xp.Array)
            or (isinstance(value, (tuple, list)) and value and all(isinstance(item, xp.Array) for item in value))
        ]


def leaves(value: Any) -> Iterator[Any]:
    """Yield a result, or the results in a tuple of them."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


UNDETERMINED = ("empty_like",)
"""Functions whose results have no determined values."""

WRITTEN_PARAMETERS = {
    **dict.fromkeys(("fill_diagonal", "put", "putmask"), "a"),
    **dict.fromkeys(("place", "put_along_axis"), "arr"),
    "copyto": "dst",
}
"""The operand that a function writes to, which must be an Array."""


def without_an_array(name: str) -> dict[str, Any]:
    """Return valid arguments of a function, with NumPy arrays in the place of Arrays."""
    return {key: as_numpy(value) for key, value in GOOD[name]().items()}


@pytest.mark.parametrize("name", sorted({name for name, _ in array_parameters()} - {*WRITTEN_PARAMETERS}))
def test_numpy_arrays_alone_are_operands_on_the_default_device(device, name):
    function = public_function(name)
    if not device.host and name not in HOST_FUNCTIONS:
        with pytest.raises(xp.DeviceMismatchError, match="the host"):
            call(function, without_an_array(name))
    with call_conditions(name), xp.transfers("forbid" if device.host else "allow"):
        try:
            expected = call(function, GOOD[name]())
        except xp.special.FunctionUnavailableError as error:
            pytest.skip(str(error))
        actual = call(function, without_an_array(name))
    for result, wanted in zip(leaves(actual), leaves(expected), strict=True):
        assert result.__class__ is wanted.__class__
        if wanted.__class__ is xp.Array:
            assert (result.device, result.shape, result.dtype) == (device, wanted.shape, wanted.dtype)
            assert name in UNDETERMINED or np.array_equal(values_of(result), values_of(wanted), equal_nan=True)
        else:
            assert result is wanted or np.array_equal(result, wanted)


@pytest.mark.parametrize("name", ["strict", "numpy"])
def test_numpy_scalars_as_arrays_join_the_device_of_the_arrays(name):
    if name not in {str(place) for place in xp.devices()}:
        pytest.skip(f"there is no device {name}")
    x = xp.asarray([1.0, 2.0], device=name)
    assert [str(result.device) for result in xp.meshgrid(x, np.float64(3))] == [name, name]
    assert xp.einsum("i,->i", x, np.float64(3)).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("name", sorted(WRITTEN_PARAMETERS))
def test_numpy_array_that_is_written_to_is_refused(device, name):
    array = as_numpy(GOOD[name]()[WRITTEN_PARAMETERS[name]])
    with pytest.raises(TypeError, match=rf"^{name}\(\) takes an xtensor Array, not numpy.ndarray"):
        call(public_function(name), GOOD[name]() | {WRITTEN_PARAMETERS[name]: array})


def beside_another_array() -> list[tuple[str, str]]:
    """Return the parameters that accept an Array, of functions that take another Array beside it."""
    parameters = array_parameters()
    several = {name for name, _ in parameters if sum(name == other for other, _ in parameters) > 1}
    return [
        (name, parameter)
        for name, parameter in parameters
        if name in several and parameter != WRITTEN_PARAMETERS.get(name)
    ]


@pytest.mark.parametrize(("name", "parameter"), beside_another_array())
def test_numpy_array_beside_an_array_is_an_operand_on_the_host(device, name, parameter):
    good, mixed = GOOD[name](), GOOD[name]()
    mixed[parameter] = as_numpy(mixed[parameter])
    if not device.host:
        with pytest.raises(xp.DeviceMismatchError, match="the host"):
            call(public_function(name), mixed)
        return
    try:
        with call_conditions(name):
            expected, actual = (call(public_function(name), arguments) for arguments in (good, mixed))
    except xp.special.FunctionUnavailableError as error:
        pytest.skip(str(error))
    if name in WRITTEN_PARAMETERS:
        actual, expected = (arguments[WRITTEN_PARAMETERS[name]] for arguments in (mixed, good))
    for result, wanted in zip(leaves(actual), leaves(expected), strict=True):
        assert np.array_equal(np.asarray(result), np.asarray(wanted), equal_nan=True)


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
    "out of bounds": (7, (ValueError, IndexError)),
    "out of bounds, negative": (-7, (ValueError, IndexError)),
    "huge": (2**100, (ValueError, IndexError, OverflowError)),
}


@pytest.mark.parametrize("case", BAD_AXES)
@pytest.mark.parametrize(("name", "parameter"), [pair for pair in WITH_AXIS if pair[1] != "shift"])
def test_bad_axis_is_refused(device, name, parameter, case):
    axis, errors = BAD_AXES[case]
    if parameter == "axes" and "tensordot" not in name:
        axis = (axis,)
    with pytest.raises(errors) as raised:
        call(public_function(name), GOOD[name]() | {parameter: axis})
    assert name.rpartition(".")[2] in error_text(raised.value)


UNIQUE_AXES = (
    *("all", "any", "count_nonzero", "expand_dims", "flip", "max", "mean", "min", "moveaxis", "permute_dims"),
    *("prod", "squeeze", "std", "sum", "var", "linalg.vector_norm"),
)


@pytest.mark.parametrize("axes", [(0, 0), (0, -2)], ids=str)
@pytest.mark.parametrize("name", UNIQUE_AXES)
def test_duplicate_axis_is_refused(device, name, axes):
    good = GOOD[name]() | ({"x": xp.ones((1, 1))} if name in ("squeeze",) else {})
    parameter = "source" if name == "moveaxis" else "axes" if name == "permute_dims" else "axis"
    axes = (0, -4) if name == "expand_dims" and axes == (0, -2) else axes
    with pytest.raises(ValueError, match="duplicate"):
        call(public_function(name), good | {parameter: axes} | ({"destination": (0, 1)} if name == "moveaxis" else {}))


WITH_SHAPE = ("broadcast_to", "empty", "full", "ones", "reshape", "zeros")

BAD_SHAPES = {
    "nan": ((float("nan"),), TypeError),
    "float": ((2.0, 2.0), TypeError),
    "bool": ((True, True), TypeError),
    "text": ("22", TypeError),
    "negative": ((-2, -2), ValueError),
    "beyond the address space": ((2**62, 2**62), (ValueError, MemoryError)),
    "beyond 64 bits": ((2**100,), (ValueError, MemoryError)),
    "one length beyond the address space": ((2**61,), (ValueError, MemoryError)),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
@pytest.mark.parametrize("name", WITH_SHAPE)
def test_bad_shape_is_refused(device, name, case):
    shape, errors = BAD_SHAPES[case]
    with pytest.raises(errors) as raised:
        call(public_function(name), GOOD[name]() | {"shape": shape})
    assert name in error_text(raised.value)


WITH_DTYPE = [name for name, parameter in FUNCTION_PARAMETERS if parameter == "dtype"]

BAD_DTYPES = ["float7", "U5", "object", "datetime64[s]", 7, [("a", "f8")], np.dtype("longdouble"), lambda: None]


@pytest.mark.parametrize("dtype", BAD_DTYPES, ids=lambda value: getattr(value, "__name__", str(value)))
@pytest.mark.parametrize("name", WITH_DTYPE)
def test_bad_dtype_is_refused(device, name, dtype):
    with pytest.raises(TypeError) as raised:
        call(public_function(name), GOOD[name]() | {"dtype": dtype})
    assert name.rpartition(".")[2] in error_text(raised.value)


WITH_DEVICE = [name for name, parameter in FUNCTION_PARAMETERS if parameter == "device"]


@pytest.mark.parametrize("name", WITH_DEVICE)
def test_unknown_device_is_refused_with_a_list_of_devices(device, name):
    with pytest.raises(ValueError, match="nowhere:9") as raised:
        call(public_function(name), GOOD[name]() | {"device": "nowhere:9"})
    assert str(device) in str(raised.value)


@pytest.mark.parametrize("bad", [7, 1.5, b"cpu", object(), ["cpu"]], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", WITH_DEVICE)
def test_device_of_a_wrong_type_is_refused(device, name, bad):
    with pytest.raises(TypeError, match=type(bad).__name__):
        call(public_function(name), GOOD[name]() | {"device": bad})


@pytest.mark.parametrize("name", ["set_default_device", "use_device"])
@pytest.mark.parametrize("bad", ["nowhere:9", "", ":", 7], ids=repr)
def test_bad_device_leaves_the_default_device(device, name, bad):
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
def test_registration_of_an_object_that_is_not_a_backend_raises(bad):
    with pytest.raises(TypeError, match="Backend"):
        xp.register_backend(bad)
