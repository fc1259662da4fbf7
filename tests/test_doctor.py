"""``python -m xtensor doctor`` and ``--version``."""

import json
import subprocess
import sys

import pytest

import xtensor as xp
from xtensor import __main__ as command
from xtensor import _doctor


@pytest.mark.parametrize("name", _doctor.CHECKS)
def test_device_passes_the_check(device, name):
    assert _doctor.CHECKS[name](xp.device(device))


def test_wrong_results_and_errors_are_reported():
    def raises(device):
        raise ArithmeticError("no unit")

    result = _doctor.check(
        xp.device("cpu"), {"right": lambda device: True, "wrong": lambda device: False, "bad": raises}
    )
    assert result.failures == {"wrong": "wrong result", "bad": "ArithmeticError: no unit"}


def test_doctor_prints_a_row_for_the_device_and_succeeds(capsys):
    assert command.main(["doctor", "--device", "cpu"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"xtensor {xp.__version__}, ")
    (row,) = [line.split() for line in shown.splitlines() if line.startswith("cpu ")]
    assert row[2] == "ok"


def test_doctor_fails_and_names_the_failure(capsys, monkeypatch):
    monkeypatch.setitem(_doctor.CHECKS, "sorting", lambda device: False)
    assert command.main(["doctor", "--device", "cpu"]) == 1
    shown = capsys.readouterr().out
    assert "1 FAILED" in shown
    assert "cpu: sorting: wrong result" in shown


def test_doctor_prints_json(capsys):
    assert command.main(["doctor", "--device", "cpu", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [item["device"] for item in found["devices"]] == ["cpu"]
    assert "numpy" in found["libraries"]


def test_doctor_refuses_an_unknown_device(capsys):
    assert command.main(["doctor", "--device", "abacus"]) == 1
    assert "abacus" in capsys.readouterr().err


def test_version_is_printed():
    done = subprocess.run([sys.executable, "-m", "xtensor", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"xtensor {xp.__version__}\n"
