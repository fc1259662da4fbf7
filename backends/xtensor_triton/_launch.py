"""Compiling kernels and launching them on a GPU, at the least cost a launch.

Requirements: Triton's own launcher looks a kernel up by all of its arguments, in 6 µs and more. Here a kernel knows
the types of its arguments beforehand, and what is left to look up is which of them are divisible by 16 or equal to 1;
the compiled kernel is then called with addresses, on CuPy's current stream. Nothing needs PyTorch. Compiled kernels are
kept on disk by Triton.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from operator import itemgetter
from typing import Any

import triton
from triton.compiler import ASTSource

from ._dtypes import OPERAND
from ._fallthrough import KernelError

__all__ = ["DeviceKernel", "Launcher", "bound_to", "current_stream", "install_driver", "source"]

ALIGNED = 16
"""The divisor that lets the compiler load 16 bytes at a time."""

DIVISIBLE, ONE = True, "one"
"""What may be known of an argument."""

OPTIONS: dict[str, Any] = {"enable_fp_fusion": False}
"""Products and sums are rounded one by one, as NumPy does it; the default differs between versions of Triton."""


class Launcher:
    """What the functions ask for a kernel, where kernels are compiled.

    Parameters
    ----------
    target
        Triton's name of the hardware (a ``GPUTarget``).
    stream
        Gives the handle of the stream to launch on.
    """

    interprets = False

    def __init__(self, target: Any, stream: Callable[[], int]) -> None:
        self.target = target
        self.stream = stream
        # HIP counts the threads along an axis of the grid, up to 2^32; CUDA the programs.
        self.longest_axis = 2**31 - 1 if target.backend == "cuda" else 2**21

    def kernel(
        self,
        function: Any,
        types: tuple[Any, ...],
        constants: Mapping[str, Any],
        *,
        warps: int = 4,
        stages: int | None = None,
    ) -> DeviceKernel:
        options = {"num_warps": warps, **OPTIONS} | ({} if stages is None else {"num_stages": stages})
        return DeviceKernel(self, function, types, constants, options)


class DeviceKernel:
    """A kernel with the types of its arguments and its constants; compiled for what is known of the arguments.

    Called with the number of programs and the arguments: addresses, integers, floats, and tuples of integers.
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
        self._failure: KernelError | None = None
        self._places = tuple(place for place, kind in enumerate(types) if kind is not None and kind[0] != OPERAND)
        self._told = itemgetter(*self._places)

    def __call__(self, programs: int, *args: Any) -> None:
        facts = tuple(
            [
                (not value & 15 or (value == 1 and ONE)) if value.__class__ is int else _known(value)
                for value in self._told(args)
            ]
        )
        launch = self._launches.get(facts)
        if launch is None:
            known = dict(zip(self._places, facts, strict=True))
            launch = self._launches[facts] = self._compiled(tuple(map(known.get, range(len(args)))))
        launch(programs, *args)

    def assuming(self, aligned: bool, even: bool) -> Callable[..., None]:
        """The launch where addresses are known to be divisible by 16, or not, and integers likewise."""
        known = tuple(
            DIVISIBLE if kind is not None and (aligned if kind[0] == "*" else even) else None for kind in self._types
        )
        return self._compiled(known)

    def _compiled(self, known: tuple[Any, ...]) -> Callable[..., None]:
        if self._failure is not None:
            raise self._failure
        try:
            compiled = triton.compile(
                source(self._function, self._types, self._constants, known),
                target=self._launcher.target,
                options=self._options,
            )
            run = compiled.run
        except Exception as error:
            self._failure = KernelError(f"{type(error).__name__}: {error}")
            raise self._failure from error
        function, metadata, stream = compiled.function, compiled.packed_metadata, self._launcher.stream
        constants = tuple(self._constants.values())
        longest = self._launcher.longest_axis

        def launch(programs: int, *args: Any) -> None:
            if programs <= longest:
                run(programs, 1, 1, stream(), function, metadata, None, None, None, *args, *constants)
            else:
                folds = -(-programs // longest)
                run(longest, folds, 1, stream(), function, metadata, None, None, None, *args, *constants)

        return launch


def _known(value: Any) -> Any:
    """What the compiler is told of an argument."""
    if value.__class__ is tuple:
        return tuple([_known(item) for item in value])
    return not value % ALIGNED or (value == 1 and ONE)


def source(function: Any, types: tuple[Any, ...], constants: Mapping[str, Any], known: tuple[Any, ...]) -> ASTSource:
    """A kernel as Triton compiles it: its types, and as constants what is one, or known to be 1."""
    names = function.arg_names
    signature: dict[str, Any] = {}
    values: dict[Any, Any] = {}
    attributes: dict[Any, Any] = {}

    def typed(kind: Any, fact: Any, path: tuple[int, ...]) -> Any:
        if isinstance(kind, tuple):
            facts = fact if isinstance(fact, tuple) else (None,) * len(kind)
            parts = enumerate(zip(kind, facts, strict=True))
            return tuple(typed(part, item, (*path, place)) for place, (part, item) in parts)
        if kind is not None and kind[0] == OPERAND:
            return kind[1:]
        if kind is None or (fact == ONE and kind[0] != "*"):
            values[path] = None if kind is None else 1
            return "constexpr"
        if fact is DIVISIBLE:
            attributes[path] = [["tt.divisibility", ALIGNED]]
        return kind

    for place, (name, kind, fact) in enumerate(zip(names, types, known, strict=False)):
        signature[name] = typed(kind, fact, (place,))
    if names[len(types) :] != list(constants):
        raise AssertionError(f"{function.__name__} has the constants {names[len(types) :]}, not {list(constants)}")
    for place, (name, value) in enumerate(constants.items(), len(types)):
        signature[name] = "constexpr"
        values[(place,)] = value
    return ASTSource(fn=function, signature=signature, constexprs=values, attrs=attributes)


# -- the driver ---------------------------------------------------------------------------------------------------


def current_stream(cupy: Any) -> Callable[[], int]:
    """What gives the handle of CuPy's current stream."""
    try:
        from cupy_backends.cuda.stream import get_current_stream_ptr
    except ImportError:
        return lambda: int(cupy.cuda.get_current_stream().ptr)
    return get_current_stream_ptr  # type: ignore[no-any-return]


def install_driver(cupy: Any) -> None:
    """Let Triton load kernels through CuPy's current device; where PyTorch is loaded, its own driver does."""
    from triton.runtime import driver

    if "torch" not in sys.modules:
        driver.set_active(_driver(cupy))


def _driver(cupy: Any) -> Any:
    """Triton's driver, without what it asks PyTorch for."""
    if cupy.cuda.runtime.is_hip:
        from triton.backends.amd.driver import HIPDriver as Driver
        from triton.backends.amd.driver import HIPLauncher as Launch
        from triton.backends.amd.driver import HIPUtils as Utils
    else:
        from triton.backends.nvidia.driver import CudaDriver as Driver
        from triton.backends.nvidia.driver import CudaLauncher as Launch
        from triton.backends.nvidia.driver import CudaUtils as Utils
    stream = current_stream(cupy)

    def capability(device: int) -> tuple[int, int]:
        digits = cupy.cuda.Device(device).compute_capability
        return int(digits[:-1]), int(digits[-1])

    class CupyDriver(Driver):  # type: ignore[misc]
        def __init__(self) -> None:
            self.utils = Utils()
            self.launcher_cls = Launch
            self.get_device_capability = capability
            self.get_current_device = cupy.cuda.runtime.getDevice
            self.set_current_device = cupy.cuda.runtime.setDevice
            self.get_current_stream = lambda device: stream()

    return CupyDriver()


def bound_to(device: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs with a device of several as the current one; ``device`` is CuPy's."""
    from cupy.cuda.runtime import getDevice

    index = device.id

    @wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Any:
        if getDevice() == index:
            return function(*args, **kwargs)
        with device:
            return function(*args, **kwargs)

    return bound
