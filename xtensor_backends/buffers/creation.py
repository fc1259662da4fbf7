"""Arrays of one number, of a count, and of random words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import (
    PHILOX_MULTIPLIERS,
    PHILOX_ROUNDS,
    PHILOX_WEYL,
    DType,
    arange_terms,
)

from ..kernels.random_numbers import DIGITS, HALF, normal, normal_quantile, uniform
from ..kernels.values import Value, cast, constant, convert, select
from .arrays import BufferArray
from .elementwise import cast as cast_array
from .elementwise import copied
from .formulas import in_supported
from .languages import Language
from .runtime import Number, Runtime, numbers_of
from .source import Kernel, SourceBuilder
from .words import Word, high_product

__all__ = ["Random", "arange", "full"]

UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)


def full(runtime: Runtime, shape: Sequence[int], value: BufferArray | Number, dtype: DType | None) -> BufferArray:
    """Return an array of one number, a Python number or a 0-d array."""
    if isinstance(value, BufferArray):
        return copied(cast_array(value, dtype or value.dtype).broadcast(tuple(shape)))
    dtype = np.result_type(value) if dtype is None else dtype
    result = runtime.empty(shape, dtype)
    if dtype.kind in "iu" and value.__class__ is float:
        value = int(value)
    runtime.launch(_full(runtime.language, dtype), (result,), numbers_of(value, dtype), (), result.size)
    return result


@cache
def _full(language: Language, dtype: DType) -> Kernel:
    builder = SourceBuilder(language, wide=True)
    builder.store(builder.output(dtype), "i", builder.scalar(dtype))
    return builder.kernel()


def arange(runtime: Runtime, start: Any, stop: Any, step: Any, dtype: DType) -> BufferArray:
    """Return numbers at equal distances."""
    length, first, stride = arange_terms(start, stop, step, dtype.kind)
    result = runtime.empty((length,), dtype)
    wide = in_supported(np.dtype(np.int64 if dtype.kind in "biu" else np.float64), runtime.dtypes)
    scalars = list(np.asarray([first, stride]).astype(wide))  # integers wrap around
    runtime.launch(_arange(runtime.language, dtype, wide, runtime.index_dtype), (result,), scalars, (), length)
    return result


@cache
def _arange(language: Language, dtype: DType, wide: DType, index: DType) -> Kernel:
    builder = SourceBuilder(language, wide=True)
    output = builder.output(dtype)
    first: Any = builder.scalar(wide)
    step: Any = builder.scalar(wide)
    position = cast(builder.position("i", index), wide)
    number = first + position * step
    if wide.kind == "f":
        number = select(position == 0, first, number)  # the sign of a zero
    builder.store(output, "i", convert(number, dtype))
    return builder.kernel()


# -- random numbers ---------------------------------------------------------------------------------------------------


def _word(x: Any, _dtype: DType) -> Any:
    return x


def _normal(x: Any, dtype: DType) -> Value:
    """A normal number of a word, which may be two halves."""
    if not isinstance(x, Word):
        return normal(x, dtype)
    k = x >> (64 - DIGITS)
    upper, mirrored = k.high >= HALF >> 32, k ^ (2 * HALF - 1)
    distance = Word(select(upper, mirrored.low, k.low), select(upper, mirrored.high, k.high)).single()
    return normal_quantile(distance, upper)


FORMULAS: dict[str, Callable[[Any, DType], Any]] = {"bits": _word, "uniform": uniform, "normal": _normal}


class Random:
    """The functions of random words and numbers by Philox4x64-10, for the namespace of a device."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def bits(self, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> BufferArray:
        if UINT64 not in self._runtime.dtypes:
            raise TypeError(f"random words are of dtype uint64, which device {self._runtime.spec} does not support")
        return self._draw("bits", key, stream, start, shape, UINT64)

    def uniform_numbers(
        self, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...], dtype: DType
    ) -> BufferArray:
        return self._draw("uniform", key, stream, start, shape, dtype)

    def normal_numbers(
        self, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...], dtype: DType
    ) -> BufferArray:
        return self._draw("normal", key, stream, start, shape, dtype)

    def _draw(
        self,
        formula: str,
        key: tuple[int, int],
        stream: tuple[int, int],
        start: int,
        shape: tuple[int, ...],
        dtype: DType,
    ) -> BufferArray:
        runtime = self._runtime
        source = UINT32 if formula == "uniform" and dtype.itemsize == 4 else UINT64
        per_block = 32 // source.itemsize
        first, skipped = divmod(start, per_block)
        result = runtime.empty(shape, dtype)
        words: list[np.generic] = [np.uint64(word % 2**64) for word in (first + 1, *stream, *key)]
        if UINT64 not in runtime.dtypes:
            words = [half for word in words for half in np.asarray([word], "<u8").view("<u4").astype(np.uint32)]
        blocks = -(-(skipped + result.size) // per_block) if result.size else 0
        kernel = _random(runtime.language, formula, source, dtype)
        runtime.launch(kernel, (result,), words, [skipped, result.size], blocks)
        return result


@cache
def _random(language: Language, formula: str, source: DType, dtype: DType) -> Kernel:
    """A block of four words for each work item."""
    builder = SourceBuilder(language, wide=True)
    output = builder.output(dtype)
    is_narrow = UINT64.name not in language.types
    counter, *others = [_word_argument(builder, is_narrow) for _ in range(5)]
    skipped, count = builder.numbers(2)
    zero: Any = constant(builder, 0, UINT32 if is_narrow else UINT64)
    number = builder.position("i", zero.dtype)
    block = counter + (Word(number, zero) if is_narrow else number)
    words = _philox([block, Word(zero, zero) if is_narrow else zero, *others[:2]], others[2:])
    if source == UINT32:
        words = [part for word in words for part in _halves(word)]
    for position, word in enumerate(words):
        target = builder.index(f"i * {len(words)} + {position} - {skipped}")
        with builder.block(f"if ({target} >= 0 && {target} < {count})"):
            builder.store(output, target, FORMULAS[formula](word, dtype))
    return builder.kernel()


def _word_argument(builder: SourceBuilder, is_narrow: bool) -> Any:
    if is_narrow:
        return Word(*[builder.scalar(UINT32) for _ in range(2)])  # type: ignore[arg-type]
    return builder.scalar(UINT64)


def _halves(word: Any) -> tuple[Value, Value]:
    return (word.low, word.high) if isinstance(word, Word) else (cast(word, UINT32), cast(word >> 32, UINT32))


def _product(word: Any, number: int) -> tuple[Any, Any]:
    return word.product(number) if isinstance(word, Word) else high_product(word, number)


def _philox(words: list[Any], key: list[Any]) -> list[Any]:
    """The four words of a block, for the words of its counter: Salmon, Moraes, Dror and Shaw (SC 2011)."""
    for _ in range(PHILOX_ROUNDS):
        (high0, low0), (high1, low1) = (
            _product(words[2 * k], multiplier) for k, multiplier in enumerate(PHILOX_MULTIPLIERS)
        )
        words = [high1 ^ words[1] ^ key[0], low1, high0 ^ words[3] ^ key[1], low0]
        key = [word + step for word, step in zip(key, PHILOX_WEYL, strict=True)]
    return words
