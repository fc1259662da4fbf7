"""Python scalars, lists and tuples in the place of the only array of a function."""

import pytest

import xtensor as xp

CALLS = {
    "sqrt": (lambda: xp.sqrt(4.0), 2.0),
    "sum": (lambda: xp.sum([1, 2]), 3),
    "mean": (lambda: xp.mean((1.0, 2.0)), 1.5),
    "sort": (lambda: xp.sort([3, 1]), [1, 3]),
    "argmax": (lambda: xp.argmax([1, 5]), 1),
    "reshape": (lambda: xp.reshape([1, 2], (2, 1)), [[1], [2]]),
    "linalg.inv": (lambda: xp.linalg.inv([[2.0]]), [[0.5]]),
    "fft.fft": (lambda: xp.fft.fft([1.0, 0.0]), [1.0, 1.0]),
    "special.expit": (lambda: xp.special.expit(0.0), 0.5),
    "median": (lambda: xp.median([1, 2, 4]), 2.0),
    "array_equal": (lambda: xp.asarray(xp.array_equal([1], [1])), True),
    "nanmean": (lambda: xp.nanmean([1.0, float("nan")]), 1.0),
}
"""Calls with their values: functions of the standard, of its extensions and beyond it."""


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_an_array_on_the_default_device(device, name):
    function, expected = CALLS[name]
    if device == "strict":
        with pytest.raises(TypeError, match="xtensor Array"):
            function()
        return
    result = function()
    assert result.device == device
    assert result.tolist() == expected


def test_list_of_arrays_is_on_their_device(device):
    if device == "strict":
        pytest.skip("lists are refused")
    x = xp.ones(2, device=device)
    assert xp.sum([x, x]).device == device


@pytest.mark.parametrize("value", ["a", None, {1}, object()])
def test_other_objects_are_refused_by_the_name_of_the_function(device, value):
    with pytest.raises(TypeError, match=r"^sqrt\(\) takes an xtensor Array, not "):
        xp.sqrt(value)


def test_list_of_texts_is_refused_by_the_name_of_the_function(device):
    with pytest.raises(TypeError, match=r"^sum\(\)"):
        xp.sum(["a", "b"])


def test_numbers_in_a_fused_function_are_constants(device):
    if device == "strict":
        pytest.skip("numbers are refused")
    x = xp.ones(3, device=device)
    assert xp.fuse(lambda x: x + xp.sqrt([4.0, 9.0, 16.0]))(x).tolist() == [3.0, 4.0, 5.0]


def test_numbers_in_a_differentiated_function_are_constants(device):
    if device == "strict":
        pytest.skip("numbers are refused")
    x = xp.ones(3, device=device)
    assert xp.autograd.grad(lambda x: xp.sum(x * xp.sqrt([4.0, 9.0, 16.0])))(x).tolist() == [2.0, 3.0, 4.0]
