"""einops, unmodified: ``einops.array_api``, and plain einops, without an import of anything else."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

einops = pytest.importorskip("einops", reason="einops is not installed: dependency group consumers")

from einops import array_api  # noqa: E402 - after importorskip

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


PLAIN_CALLS = {
    **CALLS,
    "prod": lambda ops, x: ops.reduce(x, "a b c -> a", "prod"),
    "any": lambda ops, x: ops.reduce(x > 20, "a b c -> c", "any"),
    "einsum": lambda ops, x: ops.einsum(x, x, "a b c, a d c -> b d"),
    "stacked": lambda ops, x: ops.repeat(x, "a b c -> n a b c", n=2),
}
"""Calls that include what ``einops.array_api`` does not provide."""


def assert_agrees(result, expected, device):
    assert type(result) is xp.Array
    assert result.device is device
    np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), expected)


@pytest.mark.parametrize("call", CALLS)
def test_array_api_call_agrees_with_numpy_on_the_device(device, call):
    assert_agrees(CALLS[call](array_api, xp.asarray(VALUES)), CALLS[call](einops, VALUES), device)


@pytest.mark.parametrize("call", PLAIN_CALLS)
def test_plain_call_agrees_with_numpy_on_the_device(device, call):
    if device.backend == "strict" and call == "unpack":
        with pytest.raises(einops.EinopsError):  # an index of fewer axes than dimensions
            PLAIN_CALLS[call](einops, xp.asarray(VALUES))
        return
    assert_agrees(PLAIN_CALLS[call](einops, xp.asarray(VALUES)), PLAIN_CALLS[call](einops, VALUES), device)


def test_asnumpy_returns_the_values(device):
    np.testing.assert_array_equal(einops.asnumpy(xp.asarray(VALUES)), VALUES)


def test_mean_of_integers_is_refused(device):
    with pytest.raises(NotImplementedError, match="mean"):
        einops.reduce(xp.asarray([[1, 2]]), "a b -> a", "mean")


def test_parse_shape(device):
    assert einops.parse_shape(xp.asarray(VALUES), "a _ c") == {"a": 2, "c": 4}


PROGRAMS = {
    "einops first": "import einops; import xtensor as xp",
    "einops last": "import xtensor as xp; import einops",
    "einops after the first Array": "import xtensor as xp; xp.ones(2); import einops",
    "a part of einops first": "import xtensor as xp; from einops import packing; import einops",
}


def run(program):
    return subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize("imports", PROGRAMS.values(), ids=PROGRAMS)
def test_import_of_einops_is_enough_in_any_order(imports):
    done = run(f"{imports}; print(einops.rearrange(xp.ones((2, 3)), 'a b -> b a').shape)")
    assert (done.stderr, done.stdout) == ("", "(3, 2)\n")


def test_import_of_xtensor_does_not_import_einops():
    done = run("import sys, xtensor; print('einops' in sys.modules)")
    assert (done.stderr, done.stdout) == ("", "False\n")


def test_observer_of_imports_removes_itself():
    count = "len([1 for finder in sys.meta_path if 'xtensor' in type(finder).__module__])"
    done = run(f"import sys, xtensor; print({count}); import einops; print({count})")
    assert (done.stderr, done.stdout) == ("", "2\n1\n")  # the other one waits for dask


def test_version_of_einops_without_backends_is_imported_as_before(tmp_path):
    package = tmp_path / "einops"
    package.mkdir()
    (package / "__init__.py").write_text("from . import _backends, packing\n")
    (package / "_backends.py").write_text("")
    (package / "packing.py").write_text("")
    done = run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import xtensor, einops; print('imported')")
    assert (done.stderr, done.stdout) == ("", "imported\n")
