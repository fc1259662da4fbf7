"""Support for the tests of the kernels on the CPU: operands, outcomes, and results that a kernel must have computed."""

from __future__ import annotations

import warnings

import numpy as np

import xtensor as xp
import xtensor_backends.llvm

COUNT = 530_000
"""Elements of operands that kernels compute, of one byte each, too."""

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, "float32", "float64")
"""The dtypes that kernels compute."""

LAYOUTS = ("contiguous", "transposed", "reversed", "strided", "one row", "one column", "unaligned", "read-only")


def values(rng, dtype, shape, *, special=True):
    """Random numbers of all sizes; with extremes, both zeros, infinities, NaN and subnormals where ``special``."""
    dtype, count = np.dtype(dtype), int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(dtype).reshape(shape)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        found = rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        extremes = [limits.min, limits.max, 0, 1, limits.max - 1]
    else:
        found = (rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count)).astype(dtype)
        limits = np.finfo(dtype)
        extremes = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, limits.smallest_subnormal]
    if special:
        places = rng.integers(0, max(count, 1), max(count // 50, 1))[: count and None]
        found[places] = rng.choice(np.asarray(extremes, dtype), len(places))
    return found.reshape(shape)


def laid_out(array, layout):
    """An array of the same shape and another layout; of one row or column where the layout says so."""
    if layout == "transposed":
        return np.asfortranarray(array)
    if layout == "reversed":
        return array[::-1].copy()[::-1]
    if layout == "strided":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if layout == "one row":
        return array[:1]
    if layout == "one column":
        return array[..., :1]
    if layout == "unaligned":
        memory = np.zeros(array.nbytes + 1, np.uint8)
        moved = memory[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    if layout == "read-only":
        array = array.copy()
        array.flags.writeable = False
    return array


def by_kernel(function, *operands):
    """The result of a call that a kernel computes; the test fails where none does."""
    with xtensor_backends.llvm.count_calls() as calls:
        result = function(*operands)
    assert calls.kernels, "no kernel computed"
    assert not calls.doubtful, f"NumPy computed after {calls.doubtful}"
    return result


def on(device, operands):
    """NumPy arrays among operands as Arrays of a device that share their memory."""
    return [xp.asarray(x, device=device, copy=False) if isinstance(x, np.ndarray) else x for x in operands]


def outcome(function, operands, device):
    """A call's result as NumPy array or its error, and its warnings with their lines."""
    arrays = on(device, operands)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # The library's own filter, by which it issues a warning again at the user's line, is behind that one.
        warnings.filterwarnings("error", ".* encountered in", RuntimeWarning, "xtensor")
        try:
            result = np.asarray(function(*arrays))
        except Exception as error:
            result = type(error), str(error).replace("numpy", "cpu")
    return result, [(item.category, str(item.message), item.filename, item.lineno) for item in caught]


def ulps(result, exact):
    """The largest distance of results from exact values of higher precision, in units of the last place."""
    exact = np.asarray(exact)
    with np.errstate(all="ignore"):
        rounded = exact.astype(result.dtype)
        same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
        spacing = np.spacing(np.abs(rounded)).astype(exact.dtype)
        distance = np.abs(result.astype(exact.dtype) - exact) / spacing
    return float(np.max(np.where(same, 0, distance), initial=0))
