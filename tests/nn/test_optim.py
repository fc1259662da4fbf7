"""Optimizers, schedules, files of weights, batches, tables of networks."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn, optim

OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Lion")


class Point(nn.Module):
    """A point, whose squared distance to (3, -1) is the loss."""

    def __init__(self) -> None:
        self.position = xp.asarray([1.0, 1.0])
        self.fixed = xp.asarray([1.0])
        self.freeze("fixed")


def distance(point: Any) -> Any:
    return xp.sum((point.position - xp.asarray([3.0, -1.0])) ** 2) + xp.sum(point.fixed)


def numbers(x: Any) -> Any:
    return xp.to_numpy(x).tolist()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_update_lowers_a_convex_function(name, device):
    point = Point()
    optimizer = getattr(optim, name)(point, lr=0.1)
    first = float(distance(point))
    for _ in range(10):
        assert optimizer.update(point, autograd.grad(distance)(point)) is point
    assert float(distance(point)) < first
    assert int(optimizer.steps) == 10
    assert numbers(point.fixed) == [1.0]


def test_text_of_an_optimizer_has_its_settings():
    model = nn.Linear(1, 1, rng=0)
    settings = "dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False"
    assert repr(optim.SGD(model, lr=0.1, momentum=0.9)) == f"SGD(lr=0.1, momentum=0.9, {settings})"
    assert repr(optim.Adam(model, lr=optim.cosine(0.1, steps=10))).startswith("Adam(lr=cosine, betas=(0.9, 0.999), ")


def test_step_of_gradient_descent_is_exact(device):
    point = Point()
    optim.SGD(point, lr=0.25).update(point, autograd.grad(distance)(point))
    assert numbers(point.position) == [2.0, 0.0]


def test_step_of_lion_is_exact(device):
    point = Point()
    optimizer = optim.Lion(point, lr=0.25, betas=(0.5, 0.75), weight_decay=0.5)
    optimizer.update(point, autograd.grad(distance)(point))
    assert numbers(point.position) == [1.125, 0.625]
    assert numbers(optimizer.state["position"]["exp_avg"]) == [-1.0, 1.0]


def test_gradients_by_name_are_taken(device):
    point = Point()
    optim.SGD(point, lr=0.5).update(point, {"position": xp.asarray([2.0, 4.0])})
    assert numbers(point.position) == [0.0, -1.0]


def test_array_of_two_parameters_is_updated_once(device):
    model = nn.Sequential(nn.Linear(2, 2, bias=False, rng=0), nn.Linear(2, 2, bias=False, rng=1))
    model[1].weight = model[0].weight
    optimizer = optim.SGD(model, lr=0.1, momentum=0.9)
    assert list(optimizer.state) == ["0.weight"]
    optimizer.update(model, autograd.grad(lambda m: xp.sum(m(xp.ones((1, 2), dtype=xp.float32))))(model))
    assert model[1].weight is model[0].weight


def test_state_of_an_optimizer_goes_on(device):
    points = Point(), Point()
    optimizers = [optim.Adam(point, lr=0.1) for point in points]
    for _ in range(3):
        optimizers[0].update(points[0], autograd.grad(distance)(points[0]))
    points[1].load_state_dict(points[0].state_dict())
    optimizers[1].load_state_dict(optimizers[0].state_dict())
    for point, optimizer in zip(points, optimizers, strict=True):
        optimizer.update(point, autograd.grad(distance)(point))
    assert numbers(points[0].position) == numbers(points[1].position)


def test_state_of_another_optimizer_raises(device):
    point = Point()
    with pytest.raises(RuntimeError, match="missing .*exp_avg"):
        optim.Adam(point).load_state_dict(optim.SGD(point).state_dict())


def test_complex_gradient_leaves_an_optimizer_unchanged(device):
    layer = nn.Linear(2, 1, rng=xp.random.default_rng(0))
    optimizer = optim.Adam(layer)
    before = {name: numbers(x) for name, x in optimizer.state_dict().items()}
    gradients = {"weight": xp.ones_like(layer.weight), "bias": xp.ones(1, dtype=xp.complex64)}
    with pytest.raises(TypeError, match="gradient of bias has dtype complex64"):
        optimizer.update(layer, gradients)
    assert {name: numbers(x) for name, x in optimizer.state_dict().items()} == before


def test_average_of_weights(device):
    point = Point()
    average = optim.ExponentialMovingAverage(point, decay=0.75)
    point.position = xp.asarray([5.0, 1.0])
    average.update(point)
    assert numbers(average.model.position) == [2.0, 1.0]
    assert numbers(point.position) == [5.0, 1.0]


def test_average_of_weights_of_16_bits_moves_by_less_than_their_precision(device):
    if not device.supports(np.dtype(np.float16)):
        pytest.skip("no float16")
    layer = nn.Linear(1, 1, bias=False)
    layer.weight = xp.asarray([[1.0]], dtype=xp.float16)
    average = optim.ExponentialMovingAverage(layer, decay=0.9999)
    layer.weight = xp.asarray([[2.0]], dtype=xp.float16)
    for _ in range(10):
        average.update(layer)
    assert float(average.model.weight[0, 0]) == pytest.approx(2.0 - 0.9999**10, rel=1e-6)
    assert layer.weight.dtype == np.float16


@pytest.mark.parametrize("size", [0.0, 1e-4, 1.0, 300.0])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_update_of_float16_is_that_of_float32_rounded(name, size, device):
    """Squares of 1e-4 and 300 leave the range of float16, and eps is 0 in it."""
    if not device.supports(np.dtype(np.float16)):
        pytest.skip("no float16")
    weights = []
    for dtype in (xp.float16, xp.float32):
        layer = nn.Linear(2, 1, bias=False)
        layer.weight = xp.asarray([[0.5, -0.25]], dtype=dtype)
        optimizer = getattr(optim, name)(layer, lr=1e-2)
        gradient = xp.astype(xp.full((1, 2), size, dtype=xp.float16), dtype)
        optimizer.update(layer, {"weight": gradient})
        assert layer.weight.dtype == dtype
        weights.append(xp.to_numpy(layer.weight))
    np.testing.assert_array_equal(weights[0], weights[1].astype(np.float16))


def test_clipped_elements(device):
    assert numbers(optim.clip_by_value({"a": xp.asarray([-3.0, 0.5, 9.0])}, 1.0)["a"]) == [-1.0, 0.5, 1.0]


def test_clipped_norm(device):
    clipped = optim.clip_by_norm([xp.asarray([3.0]), xp.asarray([4.0])], 2.5)
    np.testing.assert_allclose([numbers(x)[0] for x in clipped], [1.5, 2.0], rtol=1e-6)


def test_norm_of_small_integers_does_not_wrap_around(device):
    assert float(optim.global_norm([xp.asarray([60, 80], dtype=xp.int8)])) == 100.0


@pytest.mark.parametrize("scale", [2.0**-110, 2.0**100])
def test_norm_whose_squares_leave_the_range(scale, device):
    gradient = {"a": xp.asarray([3.0 * scale, 0.0], dtype=xp.float32), "b": xp.asarray([4.0 * scale], dtype=xp.float32)}
    assert float(optim.global_norm(gradient)) == pytest.approx(5.0 * scale, rel=1e-6)
    clipped = optim.clip_by_norm({name: x * 2.0**20 for name, x in gradient.items()}, 2.5)
    if scale > 1.0:
        np.testing.assert_allclose([numbers(x)[0] for x in clipped.values()], [1.5, 2.0], rtol=1e-6)


def test_clipped_float16_is_not_zero_by_the_factor(device):
    if not device.supports(np.dtype(np.float16)):
        pytest.skip("no float16")
    clipped = optim.clip_by_norm([xp.asarray([60000.0], dtype=xp.float16)], 1e-3)[0]
    assert (clipped.dtype, numbers(clipped)[0]) == (np.float16, pytest.approx(1e-3, rel=1e-3))


def test_norm_of_complex_gradients(device):
    if not device.supports(np.dtype(np.complex64)):
        pytest.skip("no complex numbers")
    assert float(optim.global_norm([xp.asarray([3.0 + 4.0j, 12.0j], dtype=xp.complex64)])) == pytest.approx(13.0)


def test_warmup_rises_linearly(device):
    schedule = optim.warmup(optim.exponential(8.0, 0.5), steps=4)
    assert [schedule(step) for step in range(6)] == [2.0, 4.0, 6.0, 8.0, 8.0, 4.0]
    assert [float(schedule(xp.asarray(float(step)))) for step in range(6)] == [2.0, 4.0, 6.0, 8.0, 8.0, 4.0]


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "rate": (lambda p: optim.SGD(p, lr=-1.0), ValueError, "lr is -1.0, expected a number 0.0 or more"),
    "text": (lambda p: optim.Adam(p, lr="fast"), TypeError, "lr is a real number"),
    "betas": (
        lambda p: optim.Adam(p, betas=(0.9, 1.0)),
        ValueError,
        r"betas is 1.0, expected a number in \[0.0, 1.0\)",
    ),
    "nesterov": (lambda p: optim.SGD(p, nesterov=True), ValueError, "nesterov=True requires a momentum"),
    "parameters": (
        lambda p: optim.SGD(list(p.parameters())),
        TypeError,
        "takes a module, not .*; pass the module itself",
    ),
    "no parameters": (lambda p: optim.SGD(nn.ReLU()), ValueError, "has no parameters"),
    "shape": (
        lambda p: optim.SGD(p).update(p, {"position": xp.ones(3)}),
        ValueError,
        r"position has shape \(3,\)",
    ),
    "name": (lambda p: optim.SGD(p).update(p, {"place": xp.ones(2)}), ValueError, "no parameters .'place'."),
    "gradient": (lambda p: optim.SGD(p).update(p, [xp.ones(2)]), TypeError, "takes the gradient of a module"),
    "steps": (lambda p: optim.cosine(0.1, steps=5, warmup=5), ValueError, "steps is 5, expected 6 or more"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_raises(name, device):
    function, error, message = BAD[name]
    with pytest.raises(error, match=message):
        function(Point())


# -- files ------------------------------------------------------------------------------------------------------------


def test_saved_module_is_loaded(device, tmp_path):
    model, other = (
        nn.Sequential(nn.Linear(2, 3, rng=0), nn.BatchNorm1d(3)),
        nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)),
    )
    nn.save(model, tmp_path / "model.safetensors")
    other.load_state_dict(nn.load(tmp_path / "model.safetensors"))
    assert {name: numbers(x) for name, x in other.state_dict().items()} == {
        name: numbers(x) for name, x in model.state_dict().items()
    }


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64"])
def test_arrays_of_all_shapes_are_saved_exactly(dtype, device, tmp_path):
    values = {"a": np.arange(6).reshape(2, 3), "b": np.asarray(1), "empty": np.zeros((0, 3))}
    arrays = {name: xp.asarray(x.astype(dtype)) for name, x in values.items()}
    nn.save(arrays, tmp_path / "x")
    for name, x in nn.load(tmp_path / "x").items():
        assert x.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(xp.to_numpy(x), values[name].astype(dtype))


def test_failed_save_leaves_the_former_file(device, tmp_path, monkeypatch):
    path = tmp_path / "x"
    nn.save({"a": xp.asarray([1.0])}, path)

    def fail(number: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        nn.save({"a": xp.asarray([2.0])}, path)
    assert numbers(nn.load(path)["a"]) == [1.0]
    assert list(tmp_path.iterdir()) == [path]


def written(path: Any, header: Any, data: bytes = b"") -> Any:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


DAMAGED = {
    "dtype": ({"a": {"dtype": "F31", "shape": [1], "data_offsets": [0, 4]}}, "'a'.*dtype 'F31'"),
    "size": ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, "'a'.*takes 8 bytes"),
    "beyond the file": ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, "the file has 4"),
    "negative": ({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, "'a'.*negative"),
    "huge": ({"a": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 4]}}, "'a'.*takes"),
    "no shape": ({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, "'a'.*shape"),
    "list": ([1], "expected a dict"),
    "no JSON": (b"{nothing", "no JSON"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file_raises_and_names_the_array(name, device, tmp_path):
    header, message = DAMAGED[name]
    with pytest.raises(ValueError, match=message):
        nn.load(written(tmp_path / "x", header, b"\0" * 4))


def test_file_that_was_cut_raises_at_every_length(device, tmp_path):
    path = tmp_path / "x"
    nn.save({"a": xp.asarray([1.0, 2.0])}, path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"load\(\)"):
            nn.load(path)


def test_what_is_no_array_is_not_saved(device, tmp_path):
    with pytest.raises(TypeError, match="'a' is 3"):
        nn.save({"a": 3}, tmp_path / "x")
    assert not list(tmp_path.iterdir())


# -- batches and tables -----------------------------------------------------------------------------------------------


def test_batches_have_all_examples_once(device):
    found = list(nn.batches(np.arange(10), np.arange(10) * 2, size=4))
    assert [numbers(x) for x, _ in found] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    shuffled = list(nn.batches(np.arange(10), np.arange(10) * 2, size=4, rng=xp.random.default_rng(0)))
    order = [item for x, _ in shuffled for item in numbers(x)]
    assert sorted(order) == list(range(10)) != order
    assert all(numbers(y) == [2 * item for item in numbers(x)] for x, y in shuffled)


def test_last_smaller_batch_is_left_out(device):
    assert [x.shape for (x,) in nn.batches(np.arange(10), size=4, drop_last=True)] == [(4,), (4,)]


def test_bad_batches_raise_at_once(device):
    for arguments, options, error, message in (
        ((), {"size": 2}, TypeError, "one Array or more"),
        ((np.ones(2), np.ones(3)), {"size": 2}, ValueError, "expected one first length"),
        ((np.ones(2),), {"size": 0}, ValueError, "size is 0"),
        ((np.ones(2),), {"size": 1, "rng": 3}, TypeError, "not 3"),
    ):
        with pytest.raises(error, match=message):
            nn.batches(*arguments, **options)


def test_table_of_a_network(device):
    model = nn.Sequential(nn.Linear(4, 3, rng=0), nn.ReLU(), nn.Linear(3, 2, rng=0))
    model[0].freeze()
    table = nn.summary(model, xp.ones((5, 4), dtype=xp.float32))
    assert table.rows == [
        ("0", "Linear", [(5, 3)], 15),
        ("1", "ReLU", [(5, 3)], 0),
        ("2", "Linear", [(5, 2)], 8),
        ("(network)", "Sequential", [(5, 2)], 0),
    ]
    assert (table.parameters, table.trainable, table.parameter_bytes) == (23, 8, 92)
    assert "parameters: 23, of which 8 trainable; 92 bytes" in str(table)
    assert model._hooks == ()
