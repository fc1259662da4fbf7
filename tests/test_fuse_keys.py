"""Values that are part of a recording: what tells two of them apart, besides their items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import fuse, nn


class Attributes:
    """A container whose factor is no item."""

    factor = 1.0


class TupleOfUser(Attributes, tuple): ...


class ListOfUser(Attributes, list): ...


class DictOfUser(Attributes, dict): ...


class SetOfUser(Attributes, set): ...


class FrozenSetOfUser(Attributes, frozenset): ...


class ListWithSlots(list):
    __slots__ = ("factor",)


@dataclass
class Settings:
    given: InitVar[float]
    number: int = 1

    def __post_init__(self, given: float) -> None:
        self.factor = given


def container(kind: Any, items: Any) -> Callable[[float], Any]:
    def make(factor: float) -> Any:
        value = kind(items)
        value.factor = factor
        return value

    return make


def scaled(value: Any, x: Any) -> Any:
    return x * value.factor


MAKERS = {
    "dataclass": Settings,
    "dict": container(DictOfUser, {"a": 1}),
    "frozenset": container(FrozenSetOfUser, (1,)),
    "list": container(ListOfUser, (1,)),
    "set": container(SetOfUser, (1,)),
    "slots": container(ListWithSlots, (1,)),
    "tuple": container(TupleOfUser, (1,)),
}

needs_attributes = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)

HELD: list[Any] = []


class Holder(nn.Module):
    def __init__(self, value: Any) -> None:
        self.value = value


def array(value: float) -> Any:
    return xp.full((3,), value, dtype=xp.float64, device="cpu")


@needs_attributes
@pytest.mark.parametrize("within", ["argument", "list", "module", "tuple"])
def test_arguments_with_other_attributes_are_others(make: Any, within: str) -> None:
    if within == "argument":
        fused, given = fuse(scaled), make
    elif within == "module":
        fused = fuse(lambda holder, x: scaled(holder.value, x))
        given = lambda factor: Holder(make(factor))  # noqa: E731
    else:
        fused, kind = fuse(lambda values, x: scaled(values[0], x)), list if within == "list" else tuple
        given = lambda factor: kind([make(factor)])  # noqa: E731
    for factor in (2.0, 3.0, 2.0):
        assert np.asarray(fused(given(factor), array(1.0))).tolist() == [factor] * 3
    assert len(fused._plans) == 2


@needs_attributes
def test_an_attribute_that_changes_in_place_is_another_value(make: Any) -> None:
    holder, fused = Holder(make(2.0)), fuse(lambda holder, x: scaled(holder.value, x))
    for factor in (2.0, 3.0):
        holder.value.factor = factor
        assert np.asarray(fused(holder, array(1.0))).tolist() == [factor] * 3


@needs_attributes
def test_a_value_from_outside_with_other_attributes_is_another(make: Any) -> None:
    fused = fuse(lambda x: scaled(HELD[0], x))
    for factor in (2.0, 3.0, 2.0):
        HELD[:] = [make(factor)]
        assert np.asarray(fused(array(1.0))).tolist() == [factor] * 3


@pytest.mark.parametrize("within", ["argument", "module"])
def test_a_tuple_of_arrays_keeps_its_attributes(within: str) -> None:
    def make(factor: float) -> Any:
        value = TupleOfUser([array(10.0)])
        value.factor = factor
        return value if within == "argument" else Holder(value)

    fused = fuse(lambda given, x: (lambda value: value[0] + scaled(value, x))(getattr(given, "value", given)))
    for factor in (2.0, 3.0, 2.0):
        assert np.asarray(fused(make(factor), array(1.0))).tolist() == [10.0 + factor] * 3


def test_attributes_may_refer_to_their_object() -> None:
    def make(factor: float) -> Any:
        value = ListOfUser([ListOfUser()])
        value[0].parent, value.children, value.factor = value, [value[0]], factor
        return value

    fused = fuse(scaled)
    for factor in (2.0, 3.0):
        assert np.asarray(fused(make(factor), array(1.0))).tolist() == [factor] * 3


def test_a_property_that_is_cached_is_no_other_value() -> None:
    class Cached(tuple):
        @cached_property
        def factor(self) -> float:
            return float(self[0])

    fused, value = fuse(lambda values, x: scaled(values[0], x)), Cached(("2.0",))
    for _ in range(2):
        assert np.asarray(fused([value], array(1.0))).tolist() == [2.0] * 3
    assert len(fused._plans) == 1


RECORD = np.zeros((), dtype=[("factor", "f8")])[()]


@pytest.mark.parametrize("within", ["argument", "list", "module", "outside"])
def test_a_field_that_is_assigned_is_another_value(within: str) -> None:
    record = RECORD
    function, argument = {
        "argument": (lambda value, x: x * float(value["factor"]), record),
        "list": (lambda value, x: x * float(value[0]["factor"]), [record]),
        "module": (lambda value, x: x * float(value.value["factor"]), Holder(record)),
        "outside": (lambda value, x: x * float(RECORD["factor"]), None),
    }[within]
    fused = fuse(function)
    for factor in (2.0, 3.0, 2.0):
        record["factor"] = factor
        assert np.asarray(fused(argument, array(1.0))).tolist() == [factor] * 3
