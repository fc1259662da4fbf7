"""Registration of Arrays with einops, at its import.

einops finds the library of a tensor among the subclasses of its ``AbstractBackend``. A subclass exists only after the
import of einops, which ``import xtensor`` does not cause: einops is optional, and most programs do not use it.

Requirements: nothing of einops is changed or wrapped; no import becomes slower or fails because of the registration.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

__all__ = ["register_with_einops"]

BACKENDS = "einops._backends"
"""The module of ``AbstractBackend``."""

REGISTRATION = "xtensor.einops"
"""The module that defines the subclass for Arrays."""


class _Observer:
    """Entry of ``sys.meta_path`` that finds no module, and registers Arrays once einops has loaded its backends.

    Python asks the entries at the import of each new module. einops imports modules of its own after ``BACKENDS``, so
    that Arrays are registered before its import ends.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if _is_loaded():
            with suppress(ValueError):  # another thread removed it
                sys.meta_path.remove(self)
            _register()


def register_with_einops() -> None:
    """Make functions such as ``einops.rearrange`` accept Arrays, whether einops is imported before or later."""
    if _is_loaded():
        _register()
    else:
        sys.meta_path.insert(0, _Observer())


def _is_loaded() -> bool:
    """Whether einops can be asked for its ``AbstractBackend`` without an import."""
    return hasattr(sys.modules.get(BACKENDS), "AbstractBackend")


def _register() -> None:
    with suppress(ImportError):  # a version of einops without AbstractBackend
        import_module(REGISTRATION)
