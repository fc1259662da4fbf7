"""Interrupts between the call that begins a block and the block: what the call has set ends with the error.

Python raises KeyboardInterrupt after a call in C, such as that of a context variable, is done.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor._core import devices, levels, repeats, transfers
from xtensor._fuse import functions, watching
from xtensor._meta import ledger
from xtensor._vmap import draws


class Interrupted:
    """A context variable whose first assignment is interrupted at its end."""

    def __init__(self, variable: ContextVar[Any]) -> None:
        self.variable = variable
        self.get = variable.get
        self.assignments = 0

    def set(self, value: Any) -> Any:
        self.assignments += 1
        token = self.variable.set(value)
        if self.assignments == 1:
            raise KeyboardInterrupt
        return token

    def reset(self, token: Any) -> None:
        self.variable.reset(token)


def begin_recording() -> None:
    xp.fuse(lambda x: x * 2.0)(xp.ones(3, device="cpu"))


def begin(block: AbstractContextManager[Any]) -> None:
    with block:
        pass


BLOCKS: dict[str, tuple[Any, str, Any]] = {
    "use_device": (devices._override, "_innermost", lambda: begin(xp.use_device("strict"))),
    "no transfers": (transfers._forbidden, "_innermost", lambda: begin(transfers.forbid_computations())),
    "a transform": (levels, "_active", lambda: xp.vmap(lambda x: xp.sort(x))(xp.ones((2, 3), device="cpu"))),
    "examples of vmap": (draws, "_batches", lambda: begin(draws.examples(xp.device("cpu"), 3))),
    "a checkpoint": (repeats, "_present", lambda: begin(repeats.Repeats().computing())),
    "an estimate": (ledger, "_open", lambda: begin(ledger.opened(object()))),
    "a recording": (functions, "session", begin_recording),
}


def test_interrupt_as_a_recording_begins_leaves_the_garbage_collector_and_the_profiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(function: Any) -> Any:
        def call(*args: Any) -> None:
            function(*args)
            raise KeyboardInterrupt

        return call

    if xp.device("cpu")._provider.generator("cpu") is None:
        pytest.skip("needs a generator of kernels, the extra xtensor[llvm]")
    for owner, name in ((watching.gc, "disable"), (watching.Watch, "_report"), (watching, "_restore")):
        before = sys.getprofile()
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupted(getattr(owner, name)))
            with contextlib.suppress(KeyboardInterrupt):
                begin_recording()
        found = gc.isenabled(), sys.getprofile()
        gc.enable()
        sys.setprofile(before)
        assert found == (True, before), name


@pytest.mark.parametrize("name", BLOCKS)
def test_interrupted_beginning_of_a_block_leaves_no_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, interrupted = BLOCKS[name]
    if name == "a recording" and xp.device("cpu")._provider.generator("cpu") is None:
        pytest.skip("needs a generator of kernels, the extra xtensor[llvm]")
    variable = Interrupted(getattr(owner, attribute))

    def current() -> Any:
        return owner.innermost() if attribute == "_innermost" else variable.get()

    before = current()
    with monkeypatch.context() as patch:
        patch.setattr(owner, attribute, variable)
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert variable.assignments
    assert current() is before or current() == before
    np.testing.assert_array_equal(np.asarray(xp.ones(2, device="cpu") * 2.0), [2.0, 2.0])
