"""The device ``dask`` on the processes of a cluster: values, errors, and a process that is killed."""

from __future__ import annotations

import os
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
    # In dask's own chunks: in chunks of a few elements the array that a thread sends would be 187,500 chunks.
    environment = {name: value for name, value in os.environ.items() if name != "DASK_ARRAY__CHUNK_SIZE"}
    command = [sys.executable, str(PROGRAM), case]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "done\n"
