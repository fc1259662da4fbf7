"""Views within transforms: what is written to them, and to their arrays, is seen by the others."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd


def writes_to_a_slice(x: Any) -> Any:
    y = x * 1.0
    every_second = y[::2]
    every_second += 1.0
    return xp.sum(y * y)


def writes_below_a_slice(x: Any) -> Any:
    y = x * 1.0
    end = y[1:]
    y[2] = 5.0 * x[0]
    return xp.sum(end * end)


def writes_to_a_slice_of_a_slice(x: Any) -> Any:
    rows = xp.stack([x, 2.0 * x])
    row = rows[1, :]
    last = row[1:]
    last *= 3.0
    row[0] = x[2]
    return xp.sum(rows * rows) + xp.sum(last)


def writes_to_a_copy(x: Any) -> Any:
    y = x * 1.0
    copy = y[1:].copy()
    copy *= 7.0
    return xp.sum(y * y)


def writes_by_an_operator(x: Any) -> Any:
    rows = xp.stack([x, x])
    rows[0, :] += x
    rows[1, :][1:] *= 2.0
    return xp.sum(rows * rows)


def writes_to_the_argument(x: Any) -> Any:
    start = x[:2]
    start += 1.0
    return xp.sum(x * x)


def writes_to_a_reversed_transpose(x: Any) -> Any:
    y = xp.stack([x, 2.0 * x])
    columns = xp.flip(y.T, axis=0)
    columns[0, 1] = x[0] * 5.0
    columns += 1.0
    return xp.sum(y * y)


def writes_below_a_reshaped_array(x: Any) -> Any:
    y = x * 1.0
    column = y.reshape(3, 1)
    flat = xp.expand_dims(column, axis=0).ravel()
    y[0] = 3.0 * x[2]
    flat[1:] *= 2.0
    return xp.sum(column * column)


def writes_to_a_copy_by_reshape(x: Any) -> Any:
    y = xp.stack([x, x])
    flat = y.T.reshape(-1)
    flat += 1.0
    every_second = y[0, ::2].ravel()
    every_second += 1.0
    return xp.sum(y * y)


def writes_to_one_element(x: Any) -> Any:
    y = x * 1.0
    element = y[1, ...]
    element *= 3.0
    np.add(y[2, ...], 1.0, out=y[2, ...])
    none = xp.sum(x)[...]
    none[...] = none * 2.0
    total = xp.sum(x)
    view = total[...]
    view += 1.0
    return xp.sum(y * y) + total


FUNCTIONS = {
    # At (1, 2, 3): the value, and the gradient.
    writes_to_a_slice: (24.0, [4.0, 4.0, 8.0]),  # (a + 1)² + b² + (c + 1)²
    writes_below_a_slice: (29.0, [50.0, 4.0, 0.0]),  # b² + (5 a)²
    writes_to_a_slice_of_a_slice: (
        14.0 + 9.0 + 144.0 + 324.0 + 30.0,
        [2.0, 4.0 + 144.0 + 6.0, 6.0 + 6.0 + 216.0 + 6.0],
    ),
    writes_to_a_copy: (14.0, [2.0, 4.0, 6.0]),
    writes_to_one_element: (1.0 + 36.0 + 16.0 + 7.0, [3.0, 37.0, 9.0]),  # a² + 9 b² + (c + 1)² + (a + b + c + 1)
    writes_by_an_operator: (56.0 + 1.0 + 16.0 + 36.0, [10.0, 32.0, 48.0]),  # 5 a² + 8 b² + 8 c²
    writes_to_the_argument: (22.0, [4.0, 6.0, 6.0]),
    # (a + 1)² + (b + 1)² + (c + 1)² + (2 a + 1)² + (2 b + 1)² + (5 a + 1)²
    writes_to_a_reversed_transpose: (29.0 + 9.0 + 25.0 + 36.0, [4.0 + 12.0 + 60.0, 6.0 + 20.0, 8.0]),
    writes_below_a_reshaped_array: (81.0 + 16.0 + 36.0, [0.0, 16.0, 54.0 + 24.0]),  # 9 c² + 4 b² + 4 c²
    writes_to_a_copy_by_reshape: (28.0, [4.0, 8.0, 12.0]),  # 2 (a² + b² + c²)
}

BY_FUNCTIONS = (writes_to_a_reversed_transpose, writes_below_a_reshaped_array, writes_to_a_copy_by_reshape)
"""Functions with views that are no slices. Off the host, the library decides which results are views."""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_writes_are_seen_as_without_the_transform(device: xp.Device, function: Any) -> None:
    value, gradient = FUNCTIONS[function]
    x = xp.asarray([1.0, 2.0, 3.0])
    if x.device.host or function not in BY_FUNCTIONS:
        assert float(function(x.copy())) == value
    found, derivative = autograd.value_and_grad(function)(x)
    assert (float(found), derivative.tolist()) == (value, gradient)
    tangents = [autograd.jvp(function, (x,), (xp.eye(3)[i, :],))[1] for i in range(3)]
    assert [float(tangent) for tangent in tangents] == gradient
    batch = xp.stack([x, x])
    assert xp.vmap(function)(batch).tolist() == [value, value]
    assert xp.vmap(autograd.grad(function))(batch).tolist() == [gradient, gradient]
    assert autograd.grad(lambda x: xp.sum(xp.vmap(function)(xp.stack([x, x]))))(x).tolist() == [2 * g for g in gradient]
    assert xp.fuse(autograd.grad(function))(x).tolist() == gradient
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_inner_gradients_write_to_slices_of_outer_arrays() -> None:
    def outer(x: Any) -> Any:
        y = x * 1.0
        start = y[:2]

        def inner(z: Any) -> Any:
            start[0] = z * z
            return xp.sum(y * y)  # z⁴ + b² + c²

        return autograd.grad(inner)(x[0] * 3.0)  # 4 (3 a)³

    x = xp.asarray([1.0, 2.0, 3.0])
    value, gradient = autograd.value_and_grad(outer)(x)
    assert float(value) == 108.0
    assert gradient.tolist() == [324.0, 0.0, 0.0]


def test_a_slice_of_a_variable_is_not_written_to() -> None:
    variable = autograd.variable(xp.asarray([1.0, 2.0, 3.0]))
    start = variable[:2]
    with pytest.raises(RuntimeError, match="would give a variable a new value"):
        start += 1.0
    with pytest.raises(RuntimeError, match="would give a variable a new value"):
        start[0] = 5.0
    assert start.tolist() == [1.0, 2.0]
    assert variable.tolist() == [1.0, 2.0, 3.0]


def test_slices_that_nobody_has_are_forgotten() -> None:
    def function(x: Any) -> Any:
        y = x * 1.0
        found = [weakref.ref(y[i:]) for i in range(3)]
        gc.collect()
        assert [item() for item in found] == [None] * 3
        y += 1.0
        return xp.sum(y * y)

    assert autograd.grad(function)(xp.asarray([1.0, 2.0, 3.0])).tolist() == [4.0, 6.0, 8.0]


@pytest.mark.parametrize(
    "view", [lambda y: xp.reshape(y, (3, 1), copy=True), lambda y: xp.roll(y, 1), lambda y: y[np.asarray([0, 1])]]
)
def test_copies_are_values(view: Any) -> None:
    def function(x: Any) -> Any:
        y = x * 1.0
        other = view(y)
        other += 1.0
        return xp.sum(y * y)

    assert autograd.grad(function)(xp.asarray([1.0, 2.0, 3.0])).tolist() == [2.0, 4.0, 6.0]


def shape_of_a_written_slice(x: Any) -> Any:
    y = x * 1.0
    rows = y[::2, :]
    rows *= 2.0
    flat = xp.reshape(rows, (-1,))  # a copy: two rows that another one lies between
    rows[0, 0] = 100.0
    return flat


def shape_of_one_element(x: Any) -> Any:
    y = x * 1.0
    one = y[-1, :1]
    flat = xp.reshape(one, (-1,))  # a view, however far its neighbours would be
    one += 100.0
    return flat


def shape_of_a_written_column_major_array(x: Any) -> Any:
    y = x * 1.0
    y[0, 0] = 5.0
    flat = xp.reshape(y, (-1,))  # a copy
    y[0, 1] = 100.0
    return flat


@pytest.mark.parametrize(
    ("function", "order", "expected"),
    [
        (shape_of_a_written_slice, "C", [0.0, 2.0, 8.0, 10.0]),
        (shape_of_one_element, "C", [104.0]),
        (shape_of_a_written_column_major_array, "F", [5.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (shape_of_a_written_column_major_array, "C", [5.0, 100.0, 2.0, 3.0, 4.0, 5.0]),
    ],
)
def test_a_new_shape_is_a_view_where_it_is_one_without_transforms(function: Any, order: Any, expected: Any) -> None:
    numbers = np.asarray(np.arange(6.0).reshape(3, 2), order=order)
    assert function(numbers).tolist() == expected
    x = xp.asarray(numbers, device="cpu")
    assert function(x).tolist() == expected
    assert autograd.vjp(function, x)[0].tolist() == expected
    assert autograd.jvp(function, (x,), (x,))[0].tolist() == expected
    if order == "C":
        assert xp.vmap(function)(xp.stack([x, x])).tolist() == [expected, expected]
    gradient = autograd.grad(lambda x: xp.sum(function(x)))(x)
    exact = {  # of the sum: the elements that were not assigned to, times what multiplied them
        shape_of_a_written_slice: [[2.0, 2.0], [0.0, 0.0], [2.0, 2.0]],
        shape_of_one_element: [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]],
        shape_of_a_written_column_major_array: [[0.0, 0.0 if order == "C" else 1.0], [1.0, 1.0], [1.0, 1.0]],
    }
    assert gradient.tolist() == exact[function]
