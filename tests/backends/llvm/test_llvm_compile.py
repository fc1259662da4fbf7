"""Machine code compiled by LLVM: what it computes, and the cache on disk."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import threading

import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

from xtensor_backends.llvm import _compile
from xtensor_backends.llvm._cache import Cache, cache_folder

INTEGER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)

POLYNOMIAL = """
define void @polynomial(ptr noalias %x, ptr noalias %y, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %from = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %from
  %square = fmul double %value, %value
  %result = fadd double %square, 1.0
  %to = getelementptr double, ptr %y, i64 %i
  store double %result, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def adds(number: int, name: str = "f") -> str:
    return f"define i64 @{name}(i64 %x) {{\n %y = add i64 %x, {number}\n ret i64 %y\n}}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("XTENSOR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def counts():
    """Return how many modules were compiled and loaded since the last call."""
    last = [0, 0]

    def since():
        now = _compile.statistics()
        difference = [int(now["compiled"]) - last[0], int(now["loaded"]) - last[1]]
        last[:] = [int(now["compiled"]), int(now["loaded"])]
        return {"compiled": difference[0], "loaded": difference[1]}

    since()
    return since


def name(number):
    """The name of an entry."""
    return f"{number:040x}"


def call(addresses, argument, name="f"):
    return INTEGER(addresses[name])(argument)


def test_function_computes():
    assert call(_compile.compile_module(adds(3), ["f"]), 4) == 7


def test_module_object_is_compiled():
    from llvmlite import ir

    module = ir.Module()
    integer = ir.IntType(64)
    function = ir.Function(module, ir.FunctionType(integer, [integer]), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.mul(function.args[0], ir.Constant(integer, 5)))
    assert call(_compile.compile_module(module, ["f"]), 4) == 20


def test_equal_names_in_two_modules_are_two_functions():
    first, second = (_compile.compile_module(adds(number), ["f"]) for number in (1, 2))
    assert (call(first, 10), call(second, 10)) == (11, 12)


def test_symbols_are_functions_of_another_module():
    outer = "declare i64 @inner(i64)\ndefine i64 @f(i64 %x) {\n %y = call i64 @inner(i64 %x)\n ret i64 %y\n}"
    inner = _compile.compile_module(adds(7), ["f"])["f"]
    assert call(_compile.compile_module(outer, ["f"], symbols={"inner": inner}), 1) == 8


def test_second_compilation_loads_from_disk(counts, folder):
    _compile.compile_module(adds(1), ["f"])
    assert counts() == {"compiled": 1, "loaded": 0}
    assert call(_compile.compile_module(adds(1), ["f"]), 1) == 2
    assert counts() == {"compiled": 0, "loaded": 1}


def test_another_process_loads_from_disk():
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
from xtensor_backends.llvm import _compile
_compile.compile_module({adds(1)!r}, ["f"])
print(_compile.statistics()["compiled"], _compile.statistics()["loaded"])
"""
    outputs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert [(run.stdout.split(), run.stderr) for run in outputs] == [(["1", "0"], ""), (["0", "1"], "")]


def test_key_saves_making_the_module(counts):
    calls = []

    def make():
        calls.append(1)
        return adds(2)

    for _ in range(2):
        assert call(_compile.compile_module(make, ["f"], key="adds two"), 1) == 3
    assert (len(calls), counts()) == (1, {"compiled": 1, "loaded": 1})


def test_function_without_key_is_refused():
    with pytest.raises(TypeError, match="give key="):
        _compile.compile_module(lambda: adds(1), ["f"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: entry[:-1],
        lambda entry: entry[:20],
        lambda entry: b"",
        lambda entry: entry[:-1] + b"?",
    ],
    ids=["truncated", "no content", "empty", "one byte changed"],
)
def test_damaged_entry_is_compiled_again(damage, counts, folder):
    _compile.compile_module(adds(1), ["f"])
    (entry,) = folder.iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    assert call(_compile.compile_module(adds(1), ["f"]), 1) == 2
    assert call(_compile.compile_module(adds(1), ["f"]), 1) == 2
    assert counts() == {"compiled": 2, "loaded": 1}


def test_entry_without_the_name_is_compiled_again():
    with pytest.raises(RuntimeError, match="missing"):
        _compile.compile_module(adds(1), ["missing"])
    for name in ("f", "g"):
        assert call(_compile.compile_module(lambda name=name: adds(1, name), [name], key="k"), 1, name) == 2


def test_unusable_folder_is_no_error(tmp_path, monkeypatch, counts):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XTENSOR_CACHE_DIR", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        assert call(_compile.compile_module(adds(1), ["f"]), 1) == 2
    assert counts() == {"compiled": 2, "loaded": 0}


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="the administrator may write everywhere")
def test_unwritable_folder_is_no_error(folder):
    folder.mkdir(mode=0o500)
    assert call(_compile.compile_module(adds(1), ["f"]), 1) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs owners of files")
def test_entry_of_another_user_is_not_run(folder, counts, monkeypatch):
    _compile.compile_module(adds(1), ["f"])
    owner = next(folder.iterdir()).stat().st_uid
    monkeypatch.setattr("xtensor._core.files._owned", lambda status: status.st_uid != owner)
    _compile.compile_module(adds(1), ["f"])
    assert counts() == {"compiled": 2, "loaded": 0}


def test_folder_is_the_users_alone(folder):
    _compile.compile_module(adds(1), ["f"])
    if os.name == "posix":
        assert folder.stat().st_mode & 0o777 == 0o700


def test_cache_folder_is_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.delenv("XTENSOR_CACHE_DIR")
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "xtensor" / "llvm"


def test_cache_is_bounded_and_removes_what_was_used_least_recently(tmp_path):
    cache = Cache(tmp_path, limit=100_000)
    for number in range(200):
        cache.put(name(number), bytes(1000))
        os.utime(tmp_path / name(number), (number, number))
        cache.get(name(0))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 100_000
    assert cache.get(name(0)) is not None
    assert cache.get(name(1)) is None
    assert cache.get(name(199)) is not None


def test_files_of_others_in_the_folder_stay(tmp_path):
    (tmp_path / "letter.txt").write_bytes(bytes(2000))
    (tmp_path / "letter.tmp").write_bytes(b"0")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    cache = Cache(tmp_path, limit=1000)
    for number in range(20):
        cache.put(name(number), bytes(100))
    assert {"letter.txt", "letter.tmp"} < {path.name for path in tmp_path.iterdir()}


def test_entry_above_the_bound_is_not_kept(tmp_path):
    cache = Cache(tmp_path, limit=1000)
    cache.put(name(1), bytes(2000))
    assert cache.get(name(1)) is None


def test_abandoned_temporary_files_are_removed(tmp_path):
    old, new = (f"{name(1)}.{letter * 16}.tmp" for letter in "ab")
    for path in (old, new):
        (tmp_path / path).write_bytes(b"0")
    os.utime(tmp_path / old, (0, 0))
    Cache(tmp_path, limit=1000).put(name(2), bytes(100))
    assert sorted(path.name for path in tmp_path.iterdir()) == [new, name(2)]


def test_processes_may_write_at_once(folder):
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
import ctypes
from xtensor_backends.llvm import _compile
for number in range(20):
    text = "define i64 @f(i64 %x) {{ %y = add i64 %x, " + str(number) + " ret i64 %y }}"
    address = _compile.compile_module(text.replace(" ret", chr(10) + "ret"), ["f"])["f"]
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1) == number + 1
"""
    processes = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) for _ in range(3)]
    assert [(process.communicate()[1], process.returncode) for process in processes] == [(b"", 0)] * 3
    assert len(list(folder.iterdir())) == 20


def test_threads_may_compile_at_once():
    results = {}

    def compile_some(first):
        for number in range(first, first + 5):
            results[number] = call(_compile.compile_module(adds(number), ["f"]), 1)

    threads = [threading.Thread(target=compile_some, args=(first,)) for first in (0, 5, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number + 1 for number in range(15)}


@pytest.mark.parametrize(
    ("text", "message"),
    [("nonsense", "parsing error"), ("declare i64 @xtensor_absent()\n" + adds(1), None)],
    ids=["no module", "an unused declaration"],
)
def test_rejected_module_is_a_runtime_error(text, message):
    if message is None:
        assert call(_compile.compile_module(text, ["f"]), 1) == 2
    else:
        with pytest.raises(RuntimeError, match=message):
            _compile.compile_module(text, ["f"])


@pytest.mark.parametrize(
    ("triple", "cpu", "vector"),
    [
        ("aarch64-unknown-linux-gnu", "neoverse-n1", "v0.2d"),
        ("x86_64-unknown-linux-gnu", "x86-64-v3", "ymm"),
        ("x86_64-unknown-linux-gnu", "x86-64", "mulpd"),
        ("powerpc64le-unknown-linux-gnu", "pwr9", "xvmuldp"),
    ],
)
def test_loops_become_vector_code_for_other_machines(triple, cpu, vector):
    assert vector in _compile.assembly(POLYNOMIAL, triple=triple, cpu=cpu)


def test_assembly_of_this_machine_names_the_function():
    assert "polynomial" in _compile.assembly(POLYNOMIAL)
