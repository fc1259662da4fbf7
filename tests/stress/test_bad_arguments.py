"""Several invalid arguments at once, and NumPy arrays of every layout as sources and indices.

A call must raise a documented error or return a result, and must not change its operands. tests/test_bad_input.py tests
one invalid argument at a time.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from arguments import BAD, HUGE, REPETITIONS, call, call_conditions, documented_errors, is_result, replace_argument
from good_arguments import GOOD, STATEFUL_FUNCTIONS, parameters_of, public_function
from strategies import values_of

import xtensor as xp

from .tiers import scale

pytestmark = pytest.mark.usefixtures("empty_folder")

NAMES = [name for name in GOOD if name not in ("register_backend", *STATEFUL_FUNCTIONS)]


def arrays_of(arguments: dict[str, Any]) -> list[xp.Array]:
    """Return the Arrays among arguments, including those in sequences."""
    values = [item for value in arguments.values() for item in (value if isinstance(value, (list, tuple)) else [value])]
    return [value for value in values if isinstance(value, xp.Array)]


def same(x: xp.Array, values: np.ndarray) -> bool:
    return np.array_equal(values_of(x), values, equal_nan=values.dtype.kind in "fc")


def bad_cases(name: str, parameter: str) -> list[str]:
    """Return the invalid values of a parameter, without numbers for which SciPy or NumPy would run for hours."""
    slow = (name, parameter) in REPETITIONS
    return [case for case in BAD if not (slow and case in HUGE)]


@pytest.mark.parametrize("chunk", range(8))
def test_combinations_of_bad_arguments_raise_documented_errors_and_change_no_operand(device, chunk, figures):
    rng = random.Random(chunk)
    refused = accepted = 0
    for name in NAMES[chunk::8]:
        function = public_function(name)
        parameters = [item.name for item in parameters_of(function)]
        if not parameters:
            continue
        for _ in range(scale(20, 60)):
            arguments = GOOD[name]()
            cases = {}
            for parameter in rng.sample(parameters, min(len(parameters), rng.randint(1, 3))):
                case = rng.choice(bad_cases(name, parameter))
                cases[parameter] = case
                arguments = replace_argument(function, arguments, parameter, BAD[case]())
            operands = arrays_of(arguments)
            if any(operand.device is not device for operand in operands):
                continue
            before = [values_of(operand).copy() for operand in operands]
            try:
                with call_conditions(name):
                    result = call(function, arguments)
            except Exception as error:
                refused += 1
                failure = f"{name}{cases}: {type(error).__name__}: {error}"
                undocumented = not isinstance(error, documented_errors(name))
                if undocumented and (name, type(error)) != ("from_dlpack", AttributeError):
                    pytest.fail(f"{failure} is not a documented error")
                if not str(error) or not all(map(same, operands, before)):
                    pytest.fail(f"{failure} has no message, or an operand has changed")
            else:
                accepted += 1
                assert is_result(name, arguments, result), f"{name}{cases} returned {result!r}"
    figures.record(functions=len(NAMES[chunk::8]), inputs=refused + accepted, refused=refused)


BASE = np.arange(1, 7).reshape(2, 3)


def layouts(dtype: Any) -> dict[str, np.ndarray]:
    """Return the same six values in every layout of NumPy."""
    values = BASE.astype(dtype)
    bytes_ = np.zeros(values.nbytes + 1, np.uint8)
    misaligned = bytes_[1:].view(dtype).reshape(values.shape)
    misaligned[...] = values
    read_only = values.copy()
    read_only.flags.writeable = False
    field = np.zeros(values.shape, dtype=[("pad", "u1"), ("values", dtype)])
    field["values"] = values
    return {
        "plain": values.copy(),
        "byte-swapped": values.astype(np.dtype(dtype).newbyteorder()),
        "misaligned": misaligned,
        "read-only": read_only,
        "field of a record": field["values"],
        "Fortran order": np.asfortranarray(values),
        "reversed": values[::-1, ::-1].copy()[::-1, ::-1],
        "strided": np.repeat(values, 2, axis=1)[:, ::2],
        "broadcast": np.broadcast_to(values, (1, 2, 3))[0],
    }


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16"])
def test_numpy_array_of_any_layout_is_read_exactly_and_not_modified(device, dtype, figures):
    if not device.supports(np.dtype(dtype)):
        pytest.skip(f"{device} does not support {np.dtype(dtype)}")
    inputs = 0
    for name, host in layouts(dtype).items():
        for copy in (None, True):
            before = host.copy()
            x = xp.asarray(host, copy=copy)
            assert values_of(x).tolist() == BASE.tolist(), name
            assert x.dtype == np.dtype(dtype), name
            assert values_of(xp.sum(x)).tolist() == BASE.sum(), name
            assert values_of(xp.reshape(x + x, (-1,))).tolist() == (2 * BASE).ravel().tolist(), name
            if copy:
                x[0, 0] = 0
            assert np.array_equal(host, before), f"{name}: the source was written to"
            inputs += 1
    figures.record(inputs=inputs)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u4"])
def test_numpy_index_of_any_layout_reads_and_assigns(lenient_device, dtype, figures):
    if not lenient_device.supports(np.dtype(dtype)):
        pytest.skip(f"{lenient_device} does not support {np.dtype(dtype)}")
    inputs = 0
    for name, host in layouts(dtype).items():
        x = xp.arange(10)
        assert values_of(x[host]).tolist() == BASE.tolist(), name
        try:
            x[host] = 0
        except IndexError:
            assert lenient_device.backend not in ("numpy",), name
        else:
            assert values_of(x).tolist() == [0, *[0] * 6, 7, 8, 9], name
        inputs += 1
    figures.record(inputs=inputs)


@pytest.mark.parametrize("layout", layouts("?"))
def test_numpy_mask_of_any_layout_reads_and_assigns(lenient_device, layout, figures):
    mask = layouts("?")[layout]
    x = xp.reshape(xp.arange(6), (2, 3))
    assert values_of(x[mask]).tolist() == list(range(6))
    x[mask] = 7
    assert values_of(x).tolist() == [[7] * 3] * 2
    figures.record(inputs=1)
