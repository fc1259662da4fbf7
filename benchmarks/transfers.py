"""Arrays from the host and back, and between libraries, cost against size."""

from __future__ import annotations

from typing import Any

from ._cases import SIZES, Group, Statement, Variant, host_vector, vectors

X = vectors("x")
HOST = host_vector("host")


def numbers(variant: Variant) -> dict[str, Any]:
    """A list of Python floats."""
    return {"values": [1.0 + position / variant.size for position in range(variant.size)]}


GROUP = Group(
    title="transfers",
    cases=(
        Statement("xp.asarray(host)", HOST, creates=True),
        Statement("xp.asarray(host, copy=True)", HOST, creates=True),
        Statement("xp.asarray(values)", numbers, creates=True, largest=10**5),
        Statement("xp.from_dlpack(host)", HOST, creates=True),
        Statement("to_numpy(x)", X, note="`numpy.asarray(x)`, or what a library has for arrays off the host."),
        Statement("np.from_dlpack(x)", X),
        Statement("x.to_device(x.device)", X, grows=False),
        Statement("x.tolist()", X, largest=10**5),
    ),
    sizes=SIZES,
    dtypes=("float32", "float64"),
    seconds=0.2,
    sweeps=1,
)
