"""The cache of kernels with every kind of file in an entry's place: results are right, and nothing waits."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from xtensor._core import files
from xtensor._core.rates import known_rates, rates_file
from xtensor_backends.llvm import _compile
from xtensor_backends.llvm._cache import Cache

from .tiers import LONG, run

KEY, OTHER = (f"{number:040x}" for number in (1, 2))


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XTENSOR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@contextmanager
def no_wait(seconds: int = 10) -> Iterator[None]:
    """Fail where a block waits."""

    def fail(*_: object) -> None:
        raise AssertionError("the call waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _unreadable(path: Path) -> None:
    path.write_bytes(b"0")
    path.chmod(0)


KINDS: dict[str, Callable[[Path], None]] = {
    "empty": Path.touch,
    "text": lambda path: path.write_text("no code") and None,
    "named pipe": os.mkfifo,
    "directory": Path.mkdir,
    "full directory": lambda path: (path / "a").mkdir(parents=True),
    "socket": _socket,
    "link to itself": lambda path: path.symlink_to(path),
    "link to nothing": lambda path: path.symlink_to(path.with_name("nothing")),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "unreadable": _unreadable,
    "sparse": _sparse,
}


def adds(number: int) -> str:
    return f"define i64 @f(i64 %x) {{\n  %y = add i64 %x, {number}\n  ret i64 %y\n}}"


def result(number: int) -> int:
    """Return 1 and a number, added by machine code."""
    address = _compile.compile_module(adds(number), ["f"])["f"]
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1))


@pytest.mark.parametrize("kind", KINDS)
def test_entry_of_another_kind_is_compiled_again(folder, kind):
    assert result(1) == 2
    (entry,) = folder.iterdir()
    entry.unlink()
    KINDS[kind](entry)
    with no_wait():
        assert [result(1), result(1)] == [2, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_another_kind_are_none(kind):
    path = rates_file()
    path.parent.mkdir(parents=True)
    KINDS[kind](path)
    with no_wait():
        assert known_rates() == {}


def test_rates_of_deep_nesting_are_none():
    path = rates_file()
    path.parent.mkdir(parents=True)
    path.write_text("[" * 200_000)
    assert known_rates() == {}


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 39, 40, 41, -100, -1])
def test_truncated_entry_is_absent(folder, length):
    cache = Cache(folder)
    cache.put(KEY, bytes(1000))
    path = folder / KEY
    path.write_bytes(path.read_bytes()[:length])
    assert cache.get(KEY) is None


def test_entry_under_another_name_is_absent(folder):
    cache = Cache(folder)
    cache.put(KEY, b"code of one kernel")
    cache.put(OTHER, b"code of another")
    os.replace(folder / OTHER, folder / KEY)
    assert cache.get(KEY) is None


def test_exchanged_entries_are_compiled_again(folder):
    assert [result(1), result(2)] == [2, 3]
    first, second = folder.iterdir()
    content = first.read_bytes(), second.read_bytes()
    first.write_bytes(content[1])
    second.write_bytes(content[0])
    assert [result(1), result(2)] == [2, 3]


@pytest.mark.parametrize("call", ["open", "write", "replace"])
def test_full_disk_leaves_nothing_behind(folder, monkeypatch, call):
    cache = Cache(folder)
    cache.put(OTHER, b"0")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    class Full:
        def __init__(self, descriptor: int, *_: object) -> None:
            self.descriptor = descriptor

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.descriptor)

        write = full

    if call == "write":
        monkeypatch.setattr(files, "open", Full, raising=False)
    else:
        monkeypatch.setattr(os, call, full)
    cache.put(KEY, b"1")
    monkeypatch.undo()
    assert [path.name for path in folder.iterdir()] == [OTHER]


def test_limit_of_the_size_of_files_is_no_error(folder):
    program = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    import numpy as np, xtensor as xp
    x = xp.asarray(np.full(1000, 2.0), device="cpu")
    print(float(xp.sum(xp.exp(x) / xp.exp(x))))
    """
    done = run(program, XTENSOR_LLVM_FEWEST="0", XTENSOR_CACHE_DIR=str(folder), PYTHONDONTWRITEBYTECODE="1")
    assert float(done) == 1000.0
    assert list(folder.iterdir()) == []


PROGRAM = """
    import numpy as np, xtensor as xp
    x = xp.asarray(np.linspace(0.5, 2.0, 5000), device="cpu")
    for name in ("exp", "log", "sin", "sqrt", "square", "tanh"):
        expected = getattr(np, name)(np.asarray(x))
        assert np.allclose(np.asarray(getattr(xp, name)(x)), expected), name
    assert np.isclose(float(xp.sum(x)), np.sum(np.asarray(x)))
"""


@pytest.mark.parametrize("kind", ["exchanged", "named pipe", "directory"] if LONG else ["exchanged"])
def test_kernels_are_right_after_their_files_were_exchanged_or_retyped(folder, kind):
    environment = {"XTENSOR_LLVM_FEWEST": "0", "XTENSOR_CACHE_DIR": str(folder)}
    run(PROGRAM, **environment)
    entries = sorted(folder.iterdir())
    contents = [path.read_bytes() for path in entries]
    for path, content in zip(entries, contents[1:] + contents[:1], strict=True):
        if kind == "exchanged":
            path.write_bytes(content)
        else:
            path.unlink()
            KINDS[kind](path)
    run(PROGRAM, timeout=120, **environment)
