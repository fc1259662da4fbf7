"""array_api_strict, in a copy that is this backend's own.

Its version of the standard and its optional behaviours are switches of the whole package. Requirements: a user who
turns them, by a call or through its environment variables, does not change the device ``strict``; and opening the
device changes nothing for him. So the package is loaded once more, under a name of this backend, with switches of its
own that are set once.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType

import array_api_strict

__all__ = ["library"]

NAME = f"{__package__}._array_api_strict"


def _copy() -> ModuleType:
    """A second array_api_strict, all of the standard 2025.12 switched on."""
    found = find_spec("array_api_strict")
    if found is None or found.origin is None:
        raise ImportError("array_api_strict is not in a file that could be loaded a second time")
    spec = spec_from_file_location(NAME, found.origin, submodule_search_locations=found.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError(f"array_api_strict cannot be loaded a second time from {found.origin}")
    copy = module_from_spec(spec)
    # What stands in the package's own namespace is written by any module of flags, this copy's as well.
    public, version = list(array_api_strict.__all__), array_api_strict.__array_api_version__
    sys.modules[NAME] = copy
    try:
        spec.loader.exec_module(copy)
        sys.modules[f"{NAME}._flags"].array_api_strict = copy  # type: ignore[attr-defined]
        copy.set_array_api_strict_flags(
            api_version="2025.12",
            boolean_indexing=True,
            data_dependent_shapes=True,
            enabled_extensions=("linalg", "fft"),
        )
    except BaseException:
        for name in [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]:
            del sys.modules[name]
        raise
    finally:
        array_api_strict.__all__[:] = public
        array_api_strict.__array_api_version__ = version
    return copy


library = _copy()
