"""Assignments whose operands share memory, for the tests of several devices; NumPy's result is the reference.

Each case takes an array of ``arange(5)``, or its NumPy counterpart, and an array of the positions ``POSITIONS``.
"""

from __future__ import annotations

POSITIONS = [4, 0, 3, 1, 2]


def write_by_itself(x, positions):
    x[:] = positions
    x[x] = positions[::-1]


def write_by_itself_in_a_tuple(x, positions):
    x[:] = positions
    x[x, ...] = positions[::-1]


IMMUTABLE = ("jax", "mlx")
"""Backends whose arrays are immutable: an assignment makes a new array, and no Array is a view of another one."""

OVERLAPPING = {
    "indices are the array": lambda x, _: x.__setitem__(x[::-1], 7),
    "indices are the array, values another": write_by_itself,
    "indices in a tuple are the array": write_by_itself_in_a_tuple,
    "values are the array": lambda x, positions: x.__setitem__(positions, x),
    "values are the reversed array": lambda x, positions: x.__setitem__(positions, x[::-1]),
    "values are a view": lambda x, positions: x.__setitem__((positions[:2],), x[2:4]),
    "masked values are a view": lambda x, _: x.__setitem__(x > 1, x[1:4]),
    "slices, towards the end": lambda x, _: x.__setitem__(slice(1, None), x[:-1]),
    "slices, towards the beginning": lambda x, _: x.__setitem__(slice(None, -1), x[1:]),
    "slices of unequal steps": lambda x, _: x.__setitem__(slice(None), x[::-1]),
}

READ_ONLY_WRITES = {
    "an element": lambda x, _: x.__setitem__((0, 0), 5.0),
    "everything": lambda x, _: x.__setitem__(..., 5.0),
    "a mask": lambda x, _: x.__setitem__(x < 9.0, 5.0),
    "an index array": lambda x, zeros: x.__setitem__((zeros, zeros), 5.0),
    "a view of the view": lambda x, _: x[:, 0].__setitem__(0, 5.0),
    "add": lambda x, _: x.__iadd__(1.0),
    "divide": lambda x, _: x.__itruediv__(2.0),
    "floor_divide": lambda x, _: x.__ifloordiv__(2.0),
}
"""Writes into a broadcast view of two equal rows."""
