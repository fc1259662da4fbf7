"""The environment of a rehearsal: stand-ins for CuPy, for the Triton backend on a GPU, and for compute-sanitizer.

``tests/stand_in_gpu.py`` has the stand-ins. They compute on the host, so that a rehearsal tests this package and the
command lines of its steps, and nothing of a GPU.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ._steps import SANITIZER

__all__ = ["environment"]

# The Triton backend imports CuPy before it makes kernels.
CUPY = "import stand_in_gpu\n\nstand_in_gpu.install()\n"

# The program behind the sanitizer's options.
SCRIPT = '#!/bin/sh\necho "a stand-in"\nwhile [ "${1#-}" != "$1" ]; do shift; shift; done\nexec "$@"\n'


def environment(variables: Mapping[str, str], out: Path) -> dict[str, str]:
    """Write the stand-ins to the results' folder, and return the variables with them in front."""
    folder = out.resolve() / "stand-ins"
    programs = folder / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    (folder / "cupy.py").write_text(CUPY, encoding="utf-8")
    script = programs / SANITIZER
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    return {
        **variables,
        "PYTHONPATH": os.pathsep.join([str(folder), variables["PYTHONPATH"]]),
        "PATH": os.pathsep.join([str(programs), variables.get("PATH", os.defpath)]),
    }
