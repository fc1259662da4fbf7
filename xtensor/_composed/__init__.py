"""Compositions: functions built of other operations, for libraries that lack them.

A composition takes a device's functions (``xp``), then the operation's operands and options, over native arrays. It
uses native arrays through ``xp`` and through ``x[key]`` with integers and slices alone; index arrays and negative steps
go through ``xp.getitem``. It looks at values on the host only where its result's shape depends on them.
"""

from __future__ import annotations

from . import creation, elementwise, fourier, linear_algebra, manipulation, random, searching, sets, statistical

__all__ = [
    "creation",
    "elementwise",
    "fourier",
    "linear_algebra",
    "manipulation",
    "random",
    "searching",
    "sets",
    "statistical",
]
