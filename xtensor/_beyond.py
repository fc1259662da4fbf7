"""Functions beyond the standard that consumers look for, in NumPy's names and signatures.

scikit-learn, SciPy and xarray ask the namespace for them by name, and take a way over the host, or fail, without
them. Each is written once over the namespace's own functions, so it runs on every device; :data:`BEYOND` lists them,
with those of the modules for NaN, quantiles, padding and Einstein sums.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _einsum, _gradient, _nan_aware, _pad, _quantiles
from ._array import Array, Scalar, apply, wrap
from ._bfloat16 import kind_of, result_type
from ._checks import LARGEST, check_axis, check_flag, check_integer, check_word
from ._device import Device
from ._dispatch import SCALARS, common_device, composed, device_of, native_operand, operands
from ._errors import describe

if TYPE_CHECKING:
    import xtensor as xp
else:
    xp = sys.modules[__package__]  # the package, still being imported here and complete before any call

__all__ = [
    "BEYOND",
    "allclose",
    "bincount",
    "convolve",
    "diag",
    "isclose",
    "put_along_axis",
    "roots",
    "transpose",
]

BEYOND: tuple[str, ...] = tuple(
    sorted(
        (
            *("allclose", "bincount", "convolve", "cross", "diag", "isclose", "put_along_axis", "roots", "transpose"),
            *_einsum.__all__,
            *_gradient.__all__,
            *_nan_aware.__all__,
            *_pad.__all__,
            *_quantiles.__all__,
        )
    )
)
"""The namespace's functions that no chapter of the standard has.

Beside them there are ``linalg.lstsq`` and ``lib.stride_tricks.sliding_window_view``. ``cross`` is the standard's, of
its extension ``linalg``, where xarray does not look.
"""

BLOCK = 1 << 22
"""Products of a convolution that are held at once: 32 MiB of float64."""


@composed
def allclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    r"""Whether :math:`|a - b| \le atol + rtol \, |b|` for all elements.

    Parameters
    ----------
    a, b
        Arrays whose shapes broadcast, or one Array and a Python scalar.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether a NaN is close to a NaN.

    Returns
    -------
    bool
        For which the host waits for the device.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``allclose``.
    """
    return bool(xp.all(isclose(a, b, rtol, atol, equal_nan)))


@composed
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each integer is met; with weights, the sum of the weights of each.

    Parameters
    ----------
    x
        Array of one dimension, of integers that are 0 or more.
    weights
        An Array of real numbers, of the shape of ``x``.
    minlength
        The least length of the result.

    Returns
    -------
    Array
        Of length ``max(x) + 1`` or ``minlength``: numbers of the default integer dtype; sums of the default real
        floating-point dtype.

    Raises
    ------
    ValueError
        If an integer is negative, the shapes are others, or ``minlength`` is negative.
    TypeError
        If ``x`` holds no integers, or the weights are complex.

    Notes
    -----
    NumPy, ``bincount``. Weights are summed in pairs, which loses less than one after another.
    """
    device = device_of(x)
    if x.ndim != 1:
        raise ValueError(f"bincount() counts in an array of one dimension, not shape {x.shape}")
    if x.dtype.kind not in "biu":
        raise TypeError(f"bincount() counts integers, not dtype {x.dtype}; cast with xtensor.astype")
    if not 0 <= check_integer(minlength, "bincount", "minlength") <= LARGEST:
        raise ValueError(f"bincount(): minlength is 0 or more, and within any memory, not {minlength}")
    x = xp.astype(x, device.default_dtypes["integral"], copy=False)
    if weights is not None:
        weights = _weights(weights, x, device)
    if not x.size:
        return xp.zeros(minlength, dtype=x.dtype if weights is None else weights.dtype, device=device)
    native = vars(device.xp).get("bin_counts")
    if native is not None:
        return apply(device, native, x._native, None if weights is None else weights._native, minlength)
    if weights is None:
        ordered = xp.sort(x, stable=False)
    else:
        order = xp.argsort(x)
        ordered, weights = xp.take(x, order), xp.take(weights, order)
    least, greatest = int(ordered[0]), int(ordered[-1])
    if least < 0:
        raise ValueError(f"bincount() counts integers that are 0 or more, and {least} is among them")
    length = max(greatest + 1, minlength)
    if weights is None:
        bounds = xp.searchsorted(ordered, xp.arange(length + 1, dtype=x.dtype, device=device))
        return xp.astype(xp.diff(bounds), x.dtype, copy=False)
    present, sums = _segment_sums(ordered, weights)
    bins = xp.arange(length, dtype=x.dtype, device=device)
    place = xp.minimum(xp.searchsorted(present, bins), present.shape[0] - 1)
    return xp.where(xp.take(present, place) == bins, xp.take(sums, place), 0.0)


@composed
def convolve(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "full") -> Array:
    r"""The discrete convolution, :math:`c_n = \sum_m a_m v_{n - m}`, of two sequences.

    Parameters
    ----------
    a, v
        Arrays of one dimension and at least one element; 0-d ones count as one element.
    mode
        ``"full"``: every overlap, ``N + M - 1`` elements. ``"same"``: the middle ``max(N, M)`` of them. ``"valid"``:
        the ``max(N, M) - min(N, M) + 1`` of complete overlap.

    Returns
    -------
    Array
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If an array is empty or has more dimensions, or there is no such mode.

    Notes
    -----
    NumPy, ``convolve``: by the sum itself, so that integers are exact and a NaN reaches only what it is part of. For
    long sequences of floating-point numbers a product of Fourier transforms is faster.
    """
    for x in (a, v):
        device_of(x, "convolve")
    device = common_device((a, v)) or a._device
    check_word(mode, ("full", "same", "valid"), "convolve", "mode")
    for x in (a, v):
        if x.ndim > 1 or not x.size:
            raise ValueError(f"convolve() takes arrays of one dimension and at least one element, not shape {x.shape}")
    dtype = result_type(a.dtype, v.dtype)
    wanted = device.default_dtypes["integral"] if dtype.kind == "b" else dtype
    a, v = (wrap(native_operand(x, device, "convolve"), device) for x in (a, v))
    a, v = (xp.astype(xp.reshape(x, (-1,)), wanted, copy=False) for x in (a, v))
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    longer, shorter = a.shape[0], v.shape[0]
    full = _convolved(a, v) if dtype.kind != "b" else xp.astype(_convolved(a, v) > 0, dtype)
    if mode == "full":
        return full
    if mode == "same":
        start = (shorter - 1) // 2
        return full[start : start + longer]
    return full[shorter - 1 : longer]


@composed
def diag(v: Array, k: int = 0) -> Array:
    """The matrix with a vector on a diagonal, or the diagonal of a matrix.

    Parameters
    ----------
    v
        Array of one dimension, or of two.
    k
        The diagonal: 0 for the main one, positive above it, negative below.

    Returns
    -------
    Array
        Of shape ``(N + |k|, N + |k|)`` for a vector of ``N`` elements, zero elsewhere; for a matrix, a copy of its
        diagonal.

    Raises
    ------
    ValueError
        If ``v`` has not one dimension or two.

    Notes
    -----
    NumPy, ``diag``.
    """
    device = device_of(v)
    k = check_integer(k, "diag", "k")
    if abs(k) > LARGEST:
        raise ValueError(f"diag(): a diagonal {k} places from the main one is more than memory has addresses")
    if v.ndim == 2:
        return xp.linalg.diagonal(v, offset=k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag() takes a vector or a matrix, not an array of shape {v.shape}")
    length = v.shape[0] + abs(k)
    margin = xp.zeros(abs(k), dtype=v.dtype, device=device)
    on = xp.eye(length, k=k, dtype=np.bool_, device=device)
    values = xp.concat((margin, v))[None, :] if k >= 0 else xp.concat((v, margin))[None, :]
    return xp.where(on, values, xp.zeros((), dtype=v.dtype, device=device))


@composed
def isclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Array:
    r"""Whether :math:`|a - b| \le atol + rtol \, |b|`, for each element.

    Parameters
    ----------
    a, b
        Arrays whose shapes broadcast, or one Array and a Python scalar.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether a NaN is close to a NaN.

    Returns
    -------
    Array
        Of dtype bool and the broadcast shape. Infinities are close to their equals alone.

    Raises
    ------
    TypeError
        If neither is an Array.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    NumPy, ``isclose``.
    """
    device = operands("isclose", a, b)[1]
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not isinstance(tolerance, (Array, int, float, np.bool, np.integer, np.floating)):
            raise TypeError(f"isclose(): {name} is a real number, not {describe(tolerance)}")
    x, y = _comparable(a, b, device)
    # What is not finite is compared as it is; the difference of two infinities would only warn.
    finite = xp.isfinite(x) & xp.isfinite(y)
    reference = xp.where(finite, y, 0.0)
    distance = xp.abs(xp.where(finite, x, 0.0) - reference)
    result = (finite & (distance <= atol + rtol * xp.abs(reference))) | (x == y)
    return result | (xp.isnan(x) & xp.isnan(y)) if check_flag(equal_nan, "isclose", "equal_nan") else result


@composed
def put_along_axis(arr: Array, indices: Array, values: Array | Scalar, axis: int | None) -> None:
    """Set the elements at given positions along an axis, other positions for each line along it.

    Parameters
    ----------
    arr
        The Array that is written to.
    indices
        The positions: an Array of integers, of as many dimensions as ``arr`` and a shape that broadcasts with it but
        for ``axis``; what ``argsort`` gives, for example. Negative ones count from the end.
    values
        What is written: a Python scalar, or an Array whose shape broadcasts to that of ``indices``.
    axis
        The axis; None stands for the flattened array, for which ``indices`` has one dimension.

    Raises
    ------
    IndexError
        If a position is out of bounds, on devices that find out.
    ValueError
        If the numbers of dimensions differ, or the shapes do not fit.
    TypeError
        If ``indices`` holds no integers.

    Notes
    -----
    NumPy, ``put_along_axis``. Which value stays at a position that is named twice is not defined.
    """
    device = device_of(arr)
    device_of(indices, "put_along_axis")
    if indices.dtype.kind not in "iu":
        raise TypeError(f"put_along_axis(): indices are integers, not dtype {indices.dtype}; cast with xtensor.astype")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(f"put_along_axis(): with axis=None indices have one dimension, not shape {indices.shape}")
        flat = xp.reshape(arr, (-1,), copy=True)
        put_along_axis(flat, indices, values, 0)
        arr[...] = xp.reshape(flat, arr.shape)
        return
    axis = check_axis(axis, arr.ndim, "put_along_axis")
    if indices.ndim != arr.ndim:
        raise ValueError(
            f"put_along_axis(): indices of shape {indices.shape} and an array of shape {arr.shape} need as many axes"
        )
    lengths = tuple(-1 if i == axis else length for i, length in enumerate(arr.shape))
    shape = tuple(
        indices.shape[i] if length < 0 else xp.broadcast_shapes((indices.shape[i],), (length,))[0]
        for i, length in enumerate(lengths)
    )
    key = tuple(
        indices if i == axis else _along(xp.arange(length, device=device), i, arr.ndim)
        for i, length in enumerate(arr.shape)
    )
    if not indices.size:
        return
    try:
        arr[key] = values
    except IndexError:
        if int(xp.min(indices)) < -arr.shape[axis] or int(xp.max(indices)) >= arr.shape[axis]:
            raise
        # A device that assigns to no index arrays: each element looks for the position that names it.
        _put(arr, key, values, shape)


@composed
def roots(p: Array) -> Array:
    r"""The roots of a polynomial, :math:`p_0 x^n + p_1 x^{n-1} + \dots + p_n = 0`.

    Parameters
    ----------
    p
        Array of one dimension: the coefficients, that of the highest power first.

    Returns
    -------
    Array
        The roots, of the complex dtype of the precision of ``p``; as many as the degree, zeros last. None for a
        constant.

    Raises
    ------
    ValueError
        If ``p`` has more than one dimension.

    Notes
    -----
    NumPy, ``roots``: the eigenvalues of the companion matrix. The result is complex even where all roots are real, so
    that its dtype does not depend on values.
    """
    device = device_of(p)
    if p.ndim > 1:
        raise ValueError(f"roots() takes coefficients in one dimension, not shape {p.shape}")
    p = xp.reshape(p, (-1,))
    if kind_of(p.dtype) not in "fc":
        p = xp.astype(p, device.default_dtypes["real floating"])
    dtype = result_type(p.dtype, np.complex64)
    given = [int(i) for i in xp.nonzero(p)[0]] if p.size else []
    if not given:
        return xp.empty(0, dtype=dtype, device=device)
    zeros = xp.zeros(p.shape[0] - 1 - given[-1], dtype=dtype, device=device)
    p = p[given[0] : given[-1] + 1]
    degree = p.shape[0] - 1
    if not degree:
        return zeros
    companion = xp.eye(degree, k=-1, dtype=p.dtype, device=device)
    companion[0, :] = -p[1:] / p[0]
    return xp.concat((xp.linalg.eigvals(companion), zeros))


@composed
def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """An array with its axes in another order, a view.

    Parameters
    ----------
    a
        Array of any dtype.
    axes
        A permutation of the axes; None reverses them.

    Returns
    -------
    Array
        Of the same elements.

    Raises
    ------
    ValueError
        If ``axes`` is no permutation.

    Notes
    -----
    NumPy, ``transpose``. The standard's own function is :func:`permute_dims`.
    """
    device_of(a)
    return xp.permute_dims(a, tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))


def _weights(weights: Array, x: Array, device: Device) -> Array:
    """The weights of a count, as floating-point numbers."""
    device_of(weights, "bincount")
    if weights.shape != x.shape:
        raise ValueError(f"bincount(): weights of shape {weights.shape} do not fit integers of shape {x.shape}")
    if weights.dtype.kind == "c":
        raise TypeError(
            f"bincount(): weights are real numbers, not dtype {weights.dtype}; weigh the parts by themselves"
        )
    weights = wrap(native_operand(weights, device, "bincount"), device)
    return xp.astype(weights, device.default_dtypes["real floating"], copy=False)


def _segment_sums(keys: Array, values: Array) -> tuple[Array, Array]:
    """Each of some sorted keys once, and the sum of its values: neighbours of one key are added until none are left."""
    while True:
        same = keys[1:] == keys[:-1]
        if not keys.size or not xp.any(same):
            return keys, values
        rank = xp.arange(keys.shape[0], device=keys.device) - xp.searchsorted(keys, keys)
        paired = xp.concat((same, xp.zeros(1, dtype=same.dtype, device=same.device)))
        following = xp.concat((values[1:], xp.zeros(1, dtype=values.dtype, device=values.device)))
        values = xp.where(paired, values + following, values)
        kept = rank % 2 == 0
        keys, values = keys[kept], values[kept]


def _convolved(a: Array, v: Array) -> Array:
    """The full convolution: the device's own, or rows of products, each moved on by one, summed over blocks of rows."""
    n, m, device = a.shape[0], v.shape[0], a._device
    native = vars(device.xp).get("direct_convolution")
    if native is not None:
        return apply(device, native, a._native, v._native)
    result = xp.zeros(n + m - 1, dtype=a.dtype, device=device)
    start = 0
    while start < m:
        rows = max(1, min(m - start, BLOCK // (n + m)))
        products = v[start : start + rows, None] * a[None, :]
        margin = xp.zeros((rows, rows), dtype=a.dtype, device=device)
        # With rows longer by one than they are read, each row begins one element later than the one before.
        moved = xp.reshape(xp.concat((products, margin), axis=1), (-1,))[: rows * (n + rows - 1)]
        summed = xp.sum(xp.reshape(moved, (rows, n + rows - 1)), axis=0, dtype=a.dtype)
        result[start : start + n + rows - 1] = result[start : start + n + rows - 1] + summed
        start += rows
    return result


def _comparable(a: Any, b: Any, device: Device) -> tuple[Array, Array]:
    """Two operands as Arrays of one floating-point dtype; Python scalars have no say in its precision."""
    kinds: list[Any] = [x if x.__class__ in SCALARS else x.dtype for x in (a, b)]
    dtype = result_type(*kinds)
    if kind_of(dtype) not in "fc":
        dtype = device.default_dtypes["real floating"]
    a, b = (x if isinstance(x, Array) else xp.asarray(x, device=device) for x in (a, b))
    return xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)


def _along(x: Array, axis: int, ndim: int) -> Array:
    """A vector as an array whose only axis longer than 1 is a given one."""
    return xp.reshape(x, (*(1,) * axis, -1, *(1,) * (ndim - axis - 1)))


def _put(arr: Array, key: tuple[Array, ...], values: Any, shape: tuple[int, ...]) -> None:
    """``arr[key] = values`` for index arrays, without an assignment to index arrays."""
    device = arr._device
    position = xp.zeros(shape, dtype=device.default_dtypes["integral"], device=device)
    for indices, length in zip(key, arr.shape, strict=True):
        position = position * length + xp.where(indices < 0, indices + length, indices)
    if not isinstance(values, Array):
        values = xp.asarray(values, dtype=arr.dtype, device=device)
    values = xp.reshape(xp.broadcast_to(xp.astype(values, arr.dtype), shape), (-1,))
    position = xp.reshape(position, (-1,))
    order = xp.argsort(position)
    position, values = xp.take(position, order), xp.take(values, order)
    targets = xp.arange(arr.size, dtype=position.dtype, device=device)
    last = xp.maximum(xp.searchsorted(position, targets, side="right") - 1, 0)
    named = xp.take(position, last) == targets
    arr[...] = xp.reshape(xp.where(named, xp.take(values, last), xp.reshape(arr, (-1,))), arr.shape)
