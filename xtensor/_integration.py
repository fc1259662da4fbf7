"""Registration of Arrays with other libraries, at their import.

einops finds the library of a tensor among the subclasses of its ``AbstractBackend``, and dask has tables of functions
for the classes of chunks. Both exist only after the import of the library, which ``import xtensor`` does not cause:
these libraries are optional, and most programs do not use them.

Requirements: nothing of these libraries is changed or wrapped; no import becomes slower or fails because of the
registration.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

__all__ = ["register_with_others"]

REGISTRATIONS = (
    ("einops._backends", "AbstractBackend", "xtensor.einops"),
    ("dask.array.dispatch", "to_cupy_dispatch", "xtensor.dask"),
)
"""A module of a library, the last of its names that is needed, and the module that registers Arrays there."""


class _Observer:
    """Entry of ``sys.meta_path`` that finds no module, and registers Arrays once a library has loaded a module.

    Python asks the entries at the import of each new module. The libraries import modules of their own after these, so
    that Arrays are registered before the import ends.
    """

    def __init__(self, module: str, name: str, registration: str) -> None:
        self.module, self.name, self.registration = module, name, registration

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if self.is_loaded():
            with suppress(ValueError):  # another thread removed it
                sys.meta_path.remove(self)
            self.register()

    def is_loaded(self) -> bool:
        """Whether Arrays can be registered without an import."""
        return hasattr(sys.modules.get(self.module), self.name)

    def register(self) -> None:
        with suppress(ImportError):  # a version of the library without what is needed
            import_module(self.registration)


def register_with_others() -> None:
    """Make other libraries accept Arrays, whether they are imported before or later."""
    for registration in REGISTRATIONS:
        observer = _Observer(*registration)
        if observer.is_loaded():
            observer.register()
        else:
            sys.meta_path.insert(0, observer)
