"""Workers and memory of the device cpu, compiled with the sanitizers of threads, addresses and undefined behavior."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from stress.tiers import scale

PROGRAM = Path(__file__).with_name("sanitized.c")
SOURCES = Path(__file__).parents[3] / "xtensor_backends" / "llvm"

COMPILER = shutil.which("cc")

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the code is for POSIX systems"),
    pytest.mark.skipif(COMPILER is None, reason="needs a C compiler, as the compiled module does"),
    pytest.mark.skipif(not (SOURCES / "_team.h").exists(), reason="the sources are not in a wheel"),
]


def compiled(folder, sanitizers, rounds):
    program = folder / "sanitized"
    options = [
        "-std=gnu11",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pthread",
        "-D_GNU_SOURCE",
        f"-DROUNDS={rounds}",
    ]
    command = [COMPILER, *options, f"-fsanitize={sanitizers}", f"-I{SOURCES}", str(PROGRAM), "-o", str(program)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return program


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
def test_threads_at_once(tmp_path, sanitizers):
    program = compiled(tmp_path, sanitizers, scale(400, 20_000))
    options = {f"{name}_OPTIONS": "halt_on_error=1" for name in ("TSAN", "ASAN", "UBSAN")}
    result = subprocess.run(
        [program], capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **options}
    )
    assert (result.stdout, result.stderr, result.returncode) == ("complete\n", "", 0)
