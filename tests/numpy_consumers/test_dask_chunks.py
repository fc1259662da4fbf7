"""Arrays as chunks of ``dask.array``, unmodified: what is right with NumPy's arrays as chunks is right with Arrays."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

dask = pytest.importorskip("dask", reason="dask is not installed: dependency group consumers")
da = pytest.importorskip("dask.array", reason="dask.array is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after importorskip

pytestmark = pytest.mark.filterwarnings("ignore")  # dask's own

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((12, 8)), RNG.standard_normal((12, 8))
WEIGHTS = np.abs(A[:, 0]) + 0.1


def assigned(x):
    x = x.copy()
    x[2:5, 0] = 9.0
    return x


CALLS = {
    "add": lambda a, b: a + b,
    "sub number": lambda a, b: a - 1.5,
    "mul np": lambda a, b: a * np.ones(8),
    "rmul": lambda a, b: 2 * a,
    "pow": lambda a, b: a**2,
    "neg": lambda a, b: -a,
    "compare": lambda a, b: a > b,
    "exp": lambda a, b: np.exp(a),
    "da.sin": lambda a, b: da.sin(a),
    "arctan2": lambda a, b: da.arctan2(a, b),
    "maximum": lambda a, b: da.maximum(a, b),
    "isnan": lambda a, b: da.isnan(a),
    "abs": lambda a, b: abs(a),
    "floor_divide": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "clip": lambda a, b: da.clip(a, -1, 1),
    "round": lambda a, b: a.round(2),
    "astype": lambda a, b: a.astype("f4"),
    "divmod": lambda a, b: da.divmod(a, b)[0],
    "frexp": lambda a, b: da.frexp(a)[0],
    "sum": lambda a, b: a.sum(),
    "sum axis": lambda a, b: a.sum(axis=0),
    "sum keep": lambda a, b: a.sum(axis=1, keepdims=True),
    "prod": lambda a, b: a.prod(axis=0),
    "mean": lambda a, b: a.mean(axis=0),
    "var": lambda a, b: a.var(axis=0),
    "std": lambda a, b: a.std(),
    "min": lambda a, b: a.min(axis=1),
    "max": lambda a, b: a.max(),
    "any": lambda a, b: (a > 1).any(axis=0),
    "all": lambda a, b: (a > -9).all(),
    "argmax": lambda a, b: a.argmax(axis=0),
    "argmin": lambda a, b: da.argmin(a, axis=1),
    "nansum": lambda a, b: da.nansum(a, axis=0),
    "nanmean": lambda a, b: da.nanmean(a, axis=0),
    "nanmax": lambda a, b: da.nanmax(a, axis=0),
    "nanvar": lambda a, b: da.nanvar(a),
    "median": lambda a, b: da.median(a, axis=0),
    "moment": lambda a, b: a.moment(3, axis=0),
    "ptp": lambda a, b: da.ptp(a, axis=0),
    "norm": lambda a, b: da.linalg.norm(a),
    "trace": lambda a, b: a.trace(),
    "slice": lambda a, b: a[2:9:2, 1:],
    "int": lambda a, b: a[3],
    "newaxis": lambda a, b: a[:, None],
    "list": lambda a, b: a[[0, 5, 3]],
    "mask": lambda a, b: a[a > 0],
    "vindex": lambda a, b: a.vindex[[0, 1], [2, 3]],
    "setitem": lambda a, b: assigned(a),
    "take": lambda a, b: da.take(a, [1, 2], axis=1),
    "flip": lambda a, b: da.flip(a, 0),
    "roll": lambda a, b: da.roll(a, 2, axis=0),
    "T": lambda a, b: a.T,
    "reshape": lambda a, b: a.reshape(96),
    "ravel": lambda a, b: a.ravel(),
    "concatenate": lambda a, b: da.concatenate([a, b]),
    "stack": lambda a, b: da.stack([a, b]),
    "block": lambda a, b: da.block([[a, b]]),
    "pad": lambda a, b: da.pad(a, 1, mode="constant"),
    "pad reflect": lambda a, b: da.pad(a, 1, mode="reflect"),
    "repeat": lambda a, b: da.repeat(a, 2, axis=0),
    "tile": lambda a, b: da.tile(a, (2, 1)),
    "broadcast_to": lambda a, b: da.broadcast_to(a, (2, 12, 8)),
    "rechunk": lambda a, b: a.rechunk((3, 8)),
    "diag": lambda a, b: da.diag(a[:8, :8].rechunk(8)),
    "tril": lambda a, b: da.tril(a),
    "where": lambda a, b: da.where(a > 0, a, b),
    "where number": lambda a, b: da.where(a > 0, a, 0),
    "diff": lambda a, b: da.diff(a, axis=0),
    "gradient": lambda a, b: da.gradient(a, axis=0),
    "cumsum": lambda a, b: da.cumsum(a, axis=0),
    "cumprod": lambda a, b: da.cumprod(a, axis=1),
    "squeeze": lambda a, b: da.squeeze(a[:, :1]),
    "tensordot": lambda a, b: da.tensordot(a, b, axes=((0,), (0,))),
    "dot": lambda a, b: a.T.dot(b),
    "matmul": lambda a, b: a.T @ b,
    "einsum": lambda a, b: da.einsum("ij,ij->j", a, b),
    "outer": lambda a, b: da.outer(a[:, 0], b[0]),
    "vdot": lambda a, b: da.vdot(a, b),
    "svd": lambda a, b: abs(da.linalg.svd(a.rechunk((4, 8)))[1]),
    "qr": lambda a, b: abs(da.linalg.qr(a.rechunk((8, 8)))[1]),
    "svd_compressed": lambda a, b: da.linalg.svd_compressed(a, 2, seed=0)[1] * 0,
    "fft": lambda a, b: da.fft.fft(a.rechunk((4, 8))),
    "rfft": lambda a, b: da.fft.rfft(a.rechunk((4, 8))),
    "fft2": lambda a, b: da.fft.fft2(a.rechunk((12, 8))),
    "fftshift": lambda a, b: da.fft.fftshift(a),
    "histogram": lambda a, b: da.histogram(a, bins=5, range=(-3, 3))[0],
    "percentile": lambda a, b: da.percentile(a[:, 0], [25, 50]),
    "topk": lambda a, b: da.topk(a, 3, axis=0),
    "argtopk": lambda a, b: da.argtopk(a, 2, axis=0),
    "map_blocks": lambda a, b: a.map_blocks(lambda c: c * 2),
    "map_overlap": lambda a, b: a.map_overlap(lambda c: c + 1, depth=1, boundary="reflect"),
    "apply_along_axis": lambda a, b: da.apply_along_axis(np.sum, 0, a),
    "ones_like": lambda a, b: da.ones_like(a),
    "full_like": lambda a, b: da.full_like(a, 3.0),
    "zeros_like": lambda a, b: da.zeros_like(a),
    "empty_like": lambda a, b: da.empty_like(a) * 0,
    "unique": lambda a, b: da.unique(a.round(0)),
    "isin": lambda a, b: da.isin(a.round(0), [1, 2]),
    "digitize": lambda a, b: da.digitize(a, np.array([-1.0, 0, 1])),
    "searchsorted": lambda a, b: da.searchsorted(a[:, 0] * 0, b[:, 0]),
    "cov": lambda a, b: da.cov(a),
    "corrcoef": lambda a, b: da.corrcoef(a),
    "average": lambda a, b: da.average(a, axis=0, weights=WEIGHTS),
    "isclose": lambda a, b: da.isclose(a, b),
    "allclose": lambda a, b: da.allclose(a, a),
    "count_nonzero": lambda a, b: da.count_nonzero(a > 0, axis=0),
    "nonzero": lambda a, b: da.nonzero(a > 0)[0],
    "argwhere": lambda a, b: da.argwhere(a > 1),
    "compress": lambda a, b: da.compress([True, False] * 6, a, axis=0),
    "extract": lambda a, b: da.extract(a > 0, a),
    "choose": lambda a, b: da.choose((a > 0).astype(int), [a, b]),
    "select": lambda a, b: da.select([a > 0], [a], 0),
    "piecewise": lambda a, b: da.piecewise(a, [a < 0], [lambda c: -c, lambda c: c]),
    "real": lambda a, b: da.real(a),
    "swapaxes": lambda a, b: da.swapaxes(a, 0, 1),
    "moveaxis": lambda a, b: da.moveaxis(a, 0, 1),
    "rot90": lambda a, b: da.rot90(a),
    "ediff1d": lambda a, b: da.ediff1d(a),
    "nanpercentile": lambda a, b: da.nanpercentile(a, 50, axis=0),
    "np.mean": lambda a, b: np.mean(a, axis=0),
    "np.concatenate": lambda a, b: np.concatenate([a, b]),
    "plus numpy array": lambda a, b: a + B,
    "numpy plus": lambda a, b: B + a,
    "cholesky": lambda a, b: da.linalg.cholesky(symmetric(a), lower=True),
    "solve": lambda a, b: da.linalg.solve(symmetric(a), da.ones(8, chunks=4)),
    "inv": lambda a, b: da.linalg.inv(symmetric(a)),
    "lu": lambda a, b: da.linalg.lu(symmetric(a))[2],
    "bincount": lambda a, b: da.bincount((da.absolute(a[:, 0]) * 3).astype(int)),
}
"""Calls of dask arrays in chunks of 4 x 4."""


def symmetric(x):
    return (x.T @ x).rechunk(4) + da.from_array(8 * np.eye(8), chunks=4)


def chunked(values, of_arrays):
    x = da.from_array(values, chunks=(4, 4))
    if not of_arrays:
        return x
    return x.map_blocks(xp.asarray, device="cpu", dtype=x.dtype, meta=xp.empty((0, 0), device="cpu"))


def host(result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", CALLS)
def test_result_is_that_of_numpy_chunks(name):
    expected = host(dask.compute(CALLS[name](chunked(A, False), chunked(B, False)))[0])
    found = host(dask.compute(CALLS[name](chunked(A, True), chunked(B, True)))[0])
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["add", "exp", "var", "mask", "tensordot", "einsum", "svd", "fft", "cumsum", "percentile"]
)
def test_chunks_of_results_are_arrays(name):
    assert isinstance(dask.compute(CALLS[name](chunked(A, True), chunked(B, True)))[0], xp.Array)


def test_size_is_that_of_the_elements():
    from dask.sizeof import sizeof

    x = xp.ones((1000, 1000), device="cpu")
    assert x.nbytes < sizeof(x) < x.nbytes + 1000


def test_tokens_are_those_of_values_and_devices():
    from dask.tokenize import tokenize

    x, y = (xp.asarray([1.0, 2.0], device="cpu") for _ in range(2))
    assert tokenize(x) == tokenize(y)
    assert tokenize(x) != tokenize(x + 1)
    assert tokenize(x) != tokenize(x.to_device("numpy"))


@pytest.mark.parametrize(
    "imports", ["import dask.array, xtensor as xp", "import xtensor as xp, dask.array", "import xtensor as xp"]
)
def test_import_of_dask_is_enough_in_any_order(imports):
    program = (
        f"{imports}\nx = xp.ones(1000)\nfrom dask.sizeof import sizeof\nimport dask.array\nprint(sizeof(x) > 8000)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_import_of_xtensor_does_not_import_dask():
    program = "import sys, xtensor; print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
