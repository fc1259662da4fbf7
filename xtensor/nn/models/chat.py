"""Templates of conversations, by the package ``jinja2``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from ..._core.errors import describe, install_command

__all__ = ["ChatTemplate"]


class ChatTemplate:
    """Makes one text of the messages of a conversation, as the model's authors trained it.

    Templates are programs of others: they run in the sandbox of ``jinja2``, without access to Python.

    Parameters
    ----------
    source
        The template.
    tokens
        Tokens that it uses by name, such as ``bos_token``.
    """

    def __init__(self, source: str, tokens: Mapping[str, str]) -> None:
        self.source, self.tokens = source, dict(tokens)

    @cached_property
    def _compiled(self) -> Any:
        try:
            import jinja2
            from jinja2.sandbox import ImmutableSandboxedEnvironment
        except ImportError as error:
            raise ImportError(
                f"encode_chat() needs the package jinja2, which is missing; {install_command('jinja2>=3.1.6')}"
            ) from error
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _generation_block()]
        )
        environment.filters["tojson"] = _json
        environment.globals |= {"raise_exception": _refuse, "strftime_now": lambda form: datetime.now().strftime(form)}
        try:
            return environment.from_string(self.source)
        except jinja2.TemplateError as error:
            raise ValueError(f"the template of conversations is damaged: {error}") from error

    def render(self, messages: Sequence[Mapping[str, Any]], add_generation_prompt: bool, **variables: Any) -> str:
        """Return the text of a conversation.

        Parameters
        ----------
        messages
            Dicts with ``role`` and ``content``.
        add_generation_prompt
            Whether the beginning of an answer follows.
        variables
            Other variables of the template.

        Raises
        ------
        TypeError
            If ``messages`` are no dicts.
        ValueError
            If there is no message, or the template refuses them.
        """
        if not isinstance(messages, (list, tuple)) or not all(isinstance(item, Mapping) for item in messages):
            raise TypeError(f"encode_chat() takes a list of dicts with role and content, not {describe(messages)}")
        if not messages:
            raise ValueError("encode_chat(): there is no message")
        template = self._compiled
        from jinja2 import TemplateError

        names = {"tools": None, "documents": None, **self.tokens, **variables}
        try:
            text: str = template.render(messages=messages, add_generation_prompt=add_generation_prompt, **names)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ValueError(f"encode_chat(): the template refuses the messages: {error}") from error
        return text


def _refuse(message: str) -> None:
    """Raise the error that a template has for a conversation."""
    from jinja2 import TemplateError

    raise TemplateError(message)


def _json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    """Return JSON without the escapes for HTML of jinja2's own filter."""
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _generation_block() -> Any:
    """Return an extension for ``{% generation %}``, which marks answers in templates and changes no text."""
    from jinja2.ext import Extension

    class Generation(Extension):  # type: ignore[misc] # untyped where the package is missing
        tags = {"generation"}  # noqa: RUF012 - a class attribute of the package

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    return Generation
