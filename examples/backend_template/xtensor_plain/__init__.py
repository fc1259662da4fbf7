"""The device ``plain:0``: a complete backend in a page, to start your own from.

NumPy plays the library's part. The namespace holds the primitives and nothing else: xtensor composes all other
functions of them, and the device passes the official suite. Add your library's function wherever it is faster than the
composition.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from xtensor.backend import LAPACK_CORRECTIONS, Backend, BackendUnavailableError

ELEMENTWISE = (
    *("abs", "negative", "sqrt", "exp", "expm1", "log", "log1p", "floor", "round", "real", "imag", "bitwise_invert"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow", "atan2", "copysign", "nextafter"),
    *("equal", "less", "less_equal", "bitwise_and", "bitwise_or", "bitwise_left_shift", "bitwise_right_shift"),
)
"""The primitives of one or two operands."""

OTHERS = (
    *("arange", "full", "broadcast_to", "reshape", "where", "nonzero", "searchsorted", "matmul"),
    *("sum", "prod", "max", "min", "cumulative_sum", "cumulative_prod"),
)
"""Primitives with options, which NumPy takes as the standard spells them."""

LINALG = ("cholesky", "eig", "eigh", "qr", "slogdet", "solve", "svd")


class PlainBackend(Backend):
    """A library that computes in the host's memory."""

    name = "plain"
    kinds = ("plain",)
    requires = "xtensor-plain"
    corrections = ("expm1", "floor_divide", "tanh", *LAPACK_CORRECTIONS)  # where NumPy's functions depart

    def probe(self) -> str:
        try:
            import numpy  # imported here: a user without the library must be able to import xtensor
        except ImportError as error:
            raise BackendUnavailableError(
                "the library numpy is not installed", "python -m pip install numpy"
            ) from error
        self.library = numpy
        return numpy.__version__

    def devices(self) -> tuple[str, ...]:
        return ("plain:0",)

    @property
    def native_type(self) -> type:
        return self.library.ndarray

    def namespace(self, spec: str) -> Any:
        return namespace(self.library)

    def to_host(self, native: Any) -> Any:
        return native  # in the host's memory already; a GPU's library copies here

    def from_host(self, array: Any, spec: str, *, copy: bool | None) -> Any:
        return self.library.array(array, copy=copy)  # raises ValueError where copy=False is impossible

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)  # the host; (2, 0) is the first CUDA device, see the DLPack specification

    def rank(self, spec: str) -> int:
        return -100  # never the default device unless it is asked for


def namespace(np: Any) -> SimpleNamespace:
    """Return the primitives in the standard's names and signatures; those that differ in NumPy are adapted."""

    def argsort(x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
        if not descending:
            return np.argsort(x, axis=axis, stable=stable)
        order = np.argsort(np.flip(x, axis=axis), axis=axis, stable=stable)
        return np.flip(x.shape[axis] - 1 - order, axis=axis)

    def complex_of(real: Any, imag: Any) -> Any:
        result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
        result.real, result.imag = real, imag
        return result

    return SimpleNamespace(
        **{name: getattr(np, name) for name in (*ELEMENTWISE, *OTHERS)},
        argsort=argsort,
        astype=lambda x, dtype, *, copy=True: np.asarray(x).astype(dtype, copy=copy),
        complex_of=complex_of,
        concat=lambda arrays, *, axis: np.concat(arrays, axis=axis),
        permute_dims=lambda x, axes: np.transpose(x, axes),
        linalg=SimpleNamespace(**{name: getattr(np.linalg, name) for name in LINALG}),
        fft=SimpleNamespace(fft=np.fft.fft),
    )


backend = PlainBackend()
