"""Linear algebra functions of the main namespace on each device, compared with NumPy."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import broadcastable, dtype_pairs, dtypes, expect, few, made, operands, quiet, shapes

import xtensor as xp

SMALL: dict[str, Any] = {"bound": 8.0, "special": False}
"""Limits of the operands, so that products are exact or nearly so."""


def expect_close(result: Any, expected: Any, terms: int = 4) -> None:
    """Compare up to the rounding error of sums of ``terms`` products of magnitude at most 64."""
    dtype = np.asarray(expected).dtype
    atol = 64.0 * (terms + 1) * 4 * float(np.finfo(dtype).eps) if dtype.kind in "fc" else 0.0
    expect(result, expected, ulp=8 if atol else 0, signs=False, atol=atol)


def stacks(data: Any, count: int) -> list[tuple[int, ...]]:
    """Draw broadcast-compatible shapes of at most one axis, for stacks of matrices."""
    return [shape[-1:] for shape in data.draw(broadcastable(count))]


@given(data=st.data())
def test_matmul_of_matrices_stacks_and_vectors_equals_numpys(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    rows, inner, columns = (data.draw(st.integers(0, 3)) for _ in range(3))
    first, second = stacks(data, 2)
    shape1 = data.draw(st.sampled_from([(inner,), (*first, rows, inner)]))
    shape2 = data.draw(st.sampled_from([(inner,), (*second, inner, columns)]))
    x1, x2 = data.draw(operands(dtype1, shape1, **SMALL)), data.draw(operands(dtype2, shape2, **SMALL))
    with quiet():
        expect_close(xp.matmul(x1.array, x2.array), np.matmul(x1.host, x2.host))


@few
@given(data=st.data())
def test_matmul_operator_equals_numpys(device, data):
    dtype = data.draw(dtypes(device, "iufc"))
    x1, x2 = data.draw(operands(dtype, (2, 3), **SMALL)), data.draw(operands(dtype, (3, 2), **SMALL))
    with quiet():
        expect_close(operator.matmul(x1.array, x2.array), x1.host @ x2.host)


@few
@given(data=st.data())
def test_inplace_matmul_updates_the_array(device, data):
    dtype = data.draw(dtypes(device, "iufc"))
    x1 = data.draw(operands(dtype, (2, 2), layouts=("plain", "strided", "part"), **SMALL))
    x2 = data.draw(operands(dtype, (2, 2), **SMALL))
    array = x1.array
    with quiet():
        expected = x1.host @ x2.host
        array @= x2.array
    assert array is x1.array
    expect_close(array, expected)


@pytest.mark.parametrize(
    "shapes", [((), (2,)), ((2,), ()), ((2, 3), (2, 3)), ((3,), (2,)), ((2, 2, 2), (3, 2, 2))], ids=str
)
def test_matmul_refuses_incompatible_shapes(device, shapes):
    with pytest.raises(ValueError, match="matmul"):
        xp.matmul(xp.ones(shapes[0]), xp.ones(shapes[1]))


def test_matmul_of_an_infinity_and_a_zero_is_nan(device):
    with quiet():
        expect(xp.matmul(made([[np.inf, 1.0]]).array, made([[0.0], [1.0]]).array), np.asarray([[np.nan]]))


@given(data=st.data())
def test_matrix_transpose_swaps_the_last_two_axes(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2, max_dims=4, max_side=3)))
    expected = np.swapaxes(x.host, -1, -2)
    expect(xp.matrix_transpose(x.array), expected)
    expect(x.array.mT, expected)


@few
@given(data=st.data())
def test_transpose_attribute_of_a_matrix(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2, max_dims=2)))
    expect(x.array.T, x.host.T)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3, 4)], ids=str)
def test_transpose_attribute_of_other_than_two_dimensions_reverses_the_axes(lenient_device, shape):
    assert xp.ones(shape).T.shape == shape[::-1]


@pytest.mark.parametrize("count", [0, 1, 2])
@given(data=st.data())
def test_tensordot_over_a_number_of_axes(device, count, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    shared = data.draw(shapes(min_dims=count, max_dims=count, max_side=3)) if count else ()
    shape1 = (*data.draw(shapes(max_dims=2, max_side=2)), *shared)
    shape2 = (*shared, *data.draw(shapes(max_dims=2, max_side=2)))
    x1, x2 = data.draw(operands(dtype1, shape1, **SMALL)), data.draw(operands(dtype2, shape2, **SMALL))
    with quiet():
        expect_close(xp.tensordot(x1.array, x2.array, axes=count), np.tensordot(x1.host, x2.host, axes=count), terms=9)


@pytest.mark.parametrize("axes", [((0,), (1,)), ((1, 0), (0, 2)), ((-1, 0), (0, -1)), ((), ())], ids=str)
@few
@given(data=st.data())
def test_tensordot_over_pairs_of_axes(device, axes, data):
    dtype = data.draw(dtypes(device, "iufc"))
    x1, x2 = data.draw(operands(dtype, (2, 3), **SMALL)), data.draw(operands(dtype, (3, 2, 2), **SMALL))
    with quiet():
        expect_close(xp.tensordot(x1.array, x2.array, axes=axes), np.tensordot(x1.host, x2.host, axes=axes), terms=6)


def test_tensordot_refuses_axes_of_different_lengths(device):
    with pytest.raises(ValueError, match=r"^shape-mismatch for sum; tensordot.*\(2, 3\)"):
        xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=1)


@pytest.mark.parametrize("axes", [-1, 3])
def test_tensordot_refuses_a_number_of_axes_out_of_bounds(device, axes):
    with pytest.raises(ValueError, match=f"tensordot.*axes={axes} is out of bounds.*from 0 to 2"):
        xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=axes)


@given(data=st.data())
def test_vecdot_is_the_sum_of_products_with_the_conjugate(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    length = data.draw(st.integers(0, 4))
    first, second = data.draw(broadcastable(2))
    x1 = data.draw(operands(dtype1, (*first, length), **SMALL))
    x2 = data.draw(operands(dtype2, (*second, length), **SMALL))
    with quiet():
        common = np.result_type(dtype1, dtype2)
        expected = np.sum(np.conj(x1.host.astype(common)) * x2.host.astype(common), axis=-1, dtype=common)
        expect_close(xp.vecdot(x1.array, x2.array), expected)


@few
@given(data=st.data())
def test_vecdot_along_another_axis(device, data):
    dtype = data.draw(dtypes(device, "iufc"))
    axis = data.draw(st.integers(-3, -1))
    x1, x2 = (data.draw(operands(dtype, (2, 3, 2), **SMALL)) for _ in range(2))
    with quiet():
        expected = np.sum(np.conj(x1.host) * x2.host, axis=axis, dtype=dtype)
        expect_close(xp.vecdot(x1.array, x2.array, axis=axis), expected)


def test_vecdot_refuses_vectors_of_different_lengths(device):
    with pytest.raises(ValueError, match=r"^vecdot: Input operand 1 has a mismatch.*\(size 3 is different from 2\)"):
        xp.vecdot(xp.ones(2), xp.ones(3))


def test_vecdot_refuses_an_axis_out_of_bounds(device):
    with pytest.raises(ValueError, match="^axis 3 is out of bounds for array of dimension 1; vecdot"):
        xp.vecdot(xp.ones(2), xp.ones(2), axis=3)


@pytest.mark.parametrize("shape", [(), (2,)], ids=str)
def test_matrix_transpose_refuses_fewer_than_two_dimensions(device, shape):
    with pytest.raises(ValueError, match="^Input array must be at least 2-dimensional, but it is .*matrix_transpose"):
        xp.matrix_transpose(xp.ones(shape))


TESTED = ("matmul", "matrix_transpose", "tensordot", "vecdot")


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import linear_algebra

    assert set(TESTED) == set(linear_algebra.__all__)
