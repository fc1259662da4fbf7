"""Discrete convolution, with NumPy's name and signature."""

from __future__ import annotations

from typing import Literal

from .. import _standard as xp
from .._core.array import Array, attempt, wrap
from .._core.checks import check_word
from .._core.dispatch import beside, common_device, composed, device_of, native_operand
from .._core.dtypes import result_type
from .._core.operations import declare

__all__ = ["convolve"]


CONVOLVE = declare(
    "convolve", "signal", operands=2, accepts="numeric", shape="argument", numpy="convolve", primitive=False
)

BLOCK = 1 << 22
"""The largest number of products in memory at once: 32 MiB of float64."""


@composed
def convolve(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "full") -> Array:
    r"""Return the discrete convolution, :math:`c_n = \sum_m a_m v_{n - m}`, of two sequences.

    Parameters
    ----------
    a, v
        Arrays of shapes ``(N,)`` and ``(M,)``, not empty. A 0-d Array counts as one element.
    mode
        The part of the convolution to return:

        - ``"full"``: all ``N + M - 1`` elements;
        - ``"same"``: the middle ``max(N, M)`` elements;
        - ``"valid"``: the ``max(N, M) - min(N, M) + 1`` elements for which the sequences overlap completely.

    Returns
    -------
    Array
        The convolution, of one dimension and the promoted dtype.

    Raises
    ------
    ValueError
        If an array is empty or has more than one dimension, or ``mode`` is unknown.

    Notes
    -----
    NumPy, ``convolve``. Computed as a sum of products: integers are exact, and a NaN affects only the elements whose
    sum contains it. For long floating-point sequences, a product of Fourier transforms is faster.
    """
    a, v = beside("convolve", a, v)
    for x in (a, v):
        device_of(x, "convolve")
    device = common_device((a, v)) or a._device
    check_word(mode, ("full", "same", "valid"), "convolve", "mode")
    for x in (a, v):
        if x.ndim > 1 or not x.size:
            raise ValueError(f"convolve() takes arrays of one dimension and at least one element, not shape {x.shape}")
    dtype = result_type(a.dtype, v.dtype)
    compute_dtype = device.default_dtypes["integral"] if dtype.kind == "b" else dtype
    a, v = (wrap(native_operand(x, device, "convolve"), device) for x in (a, v))
    a, v = (xp.astype(xp.reshape(x, (-1,)), compute_dtype, copy=False) for x in (a, v))
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    longer, shorter = a.shape[0], v.shape[0]
    full = _full_convolution(a, v)
    if dtype.kind == "b":
        full = xp.astype(full > 0, dtype)
    if mode == "full":
        return full
    if mode == "same":
        start = (shorter - 1) // 2
        return full[start : start + longer]
    return full[shorter - 1 : longer]


def _full_convolution(a: Array, v: Array) -> Array:
    """Return the full convolution: the device's own, or the sum over blocks of shifted rows of products."""
    n, m, device = a.shape[0], v.shape[0], a._device
    native_result: Array = attempt(CONVOLVE, device, a._native, v._native)
    if native_result is not NotImplemented:
        return native_result
    result = xp.zeros(n + m - 1, dtype=a.dtype, device=device)
    start = 0
    while start < m:
        rows = max(1, min(m - start, BLOCK // (n + m)))
        products = v[start : start + rows, None] * a[None, :]
        margin = xp.zeros((rows, rows), dtype=a.dtype, device=device)
        # Rows of n + rows elements are read as rows of one element less: each row shifts by one more than the previous.
        shifted = xp.reshape(xp.concat((products, margin), axis=1), (-1,))[: rows * (n + rows - 1)]
        block = xp.sum(xp.reshape(shifted, (rows, n + rows - 1)), axis=0, dtype=a.dtype)
        result[start : start + n + rows - 1] = result[start : start + n + rows - 1] + block
        start += rows
    return result
