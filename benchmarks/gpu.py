"""GPU kernels against raw CuPy and PyTorch, relative to the memory bandwidth or to the vendor's library.

The baseline ``reference`` depends on the case. For memory-bound cases it is a copy on the device that reads and writes
the minimum number of bytes of the case, so that a ratio of 1.1 means 90 % of the measured bandwidth. For matrix
products it is the vendor's library through CuPy or PyTorch, for attention PyTorch's attention, and for the host time of
a call CuPy's call. Times are measured on the device between two events. Operands are larger than any cache, and all
libraries use the same memory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

import xtensor
from xtensor.nn import functional

from ._cases import Group, Limit, Samplers, Variant
from ._libraries import Library
from ._measure import Sampler

__all__ = ["CASES", "GROUP", "GpuCase", "Operation", "cases", "event_sampler", "random_array"]

ELEMENTS = 2**26
"""Elements of a memory-bound case: 256 MiB of float32, several times the cache of a large GPU."""

CHAIN = "((x * y + x) * y - x) * 0.5"
"""Five elementwise operations. The case has no limit: no library fuses them, so each one moves its own bytes."""

FUSED = f"{CHAIN}, fused"
"""The same operations in one kernel of :func:`xtensor.fuse`, beside ``torch.compile``."""

ROWS = tuple(2**power for power in range(10, 19))
"""Row lengths, 1 Ki to 256 Ki."""

Operands: TypeAlias = Callable[[Any], dict[str, Any]]
"""Build the operands as CuPy arrays; the argument is the module ``cupy``."""

Compute: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """The computation of a case in each library, called with the operands by name.

    ``cupy`` and ``torch`` receive their module as the first argument; None if the library has no such function.
    """

    xtensor: Compute
    cupy: Compute | None = None
    torch: Compute | None = None


@dataclass(frozen=True, slots=True)
class GpuCase:
    """A case on a GPU.

    Attributes
    ----------
    name
        Row label in the tables.
    operands
        Builds the operands.
    operation
        The computation.
    bytes_moved
        Minimum number of bytes to read and write; the reference copies as many. 0 if the case is not memory-bound.
    reference
        Library whose computation is the reference of a case that is not memory-bound.
    host_time
        Whether to measure the host time of the call instead of the device time of the computation.
    """

    name: str
    operands: Operands
    operation: Operation
    bytes_moved: int = 0
    reference: str = ""
    host_time: bool = False
    note: str = ""
    max_size: int = 10**12

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return a sampler for each library that has the function, and one for the reference."""
        cupy = next(library.namespace for library in libraries if library.name == "cupy")
        operands = self.operands(cupy)
        build = host_sampler if self.host_time else event_sampler
        samplers: dict[str, Sampler] = {}
        skipped: dict[str, str] = {}
        for library in libraries:
            try:
                call = self.call(library, operands)
                if call is None:
                    skipped[library.name] = "has no such function"
                    continue
                call()
            except Exception as error:  # a peer may lack the function, the dtype or the memory
                if library.name == "xtensor":
                    raise
                skipped[library.name] = f"{type(error).__name__}: {error}"
            else:
                samplers[library.name] = build(cupy, call)
        if self.bytes_moved:
            samplers["reference"] = event_sampler(cupy, device_copy(cupy, self.bytes_moved))
        elif self.reference in samplers:
            samplers["reference"] = samplers[self.reference]
        else:
            skipped["reference"] = f"{self.reference} is not available"
        return samplers, skipped

    def call(self, library: Library, operands: Mapping[str, Any]) -> Callable[[], Any] | None:
        """Bind the computation in a library to its operands; None if the library has no such function."""
        if library.name == "xtensor":
            return partial(self.operation.xtensor, **{name: as_xtensor(value) for name, value in operands.items()})
        if library.name == "cupy" and self.operation.cupy is not None:
            return partial(self.operation.cupy, library.namespace, **operands)
        if library.name == "torch" and self.operation.torch is not None:
            torch = __import__("torch")
            return partial(self.operation.torch, torch, **{name: as_torch(torch, x) for name, x in operands.items()})
        return None


def as_xtensor(value: Any) -> Any:
    """Convert a CuPy array to an xtensor array on the same memory; return any other value unchanged."""
    if not hasattr(value, "dtype"):
        return value
    if value.dtype.kind == "V":  # the oldest supported CuPy cannot exchange bfloat16 through DLPack
        return xtensor.from_dlpack(value.view(np.uint16)).view(value.dtype)
    return xtensor.from_dlpack(value)


def as_torch(torch: ModuleType, value: Any) -> Any:
    """Convert a CuPy array to a tensor on the same memory; return any other value unchanged."""
    if not hasattr(value, "dtype"):
        return value
    if value.dtype.kind == "V":
        return torch.from_dlpack(value.view(np.int16)).view(torch.bfloat16)
    return torch.from_dlpack(value)


def event_sampler(cupy: Any, call: Callable[[], Any]) -> Sampler:
    """Return a sampler of the device time between an event before the calls and an event after them."""

    def sample(calls: int) -> float:
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) / 1e3

    return sample


def host_sampler(cupy: Any, call: Callable[[], Any]) -> Sampler:
    """Return a sampler of the host time of the calls; it synchronizes with the device outside of the timed part."""

    def sample(calls: int) -> float:
        cupy.cuda.get_current_stream().synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        end = time.perf_counter()
        cupy.cuda.get_current_stream().synchronize()
        return end - start

    return sample


def device_copy(cupy: Any, bytes_moved: int) -> Callable[[], Any]:
    """Return a copy on the device that reads and writes a number of bytes in total."""
    source = cupy.zeros(bytes_moved // 8, dtype=np.float32)
    target = cupy.empty_like(source)
    return partial(cupy.copyto, target, source)


# -- operands -----------------------------------------------------------------------------------------------------


def random_array(cupy: Any, shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Any:
    """Return random values between 0 and 1, generated on the device."""
    values = cupy.random.RandomState(seed).random_sample(shape, dtype=np.float32)
    if str(dtype) == "bfloat16":
        # Truncation of the bits needs no support for casts to bfloat16.
        return (values.view(np.uint32) >> 16).astype(np.uint16).view(xtensor.bfloat16)
    return values.astype(dtype, copy=False)


def arrays(*names: str, shape: tuple[int, ...], dtype: str = "float32") -> Operands:
    """Return arrays of one shape."""
    return lambda cupy: {name: random_array(cupy, shape, dtype, seed) for seed, name in enumerate(names)}


def rows_with(*parameters: str, columns: int, elements: int = ELEMENTS) -> Operands:
    """Return a matrix ``x`` with rows of a length, and parameters of that length."""

    def build(cupy: Any) -> dict[str, Any]:
        x = random_array(cupy, (elements // columns, columns), "float32")
        vectors = {name: random_array(cupy, (columns,), "float32", 1 + i) for i, name in enumerate(parameters)}
        return {"x": x, **vectors}

    return build


def scores_and_targets(*, columns: int, elements: int) -> Operands:
    """Return a matrix of scores ``x`` and the index of the right class of each row."""

    def build(cupy: Any) -> dict[str, Any]:
        rows = elements // columns
        targets = (random_array(cupy, (rows,), "float32", 1) * columns).astype(np.int64)
        return {"x": random_array(cupy, (rows, columns), "float32"), "targets": targets}

    return build


def attention_operands(query_heads: int, key_heads: int, length: int, features: int, dtype: str) -> Operands:
    """Return queries, keys and values of shape ``(4, heads, length, features)``."""

    def build(cupy: Any) -> dict[str, Any]:
        heads = {"q": query_heads, "k": key_heads, "v": key_heads}
        return {
            name: random_array(cupy, (4, number, length, features), dtype, seed)
            for seed, (name, number) in enumerate(heads.items())
        }

    return build


# -- computations -------------------------------------------------------------------------------------------------


def _softmax(cp: Any, x: Any) -> Any:
    weights = cp.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _layer_norm(cp: Any, x: Any, weight: Any, bias: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / cp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * weight + bias


def _rms_norm(cp: Any, x: Any, weight: Any) -> Any:
    return x / cp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * weight


def _cross_entropy(cp: Any, x: Any, targets: Any) -> Any:
    x = x - x.max(axis=-1, keepdims=True)
    chosen = cp.take_along_axis(x, targets[:, None], axis=-1)[:, 0]
    return cp.mean(cp.log(cp.exp(x).sum(axis=-1)) - chosen)


def _fused(torch: Any, x: Any, y: Any) -> Any:
    return _compiled(torch)(x, y)


@cache
def _compiled(torch: ModuleType) -> Compute:
    compiled: Compute = torch.compile(_chain)
    return compiled


def _tf32(torch: Any, x: Any, y: Any) -> Any:
    torch.backends.cuda.matmul.allow_tf32 = True
    return torch.matmul(x, y.T)


SUMS = {"all": None, "rows": 1, "columns": 0}


def cases(elements: int = ELEMENTS, rows: tuple[int, ...] = ROWS, sides: tuple[int, ...] = (1024, 2048, 4096, 8192),
          length: int = 4096, small: int = 1024) -> tuple[GpuCase, ...]:  # fmt: skip
    """Return the cases. The tests pass smaller operands."""
    vector, side = (elements,), math.isqrt(elements)
    size = 4 * elements
    return (
        GpuCase(
            "x + y",
            arrays("x", "y", shape=vector),
            Operation(lambda x, y: x + y, lambda cp, x, y: x + y, lambda torch, x, y: x + y),
            bytes_moved=3 * size,
        ),
        GpuCase(
            CHAIN,
            arrays("x", "y", shape=vector),
            Operation(_chain, lambda cp, x, y: _chain(x, y), lambda torch, x, y: _chain(x, y)),
            bytes_moved=(3 + 3 + 3 + 3 + 2) * size,
        ),
        GpuCase(
            FUSED,
            arrays("x", "y", shape=vector),
            Operation(xtensor.fuse(_chain), None, _fused),
            bytes_moved=3 * size,
        ),
        GpuCase(
            "exp(x)",
            arrays("x", shape=vector),
            Operation(lambda x: xtensor.exp(x), lambda cp, x: cp.exp(x), lambda torch, x: torch.exp(x)),
            bytes_moved=2 * size,
        ),
        *(
            GpuCase(
                f"sum of {name}",
                arrays("x", shape=(side, side)),
                Operation(
                    lambda x, axis=axis: xtensor.sum(x, axis=axis),
                    lambda cp, x, axis=axis: cp.sum(x, axis=axis),
                    lambda torch, x, axis=axis: torch.sum(x) if axis is None else torch.sum(x, dim=axis),
                ),
                bytes_moved=4 * side * side,
            )
            for name, axis in SUMS.items()
        ),
        GpuCase(
            "cumulative_sum(x)",
            arrays("x", shape=vector),
            Operation(
                lambda x: xtensor.cumulative_sum(x),
                lambda cp, x: cp.cumsum(x),
                lambda torch, x: torch.cumsum(x, 0),
            ),
            bytes_moved=2 * size,
        ),
        *(case for columns in rows for case in _row_cases(columns, elements)),
        *(case for side_length in sides for case in _matmul_cases(side_length)),
        *(_attention_case(causal, key_heads, length) for causal in (False, True) for key_heads in (16, 4)),
        GpuCase(
            f"x + y, {small} elements, host time",
            arrays("x", "y", shape=(small,)),
            Operation(lambda x, y: x + y, lambda cp, x, y: x + y, lambda torch, x, y: x + y),
            reference="cupy",
            host_time=True,
        ),
    )


def _chain(x: Any, y: Any) -> Any:
    return ((x * y + x) * y - x) * 0.5


def _row_cases(columns: int, elements: int) -> tuple[GpuCase, ...]:
    bytes_moved = 8 * elements
    return (
        GpuCase(
            f"softmax, {columns} columns",
            rows_with(columns=columns, elements=elements),
            Operation(lambda x: functional.softmax(x), _softmax, lambda torch, x: torch.softmax(x, -1)),
            bytes_moved=bytes_moved,
        ),
        GpuCase(
            f"rms_norm, {columns} columns",
            rows_with("weight", columns=columns, elements=elements),
            Operation(
                lambda x, weight: functional.rms_norm(x, weight),
                _rms_norm,
                lambda torch, x, weight: torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, 1e-6),
            ),
            bytes_moved=bytes_moved,
        ),
        GpuCase(
            f"layer_norm, {columns} columns",
            rows_with("weight", "bias", columns=columns, elements=elements),
            Operation(
                lambda x, weight, bias: functional.layer_norm(x, weight, bias),
                _layer_norm,
                lambda torch, x, weight, bias: torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias),
            ),
            bytes_moved=bytes_moved,
        ),
        GpuCase(
            f"cross_entropy, {columns} columns",
            scores_and_targets(columns=columns, elements=elements),
            Operation(
                lambda x, targets: functional.cross_entropy(x, targets),
                _cross_entropy,
                lambda torch, x, targets: torch.nn.functional.cross_entropy(x, targets),
            ),
            bytes_moved=4 * elements,
        ),
    )


def _matmul_cases(side: int) -> tuple[GpuCase, ...]:
    note = "The reference is cuBLAS or rocBLAS: through CuPy for float16, through PyTorch otherwise."
    products = [
        GpuCase(
            f"matmul {dtype}, {side} × {side}",
            arrays("x", "y", shape=(side, side), dtype=dtype),
            Operation(
                lambda x, y: xtensor.matmul(x, y),
                lambda cp, x, y: cp.matmul(x, y),
                lambda torch, x, y: torch.matmul(x, y),
            ),
            reference="cupy" if dtype == "float16" else "torch",
            note=note,
        )
        for dtype in ("float16", "bfloat16")
    ]
    tf32 = GpuCase(
        f"linear tf32, {side} × {side}",
        arrays("x", "y", shape=(side, side)),
        Operation(lambda x, y: functional.linear(x, y, precision="tf32"), None, _tf32),
        reference="torch",
        note=note,
    )
    return (*products, tf32)


def _attention_case(causal: bool, key_heads: int, length: int) -> GpuCase:
    def in_torch(torch: Any, q: Any, k: Any, v: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=key_heads != 16)

    kind = f"{'causal ' if causal else ''}attention{' with grouped queries' if key_heads != 16 else ''}"
    return GpuCase(
        f"{kind}, float16, 4 × 16 heads, {length} × 128",
        attention_operands(16, key_heads, length, 128, "float16"),
        Operation(
            lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, causal=causal),
            None,
            in_torch,
        ),
        reference="torch",
        note="The reference is PyTorch's attention.",
    )


CASES = cases()

GROUP = Group(
    title="device time of GPU kernels",
    cases=CASES,
    quick_cases=cases(elements=4096, rows=(16, 1024), sides=(16,), length=32, small=64),
    peers=("cupy", "torch"),
    limits=tuple(Limit(case.name, None, 1 / 0.9) for case in CASES if case.bytes_moved and case.name != CHAIN),
    rounds=20,
    max_seconds=2.0,
    sweeps=2,
    device="cuda",
    baseline="reference",
)
