"""Tokenizers of files of the format GGUF, as those of the package ``tokenizers``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._core.errors import describe, shortened

__all__ = ["flag", "special_tokens", "tokenizer_from_settings"]

CONTROL, USER_DEFINED = 3, 4
"""Types of tokens that a text is divided at: those that are not shown, and those that are."""

SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
LLAMA_3 = rf"{WORDS}|\p{{N}}{{1,3}}|{SIGNS}|{SPACES}"
QWEN_2 = rf"{WORDS}|\p{{N}}|{SIGNS}|{SPACES}"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
)

WORD_PATTERNS: dict[str, str | None] = {
    "gpt-2": None,
    "llama-bpe": LLAMA_3,
    "llama-v3": LLAMA_3,
    "llama3": LLAMA_3,
    "smaug-bpe": LLAMA_3,
    "deepseek-r1-qwen": QWEN_2,
    "qwen2": QWEN_2,
    "tekken": TEKKEN,
}
"""Patterns of the words that a text is divided into before its bytes are joined, by the names that files have for
them; None for the pattern of GPT-2, which the package knows."""

WHOLE_WORDS = (LLAMA_3, TEKKEN)
"""Patterns of vocabularies in which a word that is a token is not joined from others."""


def flag(settings: Mapping[str, Any], name: str, default: bool) -> bool:
    """Return a setting that is a bool."""
    value = settings.get(name, default)
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {describe(value)}, expected true or false")
    return value


def special_tokens(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the tokens of the beginning, the end and others, by the names that templates of conversations use."""
    names = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    tokens, special = _tokens(settings), {}
    for name, key in names.items():
        number = settings.get(f"tokenizer.ggml.{key}_token_id")
        if number is not None:
            if not isinstance(number, int) or not 0 <= number < len(tokens):
                raise ValueError(
                    f"tokenizer.ggml.{key}_token_id is {number!r}, expected the number of one of {len(tokens)} tokens"
                )
            special[name] = tokens[number]
    return special


def tokenizer_from_settings(settings: Mapping[str, Any]) -> Any:
    """Return a tokenizer of the package ``tokenizers``.

    Parameters
    ----------
    settings
        The settings of the file, of which ``tokenizer.ggml.model`` is gpt2 (joined bytes) or llama (joined characters).

    Raises
    ------
    ValueError
        If the settings are of another kind of tokenizer, or do not fit together.
    """
    kind = settings.get("tokenizer.ggml.model")
    if kind not in ("gpt2", "llama"):
        raise ValueError(f"tokenizer.ggml.model is {kind!r}, and only gpt2 and llama are implemented")
    tokens = _tokens(settings)
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer, begins = (_of_bytes if kind == "gpt2" else _of_characters)(settings, vocabulary)
    _add_special(tokenizer, settings, tokens)
    _add_template(tokenizer, settings, begins)
    return tokenizer


def _tokens(settings: Mapping[str, Any]) -> list[str]:
    tokens = settings.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, list) or not tokens:
        raise ValueError(f"tokenizer.ggml.tokens is {describe(tokens)}, expected a list of texts")
    return tokens


def _of_bytes(settings: Mapping[str, Any], vocabulary: dict[str, int]) -> tuple[Any, bool]:
    """Return a tokenizer as GPT-2's, and whether a text begins with a token of its own by default."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    name = settings.get("tokenizer.ggml.pre", "gpt-2")
    if name not in WORD_PATTERNS:
        known = ", ".join(WORD_PATTERNS)
        raise ValueError(f"tokenizer.ggml.pre is {name!r}, and only {known} are implemented")
    merges = settings.get("tokenizer.ggml.merges")
    pairs = [tuple(merge.split(" ")) for merge in merges] if isinstance(merges, list) else []
    for pair in pairs:
        if len(pair) != 2 or not {*pair, "".join(pair)} <= vocabulary.keys():
            raise ValueError(
                f"tokenizer.ggml.merges has {shortened(' '.join(pair))}, expected two tokens that make one"
            )
    pattern = WORD_PATTERNS[name]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs, ignore_merges=pattern in WHOLE_WORDS))
    words: Any = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    if pattern is not None:
        words = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), behavior="isolated"), words])
    tokenizer.pre_tokenizer = words
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, pattern == LLAMA_3


def _of_characters(settings: Mapping[str, Any], vocabulary: dict[str, int]) -> tuple[Any, bool]:
    """Return a tokenizer as Llama 2's, and True: a text begins with a token of its own by default."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    scores = settings.get("tokenizer.ggml.scores")
    if getattr(scores, "shape", None) != (len(settings["tokenizer.ggml.tokens"]),):
        raise ValueError(f"tokenizer.ggml.scores is {describe(scores)}, expected a number for each token")
    unknown = special_tokens(settings).get("unk_token")
    tokenizer = Tokenizer(
        models.BPE(
            vocab=vocabulary, merges=_merges(vocabulary, scores), unk_token=unknown, fuse_unk=True, byte_fallback=True
        )
    )
    mark = "\N{LOWER ONE EIGHTH BLOCK}"
    steps: list[Any] = [normalizers.Replace(" ", mark)]
    ends: list[Any] = [decoders.Replace(mark, " "), decoders.ByteFallback(), decoders.Fuse()]
    if flag(settings, "tokenizer.ggml.add_space_prefix", True):
        steps.insert(0, normalizers.Prepend(mark))
        ends.append(decoders.Strip(" ", 1, 0))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.decoder = decoders.Sequence(ends)
    return tokenizer, True


def _merges(vocabulary: dict[str, int], scores: Any) -> list[tuple[str, str]]:
    """Return the pairs of tokens that make one, those that make a token of a high score first."""
    pairs = [
        (-float(scores[number]), -position, token[:position], token[position:])
        for token, number in vocabulary.items()
        for position in range(1, len(token))
        if token[:position] in vocabulary and token[position:] in vocabulary
    ]
    return [(first, second) for _, _, first, second in sorted(pairs)]


def _add_special(tokenizer: Any, settings: Mapping[str, Any], tokens: list[str]) -> None:
    """Let the text be divided at tokens that are never joined."""
    from tokenizers import AddedToken

    kinds = settings.get("tokenizer.ggml.token_type")
    if kinds is None:
        return
    if getattr(kinds, "shape", None) != (len(tokens),):
        raise ValueError(f"tokenizer.ggml.token_type is {describe(kinds)}, expected a number for each token")
    for kind in (CONTROL, USER_DEFINED):
        chosen = [token for token, number in zip(tokens, kinds, strict=True) if number == kind]
        added = [AddedToken(token, special=kind == CONTROL, normalized=False) for token in chosen]
        (tokenizer.add_special_tokens if kind == CONTROL else tokenizer.add_tokens)(added)


def _add_template(tokenizer: Any, settings: Mapping[str, Any], begins: bool) -> None:
    """Add the tokens of the beginning and of the end to texts."""
    from tokenizers import processors

    named = special_tokens(settings)
    first = named.get("bos_token") if flag(settings, "tokenizer.ggml.add_bos_token", begins) else None
    last = named.get("eos_token") if flag(settings, "tokenizer.ggml.add_eos_token", False) else None
    if first is not None or last is not None:
        ends = [token for token in (first, last) if token is not None]
        single = [*([first] if first is not None else []), "$A", *([last] if last is not None else [])]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=single, special_tokens=[(token, tokenizer.token_to_id(token)) for token in dict.fromkeys(ends)]
        )
