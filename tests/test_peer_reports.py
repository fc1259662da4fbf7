"""Usual faults of array libraries, some of them from public bug reports of NumPy, CuPy, dask, PyTorch, JAX and MXNet.

The expected values are exact, or NumPy's where it is right. A number in a name is that of a report.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from peer_reports import array, check, gradient, inf, listed, nan, refuses

import xtensor as xp
from xtensor import autograd, special
from xtensor.nn import functional


def assigned_twice():
    x = xp.zeros(3)
    x[array([1, 1])] = array([2.0, 3.0])
    return x


def moved_within():
    x = array([0, 1, 2, 3, 4])
    x[1:] = x[:-1]
    return x


def added_to_itself():
    x = array([0, 1, 2, 3, 4])
    x[1:] += x[:-1]
    return x


def added_transpose():
    x = array([[1, 2], [3, 4]])
    x += x.mT
    return x


def assigned_backwards():
    x = array([0, 0, 0])
    x[::-1] = array([1, 2, 3])
    return x


def assigned_by_mask():
    x = array([0.0, 1.0, 2.0])
    x[x > 0] = 9.0
    return x


def column_added_twice(x):
    y = xp.zeros_like(x)
    y[:, 0] += xp.abs(x[:, 2])
    y[:, 0] += xp.abs(x[:, 2])
    return xp.sum(y)


def without_diagonal(x):
    y = x * 1.0
    i = xp.arange(3)
    y[i, i] = 0.0
    return xp.sum(y)


def assigned_in_a_batch(i, v):
    x = xp.zeros(3)
    x[i] = v
    return x


REPORTS: dict[str, tuple[Callable[[], Any], Any]] = {
    "np piecewise scalars (cupy 9267)": (lambda: xp.piecewise(array([0, 0]), [array([True, False])], [1, 2]), [1, 2]),
    "interp inf fp": (lambda: xp.interp(array([0.5]), array([0.0, 1.0]), array([inf, inf])), [inf]),
    "interp at knot with inf neighbour": (
        lambda: xp.interp(array([1.0]), array([0.0, 1.0, 2.0]), array([0.0, 1.0, inf])),
        [1.0],
    ),
    "interp outside": (lambda: xp.interp(array([-1.0, 3.0]), array([0.0, 1.0]), array([2.0, 4.0])), [2.0, 4.0]),
    "interp period": (
        lambda: xp.interp(
            array([-180.0, 370.0]), array([190.0, -190.0, 350.0, -350.0]), array([5.0, 10.0, 3.0, 4.0]), period=360
        ),
        np.interp([-180, 370], [190, -190, 350, -350], [5, 10, 3, 4], period=360).tolist(),
    ),
    "percentile equal (10373)": (
        lambda: xp.percentile(xp.ones(279, dtype=xp.float64) * 0.56758051638767337, 45),
        0.56758051638767337,
    ),
    "percentile inf": (lambda: xp.percentile(array([-inf, 0, inf]), 50), 0.0),
    "percentile inf ends linear": (lambda: xp.percentile(array([1.0, 2.0, inf]), 25), 1.5),
    "quantile nan": (lambda: xp.quantile(array([1.0, nan, 2.0]), 0.5), nan),
    "median even int64 big": (lambda: xp.median(array([2**53 + 1, 2**53 + 1], np.int64)), float(2**53)),
    "median inf": (lambda: xp.median(array([inf, inf])), inf),
    "median -inf inf": (lambda: xp.median(array([-inf, inf])), nan),
    "quantile uint8 diff wraps": (lambda: xp.quantile(array([250, 5], np.uint8), 0.5), 127.5),
    "quantile int8 extremes": (lambda: xp.quantile(array([-128, 127], np.int8), 0.5), -0.5),
    "gradient unsigned (np 22580)": (lambda: xp.gradient(array([3, 1], np.uint8)), [-2.0, -2.0]),
    "diff bool": (lambda: xp.diff(array([True, False, False])), [True, False]),
    "diff uint8 wraps": (lambda: xp.diff(array([3, 1], np.uint8)), [254]),
    "ediff1d": (lambda: xp.ediff1d(array([1, 2, 4]), to_begin=array([9]), to_end=array([7])), [9, 1, 2, 7]),
    "ptp int8": (lambda: xp.ptp(array([-127, 127], np.int8)), -2),
    "mean bool": (lambda: xp.mean(xp.astype(array([True, False]), xp.float64)), 0.5),
    "std of float16 large": (lambda: xp.std(array([60000.0, -60000.0], np.float16)), 60000.0),
    "nanmax all nan first": (lambda: xp.nanmax(array([[nan, 1.0], [nan, 2.0]]), axis=0), [nan, 2.0]),
    "nanargmin": (lambda: xp.nanargmin(array([nan, 3.0, 1.0])), 2),
    "argmax nan": (lambda: xp.argmax(array([1.0, nan, 3.0])), 1),
    "argmin nan": (lambda: xp.argmin(array([1.0, nan, -3.0])), 1),
    "argmax int64 min": (lambda: xp.argmax(array([-(2**63), -(2**63)], np.int64)), 0),
    "argmax -inf": (lambda: xp.argmax(array([-inf, -inf])), 0),
    "argmin inf": (lambda: xp.argmin(array([inf, inf])), 0),
    "max uint64 big": (lambda: xp.max(array([2**63 + 1, 5], np.uint64)), 2**63 + 1),
    "unique nan distinct": (lambda: xp.unique_counts(array([nan, nan, 1.0]))[1], [1, 1, 1]),
    "unique -0": (lambda: xp.unique_counts(array([-0.0, 0.0]))[1], [2]),
    "unique inverse shape": (lambda: xp.unique_inverse(array([[1, 2], [2, 1]]))[1], [[0, 1], [1, 0]]),
    "unique all first": (lambda: xp.unique_all(array([3, 1, 3, 1]))[1], [1, 0]),
    "searchsorted nan": (lambda: xp.searchsorted(array([0.0, 1.0, nan]), array([nan])), [2]),
    "searchsorted right nan": (lambda: xp.searchsorted(array([0.0, 1.0, nan]), array([nan]), side="right"), [3]),
    "searchsorted mixed int float": (lambda: xp.searchsorted(array([1, 2, 3]), array([2.5])), [2]),
    "searchsorted uint int": (
        lambda: xp.searchsorted(array([1, 2, 2**53 + 1], np.int64), array([2**53], np.int64)),
        [2],
    ),
    "digitize dec": (lambda: xp.digitize(array([5.0, 1.0, 3.0]), array([4.0, 2.0, 1.0])), [0, 2, 1]),
    "digitize right": (lambda: xp.digitize(array([1.0, 2.0]), array([1.0, 2.0]), right=True), [0, 1]),
    "histogram last edge": (lambda: xp.histogram(array([0.0, 1.0, 1.0]), bins=2)[0], [1, 2]),
    "histogram range excl": (lambda: xp.histogram(array([-1.0, 0.0, 0.5, 1.0, 2.0]), bins=2, range=(0, 1))[0], [1, 2]),
    "histogram float32 edge (np 12500)": (
        lambda: xp.sum(
            xp.histogram(array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], np.float32), bins=9, range=(0.1, 0.9))[0]
        ),
        np.histogram(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], np.float32), bins=9, range=(0.1, 0.9))[0]
        .sum()
        .tolist(),
    ),
    "histogram single 2**53 (8627)": (lambda: xp.sum(xp.histogram(array([2**50]), bins=1)[0]), 1),
    "histogram int8 (wrap)": (lambda: xp.histogram(array([-128, 127], np.int8), bins=2)[0], [1, 1]),
    "bincount weights": (
        lambda: xp.bincount(array([0, 2, 2]), weights=array([0.5, 1.0, 1.0]), minlength=5),
        [0.5, 0, 2.0, 0, 0],
    ),
    "bincount empty": (lambda: xp.bincount(array([], np.int64), minlength=2), [0, 0]),
    "cumsum bool": (lambda: xp.cumulative_sum(array([True, True])), [1, 2]),
    "cumsum int8 promotes": (lambda: xp.cumulative_sum(array([100, 100], np.int8)), [100, 200]),
    "prod uint8 promotes": (lambda: xp.prod(array([200, 200], np.uint8)), 40000),
    "sum int8 axis": (lambda: xp.sum(array([[100], [100]], np.int8), axis=0), [200]),
    "int min // -1": (lambda: array([-(2**31)], np.int32) // array([-1], np.int32), [-(2**31)]),
    "int % 0": (lambda: array([5, -5]) % array([0, 0]), [0, 0]),
    "int // 0": (lambda: array([5, -5]) // array([0, 0]), [0, 0]),
    "float -0 // ": (lambda: xp.signbit(array([-0.0]) // array([1.0])), [True]),
    "float mod -inf": (lambda: array([1.0, -1.0]) % array([-inf, inf]), [-inf, inf]),
    "floor_divide inf": (lambda: array([inf]) // array([1.0]), [inf]),
    "floor_divide 1 // inf": (lambda: array([-1.0]) // array([inf]), [-0.0]),
    "int8 -128 abs": (lambda: xp.abs(array([-128], np.int8)), [-128]),
    "shift 64": (lambda: array([1, -1], np.int64) >> array([64, 64], np.int64), [0, -1]),
    "lshift 64": (lambda: array([1], np.int64) << array([64], np.int64), [0]),
    "rshift uint8 9": (lambda: array([255], np.uint8) >> array([9], np.uint8), [0]),
    "pow int overflow": (lambda: array([3], np.int8) ** array([5], np.int8), [-13]),
    "pow 0**0 int": (lambda: array([0]) ** array([0]), [1]),
    "pow 1**nan": (lambda: array([1.0]) ** array([nan]), [1.0]),
    "pow nan**0": (lambda: array([nan]) ** array([0.0]), [1.0]),
    "pow -0 odd neg": (lambda: array([-0.0]) ** array([-3.0]), [-inf]),
    "pow -1 inf": (lambda: array([-1.0]) ** array([inf]), [1.0]),
    "sign -0": (lambda: xp.sign(array([-0.0, nan])), [0.0, nan]),
    "sign complex inf": (lambda: xp.sign(array([3 + 4j])), [0.6 + 0.8j]),
    "round half even": (lambda: xp.round(array([0.5, 1.5, 2.5, -0.5])), [0.0, 2.0, 2.0, -0.0]),
    "round neg decimals": (lambda: array([15, 25, -15]).round(-1), [20, 20, -20]),
    "maximum nan": (lambda: xp.maximum(array([nan, 1.0]), array([1.0, nan])), [nan, nan]),
    "fmax nan": (lambda: xp.fmax(array([nan, 1.0]), array([1.0, nan])), [1.0, 1.0]),
    "clip nan bounds": (lambda: xp.clip(array([1.0, nan]), array([nan, 0.0]), array([2.0, 1.0])), [nan, nan]),
    "clip min>max": (lambda: xp.clip(array([1.0, 5.0]), 3.0, 2.0), [2.0, 2.0]),
    "clip int with None": (lambda: xp.clip(array([1, 5]), None, 3), [1, 3]),
    "clip uint64 neg": (lambda: xp.clip(array([1, 5], np.uint8), 0, 3), [1, 3]),
    "logaddexp -inf": (lambda: xp.logaddexp(array([-inf]), array([-inf])), [-inf]),
    "logaddexp inf": (lambda: xp.logaddexp(array([inf]), array([inf])), [inf]),
    "logsumexp -inf row": (lambda: special.logsumexp(array([[-inf, -inf], [0.0, 0.0]]), axis=1), [-inf, math.log(2)]),
    "softmax inf": (lambda: functional.softmax(array([-inf, 0.0, 0.0]), axis=0), [0.0, 0.5, 0.5]),
    "hypot inf nan": (lambda: xp.hypot(array([inf]), array([nan])), [inf]),
    "atan2 zeros": (lambda: xp.atan2(array([0.0, -0.0]), array([-0.0, -0.0])), [math.pi, -math.pi]),
    "expm1 tiny": (lambda: xp.expm1(array([1e-20])), [1e-20]),
    "log1p -1": (lambda: xp.log1p(array([-1.0, -2.0])), [-inf, nan]),
    "complex exp inf": (lambda: xp.exp(array([complex(-inf, inf)])), [0j]),
    "complex sqrt -1-0j": (lambda: xp.sqrt(array([complex(-1, -0.0)])), [-1j]),
    "complex abs inf nan": (lambda: xp.abs(array([complex(inf, nan)])), [inf]),
    "complex mult overflow divide": (lambda: array([1e300 + 1e300j]) / array([1e300 + 1e300j]), [1 + 0j]),
    "complex divide inf": (lambda: array([1 + 1j]) / array([complex(1e-320, 0)]) != array([0j]), [True]),
    "linspace endpoint": (lambda: xp.linspace(0, 1, 11)[-1], 1.0),
    "linspace num 1": (lambda: xp.linspace(3.0, 5.0, 1), [3.0]),
    "linspace big": (lambda: xp.linspace(-1e308, 1e308, 3), [-1e308, 0.0, 1e308]),
    "linspace tiny step": (lambda: xp.linspace(0.0, 5e-324, 3)[-1], 5e-324),
    "logspace": (lambda: xp.logspace(0, 2, 3), [1.0, 10.0, 100.0]),
    "geomspace neg": (lambda: xp.geomspace(-1.0, -100.0, 3), [-1.0, -10.0, -100.0]),
    "geomspace ends": (lambda: xp.geomspace(3.0, 768.0, 9)[-1], 768.0),
    "arange float len": (lambda: xp.arange(0, 0.3, 0.1).shape[0], 3),
    "arange neg": (lambda: xp.arange(5, 0, -2), [5, 3, 1]),
    "einsum repeated": (lambda: xp.einsum("ii->i", array([[1, 2], [3, 4]])), [1, 4]),
    "einsum trace": (lambda: xp.einsum("ii", array([[1, 2], [3, 4]])), 5),
    "einsum broadcasting 1": (
        lambda: xp.einsum("ij,jk->ik", xp.ones((2, 1)), xp.ones((3, 2))),
        [[3.0, 3.0], [3.0, 3.0]],
    ),
    "einsum empty out": (lambda: xp.einsum("i,i->", array([1, 2]), array([3, 4])), 11),
    "einsum scalar": (lambda: xp.einsum(",", array(3), array(4)), 12),
    "einsum uint8 overflow": (lambda: xp.einsum("i,i->", array([200, 200], np.uint8), array([1, 1], np.uint8)), 144),
    "einsum ellipsis": (lambda: xp.einsum("...ii->...", array(np.arange(8).reshape(2, 2, 2))), [3, 11]),
    "einsum iij,jjk": (
        lambda: xp.einsum("iij,jk->ik", array(np.arange(8).reshape(2, 2, 2)), array([[1, 0], [0, 1]])),
        np.einsum("iij,jk->ik", np.arange(8).reshape(2, 2, 2), np.eye(2, dtype=int)).tolist(),
    ),
    "matmul empty inner": (lambda: xp.matmul(xp.ones((2, 0)), xp.ones((0, 3))), [[0.0] * 3] * 2),
    "tensordot axes 0": (lambda: xp.tensordot(array([1, 2]), array([3, 4]), axes=0), [[3, 4], [6, 8]]),
    "kron": (lambda: xp.kron(array([1, 2]), array([[1, 1]])), [[1, 1, 2, 2]]),
    "cross 2d": (lambda: xp.linalg.cross(array([1.0, 0.0, 0.0]), array([0.0, 1.0, 0.0])), [0.0, 0.0, 1.0]),
    "det singular int": (lambda: xp.linalg.det(array([[1.0, 2.0], [2.0, 4.0]])), 0.0),
    "matrix_power neg": (
        lambda: xp.linalg.matrix_power(array([[2.0, 0.0], [0.0, 4.0]]), -1),
        [[0.5, 0.0], [0.0, 0.25]],
    ),
    "matrix_rank zeros": (lambda: xp.linalg.matrix_rank(xp.zeros((2, 3))), 0),
    "pinv zeros": (lambda: xp.linalg.pinv(xp.zeros((2, 3))), [[0.0, 0.0]] * 3),
    "pinv empty": (lambda: xp.linalg.pinv(xp.zeros((0, 3))).shape == (3, 0), True),
    "slogdet empty": (lambda: listed(xp.linalg.slogdet(xp.zeros((0, 0)))), [1.0, 0.0]),
    "norm empty": (lambda: xp.linalg.vector_norm(xp.zeros(0)), 0.0),
    "norm int inf": (lambda: xp.linalg.vector_norm(array([-3.0, 2.0]), ord=inf), 3.0),
    "fft odd irfft": (
        lambda: xp.round(xp.fft.irfft(xp.fft.rfft(array([1.0, 2.0, 3.0])), n=3) * 1e6) / 1e6,
        [1.0, 2.0, 3.0],
    ),
    "fft n pad": (lambda: xp.real(xp.fft.fft(array([1 + 0j, 1]), n=3))[0], 2.0),
    "fft truncated": (lambda: xp.real(xp.fft.fft(array([1 + 0j, 1, 5]), n=2)), [2.0, 0.0]),
    "fftshift odd": (lambda: xp.fft.fftshift(array([0.0, 1.0, 2.0, -2.0, -1.0])), [-2.0, -1.0, 0.0, 1.0, 2.0]),
    "ifftshift odd": (lambda: xp.fft.ifftshift(array([-2.0, -1.0, 0.0, 1.0, 2.0])), [0.0, 1.0, 2.0, -2.0, -1.0]),
    "irfft imag of first": (
        lambda: xp.round(xp.fft.irfft(array([1 + 5j, 0, 1 + 5j])) * 1e9) / 1e9,
        [0.5, 0.0, 0.5, 0.0],
    ),
    "fftn s/axes ortho": (
        lambda: xp.abs(xp.fft.fftn(array(np.ones((2, 3), complex)), axes=(1, 0), norm="ortho"))[0, 0],
        6 / math.sqrt(6),
    ),
    "isin nan": (lambda: xp.isin(array([nan, 1.0]), array([nan, 1.0])), [False, True]),
    "isin uint64 int64": (lambda: xp.isin(array([2**63], np.uint64), array([-(2**63)], np.int64)), [False]),
    "isin 2**53 int/float": (lambda: xp.isin(array([2**53 + 1], np.int64), array([2**53], np.int64)), [False]),
    "setdiff1d": (lambda: xp.setdiff1d(array([3, 1, 2, 1]), array([2])), [1, 3]),
    "union1d": (lambda: xp.union1d(array([-1, 0]), array([[2, 0]])), [-1, 0, 2]),
    "setxor1d": (lambda: xp.setxor1d(array([1, 2, 3]), array([2, 3, 5])), [1, 5]),
    "sort -0 stable": (lambda: xp.signbit(xp.sort(array([0.0, -0.0]))), [False, True]),
    "sort desc nan": (lambda: xp.sort(array([1.0, nan, 2.0]), descending=True)[1:], [2.0, 1.0]),
    "argsort desc stable": (lambda: xp.argsort(array([1, 2, 2, 1]), descending=True, stable=True), [1, 2, 0, 3]),
    "sort bool": (lambda: xp.sort(array([True, False])), [False, True]),
    "sort int8 desc min": (lambda: xp.sort(array([-128, 127, 0], np.int8), descending=True), [127, 0, -128]),
    "argsort uint8 desc 0": (lambda: xp.argsort(array([0, 255, 0], np.uint8), descending=True), [1, 0, 2]),
    "lexsort": (
        lambda: xp.lexsort((array([9, 4, 0, 4]), array([1, 5, 1, 4]))),
        np.lexsort(([9, 4, 0, 4], [1, 5, 1, 4])).tolist(),
    ),
    "partition nan": (lambda: xp.partition(array([nan, 1.0, 0.0]), 1)[:2], [0.0, 1.0]),
    "take neg": (lambda: xp.take(array([10, 20, 30]), array([-1]), axis=0), [30]),
    "take bool idx (dask 11984)": (lambda: xp.take(array([10, 20]), array([1, 0]), axis=0), [20, 10]),
    "repeat zero": (lambda: xp.repeat(array([1, 2]), array([0, 3])), [2, 2, 2]),
    "roll multi": (lambda: xp.roll(array([[1, 2], [3, 4]]), (1, 1), axis=(0, 1)), [[4, 3], [2, 1]]),
    "roll big shift": (lambda: xp.roll(array([1, 2, 3]), -7), [2, 3, 1]),
    "tile 0": (lambda: xp.tile(array([1, 2]), (0,)).shape, (0,)),
    "flip all": (lambda: xp.flip(array([[1, 2], [3, 4]])), [[4, 3], [2, 1]]),
    "pad reflect big": (
        lambda: xp.pad(array([1, 2, 3]), 5, mode="reflect"),
        np.pad([1, 2, 3], 5, mode="reflect").tolist(),
    ),
    "pad symmetric big": (
        lambda: xp.pad(array([1, 2]), 5, mode="symmetric"),
        np.pad([1, 2], 5, mode="symmetric").tolist(),
    ),
    "pad linear_ramp": (lambda: xp.pad(array([5.0]), 2, mode="linear_ramp", end_values=1.0), [1.0, 3.0, 5.0, 3.0, 1.0]),
    "pad wrap big": (lambda: xp.pad(array([1, 2, 3]), 4, mode="wrap"), np.pad([1, 2, 3], 4, mode="wrap").tolist()),
    "unravel": (lambda: listed(xp.unravel_index(array([22, 41]), (7, 6))), [[3, 6], [4, 5]]),
    "ravel_multi wrap": (
        lambda: xp.ravel_multi_index((array([3, 1]), array([4, -1])), (2, 3), mode="wrap"),
        np.ravel_multi_index(([3, 1], [4, -1]), (2, 3), mode="wrap").tolist(),
    ),
    "packbits": (lambda: xp.packbits(array([1, 0, 1], np.uint8)), [160]),
    "unwrap int": (lambda: xp.unwrap(array([0.0, 3.5, 7.0])), np.unwrap([0.0, 3.5, 7.0]).tolist()),
    "convolve same even": (lambda: xp.convolve(array([1, 2, 3]), array([0, 1]), mode="same"), [0, 1, 2]),
    "correlate complex conj": (
        lambda: xp.correlate(array([1 + 1j]), array([1j])),
        np.correlate([1 + 1j], [1j]).tolist(),
    ),
    "trapezoid int": (lambda: xp.trapezoid(array([1, 2, 3])), 4.0),
    "cov ddof>n": (lambda: xp.isfinite(xp.cov(array([1.0, 2.0]), ddof=5)), False),
    "average axis tuple weights": (
        lambda: xp.average(array([[1.0, 2.0], [3.0, 4.0]]), axis=(0, 1), weights=array([[0.0, 0.0], [0.0, 1.0]])),
        4.0,
    ),
    "nan_to_num ints": (lambda: xp.nan_to_num(array([1, 2])), [1, 2]),
    "nan_to_num float32 max": (lambda: xp.nan_to_num(array([inf], np.float32)), [float(np.finfo(np.float32).max)]),
    "isclose inf": (lambda: xp.isclose(array([inf, inf, -inf]), array([inf, -inf, -inf])), [True, False, True]),
    "allclose nan equal": (lambda: bool(xp.allclose(array([nan]), array([nan]), equal_nan=True)), True),
    "isclose int64 min": (lambda: xp.isclose(array([-(2**63)], np.int64), array([2**63 - 1], np.int64)), [False]),
    "where promotes": (lambda: xp.where(array([True, False]), array([1], np.int8), array([300], np.int16)), [1, 300]),
    "result py float int8": (lambda: (array([1], np.int8) + 1).dtype.name, "int8"),
    "uint8+int8": (lambda: array([255], np.uint8) + array([-1], np.int8), [254]),
    "compare uint64 int": (lambda: array([2**63], np.uint64) > -1, [True]),
    "compare int64 uint64": (lambda: array([-1], np.int64) < array([0], np.uint64), [True]),
    "compare int float 2**53": (lambda: array([2**53 + 1], np.int64) == array([2**53], np.int64), [False]),
    "bool minus": (lambda: xp.logical_xor(array([True]), array([True])), [False]),
    "astype nan->bool": (lambda: xp.astype(array([nan, 0.0, -0.0]), xp.bool), [True, False, False]),
    "astype complex bool": (lambda: xp.astype(array([1j, 0j]), xp.bool), [True, False]),
    "astype big float->int": (lambda: xp.astype(array([2.0**53]), xp.int64), [2**53]),
    "astype neg trunc": (lambda: xp.astype(array([-1.9, 1.9]), xp.int32), [-1, 1]),
    "count_nonzero nan": (lambda: xp.count_nonzero(array([nan, 0.0])), 1),
    "any nan": (lambda: xp.any(array([nan])), True),
    "all empty": (lambda: xp.all(xp.zeros(0)), True),
    "nonzero 2d order": (lambda: listed(xp.nonzero(array([[0, 1], [1, 0]]))), [[0, 1], [1, 0]]),
    "tril k": (lambda: xp.tril(xp.ones((2, 3)), k=1), [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]),
    "meshgrid ij": (lambda: listed(xp.meshgrid(array([1, 2]), array([3]), indexing="ij")), [[[1], [2]], [[3], [3]]]),
    "broadcast zero-size": (lambda: (xp.ones((0, 1)) + xp.ones((1, 3))).shape, (0, 3)),
    "concat promote": (lambda: xp.concat([array([1], np.uint8), array([-1], np.int8)]), [1, -1]),
    "nextafter": (lambda: xp.nextafter(array([0.0]), array([1.0])), [5e-324]),
    "spacing": (lambda: xp.spacing(array([1.0])), [2.0**-52]),
    "frexp": (lambda: listed(xp.frexp(array([8.0]))), [[0.5], [4]]),
    "gcd neg": (lambda: xp.gcd(array([-12]), array([18])), [6]),
    "lcm": (lambda: xp.lcm(array([4]), array([6])), [12]),
    "heaviside nan": (lambda: xp.heaviside(array([nan, 0.0, -1.0]), 0.5), [nan, 0.5, 0.0]),
    "sinc 0": (lambda: xp.sinc(array([0.0, 1.0]))[0], 1.0),
    "polyval empty order": (lambda: xp.polyval(array([1.0, 2.0, 3.0]), array(2.0)), 11.0),
    "roots zero trailing": (lambda: xp.sort(xp.real(xp.roots(array([1.0, -1.0, 0.0])))), [0.0, 1.0]),
    "take_along": (lambda: xp.take_along_axis(array([[3, 1]]), array([[1, 0]]), axis=1), [[1, 3]]),
    "assign dup index last": (lambda: listed(assigned_twice()), [0, 3, 0]),
    "overlap assign": (lambda: listed(moved_within()), [0, 0, 1, 2, 3]),
    "inplace self view": (lambda: listed(added_to_itself()), [0, 1, 3, 5, 7]),
    "transposed inplace": (lambda: listed(added_transpose()), [[2, 5], [5, 8]]),
    "neg step assign": (lambda: listed(assigned_backwards()), [3, 2, 1]),
    "mask assign scalar": (lambda: listed(assigned_by_mask()), [0.0, 9.0, 9.0]),
    "gammaln neg": (lambda: special.gammaln(array([-1.0, 0.0])), [inf, inf]),
    "erf inf": (lambda: special.erf(array([inf, -inf])), [1.0, -1.0]),
    "xlogy 0 nan": (lambda: special.xlogy(array([0.0, 0.0]), array([0.0, nan])), [0.0, nan]),
    "expit ends": (lambda: special.expit(array([-1000.0, 1000.0])), [0.0, 1.0]),
    "logit": (lambda: special.logit(array([0.0, 1.0])), [-inf, inf]),
    "betainc": (lambda: special.betainc(1.0, 1.0, array([0.25])), [0.25]),
    "zeta 1": (lambda: special.zeta(array([1.0]), array([1.0])), [inf]),
    "torch prod zero (82644)": (lambda: gradient(lambda x: xp.prod(x), array([0.0])), [1.0]),
    "torch prod zeros": (lambda: gradient(lambda x: xp.prod(x), array([0.0, 2.0, 0.0])), [0.0, 0.0, 0.0]),
    "torch 136662 twice setitem": (lambda: gradient(column_added_twice, array([[1.0, 2.0, -3.0]])), [[0.0, 0.0, -2.0]]),
    "torch 182012 diagonal scatter": (
        lambda: gradient(without_diagonal, xp.ones((3, 3))),
        [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
    ),
    "fuse of that": (
        lambda: xp.fuse(lambda x: autograd.grad(without_diagonal)(x))(xp.ones((3, 3))),
        [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
    ),
    "mxnet einsum grad": (
        lambda: gradient(
            lambda x: xp.sum(xp.einsum("bnij,bnjc->bnic", x, xp.ones((1, 1, 3, 2)))), xp.ones((1, 1, 5, 3))
        )[0, 0, 0, :],
        [2.0, 2.0, 2.0],
    ),
    "jax double where": (
        lambda: gradient(lambda x: xp.where(x > 0, xp.sqrt(xp.where(x > 0, x, 1.0)), 0.0), array(0.0)),
        0.0,
    ),
    "x**2 at 0": (lambda: autograd.grad(autograd.grad(lambda x: x**2))(array(0.0)), 2.0),
    "x**2. float": (lambda: autograd.grad(autograd.grad(autograd.grad(lambda x: x**2.0)))(array(0.0)), 0.0),
    "neg base int power": (lambda: gradient(lambda x: x**3, array(-2.0)), 12.0),
    "neg base array power": (lambda: gradient(lambda x: x ** array(3.0), array(-2.0)), 12.0),
    "norm at 0": (lambda: gradient(lambda x: xp.linalg.vector_norm(x), array([0.0, 0.0])), [0.0, 0.0]),
    "max ties": (lambda: gradient(lambda x: xp.max(x), array([1.0, 1.0])), [0.5, 0.5]),
    "cumsum rev": (
        lambda: gradient(lambda x: xp.sum(xp.cumulative_sum(x) * array([1.0, 2.0, 3.0])), array([1.0, 1.0, 1.0])),
        [6.0, 5.0, 3.0],
    ),
    "gather dup": (
        lambda: gradient(lambda x: xp.sum(x[array([0, 0, 1])] * array([1.0, 2.0, 4.0])), array([1.0, 1.0])),
        [3.0, 4.0],
    ),
    "sort grad": (
        lambda: gradient(lambda x: xp.sum(xp.sort(x) * array([1.0, 2.0, 3.0])), array([3.0, 1.0, 2.0])),
        [3.0, 1.0, 2.0],
    ),
    "logsumexp -inf grad": (lambda: gradient(lambda x: special.logsumexp(x), array([-inf, 0.0])), [0.0, 1.0]),
    "softmax ce big": (
        lambda: gradient(lambda x: -functional.log_softmax(x, axis=0)[0], array([1000.0, -1000.0])),
        [0.0, 0.0],
    ),
    "abs complex at 0": (lambda: gradient(lambda x: xp.abs(x), array(0j)), 0j),
    "clip grad bound": (
        lambda: gradient(lambda x: xp.sum(xp.clip(x, 0.0, 1.0)), array([-1.0, 0.0, 0.5, 1.0, 2.0])),
        [0.0, 1.0, 1.0, 1.0, 0.0],
    ),
    "nanmean grad": (lambda: gradient(lambda x: xp.nanmean(x), array([1.0, nan])), [1.0, 0.0]),
    "std grad const": (lambda: gradient(lambda x: xp.std(x), array([2.0, 2.0])), [0.0, 0.0]),
    "interp grad": (
        lambda: gradient(lambda x: xp.sum(xp.interp(x, array([0.0, 1.0]), array([0.0, 2.0]))), array([0.5])),
        [2.0],
    ),
    "det grad singular": (
        lambda: gradient(lambda x: xp.linalg.det(x), array([[0.0, 0.0], [0.0, 1.0]])),
        [[1.0, 0.0], [0.0, 0.0]],
    ),
    "var float32 grad": (lambda: gradient(lambda x: xp.var(x), array([1.0, 3.0], np.float32)), [-1.0, 1.0]),
    "mod grad": (lambda: gradient(lambda x: xp.remainder(x, array(3.0)), array(7.0)), 1.0),
    "hypot grad": (lambda: gradient(lambda x: xp.hypot(x, array(4.0)), array(3.0)), 0.6),
    "atan2 grad": (lambda: gradient(lambda x: xp.atan2(x, array(1.0)), array(0.0)), 1.0),
    "vmap grad": (
        lambda: xp.vmap(autograd.grad(lambda x: xp.sum(x**2)))(array([[1.0, 2.0], [3.0, 4.0]])),
        [[2.0, 4.0], [6.0, 8.0]],
    ),
    "vmap setitem": (
        lambda: xp.vmap(assigned_in_a_batch)(array([0, 2]), array([5.0, 6.0])),
        [[5.0, 0.0, 0.0], [0.0, 0.0, 6.0]],
    ),
    "vmap where index": (lambda: xp.vmap(lambda x, i: x[i])(array([[1, 2], [3, 4]]), array([1, 0])), [2, 3]),
    "hessian quad": (
        lambda: autograd.hessian(lambda x: xp.sum(x * x * x))(array([1.0, 2.0])),
        [[6.0, 0.0], [0.0, 12.0]],
    ),
    "dtype promoted complex grad real": (lambda: gradient(lambda x: xp.abs(x * (1 + 1j)) ** 2, array(3.0)), 12.0),
    "bn empty mean": (lambda: functional.layer_norm(xp.zeros((0, 3))).shape, (0, 3)),
    "ce ignore": (lambda: functional.cross_entropy(array([[0.0, 0.0]]), array([1])), math.log(2)),
    "linear empty": (lambda: functional.linear(xp.zeros((0, 3)), xp.ones((2, 3))).shape, (0, 2)),
    "gelu inf": (lambda: functional.gelu(array([-inf, inf])), [0.0, inf]),
    "silu -inf": (lambda: functional.silu(array([-inf])), [-0.0]),
    "softplus big": (lambda: special.softplus(array([1000.0, -1000.0])), [1000.0, 0.0]),
}

REFUSED_BY_STRICT = {
    "diff bool",
    "searchsorted mixed int float",
    "cumsum bool",
    "clip min>max",
    "isin nan",
    "isin uint64 int64",
    "sort bool",
    "compare uint64 int",
    "compare int64 uint64",
    "assign dup index last",
    "torch 182012 diagonal scatter",
    "fuse of that",
    "vmap setitem",
}
"""Calls whose results the standard leaves open."""


@pytest.mark.parametrize("name", REPORTS)
def test_report_of_a_peer_is_right_here(device, name):
    check(device, REPORTS[name], refuses(device, name, REFUSED_BY_STRICT))
