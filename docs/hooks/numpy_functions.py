"""Tables of NumPy's functions on the pages, generated from the namespace during the build.

The line ``<!-- NumPy functions -->`` is replaced by one table for each of NumPy's modules, with the place where each of
its functions is computed for an Array, and ``<!-- NumPy names -->`` by the table of the names that differ. The hook
imports xtensor, which needs NumPy; the rows of ``scipy.special`` need SciPy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))  # last, as the hook site.py has the name of a module of Python

from operations import documented, import_from_checkout  # a hook beside this one

PLACES = {"device": "on the device", "host": "on the host"}

PARTS = {
    "numpy.fft": "fft.",
    "numpy.lib.stride_tricks": "lib.stride_tricks.",
    "numpy.linalg": "linalg.",
    "scipy.special": "special.",
}
"""The parts of the namespace with the functions of modules other than ``numpy``."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page."""
    for mark, generate in (("<!-- NumPy functions -->", functions), ("<!-- NumPy names -->", names)):
        if mark in markdown:
            markdown = markdown.replace(mark, generate())
    return markdown


def functions() -> str:
    """Format one section with a table for each module."""
    import_from_checkout()
    modules: dict[str, list[str]] = {}
    for path, place in import_module("xtensor._numpy").where_computed():
        module, _, name = path.rpartition(".")
        modules.setdefault(module, []).append(f"| `{path}` | {PLACES[place]} | {entry(module, name)} |")
    head = "| function | computed | function of the namespace |\n| --- | --- | --- |\n"
    return "\n\n".join(f"## {module}\n\n{head}" + "\n".join(rows) for module, rows in modules.items())


def entry(module: str, name: str) -> str:
    """Format a link to the entry of the namespace's function; empty without one."""
    standard = import_module("xtensor._ops").STANDARD_NAMES.get(name, name)
    part = PARTS.get(module, "")
    for target in (f"xtensor.{part}{name}", f"xtensor.{standard}", f"xtensor.linalg.{name}"):
        if target in documented():
            return f"[`{target}`][{target}]"
    return ""


def names() -> str:
    """Format the table of the functions that the namespace has under the standard's name alone."""
    import_from_checkout()
    rows = import_module("xtensor._ops").STANDARD_NAMES.items()
    lines = [f"| `numpy.{name}` | [`xtensor.{standard}`][xtensor.{standard}] |" for name, standard in rows]
    return "| NumPy | xtensor |\n| --- | --- |\n" + "\n".join(lines)
