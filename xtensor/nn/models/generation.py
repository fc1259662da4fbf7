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

__all__ = ["generate", "generate_batch", "probabilities"]

Numbers = np.ndarray[Any, Any]


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
    prompt = _prompt(model, tokens, "generate")
    _check_sampling(temperature, top_k, top_p, "generate")
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
        token = _chosen(to_numpy(model.scores(model.hidden(prompt, cache)[-1, :])), sampling, draws)
        if token in ends:
            return
        yield token
        prompt = xp.asarray([token], dtype=prompt.dtype, device=prompt.device)


def generate_batch(
    model: Decoder,
    texts: Sequence[Sequence[int] | Array],
    *,
    max_tokens: int = 128,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    rng: Rng | Sequence[Rng] = None,
    stop: Collection[int] | None = None,
) -> list[list[int]]:
    """Return the tokens that continue several texts, which are computed together.

    They are those of :func:`generate` for each text, as far as rounding does not change a choice. A text that has ended
    is computed further until all have, and what follows its end is left out.

    Parameters
    ----------
    model
        The decoder, in evaluation.
    texts
        The tokens of each text, one or more; the lengths may differ.
    max_tokens, temperature, top_k, top_p, stop
        As in :func:`generate`, for each text.
    rng
        Generators of the choices, or their seeds, one for each text; or a single one, which spawns one for each.

    Returns
    -------
    list of list of int
        The tokens of each text, without those of ``texts``.

    Raises
    ------
    TypeError
        If ``model`` is not a decoder, or a parameter has another type.
    ValueError
        If a text has no token, the number of generators is not that of the texts, or a parameter is out of its range.
    """
    name = "generate_batch"
    prompts = [_prompt(model, text, name) for text in texts]
    _check_sampling(temperature, top_k, top_p, name)
    count = check_size(max_tokens, name, "max_tokens", 0)
    ends = frozenset(model.config.eos_tokens if stop is None else stop)
    draws = _draws(rng, len(prompts)) if temperature else [None] * len(prompts)
    sequences: list[list[int]] = [[] for _ in prompts]
    if not prompts:
        return sequences
    longest = max([prompt.size for prompt in prompts])
    padding = [longest - prompt.size for prompt in prompts]
    rows = [xp.pad(prompt, (missing, 0)) for prompt, missing in zip(prompts, padding, strict=True)]
    tokens, cache = xp.stack(rows), Cache(model.config, padding=padding)
    running = set(range(len(prompts)))
    for _ in range(count):
        scores = to_numpy(model.scores(model.hidden(tokens, cache)[:, -1, :]))
        following = [0] * len(prompts)
        for row in sorted(running):
            following[row] = token = _chosen(scores[row], (temperature, top_k, top_p), draws[row])
            if token in ends:
                running.remove(row)
            else:
                sequences[row].append(token)
        if not running:
            break
        tokens = xp.asarray(following, dtype=tokens.dtype, device=tokens.device)[:, None]
    return sequences


def _draws(rng: Any, count: int) -> list[Initial]:
    """Return the generator of each text."""
    if not isinstance(rng, (list, tuple)):
        rng = Initial(rng, "cpu", None).rng.spawn(count)
    if len(rng) != count:
        raise ValueError(f"generate_batch(): rng has {len(rng)} generators, expected one for each of the {count} texts")
    return [Initial(item, "cpu", None) for item in rng]


def _prompt(model: Any, tokens: Any, function: str) -> Array:
    """Return the tokens of a text on the device of a model."""
    if not isinstance(model, Decoder):
        raise TypeError(f"{function}() takes a Decoder, not {describe(model)}")
    prompt = xp.asarray(tokens, device=next(model.norm.parameters()).device)
    if prompt.ndim != 1 or not prompt.size or prompt.dtype.kind not in "iu":
        raise ValueError(
            f"{function}(): the tokens of a text have shape {prompt.shape} and dtype {prompt.dtype}, expected one "
            "token or more along one axis"
        )
    return prompt


def _chosen(scores: Numbers, sampling: tuple[float, int | None, float | None], draws: Initial | None) -> int:
    """Return the token that is chosen by the scores of all tokens."""
    scores = scores.astype(np.float64)
    if draws is None:
        return int(np.argmax(scores))
    limits = np.cumsum(probabilities(scores, *sampling))
    return int(np.searchsorted(limits, float(draws.rng.random()) * limits[-1], side="right"))


def _check_sampling(temperature: Any, top_k: Any, top_p: Any, function: str) -> None:
    """Raise an error unless the parameters of the choice are in their ranges."""
    if not 0 <= check_number(temperature, function, "temperature") < math.inf:
        raise ValueError(f"{function}(): temperature is {temperature}, expected 0 or more")
    if top_k is not None:
        check_size(top_k, function, "top_k")
    if top_p is not None and not 0 < check_number(top_p, function, "top_p") <= 1:
        raise ValueError(f"{function}(): top_p is {top_p}, expected a number in (0, 1]")


def probabilities(scores: Numbers, temperature: float, top_k: int | None = None, top_p: float | None = None) -> Numbers:
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
