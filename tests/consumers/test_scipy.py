"""SciPy, unmodified: every function of its capability table on Arrays.

A function that the table declares for any device returns Arrays of the device with the values for NumPy arrays, without
a copy to the host. A function that it declares for the host does so on the host; on another device it does the same or
raises an error with the reason.
"""

from __future__ import annotations

import functools
import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy._lib import _array_api  # noqa: E402 - after importorskip

if not _array_api.SCIPY_ARRAY_API:
    pytest.skip("SciPy was imported before SCIPY_ARRAY_API was set", allow_module_level=True)

from scipy.spatial.transform import RigidTransform, Rotation  # noqa: E402
from scipy_cases import (  # noqa: E402
    CASES,
    COPIED,
    NUMPY_INSIDE,
    ON_THE_DEFAULT_DEVICE,
    REFUSED_BY_STRICT,
    RESULT_ON_THE_DEFAULT_DEVICE,
    WITHOUT_CASE,
    declared,
)
from scipy_host_cases import HOST_CASES, NUMPY_RESULT, OTHER_ERRORS, REFUSED_ON_THE_HOST  # noqa: E402
from scipy_host_cases import WITHOUT_CASE as HOST_WITHOUT_CASE  # noqa: E402
from toy import ToyBackend  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

WRITTEN_FOR = (1, 17)
"""Version of SciPy whose declared functions all have a case or a reason for having none."""

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))

DECLARED = declared()
IN_SCOPE = {name: says for name, (_, says) in DECLARED.items() if not says["out_of_scope"]}
HOST_ONLY = [name for name, says in IN_SCOPE.items() if says["np_only"] or says["cpu_only"]]
ANY_DEVICE = [name for name in IN_SCOPE if name not in HOST_ONLY]
TESTED_ON_ANY_DEVICE = [name for name in ANY_DEVICE if name not in (NUMPY_INSIDE.keys() | WITHOUT_CASE.keys())]
TESTED_ON_THE_HOST = [name for name in (*HOST_ONLY, *NUMPY_INSIDE) if name not in HOST_WITHOUT_CASE]


def case_of(name, cases):
    """Return the case of a declared function. Fails if there is none, unless SciPy is newer than the cases."""
    if name in cases:
        return cases[name]
    if SCIPY > WRITTEN_FOR:
        pytest.skip(f"scipy.{name} has no case yet: SciPy {scipy.__version__} is newer than these tests")
    pytest.fail(f"scipy.{name} is declared and has no case; add one, or a reason to WITHOUT_CASE")


DOCUMENTED_ERRORS = (TypeError, xp.DeviceMismatchError, xp.special.FunctionUnavailableError)
"""Errors of operands that a function or a device does not take, and of transfers that are not allowed."""


@functools.cache
def numpy_result(name):
    """Return SciPy's result for NumPy arrays."""
    return {**CASES, **HOST_CASES}[name](DECLARED[name][0], np.asarray)


def compare(result, expected, device, *, arrays=True):
    """Compare a result with that for NumPy arrays; if ``arrays``, arrays in it must be Arrays of the device."""
    if isinstance(expected, (Rotation, RigidTransform)):
        compare(result.as_matrix(), expected.as_matrix(), device, arrays=arrays)
    elif isinstance(expected, dict):
        assert result.keys() == expected.keys()
        for name, value in expected.items():
            compare(result[name], value, device, arrays=arrays)
    elif isinstance(expected, (tuple, list)):
        for part, value in zip(result, expected, strict=True):
            compare(part, value, device, arrays=arrays)
    elif isinstance(expected, (str, slice)) or expected is None:
        assert result == expected
    elif isinstance(expected, (bool, int, float, complex, np.generic, np.ndarray)):
        if isinstance(result, xp.Array):
            assert result.device is device
            result = np.asarray(result.to_device("cpu"))
        elif arrays and np.ndim(expected):
            pytest.fail(f"the result is {type(result)}, not an Array")
        assert np.shape(result) == np.shape(expected)
        scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-9 * scale)
    else:
        names = [field.name for field in fields(expected)] if is_dataclass(expected) else vars(expected)
        for name in names:
            if not name.startswith("_"):
                compare(getattr(result, name), getattr(expected, name), device, arrays=arrays)


def run(case, name, device):
    return case(DECLARED[name][0], lambda values: xp.asarray(values, device=device))


@pytest.fixture
def count_copies(monkeypatch):
    """Return a function that records the copies of arrays, except 0-d ones, from a device to the host."""

    def start(device):
        copied = []
        to_host = device._library.to_host

        def counted(native):
            if native.ndim:
                copied.append(native.shape)
            return to_host(native)

        monkeypatch.setattr(device._library, "to_host", counted)
        return copied

    return start


@pytest.fixture
def off_host(registry):
    """Device off the host, available on every machine."""
    xp.register_backend(ToyBackend())
    return xp.device("toy:0")


def assert_stays_on_the_device(name, device, count_copies):
    case = case_of(name, CASES)
    expected = numpy_result(name)
    copied = count_copies(device)
    if device.backend == "strict" and name in REFUSED_BY_STRICT:
        with pytest.raises((TypeError, IndexError)):
            run(case, name, device)
        return
    result = run(case, name, device)
    assert device.host or bool(copied) == (name in COPIED)
    compare(result, expected, device)


@pytest.mark.parametrize("name", TESTED_ON_ANY_DEVICE)
class TestDeclaredForAnyDevice:
    """Functions that SciPy declares for any device and computes with the namespace of its operands."""

    def test_result_agrees_with_numpy_without_a_copy_to_the_host(self, device, name, count_copies):
        assert_stays_on_the_device(name, device, count_copies)

    def test_result_off_the_host_agrees_with_numpy_without_a_copy_to_the_host(self, off_host, name, count_copies):
        with xp.use_device(off_host):
            assert_stays_on_the_device(name, off_host, count_copies)

    def test_another_default_device_has_no_effect_or_raises(self, off_host, name, count_copies):
        with xp.use_device("cpu"):
            if name in RESULT_ON_THE_DEFAULT_DEVICE:
                assert run(CASES[name], name, off_host).device is xp.device("cpu")
                return
            if name not in ON_THE_DEFAULT_DEVICE:
                assert_stays_on_the_device(name, off_host, count_copies)
                return
            with pytest.raises(xp.DeviceMismatchError, match=r"toy:0.*to_device"):
                run(CASES[name], name, off_host)


def assert_runs_on_the_host(name, device):
    """A function declared for the host returns NumPy's values; one declared for NumPy does so or raises."""
    case = case_of(name, {**CASES, **HOST_CASES})
    expected = numpy_result(name)
    if name in REFUSED_ON_THE_HOST:
        with pytest.raises(TypeError, match="xtensor|Array"):
            run(case, name, device)
        return
    try:
        result = run(case, name, device)
    except (*DOCUMENTED_ERRORS, *OTHER_ERRORS.values()) as error:
        if not IN_SCOPE[name]["np_only"]:
            raise
        assert_clear(error, name)
        return
    compare(result, expected, device, arrays=IN_SCOPE[name]["cpu_only"] and name not in NUMPY_RESULT)


def assert_stays_or_raises(name, device, count_copies):
    """A function declared for the host returns NumPy's values without a copy to the host, or raises."""
    case = case_of(name, {**CASES, **HOST_CASES})
    expected = numpy_result(name)
    copied = count_copies(device)
    try:
        result = run(case, name, device)
    except (*DOCUMENTED_ERRORS, *OTHER_ERRORS.values()) as error:
        assert_clear(error, name)
        return
    assert name not in NUMPY_INSIDE
    assert not copied
    compare(result, expected, device, arrays=IN_SCOPE[name]["cpu_only"])


def assert_clear(error, name):
    """Fail unless an error is of the documented class and names the operands' class."""
    assert type(error) is OTHER_ERRORS.get(name) or isinstance(error, DOCUMENTED_ERRORS)
    assert name in OTHER_ERRORS or re.search("xtensor|Array|Methods|to_device", str(error))


@pytest.mark.parametrize("name", TESTED_ON_THE_HOST)
class TestDeclaredForTheHost:
    """Functions that SciPy declares for the host or for NumPy, or computes with NumPy contrary to the table."""

    def test_result_on_the_host_agrees_with_numpy(self, lenient_device, name, count_copies):
        if lenient_device.host:
            assert_runs_on_the_host(name, lenient_device)
        else:
            assert_stays_or_raises(name, lenient_device, count_copies)

    def test_result_off_the_host_stays_on_the_device_or_the_call_raises(self, off_host, name, count_copies):
        with xp.use_device(off_host):
            assert_stays_or_raises(name, off_host, count_copies)


@pytest.mark.skipif(SCIPY != WRITTEN_FOR, reason=f"the tables are written for SciPy {WRITTEN_FOR}")
def test_every_declared_function_has_a_case_or_a_reason():
    assert {*CASES, *WITHOUT_CASE} == set(ANY_DEVICE)
    assert {*HOST_CASES, *HOST_WITHOUT_CASE} == set(HOST_ONLY)
    assert not CASES.keys() & WITHOUT_CASE.keys()
    assert not HOST_CASES.keys() & HOST_WITHOUT_CASE.keys()
    assert {
        *NUMPY_INSIDE,
        *REFUSED_BY_STRICT,
        *COPIED,
        *ON_THE_DEFAULT_DEVICE,
        *RESULT_ON_THE_DEFAULT_DEVICE,
    } <= CASES.keys()
    assert {*OTHER_ERRORS, *REFUSED_ON_THE_HOST, *NUMPY_RESULT} <= CASES.keys() | HOST_CASES.keys()
