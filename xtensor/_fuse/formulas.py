"""Formulas of this package, fused where the device has a generator of kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .._core.array import Array
from .._core.tracing_errors import UnknownValueError
from .functions import Fused, generator_of
from .keys import key_of

__all__ = ["attempt_formula", "compute_formula"]

MOST_SIGNATURES = 1000
"""Signatures of calls that are remembered."""

_seen: set[Any] = set()
"""Formulas with the dtypes and shapes of a call that was made."""

_unfused: set[Callable[..., Any]] = set()
"""Formulas that look at values."""


@cache
def _fused(formula: Callable[..., Any]) -> Fused[..., Any]:
    return Fused(formula, (), guarded=False)


def compute_formula(formula: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Return the result of a formula, fused where that gains.

    A recording costs more than a call. It is made at the second call with the same shapes, so that a program whose
    shapes change from call to call does not record at all.

    Parameters
    ----------
    formula
        A function of a module, not a closure: recordings are kept for it.
    operands, options
        Its arguments, among them an Array. The others have a hash, or are tuples of such values and slices.
    """
    result = attempt_formula(formula, *operands, **options)
    return formula(*operands, **options) if result is NotImplemented else result


def attempt_formula(formula: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Return the result of a fused formula; NotImplemented where that gains nothing, and at the first such call.

    The arguments are those of :func:`compute_formula`.
    """
    arrays = [x for x in (*operands, *options.values()) if x.__class__ is Array]
    generator = generator_of(arrays[0]._device)
    if generator is None or max([x.size for x in arrays]) < generator.min_size or formula in _unfused:
        return NotImplemented
    signature = formula, *map(_described, operands), *[(name, _described(value)) for name, value in options.items()]
    if signature not in _seen:
        if len(_seen) >= MOST_SIGNATURES:
            _seen.clear()
        _seen.add(signature)
        return NotImplemented
    try:
        return _fused(formula)(*operands, **options)
    except UnknownValueError:
        _unfused.add(formula)
        return NotImplemented


def _described(value: Any) -> Any:
    if value.__class__ is Array:
        return value.dtype, value.shape
    return key_of(value) if value.__class__ is tuple else value  # slices have no hash before Python 3.12
