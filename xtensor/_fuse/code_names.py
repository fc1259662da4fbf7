"""The names that a function's code reads: globals, attributes, imported modules, and texts that may be names."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["CodeNames", "imported_modules", "names_of"]

DYNAMIC = frozenset(("getattr", "hasattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter"))
"""Names of code that may read any attribute of an object."""

LISTS = frozenset(("vars", "dir", "__dict__"))
"""Those of code that may list the attributes of an object."""

HANDLED = frozenset(("AttributeError", "Exception", "BaseException"))
"""Names of code that may go on where an attribute does not exist."""


class CodeNames(NamedTuple):
    """The names in code.

    Attributes
    ----------
    globals
        The global names.
    attributes
        The attributes, and the texts that ``getattr`` and ``hasattr`` may name.
    optional
        Those of them that need not exist.
    imports
        The modules, as the statement ``import`` names them.
    nested
        The code of functions in it.
    """

    globals: frozenset[str]
    attributes: frozenset[str]
    optional: frozenset[str]
    imports: frozenset[str]
    nested: tuple[types.CodeType, ...]

    @property
    def dynamic(self) -> bool:
        """Whether the code may read any attribute."""
        return not DYNAMIC.isdisjoint(self.globals | self.attributes)

    @property
    def lists(self) -> bool:
        """Whether the code may list an object's attributes."""
        return not LISTS.isdisjoint(self.globals | self.attributes)


@lru_cache(maxsize=4096)
def names_of(code: types.CodeType) -> CodeNames:
    """Return the names that code reads or writes."""
    names, attributes, imports = set(), set(), set()
    for instruction in dis.get_instructions(code):
        operation = instruction.opname
        if operation == "IMPORT_NAME":
            imports.add(instruction.argval)
        elif operation.endswith(("_GLOBAL", "_NAME")):
            names.add(instruction.argval)
        elif operation.endswith(("_ATTR", "_METHOD", "IMPORT_FROM")):
            attributes.add(instruction.argval)
    optional = set() if HANDLED.isdisjoint(names) else set(attributes)
    if not DYNAMIC.isdisjoint(names | attributes):
        texts = {text for text in code.co_consts if text.__class__ is str and text.isidentifier()}
        attributes |= texts
        optional |= texts
    nested = tuple([constant for constant in code.co_consts if isinstance(constant, types.CodeType)])
    return CodeNames(frozenset(names), frozenset(attributes), frozenset(optional), frozenset(imports), nested)


def imported_modules(imports: frozenset[str], package: str) -> Iterator[types.ModuleType]:
    """Return the modules that code imports, if they are loaded; ``package`` is the code's own."""
    parents = package.split(".") if package else []
    for name in imports:
        for depth in range(len(parents) + 1):
            path = ".".join([*parents[:depth], *([name] if name else [])])
            for end in range(depth, path.count(".") + 1):
                module = sys.modules.get(".".join(path.split(".")[: end + 1]))
                if module is not None:
                    yield module
