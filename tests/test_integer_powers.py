"""Powers of integers: NumPy's values and dtypes, and its error for a negative exponent, on every device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from strategies import defined_on, values_of

import xtensor as xp

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SIGNED = INTEGERS[:4]

NEGATIVE = "^Integers to negative integer powers are not allowed."


def array(values: list[Any], dtype: str) -> xp.Array:
    return xp.asarray(values, dtype=np.dtype(dtype))


FORMS: dict[str, Callable[[xp.Array, xp.Array], Any]] = {
    "operator": lambda x, y: x**y,
    "function": lambda x, y: xp.pow(x, y),
    "0-d exponent": lambda x, y: x ** y[-1],
    "broadcast exponent": lambda x, y: xp.pow(x, xp.broadcast_to(y, (2, 2))),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exponent", SIGNED)
@pytest.mark.parametrize("base", [*INTEGERS, "bool"])
def test_array_to_a_negative_power_raises(device, base, exponent, form):
    if defined_on(device) and base in ("bool", "uint64"):
        with pytest.raises(TypeError):  # the standard defines no result dtype
            FORMS[form](array([1, 1], base), array([2, -1], exponent))
        return
    if base == "uint64":
        expected = np.asarray([2, 3], dtype=base) ** np.asarray([2, -1], dtype=exponent)
        assert values_of(array([2, 3], base) ** array([2, -1], exponent)).tolist() == expected.tolist()
        return
    with pytest.raises(ValueError, match=NEGATIVE):
        FORMS[form](array([1, 1], base), array([2, -1], exponent))


@pytest.mark.parametrize("base", SIGNED)
def test_array_to_a_negative_scalar_power_raises(device, base):
    for call in (lambda x: x**-1, lambda x: xp.pow(x, -3)):
        with pytest.raises(ValueError, match=NEGATIVE):
            call(array([2, 3], base))


@pytest.mark.parametrize("exponent", SIGNED)
def test_scalar_to_a_negative_array_power_raises(device, exponent):
    for call in (lambda y: 2**y, lambda y: xp.pow(1, y)):
        with pytest.raises(ValueError, match=NEGATIVE):
            call(array([2, -1], exponent))


@pytest.mark.parametrize("exponent", [*SIGNED, "scalar"])
@pytest.mark.parametrize("base", INTEGERS)
def test_negative_power_in_place_raises_and_leaves_the_operand_unchanged(device, base, exponent):
    x = array([2, 3], base)
    y = -1 if exponent == "scalar" else array([2, -1], exponent)
    other = int if exponent == "scalar" else np.dtype(exponent)
    kinds: tuple[type[Exception], ...] = (ValueError,)
    if defined_on(device) and base != exponent != "scalar":
        kinds = (ValueError, TypeError)  # mixed dtypes
    elif exponent == "scalar" and base.startswith("u"):
        kinds = (OverflowError, TypeError) if defined_on(device) else (OverflowError,)
    else:
        try:
            np.power.resolve_dtypes((x.dtype, other, x.dtype), casting="same_kind")
        except TypeError:
            kinds = (TypeError,)
    with pytest.raises(kinds):
        x **= y
    assert x.tolist() == [2, 3]


@pytest.mark.parametrize("exponent", [*INTEGERS, "bool"])
@pytest.mark.parametrize("base", [*INTEGERS, "bool"])
def test_powers_have_numpys_values_and_dtype(lenient_device, base, exponent):
    bases, exponents = ([0, 1, 1], [1, 0, 1]) if "bool" in (base, exponent) else ([0, 2, 3], [0, 3, 2])
    expected = np.asarray(bases, dtype=base) ** np.asarray(exponents, dtype=exponent)
    result = array(bases, base) ** array(exponents, exponent)
    assert result.dtype == expected.dtype
    assert result.tolist() == expected.tolist()
