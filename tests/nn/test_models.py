"""Language models: what a token depends on, caches, the choice of tokens, memory."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn
from xtensor.nn import models

LLAMA = models.DecoderConfig(
    vocab_size=20,
    hidden_size=16,
    intermediate_size=24,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=4,
    max_positions=64,
    eos_tokens=(7,),
)

CONFIGS = {
    "llama": LLAMA,
    "interleaved": replace(LLAMA, rope_interleaved=True, attention_bias=True, tied=True),
    "mistral": replace(LLAMA, windows=(3, 3)),
    "mixed windows": replace(LLAMA, windows=(None, 3), qk_norm=True),
    "gpt2": replace(LLAMA, norm="layer", gated=False, activation="gelu_tanh", mlp_bias=True, rope_theta=None),
}

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]

NAMES = pytest.mark.parametrize("name", CONFIGS)


def decoder(name: str = "llama", **options: Any) -> Any:
    return models.Decoder(CONFIGS[name], rng=0, **options).eval()


def scores(model: Any, tokens: Any, cache: Any = None) -> np.ndarray:
    return xp.to_numpy(model(xp.asarray(tokens), cache))


@NAMES
def test_scores_of_a_cache_are_those_without(name, device):
    model = decoder(name, dtype=xp.float64)
    cache = models.Cache(model.config, block=4)
    parts = [scores(model, TOKENS[first:last], cache) for first, last in ((0, 5), (5, 6), (6, 10), (10, 12))]
    assert cache.length == len(TOKENS)
    np.testing.assert_allclose(np.concatenate(parts), scores(model, TOKENS), rtol=0, atol=1e-12)


@NAMES
def test_scores_of_texts_with_padding_are_those_of_each_text(name, device):
    model = decoder(name, dtype=xp.float64)
    lengths = 12, 5, 8, 1
    rows = [[2] * (12 - length) + TOKENS[:length] for length in lengths]
    cache = models.Cache(model.config, block=4, padding=[12 - length for length in lengths])
    parts = [scores(model, [row[first:last] for row in rows], cache) for first, last in ((0, 9), (9, 10), (10, 12))]
    for row, length in zip(np.concatenate(parts, axis=1), lengths, strict=True):
        np.testing.assert_allclose(row[12 - length :], scores(model, TOKENS[:length]), rtol=0, atol=1e-12)


@pytest.mark.one_device
def test_wrong_padding_is_refused():
    with pytest.raises(ValueError, match="padding is -1, expected 0 or more"):
        models.Cache(LLAMA, padding=[3, -1])
    for tokens in ([1, 2], [[1], [2], [3]]):
        with pytest.raises(ValueError, match=r"the cache is for 2 texts with padding; expected the shape \(2, n\)"):
            scores(decoder(), tokens, models.Cache(LLAMA, padding=[0, 1]))


@NAMES
def test_scores_do_not_depend_on_later_tokens(name, device):
    model = decoder(name)
    changed = [*TOKENS[:8], 0, *TOKENS[9:]]
    np.testing.assert_allclose(scores(model, changed)[:8], scores(model, TOKENS)[:8], rtol=0, atol=1e-6)
    assert np.abs(scores(model, changed)[8:] - scores(model, TOKENS)[8:]).max() > 1e-3


def test_scores_depend_on_the_tokens_within_the_windows_of_all_layers(device):
    """Each of the two layers reaches two tokens back."""
    model, changed = decoder("mistral", dtype=xp.float64), [0, *TOKENS[1:]]
    difference = np.abs(scores(model, changed) - scores(model, TOKENS)).max(axis=-1)
    assert (difference[:5] > 1e-6).all()
    np.testing.assert_array_equal(difference[5:], 0)


@pytest.mark.parametrize("name", ["llama", "interleaved"])
def test_rotary_embedding_depends_on_differences_of_positions(name, device):
    """The same token at all positions has the same values, so that the scores are those of one token."""
    model = decoder(name, dtype=xp.float64)
    found = scores(model, [5] * 6)
    np.testing.assert_allclose(found, np.broadcast_to(found[0], found.shape), rtol=0, atol=1e-12)


def test_texts_of_a_batch_are_independent(device):
    model = decoder("mixed windows", dtype=xp.float64)
    both = scores(model, [TOKENS, TOKENS[::-1]])
    np.testing.assert_allclose(both[0], scores(model, TOKENS), rtol=0, atol=1e-12)
    np.testing.assert_allclose(both[1], scores(model, TOKENS[::-1]), rtol=0, atol=1e-12)


def test_padding_does_not_change_the_vectors_of_an_encoder(device):
    config = models.EncoderConfig(
        vocab_size=20,
        type_vocab_size=2,
        max_positions=16,
        hidden_size=8,
        intermediate_size=12,
        num_layers=2,
        num_heads=2,
    )
    model = models.Encoder(config, rng=0, dtype=xp.float64).eval()
    padded, mask = xp.asarray([[3, 1, 4, 0, 0]]), xp.asarray([[1, 1, 1, 0, 0]])
    alone = model.embed(xp.asarray([[3, 1, 4]]))
    np.testing.assert_allclose(xp.to_numpy(model.embed(padded, mask)), xp.to_numpy(alone), rtol=0, atol=1e-12)
    assert float(xp.sum(alone**2)) == pytest.approx(1, abs=1e-12)


def test_decoder_is_trained(device):
    model = decoder()
    tokens = xp.asarray(TOKENS)

    def loss(model: Any) -> Any:
        return nn.functional.cross_entropy(model(tokens[:-1]), tokens[1:])

    before, gradient = autograd.value_and_grad(loss)(model)
    for _, x in gradient.named_parameters():
        assert float(xp.max(xp.abs(x))) > 0
    for (_, owner, name, x), (_, g) in zip(list(model._named_arrays()), gradient.named_parameters(), strict=True):
        setattr(owner, name, x - 0.1 * g)
    assert float(loss(model)) < float(before)


def test_tied_weights_are_one_parameter():
    names = [name for name, _ in models.Decoder(CONFIGS["interleaved"], device="meta").named_parameters()]
    assert "embed_tokens.weight" in names
    assert "lm_head.weight" not in names


def test_learned_positions_are_limited(device):
    with pytest.raises(ValueError, match="65 tokens, and the model has 64 positions"):
        decoder("gpt2")(xp.asarray([1] * 65))


# -- cache ------------------------------------------------------------------------------------------------------------


def test_cache_grows_by_blocks(device):
    model = decoder(dtype=xp.float64)
    cache = models.Cache(model.config, block=8)
    sizes = []
    for token in range(17):
        scores(model, [token], cache)
        sizes.append(cache.nbytes)
    block = 2 * 2 * 2 * 4 * 8 * 8  # layers, keys and values, heads, their length, positions, bytes
    assert sizes == [block] * 8 + [2 * block] * 8 + [3 * block]


def test_cache_of_a_window_stays_small(device):
    model = decoder("mistral")
    cache = models.Cache(model.config, block=4)
    for token in TOKENS * 3:
        scores(model, [token], cache)
    assert cache.length == 36
    assert cache.nbytes == 2 * 2 * 2 * 4 * 4 * 4  # as above, in float32


# -- choice of tokens -------------------------------------------------------------------------------------------------

SCORES = np.log([1.0, 4.0, 2.0, 8.0, 1.0])


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, [1, 4, 2, 8, 1]),
        ({"temperature": 0.5}, [1, 16, 4, 64, 1]),
        ({"top_k": 2}, [0, 4, 0, 8, 0]),
        ({"top_k": 9}, [1, 4, 2, 8, 1]),
        ({"top_p": 0.4}, [0, 0, 0, 8, 0]),
        ({"top_p": 0.6}, [0, 4, 0, 8, 0]),
        ({"top_p": 0.8}, [0, 4, 2, 8, 0]),
        ({"top_p": 0.95}, [1, 4, 2, 8, 1]),
        ({"top_p": 1.0}, [1, 4, 2, 8, 1]),
        ({"top_k": 3, "top_p": 0.6}, [0, 4, 0, 8, 0]),
    ],
    ids=str,
)
def test_probabilities_are_those_of_the_most_probable_tokens(options, weights):
    found = models.generation.probabilities(SCORES, **{"temperature": 1.0, **options})
    expected = [float(Fraction(weight, sum(weights))) for weight in weights]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.one_device
def test_hidden_tokens_have_probability_zero():
    found = models.generation.probabilities(np.asarray([0.0, -np.inf, 0.0]), 1.0)
    np.testing.assert_array_equal(found, [0.5, 0, 0.5])


def test_most_probable_tokens_are_generated(device):
    model = decoder()
    text = list(TOKENS)
    for _ in range(6):
        text.append(int(np.argmax(scores(model, text)[-1])))
    assert list(models.generate(model, TOKENS, max_tokens=6, stop=())) == text[len(TOKENS) :]


def test_one_seed_gives_one_text_on_each_device(device):
    with xp.use_device("numpy"):
        expected = list(models.generate(decoder(), TOKENS, max_tokens=20, temperature=2.0, rng=5, stop=()))
    model = models.Decoder(LLAMA, rng=xp.random.default_rng(0)).eval()
    assert list(models.generate(model, TOKENS, max_tokens=20, temperature=2.0, rng=5, stop=())) == expected
    assert list(models.generate(model, TOKENS, max_tokens=20, temperature=2.0, rng=6, stop=())) != expected


def test_drawn_tokens_have_their_probabilities(device):
    """The scores are those of a bias alone, which is what is left with weights 0."""
    model = decoder()
    model.lm_head = nn.Linear(16, 20, rng=0)
    model.lm_head.weight = xp.zeros((20, 16), dtype=xp.float32)
    model.lm_head.bias = xp.asarray(np.log([0.75, 0.25, *[1e-30] * 18]).astype(np.float32))
    found = list(models.generate(model, [1], max_tokens=400, temperature=1.0, rng=0))
    assert set(found) == {0, 1}
    assert 0.68 < found.count(0) / 400 < 0.82  # three standard deviations


def test_generation_ends_at_a_token_of_the_end(device):
    model = decoder()
    whole = list(models.generate(model, TOKENS, max_tokens=8, stop=()))
    end = whole[3]
    assert list(models.generate(model, TOKENS, max_tokens=8, stop=[end])) == whole[: whole.index(end)]


TEXTS = [TOKENS, TOKENS[:1], TOKENS[3:8], TOKENS[2:]]


@NAMES
@pytest.mark.parametrize("options", [{}, {"temperature": 1.5, "top_k": 12, "top_p": 0.9}], ids=["greedy", "drawn"])
def test_texts_of_a_batch_are_those_of_each(name, options, device):
    """Among 20 tokens, 3 of which are ends, most texts end before the others."""
    model, stop = decoder(name, dtype=xp.float64), (7, 11, 13)
    seeds = [3, 1, 4, 1]
    found = models.generate_batch(model, TEXTS, max_tokens=12, stop=stop, rng=seeds, **options)
    assert found == [
        list(models.generate(model, text, max_tokens=12, stop=stop, rng=seed, **options))
        for text, seed in zip(TEXTS, seeds, strict=True)
    ]
    if options and not model.config.tied:  # with tied weights, the last token is repeated
        assert len({len(text) for text in found}) > 1


def test_one_seed_gives_each_text_draws_of_its_own(device):
    model = decoder(dtype=xp.float64)
    found = models.generate_batch(model, [[1]] * 3, max_tokens=12, temperature=2.0, rng=5, stop=())
    assert found == models.generate_batch(model, [[1]] * 3, max_tokens=12, temperature=2.0, rng=5, stop=())
    assert len({tuple(text) for text in found}) == 3


@pytest.mark.one_device
def test_batches_at_the_limits():
    assert models.generate_batch(decoder(), []) == []
    assert models.generate_batch(decoder(), [[1], [2]], max_tokens=0) == [[], []]
    with pytest.raises(ValueError, match="expected one token or more"):
        models.generate_batch(decoder(), [[1], []])
    with pytest.raises(ValueError, match="rng has 1 generators, expected one for each of the 2 texts"):
        models.generate_batch(decoder(), [[1], [2]], temperature=1.0, rng=[3])
    with pytest.raises(TypeError, match="takes a Decoder"):
        models.generate_batch(nn.Identity(), [[1]])


def test_text_in_two_parts_is_that_of_both(device):
    model = decoder()
    cache = models.Cache(model.config)
    list(models.generate(model, TOKENS[:5], max_tokens=0, cache=cache))
    model(xp.asarray(TOKENS[:5]), cache)
    parts = list(models.generate(model, TOKENS[5:], max_tokens=5, stop=(), cache=cache))
    assert parts == list(models.generate(model, TOKENS, max_tokens=5, stop=()))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tokens": []}, ValueError, "expected one token or more"),
        ({"tokens": [1.5]}, ValueError, "expected one token or more"),
        ({"temperature": -1.0}, ValueError, "temperature is -1.0, expected 0 or more"),
        ({"temperature": float("nan")}, ValueError, "temperature is nan, expected 0 or more"),
        ({"top_k": 0}, ValueError, "top_k is 0, expected 1 or more"),
        ({"top_p": 0.0}, ValueError, r"top_p is 0.0, expected a number in \(0, 1\]"),
        ({"model": 3}, TypeError, "takes a Decoder, not 3"),
    ],
    ids=str,
)
def test_wrong_arguments_of_generate_are_refused_at_once(options, error, message, device):
    with pytest.raises(error, match=message):
        models.generate(**{"model": decoder(), "tokens": [1], **options})


# -- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.one_device
def test_memory_of_a_large_model_is_known_without_it():
    """Llama 2 of 7 billion parameters, as its paper has it."""
    config = models.DecoderConfig(
        vocab_size=32000,
        hidden_size=4096,
        intermediate_size=11008,
        num_layers=32,
        num_heads=32,
        num_kv_heads=32,
        head_dim=128,
        max_positions=4096,
    )
    found = models.memory(config, context=1024, dtype=xp.float16)
    parameters = 2 * 32000 * 4096 + 32 * (4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096) + 4096
    assert parameters == 6738415616
    assert found.weights == 2 * parameters
    assert found.cache == 2 * 32 * 1024 * 4096 * 2
    assert found.activations > 32 * 1024**2 * 2  # one matrix of scores
    assert found.total == found.weights + found.cache + found.activations


@pytest.mark.one_device
def test_memory_takes_models_only():
    with pytest.raises(TypeError, match="takes a model or its configuration, not 3"):
        models.memory(3)
