"""NumPy's reports of floating-point errors, collected, and warnings issued at the user's line.

A filter that makes an exception of NumPy's first warning hides the others of the same call; these functions find all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import caller_frame

__all__ = ["collected", "rewarn"]

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


def rewarn(*issued: Warning) -> None:
    """Issue warnings at the user's line, once for each line as the user's filters say."""
    frame = caller_frame()
    for warning in issued:
        if frame is None:
            warnings.warn(warning, stacklevel=1)
            continue
        warnings.warn_explicit(
            str(warning),
            type(warning),
            frame.f_code.co_filename,
            frame.f_lineno,
            module=frame.f_globals.get("__name__", "<unknown>"),
            registry=frame.f_globals.setdefault("__warningregistry__", {}),
        )
