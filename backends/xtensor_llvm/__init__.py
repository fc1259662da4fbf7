"""Kernels of machine code for the host's CPU, compiled by LLVM: an overlay over NumPy.

The device ``cpu`` is served by this overlay where llvmlite is installed; the device ``numpy`` is NumPy alone. Arrays
are NumPy's. Operands of few elements are computed by NumPy, called as without the overlay.
"""

from __future__ import annotations

import importlib.metadata
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xtensor.backend import Backend, BackendUnavailableError, Generator, Overlay, install_command

__all__ = ["LlvmBackend", "backend"]

OLDEST = (0, 47)
"""The oldest supported version of llvmlite."""


class LlvmBackend(Overlay):
    """Kernels over NumPy's arrays."""

    name = "llvm"
    kinds = ("cpu",)
    requires = "llvmlite>=0.47"

    def probe(self) -> str:
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
            import llvmlite.binding  # noqa: F401 - loads LLVM
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
        from xtensor_numpy import backend as numpy

        return numpy, "cpu"

    def kernels(self, spec: str) -> Mapping[str, Callable[..., Any]]:
        try:
            from . import _elementwise, _reductions  # import llvmlite

            return {**_elementwise.kernels(), **_reductions.kernels()}
        except Exception as error:
            warnings.warn(
                f"device {spec} works without its compiled kernels, because LLVM cannot be used: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
            return {}

    def generator(self, spec: str) -> Generator:
        from ._generator import LlvmGenerator

        return LlvmGenerator()


backend = LlvmBackend()
"""The backend that the entry point ``llvm`` names."""
