"""Functions, dtypes and constants of the standard's main namespace, one module per chapter; no extensions.

Extensions and functions beyond the standard use it as their namespace: ``from .. import _standard as xp``.
"""

from __future__ import annotations

from .._core.boundary import publish
from . import (
    conversion,
    creation,
    data_types,
    filling,
    indexing,
    inspection,
    joining,
    linear_algebra,
    manipulation,
    searching,
    sets,
    sorting,
    statistical,
    utility,
)
from .conversion import *
from .creation import *
from .data_types import *
from .elementwise import (
    arithmetic,
    bitwise,
    comparison,
    complex,
    exponential,
    floating,
    hyperbolic,
    logical,
    powers,
    rounding,
    trigonometric,
)
from .elementwise.arithmetic import *
from .elementwise.bitwise import *
from .elementwise.comparison import *
from .elementwise.complex import *
from .elementwise.exponential import *
from .elementwise.floating import *
from .elementwise.hyperbolic import *
from .elementwise.logical import *
from .elementwise.powers import *
from .elementwise.rounding import *
from .elementwise.trigonometric import *
from .filling import *
from .indexing import *
from .inspection import *
from .joining import *
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

__all__ = [
    "e",
    "inf",
    "nan",
    "newaxis",
    "pi",
    *conversion.__all__,
    *creation.__all__,
    *data_types.__all__,
    *filling.__all__,
    *indexing.__all__,
    *inspection.__all__,
    *joining.__all__,
    *linear_algebra.__all__,
    *manipulation.__all__,
    *searching.__all__,
    *sets.__all__,
    *sorting.__all__,
    *statistical.__all__,
    *utility.__all__,
    *arithmetic.__all__,
    *bitwise.__all__,
    *comparison.__all__,
    *complex.__all__,
    *exponential.__all__,
    *floating.__all__,
    *hyperbolic.__all__,
    *logical.__all__,
    *powers.__all__,
    *rounding.__all__,
    *trigonometric.__all__,
]

publish(globals(), __all__)
