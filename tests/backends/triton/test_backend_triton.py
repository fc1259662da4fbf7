"""The Triton backend in the interpreter: prepared launches, declined calls, the device and its processes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from triton_kernels import (
    DEVICE,
    KERNELS,
    XP,
    guarded,
    launches,
)

import xtensor as xp
from xtensor.backend import TABLE
from xtensor.nn import functional as F  # noqa: N812 - its usual name
from xtensor_backends.triton import _context, _device, count_calls
from xtensor_backends.triton._dtypes import BFLOAT16
from xtensor_backends.triton._interpreter import Interpreter
from xtensor_backends.triton._storage import DeviceMemory, HostMemory


@pytest.fixture
def log(caplog):
    with caplog.at_level(logging.DEBUG, logger="xtensor.triton"):
        yield caplog


# -- prepared launches --------------------------------------------------------------------------------------------


def test_launches_are_prepared_once_for_each_layout(monkeypatch):
    kernels, kernel = [], SimpleNamespace(bound=lambda fixed: lambda programs, *first: None)
    monkeypatch.setattr(_context.Context, "kernel", lambda self, *args, **kwargs: kernels.append(args) or kernel)
    functions, _ = guarded()
    for _ in range(3):
        functions["add"](np.ones(3), np.ones(3))
        functions["sum"](np.ones((2, 3)), axis=1)
    assert len(kernels) == 2
    functions["sum"](np.ones((2, 3)), axis=0)
    assert len(kernels) == 3


def test_the_cache_of_prepared_launches_is_bounded(monkeypatch):
    monkeypatch.setattr(_context, "CACHE_SIZE", 3)
    context = _context.Context(HostMemory(), Interpreter())
    functions = _device.functions_over(context)
    for length in range(1, 9):
        np.testing.assert_array_equal(functions["negative"](np.ones(length)), -np.ones(length))
        assert len(context._cache) <= 3


def test_a_declined_option_does_not_decline_an_equal_one():
    x = np.ones((2, 3))
    assert KERNELS["sum"](x, axis=0, keepdims=1) is NotImplemented
    with launches("sum"):
        assert KERNELS["sum"](x, axis=0, keepdims=True).shape == (1, 3)


def test_calls_are_counted_by_operation():
    with count_calls() as calls:
        KERNELS["add"](np.ones(3), 1.0)
        KERNELS["add"](np.ones(3), 2.0)
        KERNELS["add"](np.ones(3, np.complex64), 1.0)
    KERNELS["add"](np.ones(3), 1.0)
    assert calls.launches == {"add": 2}
    assert calls.declined == {"add": ["no kernel supports complex64"]}


# -- declined calls -----------------------------------------------------------------------------------------------


def read_only():
    x = np.ones(3)
    x.flags.writeable = False
    return x


ATTENTION = {"causal": False, "scale": 1.0, "precision": "exact"}
LOSS = {"label_smoothing": 0.0, "reduction": "mean"}


@pytest.mark.parametrize(
    ("name", "call", "reason"),
    [
        ("add", lambda f: f(np.ones(2, np.complex64), 1.0), "complex64"),
        ("add", lambda f: f(np.ones(2, ">f4"), 1.0), ">f4"),
        ("add", lambda f: f(np.ones(2), np.ones(3)), "do not broadcast"),
        ("add", lambda f: f(np.ones((3,) * 14)[(slice(None, None, 2),) * 14], 1.0), "14 axes"),
        ("clip", lambda f: f(np.ones(2), None, None), "no bounds"),
        ("clip", lambda f: f(np.ones(2, bool), False, None), "boolean"),
        ("astype", lambda f: f(np.ones(2), np.dtype(np.complex64)), "complex64"),
        ("where", lambda f: f(np.ones(2, bool), np.ones(2), 1j), "complex"),
        ("inplace.add", lambda f: f(np.ones(2, np.int64), 1.5), "cannot be written into int64"),
        ("inplace.add", lambda f: f(np.ones(2), np.ones((3, 2))), "cannot be written into x1"),
        ("inplace.add", lambda f: f(read_only(), 1.0), "read-only"),
        ("sum", lambda f: f(np.ones(2, np.complex128)), "complex128"),
        ("sum", lambda f: f(np.ones(0)), "no elements"),
        ("sum", lambda f: f(np.ones(2), dtype=np.dtype(bool)), "cast to bool"),
        ("var", lambda f: f(np.ones(2), correction=2**70), "correction"),
        ("cumulative_sum", lambda f: f(np.ones(2, np.complex128), axis=0), "complex128"),
        ("cumulative_sum", lambda f: f(np.ones(2), axis=0, include_initial=1), "include_initial"),
        ("nn.softmax", lambda f: f(np.ones((0, 2)), axis=1), "no elements"),
        ("nn.layer_norm", lambda f: f(np.ones((2, 2)), np.ones(4)[::2], axes=(1,), eps=0.0), "not contiguous"),
        ("nn.rms_norm", lambda f: f(np.ones((2, 2)), np.ones(2, np.float32), axes=(1,), eps=0.0), "float32"),
        (
            "nn.cross_entropy",
            lambda f: f(np.ones((2, 3)), np.array([0, 1], np.uint8), ignore_index=-100, **LOSS),
            "cannot be counted",
        ),
        (
            "nn.scaled_dot_product_attention",
            lambda f: f(*(np.ones((2, 300), np.float32),) * 3, None, **ATTENTION),
            "300 features",
        ),
    ],
)
def test_a_declined_call_returns_not_implemented_and_logs_the_reason(log, name, call, reason):
    with count_calls() as calls:
        assert call(KERNELS[name]) is NotImplemented
        assert call(KERNELS[name]) is NotImplemented  # from the cache
    assert calls.launches[name] == 0 or name == "nn.cross_entropy"
    assert [reason in text for text in calls.declined[name]] == [True, True]
    messages = [text for text in log.messages if text.startswith(f"{name}(") and "is declined" in text]
    assert len(messages) == 2
    assert all(reason in text for text in messages)


@pytest.mark.parametrize(("value", "expected"), [(300, True), (-1, False)])
def test_integer_out_of_range_is_left_to_the_next_implementation(log, value, expected):
    x = xp.asarray([1, 2], dtype=xp.uint8, device=DEVICE)
    assert xp.all((x < value) == expected)
    assert any("less(" in message and "out of bounds for uint8" in message for message in log.messages)


def test_a_kernel_that_runs_logs_nothing(log):
    with launches("add", "mean"):
        XP.add(np.ones(3), np.ones((2, 3))[:, ::-1])
        XP.mean(np.ones((3, 4)).T, axis=0)
    assert log.messages == []


def test_the_device_asks_the_storage_after_a_declined_call():
    with count_calls() as calls:
        result = XP.add(np.ones(2, np.complex64), 1.0)
    assert result.tolist() == [2.0, 2.0]
    assert list(calls.declined) == ["add"]
    with pytest.raises(ValueError, match="read-only"):
        DEVICE.table[TABLE["add"].index].inplace(read_only(), 1.0)


# -- the device ---------------------------------------------------------------------------------------------------


NEURAL_NETWORKS = {
    "cross_entropy": lambda x: F.cross_entropy(x, xp.asarray([0, 3, 1]), ignore_index=-100),
    "gelu": lambda x: F.gelu(x),
    "layer_norm": lambda x: F.layer_norm(x),
    "log_softmax": lambda x: F.log_softmax(x),
    "quantized_linear": lambda x: F.quantized_linear(x, xp.ones((5, 4), dtype=xp.int8), xp.ones((5, 2), dtype=x.dtype)),
    "relu": lambda x: F.relu(x),
    "rms_norm": lambda x: F.rms_norm(x),
    "rotary_embedding": lambda x: F.rotary_embedding(x, x[:, :2], x[:, :2]),
    "scaled_dot_product_attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "silu": lambda x: F.silu(x),
    "softmax": lambda x: F.softmax(x),
    "swiglu": lambda x: F.swiglu(x, x),
}


def test_functions_of_neural_networks_with_kernels_are_named():
    implemented = {name for name in F.__all__ if DEVICE.implements(f"nn.{name}")}
    hosts = {"conv1d", "conv2d", "conv3d"}  # NumPy computes what has no kernel where kernels are interpreted
    assert implemented - hosts - {"linear"} == {*NEURAL_NETWORKS}


@pytest.mark.parametrize("name", sorted(NEURAL_NETWORKS))
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_function_of_neural_networks_has_a_kernel(name, dtype):
    with xp.use_device(DEVICE):
        x = xp.astype(xp.ones((3, 4)), np.dtype(dtype) if dtype != "bfloat16" else BFLOAT16)
        with launches(f"nn.{name}"):
            NEURAL_NETWORKS[name](x)


def run(program, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**clean, **environment}
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.strip()


def test_triton_is_not_imported_before_a_device_is_opened():
    program = """
import sys, xtensor as xp
xp.devices(), xp.device("triton:interpret"), xp.backends
print("triton" in sys.modules)
"""
    assert run(program) == "False"


def test_environment_is_restored():
    program = """
import os, xtensor as xp
xp.device("triton:interpret").table
print(os.environ.get("TRITON_INTERPRET"))
"""
    assert run(program) == "None"


def test_interpreting_after_compiling_is_refused_with_the_remedy():
    program = """
import triton, xtensor as xp
try:
    xp.device("triton:interpret").table
except xp.BackendUnavailableError as error:
    print(error)
"""
    assert "TRITON_INTERPRET=1" in run(program)


def test_compiling_after_interpreting_is_refused_with_the_remedy():
    program = """
import xtensor as xp
from xtensor_backends.triton import backend
xp.device("triton:interpret").table
try:
    backend._settle("cuda:0")
except xp.BackendUnavailableError as error:
    print(error)
"""
    assert "process of its own" in run(program)


def test_log_is_written_if_the_environment_gives_a_level():
    program = """
import sys, xtensor as xp
sys.stderr = sys.stdout
x = xp.ones(2, dtype=xp.complex64, device="triton:interpret")
x + x
"""
    assert "add(complex64[2], complex64[2]) is declined" in run(program, XTENSOR_LOG="debug")


def test_device_is_identified_by_its_name():
    assert xp.device("triton:interpret") is DEVICE
    assert str(DEVICE) == "triton:interpret"
    assert DEVICE.backend == "triton"


def test_missing_triton_is_reported_with_the_remedy(monkeypatch):
    import importlib.metadata

    from xtensor_backends.triton import TritonBackend

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(xp.BackendUnavailableError, match=r'pip install "triton'):
        TritonBackend().probe()


def test_old_triton_is_refused(monkeypatch):
    import importlib.metadata

    from xtensor_backends.triton import TritonBackend

    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.5.1")
    with pytest.raises(xp.BackendUnavailableError, match="3.6 or newer"):
        TritonBackend().probe()


def test_in_place_kernels_decline_broadcast_views_of_a_gpu():
    """CuPy's arrays have no read-only flag: a kernel would write one element several times at once."""
    x = np.zeros((3, 1))
    assert DeviceMemory.writable(x)
    assert DeviceMemory.writable(np.broadcast_to(x, (3, 1)))
    assert not DeviceMemory.writable(np.broadcast_to(x, (3, 4)))
