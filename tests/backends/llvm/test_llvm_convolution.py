"""Kernels of convolutions of many examples: sums of small integers are exact; what is left to products of matrices."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd
from xtensor.nn import functional
from xtensor_backends.llvm import _convolution, _threads


def integers(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(np.float32)


@pytest.fixture
def used(monkeypatch):
    """The names of the kernels that were called."""
    names = []
    monkeypatch.setattr(_convolution, "LEAST_WORK", 0)
    run = _convolution._run
    monkeypatch.setattr(_convolution, "_run", lambda name, *args: (names.append(name), run(name, *args)))
    return names


def convolved(x, weight, stride, padding, dilation):
    """The definition, by a sum over the elements of a filter of float64."""
    count = len(stride)
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *[(width, width) for width in padding]])
    spans = [step * (size - 1) + 1 for step, size in zip(dilation, weight.shape[2:], strict=True)]
    outputs = [(length - span) // step + 1 for length, span, step in zip(x.shape[2:], spans, stride, strict=True)]
    result = np.zeros((x.shape[0], weight.shape[0], *outputs))
    for tap in np.ndindex(*weight.shape[2:]):
        starts = [index * step for index, step in zip(tap, dilation, strict=True)]
        keys = [
            slice(start, start + (length - 1) * step + 1, step)
            for start, length, step in zip(starts, outputs, stride, strict=True)
        ]
        axes = "uvw"[:count]
        part = x[(slice(None), slice(None), *keys)]
        result += np.einsum(f"nc{axes},fc->nf{axes}", part, weight[(slice(None), slice(None), *tap)].astype(np.float64))
    return result


SETTINGS = [
    ((9,), (3,), (1,), (1,), (1,)),
    ((8, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    ((9, 8), (3, 2), (2, 3), (2, 0), (1, 2)),
    ((4, 5, 6), (2, 3, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1)),
]


@pytest.mark.parametrize(("lengths", "kernel", "stride", "padding", "dilation"), SETTINGS)
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("examples", "channels", "filters"), [(32, 1, 8), (64, 5, 16)])
def test_convolution_is_the_sum_of_products(
    lengths, kernel, stride, padding, dilation, biased, threads, examples, channels, filters, used
):
    x, weight = integers(examples, channels, *lengths), integers(filters, channels, *kernel)
    bias = np.arange(filters, dtype=np.float32) if biased else None
    function = getattr(functional, f"conv{len(lengths)}d")
    arrays = [None if array is None else xp.asarray(array, device="cpu") for array in (x, weight, bias)]
    with _threads.limit(threads):
        found = function(*arrays, stride=stride, padding=padding, dilation=dilation)
    expected = convolved(x, weight, stride, padding, dilation)
    if bias is not None:
        expected = expected + bias.reshape(-1, *[1] * len(lengths))
    np.testing.assert_array_equal(xp.to_numpy(found), expected)
    assert used == ["convolution"]


@pytest.mark.parametrize(("lengths", "kernel", "stride", "padding", "dilation"), SETTINGS)
@pytest.mark.parametrize("channels", [1, 8])
def test_derivatives_are_the_sums_of_products(lengths, kernel, stride, padding, dilation, channels, used):
    """The convolution is linear in both operands: a derivative in a direction is the convolution of the direction."""
    x, weight = integers(32, channels, *lengths), integers(8, channels, *kernel)
    function = getattr(functional, f"conv{len(lengths)}d")
    expected = convolved(x, weight, stride, padding, dilation)
    g = integers(*expected.shape)

    def loss(x, weight):
        return xp.sum(function(x, weight, stride=stride, padding=padding, dilation=dilation) * xp.asarray(g))

    with xp.use_device("cpu"):
        gradients = autograd.grad(loss, argnums=(0, 1))(xp.asarray(x), xp.asarray(weight))
    for operand, gradient, number in zip((x, weight), gradients, (0, 1), strict=True):
        direction = np.roll(operand, 1) + 1
        operands = (direction, weight) if number == 0 else (x, direction)
        moved = np.sum(convolved(*operands, stride, padding, dilation) * g)
        assert np.sum(xp.to_numpy(gradient).astype(np.float64) * direction) == pytest.approx(moved, rel=1e-6)
    assert "by_weight" in used


@pytest.mark.parametrize(
    ("x", "weight", "groups"),
    [
        (integers(32, 2, 5, 5).astype(np.float64), integers(8, 2, 3, 3).astype(np.float64), 1),
        (integers(31, 2, 5, 5), integers(8, 2, 3, 3), 1),
        (integers(32, 2, 5, 5), integers(6, 2, 3, 3), 1),
        (integers(32, 2, 5, 5), integers(8, 1, 3, 3), 2),
        (integers(32, 2, 5, 50), integers(8, 2, 3, 3), 1),
    ],
    ids=["float64", "examples", "filters", "groups", "long rows"],
)
def test_other_convolutions_are_products_of_matrices(x, weight, groups, used):
    found = functional.conv2d(xp.asarray(x, device="cpu"), xp.asarray(weight, device="cpu"), groups=groups)
    assert found.shape == (x.shape[0], weight.shape[0], x.shape[2] - 2, x.shape[3] - 2)
    assert used == []


def test_numbers_that_are_not_finite_stay_in_their_windows(used):
    x, weight = integers(32, 1, 8, 8), np.ones((8, 1, 3, 3), np.float32)
    x[3, 0, 0, 0], x[5, 0, 7, 7] = np.nan, np.inf
    found = xp.to_numpy(functional.conv2d(xp.asarray(x, device="cpu"), xp.asarray(weight, device="cpu")))
    assert used == ["convolution"]
    where = np.argwhere(~np.isfinite(found[:, 0]))
    np.testing.assert_array_equal(where, [[3, 0, 0], [5, 5, 5]])


def test_examples_stay_the_last_axis_in_memory(used):
    """The next convolution, and its derivative, read them so."""
    x, weight = integers(32, 8, 8, 8), integers(8, 8, 3, 3)
    with xp.use_device("cpu"):
        first = functional.conv2d(xp.asarray(x), xp.asarray(weight), padding=1)
        second = functional.max_pool2d(functional.relu(first), 2)
    expected = np.maximum(convolved(x, weight, (1, 1), (1, 1), (1, 1)), 0)
    np.testing.assert_array_equal(xp.to_numpy(second), expected.reshape(32, 8, 4, 2, 4, 2).max(axis=(3, 5)))
    for array in (first, second):
        assert np.asarray(array).transpose(1, 2, 3, 0).flags.c_contiguous


@pytest.mark.parametrize("fused", [True, False])
def test_arrays_in_several_orders_are_computed_by_their_elements(fused):
    shape = 32, 24, 8, 8
    arrays = [
        np.ascontiguousarray(integers(*shape).transpose(order)).transpose(np.argsort(order))
        for order in ((1, 2, 3, 0), (0, 1, 2, 3), (3, 0, 1, 2))
    ]
    x, y, z = [xp.asarray(array, device="cpu") for array in arrays]

    def function(x, y, z):
        chosen = xp.where(x > 0, y, z) * y + x
        return chosen, xp.sum(chosen * z, axis=(0, 2, 3)), xp.sum(chosen, axis=1)

    chosen, by_channel, by_place = (xp.fuse(function) if fused else function)(x, y, z)
    expected = np.where(arrays[0] > 0, arrays[1], arrays[2]) * arrays[1] + arrays[0]
    np.testing.assert_array_equal(xp.to_numpy(chosen), expected)
    np.testing.assert_array_equal(xp.to_numpy(by_channel), np.sum(expected * arrays[2], axis=(0, 2, 3)))
    np.testing.assert_array_equal(xp.to_numpy(by_place), np.sum(expected, axis=1))
