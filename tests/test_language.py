"""The language of the code: docstrings begin as the style guide says, and the project speaks of itself alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FILES = [
    path
    for folder in ("xtensor", "xtensor_backends", "conformance", "benchmarks", "examples", "docs/hooks", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path != Path(__file__)
]

BEGINNING = re.compile(r"(What|For which|That which|How much|How many|Whether what)\b")


NAMES_TO_AVOID = frozenset(
    ("admit", "beside", "dear", "fewest", "for_large", "lift_for", "many", "met", "obtain", "told", "unknowns")
)
"""Names that an engineer would not guess; the standard terms are offset, cost, min_size, large_kernel, received, …."""


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a module gives to functions, classes, parameters and variables, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def strings(path: Path) -> list[tuple[int, str]]:
    """The docstrings of a module, and the strings that document its constants, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.lineno, node.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def test_docstrings_begin_with_a_noun_or_a_verb():
    violations = [
        f"{path.relative_to(ROOT)}:{line} {text.splitlines()[0]}"
        for path in FILES
        for line, text in strings(path)
        if BEGINNING.match(text.strip())
    ]
    assert not violations


def test_names_are_terms_of_the_field():
    violations = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in FILES
        if path.parts[len(ROOT.parts)].startswith("xtensor")
        for line, name in names(ast.parse(path.read_text(encoding="utf-8")))
        if name.strip("_").lower() in NAMES_TO_AVOID
    ]
    assert not violations
