"""Functions, dtypes and constants of the standard's main namespace, one module per chapter; no extensions.

Extensions and functions beyond the standard use it as their namespace: ``from .. import _standard as xp``.
"""

# ruff: noqa: F403 - each chapter's module lists its names in __all__

from __future__ import annotations

from . import (
    creation,
    data_types,
    elementwise,
    indexing,
    linear_algebra,
    manipulation,
    searching,
    sets,
    sorting,
    statistical,
    utility,
)
from .creation import *
from .data_types import *
from .elementwise import *
from .indexing import *
from .linear_algebra import *
from .manipulation import *
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *
from .utility import *

e = 2.718281828459045
r"""Euler's number, :math:`e = \lim_{n \to \infty} (1 + 1/n)^n`."""

inf = float("inf")
"""Positive infinity of IEEE 754."""

nan = float("nan")
"""Not a number (NaN) of IEEE 754; unequal to every number, itself included."""

newaxis = None
"""Alias of None: as an index, inserts an axis of length 1."""

pi = 3.141592653589793
r"""Ratio of a circle's circumference to its diameter, :math:`\pi`."""

__all__ = ["e", "inf", "nan", "newaxis", "pi"]
__all__ += creation.__all__
__all__ += data_types.__all__
__all__ += elementwise.__all__
__all__ += indexing.__all__
__all__ += linear_algebra.__all__
__all__ += manipulation.__all__
__all__ += searching.__all__
__all__ += sets.__all__
__all__ += sorting.__all__
__all__ += statistical.__all__
__all__ += utility.__all__
