"""Links for the roles of docstrings (``:func:`name```), and annotations as users read them.

A name is resolved in the module of its docstring first, then in the namespace and its extensions. A name without an
entry in the reference becomes plain code. A ``bool`` in an annotation is Python's, not the dtype :data:`xtensor.bool`.
``*positional: Never``, which only refuses what is given by position, is left out of signatures. The sections that a
decorator adds to a docstring are read from the function.
"""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from griffe import Alias, Attribute, Expr, ExprName, Extension, Function, Object

sys.path.append(str(Path(__file__).parent))  # last, as the hook site.py has the name of a module of Python

from operations import documented  # a hook beside this one

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([\w.]+)`")
ADDS_SECTIONS = re.compile(r"(documented|unary|binary)\(")
"""Decorators that add sections to docstrings."""
EXTENSIONS = ("xtensor.linalg", "xtensor.fft", "xtensor.special", "xtensor.nn.functional", "xtensor.backend")


def detach_builtins(annotation: str | Expr | None) -> None:
    """Detach the names of Python's built-in classes from the package, so that they do not link to its names."""
    if isinstance(annotation, Expr):
        for part in annotation.iterate(flat=True):
            if isinstance(part, ExprName) and hasattr(builtins, part.name):
                part.parent = None


class CrossReferences(Extension):
    """Griffe extension that rewrites the roles of all docstrings and detaches built-in names in all annotations."""

    def __init__(self) -> None:
        super().__init__()
        self._documented = documented()

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one object's docstring and annotations."""
        if isinstance(obj, Alias):
            return
        if obj.docstring is not None:
            if isinstance(obj, Function) and any(ADDS_SECTIONS.match(str(item.value)) for item in obj.decorators):
                obj.docstring.value = inspect.getdoc(getattr(import_module(obj.module.path), obj.name)) or ""
            obj.docstring.value = ROLE.sub(lambda role: self._link(role[1], obj.module.path), obj.docstring.value)
        if isinstance(obj, Function):
            if "positional" in obj.parameters and str(obj.parameters["positional"].annotation) == "Never":
                del obj.parameters["positional"]
            for annotation in (obj.returns, *(parameter.annotation for parameter in obj.parameters)):
                detach_builtins(annotation)
        elif isinstance(obj, Attribute):
            detach_builtins(obj.annotation)

    def _link(self, name: str, scope: str) -> str:
        short = name.removeprefix("xtensor.")
        for parent in (scope, "xtensor", *EXTENSIONS):
            target = f"{parent}.{short}"
            if target in self._documented:
                return f"[`{name}`][{target}]"
        return f"`{name}`"
