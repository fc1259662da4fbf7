"""Triton kernels on CUDA and ROCm GPUs (``cuda:0``, ``rocm:0``, …), and in Triton's interpreter (``triton:interpret``).

The kernels read and write the arrays of a storage backend: CuPy's on a GPU, NumPy's in the interpreter. All services
are the storage backend's. A kernel function returns NotImplemented for operands that it does not support, and logs the
reason, which ``XTENSOR_LOG=debug`` shows. :func:`count_calls` counts launches and declined calls.

A process either compiles or interprets kernels: it can open GPUs or ``triton:interpret``, not both.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xtensor.backend import Backend, BackendUnavailableError, Generator, Overlay, install_command, rewarn

from ._calls import Calls, count_calls

__all__ = ["Calls", "TritonBackend", "backend", "count_calls"]

OLDEST = (3, 6)
"""The oldest supported version of Triton."""

INTERPRET = "triton:interpret"


class TritonBackend(Overlay):
    """Kernels over the arrays of a storage backend."""

    name = "triton"
    kinds = ("cuda", "rocm", "triton")
    requires = "triton>=3.6,<3.10"

    def __init__(self) -> None:
        self._host: Backend | None = None
        self._gpu: Backend | None = None
        self._devices: tuple[str, ...] = ()
        self._interprets: bool | None = None

    def probe(self) -> str:
        remedy = install_command(self.requires, "ml_dtypes>=0.5")
        try:
            version = importlib.metadata.version("triton")
        except importlib.metadata.PackageNotFoundError as error:
            raise BackendUnavailableError("Triton is not installed", remedy) from error
        match = re.match(r"(\d+)\.(\d+)", version)
        if match is not None and (int(match[1]), int(match[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise BackendUnavailableError(f"Triton is {version}, and {oldest} or newer is needed", remedy)
        if importlib.util.find_spec("ml_dtypes") is None:
            raise BackendUnavailableError("ml_dtypes, which gives the host bfloat16, is not installed", remedy)
        from xtensor_backends.numpy import backend as host

        self._host = host
        self._gpu = _working_cupy()
        self._devices = (*(() if self._gpu is None else self._gpu.devices()), INTERPRET)
        return version

    def devices(self) -> Sequence[str]:
        return self._devices

    def rank(self, spec: str) -> int:
        return -20 if spec == INTERPRET else 30

    def storage(self, spec: str) -> tuple[Backend, str]:
        if spec == INTERPRET:
            assert self._host is not None
            return self._host, "cpu"
        assert self._gpu is not None
        return self._gpu, spec

    def kernels(self, spec: str) -> Mapping[str, Callable[..., Any]]:
        try:
            self._settle(spec)
            from ._device import kernel_functions  # imports Triton, in the mode that was just settled

            return kernel_functions(spec)
        except BackendUnavailableError:  # with the remedy
            raise
        except Exception as error:
            # The interpreter's device is its kernels; a GPU's storage computes everything without them.
            if self._gpu is None or spec == INTERPRET or self._gpu.out_of_memory(error):
                raise
            message = (
                f"device {spec} works without its Triton kernels, because Triton cannot be used: "
                f"{type(error).__name__}: {error}"
            )
            rewarn(RuntimeWarning(message))
            return {}

    def generator(self, spec: str) -> Generator | None:
        try:
            self._settle(spec)
            from ._device import kernel_generator

            return kernel_generator(spec)
        except BackendUnavailableError:
            raise
        except Exception:
            if self._gpu is None or spec == INTERPRET:
                raise
            return None  # opening the device has warned

    def _settle(self, spec: str) -> None:
        """Choose whether this process interprets or compiles kernels, before Triton is imported."""
        interprets = spec == INTERPRET
        if self._interprets is None:
            _set_mode(interprets)
            self._interprets = interprets
        elif self._interprets != interprets:
            done, wanted = ("interprets", "compile") if self._interprets else ("compiles", "interpret")
            raise BackendUnavailableError(
                f"device {spec} cannot be opened: Triton {done} kernels in this process and cannot {wanted} them, too",
                "use it in a process of its own",
            )


def _working_cupy() -> Backend | None:
    """Return the CuPy backend after its probe; None without a working CuPy or without a GPU."""
    from xtensor_backends.cupy import backend as cupy

    try:
        cupy.probe()
    except (Exception, SystemExit):  # why it does not work is told by the backend itself
        return None
    return cupy


def _set_mode(interprets: bool) -> None:
    """Import Triton in the mode that a device needs, which Triton reads from the environment."""
    wanted = os.environ.get("TRITON_INTERPRET")
    if "triton" in sys.modules or wanted not in (None, "", "0"):
        import triton

        if bool(triton.knobs.runtime.interpret) != interprets:
            words = "interpreting" if not interprets else "compiling"
            raise BackendUnavailableError(
                f"Triton was imported for {words} kernels in this process",
                "start the process without TRITON_INTERPRET" if not interprets else "start it with TRITON_INTERPRET=1",
            )
    if not interprets:
        return
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        from . import (  # noqa: F401 - decorates kernels
            _attention_kernels,
            _interpreter,
            _kernels,
            _library,
            _nn_kernels,
            _quantized_kernels,
            _random_kernels,
            _row_kernels,
        )
    finally:
        if wanted is None:
            del os.environ["TRITON_INTERPRET"]
        else:
            os.environ["TRITON_INTERPRET"] = wanted


backend = TritonBackend()
"""The backend that the entry point ``triton`` names."""
