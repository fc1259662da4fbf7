"""Random programs whose expressions have large temporaries, against the same programs on NumPy arrays.

A program keeps values in variables, lists, closures, object arrays, views, exports, generators and threads, computes
with all of them, and returns all. A value that was written over while it could still be seen differs from NumPy's.
Where values alias in NumPy's world (views, in-place operators), they alias here, too.
"""

from __future__ import annotations

import random
import textwrap
from typing import Any

import numpy as np
import pytest

import xtensor as xp

from .tiers import scale

SIZE = 2**15 + 8
"""Elements: more than 256 KiB of float64, from which memory is reused."""

LEAVES = ("x", "y", "z", "v[0]", "v[-1]", "box.held", "make(x)", "closure()", "passed(y)", "view", "cells[0]")

OPERATORS = ("+", "-", "*")

STATEMENTS = (
    "{name} = {expression}",
    "{name} = {expression}",
    "v.append({expression})",
    "v[0] = {expression}",
    "box.held = {expression}",
    "cells[0] = {expression}",
    "x = ({name} := {expression}) + {expression}",
    "{name} += {expression}",
    "{name} *= 0.5",
    "view = {name}[:]",
    "view = {name}[::-1]",
    "cells = cells * 0.5 + 1.0",
    "v = [item + {leaf} for item in v[-3:]]",
    "v += list(map(operator.mul, v[-2:], v[:2]))",
    "v.append(functools.reduce(operator.add, [{leaf}, {leaf}, {expression}]))",
    "v.extend(itertools.accumulate([{leaf} * 1.0, {leaf}, {leaf}], operator.sub))",
    "v.append(sum(item + {leaf} for item in v[-2:]))",
    "closure = (lambda kept: lambda: kept)({expression})",
    "v.append((lambda p, q: (p - q) + p)({expression}, {expression}))",
    "exports.append(M.from_dlpack({name})); v.append({expression})",
    "generator = (item for item in ({expression}, {expression})); v += [next(generator) + 1.0, next(generator)]",
    "v.append(M.abs({expression}) if {flip} else abs({expression}))",
    "v.append(M.add({expression}, {leaf}))",
    "v.append(M.exp(-({expression}) * 0.0))",
    "for step in range(3): {name} = {name} * 0.5 + {leaf}",
    "try: raise ValueError({expression})\nexcept ValueError as error: v.append(error.args[0] + error.args[0] * 0.5)",
    "thread = threading.Thread(target=lambda: v.append({expression})); thread.start(); thread.join()",
    "with M.errstate(all='ignore') if hasattr(M, 'errstate') else nothing: {name} = {expression}",
    "{name} = M.where({leaf} > {expression}, {expression}, {name})",
    "v.append((({expression})[None, :] * 0.5)[0])",
)

HEAD = """
import functools, itertools, operator, threading
from contextlib import nullcontext
nothing = nullcontext()

class Box: held = None

def make(p): return p * 0.25 + 1.0

def passed(p): return p

def program(x, y, z, M, cells):
    box, v, exports, view = Box(), [x + 1.0, y * 2.0], [], x[:]
    box.held = x - y
    cells[0] = z + 1.0
    def closure(kept=y + 3.0): return kept
"""


def expression(source: random.Random, depth: int) -> str:
    """Return the text of a random expression."""
    if depth == 0 or source.random() < 0.15:
        return source.choice(LEAVES)
    chosen = source.random()
    inner = expression(source, depth - 1)
    if chosen < 0.1:
        return f"-({inner})"
    if chosen < 0.2:
        return f"abs({inner})"
    other = source.choice(("2.0", "-0.5")) if chosen < 0.4 else expression(source, depth - 1)
    left, right = (other, inner) if chosen < 0.3 else (inner, other)
    return f"({left} {source.choice(OPERATORS)} {right})"


def program(seed: int) -> str:
    """Return the text of a random program."""
    source = random.Random(seed)
    lines = []
    for _ in range(12):
        text = source.choice(STATEMENTS)
        while "{expression}" in text:
            text = text.replace("{expression}", expression(source, source.randrange(1, 5)), 1)
        while "{leaf}" in text:
            text = text.replace("{leaf}", source.choice(LEAVES), 1)
        lines.append(text.replace("{name}", source.choice("xyz")).replace("{flip}", str(source.random() < 0.5)))
        lines.append("v = v[-6:]")
    lines.append("return [x, y, z, box.held, view, closure(), *v, *exports, *cells]")
    return HEAD + textwrap.indent("\n".join(lines), "    ")


def outcome(text: str, arrays: list[Any], namespace: Any) -> list[Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "<program>", "exec"), names)
    cells = np.empty(1, dtype=object)
    return [np.asarray(value) for value in names["program"](*arrays, namespace, cells)]


@pytest.mark.parametrize("seed", range(scale(150, 20_000)))
def test_random_programs_equal_numpys(seed: int) -> None:
    text = program(seed)
    device = ("numpy", "cpu")[seed // 2 % 2]  # without kernels and, where they are installed, with them
    values = np.random.default_rng(seed).integers(-3, 4, (3, SIZE)) * 0.5
    with np.errstate(all="ignore"):
        expected = outcome(text, [row.copy() for row in values], np)
        # The rows are rows of other memory, and their copies own theirs: both kinds of operand occur.
        actual = outcome(text, [xp.asarray(row, device=device, copy=bool(seed % 2)) for row in values.copy()], xp)
    assert len(actual) == len(expected)
    for number, (mine, wanted) in enumerate(zip(actual, expected, strict=True)):
        assert np.array_equal(mine, wanted, equal_nan=True), f"value {number} of\n{text}"
