"""Faults of a cluster end in an error that says what happened; a thousand computations leak nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")

PROGRAM = Path(__file__).parents[2] / "dask_faults.py"

CASES = [name.replace("_", " ") for name in re.findall(r"^def case_(\w+)", PROGRAM.read_text(), re.MULTILINE)]

LONG = (
    "a thousand computations leak nothing",
    "full spill directory",
    "scheduler killed while it computes",
    "worker without memory again and again",
    "worker with another version",
)

SECONDS = 240
"""The time after which a case counts as hanging."""


@pytest.mark.parametrize("case", [pytest.param(case, marks=[pytest.mark.long] * (case in LONG)) for case in CASES])
def test_fault(case):
    command = [sys.executable, str(PROGRAM), case]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "done\n"
