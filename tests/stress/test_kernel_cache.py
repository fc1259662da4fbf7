"""The cache of kernels with every kind of file in an entry's place: results are right, and nothing waits."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest
from llvmlite import binding

from xtensor._core import files
from xtensor._core.rates import known_rates, rates_file
from xtensor_backends.llvm import _compile
from xtensor_backends.llvm._cache import Cache

from .tiers import LONG, PATHS, run, scale

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


# -- other processors -------------------------------------------------------------------------------------------------

PROCESSORS = (
    ("x86_64-unknown-linux-gnu", "x86-64", ""),
    ("x86_64-unknown-linux-gnu", "sapphirerapids", "+avx512f,+avx512vbmi2"),
    ("x86_64-pc-windows-msvc", "x86-64-v3", ""),
    ("aarch64-unknown-linux-gnu", "neoverse-v1", "+sve"),
    ("powerpc64le-unknown-linux-gnu", "pwr9", ""),
    ("riscv64-unknown-linux-gnu", "", "+v"),
)
"""LLVM's triples, names and features of processors that share a user's cache."""


def entry_of(processor: tuple[str, str, str], number: int, monkeypatch: pytest.MonkeyPatch) -> tuple[str, bytes]:
    """Return the key and the machine code of a module on another processor."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    with monkeypatch.context() as patch:
        patch.setattr(_compile, "_host", lambda: processor)
        patch.setattr(_compile, "_machine", _compile._machine.__wrapped__)
        return (
            _compile._digest(_compile._machine(), _compile._package(), "text", adds(number)),
            _compile._compile(adds(number)),
        )


@pytest.mark.parametrize("processor", PROCESSORS, ids=lambda processor: f"{processor[0]}-{processor[1]}")
def test_entry_of_another_processor_is_not_run(folder, processor, monkeypatch):
    key, code = entry_of(processor, 1, monkeypatch)
    Cache(folder).put(key, code)
    before = _compile.statistics()
    assert result(1) == 2
    own = next(path for path in folder.iterdir() if path.name != key)
    (folder / own.name).write_bytes((folder / key).read_bytes())
    assert result(1) == 2
    after = _compile.statistics()
    assert (after["compiled"] - before["compiled"], after["loaded"] - before["loaded"]) == (2, 0)
    assert Cache(folder).get(key) == code


# -- several processes ------------------------------------------------------------------------------------------------


def content(path: Path) -> bytes:
    """Return the content of an entry; OSError for another kind of file."""
    return files.read_file(path, largest=1 << 20)


def damage(folder: Path, rng: Random) -> None:
    """Truncate, exchange, remove or retype an entry."""
    entries = [path for path in folder.iterdir() if not path.name.endswith(".tmp")] if folder.is_dir() else []
    if len(entries) < 2:
        return
    path, other = rng.sample(entries, 2)
    way = rng.choice(["truncate", "exchange", "remove", *KINDS])
    try:
        if way == "truncate":
            files.write_file(path, content(path)[: rng.randrange(200)])
        elif way == "exchange":
            files.write_file(path, content(other))
        elif path.is_dir():
            for inside in path.iterdir():
                inside.rmdir()
            path.rmdir()
        else:
            path.unlink()
            if way != "remove":
                KINDS[way](path)
    except OSError:  # a process has replaced or removed the entry meanwhile, or it has no content
        return


@pytest.mark.parametrize("seed", range(scale(1, 6)))
def test_processes_share_a_cache_that_another_damages(folder, seed):
    """Two processes compute while the entries that they write are damaged, and one more is killed at any moment."""
    rng, ended = Random(seed), Event()

    def damages() -> None:
        while not ended.wait(0.003):
            damage(folder, rng)

    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(PATHS),
        "XTENSOR_LLVM_FEWEST": "0",
        "XTENSOR_CACHE_DIR": str(folder),
    }
    command = [sys.executable, "-X", "faulthandler", "-W", "error", "-c", textwrap.dedent(PROGRAM)]
    thread = Thread(target=damages)
    thread.start()
    try:
        for _ in range(scale(1, 3)):
            processes = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
            try:
                processes[2].wait(timeout=1 + 3 * rng.random())
            except subprocess.TimeoutExpired:
                processes[2].kill()
            processes[2].communicate()
            outcomes = [(process.communicate(timeout=240)[1], process.returncode) for process in processes[:2]]
            assert outcomes == [(b"", 0)] * 2
    finally:
        ended.set()
        thread.join()
    run(PROGRAM, XTENSOR_LLVM_FEWEST="0", XTENSOR_CACHE_DIR=str(folder))


MOUNT = "mount -t tmpfs -o size={size} none {folder} && exec {python} -W error -c '{program}'"


@pytest.mark.parametrize("size", ["4k", "16k", "32k"] if LONG else ["16k"])
def test_full_file_system_is_no_error(folder, size):
    """A file system of a few pages, mounted in a name space of its own, which ends with the process."""
    folder.mkdir(mode=0o700)
    probe = ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=4k none {folder}"]
    try:
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            pytest.skip("needs the right to mount a file system in a name space")
    except FileNotFoundError:
        pytest.skip("needs unshare")
    program = (
        textwrap.dedent(PROGRAM).replace("'", '"')
        + f"""
import os
names = os.listdir("{folder}")
assert not [name for name in names if name.endswith(".tmp")], names
status = os.statvfs("{folder}")
print(status.f_blocks * status.f_frsize, sum(os.stat(os.path.join("{folder}", name)).st_size for name in names))
"""
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", MOUNT.format(size=size, folder=folder, python=sys.executable, program=program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), "XTENSOR_LLVM_FEWEST": "0",
             "XTENSOR_CACHE_DIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    available, written = map(int, done.stdout.split())
    assert available == int(size[:-1]) * 1024
    assert written <= available
