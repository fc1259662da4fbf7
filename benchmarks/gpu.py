"""What a GPU is worth: kernels beside raw CuPy and PyTorch, against the memory's own speed and the vendor's library.

The first column is the reference of a case: for what memory decides, a copy on the device that reads and writes as
many bytes as the case must (so that 1.1 means 90 % of the bandwidth that was measured); for products of matrices the
vendor's library through CuPy or PyTorch; for attention PyTorch's; for the host's share of a call, CuPy's. Times are the
device's own, between two events; operands are larger than any cache, and all libraries work on the same memory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

import xtensor
from xtensor.nn import functional

from ._cases import Group, Limit, Variant
from ._libraries import Library
from ._measure import Sampler

__all__ = ["CASES", "GROUP", "Gpu", "Operation"]

ELEMENTS = 2**26
"""Elements of a case that memory decides: 256 MiB of float32, several times a large GPU's cache."""

ROWS = tuple(2**power for power in range(10, 19))
"""The lengths of rows, 1 Ki to 256 Ki."""

Make: TypeAlias = Callable[[Any], dict[str, Any]]
"""Gives the operands as CuPy's arrays, told CuPy."""

Compute: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What a case computes in each library; the operands come by name.

    ``torch`` is told PyTorch first, ``cupy`` CuPy; None where a library has no such function.
    """

    xtensor: Compute
    cupy: Compute | None = None
    torch: Compute | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """A case on a GPU.

    Attributes
    ----------
    operands
        Makes the operands.
    operation
        What is computed.
    moved
        Bytes that must be read or written, for a reference that copies them.
    reference
        The library that is the reference, where memory does not decide.
    on_host
        Whether the host's time counts: how long it takes to ask, not how long the device takes to answer.
    """

    name: str
    operands: Make
    operation: Operation
    moved: int = 0
    reference: str = ""
    on_host: bool = False
    note: str = ""
    largest: int = 10**12

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """A sampler for each library that has the function, and one for the reference."""
        cupy = next(library.namespace for library in libraries if library.name == "cupy")
        given = self.operands(cupy)
        found: dict[str, Sampler] = {}
        refused: dict[str, str] = {}
        for library in libraries:
            try:
                call = self.call(library, given)
                if call is None:
                    refused[library.name] = "has no such function"
                    continue
                call()
            except Exception as error:  # a library that has not the function or the dtype, or not the memory
                if library.name == "xtensor":
                    raise
                refused[library.name] = f"{type(error).__name__}: {error}"
            else:
                found[library.name] = (on_host if self.on_host else between_events)(cupy, call)
        if self.moved:
            found["reference"] = between_events(cupy, copying(cupy, self.moved))
        elif self.reference in found:
            found["reference"] = found[self.reference]
        else:
            refused["reference"] = f"{self.reference} is not here"
        return found, refused

    def call(self, library: Library, given: Mapping[str, Any]) -> Callable[[], Any] | None:
        """The computation in a library, ready to be called."""
        if library.name == "xtensor":
            return partial(self.operation.xtensor, **{name: of_cupy(value) for name, value in given.items()})
        if library.name == "cupy" and self.operation.cupy is not None:
            return partial(self.operation.cupy, library.namespace, **given)
        if library.name == "torch" and self.operation.torch is not None:
            torch = __import__("torch")
            return partial(self.operation.torch, torch, **{name: to_torch(torch, x) for name, x in given.items()})
        return None


def of_cupy(value: Any) -> Any:
    """An operand as xtensor takes it, on the same memory."""
    if not hasattr(value, "dtype"):
        return value
    if value.dtype.kind == "V":  # DLPack's exchange of it is younger than the oldest CuPy
        return xtensor.from_dlpack(value.view(np.uint16)).view(value.dtype)
    return xtensor.from_dlpack(value)


def to_torch(torch: ModuleType, value: Any) -> Any:
    """An operand as PyTorch takes it, on the same memory."""
    if not hasattr(value, "dtype"):
        return value
    if value.dtype.kind == "V":
        return torch.from_dlpack(value.view(np.int16)).view(torch.bfloat16)
    return torch.from_dlpack(value)


def between_events(cupy: Any, call: Callable[[], Any]) -> Sampler:
    """A sampler of the device's time: from the event before the calls to the one behind them."""

    def sample(number: int) -> float:
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(number):
            call()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) / 1e3

    return sample


def on_host(cupy: Any, call: Callable[[], Any]) -> Sampler:
    """A sampler of the host's time; the device may lag behind, and is waited for outside of it."""

    def sample(number: int) -> float:
        cupy.cuda.get_current_stream().synchronize()
        start = time.perf_counter()
        for _ in range(number):
            call()
        end = time.perf_counter()
        cupy.cuda.get_current_stream().synchronize()
        return end - start

    return sample


def copying(cupy: Any, moved: int) -> Callable[[], Any]:
    """A copy on the device that reads and writes so many bytes in all."""
    source = cupy.zeros(moved // 8, dtype=np.float32)
    target = cupy.empty_like(source)
    return partial(cupy.copyto, target, source)


# -- operands -----------------------------------------------------------------------------------------------------


def random(cupy: Any, shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Any:
    """Values between 0 and 1, made on the device."""
    values = cupy.random.RandomState(seed).random_sample(shape, dtype=np.float32)
    if str(dtype) == "bfloat16":
        # Cut off by hand, so that no library's cast is needed.
        return (values.view(np.uint32) >> 16).astype(np.uint16).view(xtensor.bfloat16)
    return values.astype(dtype, copy=False)


def arrays(*names: str, shape: tuple[int, ...], dtype: str = "float32") -> Make:
    """Arrays of one shape."""
    return lambda cupy: {name: random(cupy, shape, dtype, seed) for seed, name in enumerate(names)}


def rows_with(*parameters: str, columns: int, elements: int = ELEMENTS) -> Make:
    """Rows of a length, and parameters as long as one."""

    def make(cupy: Any) -> dict[str, Any]:
        found = {"x": random(cupy, (elements // columns, columns), "float32")}
        return found | {name: random(cupy, (columns,), "float32", 1 + i) for i, name in enumerate(parameters)}

    return make


def heads(queries: int, groups: int, length: int, width: int, dtype: str) -> Make:
    """Queries, keys and values of attention."""

    def make(cupy: Any) -> dict[str, Any]:
        shapes = {"q": (4, queries, length, width), "k": (4, groups, length, width), "v": (4, groups, length, width)}
        return {name: random(cupy, shape, dtype, seed) for seed, (name, shape) in enumerate(shapes.items())}

    return make


# -- what is computed ---------------------------------------------------------------------------------------------


def _softmax(cp: Any, x: Any) -> Any:
    weights = cp.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _layer_norm(cp: Any, x: Any, weight: Any, bias: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / cp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * weight + bias


def _rms_norm(cp: Any, x: Any, weight: Any) -> Any:
    return x / cp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * weight


def _tf32(torch: Any, x: Any, y: Any) -> Any:
    torch.backends.cuda.matmul.allow_tf32 = True
    return torch.matmul(x, y.T)


SUMS = {"all": None, "rows": 1, "columns": 0}


def cases(elements: int = ELEMENTS, rows: tuple[int, ...] = ROWS, sides: tuple[int, ...] = (1024, 2048, 4096, 8192),
          length: int = 4096, small: int = 1024) -> tuple[Gpu, ...]:  # fmt: skip
    """The cases; smaller operands are for trying them out."""
    vector, side = (elements,), math.isqrt(elements)
    size = 4 * elements
    found = [
        Gpu(
            "x + y",
            arrays("x", "y", shape=vector),
            Operation(lambda x, y: x + y, lambda cp, x, y: x + y, lambda torch, x, y: x + y),
            moved=3 * size,
        ),
        Gpu(
            "(x * y + x) * y - x, five operations",
            arrays("x", "y", shape=vector),
            Operation(_chain, lambda cp, x, y: _chain(x, y), lambda torch, x, y: _chain(x, y)),
            moved=(3 + 3 + 3 + 3 + 2) * size,
        ),
        Gpu(
            "exp(x)",
            arrays("x", shape=vector),
            Operation(lambda x: xtensor.exp(x), lambda cp, x: cp.exp(x), lambda torch, x: torch.exp(x)),
            moved=2 * size,
        ),
        *(
            Gpu(
                f"sum of {name}",
                arrays("x", shape=(side, side)),
                Operation(
                    lambda x, axis=axis: xtensor.sum(x, axis=axis),
                    lambda cp, x, axis=axis: cp.sum(x, axis=axis),
                    lambda torch, x, axis=axis: torch.sum(x) if axis is None else torch.sum(x, dim=axis),
                ),
                moved=4 * side * side,
            )
            for name, axis in SUMS.items()
        ),
        Gpu(
            "cumulative_sum(x)",
            arrays("x", shape=vector),
            Operation(
                lambda x: xtensor.cumulative_sum(x),
                lambda cp, x: cp.cumsum(x),
                lambda torch, x: torch.cumsum(x, 0),
            ),
            moved=2 * size,
        ),
        *(case for columns in rows for case in _along_rows(columns, elements)),
        *(case for length_of_side in sides for case in _products(length_of_side)),
        *(_attention(causal, groups, length) for causal in (False, True) for groups in (16, 4)),
        Gpu(
            f"x + y, {small} elements, the host's time",
            arrays("x", "y", shape=(small,)),
            Operation(lambda x, y: x + y, lambda cp, x, y: x + y, lambda torch, x, y: x + y),
            reference="cupy",
            on_host=True,
        ),
    ]
    return tuple(found)


def _chain(x: Any, y: Any) -> Any:
    return ((x * y + x) * y - x) * 0.5


def _along_rows(columns: int, elements: int) -> tuple[Gpu, ...]:
    moved = 8 * elements
    return (
        Gpu(
            f"softmax, {columns} columns",
            rows_with(columns=columns, elements=elements),
            Operation(lambda x: functional.softmax(x), _softmax, lambda torch, x: torch.softmax(x, -1)),
            moved=moved,
        ),
        Gpu(
            f"rms_norm, {columns} columns",
            rows_with("weight", columns=columns, elements=elements),
            Operation(
                lambda x, weight: functional.rms_norm(x, weight),
                _rms_norm,
                lambda torch, x, weight: torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, 1e-6),
            ),
            moved=moved,
        ),
        Gpu(
            f"layer_norm, {columns} columns",
            rows_with("weight", "bias", columns=columns, elements=elements),
            Operation(
                lambda x, weight, bias: functional.layer_norm(x, weight, bias),
                _layer_norm,
                lambda torch, x, weight, bias: torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias),
            ),
            moved=moved,
        ),
    )


def _products(side: int) -> tuple[Gpu, ...]:
    note = "the reference is cuBLAS or rocBLAS through CuPy, and for tf32 PyTorch's"
    found = [
        Gpu(
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
    tf32 = Gpu(
        f"linear tf32, {side} × {side}",
        arrays("x", "y", shape=(side, side)),
        Operation(lambda x, y: functional.linear(x, y, precision="tf32"), None, _tf32),
        reference="torch",
        note=note,
    )
    return (*found, tf32)


def _attention(causal: bool, groups: int, length: int) -> Gpu:
    def in_torch(torch: Any, q: Any, k: Any, v: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=groups != 16)

    kind = f"{'causal ' if causal else ''}attention{' of grouped queries' if groups != 16 else ''}"
    return Gpu(
        f"{kind}, float16, 4 × 16 heads, {length} × 128",
        heads(16, groups, length, 128, "float16"),
        Operation(
            lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, causal=causal),
            None,
            in_torch,
        ),
        reference="torch",
        note="the reference is PyTorch's attention",
    )


CASES = cases()

GROUP = Group(
    title="on a GPU, by the device's own clock",
    cases=CASES,
    peers=("cupy", "torch"),
    limits=tuple(Limit(case.name, None, 1 / 0.9) for case in CASES if case.moved and "five" not in case.name),
    rounds=20,
    seconds=2.0,
    sweeps=2,
    device="cuda",
    baseline="reference",
)
