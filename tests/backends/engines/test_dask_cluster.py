"""The device ``dask`` on the processes of a cluster: values, errors, and a process that is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")

PROGRAM = Path(__file__).parents[2] / "dask_cluster.py"

SECONDS = 120
"""The time after which a case counts as hanging."""


CASES = ["values", "killed worker", "failing chunk", "progress", "scheduler by configuration", "forked client"]


@pytest.mark.parametrize("case", CASES)
def test_cluster(case):
    result = subprocess.run(
        [sys.executable, str(PROGRAM), case], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "done\n"
