"""The table of operations on the pages, generated from ``xtensor.backend.TABLE`` during the build.

The line ``<!-- operations -->`` is replaced by one table for each kind of operation, ``<!-- primitives -->`` by the
list of the primitives, ``<!-- ways of dask -->`` by the strategies of the functions on the device ``dask``, and
``<!-- entries CHAPTER SUBJECT -->`` by an entry for each function of a subject: a module of ``xtensor.special``, or one
of the main namespace, whose functions are those of the chapter ``standard`` or ``numpy``. The hook imports xtensor,
which needs NumPy.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xtensor.backend import Operation

ROOT = Path(__file__).parents[2]

DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)

ENTRIES = re.compile(r"^<!-- entries (\S+) (\S+) -->$", re.MULTILINE)

SYMBOLS = {
    "abs": "abs(x)",
    "neg": "-x",
    "pos": "+x",
    "invert": "~x",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
"""The operators by their names in :mod:`operator`, without the underscore of ``and_`` and ``or_``."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page."""
    generators = (("operations", operations), ("primitives", primitives), ("ways of dask", ways_of_dask))
    for mark, generate in ((f"<!-- {name} -->", generate) for name, generate in generators):
        if mark in markdown:
            markdown = markdown.replace(mark, generate())
    return expanded(markdown)


def ways_of_dask() -> str:
    """Return the table of the ways that functions go on the devices of engines."""
    import_from_checkout()
    import_module("xtensor.special")
    lines = ["| way | functions |", "| --- | --- |"]
    for way, names in import_module("xtensor_backends.engines._chunk_strategies").functions_by_way().items():
        lines.append(f"| {way} ({len(names)}) | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines)


def expanded(markdown: str) -> str:
    """Replace the marks for entries by the entries, one level below the headings of the page's sections."""
    options = "\n    options:\n      heading_level: 3" if re.search("^## ", markdown, re.MULTILINE) else ""
    return ENTRIES.sub(
        lambda mark: "\n\n".join(f"::: {name}{options}" for name in public_names(*mark.groups())), markdown
    )


def public_names(chapter: str, subject: str) -> list[str]:
    """Return the public paths of the functions of a subject: a module, or a package with its modules."""
    import_from_checkout()
    if chapter == "special":
        public = set(import_module("xtensor.special").__all__)
        names = public.intersection(import_module(f"xtensor.special.{subject}").__all__)
        return [f"xtensor.special.{name}" for name in sorted(names)]
    table = getattr(import_module("xtensor._ops"), chapter.upper())
    modules = [module for module in table if module == subject or module.startswith(f"{subject}.")]
    return [f"xtensor.{name}" for name in sorted(name for module in modules for name in table[module])]


def import_from_checkout() -> None:
    """Put the checkout on the path; mkdocs restores the path after it has loaded a hook."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def operations() -> str:
    """Format one section with a table for each kind of operation."""
    by_kind: dict[str, list[Operation]] = {}
    for row in rows():
        by_kind.setdefault(row.kind, []).append(row)
    return "\n\n".join(section(kind, members) for kind, members in by_kind.items())


def primitives() -> str:
    """Format the list of the primitives."""
    names = [row.name for row in rows() if row.primitive]
    return f"There are {len(names)} primitives: {', '.join(f'`{name}`' for name in names)}."


@cache
def rows() -> tuple[Operation, ...]:
    """Return every declared operation, those of modules that xtensor imports at their first use included."""
    import_from_checkout()
    xtensor = import_module("xtensor")
    for name in dir(xtensor):
        getattr(xtensor, name)
    import_module("xtensor.nn.functional")
    import_module("xtensor.random")
    table = import_module("xtensor.backend").TABLE
    return tuple(row for row in table.values() if row.declared)


def section(kind: str, members: list[Operation]) -> str:
    """Format the operations of a kind."""
    lines = [
        f"## {kind[0].upper()}{kind[1:]}",
        "",
        "| operation | operands | accepts | dtype | shape | operators | NumPy | implementation |",
        "| --- | ---: | --- | --- | --- | --- | --- | --- |",
    ]
    for row in members:
        cells = (
            linked(row.name),
            str(row.operands),
            row.accepts,
            row.dtype,
            row.shape,
            ", ".join(operators(row)),
            f"`{row.numpy}`" if row.numpy else "",
            implementation(row),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def operators(row: Operation) -> list[str]:
    """Format the operator and the in-place operator of an operation."""
    symbols = [] if row.operator is None else [f"`{SYMBOLS[row.operator.strip('_')]}`"]
    return symbols if row.inplace is None else [*symbols, f"`{SYMBOLS[row.inplace[1:]]}=`"]


def implementation(row: Operation) -> str:
    """Describe the source of an operation on a device that does not override it."""
    if row.primitive:
        return "primitive" if row.composition is None else "primitive, or composed if declined"
    if row.composition is not None:
        return "composed"
    return "library" if row.name in library_functions() else "formula"


@cache
def library_functions() -> frozenset[str]:
    """Return the special functions without a formula."""
    declarations = import_module("xtensor.special._declaration").DECLARATIONS
    return frozenset(f"special.{name}" for name, declaration in declarations.items() if declaration.formula is None)


@cache
def documented() -> frozenset[str]:
    """Return the names that have an entry on a page of the reference."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    return frozenset(name for page in pages for name in DIRECTIVE.findall(expanded(page.read_text(encoding="utf-8"))))


def linked(name: str) -> str:
    """Format an operation's name as a link to its entry, if it has one."""
    path = f"nn.functional.{name.removeprefix('nn.')}" if name.startswith("nn.") else name
    target = f"xtensor.{path}"
    return f"[`{name}`][{target}]" if target in documented() else f"`{name}`"
