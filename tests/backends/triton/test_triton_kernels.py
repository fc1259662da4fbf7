"""Triton's kernels in the interpreter: their results, dtypes and layouts, and the memory they access."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from triton_kernels import (
    DTYPES,
    KERNELS,
    REDUCTIONS,
    SCANS,
    guarded,
    launches,
    small_tiles,
    values,
)

import xtensor as xp
from xtensor_backends.triton import _context, _device, _interpreter, _layout, _tiling, count_calls
from xtensor_backends.triton._dtypes import BFLOAT16
from xtensor_backends.triton._interpreter import Interpreter
from xtensor_backends.triton._storage import HostMemory
from xtensor_backends.triton._table import BINARY, INPLACE, UNARY

# -- bounds -------------------------------------------------------------------------------------------------------


ELEMENTWISE = [name for name in (*UNARY, *BINARY) if not name.startswith("nn.")]
"""The functions of the standard; ``tests/nn/test_nn.py`` tests those of neural networks."""


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_kernels_stay_within_their_operands(name):
    functions, memory = guarded()
    dtype = np.dtype(np.int16 if name.startswith("bitwise") else np.float32)
    scale = 1 if dtype.kind == "i" else 5
    operands = [
        memory.copy_of((values((5, 7), dtype, seed) / scale).astype(dtype)) for seed in range(1 if name in UNARY else 2)
    ]
    with launches(name):
        contiguous = functions[name](*operands)
        strided = functions[name](*(operand[::2, ::-3] for operand in operands))
    memory.check()
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*operands)
    np.testing.assert_allclose(contiguous, expected, rtol=1e-6)
    np.testing.assert_array_equal(strided, contiguous[::2, ::-3])


@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_kernels_along_rows_stay_within_their_operands(name, axis, dtype):
    functions, memory = guarded(small_tiles)
    if name in ("sum", "mean") and dtype == "float32":
        numbers = np.linspace(-1, 1, 5 * 37).reshape(5, 37)
    else:
        numbers = values((5, 37), np.float64) % 2 + 1
    x = memory.copy_of(numbers.astype(dtype))
    with launches(name):
        result = functions[name](x, axis=axis)
    memory.check()
    expected = getattr(np, name)(x.astype(np.float64) if dtype == "float32" and name != "argmax" else x, axis=axis)
    np.testing.assert_allclose(np.asarray(result, np.float64), np.asarray(expected, np.float64), rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("name", [f"inplace.{name}" for name in INPLACE if name != "divide"])
def test_in_place_kernels_write_their_operand_only(name):
    functions, memory = guarded()
    x = memory.copy_of(values((6, 10), np.int32))
    expected = x.copy()
    view = expected[1:5, 2:8:2]
    view[...] = getattr(np, name.removeprefix("inplace."))(view, 3)
    with launches(name):
        result = functions[name](x[1:5, 2:8:2], 3)
    memory.check()
    assert np.shares_memory(result, x)
    np.testing.assert_array_equal(x, expected)


def test_empty_arrays_launch_nothing():
    with count_calls() as calls:
        assert KERNELS["add"](np.ones((0, 3)), np.ones(3)).shape == (0, 3)
        assert KERNELS["exp"](np.ones((2, 0))).shape == (2, 0)
    assert not any(calls.launches.values())
    assert calls.declined == {}


@pytest.mark.parametrize(("dtype", "units"), [("float32", 4), ("float64", 4), ("float16", 1)])
def test_gelu_of_negative_numbers_keeps_its_digits(dtype, units):
    """Against ``x * ncdf(x)`` of mpmath with 200 bits; -0.5, -3, -10 and -37.5 are numbers of each dtype."""
    exact = {-0.5: -0.15426876936299344818, -3: -0.00404969409489028358}
    exact |= {"float32": {-10: -7.619853024160526066e-23}, "float64": {-37.5: -1.7270073785932330664e-306}}.get(
        dtype, {}
    )
    result = KERNELS["nn.gelu"](np.array([*exact], dtype))
    np.testing.assert_array_max_ulp(result, np.array([*exact.values()]).astype(dtype), units)


# -- dtypes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ELEMENTWISE if name in BINARY])
def test_dtypes_of_results_are_those_of_numpy(name):
    function = getattr(np, name)
    for dtype1 in DTYPES:
        for dtype2 in DTYPES:
            x1, x2 = np.ones(2, dtype1), np.ones(2, dtype2)
            result = KERNELS[name](x1, x2)
            try:
                expected = function(x1, x2)
            except TypeError:
                assert result is NotImplemented
            else:
                assert result.dtype == expected.dtype, f"{name} of {dtype1} and {dtype2}"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_casts_are_those_of_numpy(dtype, target):
    x = np.array([0, 1, 2, 100, 3], dtype) if dtype.kind != "b" else np.array([True, False])
    result = KERNELS["astype"](x, target)
    assert result.dtype == target
    np.testing.assert_array_equal(result, x.astype(target))


@pytest.mark.parametrize("value", [300, -1])
def test_integer_out_of_range_overflows(value):
    with pytest.raises(OverflowError, match=str(value)):
        KERNELS["add"](np.array([1, 2], np.uint8), value)


def test_mixed_64_bit_integers_compare_exactly():
    signed = np.array([-1, 2**62, 2**63 - 1, 0])
    unsigned = np.array([2**64 - 1, 2**62, 2**63, 0], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for x1, x2 in ((signed, unsigned), (unsigned, signed)):
            np.testing.assert_array_equal(KERNELS[name](x1, x2), getattr(np, name)(x1, x2))


@pytest.mark.parametrize("name", ["pow", "inplace.pow"])
def test_integer_to_a_negative_power_is_refused(name):
    with pytest.raises(ValueError, match="negative"):
        KERNELS[name](np.array([1, 2]), -1)


@pytest.mark.parametrize("exponent", [2, 0.5, -1])
def test_short_powers_are_written_in_place_by_a_kernel(exponent):
    x = np.linspace(0.5, 9.0, 50).reshape(5, 10)
    expected, view = x.T**exponent, x.T
    with launches("inplace.pow"):
        assert KERNELS["inplace.pow"](view, exponent) is view
    np.testing.assert_array_equal(view, expected)
    x.flags.writeable = False
    assert KERNELS["inplace.pow"](x, exponent) is NotImplemented


def test_root_of_float16_as_a_power_is_the_standards():
    x = np.array([-0.0, -np.inf, 4.0], np.float16)
    result = KERNELS["pow"](x, 0.5)
    np.testing.assert_array_equal(result, np.array([0.0, np.inf, 2.0], np.float16))
    assert not np.signbit(result).any()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "iu"], ids=str)
def test_integers_divide_and_shift_as_in_numpy(dtype):
    limits = np.iinfo(dtype)
    some = np.array([0, 1, 2, 7, limits.max, limits.min, limits.max - 1], dtype)
    some = np.concatenate([some, -some[1:4]]) if dtype.kind == "i" else some
    x1, x2 = some[:, None], some[None, :]
    with np.errstate(all="ignore"):
        for name in ("floor_divide", "remainder", "bitwise_left_shift", "bitwise_right_shift"):
            expected = getattr(np, name)(x1, x2)
            np.testing.assert_array_equal(KERNELS[name](x1, x2), expected, err_msg=name)


# -- float16 and bfloat16 -----------------------------------------------------------------------------------------


def test_bfloat16_is_rounded_half_to_even():
    bits = np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    with np.errstate(all="ignore"):
        expected = x.astype(BFLOAT16)
    result = KERNELS["astype"](x, BFLOAT16)
    same = (result.view(np.uint16) == expected.view(np.uint16)) | (np.isnan(result) & np.isnan(expected))
    assert same.all()


@pytest.mark.parametrize(
    "name", ["add", "multiply", "divide", "maximum", "less", "exp", "negative", "sqrt", "nextafter"]
)
def test_bfloat16_is_computed_in_float32(name):
    rng = np.random.default_rng(0)
    operands = [rng.uniform(0.5, 4, 100).astype(BFLOAT16) for _ in range(2 if name in BINARY else 1)]
    result = KERNELS[name](*operands)
    expected = getattr(np, name)(*operands)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.astype(np.float32), expected.astype(np.float32))


def test_bfloat16_and_a_python_number_stay_bfloat16():
    x = np.ones(3, BFLOAT16)
    assert KERNELS["multiply"](x, 2.5).dtype == BFLOAT16
    assert KERNELS["multiply"](2, x).dtype == BFLOAT16


@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16])
def test_half_precisions_are_summed_in_float32(dtype):
    x = np.ones(5000, dtype)
    assert float(KERNELS["sum"](x)) == float(np.asarray(5000, np.float32).astype(dtype))
    assert float(KERNELS["mean"](x)) == 1.0
    assert KERNELS["sum"](x).dtype == dtype


# -- products of matrices and attention ---------------------------------------------------------------------------

MATRIX_DTYPES = [np.float16, BFLOAT16, np.float32]


def test_attention_stays_within_its_operands():
    functions, memory = guarded()
    q, k, v = (memory.copy_of(values((2, n, 20), np.float32, seed)) for seed, n in enumerate((70, 90, 90)))
    mask = memory.copy_of(values((70, 90), np.float32, 3))
    options = {"causal": True, "scale": 0.1, "precision": "exact"}
    result = functions["nn.scaled_dot_product_attention"](q, k, v, mask, **options)
    assert np.isfinite(result).all()
    memory.check()


@pytest.mark.parametrize("name", ["nn.softmax", "nn.log_softmax", "nn.layer_norm", "nn.rms_norm", "sum", "prod"])
def test_programs_beyond_the_last_row_stay_within_the_operands(name, monkeypatch):
    """Tiles without elements beyond the end are not masked, and a grid of two axes has programs beyond the last row."""
    options = {"axis": 1} if name in ("nn.softmax", "nn.log_softmax", "sum", "prod") else {"axes": (1,), "eps": 1e-6}
    operands = () if "axis" in options else (None,)
    numbers = np.random.default_rng(4).uniform(0.9, 1.1, (128, 2**15)).astype(np.float32)  # four programs
    wanted = KERNELS[name](numbers, *operands, **options)
    monkeypatch.setattr(_interpreter, "LONGEST_AXIS", 3)
    functions, memory = guarded()
    np.testing.assert_array_equal(functions[name](memory.copy_of(numbers), *operands, **options), wanted)
    memory.check()


def test_attention_that_takes_two_axes_of_the_grid_is_declined(monkeypatch):
    monkeypatch.setattr(_interpreter, "LONGEST_AXIS", 3)
    functions, memory = guarded()
    x = memory.copy_of(values((4, 16, 16), np.float32))
    options = {"causal": False, "scale": 0.1, "precision": "exact"}
    assert functions["nn.scaled_dot_product_attention"](x, x, x, None, **options) is NotImplemented
    assert functions["nn.scaled_dot_product_attention"](*(x[:3],) * 3, None, **options).shape == (3, 16, 16)
    memory.check()


@pytest.mark.parametrize("limit", ["min", "max"])
@pytest.mark.parametrize(("dtype", "precision"), [(np.float32, "exact"), (np.float32, "tf32"), (BFLOAT16, "exact")])
def test_attention_with_a_row_of_extreme_numbers_as_its_mask(dtype, precision, limit):
    """The smallest number masks no key where all have it, unlike an infinity; scores have no digits beside it."""
    q, k, v = (values((1, n, 16), dtype, seed) for seed, n in enumerate((3, 5, 5)))
    mask = np.zeros((3, 5), dtype)
    mask[0] = getattr(xp.finfo(dtype), limit)
    mask[1, 2:] = xp.finfo(dtype).min
    options = {"causal": False, "scale": 0.25, "precision": precision}
    result = KERNELS["nn.scaled_dot_product_attention"](q, k, v, mask, **options).astype(np.float64)
    scores = q[0, 1].astype(np.float64) @ k[0, :2].astype(np.float64).T * 0.25
    weights = np.exp(scores - scores.max())
    v = v[0].astype(np.float64)
    tolerance = 2e-2 if dtype == BFLOAT16 else 1e-5
    np.testing.assert_allclose(result[0, 0], v.mean(axis=0), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(result[0, 1], weights @ v[:2] / weights.sum(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm", "rms_norm"])
@pytest.mark.parametrize("columns", [5, 100])
def test_fused_kernels_stay_within_their_operands(name, columns, monkeypatch):
    monkeypatch.setattr(_tiling, "LONGEST_ROW", 32)
    functions, memory = guarded()
    x, weight = memory.copy_of(values((7, columns), np.float32)), memory.copy_of(values(columns, np.float32))
    if "softmax" in name:
        result = functions[f"nn.{name}"](x, axis=1)
    else:
        result = functions[f"nn.{name}"](x, weight, axes=(1,), eps=1e-6)
    target = memory.copy_of(np.array([0, 1, columns - 1, columns, -1, 2, 3]))
    options = {"label_smoothing": 0.1, "ignore_index": 2, "reduction": "none"}
    losses = functions["nn.cross_entropy"](x, target, **options)
    memory.check()
    assert np.isfinite(result).all()
    assert list(np.isnan(losses)) == [False, False, False, True, True, False, False]


@pytest.mark.parametrize("name", ["sqrt", "sum"])
def test_launches_are_folded_over_two_axes_of_the_grid(name, monkeypatch):
    monkeypatch.setattr(_interpreter, "LONGEST_AXIS", 3)
    context = _context.Context(HostMemory(), Interpreter())
    context.block = lambda size, usual: 16
    context.split_rows = small_tiles
    functions = _device.functions_over(context)
    x = np.arange(16 * 11 - 3, dtype=np.float32)
    np.testing.assert_allclose(functions[name](x), getattr(np, name)(x), rtol=1e-6)


# -- rows ---------------------------------------------------------------------------------------------------------


@given(data=st.data())
def test_sum_is_no_less_accurate_than_pairwise_summation(data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    x = np.random.default_rng(seed).normal(size=10_000).astype(dtype) * data.draw(st.sampled_from([1, 1e6]))
    functions, _ = guarded(
        lambda rows, length, across, **options: _tiling.device_tiling(rows, length, across=across, limit=4)
    )
    exact = math.fsum(x)
    bound = max(abs(float(np.sum(x)) - exact), 4 * np.finfo(dtype).eps * abs(exact), 1e-3 * np.finfo(dtype).eps)
    result = float(functions["sum"](x.astype(dtype)))
    assert abs(result - math.fsum(x.astype(dtype))) <= bound + 16 * np.finfo(np.float64).eps * float(np.abs(x).sum())


def test_sum_is_the_same_in_every_run():
    functions, _ = guarded(small_tiles)
    x = np.random.default_rng(0).normal(size=(3, 1000))
    with launches("sum"):
        results = {functions["sum"](x, axis=1).tobytes() for _ in range(5)}
    assert len(results) == 1


@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
@pytest.mark.parametrize("index", [0, 5, 29])
def test_first_nan_wins_across_parts(name, index):
    functions, _ = guarded(small_tiles)
    x = np.linspace(-1, 1, 30)
    x[[index, 29]] = np.nan
    np.testing.assert_array_equal(functions[name](x), getattr(np, name)(x))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_first_of_equal_elements_wins_across_parts(name):
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


def test_contiguous_operands_of_one_order_merge_into_one_axis():
    x = np.empty((3, 4, 5), order="F")
    order = _layout.memory_order(x.shape, [_layout.element_strides(x)])
    shape = tuple(x.shape[axis] for axis in order)
    steps = tuple(_layout.element_strides(x)[axis] for axis in order)
    assert _layout.iteration(shape, [steps, steps]).is_flat


@given(data=st.data())
def test_merged_axes_visit_the_same_elements(data):
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

    lengths, (merged,) = _layout.collapse(shape, [steps])
    assert visited(shape, steps).tolist() == visited(lengths, merged if shape else (0,)).tolist()


@given(data=st.data())
def test_tilings_cover_every_element_once(data):
    rows, length = data.draw(st.integers(1, 5000)), data.draw(st.integers(1, 100_000))
    for tiling in (
        _tiling.device_tiling(rows, length, across=data.draw(st.booleans())),
        _tiling.host_tiling(rows, length, across=False),
    ):
        assert tiling.rows * tiling.columns <= _tiling.MAX_TILE
        assert (tiling.parts - 1) * tiling.chunk < length <= tiling.parts * tiling.chunk
        assert tiling.programs == -(-rows // tiling.rows) * tiling.parts
        assert tiling.chunk % tiling.columns == 0


def test_operand_that_overlaps_the_result_is_copied_first():
    x = np.arange(10)
    with launches("inplace.add"):
        KERNELS["inplace.add"](x[1:], x[:-1])
    assert x.tolist() == [0, 1, 3, 5, 7, 9, 11, 13, 15, 17]


# -- host-backed CuPy ---------------------------------------------------------------------------------------------


VIEWS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[::2, ::-1],
    "a row": lambda x: x[1],
    "0-d": lambda x: x[1, 2],
}


@pytest.fixture(scope="module")
def on_cupy():
    """The kernel functions over real CuPy arrays in host memory, and conversions from and to NumPy arrays."""
    cupy = pytest.importorskip("cupy")
    from host_cupy import host_backed, host_view

    from xtensor_backends.triton._storage import DeviceMemory

    def to_native(host):
        native = cupy.ndarray(host.shape, host.dtype)
        host_view(native)[...] = host
        return native

    with host_backed(cupy):
        context = _context.Context(DeviceMemory(cupy), Interpreter())
        yield _device.functions_over(context), to_native, host_view


@pytest.mark.parametrize("dtype", [*DTYPES, BFLOAT16], ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_elementwise_functions_of_cupy_arrays(on_cupy, view, dtype):
    functions, to_native, host_view = on_cupy
    host = values((4, 6), dtype)
    x, expected = VIEWS[view](to_native(host)), VIEWS[view](host)
    for name, operands in (("add", 2), ("maximum", 2), ("equal", 2), ("negative", 1)):
        if name == "negative" and dtype.kind == "b":
            continue
        result = functions[name](*[x] * operands)
        np.testing.assert_array_equal(host_view(result), getattr(np, name)(*[expected] * operands), err_msg=name)
    np.testing.assert_array_equal(host_view(functions["where"](functions["equal"](x, x), x, x)), expected)
    result = functions["astype"](x, np.dtype(np.float32))
    np.testing.assert_array_equal(host_view(result), expected.astype(np.float32))


@pytest.mark.parametrize("view", [name for name in VIEWS if name not in ("a row", "0-d")])
@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_and_scans_of_cupy_arrays(on_cupy, name, axis, view):
    functions, to_native, host_view = on_cupy
    host = values((4, 6), np.float32)
    with launches(name):
        result = functions[name](VIEWS[view](to_native(host)), axis=axis)
    np.testing.assert_allclose(host_view(result), getattr(np, name)(VIEWS[view](host), axis=axis), rtol=1e-6)


def test_in_place_operators_of_cupy_arrays(on_cupy):
    functions, to_native, host_view = on_cupy
    host = values((4, 6), np.float32)
    native = to_native(host)
    with launches("inplace.multiply", "inplace.add"):
        functions["inplace.multiply"](native[1:3], native[1:3])
        functions["inplace.add"](native[:, ::2], 1.5)
    host[1:3] *= host[1:3]
    host[:, ::2] += 1.5
    np.testing.assert_array_equal(host_view(native), host)


@pytest.mark.parametrize("dtype", MATRIX_DTYPES)
def test_fused_functions_of_cupy_arrays(on_cupy, dtype):
    """The references are the definitions in long double, without the kernels' shift by the maximum."""
    functions, to_native, host_view = on_cupy
    host = values((2, 16, 32), dtype)
    native, exact = to_native(host), host.astype(np.longdouble)

    def check(name, expected, *args, **options):
        with launches(name):
            result = functions[name](*args, **options)
        assert result.dtype == host.dtype
        np.testing.assert_allclose(
            host_view(result).astype(np.float64), expected.astype(np.float64), rtol=4 * float(xp.finfo(host.dtype).eps)
        )

    weights = np.exp(exact)
    check("nn.softmax", weights / weights.sum(-1, keepdims=True), native, axis=2)
    check("nn.log_softmax", exact - np.log(weights.sum(-1, keepdims=True)), native, axis=2)
    check("nn.rms_norm", exact / np.sqrt(np.mean(exact * exact, -1, keepdims=True)), native, None, axes=(2,), eps=0.0)
    attended = np.exp(exact @ exact.swapaxes(1, 2) / 4)
    attended = attended @ exact / attended.sum(-1, keepdims=True)
    options = {"causal": False, "scale": 0.25, "precision": "exact"}
    check("nn.scaled_dot_product_attention", attended, native, native, native, None, **options)


@pytest.mark.parametrize("dtype", MATRIX_DTYPES)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("ignored", [None, 2])
def test_cross_entropy_of_cupy_arrays(on_cupy, dtype, reduction, ignored):
    functions, to_native, host_view = on_cupy
    x, target = values((5, 7), dtype), np.array([0, 6, 2, 3, 2])
    with launches("nn.cross_entropy"):
        result = functions["nn.cross_entropy"](
            to_native(x), to_native(target), label_smoothing=0.0, ignore_index=ignored, reduction=reduction
        )
    exact = x.astype(np.longdouble)
    losses = np.log(np.exp(exact).sum(1)) - exact[np.arange(5), target]
    counted = np.ones(5, bool) if ignored is None else target != ignored
    losses = np.where(counted, losses, 0)
    expected = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / counted.sum()}[reduction]
    assert result.dtype == x.dtype
    np.testing.assert_allclose(
        host_view(result).astype(np.float64), expected.astype(np.float64), rtol=4 * float(xp.finfo(x.dtype).eps)
    )
