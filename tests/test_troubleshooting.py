"""The page on error messages quotes them as they are: each quote is produced by a call, and each call has its quote."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contract_toys import ImmutableBackend

import xtensor as xp
from xtensor._core import devices

PAGE = Path(__file__).resolve().parents[1] / "docs" / "troubleshooting.md"

QUOTES = re.findall(r"^```text\n(.+)\n```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


class MissingBackend(ImmutableBackend):
    """Backend whose library is not installed."""

    name = "missing"
    requires = "missing>=1"

    def probe(self):
        raise xp.BackendUnavailableError("the module 'missing' is not installed", 'python -m pip install "missing>=1"')


FORK = """
import os

from contract_toys import ImmutableBackend

import xtensor as xp

ImmutableBackend.survives_fork = False
xp.register_backend(ImmutableBackend())
x = xp.ones(3, device="immutable:0")
child = os.fork()
if child:
    os.waitpid(child, 0)
else:
    try:
        x + x
    except xp.BackendUnavailableError as error:
        print(f"{type(error).__name__}: {error}")
"""


@pytest.fixture
def off_host(registry):
    """Device off the host, whose arrays are not NumPy's."""
    xp.register_backend(ImmutableBackend())
    return xp.device("immutable:0")


def ones(*shape, device="cpu", dtype=None):
    return xp.ones(shape or (3,), device=device, dtype=dtype)


def ints(*values, dtype=None):
    return xp.asarray(values, device="cpu", dtype=dtype)


def assign(x, key, value):
    x[key] = value


def add_in_place(x, y):
    x += y


ON_HOST = {
    "value in a fused function": lambda: xp.fuse(lambda x: x if x[0] > 0 else -x)(ones()),
    "derivative lost": lambda: xp.autograd.grad(lambda x: xp.asarray(np.sum(np.asarray(x))))(ones()),
    "shape that depends on values": lambda: xp.nonzero(ones(device="meta")),
    "unknown device": lambda: xp.zeros(1, device="gpu"),
    "out of memory": lambda: xp.empty((2**45,), device="cpu", dtype=xp.float64),
    "two devices": lambda: ones() + ones(device="strict"),
    "copy": lambda: xp.asarray([1, 2], copy=False),
    "name of NumPy": lambda: xp.concatenate,
    "memory by its address": lambda: ones().__array_interface__,
    "name of another library": lambda: xp.cat,
    "no such name": lambda: xp.char,
    "positional axis": lambda: xp.sum(ones(), 0),
    "set": lambda: xp.sqrt({1.0}),
    "text operand": lambda: ones() + "a",
    "hash": lambda: hash(xp.asarray([1, 2], device="cpu")),
    "class": lambda: xp.Array([1]),
    "text": lambda: xp.asarray(["a"]),
    "ragged": lambda: xp.asarray([[1], [1, 2]]),
    "in-place dtype": lambda: add_in_place(ints(1, 2, 3), 1.5),
    "assigned dtype": lambda: assign(ints(1, 2), 0, 1.5 + 1j),
    "overflow": lambda: ints(1, dtype=xp.int8) + 300,
    "negative power": lambda: ints(2, 3) ** -1,
    "dtype": lambda: ones(2) & ones(2),
    "complex": lambda: xp.astype(xp.asarray([1j], device="cpu"), xp.float64),
    "broadcast": lambda: ones(3) + ones(4),
    "matmul": lambda: ones(2, 3) @ ones(2, 3),
    "reshape": lambda: xp.reshape(ints(*range(6)), (4, 2)),
    "axis": lambda: xp.sum(ones(), axis=3),
    "index": lambda: ones()[5],
    "number of indices": lambda: ones()[0, 0],
    "mask": lambda: ones()[xp.asarray([True, False], device="cpu")],
    "assigned shape": lambda: assign(ints(1, 2, 3), slice(None), ints(1, 2)),
    "truth": lambda: bool(ones()),
    "float": lambda: float(ones()),
    "empty": lambda: xp.max(ones(0)),
    "read-only": lambda: assign(xp.broadcast_to(ones(), (2, 3)), 0, 1.0),
    "singular": lambda: xp.linalg.inv(ones(2, 2)),
    "indefinite": lambda: xp.linalg.cholesky(-xp.eye(2, device="cpu")),
    "strict": lambda: ones(device="strict") + ones(device="strict", dtype=xp.int64),
}
"""Calls on devices in host memory, by the subjects of their messages."""

OFF_HOST = {
    "NumPy operand": lambda x: x + np.ones(3),
    "copy to the host": lambda x: np.asarray(x),
    "function of the host": lambda x: np.busday_count(x, x),
}
"""Calls with an Array off the host."""


def message(call, *arguments):
    """Return the class and the message of a call's exception."""
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the quotes name the classes
        call(*arguments)
    return f"{type(raised.value).__name__}: {raised.value}"


def quotes(text):
    """Return the quotes of a message."""
    return [quote for quote in QUOTES if re.fullmatch(".*".join(map(re.escape, quote.split("…"))), text, re.DOTALL)]


def test_page_quotes_at_least_twenty_messages_each_once():
    assert len(set(QUOTES)) == len(QUOTES) >= 20


def test_each_quote_has_a_call():
    others = 3  # the environment variable, the missing library and the fork
    assert len(QUOTES) == len(ON_HOST) + len(OFF_HOST) + others


@pytest.mark.parametrize("name", ON_HOST)
def test_message_on_the_host_is_quoted(name):
    text = message(ON_HOST[name])
    assert len(quotes(text)) == 1, text


@pytest.mark.parametrize("name", OFF_HOST)
def test_message_off_the_host_is_quoted(off_host, name):
    text = message(OFF_HOST[name], xp.ones(3, device=off_host))
    assert len(quotes(text)) == 1, text


def test_message_for_the_environment_variable_is_quoted(monkeypatch):
    monkeypatch.setenv("XTENSOR_DEVICE", "nonsense")
    monkeypatch.setattr(devices, "_default", None)
    monkeypatch.setattr(devices, "_automatic", None)
    text = message(xp.default_device)
    assert len(quotes(text)) == 1, text


def test_message_for_a_missing_library_is_quoted(registry):
    xp.register_backend(MissingBackend())
    text = message(lambda: xp.zeros(1, device="missing:0"))
    assert len(quotes(text)) == 1, text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
def test_message_for_a_forked_process_is_quoted():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", FORK], env=environment, capture_output=True, text=True, timeout=120)
    assert len(quotes(done.stdout.strip())) == 1, f"{done.stdout}\n{done.stderr}"
