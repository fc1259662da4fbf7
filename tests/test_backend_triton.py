"""The Triton backend in the interpreter: what its kernels compute, what they read and write, what falls through."""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES

if find_spec("triton") is None:  # to import it would be to choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)

try:
    DEVICE = xp.device("triton:interpret")
    XP = DEVICE.xp
except xp.BackendUnavailableError as error:  # Triton was imported for compiling in this process
    pytest.skip(str(error), allow_module_level=True)

from xtensor_triton import _device, _fallthrough, _interpreter, _layout, _matrices, _tiling
from xtensor_triton._dtypes import BFLOAT16
from xtensor_triton._interpreter import Interpreter
from xtensor_triton._storage import HostMemory
from xtensor_triton._table import BINARY, UNARY

DTYPES = [dtype for dtype in (*STANDARD_DTYPES, np.dtype(np.float16)) if dtype.kind != "c"]
GUARD = 64
"""Elements before and behind an array that nobody may touch."""

REDUCTIONS = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "count_nonzero")
SCANS = ("cumulative_sum", "cumulative_prod")


def values(shape, dtype, seed=0):
    """Small numbers, none of them 0."""
    found = np.random.default_rng(seed).integers(1, 5, shape)
    return found.astype(dtype)


class Guarded(HostMemory):
    """Memory whose arrays lie among guards; NaN, or a pattern, stands in them and in what is not written yet."""

    def __init__(self):
        self.kept = []

    def around(self, array):
        """The same values among guards."""
        result = self.empty(array.shape, array.dtype)
        result[...] = array
        return result

    def empty(self, shape, dtype):
        size = math.prod(shape)
        memory = np.empty(size + 2 * GUARD, dtype)
        memory.view(np.uint8)[...] = 0xFF  # NaN in every floating-point dtype
        self.kept.append((memory, size))
        return memory[GUARD : GUARD + size].reshape(shape)

    def check(self):
        for memory, size in self.kept:
            for guard in (memory[:GUARD], memory[GUARD + size :]):
                assert (np.ascontiguousarray(guard).view(np.uint8) == 0xFF).all(), "a guard was written to"


def guarded(tiling=None):
    """The functions over guarded memory, in tiles of a GPU's manner where asked for."""
    memory = Guarded()
    context = _fallthrough.Context(memory, Interpreter())
    if tiling is not None:
        context._tiling = tiling
    return _device.functions_over(context, xp.device("cpu").xp), memory


def small_tiles(rows, length, *, across):
    """A GPU's way with rows in small: several tiles, several parts."""
    height = min(4, _tiling._power(rows)) if across else 1
    width = min(8, _tiling._power(length))
    blocks = -(-rows // height)
    chunk = 2 * width
    parts = -(-length // chunk)
    return _tiling.Tiling(height, width, parts, chunk, blocks * parts)


@pytest.fixture
def log(caplog):
    with caplog.at_level(logging.DEBUG, logger="xtensor.triton"):
        yield caplog


# -- bounds -------------------------------------------------------------------------------------------------------


ELEMENTWISE = [name for name in (*UNARY, *BINARY) if not name.startswith("nn.")]
"""The functions of the standard; those of neural networks are tested in ``tests/test_nn.py``."""


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_kernels_stay_within_their_operands(name):
    functions, memory = guarded()
    dtype = np.dtype(np.int16 if name.startswith("bitwise") else np.float32)
    operands = [memory.around(values((5, 7), dtype, seed) / (1 if dtype.kind == "i" else 5)).astype(dtype, copy=False)
                for seed in range(1 if name in UNARY else 2)]  # fmt: skip
    operands = [memory.around(operand.astype(dtype)) for operand in operands]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        plain = functions[name](*operands)
        strided = functions[name](*(operand[::2, ::-3] for operand in operands))
        expected = getattr(XP, name)(*(np.array(operand) for operand in operands))
    memory.check()
    np.testing.assert_array_equal(plain, expected)
    np.testing.assert_array_equal(strided, np.asarray(expected)[::2, ::-3])


@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_kernels_along_rows_stay_within_their_operands(name, axis, dtype):
    functions, memory = guarded(small_tiles)
    if name in ("sum", "mean") and dtype == "float32":
        values_of = np.linspace(-1, 1, 5 * 37).reshape(5, 37)
    else:
        values_of = values((5, 37), np.float64) % 2 + 1
    x = memory.around(values_of.astype(dtype))
    result = functions[name](x, axis=axis)
    memory.check()
    expected = getattr(np, name)(x.astype(np.float64) if dtype == "float32" and name != "argmax" else x, axis=axis)
    np.testing.assert_allclose(np.asarray(result, np.float64), np.asarray(expected, np.float64), rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["inplace.add", "inplace.multiply", "inplace.bitwise_xor"])
def test_in_place_kernels_write_their_operand_only(name):
    functions, memory = guarded()
    x = memory.around(values((6, 10), np.int32))
    before = x.copy()
    result = functions[name](x[1:5, 2:8:2], 3)
    memory.check()
    assert np.shares_memory(result, x)
    untouched = np.ones(x.shape, bool)
    untouched[1:5, 2:8:2] = False
    np.testing.assert_array_equal(x[untouched], before[untouched])


def test_empty_arrays_launch_nothing(monkeypatch):
    functions, _ = guarded()
    monkeypatch.setattr(_fallthrough.Context, "launch", lambda *_: pytest.fail("a launch"))
    assert functions["add"](np.ones((0, 3)), np.ones(3)).shape == (0, 3)
    assert functions["sum"](np.ones((0, 3)), axis=0).tolist() == [0.0, 0.0, 0.0]


# -- dtypes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ELEMENTWISE if name in BINARY])
def test_dtypes_of_results_are_those_of_numpy(name):
    function = getattr(np, name)
    for dtype1 in DTYPES:
        for dtype2 in DTYPES:
            x1, x2 = np.ones(2, dtype1), np.ones(2, dtype2)
            try:
                expected = function(x1, x2)
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(XP, name)(x1, x2)
                continue
            result = getattr(XP, name)(x1, x2)
            assert result.dtype == expected.dtype, f"{name} of {dtype1} and {dtype2}"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_casts_are_those_of_numpy(dtype, target):
    x = np.array([0, 1, 2, 100, 3], dtype) if dtype.kind != "b" else np.array([True, False])
    result = XP.astype(x, target)
    assert result.dtype == target
    np.testing.assert_array_equal(result, x.astype(target))


@pytest.mark.parametrize("value", [300, -1])
def test_integer_out_of_range_overflows(value):
    with pytest.raises(OverflowError, match=str(value)):
        xp.asarray([1, 2], dtype=xp.uint8, device=DEVICE) + value


@pytest.mark.parametrize(("value", "expected"), [(300, True), (-1, False)])
def test_integer_out_of_range_compares(value, expected):
    x = xp.asarray([1, 2], dtype=xp.uint8, device=DEVICE)
    assert xp.all((x < value) == expected)


def test_mixed_64_bit_integers_compare_exactly():
    signed = np.array([-1, 2**62, 2**63 - 1, 0])
    unsigned = np.array([2**64 - 1, 2**62, 2**63, 0], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for x1, x2 in ((signed, unsigned), (unsigned, signed)):
            np.testing.assert_array_equal(getattr(XP, name)(x1, x2), getattr(np, name)(x1, x2))


def test_integer_to_a_negative_power_is_refused():
    with pytest.raises(ValueError, match="negative"):
        xp.asarray([1, 2], device=DEVICE) ** -1


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "iu"], ids=str)
def test_integers_divide_and_shift_as_in_numpy(dtype):
    limits = np.iinfo(dtype)
    some = np.array([0, 1, 2, 7, limits.max, limits.min, limits.max - 1], dtype)
    some = np.concatenate([some, -some[1:4]]) if dtype.kind == "i" else some
    x1, x2 = some[:, None], some[None, :]
    with np.errstate(all="ignore"):
        for name in ("floor_divide", "remainder", "bitwise_left_shift", "bitwise_right_shift"):
            expected = getattr(np, name)(x1, x2)
            np.testing.assert_array_equal(getattr(XP, name)(x1, x2), expected, err_msg=name)


# -- float16 and bfloat16 -----------------------------------------------------------------------------------------

needs_bfloat16 = pytest.mark.skipif(BFLOAT16 is None, reason="ml_dtypes is not installed")


@needs_bfloat16
def test_bfloat16_is_rounded_half_to_even():
    bits = np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    with np.errstate(all="ignore"):
        expected = x.astype(BFLOAT16)
    result = XP.astype(x, BFLOAT16)
    same = (result.view(np.uint16) == expected.view(np.uint16)) | (np.isnan(result) & np.isnan(expected))
    assert same.all()


@needs_bfloat16
@pytest.mark.parametrize(
    "name", ["add", "multiply", "divide", "maximum", "less", "exp", "negative", "sqrt", "nextafter"]
)
def test_bfloat16_is_computed_in_float32(name):
    rng = np.random.default_rng(0)
    operands = [rng.uniform(0.5, 4, 100).astype(BFLOAT16) for _ in range(2 if name in BINARY else 1)]
    result = getattr(XP, name)(*operands)
    expected = getattr(np, name)(*operands)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.astype(np.float32), expected.astype(np.float32))


@needs_bfloat16
def test_bfloat16_and_a_python_number_stay_bfloat16():
    x = np.ones(3, BFLOAT16)
    assert XP.multiply(x, 2.5).dtype == BFLOAT16
    assert XP.multiply(2, x).dtype == BFLOAT16


@pytest.mark.parametrize("dtype", [np.float16, pytest.param(BFLOAT16, marks=needs_bfloat16)])
def test_half_precisions_are_summed_in_float32(dtype):
    x = np.ones(5000, dtype)
    assert float(XP.sum(x)) == float(np.asarray(5000, np.float32).astype(dtype))
    assert float(XP.mean(x)) == 1.0
    assert XP.sum(x).dtype == dtype


# -- products of matrices and attention ---------------------------------------------------------------------------

PARTS = [np.float16, pytest.param(BFLOAT16, marks=needs_bfloat16), np.float32]


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize(
    "shapes",
    [
        *(((3, 5), (5, 7)), ((1, 1), (1, 1)), ((300, 20), (20, 300)), ((17, 600), (600, 2))),
        *(((4, 3, 5), (5, 7)), ((2, 1, 3, 5), (4, 5, 7)), ((5,), (5, 7)), ((3, 5), (5,)), ((5,), (5,))),
    ],
)
def test_products_of_matrices(dtype, shapes, log):
    x, y = (values(shape, dtype, seed) for seed, shape in enumerate(shapes))
    result = XP.matmul(x, y)
    expected = np.matmul(x.astype(np.float64), y.astype(np.float64))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.astype(np.float64), expected.astype(dtype).astype(np.float64))
    assert not log.records


def test_products_of_views_copy_nothing(log):
    x, y = values((2, 40, 30), np.float32), values((2, 50, 60), np.float32, 1)
    for left, right in (
        (x.swapaxes(1, 2), y[:, :40]),
        (x[:, ::2, ::-1], y[:, 10:40, ::3]),
        (x[:1], y[:, :30]),
        (np.broadcast_to(x[0], (3, 40, 30)), y[1, :30]),
    ):
        np.testing.assert_array_equal(XP.matmul(left, right), np.matmul(left, right))
    assert not log.records


def test_kernels_of_matrices_stay_within_their_operands():
    functions, memory = guarded()
    x, y = memory.around(values((33, 20), np.float32)), memory.around(values((20, 17), np.float32, 1))
    np.testing.assert_array_equal(functions["matmul"](x, y), x @ y)
    q, k, v = (memory.around(values((2, n, 20), np.float32, seed)) for seed, n in enumerate((70, 90, 90)))
    mask = memory.around(values((70, 90), np.float32, 3))
    options = {"causal": True, "scale": 0.1, "precision": "exact"}
    result = functions["nn.scaled_dot_product_attention"](q, k, v, mask, **options)
    assert np.isfinite(result).all()
    memory.check()


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm", "rms_norm"])
@pytest.mark.parametrize("columns", [5, 100])
def test_fused_kernels_stay_within_their_operands(name, columns, monkeypatch):
    monkeypatch.setattr(_tiling, "LONGEST_ROW", 32)
    functions, memory = guarded()
    x, weight = memory.around(values((7, columns), np.float32)), memory.around(values(columns, np.float32))
    if "softmax" in name:
        result = functions[f"nn.{name}"](x, axis=1)
    else:
        result = functions[f"nn.{name}"](x, weight, axes=(1,), eps=1e-6)
    target = memory.around(np.array([0, 1, columns - 1, columns, -1, 2, 3]))
    options = {"label_smoothing": 0.1, "ignore_index": 2, "reduction": "none"}
    losses = functions["nn.cross_entropy"](x, target, **options)
    memory.check()
    assert np.isfinite(result).all()
    assert list(np.isnan(losses)) == [False, False, False, True, True, False, False]


def test_blocks_are_those_of_the_nearest_product_that_was_measured(monkeypatch):
    rows = (
        ((10.0, 10.0, 10.0), 1.2, _matrices.Blocks(128, 128, 64)),
        ((12.0, 12.0, 12.0), 0.9, _matrices.Blocks(64, 64, 64)),
    )
    monkeypatch.setattr(_matrices, "_table", lambda *key: rows)
    assert _matrices.measured("90", "float16", "exact", 1000, 1100, 1024) == _matrices.Blocks(128, 128, 64)
    assert _matrices.measured("90", "float16", "exact", 4096, 4096, 4096) is None
    assert _matrices.measured("90", "float16", "exact", 16, 1024, 1024) is None


def test_the_table_of_products_is_well_formed():
    text = (Path(_matrices.__file__).parent / "matmul.json").read_text(encoding="utf-8")
    table = json.loads(text)
    assert set(table) >= {"measured", "products"}
    assert bool(table["products"]) == bool(table["measured"])
    for row in table["products"]:
        assert _matrices.Blocks(*row["blocks"]).rows >= 16
        assert len(row["sides"]) == 3
        assert {row["arch"], row["dtype"], row["precision"]}
        assert row["speedup"] > 0


@pytest.mark.parametrize("name", ["sqrt", "sum"])
def test_launches_are_folded_over_two_axes_of_the_grid(name, monkeypatch):
    monkeypatch.setattr(_interpreter, "LONGEST_AXIS", 3)
    context = _fallthrough.Context(HostMemory(), Interpreter())
    context.block = lambda size, usual: 16
    context._tiling = small_tiles
    functions = _device.functions_over(context, xp.device("cpu").xp)
    x = np.arange(16 * 11 - 3, dtype=np.float32)
    np.testing.assert_allclose(functions[name](x), getattr(np, name)(x), rtol=1e-6)


# -- rows ---------------------------------------------------------------------------------------------------------


@given(data=st.data())
def test_sum_is_no_less_accurate_than_pairwise_summation(data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    x = np.random.default_rng(seed).normal(size=10_000).astype(dtype) * data.draw(st.sampled_from([1, 1e6]))
    functions, _ = guarded(lambda rows, length, across: _tiling.device_tiling(rows, length, across=across, limit=4))
    exact = math.fsum(x)
    bound = max(abs(float(np.sum(x)) - exact), 4 * np.finfo(dtype).eps * abs(exact), 1e-3 * np.finfo(dtype).eps)
    result = float(functions["sum"](x.astype(dtype)))
    assert abs(result - math.fsum(x.astype(dtype))) <= bound + 16 * np.finfo(np.float64).eps * float(np.abs(x).sum())


def test_sum_is_the_same_in_every_run():
    functions, _ = guarded(small_tiles)
    x = np.random.default_rng(0).normal(size=(3, 1000))
    assert len({np.asarray(functions["sum"](x, axis=1)).tobytes() for _ in range(5)}) == 1


@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
@pytest.mark.parametrize("place", [0, 5, 29])
def test_first_nan_wins_across_parts(name, place):
    functions, _ = guarded(small_tiles)
    x = np.linspace(-1, 1, 30)
    x[[place, 29]] = np.nan
    np.testing.assert_array_equal(functions[name](x), getattr(np, name)(x))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_first_of_equal_elements_is_found_across_parts(name):
    functions, _ = guarded(small_tiles)
    for x in (np.full(40, -np.inf), np.full(40, np.inf), np.full(40, 3), np.zeros(40, bool)):
        assert functions[name](x) == 0


def test_variance_of_large_numbers_does_not_cancel():
    x = (1e6 + np.random.default_rng(0).normal(size=1000)).astype(np.float32)
    functions, _ = guarded(small_tiles)
    assert float(functions["var"](x)) == pytest.approx(float(np.var(x.astype(np.float64))), rel=1e-6)


@pytest.mark.parametrize("initial", [False, True])
def test_scan_goes_over_parts(initial):
    functions, _ = guarded(small_tiles)
    x = values((3, 100), np.int64)
    result = functions["cumulative_sum"](x, axis=1, include_initial=initial)
    np.testing.assert_array_equal(result, np.cumulative_sum(x, axis=1, include_initial=initial))


# -- layouts ------------------------------------------------------------------------------------------------------


def test_dense_operands_of_one_order_are_one_run():
    x = np.empty((3, 4, 5), order="F")
    order = _layout.memory_order(x.shape, [_layout.element_strides(x)])
    shape = tuple(x.shape[axis] for axis in order)
    steps = tuple(_layout.element_strides(x)[axis] for axis in order)
    assert _layout.iteration(shape, [steps, steps]).is_flat


@given(data=st.data())
def test_collapsed_axes_visit_the_same_elements(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=5)))
    memory = np.arange(4**5 * 3)
    steps = tuple(data.draw(st.sampled_from([0, 1, 2, 4, 16, 64, -1])) for _ in shape)
    start = 2000

    def visited(shape, steps):
        offsets = np.zeros(shape, np.int64)
        for axis, step in enumerate(steps):
            offsets = offsets + step * np.arange(shape[axis]).reshape(
                [-1 if a == axis else 1 for a in range(len(shape))]
            )
        return (start + offsets).reshape(-1) % memory.size

    lengths, (found,) = _layout.collapse(shape, [steps])
    assert visited(shape, steps).tolist() == visited(lengths, found if shape else (0,)).tolist()


@given(data=st.data())
def test_tilings_cover_every_element_once(data):
    rows, length = data.draw(st.integers(1, 5000)), data.draw(st.integers(1, 100_000))
    for tiling in (
        _tiling.device_tiling(rows, length, across=data.draw(st.booleans())),
        _tiling.host_tiling(rows, length, across=False),
    ):
        assert tiling.rows * tiling.columns <= _tiling.LARGEST
        assert (tiling.parts - 1) * tiling.chunk < length <= tiling.parts * tiling.chunk
        assert tiling.programs == -(-rows // tiling.rows) * tiling.parts
        assert tiling.chunk % tiling.columns == 0


def test_operand_that_overlaps_the_result_is_copied_first():
    functions, _ = guarded()
    x = np.arange(10)
    expected = x.copy()
    expected[1:] += expected[:-1].copy()
    functions["inplace.add"](x[1:], x[:-1])
    np.testing.assert_array_equal(x, expected)


def test_memory_that_cannot_be_written_is_refused():
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        XP.inplace.add(x, 1.0)


# -- the device ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: XP.add(np.ones(2, np.complex64), 1.0), "complex64"),
        (lambda: XP.add(np.ones(2, ">f4"), 1.0), ">f4"),
        (lambda: XP.sum(np.ones(2, np.complex128)), "complex128"),
        (lambda: XP.sum(np.ones(0)), "no elements"),
        (lambda: XP.cumulative_sum(np.ones(2, np.complex128), axis=0), "complex128"),
        (lambda: XP.add(np.ones((3,) * 14)[(slice(None, None, 2),) * 14], 1.0), "axes"),
    ],
)
def test_what_no_kernel_takes_falls_through_and_is_logged(log, call, why):
    assert call() is not None
    assert any("falls through" in message and why in message for message in log.messages)


def test_what_a_kernel_takes_does_not_fall_through(log):
    XP.add(np.ones(3), np.ones((2, 3))[:, ::-1])
    XP.mean(np.ones((3, 4)).T, axis=0)
    assert log.messages == []


def run(program, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**clean, **environment})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_nothing_of_triton_is_imported_before_a_device_is_opened():
    program = """
import sys, xtensor as xp
xp.devices(), xp.device("triton:interpret"), xp.backends
print("triton" in sys.modules)
"""
    assert run(program) == "False"


def test_environment_is_left_as_it_was():
    program = """
import os, xtensor as xp
xp.device("triton:interpret").xp
print(os.environ.get("TRITON_INTERPRET"))
"""
    assert run(program) == "None"


def test_interpreting_after_compiling_is_refused_in_plain_words():
    program = """
import triton, xtensor as xp
try:
    xp.device("triton:interpret").xp
except xp.BackendUnavailableError as error:
    print(error)
"""
    assert "TRITON_INTERPRET=1" in run(program)


def test_compiling_after_interpreting_is_refused_in_plain_words():
    program = """
import xtensor as xp
from xtensor_triton import backend
place = xp.device("triton:interpret")
place.xp
try:
    backend._settle("cuda:0")
except xp.BackendUnavailableError as error:
    print(error)
"""
    assert "process of its own" in run(program)


def test_log_is_shown_where_the_environment_asks_for_it():
    program = """
import sys, xtensor as xp
sys.stderr = sys.stdout
x = xp.ones(2, dtype=xp.complex64, device="triton:interpret")
x + x
"""
    assert "add(complex64[2], complex64[2]) falls through" in run(program, XTENSOR_LOG="debug")


def test_device_goes_by_its_name():
    assert xp.device("triton:interpret") is DEVICE
    assert str(DEVICE) == "triton:interpret"
    assert DEVICE.backend == "triton"


def test_missing_triton_is_told_with_the_remedy(monkeypatch):
    import importlib.metadata

    from xtensor_triton import TritonBackend

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(xp.BackendUnavailableError, match=r"xtensor\[triton\]"):
        TritonBackend().probe()


def test_old_triton_is_refused(monkeypatch):
    import importlib.metadata

    from xtensor_triton import TritonBackend

    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.5.1")
    with pytest.raises(xp.BackendUnavailableError, match="3.6 or newer"):
        TritonBackend().probe()


# -- host-backed CuPy ---------------------------------------------------------------------------------------------


VIEWS = {
    "plain": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[::2, ::-1],
    "a row": lambda x: x[1],
    "0-d": lambda x: x[1, 2],
}


@pytest.fixture(scope="module")
def on_cupy():
    """The functions over real CuPy arrays on the host's memory, what makes one of a NumPy array, and what sees one."""
    cupy = pytest.importorskip("cupy")
    from host_cupy import host_backed, host_view

    from xtensor_triton._storage import DeviceMemory

    def native_of(host):
        native = cupy.ndarray(host.shape, host.dtype)
        host_view(native)[...] = host
        return native

    with host_backed(cupy):
        context = _fallthrough.Context(DeviceMemory(cupy), Interpreter())
        yield _device.functions_over(context, xp.device("cpu").xp), native_of, host_view


@pytest.mark.parametrize("dtype", [*DTYPES, pytest.param(BFLOAT16, marks=needs_bfloat16)], ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_elementwise_functions_on_cupys_arrays(on_cupy, view, dtype, log):
    functions, native_of, host_view = on_cupy
    host = values((4, 6), dtype)
    given, expected = VIEWS[view](native_of(host)), VIEWS[view](host)
    for name, operands in (("add", 2), ("maximum", 2), ("equal", 2), ("negative", 1), ("where", 3), ("astype", 1)):
        if name == "negative" and dtype.kind in "b":
            continue
        if name == "where":
            got, want = functions[name](functions["equal"](given, given), given, given), expected
        elif name == "astype":
            got, want = functions[name](given, np.dtype(np.float32)), expected.astype(np.float32)
        else:
            got, want = functions[name](*[given] * operands), getattr(np, name)(*[expected] * operands)
        np.testing.assert_array_equal(host_view(got), want, err_msg=name)
    assert not log.records


@pytest.mark.parametrize("view", [name for name in VIEWS if name not in ("a row", "0-d")])
@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_and_scans_on_cupys_arrays(on_cupy, name, axis, view, log):
    functions, native_of, host_view = on_cupy
    host = values((4, 6), np.float32)
    got = functions[name](VIEWS[view](native_of(host)), axis=axis)
    np.testing.assert_allclose(host_view(got), getattr(np, name)(VIEWS[view](host), axis=axis), rtol=1e-6)
    assert not log.records


def test_in_place_operators_on_cupys_arrays(on_cupy):
    functions, native_of, host_view = on_cupy
    host = values((4, 6), np.float32)
    native = native_of(host)
    functions["inplace.multiply"](native[1:3], native[1:3])
    functions["inplace.add"](native[:, ::2], 1.5)
    host[1:3] *= host[1:3]
    host[:, ::2] += 1.5
    np.testing.assert_array_equal(host_view(native), host)


@pytest.mark.parametrize("dtype", PARTS)
def test_fused_functions_on_cupys_arrays(on_cupy, dtype, log):
    functions, native_of, host_view = on_cupy
    host = values((2, 16, 32), dtype)
    native, wide = native_of(host), host.astype(np.float64)
    tolerance = {"rtol": 4 * float(xp.finfo(host.dtype).eps)}

    def check(got, expected):
        np.testing.assert_allclose(host_view(got).astype(np.float64), expected, **tolerance)

    weights = np.exp(wide - wide.max(-1, keepdims=True))
    check(functions["nn.softmax"](native, axis=2), weights / weights.sum(-1, keepdims=True))
    root = np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6)
    check(functions["nn.rms_norm"](native, None, axes=(2,), eps=1e-6), wide / root)
    check(functions["matmul"](native, native.transpose(0, 2, 1)), wide @ wide.swapaxes(1, 2))
    check(functions["nn.linear"](native, native[0], None, precision="exact"), wide @ wide[0].T)
    options = {"causal": False, "scale": 0.25, "precision": "exact"}
    scores = 0.25 * wide @ wide.swapaxes(1, 2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    attended = weights @ wide / weights.sum(-1, keepdims=True)
    check(functions["nn.scaled_dot_product_attention"](native, native, native, None, **options), attended)
    assert not log.records
