"""Compile kernels and launch them on a GPU, at the lowest cost per launch.

Triton's own launcher looks a kernel up by all of its arguments, which takes 6 µs or more. Here the types of the
arguments are fixed beforehand, and the look-up depends only on which arguments are divisible by 16 or equal to 1. The
arguments are packed into one block, which CuPy's function of the driver takes. Triton caches compiled kernels on disk.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any

import triton
from triton.compiler import ASTSource

from ._context import KernelError
from ._driver import parameter_block
from ._dtypes import UNSPECIALIZED

__all__ = ["DeviceKernel", "Launcher", "options_for", "source"]

ALIGNMENT = 16
"""Divisor of addresses and sizes that lets the compiler use loads of 16 bytes."""

CODES = {"i32": "i", "i64": "q", "u64": "Q", "fp32": "f", "fp64": "d"}
"""The codes of the module ``struct`` for the types of parameters that are no pointers."""

POINTER = "Q"

SCRATCH = POINTER * 2
"""Parameters behind those of the signature: memory of which our kernels need none."""

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
        Loads and starts kernels: :class:`xtensor_backends.triton._driver.Driver`.
    """

    interprets = False

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.target = driver.target
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

    Its launches take the number of programs and the arguments: addresses, integers, floats, and tuples of integers.
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
        self._loaded: dict[tuple[Any, ...], tuple[Any, int]] = {}
        self._failure: str | None = None
        self._specialized = tuple(
            position for position, kind in enumerate(types) if kind is not None and kind[0] != UNSPECIALIZED
        )

    def bound(self, fixed: tuple[Any, ...]) -> Callable[..., None]:
        """Return the kernel with its last arguments, which are looked at and packed once."""
        launches: dict[tuple[bool, ...], Callable[..., None]] = {}

        def launch(programs: int, *first: Any) -> None:
            alignment = tuple([value.__class__ is int and not value & 15 for value in first])
            specialized = launches.get(alignment)
            if specialized is None:
                specialized = launches[alignment] = self._launch(self._facts((*first, *fixed)), fixed)
            specialized(programs, *first)

        return launch

    def assuming(self, aligned: bool, even: bool) -> Callable[..., None]:
        """Return the launch for addresses that are divisible by 16 or not (``aligned``), and integers (``even``)."""
        return self._launch(tuple([aligned if self._types[p][0] == "*" else even for p in self._specialized]), ())

    def _facts(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the compiler may assume about each argument that it specializes the kernel for."""
        return tuple([_fact(args[position]) for position in self._specialized])

    def _by_position(self, facts: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the facts of all arguments before the constants; None for those that do not specialize the kernel."""
        by_name = dict(zip(self._specialized, facts, strict=True))
        return tuple(map(by_name.get, range(len(self._types))))

    def _load(self, facts: tuple[Any, ...]) -> tuple[Any, int]:
        """Return the compiled kernel of a specialization, and the handle by which the driver starts it."""
        if self._failure is not None:
            raise KernelError(self._failure)
        loaded = self._loaded.get(facts)
        if loaded is not None:
            return loaded
        driver = self._launcher.driver
        try:
            compiled = triton.compile(
                source(self._function, self._types, self._constants, self._by_position(facts)),
                target=self._launcher.target,
                options=self._options,
            )
            try:
                function = driver.load(compiled)
            except RuntimeError as error:
                function = _again(driver, error, driver.load, compiled)
        except Exception as error:
            _raise_if_exhausted(error)
            self._failure = f"{type(error).__name__}: {error}"
            raise KernelError(self._failure) from error
        self._loaded[facts] = compiled, function
        return compiled, function

    def _launch(self, facts: tuple[Any, ...], fixed: tuple[Any, ...]) -> Callable[..., None]:
        """Return the launch of a specialization; it takes the number of programs and the arguments before ``fixed``."""
        compiled, function = self._load(facts)
        driver, target, longest = self._launcher.driver, self._launcher.target, self._launcher.longest_axis
        start, stream, backend = driver.start, driver.stream, target.backend
        threads, shared = compiled.metadata.num_warps * target.warp_size, compiled.metadata.shared
        parameters = list(_parameters(compiled.src.signature))
        # Native alignment: each parameter is at a multiple of its size, as in a structure of C.
        layout = struct.Struct("@" + "".join(code for _, code in parameters) + SCRATCH)
        count = len(self._types) - len(fixed)
        first = [(path, code) for path, code in parameters if path[0] < count]
        head, select = struct.Struct("@" + "".join(code for _, code in first)), _selector([path for path, _ in first])
        padded = (*[None] * count, *fixed)
        rest = [_at(padded, path) for path, _ in parameters[len(first) :]]
        pack, size = head.pack_into, layout.size
        # A block belongs to a launch until the driver has copied it; another thread then takes another one.
        free: list[tuple[Any, int, Any]] = []

        def launch(programs: int, *args: Any) -> None:
            try:
                block = free.pop()
            except IndexError:
                block = parameter_block(size, backend)
                layout.pack_into(block[0], 0, *[0] * len(first), *rest, 0, 0)
            memory, address, _ = block
            pack(memory, 0, *select(args))
            folds = 1
            if programs > longest:
                programs, folds = longest, -(-programs // longest)
            arguments = (function, programs, folds, 1, threads, 1, 1, shared, stream(), 0, address)
            try:
                start(*arguments)
            except RuntimeError as error:
                _again(driver, error, start, *arguments)
            free.append(block)

        return launch


def _parameters(signature: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the position of each parameter among the arguments, with one in a tuple, and its code."""
    for position, kind in enumerate(signature.values()):
        if isinstance(kind, tuple):
            for index, part in enumerate(kind):
                if part != "constexpr":
                    yield (position, index), CODES[part]
        elif kind != "constexpr":
            yield (position,), POINTER if kind[0] == "*" else CODES[kind]


def _at(args: tuple[Any, ...], path: tuple[int, ...]) -> Any:
    return args[path[0]] if len(path) == 1 else args[path[0]][path[1]]


def _selector(paths: list[tuple[int, ...]]) -> Callable[[tuple[Any, ...]], Any]:
    """Return what selects the parameters from the arguments of a launch."""
    if len(paths) > 1 and all(len(path) == 1 for path in paths):
        return itemgetter(*[path[0] for path in paths])
    return lambda args: [_at(args, path) for path in paths]


def _again(driver: Any, error: RuntimeError, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of the driver again that failed as this thread had no context; raise other errors."""
    if "invalid device context" not in str(error):
        _raise_if_exhausted(error)
        raise error
    driver.use_context()
    return function(*args)


def _raise_if_exhausted(error: Exception) -> None:
    """Raise MemoryError for exhausted memory, which is no fault of the kernel: the call is repeated with more memory.

    CuPy raises RuntimeErrors such as CUDADriverError("CUDA_ERROR_OUT_OF_MEMORY: out of memory").
    """
    text = str(error)
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "out of memory" in text):
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
