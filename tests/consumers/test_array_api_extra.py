"""array-api-extra, unmodified: each of its functions on the device of the operands."""

from __future__ import annotations

import numpy as np
import pytest

xpx = pytest.importorskip("array_api_extra", reason="array-api-extra is not installed: dependency group consumers")

from toy import ToyBackend  # noqa: E402 - after importorskip

import xtensor as xp  # noqa: E402

X = np.asarray([[1.0, 4.0, 2.0], [3.0, 0.5, 9.0]])
HOLES = np.where(X == 2.0, np.nan, X)

CALLS = {
    "angle": lambda x: xpx.angle(x * 1j),
    "apply_where": lambda x: xpx.apply_where(x > 1, x, lambda y: y * 2, lambda y: y - 1),
    "argpartition": lambda x: xpx.argpartition(x, 1)[..., 1],
    "at add": lambda x: xpx.at(x, (slice(None), 0)).add(2.0),
    "at set": lambda x: xpx.at(x)[x > 2].set(0.0),
    "atleast_nd": lambda x: xpx.atleast_nd(x, ndim=3),
    "cov": xpx.cov,
    "create_diagonal": lambda x: xpx.create_diagonal(x[0, :], offset=1),
    "deg2rad": xpx.deg2rad,
    "isclose": lambda x: xpx.isclose(x, x + 1e-9),
    "isin": lambda x: xpx.isin(x, x[0, :]),
    "kron": lambda x: xpx.kron(x, x),
    "lazy_apply": lambda x: xpx.lazy_apply(lambda y: y * 2.0, x),
    "nan_to_num": lambda x: xpx.nan_to_num(x * float("nan"), fill_value=5.0),
    "nanmax": lambda x: xpx.nanmax(x, axis=1),
    "nanmean": lambda x: xpx.nanmean(x, axis=1),
    "nanmin": lambda x: xpx.nanmin(x, axis=0),
    "nansum": xpx.nansum,
    "one_hot": lambda x: xpx.one_hot(xpx.argpartition(x, 0)[..., 0], 3),
    "pad": lambda x: xpx.pad(x, 1, constant_values=2.0),
    "partition": lambda x: xpx.partition(x, 1)[..., 1],
    "rad2deg": xpx.rad2deg,
    "searchsorted": lambda x: xpx.searchsorted(x[1, :1], x[0, :]),
    "setdiff1d": lambda x: xpx.setdiff1d(x[0, :], x[1, :]),
    "sinc": xpx.sinc,
    "union1d": lambda x: xpx.union1d(x[0, :], x[1, :]),
    "unravel_index": lambda x: xpx.unravel_index(xpx.argpartition(x, 0)[..., 0], (2, 2))[1],
}

INDEX_FUNCTIONS = {
    "diag_indices": lambda **kwargs: xpx.diag_indices(3, **kwargs),
    "tril_indices": lambda **kwargs: xpx.tril_indices(3, **kwargs),
    "triu_indices": lambda **kwargs: xpx.triu_indices(3, offset=1, **kwargs),
}

DEPRECATED = {"broadcast_shapes", "expand_dims"}
"""Functions that the namespace itself provides since 2025.12."""


@pytest.fixture
def off_host(registry):
    """Device off the host that is not the default device."""
    xp.register_backend(ToyBackend())
    with xp.use_device("cpu"):
        yield xp.device("toy:0")


def assert_agrees(result, expected, device):
    assert type(result) is xp.Array
    assert result.device is device
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), expected, rtol=1e-12, atol=1e-14)


def operand_values(call):
    return HOLES if call.startswith("nan") and call != "nan_to_num" else X


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("call", CALLS)
def test_function_agrees_with_numpy_on_the_device(device, call):
    values = operand_values(call)
    assert_agrees(CALLS[call](xp.asarray(values, copy=True)), CALLS[call](values.copy()), device)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("call", CALLS)
def test_function_stays_on_a_device_that_is_not_the_default(off_host, call):
    values = operand_values(call)
    assert_agrees(CALLS[call](xp.asarray(values, device=off_host)), CALLS[call](values.copy()), off_host)


@pytest.mark.parametrize("name", INDEX_FUNCTIONS)
def test_index_arrays_are_created_on_the_device(device, name):
    for result, expected in zip(INDEX_FUNCTIONS[name](xp=xp, device=device), INDEX_FUNCTIONS[name](xp=np), strict=True):
        assert_agrees(result, expected, device)


@pytest.mark.parametrize("kind", ["real floating", "complex floating", "integral", "indexing"])
def test_default_dtype_is_that_of_the_device(device, kind):
    expected = xp.__array_namespace_info__().default_dtypes(device=device)[kind]
    assert xpx.default_dtype(xp, kind, device=device) == expected


def test_nunique_counts_distinct_elements(device):
    assert int(xpx.nunique(xp.asarray([1, 2, 2, 5]))) == 3


def test_every_function_is_tested():
    called = {call.partition(" ")[0] for call in CALLS} | INDEX_FUNCTIONS.keys() | {"default_dtype", "nunique"}
    assert called >= set(xpx.__all__) - {"__version__", "testing"} - DEPRECATED
