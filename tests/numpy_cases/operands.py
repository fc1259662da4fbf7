"""Operands of the cases by name. A name that begins with ``n`` is the NumPy array of the operand without the ``n``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["operands"]

SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
NAN, INFINITY = np.nan, np.inf


def operands() -> dict[str, Any]:
    """Return new operands: NumPy arrays of all kinds and shapes."""
    arrays: dict[str, Any] = {
        "x": np.array([[1.5, -0.5, 2.0], [0.25, 3.0, -1.0]]),
        "y": np.array([[0.5, 2.0, -1.5], [4.0, 1.0, 0.75]]),
        "p": np.array([[0.5, 0.25, 0.125], [0.75, 0.9, 0.1]]),
        "z": np.array([[1.0, NAN, 2.0], [INFINITY, 3.0, -INFINITY]]),
        "v": np.array([3.0, 1.0, 2.0]),
        "w": np.array([1.0, 2.0, 4.0]),
        "q3": np.array([0.5, 0.25, 0.75]),
        "o": np.array([1.0, 3.0, -2.0, 0.5, 2.5, 4.0, -1.0, 6.0]),
        "s": np.array(2.5),
        "e": np.zeros((0, 3)),
        "t": np.arange(24.0).reshape(2, 3, 4)[:, ::-1] / 4 - 2,
        "a": np.array(SQUARE),
        "r": np.array([SQUARE, np.array(SQUARE) + np.eye(3)]),
        "f": np.array([[1.5, -0.5, 2.0], [0.25, 3.0, -1.0]], dtype=np.float32),
        "g": np.array([0.5, 1.0, 2.0], dtype=np.float32),
        "i": np.array([2, 0, 1]),
        "j": np.array([[3, 1, 2], [4, 6, 5]]),
        "k": np.array(2),
        "u": np.array([[1, 2, 3], [250, 5, 60]], dtype=np.uint8),
        "b": np.array([[True, False, True], [False, False, True]]),
        "m": np.array([True, False, True]),
        "c": np.array([[1 + 2j, -1j, 3], [2 - 1j, 1 + 1j, -2]]),
        "d": np.array([1 + 1j, 2 - 1j, 0.5j]),
    }
    beside = {f"n{name}": values.copy() for name, values in arrays.items() if len(name) == 1 and name != "p"}
    return {**arrays, **beside}


def mapped(folder: str) -> np.memmap[Any, Any]:
    """Return an array of a file in a folder."""
    result = np.memmap(Path(tempfile.mkdtemp(dir=folder)) / "values", dtype=np.float64, mode="w+", shape=(2, 3))
    result[...] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    return result
