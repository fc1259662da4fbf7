"""Numbers among the arguments of fused functions: the plain call's results, or an error with the remedy."""

from __future__ import annotations

import inspect
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest
from good_arguments import FUNCTIONS_OF_FUNCTIONS, good_arguments, parameters_of, public_function
from stress.tiers import LONG

import xtensor as xp
from xtensor import fuse
from xtensor._core.trees import flatten

if xp.device("cpu")._provider.generator("cpu") is None:
    pytest.skip("needs a generator of kernels, the extra xtensor[llvm]", allow_module_level=True)

VALUES = (0.5, 0.25)

EXCLUDED = (*FUNCTIONS_OF_FUNCTIONS, "use_device", "set_default_device")

GOOD = good_arguments()

CALLS = [
    (name, parameter.name)
    for name in GOOD
    if name not in EXCLUDED and not name.startswith("random")
    for parameter in parameters_of(public_function(name))
    if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
]


def calling(name: str, parameter: str) -> Any:
    """Return a function that calls a public function with good arguments but one."""
    function, given = public_function(name), {**GOOD[name](), parameter: None}
    positional: list[str] = []
    unpacked: list[Any] = []
    named: list[str] = []
    for item in parameters_of(function):
        if item.name not in given or item.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if item.kind is inspect.Parameter.POSITIONAL_ONLY:
            positional.append(item.name)
        elif item.kind is inspect.Parameter.VAR_POSITIONAL:
            unpacked += given[item.name]
        else:
            named.append(item.name)

    def called(x: Any, value: Any) -> Any:
        arguments = {**given, parameter: value}
        first = [arguments[item] for item in positional]
        return function(*first, *unpacked, **{item: arguments[item] for item in named})

    return called


def outcome(function: Any, *arguments: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except Exception as error:
            return error


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, Exception):
        return isinstance(found, Exception)
    if isinstance(found, xp.UnknownValueError):
        return "static= of xtensor.fuse" in str(found) or "looks at a value" in str(found)
    if isinstance(found, Exception):
        return False
    for mine, other in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        if mine.__class__ is not other.__class__:
            return False
        if isinstance(other, (xp.Array, np.ndarray, bool, int, float, complex)):
            one, two = np.asarray(mine), np.asarray(other)
            if one.dtype != two.dtype or not np.allclose(one, two, rtol=1e-12, equal_nan=True):
                return False
    return True


def test_a_number_in_any_parameter_gives_the_plain_calls_result_or_the_remedy() -> None:
    chosen = CALLS if LONG else Random(1).sample(CALLS, 60)
    x = xp.asarray([1.0, 2.0], device="cpu")
    wrong = []
    with xp.use_device("cpu"):
        for name, parameter in chosen:
            function = calling(name, parameter)
            fused = fuse(function)
            for value in VALUES:
                expected, found = outcome(function, x, value), outcome(fused, x, value)
                if not same(found, expected):
                    wrong.append((name, parameter, value, found, expected))
    assert wrong == []


FORMS: dict[str, Any] = {
    "full": lambda x, p: xp.full(x.shape, p),
    "full of a dtype": lambda x, p: xp.full(x.shape, p, dtype="float32"),
    "full_like": lambda x, p: xp.full_like(x, p),
    "floor division": lambda x, p: x * (p // 0.3) + 1.0 // p,
    "remainder": lambda x, p: x * (p % 0.2) - 7 % p,
    "divmod": lambda x, p: x * divmod(p, 0.2)[0] + divmod(1.0, p)[1],
    "round": lambda x, p: x * round(p, 1) + round(p * 10),
    "parts": lambda x, p: x * p.real + p.imag + p.conjugate(),
    "powers": lambda x, p: x**p + p**2 + 2**p,
    "truth": lambda x, p: (xp.logical_and(x, p), xp.logical_or(p, x), xp.logical_xor(x, p)),
    "comparisons": lambda x, p: (x > p, xp.where(x > p, p, x)),
    "clip": lambda x, p: xp.clip(x, p, 2 * p),
    "a write": lambda x, p: xp.concat([x, x])[: x.size] * p,
    "a returned number": lambda x, p: (x, p * 2 + 1),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_arithmetic_follow_the_number(name: str) -> None:
    x = xp.asarray([0.1, 0.4, 3.0], device="cpu")
    fused = fuse(FORMS[name])
    with xp.use_device("cpu"):
        for value in (0.5, 0.25, -0.0 + 0.7, 3.0):
            assert same(fused(x, value), FORMS[name](x, value))
    # A square root is another operation than a power.
    assert sum(map(len, fused._plans.values())) == (2 if name == "powers" else 1)


LOOKS: dict[str, Any] = {
    "asarray": lambda x, p: x + xp.asarray(p),
    "linspace": lambda x, p: xp.linspace(0, p, 5),
    "quantile": lambda x, p: xp.quantile(x, p),
    "an integer dtype": lambda x, p: xp.full(x.shape, p, dtype="int64"),
    "numpy's function": lambda x, p: x * np.sin(p),
    "numpy's scalar": lambda x, p: x * (np.float64(2.0) * p),
    "float's method": lambda x, p: x if p.is_integer() else -x,
    "text": lambda x, p: x * float(f"{p}"),
    "a key": lambda x, p: x * {0.5: 1.0}[p],
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_needs_the_value_raises_with_the_remedy(name: str) -> None:
    x = xp.asarray([0.1, 0.4, 3.0], device="cpu")
    with pytest.raises(xp.UnknownValueError, match=r"at .*test_fuse_numbers.*static= of xtensor\.fuse"):
        fuse(LOOKS[name])(x, 0.5)
    with xp.use_device("cpu"):
        expected = LOOKS[name](x, 0.5)
    assert same(fuse(LOOKS[name], static="p")(x, 0.5), expected)


def test_a_number_of_another_class_in_a_later_call_raises() -> None:
    x = xp.asarray([1.0, 2.0], device="cpu")
    fused = fuse(lambda x, p: x * p**0.5)
    assert fused(x, 4.0).tolist() == [2.0, 4.0]
    with pytest.raises(xp.UnknownValueError, match=r"complex.*static="):
        fused(x, -4.0)


def test_errors_of_the_arithmetic_are_those_of_the_function() -> None:
    fused = fuse(lambda x, p: x + (1 / p) * 0)
    x = xp.asarray([1.0, 2.0], device="cpu")
    assert fused(x, 4.0).tolist() == [1.0, 2.0]
    with pytest.raises(ZeroDivisionError):
        fused(x, 0.0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_powers_of_a_number_are_those_of_the_call(dtype: str) -> None:
    """The root of -0.0 is -0.0, its power by another way 0.0; a recording of one exponent is not one of another."""
    x = xp.asarray([-0.0, -np.inf, 4.0, 0.25, np.inf], dtype=dtype)
    functions = [lambda x, p: x**p, lambda x, p: xp.pow(x, p + 1.0) * 2, lambda x, p: xp.pow(x * x, -p)]
    with np.errstate(all="ignore"):
        for function in functions:
            fused = fuse(function)
            for exponent in (0.5, 0.3, 2.0, 0.5, -0.5, -1.0, 1.0, 3.0, 0.3, 2.0, -1.5):
                expected, found = np.asarray(function(x, exponent)), np.asarray(fused(x, exponent))
                np.testing.assert_allclose(found, expected, rtol=4 * float(xp.finfo(x.dtype).eps))
                assert np.array_equal(np.signbit(found), np.signbit(expected)), exponent
