"""Kernels of machine code for the host's CPU, compiled by LLVM: an overlay over NumPy.

The device ``cpu`` is served by this overlay where llvmlite is installed; the device ``numpy`` is NumPy alone. Arrays
are NumPy's. Operands of few elements are computed by NumPy, called as without the overlay. :func:`count_calls` counts
the calls of kernels.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from xtensor.backend import Backend, BackendUnavailableError, Generator, Memory, Overlay, install_command, rewarn

__all__ = ["LlvmBackend", "backend", "count_calls"]

OLDEST = (0, 47)
"""The oldest supported version of llvmlite."""


MODULES = (
    *("_copies", "_elementwise", "_few_rows", "_fourier", "_products"),
    *("_quantized", "_random", "_reductions", "_scans", "_selection"),
)
"""The modules that have kernels."""


class LlvmBackend(Overlay):
    """Kernels over NumPy's arrays."""

    name = "llvm"
    kinds = ("cpu",)
    requires = "llvmlite>=0.47"

    def probe(self) -> str:
        self.storage("cpu")[0].probe()
        remedy = install_command(self.requires)
        try:
            version = importlib.metadata.version("llvmlite")
        except importlib.metadata.PackageNotFoundError as error:
            raise BackendUnavailableError("llvmlite is not installed", remedy) from error
        match = re.match(r"(\d+)\.(\d+)", version)
        if match is not None and (int(match[1]), int(match[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise BackendUnavailableError(f"llvmlite is {version}, and {oldest} or newer is needed", remedy)
        try:
            import llvmlite.binding

            _ = llvmlite.binding.llvm_version_info  # loads LLVM
        except Exception as error:
            raise BackendUnavailableError(
                f"llvmlite {version} cannot be imported: {type(error).__name__}: {error}", remedy
            ) from error
        return version

    def devices(self) -> Sequence[str]:
        return ("cpu",)

    def rank(self, spec: str) -> int:
        return 1

    def storage(self, spec: str) -> tuple[Backend, str]:
        from xtensor_backends.numpy import backend as numpy

        return numpy, "cpu"

    def kernels(self, spec: str) -> Mapping[str, Callable[..., Any]]:
        if not _works():
            return {}
        modules = [importlib.import_module(f".{name}", __name__) for name in MODULES]
        return {name: kernel for module in modules for name, kernel in module.kernels().items()}

    def generator(self, spec: str) -> Generator | None:
        if not _works():
            return None
        from ._generator import LlvmGenerator

        return LlvmGenerator()

    def memory(self, spec: str) -> Memory:
        memory = super().memory(spec)
        if not _works():
            return memory
        from . import _memory

        used = _memory.used()
        return memory._replace(pool_used=used, pool_total=used + _memory.held())

    def release_memory(self, spec: str) -> None:
        super().release_memory(spec)
        if _works():
            from . import _memory

            _memory.release()

    def limit_pool(self, spec: str, size: int) -> None:
        super().limit_pool(spec, size)
        if _works():
            from . import _memory

            _memory.set_limit(size)


@functools.cache
def _works() -> bool:
    """Whether the modules that compile can be imported; the first call tries it, and warns where they cannot."""
    try:
        importlib.import_module("._reductions", __name__)
    except Exception as error:
        rewarn(
            RuntimeWarning(
                "device cpu works without its compiled kernels, because LLVM cannot be used: "
                f"{type(error).__name__}: {error}"
            )
        )
        return False
    return True


def count_calls() -> AbstractContextManager[Any]:
    """Count the calls of kernels inside a ``with`` block; see :class:`xtensor_backends.llvm._counts.Calls`."""
    from . import _calls

    return _calls.count_calls()


backend = LlvmBackend()
"""The backend that the entry point ``llvm`` names."""
