"""Devices with fewer dtypes, and the one device that the suite sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_suite import MakeSuite, SmallSuite, create_suite

from conformance import suite
from conformance.__main__ import FAILED, NO_DEVICE, PASSED, main

NARROW = """
import numpy as np
from toy import ToyBackend

from xtensor_backends.numpy import NumpyBackend

SUPPORTED = ("bool", "int64", "uint64", "float64", "complex128")

class NarrowBackend(ToyBackend):
    name = "narrow"
    kinds = ("narrow",)
    corrections = NumpyBackend.corrections

    def __init__(self):
        super().__init__(name="narrow", specs=("narrow:0",), rank=-100)

    def from_host(self, array, spec, *, copy):
        return np.array(array, copy=copy)

    def to_host(self, native):
        return native

    def dlpack_device(self, spec):
        return (1, 0)

    def dtypes(self, spec):
        return tuple(name for name in super().dtypes(spec) if name in SUPPORTED)

backend = NarrowBackend()
"""
COPIES_TO_EVERY_DEVICE = """
import os
import pytest
import xtensor as xp

skipped = os.environ.get("ARRAY_API_TESTS_SKIP_DTYPES", "").split(",")
names = [name for name in ("int8", "uint16", "float64") if name not in skipped]

@pytest.mark.parametrize("name", names)
@pytest.mark.parametrize("device", xp.__array_namespace_info__().devices())
def test_from_dlpack(name, device):
    x = xp.ones(2, dtype=getattr(xp, name))
    assert xp.from_dlpack(x, device=device).device == device
"""


@pytest.fixture
def narrow_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Device with fewer dtypes, of a backend that is found through its entry point."""
    package, info = tmp_path / "site" / "xtensor_narrow", tmp_path / "site" / "xtensor_narrow-1.0.dist-info"
    for folder in (package, info):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text(NARROW, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xtensor-narrow\nVersion: 1.0\n", encoding="utf-8")
    entry_point = "[xtensor.backends]\nnarrow = xtensor_narrow:backend\n"
    (info / "entry_points.txt").write_text(entry_point, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return "narrow:0"


@pytest.fixture
def copying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallSuite:
    """Suite for the real xtensor that copies arrays of every dtype to every device, as the official suite does."""
    small = create_suite(tmp_path / "suite", tmp_path / "root", {"test_dlpack.py": COPIES_TO_EVERY_DEVICE})
    monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(small.folder))
    return small


# --- dtypes


def test_missing_dtypes_are_left_out(make_suite: MakeSuite) -> None:
    text = "import os\ndef test_a():\n    assert os.environ['ARRAY_API_TESTS_SKIP_DTYPES'] == 'uint16,float64'\n"
    small = make_suite({"test_fft.py": text})
    # The runner names the dtypes in the standard's order, whatever the order of the device's declaration.
    assert small.run("--device", "without-float64-uint16") == PASSED


@pytest.mark.long
def test_record_and_report_name_the_dtypes_left_out(passing: SmallSuite) -> None:
    device = "without-uint16-uint32"
    passing.run("--device", device)
    assert passing.record(device)["dtypes_left_out"] == ["uint16", "uint32"]
    assert "- Dtypes left out: uint16, uint32\n" in passing.report()


def test_console_names_the_dtypes_left_out_before_and_after_the_run(
    passing: SmallSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.run("--device", "without-uint16-uint32", "--no-record")
    before, after = capsys.readouterr().out.split("PASSED")
    assert "dtypes left out: uint16, uint32\n" in before
    assert "dtypes left out: uint16, uint32\n" in after


@pytest.mark.long
def test_console_explains_the_failures_that_missing_dtypes_cause(
    passing: SmallSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.run("--device", "without-complex64-complex128")
    assert "need a complex dtype" in capsys.readouterr().out


def test_console_expects_no_failure_without_one_of_two_complex_dtypes(
    passing: SmallSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.run("--device", "without-complex128")
    assert "fail." not in capsys.readouterr().out


@pytest.mark.parametrize(("missing", "words"), [("bool", "bool"), ("float32-float64", "neither float32 nor float64")])
def test_device_without_an_essential_dtype_is_not_run(
    passing: SmallSuite, missing: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert passing.run("--device", f"without-{missing}") == NO_DEVICE
    *_, reason, not_run, remedy = capsys.readouterr().err.splitlines()
    assert words in reason
    assert not_run == f"NOT RUN: the official suite did not run on without-{missing}."
    assert "dtypes()" in remedy


# --- the visible device


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_suite_sees_only_the_device_under_test(make_suite: MakeSuite, workers: str) -> None:
    text = """
import xtensor as xp
def test_devices():
    assert xp.__array_namespace_info__().devices() == (xp.device("other:0"),)
"""
    small = make_suite({"test_inspection_functions.py": text})
    assert small.run("--device", "other:0", "-j", workers) == PASSED


def test_record_and_console_name_the_device_that_the_suite_sees(
    passing: SmallSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.run("--device", "other:0")
    assert passing.record("other:0")["devices_shown"] == ["other:0"]
    assert "other:0: the suite sees one device: other:0;" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("spec", ["cpu", "narrow:0"])
def test_each_of_two_devices_passes_if_one_has_fewer_dtypes(copying: SmallSuite, narrow_device: str, spec: str) -> None:
    assert copying.run("--device", spec) == PASSED
    expected = 1 if spec == narrow_device else 3
    assert copying.record(spec)["counts"]["passed"] == expected


def test_cpu_fails_if_the_suite_sees_a_device_with_fewer_dtypes(
    copying: SmallSuite, narrow_device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reason for the restriction to one device."""
    small = copying.with_conftest(
        "import xtensor as xp\ntype(xp.__array_namespace_info__()).devices = lambda self: xp.devices()\n"
    )
    assert small.run("--device", "cpu") == FAILED


@pytest.mark.long
@pytest.mark.parametrize("spec", ["cpu", "narrow:0"])
def test_official_dlpack_test_passes_beside_a_device_with_fewer_dtypes(
    narrow_device: str, spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not suite.is_here():
        pytest.skip("the official suite is not on this machine; `python -m conformance fetch` downloads it")
    # Few examples copy to another device: 100 do not detect that cpu fails without the restriction to one device.
    arguments = ["--device", spec, "--max-examples", "500", "--seed", "0", "-k", "test_from_dlpack", "--no-record"]
    assert main(arguments, root=tmp_path) == PASSED, capsys.readouterr().out
