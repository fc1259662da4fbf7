"""Build of the compiled modules, beside their sources and in the wheel.

Requirements: a machine without a C compiler gets a wheel of Python alone, which computes the same; a checkout whose
package is imported from its own folder has the modules too, since they are built there. ``XTENSOR_COMPILED=0`` builds
none; with ``XTENSOR_COMPILED=1`` the build fails where a module cannot be built.
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

CALLS = "xtensor._core._compiled"
KERNELS = "xtensor_backends.llvm._compiled"


class CompiledModuleHook(BuildHookInterface[Any]):
    """Compile the modules before a wheel is built, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the modules and add them to the wheel."""
        wanted = os.environ.get("XTENSOR_COMPILED", "")
        modules = supported()
        if wanted == "0" or not modules:
            return
        root = Path(self.root)
        try:
            built = [compile_module(root, module) for module in modules]
        except Exception as error:  # setuptools raises many kinds where a compiler or Python's headers are missing
            if wanted == "1":
                raise
            self.app.display_warning(
                "xtensor is built without its compiled modules: it computes the same, a call takes some hundred "
                "nanoseconds more, and the device cpu's kernels run on one thread. Install a C compiler and Python's "
                f"headers, then install xtensor again with XTENSOR_COMPILED=1. The error was: {error}"
            )
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            for path in built:
                build_data["force_include"][str(path)] = str(path.relative_to(root))


def supported() -> list[str]:
    """Return the modules for this interpreter: that of calls reads the reference counts of CPython with its lock."""
    if platform.python_implementation() != "CPython":
        return []
    return [KERNELS] if sysconfig.get_config_var("Py_GIL_DISABLED") else [CALLS, KERNELS]


def compile_module(root: Path, module: str) -> Path:
    """Compile a module and put it beside its source; return its path."""
    import numpy as np
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    source = root.joinpath(*module.split(".")).with_suffix(".c")
    options = [] if os.name == "nt" else ["-std=gnu11"]  # C11's atomics are used on POSIX systems alone
    extension = Extension(module, [str(source)], include_dirs=[np.get_include()], extra_compile_args=options)
    with tempfile.TemporaryDirectory() as scratch:
        command = build_ext(Distribution({"ext_modules": [extension]}))
        command.build_lib, command.build_temp = scratch, os.path.join(scratch, "objects")
        command.ensure_finalized()
        command.run()
        found = Path(command.get_ext_fullpath(module))
        target = source.with_name(found.name)
        # Replaced in one step: a process that has the old file open keeps it.
        staged = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            shutil.copy2(found, staged)
            os.replace(staged, target)
        finally:
            staged.unlink(missing_ok=True)
    return target
