"""Random single calls of every operation of the table, and random keys, on two devices.

``cpu`` is compared with each other device: dtype, shape and values with NaN, the signs of zeros where they are defined,
or the class of the exception. ``strict`` may refuse what the standard leaves undefined. tests/calls.py draws the calls.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from assignment_cases import IMMUTABLE
from calls import NAMES, VALUES, Call, difference, flat, is_array, parameters_of, public_name, public_of, random_call
from keys import random_access
from sources import Source
from strategies import dtypes_of

import xtensor as xp
from xtensor.backend import TABLE

from .tiers import LONG, scale

SLOW = "sycl:cpu:0"
"""The device that compiles a kernel for each function and dtype."""

CHUNKS = 8

REFUSALS = (TypeError, ValueError, IndexError, OverflowError)

COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))

READ = Call("expand_dims", "function", {})
"""Reads and assignments move elements as they are, as this operation does."""


WITHOUT_ORDER = ("torch", "jax", "mlx", "opencl", "webgpu")
"""Backends that refuse some functions of complex numbers in their order: the pages of the devices name them."""


def is_refusal(other: xp.Device, outcome: Any, operands: list[Any]) -> bool:
    """Return whether a device refused operands as documented.

    ``strict`` refuses what the standard leaves open, libraries the order of complex numbers, and a device a scalar of
    NumPy's whose dtype it lacks.
    """
    if other.backend == "strict":
        return outcome in REFUSALS
    hosts = [item.host if isinstance(item, Source) else item for item in operands]
    is_complex = any(isinstance(item, complex) or getattr(item, "dtype", None) in COMPLEX for item in hosts)
    if is_complex and other.backend in WITHOUT_ORDER and outcome in (TypeError, NotImplementedError):
        return True
    scalars = [item for item in hosts if isinstance(item, np.generic)]
    return outcome is TypeError and not all(other.supports(item.dtype) for item in scalars)


def described(outcome: Any) -> str:
    return outcome.__name__ if isinstance(outcome, type) else repr(outcome)


def test_every_parameter_has_values():
    missing = {
        f"{name}({parameter.name})"
        for name in NAMES
        for parameter in parameters_of(public_of(name))
        if not is_array(parameter) and parameter.name not in VALUES
    }
    assert not missing, "add a generator to VALUES in tests/calls.py"


def test_every_operation_is_called():
    internal = {"complex_of", "may_have_infinity", "empty", "random.bits", "random.blocks"}
    # Steps without a composition belong to public functions.
    rows = {name for name, row in TABLE.items() if row.declared and (row.primitive or row.composition is not None)}
    assert (set(NAMES) & set(TABLE)) | internal >= rows, (
        "add valid arguments of the new function to SPECIAL_OPERANDS in tests/arguments.py"
    )
    assert all(callable(public_of(name)) for name in NAMES), [public_name(name) for name in NAMES]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_calls_have_one_outcome_on_two_devices(other, chunk, figures):
    rng = random.Random(None if LONG else chunk)
    cpu, dtypes = xp.device("cpu"), dtypes_of(other)
    names = [name for name in NAMES[chunk::CHUNKS] if not (str(other) == SLOW and name.startswith("special."))]
    calls = errors = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reasons of NumPy's warnings are compared as values
        for name in names:
            for _ in range(scale(2, 20) if str(other) == SLOW else scale(12, 120)):
                seed = rng.getrandbits(64)
                call = random_call(random.Random(seed), name, dtypes)
                left, right = call.on(cpu), call.on(other)
                calls += 1
                errors += isinstance(left, type)
                if is_refusal(other, right, flat(list(call.arguments.values()))):
                    continue
                found = difference(call, left, right)
                assert found is None, (
                    f"{found} differs: random_call(Random({seed}), {name!r}) is {call}; "
                    f"cpu: {described(left)}; {other}: {described(right)}"
                )
    figures.record(functions=len(names), calls=calls, errors=errors)


def test_keys_have_one_outcome_on_two_devices(other, figures):
    rng = random.Random(None if LONG else 0)
    cpu, dtypes = xp.device("cpu"), dtypes_of(other)
    accesses = errors = 0
    for _ in range(scale(200, 2000) if str(other) == SLOW else scale(1500, 20000)):
        seed = rng.getrandbits(64)
        access = random_access(random.Random(seed), dtypes)
        left, right = access.on(cpu), access.on(other)
        accesses += 1
        errors += isinstance(left, type)
        if is_refusal(other, right, []) or (access.indexes_an_empty_array and right in REFUSALS):
            continue
        found = difference(READ, left, right)
        assert found is None, (
            f"{found} differs: random_access(Random({seed})) is {access}; "
            f"cpu: {described(left)}; {other}: {described(right)}"
        )
    figures.record(accesses=accesses, errors=errors)


def test_view_shares_memory_with_its_base_where_the_library_has_views(lenient_device):
    if lenient_device.backend in ("torch", *IMMUTABLE):
        pytest.skip("a negative step is a copy, or no Array is a view")
    base = xp.arange(6)
    reversed_view = xp.reshape(base, (2, 3))[::-1, ::2]
    reversed_view[...] = xp.asarray([[10, 11], [12, 13]])
    assert np.asarray(base.to_device("cpu")).tolist() == [12, 1, 13, 10, 4, 11]
