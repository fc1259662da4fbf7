"""The device ``plain:0``: a backend complete in a page, to start one of your own from.

NumPy plays the library's part. It has nearly everything the standard asks for under the standard's names, so what is
left is what every backend has to say: how its library is found, which devices there are, how values come and go, which
functions differ in signature, and which of the shared corrections it needs.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from xtensor.backend import Backend, BackendUnavailableError


class PlainBackend(Backend):
    """A library that computes in the host's memory."""

    name = "plain"
    kinds = ("plain",)
    requires = "xtensor-plain"
    corrections = ("expm1", "floor_divide", "tanh")

    def probe(self) -> str:
        # The library is imported here, not above: a user without it must still be able to import xtensor.
        try:
            import numpy
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
        return native  # the host's memory already; a GPU's library copies here

    def from_host(self, array: Any, spec: str, *, copy: bool | None) -> Any:
        return self.library.array(array, copy=copy)  # raises ValueError where copy=False cannot be kept

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)  # the host; (2, 0) is the first CUDA device, see the DLPack specification

    def rank(self, spec: str) -> int:
        return -100  # never the default device by itself


def namespace(np: Any) -> SimpleNamespace:
    """The library's functions in the standard's names; those that differ in signature are adapted."""

    def complex_of(real: Any, imag: Any) -> Any:
        result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
        result.real, result.imag = real, imag
        return result

    def sort(x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
        result = np.sort(x, axis=axis, stable=stable)
        return np.flip(result, axis=axis) if descending else result

    def argsort(x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
        if not descending:
            return np.argsort(x, axis=axis, stable=stable)
        order = np.argsort(np.flip(x, axis=axis), axis=axis, stable=stable)
        return np.flip(x.shape[axis] - 1 - order, axis=axis)

    def diff(x: Any, *, axis: int, n: int, **edges: Any) -> Any:
        return np.diff(x, n=n, axis=axis, **edges)

    functions = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    functions |= {
        "argsort": argsort,
        "clip": lambda x, lower, upper: np.clip(x, lower, upper),
        "complex_of": complex_of,
        "diff": diff,
        "reshape": lambda x, shape, *, copy=None: np.reshape(x, shape, copy=copy),
        "sort": sort,
        "std": lambda x, *, axis, correction, keepdims: np.std(x, axis=axis, ddof=correction, keepdims=keepdims),
        "var": lambda x, *, axis, correction, keepdims: np.var(x, axis=axis, ddof=correction, keepdims=keepdims),
    }
    return SimpleNamespace(**functions)


backend = PlainBackend()
