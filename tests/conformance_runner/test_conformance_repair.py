"""Fixes for defects of the suite, made while it is loaded."""

from __future__ import annotations

import numpy as np
import pytest
from small_suite import MakeSuite

from conformance.__main__ import FAILED, PASSED

DTYPE_HELPERS = """
import os
import numpy as np

class Mapping(dict):
    pass

skipped = os.environ.get("ARRAY_API_TESTS_SKIP_DTYPES", "").split(",")
complex_dtypes = [name for name in ("complex64", "complex128") if name not in skipped]
dtype_to_name = {name: name for name in complex_dtypes}
widest_complex_dtype = max([(name, len(name)) for name in complex_dtypes], key=lambda pair: pair[1])[0]
promotion_table = Mapping({(1, 2): np.dtype("float32")})
"""
CAN_CAST = """
import numpy as np
from array_api_tests import dtype_helpers as dh

def test_missing_promotion_equals_no_dtype():
    assert dh.promotion_table.get((3, 4)) != np.dtype("float64")

def test_promotion_is_unchanged():
    assert dh.promotion_table.get((1, 2)) == np.dtype("float32")
"""
WIDEST_COMPLEX = """
from array_api_tests import dtype_helpers as dh

def test_widest_complex_dtype():
    assert dh.widest_complex_dtype == EXPECTED
    assert dh.dtype_to_name[dh.widest_complex_dtype] == EXPECTED
"""
EXPORT = """
import numpy as np
from hypothesis import given, settings, strategies as st

class Elsewhere:
    error = EXPECTED_ERROR
    memory = np.zeros(2)
    size = 2

    def __dlpack_device__(self):
        return MEMORY, 0

    def __dlpack__(self, *, copy=None, dl_device=None, max_version=None):
        if copy is False and dl_device not in (None, (MEMORY, 0)) and self.error is not None:
            raise self.error("a copy is needed")
        return EXPORTED.__dlpack__()

def some(**values):
    return st.fixed_dictionaries({}, optional=values)

@settings(max_examples=100)
@given(
    x=st.builds(Elsewhere),
    copy_kw=some(copy=st.booleans() | st.none()),
    max_version_kw=some(max_version=st.just((1, 0))),
    dl_device_kw=some(dl_device=st.just((1, 0))),
    data=st.data(),
)
def test_dunder_dlpack(x, copy_kw, max_version_kw, dl_device_kw, data):
    x.__dlpack__(**copy_kw, **max_version_kw, **dl_device_kw)
"""
SPECIAL_CASES = """
def integer_as_the_suite_draws_it():
    return float(2**24 + 1)

def test_integer_is_a_number_of_the_widest_dtype():
    assert integer_as_the_suite_draws_it() == EXPECTED
"""
SIGNATURES = """
from collections import defaultdict
func_to_specified_arg_exprs = defaultdict(dict)

def test_method_of_integers_has_arguments():
    assert func_to_specified_arg_exprs["__lshift__"].get("other") == EXPECTED
"""
SETS = """
from array_api_tests import _array_module as xp

def test_nan_is_counted_in_a_dtype_of_the_device():
    assert xp.uint8 == EXPECTED
"""
ARRAY_MODULE = "uint8, int32 = 'uint8', 'int32'\n"
# The official conftest.py imports this module, too. The fix must come first.
EARLY_IMPORT = "from array_api_tests import dtype_helpers\n"


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_missing_promotion_equals_no_dtype(make_suite: MakeSuite, workers: str) -> None:
    small = make_suite({"dtype_helpers.py": DTYPE_HELPERS, "test_data_type_functions.py": CAN_CAST})
    assert small.run("-j", workers) == PASSED


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("cpu", "complex128"),
        ("without-complex128", "complex64"),
        ("without-complex64-complex128", "complex64"),
    ],
)
def test_suite_starts_without_complex_dtypes(make_suite: MakeSuite, spec: str, expected: str, workers: str) -> None:
    text = WIDEST_COMPLEX.replace("EXPECTED", repr(expected))
    small = make_suite({"dtype_helpers.py": DTYPE_HELPERS, "test_fft.py": text}).with_conftest(EARLY_IMPORT)
    assert small.run("--device", spec, "-j", workers) == PASSED


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("memory", "error", "exported", "code"),
    [
        ("2", "BufferError", "self.memory", PASSED),
        ("2", "ValueError", "self.memory", FAILED),
        ("2", "None", "self.memory", PASSED),  # memory elsewhere that the host reads
        ("2", "None", "self.memory.copy()", FAILED),
        ("1", "BufferError", "self.memory", PASSED),
    ],
)
def test_memory_elsewhere_is_not_copied_unasked(
    make_suite: MakeSuite, memory: str, error: str, exported: str, code: int, workers: str
) -> None:
    text = EXPORT.replace("MEMORY", memory).replace("EXPECTED_ERROR", error).replace("EXPORTED", exported)
    small = make_suite({"test_dlpack.py": text})
    assert small.run("-j", workers) == code


@pytest.mark.parametrize(("spec", "expected"), [("cpu", 2**24 + 1), ("without-float64", 2**24)])
def test_integers_of_special_cases_are_numbers_of_the_widest_dtype(
    make_suite: MakeSuite, spec: str, expected: int
) -> None:
    small = make_suite({"test_special_cases.py": SPECIAL_CASES.replace("EXPECTED", str(expected))})
    assert small.run("--device", spec) == PASSED


@pytest.mark.parametrize(("spec", "expected"), [("cpu", None), ("without-int64", "xp.ones((5,), dtype=xp.int32)")])
def test_signatures_of_methods_of_integers_are_tested_without_int64(
    make_suite: MakeSuite, spec: str, expected: str | None
) -> None:
    small = make_suite({"test_signatures.py": SIGNATURES.replace("EXPECTED", repr(expected))})
    assert small.run("--device", spec) == PASSED


@pytest.mark.parametrize(("spec", "expected"), [("cpu", "uint8"), ("without-uint8", "int32")])
def test_nan_in_sets_is_counted_without_uint8(make_suite: MakeSuite, spec: str, expected: str) -> None:
    text = SETS.replace("EXPECTED", repr(expected))
    small = make_suite({"_array_module.py": ARRAY_MODULE, "test_set_functions.py": text})
    assert small.run("--device", spec) == PASSED


def test_none_equals_the_default_dtype_of_numpy() -> None:
    """Reason for the fix of the look-up, which can be removed when NumPy changes this."""
    nothing: object = None
    assert np.dtype("float64") == nothing
