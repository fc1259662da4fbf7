"""Memory that arrays reuse: never given out twice, bounded, and only for the arrays that ask for it."""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stress.tiers import scale

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)
if os.name != "posix" or sys.implementation.name != "cpython":
    pytest.skip("NumPy's own memory is used here", allow_module_level=True)

import xtensor as xp
from xtensor_backends.llvm import _fourier, _memory, _runtime

if _runtime.compiled is None:
    pytest.skip(
        "memory that is reused is in the compiled module, which is missing or turned off", allow_module_level=True
    )

LIMIT = 32 << 20

PROGRAM = f"""
import sys; sys.path[:0] = {sys.path!r}
import os, threading, time
import numpy as np
from xtensor_backends.llvm import _memory
empty = _memory.allocator()
"""


@pytest.fixture(autouse=True)
def pool():
    """An empty pool with a limit of 32 MiB."""
    gc.collect()
    before = _memory.limit()
    _memory.set_limit(LIMIT)
    _memory.release()
    yield
    _memory.set_limit(before)
    _memory.release()


def empty(shape, dtype=np.float64):
    return _memory.allocator()(shape, np.dtype(dtype))


def handler(array):
    return np._core.multiarray.get_handler_name(array)


def address(array):
    return array.__array_interface__["data"][0]


def run_program(text, **environment):
    """Run a program and return its output, errors and status."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM + text],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
    )
    return run.stdout.strip(), run.stderr, run.returncode


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 5), (1000,), (30, 40, 50), (1 << 20,)])
def test_array_is_aligned_and_owns_its_memory(shape, dtype):
    array = empty(shape, dtype)
    assert (array.shape, array.dtype, type(array)) == (shape, np.dtype(dtype), np.ndarray)
    assert array.flags.c_contiguous
    assert array.flags.owndata
    assert array.flags.writeable
    assert array.base is None
    assert address(array) % 64 == 0


def test_shape_may_be_an_integer_and_a_dtype_a_name():
    assert _memory.allocator()(7, "int16").dtype == np.int16


def test_objects_begin_as_none():
    assert empty((5000,), object).tolist() == [None] * 5000


def test_other_arrays_have_numpys_memory():
    before = handler(np.empty(100_000))
    array = empty((100_000,))
    assert handler(array) == "xtensor"
    assert handler(np.empty(100_000)) == before
    assert handler(array + 1) == before


@pytest.mark.parametrize("shape", [(-1,), (1 << 62,), (1 << 49,)], ids=["negative", "no size", "more than there is"])
def test_error_is_numpys_and_leaves_numpys_handler(shape):
    with pytest.raises((ValueError, MemoryError)) as expected:
        np.empty(shape, np.float64)
    before = handler(np.empty(10))
    with pytest.raises(type(expected.value)) as raised:
        empty(shape)
    assert str(raised.value) == str(expected.value)
    assert handler(np.empty(10)) == before


def test_memory_is_reused():
    array = empty((100_000,))
    place = address(array)
    del array
    assert address(empty((100_000,))) == place


def test_memory_is_reused_by_an_array_of_another_type():
    array = empty((100_000,))
    place = address(array)
    del array
    assert address(empty((2, 100_000), np.float32)) == place


def test_last_memory_is_reused_first():
    first, second = empty((100_000,)), empty((100_000,))
    places = address(first), address(second)
    del second
    del first
    assert address(empty((100_000,))) == places[0]


EXPORTS = {
    "view": lambda array: array[::2],
    "view of a view": lambda array: array.reshape(100, -1).T[3:],
    "memoryview": memoryview,
    "DLPack capsule": lambda array: array.__dlpack__(),
    "array from DLPack": np.from_dlpack,
    "real part": lambda array: array.view(np.complex128).real,
    "iterator": np.nditer,
}


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_export_keeps_the_memory(export):
    array = empty((100_000,))
    array[:] = 7.0
    place = address(array)
    exported = export(array)
    del array
    others = [empty((100_000,)) for _ in range(5)]
    for other in others:
        other[:] = 0.0
    assert place not in [address(other) for other in others]
    assert _memory.held() == 0
    del exported, others
    gc.collect()
    assert _memory.held() > 0


def test_exported_values_stay():
    array = empty((100_000,))
    array[:] = np.arange(100_000)
    exported = np.from_dlpack(array)
    del array
    for _ in range(5):
        empty((100_000,))[:] = -1.0
    np.testing.assert_array_equal(exported, np.arange(100_000))


def test_array_in_a_cycle_keeps_its_memory_until_it_is_collected():
    class Owner:
        pass

    owner = Owner()
    owner.array, owner.self = empty((100_000,)), owner
    gc.disable()
    try:
        del owner
        assert _memory.held() == 0
    finally:
        gc.enable()
    gc.collect()
    assert _memory.held() > 0


@pytest.mark.parametrize("old", [10, 5_000, 100_000])
@pytest.mark.parametrize("new", [10, 5_000, 100_000, 200_000])
def test_resized_array_keeps_its_elements(old, new):
    array = empty((old,))
    array[:] = np.arange(old)
    array.resize((new,), refcheck=False)
    expected = np.zeros(new)
    expected[: min(old, new)] = np.arange(min(old, new))
    np.testing.assert_array_equal(array, expected)


def test_bytes_are_counted():
    used = _memory.used()
    array = empty((100_000,))
    size = _memory.used() - used
    assert 800_000 <= size <= 800_000 * 1.25
    assert _memory.held() == 0
    del array
    assert (_memory.used(), _memory.held()) == (used, size)
    _memory.release()
    assert _memory.held() == 0


def test_small_arrays_are_not_pooled():
    used = _memory.used()
    array = empty((_runtime.compiled.MIN_BLOCK // 8 - 1,))
    assert _memory.used() == used
    del array
    assert _memory.held() == 0


def test_held_memory_is_bounded():
    arrays = [empty((500_000,)) for _ in range(12)]  # 48 MB
    while arrays:
        arrays.pop()
        assert _memory.held() <= LIMIT
    assert _memory.held() > LIMIT - 5_000_000


def test_array_above_the_limit_is_not_held():
    del_me = empty((LIMIT,), np.int8)
    del del_me
    assert _memory.held() == 0


def test_functions_of_numpy_have_such_memory_while_they_are_called():
    before = handler(np.empty(100_000))
    arrays = []

    def fails(*, size):
        arrays.append(np.ones(size))
        raise ValueError("raised in the function")

    with pytest.raises(ValueError, match="raised in the function"):
        _memory.reusing(fails)(size=100_000)
    total = _memory.reusing(np.add)(arrays[0], 1.0)
    assert [handler(item) for item in (arrays[0], total)] == ["xtensor", "xtensor"]
    assert handler(np.empty(100_000)) == before
    assert (total == 2.0).all()
    with pytest.raises(TypeError, match="a function and its arguments"):
        _runtime.compiled.reusing()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows_of_convolutions_are_in_memory_that_is_used_again(dtype):
    x, weight = (np.random.default_rng(7).integers(-4, 5, shape).astype(dtype) for shape in ((20, 8, 30), (8, 8, 3)))
    on_cpu = [xp.asarray(item, device="cpu") for item in (x, weight)]
    result = xp.nn.functional.conv1d(*on_cpu)
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=2)
    np.testing.assert_array_equal(xp.to_numpy(result), np.einsum("nclk,ock->nol", windows, weight))
    assert handler(result._native) == "xtensor"
    assert _memory.held() >= windows.nbytes  # what the columns had


TRANSFORMED = 17 * 2**12
"""Elements whose number has a factor of which there is no kernel."""

TRANSFORMS = {
    **dict.fromkeys(("fft", "ifft", "hfft"), (TRANSFORMED, np.complex128, {})),
    **dict.fromkeys(("rfft", "ihfft"), (TRANSFORMED, np.float64, {})),
    "irfft": (TRANSFORMED, np.complex64, {"n": 70_006}),
    **dict.fromkeys(("fftn", "ifftn", "irfftn"), ((257, 257), np.complex128, {"axes": (0, 1)})),
    "rfftn": ((257, 257), np.float32, {"axes": (0, 1)}),
}


@pytest.mark.parametrize("name", ["add", "multiply", "subtract"])
def test_complex_arithmetic_has_memory_that_is_reused(name):
    x, y = np.random.default_rng(7).normal(size=(2, 2, 50_000)).view(np.complex128)
    result = getattr(xp, name)(xp.asarray(x, device="cpu"), xp.asarray(y, device="cpu"))._native
    np.testing.assert_array_equal(result, getattr(np, name)(x, y), strict=True)
    assert handler(result) == "xtensor"


def test_complex_arithmetic_that_overflows_warns():
    x = xp.asarray(np.full(50_000, 1e300 + 1e300j), device="cpu")
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        xp.multiply(x, x)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_fourier_transform_of_many_elements_has_memory_that_is_reused(name):
    shape, dtype, options = TRANSFORMS[name]
    x = np.random.default_rng(7).normal(size=shape).astype(dtype)
    result = getattr(xp.fft, name)(xp.asarray(x, device="cpu"), **options)._native
    expected = getattr(np.fft, name)(x, **options)
    # The roundings of two libraries: each is at most a few units of the largest element.
    rounding = 16.0 * np.finfo(dtype).eps * float(np.max(np.abs(expected)))
    np.testing.assert_allclose(result, expected, rtol=0.0, atol=rounding, strict=True)
    assert handler(result) == "xtensor"


@pytest.mark.parametrize("name", TRANSFORMS)
def test_fourier_transform_of_many_elements_is_scipys(name):
    scipy_fft = pytest.importorskip("scipy.fft")
    shape, dtype, options = TRANSFORMS[name]
    x = np.random.default_rng(7).normal(size=shape).astype(dtype)
    result = getattr(xp.fft, name)(xp.asarray(x, device="cpu"), **options)._native
    np.testing.assert_array_equal(result, getattr(scipy_fft, name)(x, **options), strict=True)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_fourier_transform_without_scipy_is_numpys(name, monkeypatch):
    monkeypatch.setattr(_fourier, "_scipy", lambda: None)
    shape, dtype, options = TRANSFORMS[name]
    x = np.random.default_rng(7).normal(size=shape).astype(dtype)
    result = getattr(xp.fft, name)(xp.asarray(x, device="cpu"), **options)._native
    np.testing.assert_array_equal(result, getattr(np.fft, name)(x, **options), strict=True)


def test_fourier_transform_of_few_elements_has_numpys_memory():
    x = xp.ones(2**16 - 1, dtype=xp.complex128, device="cpu")
    assert handler(xp.fft.fft(x)._native) != "xtensor"


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "rfftn", "irfftn"])
def test_fourier_transform_by_kernels_has_memory_that_is_reused(name):
    x = xp.ones((128, 129 if name in ("irfft", "irfftn", "hfft") else 128), dtype=xp.float64, device="cpu")
    assert handler(getattr(xp.fft, name)(x)._native) == "xtensor"


def test_number_of_blocks_is_bounded():
    most = _runtime.compiled.MAX_BLOCKS
    _memory.set_limit(2 * most * 20_480)
    arrays = [empty((20_000,), np.int8) for _ in range(most + 500)]
    del arrays
    assert _memory.held() == most * 20_480


def test_memory_of_many_arrays_of_different_sizes_is_reused():
    """As a training step needs it, which frees hundreds of results at its end."""
    _memory.set_limit(1 << 28)
    sizes = [20_000 + 700 * i for i in range(500)]
    arrays = [empty((size,), np.int8) for size in sizes]
    del arrays
    held = _memory.held()
    assert held > sum(sizes)
    used = _memory.used()
    arrays = [empty((size,), np.int8) for size in sizes]
    assert _memory.held() == 0
    assert _memory.used() - used == held
    del arrays
    assert _memory.held() == held


def test_least_recently_used_memory_is_freed_first():
    sizes = (100_000, 200_000, 400_000)
    arrays = [empty((size,)) for size in sizes]
    while arrays:
        del arrays[0]
    total = _memory.held()
    last = empty((400_000,))
    newest = total - _memory.held()
    del last
    _memory.set_limit(newest)
    assert _memory.held() == newest
    array = empty((400_000,))
    assert (_memory.held(), array.size) == (0, 400_000)


def test_limit_of_zero_holds_nothing():
    _memory.set_limit(0)
    del_me = empty((100_000,))
    del del_me
    assert _memory.held() == 0


def test_negative_limit_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        _memory.set_limit(-1)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("123456789", 123456789)])
def test_environment_sets_the_limit(text, value):
    assert run_program("print(_memory.limit())", XTENSOR_KEEP_BYTES=text) == (str(value), "", 0)


def test_default_limit_is_at_most_a_gibibyte(monkeypatch):
    monkeypatch.delenv("XTENSOR_KEEP_BYTES", raising=False)
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < _memory._default_limit() <= min(1 << 30, total // 16)


def test_wrong_limit_in_the_environment_is_a_warning(monkeypatch):
    monkeypatch.setenv("XTENSOR_KEEP_BYTES", "1 GB")
    with pytest.warns(UserWarning, match="'1 GB' is ignored"):
        assert _memory._default_limit() > 0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 11), st.integers(0, 60_000)), max_size=120))
def test_no_memory_is_given_out_twice(program):
    # Each array is filled with a number of its own, which all that refer to it still find at the end.
    references: dict[int, tuple[np.ndarray, float]] = {}
    _memory.set_limit(1 << 20)
    for number, (action, name, size) in enumerate(program):
        if action <= 2:
            array = empty((size,))
            array[:] = number
            references[name] = array, number
        elif action == 3:
            references.pop(name, None)
        elif action == 4 and name in references:
            array, value = references[name]
            references[(name + 1) % 12] = np.from_dlpack(array[::2]) if size % 2 else array[size:], value
        elif action == 5:
            _memory.set_limit(size * 20)
        elif action == 6:
            _memory.release()
        assert _memory.held() <= _memory.limit()
    for array, value in references.values():
        assert (array == value).all()


def test_threads_share_the_pool():
    wrong = []

    def work(seed):
        numbers = random.Random(seed)
        arrays = []
        for turn in range(1500):
            array = empty((numbers.randrange(30_000),))
            array[:] = turn
            arrays.append((array, turn))
            if len(arrays) > 10:
                array, value = arrays.pop(numbers.randrange(len(arrays)))
                if not (array == value).all():
                    wrong.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    used = _memory.used()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert _memory.used() == used
    assert _memory.held() <= LIMIT


def test_many_mixed_calls_do_not_grow():
    numbers = random.Random(0)
    arrays: list[np.ndarray] = [empty((1,))] * 8
    used = _memory.used()
    for _ in range(scale(20_000, 1_000_000)):
        place = numbers.randrange(8)
        size = int(2 ** numbers.uniform(0, 18))
        array = empty((size,), numbers.choice((np.float64, np.float32, np.int8)))
        arrays[place] = array[::2] if size % 3 else array
    assert _memory.used() - used <= 8 * 2**18 * 8 * 1.25
    assert _memory.held() <= LIMIT
    arrays.clear()
    del array
    assert _memory.used() == used


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_of_a_process_whose_threads_allocate():
    code = """
import warnings; warnings.simplefilter("ignore")
def forever():
    while True: empty((20_000,), np.float64)
for _ in range(2): threading.Thread(target=forever, daemon=True).start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        arrays = [empty((20_000,), np.float64) for _ in range(50)]
        for number, array in enumerate(arrays): array[:] = number
        good = all((array == number).all() for number, array in enumerate(arrays))
        del arrays, array
        os._exit(0 if good and _memory.held() > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
print("end", flush=True)
os._exit(0)
"""
    assert run_program(code) == ("end", "", 0)


def test_interpreter_ends_with_arrays():
    code = """
class Owner: pass
owner = Owner(); owner.array, owner.self = empty((100_000,), np.float64), owner
array = empty((100_000,), np.float64)
view = memoryview(empty((100_000,), np.float64))
sys.array = empty((100_000,), np.float64)
"""
    assert run_program(code) == ("", "", 0)


def test_tracemalloc_sees_the_memory():
    code = """
import tracemalloc; tracemalloc.start()
array = empty((1_000_000,), np.float64); print(tracemalloc.get_traced_memory()[0] >= 8_000_000)
del array; print(tracemalloc.get_traced_memory()[0] < 1_000_000)
"""
    assert run_program(code) == ("True\nTrue", "", 0)
