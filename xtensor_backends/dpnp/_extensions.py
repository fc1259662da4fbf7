"""Initialisation of dpnp's and dpctl's extension modules by one thread.

Each extension module keeps dpctl's C interface in a static variable, which the first conversion of an argument
initialises. The initialiser allocates memory and releases the interpreter's lock meanwhile. Another thread that then
holds the interpreter's lock and reaches the same variable waits forever. All of these variables are therefore
initialised when a queue is created, before a second thread can use the device: a function is called with arguments of
the wrong class, so that it converts the first one and raises TypeError.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["initialize"]

SIGNATURE = re.compile(
    r"^(?:\d+\. )?\w+\((\w+: (?:dpctl|dpnp)(?:::tensor::usm_ndarray|\.Sycl\w+)\b.*)\) ->", re.MULTILINE
)
"""The signature, in a docstring, of a function whose first argument is converted by dpctl's C interface."""


def initialize(queue: Any) -> list[str]:
    """Initialise the extension modules; return the names of those that have no function to do it with."""
    import dpctl
    from dpctl.utils import _seq_order_keeper
    from dpnp.backend.extensions.fft import _fft_impl

    event = dpctl.SyclEvent()
    _seq_order_keeper._OrderManager(1).add_to_both_events(event, event)
    _fft_impl.Complex64Descriptor(1).commit(queue)
    modules = {name: module for name, module in list(sys.modules.items()) if re.match(r"dpnp\..*_impl$", name)}
    del modules[_fft_impl.__name__]
    return [name for name, module in modules.items() if not _convert_an_argument(module)]


def _convert_an_argument(module: ModuleType) -> bool:
    for function in vars(module).values():
        match = SIGNATURE.search(getattr(function, "__doc__", None) or "")
        if match and callable(function):
            _refused(function, match[1].count(": "))
            return True
    return False


def _refused(function: Callable[..., Any], arguments: int) -> None:
    try:
        function(*[object()] * arguments)
    except TypeError:
        return
    raise RuntimeError(f"dpnp's {function.__name__} takes arguments of any class")
