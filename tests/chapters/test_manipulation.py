"""Manipulation functions on each device, compared with NumPy for exact values, dtypes and shapes."""

from __future__ import annotations

import numpy as np
import pytest
from assignment_cases import IMMUTABLE
from hypothesis import given
from hypothesis import strategies as st
from strategies import broadcastable, dtype_pairs, dtypes, expect, few, made, operands, quiet, shapes, values_of

import xtensor as xp


def axis_of(ndim: int) -> st.SearchStrategy[int]:
    return st.integers(-ndim, ndim - 1)


def axes_of(ndim: int, min_size: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Tuples of distinct axes, positive and negative."""
    if not ndim:
        return st.just(())
    return st.lists(axis_of(ndim), min_size=min_size, max_size=ndim, unique_by=lambda axis: axis % ndim).map(tuple)


@given(data=st.data())
def test_broadcast_arrays_equals_numpys(device, data):
    xs = [data.draw(operands(dtypes(device), shape)) for shape in data.draw(broadcastable(3))]
    results = xp.broadcast_arrays(*(x.array for x in xs))
    assert isinstance(results, tuple)
    for result, expected in zip(results, np.broadcast_arrays(*(x.host for x in xs)), strict=True):
        expect(result, expected)


def test_broadcast_arrays_without_arguments_is_empty(device):
    assert tuple(xp.broadcast_arrays()) == ()


@given(data=st.data())
def test_broadcast_shapes_equals_numpys(data):
    drawn = data.draw(broadcastable(3))
    assert xp.broadcast_shapes(*drawn) == np.broadcast_shapes(*drawn)


@pytest.mark.parametrize("shapes", [((2,), (3,)), ((0,), (2,)), ((2, 1), (3, 2))], ids=str)
def test_broadcast_shapes_refuses_incompatible_shapes(shapes):
    with pytest.raises(
        ValueError, match="^shape mismatch: objects cannot be broadcast to a single shape.*broadcast_shapes"
    ):
        xp.broadcast_shapes(*shapes)


@given(data=st.data())
def test_broadcast_to_equals_numpys(device, data):
    first, second = data.draw(broadcastable(2))
    shape = np.broadcast_shapes(first, second)
    x = data.draw(operands(dtypes(device), first))
    expect(xp.broadcast_to(x.array, shape), np.broadcast_to(x.host, shape))


@given(data=st.data())
def test_concat_along_an_axis_equals_numpys(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "biufc"))
    shape = list(data.draw(shapes(min_dims=1)))
    axis = data.draw(axis_of(len(shape)))
    other = [*shape]
    other[axis] = data.draw(st.integers(0, 3))
    x1, x2 = data.draw(operands(dtype1, tuple(shape))), data.draw(operands(dtype2, tuple(other)))
    with quiet():
        result = xp.concat([x1.array, x2.array], axis=axis)
        expect(result, np.concat([x1.host, x2.host], axis=axis))


@few
@given(data=st.data())
def test_concat_without_axis_flattens(device, data):
    dtype = data.draw(dtypes(device))
    x1, x2 = data.draw(operands(dtype)), data.draw(operands(dtype))
    expect(xp.concat((x1.array, x2.array), axis=None), np.concat((x1.host, x2.host), axis=None))


@given(data=st.data())
def test_stack_equals_numpys(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "biufc"))
    shape = data.draw(shapes())
    axis = data.draw(axis_of(len(shape) + 1))
    x1, x2 = data.draw(operands(dtype1, shape)), data.draw(operands(dtype2, shape))
    with quiet():
        expect(xp.stack([x1.array, x2.array], axis=axis), np.stack([x1.host, x2.host], axis=axis))


@given(data=st.data())
def test_unstack_equals_numpys(device, data):
    shape = data.draw(shapes(min_dims=1))
    axis = data.draw(axis_of(len(shape)))
    x = data.draw(operands(dtypes(device), shape))
    results = xp.unstack(x.array, axis=axis)
    assert isinstance(results, tuple)
    for result, expected in zip(results, np.unstack(x.host, axis=axis), strict=True):
        expect(result, expected)


@given(data=st.data())
def test_expand_dims_inserts_an_axis(device, data):
    x = data.draw(operands(dtypes(device), shapes(max_dims=2)))
    axis = data.draw(axis_of(x.host.ndim + 1))
    expect(xp.expand_dims(x.array, axis), np.expand_dims(x.host, axis))


@few
@given(data=st.data())
def test_expand_dims_inserts_several_axes(device, data):
    x = data.draw(operands(dtypes(device), shapes(max_dims=2)))
    total = x.host.ndim + 2
    axes = data.draw(st.permutations(range(total)))[:2]
    expect(xp.expand_dims(x.array, tuple(axes)), np.expand_dims(x.host, tuple(axes)))


@given(data=st.data())
def test_squeeze_removes_axes_of_length_one(device, data):
    shape = data.draw(st.lists(st.sampled_from([1, 1, 0, 2]), min_size=1, max_size=4).map(tuple))
    ones = [axis for axis, length in enumerate(shape) if length == 1]
    axes = tuple(data.draw(st.permutations(ones)))[: data.draw(st.integers(0, len(ones)))]
    axes = tuple(axis - data.draw(st.sampled_from([0, len(shape)])) for axis in axes)
    x = data.draw(operands(dtypes(device), shape))
    expect(xp.squeeze(x.array, axes), np.squeeze(x.host, axis=axes))


@pytest.mark.parametrize("shape", [(), (1,), (2, 1, 3, 1), (0, 1), (2, 3)], ids=str)
def test_squeeze_without_an_axis_removes_all_of_length_one(device, shape):
    values = np.ones(shape)
    expect(xp.squeeze(xp.asarray(values)), np.squeeze(values))


def test_squeeze_of_a_longer_axis_is_refused(device):
    with pytest.raises(ValueError, match="^cannot select an axis to squeeze out.*length 3"):
        xp.squeeze(xp.ones((1, 3)), 1)


@given(data=st.data())
def test_flip_reverses_axes(device, data):
    x = data.draw(operands(dtypes(device)))
    axis = data.draw(st.none() | axes_of(x.host.ndim))
    expect(xp.flip(x.array, axis=axis), np.flip(x.host, axis=axis))


@given(data=st.data())
def test_moveaxis_moves_several_axes(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1)))
    source = data.draw(axes_of(x.host.ndim))
    destination = tuple(data.draw(st.permutations(range(x.host.ndim)))[: len(source)])
    expect(xp.moveaxis(x.array, source, destination), np.moveaxis(x.host, source, destination))


@few
@given(data=st.data())
def test_moveaxis_moves_one_axis(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1)))
    source, destination = data.draw(axis_of(x.host.ndim)), data.draw(axis_of(x.host.ndim))
    expect(xp.moveaxis(x.array, source, destination), np.moveaxis(x.host, source, destination))


@given(data=st.data())
def test_permute_dims_permutes_axes(device, data):
    x = data.draw(operands(dtypes(device)))
    order = tuple(data.draw(st.permutations(range(x.host.ndim))))
    expect(xp.permute_dims(x.array, order), np.permute_dims(x.host, order))


@few
@given(data=st.data())
def test_permute_dims_accepts_negative_axes(device, data):
    x = data.draw(operands(dtypes(device), (2, 3, 1)))
    expect(xp.permute_dims(x.array, (-1, 0, -2)), np.permute_dims(x.host, (2, 0, 1)))


@given(data=st.data())
def test_repeat_with_one_count(device, data):
    x = data.draw(operands(dtypes(device)))
    axis = data.draw(st.none() | axis_of(x.host.ndim)) if x.host.ndim else None
    count = data.draw(st.integers(0, 3))
    expect(xp.repeat(x.array, count, axis=axis), np.repeat(x.host, count, axis=axis))


@given(data=st.data())
def test_repeat_with_a_count_per_element(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1)))
    axis = data.draw(axis_of(x.host.ndim))
    length = x.host.shape[axis]
    counts = data.draw(operands(dtypes(device, "i"), (length,), st.integers(0, 3)))
    expect(xp.repeat(x.array, counts.array, axis=axis), np.repeat(x.host, counts.host, axis=axis))


@given(data=st.data())
def test_reshape_preserves_row_major_order(device, data):
    x = data.draw(operands(dtypes(device)))
    lengths = [length for length in x.host.shape if length != 1]
    shape = data.draw(st.sampled_from([(x.host.size,), (1, x.host.size), (*lengths,), (*reversed(lengths),), (-1, 1)]))
    shape = (x.host.size, 1) if -1 in shape and not x.host.size else shape
    copy = data.draw(st.sampled_from([None, True]))
    expect(xp.reshape(x.array, shape, copy=copy), np.reshape(x.host, shape))


def test_reshape_without_copy_shares_memory(device):
    x = xp.zeros(6)
    y = xp.reshape(x, (2, 3), copy=False)
    y[0, 0] = 1.0
    expect(x, np.asarray([0.0 if device.backend in IMMUTABLE else 1.0, 0, 0, 0, 0, 0]), dtype=x.dtype)


def test_reshape_with_copy_shares_no_memory(device):
    x = xp.zeros(6)
    xp.reshape(x, (2, 3), copy=True)[0, 0] = 1.0
    expect(x, np.zeros(6), dtype=x.dtype)


def test_reshape_without_copy_raises_if_a_copy_is_necessary(device):
    x = xp.permute_dims(xp.ones((2, 3)), (1, 0))
    if device._library.lazy:  # without memory, a copy is never necessary
        xp.reshape(x, (6,), copy=False)[1] = 5.0
        assert float(x[0, 1]) == 5.0
        return
    with pytest.raises(ValueError, match="^Unable to avoid creating a copy while reshaping.*copy=None"):
        xp.reshape(x, (6,), copy=False)


@pytest.mark.parametrize("shape", [(5,), (-1, -1), (-2, 3), (4, -1), (0, -1)], ids=str)
def test_reshape_refuses_another_number_of_elements(device, shape):
    with pytest.raises(ValueError, match=r"^can(not reshape array of size 6 into shape| only specify one)") as raised:
        xp.reshape(xp.ones(6), shape)
    assert str(shape) in str(raised.value)


@given(data=st.data())
def test_roll_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device)))
    axes = data.draw(st.none() | axes_of(x.host.ndim, min_size=1)) if x.host.ndim else None
    shift = data.draw(st.integers(-7, 7)) if axes is None else tuple(data.draw(st.integers(-7, 7)) for _ in axes)
    expect(xp.roll(x.array, shift, axis=axes), np.roll(x.host, shift, axis=axes))


@few
@given(data=st.data())
def test_roll_with_one_shift_for_several_axes(device, data):
    x = data.draw(operands(dtypes(device), (3, 4)))
    shift = data.draw(st.integers(-5, 5))
    expect(xp.roll(x.array, shift, axis=(0, 1)), np.roll(x.host, shift, axis=(0, 1)))


@given(data=st.data())
def test_tile_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device), shapes(max_side=3)))
    repetitions = data.draw(st.lists(st.integers(0, 3), max_size=4).map(tuple))
    expect(xp.tile(x.array, repetitions), np.tile(x.host, repetitions))


CALLS = {
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 2, 3)),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 0),
    "flip": lambda xp, x: xp.flip(x),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (1, 0)),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "roll": lambda xp, x: xp.roll(x, 1),
    "tile": lambda xp, x: xp.tile(x, (2,)),
    "concat": lambda xp, x: xp.concat([x, x]),
    "stack": lambda xp, x: xp.stack([x, x]),
}


@pytest.mark.parametrize("name", CALLS)
@few
@given(data=st.data())
def test_operand_is_not_modified(device, name, data):
    x = data.draw(operands(dtypes(device), (2, 3)))
    before = values_of(x.array).copy()
    expect(CALLS[name](xp, x.array), CALLS[name](np, x.host))
    expect(x.array, before)


@pytest.mark.parametrize("name", ["concat", "stack"])
@pytest.mark.parametrize("others", [([3, 4],), ((True, False), [0.5, 2.0]), ([1j, 2],)], ids=repr)
def test_lists_are_joined_with_an_array(device, name, others):
    x = np.asarray([1, 2], dtype=np.float32)
    if device == "strict":
        with pytest.raises(TypeError, match="takes an xtensor Array, not"):
            getattr(xp, name)([xp.asarray(x, device=device), *others])
        return
    expected = getattr(np, name)([*others, x])
    result = getattr(xp, name)([*others, xp.asarray(x, device=device)])
    assert (result.device, result.dtype.kind) == (device, expected.dtype.kind)  # the width is the device's default
    assert np.array_equal(values_of(result), expected)


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_joining_refuses_incompatible_shapes(device, name):
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2, 2\)"):
        getattr(xp, name)([xp.ones((2, 3)), xp.ones((2, 2))])


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_joining_an_empty_sequence_is_refused(device, name):
    verb = {"concat": "concatenate", "stack": "stack"}[name]
    with pytest.raises(ValueError, match=f"^need at least one array to {verb}; {name}"):
        getattr(xp, name)([])


def test_moveaxis_refuses_source_and_destination_of_different_lengths(device):
    with pytest.raises(ValueError, match="^`source` and `destination` arguments must have the same number of elements"):
        xp.moveaxis(xp.ones((2, 3)), (0, 1), 0)


@pytest.mark.parametrize("axes", [(0,), (0, 1, 2), 0], ids=str)
def test_permute_dims_refuses_a_wrong_number_of_axes(device, axes):
    with pytest.raises((ValueError, IndexError), match="^ax[ei]s.*permute_dims"):
        xp.permute_dims(xp.ones((2, 3)), axes)


def test_repeat_refuses_a_negative_count(device):
    with pytest.raises(ValueError, match="^negative dimensions are not allowed.*repeat.*-1"):
        xp.repeat(xp.ones(2), -1)


@pytest.mark.parametrize("axis", [0, (0, 1, 0), None], ids=str)
def test_roll_refuses_a_number_of_shifts_other_than_the_number_of_axes(device, axis):
    with pytest.raises(ValueError, match=r"roll\(\).*\(1, 2\)"):
        xp.roll(xp.ones((2, 3)), (1, 2), axis=axis)


def test_signed_zeros_and_nan_are_preserved(device):
    x = made([0.0, -0.0, np.nan, np.inf])
    expect(xp.flip(x.array), np.flip(x.host))
    expect(xp.roll(x.array, 1), np.roll(x.host, 1))


TESTED = (
    *("broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis"),
    *("permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack"),
)


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import broadcasting, joining, manipulation

    assert set(TESTED) == {*broadcasting.__all__, *joining.__all__, *manipulation.__all__}


def test_broadcast_arrays_of_one_shape_can_be_written_to(device):
    x = xp.zeros(3, device=device)
    first, second = xp.broadcast_arrays(x, xp.ones(3, device=device))
    first[0] = 5.0
    assert float(first[0]) == 5.0
    assert float(second[0]) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: xp.moveaxis(x, 5, 0), "source: axis 5 is out of bounds for array of dimension 2"),
        (lambda x: xp.moveaxis(x, 0, 5), "destination: axis 5 is out of bounds for array of dimension 2"),
        (lambda x: xp.swapaxes(x, 0, 5), "axis2: axis 5 is out of bounds for array of dimension 2"),
        (lambda x: xp.trace(x, 0, 5, 0), "axis1: axis 5 is out of bounds for array of dimension 2"),
    ],
)
def test_axis_out_of_bounds_is_named_with_its_parameter_as_in_numpy(call, words, device):
    with pytest.raises(np.exceptions.AxisError, match=f"^{words}"):
        call(xp.ones((2, 3), device=device))
