"""Sections of docstrings that several functions have in common, written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["documented", "insert_sections"]

F = TypeVar("F", bound=Callable[..., Any])


def documented(sections: str, **words: str) -> Callable[[F], F]:
    """Insert sections into the docstring of a function, whose own text is the purpose and the notes.

    Parameters
    ----------
    sections
        The text, without indentation.
    words
        The words in the place of their names in braces in the text.
    """

    def decorate(function: F) -> F:
        insert_sections(function, sections.format(**words))
        return function

    return decorate


def insert_sections(function: Callable[..., Any], sections: str) -> None:
    """Insert sections before the notes of a function's docstring, or at its end where it is one line."""
    text = function.__doc__
    if text is None:  # as it is with python -OO
        return
    before, heading, notes = text.partition("Notes\n")
    if heading:
        indent = before.rpartition("\n")[2]  # none from Python 3.13 on
        inserted = f"{sections.strip()}\n\n".replace("\n", f"\n{indent}")
        function.__doc__ = f"{before}{inserted}{heading}{notes}"
    else:
        function.__doc__ = f"{text}\n\n{sections.strip()}\n"
