"""Fixes for defects of the pinned suite, made in memory while it is loaded. The suite's files stay unchanged.

1. ``test_can_cast`` computes its expectation with ``promotion_table.get((from_, other)) == to``. For dtypes that do not
   promote, the left side is None, and ``None == numpy.dtype("float64")`` is True because NumPy reads None as its
   default dtype. The test then expects that complex numbers can be cast to float64, which the standard's promotion
   rules forbid. The fixed look-up returns an object that equals no dtype.
2. ``dtype_helpers`` computes ``widest_complex_dtype`` with ``max`` of the complex dtypes, which raises if both are left
   out. The fixed module uses complex64 there. The tests that then ask the device for complex64 fail.
3. ``test_dunder_dlpack`` asks an array for memory that Python can read, also with ``copy=False``, and takes any error
   for a failure. The standard says of ``array.__dlpack__``: "If a copy must be made to enable this support but
   ``copy`` is set to ``False``, the function must raise ``BufferError``." The fixed test requires that error where the
   array is in other memory, as on a GPU.
4. ``integers_from_dtype`` of the special cases draws integers in the range of the widest real dtype as Python floats,
   and compares the result with them. Without float64 the array has the number rounded to float32. The fixed function
   draws numbers of float32 there.
5. ``test_signatures`` calls methods of integers with arrays of int64, and those of sets and masks count in uint8. On a
   device without these dtypes they use int32.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from conformance.dtypes import COMPLEX

if TYPE_CHECKING:
    import pytest

__all__ = ["EXPLANATION", "apply", "apply_to_tests"]

EXPLANATION = """\
The runner fixes five defects of the suite in memory, while the suite is loaded:

- `test_can_cast` compares a missing promotion, None, with a dtype, and `None == numpy.dtype('float64')` is True in
  NumPy. The runner makes the look-up return a value that equals no dtype.
- The suite does not start on a device without a complex dtype, because it computes the maximum of an empty list. The
  runner replaces the result with complex64. This changes nothing on a device with a complex dtype.
- `test_dunder_dlpack` asks for memory of the host with `copy=False`, for which the standard requires BufferError if the
  array is in other memory, as on a GPU. The runner makes the test require it there, unless two exports at the same time
  are one memory, as on a CPU by SYCL, whose memory the host reads.
- The tests of special cases draw integers beyond 2²⁴ for float32 on a device without float64, and compare the result
  with the integer, not with the number of the array. The runner rounds the integers to float32 there.
- The tests of signatures call methods of integers with int64, and those of sets and masks count in uint8. The runner
  makes them use int32 on a device without these dtypes.
"""

_HELPERS = "array_api_tests.dtype_helpers"

_SPECIAL_CASES = "array_api_tests.test_special_cases"

_SIGNATURES = "array_api_tests.test_signatures"

_COUNTING = ("array_api_tests.test_array_object", "array_api_tests.test_set_functions")

_SHAPES = {"__index__": (), "__int__": (), "__lshift__": (5,), "__rshift__": (5,)}
"""The methods of integers alone, and the shapes that the suite passes to them."""

_EXPORT = "test_dlpack.py::test_dunder_dlpack"


class NoPromotion:
    """Result dtype of two dtypes that do not promote. Equal to no dtype."""

    def __repr__(self) -> str:
        return "no promotion"


def apply(left_out: Collection[str]) -> None:
    """Fix the suite in this process. To be called before a module of the suite is imported.

    Parameters
    ----------
    left_out
        The names of the dtypes that the suite leaves out.
    """
    spec = find_spec(_HELPERS)
    if spec is None:  # one of the small suites that test the runner
        return
    helpers = import_module(_HELPERS) if set(COMPLEX) - set(left_out) else _load_without_complex(spec)
    _distinguish_missing_promotions(helpers.promotion_table)


def apply_to_tests(tests: Iterable[pytest.Item], left_out: Collection[str]) -> None:
    """Fix the tests that the suite has collected, without the dtypes that it leaves out."""
    import pytest  # not at the top: the command `fetch` needs no pytest

    special_cases: Any = sys.modules.get(_SPECIAL_CASES)
    if special_cases is not None and "float64" in left_out:
        # A global of the module hides the built-in of the same name, by which the module converts integers.
        special_cases.float = _rounded_to_float32
    signatures: Any = sys.modules.get(_SIGNATURES)
    if signatures is not None and "int64" in left_out:
        for name, shape in _SHAPES.items():
            arguments = signatures.func_to_specified_arg_exprs[name]
            arguments |= dict.fromkeys(("self", "other"), f"xp.ones({shape}, dtype=xp.int32)")
    for name in _COUNTING:
        counting: Any = sys.modules.get(name)
        if counting is not None and "uint8" in left_out:
            counting.xp = _CountingInInt32(counting.xp)
    for item in tests:
        if isinstance(item, pytest.Function) and item.nodeid.endswith(_EXPORT):
            properties = item.obj.hypothesis
            properties.inner_test = _requiring_a_copy(properties.inner_test)


class _CountingInInt32:
    """A namespace whose ``uint8`` is int32."""

    def __init__(self, namespace: Any) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._namespace, "int32" if name == "uint8" else name)


def _rounded_to_float32(value: Any = 0.0) -> float:
    return float(np.float32(float(value)))


def _requiring_a_copy(test: Callable[..., None]) -> Callable[..., None]:
    """Return ``test_dunder_dlpack`` with BufferError required for memory elsewhere that is not the array's own.

    Two exports that live at the same time are at the same address only if neither is a copy.
    """

    @wraps(test)
    def fixed(x: Any, copy_kw: Any, dl_device_kw: Any, **others: Any) -> None:
        arguments = {"x": x, "copy_kw": copy_kw, "dl_device_kw": dl_device_kw, **others}
        device = tuple(map(int, x.__dlpack_device__()))
        target = dl_device_kw.get("dl_device", device)
        if copy_kw.get("copy") is not False or target == device:
            test(**arguments)
            return
        try:
            test(**arguments)
        except BufferError:
            return
        exports = [np.from_dlpack(_Exported(x, target)) for _ in range(2)]
        assert not x.size or exports[0].ctypes.data == exports[1].ctypes.data, "an export with copy=False is a copy"

    return fixed


class _Exported:
    """A producer of an array's memory on another device, without a copy."""

    def __init__(self, x: Any, target: tuple[int, int]) -> None:
        self._x, self._target = x, target

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._target

    def __dlpack__(self, **options: Any) -> Any:
        return self._x.__dlpack__(**options | {"dl_device": self._target, "copy": False})


def _distinguish_missing_promotions(table: Any) -> None:
    look_up, no_promotion = table.get, NoPromotion()

    def get(key: Any, default: Any = no_promotion) -> Any:
        return look_up(key, default)

    table.get = get


def _load_without_complex(spec: ModuleSpec) -> Any:
    package = import_module("array_api_tests")
    fallback = package.xp.complex64
    module: Any = module_from_spec(spec)

    def max_or_complex64(pairs: Any, *, key: Any) -> Any:
        return builtins.max(pairs, key=key, default=(fallback, 64))

    # A global of the module hides the built-in of the same name in this module only.
    module.max = max_or_complex64
    sys.modules[_HELPERS] = module
    assert spec.loader is not None
    spec.loader.exec_module(module)
    package.dtype_helpers = module  # type: ignore[attr-defined]
    # test_signatures looks up the name of the widest complex dtype.
    pairs = [*module.dtype_to_name.items(), (fallback, "complex64")]
    module.dtype_to_name = type(module.dtype_to_name)(pairs)
    return module
