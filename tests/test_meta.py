"""The device ``meta``: results have the shapes and dtypes of ``cpu``, and what depends on values raises."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from arguments import call, call_conditions
from calls import NAMES, flat, random_call
from contract_toys import DeferredBackend
from good_arguments import GOOD, public_function

import xtensor as xp

CPU, META = xp.device("cpu"), xp.device("meta")

READS_VALUES = {
    # The shape of the result depends on values.
    *("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unique", "argwhere", "flatnonzero"),
    *("bincount", "compress", "extract", "intersect1d", "setdiff1d", "setxor1d", "union1d", "trim_zeros", "piecewise"),
    *("tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"),
    # The degree of a polynomial depends on its coefficients.
    *("roots", "polydiv", "polymul", "polyfit"),
    # The result is a Python value, or depends on a decision that values make.
    *("allclose", "array_equal", "array_equiv", "real_if_close", "digitize", "asarray_chkfinite"),
    *("histogram", "histogram2d", "histogramdd", "histogram_bin_edges"),
    # The values leave the device.
    *("to_numpy", "save", "savetxt", "savez", "savez_compressed", "nn.functional.ctc_loss"),
}
"""The public functions that need values."""

CHANGE_STATE = {"register_backend"}
"""Public functions that are not called here."""

RANDOM_CALLS = 25
"""Random calls of each operation whose results are compared."""

DRAWS = 400
"""Random calls that are drawn at most; many of them are mistakes."""

SCALARS_ONLY = {"special.binom", "special.multigammaln", "special.radian"}
"""Functions with parameters for which the random calls draw arrays only; the test above calls them."""


def described(value: Any) -> list[Any]:
    """Return the shape and the dtype of each array of a result, and the class of any other value."""
    return [(x.shape, x.dtype) if isinstance(x, xp.Array) else type(x) for x in flat(value)]


def called(name: str, device: xp.Device) -> Any:
    with xp.use_device(device), call_conditions(name):
        return call(public_function(name), GOOD[name]())


@pytest.mark.parametrize("name", [name for name in GOOD if name not in READS_VALUES | CHANGE_STATE])
def test_result_has_the_shape_and_dtype_of_cpu(name):
    assert described(called(name, META)) == described(called(name, CPU))


@pytest.mark.parametrize("name", sorted(READS_VALUES))
def test_function_of_values_raises_and_names_itself(name):
    with pytest.raises(xp.UnknownValueError, match=rf"^{name.rpartition('.')[2]}\(\): .* device meta have none; \w+"):
        called(name, META)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SCALARS_ONLY])
def test_random_call_has_the_shapes_and_dtypes_of_cpu(name):
    rng = Random(name)
    may_raise = name in READS_VALUES or name == "repeat"
    compared = 0
    for _ in range(DRAWS):
        drawn = random_call(rng, name)
        expected = drawn.on(CPU)
        if isinstance(expected, type):
            continue  # an error, which may depend on values; those of dtypes and shapes are tested below
        found = drawn.on(META)
        if found is not TypeError or not may_raise:
            assert not isinstance(found, type), (drawn, found)
            assert described(found) == described(expected), drawn
        compared += 1
        if compared == RANDOM_CALLS:
            return
    assert compared


@pytest.mark.parametrize(
    "mistake",
    [
        lambda x: xp.add(x, xp.ones((4,), device=x.device)),
        lambda x: x @ x,
        lambda x: xp.reshape(x, (7,)),
        lambda x: xp.sum(x, axis=2),
        lambda x: xp.concat([x, xp.ones((1, 4), device=x.device)]),
        lambda x: xp.stack([x, x[0]]),
        lambda x: x[5],
        lambda x: x[0, 0, 0],
        lambda x: x[:, xp.asarray([0], device=x.device), 9],
        lambda x: xp.broadcast_to(x, (3, 3)),
        lambda x: xp.squeeze(x, axis=0),
        lambda x: xp.linalg.solve(xp.ones((2, 2), device=x.device), xp.ones((3,), device=x.device)),
        lambda x: xp.linalg.cholesky(x),
        lambda x: xp.bitwise_and(x, x),
        lambda x: xp.fft.fft(x, n=0),
        lambda x: x.__setitem__(0, xp.ones((4,), device=x.device)),
        lambda x: x.__setitem__(0, 1j),
        lambda x: x.__iadd__(xp.ones((2, 2, 3), device=x.device)),
        lambda x: xp.astype(x, xp.int8).__iadd__(1000),
        lambda x: xp.astype(x, xp.int8) + 1000,
        lambda x: xp.max(x[:0]),
    ],
)
def test_error_is_that_of_cpu(mistake: Callable[[xp.Array], Any]):
    outcomes = []
    for device in (CPU, META):
        with pytest.raises((ValueError, TypeError, IndexError, OverflowError)) as caught:
            mistake(xp.ones((2, 3), device=device))
        outcomes.append(caught.type)
    assert outcomes[0] is outcomes[1]
    assert outcomes[1] is not xp.UnknownValueError


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("bool(x)", bool),
        ("int(x)", int),
        ("float(x)", float),
        ("complex(x)", complex),
        ("numpy.asarray(x)", np.asarray),
        ("to_device()", lambda x: x.to_device("cpu")),
        ("item()", lambda x: x.item()),
        ("tolist()", lambda x: x.tolist()),
        ("hash(x)", hash),
        ("x[key]", lambda x: x[x > 0]),
        ("repeat()", lambda x: xp.repeat(x, xp.ones((1,), dtype=xp.int64, device="meta"))),
        ("to_numpy()", xp.to_numpy),
    ],
)
def test_conversion_names_what_is_missing(name, use):
    with pytest.raises(xp.UnknownValueError, match=rf"^{re.escape(name)}: .* meta have none; \w+"):
        use(xp.empty((), device="meta"))


def test_mask_with_several_values_is_refused_and_with_one_value_assigned():
    x = xp.zeros((3,), device="meta")
    x[x > 0] = 1.0
    assert x.shape == (3,)
    with pytest.raises(xp.UnknownValueError, match=r"^x\[key\] = value: .*use xtensor\.where"):
        x[x > 0] = xp.ones((2,), device="meta")


def test_text_shows_shape_dtype_and_device():
    x = xp.empty((2, 3), dtype=xp.float32, device="meta")
    assert repr(x) == str(x) == "Array(shape=(2, 3), dtype=float32, device='meta')"


def test_array_moves_to_meta():
    x = xp.asarray([[1, 2]], dtype=xp.int16, device="cpu").to_device("meta")
    assert (x.shape, x.dtype, x.device) == ((1, 2), np.dtype(np.int16), "meta")


def test_values_are_not_read_on_the_way_to_meta(registry):
    xp.register_backend(DeferredBackend())  # whose arrays raise where the host reads them
    x = xp.ones((2, 3), dtype=xp.float32, device="deferred:0").to_device("meta")
    assert (x.shape, x.dtype, x.device) == ((2, 3), np.dtype(np.float32), "meta")


def test_meta_is_found_by_name_only(monkeypatch):
    monkeypatch.delenv("XTENSOR_DEVICE", raising=False)
    assert META not in xp.devices()
    assert xp.default_device() is not META
    assert "meta" in [info.name for info in xp.backends()]
    assert pickle.loads(pickle.dumps(META)) is META


def test_arrays_of_any_size_allocate_nothing():
    x = xp.empty((10**8, 10**8), device="meta")
    y = xp.reshape(xp.permute_dims(x @ x + x, (1, 0)), (-1,))
    assert y.shape == (10**16,)
    assert xp.linalg.svd(x, full_matrices=False).Vh.shape == (10**8, 10**8)


@pytest.mark.parametrize(
    "key",
    [
        (0,),
        (slice(None, None, -2), 1),
        (None, ..., 2),
        (True,),
        (False, 0),
        ([0, 1], slice(1, 3)),
        (0, slice(None), [1, 2, 3]),
        ([[0], [1]], [0, 1], slice(None)),
        (slice(None), [0, 2], None, [1, 1]),
        (..., [0, 1], 0),
        (slice(None), 1, [0, 1]),
    ],
)
def test_selection_has_numpys_shape(key):
    x = np.zeros((2, 3, 4), np.float32)
    native = xp.empty((2, 3, 4), dtype=xp.float32, device="meta")
    arrays = tuple(xp.asarray(part, device="meta") if isinstance(part, list) else part for part in key)
    assert native[arrays].shape == x[key].shape


def test_derivatives_have_shapes():
    gradient = xp.autograd.grad(lambda x: xp.sum(xp.exp(x) @ x))(xp.ones((3, 3), device="meta"))
    assert (gradient.shape, gradient.device) == ((3, 3), "meta")
