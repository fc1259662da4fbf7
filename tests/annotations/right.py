"""Lines that type checkers accept and that run: their types are those that ``assert_type`` names."""

from __future__ import annotations

from types import ModuleType
from typing import Any, assert_type

import numpy as np

import xtensor as xp

x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
k = xp.asarray([[1, 2], [3, 4]])
mask = x > 2
n = np.ones((2, 2))
row: list[float] = [1.0, 2.0]

# -- making arrays ----------------------------------------------------------------------------------------------------

assert_type(x, xp.Array)
assert_type(xp.asarray(row), xp.Array)
assert_type(xp.asarray([row, row], dtype=xp.float32), xp.Array)
assert_type(xp.asarray([xp.asarray(1), 2, np.float32(3)]), xp.Array)
assert_type(xp.asarray(n), xp.Array)
assert_type(xp.asarray(range(3)), xp.Array)
assert_type(xp.asarray(memoryview(b"ab")), xp.Array)
assert_type(xp.asarray(True), xp.Array)
assert_type(xp.asarray(1j, dtype="complex64", device="cpu", copy=True), xp.Array)
assert_type(xp.from_dlpack(n), xp.Array)
assert_type(xp.zeros(3), xp.Array)
assert_type(xp.ones((2, 3), dtype=int), xp.Array)
assert_type(xp.empty([2], dtype=np.float32), xp.Array)
assert_type(xp.full((2,), np.float32(2.5)), xp.Array)
assert_type(xp.full_like(x, True), xp.Array)
assert_type(xp.arange(3), xp.Array)
assert_type(xp.arange(np.int64(1), 3.5, 0.5, dtype=float), xp.Array)
assert_type(xp.linspace(0, 1, 5), xp.Array)
assert_type(xp.eye(2, k=1), xp.Array)

# -- NumPy arrays without an Array ------------------------------------------------------------------------------------

assert_type(xp.sqrt(n), xp.Array)
assert_type(xp.mean(n, axis=0), xp.Array)
assert_type(xp.concat([n, n]), xp.Array)
assert_type(xp.zeros_like(n), xp.Array)
assert_type(xp.percentile(n, 50), xp.Array)
assert_type(xp.linalg.det(n), xp.Array)
assert_type(xp.fft.fft(n), xp.Array)
assert_type(xp.special.erf(n), xp.Array)
assert_type(xp.nn.functional.softmax(n), xp.Array)
assert_type(xp.to_numpy(n), np.ndarray[Any, Any])

# -- arithmetic -------------------------------------------------------------------------------------------------------

assert_type(x + 1, xp.Array)
assert_type(x - 1.5, xp.Array)
assert_type(x * True, xp.Array)
assert_type(x / 2j, xp.Array)
assert_type(x + x, xp.Array)
assert_type(x + n, xp.Array)
assert_type(x + np.float32(1), xp.Array)
assert_type(x + np.bool(True), xp.Array)
assert_type(x @ n, xp.Array)
assert_type(1 + x, xp.Array)
assert_type(2 * x, xp.Array)
assert_type(2.0 / x, xp.Array)
assert_type(2j - x, xp.Array)
assert_type(2**x, xp.Array)
assert_type(7 // x, xp.Array)
assert_type(7 % x, xp.Array)
assert_type(np.float64(2) * x, xp.Array)
assert_type(-x, xp.Array)
assert_type(+x, xp.Array)
assert_type(abs(x), xp.Array)
assert_type(~k, xp.Array)
assert_type(k & 1, xp.Array)
assert_type(1 | k, xp.Array)
assert_type(k ^ np.arange(2), xp.Array)
assert_type(k << 1, xp.Array)
assert_type(divmod(x, 2), tuple[xp.Array, xp.Array])
assert_type(divmod(2, x), tuple[xp.Array, xp.Array])
assert_type(sum([x, x], xp.zeros(())), xp.Array)
# NumPy's annotations name ndarray for its own operators and functions; what they return is an Array.
print(n + x, n @ x, np.sin(x), np.add(n, x), np.mean(x), np.concatenate([x, x]), np.linalg.norm(x))

y = x.copy()
y += 1
y -= n
y *= np.float64(2)
y /= x
y **= 2
assert_type(y, xp.Array)

# -- comparisons ------------------------------------------------------------------------------------------------------

assert_type(x == 1, xp.Array)
assert_type(x != x, xp.Array)
assert_type(x == n, xp.Array)
assert_type(x < 1, xp.Array)
assert_type(x > 1, xp.Array)
assert_type(x >= n, xp.Array)
assert_type((x > 1) & (x < 3), xp.Array)
assert_type(~(x > 1), xp.Array)
assert_type(2.0 in x, bool)

# -- keys -------------------------------------------------------------------------------------------------------------

picks: list[int] = [0, 1]
flags: list[bool] = [True, False]
nested: list[list[int]] = [[0, 1], [1, 0]]
span: slice = slice(0, 1)
assert_type(x[0], xp.Array)
assert_type(x[-1], xp.Array)
assert_type(x[np.int64(0)], xp.Array)
assert_type(x[True], xp.Array)
assert_type(x[1:2, 0], xp.Array)
assert_type(x[:, ::2], xp.Array)
assert_type(x[: x.shape[0], span], xp.Array)
assert_type(x[..., None], xp.Array)
assert_type(x[xp.newaxis, 0], xp.Array)
assert_type(x[()], xp.Array)
assert_type(x[mask], xp.Array)
assert_type(x[x > 1], xp.Array)
assert_type(x[n > 0], xp.Array)
assert_type(x[np.arange(2)], xp.Array)
assert_type(x[np.arange(2), 0], xp.Array)
assert_type(x[k[0, 0] - 1 :], xp.Array)
assert_type(x[[0, 1]], xp.Array)
assert_type(x[picks], xp.Array)
assert_type(x[flags], xp.Array)
assert_type(x[nested], xp.Array)
assert_type(x[picks, picks], xp.Array)
assert_type(x[xp.asarray([0, 1]), 1:], xp.Array)
for element in x:
    assert_type(element, xp.Array)
first, second = x
assert_type(first, xp.Array)

y[0] = 1
y[0, 0] = np.float32(1)
y[1:2] = n[:1]
y[mask] = 0
y[:, 0] = [1, 2]
y[...] = ((1, 2), (3, 4))
y[0] = x[1]

# -- attributes and conversions ---------------------------------------------------------------------------------------

assert_type(x.dtype, np.dtype[Any])
assert_type(x.shape, tuple[int, ...])
assert_type(x.ndim, int)
assert_type(x.size, int)
assert_type(x.device, xp.Device)
assert_type(x.T, xp.Array)
assert_type(x.mT.real.imag, xp.Array)
assert_type(float(x[0, 0]), float)
assert_type(int(x[0, 0]), int)
assert_type(complex(x[0, 0]), complex)
assert_type(bool(x[0, 0]), bool)
assert_type(len(x), int)
assert_type(range(4)[k[0, 0]], int)
assert_type(x.to_device("cpu"), xp.Array)
assert_type(x.__array_namespace__(), ModuleType)
host: np.ndarray[Any, Any] = x.numpy()
host = xp.to_numpy(x)
host = np.asarray(x)

# -- methods ----------------------------------------------------------------------------------------------------------

assert_type(x.sum(), xp.Array)
assert_type(x.sum(0), xp.Array)
assert_type(x.sum((0, 1), keepdims=True), xp.Array)
assert_type(x.sum(dtype="float32", initial=1, where=n > 0), xp.Array)
assert_type(x.mean(axis=1, dtype=np.float64), xp.Array)
assert_type(x.std(ddof=1), xp.Array)
assert_type(x.max(initial=0, where=mask), xp.Array)
assert_type(x.argmax(1), xp.Array)
assert_type(x.cumsum(), xp.Array)
assert_type(x.reshape(4), xp.Array)
assert_type(x.reshape(1, -1), xp.Array)
assert_type(x.reshape((4, 1), order="F"), xp.Array)
assert_type(x.transpose(1, 0), xp.Array)
assert_type(x.transpose((1, 0)), xp.Array)
assert_type(x.astype(int), xp.Array)
assert_type(x.astype(xp.float32, copy=False), xp.Array)
assert_type(x.astype("float32", casting="same_kind"), xp.Array)
assert_type(x.clip(0, n), xp.Array)
assert_type(x.take([0, 1]), xp.Array)
assert_type(x.take(0, 1), xp.Array)
assert_type(x.dot(n), xp.Array)
assert_type(x.dot([1, 2]), xp.Array)
assert_type(x.ravel("F"), xp.Array)
assert_type(x.round(2), xp.Array)
assert_type(x.nonzero(), tuple[xp.Array, ...])
assert_type(x.tobytes(), bytes)

# -- functions --------------------------------------------------------------------------------------------------------

assert_type(xp.add(x, n), xp.Array)
assert_type(xp.add(1, x), xp.Array)
assert_type(xp.add(x, [1, 2]), xp.Array)
assert_type(x * [1, 2], xp.Array)
assert_type(xp.maximum(n, x), xp.Array)
assert_type(xp.where(mask, x, 0), xp.Array)
assert_type(xp.where(n > 0, x, n), xp.Array)
assert_type(xp.where(mask), tuple[xp.Array, ...])
assert_type(xp.clip(x, 0, n), xp.Array)
assert_type(xp.sum(x, axis=0), xp.Array)
assert_type(xp.sum(x, axis=(0, 1), dtype=float, keepdims=True), xp.Array)
assert_type(xp.concat([x, n]), xp.Array)
assert_type(xp.concat((x, x), axis=1), xp.Array)
assert_type(xp.stack([x, x]), xp.Array)
assert_type(xp.take(x, np.arange(2), axis=0), xp.Array)
assert_type(xp.matmul(n, x), xp.Array)
assert_type(xp.tensordot(x, n, axes=1), xp.Array)
assert_type(xp.isin(k, 1), xp.Array)
assert_type(xp.searchsorted(x[0], 1.5), xp.Array)
assert_type(xp.meshgrid(x[0], n[0], indexing="ij"), tuple[xp.Array, ...])
assert_type(xp.broadcast_arrays(x, n), tuple[xp.Array, ...])
assert_type(xp.astype(x, "float32"), xp.Array)
assert_type(xp.result_type(x, xp.float32, 1), np.dtype[Any])
assert_type(xp.isdtype(x.dtype, "real floating"), bool)
assert_type(xp.isdtype(x.dtype, (xp.int8, "bool")), bool)
assert_type(xp.can_cast(x, xp.float64), bool)
assert_type(xp.finfo(xp.float32).eps, float)
assert_type(xp.iinfo("int8").max, int)
values, counts = xp.unique_counts(x)
assert_type(values, xp.Array)
assert_type(counts, xp.Array)
assert_type(xp.unique_all(x).indices, xp.Array)
assert_type(xp.linalg.svd(x).S, xp.Array)
u, s, vh = xp.linalg.svd(x, full_matrices=False)
assert_type(s, xp.Array)
assert_type(xp.linalg.solve(x, n), xp.Array)
assert_type(xp.linalg.vector_norm(x, ord=1), xp.Array)
assert_type(xp.fft.fft(x, n=4, norm="ortho"), xp.Array)
assert_type(xp.fft.fftfreq(4, d=0.5), xp.Array)
assert_type(xp.special.erf(x), xp.Array)
assert_type(xp.special.xlogy(2, x), xp.Array)
assert_type(xp.special.gammainc(n, x), xp.Array)
assert_type(xp.percentile(x, 50), xp.Array)
assert_type(xp.hypot(x, 1), xp.Array)
assert_type(xp.pi, float)

# -- devices ----------------------------------------------------------------------------------------------------------

with xp.use_device("cpu"):
    assert_type(xp.zeros(2), xp.Array)
with xp.transfers("allow"):
    assert_type(x + 1, xp.Array)
