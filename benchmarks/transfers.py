"""Transfers from the host, to the host and between libraries: cost against size."""

from __future__ import annotations

from typing import Any

from ._cases import SIZES, Group, Statement, Variant, host_vector, vectors

X = vectors("x")
HOST = host_vector("host")


def python_list(variant: Variant) -> dict[str, Any]:
    """Return a list of Python floats."""
    return {"values": [1.0 + index / variant.size for index in range(variant.size)]}


GROUP = Group(
    title="transfers",
    cases=(
        Statement("xp.asarray(host)", HOST, uses_default_device=True),
        Statement("xp.asarray(host, copy=True)", HOST, uses_default_device=True),
        Statement("xp.asarray(values)", python_list, uses_default_device=True, max_size=10**5),
        Statement("xp.from_dlpack(host)", HOST, uses_default_device=True),
        Statement(
            "to_numpy(x)",
            X,
            note="`numpy.asarray(x)`; for arrays off the host, the library's own function.",
        ),
        Statement("np.from_dlpack(x)", X),
        Statement("x.to_device(x.device)", X),
        Statement("x.tolist()", X, max_size=10**5),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    max_seconds=0.2,
    sweeps=1,
)
