"""Restriction of ``__array_namespace_info__().devices()`` to the device under test, in the suite's process.

The suite's ``test_from_dlpack`` copies arrays of every dtype to every device of the process. Beside a device with
fewer dtypes it would fail for every other device too.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["EXPLANATION", "show_only_default_device"]

EXPLANATION = """\
The suite sees one device, the device under test: in the suite's process `__array_namespace_info__().devices()` names no
other, because `test_from_dlpack` copies arrays of every dtype to every device that it names. The section of a device
states it if an older run saw every device of the process.
"""


def show_only_default_device() -> None:
    """Make ``devices()`` return the default device of this process and no other."""
    # By name, because the runner's own tests run it on a stand-in for xtensor.
    xtensor: Any = import_module("xtensor")
    info = xtensor.__array_namespace_info__()
    visible = (info.default_device(),)

    def devices(self: object) -> tuple[Any, ...]:
        return visible

    type(info).devices = devices
