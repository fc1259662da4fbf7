"""Outcomes of SciPy's cases without the switch ``SCIPY_ARRAY_API``, from a process of their own for each device.

SciPy reads the switch when it is imported, and the other tests of SciPy set it.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path


@functools.cache
def outcomes(device, policy):
    """Return the outcome of every case on a device by its name, as the program prints it."""
    environment = {name: value for name, value in os.environ.items() if name != "SCIPY_ARRAY_API"}
    environment["PYTHONPATH"] = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "scipy_plain_run", device, policy],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
