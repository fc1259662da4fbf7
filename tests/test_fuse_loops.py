"""Fused functions with long loops: their plans grow as the loops do, and their turns share kernels."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor as xp
from xtensor import fuse
from xtensor._fuse import rows

MATRIX = xp.asarray(np.random.default_rng(0).random((8, 8)), device="cpu")


def softmax(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


TURNS: dict[str, Callable[[Any], Any]] = {
    "power iteration": lambda x: MATRIX @ x / xp.linalg.vector_norm(MATRIX @ x),
    "mean and deviation": lambda x: x - xp.mean(x) + xp.std(x),
    "feedback of a sum": lambda x: x * 0.5 + 0.1 * xp.sum(x),
    "selection": lambda x: xp.where(x > xp.mean(x), x * 0.5, x * 1.1),
    "rolled": lambda x: x + 0.1 * (xp.roll(x, 1) - x) * xp.mean(x),
    "descent": lambda x: x - 0.01 * xp.autograd.grad(lambda x: xp.sum((MATRIX @ x - 1.0) ** 2))(x),
    "rows": lambda x: (softmax(xp.broadcast_to(x, (8, 8))) @ x) + x,
    "slices": lambda x: xp.concat([x[1:] - x[:-1], x[:1]]),
    "scan": lambda x: 0.1 * xp.cumulative_sum(x) + x / xp.max(x),
}


@pytest.mark.parametrize("name", TURNS)
def test_turns_of_a_loop_share_kernels(name: str) -> None:
    """Without a limit, ``x - mean(x)`` went back to the first array in each turn, by a kernel of its own."""
    turn = TURNS[name]
    x = xp.asarray(np.random.default_rng(1).random(8) + 0.5, device="cpu")
    numbers = []
    for count in (8, 24):

        def loop(x: Any, count: int = count) -> Any:
            for _ in range(count):
                x = turn(x)
            return x

        fused = fuse(loop)
        np.testing.assert_allclose(np.asarray(fused(x)), np.asarray(loop(x)), rtol=1e-9)
        ((recorded,),) = fused._plans.values()
        numbers.append((len({action.__doc__ for action in recorded.plan.actions}), len(recorded.plan.actions)))
    (few, actions), (more, all_actions) = numbers
    assert few == more
    assert all_actions <= 3 * actions


def test_a_plan_looks_at_each_operation_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many groups there are."""

    def loop(x: Any, count: int) -> Any:
        for _ in range(count):
            x = softmax(x) @ x
        return x

    looks = 0

    class Counted(dict[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            nonlocal looks
            looks += 1
            return super().__getitem__(key)

    plain, found = rows._levels, []
    monkeypatch.setattr(rows, "_levels", lambda units, shape, needs: plain(units, shape, Counted(needs)))
    for count in (20, 200):
        looks = 0
        fuse(loop, static=("count",))(xp.ones((16, 16), device="cpu"), count)
        found.append(looks)
    assert found[0] > 100
    assert found[1] < 11 * found[0]
