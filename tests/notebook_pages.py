"""Notebooks of pages of the documentation: ``python tests/notebook_pages.py`` writes them.

A page is the only source: its text is the notebook's cells of Markdown, its blocks of Python are the cells of code.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

NOTEBOOKS = {"docs/digits.md": "examples/digits.ipynb"}
"""The notebooks by their pages."""


def notebook(page: Path) -> str:
    """Return the notebook of a page, without results, as the text of its file."""
    cells = []
    for number, part in enumerate(re.split(r"^```python\n(.*?)^```\n", page.read_text("utf-8"), flags=re.M | re.S)):
        if part.strip():
            cell = {"cell_type": "code" if number % 2 else "markdown", "id": f"part-{number}", "metadata": {}}
            results = {"execution_count": None, "outputs": []} if number % 2 else {}
            cells.append({**cell, **results, "source": part.strip().splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for source, target in NOTEBOOKS.items():
        (ROOT / target).write_text(notebook(ROOT / source), "utf-8")
