"""Build of the compiled module: ``xtensor/_core/_compiled.c``, beside its source and in the wheel.

Requirements: a machine without a C compiler gets a wheel of Python alone, which computes the same; a checkout whose
package is imported from its own folder has the module too, since it is built there. ``XTENSOR_COMPILED=0`` builds none;
with ``XTENSOR_COMPILED=1`` the build fails where the module cannot be built.
"""

from __future__ import annotations

import os
import platform
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "xtensor._core._compiled"
SOURCE = Path("xtensor", "_core", "_compiled.c")


class CompiledModuleHook(BuildHookInterface[Any]):
    """Compile the module before a wheel is built, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the module and add it to the wheel."""
        wanted = os.environ.get("XTENSOR_COMPILED", "")
        if wanted == "0" or not is_supported():
            return
        try:
            built = compile_module(Path(self.root))
        except Exception as error:  # setuptools raises many kinds where a compiler or Python's headers are missing
            if wanted == "1":
                raise
            self.app.display_warning(
                "xtensor is built without its compiled module: it computes the same, and a call takes some hundred "
                "nanoseconds more. Install a C compiler and Python's headers, then install xtensor again with "
                f"XTENSOR_COMPILED=1. The error was: {error}"
            )
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            build_data["force_include"][str(built)] = str(SOURCE.with_name(built.name))


def is_supported() -> bool:
    """Whether the module is for this interpreter: CPython with its lock, whose reference counts it reads."""
    return platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


def compile_module(root: Path) -> Path:
    """Compile the module and put it beside its source; return its path."""
    import numpy as np
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    extension = Extension(MODULE, [str(root / SOURCE)], include_dirs=[np.get_include()])
    with tempfile.TemporaryDirectory() as scratch:
        command = build_ext(Distribution({"ext_modules": [extension]}))
        command.build_lib, command.build_temp = scratch, os.path.join(scratch, "objects")
        command.ensure_finalized()
        command.run()
        found = Path(command.get_ext_fullpath(MODULE))
        target = (root / SOURCE).with_name(found.name)
        # Replaced in one step: a process that has the old file open keeps it.
        staged = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            shutil.copy2(found, staged)
            os.replace(staged, target)
        finally:
            staged.unlink(missing_ok=True)
    return target
