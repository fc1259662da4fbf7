"""dpnp's functions in the standard's names and signatures: dpnp's own, except those defined in this package."""

from __future__ import annotations

from typing import Any

import dpnp
import numpy as np

from xtensor.backend import DType, Native

from ._creation import Creation
from ._elementwise import Elementwise
from ._linear_algebra import Fourier, Linalg, matmul, read_only, vecdot
from ._special import Special

__all__ = ["Namespace"]

COMPOSED = frozenset(
    (
        *("linspace", "ones", "take", "take_along_axis", "tensordot", "zeros"),
        *("deg2rad", "degrees", "divmod", "float_power", "lcm", "ldexp", "logaddexp2", "rad2deg", "radians", "spacing"),
        *("matvec", "vecmat"),
    )
)
"""Functions that are compositions of the other ones.

dpnp's creation functions use a queue of their own by default, its ``take`` reads out of bounds, and its ``tensordot``
uses its own ``matmul``.

Departures from NumPy: dpnp's conversions of angles err by two units in the last place, ``divmod`` is NaN for subnormal
divisors, ``float_power`` computes in float32, ``lcm`` is positive where it wraps around, ``ldexp`` wraps large
exponents around, ``logaddexp2`` of float16 errs by eight units in the last place, the ``spacing`` of -0 is negative,
and ``matvec`` and ``vecmat`` refuse shapes that broadcast.
"""

Axes = int | tuple[int, ...] | None

HALF = np.dtype(np.float16)


class Namespace(Creation, Elementwise):
    """The functions of one device."""

    def __init__(self, queue: Any) -> None:
        Creation.__init__(self, queue)
        Elementwise.__init__(self)
        self.linalg = Linalg()
        self.fft = Fourier()
        self.special = Special()
        self.inplace = Inplace()

    matmul = staticmethod(matmul)
    vecdot = staticmethod(vecdot)

    def __getattr__(self, name: str) -> Any:
        if name in COMPOSED:
            raise AttributeError(name)
        return getattr(dpnp, name)

    @staticmethod
    def broadcast_to(x: Native, shape: tuple[int, ...]) -> Native:
        return read_only(dpnp.broadcast_to(x, shape))

    @staticmethod
    def convolve(x1: Native, x2: Native) -> Native:
        # dpnp's multiplies NaN and infinities with the zeros around the sequences.
        return dpnp.convolve(x1, x2) if x1.dtype.kind in "biu" else NotImplemented

    # -- searching ----------------------------------------------------------------------------------------------------

    @staticmethod
    def argmax(x: Native, *, axis: int | None, keepdims: bool) -> Native:
        # dpnp finds the last NaN, the standard's rule for ties requires the first.
        return NotImplemented if x.dtype.kind in "fc" else dpnp.argmax(x, axis=axis, keepdims=keepdims)

    @staticmethod
    def argmin(x: Native, *, axis: int | None, keepdims: bool) -> Native:
        return NotImplemented if x.dtype.kind in "fc" else dpnp.argmin(x, axis=axis, keepdims=keepdims)

    @staticmethod
    def isin(x1: Native | complex, x2: Native | complex, *, invert: bool) -> Native:
        kinds = {np.result_type(getattr(x, "dtype", x)).kind for x in (x1, x2)}
        dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
        if kinds == {"i", "u"} and dtype.kind == "f":
            return NotImplemented  # int64 next to uint64: float64 cannot tell neighbours apart
        return dpnp.isin(x1, x2, invert=invert)

    @staticmethod
    def diff(x: Native, *, n: int, **options: Any) -> Native:
        # NumPy adds no edges for n = 0.
        return NotImplemented if n == 0 else dpnp.diff(x, n=n, **options)

    # -- reductions of float16, which dpnp accumulates in float16 ------------------------------------------------------

    @staticmethod
    def mean(x: Native, *, axis: Axes, keepdims: bool) -> Native:
        return NotImplemented if x.dtype == HALF else dpnp.mean(x, axis=axis, keepdims=keepdims)

    @staticmethod
    def sum(x: Native, *, axis: Axes, dtype: DType | None, keepdims: bool) -> Native:
        if (x.dtype if dtype is None else dtype) != HALF:
            return dpnp.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
        return dpnp.astype(dpnp.sum(x, axis=axis, dtype=np.float32, keepdims=keepdims), HALF)

    @staticmethod
    def var(x: Native, *, axis: Axes, correction: float, keepdims: bool) -> Native:
        return NotImplemented if x.dtype == HALF else dpnp.var(x, axis=axis, correction=correction, keepdims=keepdims)

    @staticmethod
    def std(x: Native, *, axis: Axes, correction: float, keepdims: bool) -> Native:
        return NotImplemented if x.dtype == HALF else dpnp.std(x, axis=axis, correction=correction, keepdims=keepdims)


class Inplace:
    """In-place operators that are neither dpnp's nor computed and assigned."""

    @staticmethod
    def bitwise_and(x1: Native, x2: Native | int) -> Native:
        # dpnp writes the bits of uint64 into int64, whose common dtype has no bits.
        if hasattr(x2, "dtype") and np.result_type(x1.dtype, x2.dtype).kind == "f":
            raise TypeError(f"the bits of {x1.dtype} and {x2.dtype} have no common dtype")
        return NotImplemented

    bitwise_or = bitwise_xor = bitwise_left_shift = bitwise_and

    @staticmethod
    def divide(x1: Native, x2: Native | float) -> Native:
        # Correctly rounded, as the function is.
        if x1.dtype.kind != "f" or np.result_type(x1.dtype, getattr(x2, "dtype", x2)) != x1.dtype:
            return NotImplemented
        divisor = dpnp.get_usm_ndarray(x2) if hasattr(x2, "dtype") else x2
        dpnp.tensor.divide(dpnp.get_usm_ndarray(x1), divisor, out=dpnp.get_usm_ndarray(x1))
        return x1
