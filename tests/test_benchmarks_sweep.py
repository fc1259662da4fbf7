"""The group ``sweep`` of the benchmarks: it has every function, and each statement gives NumPy's values."""

import re
from dataclasses import replace

import numpy as np
import pytest
from good_arguments import public_functions

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks._cases import Group, Limit, Statement, Variant, vectors
from benchmarks._libraries import load_libraries
from benchmarks._measure import Timing
from benchmarks._run import Outcome, Row, load_group, temporary_default_device
from benchmarks._sweep import OPERANDS, UNTIMED, function_of, operands_of, statements
from benchmarks.sweep import EXCEPTIONS, LOOPS, exception_of

CPU = xp.device("cpu")
LIBRARIES = {library.name: library for library in load_libraries(CPU)[0]}
GROUP = load_group("sweep")

IN_PLACE = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")
"""Functions that write to their first operand and return None."""

UNDETERMINED = (
    "empty",
    "empty_like",
    "partition",
    "argpartition",
    "argsort",
    "unique_values",
    "linalg.eig",
    "linalg.eigh",
)
"""Functions whose values, or their signs and order, NumPy leaves open."""

CALLS = [
    pytest.param(case.name, dtype, id=f"{case.name}-{dtype}")
    for case in GROUP.cases
    for dtype in case.dtypes
    if case.name not in {loop.name for loop in LOOPS}
]


def numpy_has(name):
    value = np
    for part in name.split("."):
        value = getattr(value, part, None)
    return callable(value)


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in leaves(part)]
    return [np.asarray(value)]


def result_of(statement, library, variant):
    """Return the value of a statement, or for a function that writes its first operand after the call."""
    case = Statement(statement, operands_of(statement))
    variables = case.variables(LIBRARIES[library], variant, case.operands(variant))
    value = eval(statement, variables)
    if function_of(statement) in IN_PLACE:
        return leaves(variables[re.match(r"[\w.]+\((\w+)", statement)[1]])
    return leaves(value)


@pytest.mark.parametrize(
    "name", [name for name in public_functions() if numpy_has(name) and not name.startswith(("nn.", "special."))]
)
def test_every_function_that_numpy_has_is_timed_or_says_why_not(name):
    timed = {function_of(case.name) for case in GROUP.cases}
    assert (name in timed) != (name in UNTIMED)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # from NumPy 2.5 on
@pytest.mark.parametrize(("statement", "dtype"), CALLS)
def test_statement_gives_the_values_of_numpy(statement, dtype):
    variant = Variant(1000, dtype)
    with temporary_default_device(CPU):
        ours, numpys = (result_of(statement, library, variant) for library in ("xtensor", "numpy"))
    assert len(ours) == len(numpys)
    assert [x.shape for x in ours] == [x.shape for x in numpys]
    if function_of(statement) not in UNDETERMINED:
        for x, y in zip(ours, numpys, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-8)


def test_statements_have_operands_of_the_table_alone():
    names = {name for case in statements() for name in case.operands(Variant(16, "float64"))}
    assert names <= set(OPERANDS)


def test_exceptions_name_statements_of_the_group():
    functions = [function_of(case.name) for case in GROUP.cases]
    known = {*functions, *(case.name for case in GROUP.cases), *(name.partition(".")[0] for name in functions)}
    named = [name for exception in EXCEPTIONS for name in (*exception.limits, *exception.unlimited)]
    assert set(named) <= known
    assert len(named) == len(set(named))


def test_limit_is_that_of_the_documentation_unless_there_is_an_exception():
    limits = {limit.case: limit.ratio for limit in GROUP.limits}
    assert limits["xp.add(x, y)"] == limits["xp.sort_complex(x)"] == 1.05
    assert limits["xp.floor_divide(x, above)"] == exception_of("xp.floor_divide(x, above)")[0] > 1.05
    assert "xp.transpose(x)" not in limits


def test_row_that_is_an_exception_shows_the_reason():
    notes = {case.name: case.note for case in GROUP.cases}
    assert notes["xp.floor_divide(x, above)"].startswith("Standard, `floor_divide`")
    assert not notes["xp.add(x, y)"]


@pytest.mark.parametrize(("enforced", "ratio", "code"), [(True, 0.0, 1), (True, 1e9, 0), (False, 0.0, 0)])
def test_command_fails_if_an_enforced_limit_is_exceeded(monkeypatch, capsys, enforced, ratio, code):
    limits = (Limit("x + x", 10, ratio),)
    group = Group(
        "t", (Statement("x + x", vectors("x")),), (10,), ("float64",), (), limits, rounds=2, enforced=enforced
    )
    monkeypatch.setattr(command, "load_group", lambda name: group)
    assert command.main(["sweep"]) == code


def test_case_is_measured_with_its_own_dtypes_only():
    case = Statement("x + x", vectors("x"), dtypes=("int64",))
    group = Group("t", (case,), (10,), ("float64", "int64"))
    assert [group.cases_of(variant) for variant in group.variants()] == [[], [case]]


@pytest.mark.parametrize(
    ("numpy", "xtensor", "expected"),
    [
        ((1.0, 2.0, 2.0), (2.0, 2.0, 2.0), 1.0),  # the clock was faster in one sample of NumPy's
        ((1.0, 1.0, 1.0), (1.0, 3.0, 3.0), 1.0),  # another program ran beside most samples
        ((1.0, 1.0, 1.0), (2.0, 2.0, 2.0), 2.0),
    ],
)
def test_limits_apply_to_the_smaller_of_both_ratios(numpy, xtensor, expected):
    timings = {"numpy": Timing(numpy, 1, 3), "xtensor": Timing(xtensor, 1, 3)}
    row = Row("x", Variant(1, "float64"), "", timings, {})
    limit = Limit("x", 1, 1.5)
    group = replace(GROUP, cases=(), limits=(limit,))
    outcome = Outcome("sweep", group, "cpu", "a model", "numpy", {}, {}, (row,), False, 3)
    assert outcome.limit_ratios == ((limit, expected),)
    assert outcome.fails is (expected > 1.5)
