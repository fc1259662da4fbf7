"""The runner of peers' tests: small checkouts with one test of each kind, which it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.peers.__main__ import main
from conformance.peers.kinds import Verdict
from conformance.peers.reasons import UNKNOWN, departures

OF_NUMPY = """
import os
import numpy as np
import pytest
from numpy.testing import assert_equal, assert_raises

ROWS = np.arange(3)  # an Array also where the module is imported

def test_right():
    assert_equal(np.arange(3), [0, 1, 2])
def test_array():
    assert np.sum(ROWS) == 3 and type(ROWS).__name__ == "Array"
def test_wrong_value():
    assert_equal(np.arange(3), [1, 2, 3])
def test_wrong_dtype():
    assert np.zeros(2).dtype == np.int8
def test_wrong_type():
    assert isinstance(np.zeros(2), list)
def test_other_layout():
    assert np.zeros((2, 3)).flags.f_contiguous
def test_no_error():
    assert_raises(ValueError, np.sum, np.zeros(2))
def test_other_text():
    with pytest.raises(ValueError, match="other words"):
        np.zeros(2) + np.zeros(3)
def test_by_intention():
    np.zeros(2).astype(object)
def test_missing_name():
    np.zeros(2).no_such_name
def test_crash():
    np.zeros(2)
    os._exit(9)
def test_other_error():
    np.zeros(2).reshape(3)
def test_not_applicable():
    from numpy._core._multiarray_tests import incref_elide
    incref_elide(np.zeros(2))
def test_no_array():
    assert np.dtype("i4").itemsize == 4
def test_skipped():
    pytest.skip("elsewhere")
"""

OF_CUPY = """
import cupy
from cupy import testing
from cupy.cuda import runtime

def test_right():
    assert isinstance(cupy.sum(cupy.arange(3)), cupy.ndarray) and testing.IS_SMALL
def test_wrong_dtype():
    raise AssertionError(f"ndarrays of different dtypes are returned. cupy: {cupy.arange(3).dtype}")
def test_missing_name():
    cupy.arange(3)
    raise AssertionError("Only cupy raises error\\n\\nTraceback ...\\nAttributeError: no name")
def test_not_applicable():
    cupy.RawKernel("", "f")(cupy.arange(3))
"""

OF_AUTOGRAD = """
import autograd.numpy as np
from autograd import elementwise_grad, grad, grad_and_aux, hessian_tensor_product, jacobian, make_ggnvp
from autograd import tensor_jacobian_product
from autograd.scipy import special
from autograd.test_util import check_grads

def test_right():
    check_grads(lambda x, y: np.sin(x) * y, (0, 1))(0.5, np.array([1.0, 2.0]))
def test_transforms():
    assert grad(lambda x: np.sum(x * x))(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]
    assert jacobian(lambda x: 2 * x)(np.ones(2)).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert elementwise_grad(np.cos)(0.0) == 0.0
def test_products():
    x, v = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    assert hessian_tensor_product(lambda x: np.sum(x**3))(x, v).tolist() == [18.0, 60.0]  # 6 x v
    assert tensor_jacobian_product(lambda x: x**2)(x, v).tolist() == [6.0, 20.0]  # 2 x v
    assert make_ggnvp(lambda x: x**2)(x)(v).tolist() == [12.0, 80.0]  # (2 x)**2 v
    gradient, squares = grad_and_aux(lambda x: (np.sum(x), x**2))(x)
    assert gradient.tolist() == [1.0, 1.0] and squares.tolist() == [1.0, 4.0]
def test_scipy():
    check_grads(special.expit)(np.array([0.5, -1.0]))
def test_wrong_value():
    assert grad(lambda x: x * x)(3.0) == 5.0
def test_not_smooth():
    check_grads(np.floor, modes=["rev"], order=1)(1.0)
"""


def write_test(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "test_numeric.py").write_text(text, encoding="utf-8")


def recorded(root: Path, peer: str, source: Path) -> dict[str, int]:
    """Run a peer's tests, one of which has a wrong value or dtype, and return the numbers of kinds, from the record."""
    (root / "docs").mkdir()
    (root / "docs" / "conformance.md").write_text("# Page\n<!-- peers: begin -->\n<!-- peers: end -->\nEnd.\n")
    assert main([peer, "--source", str(source)], root=root) == 1
    record = json.loads((root / "conformance" / "results" / "peers" / f"{peer}-cpu.json").read_text(encoding="utf-8"))
    return {kind: count for kind, count in record["counts"].items() if count}


def test_tests_of_numpy_are_counted_by_kind(tmp_path: Path) -> None:
    write_test(tmp_path / "source" / "numpy" / "_core" / "tests", OF_NUMPY)
    kinds = [
        *("wrong value", "wrong dtype", "wrong type", "other layout", "no error", "other text", "by intention"),
        *("missing name", "crash", "other error", "not applicable", "no Array", "skipped"),
    ]
    assert recorded(tmp_path, "numpy", tmp_path / "source") == {"right": 2, **dict.fromkeys(kinds, 1)}
    page = (tmp_path / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert "| core | 2 | 1 |" in page
    assert "- 1: [numpy.md#dtypes](numpy.md#dtypes)" in page
    assert "| wrong value | `test_numeric.py::test_wrong_value` | 1 | **a fault**: no reason is known |" in page
    assert page.endswith("<!-- peers: end -->\nEnd.\n")


def test_tests_of_cupy_are_counted_by_kind(tmp_path: Path) -> None:
    write_test(tmp_path / "source" / "tests" / "cupy_tests" / "math_tests", OF_CUPY)
    (tmp_path / "source" / "cupy" / "testing").mkdir(parents=True)
    (tmp_path / "source" / "cupy" / "testing" / "__init__.py").write_text("IS_SMALL = True\n")
    kinds = ["right", "wrong dtype", "missing name", "not applicable"]
    assert recorded(tmp_path, "cupy", tmp_path / "source") == dict.fromkeys(kinds, 1)


def test_tests_of_autograd_are_counted_by_kind(tmp_path: Path) -> None:
    write_test(tmp_path / "source" / "tests", OF_AUTOGRAD)
    assert recorded(tmp_path, "autograd", tmp_path / "source") == {"right": 4, "wrong value": 2}


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_folder_that_is_no_checkout_is_wrong_usage(
    tmp_path: Path, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["numpy", "--source", str(tmp_path / folder)], root=tmp_path) == 2
    assert "pass a checkout of" in capsys.readouterr().err


def test_known_departures_are_listed_with_their_reasons() -> None:
    prefix = "tests/cupy_tests/statistics_tests/test_order.py::TestOrder"
    verdicts = {
        f"{prefix}_param_0_{{a=1}}::test_quantile_overwrite[hazen]": Verdict("wrong value"),
        f"{prefix}_param_1_{{a=2}}::test_quantile_overwrite[linear]": Verdict("wrong value"),
        f"{prefix}::test_other": Verdict("crash"),
        f"{prefix}::test_right": Verdict("right"),
    }
    overwrite, other = departures("cupy", verdicts)
    assert overwrite[:3] == ["wrong value", "test_order.py::TestOrder::test_quantile_overwrite", 2]
    assert "overwrite_input" in str(overwrite[3])
    assert other == ["crash", "test_order.py::TestOrder::test_other", 1, UNKNOWN]
