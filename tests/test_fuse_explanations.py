"""Texts of ``fuse.explain``: kernels, calls with their lines, checks, guards, memory, and what is not recorded."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor.nn import functional

pytest.importorskip("llvmlite", reason="the kernels are not installed: xtensor[llvm]")

rate = 0.5


def explained(capsys, function, *args):
    assert xp.fuse.explain(function)(*args) is None
    return capsys.readouterr().out


def scaled_product(x, y):
    return xp.exp(x) @ y * rate


def test_kernels_calls_and_guards_are_named(capsys):
    x = xp.asarray(np.ones((30, 30)), device="cpu")
    text = explained(capsys, scaled_product, x, x)
    assert text.startswith("scaled_product(): 2 kernels, 1 call, 0 checks, 2 guards; at most ")
    assert "1 kernel exp -> float64[30, 30]" in text
    assert "2 call   matmul -> float64[30, 30]  at " in text
    assert f":{scaled_product.__code__.co_firstlineno + 1}: no" in text
    assert "guard  the global rate is 0.5" in text


def test_memory_is_that_of_the_arrays_that_are_alive_together(capsys):
    x = xp.asarray(np.ones(1000), device="cpu")
    text = explained(capsys, lambda x: xp.cumulative_sum(xp.cumulative_sum(xp.cumulative_sum(x))), x)
    assert "at most 16,000 bytes besides the arguments" in text


def test_checks_are_named(capsys):
    x = xp.asarray(np.ones((4, 8)), device="cpu")
    text = explained(capsys, functional.layer_norm, x)
    assert "1 check" in text
    assert "check  leave_range: the function itself computes where it holds" in text


def test_arguments_for_which_the_function_itself_computes_are_named(capsys):
    x = xp.asarray(np.full((4, 8), 2.0**600), device="cpu")
    text = explained(capsys, xp.linalg.vector_norm, x)
    assert "check  leaves_range: it holds for these arguments, and the function itself computes" in text


def test_function_that_looks_at_a_value_is_explained_by_its_line(capsys):
    def root(x):
        return xp.sqrt(x) if xp.min(x) >= 0 else x

    text = explained(capsys, root, xp.ones(3, device="cpu"))
    assert text.startswith("root() cannot be recorded: ")
    assert "test_fuse_explanations.py:" in text


def test_device_without_a_generator_is_named(capsys):
    text = explained(capsys, scaled_product, *[xp.ones((2, 2), device="strict")] * 2)
    assert text == "scaled_product() is called as it is: the device strict has no generator of kernels\n"


def test_fused_function_is_explained_as_its_function(capsys):
    x = xp.asarray(np.ones((30, 30)), device="cpu")
    assert explained(capsys, xp.fuse(scaled_product), x, x) == explained(capsys, scaled_product, x, x)


def test_explanation_of_what_is_no_function_raises():
    with pytest.raises(TypeError, match=r"explain\(\) takes a function"):
        xp.fuse.explain(3)
