"""Runs of the suite that check shapes and dtypes, on a device whose arrays have no values.

A test of the suite checks the dtype and the shape of a result before its values. In a run of shapes only

- the suite's comparisons of values compare nothing;
- where a test converts an array to a Python value, which such a device refuses, the example ends there, with the checks
  that it made. An error of a function of the namespace fails the test, as in every other run;
- a test that ended so in each example, without a check of a dtype or a shape before, is skipped with that reason;
- the tests in ``EXCLUDED`` are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any

import pytest

__all__ = ["REASON", "ShapesOnly", "reads_a_value"]

REASON = "it reads values before it checks a shape or a dtype"

_DEPENDS = "the shape of the result depends on values"
_NO_MEMORY = "the device has no memory that another library could read"

EXCLUDED = {
    **dict.fromkeys(("test_getitem_masking", "test_nonzero"), _DEPENDS),
    **dict.fromkeys(("test_unique_all", "test_unique_counts", "test_unique_inverse", "test_unique_values"), _DEPENDS),
    **dict.fromkeys(("test_dlpack_device", "test_dunder_dlpack"), _NO_MEMORY),
}
"""Tests that no device without values can pass, each with the reason."""

_STRATEGIES = "array_api_tests.hypothesis_helpers"
_HELPERS = "array_api_tests.pytest_helpers"

_ELEMENTWISE = "array_api_tests.test_operators_and_elementwise_functions"
"""The module of tests that first ask whether the operands have values for which a result is defined."""

_COMPARISONS = ("assert_0d_equals", "assert_scalar_equals", "assert_scalar_isclose", "assert_fill")

_CONVERSIONS = frozenset(("__bool__", "__int__", "__float__", "__complex__", "__index__"))


class ShapesOnly:
    """Plugin of a run of shapes only. To be made before a module of tests is imported."""

    def __init__(self) -> None:
        self._error: type[Exception] = getattr(import_module("xtensor"), "UnknownValueError", TypeError)
        self._checks = 0
        self._ended = 0
        if find_spec(_HELPERS) is None:  # one of the small suites that test the runner
            return
        helpers: Any = import_module(_HELPERS)
        for name, function in list(vars(helpers).items()):
            if name.startswith("assert_") and name.endswith(("dtype", "shape", "float", "int", "complex", "index")):
                setattr(helpers, name, self._counted(function))
        for name in _COMPARISONS:
            setattr(helpers, name, lambda *args, **options: None)
        if hasattr(helpers, "assert_array_elements"):
            helpers.assert_array_elements = self._compared_in_shape(helpers)
        _draw_without_looking()

    def _counted(self, check: Callable[..., None]) -> Callable[..., None]:
        @wraps(check)
        def counted(*args: Any, **options: Any) -> None:
            __tracebackhide__ = True
            check(*args, **options)
            self._checks += 1

        return counted

    def _compared_in_shape(self, helpers: Any) -> Callable[..., None]:
        def assert_array_elements(
            func_name: str, *, out: Any, expected: Any, out_repr: str = "out", kw: Any = None
        ) -> None:
            __tracebackhide__ = True
            helpers.assert_shape(
                func_name, out_shape=out.shape, expected=expected.shape, repr_name=f"{out_repr}.shape", kw=kw or {}
            )

        return assert_array_elements

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let each example of each test end where it reads a value."""
        modules = {item.module for item in items if isinstance(item, pytest.Function)}
        for module in [module for module in modules if module.__name__ == _ELEMENTWISE]:
            module.xp = _Trusting(module.xp)
        for item in items:
            reason = EXCLUDED.get(item.name)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
            test = getattr(item, "obj", None)
            hypothesis = getattr(test, "hypothesis", None)
            if hypothesis is not None:
                if not hasattr(hypothesis.inner_test, "reads_no_value"):  # shared by the test's parameters
                    hypothesis.inner_test = self._ending(hypothesis.inner_test)
            elif test is not None:
                item.obj = self._ending(test)  # type: ignore[attr-defined]

    def _ending(self, test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def ending(*args: Any, **options: Any) -> Any:
            try:
                return test(*args, **options)
            except self._error as error:
                if not reads_a_value(error.__traceback__):
                    raise
                self._ended += 1

        ending.reads_no_value = True  # type: ignore[attr-defined]
        return ending

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        """Skip a test that checked nothing."""
        self._checks = self._ended = 0
        result = yield
        if self._ended and not self._checks:
            pytest.skip(REASON)
        return result


def reads_a_value(trace: TracebackType | None) -> bool:
    """Whether the code of a test converted an array to a Python value, as against a function that looked at one."""
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_globals.get("__name__", "").partition(".")[0] == "xtensor":
            return frame.f_code.co_name in _CONVERSIONS
        trace = trace.tb_next
    return False


def _draw_without_looking() -> None:
    """Let Hypothesis draw arrays without reading back the elements that it has set."""
    strategies = import_module("hypothesis.extra.array_api")
    strategies.ArrayStrategy.check_set_value = lambda *args: None
    if find_spec(_STRATEGIES) is None:
        return
    helpers: Any = import_module(_STRATEGIES)
    helpers.xp = _Trusting(helpers.xp)


class _Trusting:
    """The namespace for code of the suite that asks whether elements that were drawn are as it wants them."""

    def __init__(self, namespace: Any) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._namespace, name)

    def any(self, x: Any) -> bool:
        """Return False: no element is one that the suite avoids, such as 0 or infinity."""
        return False

    def all(self, x: Any) -> bool:
        """Return True: all elements are as the suite wants them."""
        return True
