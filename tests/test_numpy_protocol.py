"""NumPy's functions on an Array: the result of its device, or an error that names the remedy."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from strategies import defined_on, expect, made, values_of

import xtensor as xp
from xtensor._numpy import COUNTERPARTS, _dispatch_table

VALUES = np.asarray([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])

RETURNING_ONE = {
    "all": lambda x: np.all(x, axis=1),
    "amax": lambda x: np.amax(x, axis=0),
    "append": lambda x: np.append(x, x, axis=0),
    "argmax": lambda x: np.argmax(x, axis=1, keepdims=True),
    "argsort": lambda x: np.argsort(x, axis=0),
    "argsort flattened": lambda x: np.argsort(x, axis=None),
    "argwhere": lambda x: np.argwhere(x > 2),
    "atleast_2d": lambda x: np.atleast_2d(x[0, ...]),
    "bincount": lambda x: np.bincount(x.astype(np.int64).ravel(), minlength=9),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 2, 3)),
    "clip": lambda x: np.clip(x, 2, 4),
    "clip by a_min": lambda x: np.clip(x, a_min=2, a_max=None),
    "concatenate": lambda x: np.concatenate([x, x], axis=1),
    "concatenate flattened": lambda x: np.concatenate((x, x), axis=None),
    "copy": lambda x: np.copy(x),
    "count_nonzero": lambda x: np.count_nonzero(x > 2, axis=0),
    "cross": lambda x: np.cross(x, x[::-1, :]),
    "cumsum": lambda x: np.cumsum(x),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
    "diagonal": lambda x: np.diagonal(x, offset=1),
    "diff": lambda x: np.diff(x, 2),
    "diff with an edge": lambda x: np.diff(x, prepend=x[:, :1]),
    "dot": lambda x: np.dot(x, x.T),
    "einsum": lambda x: np.einsum("ij,ij->i", x, x),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "rfft": lambda x: np.fft.rfft(x, axis=0),
    "flatnonzero": lambda x: np.flatnonzero(x > 2),
    "flip": lambda x: np.flip(x, axis=1),
    "flipud": lambda x: np.flipud(x),
    "full_like": lambda x: np.full_like(x, 3.0),
    "gradient": lambda x: np.gradient(x, axis=1),
    "hstack": lambda x: np.hstack([x, x]),
    "isclose": lambda x: np.isclose(x, 3.0),
    "isin": lambda x: np.isin(np.argsort(x), np.argmax(x, axis=1), invert=True),
    "linalg.det": lambda x: np.linalg.det(x[:, :2]),
    "linalg.norm": lambda x: np.linalg.norm(x),
    "linalg.norm of rows": lambda x: np.linalg.norm(x, axis=1, keepdims=True),
    "linalg.norm nuclear": lambda x: np.linalg.norm(x, "nuc"),
    "linalg.pinv": lambda x: np.linalg.pinv(x),
    "linalg.solve": lambda x: np.linalg.solve(x[:, :2], x[:, 2]),
    "matrix_transpose": lambda x: np.matrix_transpose(x),
    "mean": lambda x: np.mean(x, axis=0, keepdims=True),
    "median": lambda x: np.median(x, axis=1),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "nan_to_num": lambda x: np.nan_to_num(x, nan=1.0),
    "nanmax": lambda x: np.nanmax(x, 1),
    "nanpercentile": lambda x: np.nanpercentile(x, [10, 60], axis=1),
    "nanstd": lambda x: np.nanstd(x, ddof=1),
    "nansum": lambda x: np.nansum(x, axis=0),
    "ones_like": lambda x: np.ones_like(x, dtype=np.float32),
    "outer": lambda x: np.outer(x, x),
    "pad": lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"),
    "percentile": lambda x: np.percentile(x, 30),
    "prod": lambda x: np.prod(x, axis=(0, 1)),
    "ptp": lambda x: np.ptp(x, axis=1),
    "quantile": lambda x: np.quantile(x, 0.3, axis=0, method="hazen"),
    "ravel": lambda x: np.ravel(x),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "reshape": lambda x: np.reshape(x, (3, -1)),
    "roll": lambda x: np.roll(x, 1, axis=1),
    "round": lambda x: np.round(x / 7, 2),
    "searchsorted": lambda x: np.searchsorted(x[1, :1], x[0, ...], side="right"),
    "sort": lambda x: np.sort(x, axis=0, kind="stable"),
    "sort flattened": lambda x: np.sort(x, axis=None),
    "squeeze": lambda x: np.squeeze(x[:1, :]),
    "stack": lambda x: np.stack([x, x], axis=-1),
    "std": lambda x: np.std(x, axis=1, ddof=1),
    "sum": lambda x: np.sum(x, 0, keepdims=True),
    "sum over all axes": lambda x: np.sum(x),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "take with an integer": lambda x: np.take(x, 1, axis=1),
    "take": lambda x: np.take(x, np.argmax(x, axis=1), axis=1),
    "tensordot": lambda x: np.tensordot(x, x, axes=([1], [1])),
    "tile": lambda x: np.tile(x, 2),
    "trace": lambda x: np.trace(x),
    "transpose": lambda x: np.transpose(x),
    "tril": lambda x: np.tril(x, -1),
    "unique": lambda x: np.unique(x),
    "var": lambda x: np.var(x, correction=1),
    "vdot": lambda x: np.vdot(x, x),
    "vstack": lambda x: np.vstack((x, x)),
    "where": lambda x: np.where(x > 2, x, 0.0),
    "zeros_like": lambda x: np.zeros_like(x),
}


@pytest.mark.parametrize("call", RETURNING_ONE)
def test_array_result_equals_numpys_and_is_on_the_device(device, call):
    host, x = made(VALUES)
    expect(RETURNING_ONE[call](x), RETURNING_ONE[call](host), ulp=64, signs=False, atol=1e-12)


RETURNING_SEVERAL = {
    "linalg.eigh": lambda x: np.linalg.eigh(x[:, :2] + x[:, :2].T),
    "linalg.slogdet": lambda x: np.linalg.slogdet(x[:, :2]),
    "meshgrid": lambda x: np.meshgrid(x[0, ...], x[1, ...], indexing="ij"),
    "nonzero": lambda x: np.nonzero(x > 2),
    "unique with counts": lambda x: np.unique(x, return_inverse=True, return_counts=True),
    "where alone": lambda x: np.where(x > 2),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[0, ...]),
}


@pytest.mark.parametrize("call", RETURNING_SEVERAL)
def test_array_results_equal_numpys_and_are_on_the_device(device, call):
    host, x = made(VALUES)
    results, references = RETURNING_SEVERAL[call](x), RETURNING_SEVERAL[call](host)
    assert len(results) == len(references)
    for result, reference in zip(results, references, strict=True):
        assert result.device is device
        # Absolute values: the sign of an eigenvector is arbitrary.
        np.testing.assert_allclose(np.abs(values_of(result)), np.abs(reference), atol=1e-12)


RETURNING_NO_ARRAY = {
    "allclose": lambda x: np.allclose(x, x),
    "array_equal": lambda x: np.array_equal(x, x),
    "array_equal of other shapes": lambda x: np.array_equal(x, x[0, ...]),
    "iscomplexobj": np.iscomplexobj,
    "isrealobj": np.isrealobj,
    "ndim": np.ndim,
    "shape": np.shape,
    "size": np.size,
    "size of an axis": lambda x: np.size(x, 1),
    "result_type": lambda x: np.result_type(x, np.float32),
    "array2string": lambda x: np.array2string(x, precision=2, separator=", "),
    "array_repr": np.array_repr,
    "array_str": np.array_str,
}


@pytest.mark.parametrize("call", RETURNING_NO_ARRAY)
def test_non_array_result_equals_numpys(device, call):
    host, x = made(VALUES)
    result, reference = RETURNING_NO_ARRAY[call](x), RETURNING_NO_ARRAY[call](host)
    assert type(result) is type(reference)
    assert result == reference


def test_put_along_axis_writes_in_place(device):
    x = xp.zeros((2, 3))
    np.put_along_axis(x, xp.asarray([[1], [2]]), 5.0, 1)
    expect(x, np.asarray([[0.0, 5.0, 0.0], [0.0, 0.0, 5.0]]))


REFUSED = {
    "out": (lambda x: np.sum(x, out=x), "does not take out"),
    "where": (lambda x: np.sum(x, where=x > 1), "does not take where"),
    "initial": (lambda x: np.max(x, initial=1.0), "does not take initial"),
    "order": (lambda x: np.reshape(x, (3, 2), order="F"), "does not take order"),
    "dtype of a concatenation": (lambda x: np.concatenate([x, x], dtype=np.float32), "does not take dtype"),
    "like": (lambda x: np.asarray([1], like=x), "no counterpart"),
    "histogram": (np.histogram, r"^no implementation found for 'numpy\.histogram'.*histogram\(\) has no counterpart"),
    "interp": (lambda x: np.interp(1.0, x[0, ...], x[1, ...]), r"to_device\('cpu'\)"),
    "save": (lambda x: np.save("x.npy", x), "no counterpart"),
    "split": (lambda x: np.split(x, 2), "no counterpart"),
    "linalg.cond": (np.linalg.cond, r"numpy\.linalg\.cond\(\) has no counterpart"),
    "copyto": (lambda x: np.copyto(np.zeros((2, 3)), x), "takes an xtensor Array, not numpy.ndarray"),
    "ufunc": (lambda x: np.add(x, 1.0), "does not support ufuncs"),
    "copy in column-major order": (lambda x: np.copy(x, order="F"), "does not take order 'F'"),
    "ravel in column-major order": (lambda x: np.ravel(x, order="F"), "row-major order, not order 'F'"),
    "nan_to_num in place": (lambda x: np.nan_to_num(x, copy=False), "pass copy=True"),
    "beside a NumPy array": (lambda x: np.concatenate([x, VALUES]), "takes an xtensor Array, not numpy.ndarray"),
    "after a NumPy array": (lambda x: np.where(VALUES > 2, x, 0.0), "takes an xtensor Array, not numpy.ndarray"),
}


@pytest.mark.parametrize("call", REFUSED)
def test_unsupported_call_is_refused(device, call):
    function, match = REFUSED[call]
    with pytest.raises(TypeError, match=match):
        function(xp.asarray(VALUES, copy=True))


def test_norm_over_three_axes_is_refused(device):
    with pytest.raises(ValueError, match=r"^Improper number of dimensions to norm.*not 3"):
        np.linalg.norm(xp.ones((2, 2, 2)), "fro")


def test_error_names_the_device(device):
    with pytest.raises(TypeError, match=rf"device {device}\)"):
        np.block([xp.ones(2), xp.ones(2)])


class Foreign:
    """An array of another library that implements NumPy's functions."""

    def __array_function__(self, function, types, args, kwargs):
        return "foreign result"


def test_array_of_another_library_may_handle_the_call(device):
    assert np.concatenate([xp.ones(2), Foreign()]) == "foreign result"


SEQUENCES = (np.concatenate, np.stack, np.hstack, np.vstack, np.linalg.multi_dot)


def generic_arguments(function):
    """Positional arguments of many forms, of which every function of the dispatch table accepts at least one."""
    matrix, vector = xp.asarray([[2.0, 1.0], [1.0, 2.0]]), xp.asarray([1.0, 2.0, 3.0])
    indices, scalar, complex_vector = xp.asarray([0, 1, 2]), xp.asarray(1.0), xp.asarray([1j, 2.0, 3.0])
    for x in (matrix, vector, indices, scalar, complex_vector):
        # NumPy converts a sequence of Arrays itself, except in the functions of sequences.
        yield ((x, x),) if function in SEQUENCES else (x,)
        yield from ((x, x), (x, 1), (x, (2, 2)), (x, xp.float32))
        yield from ((x, x, x), (x, x, 0), (x, x, 3), (x, 0, 1), (x, x, x, 0))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("function", list(_dispatch_table()), ids=lambda function: function.__name__)
def test_no_function_returns_a_numpy_array(device, function):
    accepted = 0
    for args in generic_arguments(function):
        try:
            result = function(*args)
        except (TypeError, ValueError, IndexError):
            continue
        accepted += 1
        results = result if isinstance(result, (tuple, list)) else (result,)
        assert not any(isinstance(item, (np.ndarray, np.generic)) for item in results)
    is_refused = function is np.linspace and defined_on(device)  # strict takes Python scalars as bounds
    assert bool(accepted) is not is_refused


def test_every_counterpart_is_in_the_dispatch_table():
    assert all(getattr(np, name) in _dispatch_table() for name in COUNTERPARTS)


def test_dispatch_table_is_built_by_the_first_call_only(device):
    _dispatch_table.cache_clear()
    x = xp.sum(xp.ones(2))
    assert _dispatch_table.cache_info().currsize == 0
    np.sum(x)
    np.sum(x)
    assert _dispatch_table.cache_info().misses == 1


def test_repr_pickle_and_copy_of_an_array(device):
    x = xp.asarray(VALUES, copy=True)
    assert repr(x).startswith("Array([[3., 1., 2.],")
    assert str(x) == str(VALUES)
    expect(pickle.loads(pickle.dumps(x)), VALUES)
    expect(copy.deepcopy(x), VALUES)


def test_numpy_asarray_returns_a_view_on_the_host():
    x = xp.asarray(VALUES, device="cpu")
    assert type(np.asarray(x)) is np.ndarray
    assert np.shares_memory(np.asarray(x), np.asarray(x))
    np.testing.assert_array_equal(x, VALUES)
