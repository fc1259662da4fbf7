"""The CPU's instructions that NumPy uses."""

from __future__ import annotations

import sys

__all__ = ["has_avx512"]


def has_avx512() -> bool:
    """Whether NumPy computes with instructions of AVX-512 on this CPU."""
    features = sys.modules["numpy._core._multiarray_umath"].__cpu_features__
    return bool(features.get("AVX512_SKX"))
