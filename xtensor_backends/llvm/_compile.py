"""Machine code from LLVM's intermediate representation, for the CPU that runs it, kept on disk between processes.

Requirements: code stays loaded until the process ends, as worker threads may run it while the interpreter exits;
threads may compile at the same time; a child process that was forked meanwhile can compile.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import llvmlite
from llvmlite import binding

from xtensor.backend import around_forks

from ._cache import Cache, cache_folder

__all__ = ["Source", "assembly", "compile_module", "has_feature", "has_fma", "statistics"]

Source: TypeAlias = str | Any  # llvmlite has no annotations
"""A module's text, or a `llvmlite.ir.Module`."""

_lock = threading.RLock()
# A child must not inherit a lock that another thread holds, ours or llvmlite's: the fork waits for the compilation.
around_forks(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
# The interpreter ends after a compilation of another thread, too: LLVM's state is destroyed then. It keeps the lock.
atexit.register(_lock.acquire)

_statistics = {"compiled": 0, "compile_seconds": 0.0, "loaded": 0, "load_seconds": 0.0}


def compile_module(
    source: Source | Callable[[], Source],
    names: Sequence[str],
    *,
    key: str | None = None,
    symbols: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Return the addresses of a module's functions and global variables.

    Parameters
    ----------
    source : the module, or a function that returns it, which is called only where the cache has no entry for `key`.
    names : functions and global variables of the module that other modules may call or use.
    key : a text that determines the module, together with the source files of this package. Needed for a function.
    symbols : addresses of functions that the module declares and neither it nor the process's libraries define.

    Raises
    ------
    RuntimeError
        If LLVM rejects the module, or a name is not defined.
    """
    if callable(source) and key is None:
        raise TypeError("compile_module() got a function that makes the module; give key=, a text that determines it.")
    text = str(source) if key is None and not callable(source) else ""
    entry = _digest(_machine(), _package(), "text" if key is None else "key", text if key is None else key)
    start = time.perf_counter()
    content = _cache().get(entry)
    if content is not None:
        try:
            addresses = _load(content, names, symbols)
        except RuntimeError:  # an entry of another module: compile again
            pass
        else:
            _count("load", start)
            return addresses
    content = _compile(text or (source() if callable(source) else source))
    addresses = _load(content, names, symbols)
    _cache().put(entry, content)
    _count("compile", start)
    return addresses


def assembly(source: Source, *, triple: str | None = None, cpu: str = "", features: str = "") -> str:
    """Return the optimised assembly of a module, for this machine or for another one.

    Parameters
    ----------
    triple : the target, such as "aarch64-unknown-linux-gnu"; None for this machine.
    cpu, features : LLVM's names, such as "neoverse-v1" and "+sve"; used for another target only.
    """
    with _lock:
        if triple is None:
            machine = _target_machine()
        else:
            binding.initialize_all_targets()
            binding.initialize_all_asmprinters()
            target = binding.Target.from_triple(triple)
            machine = target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="small")
        return str(machine.emit_assembly(_optimised(source, machine)))


def statistics() -> dict[str, float]:
    """Return how many modules were compiled and how many loaded from the cache, and the seconds that each took."""
    return dict(_statistics)


def _count(kind: str, start: float) -> None:
    with _lock:
        _statistics["compiled" if kind == "compile" else "loaded"] += 1
        _statistics[f"{kind}_seconds"] += time.perf_counter() - start


def _compile(source: Source) -> bytes:
    with _lock:
        machine = _target_machine()
        return bytes(machine.emit_object(_optimised(source, machine)))


def _optimised(source: Source, machine: binding.TargetMachine) -> binding.ModuleRef:
    module = binding.parse_assembly(str(source))
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_interleaving = True
    options.loop_unrolling = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def _load(content: bytes, names: Sequence[str], symbols: Mapping[str, int] | None) -> dict[str, int]:
    with _lock:
        builder = binding.JITLibraryBuilder().add_object_img(content).add_current_process()
        for name, address in (symbols or {}).items():
            builder.import_symbol(name, address)
        for name in names:
            builder.export_symbol(name)
        library = builder.link(_jit(), f"module{next(_numbers)}")
        addresses = {name: int(library[name]) for name in names}
        library.detach()  # stays loaded
        return addresses


_numbers = iter(range(1 << 62))  # names of the JIT's libraries


@functools.cache
def _jit() -> binding.LLJIT:
    # JITLink places a module in one block of memory, so that 32-bit distances between its sections suffice.
    jit = binding.create_lljit_compiler(_target_machine(), use_jit_link=True, suppress_errors=True)
    # Immortal: its end would unload code that worker threads run while the interpreter exits.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(jit))
    return jit


def _target_machine() -> binding.TargetMachine:
    """Return a new target machine of the host. One that a JIT has taken cannot be used again."""
    triple, cpu, features = _host()
    target = binding.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="small", jit=True)


@functools.cache
def _host() -> tuple[str, str, str]:
    """Triple, CPU and features of the machine."""
    with _lock:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        features = binding.get_host_cpu_features().flatten()
        triple, name = binding.get_process_triple(), binding.get_host_cpu_name()
    # LLVM prefers vectors of 256 bits on many CPUs with AVX-512. Measured with polynomials of degree 12 in the cache,
    # 512 bits take 0.60 of the time, and additions 0.95 to 1.08. Older CPUs, which lack VBMI2, lower their clock.
    if "+avx512vbmi2" in features.split(","):
        features += ",-prefer-256-bit"
    return triple, name, features


@functools.cache
def _machine() -> str:
    return _digest(llvmlite.__version__, *_host())


@functools.cache
def _package() -> str:
    """Digest of the source files of this package and of the formulas, which decide what a key means."""
    folder = Path(__file__).parent
    sources = sorted([*folder.glob("*.py"), *folder.parent.joinpath("kernels").glob("*.py")])
    return _digest(*(path.read_text(encoding="utf-8") for path in sources))


@functools.cache
def _cache_in(folder: Path | None) -> Cache:
    return Cache(folder)


def _cache() -> Cache:
    return _cache_in(cache_folder())


def _digest(*texts: str) -> str:
    digest = hashlib.blake2b(digest_size=20)
    for text in texts:
        content = text.encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


@functools.cache
def has_fma() -> bool:
    """Whether the CPU has a fused multiply-add instruction."""
    triple, _, features = _host()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64", "powerpc64", "s390x"))


@functools.cache
def has_feature(name: str) -> bool:
    """Whether the CPU has a feature by LLVM's name, such as "avx512f"."""
    return f"+{name}" in _host()[2].split(",")
