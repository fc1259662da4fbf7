"""Fourier transforms over two axes, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.documentation import documented
from .._core.dtypes import kind_of, result_type
from .._core.errors import shortened
from .._ops._arguments import as_arrays, store
from ._along_axes import fftn, ifftn, irfftn, rfftn
from ._checks import Norm, check_norm, is_sequence

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["fft2", "ifft2", "irfft2", "rfft2"]


OVER_TWO_AXES = """
Parameters
----------
a
    Array of {dtypes}, of two or more dimensions{spectrum}.
s
    {lengths}
axes
    The axes to transform; by default the last two.
norm
    The scale of the sum, as for {function}; None is ``"backward"``.
out
    An Array of the shape of the result that the result is written into.

Returns
-------
Array
    {result} of the precision of ``a``; ``out`` if that is given.

Raises
------
ValueError
    If ``s`` and ``axes`` differ in length, a length is below 1, or ``norm`` is unknown.
IndexError
    If an axis is out of bounds.
TypeError
    If ``a`` is not an Array{complex}.
"""
"""Sections of the docstrings of these functions."""

OF_THE_TRANSFORM = {
    "dtypes": "any dtype",
    "spectrum": "",
    "lengths": "The length of the transform along each of ``axes``; -1 selects the length of the axis. By default the "
    "lengths of\n    the axes.",
    "result": "The transform, of the complex dtype",
    "complex": "",
}
OF_REAL_NUMBERS = OF_THE_TRANSFORM | {
    "dtypes": "a real dtype",
    "result": "The half spectrum, of the complex dtype",
    "complex": ", or is complex",
}
OF_HALF_SPECTRA = OF_THE_TRANSFORM | {
    "spectrum": ": the half spectrum along the last of ``axes``",
    "lengths": "The length of the result along each of ``axes``; -1 uses all elements of the axis. By default -1 for "
    "each.",
    "result": "The transform, of the real dtype",
}


@composed
@documented(OVER_TWO_AXES, function=":func:`fftn`", **OF_THE_TRANSFORM)
def fft2(
    a: AnyArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Return the Fourier transform over two axes.

    Notes
    -----
    NumPy, ``fft.fft2``. The function :func:`fftn` for two axes.
    """
    return _transform("fft2", fftn, a, s, axes, norm, out, complex=True)


@composed
@documented(OVER_TWO_AXES, function=":func:`ifftn`", **OF_THE_TRANSFORM)
def ifft2(
    a: AnyArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of :func:`fft2`.

    Notes
    -----
    NumPy, ``fft.ifft2``. The function :func:`ifftn` for two axes.
    """
    return _transform("ifft2", ifftn, a, s, axes, norm, out, complex=True)


@composed
@documented(OVER_TWO_AXES, function=":func:`rfftn`", **OF_REAL_NUMBERS)
def rfft2(
    a: AnyArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Return the Fourier transform of real numbers over two axes; along the last one, the half spectrum.

    Notes
    -----
    NumPy, ``fft.rfft2``. The function :func:`rfftn` for two axes.
    """
    return _transform("rfft2", rfftn, a, s, axes, norm, out, complex=False)


@composed
@documented(OVER_TWO_AXES, function=":func:`irfftn`", **OF_HALF_SPECTRA)
def irfft2(
    a: AnyArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of :func:`rfft2`.

    Notes
    -----
    NumPy, ``fft.irfft2``, which ignores ``out``. The function :func:`irfftn` for two axes.
    """
    return _transform("irfft2", irfftn, a, s, axes, norm, out, complex=True)


def _transform(
    name: str,
    function: Callable[..., Array],
    a: Any,
    s: Sequence[int] | None,
    axes: Sequence[int],
    norm: Norm,
    out: Array | None,
    *,
    complex: bool,
) -> Array:
    """Return a transform of an array-like over some axes, cast to the dtype that the transform is defined for."""
    (a,) = as_arrays(name, a)
    check_norm(norm, name)
    if s is not None and is_sequence(s) and is_sequence(axes) and len(s) != len(axes):
        raise ValueError(
            f"Shape and axes have different lengths. {name}() got s={shortened(s)} and axes={shortened(axes)}"
        )
    if kind_of(a.dtype) not in "fc":
        a = xp.astype(a, a.device.default_dtypes["real floating"])
    if complex and a.dtype.kind != "c":
        a = xp.astype(a, result_type(a.dtype, np.complex64))
    return store(name, function(a, s=s, axes=axes, norm=norm), out)
