"""The two tiers, and the programs that run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

LONG = os.environ.get("XTENSOR_STRESS") == "long"

ROOT = Path(__file__).resolve().parents[2]

PATHS = (str(ROOT), str(ROOT / "backends"), str(ROOT / "tests"))


def scale(quick: int, long: int) -> int:
    """A count of the tier that runs."""
    return long if LONG else quick


def run(program: str, *arguments: str, timeout: float = 300, **environment: str) -> str:
    """What a Python program prints, in a process that shows where it crashed; its failure is the test's."""
    path = os.pathsep.join((*PATHS, *filter(None, [os.environ.get("PYTHONPATH")])))
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "error", "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout
