"""Profiles: what computed, how often, and how many bytes it touched."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp


def test_operations_are_recorded(device: str) -> None:
    x = xp.ones((3, 4), device=device)
    with xp.profile() as record:
        _ = xp.sqrt(x * 2 + 1)
        _ = xp.sum(x)
    name = str(x.device)
    for operation in ("multiply", "add", "sqrt", "sum"):
        assert record.records[operation, name, "function"].calls == 1
    assert record.records["sum", name, "function"].seconds > 0
    assert record.records["sqrt", name, "function"].bytes == 2 * 12 * x.dtype.itemsize
    table = str(record).splitlines()
    assert table[0].split() == ["operation", "device", "by", "calls", "ms", "GB/s"]
    assert len(table) == 1 + len(record.records)


def test_nothing_is_recorded_outside_and_the_tables_are_restored(device: str) -> None:
    x = xp.ones(3, device=device)
    before = len(x.device.table)
    with xp.profile() as record:
        _ = x + 1
    count = record.records["add", str(x.device), "function"].calls
    _ = x + 1
    assert record.records["add", str(x.device), "function"].calls == count
    functions = [item for row in x.device.table for item in (row.function, row.kernel)]
    assert not any(hasattr(function, "chosen") for function in functions)
    assert len(x.device.table) == before


def test_kernels_for_many_elements_are_told_from_functions() -> None:
    x = xp.asarray(np.ones(2**17), device="cpu")
    with xp.profile() as record:
        _ = xp.sin(x)
    found = {key[2] for key in record.records if key[0] == "sin"}
    assert found == {"kernel" if x.device.backend == "llvm" else "function"}


def test_fused_kernels_are_recorded() -> None:
    x = xp.asarray(np.ones(100), device="cpu")
    fused = xp.fuse(lambda x: xp.sum(xp.exp(x) * 2 + 1))
    fused(x)
    with xp.profile() as record:
        fused(x)
    if x.device.backend == "llvm":
        assert record.records["exp multiply add sum", "cpu", "fused kernel"].calls == 1
    else:
        assert record.records["exp", "cpu", "function"].calls == 1


def test_devices_that_open_within_the_block_are_recorded(registry) -> None:
    xp.register_backend(ToyBackend())
    with xp.profile() as record:
        x = xp.ones(3, device="toy:0") + 1
    _ = x + 1
    assert record.records["add", "toy:0", "function"].calls == 1


def test_errors_end_the_block(device: str) -> None:
    x = xp.ones(3, device=device)
    with pytest.raises(ValueError, match="broadcast"), xp.profile():
        _ = x + xp.ones(4, device=device)
    with xp.profile() as record:
        _ = x + x
    assert record.records["add", str(x.device), "function"].calls == 1


def test_blocks_do_not_nest() -> None:
    with xp.profile(), pytest.raises(RuntimeError, match="active already"), xp.profile():
        pass


def test_functions_of_modules_that_are_imported_within_the_block_are_recorded() -> None:
    code = (
        "import xtensor as xp; x = xp.ones(3, device='cpu')\n"
        "with xp.profile() as record:\n"
        "    xp.special.erf(x)\n"
        "print(sorted({key[0] for key in record.records}))\n"
        "xp.special.gamma(x)\n"
        "print(sorted({key[0] for key in record.records}))"
    )
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert "'special.erf'" in lines[0]
    assert lines[0] == lines[1]
