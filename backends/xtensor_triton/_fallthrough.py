"""What all functions of a device share: its memory, its launcher, and the one way to the storage's own functions."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from typing import Any

from ._layout import Rows
from ._tiling import Fused, Tiling, device_tiling, fused_tiling, host_fused_tiling, host_tiling

__all__ = ["Context", "KernelError", "Unsuited", "left"]

LOG = logging.getLogger("xtensor.triton")


class Unsuited(Exception):  # noqa: N818 - no error: the storage's function takes over
    """No kernel takes a call's operands; the message names what it met."""


class KernelError(Exception):
    """A kernel cannot be compiled here."""


class Context:
    """A device's memory and its launcher.

    Parameters
    ----------
    memory
        Where operands lie: see :mod:`xtensor_triton._storage`.
    launcher
        What makes kernels callable.
    """

    def __init__(self, memory: Any, launcher: Any) -> None:
        self.launcher = launcher
        self.array = memory.array
        self.pointer = memory.pointer
        self.contiguous = memory.contiguous
        self.empty = memory.empty
        self.writable = memory.writable
        self._tiling: Callable[..., Tiling] = host_tiling if launcher.interprets else device_tiling
        self._warned: set[str] = set()
        _listen()

    def block(self, size: int, usual: int) -> int:
        """The elements that a program computes: all of them in the interpreter, where a program costs the most."""
        if not self.launcher.interprets:
            return usual
        return min(1 << max(size - 1, 1).bit_length(), 2**20)

    def tiling(self, layout: Rows) -> Tiling:
        """How rows are shared out among programs."""
        return self._tiling(layout.number, layout.length, across=_across(layout))

    def fused(self, layout: Rows, itemsize: int) -> Fused:
        """How rows are shared out where each is read and written; ``itemsize`` is that of the computation."""
        tiling = host_fused_tiling if self.launcher.interprets else fused_tiling
        return tiling(layout.number, layout.length, across=_across(layout), itemsize=itemsize)

    def whole(self, layout: Rows) -> Tiling:
        """The same for a table of parts, whose rows are not split again."""
        tiling = self._tiling(layout.number, layout.length, across=False)
        chunk = -(-layout.length // tiling.columns) * tiling.columns
        return tiling._replace(parts=1, chunk=chunk, programs=-(-layout.number // tiling.rows))

    def launch(self, name: str, kernel: Any, programs: int, *args: Any) -> None:
        """Run a kernel; :class:`Unsuited` is raised where it cannot be, with one warning where it does not compile."""
        try:
            kernel(programs, *args)
        except KernelError as error:
            if name not in self._warned:
                self._warned.add(name)
                warnings.warn(
                    f"the Triton kernel of {name}() cannot be compiled here, and the storage's own is used: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
            raise Unsuited(f"a kernel that cannot be compiled: {error}") from error

    def fall_through(
        self, name: str, reason: Unsuited, fallback: Callable[..., Any], args: tuple[Any, ...], **kwargs: Any
    ) -> Any:
        """Call the storage's function, and tell the log why."""
        if LOG.isEnabledFor(logging.DEBUG):
            met = ", ".join(f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x) for x in args)
            LOG.debug("%s(%s) falls through to the storage: %s", name, met, reason)
        return fallback(*args, **kwargs)


def _across(layout: Rows) -> bool:
    """Whether neighbours in memory belong to neighbouring rows."""
    along = min((abs(step) for step in layout.reduced.strides[0]), default=0)
    return min((abs(step) for step in layout.kept.strides[0] if step), default=along) < along


def left(*args: Any, **kwargs: Any) -> Any:
    """What stands for the storage's function where it has none: the core computes in terms of the others."""
    return NotImplemented


def _listen() -> None:
    """``XTENSOR_LOG=debug`` shows the log on the standard error stream."""
    level = os.environ.get("XTENSOR_LOG", "")
    if level and not LOG.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.getLevelNamesMapping().get(level.upper(), logging.DEBUG))
