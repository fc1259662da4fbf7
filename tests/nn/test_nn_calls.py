"""Calls of ``xtensor.nn``: the operands and options that a device's kernels receive, and errors for bad arguments."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from nn_support import asarray, dtype_on
from strategies import values_of
from toy import ToyBackend

import xtensor as xp
from xtensor import nn
from xtensor._core.operations import TABLE
from xtensor.nn import functional as F  # noqa: N812 - conventional alias

# -- kernels ----------------------------------------------------------------------------------------------------------

X, COS, TARGET, MASK = (
    np.ones((2, 4), np.float32),
    np.ones((2, 2), np.float32),
    np.zeros(2, np.int64),
    np.ones((2, 2), bool),
)

CONVENTIONS = {
    "cross_entropy": (
        lambda x, cos, target, mask: F.cross_entropy(x, target, label_smoothing=0.5, ignore_index=3, reduction="sum"),
        (X, TARGET),
        {"label_smoothing": 0.5, "ignore_index": 3, "reduction": "sum"},
    ),
    "gelu": (lambda x, cos, target, mask: F.gelu(x), (X,), {}),
    "gelu_tanh": (lambda x, cos, target, mask: F.gelu(x, approximate="tanh"), (X,), {}),
    "layer_norm": (
        lambda x, cos, target, mask: F.layer_norm(x, x[0, ...], eps=0.5),
        (X, X[0], None),
        {"axes": (1,), "eps": 0.5},
    ),
    "linear": (lambda x, cos, target, mask: F.linear(x, x, precision="tf32"), (X, X, None), {"precision": "tf32"}),
    "log_softmax": (lambda x, cos, target, mask: F.log_softmax(x), (X,), {"axis": 1}),
    "relu": (lambda x, cos, target, mask: F.relu(x), (X,), {}),
    "rms_norm": (lambda x, cos, target, mask: F.rms_norm(x, axis=(0, 1)), (X, None), {"axes": (0, 1), "eps": 1e-6}),
    "rotary_embedding": (
        lambda x, cos, target, mask: F.rotary_embedding(x, cos, cos, interleaved=True),
        (X, COS, COS),
        {"interleaved": True},
    ),
    "scaled_dot_product_attention": (
        lambda x, cos, target, mask: F.scaled_dot_product_attention(x, x, x, mask=mask, causal=True),
        (X, X, X, MASK),
        {"causal": True, "scale": 0.5, "precision": "exact"},
    ),
    "silu": (lambda x, cos, target, mask: F.silu(x), (X,), {}),
    "softmax": (lambda x, cos, target, mask: F.softmax(x, axis=-2), (X,), {"axis": 0}),
    "swiglu": (lambda x, cos, target, mask: F.swiglu(x, x), (X, X), {}),
}
"""For each kernel: a call of its function, and the operands and options that the kernel receives."""


KERNELS = sorted(CONVENTIONS.keys() - {"gelu_tanh"})
"""The functions whose kernels have conventions of their own."""


@pytest.fixture
def kernel(device):
    """Return a function that replaces an operation's implementation on the device while the test runs."""
    replaced = []

    def replace(name, function):
        index = TABLE[name].index
        replaced.append((index, device.table[index].function))
        device.table[index].function = function

    yield replace
    for index, function in reversed(replaced):
        device.table[index].function = function


def record(calls, result):
    """Return a kernel that records its calls and returns ``result``, which may be NotImplemented."""

    def implementation(*operands, **options):
        calls.append((operands, options))
        return result

    return implementation


@pytest.mark.parametrize("name", CONVENTIONS)
def test_kernel_receives_promoted_operands_and_options(device, kernel, name):
    compute, operands, options = CONVENTIONS[name]
    calls = []
    kernel(f"nn.{name}", record(calls, NotImplemented))
    compute(*map(asarray, (X, COS, TARGET, MASK)))
    arguments, keywords = calls[0]
    assert keywords == options
    assert len(arguments) == len(operands)
    for argument, operand in zip(arguments, operands, strict=True):
        assert (argument is None) == (operand is None)
        assert operand is None or (argument.dtype, argument.shape) == (operand.dtype, operand.shape)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_function_returns_the_kernels_result(device, kernel, name):
    compute, _, _ = CONVENTIONS[name]
    native = asarray(np.full((2, 4), 7.0, np.float32))._native
    kernel(f"nn.{name}", record([], native))
    np.testing.assert_array_equal(values_of(compute(*map(asarray, (X, COS, TARGET, MASK)))), np.full((2, 4), 7.0))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_special_and_nn_functions_share_a_kernel(device, kernel, name):
    calls = []
    kernel(f"nn.{name}", record(calls, asarray(X)._native))
    getattr(F, name)(asarray(X), axis=1)
    getattr(xp.special, name)(asarray(X), axis=1)
    assert [keywords for _, keywords in calls] == [{"axis": 1}] * 2


def test_kernel_receives_operands_of_one_dtype(device, kernel):
    dtype, calls = dtype_on(device, "float64"), []
    kernel("nn.linear", record(calls, NotImplemented))
    F.linear(asarray(X), asarray(X.astype(dtype)))
    assert [operand.dtype for operand in calls[0][0][:2]] == [dtype, dtype]


def test_kernel_receives_half_precision_without_a_cast(device, kernel):
    dtype, calls = dtype_on(device, "float16"), []
    kernel("nn.softmax", record(calls, NotImplemented))
    F.softmax(asarray(X.astype(dtype)))
    assert calls[0][0][0].dtype == dtype


# -- the module -------------------------------------------------------------------------------------------------------


def test_public_names_are_sorted():
    assert sorted(F.__all__) == F.__all__ == dir(F)
    assert sorted(nn.__all__) == dir(nn)


@pytest.mark.parametrize("name", F.__all__)
def test_every_function_is_documented_and_typed(name):
    function = getattr(F, name)
    assert function.__doc__
    assert all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values())


@pytest.mark.parametrize("name", KERNELS)
def test_every_function_with_a_kernel_has_a_row_in_the_table_of_operations(name):
    row = TABLE[f"nn.{name}"]
    assert (row.declared, row.kind, row.accepts, row.primitive) == (True, "network", "real floating", False)


@pytest.mark.parametrize("name", F.__all__)
def test_every_function_is_an_operation(name):
    row = TABLE[f"nn.{name}"]
    assert (row.declared, row.primitive) == (True, False)
    assert row.kind in ("network", "composed")


# -- bad arguments -----------------------------------------------------------------------------------------------------

CALLS = {
    "cross_entropy": lambda x: F.cross_entropy(x, xp.zeros(x.shape[:-1], dtype=xp.int64)),
    "gelu": lambda x: F.gelu(x),
    "layer_norm": lambda x: F.layer_norm(x),
    "linear": lambda x: F.linear(x, x),
    "log_softmax": lambda x: F.log_softmax(x),
    "relu": lambda x: F.relu(x),
    "rms_norm": lambda x: F.rms_norm(x),
    "rotary_embedding": lambda x: F.rotary_embedding(x, x, x),
    "scaled_dot_product_attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "silu": lambda x: F.silu(x),
    "softmax": lambda x: F.softmax(x),
    "swiglu": lambda x: F.swiglu(x, x),
}


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
@pytest.mark.parametrize("name", KERNELS)
def test_dtype_that_is_not_real_floating_is_refused(device, name, dtype):
    x = xp.astype(xp.ones((2, 2)), np.dtype(dtype))
    with pytest.raises(TypeError, match=rf"{name}.*{dtype}.*floating"):
        CALLS[name](x)


@pytest.mark.parametrize("name", sorted(set(F.__all__) - {"dropout", "dropout_channels", "one_hot"}))
def test_operand_that_is_not_an_array_is_refused(name):
    required = [p for p in inspect.signature(getattr(F, name)).parameters.values() if p.default is p.empty]
    with pytest.raises(TypeError, match=name):
        getattr(F, name)(*[{1.0, 2.0}] * len(required))


BAD_ARGUMENTS = {
    "axis out of bounds": (lambda x: F.softmax(x, axis=2), IndexError, "axis 2"),
    "axis of a 0-d array": (lambda x: F.log_softmax(x[0, 0]), IndexError, "0-d"),
    "axis that is not last": (lambda x: F.layer_norm(x, axis=0), ValueError, "last"),
    "no axes": (lambda x: F.rms_norm(x, axis=()), ValueError, "last"),
    "shape of a weight": (lambda x: F.rms_norm(x, xp.ones(3)), ValueError, r"\(3,\).*\(4,\)"),
    "negative eps": (lambda x: F.layer_norm(x, eps=-1.0), ValueError, "eps.*nonnegative.*-1.0"),
    "eps that is not a number": (lambda x: F.rms_norm(x, eps="small"), TypeError, "eps.*'small'"),
    "shapes of swiglu": (lambda x: F.swiglu(x, x[0, ...]), ValueError, "same shape"),
    "shapes of linear": (
        lambda x: F.linear(x, x[:, :3]),
        ValueError,
        r"(?m)expected x \(..., n\) and weight \(m, n\)$",
    ),
    "transposed weight of linear": (lambda x: F.linear(x, x.T), ValueError, "transpose the weight with"),
    "classes as floats": (
        lambda x: F.cross_entropy(x, xp.zeros(2)),
        ValueError,
        "a target of dtype float.* holds probabilities, cast classes with xtensor.astype",
    ),
    "shape of a bias": (lambda x: F.linear(x, x, xp.ones(3)), ValueError, r"bias.*\(3,\).*\(2,\)"),
    "precision": (lambda x: F.linear(x, x, precision="half"), ValueError, "'exact' or 'tf32'"),
    "approximation": (lambda x: F.gelu(x, approximate="erf"), ValueError, "'none' or 'tanh'"),
    "odd length": (lambda x: F.rotary_embedding(x[:, :3], x, x), ValueError, "even"),
    "shape of cosines": (lambda x: F.rotary_embedding(x, x, x), ValueError, r"cos.*\(2, 4\).*broadcast.*\(2, 2\)"),
    "flag": (lambda x: F.rotary_embedding(x, x[:, :2], x[:, :2], interleaved=1), TypeError, "interleaved"),
    "shape of targets": (
        lambda x: F.cross_entropy(x, xp.zeros(3, dtype=xp.int64)),
        ValueError,
        r"target.*\(3,\).*\(2,\)",
    ),
    "targets that are not numbers": (lambda x: F.cross_entropy(x, x[:, 0] > 0), TypeError, "integers"),
    "no classes": (lambda x: F.cross_entropy(x[:, :0], xp.zeros(2, dtype=xp.int64)), ValueError, "no classes"),
    "reduction": (lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), reduction="max"), ValueError, "'mean'"),
    "label smoothing": (
        lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), label_smoothing=2),
        ValueError,
        "label_smoothing.*from 0 to 1.*2",
    ),
    "query that is a vector": (lambda x: F.scaled_dot_product_attention(x[0, ...], x, x), ValueError, "query"),
    "shapes of key and value": (
        lambda x: F.scaled_dot_product_attention(x, x, x[:1, ...]),
        ValueError,
        r"key \(2, 4\), value \(1, 4\) do not match",
    ),
    "number of heads": (
        lambda x: F.scaled_dot_product_attention(xp.ones((3, 1, 4)), xp.ones((2, 1, 4)), xp.ones((2, 1, 4))),
        ValueError,
        "2 heads.*divide 3",
    ),
    "shape of a mask": (
        lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((5, 2))),
        ValueError,
        r"mask.*\(5, 2\).*\(2, 2\)",
    ),
    "mask of integers": (
        lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((2, 2), dtype=xp.int64)),
        TypeError,
        "mask",
    ),
    "scale": (lambda x: F.scaled_dot_product_attention(x, x, x, scale="big"), TypeError, "scale"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_argument_raises(device, case):
    call, error, message = BAD_ARGUMENTS[case]
    with pytest.raises(error, match=message):
        call(xp.ones((2, 4)))


def test_operands_on_two_devices_raise(registry):
    xp.register_backend(ToyBackend())
    with pytest.raises(xp.DeviceMismatchError, match=r"toy:0.*cpu"):
        F.swiglu(xp.ones((2, 2), device="toy:0"), xp.ones((2, 2), device="cpu"))
