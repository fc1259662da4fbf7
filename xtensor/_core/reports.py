"""NumPy's reports of floating-point errors, collected: the texts of the warnings that a call issues.

A filter that makes an exception of NumPy's first warning hides the others of the same call; these functions find all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["collected"]


REPLACED: dict[str, Any] = {"warn": "log", "log": "ignore", "call": "ignore"}
"""Modes of `numpy.errstate` while warnings are collected; those that write to the user's object are not collected."""


class _Log:
    """Object to which `numpy.errstate` writes in its mode ``"log"``."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def write(self, text: str) -> None:
        self.texts.append(text.strip().removeprefix("Warning: "))


def collected(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, list[RuntimeWarning]]:
    """Return the result of a call and the warnings that `numpy.errstate` lets NumPy issue, each text once."""
    log = _Log()
    modes: dict[str, Any] = {kind: REPLACED.get(str(mode), mode) for kind, mode in np.geterr().items()}
    with np.errstate(**modes, call=log):
        result = function(*args, **kwargs)
    return result, [RuntimeWarning(text) for text in dict.fromkeys(log.texts)]
