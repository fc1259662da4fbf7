"""The dtypes of an elementwise computation: the device function, the compute dtypes, the dtype of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from ._context import Unsuited
from ._dtypes import BFLOAT16, KERNEL_DTYPES, SCALAR_TYPES, DType, cast_dtype, compute_dtype, result_constants
from ._elementwise_source import LETTERS, constants_of, operation_kernel
from ._formulas import FORMULAS, device_function
from ._table import BINARY, COMPARISONS, UFUNCS, UNARY, UPCAST

__all__ = [
    "Computation",
    "Key",
    "Plan",
    "astype_computation",
    "astype_plan",
    "computation",
    "converter",
    "plan_of",
]

Key: TypeAlias = tuple[Any, ...]
"""For each operand the dtype of an array, or the class of a Python scalar."""


class Computation(NamedTuple):
    """The dtypes of an elementwise computation.

    Attributes
    ----------
    operation
        The device function.
    loop
        The dtype that each operand is cast to.
    computed_in
        The Triton dtype that each operand is computed in; ``int1`` for a truth value.
    out
        The dtype of the result.
    compares
        Whether a Python integer out of range is declined, as a comparison accepts it, rather than an error.
    """

    operation: Any
    loop: tuple[DType, ...]
    computed_in: tuple[Any, ...]
    out: DType
    compares: bool = False


class Plan:
    """How an elementwise function computes operands of some dtypes.

    Parameters
    ----------
    key
        The dtypes of arrays and the classes of scalars.
    computation
        The device function and the dtypes.

    Attributes
    ----------
    arrays
        Whether each operand is an array.
    converters
        For each scalar the conversion to a kernel argument; None for an array.
    flat
        Launch functions for contiguous operands, by ``(addresses divisible by 16, size divisible by 16)``.
    """

    def __init__(self, key: Key, computation: Computation) -> None:
        self.operation, loop, computed_in, out, compares = computation
        self.out = out
        self.arrays = tuple(isinstance(item, np.dtype) for item in key)
        self.converters = tuple(
            None if array else converter(dtype, compute, compares)
            for array, dtype, compute in zip(self.arrays, loop, computed_in, strict=True)
        )
        stored = [KERNEL_DTYPES[item] if array else None for item, array in zip(key, self.arrays, strict=True)]
        self._computed_in = computed_in
        self._encodings = tuple("plain" if item is None else item.encoding for item in stored)
        self._types = tuple(
            SCALAR_TYPES[dtype] if item is None else item.pointer
            for item, dtype in zip(stored, computed_in, strict=True)
        )
        sizes = [item.itemsize for item in (*key, out) if isinstance(item, np.dtype)]
        self.block = {1: 4096, 2: 2048}.get(max(sizes), 1024)
        self.flat: dict[tuple[bool, bool], Callable[..., None]] = {}

    def kernel(
        self, context: Any, sources: tuple[str, ...], ndim: int, offsets_64: bool, split: bool, block: int
    ) -> Any:
        """Return the kernel for a layout; see :func:`operation_kernel` for the constants."""
        integer = "i64" if offsets_64 else "i32"
        axes = (integer,) * ndim if ndim else None
        strides = tuple(None if source == "scalar" else axes for source in sources)
        types = (KERNEL_DTYPES[self.out].pointer, *self._types, integer, axes, axes, *strides)
        constants: dict[str, Any] = {"OP": self.operation}
        for operand, *stored in zip(LETTERS, sources, self._encodings, self._computed_in, strict=False):
            constants |= zip(constants_of(operand), stored, strict=True)
        constants |= {
            **result_constants(self.out),
            "NDIM": ndim,
            "OFFSETS_64": offsets_64,
            "SPLIT": split,
            "BLOCK": block,
        }
        return context.kernel(operation_kernel(len(sources)), types, constants)

    def remember(self, kernel: Any, fixed: tuple[Any, ...]) -> Callable[..., None]:
        """Return the kernel for contiguous operands with its last arguments, the size the first of them.

        A launch stores the specialized kernel in ``flat``.
        """
        positions = (0, *(position for position, array in enumerate(self.arrays, 1) if array))
        even = not fixed[0] & 15

        def launch(programs: int, *first: Any) -> None:
            alignment = (not any(first[position] & 15 for position in positions), even)
            specialized = self.flat.get(alignment)
            if specialized is None:
                specialized = self.flat[alignment] = kernel.assuming(*alignment)
            specialized(programs, *first, *fixed)

        return launch

    def with_result(self, out: DType) -> Plan:
        """Return the same computation with a result of another dtype."""
        other: Plan = object.__new__(Plan)
        other.__dict__.update(self.__dict__, out=out, flat={})
        return other


def converter(dtype: DType, computed_in: Any, compares: bool = False) -> Callable[[Any], Any]:
    """Return the conversion of a Python scalar, cast to a dtype, to a kernel argument."""
    if dtype == np.bool_:
        return _truth
    if KERNEL_DTYPES[dtype].kind != "f":
        limits = np.iinfo(dtype)
        minimum, maximum = int(limits.min), int(limits.max)

        def to_integer(value: Any) -> int:
            if minimum <= value <= maximum:
                return int(value)
            message = f"Python integer {value} out of bounds for {dtype}"
            raise Unsuited(message) if compares else OverflowError(message)

        return to_integer
    if dtype == np.float64 or (dtype == np.float32 and computed_in == tl.float32):
        return float

    def to_float(value: Any) -> float:
        with np.errstate(all="ignore"):
            return float(dtype.type(value))

    return to_float


def _truth(value: Any) -> int:
    """Convert a Python scalar to a truth value; integers that no dtype represents are declined."""
    if value.__class__ is int and not -(2**63) <= value < 2**63:
        raise Unsuited(f"the integer {value} is out of range")
    return int(bool(value))


def plan_of(name: str) -> Callable[[Key], Plan]:
    """Return the function that makes plans of an elementwise function."""
    return lambda key: Plan(key, computation(name, key))


def _ufunc_computation(name: str, key: Key) -> Computation:
    _check(key)
    dtypes = tuple(np.dtype(bool) if item is bool else item for item in key)
    if BFLOAT16 in dtypes:
        dtypes = tuple(item if isinstance(item, np.dtype) else BFLOAT16 for item in dtypes)
    if name == "round" and dtypes[0].kind in "biu":
        loop: tuple[Any, ...] = (dtypes[0], dtypes[0])
    else:
        try:
            loop = (UFUNCS.get(name) or getattr(np, name)).resolve_dtypes((*dtypes, None))
        except TypeError as error:
            raise Unsuited(str(error)) from error
    if not all(item in KERNEL_DTYPES for item in loop):
        raise Unsuited(f"no kernel computes in {', '.join(map(str, loop))}")
    formula = FORMULAS[name]
    kinds = {KERNEL_DTYPES[item].kind for item in loop[:-1]}
    compares = name in COMPARISONS
    if not (compares or kinds <= set(formula.kinds)):
        raise Unsuited(f"no kernel computes in {loop[0]}")
    if name == "nextafter" and loop[0] == BFLOAT16:
        name = "nextafter_bfloat16"
    computed_in = tuple([_compute_dtype(item, name) for item in loop[:-1]])
    return Computation(device_function(name, computed_in), loop[:-1], computed_in, loop[-1], compares)


def _compute_dtype(dtype: DType, name: str) -> Any:
    if dtype == np.bool_:
        return tl.int1
    return compute_dtype(dtype, upcast=name in UPCAST, keep_float16=name == "nextafter")


def _check(key: Key) -> None:
    for item in key:
        if item not in KERNEL_DTYPES and item not in (bool, int, float):
            raise Unsuited(f"no kernel supports {getattr(item, '__name__', item)}")


def _promote(key: Key) -> DType:
    """Return the dtype that arrays and Python scalars promote to."""
    _check(key)
    if BFLOAT16 in key:
        if any(isinstance(item, np.dtype) and item != BFLOAT16 for item in key):
            raise Unsuited("bfloat16 does not promote with arrays of another dtype")
        return BFLOAT16
    examples: list[Any] = [{bool: np.dtype(bool), int: 0, float: 0.0}.get(item, item) for item in key]
    common = np.result_type(*examples)
    if common not in KERNEL_DTYPES:
        raise Unsuited(f"no kernel computes in {common}")
    return common


def astype_computation(source: DType, dtype: DType) -> Computation:
    """Return the computation of a cast."""
    _check((source, dtype))
    computed_in = (cast_dtype(source),)
    return Computation(device_function("identity", computed_in), (source,), computed_in, dtype)


def computation(name: str, key: Key) -> Computation:
    """Return how an elementwise function computes operands; raise :class:`Unsuited` if no kernel does."""
    if name == "where":
        common = _promote(key[1:])
        _check(key[:1])
        loop, computed_in = (np.dtype(bool), common, common), (tl.int1, *(cast_dtype(common),) * 2)
    elif name == "clip":
        if key[0] == np.bool_:
            raise Unsuited("x is boolean")
        common = _promote(key)
        loop, computed_in = (common,) * 3, (compute_dtype(common),) * 3
    elif name in UNARY or name in BINARY:
        return _ufunc_computation(name, key)
    else:
        raise Unsuited(f"no kernel computes {name}")
    return Computation(device_function(name, computed_in), loop, computed_in, common)


def astype_plan(dtype: DType) -> Callable[[Key], Plan]:
    """Return the function that makes plans for casts to a dtype."""
    return lambda key: Plan(key, astype_computation(key[0], dtype))
