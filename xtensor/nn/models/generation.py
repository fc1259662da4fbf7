"""Texts by a decoder: one token after the other, drawn from the scores of the next token."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ... import _ops as xp
from ..._core.array import Array, to_numpy
from ..._core.errors import describe
from .._checks import check_number
from ..modules._initial import Initial, Rng
from ..modules.linear import check_size
from .cache import Cache
from .decoder import Decoder

__all__ = ["generate", "probabilities"]


def generate(
    model: Decoder,
    tokens: Sequence[int] | Array,
    *,
    max_tokens: int = 128,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    rng: Rng = None,
    stop: Collection[int] | None = None,
    cache: Cache | None = None,
) -> Iterator[int]:
    """Yield the tokens that continue a text, one after the other.

    The choice is made on the host in float64, from numbers that are the same on every device: one seed gives the same
    tokens on all devices whose scores differ by less than rounding can change a choice.

    Parameters
    ----------
    model
        The decoder, in evaluation.
    tokens
        The tokens of the text, one or more.
    max_tokens
        Number of tokens after which it ends.
    temperature
        Divisor of the scores; 0 for the most probable token.
    top_k
        Number of the most probable tokens that are drawn from. Default: all.
    top_p
        Total probability of the most probable tokens that are drawn from, the last of which exceeds it. Default: all.
    rng
        Generator of the choices, or its seed.
    stop
        Tokens after which it ends; the last one is not yielded. Default: those of the configuration.
    cache
        A cache that has read the text before ``tokens``, for a text in several parts.

    Yields
    ------
    int
        The next token.

    Raises
    ------
    TypeError
        If ``model`` is not a decoder, or a parameter has another type.
    ValueError
        If there is no token, or a parameter is out of its range.
    """
    if not isinstance(model, Decoder):
        raise TypeError(f"generate() takes a Decoder, not {describe(model)}")
    device = next(model.norm.parameters()).device
    prompt = xp.asarray(tokens, device=device)
    if prompt.ndim != 1 or not prompt.size or prompt.dtype.kind not in "iu":
        raise ValueError(
            f"generate(): tokens has shape {prompt.shape} and dtype {prompt.dtype}, expected one token or more along "
            "one axis"
        )
    _check_sampling(temperature, top_k, top_p)
    count = check_size(max_tokens, "generate", "max_tokens", 0)
    ends = frozenset(model.config.eos_tokens if stop is None else stop)
    draws = Initial(rng, "cpu", None) if temperature else None
    return _generate(model, prompt, count, (temperature, top_k, top_p), draws, ends, cache)


def _generate(
    model: Decoder,
    prompt: Array,
    count: int,
    sampling: tuple[float, int | None, float | None],
    draws: Initial | None,
    ends: frozenset[int],
    cache: Cache | None,
) -> Iterator[int]:
    cache = Cache(model.config) if cache is None else cache
    for _ in range(count):
        scores = to_numpy(model.scores(model.hidden(prompt, cache)[-1, :])).astype(np.float64)
        if draws is None:
            token = int(np.argmax(scores))
        else:
            limits = np.cumsum(probabilities(scores, *sampling))
            token = int(np.searchsorted(limits, float(draws.rng.random()) * limits[-1], side="right"))
        if token in ends:
            return
        yield token
        prompt = xp.asarray([token], dtype=prompt.dtype, device=prompt.device)


def _check_sampling(temperature: Any, top_k: Any, top_p: Any) -> None:
    """Raise an error unless the parameters of the choice are in their ranges."""
    if not 0 <= check_number(temperature, "generate", "temperature") < math.inf:
        raise ValueError(f"generate(): temperature is {temperature}, expected 0 or more")
    if top_k is not None:
        check_size(top_k, "generate", "top_k")
    if top_p is not None and not 0 < check_number(top_p, "generate", "top_p") <= 1:
        raise ValueError(f"generate(): top_p is {top_p}, expected a number in (0, 1]")


def probabilities(
    scores: np.ndarray[Any, Any], temperature: float, top_k: int | None = None, top_p: float | None = None
) -> np.ndarray[Any, Any]:
    """Return the probabilities that tokens are drawn with; 0 for those that are not drawn from.

    Parameters
    ----------
    scores
        The scores of all tokens, in float64.
    temperature, top_k, top_p
        As in :func:`generate`, with a positive temperature. Of equally probable tokens, the first ones are the most
        probable ones.
    """
    scaled = (scores - np.max(scores)) / temperature
    order = np.argsort(-scaled, kind="stable")
    if top_k is not None:
        order = order[:top_k]
    weights = np.exp(scaled[order])
    weights /= np.sum(weights)
    if top_p is not None:
        before = np.cumsum(weights) - weights
        order, weights = order[before < top_p], weights[before < top_p]
    result = np.zeros(scores.shape)
    result[order] = weights / np.sum(weights)
    return result
