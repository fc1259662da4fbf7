"""Runs of the cases: the same code over NumPy arrays and over Arrays, and the comparison of the two outcomes."""

from __future__ import annotations

import ast
import copy
import io
import math
import pickle
import tempfile
import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import xtensor as xp

from . import Case
from .operands import mapped, operands

__all__ = ["Outcome", "compare", "functions_called", "names_of", "run"]

REMEDIES = ("xtensor.transfers('allow')", "to_device('cpu')")


class Outcome(NamedTuple):
    """Result of a run, or its error, and the operands after it."""

    result: Any
    error: Exception | None
    operands: dict[str, Any]

    @property
    def is_refused_transfer(self) -> bool:
        """Whether the error refuses a transfer and names the remedy."""
        return isinstance(self.error, TypeError | NotImplementedError | xp.DeviceMismatchError) and any(
            remedy in str(self.error) for remedy in REMEDIES
        )


@cache
def _compiled(code: str) -> tuple[Any, Any]:
    """Return the statements of a case and its last expression."""
    *statements, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        statements.append(last)
        last = ast.Expr(ast.Constant(None))
    module = ast.fix_missing_locations(ast.Module(statements, []))
    return (
        compile(module, code, "exec"),
        compile(ast.fix_missing_locations(ast.Expression(last.value)), code, "eval"),
    )


@cache
def names_of(code: str) -> frozenset[str]:
    """Return the names that a case uses."""
    return frozenset(node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name))


@cache
def functions_called(code: str) -> frozenset[str]:
    """Return the qualified names that a case uses, such as ``numpy.linalg.norm``."""
    names = {ast.unparse(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    return frozenset(f"numpy{name[2:]}" if name.startswith("np.") else name for name in names)


def run(case: Case, device: xp.Device | None = None) -> Outcome:
    """Run a case over NumPy arrays, or over Arrays of a device."""
    names = names_of(case.code)
    values: dict[str, Any] = {name: array for name, array in operands().items() if name in names}
    scope: dict[str, Any] = {"np": np, "io": io, "math": math, "pickle": pickle, "copy": copy}
    if "scipy" in names:
        import scipy.special

        scope["scipy"] = scipy
    if "rng" in names:
        scope["rng"] = np.random.default_rng(0)
    if device is not None:
        for name, array in values.items():
            if not is_numpy_operand(name):
                values[name] = xp.asarray(array, device=device, copy=True)
    with tempfile.TemporaryDirectory() if "mapped" in names else warnings.catch_warnings() as folder:
        if "mapped" in names:
            values["mapped"] = mapped(str(folder))
        scope |= values
        statements, last = _compiled(case.code)
        result, error = None, None
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statements, scope)
                result = eval(last, scope)
        except Exception as raised:
            error = raised
    return Outcome(result, error, {name: scope[name] for name in values})


def is_numpy_operand(name: str) -> bool:
    """Whether an operand is a NumPy array beside Arrays, too."""
    return name == "mapped" or (len(name) == 2 and name[0] == "n" and name != "np")


def compare(case: Case, outcome: Outcome, expected: Outcome, device: xp.Device) -> None:
    """Fail unless the outcome over Arrays is that over NumPy arrays."""
    if expected.error is not None:
        assert outcome.error is not None, f"returned {outcome.result!r}; NumPy raises {expected.error!r}"
        assert isinstance(outcome.error, _public(expected.error)), f"{outcome.error!r} for NumPy's {expected.error!r}"
        return
    if outcome.error is not None:
        raise AssertionError(f"raised {outcome.error!r}") from outcome.error
    is_operand = any(outcome.result is value for name, value in outcome.operands.items() if is_numpy_operand(name))
    _same(outcome.result, expected.result, device, case.ulp, case.converts or case.numpy or is_operand)
    for name, value in expected.operands.items():
        _same(outcome.operands[name], value, device, case.ulp, is_numpy_operand(name))


def _public(error: Exception) -> type[Exception]:
    """Return the most derived public class of an error."""
    return next(
        kind for kind in type(error).__mro__ if kind.__module__ in ("builtins", "numpy.exceptions", "numpy.linalg")
    )


def _same(result: Any, expected: Any, device: xp.Device, ulp: int, converts: bool) -> None:
    """Fail unless two results agree in class, dtype, shape and values."""
    if isinstance(expected, (list, tuple)):
        if hasattr(expected, "_fields"):  # a named tuple of another class
            assert result._fields == expected._fields
        assert isinstance(result, list if isinstance(expected, list) else tuple)
        assert len(result) == len(expected)
        for own, reference in zip(result, expected, strict=True):
            _same(own, reference, device, ulp, converts)
    elif isinstance(expected, (np.ndarray, np.generic)):
        if type(expected) is np.ndarray or isinstance(expected, np.generic):
            if expected.dtype.kind in "biufc" and not converts:
                assert type(result) is xp.Array, f"{type(result)} for NumPy's {type(expected)}"
                assert result.device is device
            else:
                assert type(result) is type(expected), f"{type(result)} for NumPy's {type(expected)}"
        else:
            assert type(result) is type(expected), f"{type(result)} for NumPy's {type(expected)}"
        _same_values(result, expected, ulp)
    elif isinstance(expected, (float, complex)):
        assert type(result) is type(expected), f"{type(result)} for NumPy's {type(expected)}"
        _same_values(np.asarray(result), np.asarray(expected), ulp)
    elif not isinstance(expected, (xp.Array, range)) and type(expected).__eq__ is object.__eq__:
        assert type(result) is type(expected)
    else:
        assert type(result) is type(expected), f"{type(result)} for NumPy's {type(expected)}"
        assert result == expected


def _same_values(result: Any, expected: Any, ulp: int) -> None:
    assert result.dtype == expected.dtype, f"dtype {result.dtype} for NumPy's {expected.dtype}"
    assert result.shape == expected.shape, f"shape {result.shape} for NumPy's {expected.shape}"
    mask = getattr(expected, "mask", None)
    values = xp.to_numpy(result) if type(result) is xp.Array else result
    if mask is not None:
        np.testing.assert_array_equal(values.mask, mask)
        values, expected = values.filled(0), expected.filled(0)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(values, expected)
        return
    finite = np.abs(np.asarray(expected)[np.isfinite(expected)])
    tolerance = ulp * float(np.finfo(expected.dtype).eps)
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance * max(finite.max(initial=0), 1e-300))
