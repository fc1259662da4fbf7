"""Products with NumPy's names: NumPy's values, dtypes, shapes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, made, operands

import xtensor as xp

DTYPES = [np.dtype(name) for name in ("?", "u1", "i4", "i8", "f4", "f8", "c8", "c16")]

PAIRS = [
    *[((), (3,)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((0,), (0,))],
    *[((2, 3), (4, 3, 2)), ((2, 2, 3), (3,)), ((2, 0), (0, 3)), ((1, 2, 3), (2, 3, 4))],
]
"""Shapes that fit for ``dot``."""

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def pair(data, shapes, dtypes=DTYPES):
    """Draw two operands with small integers as values, so that products are exact."""
    drawn = []
    for shape in shapes:
        dtype = data.draw(st.sampled_from(dtypes))
        least = 0 if dtype.kind in "bu" else -4
        values = st.booleans() if dtype.kind == "b" else st.integers(least, 4)
        drawn.append(data.draw(operands(dtype, shape, values)))
    return drawn


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize("name", ["dot", "outer"])
@given(data=st.data())
def test_product_matches_numpy(device, name, shapes, data):
    (a, x), (b, y) = pair(data, shapes)
    expect(getattr(xp, name)(x, y), getattr(np, name)(a, b), signs=False)


@pytest.mark.parametrize(
    "shapes", [((), ()), ((), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((2, 0), (3, 0))], ids=str
)
@given(data=st.data())
def test_inner_matches_numpy(device, shapes, data):
    (a, x), (b, y) = pair(data, shapes)
    expect(xp.inner(x, y), np.inner(a, b), signs=False)


@pytest.mark.parametrize("shapes", [((), ()), ((3,), (3,)), ((2, 3), (3, 2)), ((6,), (2, 3)), ((0,), (0, 2))], ids=str)
@given(data=st.data())
def test_vdot_matches_numpy(device, shapes, data):
    (a, x), (b, y) = pair(data, shapes)
    expect(xp.vdot(x, y), np.vdot(a, b), signs=False)


def test_vdot_conjugates_its_first_operand(device):
    (a, x), (b, y) = made([1 + 2j, 3j]), made([2 - 1j, 1 + 1j])
    expect(xp.vdot(x, y), np.vdot(a, b))
    expect(xp.dot(x, y), np.dot(a, b))


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3,)), ((4, 2, 3), (3,)), ((2, 3), (4, 3)), ((0, 3), (3,)), ((2, 0), (0,)), ((1, 2, 3), (4, 3))]
)
@given(data=st.data())
def test_products_of_matrices_and_vectors_match_numpy(device, shapes, data):
    (a, x), (b, y) = pair(data, shapes)
    expect(xp.matvec(x, y), np.matvec(a, b), signs=False)
    matrices, z = pair(data, [(*shapes[0][:-2], shapes[0][-1], shapes[0][-2])])[0]
    expect(xp.vecmat(y, z), np.vecmat(b, matrices), signs=False)


def test_vecmat_conjugates_the_vector(device):
    (a, x), (b, y) = made([1 + 2j, 3j]), made([[1j, 2.0], [1.0, 1 - 1j]])
    expect(xp.vecmat(x, y), np.vecmat(a, b))
    expect(xp.matvec(y, x), np.matvec(b, a))


@pytest.mark.parametrize("name", ["dot", "inner", "outer"])
@pytest.mark.parametrize("other", [2, 2.5, True, [1.0, 2.0, 3.0]], ids=str)
def test_product_takes_array_likes(device, name, other):
    host, x = made([1.0, -2.0, 3.0])
    expect(getattr(xp, name)(x, other), getattr(np, name)(host, other))


@pytest.mark.parametrize("name", ["dot", "inner", "outer", "vdot"])
def test_product_takes_a_numpy_array_where_transfers_are_allowed(device, name):
    (a, x), b = made([1.0, -2.0, 3.0]), np.asarray([1, 2, 3])
    with xp.transfers("allow"):
        expect(getattr(xp, name)(x, b), getattr(np, name)(a, b))


def test_nan_and_infinities_follow_numpy(device):
    (a, x), (b, y) = made([[math.nan, 1.0], [math.inf, 2.0]]), made([1.0, -2.0])
    expect(xp.dot(x, y), np.dot(a, b))
    expect(xp.inner(x, y), np.inner(a, b))


@pytest.mark.parametrize(
    ("name", "shapes", "match"),
    [
        ("dot", ((2, 3), (2, 3)), r"shapes \(2,3\) and \(2,3\) not aligned: 3 \(dim 1\) != 2 \(dim 0\)"),
        ("dot", ((3,), (2,)), r"shapes \(3,\) and \(2,\) not aligned"),
        ("inner", ((2, 3), (3, 2)), r"shapes \(2,3\) and \(3,2\) not aligned"),
        ("vdot", ((3,), (2,)), "cannot reshape array of size 2"),
        ("matvec", ((3,), (3,)), "matvec: Input operand 0 does not have enough dimensions"),
        ("vecmat", ((3,), (3,)), "vecmat: Input operand 1 does not have enough dimensions"),
        ("matvec", ((2, 3), (2,)), "matvec"),
        ("vecmat", ((3,), (2, 2)), "vecmat"),
    ],
    ids=str,
)
def test_shapes_that_do_not_fit_are_refused(device, name, shapes, match):
    with pytest.raises(ValueError, match=match):
        getattr(xp, name)(*(xp.ones(shape) for shape in shapes))


def test_products_are_written_into_out(device):
    (a, x), (b, y) = made([[1.0, 2.0], [3.0, 4.0]]), made([[0.0, 1.0], [1.0, 1.0]])
    out = xp.zeros((2, 2))
    assert xp.dot(x, y, out) is out
    expect(out, a @ b)
    wide = xp.zeros((4, 4), dtype=xp.complex128)
    assert xp.outer(x, y, out=wide) is wide
    expect(wide, np.outer(a, b).astype(complex))


def test_out_that_does_not_fit_is_refused(device):
    x = xp.ones((2, 2))
    for out in (xp.zeros((2, 2), dtype=xp.float32), xp.zeros(4)):
        with pytest.raises(ValueError, match="output array is not acceptable"):
            xp.dot(x, x, out=out)
    with pytest.raises(TypeError, match="ArrayType"):
        xp.dot(x, x, out=np.zeros((2, 2)))
    with pytest.raises(TypeError, match="Cannot cast"):
        xp.outer(x, x, out=xp.zeros((4, 4), dtype=xp.int64))
