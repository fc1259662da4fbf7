"""einops, unmodified: ``einops.array_api``, and plain einops by a backend of its own."""

from __future__ import annotations

import numpy as np
import pytest

einops = pytest.importorskip("einops", reason="einops is not installed: dependency group consumers")

from einops import array_api  # noqa: E402 - after it is known to be there

import xtensor as xp  # noqa: E402

VALUES = np.arange(24.0).reshape(2, 3, 4)

CALLS = {
    "permute": lambda ops, x: ops.rearrange(x, "a b c -> c a b"),
    "merge": lambda ops, x: ops.rearrange(x, "a b c -> (a b) c"),
    "split": lambda ops, x: ops.rearrange(x, "a b (c d) -> a d (b c)", d=2),
    "new axis": lambda ops, x: ops.rearrange(x, "a b c -> a 1 b c"),
    "ellipsis": lambda ops, x: ops.rearrange(x, "a ... -> ... a"),
    "sum": lambda ops, x: ops.reduce(x, "a b c -> b", "sum"),
    "mean": lambda ops, x: ops.reduce(x, "a b (c d) -> a b c", "mean", d=2),
    "max": lambda ops, x: ops.reduce(x, "a b c -> ()", "max"),
    "repeat": lambda ops, x: ops.repeat(x, "a b c -> a (b n) c", n=3),
    "list": lambda ops, x: ops.rearrange([x, x], "n a b c -> a n b c"),
    "pack": lambda ops, x: ops.pack([x, x[:, 0, :]], "a * c")[0],
    "unpack": lambda ops, x: ops.unpack(x, [(1,), (2,)], "a * c")[1],
}


@pytest.mark.parametrize("call", CALLS)
def test_rearrangement_is_numpys_on_the_device(device, call):
    result, wanted = CALLS[call](array_api, xp.asarray(VALUES)), CALLS[call](einops, VALUES)
    assert type(result) is xp.Array
    assert result.device is device
    np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), wanted)
