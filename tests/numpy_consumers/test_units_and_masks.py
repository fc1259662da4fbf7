"""Quantities with units, masked arrays, matrices and records beside Arrays: never taken as plain numbers.

An operand of such a class is refused with an error, or the class itself computes the result and keeps its meaning.
"""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

import xtensor as xp

VALUES = np.array([1.0, 2.0, 3.0])

pytestmark = pytest.mark.filterwarnings("ignore")  # of the owners: units that are stripped by numpy.asarray


def astropy(values):
    return values * pytest.importorskip("astropy.units", reason="requires the group consumers").km


@functools.cache
def pint_units():
    return pytest.importorskip("pint", reason="requires the group consumers").UnitRegistry()


def pint(values):
    return values * pint_units().km


def unyt(values):
    return values * pytest.importorskip("unyt", reason="requires the group consumers").km


def quantities(values):
    return values * pytest.importorskip("quantities", reason="requires the group consumers").km


UNITS = [astropy, pint, unyt, quantities]

OWNERS = {
    **{
        f"{make.__name__} {kind}": (make, values)
        for make in UNITS
        for kind, values in (("array", VALUES), ("one", 2.0))
    },
    "masked": (lambda values: np.ma.masked, None),
    "masked array": (lambda values: np.ma.array(values, mask=[False, True, False]), VALUES),
    "masked one": (np.ma.array, 2.0),
    "matrix": (lambda values: values.view(np.matrix), VALUES[None]),
    "record": (lambda values: np.array([(1.0, 2)], dtype="f8,i4"), None),
    "records": (lambda values: np.array([(1.0, 2)] * 3, dtype="f8,i4").view(np.recarray), None),
    "structure": (lambda values: np.array([(1.0, 2)], dtype="f8,i4")[0], None),
}

OPERATIONS = {
    "numpy.add": lambda x, q: np.add(x, q),
    "numpy.add reflected": lambda x, q: np.add(q, x),
    "numpy.concatenate": lambda x, q: np.concatenate([x, q]),
    "numpy.dot": lambda x, q: np.dot(x, q),
    "numpy.hypot": lambda x, q: np.hypot(q, x),
    "numpy.multiply": lambda x, q: np.multiply(x, q),
    "numpy.multiply reflected": lambda x, q: np.multiply(q, x),
    "numpy.stack": lambda x, q: np.stack([q, x]),
    "numpy.where": lambda x, q: np.where(x > 1, x, q),
    "q * x": lambda x, q: q * x,
    "q + x": lambda x, q: q + x,
    "q < x": lambda x, q: q < x,
    "x * q": lambda x, q: x * q,
    "x *= q": operator.imul,
    "x + q": lambda x, q: x + q,
    "x / q": lambda x, q: x / q,
    "x @ q": operator.matmul,
}

REFUSED = {
    "asarray": lambda x, q: xp.asarray(q),
    "asarray of a dtype": lambda x, q: xp.asarray(q, dtype=xp.float32),
    "asarray of a list": lambda x, q: xp.asarray([q, q]),
    "assignment": lambda x, q: operator.setitem(x, ..., q),
    "assignment to an element": lambda x, q: operator.setitem(x, 0, q),
    "clip": lambda x, q: xp.clip(x, None, q),
    "concat": lambda x, q: xp.concat([x, q]),
    "dot": lambda x, q: xp.dot(x, q),
    "fill": lambda x, q: x.fill(q),
    "from_dlpack": lambda x, q: xp.from_dlpack(q),
    "full": lambda x, q: xp.full(3, q),
    "full_like": lambda x, q: xp.full_like(x, q),
    "isin": lambda x, q: xp.isin(x, q),
    "multiply": lambda x, q: xp.multiply(x, q),
    "multiply reflected": lambda x, q: xp.multiply(q, x),
    "put": lambda x, q: xp.put(x, xp.asarray([0]), q),
    "where": lambda x, q: xp.where(x > 1, x, q),
}


def owner(name):
    make, values = OWNERS[name]
    return make(values)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", OWNERS)
def test_operand_is_refused_or_keeps_its_meaning(readable_device, name, operation):
    q = owner(name)
    kind = np.ma.MaskedArray if isinstance(q, np.ma.MaskedArray) else type(q)
    result = outcome(OPERATIONS[operation], xp.asarray(VALUES, copy=True), q)
    if isinstance(result, Exception):
        assert not isinstance(result, RecursionError)
    else:
        assert isinstance(result, kind) or (operation == "q < x" and is_owners_comparison(q, result))


def outcome(function, *operands):
    """Return a result, or the error: each owner has errors of its own."""
    try:
        return function(*operands)
    except Exception as error:
        return error


def is_owners_comparison(q, result):
    """Whether a comparison is what the owner of ``q`` returns for a NumPy array."""
    return np.array_equal(np.asarray(result), np.asarray(q < VALUES))


@pytest.mark.parametrize("operation", REFUSED)
@pytest.mark.parametrize("name", OWNERS)
def test_function_of_xtensor_refuses(readable_device, name, operation):
    q = owner(name)
    x = xp.asarray(VALUES, copy=True)
    with pytest.raises((TypeError, BufferError, AttributeError, ValueError)):
        REFUSED[operation](x, q)
    assert x.tolist() == VALUES.tolist()


@pytest.mark.parametrize("make", [pint, quantities])
def test_quantity_computes_with_an_array(readable_device, make):
    for q in (make(VALUES), make(2.0)):
        for result in (xp.asarray(VALUES) * q, q * xp.asarray(VALUES)):
            assert "k" in f"{result.units}"
            np.testing.assert_allclose(np.asarray(result.magnitude), VALUES * np.asarray(q.magnitude))


def test_masked_array_computes_with_an_array(readable_device):
    masked = owner("masked array")
    for result in (xp.asarray(VALUES) * masked, masked * xp.asarray(VALUES), np.multiply(xp.asarray(VALUES), masked)):
        assert result.mask.tolist() == [False, True, False]
        assert result.compressed().tolist() == [1.0, 9.0]


@pytest.mark.parametrize("make", [astropy, pint, unyt, quantities])
def test_numbers_in_a_unit_are_an_operand(readable_device, make):
    q = make(VALUES)
    numbers = np.asarray(getattr(q, "value", None) if hasattr(q, "value") else q.magnitude)
    assert (xp.asarray(VALUES) * numbers).tolist() == (VALUES**2).tolist()
