"""Tokenizers of files GGUF and templates of conversations, next to transformers and sentencepiece."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

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
def byte_tokens(tmp_path_factory: Any) -> tuple[list[str], list[str]]:
    """Tokens and merges that the package tokenizers learns from the texts."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    vocabulary = tokenizer.get_vocab()
    folder = tmp_path_factory.mktemp("bytes")
    tokenizer.model.save(str(folder), "bytes")
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


def learned(prefix: bool) -> Any:
    """Return what sentencepiece learns from the texts, with Llama's settings."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for text in TEXTS if text] * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=440,
        character_coverage=1.0,
        byte_fallback=True,
        split_digits=True,
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        normalization_rule_name="identity",
        add_dummy_prefix=prefix,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


@pytest.fixture(scope="module")
def pieces() -> Any:
    return learned(True)


def write_pieces(path: Path, pieces: Any, **options: Any) -> None:
    count = range(pieces.get_piece_size())
    kinds = [2 if pieces.is_unknown(n) else 3 if pieces.is_control(n) else 6 if pieces.is_byte(n) else 1 for n in count]
    scores = [pieces.get_score(n) for n in count]
    write(path, "llama", [pieces.id_to_piece(n) for n in count], kinds, token_scores=scores, **options)


PLAIN = [text for text in TEXTS if "<s>" not in text]  # in the text "<s>", sentencepiece sees no token


@pytest.mark.parametrize("text", ["  hi", " leading", "\n", "   ", "unseen 語 \U0001f40d", *PLAIN])
def test_tokens_of_characters_are_those_of_sentencepiece(text: str, pieces: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_pieces(path, pieces)
    ours = models.Tokenizer(path)
    expected = pieces.encode(text)
    assert ours.encode(text, special=False) == expected
    assert ours.encode(text) == [1, *expected]
    assert ours.decode(expected) == pieces.decode(expected) == text
    assert "".join(ours.stream(expected)) == text


def test_tokens_without_a_mark_before_the_text_are_those_of_sentencepiece(tmp_path: Path) -> None:
    pieces, path = learned(False), tmp_path / "model.gguf"
    write_pieces(path, pieces, add_space_prefix=False, add_bos_token=False)
    ours = models.Tokenizer(path)
    for text in ["  hi", *PLAIN]:
        assert ours.encode(text) == pieces.encode(text)
        assert ours.decode(ours.encode(text)) == text


def test_tokens_of_characters_are_those_of_transformers(pieces: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_pieces(path, pieces)
    ours, theirs = models.Tokenizer(path), theirs_of(path)
    for text in PLAIN:
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode(theirs.encode(text)) == text


def test_special_tokens_are_found_in_a_text_and_begin_a_part(pieces: Any, tmp_path: Path) -> None:
    """As in Llama 2's own file, each part of the text has a mark for a space before it."""
    path = tmp_path / "model.gguf"
    write_pieces(path, pieces, add_eos_token=True)
    found = models.Tokenizer(path).encode("The quick</s>brown")
    assert found == [1, *pieces.encode("The quick"), 2, *pieces.encode("brown"), 2]
    assert models.Tokenizer(path).decode(found, special=True) == "<s> The quick</s> brown</s>"


# -- conversations ----------------------------------------------------------------------------------------------------

MARKED = """{% for message in messages %}
{{ '<|' + message['role'] + '|>' + message['content'] | trim + eos_token }}
{% endfor %}
{% if add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
"""

INSTRUCTIONS = """{{ bos_token }}{%- if messages[0].role == 'system' -%}
    {%- set ns = namespace(system=messages[0]['content']) -%}{%- set rest = messages[1:] -%}
{%- else -%}
    {%- set ns = namespace(system=none) -%}{%- set rest = messages -%}
{%- endif -%}
{%- if tools is not none -%}[TOOLS]{{ tools | tojson }}[/TOOLS]{%- endif -%}
{%- for message in rest -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception('the roles do not alternate') }}
    {%- endif -%}
    {%- if message['role'] == 'user' -%}
        [INST] {% if loop.first and ns.system is not none %}{{ ns.system }}\\n{% endif %}{{ message.content }} [/INST]
    {%- else -%}
        {% generation %} {{ message.content }}{{ eos_token }}{% endgeneration %}
    {%- endif -%}
    {%- if loop.index > 20 -%}{%- break -%}{%- endif -%}
{%- endfor -%}"""

QUESTION = [{"role": "user", "content": ' What is <b>2</b> & "2"? '}]
CONVERSATION = [
    {"role": "system", "content": "Be größer."},
    *QUESTION,
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": "And 3 + 3?"},
]
TOOLS = [{"type": "function", "function": {"name": "größe", "parameters": {"x": "<int>"}}}]


def chat_folder(folder: Path, template: Any, *, in_file: bool) -> Any:
    """Write a folder with a tokenizer of bytes; return transformers' tokenizer of it."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "</s>", "<|user|>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=["<s>", "$A"], special_tokens=[("<s>", 0)]
    )
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    theirs.chat_template = template
    theirs.save_pretrained(folder, save_jinja_files=in_file)
    assert (folder / "chat_template.jinja").exists() == in_file
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("in_file", [True, False], ids=["file", "setting"])
@pytest.mark.parametrize(
    "template", [MARKED, INSTRUCTIONS, {"default": MARKED, "other": "x"}], ids=["marked", "instructions", "several"]
)
def test_tokens_of_a_conversation_are_those_of_transformers(template: Any, in_file: bool, tmp_path: Path) -> None:
    theirs = chat_folder(tmp_path, template, in_file=in_file)
    ours = models.Tokenizer(tmp_path)
    for messages in (QUESTION, CONVERSATION):
        for prompt in (True, False):
            for options in ({}, {"tools": TOOLS}):
                expected = theirs.apply_chat_template(
                    messages, add_generation_prompt=prompt, return_dict=False, **options
                )
                found = ours.encode_chat(messages, add_generation_prompt=prompt, **options)
                assert found == expected
                assert ours.decode(found, special=True) == theirs.decode(expected)


def test_template_of_a_gguf_file_is_that_of_transformers(byte_tokens: Any, tmp_path: Path) -> None:
    tokens, merges = byte_tokens
    path = tmp_path / "model.gguf"
    kinds = KINDS + [1] * (len(tokens) - len(KINDS))
    write(path, "gpt2", tokens, kinds, token_merges=merges, chat_template=INSTRUCTIONS, add_bos_token=True)
    expected = theirs_of(path).apply_chat_template(CONVERSATION, return_dict=False)
    assert models.Tokenizer(path).encode_chat(CONVERSATION) == expected


@pytest.mark.parametrize(
    ("template", "messages", "error", "message"),
    [
        (INSTRUCTIONS, CONVERSATION[2:3], ValueError, "template refuses the messages: the roles do not alternate"),
        (MARKED, [{"content": "user"}], ValueError, "template refuses the messages"),
        (MARKED, [], ValueError, "there is no message"),
        (MARKED, "What?", TypeError, "takes a list of dicts with role and content"),
        ("{% if %}", QUESTION, ValueError, "template of conversations is damaged"),
        (
            "{{ messages.__class__.__mro__ }}",
            QUESTION,
            ValueError,
            "template refuses the messages: access to attribute",
        ),
        ("{{ messages.append(1) }}", QUESTION, ValueError, "template refuses the messages: access to attribute"),
        (None, QUESTION, ValueError, "the model has no template of conversations; use encode"),
    ],
)
def test_conversation_that_a_template_refuses(
    template: Any, messages: Any, error: Any, message: str, tmp_path: Path
) -> None:
    chat_folder(tmp_path, None, in_file=False)
    if template is not None:
        (tmp_path / "chat_template.jinja").write_text(template)
    with pytest.raises(error, match=message):
        models.Tokenizer(tmp_path).encode_chat(messages)


# -- damaged files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "tokens", "options", "message"),
    [
        (
            "bert",
            ["a"] * 4,
            {},
            "tokenizer.ggml.model is 'bert', and only gpt2 and llama are implemented; pass the tok",
        ),
        ("gpt2", ["a", "b", "c", "d"], {"tokenizer_pre": "viking"}, "tokenizer.ggml.pre is 'viking', and only gpt-2"),
        ("gpt2", ["a", "b", "c", "d"], {"token_merges": ["a b"]}, "tokenizer.ggml.merges has 'a b', expected two"),
        ("gpt2", ["a", "b", "c"], {}, "padding_token_id is 3, expected the number of one of 3 tokens"),
        ("llama", ["a", "b", "c", "d"], {}, "tokenizer.ggml.scores is None, expected a number for each token"),
        ("llama", ["a", "b", "c", "d"], {"token_scores": [1.0]}, "tokenizer.ggml.scores is .*a number for each token"),
    ],
)
def test_file_whose_tokenizer_is_not_read(
    kind: str, tokens: list[str], options: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    write(path, kind, tokens, [1] * len(tokens), **options)
    with pytest.raises(ValueError, match=message):
        models.Tokenizer(path)
