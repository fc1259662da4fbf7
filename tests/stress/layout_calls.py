"""Calls of every public function whose operands lie in memory of any kind, beside the same calls on fresh arrays.

A program of ``test_memory_layouts.py``, which runs in a subprocess: a crash names the call.
"""

from __future__ import annotations

import mmap
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from arguments import call
from good_arguments import GOOD, STATEFUL_FUNCTIONS, WRITING_FUNCTIONS, Arguments, public_function
from strategies import quiet

import xtensor as xp

BLOCKS = 17
"""Number of copies of an operand's elements along each of its axes, where the function takes so many."""

WITHOUT_VALUES = ("empty", "empty_like", "nn.functional.dropout", "nn.functional.dropout_channels")
"""Functions whose results are not determined by their arguments."""

UNSTABLE = ("linalg.eig", "linalg.eigvals", "roots")
"""Functions whose results are in no order."""


def vector_of_bytes(kind: str, size: int) -> np.ndarray[Any, Any]:
    """Return memory of a kind."""
    if kind == "buffer":
        return np.frombuffer(bytearray(size), np.uint8)
    if kind == "memory map":
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    if kind == "mapped file":
        with tempfile.TemporaryDirectory() as folder:
            return np.memmap(Path(folder) / "elements", np.uint8, "w+", shape=(size,))
    return np.zeros(size, np.uint8)


def adjacent(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return memory(x.nbytes)[: x.nbytes].view(x.dtype).reshape(x.shape)


def column_major(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return adjacent(memory, x.T).T


def reversed_axes(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return adjacent(memory, x)[(slice(None, None, -1),) * x.ndim]


def strided(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return every second row and every third element of a larger array."""
    steps = (2, *[1] * (x.ndim - 2), 3) if x.ndim > 1 else (3,) * x.ndim
    larger = np.empty([n * step for n, step in zip(x.shape, steps, strict=True)], x.dtype)
    return adjacent(memory, larger)[tuple(slice(None, None, step) for step in steps)]


def field_of_records(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a field of records of an odd number of bytes: no multiple of the element's size."""
    records = np.empty(x.shape, np.dtype([("before", "i1"), ("x", x.dtype), ("after", "i1", (2,))]))
    return adjacent(memory, records)["x"]


def swapped_bytes(memory: Callable[[int], np.ndarray[Any, Any]], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return adjacent(memory, x).view(x.dtype.newbyteorder())


LAYOUTS = (adjacent, column_major, reversed_axes, strided, field_of_records, swapped_bytes)

KINDS = ("array", "buffer", "memory map", "mapped file", "DLPack")


def view_of_other_memory(
    x: np.ndarray[Any, Any], layout: Callable[..., np.ndarray[Any, Any]], kind: str, offset: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return equal elements at a number of bytes behind a multiple of 64, and all bytes of the memory around them."""
    whole = []

    def memory(size: int) -> np.ndarray[Any, Any]:
        whole.append(vector_of_bytes(kind, size + 256))
        start = 64 - whole[0].ctypes.data % 64 + offset
        return whole[0][start : start + size]

    view = layout(memory, x)
    whole[0][...] = 0x5A
    view[...] = x
    return view, whole[0]


def placed(x: np.ndarray[Any, Any], rng: Random) -> tuple[xp.Array, str]:
    """Return an Array of equal elements in other memory, and its description."""
    layout, kind = rng.choice(LAYOUTS), rng.choice(KINDS)
    offset = rng.randrange(0, 64, x.dtype.alignment) if rng.random() < 0.7 else rng.randrange(64)
    view, _ = view_of_other_memory(x, layout, kind, offset)
    takes_dlpack = view.flags.aligned and view.dtype.isnative and not any(s % x.itemsize for s in view.strides)
    array = xp.from_dlpack(view) if kind == "DLPack" and takes_dlpack else xp.asarray(view, device="cpu")
    return array, f"{x.dtype} {x.shape} {layout.__name__} of {kind} at {offset}"


def moved(value: Any, rng: Random, words: list[str]) -> Any:
    """Return an argument whose Arrays lie in other memory."""
    if isinstance(value, xp.Array):
        array, description = placed(np.asarray(value), rng)
        words.append(description)
        return array
    if isinstance(value, dict):
        return {key: moved(item, rng, words) for key, item in value.items()}
    return type(value)([moved(item, rng, words) for item in value]) if type(value) in (list, tuple) else value


def enlarged(value: Any) -> Any:
    """Return an argument whose Arrays have more elements: blocks of a matrix, repeated elements in ascending order."""
    if isinstance(value, xp.Array):
        x = np.asarray(value)
        if x.ndim == 2 and x.shape[0] == x.shape[1] and x.dtype.kind in "fc":
            return xp.asarray(np.kron(np.eye(BLOCKS), x).astype(x.dtype))
        return xp.asarray(np.repeat(x, BLOCKS, axis=-1)) if x.ndim else value
    if isinstance(value, dict):
        return {key: enlarged(item) for key, item in value.items()}
    return type(value)([enlarged(item) for item in value]) if type(value) in (list, tuple) else value


def of_dtype(value: Any, dtype: str) -> Any:
    """Return an argument whose Arrays of real numbers have another dtype."""
    if isinstance(value, xp.Array):
        return xp.astype(value, getattr(xp, dtype)) if value.dtype.kind == "f" else value
    if isinstance(value, dict):
        return {key: of_dtype(item, dtype) for key, item in value.items()}
    return type(value)([of_dtype(item, dtype) for item in value]) if type(value) in (list, tuple) else value


def results(name: str, arguments: Arguments) -> list[np.ndarray[Any, Any]]:
    """Return the arrays of a function's results, and of the argument that it writes to."""
    with quiet(), xp.transfers("allow") if name.startswith("special.") else nullcontext():
        result = call(public_function(name), arguments)
    result = next(iter(arguments.values())) if name in WRITING_FUNCTIONS else result
    items = result if isinstance(result, (list, tuple)) else (result,)
    return [np.array(x) for x in items if isinstance(x, xp.Array)]


def tried(name: str, arguments: Arguments) -> list[np.ndarray[Any, Any]] | None:
    """Return results, or None where the function takes no such arguments."""
    try:
        return results(name, arguments)
    except (TypeError, ValueError, IndexError, OverflowError, NotImplementedError):
        return None


def same(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    """Whether results agree: vectors' first and last elements may be computed by other instructions."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind not in "fc":
        return bool((x == y).all())
    eps = float(np.finfo(x.dtype).eps)
    size = float(np.max(np.abs(y[np.isfinite(y)]), initial=0.0))
    return bool(np.allclose(x, y, rtol=64 * eps, atol=64 * eps * size, equal_nan=True))


def main(part: int, parts: int, count: int, dtypes: tuple[str, ...]) -> None:
    """Call each function of a part with operands in memory of several kinds."""
    names = [
        name
        for name in GOOD
        if name not in (*STATEFUL_FUNCTIONS, *WITHOUT_VALUES, *UNSTABLE) and not name.startswith(("save", "load"))
    ]
    calls = functions = 0
    for name in names[part::parts]:
        for dtype in dtypes:
            make: Callable[[], Any] = lambda name=name, dtype=dtype: of_dtype(GOOD[name](), dtype)  # noqa: E731
            large: Callable[[], Any] = lambda make=make: enlarged(make())  # noqa: E731
            for operands in (make, large):
                expected = tried(name, operands())
                if not expected:
                    continue
                functions += 1
                for seed in range(count):
                    words: list[str] = []
                    arguments = moved(operands(), Random(f"{name} {dtype} {seed}"), words)
                    print(name, seed, *words, sep="; ", file=sys.stderr, flush=True)
                    found = results(name, arguments)
                    assert len(found) == len(expected), (name, words)
                    for x, y in zip(found, expected, strict=True):
                        assert same(x, y), (name, words, x, y)
                    calls += 1
    print(functions, calls)


# -- writes -----------------------------------------------------------------------------------------------------------

WRITES: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda x, y, method=f"__i{name}__": getattr(x, method)(y)
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
    },
    "assignment": lambda x, y: x.__setitem__(..., y),
    "assignment of a number": lambda x, y: x.__setitem__(..., 3),
    "assignment by a mask": lambda x, y: x.__setitem__(y > 2, 1),
    "assignment by positions": lambda x, y: x.__setitem__([2, 0], y[:2]),
    "assignment to a slice": lambda x, y: x.__setitem__(slice(1, None, 2), y[1::2]),
    "sum of itself": lambda x, y: x.__iadd__(x[::-1]),
    "out of a function": lambda x, y: np.multiply(x, y, out=x),
    "out of another function": lambda x, y: np.maximum(y, y, out=x),
    "sort": lambda x, y: x.sort(axis=0),
    "fill": lambda x, y: x.fill(2),
    "put": lambda x, y: xp.put(x, xp.asarray([1, 3]), y[0, :2]),
    "copyto": lambda x, y: xp.copyto(x, y),
    "place": lambda x, y: xp.place(x, y > 2, y[0]),
    "fill_diagonal": lambda x, y: xp.fill_diagonal(x if x.ndim == 2 else x[0], 1),
}

DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)


def write(name: str, x: xp.Array, y: xp.Array) -> bool:
    """Write to an Array; False if the dtype does not have the operation."""
    with quiet():
        try:
            WRITES[name](x, y)
        except TypeError:
            return False
    return True


def writes(count: int) -> None:
    """Write to arrays in memory of every kind, and look at the bytes around them."""
    calls = 0
    for name in WRITES:
        for dtype in DTYPES:
            for seed in range(count):
                rng = Random(f"{name} {dtype} {seed}")
                shape = rng.choice([(5, 7), (9, 4), (40, 33), (3, 5, 4)])
                numbers = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 7, (2, *shape))
                x, y = numbers.astype(dtype)
                layout, kind = rng.choice(LAYOUTS[:-1]), rng.choice(KINDS)
                offset = rng.randrange(0, 64, x.dtype.alignment)
                view, whole = view_of_other_memory(x, layout, kind, offset)
                if not view.flags.aligned:  # xtensor copies it
                    continue
                expected = xp.asarray(x, copy=True)
                operand, description = placed(y, rng)
                print(name, dtype, shape, layout.__name__, kind, offset, description, file=sys.stderr, flush=True)
                before = whole.copy()
                is_written = write(name, xp.asarray(view, device="cpu", copy=False), operand)
                assert write(name, expected, xp.asarray(y)) == is_written, (name, dtype)
                assert same(view, np.asarray(expected)), (name, dtype, shape, layout.__name__, kind, offset)
                view[...] = x
                assert (whole == before).all(), ("bytes around", name, dtype, shape, layout.__name__, kind, offset)
                calls += is_written
    print(calls)
