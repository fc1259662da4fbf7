"""The functions of the device ``dask`` on native arrays, by the ways of ``_ways.py``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from xtensor.backend import TABLE, wrapped_namespace

from . import _axes, _elementwise, _linalg, _random, _reductions, _structure
from ._native import Chunked, check_chunk_device
from ._ways import BY_CHUNK, way

__all__ = ["functions"]


VIEWS = ("broadcast_to", "permute_dims", "reshape")
"""Functions of native arrays that return views."""


@cache
def functions() -> Any:
    """Return the functions with the standard's names and parameters."""
    check_chunk_device()
    found = wrapped_namespace(Chunked, _Namespace())
    for name in VIEWS:
        setattr(found, name, getattr(_structure, name))
    found.random = SimpleNamespace(**{name: _wrapping(getattr(_random, name)) for name in _random.__all__})
    return found


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **options: Chunked.wrap(function(**options))


def _check_way(name: str) -> None:
    """Raise AttributeError unless a function goes chunk by chunk."""
    if name not in TABLE or way(name) != BY_CHUNK:
        raise AttributeError(name)


class _Special:
    """Special functions of dask arrays."""

    def __getattr__(self, name: str) -> Any:
        _check_way(f"special.{name}")
        return _elementwise.elementwise(f"special.{name}")


class _Namespace:
    """Functions of dask arrays."""

    special = _Special()

    def __init__(self) -> None:
        self.linalg = SimpleNamespace(
            cholesky=_linalg.cholesky,
            qr=_linalg.qr,
            svd=_linalg.svd,
            solve=_linalg.solve,
            eig=_linalg.of_matrices("linalg.eig", "(n,n)->(n),(n,n)"),
            eigh=_linalg.of_matrices("linalg.eigh", "(n,n)->(n),(n,n)"),
            slogdet=_linalg.of_matrices("linalg.slogdet", "(n,n)->(),()"),
        )
        self.fft = SimpleNamespace(**{name: _axes.fourier(f"fft.{name}") for name in _axes.TRANSFORMS})
        self.matmul = _linalg.matmul
        self.astype = _elementwise.astype
        for module in (_structure, _axes):
            for name in module.__all__:
                if name not in VIEWS and name != "reshaped":
                    setattr(self, name, getattr(module, name))
        for name in ("mean", "var", "std"):
            setattr(self, name, getattr(_reductions, name))
        for name in _reductions.REDUCTIONS:
            setattr(self, name, _reductions.reduction(name))

    def __getattr__(self, name: str) -> Any:
        _check_way(name)
        if TABLE[name].dtype == "several":
            return _elementwise.of_several_results(name)
        return _elementwise.elementwise(name)
