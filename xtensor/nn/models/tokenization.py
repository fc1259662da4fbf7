"""Tokens of texts, by the package ``tokenizers``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._core.errors import describe, install_command
from .chat import ChatTemplate
from .folder import read_json
from .gguf_file import GgufFile
from .gguf_tokenizer import special_tokens, tokenizer_from_settings

__all__ = ["Tokenizer"]


class Tokenizer:
    """Turns a text into the tokens of a model, and tokens into a text.

    Parameters
    ----------
    path
        Folder of a model, with ``tokenizer.json``; or that file, or one of the format GGUF.

    Raises
    ------
    ImportError
        If the package ``tokenizers`` is missing.
    FileNotFoundError
        If the file is missing.
    ValueError
        If the file is damaged, or has a kind of tokenizer that is not implemented.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import tokenizers
        except ImportError as error:
            raise ImportError(
                f"Tokenizer() needs the package tokenizers, which is missing; {install_command('tokenizers>=0.22')}"
            ) from error
        file = Path(path)
        file = file / "tokenizer.json" if file.is_dir() else file
        self._template: ChatTemplate | None = None
        if file.suffix == ".gguf":
            self._read_gguf(file)
        else:
            text = file.read_text(encoding="utf-8")
            try:
                self._tokenizer = tokenizers.Tokenizer.from_str(text)
            except Exception as error:  # the package raises no narrower class
                raise ValueError(f"{file} is no file of the package tokenizers: {error}") from error
            self._template = _template_of_folder(file.parent)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def _read_gguf(self, file: Path) -> None:
        settings = GgufFile(file).settings
        try:
            self._tokenizer = tokenizer_from_settings(settings)
            template = settings.get("tokenizer.chat_template")
            if isinstance(template, str):
                self._template = ChatTemplate(template, special_tokens(settings))
        except ValueError as error:
            raise ValueError(f"{file}: {error}; pass the tokenizer.json of the model's folder instead") from error

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """Return the tokens of a text.

        Parameters
        ----------
        text
            The text.
        special
            Whether tokens such as that of the beginning are added, as the model's file says.
        """
        if not isinstance(text, str):
            raise TypeError(f"encode() takes a text, not {describe(text)}")
        return list(self._tokenizer.encode(text, add_special_tokens=special).ids)

    def encode_batch(self, texts: Sequence[str]) -> tuple[list[list[int]], list[list[bool]]]:
        """Return the tokens of several texts with padding at the end, and which are no padding."""
        rows = [self.encode(text) for text in texts]
        longest = max(map(len, rows), default=0)
        tokens = [row + [0] * (longest - len(row)) for row in rows]
        return tokens, [[number < len(row) for number in range(longest)] for row in rows]

    def encode_chat(
        self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = True, **variables: Any
    ) -> list[int]:
        """Return the tokens of a conversation, by the template of the model's folder or file.

        Parameters
        ----------
        messages
            Dicts with ``role``, such as ``"user"``, and ``content``.
        add_generation_prompt
            Whether the beginning of an answer follows, which the model continues.
        variables
            Other variables of the template, such as ``tools``.

        Raises
        ------
        ImportError
            If the package ``jinja2`` is missing.
        TypeError
            If ``messages`` is no list of dicts.
        ValueError
            If there is no template, or it refuses the messages.
        """
        if self._template is None:
            raise ValueError("encode_chat(): the model has no template of conversations; use encode()")
        text = self._template.render(messages, add_generation_prompt, **variables)
        return self.encode(text, special=False)

    def decode(self, tokens: Iterable[int], *, special: bool = False) -> str:
        """Return the text of tokens.

        Parameters
        ----------
        tokens
            The tokens.
        special
            Whether tokens such as that of the end are shown.
        """
        text: str = self._tokenizer.decode([int(token) for token in tokens], skip_special_tokens=not special)
        return text

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of tokens as they come, as soon as their characters are complete."""
        waiting: list[int] = []
        shown = ""
        for token in tokens:
            waiting.append(int(token))
            text = self.decode(waiting)
            if text.endswith("�") or len(text) <= len(shown):  # the bytes of a character are not complete
                continue
            yield text[len(shown) :]
            # The last token stays, because the space before a word depends on the token before it.
            waiting = waiting[-1:]
            shown = self.decode(waiting)
        text = self.decode(waiting)
        if len(text) > len(shown):
            yield text[len(shown) :]

    @property
    def size(self) -> int:
        """Number of tokens."""
        count: int = self._tokenizer.get_vocab_size()
        return count


def _template_of_folder(folder: Path) -> ChatTemplate | None:
    """Return the template of conversations of a folder; None where it has none."""
    settings = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").exists() else {}
    source = settings.get("chat_template")
    if (folder / "chat_template.jinja").exists():
        source = (folder / "chat_template.jinja").read_text(encoding="utf-8")
    if isinstance(source, list):  # several templates, by names
        named = {item.get("name"): item.get("template") for item in source if isinstance(item, dict)}
        source = named.get("default")
    if not isinstance(source, str):
        return None
    tokens = {}
    for name, value in settings.items():
        content = value.get("content") if isinstance(value, dict) else value
        if name.endswith("_token") and isinstance(content, str):
            tokens[name] = content
    return ChatTemplate(source, tokens)
