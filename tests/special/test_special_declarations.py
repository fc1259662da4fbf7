"""Declarations of special functions, and what is derived from them."""

from __future__ import annotations

import ast
import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest
from special_cases import CASES, FUNCTIONS, host
from special_references import COMPLEX_REFERENCES
from toy import NumpyWith, ToyBackend

import xtensor as xp
from xtensor import special
from xtensor._core.calls import wrap
from xtensor.backend import TABLE
from xtensor.special import _declaration
from xtensor.special._declaration import DECLARATIONS

MODULES = sorted(Path(special.__file__).parent.glob("*.py"))


def test_every_public_function_is_declared():
    assert {*DECLARATIONS, "FunctionUnavailableError"} == set(xp.special.__all__)


def test_every_function_that_scipy_dispatches_is_public():
    support = pytest.importorskip("scipy.special._support_alternative_backends")
    assert {info.name for info in support._special_funcs} <= set(xp.special.__all__)


def test_dir_is_the_sorted_public_names():
    assert dir(xp.special) == sorted(xp.special.__all__)
    assert xp.special is special


def test_every_function_has_values_in_the_tests():
    assert set(DECLARATIONS) == {*CASES, *FUNCTIONS}
    assert {name for name in CASES if DECLARATIONS[name].complex} == {
        *COMPLEX_REFERENCES,
        *("hyp1f1", "xlog1py", "xlogy"),
    }


@pytest.mark.parametrize("name", sorted(CASES))
def test_declaration_has_the_operands_of_the_function(name):
    function, declaration = getattr(xp.special, name), DECLARATIONS[name]
    assert declaration.name == function.__name__ == name
    assert declaration.operands == tuple(inspect.signature(function).parameters)
    assert len(declaration.operands) == len(CASES[name].points)
    assert not declaration.complex_formula or (declaration.complex and declaration.formula is not None)


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_signature_and_docstring(name):
    function = getattr(xp.special, name)
    signature, text = inspect.signature(function), inspect.getdoc(function)
    assert ":math:" in text.split("\n\n")[0]
    assert f"scipy.special.{name}" in text
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        assert parameter.name in text
    assert signature.return_annotation is not inspect.Signature.empty


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_function_pickles(name):
    function = getattr(xp.special, name)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_module_imports_nothing_inside_functions_and_has_at_most_600_lines(module):
    text = module.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    nested = [node for function in functions for node in ast.walk(function)]
    assert not [node for node in nested if isinstance(node, (ast.Import, ast.ImportFrom))]


# -- decorators -------------------------------------------------------------------------------------------------------


@pytest.fixture
def declarations(monkeypatch):
    """A copy of the declarations, to which a test can add."""
    monkeypatch.setattr(_declaration, "DECLARATIONS", dict(DECLARATIONS))
    rows = dict(TABLE)
    yield _declaration
    for name in TABLE.keys() - rows.keys():
        del TABLE[name]


def test_formula_gets_promoted_arrays(declarations, device):
    @declarations.special()
    def difference(x: xp.Array | float, y: xp.Array | float, /) -> xp.Array:
        assert (x.dtype, y.dtype) == (xp.float32, xp.float32)
        return x - y

    assert host(difference(2, xp.asarray([0.5, 1.0], dtype=xp.float32))).tolist() == [1.5, 1.0]
    assert declarations.DECLARATIONS["difference"].operands == ("x", "y")


@pytest.mark.parametrize(("prefer_formula", "expected"), [(False, -1.0), (True, 3.0)])
def test_implementation_of_the_device_precedes_the_formula_unless_the_formula_is_preferred(
    declarations, monkeypatch, device, prefer_formula, expected
):
    def negative(operation, device, native):
        return xp.negative(wrap(native, device))

    monkeypatch.setattr(declarations, "call_elementwise_if_implemented", negative)

    @declarations.special(prefer_formula=prefer_formula)
    def function(x: xp.Array, /) -> xp.Array:
        return x + x + x

    assert host(function(xp.asarray([1.0]))).tolist() == [expected]


def test_options_without_a_preferred_formula_raise(declarations):
    with pytest.raises(TypeError, match=r"function\(\): options are for formulas only.*prefer_formula=True"):

        @declarations.special(operands=("x",))
        def function(x: xp.Array, axis: int) -> xp.Array:
            return xp.sum(x, axis=axis)


def test_floating_point_warnings_are_off_in_formulas(declarations):
    @declarations.special()
    def inverse(x: xp.Array, /) -> xp.Array:
        return 1 / x

    assert host(inverse(xp.asarray([0.0], device="cpu"))).tolist() == [np.inf]


# -- libraries --------------------------------------------------------------------------------------------------------


class Library:
    """A library's special functions: it counts how often one is asked for, or is missing."""

    def __init__(self, missing=False):
        self.missing, self.requests = missing, []

    def __getattr__(self, name):
        if self.missing:
            raise ImportError("no such library")
        self.requests.append(name)
        return np.sin


class WithLibrary(ToyBackend):
    """A device whose special functions are those of a library."""

    def __init__(self, library):
        super().__init__()
        self.library = library

    def namespace(self, spec):
        return NumpyWith(special=self.library)


def test_library_is_asked_once_for_a_function(registry):
    library = Library()
    xp.register_backend(WithLibrary(library))
    x = xp.asarray([1.0], device="toy:0")
    for _ in range(3):
        assert host(xp.special.erf(x)).tolist() == [np.sin(1.0)]
    assert library.requests == ["erf"]


def test_import_error_of_a_library_is_recorded_and_the_formula_computes(registry):
    xp.register_backend(WithLibrary(Library(missing=True)))
    x = xp.asarray([0.0], device="toy:0")
    assert host(xp.special.erf(x)).tolist() == [0.0]
    assert "no such library" in str(x.device._functions.missing)
