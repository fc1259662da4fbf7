"""Files of weights when processes are killed, or save at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import nn
from xtensor.nn.modules import storage

WAITING = """
import os, sys
import xtensor as xp
from xtensor import nn

sync = os.fsync

def wait(number):
    print("written", flush=True)
    sys.stdin.readline()
    sync(number)

os.fsync = wait
nn.save({"a": xp.full(1000, 2.0, device="numpy")}, sys.argv[1])
print("saved", flush=True)
"""
"""A process that saves, and waits before the file takes its position."""


class Saving:
    """Such a process."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WAITING, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "written\n"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def finish(self) -> None:
        assert self.process.communicate("\n")[0] == "saved\n"
        assert self.process.returncode == 0


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def value(path: Path) -> float:
    x = xp.to_numpy(nn.load(path, device="numpy")["a"])
    assert len(set(x.tolist())) == 1
    return float(x[0])


def save(path: Path, number: float) -> None:
    nn.save({"a": xp.full(1000, number, device="numpy")}, path)


def test_next_save_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    path = tmp_path / "x [1].safetensors"
    save(path, 1.0)
    for process in [Saving(path), Saving(path)]:
        process.kill()
    assert len(names(tmp_path)) == 3
    assert value(path) == 1.0  # the last whole one
    save(path, 3.0)
    assert names(tmp_path) == [path.name]
    assert value(path) == 3.0


def test_file_that_a_living_process_writes_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    first, second = Saving(path), Saving(path)
    assert len(names(tmp_path)) == 2  # the second one has left the file of the first one
    save(path, 1.0)
    assert len(names(tmp_path)) == 3
    assert value(path) == 1.0
    first.finish()
    assert value(path) == 2.0
    save(path, 1.0)
    second.finish()
    assert value(path) == 2.0
    assert names(tmp_path) == ["x"]


def test_other_files_stay(tmp_path: Path) -> None:
    end = f".{'0' * 16}.part"
    others = [f".y{end}", f".x.z{end}", f"x{end}", ".x.123", ".x.part", f".x{end}.old"]
    for name in others:
        (tmp_path / name).write_text("another file")
    (tmp_path / f".x{end}").mkdir()
    save(tmp_path / "x", 1.0)
    assert names(tmp_path) == sorted(["x", f".x{end}", *others])


def test_threads_save_to_one_position(tmp_path: Path) -> None:
    path, errors = tmp_path / "x", list[BaseException]()

    def run(number: float) -> None:
        try:
            for _ in range(20):
                save(path, number)
                assert value(path) in (1.0, 2.0, 3.0)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in (1.0, 2.0, 3.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert names(tmp_path) == ["x"]


def test_file_that_was_removed_before_its_lock_is_made_anew(tmp_path: Path, monkeypatch: Any) -> None:
    lock, removed = storage.fcntl.flock, []

    def late(file: Any, kind: int) -> None:
        if not removed:
            removed.append(file.name)
            os.unlink(file.name)  # another process took it for one that nobody writes
        lock(file, kind)

    monkeypatch.setattr(storage.fcntl, "flock", late)
    save(tmp_path / "x", 1.0)
    assert len(removed) == 1
    assert value(tmp_path / "x") == 1.0
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("age", [0.0, 2 * storage.ABANDONED])
def test_without_locks_old_files_are_removed(age: float, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(storage, "fcntl", None)
    left = tmp_path / f".x.{'a' * 16}.part"
    left.write_text("a part")
    os.utime(left, (time.time() - age,) * 2)
    save(tmp_path / "x", 1.0)
    assert names(tmp_path) == (["x"] if age else [left.name, "x"])
    assert value(tmp_path / "x") == 1.0


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "x", tmp_path / "link"
    save(path, 1.0)
    link.symlink_to(path)
    Saving(link).kill()
    save(link, 2.0)
    assert link.is_symlink()
    assert np.isclose(value(path), 2.0)
    assert names(tmp_path / "folder") == ["x"]
