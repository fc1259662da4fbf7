"""Tokenizers of files GGUF and templates of conversations, next to transformers and sentencepiece."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xtensor.nn import models
from xtensor.nn.models.gguf_tokenizer import WORD_PATTERNS

os.environ["HF_HUB_OFFLINE"] = "1"
gguf = pytest.importorskip("gguf", reason="the environment networks of tox has gguf")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
sentencepiece = pytest.importorskip("sentencepiece")
pytest.importorskip("jinja2")

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of transformers about its own functions

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "I'll say THEY'RE here, it's O'Brien's; WE'VE 1234567 dogs and 89 cats",
    "two  spaces, three   spaces\n\n\nlines\r\n\ttabs \n end ",
    "größere Füchse → 狐狸 jump 🦊 higher, naïve café",
    "x = [i**2 for i in range(10)]  # code; path/to/file\n    return x",
    "CamelCaseWords and snake_case_words, HTTPServer",
    "<s> is special, and so is </s>; <think>this</think> is not",
    "a",
    "",
]
SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<think>", "</think>"]
"""The first tokens; the last two are shown in texts."""

KINDS = [2, 3, 3, 3, 4, 4]


def write(path: Path, kind: str, tokens: list[str], kinds: list[int], **options: Any) -> None:
    """Write a file with a tokenizer, and the sizes of a model without tensors."""
    writer = gguf.GGUFWriter(path, "llama")
    for add, value in (
        (writer.add_context_length, 64),
        (writer.add_embedding_length, 32),
        (writer.add_block_count, 1),
        (writer.add_feed_forward_length, 64),
        (writer.add_head_count, 2),
        (writer.add_head_count_kv, 2),
        (writer.add_layer_norm_rms_eps, 1e-5),
        (writer.add_vocab_size, len(tokens)),
    ):
        add(value)
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    for name, number in (("unk", 0), ("bos", 1), ("eos", 2), ("pad", 3)):
        getattr(writer, f"add_{name}_token_id")(number)
    for name, value in options.items():
        getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def theirs_of(path: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)


@pytest.fixture(scope="module")
def byte_tokens() -> tuple[list[str], list[str]]:
    """Tokens and merges that the package tokenizers learns from the texts."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    vocabulary = tokenizer.get_vocab()
    tokenizer.model.save(str(folder := Path(os.environ.get("TMPDIR", "/tmp"))), "bytes")
    merges = (folder / "bytes-merges.txt").read_text(encoding="utf-8").splitlines()
    return sorted(vocabulary, key=vocabulary.__getitem__), [line for line in merges if not line.startswith("#version")]


@pytest.mark.parametrize("name", [None, *WORD_PATTERNS])
@pytest.mark.parametrize("ends", [{}, {"add_bos_token": True, "add_eos_token": True}], ids=["plain", "ends"])
def test_tokens_of_bytes_are_those_of_transformers(
    name: str | None, ends: dict[str, bool], byte_tokens: Any, tmp_path: Path
) -> None:
    tokens, merges = byte_tokens
    path = tmp_path / "model.gguf"
    options: dict[str, Any] = {"token_merges": merges, **ends}
    if name is not None:
        options["tokenizer_pre"] = name
    write(path, "gpt2", tokens, KINDS + [1] * (len(tokens) - len(KINDS)), **options)
    ours, theirs = models.Tokenizer(path), theirs_of(path)
    for text in TEXTS:
        assert ours.encode(text, special=False) == theirs.encode(text, add_special_tokens=False)
        found = ours.encode(text)
        if ends:
            assert found == theirs.encode(text)
        assert ours.decode(found) == theirs.decode(found, skip_special_tokens=True)
