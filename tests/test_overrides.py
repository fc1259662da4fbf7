"""Every public function that computes is an operation, which a device can implement by its name."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from arguments import call, call_conditions
from good_arguments import GOOD, public_function
from strategies import values_of

import xtensor as xp
from xtensor.backend import TABLE
from xtensor.nn import functional
from xtensor_backends.numpy import NumpyBackend, _namespace

NO_OPERATIONS = {
    # Devices, backends and the settings of the process.
    *("backends", "best_device", "default_device", "device", "devices", "register_backend", "set_backend_priority"),
    *("set_default_device", "transfers", "use_device"),
    # Dtypes and shapes, without arrays.
    *("__array_namespace_info__", "broadcast_shapes", "can_cast", "finfo", "iinfo", "isdtype", "result_type"),
    # Values from outside, and to outside: services of a backend.
    *("asarray", "from_dlpack", "to_numpy"),
    # Transforms and measurements of functions.
    *("estimate", "fuse", "profile", "vmap"),
    # Questions about classes.
    *("isscalar", "issubdtype"),
}
"""Public functions that compute nothing with arrays."""

NAMESPACES = {
    "": xp,
    "linalg.": xp.linalg,
    "fft.": xp.fft,
    "special.": xp.special,
    "nn.": functional,
    "lib.": xp.lib.stride_tricks,
}

OF_ARRAYS = sorted(name for name, row in TABLE.items() if row.takes_arrays and name in GOOD and row.kind == "composed")
"""The operations that are composed of others, with valid arguments."""

COMPUTED_OTHERWISE = {
    *("special.log_softmax", "special.logsumexp", "special.softmax"),  # by the operations of nn of these names
    *("special.multigammaln", "special.sinc"),  # by their formulas, which are exact where libraries are not
}
"""Operations of which no implementation is looked for."""

PREPARED = sorted(
    name
    for name, row in TABLE.items()
    if row.declared and not row.takes_arrays and name in GOOD and name not in COMPUTED_OTHERWISE
)
"""The other operations: their implementations get checked native arrays."""

SMOOTH = ("add", "exp", "multiply", "sin", "sqrt", "tanh", "sum", "linalg.det", "matmul", "special.erf")
"""Operations of which a rule of derivatives calls the device's implementation."""


class Override(NumpyBackend):
    """NumPy's backend with a function of its own for one operation, which counts its calls."""

    def __init__(self, name: str) -> None:
        self.operation, self.calls = name, 0
        self.name = f"override_{name.replace('.', '_')}"
        self.kinds = (self.name,)

    def devices(self) -> tuple[str, ...]:
        return (f"{self.name}:0",)

    def rank(self, spec: str) -> int:
        return -100

    def namespace(self, spec: str) -> Any:
        *chapter, label = self.operation.split(".")
        found = _Forwarding(_namespace)
        inner = found
        for part in chapter:
            setattr(inner, part, _Forwarding(getattr(_namespace, part, None)))
            inner = getattr(inner, part)
        setattr(inner, label, self.count)
        return found

    def count(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        if TABLE[self.operation].takes_arrays:
            return NotImplemented
        function = _namespace
        for part in self.operation.split("."):
            function = getattr(function, part, None)
        if function is None and TABLE[self.operation].composition is not None:
            return TABLE[self.operation].composition(_namespace, *args, **kwargs)
        return NotImplemented if function is None else function(*args, **kwargs)


class _Forwarding(SimpleNamespace):
    """The functions of another namespace, but for those that are set here."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name == "_source" or self._source is None:
            raise AttributeError(name)
        return getattr(self._source, name)


def public_names(prefix: str, namespace: Any) -> list[str]:
    names = [name for name in namespace.__all__ if inspect.isroutine(getattr(namespace, name))]
    return [prefix + name for name in names if prefix + name not in NO_OPERATIONS]


@pytest.mark.parametrize("prefix", NAMESPACES)
def test_every_function_that_computes_is_an_operation(prefix):
    names = public_names(prefix, NAMESPACES[prefix])
    assert names
    main = [name.removeprefix("linalg.") for name in ("linalg.matmul", "linalg.matrix_transpose", "linalg.tensordot")]
    shared = {f"linalg.{name}" for name in (*main, "vecdot")} | {"cross"}  # one function in both namespaces
    assert [name for name in names if name not in shared and not (name in TABLE and TABLE[name].declared)] == []


@pytest.fixture
def overridden(registry):
    """Return a function that registers a backend with its own implementation of an operation."""

    def register(name: str) -> tuple[Override, xp.Device]:
        backend = Override(name)
        xp.register_backend(backend)
        return backend, xp.device(f"{backend.name}:0")

    return register


def operands(name: str) -> list[xp.Array]:
    x = xp.asarray([[0.5, 0.25], [0.125, 0.75]])
    return [x, x] if TABLE[name].operands == 2 else [x]


@pytest.mark.one_device
@pytest.mark.parametrize("name", [*OF_ARRAYS, *PREPARED])
def test_device_implements_an_operation_by_its_name(overridden, name):
    backend, device = overridden(name)
    assert device.implements(name)
    with xp.use_device(device), call_conditions(name):
        bounds = {"min": 0.0} if name == "clip" else {}  # without bounds it computes nothing
        call(public_function(name), GOOD[name]() | bounds)
    assert backend.calls >= 1


@pytest.mark.one_device
@pytest.mark.parametrize("name", SMOOTH)
def test_derivative_calls_the_implementation(overridden, name):
    backend, device = overridden(name)
    function = public_function(name)
    with xp.use_device(device):
        first, *others = operands(name)
        xp.autograd.grad(lambda x: xp.sum(function(x, *others)))(first)
    assert backend.calls >= 1


@pytest.mark.one_device
@pytest.mark.parametrize("name", ["interp", "linalg.solve", "pad", "partition", "sort"])
def test_fused_function_calls_the_implementation_at_each_call(monkeypatch, name):
    device, calls = xp.device("cpu"), []
    implementation = device.table[TABLE[name].index]
    chosen = device._functions.choose(TABLE[name])

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return chosen(*args, **kwargs)

    arguments = {"pad": (1,), "partition": (1,), "interp": ([0.0, 1.0], [2.0, 4.0]), "linalg.solve": ([1.0, 2.0],)}
    with xp.use_device(device):
        x = xp.asarray([[0.5, 0.25], [0.125, 0.75]])
        others = [xp.asarray(value) if isinstance(value, list) else value for value in arguments.get(name, ())]
        expected = values_of(public_function(name)(x * 2.0, *others) + 1.0)
        monkeypatch.setattr(implementation, "function", counting)
        for choice in ("choose", "choose_by_size"):
            choose = getattr(device._functions, choice)
            monkeypatch.setattr(
                device._functions, choice, lambda row, choose=choose: counting if row.name == name else choose(row)
            )
        fused = xp.fuse(lambda x: public_function(name)(x * 2.0, *others) + 1.0)
        for _ in range(3):
            before = len(calls)
            np.testing.assert_allclose(values_of(fused(x)), expected)
            assert len(calls) > before


def test_chunks_of_dask_call_the_implementation():
    pytest.importorskip("dask")
    # A process of its own: the device of the chunks is chosen once.
    program = """
import dask
import numpy as np
import xtensor as xp
from test_overrides import Override

backend = Override("sin")
xp.register_backend(backend)
dask.config.set({"xtensor.device": "override_sin:0", "scheduler": "synchronous"})
x = xp.asarray(np.linspace(0.0, 1.0, 10), device="dask")
np.testing.assert_allclose(xp.to_numpy(xp.sum(xp.sin(x))), np.sum(np.sin(np.linspace(0.0, 1.0, 10))))
assert backend.calls >= 1
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parent, timeout=120)
