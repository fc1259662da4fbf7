"""``xtensor.fuse`` in Triton's interpreter: generated kernels compute what the device's functions compute.

References are the kernels of the single operations on the same device, which have tests of their own.
"""

from __future__ import annotations

import gc
import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from test_fuse import FUNCTIONS, close
from triton_kernels import DEVICE, DTYPES, KERNELS, Guarded, small_tiles

import xtensor as xp
from xtensor.backend import Program, Step
from xtensor_backends.triton import _context, _device, _dtypes, _generator, _program_source, _table, count_calls
from xtensor_backends.triton._interpreter import Interpreter
from xtensor_backends.triton._storage import HostMemory

ALL_DTYPES = [*DTYPES, _dtypes.BFLOAT16]

FLOATS = [dtype for dtype in ALL_DTYPES if dtype.kind in "fV"]


def generator(memory: Any = None, tiling: Any = None) -> _generator.TritonGenerator:
    context = _context.Context(memory or HostMemory(), Interpreter())
    if tiling is not None:
        context.split_rows = tiling
    return _generator.TritonGenerator(context, context.call)


GENERATOR = generator()


def values(shape: Any, dtype: Any, seed: int = 0) -> Any:
    """Numbers of both signs, with fractions where the dtype has them."""
    numbers = np.random.default_rng(seed).normal(size=shape) * 3
    return np.asarray(numbers if np.dtype(dtype).kind in "fVi" else abs(numbers)).astype(dtype)


def same(actual: Any, expected: Any) -> None:
    """Compare arrays: dtype, shape, and values bit by bit but for the bits of NaN."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype.kind in "fV":
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_array_equal(np.signbit(actual) & (actual == 0), np.signbit(expected) & (expected == 0))
    np.testing.assert_array_equal(actual, expected)


def compare(function: Any, *operands: Any, kernels: dict[str, int]) -> Any:
    """Compare a fused function with the function, and the launches of a second call with ``kernels``."""
    arguments = [xp.asarray(x, device=DEVICE) if isinstance(x, np.ndarray) else x for x in operands]
    fused = xp.fuse(function)
    with xp.use_device(DEVICE):
        expected = function(*arguments)
        fused(*arguments)
        with count_calls() as calls:
            actual = fused(*arguments)
    assert calls.declined == {}
    assert +calls.launches == kernels
    several = isinstance(expected, tuple)
    pairs = zip(actual, expected, strict=True) if several else [(actual, expected)]
    for mine, wanted in pairs:
        assert mine.device == wanted.device == DEVICE
        same(xp.to_numpy(mine), xp.to_numpy(wanted))
    return actual


# -- functions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fused_functions_return_what_the_function_returns(name):
    function, kernels = FUNCTIONS[name]
    x, y = (xp.asarray(np.random.default_rng(seed).normal(size=(40, 300)), device=DEVICE) for seed in (1, 2))
    fused = xp.fuse(function)
    with xp.use_device(DEVICE):
        expected = function(x, y)
        close(fused(x, y), expected)
        with count_calls() as calls:
            close(fused(x, y), expected)
    if kernels is not None:
        assert calls.launches["fuse"] + calls.launches["fuse.reduce"] > 0


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm"])
def test_functions_with_a_kernel_of_their_own_keep_it(name):
    function = getattr(xp.nn.functional, name)
    x = xp.asarray(values((40, 30), "float32"), device=DEVICE)
    fused = xp.fuse(lambda x: function(x + 1.0) * 2.0)
    for _ in range(2):
        with count_calls() as calls:
            result = fused(x)
    assert +calls.launches == {"fuse": 2, f"nn.{name}": 1}
    close(result, function(x + 1.0) * 2.0)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_chain_of_operations_is_one_kernel(dtype):
    x, y = values((40, 30), dtype), values((40, 30), dtype, 1)
    compare(lambda x, y: xp.sqrt(x * x + y * y) * 2 - xp.exp(-abs(x)) / 3.0 + xp.tanh(y), x, y, kernels={"fuse": 1})


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "iu"], ids=str)
def test_integers(dtype):
    x, y = values((7, 5), dtype), values((7, 5), dtype, 1)
    compare(lambda x, y: (x * 3 + y) // (y * y + 1) % 5 ^ (x << 1), x, y, kernels={"fuse": 1})


def test_booleans():
    x, y = values((7, 5), bool), values((7, 5), np.float32)
    compare(lambda x, y: (x & (y > 0) | ~x, x ^ (y == y), xp.logical_not(y)), x, y, kernels={"fuse": 1})


def test_a_sum_of_booleans_counts():
    x = values((7, 50), np.float32)
    compare(lambda x: xp.sum(x > 0, axis=1), x, kernels={"fuse.reduce": 1})


def test_where_and_casts():
    x, y = values((7, 5), np.float32), values((7, 5), np.int16)

    def function(x, y):
        chosen = xp.where(x > 0.5, x, xp.astype(y, xp.float32) / 2)
        return chosen, xp.astype(chosen * 10, xp.int8), xp.astype(chosen, xp.bool), xp.where(y > 0, y, -1)

    compare(function, x, y, kernels={"fuse": 1})


def test_promoted_operands():
    x, y, z = (values((6, 5), dtype, seed) for seed, dtype in enumerate((np.int16, np.float32, np.float64)))
    compare(lambda x, y, z: (x * y, y + z, x - z, x > y), x, y, z, kernels={"fuse": 1})


def test_the_smallest_and_the_largest_of_signed_and_unsigned_integers():
    x, y = values((50,), np.int64), values((50,), np.uint64)
    compare(lambda x, y: ((x < y) & (x + 1 < y), y >= x), x, y, kernels={"fuse": 1})


@pytest.mark.parametrize(
    ("shapes"),
    [((5, 1), (1, 7)), ((7,), (4, 5, 7)), ((), (3, 4)), ((1, 1), (3, 1)), ((3, 0), (3, 1)), ((), ())],
    ids=str,
)
def test_operands_broadcast(shapes):
    x, y = (values(shape, np.float32, seed) for seed, shape in enumerate(shapes))
    shape = np.broadcast_shapes(*shapes)
    actual = compare(lambda x, y: x * y + y - 1.5, x, y, kernels={"fuse": 1} if 0 not in shape else {})
    assert actual.shape == shape


@pytest.mark.parametrize(
    "index",
    [
        np.s_[::2],
        np.s_[::-1, ::3],
        np.s_[:, 3],
        np.s_[2:, 1:-1],
        np.s_[1],
    ],
    ids=str,
)
def test_strided_operands(index):
    x, y = values((12, 14, 3), np.float64)[index], values((12, 14, 3), np.float64, 1)[index]
    compare(lambda x, y: xp.abs(x) + y * 2, x, np.ascontiguousarray(y), kernels={"fuse": 1})
    compare(lambda x, y: xp.abs(x) + y * 2, x, y, kernels={"fuse": 1})


def test_results_have_the_order_of_the_operands_in_memory():
    x = values((4, 5, 6), np.float32).transpose(2, 0, 1)
    program = Program(("float32",), (), (Step("exp", (0,), "float32"), Step("negative", (0,), "float32")), (1, 2))
    for result in GENERATOR.compute(program, (x,), []):
        assert result.strides == x.strides


def test_several_results_are_written_by_one_kernel():
    x, y = values((9, 5), np.float32), values((5,), np.float32, 1)
    first, second, third, fourth = compare(
        lambda x, y: (x + y, x > y, (x + y) * 2, xp.astype(x, xp.int32)), x, y, kernels={"fuse": 1}
    )
    for one, other in itertools.combinations(map(xp.to_numpy, (first, second, third, fourth)), 2):
        assert not np.shares_memory(one, other)


def test_not_a_number_and_infinities():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38], np.float32)
    compare(lambda x: (xp.maximum(x, x * 2), xp.sign(-x), xp.log1p(x), x - x), x, kernels={"fuse": 1})
    compare(lambda x: xp.max(x * 2), x, kernels={"fuse.reduce": 1})
    compare(lambda x: xp.sum(x * 2), x[3:], kernels={"fuse.reduce": 1})


# -- numbers ------------------------------------------------------------------------------------------------------


def test_another_number_makes_no_other_kernel(monkeypatch):
    kernels: list[Any] = []
    made = Interpreter.kernel

    def kernel(self: Any, *args: Any, **options: Any) -> Any:
        kernels.append(args)
        return made(self, *args, **options)

    monkeypatch.setattr(Interpreter, "kernel", kernel)
    x = xp.asarray(values((4, 300), np.float32), device=DEVICE)
    fused = xp.fuse(lambda x, a: (x * a + a / 2, xp.sum(x * a, axis=1)))
    sources = _program_source.elementwise_kernel.cache_info().misses
    for number in (1.0, 16.0, 0.1, -3.5, float("inf")):
        first, second = fused(x, number)
        same(xp.to_numpy(first), xp.to_numpy(x * number + number / 2))
        same(xp.to_numpy(second), xp.to_numpy(xp.sum(x * number, axis=1)))
    generated = [args[0].__name__ for args in kernels if args[0].__name__.startswith("fused_")]
    assert len(generated) == 2
    assert _program_source.elementwise_kernel.cache_info().misses == sources + 1


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_number_is_rounded_to_the_dtype_of_the_operand(dtype):
    x = values((50,), dtype)
    compare(lambda x, a: (x * a, x + 0.1, x**0.3), x, 0.7, kernels={"fuse": 1})


def test_a_number_beyond_a_dtype_gives_infinity_without_a_warning():
    x = values((50,), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = xp.fuse(lambda x, a: x * a)(xp.asarray(abs(x) + 1, device=DEVICE), 1e300)
    assert xp.all(xp.isinf(result))


def test_an_integer_beyond_a_dtype_raises_the_error_of_the_function():
    x = xp.asarray(values((50,), np.int8), device=DEVICE)
    with pytest.raises(OverflowError):
        xp.fuse(lambda x: (x + 1) + 300)(x)


def test_a_negative_exponent_of_integers_raises_the_error_of_the_function():
    x, y = (xp.asarray(np.full(9, number), device=DEVICE) for number in (2, 3))
    fused = xp.fuse(lambda x, y: x ** (y - 1) + 1)
    assert fused(x, y)[0] == 5
    with pytest.raises(ValueError, match="negative"):
        fused(x, y - 3)


# -- every operation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*_table.UNARY, *_table.BINARY, "where", "clip"])
def test_an_operation_in_a_program_is_what_its_kernel_computes(name):
    """In each dtype; where the operation's kernel declines, there is no program."""
    if name in ("nn.gelu", "nn.gelu_tanh"):
        return  # one function with an option, which is computed by its formula
    count = 1 if name in _table.UNARY else 2 if name in _table.BINARY else 3
    for dtype in ALL_DTYPES:
        operands = [values((3, 20), dtype, seed) for seed in range(count)]
        if name == "where":
            operands[0] = operands[0] > 1
        if name == "pow" and dtype.kind in "iu":
            operands[1] = abs(operands[1])
        expected = KERNELS[name](*operands)
        found = GENERATOR.resolve(name, [x.dtype for x in operands])
        if expected is NotImplemented or (name == "pow" and dtype.kind in "bi"):
            assert found is None, dtype
            continue
        dtypes, result = found
        casts = [Step("astype", (place,), dtype.name) for place, dtype in enumerate(dtypes)]
        places = tuple(range(count, 2 * count))
        inputs = tuple(x.dtype.name for x in operands)
        program = Program(inputs, (), (*casts, Step(name, places, result.name)), (2 * count,))
        with count_calls() as calls:
            (actual,) = GENERATOR.compute(program, tuple(operands), [])
        assert calls.launches == {"fuse": 1}
        same(actual, expected)


def test_casts_are_those_of_the_kernel():
    for source, target in itertools.product(ALL_DTYPES, ALL_DTYPES):
        x = values((40,), source)
        program = Program((source.name,), (), (Step("astype", (0,), target.name),), (1,))
        with np.errstate(all="ignore"):
            same(GENERATOR.compute(program, (x,), [])[0], KERNELS["astype"](x, target))


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("add", (np.dtype(np.complex64), float)),
        ("add", (np.dtype(np.float32), complex)),
        ("add", (np.dtype(">f4"), float)),
        ("sort", (np.dtype(np.float32),)),
        ("pow", (np.dtype(np.int32), int)),
        ("subtract", (np.dtype(bool), bool)),
    ],
)
def test_what_no_kernel_computes_is_not_resolved(name, kinds):
    assert GENERATOR.resolve(name, kinds) is None


# -- reductions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, -1, 0, 1, (1, 2), (0, 2)], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_a_reduction_takes_the_operations_before_it_into_its_kernel(name, axis):
    x, y = values((3, 4, 20), np.float32), values((4, 1), np.float32, 1)
    for keepdims in (False, True):
        compare(
            lambda x, y, keepdims=keepdims: getattr(xp, name)(xp.cos(x) * y + 1.5, axis=axis, keepdims=keepdims),
            *(x, y),
            kernels={"fuse.reduce": 1},
        )


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_reductions_of_every_dtype_on_small_tiles(name, dtype):
    """With several programs and partial results, as on a GPU."""
    x = values((3, 40), dtype)
    step = "bitwise_or" if dtype.kind == "b" else "add"
    program = Program((dtype.name,) * 2, (), (Step(step, (0, 1), dtype.name),), (), ((name, 2),))
    memory = Guarded()
    context = _context.Context(memory, Interpreter())
    context.split_rows = small_tiles
    functions = _device.functions_over(context)
    total = functions[step](x, x[::-1])
    for axes in ((0,), (1,), (0, 1)):
        expected = functions[name](total, axis=axes)
        found = generator(memory, small_tiles).reduce(program, [x, x[::-1]], [], x.shape, axes)
        if expected.dtype != dtype:
            assert found is None  # a program casts its elements first
        else:
            same(found[0], expected)
    memory.check()


def test_several_reductions_are_one_kernel():
    x = values((4, 100), np.float32)
    steps = (Step("multiply", (0, 0), "float32"), Step("astype", (0,), "float64"))
    program = Program(("float32",), (), steps, (), (("sum", 1), ("max", 1), ("min", 2)))
    for tiling in (None, small_tiles):
        with count_calls() as calls:
            found = generator(tiling=tiling).reduce(program, [x], [], x.shape, (1,))
        assert calls.launches == {"fuse.reduce": 1 if tiling is None else 4}
        assert [item.shape for item in found] == [(4,)] * 3
        np.testing.assert_allclose(found[0], np.sum(x * x, axis=1), rtol=1e-6)
        same(found[1], np.max(x * x, axis=1))
        same(found[2], np.min(x, axis=1).astype(np.float64))


def test_a_sum_does_not_lose_digits():
    x = np.full(2**20, 0.1, np.float32)
    actual = compare(lambda x: xp.sum(x * 1.0), x, kernels={"fuse.reduce": 1})
    assert abs(float(actual) - 2**20 * float(np.float32(0.1))) < 0.01


def test_softmax():
    x = values((20, 70), np.float32)

    def softmax(x):
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return e / xp.sum(e, axis=-1, keepdims=True)

    compare(softmax, x, kernels={"max": 1, "fuse": 2, "sum": 1})


def test_a_reduction_without_operations_is_the_device_s_own():
    program = Program(("float32",), (), (), (), (("sum", 0),))
    assert GENERATOR.reduce(program, [values((4, 5), np.float32)], [], (4, 5), (1,)) is None


# -- memory and kernels -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 15, 16, 17, 1000, 1025])
def test_nothing_beyond_the_results_is_written(length):
    memory = Guarded()
    x = memory.copy_of(values((3, length), np.float32))[:, :: 2 if length > 1 else 1]
    steps = (Step("exp", (0,), "float32"), Step("greater", (2, 1), "bool"))
    program = Program(("float32",), ("float32",), steps, (2, 3))
    first, second = generator(memory).compute(program, (x,), [2.5])
    memory.check()
    same(first, KERNELS["exp"](x))
    same(second, KERNELS["greater"](KERNELS["exp"](x), 2.5))


def test_equal_programs_have_one_kernel_and_others_their_own():
    def program(name: str) -> Program:
        return Program(("float32",), (), (Step(name, (0,), "float32"),), (1,))

    first, second, other = (_program_source.elementwise_kernel(program(name)) for name in ("exp", "exp", "log"))
    assert first is second
    assert first.function.__name__ != other.function.__name__


def test_the_source_of_a_kernel_can_be_read():
    program = Program(("int32",), (), (Step("negative", (0,), "int32"),), (1,))
    kernel = _program_source.elementwise_kernel(program)
    gc.collect()
    assert inspect.getsource(kernel.function.fn) in kernel.source


def test_operands_that_no_kernel_takes_are_computed_by_the_functions():
    x = xp.asarray(np.ones((3,) * 14)[(slice(None, None, 2),) * 14], device=DEVICE)
    fused = xp.fuse(lambda x: (x * 2 + 1, xp.sum(x * 2)))
    for _ in range(2):
        with count_calls() as calls:
            first, second = fused(x)
        same(xp.to_numpy(first), np.full((2,) * 14, 3.0))
        assert float(second) == 2.0**15
        assert calls.declined["fuse"] == ["the operands have more than 6 axes after merging"]


def test_long_programs_are_computed_by_the_functions(monkeypatch):
    monkeypatch.setattr(_generator, "MOST_STEPS", 2)
    program = Program(("float32",), (), tuple(Step("exp", (k,), "float32") for k in range(3)), (3,))
    with count_calls() as calls:
        assert generator().compute(program, (values((4,), np.float32),), []) is None
    assert calls.declined["fuse"] == ["the program has 3 steps, more than 2"]


def test_outside_arrays_views_and_results_are_those_of_the_function() -> None:
    x = xp.asarray(np.arange(6.0).reshape(2, 3), device=DEVICE)
    outside = xp.asarray(np.ones((2, 3)), device=DEVICE)

    def function(x: Any) -> Any:
        z = x * 2 + outside
        row = z[1]
        row[...] = 0.0
        return z, z * 1, xp.zeros_like(x)

    fused = xp.fuse(function)
    for value in (1.0, 5.0):
        outside[0, 0] = value
        found, expected = fused(x), function(x)
        close(found, expected)
        found[2][...] = value
