"""Modules: trees of Arrays under transforms, names of parameters, states, freezing."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn, optim


class Scale(nn.Module):
    """x * weight, with a count of calls and the last sum as buffers."""

    def __init__(self, values=(1.0, 2.0)) -> None:
        self.weight = xp.asarray(values, dtype=xp.float32)
        self.register_buffer("count", xp.asarray(0))
        self.register_buffer("last", xp.asarray(0.0, dtype=xp.float32))

    def forward(self, x: Any) -> Any:
        self.count = self.count + 1
        self.last = xp.sum(x * self.weight)
        return x * self.weight


class Tied(nn.Module):
    """One Array as two parameters, and one module in two attributes."""

    def __init__(self) -> None:
        self.first = nn.Linear(2, 2, bias=False, rng=0)
        self.second = nn.Linear(2, 2, bias=False, rng=1)
        self.second.weight = self.first.weight
        self.again = self.first

    def forward(self, x: Any) -> Any:
        return self.again(self.second(self.first(x)))


def total(model: Any, x: Any) -> Any:
    return xp.sum(model(x))


@pytest.fixture
def x(device: Any) -> Any:
    return xp.asarray([3.0, 5.0], dtype=xp.float32)


def numbers(x: Any) -> Any:
    return xp.to_numpy(x).tolist()


# -- derivatives ------------------------------------------------------------------------------------------------------


def test_gradient_of_a_module_is_a_module_of_its_class(x):
    value, gradient = autograd.value_and_grad(total)(Scale(), x)
    assert float(value) == 13.0
    assert type(gradient) is Scale
    assert numbers(gradient.weight) == [3.0, 5.0]


def test_gradient_of_buffers_is_none(x):
    gradient = autograd.grad(total)(Scale(), x)
    assert gradient.count is None
    assert gradient.last is None


def test_gradient_of_frozen_parameters_is_none(x):
    model = nn.Sequential(Scale(), Scale())
    model[0].freeze()
    gradient = autograd.grad(total)(model, x)
    assert gradient[0].weight is None
    assert numbers(gradient[1].weight) == [3.0, 10.0]
    model.unfreeze()
    assert numbers(autograd.grad(total)(model, x)[0].weight) == [3.0, 10.0]


def test_statistics_that_a_differentiated_function_assigns_are_set_on_the_module(x):
    model = Scale()
    autograd.grad(total)(model, x)
    assert int(model.count) == 1
    assert float(model.last) == 13.0
    assert model.last.device == x.device


def test_statistics_of_nested_transforms_are_set_once(x):
    model = Scale()
    autograd.grad(lambda y: xp.sum(autograd.grad(total, 1)(model, y) ** 2))(x)
    assert int(model.count) == 1
    assert model.last.device == x.device


def test_vjp_and_jvp_set_what_the_function_assigns(x):
    model = Scale()
    _, pull = autograd.vjp(total, model, x)
    assert numbers(pull(xp.asarray(1.0, dtype=xp.float32))[0].weight) == [3.0, 5.0]
    tangent = autograd.grad(total)(model, x)
    _, derivative = autograd.jvp(lambda m: total(m, x), (model,), (tangent,))
    assert float(derivative) == 34.0
    assert int(model.count) == 3


def test_jacobian_of_a_module_leaves_it_unchanged(x):
    model = Scale()
    for mode in ("reverse", "forward"):
        blocks = autograd.jacobian(lambda m: m(x), mode=mode)(model)
        assert numbers(blocks.weight) == [[3.0, 0.0], [0.0, 5.0]]
        assert blocks.count is None
    assert int(model.count) == 0


def test_checkpoint_counts_a_call_once(x):
    model = Scale()
    gradient = autograd.grad(autograd.checkpoint(total))(model, x)
    assert numbers(gradient.weight) == [3.0, 5.0]
    assert int(model.count) == 1


def test_array_of_two_attributes_is_one_leaf(x):
    model = Tied()
    gradient = autograd.grad(total)(model, x)
    assert gradient.second.weight is gradient.first.weight
    assert gradient.again is gradient.first
    weight = np.asarray(xp.to_numpy(model.first.weight), dtype=np.float64)
    step = 1e-3
    numeric = np.zeros((2, 2))
    for index in np.ndindex(2, 2):
        moved = [weight + sign * step * (np.arange(4).reshape(2, 2) == 2 * index[0] + index[1]) for sign in (1, -1)]
        high, low = [float(np.sum(w @ w @ w @ np.array([3.0, 5.0]))) for w in moved]
        numeric[index] = (high - low) / (2 * step)
    np.testing.assert_allclose(xp.to_numpy(gradient.first.weight), numeric, rtol=1e-4)


def test_write_to_an_array_in_place_is_set_on_the_module(x):
    class Adds(nn.Module):
        def __init__(self) -> None:
            self.weight = xp.asarray([1.0, 2.0], dtype=xp.float32)
            self.register_buffer("sums", xp.asarray([0.0, 0.0], dtype=xp.float32))

        def forward(self, x: Any) -> Any:
            self.sums += autograd.stop_gradient(x)
            return x * self.weight

    model = Adds()
    before = model.sums
    autograd.grad(total)(model, x)
    assert numbers(model.sums) == [3.0, 5.0]
    assert numbers(before) == [0.0, 0.0]


def test_attributes_that_the_function_adds_and_deletes_are_those_of_the_module(x):
    def changes(model: Any, x: Any) -> Any:
        model.layers.append(Scale())
        model.extra = x + 1
        del model.old
        return xp.sum(x * model.weight)

    model = Scale()
    model.layers, model.old = [Scale()], 3
    autograd.grad(changes)(model, x)
    assert numbers(model.extra) == [4.0, 6.0]
    assert len(model.layers) == 2
    assert not hasattr(model, "old")


def test_gradients_of_each_example_by_vmap(x):
    model, batch = Scale(), xp.stack([x, 2 * x])
    gradients = xp.vmap(autograd.grad(total), in_axes=(None, 0))(model, batch)
    assert numbers(gradients.weight) == [[3.0, 5.0], [6.0, 10.0]]
    assert int(model.count) == 0


# -- fuse -------------------------------------------------------------------------------------------------------------


def test_fused_function_sets_what_it_assigns_in_each_call(x):
    model, fused = Scale(), xp.fuse(total)
    for count in (1, 2, 3):
        fused(model, x * count)
        assert int(model.count) == count
        assert float(model.last) == 13.0 * count


def test_fused_function_returns_the_module_that_it_was_given(x):
    model = Scale()
    fused = xp.fuse(lambda m, x: (total(m, x), m))
    for _ in range(2):
        assert fused(model, x)[1] is model


def test_fused_function_reads_the_present_parameters(x):
    model, fused = Scale(), xp.fuse(total)
    fused(model, x)
    model.weight = model.weight * 10
    assert float(fused(model, x)) == 130.0


def test_fused_function_reads_the_present_settings(x):
    class Powers(nn.Module):
        def __init__(self) -> None:
            self.weight, self.exponent = xp.asarray([1.0, 1.0], dtype=xp.float32), 2

        def forward(self, x: Any) -> Any:
            return self.weight * x**self.exponent

    model, fused = Powers(), xp.fuse(total)
    assert float(fused(model, x)) == 34.0
    model.exponent = 3
    assert float(fused(model, x)) == 152.0


def test_fused_function_with_modules_in_two_arguments(x):
    model = Scale()
    fused = xp.fuse(lambda a, b, x: xp.sum(a(x) + b[0](x)))
    for count in (2, 4):
        assert float(fused(model, [model], x)) == 26.0
        if xp.default_device() != "strict":
            assert int(model.count) == count


def test_fused_function_of_a_dataclass_of_arrays(x):
    @dataclass
    class Pair:
        first: Any
        second: Any

    fused = xp.fuse(lambda pair: pair.first * pair.second)
    for scale in (1, 2):
        assert numbers(fused(Pair(x * scale, x))) == [9.0 * scale, 25.0 * scale]


def test_fused_function_that_assigns_a_number_raises(device):
    class Counts(nn.Module):
        def __init__(self) -> None:
            self.weight, self.calls = xp.asarray([1.0, 1.0]), 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * self.weight

    model = Counts()
    x = xp.asarray([1.0, 2.0])
    if xp._fuse.generator_of(x.device) is None:
        pytest.skip("the device has no generator of kernels: the function itself is called")
    with pytest.raises(TypeError, match="'calls'.*make the attribute an Array"):
        xp.fuse(total)(model, x)
    assert model.calls == 0


# -- states -----------------------------------------------------------------------------------------------------------


def test_names_of_parameters_are_those_of_attributes_and_containers(device):
    model = nn.Module()
    model.layers = [nn.Linear(2, 3, rng=0), {"a": nn.Linear(3, 1, bias=False, rng=0)}]
    model.scale = xp.ones(2)
    names = ["layers.0.weight", "layers.0.bias", "layers.1.a.weight", "scale"]
    assert [name for name, _ in model.named_parameters()] == names
    assert list(model.state_dict()) == names


def test_buffers_are_no_parameters(device):
    model = Scale()
    model.table = xp.asarray([1, 2])
    assert [name for name, _ in model.named_parameters()] == ["weight"]
    assert [name for name, _ in model.named_buffers()] == ["count", "last", "table"]


def test_temporary_buffer_is_not_part_of_the_state(device):
    model = Scale()
    model.register_buffer("cache", xp.zeros(2), persistent=False)
    assert "cache" not in model.state_dict()
    assert "cache" in dict(model.named_buffers())


def test_state_is_loaded_in_the_dtype_of_the_model(device):
    model = nn.Linear(2, 1, rng=0)
    state = {"weight": np.asarray([[1.5, 2.5]]), "bias": np.asarray([3])}
    assert model.load_state_dict(state) == ([], [])
    assert numbers(model(xp.asarray([[1.0, 1.0]], dtype=xp.float32))) == [[7.0]]
    assert model.weight.dtype == xp.float32


def test_loaded_arrays_share_no_memory_with_the_model(device):
    model, other = nn.Linear(2, 1, rng=0), nn.Linear(2, 1, rng=1)
    state = other.state_dict()
    model.load_state_dict(state)
    before = numbers(model.weight)
    state["weight"][...] = 0
    assert numbers(model.weight) == before


def test_state_of_tied_parameters_stays_tied(device):
    model = Tied()
    state = {name: x * 2 for name, x in model.state_dict().items()}
    model.load_state_dict(state)
    assert model.second.weight is model.first.weight


def test_missing_and_unexpected_keys_and_shapes_are_named(device):
    model = nn.Sequential(nn.Linear(2, 3, rng=0))
    state = {"0.weight": np.zeros((2, 2)), "1.weight": np.zeros(1)}
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict(state)
    message = str(caught.value)
    assert "Error(s) in loading state_dict for Sequential:" in message
    assert 'Missing key(s) in state_dict: "0.bias"' in message
    assert 'Unexpected key(s) in state_dict: "1.weight"' in message
    assert "size mismatch for 0.weight: copying a param with shape (2, 2)" in message


def test_state_that_does_not_fit_changes_nothing(device):
    model = nn.Linear(2, 1, rng=0)
    before = numbers(model.bias)
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        model.load_state_dict({"bias": np.asarray([9.0]), "weight": np.zeros(3)})
    assert numbers(model.bias) == before


def test_loading_that_is_not_strict_returns_the_names(device):
    model = nn.Linear(2, 1, rng=0)
    found = model.load_state_dict({"bias": np.asarray([9.0]), "other": np.zeros(3)}, strict=False)
    assert found.missing_keys == ["weight"]
    assert found.unexpected_keys == ["other"]
    assert numbers(model.bias) == [9.0]


def test_state_that_is_no_mapping_raises(device):
    with pytest.raises(TypeError, match="a dict of Arrays by name, not"):
        nn.Linear(2, 1, rng=0).load_state_dict([1])


def test_modules_are_pickled_and_copied(device):
    model = nn.Sequential(nn.Linear(2, 1, rng=0))
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert numbers(other[0].weight) == numbers(model[0].weight)
        assert other[0].weight is not model[0].weight


# -- modes, casts, text -----------------------------------------------------------------------------------------------


def test_train_and_eval_set_all_modules(device):
    model = nn.Sequential(nn.ReLU(), nn.ModuleList([nn.Identity()]))
    assert model.eval() is model
    assert not any(module.training for module in model.modules())
    assert all(module.training for module in model.train().modules())


def test_astype_casts_parameters_and_no_integers(device):
    model = Scale().astype(xp.float64)
    assert model.weight.dtype == xp.float64
    assert model.count.dtype == xp.asarray(0).dtype


def test_to_device_moves_arrays_and_generators(device):
    model = nn.Linear(2, 1, rng=0)
    model.rng = xp.random.default_rng(0)
    with xp.transfers("allow"):
        model.to_device("numpy")
    assert model.weight.device is xp.device("numpy")  # the device cpu, without kernels
    assert model.rng.device is xp.device("numpy")


def test_apply_calls_modules_before_the_module_they_are_in(device):
    called: list[str] = []
    nn.Sequential(nn.ReLU(), nn.Identity()).apply(lambda module: called.append(type(module).__name__))
    assert called == ["ReLU", "Identity", "Sequential"]


def test_hook_replaces_the_output_until_it_is_removed(x):
    model = nn.Identity()
    remove = model.register_forward_hook(lambda module, args, output: output * 2)
    assert numbers(model(x)) == [6.0, 10.0]
    remove()
    assert numbers(model(x)) == [3.0, 5.0]


def test_repr_is_a_tree(device):
    model = nn.Sequential(nn.Linear(2, 3, rng=0), nn.Sequential(nn.ReLU()))
    assert repr(model) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (1): Sequential(\n    (0): ReLU()\n  )\n)"
    )


def test_module_without_forward_names_the_class(x):
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="Empty defines no method forward"):
        Empty()(x)


def test_parameter_returns_the_array_itself(x):
    assert nn.Parameter(x) is x


def test_seed_gives_the_same_parameters(device):
    assert numbers(nn.Linear(3, 2, rng=7).weight) == numbers(nn.Linear(3, 2, rng=7).weight)


def test_estimate_takes_a_module(x):
    found = xp.estimate(lambda m, x: m(x), nn.Linear(2, 3, bias=False, rng=0), x)
    assert found.result.shape == (3,)


def replace_all(model: Any, way: str) -> None:
    """Replace all parameters of a model, twice."""
    for _ in range(2):
        if way == "update":
            optim.SGD(model, lr=0.5).update(model, {name: x * 0.5 for name, x in model.named_parameters()})
        elif way == "load":
            model.load_state_dict({name: x * 0.0 + 2.0 for name, x in model.state_dict().items()})
        else:
            model.astype(xp.float32)


@pytest.mark.parametrize("way", ["update", "load", "astype"])
def test_parts_of_a_module_stay_the_same_objects(way: str) -> None:
    class Parts(nn.Module):
        def __init__(self) -> None:
            self.child = nn.Linear(2, 2, rng=0, device="cpu")
            self.layers = [nn.Linear(2, 2, rng=1, device="cpu"), (xp.ones(2, device="cpu"),)]
            self.named = {"a": nn.Linear(2, 2, rng=2, device="cpu"), "b": xp.ones(2, device="cpu")}

        def forward(self, x: Any) -> Any:
            return self.child(x)

    model = Parts()
    child, layers, named, first, other = model.child, model.layers, model.named, model.layers[0], model.named["a"]
    replace_all(model, way)
    held = [child, layers, named, first, other]
    assert list(map(id, (model.child, model.layers, model.named, layers[0], named["a"]))) == list(map(id, held))
    weight: Any = model.state_dict()["child.weight"]
    assert child.weight.tolist() == weight.tolist()
    if way == "load":
        assert [x.tolist() for x in (child.bias, layers[1][0], named["b"], other.bias)] == [[2.0, 2.0]] * 4
    child.bias[0] = 5.0
    assert model(xp.zeros((1, 2), device="cpu"))[0, 0].tolist() == 5.0
