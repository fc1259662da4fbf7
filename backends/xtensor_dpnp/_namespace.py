"""dpnp's functions in the standard's names and signatures.

Most are dpnp's own; those that create take the queue of their device, on which all its arrays are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dpnp
import numpy as np
from dpctl.memory import USMAllocationError

from xtensor.backend import DType, Native

from ._indexing import checked_positions
from ._special import Special

__all__ = ["Namespace", "created", "out_of_memory"]


EXHAUSTED = (
    *("unable to allocate", "allocation failed", "out_of_host_memory", "out_of_device_memory"),
    "request allocation must be positive",  # its size went beyond 64 bits
)
"""What errors without a class of their own say when memory ran out, in dpnp's and the drivers' words."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an error of dpnp or of a driver means that memory ran out."""
    if isinstance(error, (MemoryError, USMAllocationError)):
        return True
    return isinstance(error, (RuntimeError, ValueError)) and any(words in str(error).lower() for words in EXHAUSTED)


def created(create: Callable[..., Native], nbytes: int, *args: Any, **kwargs: Any) -> Native:
    """A new array; the error says how many bytes were asked for where memory ran out, which dpnp's does not."""
    try:
        return create(*args, **kwargs)
    except Exception as error:
        if not out_of_memory(error):
            raise
        raise MemoryError(f"{nbytes} bytes were asked for: {error}") from error


class Creation:
    """The functions that create arrays, on one queue."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def _created(self, create: Callable[..., Native], size: int, *args: Any, dtype: DType, **kwargs: Any) -> Native:
        nbytes = size * dtype.itemsize
        return created(create, nbytes, *args, dtype=dtype, sycl_queue=self._queue, **kwargs)

    def arange(self, start: float, stop: float, step: float, *, dtype: DType) -> Native:
        size = max(0, math.ceil((stop - start) / step))
        return self._created(dpnp.arange, size, start, stop, step, dtype=dtype)

    def empty(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._created(dpnp.empty, math.prod(shape), shape, dtype=dtype)

    def eye(self, rows: int, columns: int, *, k: int, dtype: DType) -> Native:
        return self._created(dpnp.eye, rows * columns, rows, columns, k=k, dtype=dtype)

    def full(self, shape: tuple[int, ...], fill_value: Any, *, dtype: DType) -> Native:
        return self._created(dpnp.full, math.prod(shape), shape, fill_value, dtype=dtype)

    def linspace(self, start: complex, stop: complex, num: int, *, dtype: DType, endpoint: bool) -> Native:
        return self._created(dpnp.linspace, num, start, stop, num, dtype=dtype, endpoint=endpoint)

    def ones(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._created(dpnp.ones, math.prod(shape), shape, dtype=dtype)

    def zeros(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._created(dpnp.zeros, math.prod(shape), shape, dtype=dtype)


COMPLEX_BY_ONEMKL = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)
"""What dpnp leaves to oneMKL for contiguous complex arrays, and computes less well itself for others."""


def contiguously(function: Callable[[Native], Native]) -> Callable[[Native], Native]:
    """A function of one array that meets complex numbers in contiguous arrays only.

    In others, those without axes included, dpnp has ``asin(1e6j)`` as infinite and loses the signs of zeros.
    """

    def computed(x: Native) -> Native:
        if x.dtype.kind != "c" or (x.ndim and x.flags.c_contiguous):
            return function(x)
        return dpnp.reshape(function(dpnp.reshape(dpnp.ascontiguousarray(x), (-1,))), x.shape)

    return computed


class Namespace(Creation):
    """The functions of one device: dpnp's, but for those defined here."""

    def __init__(self, queue: Any) -> None:
        super().__init__(queue)
        for name in COMPLEX_BY_ONEMKL:
            setattr(self, name, contiguously(getattr(dpnp, name)))
        self.linalg = dpnp.linalg
        self.fft = Fourier(queue)
        self.special = Special()

    def __getattr__(self, name: str) -> Any:
        return getattr(dpnp, name)

    @staticmethod
    def complex_of(real: Native, imag: Native) -> Native:
        """``real + imag·j``, each component exactly as given."""
        shape = np.broadcast_shapes(real.shape, imag.shape)
        result = dpnp.empty(shape, dtype=np.result_type(real.dtype, np.complex64), sycl_queue=real.sycl_queue)
        result.real, result.imag = real, imag
        return result

    @staticmethod
    def clip(x: Native, lower: Native | float | None, upper: Native | float | None) -> Native:
        # dpnp does not promote the array to the dtype of wider bounds.
        bounds = (getattr(bound, "dtype", bound) for bound in (lower, upper) if bound is not None)
        dtype = np.result_type(x.dtype, *bounds)
        return dpnp.clip(dpnp.astype(x, dtype, copy=False), lower, upper)

    @staticmethod
    def floor_divide(x1: Native | float, x2: Native | float) -> Native:
        # dpnp's quotient of floats is rounded before its floor is taken: 1.0 // 0.1 would be 10.
        dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
        return NotImplemented if dtype.kind == "f" else dpnp.floor_divide(x1, x2)

    @staticmethod
    def reciprocal(x: Native) -> Native:
        # dpnp converts integers to floats.
        return dpnp.reciprocal(x) if x.dtype.kind in "fc" else NotImplemented

    @staticmethod
    def round(x: Native) -> Native:
        return dpnp.round(x) if x.dtype.kind in "fc" else dpnp.astype(x, x.dtype, copy=True)

    @staticmethod
    def take(x: Native, indices: Native, *, axis: int) -> Native:
        return dpnp.take(x, checked_positions(indices, x.shape[axis]), axis=axis)

    @staticmethod
    def take_along_axis(x: Native, indices: Native, *, axis: int) -> Native:
        return dpnp.take_along_axis(x, checked_positions(indices, x.shape[axis]), axis=axis)

    @staticmethod
    def where(condition: Native, x1: Native | float, x2: Native | float) -> Native:
        return dpnp.where(*(forwards(operand) for operand in (condition, x1, x2)))


def forwards(operand: Native | float) -> Native | float:
    """An operand that does not run backwards through memory: dpnp's where reads beside such arrays."""
    if any(stride < 0 for stride in getattr(operand, "strides", ())):
        return dpnp.ascontiguousarray(operand)
    return operand


class Fourier:
    """dpnp's Fourier transforms, frequencies on one queue."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        return getattr(dpnp.fft, name)

    def fftfreq(self, n: int, *, d: float) -> Native:
        return dpnp.fft.fftfreq(n, d, sycl_queue=self._queue)

    def rfftfreq(self, n: int, *, d: float) -> Native:
        return dpnp.fft.rfftfreq(n, d, sycl_queue=self._queue)
