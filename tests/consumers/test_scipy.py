"""SciPy, unmodified: every function of its capability table, on xtensor arrays.

What the table declares for any device gives the values that it gives for NumPy arrays, as Arrays on the device, and
nothing is copied to the host on the way. What it declares for the host alone does so there, and elsewhere does the same
or raises an error that says why: it never comes back from the host unasked.
"""

from __future__ import annotations

import functools
import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy._lib import _array_api  # noqa: E402 - after it is known to be there

if not _array_api.SCIPY_ARRAY_API:
    pytest.skip("SciPy was imported before SCIPY_ARRAY_API was set", allow_module_level=True)

from scipy.spatial.transform import RigidTransform, Rotation  # noqa: E402
from scipy_cases import (  # noqa: E402
    CASES,
    COPIED,
    MADE_ELSEWHERE,
    NUMPY_INSIDE,
    ON_THE_DEFAULT_DEVICE,
    REFUSED_BY_STRICT,
    WITHOUT_CASE,
    declared,
)
from scipy_host_cases import HOST_CASES, LEFT_AS_NUMPYS, OTHER_ERRORS, REFUSED_ON_THE_HOST  # noqa: E402
from scipy_host_cases import WITHOUT_CASE as HOST_WITHOUT_CASE  # noqa: E402
from toy import ToyBackend  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

WRITTEN_FOR = (1, 17)
"""The newest version of SciPy whose every declared function has a case or a reason."""

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))

DECLARED = declared()
IN_SCOPE = {name: says for name, (_, says) in DECLARED.items() if not says["out_of_scope"]}
HOST_ONLY = [name for name, says in IN_SCOPE.items() if says["np_only"] or says["cpu_only"]]
ANY_DEVICE = [name for name in IN_SCOPE if name not in HOST_ONLY]


def case_of(name, cases, without):
    """The case of a declared function; a test of one without is skipped, if there is a reason, and fails otherwise."""
    if name in cases:
        return cases[name]
    if name in without:
        pytest.skip(f"scipy.{name} {without[name]}")
    if SCIPY > WRITTEN_FOR:
        pytest.skip(f"scipy.{name} has no case yet: SciPy {scipy.__version__} is newer than these tests")
    pytest.fail(f"scipy.{name} is declared, and has neither a case nor a reason to have none")


@functools.cache
def expected(name):
    """What SciPy gives for NumPy arrays."""
    return {**CASES, **HOST_CASES}[name](DECLARED[name][0], np.asarray)


def compare(got, wanted, device, *, arrays=True):
    """Compare a result with NumPy's; arrays in it are Arrays on the device, unless they may be ``arrays`` of NumPy."""
    if isinstance(wanted, (Rotation, RigidTransform)):
        compare(got.as_matrix(), wanted.as_matrix(), device, arrays=arrays)
    elif isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for name, value in wanted.items():
            compare(got[name], value, device, arrays=arrays)
    elif isinstance(wanted, (tuple, list)):
        for part, value in zip(got, wanted, strict=True):
            compare(part, value, device, arrays=arrays)
    elif isinstance(wanted, (str, slice)) or wanted is None:
        assert got == wanted
    elif isinstance(wanted, (bool, int, float, complex, np.generic, np.ndarray)):
        if isinstance(got, xp.Array):
            assert got.device is device
            got = np.asarray(got.to_device("cpu"))
        elif arrays and np.ndim(wanted):
            pytest.fail(f"the result is {type(got)}, not an Array")
        assert np.shape(got) == np.shape(wanted)
        scale = np.max(np.abs(wanted), initial=1.0, where=np.isfinite(wanted))
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9 * scale)
    else:
        names = [field.name for field in fields(wanted)] if is_dataclass(wanted) else vars(wanted)
        for name in names:
            if not name.startswith("_"):
                compare(getattr(got, name), getattr(wanted, name), device, arrays=arrays)


def run(case, name, device):
    return case(DECLARED[name][0], lambda values: xp.asarray(values, device=device))


@pytest.fixture
def count_copies(monkeypatch):
    """Count the copies of more than a number that a device makes to the host, from here on."""

    def begin(device):
        copied = []
        to_host = device._library.to_host

        def counted(native):
            if native.ndim:
                copied.append(native.shape)
            return to_host(native)

        monkeypatch.setattr(device._library, "to_host", counted)
        return copied

    return begin


@pytest.fixture
def off_host(registry):
    """A device off the host, on every machine."""
    xp.register_backend(ToyBackend())
    return xp.device("toy:0")


def assert_stays_there(name, device, count_copies):
    case = case_of(name, CASES, WITHOUT_CASE)
    wanted = expected(name)
    copied = count_copies(device)
    if device.backend == "strict" and name in REFUSED_BY_STRICT:
        with pytest.raises((TypeError, IndexError)):
            run(case, name, device)
        return
    got = run(case, name, device)
    assert device.host or bool(copied) == (name in COPIED)
    compare(got, wanted, device)


@pytest.mark.parametrize("name", [name for name in ANY_DEVICE if name not in NUMPY_INSIDE])
class TestDeclaredForAnyDevice:
    """Functions that SciPy declares for any device, and computes with the namespace of its arrays."""

    def test_values_are_numpys_without_a_host_copy(self, device, name, count_copies):
        assert_stays_there(name, device, count_copies)

    def test_values_are_numpys_without_a_host_copy_off_the_host(self, off_host, name, count_copies):
        with xp.use_device(off_host):
            assert_stays_there(name, off_host, count_copies)

    def test_another_default_device_changes_nothing_or_raises(self, off_host, name, count_copies):
        with xp.use_device("cpu"):
            if name in MADE_ELSEWHERE:
                assert run(CASES[name], name, off_host).device is xp.device("cpu")
                return
            if name not in ON_THE_DEFAULT_DEVICE:
                assert_stays_there(name, off_host, count_copies)
                return
            with pytest.raises(xp.DeviceMismatchError, match=r"toy:0.*to_device"):
                run(CASES[name], name, off_host)


def assert_runs_on_the_host(name, device):
    """What is declared for the host gives NumPy's values there; what is for NumPy alone gives them or raises."""
    case = case_of(name, {**CASES, **HOST_CASES}, HOST_WITHOUT_CASE)
    wanted = expected(name)
    if name in REFUSED_ON_THE_HOST:
        with pytest.raises(TypeError, match="xtensor|Array"):
            run(case, name, device)
        return
    try:
        got = run(case, name, device)
    except (TypeError, xp.special.FunctionUnavailableError, *OTHER_ERRORS.values()) as error:
        if not IN_SCOPE[name]["np_only"]:
            raise
        assert_clear(error, name)
        return
    compare(got, wanted, device, arrays=IN_SCOPE[name]["cpu_only"] and name not in LEFT_AS_NUMPYS)


def assert_stays_or_raises(name, device, count_copies):
    """What is declared for the host gives NumPy's values without a copy to the host, or raises."""
    case = case_of(name, {**CASES, **HOST_CASES}, HOST_WITHOUT_CASE)
    wanted = expected(name)
    copied = count_copies(device)
    try:
        got = run(case, name, device)
    except (TypeError, xp.special.FunctionUnavailableError, *OTHER_ERRORS.values()) as error:
        assert_clear(error, name)
        return
    assert name not in NUMPY_INSIDE
    assert not copied
    compare(got, wanted, device, arrays=IN_SCOPE[name]["cpu_only"])


def assert_clear(error, name):
    assert type(error) is OTHER_ERRORS.get(name) or isinstance(error, (TypeError, xp.special.FunctionUnavailableError))
    assert name in OTHER_ERRORS or re.search("xtensor|Array|Methods", str(error))


@pytest.mark.parametrize("name", [*HOST_ONLY, *NUMPY_INSIDE])
class TestDeclaredForTheHost:
    """Functions that SciPy declares for the host, or for NumPy alone, or computes with NumPy whatever it declares."""

    def test_values_are_numpys_on_the_host(self, lenient_device, name, count_copies):
        if lenient_device.host:
            assert_runs_on_the_host(name, lenient_device)
        else:
            assert_stays_or_raises(name, lenient_device, count_copies)

    def test_off_the_host_they_stay_or_raise(self, off_host, name, count_copies):
        with xp.use_device(off_host):
            assert_stays_or_raises(name, off_host, count_copies)


@pytest.mark.skipif(SCIPY != WRITTEN_FOR, reason=f"the tables are written for SciPy {WRITTEN_FOR}")
def test_every_case_is_of_a_declared_function():
    assert {*CASES, *WITHOUT_CASE} == set(ANY_DEVICE)
    assert {*HOST_CASES, *HOST_WITHOUT_CASE} == set(HOST_ONLY)
    assert not CASES.keys() & WITHOUT_CASE.keys()
    assert not HOST_CASES.keys() & HOST_WITHOUT_CASE.keys()
    assert {
        *NUMPY_INSIDE,
        *REFUSED_BY_STRICT,
        *COPIED,
        *ON_THE_DEFAULT_DEVICE,
        *MADE_ELSEWHERE,
    } <= CASES.keys()
    assert {*OTHER_ERRORS, *REFUSED_ON_THE_HOST, *LEFT_AS_NUMPYS} <= CASES.keys() | HOST_CASES.keys()
