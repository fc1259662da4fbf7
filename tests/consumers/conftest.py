"""Environment that the consumers read when they are imported."""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # SciPy reads it at import
