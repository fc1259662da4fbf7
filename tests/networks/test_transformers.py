"""Language models next to the package transformers, which builds small random ones and writes their folders."""

from __future__ import annotations

import contextlib
import copy
import io
import os
from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn
from xtensor.nn import __main__ as command
from xtensor.nn import models

os.environ["HF_HUB_OFFLINE"] = "1"
transformers = pytest.importorskip("transformers", reason="the environment networks of tox has transformers")
tokenizers = pytest.importorskip("tokenizers")

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of transformers about its own functions

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 300,
    "max_position_embeddings": 128,
    "bos_token_id": 1,
    "eos_token_id": None,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 32}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 300, "n_positions": 128}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", SMALL),
    "llama with biases": ("Llama", {**SMALL, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "llama 3": ("Llama", {**SMALL, "rope_parameters": LLAMA3}),
    "linear scaling": (
        "Llama",
        {**SMALL, "rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0}},
    ),
    "yarn": ("Llama", {**SMALL, "head_dim": 32, "rope_parameters": YARN}),
    "yarn with settings": (
        "Qwen2",
        {**SMALL, "head_dim": 32, "rope_parameters": {**YARN, "beta_fast": 8, "beta_slow": 2, "truncate": False}},
    ),
    "yarn with a magnitude": ("Llama", {**SMALL, "rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.5}}),
    "mistral": ("Mistral", {**SMALL, "sliding_window": 7}),
    "mistral without window": ("Mistral", {**SMALL, "sliding_window": None}),
    "qwen2": ("Qwen2", {**SMALL, "tie_word_embeddings": True}),
    "qwen2 with windows": (
        "Qwen2",
        {**SMALL, "use_sliding_window": True, "sliding_window": 9, "max_window_layers": 1},
    ),
    "qwen3": ("Qwen3", {**SMALL, "head_dim": 16}),
    "gpt2": ("GPT2", {**GPT2, "bos_token_id": 1, "eos_token_id": None}),
}

NAMES = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: Any) -> Any:
    """The model of transformers and its folder, by the name of the case; each is built once."""
    built: dict[str, Any] = {}

    def build(name: str) -> Any:
        if name not in built:
            kind, options = CASES[name]
            torch.manual_seed(0)
            head = "LMHeadModel" if kind == "GPT2" else "ForCausalLM"
            model = getattr(transformers, kind + head)(getattr(transformers, f"{kind}Config")(**options)).eval()
            with torch.no_grad():
                for x in model.parameters():
                    x += 0.1 * torch.randn_like(x)  # no bias is 0 and no weight of a normalization 1
            folder = tmp_path_factory.mktemp("model")
            model.save_pretrained(folder)
            built[name] = model, folder
        return built[name]

    return build


TOKENS = np.random.default_rng(0).integers(0, 300, (2, 40))


@NAMES
def test_scores_are_those_of_transformers(name: str, pairs: Any) -> None:
    theirs, folder = pairs(name)
    with torch.no_grad():
        expected = theirs(torch.from_numpy(TOKENS)).logits.numpy()
    found = xp.to_numpy(models.from_folder(folder)(xp.asarray(TOKENS)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@NAMES
def test_fifty_tokens_are_those_of_transformers(name: str, pairs: Any) -> None:
    theirs, folder = pairs(name)
    prompt = TOKENS[:1, :10]
    options = {"max_new_tokens": 50, "do_sample": False, "pad_token_id": 0}
    expected = theirs.generate(torch.from_numpy(prompt), **options)[0, 10:].tolist()
    found = list(models.generate(models.from_folder(folder), prompt[0].tolist(), max_tokens=50))
    assert found == expected


@NAMES
def test_texts_of_a_batch_are_those_of_transformers(name: str, pairs: Any) -> None:
    """Three texts with padding before them, of which each ends at another of a few tokens, or not at all."""
    theirs, folder = pairs(name)
    lengths, ends = (3, 10, 7), list(range(0, 300, 9))
    tokens, mask = np.zeros((3, 10), dtype=np.int64), np.zeros((3, 10), dtype=np.int64)
    for row, length in enumerate(lengths):
        tokens[row, 10 - length :], mask[row, 10 - length :] = TOKENS.ravel()[row * 10 : row * 10 + length], 1
    options = {"max_new_tokens": 20, "do_sample": False, "pad_token_id": 0, "eos_token_id": ends}
    expected = theirs.generate(torch.from_numpy(tokens), attention_mask=torch.from_numpy(mask), **options)
    texts = [row[10 - length :].tolist() for row, length in zip(tokens, lengths, strict=True)]
    found = models.generate_batch(models.from_folder(folder), texts, max_tokens=20, stop=ends)
    for ours, row in zip(found, expected[:, 10:].tolist(), strict=True):
        assert ours == [token for token, end in zip(row, np.cumsum(np.isin(row, ends)), strict=True) if not end]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_folder_in_a_short_dtype_is_loaded(dtype: str, pairs: Any, tmp_path: Any) -> None:
    theirs, _ = pairs("llama")
    copy.deepcopy(theirs).to(getattr(torch, dtype)).save_pretrained(tmp_path)
    with torch.no_grad():
        rounded = transformers.LlamaForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
        expected = rounded(torch.from_numpy(TOKENS)).logits.numpy()
    found = xp.to_numpy(models.from_folder(tmp_path)(xp.asarray(TOKENS)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_folder_of_several_files_is_loaded(pairs: Any, tmp_path: Any) -> None:
    theirs, folder = pairs("qwen2")
    theirs.save_pretrained(tmp_path, max_shard_size="50KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    found, expected = [models.from_folder(path)(xp.asarray(TOKENS)) for path in (tmp_path, folder)]
    np.testing.assert_array_equal(xp.to_numpy(found), xp.to_numpy(expected))


@pytest.mark.parametrize("kind", ["BertModel", "BertForPreTraining"])
def test_vectors_of_bert_are_those_of_transformers(kind: str, tmp_path: Any) -> None:
    torch.manual_seed(0)
    sizes = {name: value for name, value in SMALL.items() if name != "num_key_value_heads"}
    theirs = getattr(transformers, kind)(transformers.BertConfig(**sizes)).eval()
    theirs.save_pretrained(tmp_path)
    mask, types = np.ones((2, 40), dtype=np.int64), np.zeros((2, 40), dtype=np.int64)
    mask[1, 25:] = 0
    types[:, 10:] = 1
    inputs = [torch.from_numpy(x) for x in (TOKENS, mask, types)]
    with torch.no_grad():
        expected = getattr(theirs, "bert", theirs)(inputs[0], attention_mask=inputs[1], token_type_ids=inputs[2])
    found = models.from_folder(tmp_path)(*[xp.asarray(x) for x in (TOKENS, mask, types)])
    seen = mask.astype(bool)
    np.testing.assert_allclose(
        xp.to_numpy(found.hidden)[seen], expected.last_hidden_state.numpy()[seen], rtol=0, atol=1e-5
    )
    np.testing.assert_allclose(xp.to_numpy(found.pooled), expected.pooler_output.numpy(), rtol=0, atol=1e-5)


# -- choice of tokens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{}, {"temperature": 0.7}, {"top_k": 5}, {"top_p": 0.8}, {"temperature": 1.5, "top_k": 20, "top_p": 0.5}],
    ids=str,
)
def test_probabilities_are_those_of_transformers(options: dict[str, Any]) -> None:
    scores = np.random.default_rng(0).normal(size=300)
    steps = [
        transformers.TemperatureLogitsWarper(options.get("temperature", 1.0)),
        *([transformers.TopKLogitsWarper(options["top_k"])] if "top_k" in options else []),
        *([transformers.TopPLogitsWarper(options["top_p"])] if "top_p" in options else []),
    ]
    kept = torch.from_numpy(scores)[None, :]
    for step in steps:
        kept = step(torch.zeros((1, 1), dtype=torch.int64), kept)
    expected = torch.softmax(kept, -1)[0].numpy()
    found = models.generation.probabilities(scores, **{"temperature": 1.0, **options})
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# -- texts ------------------------------------------------------------------------------------------------------------

TEXT = "The quick brown fox jumps over the lazy dog; größere Füchse → 狐狸 jump 🦊 higher."


@pytest.fixture(scope="module")
def byte_tokenizer() -> Any:
    """A tokenizer of bytes, as that of GPT-2, whose tokens may be parts of characters."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([TEXT] * 3, trainer)
    return tokenizer


@pytest.fixture(scope="module")
def word_tokenizer() -> Any:
    """A tokenizer of words with a mark for the space before them, as that of Llama."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=300, special_tokens=["<s>", "</s>"], show_progress=False)
    tokenizer.train_from_iterator([TEXT] * 3, trainer)
    return tokenizer


@pytest.mark.parametrize("name", ["byte_tokenizer", "word_tokenizer"])
def test_stream_of_tokens_is_their_text(name: str, request: Any, tmp_path: Any) -> None:
    theirs = request.getfixturevalue(name)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = models.Tokenizer(tmp_path)
    tokens = ours.encode(TEXT)
    assert tokens == theirs.encode(TEXT).ids
    assert ours.decode(tokens) == TEXT
    parts = list(ours.stream(tokens))
    assert "".join(parts) == TEXT
    assert len(parts) > 10
    assert "\N{REPLACEMENT CHARACTER}" not in "".join(parts)


def test_tokens_of_several_texts_have_padding_at_the_end(byte_tokenizer: Any, tmp_path: Any) -> None:
    byte_tokenizer.save(str(tmp_path / "tokenizer.json"))
    ours = models.Tokenizer(tmp_path / "tokenizer.json")
    tokens, mask = ours.encode_batch(["The quick", "T"])
    assert tokens[0] == ours.encode("The quick")
    assert [token for token, seen in zip(tokens[1], mask[1], strict=True) if seen] == ours.encode("T")
    assert len(tokens[1]) == len(tokens[0]) == len(mask[1])


def test_damaged_tokenizer_is_refused(tmp_path: Any) -> None:
    (tmp_path / "tokenizer.json").write_text('{"model": 3}')
    with pytest.raises(ValueError, match=r"tokenizer\.json is no file of the package tokenizers"):
        models.Tokenizer(tmp_path)


def run(*arguments: str) -> tuple[int, str, str]:
    """The exit status, output and errors of the command."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = command.main(["generate", *arguments])
    return status, output.getvalue(), errors.getvalue()


def test_command_prints_the_text_of_transformers(pairs: Any, byte_tokenizer: Any) -> None:
    theirs, folder = pairs("gpt2")
    byte_tokenizer.save(str(folder / "tokenizer.json"))
    prompt = torch.asarray([byte_tokenizer.encode("The quick").ids])
    expected = theirs.generate(prompt, max_new_tokens=20, do_sample=False, pad_token_id=0)[0].tolist()
    assert run(str(folder), "The quick", "--max-tokens", "20") == (0, byte_tokenizer.decode(expected) + "\n", "")


def test_command_answers_by_the_template(pairs: Any, byte_tokenizer: Any) -> None:
    theirs, folder = pairs("gpt2")
    byte_tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text("Q: {{ messages[0].content }} A:", encoding="utf-8")
    prompt = torch.asarray([byte_tokenizer.encode("Q: The quick A:").ids])
    expected = theirs.generate(prompt, max_new_tokens=20, do_sample=False, pad_token_id=0)[
        0, prompt.shape[1] :
    ].tolist()
    found = run(str(folder), "The quick", "--chat", "--max-tokens", "20")
    assert found == (0, byte_tokenizer.decode(expected) + "\n", "")


def test_tokens_of_the_end_are_those_of_generation_config(pairs: Any, tmp_path: Any) -> None:
    theirs, _ = pairs("llama")
    theirs = copy.deepcopy(theirs)
    theirs.generation_config.eos_token_id = [7, 9]
    theirs.save_pretrained(tmp_path)
    assert models.from_folder(tmp_path).config.eos_tokens == (7, 9)


def test_command_repeats_a_seed(pairs: Any, byte_tokenizer: Any) -> None:
    _, folder = pairs("gpt2")
    byte_tokenizer.save(str(folder / "tokenizer.json"))
    texts = [
        run(str(folder), "The", "--max-tokens", "20", "--temperature", "1", "--top-k", "50", "--seed", seed)[1]
        for seed in ("1", "1", "2")
    ]
    assert texts[0] == texts[1] != texts[2]


def test_command_says_what_is_missing(tmp_path: Any) -> None:
    status, output, errors = run(str(tmp_path), "The")
    assert (status, output) == (1, "")
    assert "tokenizer.json" in errors


def test_transformers_reads_our_weights(pairs: Any, tmp_path: Any) -> None:
    """The names of a decoder's state are Llama's, without the prefix."""
    theirs, folder = pairs("llama")
    state = models.from_folder(folder).state_dict()
    nn.save(
        {name if name.startswith("lm_head") else f"model.{name}": x for name, x in state.items()},
        tmp_path / "model.safetensors",
        metadata={"format": "pt"},
    )
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    found = transformers.LlamaForCausalLM.from_pretrained(tmp_path)
    with torch.no_grad():
        tokens = torch.from_numpy(TOKENS)
        np.testing.assert_array_equal(found(tokens).logits.numpy(), theirs(tokens).logits.numpy())
