"""Output on streams and in locales that know ASCII only."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from arguments import BAD, REPETITIONS, call, call_conditions, replace_argument
from good_arguments import GOOD, STATEFUL_FUNCTIONS, parameters_of, public_function

import xtensor as xp

from .tiers import PATHS, ROOT

pytestmark = pytest.mark.usefixtures("empty_folder")

ASCII = {
    "stream": {"PYTHONIOENCODING": "ascii"},
    "locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("environment", ASCII)
@pytest.mark.parametrize("command", ["xtensor", "xtensor --json", "conformance --help", "benchmarks --help"])
def test_command_prints_ascii(command, environment):
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), **ASCII[environment]},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.isascii()
    assert done.stdout.strip()


CASES = (
    "None",
    "object",
    "ragged list",
    "NumPy array",
    "array of three dimensions",
    "array of another length",
    "unknown device",
)


@pytest.mark.parametrize("name", [name for name in GOOD if name not in ("register_backend", *STATEFUL_FUNCTIONS)])
def test_error_message_is_ascii(device, name, figures):
    function = public_function(name)
    for parameter in parameters_of(function):
        for case in CASES if (name, parameter.name) not in REPETITIONS else ():
            try:
                with call_conditions(name):
                    call(function, replace_argument(function, GOOD[name](), parameter.name, BAD[case]()))
            except Exception as error:
                messages = [str(error), *getattr(error, "__notes__", ())]
                figures.record(messages=len(messages))
            else:
                messages = []
            assert all(map(str.isascii, messages)), messages


def test_arrays_and_devices_print_ascii(device):
    x = xp.ones((2, 2))
    assert all(text.isascii() for text in (repr(x), str(x), str(device), repr(device), repr(xp.backends())))


def test_error_of_an_operator_is_ascii(device):
    for other in (BAD["NumPy array"](), object(), "text"):
        with pytest.raises((TypeError, ValueError)) as caught:
            _ = xp.ones(3) + other
        assert str(caught.value).isascii()
    with pytest.raises(TypeError) as caught:
        xp.Array()
    assert str(caught.value).isascii()
