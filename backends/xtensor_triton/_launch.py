"""Compile kernels and launch them on a GPU, at the lowest cost per launch.

Triton's own launcher looks a kernel up by all of its arguments, which takes 6 µs or more. Here the types of the
arguments are fixed beforehand, and the look-up depends only on which arguments are divisible by 16 or equal to 1. The
compiled kernel is called with addresses, on CuPy's current stream, without PyTorch. Triton caches compiled kernels on
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import triton
from triton.compiler import ASTSource

from ._context import KernelError
from ._driver import active
from ._dtypes import UNSPECIALIZED

__all__ = ["DeviceKernel", "Launcher", "options_for", "source", "starter"]

ALIGNMENT = 16
"""Divisor of addresses and sizes that lets the compiler use loads of 16 bytes."""

SCRATCH = ("global_scratch_size", "profile_scratch_size")
"""Attributes of Triton's launcher for CUDA: the bytes of memory that a program needs besides its arguments."""

DIVISIBLE, ONE = True, "one"
"""Assumptions of the compiler about an argument."""


def options_for(target: Any) -> dict[str, Any]:
    """Return the compiler options of all kernels for a GPU.

    No fused multiply-add, as in NumPy; the default of this option differs between versions of Triton. On CUDA,
    libdevice and rounding keep subnormal float32 numbers, which Triton would flush to zero; HIP has no such option.
    """
    return {"enable_fp_fusion": False, **({"enable_reflect_ftz": False} if target.backend == "cuda" else {})}


class Launcher:
    """Makes kernels that are compiled for a GPU.

    Parameters
    ----------
    driver
        The driver that loads kernels, for the device that is current now.
    stream
        Returns the handle of the stream to launch on.
    """

    interprets = False

    def __init__(self, driver: Any, stream: Callable[[], int]) -> None:
        self.driver = driver
        self.target = driver.get_current_target()
        self.stream = stream
        # HIP limits the threads along a grid axis to 2^32; CUDA limits the programs.
        self.longest_axis = 2**31 - 1 if self.target.backend == "cuda" else 2**21

    def kernel(
        self,
        function: Any,
        types: tuple[Any, ...],
        constants: Mapping[str, Any],
        *,
        warps: int = 4,
        stages: int | None = None,
    ) -> DeviceKernel:
        options = {"num_warps": warps, **options_for(self.target)} | ({} if stages is None else {"num_stages": stages})
        return DeviceKernel(self, function, types, constants, options)


class DeviceKernel:
    """A kernel for given argument types and constants, compiled for each specialization of its arguments.

    It is called with the number of programs and the arguments: addresses, integers, floats, and tuples of integers.
    """

    def __init__(
        self,
        launcher: Launcher,
        function: Any,
        types: tuple[Any, ...],
        constants: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        self._launcher = launcher
        self._function = function
        self._types = types
        self._constants = constants
        self._options = dict(options)
        self._launches: dict[tuple[Any, ...], Callable[..., None]] = {}
        self._failure: str | None = None
        self._specialized = tuple(
            position for position, kind in enumerate(types) if kind is not None and kind[0] != UNSPECIALIZED
        )
        self._get_specialized = itemgetter(*self._specialized)

    def __call__(self, programs: int, *args: Any) -> None:
        facts = tuple(
            [
                (not value & 15 or (value == 1 and ONE)) if value.__class__ is int else _fact(value)
                for value in self._get_specialized(args)
            ]
        )
        launch = self._launches.get(facts)
        if launch is None:
            by_position = dict(zip(self._specialized, facts, strict=True))
            launch = self._launches[facts] = self._compile(tuple(map(by_position.get, range(len(args)))))
        launch(programs, *args)

    def assuming(self, aligned: bool, even: bool) -> Callable[..., None]:
        """Return the launch for addresses that are divisible by 16 or not (``aligned``), and integers (``even``)."""
        facts = tuple(
            DIVISIBLE if kind is not None and (aligned if kind[0] == "*" else even) else None for kind in self._types
        )
        return self._compile(facts)

    def _compile(self, facts: tuple[Any, ...]) -> Callable[..., None]:
        if self._failure is not None:
            raise KernelError(self._failure)
        run, arguments = self._load(facts)
        stream = self._launcher.stream
        constants = tuple(self._constants.values())
        longest = self._launcher.longest_axis

        def launch(programs: int, *args: Any) -> None:
            try:
                if programs <= longest:
                    run(programs, 1, 1, stream(), *arguments, *args, *constants)
                else:
                    folds = -(-programs // longest)
                    run(longest, folds, 1, stream(), *arguments, *args, *constants)
            except RuntimeError as error:
                _raise_if_exhausted(error)
                raise

        return launch

    def _load(self, facts: tuple[Any, ...]) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """Compile a specialization and load it on the current device; return what launches it: see :func:`starter`."""
        try:
            with active(self._launcher.driver):
                compiled = triton.compile(
                    source(self._function, self._types, self._constants, facts),
                    target=self._launcher.target,
                    options=self._options,
                )
                try:
                    run = compiled.run
                finally:
                    # From Triton 3.8 on a CompiledKernel unloads its module when it is deleted, through the driver that
                    # is active then. A launch needs the module, as long as the device is used: it stays loaded.
                    compiled.module = None
        except Exception as error:
            _raise_if_exhausted(error)
            self._failure = f"{type(error).__name__}: {error}"
            raise KernelError(self._failure) from error
        return starter(run, compiled.function, compiled.packed_metadata)


def starter(run: Any, function: Any, metadata: Any) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return what starts a kernel, and its arguments between the stream and those of the kernel.

    Triton's launcher looks for scratch memory at each launch and calls a function of C. If a kernel needs none, the
    function is called without the launcher, in Triton 3.6 and 3.7; later ones also pass it the kernel's signature.
    """
    hooks = (metadata, None, None, None)  # of a launch: its metadata, and functions before and after it
    takes_arguments = hasattr(run, "launch_pdl") and not hasattr(run, "arg_annotations")
    if takes_arguments and not any(getattr(run, name, 1) for name in SCRATCH):
        return run.launch, (function, run.launch_cooperative_grid, run.launch_pdl, None, None, *hooks)
    return run, (function, *hooks)


def _raise_if_exhausted(error: Exception) -> None:
    """Raise MemoryError for exhausted memory, which is no fault of the kernel: the call is repeated with more memory.

    Triton raises RuntimeError("Triton Error [CUDA]: out of memory").
    """
    text = str(error)
    if isinstance(error, MemoryError) or (text.startswith("Triton Error [") and "out of memory" in text):
        raise MemoryError(text) from error


def _fact(value: Any) -> Any:
    """Return what the compiler may assume about an argument."""
    if value.__class__ is tuple:
        return tuple([_fact(item) for item in value])
    return not value % ALIGNMENT or (value == 1 and ONE)


def source(function: Any, types: tuple[Any, ...], constants: Mapping[str, Any], facts: tuple[Any, ...]) -> ASTSource:
    """Return a kernel in the form that Triton compiles; arguments that equal 1 become constants.

    Parameters
    ----------
    function
        The kernel.
    types
        The type of each argument before the constants: a string, a tuple of types, or None for the constant None.
    constants
        The values of the remaining arguments by name.
    facts
        For each argument ``DIVISIBLE``, ``ONE`` or None; a tuple for a tuple.
    """
    names = function.arg_names
    signature: dict[str, Any] = {}
    values: dict[Any, Any] = {}
    attributes: dict[Any, Any] = {}

    def type_of(kind: Any, fact: Any, path: tuple[int, ...]) -> Any:
        if isinstance(kind, tuple):
            items = fact if isinstance(fact, tuple) else (None,) * len(kind)
            parts = enumerate(zip(kind, items, strict=True))
            return tuple(type_of(part, item, (*path, position)) for position, (part, item) in parts)
        if kind is not None and kind[0] == UNSPECIALIZED:
            return kind[1:]
        if kind is None or (fact == ONE and kind[0] != "*"):
            values[path] = None if kind is None else 1
            return "constexpr"
        if fact is DIVISIBLE:
            attributes[path] = [["tt.divisibility", ALIGNMENT]]
        return kind

    for position, (name, kind, fact) in enumerate(zip(names, types, facts, strict=False)):
        signature[name] = type_of(kind, fact, (position,))
    if names[len(types) :] != list(constants):
        raise AssertionError(f"{function.__name__} has the constants {names[len(types) :]}, not {list(constants)}")
    for position, (name, value) in enumerate(constants.items(), len(types)):
        signature[name] = "constexpr"
        values[(position,)] = value
    return ASTSource(fn=function, signature=signature, constexprs=values, attrs=attributes)
