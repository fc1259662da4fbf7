"""Array is final, one place makes arrays, and a Device equals its name."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xtensor as xp

PACKAGE = Path(xp.__file__).parent


@pytest.mark.parametrize("arguments", [(), (3,), ([1.0],), ((),), ([], "float64")], ids=str)
def test_array_cannot_be_called(arguments):
    with pytest.raises(TypeError, match=r"Array\(\) is not called directly; make an array with xtensor\.asarray"):
        xp.Array(*arguments)


def test_array_cannot_be_called_with_an_array():
    with pytest.raises(TypeError, match=r"Array\(\) is not called directly"):
        xp.Array(xp.ones(3))


def test_class_makes_an_empty_array_as_an_example_of_chunks(device):
    x = xp.ones(3)
    example = type(x)([], dtype="float32")
    assert (example.shape, example.dtype, example.device) == ((0,), "float32", device)


def test_array_cannot_be_subclassed():
    with pytest.raises(TypeError, match="Array is final"):
        type("Mine", (xp.Array,), {})


def test_device_cannot_be_subclassed():
    with pytest.raises(TypeError, match="Device is final"):
        type("Mine", (xp.Device,), {})


def test_native_arrays_are_set_in_few_modules_only():
    """The Array's, in-place operators, views, donations; dispatch, reductions and iteration, which inline its lines."""
    found = {
        path.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == "_native"
    }
    setting = {"array.py", "calls.py", "operands.py", "views.py"}
    inlined = {"dispatch.py", "donations.py", "inplace.py", "large_calls.py", "methods.py"}
    assert found == setting | inlined


def test_device_equals_its_name(device):
    name = str(device)
    assert device == name
    assert name == device
    assert device != "nowhere:7"
    assert hash(device) == hash(name)
    assert {device: 1}[name] == 1


def test_device_of_an_array_compares_with_a_spec(device):
    assert xp.zeros(1).device == device.name


def test_device_tells_what_it_implements(device):
    assert not device.implements("no_such_function")
    with pytest.raises(TypeError, match="operation's name"):
        device.implements(1)


def test_composed_function_is_not_implemented_by_the_library():
    assert xp.device("cpu").implements("linalg.svd")
    assert not xp.device("cpu").implements("nn.softmax")


@pytest.mark.parametrize(
    "name", ["set_printoptions", "apply_along_axis", "dot", "linalg.norm", "ndarray", "linalg", ""]
)
def test_function_of_numpy_that_is_no_operation_is_not_implemented(name, device):
    assert hasattr(np, name.partition(".")[0]) or not name
    assert not device.implements(name)


@pytest.mark.parametrize("name", ["special.erf", "cbrt"])
def test_an_operation_is_implemented_before_its_part_of_the_namespace_is_imported(name):
    program = f"import xtensor as xp; assert xp.device('numpy').implements({name!r})"
    subprocess.run([sys.executable, "-c", program], check=True)
