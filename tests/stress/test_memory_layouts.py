"""Memory at every offset that NumPy calls aligned, through the CPU's kernels: a crash names the function."""

from __future__ import annotations

import pytest

from .tiers import LONG, run

PROGRAM = """
import io, mmap, sys, tempfile, warnings
import numpy as np
import xtensor as xp

warnings.simplefilter("ignore")
SIZE = 1031
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()

def memory_of(kind, size):
    if kind == "frombuffer":
        return np.frombuffer(bytearray(size), np.uint8)
    if kind == "memory map":
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    return np.zeros(size, np.uint8)

def placed(values, offset, kind, layout):
    # A copy whose first element has an address that many bytes after a multiple of 64.
    step = 2 if layout == "strided" else 1
    memory = memory_of(kind, step * values.nbytes + 128)
    start = -memory.ctypes.data % 64 + offset
    x = memory[start : start + step * values.nbytes].view(values.dtype)[::step]
    x[...] = values
    if layout == "reversed":
        x[...] = values[::-1]
        x = x[::-1]
    assert x.flags.aligned and (x.ctypes.data - offset) % 64 == 0 or layout == "reversed"
    return xp.from_dlpack(x) if kind == "DLPack" else xp.asarray(x, device="cpu", copy=False)

FUNCTIONS = {
    "mask": lambda x, mask, at: x[mask],
    "rows of a mask": lambda x, mask, at: xp.stack([x, x], axis=1)[mask],
    "take": lambda x, mask, at: x[at],
    "take rows": lambda x, mask, at: xp.reshape(x[:1030], (103, 10))[at[:50] % 103],
    "concat": lambda x, mask, at: xp.concat([x, x]),
    "short rows": lambda x, mask, at: xp.concat([xp.reshape(x[:1030], (515, 2))] * 2, axis=1),
    "stack": lambda x, mask, at: xp.stack([x, x], axis=1),
    "assignment": lambda x, mask, at: xp.where(mask, x, x[::-1]),
    "equal": lambda x, mask, at: x == x[::-1],
    "add": lambda x, mask, at: x + x,
    "number": lambda x, mask, at: x * 3,
    "matrix": lambda x, mask, at: xp.reshape(x[:1030], (103, 10)) + xp.reshape(x[:1030], (103, 10)).T.T,
    "columns": lambda x, mask, at: xp.reshape(x[:1030], (103, 10)).T + xp.reshape(x[:1030], (10, 103)),
    "astype": lambda x, mask, at: xp.astype(x, xp.complex128),
    "sum": lambda x, mask, at: xp.sum(x),
    "sum of rows": lambda x, mask, at: xp.sum(xp.reshape(x[:1030], (103, 10)), axis=1),
    "sum of columns": lambda x, mask, at: xp.sum(xp.reshape(x[:1030], (103, 10)), axis=0),
    "cumulative sum": lambda x, mask, at: xp.cumulative_sum(x),
    "diff": lambda x, mask, at: xp.diff(x),
    "max": lambda x, mask, at: xp.max(x),
    "argmax": lambda x, mask, at: xp.argmax(x),
    "sort": lambda x, mask, at: xp.sort(x),
    "exp": lambda x, mask, at: xp.exp(x),
    "sqrt": lambda x, mask, at: xp.sqrt(x),
    "abs": lambda x, mask, at: xp.abs(x),
    "mean": lambda x, mask, at: xp.mean(x),
    "softmax": lambda x, mask, at: xp.special.softmax(xp.reshape(x[:1030], (103, 10)), axis=1),
    "isclose": lambda x, mask, at: xp.isclose(x, x[::-1]),
    "in place": lambda x, mask, at: x.__iadd__(x[::-1]),
}

def outcome(function, *arguments):
    try:
        return np.asarray(function(*arguments))
    except TypeError:  # an operation without this dtype
        return None

def main(offsets, kinds, layouts, dtypes):
    rng = np.random.default_rng(0)
    mask = rng.random(SIZE) < 0.7
    at = rng.integers(-SIZE, SIZE, SIZE)
    count = 0
    for dtype in dtypes:
        values = rng.integers(0, 2 if dtype == "bool" else 100, SIZE).astype(dtype) * np.asarray(1, dtype)
        values = values + (values * 0.5j).astype(dtype) if values.dtype.kind == "c" else values
        step = values.dtype.alignment
        for name, function in FUNCTIONS.items():
            for layout in layouts:
                operands = xp.asarray(mask), xp.asarray(at)
                expected = outcome(function, placed(values, 0, "array", layout), *operands)
                for kind in kinds:
                    for offset in range(step, min(64, step * offsets + 1), step):
                        print(name, dtype, layout, kind, offset, file=sys.stderr, flush=True)
                        given = placed(values, offset, kind, layout)
                        result = outcome(function, given, placed(mask, offset % 7, kind, "adjacent"), operands[1])
                        assert (expected is None) == (result is None), (name, dtype, offset)
                        if result is not None:
                            assert np.allclose(result, expected, rtol=1e-5), (name, dtype, layout, kind, offset)
                            count += 1
    print(count)

def every_function(every, kinds, dtypes):
    # Each function of numbers, with all of its operands at an offset.
    from arguments import call
    from good_arguments import GOOD, public_function
    from xtensor.backend import TABLE

    names = [name for name, row in TABLE.items() if row.kind in ("elementwise", "special") and name in GOOD]
    count = 0
    for name in names[::every]:
        for dtype in dtypes:
            arguments = GOOD[name]()
            values = {key: np.resize(x.numpy(), SIZE) for key, x in arguments.items() if isinstance(x, xp.Array)}
            values = {key: x.astype(dtype) if x.dtype.kind == "f" else x for key, x in values.items()}
            function, expected = public_function(name), None
            for kind in ("array", *kinds):
                for part in range(0, 64 if every == 1 else 16, 4 if dtype == "float32" else 8):
                    print(name, dtype, kind, part, file=sys.stderr, flush=True)
                    given = {
                        key: placed(x, part // x.dtype.alignment * x.dtype.alignment, kind, "adjacent")
                        for key, x in values.items()
                    }
                    result = call(function, {**arguments, **given})
                    results = [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]
                    expected = results if expected is None else expected
                    for x, y in zip(results, expected, strict=True):
                        # Elements before and after those of a vector are computed by other instructions.
                        assert np.allclose(x, y, rtol=1e-5, equal_nan=True), (name, dtype, kind, part)
                    count += 1
    print(count)
"""


@pytest.mark.parametrize("threads", ["1", "2"] if LONG else ["2"])
def test_kernels_take_every_offset_that_numpy_calls_aligned(threads):
    call = (
        'main(16, ("array", "frombuffer", "memory map", "DLPack"), ("adjacent", "strided", "reversed"), DTYPES)'
        if LONG
        else 'main(1, ("array",), ("adjacent",), ("float32", "complex64", "complex128"))'
    )
    done = run(PROGRAM + call, XTENSOR_LLVM_FEWEST="0", XTENSOR_NUM_THREADS=threads, XTENSOR_DEVICE="cpu", timeout=1800)
    assert int(done) > 70


def test_every_function_of_numbers_takes_every_offset():
    call = (
        "every_function(1, ('memory map', 'DLPack'), ('float32', 'float64'))"
        if LONG
        else ("every_function(9, ('DLPack',), ('float32',))")
    )
    done = run(PROGRAM + call, XTENSOR_LLVM_FEWEST="0", XTENSOR_DEVICE="cpu", timeout=1800)
    assert int(done) > (5000 if LONG else 100)


@pytest.mark.parametrize("part", range(9) if LONG else (4,))
def test_every_function_takes_every_layout_of_memory(part, figures):
    dtypes = ("float16", "float32", "float64", "complex64", "complex128") if LONG else ("float32", "complex128")
    program = f"from stress.layout_calls import main; main({part}, 9, {24 if LONG else 2}, {dtypes})"
    done = run(program, XTENSOR_LLVM_FEWEST="0", XTENSOR_DEVICE="cpu", timeout=1800)
    functions, calls = map(int, done.split())
    assert calls > functions > 100
    figures.record(calls=calls)


def test_writes_to_every_layout_leave_the_memory_around_it(figures):
    program = f"from stress.layout_calls import writes; writes({100 if LONG else 2})"
    calls = int(run(program, XTENSOR_LLVM_FEWEST="0", XTENSOR_DEVICE="cpu", timeout=1800))
    assert calls > 400
    figures.record(calls=calls)
