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

CUPY = "import sys\n\nimport stand_in_gpu\n\nsys.modules[__name__] = stand_in_gpu.cupy\n"

# Entry points of the same names are those that come first on the path.
METADATA = "Metadata-Version: 2.1\nName: xtensor-stand-ins\nVersion: 0\n"
ENTRY_POINTS = "[xtensor.backends]\ntriton = stand_in_gpu:triton_backend\n"

# The program behind the sanitizer's options.
SCRIPT = '#!/bin/sh\necho "a stand-in"\nwhile [ "${1#-}" != "$1" ]; do shift; shift; done\nexec "$@"\n'


def environment(variables: Mapping[str, str], out: Path) -> dict[str, str]:
    """Write the stand-ins to the results' folder, and return the variables with them in front."""
    folder = out.resolve() / "stand-ins"
    information, programs = folder / "xtensor_stand_ins-0.dist-info", folder / "bin"
    for path in (information, programs):
        path.mkdir(parents=True, exist_ok=True)
    (folder / "cupy.py").write_text(CUPY, encoding="utf-8")
    (information / "METADATA").write_text(METADATA, encoding="utf-8")
    (information / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    script = programs / SANITIZER
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    return {
        **variables,
        "PYTHONPATH": os.pathsep.join([str(folder), variables["PYTHONPATH"]]),
        "PATH": os.pathsep.join([str(programs), variables.get("PATH", os.defpath)]),
    }
