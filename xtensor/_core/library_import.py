"""Import of a backend's library: what is missing, broken or too old is reported with the command that mends it."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from .errors import BackendUnavailableError, install_command

__all__ = ["import_library"]


def import_library(
    name: str, oldest: tuple[int, int], *requirements: str, needs: tuple[str, ...] = ()
) -> tuple[Any, str]:
    """Return the module of a library and its version.

    Parameters
    ----------
    name
        The module whose ``__version__`` is the library's.
    oldest
        The oldest supported version: the major and the minor number.
    requirements
        What to install, as ``pip`` takes it.
    needs
        Further modules that are imported first.

    Raises
    ------
    BackendUnavailableError
        If a module is not installed or does not import, or the version is older.
    """
    remedy = install_command(*requirements)
    try:
        for needed in needs:
            import_module(needed)
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise BackendUnavailableError(f"the module {error.name!r} is not installed", remedy) from error
    except Exception as error:
        raise BackendUnavailableError(f"{name} does not import: {type(error).__name__}: {error}", remedy) from error
    version = str(module.__version__)
    version_match = re.match(r"(\d+)\.(\d+)", version)
    if version_match is not None and (int(version_match[1]), int(version_match[2])) < oldest:
        needed = ".".join(map(str, oldest))
        raise BackendUnavailableError(f"{name} is {version}, and {needed} or newer is needed", remedy)
    return module, version
