"""A second copy of array_api_strict, private to this backend.

The version of the standard and the optional behaviours are flags of the whole package. Requirements: a user who sets
them, by a call or through environment variables, does not change the device ``strict``; and opening the device changes
no flag of the user's. The package is therefore loaded a second time, under a name of this backend, with flags of its
own.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType

import array_api_strict

__all__ = ["library"]

NAME = f"{__package__}._array_api_strict"


def _copy() -> ModuleType:
    """Load a second array_api_strict with all of the standard 2025.12 enabled."""
    specification = find_spec("array_api_strict")
    if specification is None or specification.origin is None:
        raise ImportError("array_api_strict is not in a file that could be loaded a second time")
    spec = spec_from_file_location(
        NAME, specification.origin, submodule_search_locations=specification.submodule_search_locations
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"array_api_strict cannot be loaded a second time from {specification.origin}")
    copy = module_from_spec(spec)
    # Every copy of the flags module writes into the original package's namespace.
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
