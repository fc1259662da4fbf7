"""The quick and the long tier, and programs in subprocesses."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

LONG = os.environ.get("XTENSOR_STRESS") == "long"

ROOT = Path(__file__).resolve().parents[2]

PATHS = (str(ROOT), str(ROOT / "tests"))


def scale(quick: int, long: int) -> int:
    """Return the count of the selected tier."""
    return long if LONG else quick


def run(program: str, *arguments: str, timeout: float = 300, **environment: str) -> str:
    """Run a Python program in a subprocess with faulthandler and return its output; its failure fails the test."""
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
