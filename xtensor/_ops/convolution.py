"""Discrete convolution and correlation, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import call_if_implemented
from .._core.checks import is_word
from .._core.compositions import composed
from .._core.dtypes import result_type
from .._core.errors import describe, shortened
from .._core.operations import declare
from . import _casts
from ._arguments import as_arrays, flattened

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["convolve", "correlate"]


CONVOLVE = declare(
    "convolve", "signal", operands=2, accepts="numeric", shape="argument", numpy="convolve", primitive=False
)

BLOCK = 1 << 22
"""The largest number of products in memory at once: 32 MiB of float64."""


@composed
def convolve(a: AnyArray, v: AnyArray, mode: Literal["full", "same", "valid"] = "full") -> Array:
    r"""Return the discrete convolution, :math:`c_n = \sum_m a_m v_{n - m}`, of two sequences.

    Parameters
    ----------
    a, v
        Arrays of shapes ``(N,)`` and ``(M,)``, not empty; one of them may be an array-like. A 0-d Array counts as one
        element.
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
    a, v = _sequences("convolve", a, v, mode, ("a", "v"))
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    return _part(_convolution(a, v), mode, (v.shape[0] - 1) // 2, a.shape[0], v.shape[0])


@composed
def correlate(a: AnyArray, v: AnyArray, mode: Literal["full", "same", "valid"] = "valid") -> Array:
    r"""Return the cross-correlation, :math:`c_k = \sum_n a_{n + k} \overline{v_n}`, of two sequences.

    Parameters
    ----------
    a, v
        Arrays of shapes ``(N,)`` and ``(M,)``, not empty; one of them may be an array-like.
    mode
        The part of the correlation to return, as in :func:`convolve`.

    Returns
    -------
    Array
        The correlation, of one dimension and the promoted dtype.

    Raises
    ------
    ValueError
        If an array is empty or has more than one dimension, or ``mode`` is unknown.

    Notes
    -----
    NumPy, ``correlate``. Computed as the convolution with the reversed conjugate of ``v``.
    """
    a, v = _sequences("correlate", a, v, mode, ("first array argument", "second array argument"))
    n, m = a.shape[0], v.shape[0]
    v = xp.flip(v)
    # NumPy exchanges the sequences if the second one is longer, and reverses the result: the middle is another one.
    start = (m - 1) // 2 if n >= m else n // 2
    return _part(_convolution(a, xp.conj(v) if v.dtype.kind == "c" else v), mode, start, max(n, m), min(n, m))


def _sequences(name: str, a: Any, v: Any, mode: Any, labels: tuple[str, str]) -> tuple[Array, Array]:
    """Return two array-likes as Arrays of one dimension, and check the mode."""
    if not is_word(mode, ("valid", "same", "full")):
        raise ValueError(
            f"mode must be one of 'valid', 'same', or 'full' (got {shortened(mode)}); {name}() does not "
            f"know {describe(mode)}"
        )
    arrays = as_arrays(name, a, v)
    for label, x in zip(labels, arrays, strict=True):
        if x.ndim > 1:
            raise ValueError(
                f"object too deep for desired array; {name}() takes arrays of one dimension and at least one element, "
                f"not shape {x.shape}"
            )
        if not x.ndim and name == "correlate":
            raise ValueError(
                f"object of too small depth for desired array; {name}() got {describe(a)} and {describe(v)}"
            )
        if not x.size:
            raise ValueError(f"{label} cannot be empty; {name}() takes arrays of at least one element")
    return flattened(arrays[0]), flattened(arrays[1])


def _part(full: Array, mode: str, start: int, longer: int, shorter: int) -> Array:
    """Return the part of a convolution that a mode selects; ``start`` is where the middle begins."""
    if mode == "full":
        return full
    if mode == "same":
        return full[start : start + longer]
    return full[shorter - 1 : longer]


def _convolution(a: Array, v: Array) -> Array:
    """Return the full convolution in the promoted dtype; that of booleans tells whether any product is True."""
    dtype = _casts.supported(result_type(a.dtype, v.dtype), a.device)
    compute_dtype = a.device.default_dtypes["integral"] if dtype.kind == "b" else dtype
    a, v = (xp.astype(x, compute_dtype, copy=False) for x in (a, v))
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    full = _full_convolution(a, v)
    return xp.astype(full > 0, dtype) if dtype.kind == "b" else full


def _full_convolution(a: Array, v: Array) -> Array:
    """Return the full convolution: the device's own, or the sum over blocks of shifted rows of products."""
    n, m, device = a.shape[0], v.shape[0], a._device
    native_result: Array = call_if_implemented(CONVOLVE, device, a._native, v._native)
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
