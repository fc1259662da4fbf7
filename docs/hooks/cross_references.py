"""Docstrings' roles (``:func:`name```) as links, for the pages that show them.

A name is looked for in the module of its docstring first, then in the namespace and its extensions; what is on no page
becomes plain code.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from griffe import Alias, Extension, Object

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([\w.]+)`")
DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)
EXTENSIONS = ("xtensor.linalg", "xtensor.fft", "xtensor.special", "xtensor.backend")


def documented() -> set[str]:
    """The names that have an entry on a page of the reference."""
    pages = (Path(__file__).parents[1] / "api").glob("*.md")
    return {name for page in pages for name in DIRECTIVE.findall(page.read_text(encoding="utf-8"))}


class CrossReferences(Extension):
    """Rewrites the roles of every docstring of the package."""

    def __init__(self) -> None:
        super().__init__()
        self._documented = documented()

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one object's docstring."""
        if isinstance(obj, Alias) or obj.docstring is None:
            return
        obj.docstring.value = ROLE.sub(lambda role: self._link(role[1], obj.module.path), obj.docstring.value)

    def _link(self, name: str, scope: str) -> str:
        short = name.removeprefix("xtensor.")
        for parent in (scope, "xtensor", *EXTENSIONS):
            target = f"{parent}.{short}"
            if target in self._documented:
                return f"[`{name}`][{target}]"
        return f"`{name}`"
