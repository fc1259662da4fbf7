"""Objects among the arguments of a fused function: one of a known structure is recognized, any other one is not."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import fuse, nn
from xtensor._fuse import flattening


class Part(nn.Module):
    def __init__(self, value: float) -> None:
        self.weight = array(value)
        self.factor = 2.0


class Whole(nn.Module):
    def __init__(self) -> None:
        self.first, self.second = Part(1.0), Part(10.0)
        self.parts = [Part(100.0)]
        self.settings = {"signs": [1, 1, 1]}
        self.shape = (3,)


def array(value: float, dtype: Any = None, shape: tuple[int, ...] = (3,)) -> Any:
    return xp.full(shape, value, dtype=xp.float64 if dtype is None else dtype, device="cpu")


def total(whole: Any, x: Any) -> Any:
    parts = [whole.first, whole.second, *whole.parts]
    signs = whole.settings["signs"]
    return x + sum(sign * part.factor * part.weight for sign, part in zip(signs, parts, strict=False))


@pytest.fixture
def taken_apart(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The objects that have been taken apart."""
    objects: list[Any] = []
    flatten = flattening.flatten

    def noting(value: Any, memo: Any = None) -> Any:
        objects.append(value)
        return flatten(value, memo)

    monkeypatch.setattr(flattening, "flatten", noting)
    return objects


def set_factor(whole: Whole) -> None:
    whole.second.factor = 3.0


def set_equal_factor(whole: Whole) -> None:
    whole.second.factor = float("2.0")


def set_weight(whole: Whole) -> None:
    whole.second.weight = array(20.0)


def set_weight_of_other_shape(whole: Whole) -> None:
    whole.second.weight = array(20.0, shape=(1,))


def set_weight_of_other_dtype(whole: Whole) -> None:
    whole.second.weight = array(20.0, xp.float32)


def set_weight_in_place(whole: Whole) -> None:
    whole.second.weight[...] = 20.0


def share_weight(whole: Whole) -> None:
    whole.second.weight = whole.first.weight


def share_object(whole: Whole) -> None:
    whole.second = whole.first


def change_list(whole: Whole) -> None:
    whole.settings["signs"][1] = -1


def add_to_list(whole: Whole) -> None:
    whole.parts.append(Part(1000.0))
    whole.settings["signs"].append(1)


def replace_object(whole: Whole) -> None:
    whole.parts[0] = Part(200.0)


CHANGES = (
    set_factor,
    set_equal_factor,
    set_weight,
    set_weight_of_other_shape,
    set_weight_of_other_dtype,
    set_weight_in_place,
    share_weight,
    share_object,
    change_list,
    add_to_list,
    replace_object,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_object_has_its_own_result(change: Callable[[Whole], None]) -> None:
    whole, x, fused = Whole(), array(0.5), fuse(total)
    for _ in range(2):
        assert np.asarray(fused(whole, x)).tolist() == [222.5] * 3
    change(whole)
    expected = np.asarray(total(whole, x)).tolist()
    for _ in range(2):
        assert np.asarray(fused(whole, x)).tolist() == expected


@pytest.mark.parametrize("change", [set_equal_factor, set_weight, set_weight_in_place, replace_object])
def test_an_object_of_the_same_structure_is_not_taken_apart(
    change: Callable[[Whole], None], taken_apart: list[Any]
) -> None:
    whole, x, fused = Whole(), array(0.5), fuse(total)
    fused(whole, x)
    taken_apart.clear()
    change(whole)
    fused(whole, x)
    fused(Whole(), x)
    assert taken_apart == []


def test_two_objects_of_one_structure_are_not_taken_apart(taken_apart: list[Any]) -> None:
    x, fused = array(0.5), fuse(lambda first, second, x: first.weight + second.weight * x)
    fused(Part(1.0), Part(10.0), x)
    taken_apart.clear()
    assert np.asarray(fused(Part(2.0), Part(20.0), x)).tolist() == [12.0] * 3
    assert taken_apart == []


def test_an_object_that_another_thread_calls_with_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, x, fused = Whole(), array(0.5), fuse(total)
    others = [Whole() for _ in range(2 * flattening.MOST_PATTERNS)]
    for number, other in enumerate(others):
        other.settings["signs"].append(number)
    arrays = flattening.Pattern.arrays

    def meanwhile(pattern: Any, value: Any, memo: Any) -> Any:
        if value is whole and others:
            fused(others.pop(), x)
        return arrays(pattern, value, memo)

    monkeypatch.setattr(flattening.Pattern, "arrays", meanwhile)
    fused(others.pop(), x)
    for _ in range(4):
        assert np.asarray(fused(whole, x)).tolist() == [222.5] * 3


def test_a_weak_reference_to_a_part_is_that_part() -> None:
    def swell(whole: Whole, x: Any) -> Any:
        whole.first.whole.parts[0].weight = whole.parts[0].weight + x
        return whole.parts[0].weight * 1.0

    fused, whole = fuse(swell), Whole()
    whole.first.whole = weakref.proxy(whole)
    for expected in (101.0, 102.0, 103.0):
        assert np.asarray(fused(whole, array(1.0))).tolist() == [expected] * 3
        assert np.asarray(whole.parts[0].weight).tolist() == [expected] * 3


def test_a_call_within_a_recording_keeps_nothing() -> None:
    inner = fuse(lambda part, x: x * part.factor + part.weight)

    @fuse
    def outer(part: Part, x: Any, factor: float) -> Any:
        inside = Part(1.0)
        inside.weight, inside.factor = part.weight, factor
        return inner(inside, x)

    assert np.asarray(outer(Part(1.0), array(2.0), 3.0)).tolist() == [7.0] * 3
    assert not inner._patterns


def test_an_object_with_settings_of_a_set_has_its_own_result() -> None:
    whole, x = Whole(), array(0.5)
    whole.chosen = {"first"}
    fused = fuse(lambda whole, x: x + (1.0 if "second" in whole.chosen else 0.0))
    assert np.asarray(fused(whole, x)).tolist() == [0.5] * 3
    whole.chosen.add("second")
    assert np.asarray(fused(whole, x)).tolist() == [1.5] * 3


def test_arrays_that_two_objects_share_are_one() -> None:
    fused = fuse(lambda first, second: first.weight + second.weight)
    first, second = Part(1.0), Part(10.0)
    for _ in range(2):
        assert np.asarray(fused(first, second)).tolist() == [11.0] * 3
    second.weight = first.weight
    assert np.asarray(fused(first, second)).tolist() == [2.0] * 3
    assert np.asarray(fused(first, first)).tolist() == [2.0] * 3


def test_assignment_sets_the_attribute_of_the_recognized_object() -> None:
    @fuse
    def step(part: Part, x: Any) -> Any:
        part.weight = part.weight + x
        return part.weight * 2.0

    for part in (Part(1.0), Part(10.0)):
        start = float(part.weight[0])
        assert np.asarray(step(part, array(1.0))).tolist() == [2.0 * (start + 1.0)] * 3
        assert np.asarray(part.weight).tolist() == [start + 1.0] * 3


def test_an_object_that_becomes_another_part_as_well_is_assigned_to_as_one() -> None:
    @fuse
    def swell(whole: Whole, x: Any) -> Any:
        whole.first.weight = whole.first.weight + x
        return whole.second.weight * 1.0

    whole, x = Whole(), array(1.0)
    for _ in range(2):
        assert np.asarray(swell(whole, x)).tolist() == [10.0] * 3
    whole.second = whole.first
    assert np.asarray(swell(whole, x)).tolist() == [4.0] * 3


def test_objects_that_were_one_are_two_after_an_assignment() -> None:
    fused = fuse(lambda whole, x: x + whole.second.weight)
    whole, x = Whole(), array(0.5)
    whole.second = whole.first
    for _ in range(2):
        assert np.asarray(fused(whole, x)).tolist() == [1.5] * 3
    whole.second = Part(10.0)
    assert np.asarray(fused(whole, x)).tolist() == [10.5] * 3


@pytest.mark.parametrize("change", [set_weight_of_other_shape, set_weight_of_other_dtype, set_factor])
def test_an_object_of_other_parts_has_a_recording_of_its_own(change: Callable[[Whole], None]) -> None:
    whole, x, fused = Whole(), array(0.5), fuse(total)
    fused(whole, x)
    change(whole)
    fused(whole, x)
    assert len(fused._plans) == 2


def test_a_fused_function_keeps_no_array_of_an_object() -> None:
    whole, x, fused = Whole(), array(0.5), fuse(total)
    fused(whole, x)
    fused(whole, x)
    kept = [weakref.ref(whole), weakref.ref(whole.first), weakref.ref(whole.first.weight)]
    del whole
    gc.collect()
    assert [reference() for reference in kept] == [None] * 3
