"""Functions whose results depend on how elements lie in memory: within transforms as alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import UnknownValueError, autograd, fuse, vmap

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "ravel K": lambda x: xp.ravel(x, order="K"),
    "ravel A": lambda x: xp.ravel(x, order="A"),
    "ravel F": lambda x: xp.ravel(x, order="F"),
    "flatten K": lambda x: x.flatten("K"),
    "of a result, K": lambda x: (x * 1).ravel("K"),
    "of a result, A": lambda x: (x * 1).ravel("A"),
    "of a transpose, K": lambda x: x.T.ravel("K"),
    "of a view, K": lambda x: x[:, ::2].ravel("K"),
    "reshape A": lambda x: np.reshape(x, (4, 3), order="A"),
    "copy A": lambda x: x.copy("A").ravel("K"),
}

ROWS = np.arange(12.0).reshape(3, 4)

LAYOUTS = {
    "rows": ROWS,
    "columns": np.asfortranarray(ROWS),
    "every other row": np.repeat(ROWS, 2, axis=0)[::2],
    "every other element of columns": np.repeat(np.asfortranarray(ROWS), 2, axis=1)[:, ::2].copy(order="F"),
    "columns of a larger array": np.asfortranarray(np.vstack([ROWS, ROWS]))[:3],
    "reversed": ROWS[::-1, ::-1].copy()[::-1, ::-1],
}
"""The same elements in other places of memory."""

HOSTS = ("cpu", "numpy")
"""Devices whose arrays have strides. On others the orders "A" and "K" are row-major."""


def expected(name: str, x: Any) -> Any:
    """Return what NumPy gives for a NumPy array."""
    function = FUNCTIONS[name]
    return np.ravel(x, order=name[-1]) if name.startswith("ravel") else function(x)


@pytest.mark.parametrize("spec", HOSTS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_gradients(name: str, layout: str, spec: str) -> None:
    x, right = xp.asarray(LAYOUTS[layout], device=spec), expected(name, LAYOUTS[layout])
    function = FUNCTIONS[name]
    assert np.array_equal(np.asarray(function(x)), right)
    value, tangent = autograd.jvp(function, (x,), (xp.asarray(ROWS, device=spec),))
    assert np.array_equal(np.asarray(value), right)
    assert np.array_equal(np.asarray(tangent), right)
    weights = xp.reshape(xp.arange(right.size, dtype=xp.float64, device=spec), right.shape)
    gradient = np.asarray(autograd.grad(lambda v: xp.sum(function(v) * weights))(x))
    # Elements of x are their own positions in ROWS.
    assert np.array_equal(gradient.reshape(-1)[right.astype(int)], np.asarray(weights))


@pytest.mark.parametrize("spec", HOSTS)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "of a result, A"])
def test_within_batches(name: str, order: Any, axis: int, spec: str) -> None:
    examples = np.stack([ROWS, ROWS + 20], axis).copy(order=order)
    parts = [examples[(slice(None),) * axis + (i,)] for i in range(2)]
    given = vmap(FUNCTIONS[name], in_axes=axis)(xp.asarray(examples, device=spec))
    assert np.array_equal(np.asarray(given), np.stack([expected(name, part) for part in parts]))


@pytest.mark.parametrize("spec", HOSTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_a_recording_of_another_layout(name: str, spec: str) -> None:
    fused = fuse(FUNCTIONS[name])
    for layout in (*LAYOUTS, *reversed(LAYOUTS)):
        given = fused(xp.asarray(LAYOUTS[layout], device=spec))
        assert np.array_equal(np.asarray(given), expected(name, LAYOUTS[layout])), layout


@pytest.mark.parametrize("spec", HOSTS)
def test_flags_are_those_of_the_call(spec: str) -> None:
    def doubled_columns(x: xp.Array) -> xp.Array:
        return x * 2 if np.isfortran(x) else x + 0

    fused, batched = fuse(doubled_columns), vmap(doubled_columns)
    for layout, factor in (("rows", 1), ("columns", 2), ("rows", 1)):
        x = xp.asarray(LAYOUTS[layout], device=spec)
        assert np.array_equal(np.asarray(fused(x)), ROWS * factor)
        assert np.array_equal(np.asarray(autograd.jvp(doubled_columns, (x,), (x,))[1]), ROWS * factor)
    rows = xp.asarray(np.stack([ROWS, ROWS]), device=spec)
    assert np.array_equal(np.asarray(batched(rows)), np.stack([ROWS, ROWS]))
    assert np.array_equal(np.asarray(batched(rows.transpose(0, 2, 1))), 2 * np.stack([ROWS.T, ROWS.T]))


@pytest.mark.parametrize("spec", HOSTS)
def test_a_write_to_what_reshape_copies_stays_there(spec: str) -> None:
    """Rows with gaps between them cannot be one row without a copy. Copies of arguments have no gaps."""

    def squares(x: xp.Array) -> xp.Array:
        flat = xp.reshape(x, (-1,))
        flat[1] = 100.0
        return xp.sum(x * x)

    x = xp.asarray(np.hstack([ROWS, ROWS])[:, :4], device=spec)
    assert np.array_equal(np.asarray(autograd.grad(squares)(x)), 2 * ROWS)
    assert float(autograd.jvp(squares, (x,), (x,))[0]) == float(np.sum(ROWS**2))


@pytest.mark.parametrize("spec", HOSTS)
@pytest.mark.parametrize("shares", [np.shares_memory, np.may_share_memory])
def test_shared_memory_is_not_told(shares: Callable[..., bool], spec: str) -> None:
    def doubled(x: xp.Array, y: xp.Array) -> xp.Array:
        return x * 2 if shares(x, y) else x

    x = xp.asarray(ROWS, device=spec)
    transforms = [vmap(doubled), lambda x, y: autograd.jvp(doubled, (x, y), (x, y))]
    if spec == "cpu":  # numpy has no kernels, and the function itself computes
        transforms.append(fuse(doubled))
    for transformed in transforms:
        with pytest.raises(UnknownValueError, match=shares.__name__):
            transformed(x, x[:])
    assert np.array_equal(np.asarray(vmap(lambda x: doubled(x, x))(x)), ROWS * 2)
