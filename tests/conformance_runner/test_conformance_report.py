"""The report CONFORMANCE.md, generated from the records."""

from __future__ import annotations

import json
from typing import Any

from small_suite import SmallSuite

from conformance import report
from conformance.__main__ import PASSED


def counts(passed: int, failed: int = 0, skipped: int = 0) -> dict[str, int]:
    return {
        "total": passed + failed + skipped,
        **dict.fromkeys(("passed", "skipped", "xpassed", "xfailed", "failed", "errors"), 0),
        "passed": passed,
        "skipped": skipped,
        "failed": failed,
    }


def record_of(device: str, failed: int = 0) -> dict[str, Any]:
    failures = [{"id": f"array_api_tests/test_fft.py::test_{i}"} for i in range(failed)]
    return {
        "device": device,
        "date": "2026-01-02T03:04:05+00:00",
        "xtensor": "1.2.3",
        "backend": "fake",
        "hardware": None,
        "python": "3.11.7",
        "platform": "Linux",
        "versions": {"numpy": "2.4.6"},
        "suite": {"array-api-tests": "5" * 40, "array-api": "6" * 40},
        "max_examples": 1000,
        "seed": None,
        "seconds": 12.3,
        "counts": counts(10 - failed, failed, skipped=1),
        "chapters": {"fft": counts(4 - failed, failed), "linalg": counts(6, skipped=1)},
        "failures": failures,
        "skips": [{"id": "array_api_tests/test_linalg.py::test_b", "reason": "flaky"}],
    }


def test_table_has_a_row_for_each_chapter_and_a_column_for_each_device() -> None:
    text = report.render([record_of("cpu"), record_of("strict", failed=2)])
    assert "| chapter | cpu | strict |" in text
    assert "| fft | 4 / 4 | 2 / 4, **2 failed** |" in text
    assert "| linalg | 6 / 7 | 6 / 7 |" in text
    assert "| all | 10 / 11 | 8 / 11, **2 failed** |" in text


def test_section_of_a_device_describes_the_run() -> None:
    text = report.render([record_of("cpu")])
    for words in (
        "2026-01-02T03:04:05+00:00",
        "1000 examples per test",
        "numpy 2.4.6",
        "flaky: `test_linalg.py::test_b`",
        "python -m conformance --device cpu --max-examples 1000\n",
    ):
        assert words in text


def test_device_without_a_record_is_listed_as_never_run() -> None:
    _, _, never = report.render([record_of("cpu")]).partition("## Never run")
    for device in report.PROJECT_DEVICES:
        listed = f"- {device} (" in never
        assert listed == (device != "cpu")
    assert "python -m conformance --device sycl:gpu:0\n" in never


def test_report_command_rewrites_the_report_from_the_records(passing: SmallSuite) -> None:
    folder = report.results_folder(passing.root)
    folder.mkdir(parents=True)
    for device in ("strict", "cpu"):
        text = json.dumps(record_of(device))
        (folder / f"{device}.json").write_text(text, encoding="utf-8")
    assert passing.run("report") == PASSED
    text = passing.report()
    assert "| chapter | cpu | strict |" in text


def test_head_states_that_the_suite_sees_one_device() -> None:
    head, _, _ = report.render([record_of("cpu")]).partition("## The device cpu")
    assert "The suite sees one device, the device under test" in head


def test_section_names_the_devices_that_the_suite_sees() -> None:
    text = report.render([record_of("cpu") | {"devices_shown": ["cpu"]}])
    assert "- Devices that the suite sees: cpu\n" in text


def test_record_without_the_devices_shown_is_of_a_run_with_all_devices() -> None:
    assert "- Devices that the suite sees: every device of the process\n" in report.render([record_of("cpu")])


def test_section_names_the_dtypes_left_out() -> None:
    text = report.render([record_of("mps:0") | {"dtypes_left_out": ["float64", "complex128"]}])
    assert "- Dtypes left out: float64, complex128\n" in text


def test_section_names_no_dtype_if_none_is_left_out() -> None:
    assert "- Dtypes left out: none\n" in report.render([record_of("cpu") | {"dtypes_left_out": []}])


def test_section_explains_the_failures_that_missing_dtypes_cause() -> None:
    text = report.render([record_of("gpu:0") | {"dtypes_left_out": ["complex64", "complex128"]}])
    assert "  - Without a complex dtype the suite starts only with the runner's fix" in text


def test_section_counts_the_functions_by_way() -> None:
    text = report.render([record_of("dask") | {"ways": {"tree": 10, "composed": 53}}])
    assert "- Functions by way: tree 10, composed 53\n" in text
    assert "by way" not in report.render([record_of("cpu"), record_of("strict") | {"ways": None}])


def test_section_states_the_settings_of_the_run() -> None:
    text = report.render([record_of("cpu") | {"settings": {"XTENSOR_LLVM_FEWEST": "0"}}])
    assert "- Settings: `XTENSOR_LLVM_FEWEST=0`\n" in text
    assert "\nXTENSOR_LLVM_FEWEST=0 python -m conformance --device cpu" in text
    assert "Settings" not in report.render([record_of("cpu") | {"settings": {}}])
