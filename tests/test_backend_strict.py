"""Device ``strict``: refused calls, values, copies, and independence of array-api-strict's global flags."""

from __future__ import annotations

import builtins
import copy
import operator
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor._core.operations import TABLE
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES
from xtensor.backend import BackendUnavailableError

STANDARD_DTYPES = tuple(map(np.dtype, DTYPE_NAMES))

array_api_strict = pytest.importorskip("array_api_strict")

from xtensor_backends.strict import StrictBackend  # noqa: E402 - after importorskip

STRICT = xp.device("strict")
CPU = xp.device("cpu")

PAGE = (Path(__file__).parents[1] / "docs" / "strict.md").read_text(encoding="utf-8")
OPERANDS = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "z = " in block)
REFUSED = re.findall(r"^\| `(.+)` \| (\w+Error) \|$", PAGE, re.MULTILINE)

SUBNORMAL = 5e-320


def run(statement: str, device: xp.Device) -> None:
    """Execute a statement of docs/strict.md with the page's operands on a device."""
    with xp.use_device(device):
        names: dict[str, Any] = {}
        exec(OPERANDS, names)
        exec(statement, names)


def on(device: xp.Device, *values: Any) -> list[xp.Array]:
    return [xp.asarray(value, device=device) for value in values]


def test_documented_refusals_are_parsed() -> None:
    assert len(REFUSED) == PAGE.count("Error |") >= 60


@pytest.mark.parametrize(("statement", "error"), REFUSED)
def test_documented_refusal_raises(statement: str, error: str) -> None:
    with pytest.raises(getattr(builtins, error)) as caught:
        run(statement, STRICT)
    assert type(caught.value).__module__ in ("builtins", "numpy.exceptions"), "a class that the library defines"


@pytest.mark.parametrize("statement", [statement for statement, _ in REFUSED])
def test_documented_refusal_works_on_cpu(statement: str) -> None:
    run(statement, CPU)


STANDARD = [
    row.name for row in TABLE.values() if row.numpy and not row.name.startswith(("special.", "nn.", "bincount"))
]


@pytest.mark.parametrize("name", [name for name in STANDARD if name != "convolve"])
def test_every_primitive_of_the_standard_is_the_librarys(name: str) -> None:
    assert STRICT.implements(name) or not TABLE[name].primitive


@pytest.mark.parametrize("dtype", STANDARD_DTYPES, ids=str)
def test_dtypes_are_numpy_dtypes(dtype: np.dtype[Any]) -> None:
    x = xp.ones((2, 3), dtype=dtype, device="strict")
    assert isinstance(x.dtype, np.dtype)
    assert x.dtype == dtype
    assert isinstance((x == x).dtype, np.dtype)


@pytest.mark.parametrize("dtype", STANDARD_DTYPES, ids=str)
def test_transfers_to_the_host_and_back_preserve_values(dtype: np.dtype[Any]) -> None:
    host = np.asarray([[0, 1, 2], [3, 4, 5]]).astype(dtype)[:, ::-1]
    back = xp.asarray(host, device="strict").to_device("cpu").to_device("strict")
    assert back.device is STRICT
    assert back.dtype == dtype
    np.testing.assert_array_equal(np.asarray(back), host)


def test_native_array_satisfies_the_contract() -> None:
    (x,) = on(STRICT, [[1.0, 2.0, 3.0]])
    native = x._native
    assert type(native) is STRICT.native_type
    assert (native.shape, native.ndim, native.size) == ((1, 3), 2, 3)
    assert "array_api_strict" in repr(native)


@pytest.mark.parametrize(
    ("convert", "value"), [(bool, True), (int, 3), (float, 2.5), (complex, 1 + 2j), (operator.index, 7)]
)
def test_conversion_of_a_0d_array_returns_a_python_scalar(convert: Callable[[Any], Any], value: Any) -> None:
    result = convert(xp.asarray(value, device="strict"))
    assert type(result) is type(value)
    assert result == value


def test_pickle_preserves_device_and_values() -> None:
    (x,) = on(STRICT, [1.0, 2.0])
    back = pickle.loads(pickle.dumps(x))
    assert back.device is STRICT
    np.testing.assert_array_equal(np.asarray(back), [1.0, 2.0])


def test_deep_copy_does_not_share_memory() -> None:
    (x,) = on(STRICT, [1.0, 2.0])
    other = copy.deepcopy(x)
    x[0] = 9.0
    assert float(other[0]) == 1.0


# -- copies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("copy_argument", "shared"), [(None, True), (False, True), (True, False)])
def test_asarray_shares_host_memory_unless_copy_is_true(copy_argument: bool | None, shared: bool) -> None:
    host = np.arange(3.0)
    x = xp.asarray(host, device="strict", copy=copy_argument)
    assert np.shares_memory(np.asarray(x), host) is shared


def test_asarray_of_another_dtype_without_a_copy_raises() -> None:
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.arange(3.0), dtype=xp.float32, device="strict", copy=False)


@pytest.mark.parametrize(("copy_argument", "shared"), [(None, True), (False, True), (True, False)])
def test_from_dlpack_shares_host_memory_unless_copy_is_true(copy_argument: bool | None, shared: bool) -> None:
    host = np.arange(3.0)
    x = xp.from_dlpack(host, device="strict", copy=copy_argument)
    assert x.device is STRICT
    assert np.shares_memory(np.asarray(x), host) is shared


def test_numpy_imports_an_array_by_dlpack_without_a_copy() -> None:
    (x,) = on(STRICT, [1.0, 2.0])
    assert x.__dlpack_device__() == (1, 0)
    assert np.shares_memory(np.from_dlpack(x), np.asarray(x))


@pytest.mark.parametrize("shape", [(3, 2), (0, 2)])
def test_reshape_without_a_copy_has_the_new_shape(shape: tuple[int, ...]) -> None:
    x = xp.zeros(shape, device="strict")
    assert xp.reshape(x, shape[::-1], copy=False).shape == shape[::-1]


def test_reshape_that_requires_a_copy_without_a_copy_raises() -> None:
    x = xp.zeros((2, 3), device="strict").T
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(x, (6,), copy=False)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"])
def test_inplace_operators_write_into_shared_memory(name: str) -> None:
    host = np.asarray([4.0, 9.0])
    expected = getattr(operator, name)(host.copy(), 2.0)
    x = xp.asarray(host, device="strict", copy=False)
    result = getattr(operator, name)(x, 2.0)
    assert result is x
    np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("name", ["iand", "ior", "ixor", "ilshift", "irshift"])
def test_inplace_bitwise_operators_write_into_shared_memory(name: str) -> None:
    host = np.asarray([4, 9])
    expected = getattr(operator, name)(host.copy(), np.asarray([1, 2]))
    x = xp.asarray(host, device="strict", copy=False)
    assert getattr(operator, name)(x, xp.asarray([1, 2], device="strict")) is x
    np.testing.assert_array_equal(host, expected)


def test_inplace_matrix_product_writes_into_shared_memory() -> None:
    host = np.asarray([[1.0, 2.0], [3.0, 4.0]])
    x = xp.asarray(host, device="strict", copy=False)
    x @= xp.asarray([[0.0, 1.0], [1.0, 0.0]], device="strict")
    np.testing.assert_array_equal(host, [[2.0, 1.0], [4.0, 3.0]])


# -- values -------------------------------------------------------------------------------------------------------

FLOATS = np.asarray([[4.0, 1.5, -2.5], [0.0, 3.0, 1.0]])
INTEGERS = np.asarray([5, -3, 0, 2, 5], dtype=np.int32)
COMPLEX = np.asarray([0.0, -0.0, 3 - 4j, complex(np.inf, 0), complex(0, SUBNORMAL), complex(np.nan, 1)])
SQUARE = np.asarray([[4.0, 1.0], [1.0, 3.0]])

SAMPLE: dict[str, Callable[[Any], Any]] = {
    "add": lambda on: on(FLOATS) + 1,
    "argsort": lambda on: xp.argsort(on(INTEGERS), descending=True),
    "astype": lambda on: xp.astype(on(FLOATS), xp.int16),
    "astype complex to bool": lambda on: xp.astype(on(COMPLEX), xp.bool),
    "broadcast_to": lambda on: xp.broadcast_to(on(FLOATS), (4, 2, 3)),
    "clip": lambda on: xp.clip(on(INTEGERS), 0, 4),
    "cumulative_sum": lambda on: xp.cumulative_sum(on(FLOATS), axis=1, include_initial=True),
    "diff": lambda on: xp.diff(on(FLOATS), prepend=on(FLOATS[:, :1])),
    "expm1": lambda on: xp.expm1(on(np.asarray([complex(np.inf, np.inf), 1e-12j]))),
    "floor_divide": lambda on: on(np.asarray([1.0, -1.0, np.inf])) // np.inf,
    "in-place floor_divide": lambda on: operator.ifloordiv(on(np.asarray([1.0, -1.0])), np.inf),
    "isin": lambda on: xp.isin(on(INTEGERS), on(np.asarray([5, 0], dtype=np.int32))),
    "isin inverted": lambda on: xp.isin(on(INTEGERS), 5, invert=True),
    "mask": lambda on: on(FLOATS)[on(FLOATS) > 1.0],
    "mean": lambda on: xp.mean(on(FLOATS), axis=0, keepdims=True),
    "searchsorted": lambda on: xp.searchsorted(on(np.asarray([1.0, 2.0, 4.0])), 2.0, side="right"),
    "sign": lambda on: xp.sign(on(COMPLEX)),
    "sum": lambda on: xp.sum(on(INTEGERS)),
    "tanh": lambda on: xp.tanh(on(np.asarray([complex(np.inf, np.inf)]))),
    "unique_counts": lambda on: xp.unique_counts(on(INTEGERS)).counts,
    "where": lambda on: xp.where(on(FLOATS) > 1.0, on(FLOATS), 0.0),
    "eigh": lambda on: xp.linalg.eigh(on(SQUARE)).eigenvalues,
    "eigvals": lambda on: xp.linalg.eigvals(on(SQUARE)),
    "pinv": lambda on: xp.linalg.pinv(on(FLOATS)),
    "slogdet": lambda on: xp.linalg.slogdet(on(SQUARE)).logabsdet,
    "fft": lambda on: xp.fft.fft(on(COMPLEX[:3])),
    "fftfreq": lambda on: xp.fft.fftfreq(5, dtype=xp.float32, device=on(FLOATS).device),
    "irfftn": lambda on: xp.fft.irfftn(on(FLOATS + 0j)),
}


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_agree_with_cpu(name: str) -> None:
    result, expected = (
        SAMPLE[name](lambda host, device=device: xp.asarray(host, device=device, copy=True)) for device in (STRICT, CPU)
    )
    assert result.device is STRICT
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


# -- errors -------------------------------------------------------------------------------------------------------

FAILED_CALLS: dict[str, tuple[Callable[[xp.Array], Any], type[Exception]]] = {
    "integer beyond the dtype": (lambda x: xp.astype(x, xp.int8) + 300, OverflowError),
    "index out of bounds": (lambda x: x[7, 0], IndexError),
    "shapes that do not broadcast": (lambda x: x + xp.ones((3,), device="strict"), ValueError),
    "singular matrix": (lambda x: xp.linalg.inv(x), np.linalg.LinAlgError),
    "axis out of bounds": (lambda x: xp.sum(x, axis=4), ValueError),
    "in-place result of another shape": (lambda x: operator.iadd(x[0, ...], x), ValueError),
    "assignment to a broadcast array": (
        lambda x: operator.setitem(xp.broadcast_to(x, (2, 2, 2)), ..., 1.0),
        ValueError,
    ),
}


@pytest.mark.parametrize("name", FAILED_CALLS)
def test_failed_call_raises_the_documented_error(name: str) -> None:
    function, error = FAILED_CALLS[name]
    with pytest.raises(error):
        function(xp.ones((2, 2), device="strict"))


def test_operands_on_two_devices_raise() -> None:
    with pytest.raises(xp.DeviceMismatchError, match="to_device"):
        xp.ones(2, device="strict") + xp.ones(2, device="cpu")


# -- array-api-strict ---------------------------------------------------------------------------------------------


def test_strict_is_never_the_best_device() -> None:
    assert xp.best_device() is not STRICT


def test_probe_returns_the_version_of_the_library() -> None:
    assert StrictBackend().probe() == array_api_strict.__version__


def test_old_library_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_api_strict, "__version__", "2.5.1")
    with pytest.raises(BackendUnavailableError, match=r'2\.5\.1.*python -m pip install "array-api-strict>=2\.6"'):
        StrictBackend().probe()


def test_missing_library_raises_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "array_api_strict", None)
    with pytest.raises(BackendUnavailableError, match=r'python -m pip install "array-api-strict>=2\.6"'):
        StrictBackend().probe()


def test_global_flags_do_not_affect_the_device() -> None:
    f = xp.asarray([1.0, -1.0], device="strict")
    with array_api_strict.ArrayAPIStrictFlags(
        api_version="2022.12", boolean_indexing=False, data_dependent_shapes=False, enabled_extensions=()
    ):
        results = (f[f > 0.0], xp.maximum(f, 0.0), xp.unique_values(f), xp.linalg.vector_norm(f), xp.fft.rfft(f))
    assert all(result.device is STRICT for result in results)


OPENED = """
import array_api_strict, xtensor as xp
before = array_api_strict.get_array_api_strict_flags(), list(array_api_strict.__all__)
f = xp.asarray([1.0, -1.0], device="strict")
assert f[f > 0.0].shape == (1,) and xp.maximum(f, 0.0).shape == (2,) and xp.unique_values(f).shape == (2,)
assert xp.linalg.vector_norm(f).shape == xp.fft.rfft(f)[0].shape == ()
assert (array_api_strict.get_array_api_strict_flags(), list(array_api_strict.__all__)) == before
assert array_api_strict.__array_api_version__ == before[0]["api_version"] == "2022.12"
assert "linalg" not in before[1]
"""


def test_opening_the_device_does_not_change_global_flags() -> None:
    flags = {
        "ARRAY_API_STRICT_API_VERSION": "2022.12",
        "ARRAY_API_STRICT_BOOLEAN_INDEXING": "false",
        "ARRAY_API_STRICT_DATA_DEPENDENT_SHAPES": "false",
        "ARRAY_API_STRICT_ENABLED_EXTENSIONS": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", OPENED], env={**os.environ, **flags}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
