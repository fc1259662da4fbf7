"""Elements of an Array are values: copies with no memory in common, and keys of dictionaries."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x[1, 2],
        lambda x: x[-1, np.int64(2)],
        lambda x: x[xp.asarray(1, device=x.device), 2],
        lambda x: x[1, ...][2],
        lambda x: next(iter(x[1, ...][2:])),
        lambda x: x[1, 2, ...][()],
    ],
)
def test_element_is_a_value(device, read):
    x = xp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device=device)
    element = read(x)
    element += 1
    assert x.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    x[1, 2] = 9.0
    assert (element.shape, float(element)) == ((), 7.0)


def test_elements_are_exchanged(device):
    x = xp.asarray([1, 2, 3], device=device)
    x[0], x[2] = x[2], x[0]
    assert x.tolist() == [3, 2, 1]


def test_iteration_over_elements_gives_values(device):
    x = xp.asarray([1, 2, 3], device=device)
    for value in x:
        value *= 10
    assert x.tolist() == [1, 2, 3]


def test_index_with_an_ellipsis_gives_a_view(lenient_device):
    x = xp.asarray([1.0, 2.0, 3.0], device=lenient_device)
    part = x[1, ...]
    part[...] = 9.0
    assert x.tolist() == [1.0, 9.0, 3.0]


@pytest.mark.parametrize("value", [True, 7, -0.0, 2.5, 1j])
def test_element_is_a_key_by_its_value(device, value):
    element = xp.asarray(value, device=device)
    assert hash(element) == hash(value)
    assert {value: "found"}[element] == "found"
    assert {element: "found"}[value] == "found"


def test_elements_are_counted_in_a_set(device):
    assert sorted(map(int, set(xp.asarray([1, 2, 1, 3, 2], device=device)))) == [1, 2, 3]
