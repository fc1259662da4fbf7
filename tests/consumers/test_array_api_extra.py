"""array-api-extra, unmodified: its functions on an Array's device."""

from __future__ import annotations

import numpy as np
import pytest

xpx = pytest.importorskip("array_api_extra", reason="array-api-extra is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after it is known to be needed

X = np.asarray([[1.0, 4.0, 2.0], [3.0, 0.5, 9.0]])

CALLS = {
    "apply_where": lambda x: xpx.apply_where(x > 1, x, lambda y: y * 2, lambda y: y - 1),
    "at add": lambda x: xpx.at(x, (slice(None), 0)).add(2.0),
    "at set": lambda x: xpx.at(x)[x > 2].set(0.0),
    "atleast_nd": lambda x: xpx.atleast_nd(x, ndim=3),
    "cov": xpx.cov,
    "create_diagonal": lambda x: xpx.create_diagonal(x[0, :], offset=1),
    "isclose": lambda x: xpx.isclose(x, x + 1e-9),
    "kron": lambda x: xpx.kron(x, x),
    "nan_to_num": lambda x: xpx.nan_to_num(x * float("nan"), fill_value=5.0),
    "pad": lambda x: xpx.pad(x, 1, constant_values=2.0),
    "setdiff1d": lambda x: xpx.setdiff1d(x[0, :], x[1, :]),
    "sinc": xpx.sinc,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("call", CALLS)
def test_function_is_numpys_on_the_device(device, call):
    result, wanted = CALLS[call](xp.asarray(X, copy=True)), CALLS[call](X.copy())
    assert type(result) is xp.Array
    assert result.device is device
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), wanted, rtol=1e-12, atol=1e-14)


def test_number_of_distinct_elements_is_counted(device):
    assert int(xpx.nunique(xp.asarray([1, 2, 2, 5]))) == 3
