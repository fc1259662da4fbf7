"""The functions of the standard's chapters, each chapter in a module of its name: the main namespace without extensions.

Extensions and functions beyond the standard are written in terms of it: ``from .. import _standard as xp``.
"""

from __future__ import annotations

from . import (
    conversion,
    creation,
    data_types,
    elementwise,
    indexing,
    inspection,
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
from .elementwise import *
from .indexing import *
from .inspection import *
from .linear_algebra import *
from .manipulation import *
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *
from .utility import *

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = ["e", "inf", "nan", "newaxis", "pi"]
__all__ += conversion.__all__
__all__ += creation.__all__
__all__ += data_types.__all__
__all__ += elementwise.__all__
__all__ += indexing.__all__
__all__ += inspection.__all__
__all__ += linear_algebra.__all__
__all__ += manipulation.__all__
__all__ += searching.__all__
__all__ += sets.__all__
__all__ += sorting.__all__
__all__ += statistical.__all__
__all__ += utility.__all__
