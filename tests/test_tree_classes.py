"""Objects of dataclasses and of classes of dicts and lists as arguments of transforms and fused functions."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any

import pytest

import xtensor as xp
from xtensor import autograd


@dataclass
class Assigned:
    weights: Any
    scale: float = field(init=False, default=1.0)
    shift: Any = field(init=False, default=None)


@dataclass
class Computed:
    weights: Any

    def __post_init__(self) -> None:
        self.scale = 2.0
        self.weights = self.weights * 2.0


@dataclass
class Initialized:
    weights: Any
    factor: InitVar[float] = 2.0

    def __post_init__(self, factor: float) -> None:
        self.weights = self.weights * factor


@dataclass(frozen=True, slots=True)
class Frozen:
    weights: Any
    scale: float = 5.0


class Scaled(dict[str, Any]):
    scale = 1.0


def ones() -> Any:
    return xp.ones(3, device="cpu")


def assigned() -> Any:
    value = Assigned(ones())
    value.scale, value.shift = 5.0, ones() * 2.0
    return value


def computed() -> Any:
    value = Computed(ones())
    value.scale = 7.0
    return value


def scaled() -> Any:
    value = Scaled(weights=ones())
    value.scale = 3.0
    return value


OBJECTS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], float, list[float]]] = {
    "fields that no constructor takes": (assigned, lambda c: xp.sum(c.weights * c.scale * c.shift), 30.0, [10.0] * 3),
    "attributes that a constructor computes": (computed, lambda c: xp.sum(c.weights * c.scale), 42.0, [7.0] * 3),
    "an argument of the constructor alone": (
        lambda: Initialized(ones(), 3.0),
        lambda c: xp.sum(c.weights * c.weights),
        27.0,
        [6.0] * 3,
    ),
    "frozen, with slots": (lambda: Frozen(ones()), lambda c: xp.sum(c.weights * c.scale), 15.0, [5.0] * 3),
    "attributes of a dict": (scaled, lambda c: xp.sum(c["weights"] * c.scale), 9.0, [3.0] * 3),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_are_what_they_are_within_transforms(name: str) -> None:
    make, function, value, gradient = OBJECTS[name]
    assert float(function(make())) == value
    assert float(xp.fuse(function)(make())) == value
    found, gradients = autograd.value_and_grad(function)(make())
    weights = gradients["weights"] if isinstance(gradients, dict) else gradients.weights
    assert (float(found), weights.tolist()) == (value, gradient)
    assert float(autograd.vjp(function, make())[0]) == value
    assert float(autograd.checkpoint(function)(make())) == value
    if not isinstance(make(), Frozen):  # whose constructor takes a number, of which vmap has no examples
        assert xp.vmap(function)(make()).tolist() == [value / 3] * 3  # one element of each


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: OrderedDict(a=ones()), "a"),
        (lambda: defaultdict(list, a=ones()), "a"),
        (lambda: Scaled(a=ones()), "a"),
        (lambda: type("Items", (list,), {})([ones()]), 0),
        (lambda: {"a": ones()}, "a"),
    ],
    ids=["OrderedDict", "defaultdict", "dict of a user", "list of a user", "dict"],
)
def test_fused_functions_see_writes_to_the_arrays_of_containers(make: Any, key: Any) -> None:
    held, fused, x = make(), xp.fuse(lambda x, held: x * held[key]), ones()
    assert fused(x, held).tolist() == [1.0] * 3
    held[key] *= 3.0
    assert fused(x, held).tolist() == [3.0] * 3
    held[key] = ones() * 7.0
    assert fused(x, held).tolist() == [7.0] * 3
    held[key][0] = 0.0
    assert fused(x, held).tolist() == [0.0, 7.0, 7.0]


def test_fused_functions_see_the_attributes_of_containers() -> None:
    held, fused = scaled(), xp.fuse(lambda c: xp.sum(c["weights"]) * c.scale)
    assert [float(fused(held)) for _ in range(2)] == [9.0] * 2
    held.scale = 5.0
    assert [float(fused(held)) for _ in range(2)] == [15.0] * 2
