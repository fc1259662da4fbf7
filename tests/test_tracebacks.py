"""An error that leaves the namespace shows the user's line and its message, and no line of xtensor.

The tests run programs as users do; in the tests' own process tracebacks are full (``conftest.py``).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable

import pytest

PROGRAM = """
import sys, traceback
import numpy as np
import xtensor as xp
import xtensor.special, xtensor.nn

x = xp.ones(3)

def failing(*values):
    raise ValueError("of the user")

for line in sys.stdin.read().splitlines():
    try:
        exec(compile(line, "<user>", "exec"))
    except Exception as error:
        frames = [entry.name if entry.filename == "<user>" else entry.filename + ":" + entry.name
                  for entry in traceback.extract_tb(error.__traceback__)[1:]]
        print(len(traceback.format_exception(error)) - len(getattr(error, "__notes__", ())) - 3, *frames, sep="|")
    else:
        print("no error")
"""
"""Prints for each line the number of lines of its error beyond head, exec and message, and the frames."""


def printed(program: str, lines: Iterable[str], **environment: str) -> list[str]:
    """Return what a program prints for lines of its input."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XTENSOR_TRACEBACK": "", **environment},
    )
    return done.stdout.splitlines()


def frames(*lines: str, **environment: str) -> list[str]:
    """Return what the program prints for lines that fail."""
    return printed(PROGRAM, lines, **environment)


LINES = [
    *("x @ xp.ones(4)", "x + xp.ones(4)", "1 + xp.ones(2) + x", "x += xp.ones(4)", "xp.add(x, xp.ones(4))", "x << x"),
    *("xp.sum(x, axis=3)", "x.sum(axis=3)", "xp.sum(x, 0)", "xp.sqrt({1})", "xp.reshape(x, (7,))", "x.reshape(7)"),
    *("x[5]", "x['a']", "x[5] = 1", "x[:2] = x", "bool(x)", "float(x)", "len(xp.ones(()))", "xp.asarray(['a'])"),
    *("xp.concat([x, xp.ones((2, 2))])", "xp.median(x, axis=4)", "xp.linalg.inv(x)", "xp.linalg.inv(xp.zeros((2, 2)))"),
    *("xp.fft.fft(x, axis=2)", "xp.special.erf('a')", "xp.nn.functional.softmax(x, axis=4)", "xp.astype(x, 'U3')"),
    *("np.add(x, xp.ones(4))", "np.median(x, axis=7)", "xp.ones(2, 3)", "xp.device('nonsense')", "xp.zeros(-1)"),
    *("xp.cat", "x.detach()", "x.at", "xp.nn.functional.pad", "xp.sum(x, dim=0)", "xp.round(x, 2)"),
    *("xp.add(1, 2)", "xp.maximum(None, 1)", "xp.matmul(1, [2])", "xp.nn.Linear(2, 2, rng=0).cuda()"),
]


@pytest.mark.parametrize("compiled", ["", "0"])
def test_traceback_ends_at_the_users_line(compiled):
    shown = dict(zip(LINES, frames(*LINES, XTENSOR_COMPILED=compiled), strict=True))
    # Special methods of one length, which no line of a user's calls by name, have no boundary.
    del shown["len(xp.ones(()))"]
    assert {line: text for line, text in shown.items() if text != "1|<module>"} == {}


@pytest.mark.parametrize("line", ["xp.apply_along_axis(failing, 0, x)", "xp.piecewise(x, [x > 0], [failing])"])
def test_frames_of_the_users_own_functions_stay(line):
    assert frames(line) == ["2|<module>|<string>:failing"]


def test_full_traceback_has_our_frames_and_the_librarys_error():
    (text,) = frames("x @ xp.ones(4)", XTENSOR_TRACEBACK="full")
    count, user, *ours = text.split("|")
    assert user == "<module>"
    assert int(count) > 3
    assert all("xtensor" in frame for frame in ours)
    assert ours


MESSAGE_PROGRAM = """
import sys
import xtensor as xp

x = xp.ones(3)
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
    except TypeError as error:
        print(error)
"""

REMEDIES = {
    "xp.round(x, 2)": "round() takes 1 positional argument but 2 were given; "
    "NumPy's round(x, decimals) is x.round(decimals)",
    "xp.sqrt(x, dim=0)": "sqrt() got an unexpected keyword argument 'dim'; PyTorch's dim= is axis=",
    "xp.sum(x, dim=0)": "sum() got an unexpected keyword argument 'dim'; PyTorch's dim= is axis=",
}


@pytest.mark.parametrize("compiled", ["", "0"])
def test_wrong_arguments_have_their_remedy(compiled):
    assert printed(MESSAGE_PROGRAM, REMEDIES, XTENSOR_COMPILED=compiled) == list(REMEDIES.values())


WARNING_PROGRAM = """
import sys, warnings
import numpy as np
import xtensor as xp
from xtensor import autograd

lines = sys.stdin.read().splitlines()
for size in (3, 100_000):
    zeros, large, infinite = [xp.full(size, value, device="cpu") for value in (0.0, 1e300, xp.inf)]
    single = xp.ones(size, dtype=xp.float32, device="cpu")
    for line in lines:
        with warnings.catch_warnings(record=True) as caught:
            exec(compile(line, "<user>", "exec"))
        print(*sorted({item.filename for item in caught}))
"""

WARNING_LINES = [
    *("1 / zeros", "zeros // zeros", "large * large", "large @ large", "xp.log(zeros)", "np.divide(large, zeros)"),
    *("large.round(10)", "xp.trapezoid(large * 1e8)", "xp.mean(xp.stack([infinite, -infinite]))"),
    *("xp.where(zeros == 0, single, 1e300)", "autograd.grad(lambda x: xp.sum(xp.log(x)))(zeros)"),
]


@pytest.mark.parametrize("compiled", ["", "0"])
def test_warning_names_the_users_line(compiled):
    shown = printed(WARNING_PROGRAM, WARNING_LINES, XTENSOR_COMPILED=compiled)
    assert {line: text for line, text in zip(WARNING_LINES * 2, shown, strict=True) if text != "<user>"} == {}
